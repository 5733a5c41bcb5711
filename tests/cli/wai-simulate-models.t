# wai-simulate --agent MODEL: models from replies on file and from commands; what needs a server is in tests/net

file tools.json:
  [{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}}]
file tasks.jsonl:
  {"prompt":"Where is order A-7 today?","scenario_id":"s0"}
  {"prompt":"Move my order.\n<USER_TURN>\nTo the blue one.","scenario_id":"s1"}
file replies.jsonl:
  {"replies":[{"tool_calls":[{"id":"c","function":{"name":"get_order","arguments":"{\"order_id\":\"A-7\"}"}}]},"It is open.","thanks","thanks"]}
  {"replies":["Which one?","It is moved.","thanks","thanks"]}
file policy.md:
  Be kind.

test: a model from a file plays tasks, calls answered, scripted turns said
run: wai-simulate --agent replay:replies.jsonl --tools tools.json --policy policy.md --tasks tasks.jsonl --avg-turns 4 --max-turns 4 --patience endless -q
stdout rows:
  {"scenario_id":"s0","steps":[{"tool":"get_order","arguments":{"order_id":"A-7"}},{"text":"It is open."}],"final_text":"It is open.","tools_used":["get_order"],"world_seed":0,"user_model":"replies.jsonl","model_version":"replies.jsonl","finish_reason":"stop"}
  {"scenario_id":"s1","steps":[{"text":"Which one?"},{"user":"To the blue one."},{"text":"It is moved."}],"final_text":"It is moved.","messages":[{"role":"user","content":"Move my order."},{"role":"assistant","content":"Which one?"},{"role":"user","content":"To the blue one."},{"role":"assistant","content":"It is moved."}]}

test: the rows do not depend on the jobs
run:
  play() { wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks tasks.jsonl --avg-turns 4 --max-turns 4 --patience endless -q "$@"; }
  play -j 1 > one
  play -j 16 > many
  cmp one many && wc -l < many
stdout:
  2

test: replies that run out end the run, and rows that are there stay
run: wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks tasks.jsonl --repeats 3 --avg-turns 1 --max-turns 3 -j 1 -q --report report.json
exit: 4
stdout has: "scenario_id":"s0"
stderr has: replay_miss: replies.jsonl: it has 2 entries, no entry 3
file report.json has: "stopped_because":"replay_miss"

test: a command as a model, its person too
run: wai-simulate --agent 'exec:sed -u "s/.*/\"On its way.\"/"' --tools tools.json --tasks tasks.jsonl --avg-turns 1 -q
stdout rows:
  {"final_text":"On its way.","steps":[{"text":"On its way."}],"sampling":{"temperature":0.8,"max_tokens":768}}
  {"final_text":"On its way."}

test: what a command is sent
run:
  wai-simulate --agent 'exec:tee -a asked.jsonl | sed -u "s/.*/\"On its way.\"/"' --tools tools.json --tasks tasks.jsonl --avg-turns 1 --system-prompt 'Be kind.' --scaffold 'Be brief.' --temperature 0.5 --agent-max-tokens 99 --seed 3 -j 1 -q > /dev/null
  head -1 asked.jsonl
stdout json: {"messages":[{"role":"system","content":"Be kind.\n\nBe brief."},{"role":"user","content":"Where is order A-7 today?"}],"temperature":0.5,"max_tokens":99,"seed":3}

test: wai.yaml names who plays, and a variable is weaker
env: WHILEAI_AGENT=seeded
file wai.yaml:
  agent: replay:replies.jsonl
run: wai-simulate --tools tools.json --tasks tasks.jsonl --avg-turns 1 --max-turns 3
stdout has: "model_version":"replies.jsonl"
stderr has: wai.yaml: the agent is replay:replies.jsonl

test: a wai.yaml that cannot be read stops the tool
file wai.yaml:
  agent: [seeded]
run: wai-simulate --tools tools.json --tasks tasks.jsonl
exit: 3
stderr has: wai.yaml: agent is no text; write agent: SPEC
stdout empty

test: an agent that never says a thing is named, and nothing is scored
file replies.jsonl:
  {"reply":""}
  {"reply":""}
  {"reply":""}
  {"reply":""}
run: wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks tasks.jsonl --avg-turns 1 --rerolls 0 --report report.json -q
exit: 4
stdout empty
stderr has: no row: empty_replies
file report.json has: {"scenario_id":"s0","rollout_index":0,"reason":"empty_reply","error":null}

test: a lost rollout is listed with its reason
file replies.jsonl:
  {"reply":"It is open."}
  {"error":"boom"}
run: wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks tasks.jsonl --avg-turns 1 --rerolls 0 --report report.json
stdout rows:
  {"scenario_id":"s0","final_text":"It is open."}
stderr has: 1 of 2 rollouts were lost (agent_error 1)
file report.json has: {"scenario_id":"s1","rollout_index":0,"reason":"agent_error","error":"replies.jsonl: entry 2: boom"}

test: a missing key is told before anything is played
run: wai-simulate --agent openai:gpt-4o-mini --tools tools.json --tasks tasks.jsonl -o rows.jsonl
exit: 4
stderr has: OPENAI_API_KEY
stdout empty

test: a recording is played without a key; what it lacks is named
file tape.jsonl:
run: wai-simulate --agent openai:gpt-4o-mini --tools tools.json --tasks tasks.jsonl --replay tape.jsonl -q
exit: 4
stderr has: replay_miss
stdout empty

test: settings that are none
run:
  try() { wai-simulate --tools tools.json --tasks tasks.jsonl --agent replay:replies.jsonl "$@" -q > /dev/null 2>> err; echo $?; }
  try --temperature 3
  try --agent-max-tokens 10
  try --max-turns 0
  try --patience often
  try --patience 0.2,2
  try --opening sometimes
  try --opening 1.5
  try --opening auto
  try --thinking maybe
  try --logprobs all
  try --extra '[1]'
  try --timeout 0
  try --price 1
  try --max-cost 3
  try --replay-miss live
  try --user-model gpt-4o
  try --agent typesafe:x
  try --agent openai/gpt-4o
  try --agent gpt-4o
  try --agent ''
  try --agent nothing:x
  try --scaffold @missing.md
  try --agent replay:missing.jsonl
  grep -c . err
stdout:
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  2
  3
  3
  23

test: a spec that is nearly one is told what to type
run: wai-simulate --agent openai/gpt-4o --tools tools.json --tasks tasks.jsonl
exit: 2
stderr has: write openai:gpt-4o

test: a person of another model has to be one
run: wai-simulate --agent replay:replies.jsonl --user-model typesafe:x --tools tools.json --tasks tasks.jsonl
exit: 2
stderr has: --user-model: typesafe:x

test: a log-probability that the server does not have is no row key
run: wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks tasks.jsonl --avg-turns 1 --max-turns 3 --logprobs tokens -q
stdout lacks: logprob

test: no tasks, no calls
file none.jsonl:
run: wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks none.jsonl -q
exit: 3
stderr has: none.jsonl: no row has a prompt, so there is nothing to play
stdout empty

test: a closed pipe ends the run quietly
run: wai-simulate --agent 'exec:sed -u "s/.*/\"On its way.\"/"' --tools tools.json --avg-turns 1 --budget 200 -q | head -1 | cut -c1-20
stdout:
  {"schema_version":"1
stderr empty

test: rows of a model may be judged beside the run
run: wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks tasks.jsonl --avg-turns 1 --max-turns 3 --grader 'expr:if .final_text == "It is open." then 1 else 0 end' -j 8 -q
stdout rows:
  {"scenario_id":"s0","reward":1}
  {"scenario_id":"s1","reward":0}

test: a checkpoint is written as rollouts end, and gone on from
run:
  play() { wai-simulate --agent replay:replies.jsonl --tools tools.json --tasks tasks.jsonl --avg-turns 1 --max-turns 3 -q "$@"; }
  play > whole.jsonl
  head -1 whole.jsonl > run.jsonl
  play --checkpoint run.jsonl > again.jsonl
  jq -c '[.scenario_id, .final_text, .lineage.resumed]' again.jsonl
  wc -l < run.jsonl
needs: jq
stdout:
  ["s0","It is open.",true]
  ["s1","Which one?",null]
  2

test: who opens, as in the traces
file traces.jsonl:
  {"prompt":"Where is order B-1?","opener":"Hello, what can I do?","steps":[],"final_text":"It is open."}
  {"prompt":"Where is order B-2?","opener":"Good morning.","steps":[],"final_text":"It is open."}
run: wai-simulate --agent 'exec:sed -u "s/.*/\"On its way.\"/"' --tools tools.json --traces traces.jsonl --opening auto --avg-turns 1 --budget 1 -q
stdout rows:
  {"opener":"On its way.","opening":"agent","final_text":"On its way."}
