#!/usr/bin/env python3
"""wai-grade against the package's judge contract and verifiers, on random rows.

    grade.py --bin DIR [--cases N] [--seed S] [--keep FOLDER]

Judge contract: what a verdict may be and where it lands (run_judge, with and without a scale). Verifiers:
ExactMatch, Includes, Regex, Numeric, and All, Any, Weighted of them: the reward of every row, or none.
Where the two differ on purpose the inputs keep clear of it (the ids are the deviations of the manual page):

  - a NaN or infinite score (D5, D11); the package's type names in judge_meta (D5)
  - metadata beside a null reward, and the reason of one without a number, which the package drops (D6); a stale reason (D8); lineage null (D9)
  - exact-match of numbers with signs or points: numbers=loose is compared (D12)
  - booleans as references where case counts: they are spelled as JSON spells them (D14)
  - blank needles and empty lists (D13), lists as references of regex, objects as references
  - regex: the two dotted and dotless Turkish i, which Python's IGNORECASE takes for an i
  - numeric: .5, a dot behind "answer is", a/b with decimals, by zero or in dates, 5-3, 1_000, U+2212, several
    answer phrases, several fractions (D17); differences at the very edge of a tolerance
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import Count, options  # noqa: E402

import whileai.simulations as wai
import whileai.simulations.verify as verify

WORDS = ["Paris", "paris", "the", "42", "4.2", "red", "RED", "Straße", "STRASSE", "İ", "é", "É", "日本", "a-b", "a b", "x,", "(y)",
         "don't", "“q”", "$5", "1,234", "true", "ΣΑΣ", "σας", "ﬁ", "no.", "A", "_", "e\u0301"]
BLANKS = [" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\x1c", "\x85", "\u2028", "\x0b"]


def text(r, n=None):
    return "".join(r.choice(WORDS) + r.choice(BLANKS) for _ in range(r.randint(0, 5) if n is None else n))


def wrap(r, s):
    return r.choice(["", " ", "\n", "Well:\n", "so\n"]) + s + r.choice(["", ".", "!", "\n", "  \n\n", " "])


def change(r, s):
    how = r.randrange(6)
    if how == 0:
        return s.upper()
    if how == 1:
        return s.lower()
    if how == 2:
        return s.replace(" ", r.choice(BLANKS))
    if how == 3:
        return s + r.choice([",", "?", "'"])
    return s


# ---- verifiers: (spec, package's verifier, maker of (candidate, reference))

def exact(r):
    reference = r.choice([r.choice(WORDS), text(r, 2), r.randint(-5, 99), True, False, [r.choice(WORDS), text(r, 1)]])
    base = r.choice(reference) if isinstance(reference, list) else reference
    base = {True: "true", False: "false"}.get(base, str(base)) if isinstance(base, bool) else str(base)
    return r.choice([wrap(r, change(r, base)), wrap(r, base), text(r), change(r, base)]), reference


def includes(r):
    needles = [w for w in (r.choice(WORDS) for _ in range(r.randint(1, 3)))]
    reference = r.choice([needles, needles[0], r.randint(0, 50), True])
    candidate = text(r)
    for n in needles:
        if r.random() < 0.6:
            candidate += change(r, n) + r.choice(BLANKS)
    return candidate + r.choice(["", " 7 ", "TRUE", "12"]), reference


PATTERNS = [r"total: *(?P<n>[0-9.]+)", r"(\w+)\s*$", r"^\s*(\S+)", r"\b(\d+)\b", r"([a-z]+)[^a-z]*\Z", r"(?:x|y)?(\w)(?P<n>\w*)", r"(.)\1",
            r"\s(\S+)\s", r"[\s,]+(\w+)", r"[^\W\d_]+", r"(?<=a)(.)", r"(a|ab)(c|bcd)?", r"\D(\d{2,})", r"(?i:PARIS)", r"(?m)^(\w+)$", r"\$(\d)",
            r"(?P<n>\w)(?P=n)", r"[\w.]+", r"(\W+)"]


def regex_case(r):
    pattern = r.choice(PATTERNS)
    group = None
    if "(?P<n>" in pattern and r.random() < 0.7:
        group = "n"
    elif "(" in pattern and not pattern.startswith("(?i") and r.random() < 0.7:
        group = r.choice([0, 1])
    return pattern, group


def regex_row(r):
    candidate = text(r) + r.choice(["", "total: 42", "Total:7.5", "aa", "abcd", "12 345", "$5"]) + r.choice(["", "\n", " "])
    reference = r.choice([None, None, r.choice(WORDS), "42", 42, 7.5, "7.5", text(r, 1), "a", ""])
    return candidate.replace("İ", "I"), reference


def plain_number(r):
    n = r.choice([r.randint(0, 20), r.randint(0, 10 ** 6), round(r.uniform(0, 100), r.randint(1, 4))])
    s = r.choice([str(n), f"{n:,}", f"{n}e{r.randint(0, 3)}" if isinstance(n, int) else str(n), "$" + str(n), str(n) + "%", "-" + str(n)])
    return s


def numeric(r):
    number = plain_number(r)
    whole = number.split(".")[0] if "." in number else number
    candidate = r.choice([
        number, f"so it is {number}", f"first {plain_number(r)}\nthen {number}\n\n", f"\\boxed{{{number}}} or {plain_number(r)}",
        f"The answer is {whole}", f"Answer: {whole}\nbecause of {plain_number(r)}", f"result = ${whole}$", f"\\boxed{{\\frac{{{r.randint(1, 9)}}}{{{r.randint(1, 9)}}}}}",
        f"half: {r.randint(1, 9)}/{r.randint(1, 9)}", "no digits", "", f"{number} and {plain_number(r)} things", f"answer {number}", "\\boxed{x}",
    ])
    reference = r.choice([number, whole, plain_number(r), number.strip("$%"), r.randint(0, 20), "about " + number, "none", f"{r.randint(1, 9)}/{r.randint(1, 9)}"])
    return candidate, reference


def verifier_runs(r, cases):
    yield "exact-match:numbers=loose", verify.ExactMatch(), exact
    yield "exact-match:numbers=loose,whole=true", verify.ExactMatch(whole=True), exact
    yield "exact-match:numbers=loose,lower=false,strip_punct=no", verify.ExactMatch(lower=False, strip_punct=False), exact
    yield "includes", verify.Includes(), includes
    yield "includes:mode=any,lower=0", verify.Includes(mode="any", lower=False), includes
    for _ in range(12):
        pattern, group = regex_case(r)
        args = {"pattern": pattern}
        keys = {}
        if group is not None:
            args["group"] = keys["group"] = group
        if r.random() < 0.3:
            args["flags"] = ""
            keys["flags"] = 0
        yield "regex:" + json.dumps(args), verify.Regex(pattern, **keys), regex_row
    yield "numeric", verify.Numeric(), numeric
    yield "numeric:rel=0.25037", verify.Numeric(rel=0.25037), numeric
    yield "numeric:tol=2.99987", verify.Numeric(tol=2.99987), numeric


def compositions():
    parts = ["includes", "numeric"]
    ours = [verify.Includes(), verify.Numeric()]
    yield [x for p in parts for x in ("-V", p)], verify.All(ours)
    yield [x for p in parts for x in ("-V", p)] + ["--any"], verify.Any(ours)
    yield [x for p in parts for x in ("-V", p)] + ["--weights", "2,1"], verify.Weighted([(ours[0], 2), (ours[1], 1)])


def place(r, row, reference):
    """The gold in one of the places where it is looked for."""
    if reference is None:
        return
    where = r.randrange(4)
    if where == 0:
        row["privileged"] = {"reference": reference}
    elif where == 1:
        row[r.choice(["reference", "answer", "target", "solution", "label", "expected"])] = reference
    elif where == 2:
        row[r.choice(["info", "metadata"])] = {"answer": reference}
    else:
        row["privileged"] = {r.choice(["answer", "expected"]): reference}


# ---- the judge contract

def value(r, depth=0):
    kinds = [lambda: r.choice([0, 1, 0.5, 1.0, 0.25, 1e-9, 0.1 + 0.2, 2, -1, 1.5]), lambda: r.choice([True, False]), lambda: None,
             lambda: r.choice(["", "x", "1", "é"]), lambda: [1, "a"][: r.randint(0, 2)]]
    if depth < 2:
        kinds.append(lambda: {r.choice(["a", "b", "k"]): value(r, depth + 1) for _ in range(r.randint(0, 2))})
    return r.choice(kinds)()


def whole_float(v):
    """jq writes 1.0 as 1, which shows where a number becomes a text."""
    parts = v.values() if isinstance(v, dict) else v if isinstance(v, list) else ()
    return isinstance(v, float) and v == int(v) or any(map(whole_float, parts))


def verdict(r):
    if r.random() < 0.4:
        return value(r)
    made = {}
    for key in ("reward", "score", "rating", "reason", "failure_class", "markers", "judge_meta", "extra"):
        if r.random() < 0.45:
            made[key] = value(r)
        if key in ("reason", "failure_class") and whole_float(made.get(key)):
            del made[key]
    if r.random() < 0.3:
        made["markers"] = {"m": r.choice([0, 1, 0.5]), "polite": 1}
    return dict(r.sample(sorted(made.items()), len(made)))


def contract_row(r, i):
    row = {"v": verdict(r)}
    if r.random() < 0.7:
        row["scenario_id"] = r.choice([f"s{i}", "", 0, i + 1, None])
    if r.random() < 0.5:
        row["id"] = f"id{i}"
    if r.random() < 0.3:
        row["markers"] = r.choice([{"old": 1, "m": 0}, [], None, "x"])
    if r.random() < 0.3:
        row["lineage"] = r.choice([{}, {"scoring_run_id": "before", "k": 1}, {"judge": "x", "model": "y"}])
    return row


def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return set(a) == set(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def contract_view(row, judged):
    view = {k: row.get(k) for k in ("reward", "judge_status", "lineage", "markers")}
    if view["judge_status"] != "missing_reward":
        view["reason"] = row.get("reason") or ""
    if judged:
        view["failure_class"] = row.get("failure_class")
        meta = {k: v for k, v in (row.get("judge_meta") or {}).items() if k != "scorer_kind"}
        view["judge_meta"] = meta
    return view


def theirs_landed(rows, scale):
    scored = wai.run_judge(rows, lambda row: row["v"], judge_name="j", run_id="r", model="m", version="2", scale=scale, concurrency=1)
    return [dict(row) for row in scored.rows]


# ---- running ours

class Tool:
    def __init__(self, binaries, folder):
        self.binary = os.path.join(binaries, "wai-grade")
        self.folder = folder

    def run(self, arguments, rows):
        path = os.path.join(self.folder, "rows.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            for row in rows:
                f.write(json.dumps(row) + "\n")
        done = subprocess.run([self.binary, "-q", *arguments, path], capture_output=True, text=True)
        if done.returncode not in (0, 4):
            raise SystemExit(f"wai-grade {arguments}: exit {done.returncode}: {done.stderr}")
        return [json.loads(line) for line in done.stdout.split("\n") if line]


def verifier_differences(tool, r, cases, counts):
    runs = [(["-V", spec], theirs, make) for spec, theirs, make in verifier_runs(r, cases)]
    runs += [(args, theirs, lambda r: r.choice([includes, numeric])(r)) for args, theirs in compositions()]
    each = max(1, cases // len(runs))
    for arguments, theirs, make in runs:
        rows = []
        for i in range(each):
            candidate, reference = make(r)
            row = {"scenario_id": f"t{i}"}
            if r.random() < 0.85:
                row["final_text"] = candidate
            else:
                row["messages"] = [{"role": "user", "content": "q"}, {"role": "assistant", "content": candidate}]
            if isinstance(reference, bool) and "lower=" in arguments[1]:
                reference = str(reference)
            place(r, row, reference)
            rows.append(row)
        for row, got in zip(rows, tool.run(arguments, rows)):
            want = theirs(row)
            counts.check(same(got["reward"], want["reward"]), arguments, json.dumps(row, ensure_ascii=False), "ours", got["reward"], got.get("reason"),
                         "theirs", want["reward"], want.get("reason"))


def contract_differences(tool, r, cases, counts):
    for scale in (None, (0, 1), (1, 5), (-2.5, 2.5)):
        rows = [contract_row(r, i) for i in range(max(1, cases // 4))]
        arguments = ["-e", ".v", "--judge-name", "j", "--run-id", "r", "--model", "m", "--judge-version", "2"]
        if scale:
            arguments.append(f"--scale={scale[0]},{scale[1]}")
        for row, got, want in zip(rows, tool.run(arguments, rows), theirs_landed(rows, scale)):
            judged = want["reward"] is not None
            ours, theirs = contract_view(got, judged), contract_view(want, judged)
            counts.check(same(ours, theirs), scale, json.dumps(row), "ours", ours, "theirs", theirs)


def main():
    o = options(4000, "--keep")
    r = random.Random(f"grade/{o.seed}")
    counts = Count()
    with tempfile.TemporaryDirectory() as scratch:
        tool = Tool(o.bin, o.keep or scratch)
        verifier_differences(tool, r, o.cases, counts)
        contract_differences(tool, r, o.cases // 2, counts)
    counts.close()


if __name__ == "__main__":
    main()
