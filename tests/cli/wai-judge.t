test: labels of a model, read again by another
file rows.jsonl:
  {"prompt":"a","final_text":"x","reward":1,"reason":"did it","judge_meta":{"model":"first"}}
  {"prompt":"b","final_text":"x","reward":1,"reason":"did it","judge_meta":{"model":"first"}}
  {"prompt":"c","final_text":"x","reward":0,"reason":"lied","judge_meta":{"model":"first"}}
  {"prompt":"d","final_text":"x","reward":0.5}
  {"prompt":"e","final_text":"x","reward":null}
  {"prompt":"f","final_text":"x","reward":0}
  {"prompt":"g","final_text":"x","reward":1}
file replies.jsonl:
  {"reply": "{\"reason\": \"it did not\", \"score\": 0}"}
  {"reply": "{\"reason\": \"nor here\", \"score\": 0}"}
  {"reply": "{\"reason\": \"so it is\", \"score\": 0}"}
  {"reply": "no idea"}
  {"error": "timeout"}
run:
  wai-judge audit --of model --judge replay:replies.jsonl --retries 0 --report r.json rows.jsonl
  jq -c '[.wai_report,.status,.audited,.unreachable,.agreed,.disagreed,.false_pass,.false_fail,.grader,.rubric]' r.json
  jq -c '.disagreements,.by_judge_reason,.errors,[.findings[]|[.code,.level]]' r.json
stdout:
  3 labels read again by replies.jsonl: 1 agreed, 2 disagreed (66.7 %)
  passed by the grader, failed by the auditor: 2; the other way: 0
  2 labels got no answer
  ! red: 2 rows that the grader passed fail with the auditor; training on them trains the failure
  ! warn: the auditor disputes 2 of 2 labels given for: did it
  ["wai-judge audit","audited",3,2,1,2,2,0,"first","conduct_floor"]
  [{"prompt":"a","graded":1,"auditor":0,"judge_reason":"did it","audit_reason":"it did not"},{"prompt":"b","graded":1,"auditor":0,"judge_reason":"did it","audit_reason":"nor here"}]
  {"did it":{"audited":2,"disagreed":2,"examples":["a","b"],"disagree_rate":1},"lied":{"audited":1,"disagreed":0,"examples":[],"disagree_rate":0}}
  ["the judge's reply holds no verdict","timeout"]
  [["false_pass","red"],["reason_disputed","warn"]]

test: the auditor sees the label and the record
file judge.py:
  import json, sys
  for line in sys.stdin:
      ask = json.loads(line)["messages"]
      shown = json.loads(ask[1]["content"])
      good = sorted(shown) == ["existing_label", "record"] and shown["existing_label"] == 1 and shown["record"]["final_text"] == "x"
      print(json.dumps('{"score": %d}' % good), flush=True)
run: echo '{"final_text":"x","reward":1}' | wai-judge audit --of model --judge 'exec:python3 judge.py' --json | jq -c '[.agreed,.disagreed]'
stdout:
  [1,0]

test: the grader is not its own auditor
file rows.jsonl:
  {"final_text":"x","reward":1,"judge_meta":{"model":"m"}}
run: wai-judge audit --of model --judge vllm:m@http://127.0.0.1:9 rows.jsonl
exit: 2
stdout empty
stderr has: vllm:m@http://127.0.0.1:9 gave these labels itself; name another model

test: nobody answers
run: echo '{"final_text":"x","reward":1}' | wai-judge audit --of model --judge vllm:m@http://127.0.0.1:9 --json | jq -r .status; exit ${PIPESTATUS[1]}
exit: 4
stdout:
  unreachable
stderr has: no label got an answer

test: no rows
run: wai-judge audit --of model --judge replay:/dev/null --json < /dev/null | jq -r .status
stdout:
  empty

test: a bad line, a missing option, a verb that is none
run:
  echo 'no' | wai-judge audit --of model --judge replay:/dev/null; echo $?
  wai-judge audit < /dev/null; echo $?
  wai-judge; echo $?
  wai-judge trial; echo $?
stdout:
  3
  2
  2
  2
stderr has: -:1:
stderr has: --of model
