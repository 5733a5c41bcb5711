test: one passing reply of each prompt, byte for byte
file rows.jsonl:
  {"prompt":"add 1 and 1, please","final_text":"It is 2.","reward":1.0,"scenario_id":"a","x":1e5}
  {"prompt":"add 1 and 1, please","final_text":"It is 3.","reward":0,"scenario_id":"a"}
  {"prompt":"name a colour of grass","final_text":"Green.","reward":"1","scenario_id":"b"}
run: wai-select --mode sft -q rows.jsonl | sort
stdout:
  {"prompt":"add 1 and 1, please","final_text":"It is 2.","reward":1.0,"scenario_id":"a","x":1e5}
  {"prompt":"name a colour of grass","final_text":"Green.","reward":"1","scenario_id":"b"}
stderr empty

test: whole mixed groups, stamped with the pass rate of their task
file rows.jsonl:
  {"prompt":"add 1 and 1, please","final_text":"It is 2.","reward":1,"scenario_id":"a"}
  {"prompt":"add 1 and 1, please","final_text":"It is 3.","reward":0,"scenario_id":"a"}
  {"prompt":"name a colour of grass","final_text":"Green.","reward":1,"scenario_id":"b"}
  {"prompt":"name a colour of grass","final_text":"It is green.","reward":1,"scenario_id":"b"}
run: wai-select --report r.json rows.jsonl > out.jsonl; wc -l < out.jsonl
stdout:
  2
file out.jsonl has: "calibration":{"task_id":"a","student":{"name":"","model":null,"prompt_hash":null,"version":null},"n":2,"pass_rate":0.5,"mean_kl":null,"pass_rate_ci95":[0.0945,0.9055]}
file r.json has: "unanimous_groups_dropped": 1
stderr has: 1 unanimous

test: the order of the input on request
file rows.jsonl:
  {"prompt":"first thing to do","final_text":"Done.","reward":1}
  {"prompt":"second thing to do","final_text":"Done too, with many more words than before so that it differs from it.","reward":1}
  {"prompt":"third thing to do","final_text":"Done.","reward":1}
run: wai-select -m sft --keep-order -q < rows.jsonl | cut -c12-15
stdout:
  firs
  seco
  thir

test: empty input is an empty selection
run: wai-select --report r.json < /dev/null; wai-select -m sft < /dev/null
stdout empty
stderr has: no row arrived
file r.json has: "n": 0

test: fewer rows than asked for is red
file rows.jsonl:
  {"prompt":"do the thing now","final_text":"Done.","reward":1}
run: wai-select -m sft --fail-under 2 -q rows.jsonl > out.jsonl
exit: 1
stderr has: 1 rows came out, fewer than --fail-under 2

test: a bad line is named
file rows.jsonl:
  {"prompt":"do the thing now","final_text":"Done.","reward":1}
  {"prompt":
run: wai-select -m sft -q rows.jsonl
exit: 3
stdout empty
stderr has: wai-select: rows.jsonl:2:

test: a bad line can be skipped and is counted
file rows.jsonl:
  {"prompt":"do the thing now","final_text":"Done.","reward":1}
  [1]
run: wai-select -m sft --on-bad skip rows.jsonl
stdout:
  {"prompt":"do the thing now","final_text":"Done.","reward":1}
stderr has: 1 bad lines were skipped

test: a band out of order is bad usage
run: wai-select --band 0.8,0.2 < /dev/null
exit: 2
stderr has: the band 0.8,0.2 is out of order

test: a band that is no pair is bad usage
run: wai-select --band 0.8 < /dev/null
exit: 2
stderr has: two numbers are wanted

test: a mode that is not there is bad usage
run: wai-select --mode pears < /dev/null
exit: 2
stderr has: pears

test: no such file
run: wai-select nowhere.jsonl
exit: 3
stderr has: nowhere.jsonl

test: a full disk is said
file rows.jsonl:
  {"prompt":"do the thing now","final_text":"Done.","reward":1}
run: wai-select -m sft -q rows.jsonl > /dev/full
exit: 5
stderr has: No space left on device

test: a closed pipe ends quietly
run:
  for i in $(seq 20000); do echo "{\"prompt\":\"do thing number $i\",\"final_text\":\"Done.\",\"reward\":1}"; done > rows.jsonl
  wai-select -m sft -q --target 20000 rows.jsonl | head -n 1 > out
  echo "${PIPESTATUS[0]}"
stdout:
  141
stderr empty

test: what only the teacher knew does not leave
file rows.jsonl:
  {"prompt":"what is the secret word","final_text":"The word is blue falcon nine.","reward":1,"privileged":{"reference":"Blue  Falcon Nine"}}
  {"prompt":"what is the other word","final_text":"I do not know it.","reward":1,"privileged":{"reference":"Blue  Falcon Nine"}}
run: wai-select -m sft --report r.json rows.jsonl
stdout:
  {"prompt":"what is the other word","final_text":"I do not know it.","reward":1,"privileged":{"reference":"Blue  Falcon Nine"}}
file r.json has: "needle": "blue falcon nine"
stderr has: 1 leaks

test: a cut reply is scored 0 under penalize, and keeps what it had
file rows.jsonl:
  {"prompt":"tell me a story","final_text":"Once upon a time there","reward":1,"scenario_id":"a","finish_reason":"length","judge_name":"j"}
  {"prompt":"tell me a story","final_text":"Once. The end.","reward":1,"scenario_id":"a"}
run: wai-select --truncated penalize -q rows.jsonl
stdout has: "reward":0,
stdout has: "reward_before_penalty":1
stdout has: "judge_name":"overlong_penalty"

test: the hack scan of what was selected
stdin:
  {"scenario_id":"a","prompt":"the way","final_text":"It is there, yes.","reward":1}
  {"scenario_id":"a","prompt":"the way","final_text":"It is not.","reward":0}
run: wai-select --report r.json --endorsed n:words
stdout has: "reward":1
file r.json has: "hack_scan"
file r.json has: "below_min_obs"

test: without the scan
stdin:
  {"scenario_id":"a","prompt":"the way","final_text":"It is there, yes.","reward":1}
  {"scenario_id":"a","prompt":"the way","final_text":"It is not.","reward":0}
run: wai-select -q -o out --no-scan --json
stdout json: {"hack_scan":null,"signal":{"n_mixed":1,"n_in_band":1},"correlations":{"n_graded":2}}

test: the last round's rates drop tasks first, and --explain says what became of the others
file prior.jsonl:
  {"scenario_id":"a","pass_rate":1.0,"n":8}
  {"scenario_id":"c","reward":0}
file rows.jsonl:
  {"scenario_id":"a","prompt":"x y","final_text":"One.","reward":1}
  {"scenario_id":"a","prompt":"x y","final_text":"Two.","reward":0}
  {"scenario_id":"b","prompt":"v w","final_text":"One.","reward":1}
  {"scenario_id":"b","prompt":"v w","final_text":"Two.","reward":0}
  {"scenario_id":"d","prompt":"t u","final_text":"Two.","reward":0}
  {"scenario_id":"d","prompt":"t u","final_text":"Three.","reward":0}
run: wai-select -q -o out --json --prior prior.jsonl --explain why.jsonl rows.jsonl
stdout json: {"n":4,"n_selected":2,"prior":{"kept":0,"dropped_solved":1,"dropped_unsolved":1,"rows_dropped":2},"groups_dropped":{"unanimous":1}}
file why.jsonl has: {"task_key":"b","reason":"selected","p":0.5,"n":2}
file why.jsonl has: {"task_key":"d","reason":"unanimous","p":0.0,"n":2}

test: an audit that found right answers scored 0
file audit.json:
  {"fn_rate":0.25,"fn_ci95":[0.1,0.4],"n_checked":40,"verifier":"exact"}
stdin:
  {"scenario_id":"a","prompt":"the way","final_text":"It is there, yes.","reward":1}
  {"scenario_id":"a","prompt":"the way","final_text":"It is not.","reward":0}
run: wai-select -o out --json --audit audit.json
stdout json: {"audit":{"fn_rate":0.25,"n_checked":40}}
stderr has: the audit found 25 %

test: an audit that is none
file audit.json:
  [1]
stdin:
  {"scenario_id":"a","prompt":"the way","final_text":"It is there, yes.","reward":1}
run: wai-select --audit audit.json
exit: 3
stderr has: audit.json

test: a quota for each value of a key
stdin:
  {"scenario_id":"a","prompt":"one two","final_text":"Yes.","reward":1,"lang":"en"}
  {"scenario_id":"a","prompt":"one two","final_text":"No.","reward":0,"lang":"en"}
  {"scenario_id":"b","prompt":"one three","final_text":"Yes.","reward":1,"lang":"en"}
  {"scenario_id":"b","prompt":"one three","final_text":"No.","reward":0,"lang":"en"}
  {"scenario_id":"c","prompt":"one four","final_text":"Yes.","reward":1,"lang":"de"}
  {"scenario_id":"c","prompt":"one four","final_text":"No.","reward":0,"lang":"de"}
run: wai-select -q -o out --json --max-per lang=1
stdout json: {"n_selected":4,"groups_selected":2,"quota":{"key":"lang","limit":1,"passed_over":1}}

test: a quota that is none
run: wai-select --max-per lang < /dev/null
exit: 2
stderr has: --max-per lang

test: --json wants a file for the rows
run: wai-select --json < /dev/null
exit: 2
stderr has: --output

test: pairs, matched by length
stdin:
  {"prompt":"the way","final_text":"A long and good reply.","reward":1,"model_version":"m1"}
  {"prompt":"The  way","final_text":"No.","reward":0,"model_version":"m1"}
  {"prompt":"the way","final_text":"A long and bad reply .","reward":0,"model_version":"m2"}
  {"prompt":"the way","final_text":"x","reward":0.5,"judge_status":"error"}
run: wai-select --mode pairs --report r.json
stdout json: {"chosen":{"final_text":"A long and good reply."},"rejected":{"final_text":"A long and bad reply ."},"margin":1.0,"same_policy":false,"length_delta":0}
file r.json has: "mixed_policy_pairs": 1
stderr has: 1 not judged

test: no pair
run: wai-select --mode pairs --fail-under 1 < /dev/null
exit: 1
stdout empty
stderr has: note: no pair

test: a margin that is none
run: wai-select --mode pairs --min-margin 0 < /dev/null
exit: 2
stderr has: --min-margin 0

test: a curriculum as text, and its rows
file rows.jsonl:
  {"scenario_id":"hard","prompt":"h","reward":1}
  {"scenario_id":"hard","prompt":"h","reward":0}
  {"scenario_id":"hard","prompt":"h","reward":0}
  {"scenario_id":"easy","prompt":"e","reward":1}
  {"scenario_id":"easy","prompt":"e","reward":1}
  {"scenario_id":"easy","prompt":"e","reward":0}
  {"scenario_id":"done","prompt":"d","reward":1}
  {"scenario_id":"done","prompt":"d","reward":1}
run:
  wai-select --mode curriculum rows.jsonl
  wai-select -q --mode curriculum --emit rows rows.jsonl | head -1
stdout has: 3 tasks: 2 trainable (2 in the band), 1 solved
stdout has: {"scenario_id":"easy","prompt":"e","reward":1,"curriculum":{"tier":0,"rank":0,"pass_rate":0.6667}}

test: solved tasks retire
stdin:
  {"scenario_id":"done","prompt":"d","reward":1}
  {"scenario_id":"done","prompt":"d","reward":1}
  {"scenario_id":"new","prompt":"d"}
run: wai-select --mode retire
stdout:
  {"scenario_id":"new","prompt":"d"}
stderr has: 1 of 1 tasks are solved

test: the next round's tasks
file tasks.jsonl:
  {"task_id":"a"}
  "never seen"
stdin:
  {"task_id":"a","reward":1}
  {"task_id":"a","reward":0}
run: wai-select -q --mode next-round --tasks tasks.jsonl
stdout:
  {"task_id":"a","reward":1,"calibration":{"pass_rate":0.5,"n":2,"band":[0.2,0.8]}}
  {"prompt": "never seen"}

test: a task that is neither a row nor a prompt
file tasks.jsonl:
  7
run: wai-select --mode next-round --tasks tasks.jsonl < /dev/null
exit: 3
stderr has: tasks.jsonl:1

test: a band without width leaves no next round
run: wai-select --mode next-round --band 0.5,0.5 < /dev/null
exit: 2
stderr has: LO < HI

test: a set that may leave
stdin:
  {"scenario_id":"a","prompt":"the way","final_text":"Yes.","reward":1}
  {"scenario_id":"a","prompt":"the way","final_text":"No.","reward":0}
run: wai-select -q --mode gate --student 'be kind' --report r.json
stdout has: "pass_rate":0.5,"pass_rate_ci95":[0.0945,0.9055],"mean_kl":null,"student":{"name":"","model":null,"prompt_hash":"
file r.json has: "ok": true

test: a set without a mixed task is refused, and no file is left
stdin:
  {"scenario_id":"a","prompt":"the way","final_text":"Yes.","reward":1}
  {"scenario_id":"a","prompt":"the way","final_text":"No.","reward":1}
run:
  wai-select -q --mode gate -o out.jsonl --json
  code=$?
  ls out.jsonl
  exit $code
exit: 1
stdout json: {"ok":false,"rl_shaped":true}
stdout has: no_mixed_groups
stderr has: no_mixed_groups: in no task

test: a refused set that leaves all the same
stdin:
  {"scenario_id":"a","prompt":"the way","reward":null}
  {"scenario_id":"a","prompt":"the way"}
run: wai-select -q --mode gate --no-strict --report r.json
stdout:
  {"scenario_id":"a","prompt":"the way","reward":null}
  {"scenario_id":"a","prompt":"the way"}
file r.json has: "refusal": "ungraded_rl_rows

test: a stamp that rests on more tries stays
stdin:
  {"task_id":"a","reward":1,"calibration":{"pass_rate":0.25,"n":40}}
run: wai-select --mode calibrate
stdout has: "n":40,"pass_rate":0.25
stderr has: 1 of them with a stamp

test: a student that is no object
run: wai-select --mode calibrate --student '{"name"' < /dev/null
exit: 2
stderr has: --student

test: reference log-probabilities from another file
file ref.jsonl:
  {"rollout_id":"r1","logprob":-3.0}
stdin:
  {"rollout_id":"r1","task_id":"a","reward":1,"logprob":-2.0,"n_tokens":4}
  {"rollout_id":"r2","task_id":"a","reward":0,"logprob":-2.0,"n_tokens":4}
run: wai-select -q -o out --json --mode calibrate --ref ref.jsonl
stdout json: {"calibration":{"mean_kl":{"mean_kl":0.25,"n_rows":1,"n_skipped":1}}}

test: the first rows of a fixed order, repeats last
file rows.jsonl:
  {"prompt":"one two three","final_text":"a"}
  {"prompt":"One  two, three!","final_text":"A"}
  {"prompt":"one two","final_text":"b"}
  {"prompt":"four","final_text":"c"}
run:
  wai-select -q --mode trim --by bigram --indexes rows.jsonl | tr '\n' ' '
  wai-select -q --mode trim --trim 2 --by bigram --indexes rows.jsonl | tr '\n' ' '
stdout has: 3 0 2 1 3 0

test: sizes worth training on
run:
  for i in $(seq 300); do echo "{\"prompt\":\"p $i\"}"; done | wai-select -q --mode trim --sizes | tr '\n' ' '
stdout has: 64 128 256 300

test: how many rows are enough
file curve.json:
  {"base":0.1,"curve":{"64":0.3,"128":0.4,"256":0.45,"512":0.46,"1024":0.461}}
run: wai-select --mode trim --curve curve.json
stdout has: saturated: doubling

test: a draw whose curve falls has no fit, and still a last gain
file curve.json:
  {"base":0.1,"curve":{"32":[[0,1,0,0,1,0,1,0]],"64":[[0,0,0,0,1,0,0,0]],"100":[[1,1,1,1,1,0,0,0]],"128":[[0,0,0,0,0,0,0,1]],"256":[[1,1,0,1,1,0,0,1]],"700":[[0,0,1,1,1,1,0,0]],"1024":[[1,1,1,0,0,1,1,0]]}}
run: wai-select -q --mode trim --curve curve.json --min-gain 0.05 --draws 3 --seed 9 --json
stdout json: {"verdict":"not identifiable","last_gain_interval":[0.0,0.375]}

test: by clusters of vectors, the longest reply of each first
file rows.jsonl:
  {"prompt":"a","response":"x","v":[1,0,0]}
  {"prompt":"b","response":"longer","v":[1,0.4,0]}
  {"prompt":"c","response":"x","v":[0,0,1]}
  {"prompt":"d","response":"x","v":[0,0.5,1]}
  {"prompt":"e","response":"x","v":[2,0.01,0]}
run: wai-select -q --mode trim --by diverse --embedder key:v --indexes rows.jsonl
stdout:
  2
  1
  3
  0
  4

test: what is nearest to what the test asks
file rows.jsonl:
  {"prompt":"about refunds","response":"r"}
  {"prompt":"about mugs","response":"m"}
  {"messages":[{"role":"user","content":"about refunds and mugs"},{"role":"assistant","content":"rm"}]}
file dev.jsonl:
  {"prompt":"about mugs","response":"m"}
  "mugs"
run: wai-select --mode trim --by target --embedder hash --dev dev.jsonl --trim 2 --report r.json rows.jsonl
stdout:
  {"prompt":"about mugs","response":"m"}
  {"messages":[{"role":"user","content":"about refunds and mugs"},{"role":"assistant","content":"rm"}]}
stderr has: order target
file r.json has: "trim_order": "target"
file r.json has: "embedder": "hash-word-bigram-v2"

test: orders by vectors want vectors
run:
  for args in '--by diverse' '--by target --embedder hash' '--embedder hash --dev x' '--by diverse --embedder nonsense' '--embed-model m'; do
    wai-select --mode trim $args < /dev/null
    statuses="$statuses $?"
  done
  echo $statuses
stdout:
  2 2 2 2 2
stderr has: --by diverse compares vectors: --embedder SPEC is missing
stderr has: --by target needs --dev FILE

test: a row without its vector, a dev file that is none
file rows.jsonl:
  {"prompt":"a","v":[1,0]}
  {"prompt":"b","v":[1,0,0]}
run:
  wai-select -q --mode trim --by diverse --embedder key:v rows.jsonl
  echo $?
  echo 7 > dev.jsonl
  wai-select -q --mode trim --by target --embedder hash --dev dev.jsonl rows.jsonl
  echo $?
  : > dev.jsonl
  wai-select -q --mode trim --by target --embedder hash --dev dev.jsonl rows.jsonl
  echo $?
stdout:
  3
  3
  3
stderr has: row 2: v is no list of numbers
stderr has: dev.jsonl:1: neither a row nor a text
stderr has: dev.jsonl: no row

test: an order by vectors of nothing
run: wai-select --mode trim --by diverse --embedder hash < /dev/null
stdout empty
stderr has: 0 of 0 rows kept

test: a curve of too few sizes
file curve.json:
  {"64":0.3,"128":0.4}
run: wai-select --mode trim --curve curve.json
exit: 3
stderr has: 5 or more are wanted

test: a curve that is none
file curve.json:
  {"64":"high","128":0.4,"256":0.4,"512":0.4,"1024":0.5}
run: wai-select --mode trim --curve curve.json
exit: 3
stderr has: the scores at 64

test: no row at all
run: wai-select --mode trim --trim 3 < /dev/null
stdout empty
stderr has: 0 of 0 rows kept

test: a trim of nothing
run: wai-select --mode trim --trim 0 < /dev/null
exit: 2
stderr has: --trim 0

test: stages, and tasks on both sides
stdin:
  {"scenario_id":"a","stage":"SFT"}
  {"scenario_id":"a","lineage":{"source":"eval"}}
  {"prompt":"b","purpose":"eval"}
  {"prompt":"c"}
run: wai-select -q --mode stage --json --fail-on-leak
exit: 1
stdout json: {"counts":{"sft":1,"eval":2},"n_unstamped":1,"tasks_per_stage":{"sft":1,"eval":2},"eval_train_leaks":["a"],"n_leaks":1}
stderr has: 1 tasks are in the eval

test: a stage is stamped
stdin:
  {"prompt":"c"}
run: wai-select -q --mode stage --stage RL
stdout:
  {"prompt":"c","stage":"rl"}

test: a stage that is none
run: wai-select --mode stage --stage final < /dev/null
exit: 2
stderr has: --stage final

test: the row gates alone
stdin:
  {"scenario_id":"a","prompt":"x y z","final_text":"Done it.","reward":1}
  {"scenario_id":"a","prompt":"x y z","final_text":"Done.","reward":1}
  {"scenario_id":"b","prompt":"x y z","final_text":"","reward":1}
  {"scenario_id":"c","prompt":"x y z","final_text":"Well.","reward":0}
  {"scenario_id":"c","prompt":"x y z","final_text":"Wl.","reward":1}
run:
  wai-select -q -o out --mode filter --json > r.json < /dev/stdin
  cat r.json
stdout json: {"n":5,"n_kept":2,"n_dropped":3,"dropped":{"incomplete_junk":1},"unanimous_groups_dropped":1,"unanimous_rows_dropped":2,"signal":{"n_mixed":1}}

test: rows of messages alone are asked and answered by them
file rows.jsonl:
  {"messages":[{"role":"system","content":"s"},{"role":"user","content":"Where is it?"},{"role":"assistant","content":"On its way."}],"reward":1}
  {"messages":[{"role":"user","content":"where IS it?"},{"role":"assistant","content":[{"type":"text","text":"Here."}]}],"reward":1}
  {"messages":[{"role":"user","content":"And now?"},{"role":"assistant","content":"Wait."},{"role":"user","content":"Hello?"}],"reward":1}
run:
  wai-select --mode sft --report r.json rows.jsonl | wc -l
  wai-select -q --mode sft --strict-keys rows.jsonl
stdout:
  1
stderr has: 3 rows without a prompt: their first user message stands in
stderr has: 2 rows without a final_text: the assistant's last message stands in
stderr has: --strict-keys
file r.json has: "n_junk": 1

test: the first user message is the task when nothing else is
stdin:
  {"messages":[{"role":"user","content":"A long enough question"},{"role":"assistant","content":"Yes."}],"reward":1}
  {"messages":[{"role":"user","content":"A long enough question"},{"role":"assistant","content":"No."}],"reward":0}
  {"messages":[{"role":"user","content":"Another long question"},{"role":"assistant","content":"No."}],"reward":0}
  {"messages":[{"role":"user","content":"Another long question"},{"role":"assistant","content":"Nope."}],"reward":0}
run: wai-select -q --report r.json --no-scan | grep -c 'A long'; grep -E '"(unanimous_groups_dropped|group_key)"' r.json
stdout:
  2
    "unanimous_groups_dropped": 1,
    "group_key": "prompt",

test: what is one ask to the hack scan
stdin:
  {"scenario_id":"a","prompt":"p1 p2 p3","final_text":"Yes.","reward":1}
  {"scenario_id":"a","prompt":"q1 q2 q3","final_text":"No.","reward":0}
run: tee rows.jsonl | wai-select -q --group-by task --report r.json >/dev/null; wai-select -q --report s.json rows.jsonl > /dev/null; grep -hE '"(group_key|n_groups_multi)": ("|[0-9])' r.json s.json
stdout has: "group_key": "task"
stdout has: "n_groups_multi": 1
stdout has: "group_key": "prompt"
stdout has: "n_groups_multi": 0

test: rates with and without the rows that leaked
file rows.jsonl:
  {"scenario_id":"a","prompt":"p1 p2 p3","final_text":"Yes, it is so.","reward":1}
  {"scenario_id":"a","prompt":"p1 p2 p3","final_text":"No, never.","reward":0}
  {"scenario_id":"a","prompt":"p1 p2 p3","final_text":"The secret is an octopus in the cellar.","reward":1,"privileged":{"reference":"octopus in the cellar"}}
run:
  wai-select --no-scan rows.jsonl | grep -o '"n": *3, *"pass_rate": *0.6[0-9]*' | uniq -c | sed 's/^ *//'
  wai-select -q --no-scan --calibration-excludes-leaks --report r.json rows.jsonl | grep -o '"n": *2, *"pass_rate": *0.5' | uniq -c | sed 's/^ *//'
stdout has: 2 "n":
stdout has: "pass_rate":0.5
stderr has: 1 rows that leaked count
file r.json has: "calibration_excludes_leaks": true
