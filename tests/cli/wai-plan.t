# wai-plan: sizes, powers, spreads. The digits are held by the reference cases and by tests/interop/plan.py; here
# is what people and scripts see.
file base.jsonl:
  {"task_id":"a","reward":1}
  {"task_id":"a","reward":0}
  {"task_id":"b","reward":1}
  {"task_id":"b","reward":1}
  {"task_id":"c","reward":0}
  {"task_id":"c","reward":1}
  {"task_id":"d","reward":0}
  {"task_id":"d","reward":0}
file tuned.jsonl:
  {"task_id":"d","reward":1}
  {"task_id":"d","reward":0}
  {"task_id":"c","reward":1}
  {"task_id":"c","reward":1}
  {"task_id":"b","reward":1}
  {"task_id":"b","reward":0}
  {"task_id":"x","reward":1}
file bad.jsonl:
  {"task_id":"a","reward":1}
  {"task_id":

test: without a verb
run: wai-plan
exit: 2
stdout empty
stderr has: holdout-size

test: an unknown verb names the nearest
run: wai-plan holdout
exit: 2
stderr has: holdout-size

test: every verb has help with an example
run:
  for verb in holdout-size detectable-effect eval-power eval-variance noise-band interval self-check; do
    wai-plan $verb --help > help || echo "$verb: exit $?"
    grep -q "^usage: wai-plan $verb " help || echo "$verb: $(head -1 help)"
    grep -q "  wai-plan $verb\|wai-plan $verb" help || echo "$verb: no example"
  done
stdout:
stderr empty

# ---- holdout-size

test: the model at its defaults
run: wai-plan holdout-size --effect 0.1
stdout:
  89 tasks
  prove a gain of 0.1 at 4 tries per task, power 0.8, alpha 0.05
  base rate 0.60
  spread of a task's paired difference 0.3354 (model); the change is known to +-0.0697 at that size
  note: 89 tasks are enough when the gain is spread evenly and the sides are independent; carried by as few tasks as can carry it, it needs 106; rows of an earlier eval (--before and --after) measure which
stderr empty

test: rows give the base rate, with its interval and n, and a range
run: wai-plan holdout-size --effect 0.1 --before base.jsonl
stdout matches: ^\d+ tasks \[\d+\.\.\d+\]  \(the pass rates of 4 tasks, drawn again 2000 times, 95%\)$
stdout matches: ^base rate 0\.50 \[0\.\d\d\.\.0\.\d\d\]  4 tasks$

test: pairs are measured on the shared tasks
run: wai-plan holdout-size --effect 0.1 --before base.jsonl --after tuned.jsonl --json
stdout json: {"wai_report":"wai-plan holdout-size","sd_source":"rows","n_paired":3,"k":2,"n_tasks_range_source":"paired_sd","note_codes":["sd_measured"]}

test: too few shared tasks are refused, with the mend
run: head -2 tuned.jsonl | wai-plan holdout-size --effect 0.1 --before base.jsonl --after -
exit: 3
stdout empty
stderr has: 1 graded tasks are both before and after, and a paired spread needs 3; run both sides on the same tasks, or give --task-std

test: rows without a verdict size nothing
run: echo '{"task_id":"a"}' | wai-plan holdout-size --effect 0.1 --before -
exit: 3
stderr has: grade them first (wai-grade), or give --base and --k

test: an empty file sizes nothing
run: wai-plan holdout-size --effect 0.1 --before - < /dev/null
exit: 3
stderr has: no verdict of 0 or 1

test: after without before
run: wai-plan holdout-size --effect 0.1 --after tuned.jsonl
exit: 2
stderr has: --after needs --before

test: the gain is required
run: wai-plan holdout-size
exit: 2
stderr has: --effect is required, as in --effect 0.05

test: a gain of 1 or 0 is none
run:
  for effect in 0 1 1.5 -0.1 nan 1e-200; do
    wai-plan holdout-size --effect $effect 2> err; [ $? = 2 ] || echo "$effect: $?"; [ "$(wc -l < err)" = 1 ] || cat err
  done
stdout:

test: power, alpha and a spread out of range
run:
  for o in '--power 1' '--power 0' '--alpha 0' '--alpha 1' '--alpha 1e-20' '--task-std 0' '--task-std -1' '--base 1.2' '-k 0'; do
    wai-plan holdout-size --effect 0.1 $o 2> err; [ $? = 2 ] || echo "$o: $?"; [ "$(wc -l < err)" = 1 ] || cat err
  done
stdout:

test: a count beyond 64 bits is printed whole
run: wai-plan holdout-size --effect 1e-12 --json
stdout matches: "n_tasks":9418655\d{17},

test: verdicts in qwen_reward alone are counted, not read
run: printf '{"task_id":"%s","reward":1}\n{"task_id":"%s","qwen_reward":1}\n' a a b b c c | wai-plan eval-power --json
stdout json: {"n_rollouts":3,"warning_codes":["verdict_fix","fallback_rewards"]}

test: --reward-key reads them
run: printf '{"task_id":"%s","reward":1}\n{"task_id":"%s","qwen_reward":1}\n' a a b b c c | wai-plan eval-power --reward-key reward,qwen_reward --json
stdout json: {"n_rollouts":6,"warning_codes":["verdict_fix"]}

test: booleans are counted, and taken when asked
run: printf '{"task_id":"%s","reward":true}\n' a b c | wai-plan eval-power --json; printf '{"task_id":"%s","reward":true}\n' a b c | wai-plan eval-power --bool-rewards --json
stdout rows:
  {"n_tasks":0,"verdict":"empty","warning_codes":["verdict_fix","boolean_rewards"]}
  {"n_tasks":3,"verdict":"saturated","warning_codes":["verdict_fix"]}

test: a bad line stops, with its place
run: wai-plan holdout-size --effect 0.1 --before base.jsonl --after bad.jsonl
exit: 3
stdout empty
stderr has: bad.jsonl:2:

test: bad lines of both sides are moved to one file
run:
  printf '{"x\n' >> base.jsonl
  printf '{"task_id":"a","reward":1}\n' >> tuned.jsonl
  cat bad.jsonl >> tuned.jsonl
  wai-plan holdout-size --effect 0.1 --before base.jsonl --after tuned.jsonl --on-bad moved.jsonl --json
stdout json: {"n_paired":4,"warning_codes":["bad_lines"]}
file moved.jsonl is:
  {"x
  {"task_id":

test: the same file on both sides is two sides
run: wai-plan holdout-size --effect 0.1 --before base.jsonl --after base.jsonl --json
stdout json: {"saturated":true,"warning_codes":["saturated_degenerate"]}

test: a missing file
run: wai-plan holdout-size --effect 0.1 --before nowhere.jsonl
exit: 3
stderr has: nowhere.jsonl

test: a report is no rows
run: wai-plan detectable-effect -n 10 --json | wai-plan eval-power
exit: 3
stderr has: -:1: a report, not a row

test: operands that are not read are refused
run: wai-plan holdout-size --effect 0.1 base.jsonl
exit: 2
stderr has: holdout-size reads no operand, and was given base.jsonl

# ---- detectable-effect

test: what tasks can show
run: wai-plan detectable-effect -n 140
stdout:
  140 tasks of 4 tries show a gain of 0.0801 from a rate of 0.6, power 0.8, alpha 0.05
stderr empty

test: few tries have not settled: the equation is solved too
run: wai-plan detectable-effect -n 2 --base 0.05 -k 1 --json
stdout json: {"detectable_effect":1.0,"n_tasks":2,"k":1}
stdout matches: "detectable_effect_solved":0\.81

test: nothing is provable where no room is left
run: wai-plan detectable-effect -n 3 --base 0.95 -k 1
stdout has: no gain that a rate of 0.95 leaves room for

test: under two tasks
run: wai-plan detectable-effect -n 1
stdout has: 1 task shows nothing

test: the number of tasks is required
run: wai-plan detectable-effect
exit: 2
stderr has: --n-tasks is required

# ---- eval-power

test: verdict, its reason, and the gate
run: wai-plan eval-power --effect 0.3 --fail-unless usable base.jsonl
exit: 1
stdout:
  underpowered: 4 tasks of 2 tries show 0.4957, not 0.3
  base rate 0.50 [0.12..0.88]  4 tasks, 8 tries, k 2
  a gain of 0.3 needs 18 tasks at power 0.8, alpha 0.05
  2 in the band 0.2..0.8, 1 pass always, 1 fail always, 0 tried once
  note: 18 tasks are enough when the gain is spread evenly and the sides are independent; carried by as few tasks as can carry it, it needs 21; rows of an earlier eval (--before and --after) measure which
  note: the tasks' rates spread by 0.408: the model asks for 2.00 times the tasks that pairs need, unless a few tasks carry the gain; rows --after decide it
  warning: these rows cannot prove a gain of 0.3; about 18 tasks would (n_needed): add tasks or tries before training, or give --effect the gain you expect
stderr empty

test: no rows are empty, and red when asked
run: wai-plan eval-power --fail-unless usable < /dev/null
exit: 1
stdout has: empty: no row carries a verdict of 0 or 1

test: no rows are no error without a gate
run: wai-plan eval-power < /dev/null
stdout has: empty

test: a band out of order
run:
  for band in 0.8,0.2 0.5,0.5 0.2 x,1 0,2; do
    wai-plan eval-power --band $band base.jsonl 2> err; [ $? = 2 ] || echo "$band: $?"; [ "$(wc -l < err)" = 1 ] || cat err
  done
stdout:

test: operands are read one after the other
run: wai-plan eval-power --json base.jsonl tuned.jsonl
stdout json: {"n_tasks":5,"n_rollouts":15,"k":1}

# ---- eval-variance

test: two runs as two files
run: wai-plan eval-variance base.jsonl tuned.jsonl
stdout:
  pass_at_1 0.62 over 2 runs, run_std 17.68 points: high_variance
  a change of one run against one has to pass 3.1765 to be more than re-running (95%, df 1)
  run run_1 0.50 [0.12..0.88]  4 tasks
  run run_2 0.75 [0.50..1.00]  4 tasks
  run_std pass_at_1 0.1768
  spread (sd): runs 0.0000, tasks 0.0000, task by run 0.2041, one try 0.5000
  note: 2 runs with a mean: two are a difference, and a spread worth reading needs 3; run the eval again
  note: the runs do not hold the same tasks (3 are in every run), so their means differ by more than chance; run the same tasks

test: an empty file is a run without a mean
run: wai-plan eval-variance base.jsonl tuned.jsonl /dev/null --json
stdout json: {"n_runs":2,"means":{"run_3":null},"tasks_in_every_run":0,"components":null,"note_codes":["few_runs","different_tasks"]}

test: the run that rows name, the top key before lineage
stdin:
  {"task_id":"a","reward":1,"lineage":{"eval_run":1}}
  {"task_id":"a","reward":0,"lineage":{"eval_run":2}}
  {"task_id":"a","reward":0,"lineage":{"eval_run":null,"scoring_run_id":"s"}}
  {"task_id":"a","reward":0,"lineage":{"scoring_run_id":0}}
  {"task_id":"a","reward":0,"lineage":{"eval_run":""}}
  {"task_id":"a","reward":1,"eval_run":"top"}
run: tee rows.jsonl | wai-plan eval-variance --json; wai-plan eval-variance --by eval_run --json rows.jsonl
stdout rows:
  {"means":{"1":1.0,"2":0.0,"s":0.0,"":0.0},"note_codes":["rows_without_run"]}
  {"means":{"1":1.0,"2":0.0,"top":1.0},"note_codes":["rows_without_run"]}

test: --by splits the rows of all operands
run:
  sed 's/}$/,"day":1}/' base.jsonl > one.jsonl
  sed 's/}$/,"day":2}/' tuned.jsonl > two.jsonl
  wai-plan eval-variance --by day --json one.jsonl two.jsonl
stdout json: {"means":{"1":0.5,"2":0.75}}

test: no rows, no spread
run: wai-plan eval-variance < /dev/null
stdout:
  pass_at_1 n/a over 0 runs, no spread
  note: 0 runs with a mean: two are a difference, and a spread worth reading needs 3; run the eval again

test: a marker's name in a row cannot move the cursor
run:
  printf '{"task_id":"a","markers":{"x\\u001b[2J":%s}}\n' 1 0 0 > m.jsonl
  wai-plan eval-variance m.jsonl m.jsonl | tee out | grep -c $'\x1b'; cat out
stdout has: run_std marker:x\x1b[2J 0.0000
stdout matches: ^0$

test: a forecast says what would buy the band down
run: wai-plan eval-variance --forecast runs=5,tasks=100,tries=8 --json base.jsonl tuned.jsonl
stdout json: {"forecast":{"runs":5,"tasks":100,"tries":8}}
stdout matches: "forecast":\{[^}]*"run_std":0\.027,

test: a forecast without a common task is not made
run: head -2 base.jsonl > a.jsonl; wai-plan eval-variance --forecast tries=8 --json a.jsonl tuned.jsonl
stdout json: {"forecast":{"runs":null,"run_std":null},"warning_codes":["no_forecast"]}

test: a forecast that reads wrong
run:
  for f in runs=1 runs tasks=0 tries=x runs=2,runs=3 '' runs=2, units=3; do
    wai-plan eval-variance --forecast "$f" base.jsonl 2> err; [ $? = 2 ] || echo "$f: $?"; [ "$(wc -l < err)" = 1 ] || cat err
  done
stdout:

# ---- noise-band

test: the band in words
run: wai-plan noise-band --run-std 0.0125 --df 2
stdout:
  noise band 0.07606701198614285: by re-running alone, 1 against 1 run differ by less in 95% of cases
  quantile 4.303: of Student's t with 2 degrees of freedom

test: the band in points
run: wai-plan noise-band --run-std 0.0125 --points --json
stdout json: {"noise_band":3.46,"unit":"points","quantile":1.96,"df":null}

test: counts of runs and levels out of range
run:
  for o in '--n-a 0' '--n-b 0' '--df 0' '--level 0' '--level 1' '--run-std -1'; do
    wai-plan noise-band --run-std 0.1 $o 2> err; [ $? = 2 ] || echo "$o: $?"; [ "$(wc -l < err)" = 1 ] || cat err
  done
stdout:

test: the spread is required
run: wai-plan noise-band
exit: 2
stderr has: --run-std is required

# ---- interval

test: a rate
run: wai-plan interval --successes 41 --n 60
stdout matches: ^0\.683\d+ \[0\.55\d+\.\.0\.78\d+\]  n 60, wilson, 95%$

test: nothing tried, nothing known
run: wai-plan interval --successes 0 --n 0 --json
stdout json: {"rate":null,"interval":null,"note_codes":["no_interval"]}

test: a column of numbers, here the one that wai-passat resamples
run:
  printf '%s\n' 0.5 1 0.5 0 | wai-plan interval --json
  wai-passat base.jsonl --json | jq -c '{mean: .pass_at_1, interval: .ci95}'
stdout rows:
  {"mean":0.5,"interval":[0.125,0.875],"n":4,"method":"percentile","seed":0}
  {"mean":0.5,"interval":[0.125,0.875]}

test: two numbers have no interval
run: printf '1\n2\n' | wai-plan interval
stdout:
  1.5  n 2, percentile, 95%
  note: 2 numbers, and an interval needs 3

test: what is no number is a bad line
run: printf '1\n"2"\n' | wai-plan interval
exit: 3
stderr has: -:2: not a number; write one JSON number a line

test: bad lines are skipped when asked
run: printf '1\nx\nNaN\n2\n3\n' | wai-plan interval --on-bad skip --json
stdout json: {"n":3,"mean":2.0}

test: passes and tries go together, without files, in order
run:
  for o in '--successes 3' '--n 3' '--successes 4 --n 3' '--successes 1 --n 3 base.jsonl' '--seed x' '--level 1'; do
    wai-plan interval $o < /dev/null 2> err; [ $? = 2 ] || echo "$o: $?"; [ "$(wc -l < err)" = 1 ] || cat err
  done
stdout:

# ---- self-check

test: threads do not change it
run:
  wai-plan self-check --trials 6 --n-boot 100 --json > one.json
  wai-plan self-check --trials 6 --n-boot 100 --json -j 3 | cmp - one.json
stdout:

test: a trial takes the interval that is asked for
run:
  hits() { wai-plan self-check --trials 100 --n-boot 200 --interval $1 --seed 2 --json | jq .checks[1].hits; }
  [ "$(hits t)" -gt "$(hits percentile)" ] && echo covers more
stdout:
  covers more

test: flagged checks are red
run: wai-plan self-check --trials 10 --n-boot 50 --flag-at 0.001
exit: 1
stdout has: FLAG
stdout has: before a flag is believed, run it with --full

test: trials, alpha and the flag out of range
run:
  for o in '--trials 0' '--alpha 0' '--alpha 1' '--flag-at 0' '--n-boot 0' '--seed 1.5'; do
    wai-plan self-check $o 2> err; [ $? = 2 ] || echo "$o: $?"; [ "$(wc -l < err)" = 1 ] || cat err
  done
stdout:

# ---- all

test: --report has what --json prints
run:
  wai-plan eval-power base.jsonl --report r.json > text
  wai-plan eval-power base.jsonl --json | cmp - r.json
  grep -c tasks text
stdout matches: ^\d+$

test: a report that cannot be written
run: wai-plan noise-band --run-std 0.1 --report nowhere/r.json
exit: 5
stderr has: nowhere

test: a full disk
run: wai-plan noise-band --run-std 0.1 > /dev/full
exit: 5
stderr has: free some space

test: a closed pipe ends quietly
run: (trap '' PIPE; sleep 0.1; wai-plan self-check --trials 1 --n-boot 10 2> err; cat err >&2) | true
stderr lacks: Traceback

test: compressed rows
needs: zstd
run: zstd -q base.jsonl; wai-plan eval-power base.jsonl.zst --json
stdout json: {"n_tasks":4}

test: recommend sizes a run by the grid or the target
run:
  wai-plan recommend --tools '[{"name":"ping"}]' --json
  wai-plan recommend --tools '[{"name":"ping"}]' --json --mode RL --target 100 --mixed-rate 3
  wai-plan recommend --tools '[{"name":"ping"}]' --json --mode other --mixed-rate 0.04 --target 500
stdout rows:
  {"wai_report":"wai-plan recommend","mode":"sft","grid_cells":52,"budget":2400,"optimize_target":800,"simulate_kwargs":{"mode":"sft","budget":2400,"time_budget":null}}
  {"mode":"rl","situations":104,"budget":832,"mixed_rate":1,"expected_rows_successive":832,"rollouts_per_request":8}
  {"mode":"rl","situations":1563,"budget":12504,"mixed_rate":0.04}

test: recommend without an agent still answers
run: wai-plan recommend
stdout has: 2400 rows, to select 800

test: recommend refuses what it cannot size
run:
  wai-plan recommend --target -5; echo $?
  wai-plan recommend --target many; echo $?
  wai-plan recommend --mixed-rate nan; echo $?
  wai-plan recommend --tools missing.json; echo $?
  wai-plan recommend extra; echo $?
stdout:
  2
  2
  2
  3
  2

# ---- scripts/recipes/eval-any-good

test: a report on an eval, from its rows
needs: jq
run: sed 's/}$/,"markers":{"ok":1,"never":0}}/' base.jsonl | "$SOURCE/scripts/recipes/eval-any-good" -
exit: 1
stdout:
  ok    room to move             pass@1 0.5 [0.125..0.875] over 4 tasks
  ok    headroom                 pass@2 0.75 [0.25..1] is 0.25 over pass@1
  BAD   contains the behaviour   never seen here, so no gain can show here: "marker:never"
  WARN  self-noise               one run, or none that the rows name: evaluate again (--rerun FILE, or lineage.eval_run)
  ok    the judge                100% of 8 rows are graded; what the reward tracks was not looked at
  WARN  contamination            not asked: name the training rows (--train FILE)
stderr empty

test: a report on two arms that are one
needs: jq
run:
  sed 's/}$/,"policy_version":"m@1","user_model":"u1"}/' base.jsonl > a.jsonl
  sed 's/u1/u2/' a.jsonl > b.jsonl
  "$SOURCE/scripts/recipes/eval-any-good" --rerun a.jsonl --rerun a.jsonl --train tuned.jsonl --claim 0.1 a.jsonl b.jsonl
exit: 1
stdout has:
  ok    self-noise               3 runs spread by 0 (very_stable): claim no less than 0
stdout has: BAD   contamination            6 of 7 training rows repeat this eval
stdout has: BAD   arms differ              both sides are "m@1"
stdout has: BAD   same user                the simulated person changed with the agent: "u1", "u2"
stdout has: BAD   the comparison           pass@1 0.5
stdout has: unreadable, see above

test: a report on rows without a verdict
needs: jq
run: sed 's/"reward":[01]/"reward":null/' base.jsonl > none.jsonl; "$SOURCE/scripts/recipes/eval-any-good" none.jsonl
exit: 1
stdout has: BAD   room to move             no row carries a verdict of 0 or 1
stdout has: BAD   the judge                only 0% of 8 rows are graded

test: a report on a file that is not there
needs: jq
run: "$SOURCE/scripts/recipes/eval-any-good" nowhere.jsonl
exit: 3
stdout empty
stderr has: nowhere.jsonl

test: bad usage of the report
run:
  for o in '--claim x base.jsonl' '--train' '--x' 'a b c'; do
    "$SOURCE/scripts/recipes/eval-any-good" $o 2> err; [ $? = 2 ] || echo "$o: $?"
  done
stdout:

test: the report shows itself
needs: jq
run: "$SOURCE/scripts/recipes/eval-any-good" | sed 1d | awk '{ print $1, $2 }'
stdout:
  ok room
  ok headroom
  BAD contains
  ok self-noise
  ok the
  BAD contamination
  ok arms
  ok same
  ok the
