test: an answer counts however it is spelled
file rows.jsonl:
  {"final_text":"The answer is $\\frac{2}{4}$.","answer":"0.5"}
  {"final_text":"So x = \\boxed{2\\sqrt{2}}","answer":"\\sqrt{8}"}
  {"final_text":"It is 0.333","answer":"1/3"}
  {"final_text":"I cannot say","answer":"7"}
  {"final_text":"12","answer":["11","12"]}
  {"final_text":"12","answer":12}
  {"final_text":"12","answer":""}
  {"final_text":"12"}
run: wai-grade -V math-equal rows.jsonl | jq -c '[.reward, .reason, .judge_name]'
stdout:
  [1,"equal to the reference","MathEqual"]
  [1,"equal to the reference","MathEqual"]
  [0,"answers \"0.333\"","MathEqual"]
  [0,"no answer in the reply","MathEqual"]
  [1,"equal to the reference","MathEqual"]
  [1,"equal to the reference","MathEqual"]
  [null,"MathEqual: the reference is not a math expression","MathEqual"]
  [null,"MathEqual: the row has no reference to check against","MathEqual"]

test: a secret answer is not quoted
stdin:
  {"final_text":"$417+1$","privileged":{"reference":"417"}}
run: wai-grade -V math-equal
exit: 0
stdout has: answers \"<reference>+1\"

test: a comparison that takes too long is 0 and says budget
stdin:
  {"final_text":"$\\prod_{k=1}^{999} (x+k) \\cdot (1000+x)$","answer":"\\prod_{k=1}^{1000} (x+k)"}
run: wai-grade -V math-equal:timeout=0.001 | jq -c '[.reward, .reason]'
stdout:
  [0,"budget: the comparison takes too long"]

test: verifiers go together, math-equal among them
stdin:
  {"final_text":"by f: $x=2$","answer":"2"}
run: wai-grade -V math-equal -V 'regex:pattern=f' --weights 3,1 | jq -c '[.reward, .judge_meta.parts]'
stdout:
  [1,{"MathEqual":1,"Regex":1}]

test: usage of math-equal
run:
  for spec in timeout=0 engine=other tolerance=1; do wai-grade -V "math-equal:$spec" < /dev/null; echo $? >&2; done
stderr has: math-equal: timeout is 0; more than 0
stderr has: engine is "other", native is wanted
stderr has: no key tolerance; its keys are timeout, engine, field, name

test: a query is judged by what it gives
file schema.sql:
  create table t(a integer, b text);
  insert into t values (1, 'x'), (2, 'y');
file rows.jsonl:
  {"final_text":"```sql\nselect b, a from t order by a desc;\n```","answer":"select a, b from t"}
  {"final_text":"select a from t limit 1","answer":{"sql":"select a from t"}}
  {"final_text":"I cannot","answer":"select 1"}
  {"final_text":"select nope from t","answer":"select 1"}
run: wai-grade -V sql:init=schema.sql rows.jsonl | jq -c '[.reward, .reason, .markers, .judge_name]'
stdout:
  [1,"the same rows",{"has_sql":1,"executes":1},"sql_exec"]
  [0,"other rows: 1 of 1 columns",{"has_sql":1,"executes":1},"sql_exec"]
  [0,"no query in the reply",{"has_sql":0,"executes":0},"sql_exec"]
  [0,"the query does not run: no such column: nope",{"has_sql":1,"executes":0},"sql_exec"]

test: a reference that does not run leaves the row unjudged, and a secret one is not quoted
file rows.jsonl:
  {"final_text":"select 1","answer":"select nope_open"}
  {"final_text":"select 1","privileged":{"reference":"select nope_secret"}}
  {"final_text":"select 1"}
  {"final_text":"select 1","answer":17}
  {"final_text":"with recursive n(i) as (select 1 union all select i+1 from n where i < 9) select i from n","answer":"select 1"}
  {"final_text":"select 1","answer":"with recursive n(i) as (select 1 union all select i+1 from n where i < 9) select i from n"}
run: wai-grade -V 'sql:{"init":"create table t(a)","max_rows":5}' rows.jsonl | jq -c '[.reward, .judge_status, .reason, .judge_meta.error]'
stdout:
  [null,"error",null,"sql_exec: the reference does not run: no such column: nope_open"]
  [null,"error",null,"sql_exec: the reference does not run"]
  [null,"invalid_result","sql_exec: the row has no reference to check against",null]
  [null,"invalid_result","sql_exec: the reference is no SQL text",null]
  [0,"ok","the query gives more than 5 rows",null]
  [null,"error",null,"sql_exec: the reference gives more than 5 rows; raise max_rows"]

test: order counts when the reference orders, or when it is said
file rows.jsonl:
  {"final_text":"select 2 union all select 1","answer":"select 1 as a union all select 2 order by a"}
  {"final_text":"select 2 union all select 1","answer":"select 1 union all select 2"}
run:
  for ordered in auto yes no; do
    wai-grade -V "sql:init=create table t(a),ordered=$ordered" rows.jsonl | jq -c .reward
  done
stdout:
  0
  1
  0
  0
  1
  1

test: what ran and differs is worth what partial says
stdin:
  {"final_text":"select 2","answer":"select 1"}
  {"final_text":"select nope","answer":"select 1"}
run: wai-grade -V 'sql:{"init":"create table t(a)","partial":0.1}' | jq -c .reward
stdout:
  0.1
  0

test: a database file is only read, a hostile query changes nothing
run:
  python3 - <<'END'
  import sqlite3
  db = sqlite3.connect("a.db")
  db.executescript("create table t(a); insert into t values (1),(2);")
  END
  sha256sum a.db > before
  cat > rows.jsonl <<'END'
  {"final_text":"select a from t","answer":"select 2 union select 1"}
  {"final_text":"with x as (select 1) delete from t","answer":"select 1"}
  {"final_text":"select load_extension('./x')","answer":"select 1"}
  {"final_text":"with recursive n(i) as (select 1 union all select i+1 from n) select count(*) from n","answer":"select 1"}
  {"final_text":"select length(zeroblob(1000000000))","answer":"select 1"}
  {"final_text":"select * from pragma_database_list","answer":"select 1"}
  END
  wai-grade -V sql:db=a.db,timeout_ms=100 rows.jsonl | jq -c '[.reward, .reason]'
  sha256sum -c --quiet before; ls
stdout:
  [1,"the same rows"]
  [0,"the query does not run: not authorized"]
  [0,"the query does not run: not authorized to use function: load_extension"]
  [0,"the query takes longer than 100 ms"]
  [0,"the query does not run: string or blob too big"]
  [0,"the query does not run: not authorized"]
  a.db
  before
  rows.jsonl

test: a row names its database in a folder, and no other file
run:
  mkdir -p dbs/two; echo secret > outside.db
  python3 - <<'END'
  import sqlite3
  for path, n in (("dbs/one.sqlite", 1), ("dbs/two/two.sqlite", 2)):
      db = sqlite3.connect(path)
      db.executescript(f"create table t(a); insert into t values ({n});")
  END
  cat > rows.jsonl <<'END'
  {"db_id":"one","final_text":"select a from t","answer":"select 1"}
  {"db_id":"two","final_text":"select a from t","answer":"select 2"}
  {"db_id":"one","final_text":"select a from t","answer":"select 2"}
  {"db_id":"../outside","final_text":"select a from t","answer":"select 2"}
  {"final_text":"select a from t","answer":"select 2"}
  END
  wai-grade -V sql:db=dbs,db_field=db_id rows.jsonl | jq -c '[.reward, .judge_meta.error]'
stdout:
  [1,null]
  [1,null]
  [0,null]
  [null,"sql_exec: no database ../outside in dbs"]
  [null,"sql_exec: no database  in dbs"]

test: verdicts do not depend on the number of workers
run:
  for i in $(seq 60); do
    echo "{\"final_text\":\"select $i\",\"answer\":\"select $((i % 7))\"}"
    echo '{"final_text":"with recursive n(i) as (select randomblob(5000) union select randomblob(5000) from n) select count(*) from n","answer":"select 1"}' | head -n $((i == 30))
  done > rows.jsonl
  wai-grade -j 1 --run-id r -V 'sql:init=create table t(a),timeout_ms=600000' rows.jsonl > one
  wai-grade -j 4 --run-id r -V 'sql:init=create table t(a),timeout_ms=600000' rows.jsonl | cmp - one && echo same
stdout:
  same

test: usage of sql
run:
  for spec in sql sql:db=x.db sql:init=x.sql 'sql:init=create nonsense' sql:db=x,init=y sql:db_field=a,init=y sql:digits=99,init=y \
    sql:max_perm_cols=9,init=y sql:partial=2,init=y; do
    wai-grade -V "$spec" < /dev/null; echo $? >&2
  done
stderr has: wai-grade: sql: the database is one of db=FILE and init=SCRIPT
stderr has: x.db: the database does not open
stderr has: init: cannot read x.sql
stderr has: the script does not run
stderr has: db_field names a database in a folder
stderr has: digits is 99; 0 to 15 are wanted
stderr has: max_perm_cols is 9; 0 to 8 are wanted
stderr has: partial is 2; 0 to 1 are wanted

test: calls that the reference allows
file rows.jsonl:
  {"ground_truth":[{"weather.get":{"city":["New York, NY","NYC"],"unit":["C",""]}}],"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"weather_get","arguments":"{\"city\": \"new york ny\"}"}}]}]}
  {"ground_truth":[{"weather.get":{"city":["NYC"],"unit":["C",""]}}],"steps":[{"tool":"weather.get","arguments":{"city":"NYC","unit":"F"}}]}
  {"ground_truth":[{"f":{"a":[1]}},{"g":{"b":[2]}}],"final_text":"[g(b=2), f(a=1)]"}
  {"ground_truth":[{"f":{"a":[1]}}],"final_text":"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>"}
  {"ground_truth":[{"f":{"a":[1]}}],"final_text":"```json\n[{\"f\": {\"a\": 2}}]\n```"}
  {"ground_truth":[{"name":"f","arguments":{"a":1}}],"final_text":"f(a=1)"}
  {"ground_truth":["f(a=1)"],"final_text":"f(a=1, b=2)"}
  {"ground_truth":[],"final_text":"No tool fits."}
  {"ground_truth":[{"f":{"a":[1]}}],"final_text":"No tool fits."}
  {"ground_truth":"no calls","final_text":"f(a=1)"}
  {"final_text":"f(a=1)"}
run: wai-grade -V tool-call:field=ground_truth rows.jsonl | jq -c '[.reward, .reason]'
stdout:
  [1,"the calls wanted"]
  [0,"argument unit has another value"]
  [1,"the calls wanted"]
  [1,"the calls wanted"]
  [0,"argument a has another value"]
  [1,"the calls wanted"]
  [0,"argument b is not wanted"]
  [1,"the calls wanted"]
  [0,"0 calls instead of 1"]
  [null,"ToolCall: the reference is no list of calls"]
  [null,"ToolCall: the row has no reference to check against"]

test: a tool named in the arguments
file rows.jsonl:
  {"steps":[{"tool":"find","arguments":{"q":"x"}},{"tool":"pay","arguments":{"id":7,"sum":3}}]}
  {"steps":[{"tool":"pay","arguments":{"id":8}},{"tool":"pay","arguments":{"id":7}}]}
  {"steps":[]}
run:
  grade() { echo $(wai-grade -V "tool-call:$1" rows.jsonl | jq -c .reward); }
  grade tool=pay
  grade '{"tool":"pay","arguments":{"id":7}}'
  grade '{"tool":"pay","arguments":{"id":7},"match":"exact"}'
  grade tool=pay,first=yes
  grade tool=pay,count=2
  grade tool=pay,count=0
  grade 'tool=pay,arguments={"id":7}'
stdout:
  1 1 0
  1 1 0
  0 1 0
  0 1 0
  0 1 0
  0 0 1
  1 1 0

test: values spelled as Java and JavaScript spell them
file rows.jsonl:
  {"answer":[{"f":{"n":[50],"x":[2.5],"b":[true],"s":["50L"]}}],"final_text":"f(n='50L', x='2.5f', b='true', s='50L')"}
run:
  wai-grade -V tool-call rows.jsonl | jq -c .reward
  wai-grade -V tool-call:literals=yes rows.jsonl | jq -c .reward
stdout:
  0
  1

test: usage of tool-call
run:
  for spec in first=yes count=2 tool=a,count=1.5 tool=a,arguments=3 tols=a; do
    wai-grade -V "tool-call:$spec" < /dev/null; echo $? >&2
  done
stderr has: tool-call: arguments, match, first and count go with tool=NAME
stderr has: count is 1.5, a whole number is wanted
stderr has: arguments is 3, a JSON object is wanted
stderr has: no key tols; its keys are tool, arguments

test: no rows, no verdicts; a closed pipe ends the tool
file rows.jsonl:
  {"final_text":"f()","answer":["f()"]}
run:
  wai-grade -V tool-call < /dev/null; wai-grade -V 'sql:init=create table t(a)' < /dev/null
  for i in $(seq 3000); do cat rows.jsonl; done | wai-grade -V tool-call | head -n 1 | jq -c .reward
stdout:
  1
