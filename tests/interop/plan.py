#!/usr/bin/env python3
"""wai-plan against the package's holdout_size, detectable_effect, eval_power, eval_variance, noise_band and
self_check on random numbers and rows (those of passat.py: ragged groups, nulls, booleans, partial rewards, markers of
every kind, keys in any script, several runs).

    plan.py --bin DIR [--cases N] [--seed S]

Numbers must agree to 1e-12, everything else exactly; of sentences there must be as many. What the package refuses,
wai-plan refuses. Where the two differ on purpose:

  - a base rate beyond 0..1, no try, no degree of freedom, a negative spread: refused by wai-plan, not made here
  - marker values that are infinite or not a number are left out: the package is given the rows without them
  - --by with several operands: the package ignores it, so it is not given there
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import passat                                               # noqa: E402: the rows, and how results are compared

import whileai.selfcheck                                    # noqa: E402
import whileai.simulations as wai                           # noqa: E402
from whileai.simulations.score import eval_power            # noqa: E402

OWN_WARNINGS = {"bad_lines", "boolean_rewards", "fallback_rewards"}
SELF_CHECK_EVERY = 40                                       # one in so many cases: it is slow there


class Case:
    def __init__(self, binary, folder, seed):
        self.binary, self.folder = binary, folder
        self.r = random.Random(f"plan/{seed}")
        self.maker = passat.Maker(f"plan/{seed}")
        self.wrong = []
        self.keys = self.maker.tasks()

    def ours(self, *arguments):
        done = subprocess.run([self.binary, *arguments, "--json"], capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            return done.returncode
        return json.loads(done.stdout)

    def file(self, name, rows):
        """The rows in a file, and as they read back."""
        text = passat.text_of(rows, self.r)
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", errors="surrogatepass", newline="") as out:
            out.write(text)
        return path, [json.loads(line) for line in text.split("\n") if line]

    def rows(self, share=1.0):
        keys = [key for key in self.keys if self.r.random() < share]
        self.maker.tasks = lambda: keys
        return self.maker.rows()

    def clear_rows(self, tries, rate, share=1.0):
        """Rows whose rewards are only 0 and 1, with a rate of its own for each task."""
        rows = []
        for key in self.keys:
            if self.r.random() < share:
                p = min(1.0, max(0.0, self.r.gauss(rate, 0.3)))
                rows += [dict(key, reward=int(self.r.random() < p)) for _ in range(self.r.choice(tries))]
        return rows

    def either(self, share=1.0):
        if self.r.random() < 0.4:
            return self.rows(share)
        size = self.r.choice([1, 2, 3, 4, 5, 8])
        return self.clear_rows([size, size, max(1, size - 1)], self.r.choice([0.0, 0.3, 0.5, 0.8, 1.0]), share)

    def compare(self, what, want, got):
        """want: a function of the package. Sentences only have to be as many."""
        try:
            want = want()
        except ValueError as error:
            if got not in (2, 3):
                self.wrong.append(f"{what}: {got!r}, but the package refuses: {error}")
            return
        if isinstance(got, int):
            self.wrong.append(f"{what}: exit {got}, not {want!r}")
            return
        want = dict(want)
        for key, codes in (("notes", "note_codes"), ("warnings", "warning_codes")):
            said = [code for code in got.get(codes, []) if code not in OWN_WARNINGS]
            if len(want.pop(key, [])) != len(said):
                self.wrong.append(f"{what}.{key}: {said}")
        for key in ("reason", "n_tasks_range_method"):
            if bool(want.pop(key, None)) != bool(got.get(key)):
                self.wrong.append(f"{what}.{key}: {got.get(key)!r}")
        passat.same(want, got, what, self.wrong)

    def numbers(self):
        r = self.r
        return {"power": r.choice([0.8, 0.8, 0.5, 0.9, r.uniform(0.01, 0.999)]),
                "alpha": r.choice([0.05, 0.05, 0.01, 0.1, r.uniform(1e-6, 0.9)])}

    def effect(self):
        return self.r.choice([0.05, 0.1, 0.01, self.r.uniform(1e-4, 0.999), 10 ** self.r.uniform(-9, -1)])

    def holdout(self):
        r = self.r
        effect, given = self.r.choice([self.effect()] * 9 + [0.0, 1.0]), self.numbers()
        arguments = ["holdout-size", "--effect", repr(effect)]
        if r.random() < 0.7:
            given["base"], given["k"] = r.choice([0.0, 0.2, 0.6, 1.0, r.random()]), r.choice([1, 2, 4, 8, 1000])
        if r.random() < 0.2:
            given["task_std"] = r.choice([0.38, r.random(), 1e-9, 3.0, 0.0])
        if r.random() < 0.2:
            given["ceiling_pass_rate"] = r.choice([0.5, 0.95, 1.0, r.random()])
        names = {"task_std": "task-std", "ceiling_pass_rate": "ceiling-pass-rate"}
        for key, value in given.items():
            arguments += [f"--{names.get(key, key)}", repr(value)]
        for side in r.choice([[], ["before"], ["before", "after"], ["before", "after"], ["after"]]):
            path, rows = self.file(f"{side}.jsonl", self.either(0.9))
            given[side] = rows
            arguments += [f"--{side}", path]
        self.compare("holdout-size", lambda: wai.holdout_size(effect, **given), self.ours(*arguments))

    def detectable(self):
        r, given = self.r, self.numbers()
        n = r.choice([0, 1, 2, 3, 5, 20, 140, r.randint(0, 5000), 10 ** 6])
        given["base"], given["k"] = r.choice([0.0, 0.05, 0.6, 0.95, 1.0, r.random()]), r.choice([1, 2, 4, 16])
        arguments = [a for key, value in given.items() for a in (f"--{key}", repr(value))]
        self.compare("detectable-effect", lambda: {"detectable_effect": wai.detectable_effect(n, **given)},
                     self.ours("detectable-effect", "--n-tasks", str(n), *arguments))

    def band(self):
        r = self.r
        run_std, level = r.choice([0.0, 0.0125, r.random(), 1e-9]), r.choice([0.95, 0.95, 0.9, 0.99, r.uniform(0.01, 0.999)])
        n_a, n_b, df = r.randint(1, 6), r.randint(1, 6), r.choice([None, 1, 2, 5, 29, 30, 31, 32, r.randint(1, 500)])
        arguments = ["--run-std", repr(run_std), "--n-a", str(n_a), "--n-b", str(n_b), "--level", repr(level)]
        if df is not None:
            arguments += ["--df", str(df)]
        got = self.ours("noise-band", *arguments)
        want = wai.noise_band(run_std, n_a, n_b, df, level=level)
        # A quantile by bisection of an integral agrees to 1e-9 (measure 3.6).
        if abs(got["noise_band"] - want) > (1e-9 if df is not None and level != 0.95 else 1e-12) * max(1.0, abs(want)):
            self.wrong.append(f"noise-band: {got['noise_band']!r}, not {want!r}")

    def power(self):
        r, given = self.r, self.numbers()
        given["effect"] = self.effect()
        given["band"] = r.choice([(0.2, 0.8), (0.0, 1.0), (0.25, 0.5), (0.5, 0.5), (0.8, 0.2)])
        arguments = ["--effect", repr(given["effect"]), "--power", repr(given["power"]), "--alpha", repr(given["alpha"]),
                     "--band", "%r,%r" % given["band"]]
        path, rows = self.file("rows.jsonl", self.either())
        got = self.ours("eval-power", *arguments, path)
        self.compare("eval-power", lambda: eval_power(rows, **given), got)

    def stamp(self, rows):
        r = self.r
        runs = r.choice([[0, 1, 2], ["a", "b"], [1, "1", 1.0, True], [None, "", 0, False, [1], {"k": None}], ["only"], ["é", "日本", "\u0000"]])
        for row in rows:
            lineage = dict(row["lineage"]) if isinstance(row.get("lineage"), dict) else {}
            if r.random() < 0.9:
                lineage[r.choice(["eval_run", "eval_run", "scoring_run_id"])] = r.choice(runs)
            if r.random() < 0.9:
                row["lineage"] = lineage
            if r.random() < 0.3:
                row[r.choice(["batch", "eval_run"])] = r.choice(runs)
            if r.random() < 0.3 and isinstance(row.get("lineage"), dict):
                row["lineage"]["batch"] = r.choice(runs)
        return rows

    def variance(self):
        r, arguments, given, files = self.r, [], {}, []
        if r.random() < 0.3:
            given["metric"] = r.choice(["pass_at_1", "marker:ok", "marker:words", "marker:score", "marker:nowhere"])
            arguments += ["--metric", given["metric"]]
        if r.random() < 0.5:
            runs = [self.either(r.choice([1.0, 0.9])) for _ in range(r.randint(2, 4))]
        else:
            runs = [self.stamp(self.either() + self.either())]
            if r.random() < 0.5:
                given["by"] = r.choice(["batch", "eval_run", "nowhere"])
                arguments += ["--by", given["by"]]
        for i, rows in enumerate(runs):
            path, read = self.file(f"run{i}.jsonl", rows)
            arguments.append(path)
            files.append(passat.finite_markers(read))
        got = self.ours("eval-variance", *arguments)
        self.compare("eval-variance", lambda: wai.eval_variance(*files, **given), got)
        if isinstance(got, dict):
            order = list(wai.eval_variance(*files, **given)["run_std_by_metric"])
            if list(got["run_std_by_metric"]) != order:
                self.wrong.append(f"eval-variance.run_std_by_metric: {list(got['run_std_by_metric'])}, not {order}")

    def self_check(self):
        r = self.r
        given = {"trials": r.randint(1, 3), "seed": r.choice([0, 7, -3, 10 ** 30]), "n_boot": r.choice([1, 20, 101]),
                 "alpha": r.choice([0.05, 0.2, 0.5]), "flag_at": r.choice([3.0, 0.5])}
        arguments = [a for key, value in given.items() for a in (f"--{key.replace('_', '-')}", repr(value))]
        want = whileai.selfcheck.self_check(**given)
        want = {k: v for k, v in want.items() if k in ("ok", "seed", "trials", "n_boot", "alpha", "flag_at", "same_path", "checks")}
        want["checks"] = [{k: v for k, v in c.items() if k != "label"} for c in want["checks"]]
        passat.same(want, self.ours("self-check", *arguments), "self-check", self.wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    binary = os.path.join(given.bin, "wai-plan")
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="wai-plan.") as folder:
        for seed in range(given.seed, given.seed + given.cases):
            case = Case(binary, folder, seed)
            checks = [case.holdout, case.detectable, case.band, case.power, case.variance]
            if seed % SELF_CHECK_EVERY == 0:
                checks.append(case.self_check)
            for check in checks:
                try:
                    check()
                except Exception as error:                  # noqa: BLE001: a case that cannot run disagrees
                    case.wrong.append(f"{check.__name__}: {type(error).__name__}: {error}")
            passed += not case.wrong
            failed += bool(case.wrong)
            if case.wrong and failed <= 20:
                print(f"case {seed}: " + "; ".join(case.wrong[:4]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
