#!/usr/bin/env python3
"""tool-call against the Berkeley Function Calling Leaderboard's own data and checker (PyPI bfcl-eval).

Every task of its single-turn sets: an answer made of the allowed values passes, as the wire's tool calls and
as a program's text; the same answer with one argument changed, left out or added fails. Random answers are
judged by its checker and by ours; where both know the types they agree.
"""
import argparse
import importlib
import json
import os
import random
import subprocess
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = "bfcl-eval==2026.3.23"
SETS = ["simple_python", "multiple", "parallel", "parallel_multiple", "live_simple", "live_multiple", "live_parallel",
        "live_parallel_multiple", "simple_java", "simple_javascript"]


def package():
    """The folder of bfcl_eval, without the hundred packages that it wants for asking models."""
    folder = os.path.join(ROOT, "build-interop-tool_call")
    if not os.path.isdir(os.path.join(folder, "bfcl_eval")):
        done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, PACKAGE],
                              capture_output=True, text=True)
        if done.returncode:
            return None
    return folder


def checker(folder):
    """Its ast_checker, its list of models replaced by one that keeps dots in names; None when it does not load."""
    sys.path.insert(0, folder)
    models = types.ModuleType("bfcl_eval.constants.model_config")
    models.MODEL_CONFIG_MAPPING = {"m": types.SimpleNamespace(underscore_to_dot=False)}
    sys.modules[models.__name__] = models
    try:
        enums = importlib.import_module("bfcl_eval.constants.enums")
        module = importlib.import_module("bfcl_eval.eval_checker.ast_eval.ast_checker")
    except ImportError as e:
        print(f"skipped: the package's own checker does not load: {e}")
        return None, None
    return module.ast_checker, enums.Language


def read(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def load(folder, name):
    base = os.path.join(folder, "bfcl_eval", "data")
    questions = {q["id"]: q for q in read(f"{base}/BFCL_v4_{name}.json")}
    return [(questions[a["id"]], a["ground_truth"]) for a in read(f"{base}/possible_answer/BFCL_v4_{name}.json")
            if a["id"] in questions]


def fill(allowed, rng):
    """One of the allowed values; an object's members likewise. None: only to be left out."""
    values = [v for v in allowed if v != ""]
    return plain(rng.choice(values), rng) if values else None


def plain(value, rng):
    if isinstance(value, dict):
        filled = {k: fill(v, rng) if isinstance(v, list) else v for k, v in value.items()}
        return {k: v for k, v in filled.items() if v is not None}
    if isinstance(value, list):
        return [plain(v, rng) if isinstance(v, dict) else v for v in value]
    return value


def answer(truth, tools, rng, all_given):
    """Calls as [(name, arguments)] that the truth allows."""
    required = {t["name"]: t["parameters"].get("required", []) for t in tools}
    calls = []
    for wish in truth:
        (name, wanted), = wish.items()
        arguments = {}
        for key, allowed in wanted.items():
            value = fill(allowed, rng)
            if value is None and key in required.get(name, []):
                value = ""
            if value is not None and (all_given or key in required.get(name, []) or "" not in allowed):
                arguments[key] = value
        calls.append((name, arguments))
    return calls


def wrong(value, rng):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + rng.choice([1, -3, 0.5])
    if isinstance(value, str):
        return value + "q"
    if isinstance(value, list):
        return value + [value[0]] if value else ["q"]
    if isinstance(value, dict):
        return dict(value, not_wanted=1)
    return "q"


def changed(calls, rng):
    """One argument changed, left out though it must be given, or added; None when the call has none."""
    calls = [(n, dict(a)) for n, a in calls]
    spots = [(i, k) for i, (_, a) in enumerate(calls) for k in a]
    if not spots:
        return None
    i, key = rng.choice(spots)
    calls[i][1][key] = wrong(calls[i][1][key], rng)
    return calls


def python_text(calls):
    return "[" + ", ".join(f"{n}({', '.join(f'{k}={v!r}' for k, v in a.items())})" for n, a in calls) + "]"


def wire(calls):
    return [{"role": "assistant", "tool_calls": [
        {"id": f"c{i}", "type": "function", "function": {"name": n.replace(".", "_") if i % 2 else n,
                                                         "arguments": json.dumps(a)}}
        for i, (n, a) in enumerate(calls)]}]


def writable(calls):
    return all(k.isidentifier() for _, a in calls for k in a) and all(
        part.isidentifier() for n, _ in calls for part in n.replace("-", "_").split("."))


class Run:
    def __init__(self, binary):
        self.binary, self.rows, self.wanted, self.about = binary, [], [], []

    def add(self, row, wanted, about):
        self.rows.append(row)
        self.wanted.append(wanted)
        self.about.append(about)

    def finish(self):
        text = "".join(json.dumps(r) + "\n" for r in self.rows)
        done = subprocess.run([self.binary, "-V", "tool-call:field=ground_truth"], input=text, capture_output=True,
                              text=True)
        if done.returncode:
            print(done.stderr)
        graded = [json.loads(line) for line in done.stdout.splitlines()]
        failed = abs(len(graded) - len(self.rows))
        for row, wanted, about in zip(graded, self.wanted, self.about):
            if row["reward"] != wanted:
                failed += 1
                if failed <= 12:
                    print(about, "is", row["reward"], "not", wanted, row["reason"], json.dumps(row)[:900])
        return len(self.rows) - failed, failed


def judged(check, language, question, truth, calls, name):
    """Its verdict, or None where it raises."""
    try:
        return int(check(question["function"], [{n: a} for n, a in calls], truth, language, name, "m")["valid"])
    except Exception:
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    folder = package()
    if not folder:
        print("skipped: bfcl-eval does not install\n0 passed, 0 failed, 1 skipped")
        return
    rng = random.Random(given.seed)
    check, languages = checker(folder)
    run = Run(os.path.join(given.bin, "wai-grade"))
    ambiguous = raised = compared = 0
    for name in SETS:
        tasks = load(folder, name)
        language = None
        if check and "java" not in name:
            language = languages.PYTHON
        for question, truth in tasks:
            row = {"id": question["id"], "ground_truth": truth, "tools": question["function"]}
            for all_given in (True, False):
                calls = answer(truth, question["function"], rng, all_given)
                right = judged(check, language, question, truth, calls, name) if language else 1
                raised += right is None
                if right == 0:  # the data has answers that its own checker does not take
                    ambiguous += 1
                run.add(dict(row, messages=wire(calls)), 1, f"{question['id']} {calls}") if right != 0 else None
                if writable(calls) and right != 0:
                    run.add(dict(row, final_text=python_text(calls)), 1, f"{question['id']} {python_text(calls)}")
                bad = changed(calls, rng)
                verdict = judged(check, language, question, truth, bad, name) if bad and language else 0
                if bad and verdict is not None:
                    compared += bool(language)
                    run.add(dict(row, messages=wire(bad)), verdict, f"{question['id']} {bad}")
                if len(calls) > 1:
                    run.add(dict(row, messages=wire(calls[1:])), 0, f"{question['id']} one call less")
                    shuffled = calls[:]
                    rng.shuffle(shuffled)
                    if right:
                        run.add(dict(row, messages=wire(shuffled)), 1, f"{question['id']} shuffled")
                else:
                    run.add(dict(row, messages=wire(calls + calls)), 0, f"{question['id']} a call too many")
                renamed = [("not_" + calls[0][0], calls[0][1])] + calls[1:]
                run.add(dict(row, messages=wire(renamed)), 0, f"{question['id']} renamed")
    passed, failed = run.finish()
    print(f"{compared} changed answers judged by both; {ambiguous} answers that the package's data allows and its "
          f"checker refuses, {raised} on which it raises: left out")
    print(f"{passed} passed, {failed} failed")


if __name__ == "__main__":
    main()
