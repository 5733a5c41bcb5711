test: passes of a mixed group are told apart
file rows.jsonl:
  {"scenario_id": "a", "reward": 1, "f": 1}
  {"scenario_id": "b", "reward": 1}
  {"scenario_id": "a", "reward": 1, "f": 0.5}
  {"scenario_id": "a", "reward": null}
  {"scenario_id": "a", "reward": 0, "groupwise": 5}
  {"scenario_id": "a", "reward": 0}
run: wai-grade -q --groupwise advantage -e '{factors: (map(select(.passed)) | map({key: (.index|tostring), value: .row.f}) | from_entries)}' rows.jsonl
stdout:
  {"scenario_id": "a", "reward": 1, "f": 1, "shaped_reward": 1.1666666666666665, "groupwise": {"mode":"advantage","advantage":0.6666666666666666,"factor":1.0}}
  {"scenario_id": "b", "reward": 1, "shaped_reward": 1.0, "groupwise": {"mode":"advantage","advantage":0.0}}
  {"scenario_id": "a", "reward": 1, "f": 0.5, "shaped_reward": 0.8333333333333333, "groupwise": {"mode":"advantage","advantage":0.3333333333333333,"factor":0.5}}
  {"scenario_id": "a", "reward": null, "shaped_reward": null}
  {"scenario_id": "a", "reward": 0, "groupwise": {"mode":"advantage","advantage":-0.5}, "shaped_reward": 0.0}
  {"scenario_id": "a", "reward": 0, "shaped_reward": 0.0, "groupwise": {"mode":"advantage","advantage":-0.5}}

test: what the grader is shown
stdin:
  {"task_id":"t","prompt":"p","final_text":"x","reward":null}
  {"task_id":"t","prompt":"p","final_text":"y","completion":"z","reward":0.5}
  {"task_id":"t","prompt":"p","final_text":"x","reward":0}
run: wai-grade -q --groupwise advantage -c 'tee seen | while read -r l; do echo "{\"ranking\":[0]}"; done' > /dev/null; jq -c . seen
stdout:
  [{"index":0,"prompt":"p","completion":"z","reward":0.5,"passed":true,"task_id":"t","row":{"task_id":"t","prompt":"p","final_text":"y","completion":"z","reward":0.5}},{"index":1,"prompt":"p","completion":"x","reward":0,"passed":false,"task_id":"t","row":{"task_id":"t","prompt":"p","final_text":"x","reward":0}}]

test: an answer that cannot be used leaves the rewards
stdin:
  {"task_id":"t","reward":1}
  {"task_id":"t","reward":0}
run: wai-grade -q --groupwise advantage --report r.json -e '{ranking: []}' | jq -c '[.shaped_reward == .reward, .groupwise.fallback]'; jq -c '[.wai_report, .stats.grader_calls, .stats.grader_failures]' r.json
stdout:
  [true,true]
  [true,true]
  ["wai-grade groupwise",1,1]

test: a grader that always fails
stdin:
  {"task_id":"t","reward":1}
  {"task_id":"t","reward":0}
run: wai-grade -q --groupwise advantage -e 'error("no")' | jq -c .groupwise.fallback; echo ${PIPESTATUS[0]}
stdout:
  true
  true
  4
stderr has: came back as an error

test: in place, with a synthesised reward
stdin:
  {"task_id":"t","reward":1}
  {"task_id":"t","reward":0}
run: wai-grade -q --groupwise reward --in-place --floor 0.5 -e '{solution: 0.25, behavior: 1}' | jq -c '[.reward,.reward_before_shaping,.groupwise.factor]'
stdout:
  [0.5,1,0.25]
  [0,0,null]

test: groups by size want whole groups
stdin:
  {"reward":1}
  {"reward":0}
  {"reward":1}
run: wai-grade -q --groupwise advantage --group-size 2 -e '{ranking:[0]}'
exit: 3
stdout empty
stderr has: no multiple of --group-size

test: a spread that is none is red, and rows are not written
stdin:
  {"task_id":"t","reward":1}
  {"task_id":"t","reward":1}
run: wai-grade -q --groupwise advantage --check-spread --json -e '{factors:[0.5,0.5]}'
exit: 1
stdout json: {"wai_report": "wai-grade check-spread", "ok": false, "n": 2, "groups": 1, "std": 0}
stderr has: do not tell them apart

test: no row
stdin:
run: wai-grade -q --groupwise advantage -e '{ranking:[0]}'
stdout empty

test: what does not go together
run:
  wai-grade --check-spread /dev/null; echo $?
  wai-grade --groupwise advantage /dev/null; echo $?
  wai-grade --groupwise advantage --conduct /dev/null; echo $?
  wai-grade --groupwise advantage --json -e 1 /dev/null; echo $?
  wai-grade --groupwise advantage --verdicts-inline -e 1 /dev/null; echo $?
  wai-grade --groupwise best -e 1 /dev/null; echo $?
stdout:
  2
  2
  2
  2
  2
  2
