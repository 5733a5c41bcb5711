file rows.jsonl:
  {"prompt":"p","scenario_id":"a","final_text":"It is 2.","reward":1}
  {"prompt":"p","scenario_id":"a","final_text":"It is 3.","reward":0,"privileged":{"reference":"the answer is two"}}
  {"prompt":"q","scenario_id":"b","final_text":"It is 4.","reward":1}
file tools.json:
  [
    {"name": "f", "description": "d",
     "parameters": {"type": "object", "properties": {}}}
  ]

test: openai rows, byte for byte
run: wai-export -q rows.jsonl
stdout:
  {"messages":[{"role":"user","content":"p"},{"role":"assistant","content":"It is 2."}],"loss_mask":[0,1],"reward":1,"prompt":"p","scenario_id":"a","schema_version":"1","group_id":"86f7e437faa5","k":2,"n0":1,"n1":1,"reward_mean":0.5,"reward_std":0.5}
  {"messages":[{"role":"user","content":"p"},{"role":"assistant","content":"It is 3."}],"loss_mask":[0,1],"reward":0,"prompt":"p","scenario_id":"a","schema_version":"1","group_id":"86f7e437faa5","k":2,"n0":1,"n1":1,"reward_mean":0.5,"reward_std":0.5}
  {"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"It is 4."}],"loss_mask":[0,1],"reward":1,"prompt":"q","scenario_id":"b","schema_version":"1","group_id":"e9d71f5ee7c9","k":1,"n0":0,"n1":1,"reward_mean":1.0,"reward_std":0.0}
stderr has: 1 of 3 rows have a reward below 0.5

test: trl, a system prompt, tools over several lines
run: wai-export --format trl --system-prompt 'Be brief.' --tools tools.json -o out.jsonl --report r.json rows.jsonl; sed -n 3p out.jsonl
stdout:
  {"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"q"},{"role":"assistant","content":"It is 4."}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{}}}}],"reward":1,"prompt_text":"q","scenario_id":"b","schema_version":"1","group_id":"e9d71f5ee7c9","k":1,"n0":0,"n1":1,"reward_mean":1.0,"reward_std":0.0}
file r.json json: {"wai_report": "wai-export", "n": 3, "format": "trl", "with_system": 3, "with_tools": 3, "groups": 2, "mask_effect": "every_token", "rewards": {"n_pass": 2, "n_fail": 1, "n_ungraded": 0}, "path": "out.jsonl", "n_written": 3, "privileged_leaks": {"checked": true, "n_checked": 1, "n_leaked": 0}}
stderr has: wai-export: 3 rows (trl) of 3: 2 pass, 1 fail, 0 ungraded

test: trl, the last turn alone: prompt and completion
run: wai-export -q --format trl --mask-mode final rows.jsonl | head -1
stdout rows:
  {"prompt":[{"role":"user","content":"p"}],"completion":[{"role":"assistant","content":"It is 2."}],"prompt_text":"p"}
stdout lacks: messages

test: fireworks, a weight on assistant turns and nothing else
run: wai-export -q --format fireworks rows.jsonl | head -1
stdout:
  {"messages":[{"role":"user","content":"p"},{"role":"assistant","content":"It is 2.","weight":1}]}

test: a row for each assistant turn
stdin:
  {"prompt":"p","steps":[{"tool":"f","arguments":{"a":1},"result":"a long result"}],"final_text":"Done.","rollout_index":3}
run: wai-export -q --unroll --max-tool-output-chars 6
stdout rows:
  {"loss_mask":[0,1],"unroll":{"turn":1,"turns":2},"lineage":{"unrolled_from":{"prompt_sha1":"516b9783fca5","rollout_index":3}}}
  {"loss_mask":[0,0,0,1],"unroll":{"turn":2,"turns":2},"tool_output_truncated":1,"tool_output_chars_cut":7}
stdout has: a long\n[... 7 chars of tool output truncated]
stderr has: 1 of 1 rows call tools, but no schemas were given; name them with --tools

test: a group's size counts the rows that are in the file
stdin:
  {"scenario_id":"a","prompt":"p","final_text":"x","reward":1}
  {"scenario_id":"a","prompt":"p","final_text":"y","reward":0}
  {"scenario_id":"a","prompt":"p","reward":0}
run: wai-export -q --format trl --mask-mode final --report r.json
stdout rows:
  {"k":2,"n0":1,"n1":1}
  {"k":2,"n0":1,"n1":1}
file r.json json: {"n": 2, "no_completion_dropped": 1, "path": null, "n_written": 2}
stderr has: 1 of 3 rows have no assistant turn behind a first message

test: the same output at any --jobs
run:
  for i in $(seq 300); do printf '{"prompt":"p%d","scenario_id":"%d","steps":[{"tool":"f","result":%d}],"final_text":"t","reward":%d}\n' $i $((i % 50)) $i $((i % 2)); done > many
  wai-export -q -j1 --report r1 many > a; wai-export -q -j8 --report r8 many > b; cmp a b && cmp r1 r8 && wc -l < a
stdout:
  300

test: nothing of the teacher's block, wherever it is
stdin:
  {"prompt":"p","final_text":"t","privileged":{"reference":"SECRET one"},"lineage":{"privileged":"SECRET","run":1},"faults":{"f":{"mode":"m","hidden_state":"SECRET"}},"usage":{"rubric":["SECRET"]},"rubric":"SECRET","principle":"SECRET","vector":[1],"steps":[{"tool":"f","arguments":{"reference":"R-1"},"result":"ok"}]}
run: for f in openai trl fireworks; do wai-export -q --format $f; done
stdout lacks: SECRET

test: nothing of the teacher's block in any format
stdin:
  {"prompt":"p","final_text":"t","privileged":{"reference":"SECRET one"},"lineage":{"privileged":"SECRET","run":1},"faults":{"f":{"mode":"m","hidden_state":"SECRET"}},"usage":{"rubric":["SECRET"]},"rubric":"SECRET","principle":"SECRET","vector":[1],"steps":[{"tool":"f","arguments":{"reference":"R-1"},"result":"ok"}]}
run: cat > in; for f in openai trl fireworks; do for u in '' --unroll; do wai-export -q --format $f $u in || exit; done; done > out; grep -c R-1 out; ! grep SECRET out
stdout:
  9
stderr has: call tools

test: a reply that quotes its privileged block is no training row
stdin:
  {"prompt":"p","scenario_id":"s","rollout_index":2,"final_text":"The Answer is   twelve, you see.","privileged":{"reference":{"deep":["the answer is twelve"]}}}
run: wai-export -o out.jsonl --report r.json
exit: 3
stderr:
  wai-export: 1 of 1 rows quote their privileged block in a reply, and a model trained on them learns to; drop them (wai-select does) or write them with --no-validate
file out.jsonl absent
file r.json json: {"privileged_leaks": {"checked": true, "n_checked": 1, "n_leaked": 1, "leaked": [{"scenario_id": "s", "rollout_index": 2, "field": "reference.deep", "needle": "the answer is twelve"}]}, "path": null, "n_written": 0}

test: it is written when asked to, with a warning, and the block itself stays behind
stdin:
  {"prompt":"p","final_text":"The answer is twelve.","privileged":{"reference":"the answer is twelve"}}
run: wai-export --no-validate
stdout lacks: privileged
stdout has: "content":"The answer is twelve."
stderr has: warning: 1 of 1 rows quote their privileged block

test: a call whose arguments no trainer can read
stdin:
  {"prompt":"fine","final_text":"t"}
  {"messages":[{"role":"user","content":"u"},{"role":"assistant","tool_calls":[{"name":"f","arguments":"{broken"},{"name":"g"}]}]}
run: cat > in; wai-export in > out; echo $?; cat out; wai-export -q --no-validate --format trl in 2> /dev/null | tail -1
stdout:
  3
  {"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"","tool_calls":[{"id":"call_0000","type":"function","function":{"name":"f","arguments":"{broken"}},{"id":"call_0001","type":"function","function":{"name":"g","arguments":{}}}]}],"schema_version":"1"}
stderr has: 1 of 2 tool calls have arguments that are no JSON object (rows of the output, from 0: 1); mend or drop those rows, or write them with --no-validate

test: a row that is no conversation stops the run, or is left out
stdin:
  {"prompt":"p","final_text":"t"}
  {"reward":1}
  {"messages":[{"role":"user","content":[{"type":"image_url"}]}]}
run: cat > in; wai-export in; echo $?; wai-export --on-bad skip in; wai-export --on-bad bad --drop-parts in | wc -l; cat bad
stdout has: 3
stdout has: {"reward":1}
stderr has: in:2: it has no messages and nothing to make them of (prompt, steps, final_text); drop the row
stderr has: 2 bad lines were left out
stderr has: 1 of 1 parts of messages that are no text were left out

test: a line that is no JSON
stdin:
  {"prompt":"p","final_text":"t"}
  {"prompt":
run: wai-export
exit: 3
stdout empty
stderr matches: ^wai-export: -:2: .*; 

test: an operand that is not there
run: wai-export rows.jsonl none.jsonl
exit: 3
stdout empty
stderr has: none.jsonl

test: empty input is an empty file and a report of zeros
run: wai-export -o out.jsonl --json < /dev/null
stdout json: {"wai_report": "wai-export", "n": 0, "groups": 0, "n_written": 0, "rewards": {"n_pass": 0, "n_fail": 0, "n_ungraded": 0}}
file out.jsonl is:

test: bad usage
run:
  wai-export --json rows.jsonl; echo $?
  wai-export --kind trl rows.jsonl; echo $?
  wai-export --kind preference --unroll rows.jsonl; echo $?
  echo other > policy.md; wai-export --policy policy.md --system-prompt this rows.jsonl; echo $?
  wai-export --max-tool-output-chars -1 rows.jsonl; echo $?
  wai-export --tools none.json rows.jsonl; echo $?
  wai-export --tools '[1]' rows.jsonl; echo $?
stdout:
  2
  2
  2
  2
  2
  3
  3
stderr has: --json prints the report where the rows go; name a file for them with --output
stderr has: --kind is "trl", not one of training, preference
stderr has: --unroll and --mask-mode are for training files; leave them out
stderr has: --system-prompt and --policy say different things; give one of them
stderr has: --max-tool-output-chars is -1; it must be at least 0

test: a system prompt beside the rows' own
stdin:
  {"messages":[{"role":"system","content":"old"},{"role":"user","content":"u"},{"role":"assistant","content":"a"}]}
run: cat > in; printf new > p; wai-export -q --policy p in; wai-export -q --policy p --replace-system in; wai-export -q --system-prompt old in
stdout rows:
  {"messages":[{"role":"system","content":"new"},{"role":"system","content":"old"},{"role":"user"},{"role":"assistant"}]}
  {"messages":[{"role":"system","content":"new"},{"role":"user"},{"role":"assistant"}]}
  {"messages":[{"role":"system","content":"old"},{"role":"user"},{"role":"assistant"}]}
stderr:
  wai-export: warning: 1 of 1 rows bring a system turn of their own beside the one given; --replace-system drops theirs

test: compressed in and out
needs: zstd
run: zstd -q rows.jsonl -o rows.zst && wai-export -q rows.zst -o out.jsonl.zst 2> /dev/null && zstd -dc out.jsonl.zst | wc -l
stdout:
  3

test: a pair for each preference format
file pairs.jsonl:
  {"prompt":"p","chosen":{"prompt":"p","steps":[{"tool":"f","arguments":{"a":1},"result":"r"}],"final_text":"Good.","reward":1},"rejected":{"prompt":"p","steps":[{"tool":"f","arguments":{"a":1},"result":"r"}],"final_text":"Bad.","reward":0},"margin":1.0,"length_delta":1,"first_turn_differs":false}
run: for f in openai trl fireworks; do wai-export -q --kind preference --format $f pairs.jsonl || exit; done
stdout:
  {"prompt":"p","chosen":[{"role":"user","content":"p"},{"role":"assistant","content":"","tool_calls":[{"id":"call_0000","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},{"role":"tool","content":"r","name":"f","tool_call_id":"call_0000"},{"role":"assistant","content":"Good."}],"rejected":[{"role":"user","content":"p"},{"role":"assistant","content":"","tool_calls":[{"id":"call_0000","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},{"role":"tool","content":"r","name":"f","tool_call_id":"call_0000"},{"role":"assistant","content":"Bad."}],"first_turn_differs":false,"margin":1.0,"length_delta":1,"schema_version":"1"}
  {"prompt":[{"role":"user","content":"p"},{"role":"assistant","content":"","tool_calls":[{"id":"call_0000","type":"function","function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","content":"r","name":"f","tool_call_id":"call_0000"}],"chosen":[{"role":"assistant","content":"Good."}],"rejected":[{"role":"assistant","content":"Bad."}],"first_turn_differs":false,"margin":1.0,"length_delta":1,"schema_version":"1"}
  {"input":{"messages":[{"role":"user","content":"p"},{"role":"assistant","content":"","tool_calls":[{"id":"call_0000","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},{"role":"tool","content":"r"}],"tools":[]},"preferred_output":[{"role":"assistant","content":"Good."}],"non_preferred_output":[{"role":"assistant","content":"Bad."}]}
stderr has: begin with the same turn on both sides

test: pairs: ties, leaks, no contrast, no pair
file tie.jsonl:
  {"tie":true,"chosen":{"prompt":"p","final_text":"a"},"rejected":{"prompt":"p","final_text":"b"}}
file leak.jsonl:
  {"chosen":{"prompt":"p","final_text":"a"},"rejected":{"prompt":"p","final_text":"the answer is twelve","privileged":{"reference":"The answer is twelve"}}}
file same.jsonl:
  {"chosen":{"prompt":"p","final_text":"a"},"rejected":{"prompt":"p","final_text":"a"}}
run:
  wai-export --kind preference tie.jsonl -o a; echo $?
  wai-export -q --kind preference --keep-ties tie.jsonl | wc -l
  wai-export --kind preference leak.jsonl; echo $?
  wai-export -q --kind preference --no-validate leak.jsonl | grep -c privileged
  wai-export --kind preference --format trl same.jsonl; echo $?
  wai-export -q --kind preference --format trl --no-validate --report r.json -o b same.jsonl; echo $?
  wai-export --kind preference rows.jsonl; echo $?
stdout:
  3
  1
  3
  0
  3
  0
  3
stderr has: no pair is left of 1 (1 ties, 0 without a one-turn contrast), so no file is written; make more pairs, or take ties with --keep-ties
stderr has: 1 sides of pairs quote their privileged block
stderr has: no pair is left of 1 (0 ties, 1 without a one-turn contrast)
stderr has: rows.jsonl:1: it is no pair: `chosen` and `rejected` must each be a row; make pairs of graded rows first
file a absent
file b absent
file r.json json: {"pairs": 0, "no_completion_dropped": 1, "path": null}

test: a closed pipe ends quietly
run: for i in $(seq 3000); do cat rows.jsonl; done | wai-export -q 2> err | head -1 > out; echo ${PIPESTATUS[1]}; wc -l < out
stdout:
  141
  1

test: a full disk is exit 5
run: wai-export -q rows.jsonl > /dev/full
exit: 5
stderr has: No space left on device

test: what a file held stays when the run fails
run: echo old > out.jsonl; wai-export -o out.jsonl rows.jsonl none.jsonl; echo $?; cat out.jsonl; ls -A
stdout:
  3
  old
  out.jsonl
  rows.jsonl
  tools.json

test: kto: a label from the reward, the half and the ungraded left out
stdin:
  {"prompt":"p","scenario_id":"a","final_text":"It is 2.","reward":1,"privileged":{"reference":"the answer is two"}}
  {"prompt":"p","scenario_id":"a","final_text":"It is 3.","reward":0.25}
  {"prompt":"p","scenario_id":"a","final_text":"Maybe.","reward":0.5}
  {"prompt":"p","scenario_id":"a","final_text":"Hm."}
  {"prompt":"p","scenario_id":"a","reward":1}
run: wai-export --kind kto --report r.json
stdout:
  {"prompt":[{"role":"user","content":"p"}],"completion":[{"role":"assistant","content":"It is 2."}],"label":true}
  {"prompt":[{"role":"user","content":"p"}],"completion":[{"role":"assistant","content":"It is 3."}],"label":false}
file r.json json: {"kind": "kto", "format": "trl", "n": 2, "labels": {"desirable": 1, "undesirable": 1, "ratio": 1.0}, "ungraded_dropped": 1, "half_dropped": 1, "no_completion_dropped": 1, "groups": 0, "mask_effect": "completion"}
stderr has: 1 of 5 rows have no reward and were left out
stderr has: 1 of 5 rows have a reward of exactly 0.5
stderr lacks: below 0.5

test: kto: one kind of label alone teaches nothing
stdin:
  {"prompt":"p","final_text":"It is 2.","reward":1}
run: wai-export --kind kto
stdout has: "label":true
stderr has: all 1 completions are desirable; KTO compares the two kinds, so add rows of the other

test: reward: both sides whole behind what they share
stdin:
  {"margin":0.5,"chosen":{"prompt":"p","steps":[{"tool":"f","arguments":{"a":1},"result":"x"}],"final_text":"Yes."},"rejected":{"prompt":"p","steps":[{"tool":"f","arguments":{"a":1},"result":"y"}],"final_text":"No."}}
  {"chosen":{"prompt":"p","final_text":"Same."},"rejected":{"prompt":"p","final_text":"Same."}}
  {"chosen":{"prompt":"p","final_text":"A."},"rejected":{"prompt":"q","final_text":"B."}}
run: wai-export --kind reward --report r.json
stdout:
  {"prompt":[{"role":"user","content":"p"}],"chosen":[{"role":"assistant","content":"","tool_calls":[{"id":"call_0000","type":"function","function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","content":"x","name":"f","tool_call_id":"call_0000"},{"role":"assistant","content":"Yes."}],"rejected":[{"role":"assistant","content":"","tool_calls":[{"id":"call_0000","type":"function","function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","content":"y","name":"f","tool_call_id":"call_0000"},{"role":"assistant","content":"No."}],"margin":0.5}
file r.json json: {"kind": "reward", "pairs": 1, "no_completion_dropped": 2}
stderr has: 2 of 3 pairs have no assistant turn to tell their sides apart by and were left out

test: kto and reward are written for trl
run:
  wai-export --kind kto --format openai rows.jsonl; echo $?
  wai-export --kind reward --mask-mode final rows.jsonl; echo $?
stdout:
  2
  2
stderr has: --kind kto is written for trl and llamafactory; leave out --format
stderr has: --unroll and --mask-mode are for training files; leave them out

test: a data card beside the file: what went in, what the gates dropped, both hashes
file step.json:
  {"wai_report":"wai-select","n":9,"n_selected":3,"drops":{"unlabelled":4,"band":2}}
run:
  wai-export -q --kind kto -o out.jsonl --step-report step.json rows.jsonl
  test "$(sha256sum < rows.jsonl | cut -c 1-64)" = "$(sed -n 's/.*SHA-256 of the rows `\(.*\)`/\1/p' out.jsonl.card.md)" && echo in
  test "$(sha256sum < out.jsonl | cut -c 1-64)" = "$(sed -n 's/.* bytes, SHA-256 `\(.*\)`/\1/p' out.jsonl.card.md)" && echo out
stdout:
  in
  out
file out.jsonl.card.md has: # Data card: out.jsonl
file out.jsonl.card.md has: - rows.jsonl
file out.jsonl.card.md has: ### wai-select
file out.jsonl.card.md has: | band | 2 |
file out.jsonl.card.md has: | half\_dropped | 0 |
file out.jsonl.card.md has: | rows that quote their privileged block | 0 |

test: no card without a file, with --no-card, or for what is no file; a step's report must be one
run:
  wai-export -q rows.jsonl > out.jsonl
  wai-export -q --no-card -o b.jsonl rows.jsonl
  wai-export -q -o /dev/null rows.jsonl
  ls *.card.md /dev/null.card.md 2> /dev/null
  wai-export -o c.jsonl --step-report rows.jsonl rows.jsonl; echo $?; ls c.jsonl* 2> /dev/null || true
stdout:
  3
stderr has: rows.jsonl: it is no report: not one JSON object

test: prime-rl: every default as TOML
run: wai-export --kind config --trainer prime-rl --env refunds-v1 --model m -o rl.toml && sed -n '3,8p' rl.toml
stdout:
  max_steps = 100
  seq_len = 12288  # tokens of a rollout, prompt and replies
  
  [deployment]
  gpus_per_node = 2
  num_infer_gpus = 1
stderr has: start it with: uv run rl @ rl.toml

test: prime-rl: the text reads back as the report's tree, odd keys and texts too
run:
  wai-export -q --kind config --trainer prime-rl --env e --model m -o rl.toml --report r.json --set 'trainer."a b".c=1' --set 'x=[{"k":[1.5,"\u007f\ud800"]},{"k":{"z":{}}}]' --set 'y=[[1],{"q r":true}]' --set 'orchestrator.t={}' --set 'w=a "text" \ é'
  python3 - <<'P'
  import json
  try:
      import tomllib
  except ImportError:
      print("same"); raise SystemExit
  same = lambda v: json.dumps(v, sort_keys=True).replace("\\ud800", "\\ufffd")
  want = json.load(open("r.json"))
  print("same" if same(want["config"]) == same(tomllib.load(open("rl.toml", "rb"))) else want["text"])
  P
stdout:
  same
stderr has: --set x: prime-rl is not known to have "x"; check the spelling

test: prime-rl: what it lacks and what is no configuration
run:
  c() { wai-export --kind config --trainer prime-rl --model m --env e "$@"; echo $?; }
  c --method sao
  c --method flash_reinforce
  c --method ppo
  c --gpus 1
  c --steps 0
  c --async --correction tis
  c --async --correction icepop --ratio 2,5
  c --method opd
  c --method opd --teacher openai:gpt
  c --method opsd --anchor ema:2
  c --method opsd --template 'no place'
  c --method opsd --privileged 'a b'
  c --set nothing
  c --set a..b=1
  c --set max_steps.x=1
  c --set a=null
  c --lora --full
  c rows.jsonl
  wai-export --kind config --trainer prime-rl --model m --env ' x'; echo $?
  wai-export --kind config --trainer prime-rl --model m; echo $?
  wai-export --kind config --model m; echo $?
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
stderr has: prime-rl has no sao: it lacks a value model
stderr has: the nearest it has is another method: --method rae
stderr has: --gpus is 1; prime-rl samples on one and trains on another, so it needs 2
stderr has: prime-rl has no truncated importance sampling (tis)
stderr has: serve it with vLLM and name it NAME@URL
stderr has: --set max_steps.x=1: a part of the key is a value already
stderr has: --set a=null: TOML has no null
stderr has: --kind config reads no rows; leave out rows.jsonl
stderr has: --env  x is neither an id
stderr has: a configuration needs --trainer prime-rl or trl, and --model

test: prime-rl: a folder gives its project's name
file env/pyproject.toml:
  [project]
  names = "no"
  name = "my-env"
run: wai-export --kind config --trainer prime-rl --env env --model m --json
stdout json: {"wai_report": "wai-export", "kind": "config", "trainer": "prime-rl", "taskset": "my-env", "n_warnings": 1, "path": null}
stderr has: the package in env has the loader of verifiers before 0.4

test: trl: a knob goes where TRL has it, or is listed as ignored
run: wai-export --kind config --trainer trl --method sft --model m --data d.jsonl --learning-rate 1e-5 --beta 0.1 --scale-rewards none --report r.json
stdout has: learning_rate: 1.0e-05
stdout has: loss_type: "nll"
file r.json json: {"method": "sft", "honored_keys": ["data", "learning_rate"], "ignored_keys": ["beta=0.1", "scale_rewards=none"], "n_warnings": 0}

test: trl: staleness is a correction of vLLM's probabilities
run:
  wai-export -q --kind config --trainer trl --model m --async --correction icepop | grep vllm
  wai-export --kind config --trainer trl --model m --async --method dpo; echo $?
stdout:
  use_vllm: true
  vllm_importance_sampling_correction: true
  vllm_importance_sampling_mode: "token_mask"
  vllm_importance_sampling_clip_max: 5.0
  vllm_importance_sampling_clip_min: 0.5
  2
stderr has: --async is for --method grpo

test: prompts: a task for each prompt, its calibration, no answer key
stdin:
  {"prompt":" p ","scenario_id":"a","seed":3,"faults":{"f":{"mode":"timeout","rate":1}},"stance":"calm","reward":1,"privileged":{"reference":"key"}}
  {"prompt":"p","scenario_id":"a","reward":0}
  {"prompt":"q","scenario_id":"a","reward":1}
  {"prompt":"r","reward":1}
  {"prompt":"r","reward":true}
  {"prompt":"s","reward":1}
  {"prompt":"s","reward":2}
  {"final_text":"none"}
run: wai-export --kind prompts --one-per-scenario --report r.json
stdout:
  {"prompt":"p","info":{"task_id":"ca2d1ccd0f0d","scenario_id":"a","seed":3,"world_state":"","faults":{"f":{"mode":"timeout","rate":1}},"stance":"calm","calibration":{"pass_rate":0.5,"n":2},"split":"train"},"example_id":"ca2d1ccd0f0d"}
  {"prompt":"r","info":{"task_id":"dcb4cf26200b","scenario_id":null,"seed":null,"world_state":"","faults":{},"split":"train"},"example_id":"dcb4cf26200b"}
file r.json json: {"kind": "prompts", "n_rows": 8, "promptless_dropped": 1, "rephrased_dropped": 1, "prompts": 4, "tasks": 2, "train": 2, "holdout": 0, "graded_prompts": 2, "graded_mixed": 1, "band": [0.2, 0.8], "band_dropped": 1, "decontamination": {}}
stderr has: 1 of 8 rows have no prompt and were left out

test: prompts: held out by a list, overlap reported, the band off
file held.txt:
  A B c  D E F G H
stdin:
  {"prompt":"a b c d e f g h"}
  {"prompt":"a b c d e f g h!"}
  {"prompt":"other"}
run: wai-export --kind prompts --holdout @held.txt --band none -o p.jsonl --report r.json; tail -1 p.jsonl
stdout has: "split":"holdout"
file r.json json: {"train": 2, "holdout": 1, "band": null, "decontamination": {"n_contaminated": 1, "contamination_rate": 0.5, "ngram": 8, "examples": ["a b c d e f g h"]}}
stderr has: 1 of 2 training prompts overlap a held-out one
stderr has: 1 tasks of the file are held out (info.split): do not train on them
file p.jsonl.card.md has: | promptless\_dropped | 0 |

test: environment: a package with its card; the text of others is no markup and no TOML
file tools.json:
  [{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}]
file rows.jsonl:
  {"prompt":"p","scenario_id":"a","privileged":{"reference":"key"},"stance":"adversarial"}
  {"prompt":"q","scenario_id":"b"}
run:
  wai-export --kind environment --out "x/../My Env" --tools tools.json --holdout 0 --system-prompt 'Say "no" \ [x](y).' rows.jsonl 2>/dev/null; echo $?
  mkdir x; wai-export --kind environment --out "x/../My Env" --tools tools.json --holdout 0 --system-prompt 'Say "no" \ [x](y).' --json rows.jsonl > r.json
  (cd "My Env" && find . -type f | LC_ALL=C sort)
  grep -h '^description' "My Env/pyproject.toml"
  sed -n 3p "My Env/README.md"
  grep -c '"privileged":{"reference":"key"}' "My Env/my_env/data/train.jsonl"
stdout:
  5
  ./DATA_CARD.md
  ./README.md
  ./my_env/__init__.py
  ./my_env/data/holdout.jsonl
  ./my_env/data/train.jsonl
  ./my_env/spec.json
  ./my_env/tools.json
  ./pyproject.toml
  description = "Say \"no\" \\ [x](y)."
  Say "no" \\ \[x\](y).
  1
file r.json json: {"kind": "environment", "name": "my_env", "reward": "checklist", "execute": null, "runtime": "verifiers", "max_turns": 15, "outcome_checkable": 1, "train": 2, "holdout": 0}
stderr has: 1 of 2 tasks say nothing of their outcome

test: environment: bad usage and nothing to train on
run:
  e() { wai-export --kind environment "$@" rows.jsonl; echo $?; }
  e
  e --out d
  e --out d --tools '[{"name":"f"}]' --reward 'no such'
  e --out d --tools '[{"name":"f"}]' --execute 'rm -rf'
  e --out d --tools '[{"name":"f"}]' --band 0.8,0.2
  e --out d --tools '[{"name":"f"}]' --holdout 1
  e --out d --tools '[{"name":"f"}]' --world '{"no":1}'
  e --out d --tools '[{"name":"f"}]' --holdout @none.txt
  e --out d --tools '[{"name":"f"}]' -o x
  wai-export --kind prompts --out d rows.jsonl; echo $?
  wai-export --kind prompts < /dev/null; echo $?
  ls d 2> /dev/null || true
stdout:
  2
  3
  2
  2
  2
  2
  2
  3
  2
  2
  3
stderr has: an environment is a folder; name it with --out DIR
stderr has: an environment without a tool has no world; name the schemas with --tools, or write --kind prompts
stderr has: --reward is "no such"; it is checklist, conduct, expr:PROG
stderr has: --execute is "rm -rf"; it is cmd:COMMAND or MODULE:NAME
stderr has: --band is "0.8,0.2"
stderr has: --holdout is "1"
stderr has: no training task is left of 0 prompts

test: environment: a name without a letter that Python takes
stdin:
  {"prompt":"p"}
run: wai-export -q --kind environment --out d --name 'é!' --tools '[{"name":"f"}]' --holdout 0 --reward mod:f --json
stdout json: {"name": "whileai_env"}

test: push: a dry run sends nothing and says what would go
run:
  mkdir -p d/data
  printf '{"a":1}\n' > d/data/x.jsonl
  printf x > d/README.md
  wai-export push --dry-run --json d/ me/rows --report r.json
  cmp r.json <(wai-export push -q --dry-run --json d me/rows)
stdout json: {"wai_report": "wai-export push", "repo_id": "me/rows", "repo_type": "dataset", "files": ["README.md", "data/x.jsonl"], "bytes": 9, "private": true, "commit": null, "uploaded": 0, "dry_run": true}
stderr has: nothing was sent; it would push 2 files to me/rows

test: push: rows from standard input are read
stdin:
  {"a":1}
run: wai-export push --dry-run --json - me/rows
stdout json: {"files": ["train.jsonl"], "bytes": 8}

test: push and pull: what is bad is said
run:
  p() { wai-export "$@"; echo $?; }
  p push
  p push x.jsonl nowhere
  p push --dry-run none.jsonl me/rows
  p push --dry-run - me/rows < /dev/null
  echo '{"a":' | p push --dry-run - me/rows
  p push --dry-run --public=no - me/rows
  HF_ENDPOINT=http://127.0.0.1:1 HF_TOKEN= HF_HOME=/none p push r.jsonl me/rows
  HF_ENDPOINT=ftp://x HF_TOKEN=hf_0123456789 p pull me/rows
  HF_ENDPOINT=http://192.0.2.1 HF_TOKEN=hf_0123456789 p pull me/rows
  p pull
  p pull me/rows --out a -o b
  p pull me/rows --json
  p pull me/rows@
  p pull me
stdout:
  2
  2
  3
  3
  3
  2
  4
  2
  4
  2
  2
  2
  2
  2
stderr has: push takes what to push and where
stderr has: "nowhere" is no name of a repository; it is NS/NAME
stderr has: none.jsonl: No such file
stderr has: no row arrived; there is nothing to push
stderr has: set HF_TOKEN to one that may write
stderr has: HF_ENDPOINT
stderr has: the token does not go there
stderr has: pull takes one repository
stderr has: --out takes files and --output rows
stderr has: name a file for them with --output
stderr lacks: hf_0123456789

test: pull: no Hub there
run: HF_ENDPOINT=http://127.0.0.1:1 HF_HOME=/none wai-export pull me/rows
exit: 4
stderr has: 127.0.0.1:1

test: push: links to files are followed, links to folders are not
run:
  mkdir d e
  echo x > e/x; echo y > y
  ln -s ../y d/link; ln -s ../e d/folder; ln -s . d/self
  wai-export push -q --dry-run --json d me/rows
stdout json: {"files": ["link"]}

test: --push-to wants a file and a name
stdin:
  {"prompt":"p","final_text":"a"}
run: wai-export --push-to me/x
exit: 2
stderr has: name its file with --output

test: environment: an OpenEnv package
file tools.json:
  [{"name": "look_up", "description": "d", "parameters": {"type": "object", "properties": {}}}]
file rows.jsonl:
  {"prompt":"p","scenario_id":"a","privileged":{"reference":"key"}}
run:
  wai-export -q --kind environment --runtime openenv --out d --name 'shop 2 go' --tools tools.json --holdout 0 --reward conduct --json rows.jsonl > r.json
  (cd d && find . -type f | LC_ALL=C sort)
  sed -n '2p;/declared_tools/p' d/openenv.yaml
  grep -h '^class' d/client.py d/server/shop_2_go_environment.py
  sed -n 2p d/README.md
  ! grep -rn '@[A-Z]*@' d
stdout:
  ./DATA_CARD.md
  ./README.md
  ./__init__.py
  ./client.py
  ./data/holdout.jsonl
  ./data/train.jsonl
  ./openenv.yaml
  ./pyproject.toml
  ./server/Dockerfile
  ./server/__init__.py
  ./server/app.py
  ./server/requirements.txt
  ./server/shop_2_go_environment.py
  ./spec.json
  ./tools.json
  name: "shop_2_go"
      declared_tools: ["look_up", "submit"]
  class Shop2GoEnv(MCPToolClient):
  class World:
  class Shop2GoEnvironment(Environment):
  title: "shop_2_go"
file r.json json: {"kind": "environment", "runtime": "openenv", "train": 1, "path": "d"}

test: environment: names of tools that OpenEnv keeps for itself
stdin:
  {"prompt":"p"}
run: wai-export --kind environment --runtime openenv --out d --tools '[{"name":"reset"}]'
exit: 3
stderr has: a tool is called reset, which is a verb of every OpenEnv episode; rename it, or write --runtime verifiers

test: axolotl: turns say whether they are trained on, tools are a text
stdin:
  {"messages":[{"role":"user","content":"p"},{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]},{"role":"tool","tool_call_id":"a","content":"r"},{"role":"assistant","content":"b"}],"reward":1}
run: wai-export -q -f axolotl --mask-mode final --tools '[{"name":"f"}]'
stdout:
  {"messages":[{"role":"user","content":"p"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}}],"training":false},{"role":"tool","content":"r","tool_call_id":"a"},{"role":"assistant","content":"b","training":true}],"tools":"[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"}

test: llamafactory: what fits, what is left out, how to read it
file rows.jsonl:
  {"messages":[{"role":"system","content":"s"},{"role":"user","content":"p"},{"role":"assistant","content":"words","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]},{"role":"tool","tool_call_id":"a","content":"r"},{"role":"assistant","content":"b"},{"role":"user","content":"bye"}],"reward":1}
  {"messages":[{"role":"assistant","content":"hello"},{"role":"user","content":"p"},{"role":"assistant","content":"b"}],"reward":1}
  {"messages":[{"role":"user","content":"p"}],"reward":1}
run: wai-export -f llamafactory -o out.jsonl --json rows.jsonl; cat out.jsonl >&2
stdout json: {"n": 1, "format": "llamafactory", "not_alternating_dropped": 1, "no_completion_dropped": 1, "call_texts_dropped": 1, "dataset_info": {"file_name": "out.jsonl", "formatting": "sharegpt", "columns": {"messages": "conversations", "system": "system"}}}
stderr has: {"conversations":[{"from":"human","value":"p"},{"from":"function_call","value":"{\"name\": \"f\", \"arguments\": {\"x\":1}}"},{"from":"observation","value":"r"},{"from":"gpt","value":"b"}],"system":"s"}
stderr has: 1 of 3 rows do not alternate between people and the model
stderr has: words beside their tool calls

test: llamafactory: pairs and KTO
file pairs.jsonl:
  {"prompt":"p","chosen":{"prompt":"p","final_text":"good"},"rejected":{"prompt":"p","final_text":"bad"}}
file rows.jsonl:
  {"prompt":"p","final_text":"good","reward":1}
  {"prompt":"q","final_text":"bad","reward":0}
run:
  wai-export -q --kind preference -f llamafactory pairs.jsonl
  wai-export -q --kind kto -f llamafactory rows.jsonl
stdout:
  {"conversations":[{"from":"human","value":"p"}],"system":"","chosen":{"from":"gpt","value":"good"},"rejected":{"from":"gpt","value":"bad"}}
  {"conversations":[{"from":"human","value":"p"},{"from":"gpt","value":"good"}],"system":"","label":true}
  {"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"bad"}],"system":"","label":false}

test: formats that a kind has not
run:
  e() { wai-export "$@" < /dev/null; echo $?; }
  e --kind preference -f axolotl
  e --kind kto -f axolotl
  e --kind reward -f llamafactory
  e --kind kto -f openai
stdout:
  2
  2
  2
  2
stderr has: Axolotl's preference readers drop tool calls; it takes --format trl
stderr has: --kind kto is written for trl and llamafactory; leave out --format
stderr has: --kind reward is written for trl; leave out --format

test: --marker-reward: a column for each, in every row
stdin:
  {"prompt":"p","final_text":"a","reward":1,"markers":{"style.length":0.25,"ok":true,"text":"x"}}
  {"prompt":"q","final_text":"b","reward":0}
run: wai-export -q --marker-reward style.length --marker-reward ok --marker-reward text | jq -c '[.["reward_style.length"],.reward_ok,.reward_text,has("reward_text")]'
stdout:
  [0.25,1,null,true]
  [null,null,null,true]

test: --marker-reward belongs to training files
run:
  for k in "--kind kto" "--kind prompts" "-f axolotl" "--kind preference"; do wai-export $k --marker-reward x < /dev/null; echo $?; done
stdout:
  2
  2
  2
  2
stderr has: --marker-reward is for training files of openai and trl; leave it out

test: without HF_ENDPOINT the Hub is the public one
run:
  unset HF_ENDPOINT
  HTTPS_PROXY=http://127.0.0.1:1 HF_HOME=/none wai-export pull me/rows
exit: 4
stderr has: huggingface.co: 
stderr lacks: HF_ENDPOINT
