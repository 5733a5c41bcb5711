#!/usr/bin/env python3
"""wai-grade --groupwise and --check-spread against the package's GroupwiseGrading and spread, on random groups.

    groupwise.py --bin DIR [--cases N] [--seed S]

Answers usable and not, ties, hacks, factors past the cap, partial rewards, several thresholds. No null rewards (D39).
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import Count, options, write_rows  # noqa: E402

from whileai import GroupwiseGrading, groupwise


def answer(r, rewards, threshold):
    passing = [i for i, reward in enumerate(rewards) if reward >= threshold]
    shown = passing if r.random() < 0.7 else [i for i in range(len(rewards) + 1) if r.random() < 0.7]
    made = {}
    if r.random() < 0.5:
        order = shown[:]
        r.shuffle(order)
        ranking = []
        while order:
            size = r.choice([1, 1, 2])
            tier, order = order[:size], order[size:]
            ranking.append(tier if len(tier) > 1 or r.random() < 0.2 else tier[0])
        made["ranking"] = ranking
    elif r.random() < 0.6:
        made["factors"] = {str(i): r.choice([1, 0.5, 0.25, round(r.random(), 3), 0.01, 0.9] + ([0, 1.5] if r.random() < 0.1 else [])) for i in shown}
    else:
        made["factors"] = [r.choice([1, 0.5, round(r.random(), 3), 0.02]) for _ in range(len(rewards) - (r.random() < 0.2))]
    if r.random() < 0.4:
        made["hacks"] = [i for i in range(len(rewards)) if r.random() < 0.3]
    return made


def close(a, b):
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=0, abs_tol=1e-12) for x, y in zip(a, b))


def ours(binary, arguments, lines, folder):
    path = os.path.join(folder, "lines.jsonl")
    write_rows(lines, path)
    done = subprocess.run([binary, "-q", *arguments, path], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"wai-grade {arguments}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    o = options(4000)
    r = random.Random(f"groupwise/{o.seed}")
    binary = os.path.join(o.bin, "wai-grade")
    count = Count()
    check = count.check

    with tempfile.TemporaryDirectory() as folder:
        for cap, least, zero, threshold in ((3.0, 0.5, True, 0.5), (1.2, 0.1, True, 0.5), (3.0, 0.5, False, 0.7)):
            lines = []
            for _ in range(o.cases // 4):
                rewards = [r.choice([0, 1, 1, 0, 0.7, 0.4, 0.5]) for _ in range(r.randint(1, 7))]
                lines.append({"rewards": rewards, **answer(r, rewards, threshold)})
            arguments = ["--groupwise", "advantage", "--verdicts-inline", "--json", "--cap", str(cap), "--min-factor", str(least), "--pass-threshold", str(threshold)]
            report = ours(binary, arguments + ([] if zero else ["--no-hack-zero"]), lines, folder)
            for line, got in zip(lines, report["groups"]):
                said = {k: v for k, v in line.items() if k != "rewards"}
                grading = GroupwiseGrading(lambda items: said, cap=cap, min_factor=least, hack_zero=zero, pass_threshold=threshold)
                try:
                    want = grading.group([{"index": i, "reward": reward, "prompt": "p", "completion": "c"} for i, reward in enumerate(line["rewards"])])
                except ValueError:  # it stops at a hack's bad factor; ours takes the least one
                    continue
                check(close(got["shaped"], want), json.dumps(line), cap, least, zero, threshold, "ours", got["shaped"], "theirs", want)
        for _ in range(40):
            scores = [r.choice([round(r.random(), 3), 0.9, 0.93]) for _ in range(r.randint(0, 12))]
            path = os.path.join(folder, "scores.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump(scores, f)
            got = ours(binary, ["--check-spread", "--json", "--scores", path], [], folder)
            want = groupwise.spread(scores)
            agrees = got["ok"] == want["ok"] and got["n"] == want["n"] and all(
                (got[k] is None and math.isnan(want[k])) or close([got[k]], [want[k]]) for k in ("std", "median", "within_band"))
            check(agrees, scores, "ours", got, "theirs", want)
        rows = [{"reward": r.choice([0, 1, 0.7]), "solution": r.choice([0, 1, round(r.random(), 3), 1.2]), "behavior": round(r.random(), 3)} for _ in range(o.cases // 4)]
        got = ours(binary, ["--groupwise", "reward", "--floor", "0.25", "--verdicts-inline", "--json"], rows, folder)
        grading = GroupwiseGrading(lambda item, rubric: rows[int(item["completion"])], mode="reward", floor=0.25, rubrics=lambda items: "good")
        want = grading.group([{"index": i, **row, "prompt": "p", "completion": str(i)} for i, row in enumerate(rows)])
        for row, a, b in zip(rows, got["shaped"], want):
            check(close([a], [b]), row, "ours", a, "theirs", b)
    count.close()


if __name__ == "__main__":
    main()
