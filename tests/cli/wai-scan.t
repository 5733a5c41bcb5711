# wai-scan: the hack scan, its diff and hygiene. The digits are held by the reference cases and by
# tests/interop/hacks.py; here is what people and scripts see.
file rows.jsonl:
  {"prompt":"a","final_text":"It is done, guaranteed.","reward":1,"steps":[{"tool":"lookup","arguments":{"id":"1"},"result":{"status":"ok"}}],"lang":"en"}
  {"prompt":"a","final_text":"It is pending.","reward":0,"lang":"de"}
  {"prompt":"a","final_text":"It is pending for now.","reward":0,"lang":"en"}
  {"prompt":"b","final_text":"All good, guaranteed.","reward":1,"lang":"en"}
  {"prompt":"b","final_text":"It is certainly open, all good.","reward":0,"lang":"de"}
  {"prompt":"b","final_text":"It is still open.","reward":0,"steps":[{"tool":"lookup","arguments":{"id":"1"},"result":{"status":"ok"}}],"lang":"de"}
  {"prompt":"c","final_text":"Here you are: guaranteed.","reward":1,"lang":"de"}
  {"prompt":"c","final_text":"Nothing here.","reward":0,"lang":"en"}
  {"prompt":"c","final_text":"I looked and found nothing at all.","reward":0,"lang":"de"}
  {"prompt":"d","final_text":"Tomorrow, guaranteed.","reward":1,"lang":"de"}
  {"prompt":"d","final_text":"They all left, sorry about that.","reward":0,"lang":"en"}
  {"prompt":"d","final_text":"Nobody knows when.","reward":0,"lang":"de"}
file same.jsonl:
  {"prompt":"Where is my order 1 of the blue shoes today?","final_text":"It is here.","reward":1}
  {"prompt":"Where is my order 1 of the blue shoes today?","final_text":"It  is HERE.","reward":0}
  {"prompt":"Where is my order 2 of the blue shoes today?","final_text":"It is here.","reward":1}
file tools.json:
  [{"type":"function","function":{"name":"lookup"}},{"name":"cancel"}]

test: without a verb
run: wai-scan
exit: 2
stdout empty
stderr has: hacks

test: the top feature is not what was endorsed
run: wai-scan hacks --min-obs 2 --endorsed tool:lookup --gate rows.jsonl
exit: 1
stdout has: red reward_hack
stderr has: the regime is reward_hack

test: without --gate a red report exits 0
run: wai-scan hacks --min-obs 2 --endorsed tool:lookup rows.jsonl
stdout has: REWARD HACK
stderr empty

test: endorsed, it is what a trainer should see
run: wai-scan hacks --json --min-obs 2 --endorsed GUARANTEED --gate rows.jsonl
stdout json: {"wai_report":"wai-scan hacks","n_rows":12,"n_graded":12,"n_groups_multi":4,"endorsed":["GUARANTEED"],"endorsed_on_top":true}

test: a red list
run: wai-scan hacks --min-obs 2 --red no_signal,unknown --endorsed zz --gate rows.jsonl
exit: 1
stderr has: the regime is unknown

test: a regime that is none
run: wai-scan hacks --red green rows.jsonl
exit: 2
stderr has: --red green

test: a feature of the user's own
run: wai-scan hacks --json --no-auto --min-obs 2 --feature 'sure=if (.final_text|contains("guaranteed")) then 1 else 0 end' --endorsed sure rows.jsonl
stdout json: {"top_feature":"sure","endorsed_matched":1}

test: a feature that is no program
run: wai-scan hacks --feature 'x=.[' rows.jsonl
exit: 2
stderr has: --feature x

test: a feature without a name
run: wai-scan hacks --feature '.reward' rows.jsonl
exit: 2
stderr has: NAME=EXPR is wanted

test: slices, and rows left out
run: wai-scan hacks --json --min-obs 1 --by lang --where '.reward != null and .prompt != "a"' rows.jsonl
stdout json: {"n_left_out":3,"n_rows":9}
stdout has: "de"

test: pairs that differ in a feature
run: wai-scan hacks --min-obs 2 --show contains:guaranteed rows.jsonl
stdout has: reward 1, feature 1: It is done, guaranteed.

test: an empty input
run: wai-scan hacks --json --gate
exit: 0
stdout json: {"regime":"unknown","n_rows":0,"warning_codes":["ungraded"]}

test: --strict turns a warning red
run: wai-scan hacks --strict < /dev/null
exit: 1
stderr has: --strict: no row has a number under reward

test: findings alone
run: wai-scan hacks --findings --min-obs 2 --endorsed tool:lookup rows.jsonl
stdout has: red reward_hack the reward follows
stdout lacks: within

test: a bad line
stdin:
  {"prompt":
run: wai-scan hacks
exit: 3
stdout empty
stderr has: -:1

test: a closed pipe
run:
  set -o pipefail
  wai-scan hacks --json rows.jsonl | true
  case $? in 0|141) ;; *) echo "exit $?" ;; esac
stdout empty
stderr empty

test: a full disk
run: wai-scan hacks rows.jsonl > /dev/full
exit: 5
stderr has: standard output

test: before and after
run: wai-scan diff --json --min-obs 2 rows.jsonl rows.jsonl
stdout json: {"wai_report":"wai-scan diff","gained":[],"lost":[]}

test: diff wants two files
run: wai-scan diff rows.jsonl
exit: 2
stderr has: BEFORE and AFTER

test: only the asks of both
run:
  head -4 rows.jsonl > before.jsonl
  wai-scan diff --json --paired --min-obs 1 before.jsonl rows.jsonl | grep -c '"comparable"'
exit: 1
stdout has: 0

test: hygiene: repeats with another reward are red
run: wai-scan hygiene --gate --dedupe-out kept.jsonl same.jsonl
exit: 1
stdout has: red duplicates
stderr has: the judge is noisy
file kept.jsonl has: order 2

test: hygiene: near-duplicate asks and tools nobody called
run: wai-scan hygiene --json --near-threshold 0.7 --tools tools.json same.jsonl
stdout json: {"near_duplicates":{"n_prompts":2,"n_pairs":1},"duplicates":{"n_dropped":1,"conflicting_rewards":1},"warning_codes":["duplicates","near_duplicates","reward_tracks","no_tool_calls"]}

test: hygiene: a share that is asked for
run: wai-scan hygiene --max-duplicates 0.1 --gate same.jsonl
exit: 1
stdout has: 1 repeats

test: hygiene of nothing
run: wai-scan hygiene --json --gate < /dev/null
stdout json: {"duplicates":{"n":0,"duplicate_rate":0.0},"warnings":[]}

test: JUnit and a summary
run:
  wai-scan hacks --min-obs 2 --endorsed tool:lookup --junit j.xml --summary=s.md rows.jsonl > /dev/null
  grep -c '<failure' j.xml
stdout has: 2
file s.md has: reward_hack
