# wai-rows bench, convert, split: rows made, changed in form, parted.

# ---- bench

test: bench makes a row of each answer and takes the gold after the last mark
stdin:
  {"question":"2 + 3?","completions":["5","4"],"answer":"2 + 3\n#### 4\n#### 1,005 ","set":"test"}
run: wai-rows bench --reference answer --reference-after '####'
stdout rows:
  {"prompt":"2 + 3?","steps":[],"final_text":"5","rollout_index":0,"messages":[{"role":"user","content":"2 + 3?"},{"role":"assistant","content":"5"}],"privileged":{"reference":"1005"},"schema_version":"1","set":"test"}
  {"final_text":"4","rollout_index":1,"set":"test"}
stderr has: prompt: question, completion: completions, reference: answer
stderr has: 1 items, 2 rows, 1 tasks

test: bench names both columns that could be meant
stdin:
  {"prompt":"p","completion":"c","output":"o"}
run: wai-rows bench
exit: 2
stdout empty
stderr:
  wai-rows: -:1: both "completion" and "output" could be the completion; name one with --completion

test: bench says which column an item lacks
stdin:
  {"prompt":"p","text":"c"}
run: wai-rows bench
exit: 3
stderr has: -:1: the item has no completion (completions, completion, final_text, responses, response, output); name its column with --completion

test: a column that is named must be there
stdin:
  {"prompt":"p","completion":"c"}
run: wai-rows bench --reward score
exit: 3
stderr has: -:1: the item has no column "score"; name the one it has with --reward

test: bench with answer as the completion, the gold by its usual name
stdin:
  {"problem":"p","answer":"a","gold":["x",1.50],"target":null}
run: wai-rows bench --completion answer --reference gold --columns none -q
stdout has: "final_text":"a"
stdout has: "privileged":{"reference":["x",1.50]}}
stderr empty

test: given rewards: numbers keep their text, null is unjudged and counted
stdin:
  {"prompt":"p","completions":["a","b","c","d"],"r":[1e0,0.250,null,"0.5"]}
run: wai-rows bench --reward r --columns none | grep -o '"rollout_index.*schema'
stdout:
  "rollout_index":0,"reward":1,"label_source":"given","schema
  "rollout_index":1,"reward":0.250,"label_source":"given","schema
  "rollout_index":2,"schema
  "rollout_index":3,"reward":0.5,"label_source":"given","schema
stderr has: 1 given rewards are null: their rows are unjudged

test: a given reward that is none stops at the item
stdin:
  {"prompt":"p","completions":["a","b"],"r":[1,0]}
  {"prompt":"q","completions":["a","b"],"r":[1,"high"]}
run: wai-rows bench --reward r -q
exit: 3
stderr has: -:2: reward 2 is "high", not a number from 0 to 1; mend the item or drop --reward

test: rewards out of range, booleans
stdin:
  {"prompt":"p","completion":"a","r":true}
  {"prompt":"q","completion":"a","r":1.5}
run: wai-rows bench --reward r --on-bad skip | jq .reward
stdout:
  1
stderr has: 1 bad line was left out

test: as many rewards as answers
stdin:
  {"prompt":"p","completions":["a","b"],"r":[1]}
run: wai-rows bench --reward r
exit: 3
stderr has: -:1: 1 rewards for 2 completions; give one for each

test: markers become floats; one that is no number is named
stdin:
  {"prompt":"p","completions":["a","b","c"],"m":[{"x":true,"y":"0.5"},null,{}]}
  {"prompt":"q","completion":"a","m":{"x":"long"}}
run: wai-rows bench --markers m --columns none -q
exit: 3
stdout rows:
  {"markers":{"x":1.0,"y":0.5}}
  {"final_text":"b"}
  {"markers":{}}
stderr has: -:2: marker "x" of completion 1 is "long", not a number; mend the item

test: a list of messages as the prompt, content as blocks
stdin:
  {"prompt":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}],"completion":{"role":"assistant","content":[{"type":"text","text":"r"}]}}
run: wai-rows bench --columns none -q
stdout rows:
  {"prompt":"a\nb","final_text":"r","messages":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":"r"}]}

test: two items of one task go on counting, and a differing context is said
stdin:
  {"prompt":[{"role":"system","content":"A"},{"role":"user","content":"q"}],"completions":["1","2"]}
  {"prompt":[{"role":"system","content":"B"},{"role":"user","content":"q"}],"completions":["3"]}
run: wai-rows bench --columns none | jq .rollout_index
stdout:
  0
  1
  2
stderr has: 1 items share a task by their last ask, though what came before differs; name their tasks with --task-id

test: an item without an answer gives no row, and that is said
stdin:
  {"prompt":"p","completions":[]}
  {"prompt":"q","completions":["a"]}
run: wai-rows bench | wc -l
stdout:
  1
stderr has: 1 items have no completion and gave no row

test: answers from a file beside the items
file items.jsonl:
  {"prompt":"p"}
  {"prompt":"q"}
file answers.jsonl:
  "a"
  ["b","c"]
run: wai-rows bench --completions answers.jsonl -j 4 -q items.jsonl | jq -c '[.prompt, .final_text]'
stdout:
  ["p","a"]
  ["q","b"]
  ["q","c"]

test: too few answers
file answers.jsonl:
  "a"
stdin:
  {"prompt":"p"}
  {"prompt":"q"}
run: wai-rows bench --completions answers.jsonl -q
exit: 3
stderr has: -:2: no line in answers.jsonl for this item; give as many lines as items

test: too many answers
file answers.jsonl:
  "a"
  "b"
stdin:
  {"prompt":"p"}
run: wai-rows bench --completions answers.jsonl -o rows.jsonl -q
exit: 3
stderr has: answers.jsonl:2: a line without an item; there are 1 items, give as many lines
file rows.jsonl absent

test: no items at all
run: wai-rows bench < /dev/null
exit: 3
stderr:
  wai-rows: no item arrived; give a file of items, one JSON object a line

test: the report of bench
stdin:
  {"prompt":"p","completions":["a","b"],"task_id":7}
run: wai-rows bench --report report.json -q | jq -c '[.scenario_id, .task_id, .model_version]'; cat report.json
stdout has: ["7","7",null]
stdout has: {"wai_report":"wai-rows bench","items":1,"rows":2,"tasks":1,

test: --model, and columns by name
stdin:
  {"prompt":"p","completion":"a","x":1,"y":2e0,"x":3,"model_version":"old"}
run: wai-rows bench --model m1 --columns y,x -q
stdout has: "rollout_index":0,"model_version":"m1","schema_version":"1"
stdout has: ,"x":3,"y":2e0}

test: --long takes one answer a line
stdin:
  {"prompt":"p","completion":"a"}
  {"prompt":"p","completion":["b"]}
run: wai-rows bench --long -q
exit: 3
stdout rows:
  {"final_text":"a","rollout_index":0}
stderr has: -:2: its completion is a list, but --long means one completion a line; drop --long

# ---- convert

test: unknown members and numbers keep their bytes
stdin:
  {"scenario_id":"s","prompt":"p","mine" :  {"b" : 1.50, "k":[1e2,-0.0]},"\u0061bc":"\u00e9","reward":1.50E0,"big":123456789012345678901234567890}
run: wai-rows convert -q
stdout:
  {"prompt":"p","steps":[],"final_text":"","scenario_id":"s","messages":[{"role":"user","content":"p"}],"reward":1.50E0,"mine":{"b" : 1.50, "k":[1e2,-0.0]},"\u0061bc":"\u00e9","big":123456789012345678901234567890,"schema_version":"1"}

test: rewards true, "1", 1e0, -0.0, 1e400, NaN
stdin:
  {"scenario_id":"s","reward":true}
  {"scenario_id":"s","reward":"1"}
  {"scenario_id":"s","reward":1e0}
  {"scenario_id":"s","reward":-0.0}
  {"scenario_id":"s","reward":1e400}
  {"scenario_id":"s","reward":NaN,"judge_meta":{"a":1}}
  {"scenario_id":"s","reward":"high","judge_meta":"me"}
  {"scenario_id":"s","reward":null}
run: wai-rows convert -q | sed 's/.*"messages":\[\],//; s/,"schema.*//'
stdout:
  "reward":1
  "reward":1
  "reward":1e0
  "reward":-0.0
  "reward":null,"judge_status":"invalid_result","judge_meta":{"raw_reward":1e400}
  "reward":null,"judge_status":"invalid_result","judge_meta":{"a":1,"raw_reward":"NaN"}
  "reward":null,"judge_status":"invalid_result","judge_meta":{"raw_reward":"high","raw_judge_meta":"me"}
  "reward":null

test: convert says what it mended
stdin:
  {"scenario_id":"s","reward":"high","markers":{"a":"x"},"steps":[1],"faults":{"t":"x"},"calibration":{"n":0}}
run: wai-rows convert > /dev/null
stderr:
  wai-rows: rows      1 in, 1 out
  wai-rows: tasks     1
  wai-rows: shapes    engine 1
  wai-rows: problems  reward_invalid 1, marker_not_number 1, calibration_invalid 1, step_not_object 1, fault_not_object 1

test: a partial reward of a loose row is kept
stdin:
  {"question":"q","answer":"a","reward":0.5}
  {"question":"q","answer":"a","reward":"x"}
run: wai-rows convert -q | jq -c '[.reward, .judge_status, .judge_meta]'
stdout:
  [0.5,null,null]
  [null,"invalid_result",{"raw_reward":"x"}]

test: tool_trace goes when the steps were made of it, and stays otherwise
stdin:
  {"prompt":"p","tool_trace":[{"tool":"t","input":{"a":1.0},"output":"r"}]}
  {"prompt":"p","steps":[{"text":"x"}],"tool_trace":[1]}
run: wai-rows convert -q | sed 's/"final.*"}],/…,/'
stdout:
  {"prompt":"p","steps":[{"tool":"t","arguments":{"a":1.0},"result":"r"}],…,"schema_version":"1"}
  {"prompt":"p","steps":[{"text":"x"}],…,"tool_trace":[1],"schema_version":"1"}

test: a JSON text of a Hugging Face set over several lines stays on one
stdin:
  {"scenario_id":"s","prompt":"p","steps_json":"[\n {\"text\": \"a\\nb\"}\r\n]","metadata_json":"broken","messages_json":5}
run: wai-rows convert -q
stdout:
  {"prompt":"p","steps":[{"text":"a\nb"}],"final_text":"","scenario_id":"s","messages":[{"role":"user","content":"p"},{"role":"assistant","content":"a\nb"}],"metadata_json":"broken","messages_json":5,"schema_version":"1"}

test: nothing said is lost, nothing is said twice
stdin:
  {"scenario_id":"s","prompt":"ask","steps":[{"user":"ask"},{"text":"one"},{"user":"more"}],"final_text":"two"}
  {"scenario_id":"s","opener":"hi","prompt":"ask","steps":[],"final_text":"bye"}
  {"scenario_id":"s","prompt":"ask","steps":[{"text":"<think>x</think> yes"},{"user":"left"}],"final_text":"yes"}
run: wai-rows convert -q | jq -c '[.messages[]|.content]'
stdout:
  ["ask","one","more","two"]
  ["hi","ask","bye"]
  ["ask","<think>x</think> yes"]

test: an unknown version is a bad line
stdin:
  {"schema_version":"7","prompt":"p"}
  {"schema_version":0,"prompt":"p"}
run: wai-rows convert --on-bad bad.jsonl -q | jq -r .schema_version; cat bad.jsonl
stdout:
  1
  {"schema_version":"7","prompt":"p"}

test: an unknown version stops by default
stdin:
  {"schema_version":"7"}
run: wai-rows convert
exit: 3
stdout empty
stderr:
  wai-rows: -:1: schema_version is neither "0" nor "1"; convert it with the tool that wrote it

test: converting twice changes no byte, with computed keys too
stdin:
  {"prompt" : "p", "messages": [{"role":"user","content":"u"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"t","arguments":"{\"a\": [1,  2]}"}}]},{"role":"tool","tool_call_id":"1","content":"{\"status\":\"denied\"}"}], "x":{"y" : 1}}
run: wai-rows convert --add fault,signature,id,task,usable -q > a.jsonl; wai-rows convert -q a.jsonl | cmp - a.jsonl && jq -c 'keys_unsorted[-7:]' a.jsonl
stdout:
  ["x","trace_fault","behavior_signature","unusable_reason","rollout_id","task_id","schema_version"]

test: --add keeps what is there of id and task, and replaces the others in place
stdin:
  {"rollout_id":"mine","trace_fault":"old","prompt":"p","task_id":null}
run: wai-rows convert --to keep --add fault,id,task -q
stdout:
  {"rollout_id":"mine","trace_fault":"no fault","prompt":"p","task_id":null}

test: --add does not know this word
run: wai-rows convert --add fault,smell < /dev/null
exit: 2
stderr:
  wai-rows: --add: "smell" is no computed key; the words are fault, signature, usable, criteria, aim, reasoning, id, task

test: --task-key
stdin:
  {"prompt":"p","scenario_id":"s","task_id":"other"}
run: wai-rows convert --task-key -q | jq -c '[.scenario_id, .task_id]'
stdout:
  ["s","s"]

test: the wire form removes the teacher's names at any depth
stdin:
  {"prompt":"p","steps":[{"tool":"t","arguments":{"reference":1,"a":2},"result":{"deep":[{"rubric":1}]}}],"final_text":null,"privi\u006ceged":{"x":1},"_a":1,"b":null,"c":"the reference"}
run: wai-rows convert --to wire -q
stdout:
  {"prompt":"p","messages":[{"role":"user","content":"p"},{"role":"assistant","content":"","tool_calls":[{"name":"t","arguments":{"a":2}}]},{"role":"tool","name":"t","content":"{\"deep\": [{}]}"}],"steps":[{"tool":"t","arguments":{"a":2},"result":{"deep":[{}]}}],"final_text":"","scenario_id":"","c":"the reference","schema_version":"1"}

test: a row whose wire form has problems is a bad line
stdin:
  {"prompt":5,"reward":true}
run: wai-rows convert --to wire
exit: 3
stdout empty
stderr:
  wai-rows: -:1: its wire form has problems: prompt_not_str, reward_is_bool; mend the row, or convert it to v1 first

test: tasks come once, without a rollout
stdin:
  {"scenario_id":"s","prompt":"p","final_text":"one","privileged":{"reference":"g","tests":"t"},"seed":3}
  {"scenario_id":"s","prompt":"p","final_text":"two"}
  {"scenario_id":"u","prompt":"q","final_text":"three"}
run: wai-rows convert --to tasks -q > t.jsonl; jq -c '[.task_id, .privileged.reference, .privileged.tests, .world.seed]' t.jsonl; grep -c three t.jsonl
exit: 1
stdout:
  ["s","g","t",3]
  ["u",null,null,null]
  0

test: --public leaves no privileged block
stdin:
  {"scenario_id":"s","prompt":"p","privileged":{"reference":"gold","tests":"t"}}
run: for form in tasks objects; do wai-rows convert --to $form --public -q < rows.jsonl; done
file rows.jsonl:
  {"scenario_id":"s","prompt":"p","privileged":{"reference":"gold","tests":"t"}}
stdout lacks: gold
stdout has: "privileged":{"principle":null,"hidden_state":{},"reference":null,"rubric":{}}

test: objects go there and back
stdin:
  {"scenario_id":"s","prompt":"p","steps":[{"tool":"t","result":{"status":"error"}}],"final_text":"<think>x","reward":"odd","judge_meta":{"scorer_kind":"human"},"label_source":"L","llm_reward":1,"markers":{"a":1,"b":"x"},"rollout_index":0,"extra_key":[1.0]}
run: tee in.jsonl | wai-rows convert --to objects -q | tee o.jsonl | wai-rows convert --from objects -q | jq -S . > b; wai-rows convert -q in.jsonl | jq -S . | cmp - b && jq -c '[.rollout.usable, .judgments[0].scorer, .judgments[0].status, [.markers[]|.name]]' o.jsonl
stdout:
  [true,{"name":"L","kind":"human","version":null},"invalid_result",["a"]]

test: --from objects wants objects
stdin:
  {"prompt":"p"}
run: wai-rows convert --from objects
exit: 3
stderr has: -:1: no "task" and "rollout" object in it; --from objects reads what --to objects wrote

test: corrections are the rows that failed
stdin:
  {"scenario_id":"s","prompt":"p","final_text":"bad","steps":[{"text":"x"},{"tool":"t","arguments":{},"result":1}],"reward":0.5,"reason":"r","grader_reason":"g","arm":"a"}
  {"scenario_id":"s","prompt":"p","final_text":"good","reward":1}
  {"scenario_id":"s","prompt":"p","final_text":"unjudged","reward":null}
run: wai-rows convert --to corrections -q; wai-rows convert --to corrections --all -q < /dev/null
stdout:
  {"prompt":"p","rejected_response":"bad","chosen_response":null,"tool_trace":[{"tool":"t","arguments":{},"result":1}],"reward":0.5,"reason":"g","arm":"a"}

test: messages alone
stdin:
  {"prompt":"p","final_text":"f","reward":1}
  {"prompt":"p","final_text":"f"}
run: wai-rows convert --to messages -q | jq -c 'keys_unsorted'
stdout:
  ["messages","task_id","reward"]
  ["messages","task_id"]

test: thoughts are taken out of what the agent said, nowhere else
stdin:
  {"scenario_id":"s","prompt":"<think>u</think>","steps":[{"text":"<think>a</think> b"},{"user":"<think>c</think>"}],"messages":[{"role":"user","content":"<think>c</think>"},{"role":"assistant","content":"<think>d</think>e","n":1.0}],"final_text":"x<think>y"}
run: wai-rows convert --strip-reasoning --to keep -q | tee a; wai-rows convert --strip-reasoning --to keep -q a | cmp - a
stdout:
  {"scenario_id":"s","prompt":"<think>u</think>","steps":[{"text":"b"},{"user":"<think>c</think>"}],"messages":[{"role":"user","content":"<think>c</think>"},{"role":"assistant","content":"e","n":1.0}],"final_text":"x","reasoning":{"closed": 0, "unclosed": true}}

test: the report of convert, and the same output at any number of jobs
run:
  for i in $(seq 3000); do echo "{\"question\":\"q$((i % 50))\",\"answer\":\"a$i\",\"reward\":$((i % 2))}"; done > in.jsonl
  wai-rows convert -j 1 -q in.jsonl > a; wai-rows convert -j 4 --report r.json in.jsonl 2> /dev/null | cmp - a; cat r.json
stdout:
  {"wai_report":"wai-rows convert","rows":3000,"rows_out":3000,"bad_lines":0,"tasks":50,"shapes":{"loose":3000},"problems":{}}

test: lone surrogates ride through
stdin:
  {"scenario_id":"s\ud800","prompt":"\udc00p","x":"\ud83d"}
run: wai-rows convert --add signature,id -q
stdout:
  {"prompt":"\udc00p","steps":[],"final_text":"","scenario_id":"s\ud800","messages":[{"role":"user","content":"\udc00p"}],"x":"\ud83d","behavior_signature":"033297c38e72","rollout_id":"7fdf86d374a2","schema_version":"1"}

test: no rows in, no rows out
run: for verb in convert split; do printf '\n' | wai-rows $verb; done
stdout empty
stderr has: wai-rows: no row arrived

test: compressed in and out
stdin:
  {"prompt":"p","final_text":"f"}
run: zstd -q | wai-rows convert -q -o out.jsonl.zst; zstd -dqc out.jsonl.zst | wai-rows check --json
stdout json: {"rows": 1, "bad_rows": 0, "shapes": {"v1": 1}}

test: a closed pipe ends convert quietly
run: yes '{"prompt":"p"}' | wai-rows convert -q | head -n 1 | jq -r .prompt
stdout:
  p
stderr empty

# ---- split

test: whole tasks by hash, both sides, in the order they came
file rows.jsonl:
  {"scenario_id":"s0","n":0}
  {"scenario_id":"s3","n":1}
  {"n" : 2,"scenario_id":"s3"}
  {"prompt":"only prompt","n":3}
  {"n":4.0}
run: wai-rows split --holdout 0.35 --held held.jsonl --train train.jsonl --print none rows.jsonl
stdout empty
file held.jsonl is:
  {"scenario_id":"s3","n":1}
  {"n" : 2,"scenario_id":"s3"}
  {"prompt":"only prompt","n":3}
file train.jsonl is:
  {"scenario_id":"s0","n":0}
  {"n":4.0}
stderr:
  wai-rows: train     2 rows, 2 tasks
  wai-rows: held      3 rows, 2 tasks
  wai-rows: note      showing a gain of 5 points at 80 % power takes about 367 held tasks

test: production with its rows in a temporary file
run:
  for i in $(seq 500); do echo "{\"scenario_id\":\"t$i\",\"prompt\":\"p$i\",\"reward\":1}"; done > in.jsonl
  wai-rows split --by production --mem 1K -q in.jsonl > a; wai-rows split --by production -q in.jsonl | cmp - a && wc -l < a
stdout:
  400

test: a share a hash split cannot have
run: for f in 0 1; do wai-rows split --holdout $f < /dev/null; echo $?; done
stdout:
  2
  2
stderr has: --holdout 0: a hash split holds out more than 0 and less than 1

test: nothing is left to train on
stdin:
  {"scenario_id":"s3"}
run: wai-rows split --holdout 0.9 --print held --train train.jsonl
exit: 3
stderr has: all 1 rows would be held out and none is left to train on; lower --holdout, or give more tasks
file train.jsonl absent

test: nothing held out is said
stdin:
  {"scenario_id":"s0"}
run: wai-rows split --holdout 0.01 -q
stdout:
  {"scenario_id":"s0"}
stderr has: warning: no row was held out; raise --holdout, or give more tasks

test: production holds the first row of each flaw, even past the share
stdin:
  {"scenario_id":"a","prompt":"x","reward":0,"final_text":"n"}
  {"scenario_id":"b","prompt":"x","reward":0,"final_text":"n"}
  {"scenario_id":"c","prompt":"x","reward":"high","qwen_reward":false,"final_text":"cannot"}
  {"scenario_id":"d","prompt":"x","reward":1,"final_text":"n"}
run: wai-rows split --by production --holdout 0 --print held --report r.json -q | jq -r .scenario_id; cat r.json
stdout:
  a
  c
  {"wai_report":"wai-rows split","rows":4,"tasks":4,"train_rows":2,"train_tasks":2,"held_rows":2,"held_tasks":2,"by":"production","holdout":0.0,"seed":0,"flaw_signatures":2,"advised_held_tasks":367,"bad_lines":0}

test: production's seed
run:
  for i in $(seq 40); do echo "{\"scenario_id\":\"t$i\",\"prompt\":\"p$i\",\"reward\":1}"; done > in.jsonl
  for seed in 0 1 1; do wai-rows split --by production --seed $seed -p held -q in.jsonl | cksum; done | uniq | wc -l
stdout:
  2

test: a split that is frozen: odd keys come back
run:
  printf '%s\n' '{"prompt":"two\nlines"}' '{"prompt":"\"quoted\""}' '{"prompt":" x "}' '{"prompt":"z"}' '{"scenario_id":5}' > in.jsonl
  wai-rows split --holdout 0.999 --print held --write-tasks tasks.txt --held held.jsonl -q in.jsonl > /dev/null || true
  printf '%s\n' '"two\nlines"' '"\"quoted\""' 'z' > tasks.txt
  wai-rows split --held-tasks tasks.txt --print held --write-tasks again.txt -q in.jsonl; cmp tasks.txt again.txt
stdout:
  {"prompt":"two\nlines"}
  {"prompt":"\"quoted\""}
  {"prompt":"z"}

test: tasks that no row has are counted
file tasks.txt:
  a
  b
stdin:
  {"scenario_id":"a"}
  {"scenario_id":"c"}
run: wai-rows split --held-tasks tasks.txt
stdout:
  {"scenario_id":"c"}
stderr has: 1 of the named tasks have no row

test: the list of tasks cannot be read
run: wai-rows split --held-tasks nowhere.txt < /dev/null
exit: 3
stderr has: nowhere.txt

# ---- tables of text

test: bench reads a table with a header
file items.csv:
  id,question,answers,gold,note
  1,"What, ""exactly""?","[""a"", ""b""]",4,
  2,two
  3,lines,x,5,"y"
run: wai-rows bench --task-id id --completion answers --on-bad skip items.csv | jq -c '[.scenario_id, .prompt, .final_text, .rollout_index, .privileged.reference, .note]'; wai-rows bench --task-id id --completion answers -q items.csv | wc -l
stdout:
  ["1","What, \"exactly\"?","a",0,"4",null]
  ["1","What, \"exactly\"?","b",1,"4",null]
  ["3","lines","x",0,"5","y"]
  2
stderr has: wai-rows: warning: 1 bad line was left out
stderr has: wai-rows: items.csv:3: 2 cells under 5 names; quote cells that hold the separator

test: a table on standard input, with tabs and quoted line ends
run: printf 'question\tgold\tresponse\r\n"two\nlines"\t""\tx\r\n\r\nq\t\ty' | wai-rows bench --format tsv -q | jq -c '[.prompt, .privileged, .final_text]'
stdout:
  ["two\nlines",{"reference":""},"x"]
  ["q",null,"y"]

test: bad records of a table are skipped and counted
run: printf 'prompt,output\na,b\nc\nd,"e\n' | wai-rows bench --format csv --on-bad skip | jq -r .prompt
stdout:
  a
stderr has: 2 bad lines were left out

test: tables and lines do not mix
file a.csv:
  prompt,output
file b.jsonl:
  {}
run: wai-rows bench a.csv b.jsonl
exit: 2
stderr has: some operands are tables and some are JSON lines

test: a table without records, and none
run: printf 'prompt,output\n' | wai-rows bench --format csv; wai-rows bench --format csv < /dev/null
exit: 3
stderr has: no item arrived
