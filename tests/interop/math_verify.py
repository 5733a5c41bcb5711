#!/usr/bin/env python3
"""math-equal against Math-Verify (through the reference package) and against sympy.

Three parts:
  1. Math-Verify's own test tables, from its source distribution: gold, answer, expected verdict. A verdict that
     is not theirs must stand in KNOWN, with its reason.
  2. Random pairs, each judged by the package and by us. We may accept what it refuses only where the values are
     equal by sympy or by construction, or the spelling is one of our own (D20); what it accepts and we refuse is
     counted, and must stay under one in a hundred.
  3. Random formulas of which sympy knows whether they are equal: nothing unequal is accepted.
"""
import argparse
import ast
import glob
import json
import logging
import os
import random
import subprocess
import sys
import tarfile
import tempfile

logging.disable(logging.CRITICAL)
SOURCE = "math-verify==0.9.0"

# Their verdict is not ours, and why. The pair's gold, the start of its answer.
KNOWN = {
    ("$1 - \\frac{1}{\\mathrm{e}}$", "$1 + \\frac{1}{\\mathrm{e}}$"): "1 - 1/e is not 1 + 1/e",
    ("1,22", "1.22"): "their test reads numbers alone; between dollars 1,22 is a list, for the package too",
    ("$9$", "Answer $ \n 9"): "their test reads LaTeX alone; the plain 9 is there all the same",
    ("$9$", "Answer \\( \n 9"): "as above",
    ("\\\\boxed{W(n) = 1", "W(x)=1orW(x)=-1"): "no marks around the answer, and another variable",
}


def ours(binary, pairs):
    rows = "".join(json.dumps({"scenario_id": str(i), "final_text": c, "privileged": {"reference": g}}) + "\n"
                   for i, (g, c) in enumerate(pairs))
    done = subprocess.run([binary, "-V", "math-equal"], input=rows, capture_output=True, text=True)
    graded = [json.loads(line) for line in done.stdout.splitlines()]
    if len(graded) != len(pairs):
        sys.exit(f"wai-grade: exit {done.returncode}: {done.stderr[-2000:]}")
    return [(r["reward"], r.get("reason", "")) for r in graded]


# ---- 1: their tables ---------------------------------------------------------------------------------------------


def constants(node, names):
    """A literal of the test files: strings joined, formatted with what a test formats, numbers."""
    try:
        return eval(compile(ast.Expression(node), "t", "eval"), dict(names))  # their own test files
    except Exception:
        return None


def tables():
    """(file, gold, answer, expected) of each parametrised test that compares with the defaults."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", SOURCE,
                               "-d", folder], capture_output=True, text=True)
        archives = glob.glob(folder + "/*.tar.gz")
        if done.returncode or not archives:
            return None
        with tarfile.open(archives[0]) as tar:
            tar.extractall(folder, filter="data")
        cases = []
        import math
        for path in sorted(glob.glob(folder + "/*/tests/test_*.py")):
            with open(path) as f:
                tree = ast.parse(f.read())
            for function in tree.body:
                if not isinstance(function, ast.FunctionDef):
                    continue
                for mark in function.decorator_list:
                    if not (isinstance(mark, ast.Call) and len(mark.args) == 2):
                        continue
                    names = constants(mark.args[0], {})
                    names = [n.strip() for n in names.split(",")] if isinstance(names, str) else []
                    if names[:2] != ["gold", "pred"] or {"strict", "allow_set_relation_comp"} & set(names):
                        continue
                    for row in mark.args[1].elts:
                        values = constants(row, {"math": math})
                        if not values:
                            continue
                        given = dict(zip(names, values))
                        if given.get("precision", 6) == 6:
                            cases.append((os.path.basename(path), given["gold"], given["pred"],
                                          int(given.get("expected", given.get("result")))))
        return cases


def bare(gold):
    """The tests' golds stand between dollars already, where ours gets them put around."""
    inside = gold[1:-1]
    return inside if gold[:1] == gold[-1:] == "$" and len(gold) > 2 and "$" not in inside else gold


def part_tables(binary):
    cases = tables()
    if not cases:
        print("skipped: the source distribution of math-verify does not come")
        return 0, 0
    verdicts = ours(binary, [(bare(g), p) for _, g, p, _ in cases])
    failed = known = 0
    for (name, gold, answer, expected), (got, reason) in zip(cases, verdicts):
        if got == expected:
            continue
        if any(gold.startswith(g) and answer.startswith(a) for g, a in KNOWN):
            known += 1
            continue
        failed += 1
        print(f"{name}: {gold!r} against {answer[-150:]!r}: {got}, theirs {expected}: {reason}")
    print(f"{len(cases)} pairs of Math-Verify's tests, {known} known differences")
    return len(cases) - failed, failed


# ---- 2: random pairs ---------------------------------------------------------------------------------------------


def number(rng):
    kind = rng.randrange(8)
    if kind == 0:
        return str(rng.randrange(-50, 200))
    if kind == 1:
        return f"{rng.randrange(-99, 99)}.{rng.randrange(100):02d}"
    if kind == 2:
        return "\\frac{%d}{%d}" % (rng.randrange(1, 30), rng.randrange(2, 30))
    if kind == 3:
        return "%d\\sqrt{%d}" % (rng.randrange(2, 6), rng.choice([2, 3, 5, 6, 7, 8, 12]))
    if kind == 4:
        return "\\sqrt{%d}" % rng.choice([2, 4, 8, 12, 18, 20, 50, 75])
    if kind == 5:
        return rng.choice(["\\pi", "2\\pi", "\\frac{\\pi}{3}", "\\frac{3\\pi}{4}", "e", "e^2"])
    if kind == 6:
        return "%d\\%%" % rng.randrange(1, 100)
    return "%d^{%d}" % (rng.randrange(2, 9), rng.randrange(0, 5))


def formula(rng, depth=0):
    if depth > 2 or rng.random() < 0.3:
        return rng.choice([number(rng), "x", "y", "n", "2x", "x^2", "\\sqrt{x}", "a", "\\alpha"])
    a, b = formula(rng, depth + 1), formula(rng, depth + 1)
    return rng.choice(["%s+%s", "%s-(%s)", "(%s)(%s)", "\\frac{%s}{%s}", "(%s)\\cdot(%s)"]) % (a, b)


def answer(rng):
    kind = rng.randrange(20)
    if kind == 12:
        return "\\begin{pmatrix}%s&%s\\\\%s&%s\\end{pmatrix}" % tuple(number(rng) for _ in range(4))
    if kind == 13:
        return "(-\\infty,%d)\\cup[%d,\\infty)" % (rng.randrange(-5, 1), rng.randrange(1, 5))
    if kind == 14:
        return "%d\\frac{%d}{%d}" % (rng.randrange(1, 9), rng.randrange(1, 5), rng.randrange(5, 9))
    if kind == 15:
        return "\\text{%s}" % rng.choice(["Yes", "No", "even", "odd", "A", "B", "Monday", "red"])
    if kind == 16:
        return "%d%s" % (rng.randrange(100), rng.choice(["^\\circ", "\\text{ cm}", "\\text{ apples}", " \\text{ m}^2", "!"][:4]))
    if kind == 17:
        return "%s=%s,%s=%s" % (rng.choice("xa"), number(rng), rng.choice("yb"), number(rng))
    if kind == 18:
        return "%d %s x %s %d" % (rng.randrange(5), rng.choice(["<", "\\le"]), rng.choice(["<", "\\le"]), rng.randrange(5, 9))
    if kind == 19:
        return "%s=%s" % (rng.choice(["y", "f(x)", "x+y", "2x", "x^2"]), formula(rng, 1))
    if kind < 4:
        return number(rng)
    if kind < 6:
        return formula(rng)
    if kind == 6:
        return "(%s,%s)" % (number(rng), number(rng))
    if kind == 7:
        return "\\{%s\\}" % ",".join(number(rng) for _ in range(rng.randrange(1, 4)))
    if kind == 8:
        return ",".join(str(rng.randrange(20)) for _ in range(rng.randrange(2, 4)))
    if kind == 9:
        return "%s%d,%d%s" % (rng.choice("[("), rng.randrange(5), rng.randrange(5, 9), rng.choice("])"))
    if kind == 10:
        return "%s=%s" % (rng.choice("xyn"), number(rng))
    return "x %s %d" % (rng.choice(["<", ">", "\\le", "\\ge"]), rng.randrange(9))


def respelled(text, rng):
    """The same answer in other words."""
    if "\\begin" in text:
        return text.replace("&", " & ")
    for old, new in rng.sample([("\\frac", "\\dfrac"), (",", ", "), ("+", " + "), ("(", "\\left("), ("\\cdot", "\\times "),
                                ("\\le", "\\leq"), ("\\%", "\\%"), ("{", "{ ")], 3):
        text = text.replace(old, new)
        if new == "\\left(":
            text = text.replace(")", "\\right)") if text.count("(") == text.count(")") else text.replace("\\left(", "(")
    return text


def in_reply(text, rng):
    return rng.choice(["$%s$", "The answer is $%s$.", "\\boxed{%s}", "So \\[ %s \\]", "**Answer:** $%s$", "Final answer: \\(%s\\)",
                       "First $7$, then $%s$", "$\\boxed{%s}$ it is."]) % text


def pairs_of(rng, n):
    pairs = []
    for _ in range(n):
        gold = answer(rng)
        given = rng.choice([gold, respelled(gold, rng), respelled(gold, rng), answer(rng), number(rng)])
        if rng.random() < 0.2:  # one digit another
            spots = [i for i, c in enumerate(given) if c.isdigit()]
            if spots:
                i = rng.choice(spots)
                given = given[:i] + str((int(given[i]) + 1) % 10) + given[i + 1:]
        pairs.append((gold, in_reply(given, rng)))
    return pairs


def part_pairs(binary, cases, seed):
    from whileai.simulations.verify import MathEqual
    theirs = MathEqual()
    pairs = pairs_of(random.Random(seed), cases)
    refused = accepted = 0
    for (gold, reply), (got, reason) in zip(pairs, ours(binary, pairs)):
        verdict = theirs({"final_text": reply, "privileged": {"reference": gold}})["reward"]
        if got == verdict:
            continue
        if got == 1 and verdict == 0:
            accepted += 1
        else:
            refused += 1
        if refused + accepted <= 40:
            print(f"gold {gold!r} reply {reply!r}: {got}, the package {verdict}: {reason}")
    agreed = cases - refused - accepted
    print(f"{cases} random pairs: {agreed} alike, {refused} that we alone refuse, {accepted} that we alone accept")
    failed = (refused + accepted) if (refused + accepted) * 100 > cases else 0
    return cases - failed, failed


# ---- 3: truth ----------------------------------------------------------------------------------------------------


def tree(rng, symbols, depth=0):
    import sympy as s
    if depth > 3 or rng.random() < 0.25:
        return rng.choice(symbols + [s.Integer(rng.randrange(-9, 10)), s.Rational(rng.randrange(1, 9), rng.randrange(2, 9)),
                                     s.pi, s.sqrt(rng.choice([2, 3, 5]))])
    a, b = tree(rng, symbols, depth + 1), tree(rng, symbols, depth + 1)
    kind = rng.randrange(9)
    if kind < 3:
        return a + b
    if kind < 6:
        return a * b
    if kind == 6:
        return a ** rng.choice([2, 3, -1]) if a != 0 else a
    if kind == 7:
        return rng.choice([s.sin, s.cos, s.exp, s.atan])(a)
    return a / b if b != 0 else a


def part_truth(binary, cases, seed):
    import sympy as s
    rng = random.Random(seed + 1)
    x, y = s.symbols("x y", real=True)
    pairs, truths = [], []
    while len(pairs) < cases:
        symbols = rng.choice([[x], [x, y], []])
        a = tree(rng, symbols)
        change = rng.randrange(5)
        try:
            if change == 0:
                b = s.expand(a)
            elif change == 1:
                b = s.factor(a)
            elif change == 2:
                b = s.together(a)
            elif change == 3:
                b = a + rng.choice([s.Rational(1, 10 ** rng.randrange(1, 30)), s.Integer(1), x])
            else:
                b = tree(rng, symbols)
            if a.has(s.zoo, s.nan, s.oo) or b.has(s.zoo, s.nan, s.oo):
                continue
            # Truth by values at points of our own choosing, far more digits than doubles have.
            differ = False
            for point in ((1.25, 2.5), (-0.75, 3.125), (7, -1.5)):
                values = {x: s.Rational(point[0]), y: s.Rational(point[1])}
                d = s.N((a - b).subs(values), 60, maxn=400)
                if d.has(s.zoo, s.nan, s.oo):
                    raise ValueError
                size = abs(s.N(a.subs(values), 60, maxn=400))
                differ = differ or abs(d) > s.Float(10) ** -40 * max(1, size)
            pairs.append((s.latex(a), "$" + s.latex(b) + "$"))
            truths.append(0 if differ else 1)
        except Exception:
            continue
    false_accepts = missed = 0
    for (gold, reply), truth, (got, reason) in zip(pairs, truths, ours(binary, pairs)):
        if got == 1 and truth == 0:
            false_accepts += 1
            print(f"false accept: {gold!r} and {reply!r}")
        if got != 1 and truth == 1:
            missed += 1
            if missed <= 10:
                print(f"missed: {gold!r} and {reply!r}: {reason}")
    print(f"{cases} pairs of formulas, {sum(truths)} equal: {false_accepts} false accepts, {missed} not seen to be equal")
    failed = false_accepts + (missed if missed * 50 > sum(truths) else 0)
    return cases - failed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=["tables", "pairs", "truth"])
    given = parser.parse_args()
    binary = os.path.join(given.bin, "wai-grade")
    passed = failed = 0
    if given.part in (None, "tables"):
        p, f = part_tables(binary)
        passed, failed = passed + p, failed + f
    if given.part in (None, "pairs"):
        p, f = part_pairs(binary, given.cases, given.seed)
        passed, failed = passed + p, failed + f
    if given.part in (None, "truth"):
        p, f = part_truth(binary, given.cases, given.seed)
        passed, failed = passed + p, failed + f
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
