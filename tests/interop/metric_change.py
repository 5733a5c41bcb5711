#!/usr/bin/env python3
"""The comparison of one metric before and after (wai-unit metric_change) against the package's compare_runs.

    metric_change.py --bin DIR [--cases N] [--seed S]

Random task sets that overlap wholly, in part or not at all, rates of every denominator, thresholds of pairing,
levels and draws. All numbers and the verdict agree exactly. `note` is told by its presence.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys

import whileai.simulations as wai

KEYS = ("paired", "n_paired", "n_only_a", "n_only_b", "paired_share", "n_used", "mean_a", "mean_b", "delta", "ci95", "level", "p_value", "verdict")


def side(r, names, real):
    rows, means = [], []
    for name in names:
        size = r.choice([1, 2, 3, 4, 7, 10])
        values = [r.gauss(0, 5) if real else r.randrange(2) for _ in range(size)]
        rows += [{"task_id": name, "reward": 0, "markers": {"m": v}} if real else {"task_id": name, "reward": v} for v in values]
        total = 0.0
        for v in values:
            total += v
        means.append([name, total / size])
    return rows, means


def make(seed):
    r = random.Random(f"metric_change/{seed}")
    names = [r.choice(["t", "é", "日", "Z", "z", ""]) + str(i) for i in range(r.choice([0, 2, 3, 4, 5, 6, 9, 15, 30]))]
    share = r.choice([0.0, 0.3, 0.7, 1.0, 1.0])
    before = [n for n in names if r.random() < max(share, 0.6)]
    after = [n for n in names if r.random() < max(share, 0.6)] if share else [n + "x" for n in before]
    r.shuffle(after)
    real = r.random() < 0.4
    a, means_a = side(r, before, real)
    b, means_b = side(r, after, real)
    options = {"n_boot": r.choice([2000, 200, 33, 1]), "seed": r.choice([0, 1, 7, -5, 2 ** 40]),
               "level": r.choice([0.95, 0.9, 0.5, 0.99]), "min_paired": r.choice([5, 1, 2, 3, 12])}
    expected = wai.compare_runs(a, b, metric="marker:m" if real else "pass_at_1", **options)
    return {"a": means_a, "b": means_b, **options}, expected


def plain(value):
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    made = [make(s) for s in range(given.seed, given.seed + given.cases)]
    done = subprocess.run([os.path.join(given.bin, "wai-unit"), "metric_change"], text=True, capture_output=True,
                          input="".join(json.dumps(case) + "\n" for case, _ in made))
    lines = done.stdout.splitlines()
    passed = failed = 0
    for i, (case, expected) in enumerate(made):
        got = json.loads(lines[i]) if i < len(lines) else {}
        wrong = [f"{k}: {got.get(k)!r}, not {expected[k]!r}" for k in KEYS if got.get(k) != plain(expected[k])]
        if bool(expected.get("note")) != bool(got.get("note_codes")):
            wrong.append(f"note: {got.get('note_codes')}, not {expected.get('note')!r}")
        passed += not wrong
        failed += bool(wrong)
        if wrong and failed <= 10:
            print(f"case {given.seed + i}: " + "; ".join(wrong))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
