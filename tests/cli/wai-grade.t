test: an expression's number is the reward, and the rest of the row stays byte for byte
stdin:
  {"id":"a", "n":1.50, "big":12345678901234567890,"v":0.5}
  {"id":"b","v":true}
run: wai-grade -q -e .v --run-id r1
stdout:
  {"id":"a", "n":1.50, "big":12345678901234567890,"v":0.5,"reward":0.5,"judge_status":"ok","judge_name":"expr","judge_meta":{"scorer_kind":"rule"},"lineage":{"scoring_run_id":"r1","source":"grade","judge":"expr","parent":"a"}}
  {"id":"b","v":true,"reward":1,"judge_status":"ok","judge_name":"expr","judge_meta":{"scorer_kind":"rule"},"lineage":{"scoring_run_id":"r1","source":"grade","judge":"expr","parent":"b"}}

test: a row written with spaces is graded with spaces, keys in their order
stdin:
  {"id": "a", "v": {"reward": 0, "reason": "no", "failure_class": "wrong", "markers": {"polite": 1}}}
run: wai-grade -q -e .v --run-id r1
stdout:
  {"id": "a", "v": {"reward": 0, "reason": "no", "failure_class": "wrong", "markers": {"polite": 1}}, "reward": 0, "reason": "no", "judge_status": "ok", "judge_name": "expr", "judge_meta": {"failure_class":"wrong","markers":{"polite":1},"scorer_kind":"rule"}, "failure_class": "wrong", "markers": {"polite":1}, "lineage": {"scoring_run_id":"r1","source":"grade","judge":"expr","parent":"a"}}

test: what breaks the contract stays unjudged and says why
stdin:
  {"v":2}
  {"v":"1"}
  {"v":{"reward":null,"score":1}}
  {"v":{"a":1,"B":2}}
  {"v":{"reward":[1],"reason":"odd"}}
run: wai-grade -q -e .v | jq -c '[.reward,.judge_status,.reason,.judge_meta]'
stdout:
  [null,"invalid_result",null,{"reward_out_of_range":2,"scorer_kind":"rule"}]
  [null,"invalid_result",null,{"returned_type":"string","scorer_kind":"rule"}]
  [null,"invalid_result",null,{"reward_type":"null","scorer_kind":"rule"}]
  [null,"missing_reward",null,{"a":1,"B":2,"returned_keys":["B","a"],"scorer_kind":"rule"}]
  [null,"invalid_result","odd",{"reward_type":"array","scorer_kind":"rule"}]

test: no output, two outputs, an error of the program
stdin:
  {"v":0}
  {"v":1}
  {"v":2}
  {"v":3}
run: wai-grade -q -e 'if .v == 0 then empty elif .v == 1 then (1,1) elif .v == 2 then error("mine") else 1 end' | jq -c '[.reward,.judge_status,.judge_meta.error,.judge_meta.returned_keys]'
stdout:
  [null,"missing_reward",null,[]]
  [null,"invalid_result",null,null]
  [null,"error","mine",null]
  [1,"ok",null,null]

test: NaN in a row is no reward and the output is JSON
stdin:
  {"v":NaN,"r":"x"}
run: wai-grade -q -c 'sed -u "s/.*/NaN/"' | tail -1 | grep -o '"reward_out_of_range":"NaN"'
stdout:
  "reward_out_of_range":"NaN"

test: an old verdict goes whole
stdin:
  {"id":"a","reward":1,"reason":"old","failure_class":"fabrication","judge_meta":{"x":1},"markers":{"m":1},"lineage":null,"v":0}
run: wai-grade -q -e .v --run-id r2 | jq -c 'del(.v)'
stdout:
  {"id":"a","reward":0,"judge_meta":{"scorer_kind":"rule"},"markers":{"m":1},"lineage":{"scoring_run_id":"r2","source":"grade","judge":"expr","parent":"a"},"judge_status":"ok","judge_name":"expr"}

test: the functions of a program
file rows.jsonl:
  {"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"The  ANSWER: ```json\n{\"a\": 1}\n```","tool_calls":[{"id":"c1","function":{"name":"find","arguments":"{\"q\":1}"}}]}],"privileged":{"reference":"gold"},"other":{"x":7}}
run: wai-grade -q -e '{reward: 1, c: candidate, n: (candidate|norm), r: reference, f: reference("other.x"), t: tool_calls, k: [called("find"), called("no")], j: parse_json, fence: fenced("json"), bad: ({"status":"error"}|faulted), ok: ({"status":"ok"}|faulted), i: $index, tools: $tools, p: $policy, a: $a, b: $b.k}' --arg a 1 --argjson b='{"k":[2]}' --tools '[{"name":"find"}]' --system-prompt hello rows.jsonl | jq -c .judge_meta
stdout:
  {"c":"The  ANSWER: ```json\n{\"a\": 1}\n```","n":"the answer: ```json {\"a\": 1} ```","r":"<reference>","f":7,"t":[{"name":"find","arguments":{"q":1},"id":"c1"}],"k":[true,false],"j":{"a":1},"fence":"{\"a\": 1}\n","bad":true,"ok":false,"i":0,"tools":[{"name":"find"}],"p":"hello","a":"1","b":[2],"scorer_kind":"rule"}

test: verifiers inside a program
stdin:
  {"final_text":"it is 42","answer":"42"}
  {"final_text":"it is 42"}
run: wai-grade -q -e 'verify("includes"; {})' | jq -c '[.reward,.judge_status,.reason]'
stdout:
  [1,"ok","1 of 1 present"]
  [null,"invalid_result","Includes: the row has no reference to check against"]

test: a program cannot see the environment unless it may, nor read further rows
stdin:
  {"v":1}
run:
  export SECRET=hush
  echo '{"v":1}' | wai-grade -q -e '{reward: 1, s: env.SECRET, t: $ENV.SECRET}' | jq -c '.judge_meta|[.s,.t]'
  echo '{"v":1}' | wai-grade -q --expr-env -e '{reward: 1, s: env.SECRET}' | jq -c '.judge_meta.s'
  echo '{"v":1}' | wai-grade -q -e 'input' | jq -c '.judge_status'
stdout:
  [null,null]
  "hush"
  "error"
exit: 0
stderr has: came back as an error

test: a program that runs too long is stopped
stdin:
  {"v":0}
  {"v":1}
  {"v":0}
run: wai-grade -q -j2 --timeout 0.5 -e 'if .v == 1 then last(range(1e12)) else 1 end' | jq -c '[.reward,.judge_status,.judge_meta.timeout_s]'
stdout:
  [1,"ok",null]
  [null,"timeout",0.5]
  [1,"ok",null]

test: a program that does not compile is bad usage
run: wai-grade -e '.v |' /dev/null
exit: 2
stdout empty
stderr has: does not compile

test: a program from a file
file p.jq:
  # the whole verdict
  .v
stdin:
  {"v":1}
run: wai-grade -q --expr-file p.jq | jq -c .reward
stdout:
  1

test: a rating on a scale
stdin:
  {"v":4}
  {"v":{"rating":1,"z":1}}
  {"v":6}
  {"v":true}
run: wai-grade -q -e .v --scale 1,5
stdout has: "reward":0.75,"judge_status":"ok","judge_name":"expr","judge_meta":{"rating":4.0,"scale":[1.0,5.0],"scorer_kind":"rule"}
stdout has: "reward":0,"judge_status":"ok"
stdout has: "judge_meta":{"z":1,"rating":1.0,"scale":[1.0,5.0],"scorer_kind":"rule"}
stdout has: "reward":null,"judge_status":"invalid_result","judge_name":"expr","judge_meta":{"rating_out_of_scale":6.0,"scale":[1.0,5.0],"scorer_kind":"rule"}
stdout has: "judge_meta":{"reward_type":"boolean","scorer_kind":"rule"}

test: a scale whose ends are out of order is bad usage
run: wai-grade -e .v --scale 5,1 /dev/null
exit: 2
stderr has: --scale 5,1: LO,HI is wanted

test: a command answers a line with a line
stdin:
  {"v":0.25}
  {"v":1}
run: wai-grade -q -j1 -c 'jq --unbuffered -c "{reward: .v, why: env.WAI_PROTOCOL, w: env.WAI_WORKER}"' --cmd-kind judge --run-id r | jq -c '[.reward,.judge_name,.judge_meta]'
stdout:
  [0.25,"jq",{"why":"1","w":"0","scorer_kind":"judge"}]
  [1,"jq",{"why":"1","w":"0","scorer_kind":"judge"}]

test: a command that answers graded rows gives their verdict and nothing else
stdin:
  {"final_text":"it is 42","answer":"42"}
run: wai-grade -q -j1 -c 'wai-grade -q -V includes' --run-id r | jq -c '[.reward,.reason,.judge_status,.judge_name,.judge_meta]'
stdout:
  [1,"1 of 1 present","ok","wai-grade",{"verifier":"Includes","scorer_kind":"rule"}]

test: a reply that is no JSON is an error of that row
stdin:
  {"v":1}
  {"v":2}
run: wai-grade -q -j1 -c 'read a; echo "not json"; read a; echo 1; cat' | jq -c '[.reward,.judge_status,.judge_meta.error]'
stdout:
  [null,"error","the command's reply is no JSON: not json"]
  [1,"ok",null]

test: a command that dies before it replies is started anew
stdin:
  {"v":"ok"}
  {"v":"die"}
  {"v":"ok"}
run: wai-grade -q -j1 -c 'while read -r line; do case $line in *die*) exit 7;; *) echo 1;; esac; done' | jq -c '[.reward,.judge_status,.judge_meta.error]'
stdout:
  [1,"ok",null]
  [null,"error","the command ended with exit status 7 before it replied"]
  [1,"ok",null]

test: three deaths in a row end the run, finished rows are kept
stdin:
  {"v":"ok"}
  {"v":"die"}
  {"v":"die"}
  {"v":"die"}
  {"v":"ok"}
run: wai-grade -q -j1 -c 'while read -r line; do case $line in *die*) exit 7;; *) echo 1;; esac; done' > out; s=$?; jq -c '.judge_status' out; exit $s
exit: 4
stdout:
  "ok"
  "error"
  "error"
stderr has: 3 times in a row without a reply

test: a command that does not answer in time is ended with all that it started
stdin:
  {"v":"ok"}
  {"v":"hang"}
  {"v":"ok"}
run: wai-grade -q -j1 --timeout 0.5 -c 'while read -r line; do case $line in *hang*) sleep 1000;; *) echo 1;; esac; done' | jq -c '[.reward,.judge_status]'
stdout:
  [1,"ok"]
  [null,"timeout"]
  [1,"ok"]

test: a command that is not there
stdin:
  {"v":1}
run: wai-grade -q -j1 -c ./no-such-checker
exit: 4
stderr has: each of the 1 rows came back as an error

test: envelopes: many under way, replies in any order
file checker.py:
  import json, sys
  # answers each four requests backwards; from the last row on at once
  held, last = [], False
  def flush():
      while held:
          e = json.loads(held.pop())
          print(json.dumps({"i": e["i"], "verdict": {"reward": e["row"]["v"], "i": e["i"]}}), flush=True)
  for line in sys.stdin:
      held.append(line)
      last = last or "last" in line
      if len(held) == 4 or last:
          flush()
needs: python3
run:
  jq -nc 'range(100) | {v: (. % 2), t: (if . == 99 then "last" else "" end)}' > rows.jsonl
  wai-grade -q -j1 -c 'python3 checker.py' --cmd-envelope --cmd-batch 4 rows.jsonl > out.jsonl
  jq -c 'select(.reward != .v or .judge_meta.i != input_line_number - 1)' out.jsonl; wc -l < out.jsonl
stdout:
  100

test: envelopes: the request that kills the command is told apart
file checker.py:
  import json, os, sys, time
  for line in sys.stdin:
      e = json.loads(line)
      if e["row"]["v"] == "die":
          os._exit(7)
      if e["row"]["v"] == "hang":
          time.sleep(1000)
      if e["row"]["v"] == "noise":
          print("noise", flush=True)
          continue
      print(json.dumps({"i": e["i"], "verdict": e["row"]["v"]}), flush=True)
needs: python3
seconds: 60
stdin:
  {"v":1}
  {"v":"die"}
  {"v":1}
  {"v":0}
  {"v":"hang"}
  {"v":1}
  {"v":1}
run: wai-grade -q -j1 -c 'python3 checker.py' --cmd-envelope --timeout 2 | jq -c '[.reward,.judge_status,.judge_meta.error]'
stdout:
  [1,"ok",null]
  [null,"error","the command ended with exit status 7 before it replied"]
  [1,"ok",null]
  [0,"ok",null]
  [null,"timeout",null]
  [1,"ok",null]
  [1,"ok",null]

test: envelopes: a reply that answers nothing ends the run
stdin:
  {"v":1}
  {"v":1}
run: wai-grade -q -j1 -c 'while read -r a; do echo "{\"i\":77,\"verdict\":1}"; done' --cmd-envelope
exit: 4
stderr has: answers no request

test: envelope options need a command
run: wai-grade -e 1 --cmd-envelope /dev/null
exit: 2
stderr has: need --cmd

test: gold of the teacher's block never shows
stdin:
  {"final_text":"well\nthe answer is Rosebud, I think","privileged":{"reference":"Rosebud"}}
  {"final_text":"ROSEBUD","privileged":{"reference":"rosebud"}}
  {"final_text":"41","privileged":{"reference":"42"}}
run: for v in exact-match includes numeric 'regex:pattern=(\w+)$,group=1'; do wai-grade -q -V "$v" ; done > out; cat out | jq -c 'del(.privileged, .final_text, .lineage.scoring_run_id)' | grep -i -c -e rosebud -e 42
exit: 1
stdout:
  0

test: a program's words about the gold are blanked too
stdin:
  {"final_text":"x","privileged":{"reference":"the secret of the house"}}
run: wai-grade -q -e '{reward: 0, reason: ("wanted " + reference + "."), note: ["the secret of the hou"]}' | jq -c '[.reason,.judge_meta.note]'
stdout:
  ["wanted <reference>.",["<reference>"]]

test: exact-match: signs, decimal points, lists, the last line
stdin:
  {"final_text":"so\n-5","answer":"5"}
  {"final_text":"3.14","answer":"314"}
  {"final_text":"$1,234.00","answer":"1234"}
  {"final_text":"b","answer":["a","B."]}
  {"final_text":"x","answer":[]}
  {"final_text":"x"}
run: wai-grade -q -V exact-match | jq -c '[.reward,.judge_status]'
stdout:
  [0,"ok"]
  [0,"ok"]
  [0,"ok"]
  [1,"ok"]
  [null,"invalid_result"]
  [null,"invalid_result"]

test: exact-match with loose numbers
stdin:
  {"final_text":"3.14","answer":"314"}
run: wai-grade -q -V exact-match:numbers=loose | jq -c .reward
stdout:
  1

test: includes: modes, blanks, case
stdin:
  {"final_text":"Alpha beta","answer":["alpha","gamma"]}
  {"final_text":"Alpha beta","answer":" "}
  {"final_text":"Alpha beta","answer":[]}
run: for m in all any; do wai-grade -q -V includes:mode=$m | jq -c '[.reward,.judge_status]'; done < /dev/stdin; true
stdout:
  [0,"ok"]
  [null,"invalid_result"]
  [null,"invalid_result"]

test: regex: Python spellings, groups, flags
stdin:
  {"final_text":"Total: 7","answer":"7"}
  {"final_text":"total 8","answer":"7"}
  {"final_text":"a\u001cb 7","answer":"7"}
run:
  wai-grade -q -V 'regex:{"pattern":"(?P<n>[0-9]+)\\Z","group":"n"}' > a; jq -c .reward a
  wai-grade -q -V 'regex:pattern=^total,flags=' a | jq -c .reward
  wai-grade -q -V 'regex:pattern=a\sb' a | jq -c .reward
stdout:
  1
  0
  1
  0
  1
  0
  0
  0
  1

test: a pattern that backtracks without end is an error, never a failure
run: jq -nc '{final_text: ("a" * 5000 + "b"), answer: "x"}' | wai-grade -q -V 'regex:pattern=^(a|a|aa)+$' | jq -c '[.reward,.judge_status]'
stdout:
  [null,"error"]
exit: 0
stderr has: came back as an error

test: bad patterns and groups are bad usage
run:
  wai-grade -V 'regex:pattern=(' /dev/null; echo $?
  wai-grade -V 'regex:{"pattern":"a","group":"n"}' /dev/null; echo $?
  wai-grade -V 'regex:pattern=a,flags=q' /dev/null; echo $?
  wai-grade -V regex /dev/null; echo $?
stdout:
  2
  2
  2
  2
stderr has: no group n

test: numeric: spans, fractions, signs, percent
stdin:
  {"final_text":"The answer is 3.14159","answer":"3.14159"}
  {"final_text":"it is .5","answer":"0.5"}
  {"final_text":"7.0/2","answer":"3.5"}
  {"final_text":"\\dfrac{1}{2}","answer":"0.5"}
  {"final_text":"3/0","answer":"0"}
  {"final_text":"5-3","answer":"3"}
  {"final_text":"1_000","answer":"1000"}
  {"final_text":"12/5/2024","answer":"2024"}
  {"final_text":"\u22125","answer":"-5"}
  {"final_text":"The answer is 5. No, the answer is 6.","answer":"6"}
  {"final_text":"\\boxed{1} then \\boxed{\\text{is }2} 9","answer":"2"}
  {"final_text":"0.1","answer":"0.1000000000000000000001"}
run: wai-grade -q -V numeric:tol=0 | jq -c .reward | paste -sd' '
stdout:
  1 1 1 1 0 1 1 1 1 1 1 0
exit: 0

test: numeric: percent as a value, a relative tolerance
stdin:
  {"final_text":"50%","answer":"0.5"}
  {"final_text":"101","answer":"100"}
run: wai-grade -q -V numeric:percent=value,rel=0.01 | jq -c .reward
stdout:
  1
  1

test: multiple-choice: words are no letters, wrappers are seen through
stdin:
  {"final_text":"The answer is **B**","answer":"B"}
  {"final_text":"answer: blah","answer":"B"}
  {"final_text":"The answer is Because","answer":"B"}
  {"final_text":"I think a banana","answer":"A"}
  {"final_text":"the answer is \\boxed{\\text{C}}","answer":"(C)"}
  {"final_text":"I'm for (d), not for e","answer":"D"}
  {"final_text":"I guess","answer":"I"}
  {"final_text":"E.","answer":["D","E"]}
  {"final_text":"F","answer":"F"}
run:
  cat > rows
  wai-grade -q -V multiple-choice rows | jq -c .reward | paste -sd' '
  wai-grade -q -V multiple-choice:letters=A-E rows | jq -c .reward | tail -1
  wai-grade -q -V multiple-choice:letters=x rows; echo $?
stdout:
  1 0 0 0 1 1 0 1 1
  0
  2

test: json-valid: strict JSON, its type
stdin:
  {"final_text":"null"}
  {"final_text":"{\"a\":NaN}"}
  {"final_text":"so: ```json\n[1]\n```"}
  {"final_text":"1.0"}
  {"final_text":"true"}
  {"final_text":"7"}
  {"final_text":"nothing"}
run:
  cat > rows
  for t in '' :top_type=array :top_type=integer :top_type=boolean; do wai-grade -q -V json-valid$t rows | jq -c .reward | paste -sd' '; done
stdout:
  1 0 1 1 1 1 0
  0 0 1 0 0 0 0
  0 0 0 0 0 1 0
  0 0 0 0 1 0 0

test: json-field: by value
stdin:
  {"final_text":"{\"a\":{\"b\":[0,1.0]}}","answer":1}
  {"final_text":"{\"a\":{\"b\":[0,\"1\"]}}","answer":1.0}
  {"final_text":"{\"a\":{\"b\":[0,true]}}","answer":"True"}
  {"final_text":"{\"a\":{\"b\":[0,{\"x\":1,\"y\":[2]}]}}","answer":{"y":[2.0],"x":1}}
  {"final_text":"{\"a\":{\"b\":[0]}}","answer":1}
  {"final_text":"{\"a\":{\"b\":[0,null]}}"}
  {"final_text":"{\"a\":{\"b\":[0,0]}}"}
run:
  cat > rows
  wai-grade -q -V json-field:path=a.b.1 rows | jq -c .reward | paste -sd' '
  wai-grade -q -V 'json-field:{"path":"a.b.0","equals":0}' rows | jq -c .reward | paste -sd' '
  wai-grade -q -V json-field rows; echo $?
stdout:
  1 1 1 1 0 0 1
  1 1 1 1 1 1 1
  2

test: json-schema: from a file, inline, refused
file s.json:
  {"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}
stdin:
  {"final_text":"{\"id\":1.0}"}
  {"final_text":"here: {\"id\":\"x\"}"}
  {"final_text":"no"}
run:
  cat > rows
  wai-grade -q -V json-schema:schema=s.json rows | jq -c '[.reward,.reason]'
  wai-grade -q -V 'json-schema:{"schema":{"minProperties":2}}' rows | jq -c '.reward' | paste -sd' '
  wai-grade -q -V 'json-schema:schema={"type":"object"}' rows | jq -c '.reward' | paste -sd' '
  wai-grade -q -V 'json-schema:{"schema":{"$ref":"http://a/b"}}' rows; echo $?
  wai-grade -q -V json-schema:schema=none.json rows; echo $?
stdout:
  [1,"fits the schema"]
  [0,"does not fit the schema at /id: type"]
  [0,"no JSON in the reply"]
  0 0 0
  1 1 0
  2
  3
stderr has: put it under $defs

test: unknown verifiers and keys name the nearest one
run:
  wai-grade -V exact-mach /dev/null; echo $?
  wai-grade -V includes:mod=any /dev/null; echo $?
  wai-grade -V includes:mode=some /dev/null; echo $?
  wai-grade -V ExactMatch -q /dev/null; echo $?
stdout:
  2
  2
  2
  0
stderr has: did you mean exact-match?
stderr has: did you mean mode?
stderr has: all|any is wanted

test: composition keeps every part
stdin:
  {"final_text":"42 EUR","answer":"42"}
  {"final_text":"42","answer":"42"}
  {"final_text":"x EUR","answer":"42"}
  {"final_text":"42 EUR"}
run:
  cat > rows
  wai-grade -q -V includes -V 'regex:pattern=EUR$' rows | jq -c '[.reward,.judge_name,.judge_meta.parts]'
  wai-grade -q -V includes -V 'regex:pattern=EUR$' --any rows | jq -c '[.reward,.judge_name,.judge_meta.parts]'
  wai-grade -q -V includes -V includes:lower=false --weights 3,1 rows | jq -c '[.reward,.judge_name,.judge_meta.parts]'
stdout:
  [1,"All",[1,1]]
  [0,"All",[1,0]]
  [0,"All",[0,1]]
  [null,"All",null]
  [1,"Any",[1,1]]
  [1,"Any",[1,0]]
  [1,"Any",[0,1]]
  [1,"Any",[1]]
  [1,"Weighted",{"Includes":1,"Includes#2":1}]
  [1,"Weighted",{"Includes":1,"Includes#2":1}]
  [0,"Weighted",{"Includes":0,"Includes#2":0}]
  [null,"Weighted",null]

test: weights are positive, one each
run:
  wai-grade -V includes -V numeric --weights 1,0 /dev/null; echo $?
  wai-grade -V includes -V numeric --weights 1 /dev/null; echo $?
  wai-grade -V includes -V numeric --weights 1,2,3 /dev/null; echo $?
  wai-grade -V includes --weights 1 /dev/null; echo $?
  wai-grade -V includes -V numeric --any --all /dev/null; echo $?
stdout:
  2
  2
  2
  2
  2

test: one scorer is wanted
run:
  wai-grade /dev/null; echo $?
  wai-grade -e 1 -V includes /dev/null; echo $?
  wai-grade --conduct --checklist /dev/null; echo $?
stdout:
  0
  2
  2
stderr has: no scorer named: --checklist
stderr has: two scorers

test: which rows are graded again
file rows.jsonl:
  {"id":"a","reward":1,"v":0.5}
  {"id":"b","reward":0,"v":0.5}
  {"id":"c","reward":null,"v":0.5}
  {"id":"d","v":0.5}
run:
  for w in all unjudged failed; do wai-grade -q -e .v --regrade $w rows.jsonl | jq -c .reward | tr '\n' ' '; done
  wai-grade -q -j4 -e .v --regrade unjudged --limit 1 rows.jsonl | jq -c .reward | tr '\n' ' '
  wai-grade -q -e .v --regrade failed rows.jsonl | head -1
stdout:
  0.5 0.5 0.5 0.5 1 0 0.5 0.5 1 0.5 null null 1 0 0.5 null {"id":"a","reward":1,"v":0.5}

test: a run that was cut short goes on
file rows.jsonl:
  {"rollout_id":"a","v":1}
  {"scenario_id":"s","rollout_index":0,"v":1}
  {"v":1}
  {"rollout_id":"d","v":1}
run:
  wai-grade -q -e .v --run-id one rows.jsonl | head -3 > part.jsonl
  printf '{"rollout_id":"d","v":' >> part.jsonl
  wai-grade -q -e .v --run-id two --resume part.jsonl rows.jsonl | jq -c .lineage.scoring_run_id
stdout:
  "one"
  "one"
  "one"
  "two"

test: a resumed row must be the same row
file rows.jsonl:
  {"rollout_id":"a","v":1}
run:
  wai-grade -q -e .v --run-id one rows.jsonl | sed 's/"v":1/"v":0/' > part.jsonl
  wai-grade -q -e .v --run-id two --resume part.jsonl rows.jsonl | jq -c .lineage.scoring_run_id
stdout:
  "two"

test: too many unjudged rows are red
stdin:
  {"v":1}
  {"v":"x"}
run: wai-grade -q -e .v --max-unjudged 0.4 > out.jsonl
exit: 1
stderr has: 0.5 of the scored rows are unjudged, over 0.4
file out.jsonl has: "reward":1

test: the report
stdin:
  {"prompt":"a","v":{"reward":1,"markers":{"polite":1}}}
  {"prompt":"a","v":{"reward":0,"reason":"because","failure_class":"wrong"}}
  {"prompt":"b","v":0.5}
  {"prompt":"b","v":"x"}
run: wai-grade -e .v --report r.json --judge-name j --judge-version 2 --model m --source eval --run-id run1 > /dev/null; jq -c 'del(.seconds,.seconds_per_row,.warnings)' r.json
stdout json: {"wai_report":"wai-grade","status":"judged","rows":4,"scored":4,"graded":3,"unjudged":1,"passes":1,"failures":1,"partials":1,"mean":0.5,"statuses":{"ok":3,"invalid_result":1},"reward_distribution":{"1":1,"0":1,"0.5":1},"judge_name":"j","judge_version":"2","scoring_run_id":"run1","source":"eval","model":"m","backend":"expr","failure_classes":{"wrong":1},"markers":{"polite":{"mean":1.0,"n":1}}}
stderr has: pass@1 0.50
stderr has: 1 x because
stderr has: 1 of 4 rows unjudged: 1 invalid_result
stderr has: 1 rewards are partial

test: warnings about tools
stdin:
  {"prompt":"one","v":1,"steps":[{"tool":"find","arguments":{},"result":{"status":"ok"}}]}
  {"prompt":"two","v":0,"steps":[]}
  {"prompt":"three","v":0,"steps":[]}
run: wai-grade -q -e .v --tools '[{"name":"find"},{"name":"erase"}]' > /dev/null
stderr has: 2 of 3 rows, over 2 situations, score without touching a tool: two; three
stderr has: declared tools never called: erase

test: one distinct reward is worth a look
stdin:
  {"v":1}
  {"v":1}
run: wai-grade -e .v > /dev/null
stderr has: all 2 graded rows have the reward 1; check the scorer first

test: empty input
run: wai-grade -V code-exec --report r.json < /dev/null
stdout empty
stderr has: no row arrived
file r.json has: "status":"empty"

test: a bad line is named, can be skipped, can be moved
file rows.jsonl:
  {"v":1}
  [1]
  {"v":
run:
  wai-grade -q -e .v rows.jsonl > out; echo $? $(wc -l < out)
  wai-grade -q -e .v --on-bad skip rows.jsonl > out; echo $? $(wc -l < out)
  wai-grade -q -e .v --on-bad bad.jsonl rows.jsonl > out; echo $? $(wc -l < out) $(wc -l < bad.jsonl)
stdout:
  3 1
  0 1
  0 1 2
stderr has: rows.jsonl:2:

test: the output does not depend on the number of threads
run:
  jq -nc 'range(3000) | {scenario_id: "s\(. / 4 | floor)", rollout_index: (. % 4), final_text: "n \(. % 7)", answer: "\(. % 5)"}' > rows.jsonl
  wai-grade -q -j1 -V numeric --run-id r rows.jsonl > one
  wai-grade -q -j8 -V numeric --run-id r rows.jsonl > eight
  wai-grade -q -j8 -e 'verify("numeric"; {})' --run-id r --judge-name Numeric rows.jsonl > expr
  cmp one eight && cmp one expr && wc -l < one
stdout:
  3000

test: a closed pipe ends it quietly
run:
  jq -nc 'range(20000) | {v: 1, pad: ("x" * 100)}' > rows.jsonl
  { wai-grade -q -e .v rows.jsonl; echo $? > status; } 2> err | head -1 > /dev/null; cat status err
stdout:
  141

test: an interrupt keeps the rows that are done
run:
  set -m  # or a job in the background ignores SIGINT
  printf '{"v":1}\n{"v":2}\n{"v":3}\n' > rows.jsonl
  wai-grade -q -j1 -c 'read -r a; echo 1; sleep 1000' rows.jsonl > out.jsonl 2> err & pid=$!
  while ! [ -s out.jsonl ]; do sleep 0.05; done
  kill -INT $pid; wait $pid; echo $?
  jq -c .reward out.jsonl
stdout:
  130
  1

test: an interrupt ends running programs
needs: python3
run:
  set -m
  jq -nc '{final_text: "x = 1", answer: "assert x == 1"}, {final_text: "while True: pass", answer: "pass"}' > rows.jsonl
  wai-grade -q -j1 -V code-exec:timeout=1000,cpu_seconds=1000 rows.jsonl > out.jsonl 2> err & pid=$!
  while ! [ -s out.jsonl ]; do sleep 0.05; done
  kill -INT $pid; wait $pid; echo $?
  jq -c .reward out.jsonl
stdout:
  130
  1

test: a full disk
stdin:
  {"v":1}
run: wai-grade -q -e .v > /dev/full
exit: 5
stderr has: No space left on device

test: odd texts survive
stdin:
  {"final_text":"\ud800 \u0000 tab\t","answer":"\ud800","n":1e400,"m":9007199254740993}
run: wai-grade -q -V includes --run-id r | tail -c +1 | cut -d, -f1-5
stdout:
  {"final_text":"\ud800 \u0000 tab\t","answer":"\ud800","n":1e400,"m":9007199254740993,"reward":1

test: code-exec: fences, tests, cases
needs: python3
seconds: 60
stdin:
  {"final_text":"```python\ndef f(x): return x\n```\n```js\nnot python\n```","privileged":{"tests":"assert f(1) == 1"}}
  {"final_text":"def f(x): return x","privileged":{"tests":["assert f(1) == 1","assert f(2) == 2"]}}
  {"final_text":"def f(x): return x","answer":"import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(1), 2)\nif __name__ == '__main__':\n    unittest.main()"}
  {"final_text":"def f(x): return x","answer":"import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(1), 1)\nif __name__ == '__main__':\n    unittest.main()"}
  {"final_text":"def test_mine(): assert False\ndef f(x): return x","answer":"def test_a(): assert f(3) == 3"}
  {"final_text":"async def f(x): return x","answer":"async def test_a(): assert await f(3) == 4"}
  {"final_text":"def f(x): raise ValueError('kaput')","answer":"f(1)"}
  {"final_text":"def f(x): raise ValueError('kaput')","privileged":{"tests":"f(1)"}}
  {"final_text":"x = 1","answer":"assert ("}
  {"final_text":"x = 1"}
run: wai-grade -q -j1 -V code-exec | jq -c '[.reward,.judge_status,.reason]'
stdout:
  [1,"ok","all tests passed"]
  [1,"ok","all tests passed"]
  [0,"ok","tests failed: AssertionError: 1 != 2"]
  [1,"ok","all tests passed"]
  [1,"ok","all tests passed"]
  [0,"ok","tests failed: AssertionError"]
  [0,"ok","tests failed: ValueError: kaput"]
  [0,"ok","tests failed: ValueError"]
  [null,"error",null]
  [null,"invalid_result","CodeExec: the row has no tests (no reference to check against)"]

test: code-exec: tests and setup of its own, limits
needs: python3
seconds: 60
file t.py:
  assert f(2) == base + 2
stdin:
  {"final_text":"def f(x): return base + x"}
run:
  cat > rows
  wai-grade -q -V code-exec:tests=t.py,setup=base=40 rows | jq -c .reward
  wai-grade -q -V 'code-exec:{"tests":"while True: pass","cpu_seconds":1}' rows | jq -c .reason
  wai-grade -q -V 'code-exec:{"tests":"bytearray(1 << 30)","mem_mb":256}' rows | jq -c .reason
  wai-grade -V code-exec:mem_mb=1 rows; echo $?
stdout:
  1
  "processor time over 1 s"
  "tests failed: MemoryError"
  2

test: code-exec: a missing interpreter is nobody's failure
stdin:
  {"final_text":"x = 1","answer":"assert x == 1"}
run: wai-grade -q -V code-exec:python_bin=./no-python
exit: 4
stdout has: "judge_status":"error"
stdout has: python_bin=

test: code-exec: hostile candidates: none passes, none escapes, the run goes on
needs: python3
seconds: 180
copy: tests/cli/data/hostile.py
run:
  python3 hostile.py > rows.jsonl
  wai-grade -q -j2 -V code-exec:timeout=10,cpu_seconds=1 rows.jsonl > out.jsonl || echo "exit $?"
  # Without namespaces (a container may forbid them) an honest candidate can be refused too; none may pass.
  unshare -Urm true 2> /dev/null && wrong='.reward != .want' || wrong='.want == 0 and .reward != 0'
  jq -c "select($wrong) | [.scenario_id, .reward, .reason, .judge_meta.error]" out.jsonl
  [ "$(wc -l < rows.jsonl)" = "$(wc -l < out.jsonl)" ] || echo "rows are missing"
  ls
stdout:
  hostile.py
  out.jsonl
  rows.jsonl

test: code-exec: without namespaces none passes either, and what is lacking is said
needs: python3
seconds: 180
copy: tests/cli/data/hostile.py
run:
  without=$BIN/../obj/tests/tools/without-namespaces
  [ -x "$without" ] && "$without" true || { echo skipped; exit 0; }
  python=$(command -v /usr/bin/python3 || command -v python3)
  python3 hostile.py | jq -c 'select(.want == 0 or .scenario_id == "good" or .scenario_id == "good2")' > rows.jsonl
  "$without" wai-grade -q -j1 -V code-exec:timeout=10,cpu_seconds=1,python_bin=$python rows.jsonl > out.jsonl
  jq -c 'select(.reward != .want) | [.scenario_id, .reward, .reason, .judge_meta.error]' out.jsonl
  "$without" wai-grade -q -V code-exec:sandbox=strict rows.jsonl > /dev/null; [ $? = 5 ] || echo "strict: $?"
  echo skipped
stdout:
  skipped

test: -c: what the command says on standard error is told a line at a time, control characters shown
run:
  for batch in "" "--cmd-envelope"; do
    printf '{"prompt":"p","steps":[],"final_text":"x"}\n' | wai-grade -q -j 1 $batch \
        -c 'while read -r row; do printf "red \033[31m\nhalf" >&2; echo 1; done' > /dev/null 2> err
    cat err
  done
stdout:
  wai-grade: child 0: red \x1b[31m
  wai-grade: child 0: half
  wai-grade: child 0: red \x1b[31m
  wai-grade: child 0: half
