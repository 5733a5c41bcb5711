#!/usr/bin/env python3
"""wai-scan hacks, diff and hygiene against the package: every key of its reports, on random graded rows.

Left out of the inputs on purpose, since there we do otherwise (named in wai-scan(1)): tool names that hold a command
word inside another word, results that are JSON texts, sign-offs of hyphens, infinite rewards, negated words about truncation.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import SHOWN, Count, options  # noqa: E402

import whileai.simulations as package

WORDS = ("done sorry guaranteed pending the order a x x_1 it's é Straße 订单 now 12 ٣ ² ① café OK I fixed it I verified "
         "tests pass great question i'm not sure certainly! 😀 - ... ,").split()
TOOLS = ["lookup", "bash", "write_file", "delete_file", "read_file"]
COMMANDS = ["ls", "rm -rf /tmp/a", "git push --force", "cat .env", "pytest -q", "make || true"]
RESULTS = [{"status": "ok"}, {"status": "error"}, {"exit_code": 1}, {"exit_code": 0}, "error: no", "fine", None]


def make_step(rng):
    tool = rng.choice(TOOLS)
    arguments = {"bash": {"command": rng.choice(COMMANDS)}, "lookup": {"id": rng.choice("abc")}}.get(
        tool, {"path": rng.choice(["a.py", "tests/b.py", "x/.ssh/k"]), "content": rng.choice(["x", "x # noqa", "@ts-ignore"])})
    return {"tool": tool, "arguments": arguments, "result": rng.choice(RESULTS)}


def make_text(rng, n, style):
    words = [rng.choice(WORDS) for _ in range(rng.randint(0, n))]
    if style:
        words.insert(rng.randint(0, len(words)), style)
    return rng.choice([" ", " ", "  ", "\n", ". "]).join(words)


def make_rows(rng, asks=None):
    asks = asks or [make_text(rng, 8, None) + f" {i}" for i in range(rng.randint(1, 12))]
    rule, rows = rng.random(), []
    partial, lone = rng.random() < .2, rng.random() < .1
    for i in range(rng.choice([0, 1, 3, 12, 40, 90])):
        good = rng.random() < .5
        row = {"prompt": f"ask {i}" if lone else rng.choice(asks), "reward": int(good)}
        row["final_text"] = make_text(rng, rng.choice([2, 8, 20, 60]), "guaranteed" if good and rule < .3 else None)
        if rng.random() < .6 or (good and .3 < rule < .5):
            row["steps"] = [make_step(rng) for _ in range(rng.randint(0, 3))]
        if partial:
            row["reward"] = rng.choice([0, .25, .5, 1, "0.75", good])
        if rng.random() < .05:
            row["reward"] = rng.choice([None, True, "high", float("nan"), "1"])
        if rng.random() < .5:
            row["markers"] = {rng.choice(["m", "k", "z"]): rng.choice([0, 1, 1.0, .5, True, None, "1"]) for _ in range(2)}
        if .5 < rule < .6:
            row.setdefault("markers", {})["goal"] = row["reward"] if isinstance(row["reward"], (int, float)) else 0
        if rng.random() < .2:
            row["logprob"], row["n_tokens"] = rng.choice([-3.5, -1, 0, None]), rng.choice([7, 0, 3, "4", 2.5])
        if rng.random() < .1:
            row["finish_reason"] = "length"
        if rng.random() < .1:
            row["messages"] = [{"role": "user", "content": row["prompt"]},
                               {"role": "assistant", "content": make_text(rng, 8, "you're right")}]
        if rng.random() < .05:
            del row["prompt"]
        if rows and rng.random() < .15:
            row = dict(rng.choice(rows), reward=row["reward"])
        rows.append(row)
    return rows, asks


def plain(value):
    return json.loads(json.dumps(value, default=str).replace("NaN", "null"))


def run(binary, verb, args, rows, scratch, files=None):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run([binary, verb, "--json"] + args + (files or []), input=text.encode(), capture_output=True)
    if done.returncode:
        return done.stderr.decode()
    return json.loads(done.stdout)


def difference(want, got, keys=None):
    if isinstance(got, str):
        return got
    for key, value in plain(dict(want)).items():
        if key == "warnings":
            continue
        if got.get(key) != value:
            if key == "features":
                for a, b in zip(got[key], value):
                    if a != b:
                        return f"features: {a}, the package has {b}"
            return f"{key}: {got.get(key)!r}, the package has {value!r}"
    return None


def scan_options(rng):
    options = {"min_obs": rng.choice([1, 2, 5, 20]), "n_perm": rng.choice([1, 7, 20, 100]), "seeds": rng.choice([0, 3, 12]),
               "top_k": rng.choice([0, 5, 200]), "alpha": rng.choice([.05, .1, .5, 0.0, 1.0]), "seed": rng.choice([0, 1, 7]),
               "auto": rng.random() < .8,
               "endorsed": rng.choice([[], ["guaranteed"], ["goal"], ["tool:"], ["M"], ["zz"], ["n:", "lookup"], ["e"]])}
    args = []
    for key, value in options.items():
        if key == "auto":
            args += [] if value else ["--no-auto"]
        elif key == "endorsed":
            for pattern in value:
                args += ["--endorsed", pattern]
        else:
            args += ["--" + key.replace("_", "-"), str(value)]
    return options, args


def one_case(rng, binary, scratch):
    rows, asks = make_rows(rng)
    kind = rng.random()
    if kind < .5:
        options, args = scan_options(rng)
        top = rng.choice([None, 3, 20])
        args += ["--top-features", "all" if top is None else str(top)]
        want = package.hack_scan(rows, top_features=top, **options)
        return difference(want, run(binary, "hacks", args, rows, scratch)), ("hacks", args, rows)
    if kind < .7:
        options, args = scan_options(rng)
        after, _ = make_rows(rng, asks)
        top = rng.choice([1, 10])
        want = package.hack_scan_diff(rows, after, top=top, **options)
        want.pop("learned")
        paths = []
        for name, side in (("before", rows), ("after", after)):
            paths.append(os.path.join(scratch, name))
            with open(paths[-1], "w") as f:
                f.write("".join(json.dumps(row) + "\n" for row in side))
        return difference(want, run(binary, "diff", args + ["--top", str(top)], [], scratch, paths)), ("diff", args, rows + after)
    near, spread, threshold = rng.choice([.8, .5, .3, 1.0, 0.0]), rng.choice([4.0, 1.5]), rng.choice([.3, .1, .9])
    args = ["--near-threshold", str(near), "--max-spread", str(spread), "--threshold", str(threshold)]
    got = run(binary, "hygiene", args, rows, scratch)
    want = {"duplicates": package.dedupe_groups(rows)[1], "lengths": package.length_report(rows, max_spread=spread),
            "near_duplicates": package.near_duplicate_prompts(rows, threshold=near),
            "correlations": package.reward_correlations(rows, threshold=threshold)}
    return difference(want, got), ("hygiene", args, rows)


def main():
    given = options(2000)
    rng = random.Random(given.seed)
    count = Count()
    with tempfile.TemporaryDirectory() as scratch:
        for case in range(given.cases):
            found, (verb, args, rows) = one_case(rng, os.path.join(given.bin, "wai-scan"), scratch)
            count.add(not found)
            if found and count.failed <= SHOWN:
                kept = os.path.join(tempfile.gettempdir(), f"hacks-{case}.jsonl")
                with open(kept, "w") as f:
                    f.writelines(json.dumps(row) + "\n" for row in rows)
                print(f"case {case}: {found}\n    wai-scan {verb} {' '.join(args)} {kept}")
    count.close()


if __name__ == "__main__":
    main()
