#!/usr/bin/env python3
"""The verifier sql against the rule written again in Python, on Python's own sqlite3: random tables, random
pairs of queries, right answers with columns and rows moved, numbers spelled otherwise, limits, broken SQL."""
import argparse
import itertools
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

MAX_ROWS, COLUMNS = 200, 5
WORDS = ["north", "South", " east", "WEST", "$1,200", "12.5", "007", "n/a", "", "1e3", "-0.0"]


def schema(rng):
    lines = ["create table t(id integer, name text, price real, day text);"]
    for i in range(rng.randrange(5, 30)):
        name = rng.choice(WORDS).replace("'", "''")
        price = rng.choice(["null", str(round(rng.uniform(-50, 50), rng.randrange(5))), str(rng.randrange(5))])
        lines.append(f"insert into t values ({rng.randrange(8)}, '{name}', {price}, '2024-0{rng.randrange(1, 9)}-01');")
    return "\n".join(lines)


def query(rng):
    columns = rng.sample(["id", "name", "price", "day", "id * 2", "price / 3", "upper(name)", "round(price, 1)", "count(*)",
                          "sum(price)", "avg(price)", "'$' || id", "null", "id + 0.004"], rng.randrange(1, 5))
    grouped = any(c.split("(")[0] in ("count", "sum", "avg") for c in columns)
    text = "select " + ", ".join(columns) + " from t"
    if rng.random() < 0.4:
        text += rng.choice([" where id > 3", " where price is null", " where name like '%s%'", " where 0"])
    if grouped:
        text += " group by id"
    if rng.random() < 0.4:
        text += " order by " + rng.choice(["1", "1 desc", "id"])
    if rng.random() < 0.2:
        text += f" limit {rng.randrange(4)}"
    return text


def other(rng, text):
    """The query again, more or less."""
    kind = rng.randrange(8)
    if kind == 0:
        return text.upper().replace("'%S%'", "'%s%'")
    if kind == 1:
        return text + " desc" if "order by" in text and "limit" not in text else text
    if kind == 2:
        return f"select * from ({text}) order by random()"
    if kind == 3:
        body = text[len("select "):text.index(" from t")]
        parts = re.split(r", (?![^(]*\))", body)
        rng.shuffle(parts)
        return "select " + ", ".join(parts) + text[text.index(" from t"):]
    if kind == 4:
        return f"with q as ({text}) select * from q union all select * from q"
    if kind == 5:
        return query(rng)
    if kind == 6:
        return text.replace("id", "idd", 1)
    return text


def number(text):
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text) is not None


def cell(value):
    if value is None:
        return ("null",)
    if isinstance(value, (int, float)):
        return ("number", round(float(value), 2) + 0.0)
    text = value.strip().lower()
    bare = text.replace(",", "").replace("$", "").strip()
    return ("number", round(float(bare), 2) + 0.0) if number(bare) else ("text", text)


def run(script, text):
    """Rows of normalised cells; None: it fails; too many."""
    db = sqlite3.connect(":memory:")
    db.executescript(script)
    try:
        rows = db.execute(text).fetchmany(MAX_ROWS + 1)
    except (sqlite3.Error, sqlite3.Warning):
        return None
    return [tuple(cell(v) for v in row) for row in rows]


def same(gold, given, ordered):
    if len(gold) != len(given):
        return False
    if not gold:
        return True
    n = len(gold[0])
    if n != len(given[0]):
        return False
    orders = itertools.permutations(range(n)) if n <= COLUMNS else [tuple(range(n))]
    for order in orders:
        moved = [tuple(row[i] for i in order) for row in given]
        if moved == gold or (not ordered and sorted(moved) == sorted(gold)):
            return True
    return False


def top_order(text):
    depth, plain = 0, []
    for c in re.sub(r"'[^']*'", "", text):
        depth += (c == "(") - (c == ")")
        plain.append(c if depth == 0 else " ")
    return re.search(r"\border\s+by\b", "".join(plain), re.I) is not None


def verdict(script, gold_text, given_text):
    gold, given = run(script, gold_text), run(script, given_text)
    if gold is None or len(gold) > MAX_ROWS:
        return None
    if given is None or len(given) > MAX_ROWS:
        return 0
    return int(same(gold, given, top_order(gold_text)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    binary = os.path.join(given.bin, "wai-grade")
    passed = failed = ones = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(max(1, given.cases // 100)):
            script = schema(rng)
            path = os.path.join(folder, "schema.sql")
            with open(path, "w") as f:
                f.write(script)
            pairs = []
            while len(pairs) < 100:
                gold = query(rng)
                reply = other(rng, gold)
                if "random()" in reply and (top_order(gold) or "limit" in gold):
                    continue
                pairs.append((gold, reply))
            wrap = ["{}", "```sql\n{};\n```", "<think>select 0</think>I run {}"]
            rows = "".join(json.dumps({"scenario_id": str(i), "answer": g, "final_text": rng.choice(wrap).format(r)}) + "\n"
                           for i, (g, r) in enumerate(pairs))
            done = subprocess.run([binary, "-V", f"sql:init={path}"], input=rows, capture_output=True, text=True)
            for (gold, reply), line in zip(pairs, done.stdout.splitlines()):
                got, wanted = json.loads(line), verdict(script, gold, reply)
                ones += wanted == 1
                if got["reward"] == wanted:
                    passed += 1
                    continue
                failed += 1
                if failed <= 10:
                    print(f"{gold} | {reply}: {got['reward']} ({got.get('reason')}), not {wanted}\n{script if failed == 1 else ''}")
            failed += len(pairs) - len(done.stdout.splitlines())
    print(f"{ones} of {passed + failed} pairs are equal")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
