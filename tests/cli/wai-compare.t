# wai-compare: what it prints, when it is red, what it refuses. The numbers are pinned by the reference cases.

file before.jsonl:
  {"task_id":"a","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"a","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"b","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"b","reward":1,"markers":{"kind":1,"refusal":0}}
  {"task_id":"c","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"c","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"d","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"d","reward":1,"markers":{"kind":1,"refusal":0}}
  {"task_id":"e","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"e","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"f","reward":0,"markers":{"kind":1,"refusal":0}}
  {"task_id":"f","reward":1,"markers":{"kind":1,"refusal":0}}
file after.jsonl:
  {"task_id":"a","reward":1,"markers":{"kind":0,"refusal":1}}
  {"task_id":"a","reward":0,"markers":{"kind":0,"refusal":1}}
  {"task_id":"b","reward":1,"markers":{"kind":0,"refusal":1}}
  {"task_id":"b","reward":1,"markers":{"kind":0,"refusal":1}}
  {"task_id":"c","reward":1,"markers":{"kind":1,"refusal":0}}
  {"task_id":"c","reward":1,"markers":{"kind":0,"refusal":1}}
  {"task_id":"d","reward":1,"markers":{"kind":0,"refusal":1}}
  {"task_id":"d","reward":1,"markers":{"kind":0,"refusal":1}}
  {"task_id":"e","reward":1,"markers":{"kind":0,"refusal":1}}
  {"task_id":"e","reward":0,"markers":{"kind":0,"refusal":1}}
  {"task_id":"f","reward":1,"markers":{"kind":1,"refusal":0}}
  {"task_id":"f","reward":1,"markers":{"kind":0,"refusal":1}}
file fallback.jsonl:
  {"task_id":"a","reward":null,"qwen_reward":1}
  {"task_id":"b","reward":true}
file few.jsonl:
  {"task_id":"a","reward":1}
file floor.json:
  {"wai_report":"wai-plan eval-variance","n_runs":4,"run_std_by_metric":{"pass_at_1":0.5,"marker:kind":null}}
file broken.json:
  {"n_runs":4}

# ---- the report ---------------------------------------------------------------------------------

test: the word first, then what it stands on
run: wai-compare before.jsonl after.jsonl
stdout:
  INCONCLUSIVE (one run on both sides): pass_at_1 +0.583 (95% +0.500..+0.750), 6 paired tasks
  ok yes: that the sides can be compared; no target and no guard was named
  3 metrics at 95%: one or more moves by accident with a chance of up to 14%
  lower is better: marker:refusal
  before -> after:
    pass_at_1 0.250 -> 0.833  +0.583 (95% +0.500..+0.750)  up  p 0.0295  6 paired tasks
    marker:kind 1.000 -> 0.167  -0.833 (95% -1.000..-0.667)  DOWN  p 0.034  6 paired tasks
    marker:refusal 0.000 -> 0.833  +0.833 (95% +0.667..+1.000)  UP  p 0.0355  6 paired tasks
  ! marker:kind fell by -0.833 (95% -1.000..-0.667)
  ! marker:refusal rose by +0.833 (95% +0.667..+1.000); lower is better
  note: on 6 tasks, under 20, a percentile interval runs narrow; --interval t gives +0.369..+0.798

test: one metric is one line
run: wai-compare --metric kind before.jsonl after.jsonl
stdout has: marker:kind 1.000 -> 0.167  -0.833 (95% -1.000..-0.667)
stdout has: a_better  6 paired tasks

test: all flips of signs give the p that random ones estimate
run: wai-compare --metric pass_at_1 --json before.jsonl after.jsonl
stdout json: {"wai_report":"wai-compare","metric":"pass_at_1","p_exact":0.03125,"verdict":"b_better","gates":[]}

test: two empty sides are no error, and nothing is said of them
run: wai-compare --json /dev/null /dev/null
stdout json: {"ok":true,"headline_word":"INSUFFICIENT DATA","unmeasured":[],"n_paired_tasks":0}

test: a side from a pipe
run: cat after.jsonl | wai-compare --json before.jsonl -
stdout json: {"ok":true,"n_paired_tasks":6}

test: balancing reads pipes twice
run: head -11 before.jsonl | wai-compare --json --balance-rollouts - <(cat after.jsonl)
stdout json: {"balanced":{"rows_dropped":{"before":0,"after":1},"tasks_trimmed":1},"warning_codes":["slipped","slipped","balanced"]}

test: partial summaries in the place of rows
run: wai-compare --json <(wai-passat --partial --markers before.jsonl) after.jsonl
stdout json: {"target_delta":null,"n_metrics":3,"headline_verdict":"moved_unreplicated"}

test: rows that do not count are told
run: wai-compare --json fallback.jsonl few.jsonl
stdout json: {"note_codes":["boolean_rewards","fallback_rewards"],"config":{"before":{"n_tasks":1}}}
exit: 1

test: and count when asked for
run: wai-compare --json --bool-rewards --reward-key reward,qwen_reward fallback.jsonl few.jsonl
stdout json: {"note_codes":[],"metrics":{"pass_at_1":{"mean_a":1.0,"n_paired":1}}}

test: a floor from a report, with its runs; a null one is none
run: wai-compare --json --run-std @floor.json before.jsonl after.jsonl
stdout json: {"run_std":0.5,"run_std_runs":4,"run_std_df":3,"headline_word":"NO DIFFERENCE","run_std_by_metric":{"pass_at_1":0.5,"marker:kind":null,"marker:refusal":null}}

test: a floor of exactly nothing is told
run: wai-compare --json --run-std 0 --run-std-runs 3 before.jsonl after.jsonl
stdout json: {"headline_word":"PASS","note_codes":["zero_floor","zero_floor","zero_floor","narrow_interval"]}

test: p-values corrected for their number
run: wai-compare --json --adjust holm before.jsonl after.jsonl | jq -c '[.metrics[] | .p_adjusted >= .p_value, .verdict_adjusted]'
stdout:
  [true,"no_difference_detected",true,"no_difference_detected",true,"no_difference_detected"]

test: Student's interval instead, the p-value the same
run: wai-compare --interval t --json before.jsonl after.jsonl | jq -c '[.interval, .note_codes, .metrics.pass_at_1.p_value, (.metrics.pass_at_1.ci95 | map(. * 1000 | round))]'
stdout:
  ["t",[],0.02948525737131434,[369,798]]

test: large inputs are drawn by counting, and the report says so
run: wai-compare --scheme hist --json before.jsonl after.jsonl
stdout json: {"interval_scheme":"hist","headline_word":"INCONCLUSIVE"}

test: which tasks moved, what fell the most first
run: wai-compare --per-task after.jsonl before.jsonl
stdout has: of 6 tasks of both sides 6 fell and 0 rose:
stdout has:   c 1.000 -> 0.000  -1.000

test: which tasks moved, for programs
run: wai-compare --per-task --json before.jsonl after.jsonl
stdout json: {"per_task":{"a":{"before":0.0,"after":0.5},"c":{"before":0.0,"after":1.0}}}

test: a sweep names a winner only when it clears the others
run: wai-compare --arm base@m=before.jsonl --arm new@m=after.jsonl --rerun before.jsonl --json
stdout json: {"wai_report":"wai-compare sweep","best":"new@m","n_asks":6,"noise_floor":0.0,"variants":[{"label":"new@m","model":"m","graded_rows":12},{"label":"base@m"}],"paired":[{"before":"base@m","after":"new@m"}]}

test: and says why there is none
run: wai-compare --arm base=before.jsonl --arm again=before.jsonl
stdout has: no winner: the intervals of the best two overlap
stdout has: 6 asks, under 50

# ---- red ----------------------------------------------------------------------------------------

test: a guard that regressed
run: wai-compare --target pass_at_1 --must-not-regress kind before.jsonl after.jsonl
exit: 1
stdout has: FAIL: pass_at_1
stdout has: red: marker:kind -0.8333 [-1..-0.6667] on 6 tasks of both; must-not-regress

test: a guard whose rise is the regression
run: wai-compare --json --must-not-regress refusal before.jsonl after.jsonl
exit: 1
stdout json: {"ok":false,"regressions":["marker:refusal"],"warning_codes":["regression","slipped"]}
stderr has: red: marker:refusal

test: the other way round it is a gain
run: wai-compare --json --must-not-regress refusal --lower-is-better refusal=false before.jsonl after.jsonl
stdout json: {"ok":true,"regressions":[],"improved":["pass_at_1","marker:refusal"]}

test: a typo in a guard, and in the target
run: wai-compare --json --target tpyo --must-not-regress knid before.jsonl after.jsonl
exit: 1
stdout json: {"ok":false,"headline_word":"FAIL","unmeasured":["marker:tpyo","marker:knid"],"gates":[{"metric":"marker:tpyo","rule":"target","red":true,"reason":"not_measured"},{"metric":"marker:knid","rule":"must-not-regress","red":true,"reason":"not_measured"}]}

test: a drop that nothing was asked of is said, and red when asked for
run: wai-compare after.jsonl before.jsonl; wai-compare --fail-on wrong-way after.jsonl before.jsonl
exit: 1
stdout has: ok yes: nothing was asked of pass_at_1, which moved the wrong way
stdout has: red: pass_at_1 -0.5833 [-0.75..-0.5] on 6 tasks of both; wrong-way

test: what the rows cannot answer is red
run: wai-compare --json --fail-on group-down,prompt-hash,no-gain,regression before.jsonl after.jsonl
exit: 1
stdout json: {"gates":[{"metric":"pass_at_1","rule":"no-gain","red":false},{"metric":"group-down","red":true,"reason":"not_measured"},{"metric":"prompt-hash","red":true,"reason":"not_measured"}]}

test: gates over nothing are red
run: wai-compare --fail-on insufficient --fail-on wrong-way --min-tasks 1 --json /dev/null /dev/null
exit: 1
stdout json: {"gates":[{"rule":"wrong-way","reason":"not_measured"},{"rule":"insufficient","reason":"not_measured"},{"rule":"min-tasks","red":true}]}

test: limits are on the side after
run: wai-compare --fail-under 0.8 --fail-over marker:kind=0.5 --fail-under marker:refusal=0.9 before.jsonl after.jsonl
exit: 1
stdout has: ok: pass_at_1 is 0.8333 [0.6667..1] on 6 tasks; --fail-under 0.8
stdout has: ok: marker:kind is 0.1667
stdout has: red: marker:refusal is 0.8333

test: red, and 0 when told so
run: wai-compare --exit-zero --must-not-regress kind before.jsonl after.jsonl
stdout has: FAIL

test: a gate on one metric
run: wai-compare --metric kind --fail-on wrong-way before.jsonl after.jsonl
exit: 1
stdout has: red: marker:kind

test: strict turns warnings and notes red
run: wai-compare --strict before.jsonl after.jsonl
exit: 1
stdout has: red: marker:kind fell by

test: JUnit, annotations, a summary with what moved
run:
  GITHUB_STEP_SUMMARY=summary.md wai-compare --must-not-regress kind --junit j.xml --github --summary \
    --junit-tasks before.jsonl after.jsonl > /dev/null
  status=$?
  python3 -c "import xml.etree.ElementTree as x; t = x.parse('j.xml').getroot(); print(t.get('failures'), len(list(t.iter('testcase'))))"
  exit $status
exit: 1
stdout has: 3 7
stderr has: ::error title=wai-compare::marker:kind
stderr has: ::notice title=wai-compare::FAIL: pass_at_1 +0.583
file summary.md has: | change of marker:kind | -0.8333 | -1..-0.6667 | 6 | |
file summary.md has: red must-not-regress

# ---- refused ------------------------------------------------------------------------------------

test: two operands
run: wai-compare before.jsonl
exit: 2
stderr has: 1 operands; two are wanted, BEFORE and AFTER

test: both sides from standard input
run: wai-compare - - < before.jsonl
exit: 2
stderr has: both sides are standard input

test: a direction for a metric that is not there names those that are
run: wai-compare --lower-is-better words before.jsonl after.jsonl
exit: 2
stderr has: --lower-is-better marker:words: not measured on both sides; measured are pass_at_1, marker:kind, marker:refusal

test: runs of no floor
run: wai-compare --run-std-runs 3 before.jsonl after.jsonl
exit: 2
stderr has: --run-std-runs needs --run-std

test: a floor under nothing
run: wai-compare --run-std=-0.1 before.jsonl after.jsonl
exit: 2
stderr has: write a spread of 0 or more

test: a report without floors
run: wai-compare --run-std @broken.json before.jsonl after.jsonl
exit: 3
stderr has: broken.json: no report with run_std_by_metric

test: options of the report with one metric
run: wai-compare --metric kind --target kind before.jsonl after.jsonl
exit: 2
stderr has: --metric compares one number

test: an unknown red
run: wai-compare --fail-on everything before.jsonl after.jsonl
exit: 2
stderr has: --fail-on everything: one or more of wrong-way

test: prompts are another tool's
run: wai-compare --demo
exit: 2
stderr has: wai-harness compare

test: a training seed without rows
run: wai-compare --train-run-after /dev/null before.jsonl after.jsonl
exit: 3
stderr has: /dev/null: no rows of a training seed

test: a bad line
stdin:
  {"task_id":"a","reward":1}
  no row
run: wai-compare before.jsonl -
exit: 3
stderr has: -:2:

test: and skipped, it is told
stdin:
  {"task_id":"a","reward":1}
  no row
run: wai-compare --on-bad skip --json before.jsonl - | jq -c '.note_codes'
stdout:
  ["bad_lines"]

test: rows beside a summary of the same shard would count twice
run: wai-compare <(wai-passat --partial --markers before.jsonl; head -1 before.jsonl) after.jsonl
exit: 3
stderr has: shard 0 comes twice

test: slices of a summary
run: wai-compare --by category <(wai-passat --partial --markers before.jsonl) after.jsonl
exit: 3
stderr has: a partial summary has no rows, which --by needs

test: arms on other rows
run: wai-compare --arm a=before.jsonl --arm b=few.jsonl
exit: 3
stderr has: 6 asks differ, the first of them "a" (1 against 2)

test: a label twice
run: wai-compare --arm a=before.jsonl --arm a=after.jsonl
exit: 2
stderr has: the label is given twice

test: an empty pipe closes early without a word
run: wai-compare before.jsonl after.jsonl | head -c 0
stderr empty

# ---- --partial, --merge: summaries of pairs -----------------------------------------------------

test: a summary of pairs and its report
run: wai-compare --partial --shard 7 before.jsonl after.jsonl | tee part | wai-compare --merge --json
stdout json: {"summary":"pairs","ok":true,"interval_scheme":"hist","left_out":[],"headline_word":"INCONCLUSIVE"}
file part has: "kind":"pairs"
file part has: "pass_at_1":{"pairs":[[2,0,2,1,2],[2,0,2,2,1],[2,1,2,2,3]],"only_a":[],"only_b":[]}

test: parts in any order, and of parts, are the bytes of one pass
run:
  for s in ab cd ef; do
    for side in before after; do grep "\"task_id\":\"[$s]\"" $side.jsonl > $side-$s.jsonl; done
  done
  i=0
  for s in ab cd ef; do
    i=$((i + 1))
    wai-compare --partial --shard $i before-$s.jsonl after-$s.jsonl > part-$s
  done
  wai-compare --partial before.jsonl after.jsonl | wai-compare --merge --json > one
  wai-compare --merge --json part-ab part-cd part-ef > forth
  wai-compare --merge --json part-ef part-ab part-cd > back
  wai-compare --merge --partial part-ef part-cd | wai-compare --merge --json - part-ab > tree
  wai-compare --merge --partial part-ab part-cd part-ef > sum
  wai-compare --merge --partial part-cd part-ef part-ab | cmp - sum
  cmp one forth && cmp one back && cmp one tree && wc -l < sum
stdout:
  1

test: points and the hist interval of pairs are those of the rows
run:
  keys='[.delta,.ci95,.p_value,.mean_a,.mean_b,.verdict]'
  wai-compare --json --scheme hist before.jsonl after.jsonl | jq -c ".metrics.pass_at_1|$keys" > rows
  wai-compare --partial before.jsonl after.jsonl | wai-compare --merge --json | jq -c ".metrics.pass_at_1|$keys" | cmp - rows

test: one metric of pairs
run: wai-compare --partial before.jsonl after.jsonl | wai-compare --merge --json --metric refusal --fail-on wrong-way
stdout json: {"metric":"marker:refusal","verdict":"b_better","interval_scheme":"hist"}

test: a guard on pairs
run: wai-compare --partial before.jsonl after.jsonl | wai-compare --merge --must-not-regress kind
exit: 1
stdout has: red: marker:kind

test: a target that pairs do not hold
run: wai-compare --partial before.jsonl after.jsonl | wai-compare --merge --target nowhere
exit: 1
stdout has: red: marker:nowhere is not measured on both sides

test: no summaries
run: wai-compare --merge < /dev/null
stdout has: INSUFFICIENT DATA: pass_at_1 n/a

test: the sum of no summaries adds nothing
run:
  wai-compare --merge --partial < /dev/null > none
  wai-compare --partial before.jsonl after.jsonl > part
  wai-compare --merge --partial none part | cmp - part
stdout empty

test: under five shared tasks pairs have no interval
run: wai-compare --partial before.jsonl few.jsonl | wai-compare --merge
stdout has: INSUFFICIENT DATA: pass_at_1 +0.750, 1 tasks a side, not paired
stdout has: note: 1 tasks are on both sides and pairing needs 5

test: a marker that is no rate is left out, and refused by name
file real.jsonl:
  {"task_id":"a","reward":1,"markers":{"len":2.5}}
run:
  wai-compare --partial real.jsonl real.jsonl > part && wai-compare --merge part
  wai-compare --merge --metric len part || echo "metric: $?"
  wai-compare --partial --markers len real.jsonl real.jsonl || echo "markers: $?"
stdout has: note: markers with values other than 0 and 1 are not compared
stdout has: metric: 2
stdout has: markers: 2
stderr has: marker:len has values other than 0 and 1

test: pairs have no rows to balance
run: wai-compare --partial --balance-rollouts before.jsonl after.jsonl
exit: 2
stderr has: --balance-rollouts: a summary of pairs has counts and no rows, runs or slices

test: pairs have no slices
run: wai-compare --merge --by category /dev/null
exit: 2
stderr has: --by: a summary of pairs

test: pairs have no runs
run: wai-compare --merge --run-std 0.1 /dev/null
exit: 2
stderr has: --run-std: a summary of pairs

test: pairs draw no tasks
run: wai-compare --merge --scheme exact /dev/null
exit: 2
stderr has: its scheme is hist

test: gates belong to the report on pairs
run: wai-compare --partial --target pass_at_1 before.jsonl after.jsonl
exit: 2
stderr has: belong to the run with --merge

test: a shard of pairs twice
run: wai-compare --partial before.jsonl after.jsonl > part; wai-compare --merge part part
exit: 3
stderr has: part:1: shard 0 comes twice

test: a shard of pairs twice, allowed
run: wai-compare --partial before.jsonl after.jsonl > part; wai-compare --merge --allow-repeat-shards --json part part
stdout json: {"config":{"before":{"n_tasks":12}}}

test: rows are no summary of pairs
run: wai-compare --merge before.jsonl
exit: 3
stderr has: before.jsonl:1: no summary of pairs; write one with wai-compare --partial

test: a summary of pairs is no row
run: wai-compare --partial before.jsonl after.jsonl > part; wai-compare part after.jsonl
exit: 3
stderr has: "kind" is not "passat"

test: counts of pairs that cannot be true
run: wai-compare --partial before.jsonl after.jsonl | sed 's/\[2,0,2,1,2\]/[2,3,2,1,2]/' | wai-compare --merge
exit: 3
stderr has: "pairs" holds tasks with more passes than tries

test: counts of pairs that do not add up
run: wai-compare --partial before.jsonl after.jsonl | sed 's/\[2,0,2,1,2\]/[2,0,2,1,1]/g' | wai-compare --merge
exit: 3
stderr has: "pass_at_1" does not add up to the rows with a verdict

test: pairs counted with other keys
run: wai-compare --partial before.jsonl after.jsonl | wai-compare --merge --task-key task_id
exit: 3
stderr has: the summary was counted with the keys

test: a shard number without a summary
run: wai-compare --shard 1 before.jsonl after.jsonl
exit: 2
stderr has: --shard needs --partial

# ---- scripts/recipes/evals.mk: an eval in a build -----------------------------------------------

test: accepted rows, a green run, a regression that ends make and says which tasks moved
run:
  evals="make -s -f $SOURCE/scripts/recipes/evals.mk BIN=$(dirname "$(command -v wai-compare)")"
  $evals accept && $evals evals > green.txt && head -1 green.txt
  $evals evals AGENT='seeded --seeded-rate 0.9' > red.txt 2> red.err
  echo "make: $?"
  head -1 red.txt | cut -d: -f1
  grep '^red' red.txt | cut -c 1-14
stdout has: NO DIFFERENCE: pass_at_1 +0.000
stdout has: make: 2
stdout has: FAIL
stdout has: red: pass_at_1
file evals/summary.md has: | change of task sc-
file evals/summary.md has: red target
file evals/junit.xml has: failures="1"

test: nothing accepted is not green
run: make -s -f "$SOURCE/scripts/recipes/evals.mk" BIN="$(dirname "$(command -v wai-compare)")" evals
exit: 2
stderr has: no accepted rows; make accept first

test: rows that nobody graded are not green
run:
  evals="make -s -f $SOURCE/scripts/recipes/evals.mk BIN=$(dirname "$(command -v wai-compare)")"
  $evals accept > /dev/null && $evals evals GRADE="-e null"
exit: 2
stdout has: red: pass_at_1 is not measured on both sides
