#!/usr/bin/env python3
"""wai-select --mode trim against the package: orders, sizes, and the fit of a learning curve."""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from whileai import trim as package

WORDS = "the a order refund please cancel x_1 it's Straße ÉTÉ now now".split()


def make_row(rng):
    row, text = {}, " ".join(rng.choice(WORDS) for _ in range(rng.randint(0, 7)))
    if rng.random() < .8:
        row["prompt"] = text if rng.random() < .8 else text.upper() + "!"
    else:
        row["messages"] = [{"role": "user", "content": text}, {"role": "assistant", "content": rng.choice(["ok", "Ok.", "no"])}]
    if rng.random() < .5:
        row[rng.choice(["response", "completion", "answer"])] = rng.choice(["ok", "no", "maybe so"])
    return row


def make_curve(rng):
    kind, plateau, slope = rng.random(), rng.uniform(.3, .95), rng.uniform(.2, 2)
    sizes = sorted(rng.sample([16, 32, 64, 100, 128, 256, 512, 700, 1024, 2048], rng.randint(5, 8)))
    if rng.random() < .3:
        rng.shuffle(sizes)
    seeds, items = rng.choice([1, 2, 3]), rng.choice([8, 20])
    curve = {}
    for n in sizes:
        mean = .1 + (plateau - .1) * n ** slope / (rng.uniform(50, 90) ** slope + n ** slope)
        score = lambda: round(min(1.0, max(0.0, mean + rng.gauss(0, .01))), 4)
        curve[n] = (score() if kind < .2 else [score() for _ in range(seeds)] if kind < .7 else
                    [[int(rng.random() < mean) for _ in range(items)] for _ in range(seeds)])
    return curve, rng.choice([None, .1, [.1, .12]])


def close(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(close, a, b))
    return a == b


def run(binary, args, text=""):
    done = subprocess.run([binary, "-q", "--mode", "trim"] + args, input=text.encode(), capture_output=True)
    return done.stdout.decode() if done.returncode == 0 else "!" + done.stderr.decode()


def same_curve(want, got):
    """Two forms of which the last bit of a power decides: n^c/(d + n^c) is 1 - d n^-c when n^c is large, so that
    rectified and power are one curve there, and their errors at the largest size differ by rounding alone."""
    if want.form == got["form"] or want.form not in got["heldout_error"] or got["form"] not in want.heldout_error:
        return False
    errors = [errors[form] for errors in (want.heldout_error, got["heldout_error"]) for form in (want.form, got["form"])]
    return max(errors) - min(errors) <= 1e-7 * max(errors)


def curve_case(rng, binary, scratch):
    curve, base = make_curve(rng)
    gain, draws, seed = rng.choice([.01, .001, .05]), rng.choice([0, 3, 20]), rng.choice([0, 1, 9])
    path = os.path.join(scratch, "curve.json")
    with open(path, "w") as f:
        json.dump({"base": base, "curve": curve} if base is not None else curve, f)
    want = package.fit_saturation(curve, base=base, min_gain=gain, draws=draws, seed=seed)
    got = run(binary, ["--curve", path, "--json", "--min-gain", str(gain), "--draws", str(draws), "--seed", str(seed)])
    if got.startswith("!"):
        return got
    got = json.loads(got)
    if same_curve(want, got):
        return None
    for key in "form params min_gain verdict curve base interval share_saturated heldout_error mde last_gain last_gain_interval n_saturated".split():
        value = getattr(want, key)
        value = {str(k): v for k, v in value.items()} if isinstance(value, dict) else value
        value = [None if isinstance(v, float) and math.isinf(v) else v for v in value] if isinstance(value, (list, tuple)) else value
        value = None if isinstance(value, float) and not math.isfinite(value) else value
        if not close(value, got[key]):
            return f"{key}: {got[key]!r}, the package has {value!r}: {json.dumps(curve)} base {base} {gain} {draws} {seed}"
    return None


class Vectors:
    """Any text to a vector of its own of length 1, drawn when it is first asked for; some lie near an earlier one.

    plain: without vectors of zeros and without copies.
    A vector of zeros is as far from every centre of length 1, and the last bit of their lengths decides
    which cluster it joins. That bit is another when vectors are brought to length 1 first, as wai-select does; the same decides between two rows whose vectors
    are those of two dev texts."""

    def __init__(self, rng, plain):
        self.rng, self.table, self.size, self.plain = rng, {}, rng.choice([2, 5, 16]), plain

    def draw(self):
        rng = self.rng
        near = rng.random() < .4 and self.table
        start = rng.choice(list(self.table.values())) if near else [0.0] * self.size
        if near and not self.plain and rng.random() < .2:
            return list(start)
        vector = [x + rng.gauss(0, .15 if near else 1) for x in start]
        norm = math.sqrt(math.fsum(x * x for x in vector))
        return [x / norm for x in vector] if self.plain or rng.random() < .97 else [0.0] * self.size

    def __call__(self, texts):
        for text in texts:
            if text not in self.table:
                self.table[text] = self.draw()
        return [self.table[text] for text in texts]


def vector_case(rng, binary, scratch):
    rows = [make_row(rng) for _ in range(rng.choice([0, 1, 2, 5, 40, 90]))]
    for i, row in enumerate(rows):
        if rng.random() < .7:
            row["response"] = f"{i} " + "x" * rng.randint(0, 5)
    by, seed = rng.choice(["diverse", "diverse", "target", "random", "bigram"]), rng.choice([0, 3, 77])
    embed = Vectors(rng, by in ("diverse", "target"))
    dev = [rng.choice([{"prompt": f"d{i}", "response": "r"}, f"dev {i}"]) for i in range(rng.choice([1, 2, 6]))]
    want = "".join(f"{i}\n" for i in package.order(rows, by, seed=seed, embed=embed, dev=dev if by == "target" else None)) if rows else ""
    embed([row if isinstance(row, str) else f"{row['prompt']}\n{row['response']}" for row in dev])
    paths = [os.path.join(scratch, name) for name in ("vectors.jsonl", "dev.jsonl")]
    with open(paths[0], "w") as f:
        f.writelines(json.dumps({"text": text, "vector": vector}) + "\n" for text, vector in embed.table.items())
    with open(paths[1], "w") as f:
        f.writelines(json.dumps(row) + "\n" for row in dev)
    args = ["--by", by, "--seed", str(seed), "--indexes", "--embedder", "file:" + paths[0]]
    got = run(binary, args + (["--dev", paths[1]] if by == "target" else []), "".join(json.dumps(row) + "\n" for row in rows))
    if got != want:
        return f"vectors {by} {seed}: {got.split()}, the package has {want.split()}: {json.dumps(rows)} {json.dumps(embed.table)}"
    return None


def order_case(rng, binary, scratch):
    rows = [make_row(rng) for _ in range(rng.choice([0, 1, 5, 40]))]
    by, seed = rng.choice(["random", "bigram"]), rng.choice([0, 3])
    text = "".join(json.dumps(row) + "\n" for row in rows)
    got = run(binary, ["--by", by, "--seed", str(seed), "--indexes"], text)
    want = "".join(f"{i}\n" for i in package.order(rows, by, seed=seed)) if rows else ""
    if got != want:
        return f"order {by}: {got.split()}, the package has {want.split()}: {text}"
    if rows:
        first, growth = rng.choice([1, 3, 64]), rng.choice([2.0, 1.5])
        got = run(binary, ["--sizes", "--first", str(first), "--growth", str(growth)], text).split()
        want = [str(n) for n in package.trim_sizes(len(rows), first=first, growth=growth)]
        if got != want:
            return f"sizes of {len(rows)}: {got}, the package has {want}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for case in range(given.cases):
            one = rng.choices([curve_case, vector_case, order_case], [.1, .3, .6])[0]
            difference = one(rng, os.path.join(given.bin, "wai-select"), scratch)
            passed += not difference
            failed += bool(difference)
            if difference and failed <= 5:
                print(f"case {case}: {difference}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
