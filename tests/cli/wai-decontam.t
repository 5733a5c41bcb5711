file holdout.jsonl:
  {"scenario_id":"h1","prompt":"Cancel order 9911 before it leaves the warehouse tonight please"}
  {"task_id":"h2","prompt":"Why did only two of the four blue mugs arrive?","answer":"Two were back ordered and ship on the ninth of March"}

test: clean rows leave byte for byte, in order
file rows.jsonl:
  {"scenario_id":"h1","prompt":"other words for the same situation"}
  {"scenario_id":"t1","x":1e5,  "prompt":"Where is my parcel?"}
  {"scenario_id":"t2","prompt":"  cancel ORDER 9911 before it leaves\tthe warehouse TONIGHT please "}
  {"scenario_id":"t3","prompt":"Hello! Cancel order 9911 before it leaves the warehouse tonight please"}
  {"scenario_id":"t4","prompt":"\u00c4pfel","final_text":"Two were back ordered and ship on the ninth of March"}
run: wai-decontam --against holdout.jsonl --report r.json rows.jsonl
stdout:
  {"scenario_id":"t1","x":1e5,  "prompt":"Where is my parcel?"}
  {"scenario_id":"t4","prompt":"\u00c4pfel","final_text":"Two were back ordered and ship on the ninth of March"}
stderr has: 3 of 5 rows flagged (60.0 %), 2 kept: same task 1, exact 1, near 1
stderr has: reworded
file r.json has: "wai_report": "wai-decontam"
file r.json has: "note_codes": [
file r.json has: "coverage": 0.909

test: standard input, quiet
stdin:
  {"prompt":"Why did only two of the four BLUE mugs arrive?"}
  {"prompt":"Where is it?"}
run: wai-decontam -q -a holdout.jsonl
stdout:
  {"prompt":"Where is it?"}
stderr empty

test: a reply that gives the answer, when that is asked for
stdin:
  {"prompt":"Mugs?","final_text":"Two were back ordered and ship on the ninth of March"}
run: wai-decontam -q -a holdout.jsonl --fields 'prompt, final_text' --dry-run --json
stdout json: {"n":1,"n_exact":1,"by_field":{"final_text":1},"fields":["prompt","final_text"],"examples":[{"index":0,"field":"final_text","match":"exact","coverage":1.0}]}

test: a copy in a script without letters a-z is found
file test.jsonl:
  {"prompt":"你好，世界？"}
stdin:
  {"prompt":" 你好，世界？"}
  {"prompt":"你好，世界。"}
run: wai-decontam -a test.jsonl --report r.json
stdout:
  {"prompt":"你好，世界。"}
file r.json has: "n_exact": 1
file r.json has: "n_eval_texts": 0
file r.json has: "n_unreadable": 1
stderr has: neither a letter a-z nor a digit: 1;

test: a prompt of messages is what its user says
stdin:
  {"prompt":[{"role":"system","content":"Be kind."},{"role":"user","content":"Why did only two of the four blue mugs arrive?"}]}
  {"prompt":[{"role":"user","content":[{"type":"text","text":"Why did only two of the four blue mugs"},{"type":"text","text":"arrive?"}]}]}
  {"prompt":[{"role":"assistant","content":"Why did only two of the four blue mugs arrive?"}]}
run: wai-decontam -q -a holdout.jsonl | wc -l
stdout:
  1

test: flagged rows are kept with the reason
stdin:
  {"task_id":"h2","prompt":"p","x":1}
  {"prompt":"Hello! Cancel order 9911 before it leaves the warehouse tonight please"}
run: wai-decontam -q -a holdout.jsonl --flagged f.jsonl; cat f.jsonl
stdout rows:
  {"task_id":"h2","prompt":"p","x":1,"contamination":{"rule":"same_task","field":"task","match":"same_task","coverage":1.0,"task":"h2"}}
  {"contamination":{"rule":"near","field":"prompt","match":"cancel order 9911 before it leaves the warehouse","coverage":0.909}}

test: any shared n-gram, and longer ones
stdin:
  {"prompt":"the four blue mugs of my aunt"}
run: wai-decontam -q -a holdout.jsonl -n 4 --overlap 0 --dry-run --json | grep -o '"n_near": [0-9]*'; echo '{"prompt":"the four blue mugs of my aunt"}' | wai-decontam -q -a holdout.jsonl -n 5 --overlap 0
stdout:
  "n_near": 1
  {"prompt":"the four blue mugs of my aunt"}

test: the overlap is kept between 0 and 1
stdin:
  {"prompt":"Why did only two of the four blue mugs arrive in June"}
run: wai-decontam -q -a holdout.jsonl -n 3 --overlap 7 --dry-run --json
stdout json: {"overlap":1.0,"n_near":0,"n_kept":1}

test: an example may hold any character
file test.jsonl:
  {"task_id":"a\u2028b\n\u0000c","prompt":"x"}
stdin:
  {"task_id":"a\u2028b\n\u0000c"}
  {"prompt":"X"}
run: wai-decontam -q -a test.jsonl --dry-run --json
stdout json: {"examples":[{"index":0,"task":"a\u2028b\n\u0000c"},{"index":1,"match":"exact"}]}

test: several holdouts, compressed ones too
needs: zstd
file more.jsonl:
  {"prompt":"one more question of the test"}
stdin:
  {"prompt":"One more question of the test"}
  {"task_id":"h1"}
run: zstd -q more.jsonl && wai-decontam -q -a holdout.jsonl -a more.jsonl.zst --dry-run --json
stdout json: {"n_eval_rows":3,"n_contaminated":2,"n_kept":0}

test: no ids on the evaluation side is said, and can be red
file test.jsonl:
  {"prompt":"a question"}
stdin:
  {"scenario_id":"a","prompt":"b"}
run: wai-decontam -a test.jsonl --fail-on-skipped --report r.json
exit: 1
stdout:
  {"scenario_id":"a","prompt":"b"}
stderr has: 0 of 1 evaluation rows carry a scenario_id or task_id
stderr has: could not run
file r.json has: "no_evaluation_ids"
file r.json has: "same_task": "0 of 1

test: no ids on the training side
stdin:
  {"prompt":"b"}
run: wai-decontam -q -a holdout.jsonl --dry-run --json
stdout json: {"note_codes":["no_training_ids","reworded_not_seen"]}

test: more than the rate that is tolerated is red, and the clean rows still leave
stdin:
  {"scenario_id":"h1"}
  {"scenario_id":"t1"}
run: wai-decontam -q -a holdout.jsonl --fail-over 0.4
exit: 1
stdout:
  {"scenario_id":"t1"}
stderr has: wai-decontam: 1 of 2 rows are flagged, more than --fail-over 0.4

test: just as much is not
stdin:
  {"scenario_id":"h1"}
  {"scenario_id":"t1"}
run: wai-decontam -q -a holdout.jsonl --fail-over 0.5
stdout:
  {"scenario_id":"t1"}

test: the report for people
stdin:
  {"scenario_id":"h1"}
run: wai-decontam -a holdout.jsonl --dry-run
stdout has: 1 of 1 rows flagged (100.0 %), 0 kept: same task 1, exact 0, near 0
stdout has: against 2 evaluation rows, 3 texts; 8-grams, overlap 0.8
stdout has: for you to say
stderr empty

test: the same rows and report at any number of threads
run:
  for i in $(seq 2000); do
    echo "{\"scenario_id\":\"t$i\",\"prompt\":\"Row $i asks before it leaves the warehouse tonight please number $((i % 7))\"}"
    [ $((i % 3)) = 0 ] && sed -n 1p holdout.jsonl
  done > rows.jsonl
  for jobs in 1 2 7; do
    wai-decontam -q -a holdout.jsonl -n 4 --overlap 0.4 --jobs $jobs --report r$jobs --flagged f$jobs rows.jsonl > o$jobs
  done
  cmp r1 r2 && cmp r1 r7 && cmp o1 o2 && cmp o1 o7 && cmp f1 f2 && cmp f1 f7 && wc -l < f1
stdout:
  2666

test: empty input is a report of zeros
run: wai-decontam -a holdout.jsonl --report r.json < /dev/null
stdout empty
file r.json has: "contamination_rate": 0.0

test: an empty holdout drops nothing and is said
file none.jsonl:
stdin:
  {"prompt":"a"}
run: wai-decontam -a none.jsonl
stdout:
  {"prompt":"a"}
stderr has: the holdout has no rows: nothing was compared

test: the training file as its own holdout is named
run: wai-decontam -a holdout.jsonl ./holdout.jsonl
stdout empty
stderr has: a training file is also an --against file

test: without a holdout
stdin:
  {"prompt":"a"}
run: wai-decontam
exit: 2
stdout empty
stderr has: wai-decontam: --against is missing

test: a holdout that is not there
run: wai-decontam -a nowhere.jsonl < /dev/null
exit: 3
stderr has: wai-decontam: nowhere.jsonl

test: both sides on standard input
run: wai-decontam -a - < holdout.jsonl
exit: 2
stderr has: both standard input

test: one side on standard input
file rows.jsonl:
  {"task_id":"h1"}
  {"task_id":"h3"}
run: wai-decontam -q -a - rows.jsonl < holdout.jsonl
stdout:
  {"task_id":"h3"}

test: a bad row is named
stdin:
  {"prompt":"a"}
  {"prompt":
run: wai-decontam -q -a holdout.jsonl
exit: 3
stderr has: wai-decontam: -:2:

test: a bad row is skipped and counted
stdin:
  {"prompt":"a"}
  ["no row"]
run: wai-decontam -a holdout.jsonl --on-bad skip
stdout:
  {"prompt":"a"}
stderr has: 1 bad line was skipped

test: a bad line of the holdout always stops
file test.jsonl:
  {"prompt":"a"}
  broken
stdin:
  {"prompt":"a"}
run: wai-decontam -q -a test.jsonl --on-bad skip -o out.jsonl
exit: 3
stderr has: wai-decontam: test.jsonl:2:
file out.jsonl absent

test: bad usage
run:
  wai-decontam -a holdout.jsonl -n 0 < /dev/null
  echo $?
  wai-decontam -a holdout.jsonl --fields 'prompt,,x' < /dev/null
  echo $?
  wai-decontam -a holdout.jsonl --json < /dev/null
  echo $?
  wai-decontam -a holdout.jsonl --dry-run -o x < /dev/null
  echo $?
  wai-decontam -a holdout.jsonl --fail-over 2 < /dev/null
  echo $?
stdout:
  2
  2
  2
  2
  2
stderr has: a name is empty

test: a closed pipe ends it quietly
run:
  yes '{"prompt":"a clean row"}' | head -n 300000 > rows.jsonl
  wai-decontam -q -a holdout.jsonl rows.jsonl | head -n 1
stdout:
  {"prompt":"a clean row"}
stderr empty

test: a full disk is exit 5
stdin:
  {"prompt":"a clean row"}
run: wai-decontam -q -a holdout.jsonl > /dev/full
exit: 5
stderr has: No space left on device

test: hostile texts pass through, and do not reach the terminal
stdin:
  {"scenario_id":"\u001b]0;x\u0007","prompt":"\ud800 \u0000 \u202e"}
run: wai-decontam -a holdout.jsonl
stdout:
  {"scenario_id":"\u001b]0;x\u0007","prompt":"\ud800 \u0000 \u202e"}
stderr lacks: ]0;x
