#!/usr/bin/env python3
"""Tool schemas as people write them: every tool of every data file of the Berkeley Function Calling Leaderboard (package
bfcl-eval). Each question's tools are handed to wai-simulate as they stand; all of them must come out on the tool axis,
or be refused with a reason. Then a call is made of each tool in the mock world, and the files that are tool files by
themselves are read as they are."""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

BARE = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def run(*command, stdin=None):
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=BARE, timeout=60)


def entries(path):
    """The values of a data file: one JSON value, or one a line."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def tools_of(value):
    """All tool lists that a question carries, wherever it keeps them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "function" and isinstance(inner, (list, dict)) and inner:
                yield inner if isinstance(inner, list) else [inner]
            elif key in ("missed_function", "holdout_function"):
                continue  # names, not schemas
            else:
                yield from tools_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from tools_of(inner)


def name_of(tool):
    return (tool.get("name") or "").strip() if isinstance(tool, dict) else ""


def expected(tools):
    """Names in order, the later of two in the first one's place; how many have none."""
    names = [name_of(t) for t in tools]
    return list(dict.fromkeys(n for n in names if n)), names.count("")


def arguments_for(tool):
    schema = tool.get("parameters") if isinstance(tool.get("parameters"), dict) else {}
    properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
    return {name: "A1001" for name in properties}


def examine(binary, folder, number, tools):
    """What became of one list: (loaded, refused, left out, fault or None). A refusal is printed with its reason."""
    path = os.path.join(folder, f"{number}.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(tools, f)
    done = run(binary, "--plan", "--json", "--tools", path)
    said = done.stderr.strip()
    if done.returncode == 3:
        print(f"refused: {said[:300]}")
        return 0, len(tools), 0, None if said else "refused without a reason"
    if done.returncode != 0:
        return 0, 0, 0, f"exit {done.returncode}: {said}"
    axis = json.loads(done.stdout)["dimensions"]["tool"]
    names, nameless = expected(tools)
    if [n for n in axis if n not in ("unrelated", "multi_tool")] != names:
        return 0, 0, 0, f"axis {axis}, wanted {names}"
    if nameless and not re.search(rf"\b{nameless} tools? ha(s|ve) no name", said):
        return 0, 0, 0, f"{nameless} without a name, and nothing said: {said}"
    calls = [{"tool": n, "arguments": arguments_for(t)} for t in tools if (n := name_of(t))]
    done = run(binary, "--world-only", "--tools", path, "-q", stdin="".join(json.dumps(c) + "\n" for c in calls))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or len(answers) != len(calls) or any(a.get("reason") == "unknown_tool" for a in answers):
        return 0, 0, 0, f"world: {done.stderr.strip()} {answers}"
    return len(names), 0, nameless, None


def tool_file(binary, path):
    """A file that lists tools, one a line, read as it stands."""
    names, _ = expected(entries(path))
    done = run(binary, "--plan", "--json", "--tools", path, "-q")
    axis = json.loads(done.stdout)["dimensions"]["tool"] if done.returncode == 0 else done.stderr
    return axis == names + ["unrelated", "multi_tool"], axis


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases")
    parser.add_argument("--seed")
    binary = os.path.abspath(os.path.join(parser.parse_args().bin, "wai-simulate"))
    root = os.path.join(os.path.dirname(importlib.util.find_spec("bfcl_eval").origin), "data")
    passed = failed = 0
    totals = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(4) as pool:
        for base, _, files in sorted(os.walk(root)):
            if "possible_answer" in base or "sanity_check" in base:
                continue  # answers: their "function" is an argument
            for name in sorted(n for n in files if n.endswith(".json")):
                path = os.path.join(base, name)
                if "multi_turn_func_doc" in base:
                    fine, axis = tool_file(binary, path)
                    passed, failed = passed + fine, failed + (not fine)
                    totals["tool files"] += 1
                    if not fine:
                        print(f"{name}: {axis}")
                lists = {json.dumps(t): t for t in tools_of(entries(path))}
                if "multi_turn_func_doc" in base:
                    lists.update((json.dumps([t]), [t]) for t in entries(path))
                for tools, (loaded, refused, left_out, fault) in zip(lists.values(), pool.map(
                        lambda job: examine(binary, folder, *job), enumerate(lists.values()))):
                    totals["lists"] += 1
                    totals["tools"] += len(tools)
                    totals["loaded"] += loaded
                    totals["refused"] += refused
                    totals["without a name"] += left_out
                    passed, failed = passed + (fault is None), failed + (fault is not None)
                    if fault and failed <= 20:
                        print(f"{name}: {fault[:400]}\n    {json.dumps(tools)[:400]}")
    print(", ".join(f"{n} {what}" for what, n in totals.items()))
    if not totals["tools"]:
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
