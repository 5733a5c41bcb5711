# wai-simulate --swarm and --swarm-calibrate

file model.py:
  import json, sys
  for line in sys.stdin:
      ask = json.loads(line)
      said = ask["messages"][-1]["content"]
      if "break" in said and ask["seed"] % 3 == 0:
          print(json.dumps({"error": "no"}), flush=True)
          continue
      with open("asked.jsonl", "a") as f:
          f.write(json.dumps(ask) + "\n")
      print(json.dumps("<think>hm</think> attempt %d" % ask["seed"]), flush=True)
file score.py:
  import json, sys
  for line in sys.stdin:
      ask = json.loads(line)
      n = int(ask["text"].split()[-1])
      f = (n * 7 % 5) / 4
      print(json.dumps({"fitness": f, "correct": f == 1 and n >= 2000 and "hard" not in ask["prompt"],
                        "feedback": "case %d" % (n % 4)}), flush=True)
file problems.jsonl:
  {"prompt":"first","scenario_id":"p0","gold":"42"}
  {"prompt":"hard one"}
  {"prompt":"third","task_id":"t3"}

test: attempts become rows with the bare problem and the problem's own keys
run:
  wai-simulate --swarm star --particles 3 --rounds 2 --seed 1 --agent 'exec:python3 model.py' --model-version m1 \
    --fitness 'cmd:python3 score.py' --no-stop-on-correct < problems.jsonl > rows.jsonl
  wai-rows check rows.jsonl > /dev/null && echo checked
  wc -l < rows.jsonl
  head -1 rows.jsonl
  grep -c teammate rows.jsonl || true
stdout:
  checked
  18
  {"schema_version":"1","scenario_id":"p0","prompt":"first","steps":[],"final_text":"attempt 1000","rollout_index":0,"model_version":"m1","seed":1,"swarm":{"topology":"star","round":0,"particle":0,"fitness":0.0,"correct":false},"reward":0,"gold":"42"}
  0
stderr has: 0 of 3 problems got a right answer: 0.00 [0.00, 0.56]

test: a later attempt is shown its own best and the fittest neighbour's, with the notes
run:
  wai-simulate --swarm ring --particles 4 --rounds 2 --jobs 1 --agent 'exec:python3 model.py' \
    --fitness 'cmd:python3 score.py' --system-prompt 'Be brief.' -q > rows.jsonl <<'END'
  {"prompt":"first"}
  END
  python3 -c '
  import json
  asked = [json.loads(line) for line in open("asked.jsonl")]
  assert [a["seed"] for a in asked] == list(range(8)), asked
  assert all(a["messages"][0] == {"role": "system", "content": "Be brief."} for a in asked)
  assert all(a["temperature"] == 1 and a["max_tokens"] == 2048 for a in asked)
  assert [a["messages"][1]["content"] for a in asked[:4]] == ["first"] * 4
  shown = asked[4]["messages"][1]["content"]
  at = [shown.index(t) for t in ("first", "(fitness 0.00):\nattempt 0\nNotes on it: case 0", "(fitness 0.50):\nattempt 1")]
  assert at == sorted(at) and "attempt 2" not in shown and "attempt 3" not in shown, shown
  print("held")'
stdout:
  held

test: solo sees nobody else; a topology that is empty is a ring
run:
  wai-simulate --swarm solo --particles 2 --rounds 2 --jobs 1 --agent 'exec:python3 model.py' \
    --fitness 'cmd:python3 score.py' -q --json < problems.jsonl > solo.jsonl
  grep -c teammate asked.jsonl
  wai-simulate --swarm '' --particles 2 --rounds 1 --agent 'exec:python3 model.py' \
    --fitness 'cmd:python3 score.py' -q --json < problems.jsonl | head -1
stdout has: 0
stdout has: {"wai_report":"wai-simulate swarm","scenario_id":"p0","topology":"ring","particles":2,"rounds":1,"rescued":false,"round":null,"lost":0,"best":{"round":0,"particle":1,"text":"attempt 1","grade":{"fitness":0.5,"correct":false,"feedback":"case 1"}},"samples":[

test: a right answer ends a problem with its round, and rows and results go two ways
run:
  wai-simulate --swarm star --particles 5 --rounds 6 --seed 2 --agent 'exec:python3 model.py' \
    --fitness 'cmd:python3 score.py' --json -o rows.jsonl --report run.json < problems.jsonl > results.jsonl
  python3 -c '
  import json
  results = [json.loads(line) for line in open("results.jsonl")]
  rows = [json.loads(line) for line in open("rows.jsonl")]
  report = json.load(open("run.json"))
  print([(r["rescued"], r["round"], len(r["samples"]), r["best"]["grade"]["correct"]) for r in results])
  print(len(rows), sum(r["reward"] for r in rows))
  print({k: report[k] for k in ("wai_report", "topology", "problems", "rescued", "attempts", "attempts_lost", "agent_model")})'
stdout:
  [(True, 0, 5, True), (False, None, 30, False), (True, 0, 5, True)]
  40 2
  {'wai_report': 'wai-simulate swarm', 'topology': 'star', 'problems': 3, 'rescued': 2, 'attempts': 40, 'attempts_lost': 0, 'agent_model': 'python3 model.py'}

test: the same at any number of jobs
run:
  for jobs in 1 2 8 32; do
    wai-simulate --swarm ring --particles 4 --rounds 3 --jobs $jobs --agent 'exec:python3 model.py' \
      --fitness 'cmd:python3 score.py' --no-stop-on-correct -q < problems.jsonl | sha256sum
  done | sort -u | wc -l
stdout:
  1

test: an attempt without a reply or a fitness is lost, counted, and no row
run:
  printf '{"prompt":"break it"}\n' > one.jsonl
  wai-simulate --swarm ring --particles 3 --rounds 2 --agent 'exec:python3 model.py' \
    --fitness 'cmd:python3 score.py' --tasks one.jsonl > rows.jsonl
  wc -l < rows.jsonl
  wai-simulate --swarm ring --particles 3 --rounds 2 --agent 'exec:python3 model.py' --max-lost 0.1 \
    --fitness 'cmd:python3 score.py' --tasks one.jsonl > rows.jsonl
exit: 1
stdout:
  4
stderr has: 2 of 6 attempts were lost, the first because:
stderr has: more than --max-lost 0.1

test: a fitness command that cannot be asked ends the run
run: wai-simulate --swarm ring --agent 'exec:python3 model.py' --fitness 'cmd:exit 7' --jobs 1 < problems.jsonl
exit: 4
stdout empty
stderr has: --fitness cmd:exit 7: the fitness command ended with exit status 7 before it replied, 3 times in a row

test: a fitness that is none is told
run:
  for reply in '"x"' '{"score":1}' -1 '{"fitness":1,"correct":"yes"}' 1e999 '{"error":"no tests"}' nonsense; do
    printf 'import sys\nfor line in sys.stdin: print(%s, flush=True)\n' "'$reply'" > bad.py
    wai-simulate --swarm ring --particles 2 --rounds 1 --agent 'exec:python3 model.py' --fitness 'cmd:python3 bad.py' \
      < problems.jsonl; echo $?
  done
stdout:
  4
  4
  4
  4
  4
  4
  4
stderr has: no attempt has a text and a fitness: the fitness command's reply is no number from 0 on
stderr has: the fitness command's reply has no fitness
stderr has: correct in the fitness command's reply is neither true nor false
stderr has: the fitness command's reply is no JSON
stderr has: the first because: no tests

test: a model that refuses the key ends the run
env: OPENAI_API_KEY=
run: wai-simulate --swarm ring --agent openai:gpt-x --fitness 'cmd:python3 score.py' < problems.jsonl
exit: 4
stdout empty
stderr has: OPENAI_API_KEY

test: bad usage
run:
  for options in "--swarm square --fitness cmd:x" "--swarm ring" "--swarm ring --fitness ./score" \
    "--swarm ring --fitness cmd:x" "--swarm ring --fitness cmd:x --agent seeded" "--fitness cmd:x" "--particles 4" \
    "--swarm ring --fitness cmd:x --particles 1" "--swarm ring --fitness cmd:x --tools []" \
    "--swarm ring --fitness cmd:x --mode rl" "--swarm-calibrate --swarm ring"; do
    wai-simulate $options < problems.jsonl || echo $?
  done
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
stderr has: --swarm square: solo, ring or star
stderr has: --swarm needs --fitness cmd:COMMAND
stderr has: --swarm needs --agent SPEC, a model: openai:NAME
stderr has: "seeded" is none
stderr has: --swarm does not go with --tools; leave it out
stderr has: --swarm-calibrate does not go with --swarm; leave it out

test: problems that are none, no problem at all
run:
  run() { wai-simulate --swarm ring --agent 'exec:python3 model.py' --fitness 'cmd:python3 score.py'; echo $?; }
  printf '{"prompt":"a"}\n[1]\n' | run
  printf '{"text":"a"}\n' | run
  run < /dev/null
stdout:
  3
  3
  3
stderr has: -:2: a task is an object with a prompt, or a JSON text
stderr has: no row has a prompt

test: a closed pipe ends a swarm quietly
run:
  wai-simulate --swarm ring --agent 'exec:python3 model.py' --fitness 'cmd:python3 score.py' -q < problems.jsonl | head -1 | wc -l
stdout:
  1

test: is the fitness a hill or a cliff
stdin:
  {"fitness":0,"correct":false}
  {"grade":{"fitness":0.3,"correct":true}}
  {"swarm":{"fitness":0.05,"correct":false}}
  {"fitness":0.1,"correct":false}
  {"fitness":0.95,"correct":true}
  {"fitness":2,"correct":true}
run: wai-simulate --swarm-calibrate
stdout:
  fitness   right     n   rate
  0             0     1   0.000 [0.000, 0.793]
  0.00+         0     1   0.000 [0.000, 0.793]
  0.10+         0     1   0.000 [0.000, 0.793]
  0.25+         1     1   1.000 [0.207, 1.000]
  0.90+         1     1   1.000 [0.207, 1.000]
  1.0           1     1   1.000 [0.207, 1.000]
  right answers turn up below full fitness: there is a way up to climb

test: a cliff, and no attempt
run:
  printf '{"fitness":0.5,"correct":false}\n{"fitness":1,"correct":true}\n' | wai-simulate --swarm-calibrate | tail -1
  wai-simulate --swarm-calibrate < /dev/null
  wai-simulate --swarm-calibrate --json --report c.json < /dev/null
  cat c.json
stdout has: a cliff, not a hill: no answer below full fitness is right
stdout has: no attempt: nothing is known of the fitness
stdout has: {"wai_report":"wai-simulate swarm-calibrate","rows":[],"n":0,"partial_signal":false}

test: attempts that are none are named with their line
run:
  printf '{"fitness":0.5,"correct":false}\n{"fitness":-1,"correct":true}\n' | wai-simulate --swarm-calibrate; echo $?
  printf '{"fitness":"high"}\n' | wai-simulate --swarm-calibrate; echo $?
  printf '{"fitness":1}\n{"fitness":1,"correct":true}\n' | wai-simulate --swarm-calibrate --json --on-bad skip; echo $?
stdout has: 3
stdout has: {"wai_report":"wai-simulate swarm-calibrate","rows":[["1.0",1,1]],"n":1,"partial_signal":false}
stderr has: -:2: the fitness is under 0; scale it to 0 … 1
stderr has: -:1: no number fitness, here or under grade or swarm
