# wai-passat: what it prints, when it is red, what it refuses. The numbers are pinned by the reference cases.

file graded.jsonl:
  {"task_id":"a","reward":1,"markers":{"ok":1},"kind":"x"}
  {"task_id":"a","reward":1,"markers":{"ok":1},"kind":"x"}
  {"task_id":"b","reward":0,"markers":{"ok":0},"kind":"y"}
  {"task_id":"b","reward":1,"markers":{"ok":1},"kind":"y"}
  {"task_id":"c","reward":0,"markers":{"ok":0},"kind":"y"}
  {"task_id":"c","reward":0,"markers":{"ok":1},"kind":"y"}
  {"task_id":"d","reward":1,"kind":"x"}
  {"task_id":"d","reward":1,"kind":"x"}
file unjudged.jsonl:
  {"task_id":"a","final_text":"yes"}
  {"task_id":"b","reward":null,"final_text":"no"}
file other.jsonl:
  {"task_id":"a","reward":1}
  {"task_id":"b","reward":1}
  {"task_id":"c","reward":1}
  {"task_id":"d","reward":1}
  {"task_id":"e","reward":1}

# ---- the report ---------------------------------------------------------------------------------

test: one line, then what bears on it
run: wai-passat --min-k 2 graded.jsonl
stdout:
  pass@1 0.62 [0.25..1.00]  pass^2 0.50 [0.00..1.00]  pass@2 0.75 [0.25..1.00]  headroom 0.12  4 tasks, k 2  (pass^2 is pass_pow_k)
  under 20 tasks a percentile interval runs narrow: --interval t gives pass@1 [-0.14..1.39]
stderr empty

test: withheld numbers say why
run: wai-passat < graded.jsonl
stdout has: pass^2 n/a  pass@2 n/a  headroom n/a
stdout has: note: k is 2, under 4

test: a file with nothing in it has no numbers and is no error
run: wai-passat --json < /dev/null
stdout json: {"wai_report":"wai-passat","k":1,"pass_at_1":null,"ci95":null,"n_groups":0,"note_codes":["no_binary_rewards"],"warning_codes":[],"gates":[],"n_input":0}

test: nothing graded is said, not counted as failure
run: wai-passat --json unjudged.jsonl
stdout json: {"pass_at_1":null,"n_unjudged":2,"n_input":2,"note_codes":["no_binary_rewards"]}

test: booleans, partial rewards and skipped lines are counted and told
stdin:
  {"task_id":"a","reward":true}
  {"task_id":"b","reward":0.5}
  {"task_id":"c","reward":1}
  {"task_id":"c","reward":"x"}
  no row
run: wai-passat --json --on-bad skip
stdout json: {"n_boolean":1,"n_partial":1,"n_rows":1,"n_unjudged":1,"n_bad":1,"warning_codes":["bad_lines","boolean_rewards"],"note_codes":["below_min_k","no_interval","partial_rewards"]}

test: booleans count when asked for
stdin:
  {"task_id":"a","reward":true}
  {"task_id":"b","reward":false}
run: wai-passat --json --bool-rewards
stdout json: {"n_boolean":0,"n_rows":2,"pass_at_1":0.5,"warning_codes":[]}

test: other keys for tasks and verdicts
stdin:
  {"q":"one","task_id":"a","score":1,"reward":0}
  {"q":"one","task_id":"b","score":null,"verdict":0,"reward":1}
run: wai-passat --json --per-task --task-key q,task_id --reward-key score,verdict
stdout json: {"per_task":{"one":0.5},"n_rows":2,"n_fallback":1}

test: markers, all or some; infinite values are left out and told
stdin:
  {"task_id":"a","reward":1,"markers":{"good":1,"odd":1e999}}
  {"task_id":"b","reward":1,"markers":{"good":0,"odd":3}}
run: wai-passat --json --markers=marker:odd,absent
stdout json: {"markers":{"absent":{"n_rows":0,"mean":null},"odd":{"metric":"marker:odd","n_rows":1,"mean":3.0,"n_nonfinite":1,"degenerate":true,"note_codes":["degenerate"]}},"warning_codes":["nonfinite_marker"]}
stdout lacks: "good"

test: slices are the same report for each value
run: wai-passat --json --by kind --min-k 2 graded.jsonl
stdout json: {"n_groups":4,"slices":{"x":{"pass_at_1":1.0,"n_groups":2},"y":{"pass_at_1":0.25,"pass_at_k":0.5,"n_groups":2}}}

test: hostile names do not reach the terminal
stdin:
  {"task_id":"\u001b]0;title\u0007","reward":1,"kind":"a\u202eb\n","markers":{"\u001b[2J":1}}
run: wai-passat --per-task --by kind --markers | tee out; grep -c "$(printf '\033')" out
stdout has: task \x1b]0;title\x07 1.00  1 of 1
stdout has: slice a\u202eb\n: pass@1 1.00
stdout has: marker:\x1b[2J 1.00
exit: 1

test: a report in a file beside the text
run: wai-passat --report out.json graded.jsonl > /dev/null && jq -c '[.wai_report, .n_rows]' out.json
needs: jq
stdout:
  ["wai-passat",8]

test: the draws are those of the seed, of any length, and of no other
run:
  wai-passat --json --seed 7 graded.jsonl > a
  wai-passat --json --seed -7 graded.jsonl | sed 's/"seed":-7/"seed":7/' | cmp - a
  wai-passat --json --seed 123456789012345678901234567890 graded.jsonl | grep -o '"seed":[0-9]*'
  wai-passat --json --jobs 4 --seed 7 graded.jsonl | cmp - a
stdout:
  "seed":123456789012345678901234567890

test: other intervals
run:
  wai-passat --json --interval t --level 0.9 graded.jsonl > t
  wai-passat --json --interval bca graded.jsonl > bca
  grep -o '"interval":"t","interval_scheme":null' t
  grep -o '"interval":"bca","interval_scheme":"exact"' bca
stdout:
  "interval":"t","interval_scheme":null
  "interval":"bca","interval_scheme":"exact"

test: certainty is not claimed for unanimous tasks
run: wai-passat other.jsonl
stdout has: pass@1 1.00 [1.00..1.00]
stdout has: from 5 tasks alone pass@1 lies in 0.57..1.00 (Wilson)

# ---- schemes for large inputs -------------------------------------------------------------------

test: the scheme is named, and each is near the others
run:
  for i in $(seq 400); do echo "{\"task_id\":\"t$i\",\"reward\":$((i * i % 7 < 3)),\"markers\":{\"m\":$((i * 31 % 97))}}"; done > many.jsonl
  for scheme in auto exact hist poisson; do
    wai-passat --json --markers --scheme $scheme many.jsonl | jq -c '[.interval_scheme, .markers.m.interval_scheme, (.ci95 | map(. * 20 | round))]'
  done
  wai-passat --json --interval t --scheme hist many.jsonl | jq -c '[.interval_scheme, .ci95_normal]'
stdout:
  ["exact","exact",[13,15]]
  ["exact","exact",[13,15]]
  ["hist","poisson",[13,15]]
  ["poisson","poisson",[13,15]]
  [null,null]

test: auto leaves the exact scheme by the work, and says so
run:
  awk 'BEGIN { for (i = 0; i < 12000; i++) printf "{\"task_id\":%d,\"reward\":%d}\n", i, i % 3 == 0 }' > many.jsonl
  wai-passat --json --n-boot 33334 many.jsonl | jq -c '[.interval_scheme, (.se * 1e5 | round), .n_boot]'
  wai-passat --n-boot 200 many.jsonl
stdout:
  ["hist",430,33334]
  pass@1 0.33 [0.32..0.34]  pass^k n/a  pass@k n/a  headroom n/a  12000 tasks, k 1
  intervals by the exact scheme; the normal approximation gives pass@1 [0.3249..0.3418], standard error 0.0043
  note: k is 1, under 4, so pass^k and pass@k are withheld; take more tries of each task, or lower --min-k

test: what Poisson weights do not depend on: the order of the rows, and the threads
run:
  for i in $(seq 300); do echo "{\"task_id\":\"t$i\",\"reward\":$((i % 3 > 0)),\"markers\":{\"m\":$((i * 31 % 97))}}"; done > rows.jsonl
  wai-passat --json --markers --scheme poisson --n-boot 20000 rows.jsonl | jq -c '[.ci95, .markers.m.ci95]' > a
  tac rows.jsonl | wai-passat --json --markers --scheme poisson --n-boot 20000 --jobs 3 | jq -c '[.ci95, .markers.m.ci95]' | cmp - a

test: a value that Poisson sums cannot hold is said
run:
  for i in 1 2 3 4; do echo "{\"task_id\":\"t$i\",\"reward\":1,\"markers\":{\"m\":${i}e13}}"; done | wai-passat --json --markers --scheme poisson | jq -c '.markers.m | [.ci95, .note_codes]'
stdout:
  [null,["too_large"]]

# ---- at every look, and in clusters -------------------------------------------------------------

test: an eval in batches stops when its gate is decided, and says after how many tasks
run:
  awk 'BEGIN { for (i = 0; i < 600; i++) printf "{\"task_id\":%d,\"reward\":%d}\n", i, (i * 7919) % 10 < 8 }' > all.jsonl
  split -l 20 -d -a 2 all.jsonl batch.
  for batch in batch.*; do
    wai-passat --json --anytime --fail-under 0.6 --gate-on lower --state total "$batch" > now 2> /dev/null; status=$?
    [ "$(jq .anytime.decided now)" = true ] && break
    echo "$status"
  done | sort | uniq -c | tr -s ' '
  jq -c '[.n_groups < 300, .anytime.low >= 0.6, .anytime.n_tasks == .n_groups, .anytime.decided_at <= .n_groups, .gates[0].red, .gates[0].lower == .anytime.low]' now
  wai-passat --anytime --fail-under 0.6 all.jsonl | grep -c 'the gate was decided after'
stdout has:  1
stdout has: [true,true,true,true,false,true]

test: undecided is red on the lower end, and says so; a limit far above is decided red
run:
  wai-passat --anytime --fail-under 0.5 --gate-on lower graded.jsonl | sed -n 's/.*; the gate/the gate/p'
  awk 'BEGIN { for (i = 0; i < 200; i++) printf "{\"task_id\":%d,\"reward\":%d}\n", i, i % 2 }' | wai-passat --json --anytime --fail-under 0.9 --gate-on lower 2> /dev/null | jq -c '[.anytime.decided, .gates[0].red]'
  wai-passat --json --anytime graded.jsonl | jq -c '.anytime | [(.low * 1e4 | round), .high, .level, .n_tasks, .decided, .decided_at]'
  wai-passat --json --anytime unjudged.jsonl | jq -c .anytime.low
stdout:
  the gate is not decided yet
  [true,true]
  [900,1,0.95,4,null,null]
  null

test: tasks of one source go together
run:
  wai-passat --json --cluster kind graded.jsonl | jq -c '.cluster | [.key, .n_clusters, .n_alone, (.se * 1e4 | round), .ci95]'
  for i in $(seq 40); do echo "{\"task_id\":\"t$i\",\"source\":\"s$((i / 4))\",\"reward\":$((i / 4 % 2))}"; done > many.jsonl
  wai-passat --json --cluster source many.jsonl | jq -c '[.cluster.n_clusters, (.cluster.se * 1e3 | round), (.cluster.ci95 | map(. * 1e3 | round))]'
  wai-passat --json --cluster task_id many.jsonl | jq -c '[.cluster.n_clusters, (.cluster.se * 1e3 | round), .warning_codes]'
  wai-passat --cluster source many.jsonl | grep clustered
stdout:
  ["kind",2,0,3750,null]
  [11,163,[138,862]]
  [40,80,[]]
  clustered by source: pass@1 0.50 [0.14..0.86], standard error 0.16, 11 clusters

test: what does not name one cluster is said
stdin:
  {"task_id":"a","source":"x","reward":1}
  {"task_id":"a","source":"y","reward":1}
  {"task_id":"b","reward":0}
  {"task_id":"c","source":"x","reward":1}
  {"task_id":"d","source":null,"reward":1}
run: wai-passat --json --cluster source
stdout json: {"cluster":{"n_clusters":3,"n_alone":2},"warning_codes":["no_cluster","mixed_clusters"]}

# ---- gates --------------------------------------------------------------------------------------

test: a rate under the limit is red, and the report is the same
run: wai-passat --json --fail-under 0.9 graded.jsonl
exit: 1
stdout json: {"pass_at_1":0.625,"gates":[{"metric":"pass_at_1","rule":"fail-under","limit":0.9,"on":"point","value":0.625,"lower":0.25,"upper":1.0,"n_tasks":4,"red":true,"reason":"under_limit"}]}
stderr has: wai-passat: warning: red: pass_at_1 is 0.625

test: a rate that reaches the limit is not
run: wai-passat --fail-under 0.625 --fail-over n_partial=0 --min-tasks 4 --min-graded 1 --fail-under marker:ok=0.5 graded.jsonl
stdout has: ok  fail-under: pass_at_1 is 0.625
stdout lacks: RED

test: the lower end of the interval
run: wai-passat --fail-under 0.5 --gate-on lower graded.jsonl
exit: 1
stdout has: RED fail-under: pass_at_1 is 0.625 [0.25..1] on 4 tasks; --fail-under 0.5 on the interval's lower

test: all gates are judged, whichever is red
run: wai-passat --json --fail-under 0.9 --fail-under pass_at_k=0 --fail-over marker:ok=0.1 --min-tasks 9 graded.jsonl 2> /dev/null | grep -o '"reason":"[a-z_]*"'; exit ${PIPESTATUS[0]}
exit: 1
stdout:
  "reason":"under_limit"
  "reason":"not_measured"
  "reason":"over_limit"
  "reason":"under_limit"

test: a gate on a slice
run: wai-passat --by kind --fail-under x/pass_at_1=0.9 --fail-under y/pass_at_1=0.9 --fail-under z/pass_at_1=0 graded.jsonl
exit: 1
stdout has: ok  fail-under: x/pass_at_1 is 1
stdout has: RED fail-under: y/pass_at_1 is 0.25
stdout has: RED fail-under: z/pass_at_1 is not measured

test: never green by accident
file partial.jsonl:
  {"task_id":"a","reward":0.5}
file nan.jsonl:
  {"task_id":"a","reward":NaN,"markers":{"m":NaN}}
file booleans.jsonl:
  {"task_id":"a","reward":true}
run:
  for gate in --fail-under=0 --fail-over=n_partial=99 --fail-over=truncated_share=1 --min-tasks=0 --min-graded=0 \
      --fail-under=marker:m=0 --strict --baseline=graded.jsonl; do
    for rows in /dev/null unjudged.jsonl partial.jsonl nan.jsonl booleans.jsonl; do
      wai-passat "$gate" "$rows" > out 2>&1
      [ $? = 1 ] || { echo "$gate $rows: exit is not 1"; cat out; }
    done
  done
stdout:

test: a baseline without rows is red, whatever the rule
run:
  : > empty.jsonl
  for rule in regress noninferior drop; do
    wai-passat --baseline empty.jsonl --baseline-rule $rule graded.jsonl > out; echo $?
  done
stdout:
  1
  1
  1

test: half a file is bad input, not a smaller one
run: head -c 100 graded.jsonl | wai-passat --fail-under 0
exit: 3
stdout empty
stderr has: -:2: 

test: half a compressed file too
needs: zstd
run: zstd -q graded.jsonl -o r.zst; head -c $(($(wc -c < r.zst) - 9)) r.zst > cut.zst; wai-passat --fail-under 0 cut.zst
exit: 3
stdout empty
stderr has: cut.zst

test: strict is red on warnings
stdin:
  {"task_id":"a","reward":1}
  {"task_id":"a","reward":true}
run: wai-passat --strict
exit: 1
stdout has: RED strict: rows with true or false for a reward, not counted: 1

test: strict without a warning
run: wai-passat --strict graded.jsonl
stdout has: ok  strict: no warning

# ---- baselines ----------------------------------------------------------------------------------

test: saved, and compared with: no change
run: wai-passat --save-baseline base.json graded.jsonl > /dev/null && wai-passat --baseline base.json graded.jsonl
stdout has: ok  regress: pass_at_1 against the baseline: +0

test: a regression is red from rows, a summary and a report alike
run:
  for n in 1 2 3 4 5 6 7 8; do echo "{\"task_id\":\"t$n\",\"reward\":1}"; done > good.jsonl
  sed 's/1}$/0}/' good.jsonl > bad.jsonl
  wai-passat --save-baseline part.json --report report.json --per-task good.jsonl > /dev/null
  jq . report.json > pretty.json
  for base in good.jsonl part.json report.json pretty.json; do
    wai-passat --json --baseline $base bad.jsonl 2> /dev/null | grep -o '"reason":"regressed"'
    wai-passat --baseline $base --baseline-rule drop good.jsonl > /dev/null; echo $?
  done
needs: jq
stdout:
  "reason":"regressed"
  0
  "reason":"regressed"
  0
  "reason":"regressed"
  0
  "reason":"regressed"
  0

test: the rules
run:
  for rule in regress noninferior drop; do
    wai-passat --json --baseline other.jsonl --baseline-rule $rule --margin 0.5 graded.jsonl 2> /dev/null | jq -c '.gates[0] | [.rule, .limit, .value, .red, .reason]'
  done
needs: jq
stdout:
  ["regress",null,-0.375,false,""]
  ["noninferior",-0.5,-0.375,true,"loss_not_excluded"]
  ["drop",-0.5,-0.375,false,""]

test: how the two runs were matched
run: wai-passat --json --baseline other.jsonl --baseline-rule drop --margin 1 graded.jsonl | jq -c '.baseline | [.paired, .n_paired, .n_only_a, .delta, .note_codes]'; wai-passat --baseline other.jsonl --baseline-rule drop --margin 1 graded.jsonl
needs: jq
stdout has: [false,4,1,-0.375,["unpaired_fallback"]]
stdout has: note: 4 tasks are on both sides and pairing needs 5

test: a baseline measured otherwise warns
file then.jsonl:
  {"task_id":"a","reward":1,"sampling":{"temperature":1.0,"max_tokens":9},"judge_meta":{"version":"j1"},"policy_version":"m@1"}
file now.jsonl:
  {"task_id":"a","reward":1,"sampling":{"temperature":1,"max_tokens":8},"judge_meta":{"version":"j2"},"policy_version":"m@2"}
run: wai-passat --json --baseline then.jsonl --baseline-rule drop now.jsonl | jq -c '.warning_codes, .warnings'
needs: jq
stdout has: ["baseline_differs","baseline_differs"]
stdout has: judge_version was \"j1\"
stdout has: max_tokens was 9

test: a report without per_task is no baseline
run: wai-passat --report r.json graded.jsonl > /dev/null; wai-passat --baseline r.json graded.jsonl
exit: 3
stderr has: r.json: this report has no per_task

test: nothing to save
run: wai-passat --save-baseline base.json unjudged.jsonl > /dev/null
exit: 3
stderr has: no baseline to save in base.json
file base.json absent

# ---- CI outputs ---------------------------------------------------------------------------------

test: JUnit is well formed whatever the rows hold
stdin:
  {"task_id":"<&\"'\u0001\ud800\ufffe]]>\n","reward":0}
  {"task_id":"fine","reward":1}
  {"task_id":"not graded"}
run:
  wai-passat --junit out.xml --junit-tasks --fail-under 0.9 > /dev/null
  echo $?
  python3 - <<'PY'
  import xml.etree.ElementTree as xml
  suite = xml.parse("out.xml").getroot()[0]
  print(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped"))
  for case in suite.iter("testcase"):
      print(case.get("classname"), ascii(case.get("name")), [e.tag for e in case])
  PY
needs: python3
stdout:
  1
  wai-passat 4 2 0 1
  wai-passat.gate 'pass_at_1 fail-under 0.9' ['failure']
  wai-passat.task '<&"\'\ufffd\ufffd\ufffd]]>\n' ['failure']
  wai-passat.task 'fine' []
  wai-passat.task 'not graded' ['skipped']

test: annotations where GitHub runs, on standard error
env: GITHUB_ACTIONS=true
run: wai-passat --json --fail-under 0.9 graded.jsonl > /dev/null
exit: 1
stderr:
  ::error title=wai-passat::pass_at_1 is 0.625 [0.25..1] on 4 tasks; --fail-under 0.9
  ::notice title=wai-passat::pass@1 0.62 [0.25..1.00]  pass^2 n/a  pass@2 n/a  headroom n/a  4 tasks, k 2

test: no annotations when they are turned off
env: GITHUB_ACTIONS=true
run: wai-passat --no-github graded.jsonl
stderr empty

test: a summary is added to the step's
env: GITHUB_STEP_SUMMARY=step.md
run: echo before > step.md; wai-passat --summary --fail-under 0.5 graded.jsonl > /dev/null; cat step.md
stdout has: before
stdout has: | metric | value | interval | n | gate |
stdout has: | pass_at_1 | 0.625 | 0.25..1 | 4 | ok fail-under 0.5 |

test: a summary in a file of its own
run: wai-passat --summary=s.md graded.jsonl > /dev/null
file s.md has: | truncated_share | n/a |  | 4 | |

# ---- summaries that join ------------------------------------------------------------------------

test: shards in any order are one pass
run:
  wai-passat --json graded.jsonl > whole
  head -3 graded.jsonl | wai-passat --partial --shard 0 > a
  sed -n '4,5p' graded.jsonl | wai-passat --partial --shard 1 > b
  tail -3 graded.jsonl | wai-passat --partial --shard 2 > c
  wai-passat --merge --json c a b | cmp - whole
  wai-passat --merge --partial c b | wai-passat --merge --json - a | cmp - whole
  tail -3 graded.jsonl > rows.jsonl
  wai-passat --merge --json --shard 2 b rows.jsonl a | cmp - whole
  wai-passat --merge --json < /dev/null | grep -o '"n_groups":0'
stdout:
  "n_groups":0

test: sixteen shards give the bytes of one pass, in any tree: by task, by hash, with a state
run:
  awk 'BEGIN { for (i = 0; i < 1600; i++) printf "{\"task_id\":\"t%d\",\"reward\":%d,\"markers\":{\"m\":%d}}\n", i * 7 % 333, (i * i) % 5 < 2, i % 9 }' > all.jsonl
  wai-passat --json --markers all.jsonl > whole
  split -n l/16 -d all.jsonl s.
  for i in $(seq 0 15); do
    part=$(printf 's.%02d' $i)
    wai-passat --partial --markers --shard $i $part > p.$i
    wai-passat --partial --markers --hash-keys --shard $i $part > q.$i
    wai-passat --json --markers --state total.json $part > last
  done
  wai-passat --merge --json --markers p.* | cmp - whole
  wai-passat --merge --partial p.1? > right; wai-passat --merge --partial p.? | wai-passat --merge --json --markers right - | cmp - whole
  wai-passat --merge --hash-keys --json --markers q.* | cmp - whole
  cmp last whole
  grep -c '"t1"' p.0 q.0; cat q.* | grep -o '"rows":1600' | wc -l

test: by hist: whole tasks in shards, in any tree the same bytes, and the points of one pass
run:
  awk 'BEGIN { for (i = 0; i < 1600; i++) printf "{\"task_id\":\"t%d\",\"reward\":%d,\"markers\":{\"m\":%d.25}}\n", i / 4, (i * i) % 7 < 3, i % 9 }' > all.jsonl
  split -l 100 -d all.jsonl s.
  for i in $(seq 0 15); do wai-passat --partial --partial-by hist --whole-tasks --markers --shard $i $(printf 's.%02d' $i) > h.$i; done
  wai-passat --partial --partial-by hist --whole-tasks --markers all.jsonl > one
  wai-passat --merge --json --markers one > whole
  wai-passat --merge --json --markers h.* | cmp - whole
  wai-passat --merge --partial h.1? > right; wai-passat --merge --partial h.? | wai-passat --merge --json --markers right - | cmp - whole
  wai-passat --merge --partial-by hist --whole-tasks --json --markers --shard 15 s.15 h.? h.1[0-4] | cmp - whole
  for r in <(wai-passat --json --markers --scheme hist all.jsonl) whole; do jq -c '[.pass_at_1, .pass_pow_k, .pass_at_k, .headroom, .ci95[], .n_groups, .markers.m.mean, .markers.m.ci95[], .markers.m.n_tasks] | map(. * 1e10 | round)' $r; done | uniq | wc -l
  jq -c '[.interval_scheme, .markers.m.interval_scheme]' whole
  grep -o '"hist":[^a-z]*,' h.0
stdout:
  1
  ["hist","poisson"]
  "hist":[[4,2,3],[4,3,22]],

test: what a summary by hist cannot serve is refused
run:
  hist() { wai-passat --partial --partial-by hist --whole-tasks --markers "$@" graded.jsonl; }
  hist > h; hist --shard 1 > h1; wai-passat --partial --markers --shard 2 graded.jsonl > t
  for options in --per-task "--baseline other.jsonl" --save-baseline=x "--junit j --junit-tasks" --anytime; do wai-passat --merge $options h; echo $?; done
  wai-passat --merge h t; echo $?
  wai-passat --merge h graded.jsonl; echo $?
  wai-passat --merge --seed 1 --markers h; echo $?
  wai-passat --merge --n-boot 20 --markers h; echo $?
  wai-passat --baseline h graded.jsonl; echo $?
stdout:
  3
  3
  3
  3
  3
  3
  3
  3
  3
  3
stderr has: h:1: a summary by hist has no tasks, which this needs
stderr has: t:1: a summary by task does not join one by hist
stderr has: rows beside the summaries: they cannot join summaries by hist as they are
stderr has: give all runs the same --n-boot and --seed

test: nor does a comparison take one for a run without tasks
run: wai-passat --partial --partial-by hist --whole-tasks graded.jsonl > h; wai-compare h h
exit: 3
stdout empty
stderr has: a summary by hist has no tasks, which this needs

test: hashed keys join hashed keys only
run: wai-passat --partial --hash-keys graded.jsonl > a; wai-passat --merge a
exit: 3
stderr has: and --hash-keys

test: a running total: each run adds to it and reports on all
run:
  head -4 graded.jsonl | wai-passat --json --state total graded.jsonl | jq .n_input
  wai-passat --json --state total other.jsonl | jq -c '[.n_input, .n_groups]'
  wai-passat --json --state total < /dev/null | jq .n_input
  wai-passat --fail-under 1 --state total other.jsonl > /dev/null; echo $?
  wai-passat --json --merge total | jq .n_input
  jq -c .shards total
  wai-passat --state total --shard 1 other.jsonl; echo $?
  wai-passat --state total nowhere.jsonl; echo $?
  wai-passat --json --merge total | jq .n_input
stdout:
  8
  [13,5]
  13
  1
  18
  [0,1,2]
  3
  3
  18
stderr has: shard 1 comes twice

test: a state that is none is left alone
run: wai-passat --state other.jsonl graded.jsonl; echo $?; : > empty; wai-passat --state empty graded.jsonl; echo $?; wc -l < other.jsonl
stdout:
  3
  3
  5
stderr has: other.jsonl:1: --state keeps one partial summary, and this is something else
stderr has: empty: empty, not a partial summary

test: the same shard twice would count double
run: wai-passat --partial graded.jsonl > a; wai-passat --merge a a
exit: 3
stderr has: a:1: shard 0 comes twice
stdout empty

test: unless that is meant
run: wai-passat --partial graded.jsonl > a; wai-passat --merge --allow-repeat-shards --json a a
stdout json: {"n_rows":16,"n_groups":4,"k":4,"pass_at_1":0.625}

test: other keys do not join
run: wai-passat --partial --task-key kind graded.jsonl > a; wai-passat --merge a
exit: 3
stderr has: a:1: the summary was counted with the keys
stderr has: "kind"

test: markers of some shards only do not join
run: wai-passat --partial --markers graded.jsonl > a; wai-passat --partial --shard 1 graded.jsonl > b; wai-passat --merge a b
exit: 3
stderr has: b:1: the summaries kept different markers

test: a summary is no row
run: wai-passat --partial graded.jsonl > a; wai-passat --fail-under 0 a
exit: 3
stderr has: a:1: a partial summary, not a row; read it with --merge

test: a report is no row
run: wai-passat --report r.json graded.jsonl > /dev/null; wai-passat r.json
exit: 3
stderr has: r.json:1: a report, not a row

test: a summary that cannot be true
stdin:
  {"wai_partial":1,"kind":"passat","by":"task","keys":{"reward":["reward","qwen_reward"],"task":["scenario_id","task_id","prompt"]},"shards":[0],"rows":4,"tasks":{"a":[4,5,[0,0]]}}
run: wai-passat --merge
exit: 3
stderr has: -:1: the partial summary's "tasks"

test: a histogram that cannot be true
run:
  try() { printf '{"wai_partial":1,"kind":"passat","by":"hist","keys":{"reward":["reward","qwen_reward"],"task":["scenario_id","task_id","prompt"]},"shards":[0],"rows":8,%s}\n' "$1" | wai-passat --merge; echo $?; }
  try '"hist":[[4,5,1]]'; try '"hist":[[4,1,1],[4,0,1]]'; try '"hist":[[4,1,3]]'; try '"hist":[[4,1,4611686018427387904]]'; try '"hist":[[4,1]]'
  try '"tasks":{"a":[4,2,[0,0]]},"hist":[]'
  try '"markers":{"m":{"rows":2,"min":0,"max":1}}'
  try '"markers":{"m":{"rows":2,"min":0,"max":1,"sketch":{"b":1,"seed":"0","scale":40,"n":2,"sum":"1","w":[2],"s":["1"]}}}'
  try '"markers":{"m":{"rows":2,"min":0,"max":1,"sketch":{"b":1,"seed":"0000000000000000","scale":40,"n":2,"sum":"1","w":[0],"s":["1"]}}}'
stdout:
  3
  3
  3
  3
  3
  3
  3
  3
  3

# ---- bad usage and bad input --------------------------------------------------------------------

test: a line that is no row names its place
run: printf '{"reward":1}\n{"reward":\n' > bad.jsonl; wai-passat bad.jsonl
exit: 3
stdout empty
stderr has: wai-passat: bad.jsonl:2: 

test: a line that is JSON and no object is bad too
run: printf '[1]\n' | wai-passat
exit: 3
stderr has: -:1: 

test: bad lines may be moved
run: printf 'x\n{"task_id":"a","reward":1}\n' | wai-passat --json --on-bad bad.txt; cat bad.txt
stdout has: "n_bad":1
stdout has: x

test: what options refuse
run:
  try() { wai-passat "$@" < /dev/null > out 2> err; [ $? = 2 ] || echo "$*: exit is not 2"; [ -s out ] && echo "$*: output"; [ "$(wc -l < err)" = 1 ] || echo "$*: not one line"; }
  try -k 0
  try --min-k -1
  try --n-boot 0
  try --level 0
  try --level 1
  try --level nan
  try --seed 1.5
  try --seed ''
  try --interval normal
  try --band 0.2
  try --band 0.8,0.2
  try --band 0,1.5
  try --fail-under x
  try --fail-under pass@1=0.5
  try --fail-under x/pass_at_1=0.5
  try --fail-under marker:=0.5
  try --fail-over nan
  try --gate-on middle
  try --min-graded 2
  try --margin 0.1
  try --run-std 0.1
  try --baseline b --run-std-runs 3
  try --baseline b --run-std 0.1 --run-std-runs 1
  try --summary
  try --task-key ''
  try --reward-key a,,b
  try --markers=,
  try --partial --fail-under 0.5
  try --partial --by kind
  try --merge --by kind
  try --state s --by kind
  try --state s --partial
  try --partial --partial-by hist
  try --partial --whole-tasks
  try --partial-by hist --whole-tasks
  try --partial-by hist --whole-tasks --merge --per-task
  try --hash-keys --per-task
  try --scheme fast
  try --cluster x --merge
  try --cluster x --state s
  try --anytime --merge --partial-by hist --whole-tasks
  try --merge --markers=a
stdout:

test: a missing file
run: wai-passat nowhere.jsonl
exit: 3
stderr has: nowhere.jsonl

test: a closed pipe ends it quietly
run: set +o pipefail; for i in $(seq 3000); do echo "{\"task_id\":\"t$i\",\"reward\":1}"; done > many.jsonl; wai-passat --per-task many.jsonl | head -1 | cut -c1-11; echo ${PIPESTATUS[1]}
stdout:
  pass@1 1.00
  0
stderr empty

test: an output that cannot be written is exit 5
run: wai-passat --report /nowhere/r.json graded.jsonl > /dev/null
exit: 5
stderr has: /nowhere/r.json
