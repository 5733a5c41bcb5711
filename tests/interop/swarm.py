#!/usr/bin/env python3
"""Swarm rescue and its calibration against the reference package, on random fitness landscapes with many ties: which
teammate each attempt is shown, what is best, when it ends.

The reference draws among tied teammates inside its threads; here it is given an executor that runs one thing after
another, so that both draw in the order of the particles."""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import whileai.swarm as reference

BARE = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}
MODEL = r"""
import json, re, sys
for line in sys.stdin:
    ask = json.loads(line)
    said = ask["messages"][-1]["content"]
    with open("shown.jsonl", "a") as f:
        f.write(json.dumps([said.split("\n")[0], ask["seed"], re.findall(r"attempt \d+", said)]) + "\n")
    print(json.dumps("attempt %d" % ask["seed"]), flush=True)
"""
SCORE = r"""
import hashlib, json, sys
def score(prompt, text, levels, rate):
    n = int(hashlib.sha256((prompt + text).encode()).hexdigest()[:12], 16)
    if levels == 0:
        return n % 3 / 2
    return {"fitness": n % (levels + 1) / levels, "correct": n // 1000 % 100 < rate, "feedback": "" if n % 2 else "note"}
if __name__ == "__main__":
    for line in sys.stdin:
        ask = json.loads(line)
        print(json.dumps(score(ask["prompt"], ask["text"], int(sys.argv[1]), int(sys.argv[2]))), flush=True)
"""
exec(SCORE.split("if __name__")[0])


class OneByOne(concurrent.futures.Executor):
    def __init__(self, *args, **kwargs):
        pass

    def submit(self, fn, *args, **kwargs):
        future = concurrent.futures.Future()
        future.set_result(fn(*args, **kwargs))
        return future

    def map(self, fn, *iterables, **kwargs):
        return iter([fn(*args) for args in zip(*iterables)])


def theirs(setting, prompt, seed, levels, rate):
    shown = {}

    def chat(messages, seed):
        shown[seed] = re.findall(r"attempt \d+", messages[-1]["content"])
        return f"attempt {seed}"
    kept = reference.cf.ThreadPoolExecutor
    reference.cf.ThreadPoolExecutor = OneByOne
    try:
        result = reference.Swarm(chat, **setting)(prompt, lambda text: score(prompt, text, levels, rate), seed=seed)
    finally:
        reference.cf.ThreadPoolExecutor = kept
    return {k: getattr(result, k) for k in ("topology", "particles", "rounds", "rescued", "round", "best", "samples")}, shown


def swarms(rng, binary, folder, problems=8):
    setting = {"topology": rng.choice(["solo", "ring", "star"]), "particles": rng.randint(2, 7),
               "rounds": rng.randint(1, 4), "stop_on_correct": rng.random() < 0.5}
    seed, levels, rate = rng.choice([0, 1, 7, 12345, -3]), rng.choice([0, 1, 2, 4]), rng.choice([0, 5, 30])
    prompts = [f"problem {rng.randrange(10**6)}" for _ in range(problems)]
    shown_file = os.path.join(folder, "shown.jsonl")
    if os.path.exists(shown_file):
        os.remove(shown_file)
    run = subprocess.run(
        [binary, "--swarm", setting["topology"], "--particles", str(setting["particles"]), "--rounds",
         str(setting["rounds"]), "--stop-on-correct" if setting["stop_on_correct"] else "--no-stop-on-correct", "--seed",
         str(seed), "--agent", f"exec:{sys.executable} model.py", "--fitness",
         f"cmd:{sys.executable} score.py {levels} {rate}", "--json", "-q", "--jobs", str(rng.choice([1, 4]))],
        cwd=folder, input="".join(json.dumps({"prompt": p}) + "\n" for p in prompts), capture_output=True, text=True,
        env=BARE)
    results = [json.loads(line) for line in run.stdout.splitlines()]
    asked = {}
    if os.path.exists(shown_file):
        for line in open(shown_file):
            prompt, number, attempts = json.loads(line)
            asked.setdefault(prompt, {})[number] = attempts
    if run.returncode or len(results) != len(prompts):
        return [(run.stderr, None)]
    out = []
    for prompt, ours in zip(prompts, results):
        result, shown = theirs(setting, prompt, seed, levels, rate)
        out.append((({k: ours[k] for k in result}, asked[prompt]), (result, shown)))
    return out


def calibration(rng, binary, folder):
    samples = []
    for _ in range(rng.choice([0, 1, 5, 60])):
        grade = {"fitness": rng.choice([0, 0.0, 1, 1.0, 2.5, 0.1, 0.25, 0.9, 0.05, round(rng.random(), 3)]),
                 "correct": rng.random() < 0.3}
        samples.append(rng.choice([grade, {"grade": grade}]))
    run = subprocess.run([binary, "--swarm-calibrate", "--json"], cwd=folder,
                         input="".join(json.dumps(s) + "\n" for s in samples), capture_output=True, text=True, env=BARE)
    wanted = reference.Swarm.calibration(samples)
    ours = json.loads(run.stdout) if run.returncode == 0 else {"fault": run.stderr}
    ours.pop("wai_report", None)
    return ours, {"rows": [list(r) for r in wanted.rows], "n": wanted.n, "partial_signal": wanted.partial_signal}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    binary = os.path.abspath(os.path.join(args.bin, "wai-simulate"))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("model.py", MODEL), ("score.py", SCORE)):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        for case in range(max(1, args.cases // 40)):
            rng = random.Random(f"{args.seed}:{case}")
            for ours, wanted in swarms(rng, binary, folder) + [calibration(rng, binary, folder) for _ in range(4)]:
                passed, failed = passed + (ours == wanted), failed + (ours != wanted)
                if ours != wanted and failed <= 5:
                    print(f"case {case}\n  ours   {ours}\n  theirs {wanted}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
