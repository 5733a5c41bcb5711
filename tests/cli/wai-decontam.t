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

test: a partial copy in any script is found when words are of any script
file test.jsonl:
  {"prompt":"北京是中国的首都，人口超过两千万，请问它的面积是多少？"}
  {"prompt":"日本で一番高い山は富士山ですが、二番目に高い山は何ですか"}
  {"prompt":"กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย มีประชากรกี่คน"}
  {"prompt":"ما هي عاصمة الجمهورية التي تقع في شمال أفريقيا وتطل على البحر المتوسط"}
  {"prompt":"Какой город был столицей России до Москвы и в каком веке это было"}
  {"prompt":"भारत की राजधानी क्या है और उसमें कितने लोग रहते हैं आज के दिन"}
file rows.jsonl:
  {"prompt":"问：北京是中国的首都，人口超过两千万，请问它的面积是多少？谢谢"}
  {"prompt":"すみません、日本で一番高い山は富士山ですが、二番目に高い山は何ですか"}
  {"prompt":"กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย มีประชากรกี่คน ครับ"}
  {"prompt":"سؤال ما هي عاصمة الجمهورية التي تقع في شمال أفريقيا وتطل على البحر المتوسط"}
  {"prompt":"Вопрос: какой город был столицей России до Москвы и в каком веке это было"}
  {"prompt":"भारत की राजधानी क्या है और उसमें कितने लोग रहते हैं आज के दिन बताओ"}
  {"prompt":"上海是中国最大的城市之一，它的港口非常繁忙，每天有很多船。"}
  {"prompt":"В каком году родился Пушкин и где он учился в детстве и потом"}
run:
  wai-decontam -q -a test.jsonl rows.jsonl | wc -l
  wai-decontam -q -a test.jsonl --tokens unicode --report r.json rows.jsonl
stdout:
  8
  {"prompt":"上海是中国最大的城市之一，它的港口非常繁忙，每天有很多船。"}
  {"prompt":"В каком году родился Пушкин и где он учился в детстве и потом"}
file r.json has: "n_near": 6
file r.json has: "n_unreadable": 0
file r.json has: "tokens": "unicode"
file r.json has: "match": "北 京 是 中 国 的 首 都"

test: marks belong to their letters
file test.jsonl:
  {"prompt":"ที่นี่มีน้ำกินดี"}
stdin:
  {"prompt":"ที่นี้มีน้ำกินดี"}
  {"prompt":"! ที่นี่มีน้ำกินดี ?"}
run: wai-decontam -q -a test.jsonl --tokens unicode -n 3 --overlap 1
stdout:
  {"prompt":"ที่นี้มีน้ำกินดี"}

test: meanings, by vectors of a file
file v.jsonl:
  {"text":"Cancel order 9911 before it leaves the warehouse tonight please","vector":[1,0,0]}
  {"text":"Why did only two of the four blue mugs arrive?","vector":[0,3,0]}
  {"text":"Please stop 9911","vector":[0.9,0.1,0]}
  {"text":"Where are my mugs?","vector":[0.3,0.9,0.5]}
  {"text":"Hello","vector":[0,0,1]}
  {"text":"","vector":[0,0,0]}
file rows.jsonl:
  {"prompt":"Please stop 9911","x":1}
  {"scenario_id":"h1","prompt":"not asked for"}
  {"prompt":"Hello","x":2}
  {"prompt":"  ","x":3}
  {"prompt":"Where are my mugs?"}
  {"prompt":"Hello","final_text":"Please stop 9911"}
run:
  wai-decontam -a holdout.jsonl --embedder file:v.jsonl --fields prompt,final_text --flagged f.jsonl --report r.json rows.jsonl
  cat f.jsonl
stdout rows:
  {"prompt":"Hello","x":2}
  {"prompt":"  ","x":3}
  {"prompt":"Where are my mugs?"}
  {"prompt":"Please stop 9911","x":1,"contamination":{"rule":"semantic","field":"prompt","match":"semantic","similarity":0.9939,"eval_prompt":"Cancel order 9911 before it leaves the warehouse tonight please"}}
  {"scenario_id":"h1","prompt":"not asked for","contamination":{"rule":"same_task","field":"task","match":"same_task","coverage":1.0,"task":"h1"}}
  {"prompt":"Hello","final_text":"Please stop 9911","contamination":{"rule":"semantic","field":"final_text","match":"semantic","similarity":0.9939,"eval_prompt":"Cancel order 9911 before it leaves the warehouse tonight please"}}
stderr has: same task 1, exact 0, near 0, semantic 2
stderr has: similarity 0.85 by file:v.jsonl
file r.json has: "n_semantic": 2
file r.json has: "similarity": 0.85
file r.json has: "embedder": "file:v.jsonl"
file r.json lacks: "reworded_not_seen"

test: a lower threshold
file v.jsonl:
  {"text":"Cancel order 9911 before it leaves the warehouse tonight please","vector":[1,0,0]}
  {"text":"Why did only two of the four blue mugs arrive?","vector":[0,3,0]}
  {"text":"Where are my mugs?","vector":[0.3,0.9,0.5]}
stdin:
  {"prompt":"Where are my mugs?"}
run: wai-decontam -q -a holdout.jsonl --embedder file:v.jsonl --similarity 0.83 --dry-run --json
stdout json: {"n_semantic":1,"examples":[{"index":0,"field":"prompt","match":"semantic","similarity":0.8393,"eval_prompt":"Why did only two of the four blue mugs arrive?"}]}

test: without a model, by words and neighbours; a zero at 1.0
stdin:
  {"prompt":"why did two of the four blue mugs only arrive?"}
  {"prompt":"Where is it?"}
run:
  printf '{"prompt":"why did two of the four blue mugs only arrive?"}\n{"prompt":"Where is it?"}\n' > rows.jsonl
  wai-decontam -q -a holdout.jsonl --embedder hash --similarity 0.7 rows.jsonl
  wai-decontam -q -a holdout.jsonl --embedder hash --similarity 1 rows.jsonl | wc -l
stdout:
  {"prompt":"Where is it?"}
  2

test: how alike distinct tasks read is told
run:
  for i in 1 2 3 4; do echo "{\"task_id\":\"$i\",\"prompt\":\"$(printf 'word%.0s ' $(seq $i)) and the rest is the same\"}"; done > test.jsonl
  echo '{"prompt":"x"}' | wai-decontam -q -a test.jsonl --embedder hash --dry-run
stdout has: distinct tasks read this alike: 0.
stdout has: 99th percentile

test: a command makes the vectors
file embed:
  #!/bin/sh
  while read -r line; do n=$(printf '%s' "$line" | jq '.texts | length'); jq -cn --argjson n "$n" '{embeddings: [range($n) | [1, 0]]}'; done
needs: jq
stdin:
  {"prompt":"anything"}
run: chmod +x embed; wai-decontam -q -a holdout.jsonl --embedder cmd:./embed --dry-run --json
stdout json: {"n_semantic":1}

test: an embedder that fails is exit 4, and nothing is written
stdin:
  {"prompt":"anything"}
run: wai-decontam -q -a holdout.jsonl --embedder cmd:false -o out.jsonl
exit: 4
stderr has: wai-decontam: cmd:false
file out.jsonl absent

test: a text that the vectors' file lacks is bad input
file v.jsonl:
  {"text":"Cancel order 9911 before it leaves the warehouse tonight please","vector":[1,0]}
  {"text":"Why did only two of the four blue mugs arrive?","vector":[0,3]}
stdin:
  {"prompt":"unheard of"}
run: wai-decontam -q -a holdout.jsonl --embedder file:v.jsonl
exit: 3
stdout empty
stderr has: no vector for "unheard of"

test: a holdout without prompts
file test.jsonl:
  {"task_id":"a","answer":"yes"}
stdin:
  {"task_id":"b","prompt":"x"}
run: wai-decontam -a test.jsonl --embedder hash --report r.json --fail-on-skipped
exit: 1
stdout:
  {"task_id":"b","prompt":"x"}
stderr has: the semantic rule could not run
stderr has: no vectors were compared
file r.json has: "no_evaluation_prompts"

test: vectors from a recording
stdin:
  {"prompt":"x"}
file tape.jsonl:
run: wai-decontam -q -a holdout.jsonl --embedder http://127.0.0.1:9/v1/embeddings --embed-model m --replay tape.jsonl
exit: 4
stdout empty
stderr has: wai-decontam:

test: a saved index serves as the holdout does
run:
  wai-decontam -q -a holdout.jsonl --index-out h.index --dry-run --json < /dev/null > /dev/null
  wai-decontam -q -a holdout.jsonl --index-out again.index --dry-run < /dev/null > /dev/null
  cmp h.index again.index
  printf '%s\n' '{"scenario_id":"h1"}' '{"prompt":"Two were back ordered and ship on the ninth of March"}' '{"prompt":"ok"}' '{"prompt":"Hello! Cancel order 9911 before it leaves the warehouse tonight please"}' > rows.jsonl
  wai-decontam -q -a holdout.jsonl --report a.json --embedder hash rows.jsonl
  wai-decontam -q --index h.index --report b.json --embedder hash rows.jsonl
  cmp a.json b.json
stdout:
  {"prompt":"ok"}
  {"prompt":"ok"}

test: indexes and rows join
file more.jsonl:
  {"prompt":"one more question of the test"}
  {"task_id":"h2","prompt":"why DID only two of the four blue mugs arrive?"}
run:
  wai-decontam -q -a holdout.jsonl --index-out h.index --dry-run < /dev/null > /dev/null
  wai-decontam -q -a more.jsonl --index-out m.index --dry-run < /dev/null > /dev/null
  wai-decontam -q -a holdout.jsonl -a more.jsonl --index-out all.index --dry-run < /dev/null > /dev/null
  wai-decontam -q --index h.index --index m.index --index-out joined.index --dry-run < /dev/null > /dev/null
  wai-decontam -q --index h.index -a more.jsonl --index-out mixed.index --dry-run --json < /dev/null | grep n_eval
  for i in all joined mixed; do wai-decontam -q --index $i.index --dry-run --json holdout.jsonl more.jsonl > $i.json; done
  cmp all.json joined.json && cmp all.json mixed.json && grep n_contam all.json
stdout:
    "n_eval_rows": 4,
    "n_eval_texts": 4,
    "n_contaminated": 4,

test: an index and options that it cannot serve
run:
  wai-decontam -q -a holdout.jsonl --index-out h.index --dry-run < /dev/null > /dev/null
  wai-decontam -q --index h.index -n 5 < /dev/null
  echo $?
  wai-decontam -q --index h.index --tokens unicode < /dev/null
  echo $?
  wai-decontam -q -a holdout.jsonl -n 5 --index-out five.index --dry-run < /dev/null > /dev/null
  wai-decontam -q --index h.index --index five.index < /dev/null
  echo $?
stdout:
  2
  2
  2
stderr has: 8-grams, not --ngram 5
stderr has: --tokens ascii, not unicode
stderr has: different n-grams

test: files that are no index
run:
  wai-decontam -q -a holdout.jsonl --index-out h.index --dry-run < /dev/null > /dev/null
  wai-decontam --index holdout.jsonl < /dev/null
  echo $?
  wai-decontam --index /dev/null < /dev/null
  echo $?
  wai-decontam --index nowhere.index < /dev/null
  echo $?
  head -c 900 h.index > cut.index
  wai-decontam --index cut.index < /dev/null
  echo $?
  { head -c 600 h.index; printf x; tail -c +602 h.index; } > changed.index
  wai-decontam --index changed.index < /dev/null
  echo $?
stdout:
  3
  3
  3
  3
  3
stderr has: holdout.jsonl: no index of wai-decontam
stderr has: an index is mapped, so it must be a file
stderr has: nowhere.index: cannot be read
stderr has: cut.index: the index was cut
stderr has: changed.index: the index is damaged

test: summaries of parts merge to the bytes of one pass
run:
  for i in $(seq 300); do
    echo "{\"scenario_id\":\"t$i\",\"prompt\":\"Row $i asks before it leaves the warehouse tonight please number $((i % 7))\"}"
    [ $((i % 5)) = 0 ] && sed -n $((i % 2 + 1))p holdout.jsonl
    [ $((i % 50)) = 0 ] && echo broken
  done > rows.jsonl
  set -- -q -a holdout.jsonl -n 4 --overlap 0.4 --fields prompt,final_text --embedder hash --on-bad skip --jobs 2
  wai-decontam "$@" --report whole.json rows.jsonl > whole.jsonl
  wai-decontam "$@" --dry-run rows.jsonl > whole.txt
  head -n 11 rows.jsonl | wai-decontam "$@" --partial --report p1 > o1
  tail -n +12 rows.jsonl | head -n 200 | wai-decontam "$@" --partial --index-base 11 --report p2 > o2
  tail -n +212 rows.jsonl | wai-decontam "$@" --partial --index-base 211 --report p3 > o3
  cat o1 o2 o3 | cmp - whole.jsonl
  wai-decontam --merge --json p3 p1 p2 | cmp - whole.json
  wai-decontam --merge p2 p3 p1 | cmp - whole.txt
  wai-decontam --merge --partial p3 p1 > p31
  cat p2 p31 | wai-decontam --merge --report merged.json --fail-over 0.2 > /dev/null
  echo $?
  cmp merged.json whole.json
stdout:
  1
stderr has: more than --fail-over 0.2

test: summaries that do not go together
stdin:
  {"prompt":"a"}
run:
  echo '{"prompt":"a"}' > rows.jsonl
  echo '{"prompt":"other"}' > test.jsonl
  part() { wai-decontam -q --partial --dry-run --json "$@" rows.jsonl; }
  part -a holdout.jsonl > a; part -a holdout.jsonl --overlap 0.5 --index-base 1 > b; part -a test.jsonl --index-base 1 > c
  wai-decontam --merge a a; echo $?
  wai-decontam --merge a b; echo $?
  wai-decontam --merge a c; echo $?
  wai-decontam --merge rows.jsonl; echo $?
  sed 's/"rows":1/"rows":7/' a | wai-decontam --merge; echo $?
  wai-decontam --merge < /dev/null; echo $?
stdout:
  3
  3
  3
  3
  3
  3
stderr has: two summaries are of the same rows
stderr has: other options than the ones before
stderr has: another holdout than the ones before
stderr has: rows.jsonl:1: the summary's "kind"
stderr has: no summary arrived

test: bad usage of parts, indexes and vectors
run:
  for args in '--partial' '--merge -a holdout.jsonl' '-a holdout.jsonl --index-base 3' '-a holdout.jsonl --similarity 0.9' \
      '-a holdout.jsonl --embedder hash --similarity 2' '-a holdout.jsonl --embedder key:v' '-a holdout.jsonl --record r' \
      '-a holdout.jsonl --embedder nonsense' '-a holdout.jsonl --partial' '-a holdout.jsonl --partial --report r --fail-over 0' \
      '-a holdout.jsonl --tokens latin' '-a holdout.jsonl --embedder hash --replay-miss live'; do
    wai-decontam $args < /dev/null
    statuses="$statuses $?"
  done
  echo $statuses
stdout:
  2 2 2 2 2 2 2 2 2 2 2 2
stderr has: --partial writes a summary where the report goes
stderr has: --merge reads summaries, not rows
stderr has: --similarity needs --embedder

test: a closed pipe ends it quietly while rows wait for vectors
run:
  yes '{"prompt":"a clean row"}' | head -n 20000 > rows.jsonl
  wai-decontam -q -a holdout.jsonl --embedder hash rows.jsonl | head -n 1
stdout:
  {"prompt":"a clean row"}
stderr empty

# ---- scripts/recipes/paraphrase-study -----------------------------------------------------------

test: what passes each rule, the more the stronger it is reworded
run:
  "$SOURCE/scripts/recipes/paraphrase-study" --pairs 60 > study
  "$SOURCE/scripts/recipes/paraphrase-study" --pairs 60 | cmp - study
  grep -E '^(level|verbatim|typography|retold)' study
  # Each column holds at least as many of what is reworded more, and stricter rules hold less.
  awk '/^words/ { for (i = 2; i <= NF; i += 2) { if ($i < last[i]) print $1, i, "fell"; last[i] = $i } }
       /^(words|re)/ && !($2 >= $4 && $4 >= $6 && $6 >= $8) { print $1, "is not in order" }' study
stdout:
  level       exact              near               near-5             any-8              hash
  verbatim    0.00 [0.00..0.06]  0.00 [0.00..0.06]  0.00 [0.00..0.06]  0.00 [0.00..0.06]  0.00 [0.00..0.06]
  typography  1.00 [0.94..1.00]  0.00 [0.00..0.06]  0.00 [0.00..0.06]  0.00 [0.00..0.06]  0.00 [0.00..0.06]
  retold      1.00 [0.94..1.00]  1.00 [0.94..1.00]  1.00 [0.94..1.00]  1.00 [0.94..1.00]  1.00 [0.94..1.00]

test: the study with an embedder of one's own, and its pairs
run:
  "$SOURCE/scripts/recipes/paraphrase-study" --pairs 5 --embedder hash --similarity 0.99 --keep pairs | grep -E '^(level|verbatim)'
  wc -l < pairs/holdout.jsonl
  wc -l < pairs/training.jsonl
  wai-decontam -q -a pairs/holdout.jsonl pairs/training.jsonl | grep -c look-alike
stdout:
  level       exact              near               near-5             any-8              hash               given
  verbatim    0.00 [0.00..0.43]  0.00 [0.00..0.43]  0.00 [0.00..0.43]  0.00 [0.00..0.43]  0.00 [0.00..0.43]  0.00 [0.00..0.43]
  5
  50
  5

test: bad usage of the study, and an embedder that fails
run:
  for o in --pairs '--pairs x' '--pairs 0' '--nonsense 1' x; do
    "$SOURCE/scripts/recipes/paraphrase-study" $o 2> err; [ $? = 2 ] || echo "$o: $?"
  done
  cat err >&2
  "$SOURCE/scripts/recipes/paraphrase-study" --pairs 2 --embedder cmd:false
  echo $?
stdout:
  4
stderr has: paraphrase-study [--pairs N]
stderr has: cmd:false
