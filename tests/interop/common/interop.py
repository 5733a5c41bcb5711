"""What the comparisons share: their options, and the count of what agrees, with its last line.

A script finds it by

    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))

because the runner keeps the scripts' own folder off the path: one is named like a module of Python.
"""
import argparse
import json
import os
import subprocess
import sys

SHOWN = 12                   # differences that are printed


def options(cases, *more):
    """--bin, --cases, --seed, and further options that take a value."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=0)
    for name in more:
        parser.add_argument(name)
    return parser.parse_args()


class Count:
    """What agreed and what did not."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, agrees):
        self.passed += bool(agrees)
        self.failed += not agrees

    def check(self, agrees, *shown):
        self.add(agrees)
        if not agrees and self.failed <= SHOWN:
            print("differs:", *shown)

    def close(self):
        """The last line that the runner reads; ends the program."""
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)


def write_rows(rows, path):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(row) + "\n" for row in rows)


def graded(binary, arguments, rows, folder):
    """The rows as wai-grade writes them."""
    path = os.path.join(folder, "rows.jsonl")
    write_rows(rows, path)
    done = subprocess.run([binary, "-q", *arguments, path], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"wai-grade {arguments}: exit {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.split("\n") if line]


class World:
    """wai-simulate --world-only for one task: what its tools must answer."""

    def __init__(self, binary, tools, info):
        self.child = subprocess.Popen([os.path.join(binary, "wai-simulate"), "--world-only", "--tools", tools], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.ask({"reset": True, "seed": info["seed"] or 0, "faults": info["faults"], "world_state": info["world_state"]})

    def ask(self, message):
        """An object; any other answer stands in one, as an environment gives it."""
        self.child.stdin.write(json.dumps(message) + "\n")
        self.child.stdin.flush()
        reply = json.loads(self.child.stdout.readline())
        return reply if isinstance(reply, dict) else {"status": "ok", "result": reply}

    def close(self):
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()
