# wai-rows check: what is wrong with rows.

test: check counts problems, names the first bad rows and is red
file in.jsonl:
  {"prompt":"a","final_text":"b"}
  {}

  {"schema_version":"1","prompt":null,"steps":{},"final_text":"x","reward":true,"scenario_id":"t1"}
  {"schema_version":"7"}
  [1, 2]
run: wai-rows check in.jsonl
exit: 1
stdout:
  rows      5 (kind row), 4 with problems
  tasks     3
  shapes    loose 3, v1 2
  versions  0 2, 1 1, 7 1

       rows  problem
          1  empty_row
          1  prompt_not_str
          1  steps_not_list
          1  reward_is_bool
          1  unknown_schema_version:7
          1  not_a_dict

  in.jsonl:2: empty_row
  in.jsonl:4: prompt_not_str,steps_not_list,reward_is_bool
  in.jsonl:5: unknown_schema_version:7
  in.jsonl:6: not_a_dict
stderr empty

test: check of good rows is green
stdin:
  {"schema_version":"1","prompt":"a","steps":[],"final_text":"b","reward":null,"scenario_id":"t"}
  {"schema_version":1,"prompt":"a","steps":[],"final_text":"b","reward":0.5,"scenario_id":"t"}
run: wai-rows check
stdout:
  rows      2 (kind row), 0 with problems
  tasks     1
  shapes    v1 2
  versions  1 2
stderr empty

test: check names five bad rows and says how many more there are
run: for i in 1 2 3 4 5 6 7; do echo '{}'; done | wai-rows check
exit: 1
stdout has:
  -:5: empty_row
  and 2 more; --json names them, --bad FILE keeps them
stdout lacks: -:6:

test: check --json has these keys and no other
stdin:
  {"messages":[]}
  {"messages":[{"role":"user"}],"loss_mask":[1.0]}
run: wai-rows check --json --kind=training | jq -Sc '., keys_unsorted'
stdout:
  {"bad":[{"file":"-","line":1,"problems":["messages_missing"],"row":0}],"bad_rows":1,"kind":"training","problems":{"messages_missing":1},"rows":2,"shapes":{"loose":1,"training":1},"tasks":1,"versions":{"0":2},"wai_report":"wai-rows check"}
  ["wai_report","kind","rows","bad_rows","problems","shapes","versions","tasks","bad"]

test: check --kind preference
stdin:
  {"prompt":"q","chosen":[{"role":"assistant"}],"rejected":[]}
  {"prompt":"q","chosen":"x","rejected":[1]}
  {"prompt":"q","chosen":[1],"rejected":[2]}
run: wai-rows check --kind preference --json
exit: 1
stdout json: {"rows": 3, "bad_rows": 2, "problems": {"rejected_missing": 1, "chosen_missing": 1}}

test: check --strict
stdin:
  {"schema_version":"1","prompt":"p","steps":[{"text":"a"},{"tool":null},7],"final_text":"x","reward":1.5,"markers":{"a":1,"b":"x","c":null,"d":true,"e":"0.5"},"rollout_index":0}
  {"schema_version":"1","prompt":"p","steps":[{"user":"a","user":"b"}],"final_text":"x","reward":NaN,"rollout_index":0}
  {"schema_version":"1","steps":[],"reward":1e400,"rollout_index":0,"reward":-0.5}
  {"schema_version":"1","prompt":"p","steps":[],"final_text":"","rollout_index":1}
run: wai-rows check --strict --json
exit: 1
stdout json: {"bad_rows": 3, "bad": [{"row": 0, "problems": ["reward_out_of_range", "marker_not_number:b", "step_not_object", "step_without_kind"]}, {"row": 1, "problems": ["reward_not_finite", "duplicate_key:user", "duplicate_rollout"]}, {"row": 2, "problems": ["reward_out_of_range", "task_missing", "final_text_missing", "duplicate_key:reward"]}]}

test: without --strict those rows are fine
stdin:
  {"schema_version":"1","prompt":"p","steps":[{"tool":null},7],"final_text":"x","reward":NaN,"reward":7}
run: wai-rows check

test: check --examples bounds what is named, not what is counted
run: printf '{}\n{}\n{}\n' | wai-rows check --json --examples 2
exit: 1
stdout json: {"bad_rows": 3, "problems": {"empty_row": 3}, "bad": [{"row": 0}, {"row": 1}]}

test: check --examples 0
run: printf '{}\n' | wai-rows check --json --examples 0
exit: 1
stdout json: {"bad": []}

test: check --good and --bad part the rows, byte for byte
file in.jsonl:
  {"a" : 1, "b":"\u00e9"}
  {}
  {"schema_version":"1","reward":"1"}
  {"c":1e0}
run: wai-rows check --good good.jsonl --bad bad.jsonl.zst in.jsonl; zstd -dqc bad.jsonl.zst
exit: 0
stdout has:
  {}
  {"schema_version":"1","reward":"1"}
file good.jsonl is:
  {"a" : 1, "b":"\u00e9"}
  {"c":1e0}

test: check --report writes the object beside the table
run: echo '{"a":1}' | wai-rows check --report report.json; jq -r .wai_report report.json
stdout has:
  rows      1 (kind row), 0 with problems
  tasks     1
stdout has: wai-rows check
stderr empty

test: no rows: a report of zeros, exit 0, a note
run: printf '\n  \n' | wai-rows check --json
stdout json: {"rows": 0, "bad_rows": 0, "problems": {}, "shapes": {}, "versions": {}, "tasks": 0, "bad": []}
stderr:
  wai-rows: no row arrived

test: --quiet keeps the note back
run: wai-rows check --quiet < /dev/null
stderr empty

test: a line that is no JSON stops the check
file in.jsonl:
  {"a":1}
  {"a":1
run: wai-rows check --json in.jsonl
exit: 3
stdout empty
stderr matches: ^wai-rows: in\.jsonl:2: not JSON at byte 7: .*; mend the line or pass --on-bad skip$

test: a line that is no JSON is skipped, counted and reported
file in.jsonl:
  {"a":1}
  {"a":1
  {"a":2}
run: wai-rows check --on-bad skip --json in.jsonl
stdout json: {"rows": 2, "skipped_lines": 1}
stderr matches: ^wai-rows: warning: 1 bad line was left out; the first: in\.jsonl:2: not JSON at byte 7: [^;]*$

test: a line that is no JSON is moved to a file
file in.jsonl:
  {"a":1
  {"a":2}
run: wai-rows check --on-bad moved in.jsonl
file moved is:
  {"a":1
stderr has: 1 bad line was left out

test: bytes that are not UTF-8 are a bad line
run: printf '{"a":"\xff"}\n' | wai-rows check
exit: 3
stderr has: -:1: not JSON at byte 7

test: a line over --max-line is a bad line, the next one is read
run: printf '{"a":"0123456789"}\n{}\n' | wai-rows check --max-line 12 --on-bad skip --json
exit: 1
stdout json: {"rows": 1, "skipped_lines": 1, "bad": [{"row": 1, "line": 2}]}

test: CR, byte order mark and blank lines are no problem
run: printf '\xef\xbb\xbf{"a":1}\r\n\r\n{"a":2}' | wai-rows check --json
stdout json: {"rows": 2, "bad_rows": 0}

test: compressed rows by file and by pipe, several frames
needs: zstd
run: (echo '{"a":1}' | zstd -q; echo '{}' | zstd -q) > in.jsonl; wai-rows check --json in.jsonl; wai-rows check < in.jsonl
exit: 1
stdout has: "bad":[{"row":1,"file":"in.jsonl","line":2,"problems":["empty_row"]}]
stdout has: -:2: empty_row

test: compressed rows that are cut short
needs: zstd
run: seq 100000 | sed 's/.*/{"a":&}/' | zstd -q | head -c 20000 > cut.zst; wai-rows check cut.zst
exit: 3
stdout empty
stderr has: cut.zst: the zstd data ends inside a frame, at byte 20000; the file is cut short: fetch or write it again

test: a file that is not there, before any row is read
run: wai-rows check - missing.jsonl
exit: 3
stderr:
  wai-rows: missing.jsonl: cannot be opened: No such file or directory

test: the same report at any number of jobs
run:
  for i in $(seq 20000); do echo "{\"schema_version\":\"1\",\"prompt\":$((i % 7 ? 1 : 0)),\"scenario_id\":\"t$((i % 31))\"}"; done > in
  sed -i 's/"prompt":0/"prompt":"x"/' in
  for j in 1 2 3 8; do wai-rows check -j $j --json in | md5sum; done | sort -u | wc -l
stdout:
  1

test: text of a row cannot steer the terminal
run: printf '{"schema_version":"\\u001b[31m\\u0007\\nx"}' | wai-rows check
exit: 1
stdout has: unknown_schema_version:\x1b[31m\x07\nx

test: check --print-schema
run: wai-rows check --print-schema | jq -c '[.required, .properties.schema_version.const]'; wai-rows check --print-schema=training | jq -c .required; wai-rows check --print-schema=preference | jq -c .required
stdout:
  [["schema_version","prompt","steps","final_text"],"1"]
  ["messages"]
  ["chosen","rejected"]

test: --print-schema of an unknown kind
run: wai-rows check --print-schema=rows
exit: 2
stderr:
  wai-rows: --print-schema=rows: no such kind; one of row|training|preference

test: bad usage
run: wai-rows check --kind rows < /dev/null
exit: 2
stdout empty
stderr has: not one of row, training, preference

test: a verb is required
run: wai-rows < /dev/null
exit: 2
stdout empty

test: standard output that is full
run: echo '{"a":1}' | wai-rows check > /dev/full
exit: 5
stderr has: standard output
stderr has: No space left on device

test: a full disk under --good leaves nothing behind
run: yes '{"a":1}' | head -100000 | wai-rows check --good /dev/full; echo $?; ls
stdout:
  5
stderr has: /dev/full

test: a reader that has gone ends it quietly
run: (yes '{"a":1}' | head -100000; sleep 1) | wai-rows check --good /dev/stdout | head -1; echo ${PIPESTATUS[1]}
stdout:
  {"a":1}
  141
stderr empty
