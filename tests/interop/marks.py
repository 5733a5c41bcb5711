#!/usr/bin/env python3
"""wai-grade --mark, --classify against the package's style_markers, trace_markers, mark_grounding, classify_failure, on random rows.

    marks.py --bin DIR [--cases N] [--seed S]

Where the two differ on purpose the inputs keep clear of it: curly apostrophes (D41); tools whose kind the package
reads inside a word, and writes of a business (D43); follow-up turns of the user (D44); results as JSON text (D55);
failed rows with nothing but messages (D26). The evidence of a trace flag is ours: names are compared.
"""
import json
import os
import random
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import Count, graded, options  # noqa: E402

import whileai.simulations as wai

SAID = ["Certainly!", "It depends.", "I apologize for that.", "You're right.", "I can't help with that.", "Of course!", "I'm not sure", "All tests pass.",
        "The suite is green", "tests will pass once fixed", "I verified the totals.", "I updated the file.", "I ran it", "it failed", "not found", "Edited.",
        "the build should be clean", "error", "I completely agree", "great question", "Feel free to ask", "checks didn't pass", "blocked", "skip", "plain words"]
COMMANDS = ["pytest -q", "git push --force", "rm -rf build", "cat ~/.ssh/id_rsa", "ls", "npm test", "git commit --no-verify", "make || true", "cargo test",
            "git reset --hard", "cat .env", "python -m unittest", "DROP TABLE x", "echo rm", "go test ./..."]
PATHS = ["a.txt", "tests/test_a.py", "src/x.test.js", "spec/y.rb", "tests/__init__.py", "a/test/b.py", "key.pem", "contest.py"]
CONTENTS = ["x = 1", "@pytest.mark.skip\nx", "x  # noqa", "it.only(", "try:\n  x\nexcept E:\n    pass\n", "# type: ignore", "# self.assertTrue", "fine words"]
RESULTS = [{"status": "ok"}, {"status": "error"}, {"exit_code": 0}, {"exit_code": 1}, "Error: no", "fine", {"id": "A-99", "note": "some Words"}, None,
           {"error": "bad"}, {"returncode": 2}, {"status": "not_found"}, ["A-99", "list value"], 17]
VALUES = ["ORD-4017", "ord 4017", "A-99", "a99", "some words", "B77", "xy", "list value", "---", "Straße", "über Uns", "17", "a  b", "hello"]
PROMPTS = ["refund ORD 4017", "get B77 and über uns", "hello", "", "STRASSE straße", "a b"]


def call(r):
    kind = r.randrange(5)
    if kind == 0:
        return "bash", {"command": r.choice(COMMANDS)}
    if kind == 1:
        return "write_file", {"path": r.choice(PATHS), "content": r.choice(CONTENTS)}
    if kind == 2:
        return "read_file", {"path": r.choice(PATHS)}
    if kind == 3:
        return "delete_file", {"path": r.choice(PATHS)}
    return "find_order", {k: r.choice([r.choice(VALUES), [r.choice(VALUES)], {"in": r.choice(VALUES)}, 5]) for k in r.sample(["id", "q", "tags"], r.randint(0, 3))}


def row_of(r, i):
    row = {"scenario_id": f"t{i}", "prompt": r.choice(PROMPTS), "final_text": " ".join(r.choice(SAID) for _ in range(r.randint(0, 3)))}
    if r.random() < 0.2:
        row["system_prompt"] = "You know A-99"
    if r.random() < 0.2:
        row["markers"] = {"mine": 0.5, "no_hedging": 0.0}
    how = r.random()
    if how < 0.6:
        old = r.random() < 0.2
        made = []
        for _ in range(r.randint(0, 3)):
            tool, arguments = call(r)
            made.append({"tool": tool, "input" if old else "arguments": arguments, "output" if old else "result": r.choice(RESULTS)})
            if r.random() < 0.1:
                made[-1]["failed"] = True
        row["tool_trace" if old else "steps"] = made
    elif how < 0.8:
        messages = [{"role": "system", "content": "über uns"}, {"role": "user", "content": r.choice(PROMPTS)}]
        for n in range(r.randint(0, 2)):
            tool, arguments = call(r)
            messages.append({"role": "assistant", "content": r.choice(SAID), "tool_calls": [
                {"id": f"c{n}", "function": {"name": tool, "arguments": json.dumps(arguments)}}]})
            messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": r.choice(["fine A-99", "Error: x", "ok"])})
        row["messages"] = messages + [{"role": "assistant", "content": row["final_text"]}]
    elif how < 0.9:
        tool, arguments = call(r)
        row["final_text"] += "<tool_call>" + json.dumps({"name": tool, "arguments": arguments}) + "</tool_call>"
    return row


REASONS = ["without confirming", "executed it at once on request", "phantom", "reply is truncated", "raw JSON", "arithmetic is off", "wrong total", "the maths",
           "refused a doable task", "claims it cannot", "denies its tool", "claimed success", "after a fail", "misreported", "as if it succeeded", "incomplete",
           "withheld", "did not complete", "refused and would not present", "invented an id", "made up", "dismissed a valid point", "sycophantic", "nothing",
           "whatever", "no confirmation", "unauthorised", "never answered", "hides the error"]
CLASSES = ["fabrication", "unconfirmed_write", "junk_output", "fault_dishonesty", "arithmetic", "no_attempt", "incompleteness", "mine", "", None]


def failure_of(r, i):
    row = {"scenario_id": f"t{i}", "reward": r.choice([0, 0, 0, 0.0, False, 1, 0.5, None]),
           "final_text": r.choice(["x", "x", "x", "words", "", "  ", "<agent error: 5>", "<Agent Error"])}
    for key in ("grader_reason", "reason", "label_reason", "grade_note"):
        if r.random() < 0.4:
            row[key] = r.choice([" ", ", ", "\n"]).join(r.choice(REASONS) for _ in range(r.randint(1, 2)))
            row[key] = r.choice([str, str.upper])(row[key])
    if r.random() < 0.3:
        row["failure_class"] = r.choice(CLASSES)
    return row


def copies(rows):
    return json.loads(json.dumps(rows))


def main():
    o = options(4000)
    r = random.Random(f"marks/{o.seed}")
    binary = os.path.join(o.bin, "wai-grade")
    count = Count()
    check = count.check

    with tempfile.TemporaryDirectory() as folder:
        rows = [row_of(r, i) for i in range(o.cases)]
        keys = {"ignore_keys": ["command", "q"], "allow": ["HELLO"]}
        groups = [
            (["--mark", "style"], lambda rows: wai.style_markers(rows), False),
            (["--mark", "trace", "--evidence", "names"], lambda rows: wai.trace_markers(rows), True),
            (["--mark", "grounding"], lambda rows: wai.mark_grounding(rows), False),
            (["--mark", "grounding", "--ignore-keys", "command,q", "--allow", "HELLO"], lambda rows: wai.mark_grounding(rows, **keys), False),
        ]
        for arguments, theirs, flags in groups:
            for row, got, want in zip(rows, graded(binary, arguments, rows, folder), theirs(copies(rows))):
                agrees = got["markers"] == want["markers"] and (not flags or got["trace_flags"] == list(want["trace_flags"]))
                check(agrees, arguments, json.dumps(row, ensure_ascii=False), "ours", got["markers"], got.get("trace_flags"), "theirs", want["markers"], want.get("trace_flags"))
        rows = [failure_of(r, i) for i in range(o.cases)]
        for row, got in zip(rows, graded(binary, ["--classify"], rows, folder)):
            want = dict(row)
            if row["reward"] is not None and row["reward"] == 0:
                name = wai.classify_failure(copies([row])[0])
                want["failure_class"] = name or row.get("failure_class") or None
            check(got == want, json.dumps(row), "ours", got.get("failure_class"), "theirs", want.get("failure_class"))
    count.close()


if __name__ == "__main__":
    main()
