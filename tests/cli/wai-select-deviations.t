# What selection and export do better than the reference package, by the rows of their specification's list (19).

test: 19.6 pairs count what they left out: not judged, no reward, no prompt
stdin:
  {"prompt":"p one two","final_text":"good reply here.","reward":"1"}
  {"prompt":"p one two","final_text":"bad reply here.","reward":0}
  {"prompt":"p one two","final_text":"bad.","reward":0,"judge_status":"error"}
  {"final_text":"x","reward":1}
run: wai-select -q --mode pairs --report r.json; jq -c .skipped r.json
stdout:
  {"status":1,"reward":1,"prompt":1}

test: 19.7 trim tells rows without messages apart by their final text
stdin:
  {"prompt":"p","final_text":"one"}
  {"prompt":"p","final_text":"two"}
  {"prompt":"p","final_text":"one"}
run: wai-select --mode trim --trim 2 | jq -c .final_text | sort
stdout:
  "one"
  "two"

test: 19.8 one system turn, whatever the row and the option say
stdin:
  {"reward":1,"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"q"},{"role":"assistant","content":"x"}]}
run: wai-export -q --system-prompt 'Be kind.' | jq -c '.messages|map(.role)'
stdout:
  ["system","user","assistant"]

test: 19.9 text parts are joined, roles are read or counted
stdin:
  {"reward":1,"messages":[{"role":"developer","content":"dev"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":"x"}]}
  {"reward":1,"messages":[{"role":"user","content":"q"},{"role":"critic","content":"z"},{"role":"assistant","content":"x"}]}
run: wai-export -q --report r.json | jq -c '.messages|map([.role,.content])'; jq -c .roles_dropped r.json
stdout:
  [["system","dev"],["user","a\nb"],["assistant","x"]]
  [["user","q"],["assistant","x"]]
  1

test: 19.10 a call without arguments has none
stdin:
  {"reward":1,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":""}}]},{"role":"tool","tool_call_id":"a","content":"ok"},{"role":"assistant","content":"x"}]}
run: wai-export -q | jq -c '.messages[1].tool_calls[0].function.arguments'
stdout:
  "{}"

test: 19.11 a result that names its call leaves the others to the results that name none
stdin:
  {"reward":1,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"fa"},{"role":"tool","content":"gb"},{"role":"assistant","content":"x"}]}
run: wai-export -q | jq -c '.messages[]|select(.role == "tool")|[.tool_call_id,.content]'
stdout:
  ["a","fa"]
  ["b","gb"]

test: 19.12 the task's name rides along
stdin:
  {"task_id":"t1","prompt":"q","final_text":"x","reward":1}
  {"task_id":"t2","prompt":"q","final_text":"y","reward":1}
run: wai-export -q | jq -c .task_id
stdout:
  "t1"
  "t2"

test: 19.13 one empty row does not stop the export
stdin:
  {"reward":1}
  {"prompt":"q","final_text":"x","reward":1}
run: wai-export -q --on-bad skip | jq -c .prompt
stdout:
  "q"

test: 19.14 nothing of the teacher's block leaves, however deep it lies
stdin:
  {"prompt":"q","final_text":"x","reward":1,"lineage":{"privileged":{"reference":"secret words here"}},"faults":{"t":{"privileged":"secret words here"}}}
run: wai-export -q | jq -c '[.faults,.lineage]'
stdout:
  [{"t":{}},{}]

test: 19.18 a verbatim copy in any script is found
file holdout.jsonl:
  {"prompt":"请问我的订单什么时候可以送到我在上海的新家地址"}
stdin:
  {"prompt":"请问我的订单什么时候可以送到我在上海的新家地址"}
  {"prompt":"想问一下怎样申请退款以及需要多长时间到账呢"}
run: wai-decontam -q -a holdout.jsonl | jq -c .prompt
stdout:
  "想问一下怎样申请退款以及需要多长时间到账呢"

test: 19.19 a ranking that could not rank is told
stdin:
  {"prompt":"a b c","final_text":"yes it is done.","reward":1}
  {"prompt":"d e f","final_text":"yes it is done too.","reward":1}
run: wai-select --mode sft --report r.json >/dev/null; jq -c .reward_spread r.json
stdout:
  0
stderr has: every eligible row has the same reward

test: 19.20 a lineage that is no object is none
stdin:
  {"prompt":"a b c","final_text":"yes it is done.","reward":1,"lineage":7}
  {"prompt":"a b c","final_text":"no it is not done.","reward":0,"lineage":"x"}
run: wai-select -q --mode rl | jq -c .lineage
stdout:
  7
  "x"
