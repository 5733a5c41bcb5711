# wai-simulate

test: rows, one for each situation, with what the row format promises
run:
  wai-simulate --budget 12 -o rows.jsonl --report run.json -q 2> err
  wc -l < rows.jsonl
  wai-rows check rows.jsonl > /dev/null && echo checked
  python3 -c '
  import json
  rows = [json.loads(line) for line in open("rows.jsonl")]
  report = json.load(open("run.json"))
  assert len({r["prompt"] for r in rows}) == 12
  assert len({r["scenario_id"] for r in rows}) == 12
  assert all(r["reward"] is None and r["sampling"] is None and r["world_seed"] == 0 for r in rows)
  assert all(r["messages"][0] == {"role": "user", "content": r["prompt"]} for r in rows)
  assert all(r["messages"][-1]["content"] == r["final_text"] for r in rows)
  assert all(r["tools_used"] == [s["tool"] for s in r["steps"]] for r in rows)
  assert report["wai_report"] == "wai-simulate" and next(iter(report)) == "wai_report"
  assert report["rows"] == 12 and report["stopped_because"] == "budget"
  print("held")'
stdout:
  12
  checked
  held

# INV-3 and INV-4 of the situations page: pairs met after so many rows, distinct messages, distinct sentences.
test: messages differ and the pairs are met soon, on grids of 2, 6 and 20 tools
run:
  cat > check.py <<'END'
  import collections, itertools, json, os, re, subprocess
  cases = os.path.join(os.environ["SOURCE"], "tests/reference/simulate")
  least = {"t2": {20: .50, 50: .82, 100: .97, 112: 1}, "t6": {20: .33, 50: .66, 100: .90, 170: 1},
           "t20": {20: .15, 50: .33, 100: .53, 200: .75, 400: .91, 687: 1}}
  mask = lambda text: " ".join("#" if re.search(r"\d", w) else w for w in text.lower().split())
  for name, points in least.items():
      for rows, fraction in points.items():
          command = ["wai-simulate", "--tools", f"{cases}/plan-{name}/tools.json", "--policy",
                     f"{cases}/plan-{name}/policy.txt", "--budget", str(rows), "-q", "-o", "rows.jsonl", "--json"]
          report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
          prompts = [mask(json.loads(line)["prompt"]) for line in open("rows.jsonl")]
          met = report["coverage"]["pairwise"]["fraction"]
          assert len(prompts) == rows and met >= fraction, (name, rows, met)
          assert len(set(prompts)) == rows
          sentences = [s for p in prompts for s in re.split(r"(?<=[.!?]) ", p)]
          bigrams = [b for p in prompts for b in zip(p.split(), p.split()[1:])]
          assert max(collections.Counter(sentences).values()) <= max(3, .05 * rows), (name, rows)
          assert len(set(sentences)) >= .15 * len(sentences) and len(set(bigrams)) >= .10 * len(bigrams), (name, rows)
          if rows <= 112:
              assert len(set(sentences)) >= .35 * len(sentences), (name, rows)
              assert len(set(bigrams)) >= .30 * len(bigrams), (name, rows)
          tokens = [set(re.findall("[a-z]+|#", p)) for p in prompts[:200]]
          assert all(len(a & b) < .9 * len(a | b) for a, b in itertools.combinations(tokens, 2)), (name, rows)
  print("held")
  END
  SOURCE=$SOURCE python3 check.py
stdout:
  held

test: a third of the messages are typed untidily, and the tags are true of them
run:
  wai-simulate --budget 600 -q -o rows.jsonl 2> /dev/null
  python3 -c '
  import collections, json, re
  rows = [json.loads(line) for line in open("rows.jsonl")]
  told = [r for r in rows if r["arm"] == "structured"]
  ways = collections.Counter(r.get("texture") for r in told)
  assert set(ways) == {"lowercase", "no_punctuation", "typo", "standard"}, ways
  assert .28 <= 1 - ways["standard"] / len(told) <= .39, ways
  for r in told:
      words = [w for w in r["prompt"].split() if not re.search(r"\d", w)]
      if r["texture"] == "lowercase":
          assert all(w == w.lower() for w in words), r["prompt"]
      if r["texture"] == "no_punctuation":
          assert not re.search(r"[.!?](\s|$)", r["prompt"]), r["prompt"]
      if r["texture"] == "standard":
          assert r["prompt"][0].isupper() and r["prompt"][-1] in ".!?", r["prompt"]
  print("held")'
stdout:
  held

test: the same rows at any number of jobs, and on a second run
run:
  for jobs in 1 2 8 64; do
    wai-simulate --mode rl --repeats 4 --budget 200 -q -j $jobs 2> /dev/null | sha256sum
  done | sort -u | wc -l
  wai-simulate --mode rl --repeats 4 --budget 200 -q --seed 1 2> /dev/null > other
  wai-simulate --mode rl --repeats 4 --budget 200 -q 2> /dev/null | cmp -s - other && echo same || true
stdout:
  1

test: the example of the whole loop
file tools.json:
  [{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}}]
run: wai-simulate --agent seeded --tools tools.json --mode rl --repeats 4 --budget 80 -q 2> /dev/null | wc -l
stdout:
  80

test: an explore run goes on beyond the grid, to new situations and then to new wordings
run:
  wai-simulate --budget 2000 --tools '[{"name":"ping"}]' -q --report run.json 2> /dev/null > rows.jsonl
  python3 -c '
  import json
  rows = [json.loads(l) for l in open("rows.jsonl")]
  report = json.load(open("run.json"))
  ids = [r["scenario_id"] for r in rows if r["arm"] == "structured"]
  cells, fresh = len(set(ids)), len(set(r["scenario_id"] for r in rows))
  print(len(rows), len(set(r["prompt"] for r in rows)), report["stopped_because"], cells > 100, len(set(ids[:cells - 40])) == cells - 40)
  print(report["tier_mix"]["hard_share_prompts"], report["phrasings_reused"] == len(rows) - fresh)'
stdout:
  2000 2000 budget True True
  0.4 True

test: the dial of hard tiers holds in every mode
run:
  for mode in explore sft rl; do for share in 0 0.2 0.8 1; do
    wai-simulate --mode $mode --hard-share $share --budget 400 -q -o rows.jsonl --json 2> /dev/null |
      python3 -c '
  import json, sys
  r, share = json.load(sys.stdin), float(sys.argv[1])
  n = sum(r["tier_prompts"].values())
  got = r["tier_mix"]["hard_share_prompts"]
  assert n < 50 or abs(got - share) <= max(1 / n, .02), (sys.argv, n, got)' $share $mode
  done; done
stdout empty

test: stances of one side only are told when the dial asked for the other
run: wai-simulate --hard-share 0.5 --dimensions stance=ordinary,hurried --budget 30 -q --report run.json > /dev/null
stderr has: --hard-share 0.5 was asked and 0.00 of 30 rows are hard
file run.json has: "hard_share_requested":0.5,"hard_share_realized":0.0

test: sft answers every message four times
run:
  wai-simulate --mode sft --budget 40 -q 2> /dev/null > rows.jsonl
  python3 -c '
  import collections, json
  print(sorted(collections.Counter(json.loads(l)["prompt"] for l in open("rows.jsonl")).values()))'
stdout:
  [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]

test: situations times phrasings times repeats, never more
run:
  wai-simulate --mode rl --repeat-policy fixed --situations 5 -n 3 -k 2 -q 2> /dev/null > rows.jsonl
  python3 -c '
  import json
  rows = [json.loads(l) for l in open("rows.jsonl")]
  print(len(rows), len({r["scenario_id"] for r in rows}), len({r["prompt"] for r in rows}))'
stdout:
  30 5 15

test: more situations than the grid has: that many prompts, in other words
run:
  wai-simulate --mode rl --repeat-policy fixed --tools '[{"name":"ping"}]' --situations 70 -k 1 -q -o rows.jsonl --report run.json
  python3 -c '
  import json
  rows = [json.loads(l) for l in open("rows.jsonl")]
  print(len(rows), len({r["prompt"] for r in rows}), json.load(open("run.json"))["stopped_because"])'
stdout:
  70 70 situations_exhausted

test: groups that were cut say so
run:
  wai-simulate --mode rl --budget 30 -q 2> /dev/null -o rows.jsonl --report run.json
  python3 -c '
  import collections, json
  rows = [json.loads(l) for l in open("rows.jsonl")]
  groups = collections.defaultdict(list)
  for r in rows: groups[r["prompt"]].append(r)
  cut = sum(1 for g in groups.values() if any(r.get("group_cut") for r in g))
  g = json.load(open("run.json"))["groups"]
  assert g["groups"] == len(groups) and g["partial"] == cut, (g, cut)
  assert sum(map(len, groups.values())) == 30
  print("held")'
stdout:
  held

test: a run's rows are its tasks again
run:
  wai-simulate --mode rl -k 3 --repeat-policy fixed --budget 45 -q 2> /dev/null > rows.jsonl
  wai-simulate --mode rl --repeat-policy fixed --tasks rows.jsonl -q 2> /dev/null > again.jsonl
  python3 -c '
  import json
  a, b = ([json.loads(l) for l in open(f)] for f in ("rows.jsonl", "again.jsonl"))
  for keep in ("prompt", "scenario_id", "scenario_dimensions", "faults", "world_state", "rollout_index", "steps", "tier",
               "length", "privileged", "seeded", "final_text"):
      assert [r.get(keep) for r in a] == [r.get(keep) for r in b], keep
  assert all(r["lineage"]["replayed"] for r in b)
  print("held")'
stdout:
  held

test: dry-run is a set of tasks
run:
  wai-simulate --dry-run --budget 10 -q > tasks.jsonl
  wai-simulate --budget 10 -q 2> /dev/null > rows.jsonl
  wai-simulate --tasks tasks.jsonl -q 2> /dev/null > again.jsonl
  python3 -c '
  import json
  a, b = ([json.loads(l) for l in open(f)] for f in ("rows.jsonl", "again.jsonl"))
  assert [(r["prompt"], r["faults"], r["steps"]) for r in a] == [(r["prompt"], r["faults"], r["steps"]) for r in b]
  print("held")'
stdout:
  held

test: tasks: texts and rows, what rides along, what does not
file tasks.jsonl:
  {"prompt":"please get order A-100","scenario_id":"s1","difficulty":"high","reward":1,"markers":{"x":1}}
  "what about 107"
  {"prompt":"  "}
run:
  wai-simulate --tasks tasks.jsonl --tools '[{"name":"get_order","parameters":{"properties":{"order_id":{}},"required":["order_id"]}}]' --seeded-rate 0
stdout rows:
  {"scenario_id":"s1","difficulty":"high","reward":null,"arm":"pinned","writer_model":"pinned","steps":[{"tool":"get_order","arguments":{"order_id":"A-100"}}],"scenario_dimensions":{"tool":"get_order","origin":"realized"},"seeded":[]}
  {"prompt":"what about 107","steps":[{"arguments":{"order_id":"107"}}]}
stdout lacks: markers
stderr has: 1 rows of tasks.jsonl have no prompt

test: scrub leaves the teacher's block out
run: wai-simulate --budget 20 --scrub -q 2> /dev/null
stdout lacks: "privileged"

test: seeds come first, repeats are dropped
file seeds.txt:
  Where is order A1001?
  Where is order A1001?
  {"prompt": "Cancel order A1002 please"}
  "A text in JSON"
run: wai-simulate --seeds seeds.txt --budget 3 -q --seeded-rate 0
stdout rows:
  {"prompt":"Where is order A1001?","writer_model":"seed","arm":"open_ended"}
  {"prompt":"Cancel order A1002 please"}
  {"prompt":"A text in JSON"}

test: runs
run: wai-simulate --budget 2 --runs 2 -q
stdout rows:
  {"lineage":{"eval_run":0}}
  {"lineage":{"eval_run":0}}
  {"lineage":{"eval_run":1,"replayed":true,"replayed_from_run":0}}
  {"lineage":{"eval_run":1,"replayed":true,"replayed_from_run":0}}

test: a world on a pipe, its resets and ids
file tools.json:
  [{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}},{"name":"create_order"}]
stdin:
  {"tool":"get_order","arguments":{}}
  {"tool":"get_order","arguments":[1]}
  {"tool":"nothing"}
  {"id":7,"tool":"get_order","arguments":{"order_id":"<order id>"}}
  {"reset":true,"faults":{"get_order":{"mode":"permission_denied"}},"seed":3}
  {"id":"a","tool":"get_order","arguments":{"order_id":"A1"}}
  {"reset":true,"world_state":"missing"}
  {"tool":"get_order","arguments":{"order_id":"A1"}}
  {"reset":true,"options":{"exists_share":0,"persist_writes":true}}
  {"tool":"get_order","arguments":{"order_id":"A1"}}
  {"tool":"create_order","arguments":{"id":"A1","note":"red"}}
  {"tool":"get_order","arguments":{"order_id":"A1"}}
run: wai-simulate --world-only --tools tools.json
stdout rows:
  {"status":"rejected","reason":"missing_required","fields":["order_id"]}
  {"status":"rejected","reason":"arguments_not_object"}
  {"status":"error","reason":"unknown_tool","tool":"nothing"}
  {"id":7,"result":{"status":"rejected","reason":"placeholder_argument","fields":["order_id"]}}
  {"reset":true}
  {"id":"a","result":{"status":"permission_denied"}}
  {"reset":true}
  {"status":"not_found","missing":["A1"]}
  {"reset":true}
  {"status":"not_found","missing":["A1"]}
  {"status":"created","id":"A1","note":"red"}
  {"status":"ok","data":{"id":"A1","note":"red"}}

test: a reply comes before the next line is sent
run:
  python3 -c '
  import json, subprocess
  p = subprocess.Popen(["wai-simulate", "--world-only", "--tools", "[{\"name\":\"ping\"}]"], text=True,
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
  for i in range(3):
      p.stdin.write(json.dumps({"id": i, "tool": "ping"}) + "\n"); p.stdin.flush()
      print(json.loads(p.stdout.readline())["id"])
  p.stdin.close(); p.wait()'
stdout:
  0
  1
  2

test: a fault that clears, and the further modes
stdin:
  {"tool":"ping","arguments":{}}
  {"tool":"ping","arguments":{}}
  {"tool":"ping","arguments":{}}
run: wai-simulate --world-only --tools '[{"name":"ping"}]' --faults '{"*":{"mode":"rate_limited"}}' --world '{"fault_clears_after":2,"extra_fault_modes":true}'
stdout rows:
  {"status":"error","reason":"rate_limited"}
  {"status":"error","reason":"rate_limited"}
  {"status":"ok"}

test: bad lines of --world-only
stdin:
  {"tool":"ping"}
  nonsense
  {"arguments":{}}
run: wai-simulate --world-only --tools '[{"name":"ping"}]'
exit: 3
stderr has: -:2:

test: bad lines of --world-only can be skipped
stdin:
  {"tool":"ping"}
  nonsense
  {"arguments":{}}
  {"reset":true,"seed":"x"}
  {"reset":true,"options":{"nope":1}}
  {"tool":"ping"}
run: wai-simulate --world-only --tools '[{"name":"ping"}]' --on-bad skip | wc -l
stdout:
  2

test: the plan
run: wai-simulate --plan --tools '[{"name":"ping"}]' | head -1
stdout has: {"id":"sc-

test: an unknown axis
run: wai-simulate --plan --dimensions colour=red
exit: 2
stderr has: no axis "colour"

test: the tier is no axis
run: wai-simulate --plan --dimensions tier=boundary
exit: 2
stderr has: pin stance instead

test: a pinned condition is never turned into a success
run: wai-simulate --plan --json --dimensions tool_condition=timeout -q
stdout has: "condition_counts":{"timeout":

test: coverage of rows, and a check on it
run:
  wai-simulate --budget 30 -q -o rows.jsonl 2> /dev/null
  wai-simulate --plan --json --against rows.jsonl --require-coverage 0.99 -q > report.json
exit: 1
stderr has: pairs, less than 0.99 of them

test: a lone agent that fails is exit 4
file agent.jsonl:
  {"prompt":"another","final_text":"x"}
file tasks.jsonl:
  {"prompt":"please"}
run: wai-simulate --agent rows:agent.jsonl --tasks tasks.jsonl --tools '[{"name":"ping"}]'
exit: 4
stdout empty
stderr has: the recorded rows lack the prompt "please"

test: rollouts without words are lost, and --max-lost says when that is too many
file agent.jsonl:
  {"prompt":"a","rollout_index":0,"final_text":""}
  {"prompt":"b","rollout_index":0,"final_text":"fine"}
file tasks.jsonl:
  "a"
  "b"
run: wai-simulate --agent rows:agent.jsonl --tasks tasks.jsonl --tools '[{"name":"ping"}]' --max-lost 0.4
exit: 1
stdout rows:
  {"prompt":"b","final_text":"fine"}
stderr has: empty_reply 1

test: no rows to play
file tasks.jsonl:
  {"scenario_id":"x"}
run: wai-simulate --tasks tasks.jsonl
exit: 3
stderr has: tasks.jsonl: no row has a prompt

test: a task that is broken names its line
file tasks.jsonl:
  {"prompt":"a"}
  {"prompt":"b","faults":{"*":{"mode":"timeout","rate":"often"}}}
run: wai-simulate --tasks tasks.jsonl
exit: 3
stderr has: tasks.jsonl:2:

test: budget 0
run: wai-simulate --budget 0 -q
stdout empty

test: bad settings are bad usage
run:
  try() { wai-simulate "$@" -q > /dev/null 2>> err; echo $?; }
  try --budget -1
  try --mode adapted
  try --repeat-policy often
  try --round 0
  try -j 0
  try -k 2 --rollouts-per-request 3
  try --behaviors hedging,lying
  try --agent openai/gpt
  try --json
  try --faults '{}'
  try --tasks x --seeds y
  try --world '{"people":[]}'
  try --world '{"exists_share":2}'
  try --world '{"colour":1}'
  try --world '{"default_fault_mode":"partial"}'
  try --fault-rate nan
  try operand
  try --tasks - --seeds -
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
  18

test: files that are not there
run:
  wai-simulate --tools missing.json -q > /dev/null 2> err; echo $?
  wai-simulate --tasks missing.jsonl -q > /dev/null 2>> err; echo $?
  wai-simulate --policy missing.md -q > /dev/null 2>> err; echo $?
  wai-simulate --seeds missing.txt -q > /dev/null 2>> err; echo $?
  grep -c missing err
stdout:
  3
  3
  3
  3
  4

test: policy and system prompt that differ
file policy.md:
  One thing.
run: wai-simulate --policy policy.md --system-prompt 'Another.' -q
exit: 2
stderr has: differ

test: a full disk
run:
  wai-simulate --budget 400 --mode rl -q > /dev/full 2> err
  echo $?
  grep -c "standard output" err
stdout:
  5
  1

test: a closed pipe ends it quietly
run:
  { wai-simulate --mode rl --budget none -q 2> err; echo ${PIPESTATUS[0]} > status; } | head -1 > first
  wc -l < first
  grep -v '^wai-simulate: warning' err | grep -c . || true
stdout:
  1
  0

test: an interrupt keeps whole lines and says so
run:
  set -m  # else the shell has what it runs beside it ignore interrupts
  wai-simulate --mode rl -k 4 --repeat-policy fixed --budget none -q > rows.jsonl 2> err &
  pid=$!
  while [ ! -s rows.jsonl ]; do sleep 0.01; done
  kill -INT $pid
  wait $pid
  echo "exit $?"
  grep -c 'whole rows were written' err
  python3 -c '
  import json
  n = sum(1 for line in open("rows.jsonl") if line.endswith("\n") and json.loads(line))
  assert 0 < n < 50000'
stdout:
  exit 130
  1

# The kernel may break off a write between two pages when SIGKILL comes, so the last line may be cut.
test: killed at any moment, the rows are whole lines
run:
  for i in $(seq 12); do
    wai-simulate --mode rl -k 4 --repeat-policy fixed --budget none -q > rows.jsonl 2> /dev/null &
    pid=$!
    sleep 0.0$((i * 7 % 90 + 5))
    kill -KILL $pid 2> /dev/null
    wait $pid 2> /dev/null
    python3 -c '
  import json
  for line in open("rows.jsonl", "rb"):
      if line.endswith(b"\n"): json.loads(line)'
  done
stdout empty

test: -o is written whole, and compressed
run:
  wai-simulate --budget 5 -q -o rows.jsonl.zst 2> /dev/null
  zstd -dqc rows.jsonl.zst | wc -l
needs: zstd
stdout:
  5

test: a specification in a folder: tools, policy, asks, and no rubric in the policy
file shop/spec.yaml:
  name: shop
  tools:
    - name: get_order
      parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
  system_prompt:
    - Look it up before you answer.
    - Never promise a date to anyone.
  tone: Stay polite at any time.
  rubric: The answer key nobody may read.
  situations:
    - Where is order A1001?
    - prompt: Cancel order A1002.
run:
  wai-simulate --spec shop --policy <(echo "Only one rule is above these.") --budget 4 --seeded-rate 0 -q > rows.jsonl
  wai-simulate --spec shop --plan --json -q > plan.json
  python3 -c '
  import json
  rows = [json.loads(l) for l in open("rows.jsonl")]
  print([r["prompt"] for r in rows[:2]], {s["tool"] for r in rows for s in r["steps"]})
  print(rows[0]["lineage"]["system_prompt_head"])
  print(json.load(open("plan.json"))["dimensions"]["rule"])'
stdout:
  ['Where is order A1001?', 'Cancel order A1002.'] {'get_order'}
  Only one rule is above these.
  Look it up before you answer.
  Never promise a date to anyone.
  Stay polite at any time.
  ['Look it up before you answer.', 'Never promise a date to anyone.', 'Stay polite at any time.']

test: a specification that is not there, or does not parse
file bad/spec.json:
  {"tools": [}
run:
  wai-simulate --spec nowhere -q > /dev/null; echo $?
  wai-simulate --spec bad -q > /dev/null; echo $?
  wai-simulate --spec 'Be kind to every single customer.' --plan --json -q | grep -c 'Be kind to every'
stdout:
  3
  3
  1
stderr has: --spec nowhere: no such file
stderr has: bad/spec.json:1:

test: --wire shows what a provider would be sent, without its secrets and without a network
stdin:
  {"spec":"anthropic:claude-x","messages":[{"role":"system","content":"S"},{"role":"user","content":"hi"}],"temperature":1.5,"max_tokens":9}
run: ANTHROPIC_API_KEY=sk-secret-0123456789 wai-simulate --wire
stdout:
  {"method":"POST","url":"https://api.anthropic.com/v1/messages","headers":{"Content-Type":"application/json","anthropic-version":"2023-06-01","x-api-key":"***"},"body":{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"temperature":1.0,"system":"S"}}
stderr empty

test: --wire-reply reads a provider's reply
stdin:
  {"provider":"anthropic","body":{"content":[{"type":"text","text":"A"}],"stop_reason":"max_tokens","usage":{"input_tokens":7,"output_tokens":3}}}
run: wai-simulate --wire-reply
stdout:
  {"role":"assistant","content":"A","_finish_reason":"length","_usage":{"input_tokens":7,"output_tokens":3}}

test: a line that --wire cannot use is named, with the mend
stdin:
  {"spec":"gpt-4o","messages":[]}
run: wai-simulate --wire
exit: 3
stdout empty
stderr has: -:1:
stderr has: openai:gpt-4o

test: a reply that is none is named
stdin:
  {"provider":"openai","body":{"choices":[]}}
run: wai-simulate --wire-reply
exit: 3
stderr has: no choices

test: --wire and --wire-reply together
run: wai-simulate --wire --wire-reply
exit: 2
stderr has: standard input can be read once

test: traces aim the axes and the weights
file tools.json:
  [{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}},{"name":"refund_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}},{"name":"ship"}]
file traces.jsonl:
  {"prompt":"Refund A1","steps":[{"tool":"refund_order","arguments":{"order_id":"A1"},"result":{"status":"timeout"}}],"final_text":"Done.","reward":0}
  {"prompt":"Where is A2?","steps":[{"tool":"get_order","arguments":{"order_id":"A2"},"result":{"status":"ok","eta":"Friday"}}],"final_text":"Friday.","reward":1}
run: wai-simulate --plan --json --tools tools.json --system-prompt "Never refund twice." --traces traces.jsonl
stdout json: {"strategy":"trace","failing_seeds":["Refund A1"],"faults_observed":{"timeout":1},"tools_observed":{"refund_order":{"n":1,"fault_n":1},"get_order":{"n":1,"fault_n":0}}}
stdout has: "tool":["refund_order","get_order","ship","unrelated","multi_tool"]
stdout has: "tool_condition":["success","timeout"]

test: targeted leaves out what the traces never called
file tools.json:
  [{"name":"get_order"},{"name":"refund_order"},{"name":"ship"}]
file traces.jsonl:
  {"prompt":"Refund A1","messages":[{"role":"user","content":"Refund A1"},{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"refund_order","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"{\"status\":\"permission_denied\"}"},{"role":"assistant","content":"No."}],"reward":0}
run: wai-simulate --plan --json --tools tools.json --system-prompt "Never refund twice." --strategy targeted < /dev/null --traces traces.jsonl
stdout has: "tool":["refund_order","unrelated","multi_tool"]
stdout has: "tool_condition":["success","permission_denied"]

test: pinned axes are not aimed
file tools.json:
  [{"name":"get_order"},{"name":"refund_order"}]
file traces.jsonl:
  {"prompt":"Refund A1","steps":[{"tool":"refund_order","arguments":{},"result":{"status":"timeout"}}],"final_text":"x","reward":0}
run: wai-simulate --plan --json --tools tools.json --system-prompt "Never refund twice." --traces traces.jsonl --dimensions stance=ordinary
stdout has: "tool":["get_order","refund_order","unrelated","multi_tool"]
stdout has: "recover_after_timeout"

test: a prompt that is a trace's own is not played
file tools.json:
  [{"name":"get_order"}]
file traces.jsonl:
  {"prompt":"Where IS  my parcel now","steps":[],"final_text":"x","reward":0}
file seeds.txt:
  where is my parcel now
  Something else entirely
run: wai-simulate --tools tools.json --system-prompt "Be kind." --agent seeded --traces traces.jsonl --seeds seeds.txt --budget 3 --report run.json -q && grep -c . run.json
exit: 0
stdout lacks: where is my parcel now
stdout has: Something else entirely
file run.json has: "n_refused":1
file run.json has: "rows":3

test: --strategy trace without traces
run: wai-simulate --plan --strategy trace
exit: 2
stderr has: need --traces

test: traces without a row to learn from
file traces.jsonl:
  {"reward":1}
run: wai-simulate --plan --traces traces.jsonl
exit: 3
stderr has: no row with an ask or steps

test: the grader judges every row beside the loop, the same at any --jobs
file tools.json:
  [{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}},{"name":"ship"}]
run:
  for j in 1 8; do
    wai-simulate --tools tools.json --system-prompt "Be kind." --agent seeded --mode rl --repeats 4 --budget 40 \
      --grader 'expr:if (.seeded|length) == 0 then 1 else 0 end' -j $j -q --report run$j.json > rows$j.jsonl || exit
  done
  cmp rows1.jsonl rows8.jsonl && grep -c '"reward":[01],' rows1.jsonl
  grep -c '"judge_status":"ok"' rows1.jsonl
stdout:
  40
  40
file run1.json has: "grader":{"judge":"expr","judged_in_loop":40,"judged_after":0,"errors":0,"scored":40

test: a reward that is no number leaves the row unjudged and says so
run: wai-simulate --agent seeded --budget 2 --grader 'expr:"fine"' --report run.json
exit: 0
stdout has: "reward":null
stderr has: 2 of 2 rows are unjudged
file run.json has: "unjudged":2

test: a grader that fails on every row is exit 4
run: wai-simulate --agent seeded --budget 2 --grader 'expr:error("broken")' -o rows.jsonl
exit: 4
stderr has: the grader failed on every one of 2 rows
file rows.jsonl has: broken

test: a scorer that is none is named
run: wai-simulate --agent seeded --budget 2 --grader 'nonsense:x'
exit: 2
stderr has: --grader

test: a failed verdict earns its prompt one more rollout, unless it must not
file tools.json:
  [{"name":"ship"}]
run:
  set -- --tools tools.json --system-prompt "Be kind." --agent seeded --seeded-rate 0 --mode sft --repeat-policy adaptive --phrasings 1 --situations 4 --fault-rate 0 --budget 40 --grader 'expr:0' -q --prefer-success yes
  wai-simulate "$@" | wc -l
  wai-simulate "$@" --no-mutate-graded-failures | wc -l
stdout:
  16
  4

test: a run that was cut goes on from its checkpoint to the same rows
file tools.json:
  [{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}},{"name":"ship"}]
run:
  set -- --tools tools.json --system-prompt "Be kind. Never ship twice." --agent seeded --mode rl --repeats 4 --budget 60 -q \
    --grader 'expr:if (.seeded|length) == 0 then 1 else 0 end'
  wai-simulate "$@" -o whole.jsonl || exit
  for rows in 0 1 7 33 59 60; do
    wai-simulate "$@" --checkpoint full.jsonl -o full-out.jsonl || exit
    { head -n $rows full.jsonl; sed -n "$((rows + 1))p" full.jsonl | head -c 200; } > cut.jsonl
    wai-simulate "$@" --checkpoint cut.jsonl -o resumed.jsonl --report run.json || exit
    test $(grep -c '"resumed":true' resumed.jsonl) = $rows || echo "$rows: resumed $(grep -c '"resumed":true' resumed.jsonl)"
    sed 's/,"resumed":true//' resumed.jsonl | cmp - whole.jsonl || echo "$rows: other rows"
    test $(wc -l < cut.jsonl) = 60 || echo "$rows: $(wc -l < cut.jsonl) on file"
    rm full.jsonl
  done
stdout empty
file run.json has: "resumed":60

test: a torn last line is taken off and said; a bad line elsewhere stops the run
file tasks.jsonl:
  "one"
  "two"
run:
  wai-simulate --agent seeded --tasks tasks.jsonl --checkpoint c.jsonl -q > first.jsonl || exit
  head -c -20 c.jsonl > torn.jsonl
  wai-simulate --agent seeded --tasks tasks.jsonl --checkpoint torn.jsonl > second.jsonl || exit
  sed 's/,"resumed":true//' second.jsonl | cmp - first.jsonl && cmp c.jsonl torn.jsonl
  { echo '{"prompt":'; cat c.jsonl; } > bad.jsonl
  wai-simulate --agent seeded --tasks tasks.jsonl --checkpoint bad.jsonl; echo "exit $?"
stdout:
  exit 3
stderr has: torn.jsonl: the last line was cut short
stderr has: bad.jsonl:1:

test: rows of other prompts stay in the checkpoint and are counted
file a.jsonl:
  "one"
  "two"
file b.jsonl:
  "two"
  "three"
run: wai-simulate --agent seeded --tasks a.jsonl --checkpoint c.jsonl -q > /dev/null && wai-simulate --agent seeded --tasks b.jsonl --checkpoint c.jsonl > out.jsonl && wc -l < c.jsonl && wc -l < out.jsonl
stdout:
  3
  2
stderr has: 1 rows of c.jsonl belong to no rollout of this run
file out.jsonl has: "resumed":true

test: each run of a series resumes its own rows
file tasks.jsonl:
  "one"
  "two"
run:
  set -- --agent seeded --tasks tasks.jsonl --runs 3 -q
  wai-simulate "$@" --checkpoint c.jsonl > first.jsonl && head -n 4 c.jsonl > d.jsonl && wai-simulate "$@" --checkpoint d.jsonl > second.jsonl || exit
  sed 's/,"resumed":true//' second.jsonl | cmp - first.jsonl && cmp c.jsonl d.jsonl && grep -c '"resumed":true' second.jsonl
stdout:
  4

test: two runs do not write one checkpoint
run: exec 9> c.jsonl; flock 9; wai-simulate --agent seeded --budget 2 --checkpoint c.jsonl
exit: 5
stderr has: another run is writing it

test: tools without a name are left out, counted and named
file nameless.json:
  [{"name":"get_order"},{"description":"what is it called?"},{"name":"  "}]
run: wai-simulate --tools nameless.json --budget 1 > rows.jsonl
stderr has: 2 tools have no name and are left out; the first is entry 2 of nameless.json

test: traces without a tool list: the tools are drafted from their calls
file traces.jsonl:
  {"prompt":"where is A17","steps":[{"tool":"find_parcel","arguments":{"parcel_id":"A17"},"result":{"status":"ok"}}],"final_text":"here","reward":1}
  {"prompt":"stop A18","steps":[{"tool":"stop_parcel","arguments":"{\"parcel_id\":\"A18\",\"why\":\"lost\"}","result":{"status":"timeout"}}],"final_text":"no","reward":0}
run:
  wai-simulate --traces traces.jsonl --plan --json | jq -c .dimensions.tool
  wai-simulate --traces traces.jsonl --budget 30 -q | jq -c .tools_used[] | sort -u
  wai-simulate --traces traces.jsonl --tools '[{"name":"get_x"}]' --plan --json 2> quiet | jq -c .dimensions.tool
needs: jq
stdout:
  ["stop_parcel","find_parcel","unrelated","multi_tool"]
  "find_parcel"
  "stop_parcel"
  ["get_x","unrelated","multi_tool"]
stderr has: no --tools: 2 are drafted from the calls in traces.jsonl; they know only what was called

test: settings are taken, recorded, and refused with the bound and the default
run:
  wai-simulate --budget 3 -q --set gap_min_rows=4 --set closing_margin=0.5 -o rows.jsonl --json 2> /dev/null |
    python3 -c 'import json, sys; k = json.load(sys.stdin)["coverage"]["knobs"]; print(k["gap_min_rows"], k["closing_margin"], k["pool_low_cap"], len(k))'
  for bad in no_such=1 gap_weight=2 empty_rounds_to_stop=1.5 empty_rounds_to_stop=0 closing_margin=true; do
    wai-simulate --budget 3 -q --set $bad > /dev/null; echo $?
  done
stdout:
  4 0.5 64 66
  2
  2
  2
  2
  2
stderr has:
  wai-simulate: --set no_such=1: there is no such setting; the report's coverage.knobs names all of them
  wai-simulate: --set gap_weight=2: it is from 0 to 1; the default is 0.7
  wai-simulate: --set empty_rounds_to_stop=1.5: it is a whole number; the default is 8
  wai-simulate: --set empty_rounds_to_stop=0: it is 1 or more; the default is 8
  wai-simulate: --set closing_margin=true: it is a number; the default is 2

test: arms that are none, and numbers that are none
run:
  for bad in bogus=1 structured=-1 structured=0 structured=nan structured; do
    wai-simulate --budget 3 -q --arm-weights $bad > /dev/null; echo $?
  done
stdout:
  2
  2
  2
  2
  2
stderr has: wai-simulate: --arm-weights: "bogus" is no arm; they are structured, llm_guided, open_ended, behavior_targeted and failure_mutation
stderr has: wai-simulate: --arm-weights: structured=-1 is no number of 0 or more
stderr has: wai-simulate: --arm-weights: one of them must be above 0

test: --steering-weight follows traces
run: wai-simulate --steering-weight 0.5 --budget 3
exit: 2
stderr has: wai-simulate: --steering-weight follows traces: give --traces FILE with it
stdout empty

test: until every situation has its rows
run:
  wai-simulate --tools '[{"name":"ping"}]' --until saturation --budget none -q -o rows.jsonl --json 2> /dev/null |
    python3 -c '
  import collections, json, sys
  r = json.load(sys.stdin)
  per = collections.Counter(row["scenario_id"] for row in map(json.loads, open("rows.jsonl")) if row["arm"] == "structured")
  print(r["stopped_because"], r["coverage"]["saturation"], r["coverage"]["predicted_remaining"], r["coverage"]["min_cell_copies"] >= 5, len(per))
  print(r["coverage"]["until"], r["grown_cells"], r["search"]["copy_deficit"] == 0 or r["coverage"]["unique_shapes"] > 0)'
  wai-simulate --plan --json --tools '[{"name":"ping"}]' | python3 -c 'import json, sys; print(json.load(sys.stdin)["cells"])'
stdout:
  saturation True 0 True 52
  saturation 0 True
  52

test: a time budget of nothing is no clock; one of a second is, and the report says so
run:
  wai-simulate --time-budget 0 --budget 12 -q -o rows.jsonl --json 2> /dev/null | grep -o '"time_budget":null,"reproducible":true'
  wai-simulate --time-budget -5 --budget 12 -q -o rows.jsonl --json 2> /dev/null | grep -o '"time_budget":null,"reproducible":true'
  wai-simulate --time-budget 3600 --budget 12 -q -o rows.jsonl --json 2> /dev/null | grep -o '"time_budget":3600.0,"reproducible":false'
  wai-simulate --time-budget 60 --plan --json | grep -o '"reproducible":false'
  wai-simulate --time-budget 60 --plan --mode adaptive --json | grep -o '"n_req":3,"k":2'
  wai-simulate --plan --mode adaptive --json | grep -o '"n_req":3,"k":3'
stdout:
  "time_budget":null,"reproducible":true
  "time_budget":null,"reproducible":true
  "time_budget":3600.0,"reproducible":false
  "reproducible":false
  "n_req":3,"k":2
  "n_req":3,"k":3

test: progress objects: every ten rollouts, and one at the end
run:
  wai-simulate --budget 35 -q --progress progress.jsonl > rows.jsonl 2> /dev/null
  python3 -c '
  import json
  told = [json.loads(l) for l in open("progress.jsonl")]
  print([p["rows"] for p in told], ["inflight" in p for p in told], told[-1]["cap"], sorted(told[-1]))'
  wai-simulate --budget 35 -q --set progress_every_rows=20 --progress - 2>&1 > /dev/null | grep -c '^{"rows":'
stdout:
  [10, 20, 30, 35] [True, True, True, False] 35 ['cap', 'elapsed_s', 'landed', 'lost', 'lost_by', 'rerolled', 'rerolled_by', 'resumed', 'rows', 'situations', 'timed_out']
  2

test: a progress file that cannot be written
run: wai-simulate --budget 3 -q --progress no/such/folder > rows.jsonl
exit: 5
stderr has: wai-simulate: no/such/folder: No such file or directory; --progress needs a file it can write

test: what the report tells of the search
run:
  wai-simulate --budget 120 -q -o rows.jsonl --json --grader 'expr:{reward: ((.final_text|length) % 2), markers: {short: ((.final_text|length) < 60)}}' 2> /dev/null > run.json
  python3 -c '
  import collections, json
  r = json.load(open("run.json"))
  rows = [json.loads(l) for l in open("rows.jsonl")]
  c, s, curve = r["coverage"], r["search"], r["coverage_curve"]
  assert {a: v["rows"] for a, v in r["arms"].items() if v["rows"]} == collections.Counter(x["arm"] for x in rows)
  assert [p["n_rows"] for p in curve] == [32, 64, 96, 120] and curve[-1]["stopped_because"] == "budget" and curve[0]["stopped_because"] is None
  assert curve[-1]["unique_cells"] == c["unique_cells"] == len(s["cell_counts"]) == len({json.dumps(x["scenario_dimensions"]) for x in rows})
  assert curve[-1]["unique_action_shapes"] == c["unique_shapes"] == len(s["shape_counts"])
  assert sum(s["cell_counts"].values()) == sum(s["region_counts"].values()) == 120
  assert s["region_counts"] == collections.Counter(x["scenario_id"] for x in rows)
  assert s["mutation_aims"]["graded_failure"]["parents"] > 0 and s["mutation_aims"]["world_fault"]["parents"] > 0
  assert sum(a["rows"] for a in s["mutation_aims"].values()) == r["arms"]["failure_mutation"]["rows"] == sum(s["mutations"].values())
  assert list(s["failure_criteria"].values()) == sorted(s["failure_criteria"].values(), reverse=True)
  assert s["failure_criteria"]["short"] == sum(not x["markers"]["short"] for x in rows)
  assert c["delivered"]["fault_share"] == round(sum(x["faults"] is not None for x in rows) / 120, 4)
  assert c["delivered"]["stance_mix"] == collections.Counter(x["scenario_dimensions"]["stance"] for x in rows if "stance" in x["scenario_dimensions"])
  assert c["pairwise_all"]["pairs_planned"] >= c["pairwise_all"]["pairs_covered"] > 0
  assert r["allocator"] == {"explore": 120 - r["arms"]["failure_mutation"]["rows"], "expand": r["arms"]["failure_mutation"]["rows"], "verify": 0}, r["allocator"]
  assert r["stages"][:2] == ["ingested", "candidates"] and r["elapsed_seconds"] >= r["timings"]["rollout_seconds"] >= 0
  assert sum(r["rows_by_minute"].values()) == 120
  print("held")'
stdout:
  held

test: stances that were pinned and that most rows lack are told
run: wai-simulate --dimensions stance=hurried --arm-weights open_ended=1 --budget 30 -q > /dev/null
stderr has: stances were pinned and 0 of 30 rows have one of them; seeds and probes have none

test: the sidecar of a run's rows
run:
  wai-simulate --budget 12 -q -o rows.jsonl 2> /dev/null
  wai-simulate --budget 12 -q -o more.jsonl.zst 2> /dev/null
  wai-simulate --budget 12 -q -o plain 2> /dev/null
  wai-simulate --budget 12 -q -o /dev/null 2> /dev/null
  ls
  python3 -c '
  import json
  meta, row = json.load(open("rows.meta.json")), json.loads(open("rows.jsonl").readline())
  print(meta["system_prompts"][row["lineage"]["system_prompt_sha"]] == meta["system_prompt"], len(meta["tools"]), meta["stopped_because"], meta["coverage"]["rows"])'
stdout:
  more.jsonl.zst
  more.meta.json
  plain
  plain.meta.json
  rows.jsonl
  rows.meta.json
  True 4 budget 12

test: a grid without tools, and a tool that is called like the word for none
run:
  wai-simulate --policy policy.md --agent rows:rows.jsonl --budget 1 --seeds seeds.txt --situations 1 -q > out.jsonl; echo $?
  wai-simulate --tools '[{"name":"unrelated"},{"name":"get_order"}]' --budget 30 -q > out.jsonl; echo $?
file policy.md:
  - Be kind to everybody.
file seeds.txt:
  hello there
file rows.jsonl:
  {"prompt":"hello there","final_text":"hello"}
stdout:
  0
  0
stderr has: warning: there are no tools, so the situations are about no tool and several at once only; give --tools FILE
stderr has: warning: a tool is called unrelated, which is also the word for no tool at all; situations mean the word, rename the tool

test: the sidecar of judged rows has their pass rates, as wai-passat says them
run:
  wai-simulate --mode rl --repeat-policy fixed -k 4 --budget 80 --grader 'expr:(.final_text|length) % 2' -q -o rows.jsonl 2> /dev/null
  wai-passat --json rows.jsonl > report.json
  python3 -c '
  import json
  print(json.load(open("rows.meta.json"))["pass_at"] == json.load(open("report.json")))'
stdout:
  True

test: --grade conduct: rows that nobody graded get the conduct rules' reward
run:
  wai-simulate -q --budget 12 --tools '[{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}}]' --seeded-rate 1 > bare.jsonl
  wai-simulate -q --budget 12 --tools '[{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}}]' --seeded-rate 1 --grade conduct --report r.json > graded.jsonl
  jq -c 'del(.reward,.reason,.lineage,.label_source,.judge_name,.judge_status,.judge_meta,.failure_class,.fault_detected,.markers)' bare.jsonl > a
  jq -c 'del(.reward,.reason,.lineage,.label_source,.judge_name,.judge_status,.judge_meta,.failure_class,.fault_detected,.markers)' graded.jsonl > b
  cmp a b
  wai-grade -q --conduct --tools '[{"name":"get_order","parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}}]' bare.jsonl | jq -c '[.reward,.reason]' > want
  jq -c '[.reward,.reason]' graded.jsonl | cmp - want
  jq -r .label_source graded.jsonl | sort | uniq -c | sed 's/^ *//'
  jq -c .coverage.grade,.coverage.llm_grade r.json
stdout:
  12 conduct
  true
  false

test: --grade conduct: the grader's rows stay the grader's
run: wai-simulate -q --budget 4 --tools '[{"name":"f"}]' --grader 'expr:0.25' --grade conduct | jq -c '[.reward,.label_source,.judge_name]' | sort -u
stdout:
  [0.25,null,"expr"]

test: --grade rubric: the specification's, as a replayed judge reads it
run:
  mkdir spec
  echo '{"name":"x","tools":[{"name":"f"}]}' > spec/spec.json
  echo 'It is kind.' > spec/rubric.md
  for i in 1 2; do echo '{"reply":"{\"reason\": \"kind\", \"score\": 1}"}'; done > replies.jsonl
  WHILEAI_JUDGE=replay:replies.jsonl wai-simulate -q -j 1 --budget 2 --spec spec --grade rubric --report r.json | jq -c '[.reward,.reason]'
  jq -c .coverage.llm_grade r.json
stdout:
  [1,"kind"]
  [1,"kind"]
  true

test: --grade rubric wants a rubric, and no other grader
run:
  g() { wai-simulate --budget 2 --tools '[{"name":"f"}]' "$@" > out; echo $?; }
  g --grade rubric
  g --grade rubric --grader expr:1
  g --grade nicely
stdout:
  2
  2
  2
stderr has: --grade rubric takes rubric.md of the folder that --spec names
stderr has: --grade rubric and --grader are two graders beside one loop
