#!/usr/bin/env python3
"""wai-export --kind environment against the reference package on random rows: the same tasks on the same sides, the
same spec, the same counts.

    tests/interop/tasks.py --bin DIR [--cases N] [--seed S]

A case is a row; a run takes about 25 of them. Left out, because we differ on purpose: prompts that are no text, and
the teacher's block of rows that have one beside it at the top.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings

try:
    from whileai.simulations import export_environment
except ImportError:
    print("skipped: the package whileai is not installed")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

ROWS_PER_RUN = 25
WORDS = "where is my order refund it please cancel today \u00e9t\u00e9 \u4f60\u597d now and then tell me".split()
DIMENSIONS = {"stance": ["adversarial", "calm"], "tool": ["multi_tool", "unrelated", "f", "unspecified"], "intent_known": [True, False],
              "ask_family": ["vague", "tool", "status"], "world_state": ["entity missing", "entity exists", "duplicate entity"]}
COUNTS = ("prompts", "tasks", "train", "holdout", "graded_prompts", "band_dropped", "graded_mixed", "name", "reward", "execute")


def rows(r):
    prompts = [" ".join(r.choice(WORDS) for _ in range(r.randrange(1, 14))) for _ in range(8)]
    for _ in range(ROWS_PER_RUN):
        row = {"prompt": r.choice(["", " ", "\n"]) + r.choice(prompts) + r.choice(["", " \t"]), "final_text": "x"}
        if r.random() < 0.05:
            row["prompt"] = r.choice(["", "  "])
        if r.random() < 0.8:
            row["scenario_id"] = r.choice(["s1", "s2", "s\u00e9", 7, None, ""])
        if r.random() < 0.9:
            row["reward"] = r.choice([0, 1, 1.0, 0.5, 0.25, None, True, "1", 2, -1, 0.1])
        for key, values in {"seed": [0, 3, None], "world_state": ["", "entity missing", None], "faults": [{}, {"f": {"mode": "timeout", "rate": 1.0}}, None],
                            "stance": ["calm", None, "adversarial"], "tier": ["easy", 2], "history": [[], "none"], "tool_condition": ["timeout"],
                            "ask_family": ["vague", "status"], "intent_known": [True, False], "tool_known": [False],
                            "scenario_dimensions": [{k: r.choice(v) for k, v in DIMENSIONS.items() if r.random() < 0.5}, {}],
                            "privileged": [{"reference": "the key"}, {}, None]}.items():
            if r.random() < 0.3:
                row[key] = r.choice(values)
        yield row


def tools(r):
    made = [{"name": "f", "description": "d"}, {"type": "function", "function": {"name": "g", "parameters": {"type": "object", "properties": {"a": {}}}}},
            {"name": "h", "input_schema": {"type": "object"}}]
    return made[:r.randrange(1, 4)]


def lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def one(r, binary, folder, number):
    made, schemas = list(rows(r)), tools(r)
    name = r.choice(["My Agent-2", "_a__b-", "\u00e9", "env"]) + r.choice(["", str(number)])
    band = r.choice([(0.2, 0.8), (0.0, 1.0), None])
    holdout = r.choice([0.2, 0.5, 0.0, ["  Where IS my order ", made[0]["prompt"]]])
    ngram, reward = r.choice([8, 2, 1]), r.choice(["mymod:judge", None])
    ours, theirs = os.path.join(folder, f"a{number}", name), os.path.join(folder, f"b{number}", name)
    os.makedirs(os.path.dirname(ours))
    for path, value in (("rows.jsonl", "".join(json.dumps(x) + "\n" for x in made)), ("tools.json", json.dumps(schemas)),
                        ("held.txt", "\n".join(holdout) if isinstance(holdout, list) else "")):
        with open(os.path.join(folder, path), "w") as f:
            f.write(value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = export_environment(made, theirs, reward=reward, system_prompt="Be \"good\".", tools=schemas, holdout=holdout, band=band, ngram=ngram)
    except ValueError:
        want = None
    done = subprocess.run([os.path.join(binary, "wai-export"), "-q", "--kind", "environment", "--out", ours, "--tools", os.path.join(folder, "tools.json"),
                           "--system-prompt", "Be \"good\".", "--ngram", str(ngram), "--band", ",".join(map(str, band)) if band else "none",
                           "--holdout", "@" + os.path.join(folder, "held.txt") if isinstance(holdout, list) else str(holdout),
                           *(["--reward", reward] if reward else []), "--json", os.path.join(folder, "rows.jsonl")], capture_output=True, text=True)
    if want is None:
        return [] if done.returncode == 3 else [f"refused there, {done.returncode} here"]
    if done.returncode != 0:
        return [f"exit {done.returncode}: {done.stderr}"]
    got, wrong = json.loads(done.stdout), []
    for key in COUNTS if reward else COUNTS[:-2]:
        if got[key] != want[key]:
            wrong.append(f"{key}: {got[key]} against {want[key]}")
    if not reward and got["outcome_checkable"] != want["outcome_checkable"]:
        wrong.append(f"outcome_checkable: {got['outcome_checkable']} against {want['outcome_checkable']}")
    for key in ("n_contaminated", "contamination_rate", "ngram"):
        if got["decontamination"].get(key) != want["decontamination"].get(key):
            wrong.append(f"{key}: {got['decontamination']} against {want['decontamination']}")
    for split in ("train", "holdout"):
        a, b = (lines(os.path.join(x, want["name"], "data", f"{split}.jsonl")) for x in (ours, theirs))
        if a != b:
            wrong.append(f"{split}: {[x for x in zip(a, b) if x[0] != x[1]][:1] or (len(a), len(b))}")
    with open(os.path.join(ours, want["name"], "spec.json")) as f, open(os.path.join(theirs, want["name"], "spec.json")) as g:
        a, b = json.load(f), json.load(g)
    for key in ("sdk_version",) + (() if reward else ("reward",)):
        a.pop(key), b.pop(key)
    if a != b:
        wrong.append(f"spec: {a} against {b}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    r, passed, failed = random.Random(given.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(max(1, given.cases // ROWS_PER_RUN)):
            wrong = one(r, os.path.abspath(given.bin), folder, number)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong and failed < 6:
                print(f"run {number}:", *wrong, sep="\n  ")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
