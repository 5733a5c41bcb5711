#!/usr/bin/env python3
"""wai-compare against the package's delta_report, compare_runs and sweep report on random pairs of row files.

    compare.py --bin DIR [--cases N] [--seed S] [--keep FOLDER]

Ragged groups, nulls, booleans, numeric text, partial rewards, markers of every kind, keys in any script, several
runs a side, training seeds, slices, settings that agree and that do not, replies that say nothing, every option.
Numbers must agree to 1e-12, everything else exactly, the order of lists and of what is printed too; where the
package has a sentence, ours must have one, and of the same kind where its first words tell the kind.

What differs on purpose is left out by construction, or taken back:

  - marker values that are infinite or not a number: dropped and counted here, they poison the mean there
  - a target or guard that is not measured: `ok` is false here, so `ok` and the word are not compared then
  - a name twice in markers, or with `marker:` in front; a negative run_std: refused or mended here
  - a list or object for a setting, an integer beyond the range of doubles: the package ends with an exception
  - a proxy that moved while the target has no value on a side: the package ends with an exception in its sentence
  - the tasks of a marker's runs joined by sums: agrees within the tolerance

A case that disagrees is shown with the seed that makes it again. --keep leaves its rows in FOLDER.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import SHOWN, Count, options  # noqa: E402

import whileai.simulations as wai
import whileai.sweep

# At the end of the path: a script here must not stand in for a module of Python.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import passat
from passat import finite_markers, same, text_of

SENTENCES = {"note", "notes", "warnings", "noise_rule", "noise_note", "train_rule", "label", "reason", "spread_stat"}
KINDS = [("REGRESSION", "regression"), ("must_not_regress ", "degenerate_guard"), ("target '", "target_not_measured"),
         ("proxy '", "proxy_"), ("no re-run floor for", "no_floor_for_metric"), ("run_std was given", "run_std_bare")]


class Pair:
    """Two sides of one eval, and how they are compared."""

    def __init__(self, seed):
        self.r = r = random.Random(f"compare/{seed}")
        self.makers = [passat.Maker(f"{seed}/a"), passat.Maker(f"{seed}/b")]
        if r.random() < 0.7:                                # a side like the other
            self.makers[1].kinds = self.makers[0].kinds
            self.makers[1].settings = self.makers[0].settings
            self.makers[1].replies = self.makers[0].replies
        self.markers = r.sample(["ok", "refusal", "words", "score", "é", "always", "null", "truncated", "a/b"], r.randint(0, 5))
        self.tasks = self.makers[0].tasks()
        self.sliced = r.random() < 0.5
        self.runs = r.random() < 0.5
        self.environment = None                             # models that the rows say they were made with
        if r.random() < 0.25:
            who = lambda: r.choice(["m", "u", "w", "seed", "template", "callable-writer", None])
            self.environment = [{"policy_version": r.choice(["m@1", "m@2", "m", "n@1"]), "user_model": r.choice(["m", "u"]),
                                 "writer_model": who()} for _ in range(2)]
        self.shift = r.choice([0, 0, 0.1, 0.3, -0.3])

    def side(self, i):
        r, maker = self.r, self.makers[i]
        maker.markers = [m for m in self.markers if r.random() < 0.9]
        rows, sizes = [], [r.choice([1, 2, 3, 4, 4])] * 3 + [r.choice([1, 2, 4])]
        runs = r.choice([[None], ["1", "2"], [1, 2, 3], ["10", "9", " 2 "], ["a", "b", "1_0", "-3"], ["x", None], ["", "y"], [2, 10]]) \
            if self.runs else [None]
        names = r.choice([["x", "y"], ["x", "y", "z"], ["x", None, ""], [1, True, 1.0], ["é", "日本", "x"]])
        for task, key in enumerate(self.tasks):
            if r.random() < r.choice([0.02, 0.02, 0.6]):
                continue
            rate = min(1, max(0, r.Random_task(task) + (self.shift if i else 0)))
            for _ in range(r.choice(sizes)):
                for run in runs:
                    rows.append({**self.row(maker, key, task, rate, run, names), **(self.environment[i] if self.environment else {})})
        if r.random() < 0.3:
            r.shuffle(rows)
        return rows

    def row(self, maker, key, task, rate, run, names):
        r, row = self.r, dict(key)
        if r.random() < 0.97:
            row["reward"] = int(r.random() < rate) if r.random() < 0.85 else maker.reward()
        if r.random() < 0.05:
            row["qwen_reward"] = maker.reward()
        if maker.settings:
            maker.configure(row)
        if maker.replies:
            maker.reply(row)
        if maker.markers and r.random() < 0.95:
            row["markers"] = {m: self.marker(maker, m, rate) for m in maker.markers if r.random() < 0.95}
        if run is not None or r.random() < 0.1:
            lineage = row.get("lineage") if isinstance(row.get("lineage"), dict) else {}
            row["lineage"] = dict(lineage, eval_run=run)
        if self.runs and r.random() < 0.02:
            row["eval_run"] = r.choice(["1", "", None, "q"])
        if self.sliced:
            name = names[task % len(names)]
            if name is not None or r.random() < 0.5:
                row[r.choice(["category", "category", "category", "slice"])] = name
        return row

    def marker(self, maker, name, rate):
        if name in ("refusal", "truncated"):
            return int(self.r.random() < rate)
        return maker.marker(name)

    def options(self, sides):
        r = self.r
        names = ["pass_at_1"] + [f"marker:{m}" for m in self.markers]
        both = sorted(set.intersection(*[{m for row in side if isinstance(row.get("markers"), dict) for m in row["markers"]} for side in sides]))
        o = {"n_boot": r.choice([40, 100, 200, 7, 1]), "seed": r.choice([0, 1, -5, 10 ** 25])}
        if r.random() < 0.7:
            o["target"] = r.choice(names + ["pass_at_1"] * 3 + ["marker:typo"])
        if r.random() < 0.4:
            o["must_not_regress"] = r.sample(names + ["typo"], r.randint(1, min(3, len(names))))
        if r.random() < 0.3:
            known = ["pass_at_1"] + both
            o["lower_is_better"] = {m: r.random() < 0.7 for m in r.sample(known, r.randint(1, len(known)))}
        if r.random() < 0.3 and "lower_is_better" not in o:
            o["markers"] = r.sample(self.markers, r.randint(0, len(self.markers)))
        if r.random() < 0.3:
            o["by"] = r.choice(["category", "slice", "nokey", "ok", "refusal", False])
        if r.random() < 0.4:
            o["run_std"] = r.choice([0.02, 0.2, 0.0, {n: r.choice([0.01, 0.3, None]) for n in r.sample(names, r.randint(1, len(names)))}])
            if r.random() < 0.5:
                o["run_std_runs"] = r.choice([2, 3, 4, 40])
        if r.random() < 0.3:
            o["proxy"] = r.choice(names + ["marker:typo"])
        if r.random() < 0.2 and "lower_is_better" not in o:   # trimming may leave a marker on no row
            o["balance_rollouts"] = True
        if r.random() < 0.3:
            o["alpha"] = r.choice([0.1, 0.01, 0.5])
        if r.random() < 0.2:
            o["power"] = r.choice([0.9, 0.5])
        if r.random() < 0.2:
            o.update(ceiling_pass_rate=r.choice([0.5, 1.0]), answered_gap_points=r.choice([0.0, 0.3]), answered_alpha=r.choice([0.5, 0.0]))
        return o


def seed_files(pair, sides):
    """Training seeds: row sets per arm, or none."""
    if pair.r.random() < 0.75:
        return None
    arms = {}
    for i, name in enumerate(("before", "after")):
        n = pair.r.choice([0, 1, 2, 3])
        arms[name] = [sides[i] if j == 0 and sides[i] else pair.side(i) for j in range(n)] or None
        if arms[name]:
            arms[name] = [rows for rows in arms[name] if rows] or None
    return arms if any(arms.values()) else None


def flags(options, folder, paths, arms, texts):
    out = ["--json"]
    plain = {"target": "--target", "proxy": "--proxy", "alpha": "--alpha", "power": "--power", "seed": "--seed", "n_boot": "--n-boot",
             "ceiling_pass_rate": "--ceiling-pass-rate", "answered_gap_points": "--answered-gap-points",
             "answered_alpha": "--answered-alpha", "run_std_runs": "--run-std-runs"}
    for key, flag in plain.items():
        if key in options:
            out.append(f"{flag}={options[key]}")
    for guard in options.get("must_not_regress", []):
        out.append(f"--must-not-regress={guard}")
    for name, lower in options.get("lower_is_better", {}).items():
        out.append(f"--lower-is-better={name}={'true' if lower else 'false'}")
    if "markers" in options:
        out += [f"--markers={m}" for m in options["markers"]] or ["--markers="]
    if options.get("by"):
        out.append(f"--by={options['by']}")
    elif options.get("by") is False:
        out.append("--no-by")
    floors = options.get("run_std")
    if isinstance(floors, dict):
        out += [f"--run-std={m}={'null' if v is None else v}" for m, v in floors.items()]
    elif floors is not None:
        out.append(f"--run-std={floors}")
    if options.get("balance_rollouts"):
        out.append("--balance-rollouts")
    for name, sets in (arms or {}).items():
        for i, text in enumerate(sets or []):
            path = os.path.join(folder, f"{name}{i}.jsonl")
            write(path, text)
            out.append(f"--train-run-{name}={path}")
    return out + paths


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as f:
        f.write(text)


def run(binary, arguments):
    done = subprocess.run([binary, *arguments], capture_output=True)
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')}")
    return json.loads(done.stdout), done.returncode


def stripped(value):
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if k not in SENTENCES}
    if isinstance(value, (list, tuple)):
        return [stripped(v) for v in value]
    return value


def parsed(text):
    return finite_markers([json.loads(line) for line in text.split("\n") if line])


def check_report(binary, pair, texts, folder):
    sides = [parsed(text) for text in texts]
    options = pair.options(sides)
    arms = seed_files(pair, sides)
    arm_texts = {name: [text_of(rows, pair.r) for rows in sets or []] for name, sets in (arms or {}).items()}
    if arms:
        options["train_runs"] = {name: [parsed(t) for t in sets] or None for name, sets in arm_texts.items()}
    try:
        want = dict(wai.delta_report(sides[0], sides[1], **options))
    except TypeError as error:
        if "NoneType.__format__" not in str(error):
            raise
        return [], options
    paths = [os.path.join(folder, f"{side}.jsonl") for side in ("before", "after")]
    got, status = run(binary, flags(options, folder, paths, arm_texts, texts))
    wrong = []
    if len(want["warnings"]) != len(got["warning_codes"]):
        wrong.append(f"warnings: {got['warning_codes']}, not {[w[:50] for w in want['warnings']]}")
    for sentence, code in zip(want["warnings"], got["warning_codes"]):
        for start, kind in KINDS:
            if sentence.startswith(start) and not code.startswith(kind):
                wrong.append(f"{code} for {sentence[:50]!r}")
        if sentence.startswith("NOT COMPARABLE") != code.startswith("not_comparable_"):
            wrong.append(f"{code} for {sentence[:50]!r}")
    for name, metric in want["metrics"].items():
        if bool(metric.get("note")) != bool(got["metrics"].get(name, {}).get("note_codes")):
            wrong.append(f"note of {name}")
        if ("noise_note" in metric) != ("noise_note" in got["metrics"].get(name, {})):
            wrong.append(f"noise_note of {name}")
    if list(want["metrics"]) != list(got["metrics"]):
        wrong.append(f"metrics {list(got['metrics'])}")
    if list(want["groups"] or {}) != list(got["groups"] or {}):
        wrong.append(f"groups {list(got['groups'] or {})}, not {list(want['groups'] or {})}")
    if (want["repeats"].get("pairing") is None) != (got["repeats"]["pairing"] is None):
        wrong.append("pairing")
    want = stripped(want)
    want["repeats"].pop("pairing", None)
    if got["unmeasured"]:
        want.pop("ok")
    if status != (0 if got["ok"] else 1):
        wrong.append(f"exit {status}, ok {got['ok']}")
    same(want, got, "", wrong)
    return wrong, options


def check_one(binary, pair, texts, folder):
    r = pair.r
    sides = [parsed(text) for text in texts]
    options = {"metric": r.choice(["pass_at_1"] + [f"marker:{m}" for m in pair.markers + ["typo"]]), "n_boot": r.choice([1, 50, 200]),
               "seed": r.choice([0, 7, 3 ** 50]), "level": r.choice([0.95, 0.9, 0.5]), "min_paired": r.choice([1, 2, 3, 5, 5, 9])}
    want = wai.compare_runs(sides[0], sides[1], **options)
    arguments = ["--json"] + [f"--{k.replace('_', '-')}={v}" for k, v in options.items()]
    got, status = run(binary, arguments + [os.path.join(folder, f"{side}.jsonl") for side in ("before", "after")])
    wrong = [f"exit {status}"] if status else []
    if bool(want["note"]) != bool(got["note_codes"]):
        wrong.append(f"note: {got['note_codes']}, not {want['note']!r}")
    same(stripped(want), got, ".one", wrong)
    if got["p_exact"] is not None and options["n_boot"] >= 200 and abs(got["p_exact"] - want["p_value"]) > 0.2:
        wrong.append(f"p_exact {got['p_exact']}, p {want['p_value']}")
    return wrong, options


def points(value, interval):
    width = round(100 * (interval[1] - interval[0]) / 2, 1) if interval else 0
    return (round(100 * value, 1), width)


def scored(rows, k):
    rates = wai.pass_at(rows, k=k)
    scores = {"policy": (*points(rates.pass_at_1 or 0, rates.ci95), rates.n_groups)}
    for name, m in wai.marker_summary(rows).items():
        if m["n_tasks"] >= whileai.sweep.MIN_MARKER_ASKS:
            scores[name] = (*points(m["mean"], m["ci95"]), m["n_tasks"])
    return scores


def check_sweep(binary, pair, folder):
    """Arms on the same asks; the package ranks the scores that its own functions make of them."""
    r, k = pair.r, pair.r.choice([2, 4])
    n, arms = r.randint(1, 12), r.randint(2, 5)
    hard = [r.random() for _ in range(n)]
    made, files, reruns = [], [], r.choice([0, 0, 1, 2, 3])
    for arm in range(arms + reruns):
        lift = r.choice([0, 0.2, 0.5, 0.9]) if arm < arms else 0
        rows = [{"task_id": f"t{t}", "prompt": f"ask {t}", "reward": int(r.random() < min(1, hard[t] + lift)),
                 "markers": {"polite": r.choice([0, 1, 0.5]), "same": 1}} for t in range(n) for _ in range(k)]
        path = os.path.join(folder, f"arm{arm}.jsonl")
        write(path, text_of(rows, random.Random(1)))
        made.append(rows)
        files.append(path)
    arguments = ["--json", f"--k={k}"] + [f"--arm=p{i}@m={files[i]}" for i in range(arms)] + [f"--rerun={f}" for f in files[arms:]]
    got, _ = run(binary, arguments)
    floor = wai.eval_variance(*[made[0]] + made[arms:]) if reruns else None
    band = round(floor["noise_band"] * 100, 2) if floor else None
    variants = [whileai.sweep.VariantResult(f"p{i}@m", "m", "", scored(made[i], k)) for i in range(arms)]
    report = whileai.sweep.SweepReport("policy", "t", n, k, band, None, variants)
    want = {"noise_floor": band, "run_std": floor["run_std"] if floor else None, "noise_runs": floor["n_runs"] if floor else None,
            "n_asks": n, "k": k, "best": report.best.label if report.best else None,
            "variants": [{"label": v.label, "graded_rows": n * k, "scores": v.scores} for v in report.ranked]}
    wrong = []
    same(want, got, ".sweep", wrong)
    return wrong, {"k": k, "arms": arms, "reruns": reruns}


def check(binary, seed, keep):
    pair = Pair(seed)
    rates = [pair.r.choice([0.05, 0.3, 0.5, 0.7, 0.95, 1.0]) for _ in range(64)]
    pair.r.Random_task = lambda task: rates[task % len(rates)]
    texts = [text_of(pair.side(i), pair.r) for i in range(2)]
    with tempfile.TemporaryDirectory() as folder:
        for text, side in zip(texts, ("before", "after")):
            write(os.path.join(folder, f"{side}.jsonl"), text)
            if keep:
                write(os.path.join(keep, f"{seed}-{side}.jsonl"), text)
        wrong, options = check_report(binary, pair, texts, folder)
        more, one = check_one(binary, pair, texts, folder)
        last, arms = check_sweep(binary, pair, folder)
    options.pop("train_runs", None)
    return wrong + more + last, {**options, "one": one, "sweep": arms}


def main():
    given = options(1000, "--keep")
    binary = os.path.join(given.bin, "wai-compare")
    count = Count()
    for case in range(given.seed, given.seed + given.cases):
        try:
            wrong, asked = check(binary, case, given.keep)
        except Exception as error:                          # noqa: BLE001: a case that cannot run disagrees
            wrong, asked = [f"{type(error).__name__}: {error}"], None
        count.add(not wrong)
        if wrong and count.failed <= SHOWN:
            print(f"case {case} {asked}: " + "; ".join(wrong[:4]))
    count.close()


if __name__ == "__main__":
    main()
