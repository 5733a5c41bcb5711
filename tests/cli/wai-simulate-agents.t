# wai-simulate --agent cmd:, --execute: programs of the user's own

file tools.json:
  [{"name":"get_order","description":"Look up an order.","parameters":{"type":"object",
    "properties":{"order_id":{"type":"string"}},"required":["order_id"]}},
   {"type":"function","function":{"name":"cancel_order","kind":"x","returns":{"status":"ok"},
    "parameters":{"type":"object","properties":{"order_id":{"type":"string"}}}}}]
file asks.txt:
  look up order A-100
file prompts.txt:
  look up order A-100
  cancel order B-7
  where is C-9?
  and D-4?

file world.py:
  import json, os, sys, time
  for line in sys.stdin:
      ask = json.loads(line)
      kind = os.environ.get("WORLD", "echo")
      if kind == "echo": reply = json.dumps(ask)
      elif kind == "result": reply = '{"id":1,"result":{"status":"ok","answer":42}}'
      elif kind == "value": reply = '[1, 2]'
      elif kind == "error": reply = '{"error":"gone fishing"}'
      elif kind == "garbage": reply = 'nonsense'
      elif kind == "exit": sys.exit(1)
      elif kind == "hang": time.sleep(1000)
      print(reply, flush=True)
file own.json:
  [{"name":"get_order","parameters":{"properties":{"order_id":{"type":"string"}},"required":["order_id"]},
    "command":"jq '{status: \"ok\", id: .order_id}'"},
   {"name":"cancel_order","command":"echo broken >&2; exit 2"},
   {"name":"ship_order","command":"echo sent"}]
file asks3.txt:
  get order A-1
  cancel order A-2
  ship order A-3
file one.jsonl:
  {"prompt":"look up order A-100"}

# An agent whose behaviour is the word that its task names.
file agent.py:
  import json, os, sys, time
  def tell(line): print(json.dumps(line), flush=True)
  def read(): return json.loads(sys.stdin.readline())
  while True:
      line = sys.stdin.readline()
      if not line: break
      start = json.loads(line)
      kind = os.environ.get("KIND", "good")
      if kind == "good":
          tell({"id": start["id"], "tool": "get_order", "arguments": {"order_id": "A-1"}, "call": "c1", "text": "Wait."})
          tell({"tool": "cancel_order", "arguments": {"order_id": "A-1"}})
          one, two = read(), read()
          assert one["id"] == start["id"] and one["call"] == "c1" and two["call"] == 1, (one, two)
          tell({"step": {"tool": "note", "arguments": {}, "result": "kept"}})
          tell({"final_text": one["result"]["status"] + " " + two["result"].get("status", "?"), "mood": "calm", "reward": 1,
                "finish_reason": "length", "usage": {"input_tokens": 3, "output_tokens": 4}, "logprob": -1.5,
                "n_tokens": 2, "steps": [{"text": "ignored"}]})
      elif kind == "echo": tell({"final_text": json.dumps(start, sort_keys=True)})
      elif kind == "text": print('"just words"', flush=True)
      elif kind == "garbage": print("hello", flush=True)
      elif kind == "partial": sys.stdout.write('{"final_text": "x'); sys.stdout.flush(); sys.exit(0)
      elif kind == "wrong-id": tell({"id": "somebody", "final_text": "x"})
      elif kind == "number": tell(7)
      elif kind == "message": tell({"role": "assistant", "content": "hi"})
      elif kind == "bad-text": tell({"final_text": 7})
      elif kind == "bad-steps": tell({"final_text": "x", "steps": [1]})
      elif kind == "error": tell({"error": "no\x1bway"})
      elif kind == "crash": print("oops \x1b[2J", file=sys.stderr, flush=True); os._exit(3)
      elif kind == "signal": os.kill(os.getpid(), 9)
      elif kind == "hang": time.sleep(1000)
      elif kind == "huge": os.execvp("sh", ["sh", "-c", "head -c 17000000 /dev/zero 2> /dev/null; sleep 1000"])
      elif kind == "deep": print('{"final_text":"x","steps":' + "[" * 490 + "]" * 490 + "}", flush=True)
      elif kind == "unknown": tell({"tool": "fly", "arguments": [1]}); tell({"final_text": read()["result"]["reason"]})
      elif kind == "one": tell({"final_text": "x"}); sys.exit(0)
      elif kind == "pid": tell({"final_text": "x", "worker": os.environ["WAI_WORKER"], "protocol": os.environ["WAI_PROTOCOL"]})
      elif kind == "talk":
          tell({"say": "Which one?"}); said = read()
          if "end" not in said: tell({"say": "So " + said["user"]}); said = read()
          tell({"final_text": "Bye.", "ended": said["end"]})
      elif kind == "mute":
          tell({"say": "Hm."}); read()

test: calls, steps, texts and the agent's own keys land on the row; the engine's stay its own
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --seeds asks.txt --budget 1 --sampling '{"temperature":0.5}'
stdout json: {"steps":[{"tool":"get_order","arguments":{"order_id":"A-1"},"result":{"status":"ok"},"text":"Wait."},{"tool":"cancel_order","arguments":{"order_id":"A-1"}},{"tool":"note","arguments":{},"result":"kept"}],"mood":"calm","reward":null,"finish_reason":"length","usage":{"input_tokens":3,"output_tokens":4},"logprob":-1.5,"n_tokens":2,"model_version":"python3","sampling":{"temperature":0.5},"tools_used":["get_order","cancel_order","note"],"world_seed":0,"user_model":null}
stderr has: brought steps beside the calls that were recorded

test: what the agent is told, and nothing more
env: KIND=echo
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --seeds asks.txt --budget 1 -q --system-prompt ' Be kind. ' --seed 3 | jq -r .final_text | jq -c 'del(.scenario_id)'
stdout:
  {"id":"d1503fc26cdc-0","message":"look up order A-100","rollout_index":0,"seed":3,"system_prompt":"Be kind.","tools":[{"function":{"description":"Look up an order.","name":"get_order","parameters":{"properties":{"order_id":{"type":"string"}},"required":["order_id"],"type":"object"}},"type":"function"},{"function":{"name":"cancel_order","parameters":{"properties":{"order_id":{"type":"string"}},"type":"object"}},"type":"function"}],"turns":["look up order A-100"]}

test: a text is a reply without steps
env: KIND=text
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --seeds asks.txt --budget 1 -q
stdout json: {"final_text":"just words","steps":[]}

test: a tool that is not declared is answered so
env: KIND=unknown
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --seeds asks.txt --budget 1 -q
stdout json: {"final_text":"unknown_tool","steps":[{"tool":"fly","arguments":[1],"result":{"status":"error","reason":"unknown_tool","tool":"fly"}}]}

test: what goes wrong is the rollout's loss, with its reason
seconds: 60
run:
  for kind in garbage partial wrong-id number message bad-text bad-steps error crash signal huge deep; do
    printf '%s: ' $kind
    KIND=$kind wai-simulate --agent 'cmd:exec python3 agent.py' --tools tools.json --tasks one.jsonl --rerolls 0 \
        --report run.json -q 2> err > out; echo "exit $?"
    jq -r '.first_agent_error, .rollouts.lost_by.agent_error' run.json
    test ! -s out || echo rows
    grep -q "$(printf '\033')" err && echo raw
  done
  true
stdout:
  garbage: exit 4
  the agent's line is no JSON: hello
  1
  partial: exit 4
  the agent ended with exit status 0
  1
  wrong-id: exit 4
  the agent's line has the id of no rollout in hand: {"id": "somebody", "final_text": "x"}
  1
  number: exit 4
  the agent's line is neither an object nor a text: 7
  1
  message: exit 4
  the agent's reply has no final_text and no steps (its keys: role, content)
  1
  bad-text: exit 4
  the agent's `final_text` is not a text
  1
  bad-steps: exit 4
  the agent's `steps` holds something else than an object, at place 0
  1
  error: exit 4
  the agent failed: no\x1bway
  1
  crash: exit 4
  the agent ended with exit status 3; it said last: oops \x1b[2J
  1
  signal: exit 4
  the agent was ended by signal 9
  1
  huge: exit 4
  the agent's line is longer than 16777216 bytes
  1
  deep: exit 4
  the agent's line is nested too deep: {"final_text":"x","steps":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…
  1

test: no answer in time
env: KIND=hang
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --tasks one.jsonl --rerolls 0 --agent-timeout 0.3 --report run.json
exit: 4
stdout empty
stderr has: no reply from the agent in 0.3 s
file run.json has: "agent_error":1

test: one bad rollout costs itself, and its worker is there for the next
run:
  cat > agent.sh <<'END'
  while read -r line; do
    case $line in *B-7*) exit 9;; *C-9*) echo garbage;; *) echo '{"final_text":"fine"}';; esac
  done
  END
  wai-simulate --agent 'cmd:sh agent.sh' --tools tools.json --seeds prompts.txt --budget 4 --rerolls 1 --situations 1 \
      --report run.json -q -j 1 2> /dev/null | jq -r .prompt
  jq -c '.rollouts | [.lost, .rerolled, .lost_by.agent_error]' run.json
stdout:
  look up order A-100
  and D-4?
  [2,2,2]

test: a command that cannot run at all ends the run at once
run: wai-simulate --agent 'cmd:exec ./no-such-agent' --tools tools.json --budget 50 --agent-workers 2
exit: 4
stdout empty
stderr has: wai-simulate: agent 0: 
stderr has: the agent ended with exit status 127

test: an empty command, a wrong --execute, options that need another
run:
  for options in "--agent cmd:" "--execute world.py" "--execute cmd:" "--execute-timeout 3" "--sampling [1]" \
      "--world-only --execute cmd:cat" "--agent-workers 0" "--agent-timeout 0"; do
    wai-simulate --tools tools.json -q $options < /dev/null > /dev/null 2> err
    echo "$? $(cat err)"
  done
stdout:
  2 wai-simulate: the agent's command is empty; write cmd:COMMAND
  2 wai-simulate: --execute is "world.py"; write cmd:COMMAND, or tools to run each tool's own command
  2 wai-simulate: --execute is "cmd:"; write cmd:COMMAND, or tools to run each tool's own command
  2 wai-simulate: --execute-workers, -timeout and -sessions need --execute cmd:COMMAND
  2 wai-simulate: --sampling is "[1]", not a JSON object; write it as {"temperature": 0.7}
  2 wai-simulate: --execute answers a run's calls and --world-only is the mock world; take one of them
  2 wai-simulate: --agent-workers is 0; it must be from 1 to 256
  2 wai-simulate: --agent-timeout is 0; it must be from 0.001 to 1000000

test: a process that ends after its answer costs nothing
run:
  KIND=one wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --seeds prompts.txt --budget 4 --rerolls 0 \
      --agent-workers 1 -q 2> /dev/null | jq -r .final_text | paste -sd ' '
stdout:
  x x x x

test: the same bytes at any number of jobs and workers
run:
  for n in 1 2 8; do
    wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --mode rl --repeats 4 --budget 60 -q -j $n \
        --agent-workers $n 2> /dev/null | sha256sum
  done | sort -u | wc -l
stdout:
  1

test: among crashes, garbage and wrong ids every rollout lands or is listed, the same at any number of workers
seconds: 60
file hostile.py:
  import hashlib, json, os, sys, time
  for line in sys.stdin:
      start = json.loads(line)
      draw = int(hashlib.sha256(start["id"].encode()).hexdigest()[:8], 16) % 100
      if draw < 5: os._exit(1)
      if draw < 10: print("{half", end="", flush=True); os._exit(0)
      if draw < 15: print("garbage", flush=True); continue
      if draw < 18: print('{"id":"other","final_text":"x"}', flush=True); continue
      if draw < 20: print('{"tool":"get_order","arguments":{"order_id":"A-1"}}', flush=True); os._exit(1)
      print(json.dumps({"tool": "get_order", "arguments": {"order_id": start["id"]}}), flush=True)
      print(json.dumps({"final_text": json.loads(sys.stdin.readline())["result"].get("status", "?")}), flush=True)
run:
  python3 -c 'import json
  for i in range(60): print(json.dumps({"prompt": f"look up order A-{i}", "scenario_id": f"s{i}"}))' > tasks.jsonl
  for n in 1 8; do
    wai-simulate --agent 'cmd:exec python3 hostile.py' --tools tools.json --tasks tasks.jsonl -k 2 --rerolls 0 -q -j $n \
        --agent-workers $n --report run$n.json 2> /dev/null > rows$n.jsonl
  done
  cmp rows1.jsonl rows8.jsonl && echo same
  python3 -c 'import json
  rows = {(r["scenario_id"], r["rollout_index"]) for r in map(json.loads, open("rows8.jsonl"))}
  for n in "18":
      report = json.load(open(f"run{n}.json"))
      lost = [(l["scenario_id"], l["rollout_index"]) for l in report["lost_rollouts"]]
      assert report["rollouts"]["lost"] == len(lost) == len(set(lost)) and all(l["error"] for l in report["lost_rollouts"])
      assert rows | set(lost) == {(f"s{i}", k) for i in range(60) for k in range(2)} and not rows & set(lost)
  print("whole")'
stdout:
  same
  whole

test: workers have numbers, and no more of them than jobs
env: KIND=pid
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --seeds prompts.txt --budget 4 --agent-workers 9 -j 1 -q | jq -c '[.worker, .protocol]' | sort -u
stdout:
  ["0","1"]

test: scripted turns: the agent talks, and the row keeps who said what
env: KIND=talk
file tasks.jsonl:
  {"prompt":"look up an order\n<USER_TURN>\nA-100\n"}
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --tasks tasks.jsonl -q
stdout json: {"steps":[{"text":"Which one?"},{"user":"A-100"},{"text":"So A-100"}],"final_text":"Bye.","ended":"done","messages":[{"role":"user","content":"look up an order"},{"role":"assistant","content":"Which one?"},{"role":"user","content":"A-100"},{"role":"assistant","content":"So A-100"},{"role":"assistant","content":"Bye."}]}

test: an agent that says nothing to the end of a thread keeps what it said
env: KIND=mute
run: wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --seeds asks.txt --budget 1 -q
stdout json: {"steps":[{"text":"Hm."}],"final_text":"Hm."}

# ---- the user's own world

test: --execute answers the calls of any agent, and is told what it needs
run: wai-simulate --agent seeded --seeded-rate 0 --execute 'cmd:python3 world.py' --tools tools.json --seeds asks.txt --budget 1 -q --agent-seed 5
stdout json: {"steps":[{"tool":"get_order","arguments":{"order_id":"A-100"},"result":{"id":"d1503fc26cdc-0","n":0,"tool":"get_order","arguments":{"order_id":"A-100"},"prompt":"look up order A-100","rollout_index":0,"seed":5}}]}

test: what the command's line means
run:
  for kind in result value error garbage exit hang; do
    limit=20; test $kind != hang || limit=0.5
    WORLD=$kind wai-simulate --agent seeded --seeded-rate 0 --execute 'cmd:python3 world.py' --execute-timeout $limit \
        --tools tools.json --seeds asks.txt --budget 1 -q --report run.json 2> /dev/null | jq -c '.steps[0].result'
    jq -c '[.degraded[] | select(. == "execute_failed")]' run.json
  done
stdout:
  {"status":"ok","answer":42}
  []
  {"status":"ok","result":[1,2]}
  []
  {"status":"error","reason":"gone fishing"}
  []
  {"status":"error","reason":"the answer is no JSON"}
  ["execute_failed"]
  {"status":"error","reason":"the command that answers ended"}
  ["execute_failed"]
  {"status":"error","reason":"no answer in time"}
  ["execute_failed"]

test: faults come before the command; a rollout's calls have one process
file tasks.jsonl:
  {"prompt":"look up order A-100","faults":{"get_order":{"mode":"timeout","rate":1}}}
run: wai-simulate --agent 'cmd:python3 agent.py' --execute 'cmd:python3 world.py' --tools tools.json --tasks tasks.jsonl -q
stdout json: {"steps":[{"tool":"get_order","result":{"status":"timeout"}},{"tool":"cancel_order","result":{"n":1,"tool":"cancel_order"}},{"tool":"note"}],"faults":{"get_order":{"mode":"timeout","rate":1}}}

test: sessions have a beginning and an end
run:
  cat > log.py <<'END'
  import json, sys
  for line in sys.stdin:
      ask = json.loads(line)
      with open("log", "a") as log: print(sorted(ask), file=log)
      print("{}", flush=True)
  END
  wai-simulate --agent seeded --execute 'cmd:python3 log.py' --execute-sessions --tools tools.json --seeds asks.txt --budget 1 -q > /dev/null
  cat log
stdout:
  ['begin', 'id', 'prompt', 'rollout_index', 'seed']
  ['arguments', 'id', 'n', 'prompt', 'rollout_index', 'seed', 'tool']
  ['end', 'id']

test: --execute tools runs a tool's own command; the mock world answers the rest; nothing runs unasked
run:
  go() { wai-simulate --agent seeded --seeded-rate 0 --tools own.json --seeds asks3.txt --budget 3 -q "$@" | jq -c '.steps[0].result'; }
  go --execute tools
  go | grep -c -e broken -e sent || true
  wai-simulate --agent "cmd:jq -c --unbuffered '{final_text:(.tools|tostring|@base64)}'" --execute tools --tools own.json --budget 1 -q \
      | jq -r '.final_text|@base64d' | grep -c command || true
stdout:
  {"status":"ok","id":"A-1"}
  {"status":"error","error":"broken"}
  {"status":"ok","result":"sent"}
  0
  0

test: the agent and the world of the example
run:
  cp "$SOURCE/scripts/example/agent.py" "$SOURCE/scripts/example/world.py" .
  printf 'look up ORD-1042\n' > asks.txt
  wai-simulate --agent 'cmd:python3 agent.py' --execute 'cmd:python3 world.py' --execute-sessions \
      --tools "$SOURCE/scripts/example/tools.json" --seeds asks.txt --budget 1 -q
stdout json: {"steps":[{"tool":"get_order","arguments":{"order_id":"ORD-1042"},"result":{"status":"ok","order":{"id":"ORD-1042","paid":40.0}}}],"final_text":"I found ORD-1042."}

test: a closed pipe ends the run and its agent
run:
  wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --budget 5000 -q 2> /dev/null | head -1 | wc -l
  echo "${PIPESTATUS[0]}"
stdout:
  1
  141

# ---- one process for each rollout

test: run: the message goes in, a done line comes out, on one line or many
run:
  go() { wai-simulate --tools tools.json --tasks one.jsonl -q "$@" 2> /dev/null | jq -c '[.final_text, .steps, .mood, .model_version, .world_seed]'; }
  go --agent "run:jq -R '{final_text: (\"You said: \" + .), steps: [{tool: \"t\", result: 1}], mood: \"calm\"}'"
  go --agent "run:echo '\"just words\"'"
  go --agent 'run:cat' --run-format text
  go --agent 'run:printf "%s|" {prompt}' --run-format text
  go --agent 'run:echo hello; exit 3' --run-format text
stdout:
  ["You said: look up order A-100",[{"tool":"t","result":1}],"calm","jq",null]
  ["just words",[],null,"echo",null]
  ["look up order A-100",[],null,"cat",null]
  ["look up order A-100|",[],null,"printf",null]
  ["hello",[],null,"echo",null]

test: run: whatever the message holds, it is one word of the shell
file hostile.jsonl:
  {"prompt":"it's; $(touch bad) `touch bad` \"q\" \\ \n second > bad \u001b[2J"}
run:
  wai-simulate --tools tools.json --tasks hostile.jsonl -q --agent 'run:printf "%s" {prompt}' --run-format text 2> /dev/null \
      | jq -c '.final_text == .prompt'
  ls bad 2> /dev/null
  true
stdout:
  true

test: run: what goes wrong
run:
  go() { wai-simulate --tools tools.json --tasks one.jsonl --rerolls 0 --report run.json -q "$@" > out 2> err; echo "exit $?"; jq -r .first_agent_error run.json; }
  go --agent 'run:echo oops >&2; exit 4'
  go --agent 'run:kill -9 $$'
  go --agent 'run:echo nonsense'
  go --agent 'run:echo {}'
  go --agent "run:echo '{\"error\":\"no\"}'"
  go --agent 'run:sleep 1000' --agent-timeout 0.3
  go --agent 'run:exit 0' --run-format text
  jq -c .rollouts.lost_by run.json
stdout:
  exit 4
  the agent ended with exit status 4 and printed nothing; it said last: oops
  exit 4
  the agent was ended by signal 9
  exit 4
  what the agent printed is no JSON: nonsense
  exit 4
  the agent's reply has no final_text and no steps (its keys: none)
  exit 4
  the agent failed: no
  exit 4
  no reply from the agent in 0.3 s
  exit 4
  null
  {"empty_reply":1}

test: run: the streams of coding agents
run:
  for format in claude codex pi; do
    cases=$SOURCE/tests/reference/train/harness-parse-$format
    wai-simulate --tools tools.json --tasks one.jsonl -q --agent "run:cat $cases/stream.txt" --run-format $format 2> /dev/null \
        | jq -c '{steps, final_text}' > got
    jq -c . $cases/expected.json > want
    cmp got want && echo $format
  done
  wai-simulate --tools tools.json --tasks one.jsonl -q --agent "run:echo '{\"type\":\"error\",\"message\":\"quota\"}'" \
      --run-format codex --rerolls 0 2>&1 | grep -o 'agent_failed: quota'
stdout:
  claude
  codex
  pi
  agent_failed: quota

test: --run-format needs run:
run: wai-simulate --agent seeded --run-format text --budget 1
exit: 2
stderr has: --run-format is for --agent run:COMMAND

# ---- the profile

test: --inspect: what the tools can do, by their names; nothing is started
run:
  tools='[{"name":"get_order","parameters":{"properties":{"order_id":{},"zzz":{}}}},
          {"name":"x_send_email","parameters":{"properties":{"order_id":{},"emailTo":{},"ID":{},"userid":{}}}},
          {"name":"purchase_order_delete"},{"name":"thing","kind":"x"},{"name":"SEND2"},{"name":"deleteOrder"},{"name":"order_get"}]'
  wai-simulate --inspect --agent 'cmd:touch started; cat' --tools "$tools" --system-prompt ' Be kind. ' > out
  jq -c .capabilities out
  jq -c .constraints out
  jq -c '[.policy, .transport, .name, (.tools | length), .tools[3].function]' out
  ls started 2> /dev/null
  for agent in seeded rows:x.jsonl 'run:/usr/bin/env x' post:https://a.example/x http://b.example:81/v1 openai:gpt-x; do
    wai-simulate --inspect --agent "$agent" --tools "$tools" | jq -c '[.transport, .name]'
  done
  wai-simulate --inspect --agent nobody --tools "$tools"; echo "exit $?"
stdout:
  {"get_order":["read"],"x_send_email":["mutate","communication"],"purchase_order_delete":["mutate","financial","irreversible"],"thing":["other"],"SEND2":["mutate","communication"],"deleteOrder":["other"],"order_get":["mutate","financial"]}
  {"mutating_tools":["x_send_email","purchase_order_delete","thing","SEND2","deleteOrder","order_get"],"read_tools":["get_order"],"required_user_fields":["order_id","emailTo","ID"],"policy_present":true}
  ["Be kind.","coprocess","touch",7,{"name":"thing","description":"","parameters":{}}]
  ["seeded","seeded_agent"]
  ["recording","x.jsonl"]
  ["subprocess","env"]
  ["http","a.example"]
  ["http","b.example:81"]
  ["backend_spec","gpt-x"]
  exit 2
stderr has: no agent "nobody"

test: rows: a talk that is on file is the same talk again
env: KIND=talk
run:
  printf '{"prompt":"look up an order\\n<USER_TURN>\\nA-100\\n"}\n' > tasks.jsonl
  wai-simulate --agent 'cmd:python3 agent.py' --tools tools.json --tasks tasks.jsonl -q > first.jsonl 2> /dev/null
  wai-simulate --agent rows:first.jsonl --tools tools.json --tasks tasks.jsonl -q 2> /dev/null > again.jsonl
  for file in first again; do jq -c '[.steps, .final_text, .messages, .opener, .ended_by]' $file.jsonl; done | sort -u | wc -l
stdout:
  1
