#!/usr/bin/env python3
"""Rooms text and rng against CPython 3.11's own str, float, hashlib and random, through wai-unit.

    tests/interop/text_rng.py --bin DIR [--cases N] [--seed S]
"""
import argparse
import hashlib
import json
import math
import os
import random
import struct
import subprocess
import sys

WIDE = 0x110000
SPACES = [c for c in range(WIDE) if chr(c).isspace()]
CASED = [c for c in range(WIDE) if chr(c).lower() != chr(c) or chr(c).casefold() != chr(c)]
# Characters that case rules look through, sigmas, and neighbours that they stop at.
SIGMA = "\u03a3\u03a3\u03c3\u03c2\u0130aAbZ.:'\u00ad\u0301\u2019\u02b0\u0345 1-\u200d\U000e0041\U00010400\u4e00"
BREAKS = "ab\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029 "


class Tally:
    def __init__(self, folder):
        self.driver = os.path.join(folder, "wai-unit")
        self.passed = self.failed = 0

    def check(self, function, cases):
        """cases: (line in, value wanted)."""
        feed = "".join(json.dumps(line) + "\n" for line, _ in cases)
        done = subprocess.run([self.driver, function], input=feed.encode(), capture_output=True)
        lines = done.stdout.decode("utf-8").split("\n")[:-1]
        if done.returncode or len(lines) != len(cases):
            print(f"{function}: exit {done.returncode}, {len(lines)} lines for {len(cases)}: "
                  f"{done.stderr.decode('utf-8', 'replace')[-300:]}")
            self.failed += 1
            return
        for (line, wanted), got in zip(cases, lines):
            got = json.loads(got)
            if got == wanted and type(got) is type(wanted):
                self.passed += 1
                continue
            self.failed += 1
            if self.failed <= 20:
                print(f"{function} {json.dumps(line)[:300]}: {got!r:.300} and not {wanted!r:.300}")


def bits(x):
    return struct.pack(">d", x).hex()


def random_text(r, alphabet=None):
    n = r.choice([0, 1, 2, 5, 12, 40, 200])
    kind = r.random()
    out = []
    for _ in range(n):
        if alphabet and r.random() < 0.9:
            out.append(r.choice(alphabet))
        elif kind < 0.3 or r.random() < 0.4:
            out.append(chr(r.randrange(0x80)))
        elif r.random() < 0.3:
            out.append(chr(r.choice(SPACES)))
        elif r.random() < 0.5:
            out.append(chr(r.choice(CASED)))
        else:
            c = r.randrange(WIDE)
            out.append(chr(c if not 0xd800 <= c < 0xdc00 else 0x3a3))
    return "".join(out)


def random_double(r):
    kind = r.randrange(10)
    if kind == 0:
        return math.ldexp(1.0, r.randrange(-1074, 1024)) * r.choice([1, -1])
    if kind == 1:
        return struct.unpack(">d", struct.pack(">Q", r.getrandbits(52)))[0] * 1.0      # subnormal
    if kind == 2:
        return float(r.randrange(-10**r.randrange(1, 19), 10**r.randrange(1, 19)))
    if kind == 3:
        return r.randrange(10**r.randrange(1, 10)) / 10**r.randrange(0, 12)
    if kind == 4:
        return r.randrange(1, 1000) / r.randrange(1, 1000)
    if kind == 5:
        return float(f"{r.randrange(1, 10**17)}e{r.randrange(-330, 300)}")
    if kind == 6:
        return r.choice([0.0, -0.0, math.inf, -math.inf, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
                         1e16, 9999999999999998.0, 1e-4, 9.999999999999999e-05, 1e22, 1e23, 2.0**53, 2.0**-44])
    x = struct.unpack(">d", struct.pack(">Q", r.getrandbits(64)))[0]
    return x if x == x else 1.5


def random_number_text(r):
    def digits(n):
        return "".join(r.choice("0123456789") for _ in range(r.randrange(n)))
    if r.random() < 0.15:
        text = r.choice(["inf", "Infinity", "NAN", "-iNf", "+infinity", "nan", "-nan", "infinit", "in", "1e", ".", "e5",
                         "0x10", "1__0", "_1", "1_", "1_.0", "1._0", "1e_5", "1_0e1_0", "--1", "+-1", "1 2", "1\x002",
                         "", "\u0661\u0662.\u0665", "\U0001d7ce", "\u00b2", "\u4e00", "-\u0663e\u0662"])
    else:
        text = (r.choice(["", "", "-", "+"]) + digits(r.choice([3, 20, 40])) + r.choice(["", ".", "."]) +
                digits(r.choice([3, 20, 40])))
        if r.random() < 0.4:
            text += r.choice("eE") + r.choice(["", "-", "+"]) + digits(r.choice([2, 4, 6]))
        if r.random() < 0.2 and text:
            at = r.randrange(len(text))
            text = text[:at] + r.choice("_._e- x") + text[at:]
    if r.random() < 0.3:
        text = chr(r.choice(SPACES)) + text + chr(r.choice(SPACES))
    return text


def as_float(text):
    try:
        return bits(float(text)) if float(text) == float(text) else "nan"
    except ValueError:
        return None


def json_number(r):
    text = r.choice(["", "-"]) + str(r.randrange(10**r.choice([1, 3, 9, 15, 16, 17, 19, 20, 25])))
    if r.random() < 0.7:
        text += "." + "".join(r.choice("0123456789") for _ in range(r.choice([1, 2, 6, 15, 18, 30])))
    if r.random() < 0.4:
        text += r.choice("eE") + r.choice(["", "-", "+"]) + str(r.randrange(r.choice([5, 25, 330, 99999])))
    return text


def check_characters(tally):
    cases = []
    for start in range(0, WIDE, 4096):
        wanted = []
        for c in range(start, start + 4096):
            s = chr(c)
            said = "".join(letter for letter, yes in (
                ("s", s.isspace()), ("w", s.isalnum() or s == "_"), ("a", s.isalpha()), ("d", s.isdecimal()),
                ("p", s.isprintable()), ("u", s.isupper())) if yes)
            wanted.append(said + (str(int(s)) if s.isdecimal() else ""))
        cases.append(({"from": start, "to": start + 4096}, wanted))
    tally.check("characters", cases)


def check_texts(tally, r, n):
    # A lone surrogate can be said in JSON, a high one with a low one behind it is another character.
    chars = [chr(c) + "-" * (0xd800 <= c < 0xe000) for c in range(WIDE)]
    every = ["".join(chars[i:i + 997]) for i in range(0, WIDE, 997)]
    texts = every + [random_text(r) for _ in range(n)]
    rules = {"lower": str.lower, "casefold": str.casefold, "strip": str.strip, "rstrip": str.rstrip,
             "split": str.split, "splitlines": str.splitlines, "length": len,
             "fold": lambda s: " ".join(s.lower().split()), "blank": lambda s: not s.strip(),
             "valid": lambda s: not any(0xd800 <= ord(c) < 0xe000 for c in s)}
    for name, rule in rules.items():
        alphabet = {"lower": SIGMA, "fold": SIGMA, "splitlines": BREAKS}.get(name)
        more = texts + ([random_text(r, alphabet) for _ in range(n)] if alphabet else [])
        tally.check("str", [({"f": name, "in": s}, rule(s)) for s in more])
    heads = []
    for s in texts:
        k = r.randrange(len(s) + 3)
        heads.append(({"in": s, "n": k}, [len(s[:k].encode("utf-8", "surrogatepass")), s[:k]]))
    tally.check("head", heads)
    whole = [s.encode("utf-8", "surrogatepass") for s in texts]
    tally.check("digest", [({"in": s}, [h(b).hexdigest() for h in (hashlib.sha1, hashlib.sha256, hashlib.sha512)])
                           for s, b in zip(texts, whole)])


def check_numbers(tally, r, n):
    doubles = [random_double(r) for _ in range(n * 5)]
    doubles += [math.ldexp(1.0, e) for e in range(-1074, 1024)]
    doubles += [math.nextafter(math.ldexp(1.0, e), to) for e in range(-1074, 1024) for to in (0.0, math.inf)]
    doubles += [float(f"1e{e}") for e in range(-323, 309)]
    tally.check("number", [({"f": "text", "bits": bits(x)}, repr(x)) for x in doubles])
    rounds, evens = [], []
    for x in doubles[:n * 2] + [k / 8 for k in range(-200, 200)] + [k / 200 for k in range(400)]:
        digits = r.choice([0, 1, 2, 3, 4, 6, 12, 17, 22, 23, 100, 323, 324, -1, -2, -15, -22, -300, -308, -309])
        try:
            rounds.append(({"f": "round", "bits": bits(x), "digits": digits}, bits(round(x, digits))))
        except OverflowError:
            pass
        if math.isfinite(x):
            try:
                evens.append(({"f": "round_even", "bits": bits(x)}, bits(float(round(x)))))
            except OverflowError:
                pass
    tally.check("number", rounds)
    tally.check("number", evens)
    parses = []
    for _ in range(n * 2):
        text = random_number_text(r)
        wanted = as_float(text)
        if wanted == "nan":
            wanted = "7ff8000000000000"
        parses.append(({"f": "parse", "in": text}, wanted))
    tally.check("number", parses)
    tokens = [json_number(r) for _ in range(n * 2)] + [repr(x) for x in doubles[:n * 2] if math.isfinite(x)]
    tally.check("number", [({"f": "json", "in": t}, bits(float(t))) for t in tokens])


def draw(rng, r):
    """A call and what it gives."""
    name = r.choice(["bits", "bits_big", "below", "range", "random", "uniform", "gauss", "choices", "choices_weighted",
                     "sample", "shuffle", "choice"])
    n = r.choice([1, 2, 3, 7, 8, 20, 21, 22, 100, 1000])
    if name == "bits":
        k = r.randrange(1, 65)
        return [name, k], rng.getrandbits(k)
    if name == "bits_big":
        k = r.randrange(1, 300)
        return [name, k], f"{rng.getrandbits(k):0{(k + 31) // 32 * 8}x}"
    if name in ("below", "choice"):
        n = r.choice([n, 2**r.randrange(0, 62), 2**r.randrange(1, 62) - 1, r.randrange(1, 2**62)])
        return [name, n], rng.randrange(n)
    if name == "range":
        low = r.randrange(-2**62, 2**62)
        high = r.choice([low + n, r.randrange(low + 1, 2**62 + 1)])
        return [name, low, high], rng.randrange(low, high)
    if name == "random":
        return [name], rng.random()
    if name in ("uniform", "gauss"):
        a, b = r.uniform(-9, 9), r.uniform(0, 9)
        return [name, a, b], getattr(rng, name)(a, b)
    if name == "choices":
        k = r.randrange(6)
        return [name, n, k], rng.choices(range(n), k=k)
    if name == "choices_weighted":
        weights = [r.choice([0.0, r.random(), r.randrange(9)]) for _ in range(n)]
        weights[r.randrange(n)] = 0.5
        k = r.randrange(6)
        return [name, weights, k], rng.choices(range(n), weights, k=k)
    if name == "sample":
        k = r.choice([0, 1, n, r.randrange(n + 1), min(n, 6)])
        return [name, n, k], rng.sample(range(n), k)
    order = list(range(n))
    rng.shuffle(order)
    return [name, n], order


def check_draws(tally, r, n):
    seeds = [0, 1, -1, 2**32, 2**32 - 1, 2**31, 2**63, -2**63, 2**64, 10**30, -10**100, 10**1000 + 7, "", "a", "42",
             "0:1:t-3:2", "\0", "\0\0x", "Gr\u00fc\u00dfe", "\u4f60\u597d", "x" * 1000]
    cases = []
    for i in range(max(len(seeds), n // 10)):
        if i < len(seeds):
            seed = seeds[i]
        else:
            seed = r.choice([r.getrandbits(r.randrange(1, 400)), -r.getrandbits(64), random_text(r)])
            if isinstance(seed, str):
                seed = "".join(c for c in seed if not 0xd800 <= ord(c) < 0xe000)
        rng = random.Random(seed)
        drawn = [draw(rng, r) for _ in range(40)]
        cases.append(({"seed": seed, "calls": [d[0] for d in drawn]}, [d[1] for d in drawn]))
    for k in (10**4, 10**5):                        # past the first twists, both ways of sampling
        rng = random.Random(k)
        cases.append(({"seed": k, "calls": [["sample", 10**6, k], ["sample", k, k // 2], ["random"]]},
                      [rng.sample(range(10**6), k), rng.sample(range(k), k // 2), rng.random()]))
    tally.check("mt19937", cases)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if sys.version_info[:2] != (3, 11):
        print("skipped: the tables and sums are CPython 3.11's")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    sys.set_int_max_str_digits(0)
    tally, r = Tally(given.bin), random.Random(given.seed)
    check_characters(tally)
    check_texts(tally, r, given.cases)
    check_numbers(tally, r, given.cases)
    check_draws(tally, r, given.cases)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
