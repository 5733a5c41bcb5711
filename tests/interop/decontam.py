#!/usr/bin/env python3
"""wai-decontam against the reference package on random rows: the same rows kept, counts and examples.

    tests/interop/decontam.py --bin DIR [--cases N] [--seed S]

A case is a whole run of the binary, so N counts hundredths: --cases 2000 makes about 100 runs.
Left out, because we differ on purpose: texts without a-z and digits that are on both sides (the package does
not see them) and prompts that are lists of messages (the package compares their Python text).
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
    import whileai
except ImportError:
    print("skipped: the package whileai is not installed")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

KEYS = ["n", "n_kept", "n_contaminated", "contamination_rate", "n_same_task", "n_exact", "n_near", "n_semantic",
        "n_eval_rows", "n_eval_texts", "ngram", "overlap", "similarity", "fields", "by_field", "examples"]
WORDS = ["the", "order", "a", "b7", "42", "of", "mugs", "caf\u00e9", "\u0130stanbul", "\u212aelvin", "don't", "\u4f60\u597d",
         "x", "\u03a3\u03a3", "can", "you", "please", "cancel", "it", "and", "why", "two", "half-way", "12.5", "\u0130", "!"]


def sentence(r, words, n):
    text = r.choice([" ", " ", "  ", "\t", "\u00a0"]).join(r.choice(words) for _ in range(n))
    return r.choice([text, text, text.upper(), text.capitalize() + ".", " " + text + "\n"])


def edited(r, text, words):
    parts = text.split(" ")
    for _ in range(r.choice([0, 1, 1, 3])):
        at = r.randrange(len(parts))
        what = r.randrange(3)
        if what == 0:
            parts[at] = r.choice(words)
        elif what == 1:
            parts.insert(at, r.choice(words))
        elif len(parts) > 1:
            del parts[at]
    return " ".join(parts)


def odd_value(r):
    return r.choice([None, True, False, 0, 1, 42, -3.5, 1e-7, 1e16, [], {}, ["a", 1, None], {"k": "the order 42"}, "",
                     " ", 12345678901234567890])


def templates(r, words):
    """A row's text is a few fixed sentences with words of its own between them."""
    fixed = [[r.choice(words) for _ in range(r.randrange(3, 25))] for _ in range(r.randrange(1, 4))]

    def write():
        parts = []
        for piece in fixed:
            if r.random() < 0.9:
                parts += piece
            parts += [r.choice(words) for _ in range(r.randrange(0, 4))]
        return " ".join(parts) or "x"
    return write


def make_case(r, large):
    words = r.sample(WORDS, r.randrange(3, len(WORDS))) + [f"w{i}" for i in range(r.choice([0, 20, 400]))]
    kind = r.random()
    write = templates(r, words) if large or kind < 0.5 else lambda: sentence(r, words, r.choice([1, 2, 5, 9, 20, 60]))
    id_keys = r.choice([[], ["scenario_id"], ["task_id"], ["scenario_id", "task_id"]])

    def ids(share):
        row = {}
        for key in id_keys:
            if r.random() < share:
                row[key] = r.choice([f"t{r.randrange(300)}", f"t{r.randrange(300)}", odd_value(r), r.randrange(50)])
        return row
    holdout, texts = [], []
    for _ in range(r.randrange(1500, 3000) if large else r.choice([0, 1, 5, 40])):
        row = ids(r.choice([0, 0.3]))
        for key in ("prompt", "answer", "reference", "final_text"):
            if r.random() < {"prompt": 0.95, "answer": 0.2, "reference": 0.1, "final_text": 0.2}[key]:
                row[key] = odd_value(r) if r.random() < 0.05 else write()
        holdout.append(row)
        texts += [v for v in (row.get("prompt"), row.get("answer")) if isinstance(v, str) and v]
    rows = []
    for _ in range(60 if large else r.choice([0, 1, 30, 120])):
        row = ids(r.choice([0, 0.3]))
        for key in ("prompt", "final_text", "note"):
            if r.random() < (0.95 if key == "prompt" else 0.3):
                u = r.random()
                if u < 0.05:
                    row[key] = odd_value(r)
                elif u < 0.35 and texts:
                    row[key] = edited(r, r.choice(texts), words)
                elif u < 0.45 and texts:
                    row[key] = r.choice(texts) + " " + sentence(r, words, 8)
                else:
                    row[key] = write()
        rows.append(row)
    options = {"n": r.choice([1, 2, 3, 5, 8, 8, 13]), "overlap": r.choice([0, 0, 0.1, 0.5, 0.8, 0.8, 1, 1 / 3, -1, 2, 0.95]),
               "fields": r.choice([["prompt"], ["prompt"], ["prompt", "final_text"], ["note", "missing", "prompt"]])}
    return holdout, rows, options


class Vectors:
    """Any text to a vector of its own, drawn when it is first asked for. Whole numbers: the norm is then the same
    whatever order the squares are summed in, and a product decides at most by its last bit."""

    def __init__(self, r):
        self.random, self.table, self.size = r, {}, r.choice([2, 3, 7, 40])
        self.seen = []

    def draw(self, text):
        r = self.random
        if self.seen and r.random() < 0.4:
            vector = [x + r.choice([0, 0, 0, 1, -1]) for x in r.choice(self.seen)]
        else:
            vector = [r.choice([0, r.randrange(-30, 31)]) for _ in range(self.size)]
        self.seen.append(vector)
        return vector

    def __call__(self, texts):
        return [self.table.setdefault(text, None) or self.table.__setitem__(text, self.draw(text)) or self.table[text]
                for text in texts]


def seen_words(value):
    return any(c in "abcdefghijklmnopqrstuvwxyz0123456789" for c in str(value).lower())


def drop_wordless(holdout):
    """What is without words on the evaluation side only we compare."""
    for row in holdout:
        for key in ("prompt", "answer", "reference"):
            if row.get(key) and not seen_words(row[key]):
                row[key] = None


def play(binary, folder, holdout, rows, options, jobs):
    for name, lines in (("holdout.jsonl", holdout), ("rows.jsonl", rows)):
        with open(os.path.join(folder, name), "w") as f:
            f.writelines(json.dumps(row, ensure_ascii=jobs == 1) + "\n" for row in lines)
    rule = []
    if options.get("embedder"):
        with open(os.path.join(folder, "vectors.jsonl"), "w") as f:
            f.writelines(json.dumps({"text": t, "vector": v}) + "\n" for t, v in options["embedder"].table.items())
        rule = ["--embedder", "file:vectors.jsonl", "--similarity", repr(options["similarity"])]
    command = [binary, *rule, "--against", "holdout.jsonl", "--ngram", str(options["n"]), "--overlap", repr(options["overlap"]),
               "--fields", ",".join(options["fields"]), "--report", "report.json", "--flagged", "flagged.jsonl", "-q",
               "--jobs", str(jobs), "rows.jsonl"]
    done = subprocess.run(command, cwd=folder, capture_output=True)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.decode()[-300:]}"
    with open(os.path.join(folder, "report.json")) as f:
        report = json.load(f)
    with open(os.path.join(folder, "flagged.jsonl")) as f:
        flagged = [json.loads(line) for line in f]
    kept = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    return kept, report, flagged


def compare(kept, report, flagged, wanted_rows, wanted):
    found = [f"{key}: {report.get(key)!r:.200} and not {wanted[key]!r:.200}" for key in KEYS
             if report.get(key) != wanted[key]]
    if set(report["rules_skipped"]) != set(wanted["rules_skipped"]):
        found.append(f"rules_skipped: {list(report['rules_skipped'])} and not {list(wanted['rules_skipped'])}")
    if kept != wanted_rows:
        found.append(f"{len(kept)} rows kept, {len(wanted_rows)} wanted, or others")
    if len(flagged) != wanted["n_contaminated"]:
        found.append(f"{len(flagged)} flagged rows in the file")
    for row, example in zip(flagged, wanted["examples"]):
        example = {k: v for k, v in example.items() if k != "index"}
        rule = example["match"] if example["match"] in ("same_task", "exact", "semantic") else "near"
        if row["contamination"] != dict(example, rule=rule):
            found.append(f"contamination: {row['contamination']} and not {example}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    binary = os.path.abspath(os.path.join(given.bin, "wai-decontam"))
    r = random.Random(given.seed)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in range(max(1, given.cases // 20)):
            holdout, rows, options = make_case(r, large=case % 20 == 19)
            drop_wordless(holdout)
            if r.random() < 0.4:
                options.update(embedder=Vectors(r), similarity=r.choice([0, 0.5, 0.8, 0.85, 0.9, 0.99, 1]))
            wanted_rows, wanted = whileai.decontaminate([dict(row) for row in rows], [dict(row) for row in holdout],
                                                        **options)
            got = play(binary, folder, holdout, rows, options, 1 + case % 3)
            found = [got] if isinstance(got, str) else compare(*got, list(wanted_rows), wanted)
            if not found:
                passed += 1
                continue
            failed += 1
            if failed <= 10:
                print(f"case {case} ({options}, {len(holdout)} by {len(rows)} rows):")
                print("\n".join("  " + line for line in found[:6]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
