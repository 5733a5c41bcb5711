#!/usr/bin/env python3
"""wai-simulate --agent cmd: against the reference package's own way, an agent that is a callable: the same scripted
behaviour, the same rows, field by field, and the same rollouts lost.

    tests/interop/agents_cmd.py --bin DIR [--cases N] [--seed S]

A case is a task; a run takes 40 of them. On purpose different, and so left out: keys of the agent's own (they stay on the
row here), the closing message when the last words are not among the steps (here it is never dropped), the
condition that a failed result without a status met (the text None there).
"""
import argparse
import contextlib
import io
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

TASKS = 40
WORDS = "where is my order A-100 refund it please cancel today \u00e9t\u00e9 \u4f60\u597d now tell me 42 twice".split()
TOOLS = [{"type": "function", "function": {"name": n, "description": "d", "parameters": {
    "type": "object", "properties": {"order_id": {"type": "string"}}}}} for n in ("get_order", "cancel_order")]
FIELDS = ("prompt", "steps", "final_text", "scenario_id", "rollout_index", "writer_model", "schema_version", "scenario_dimensions",
          "arm", "behavior_signature", "lineage", "seed", "finish_reason", "tools_used", "policy_version", "model_version", "faults")

AGENT = """
import json, sys
table = json.load(open("table.json"))
for line in sys.stdin:
    start = json.loads(line)
    done = table[start["message"]]
    if done == {"raise": True}:
        done = {"error": "raised"}
    print(json.dumps(done if isinstance(done, str) or done.get("error") else {"id": start["id"], **done}), flush=True)
"""


def text(r, least=1):
    return " ".join(r.choice(WORDS) for _ in range(r.randrange(least, 9)))


def value(r, depth=0):
    made = [lambda: text(r), lambda: r.randrange(10 ** 6), lambda: r.random() < .5, lambda: None, lambda: 1.5]
    if depth < 2:
        made += [lambda: [value(r, depth + 1) for _ in range(r.randrange(3))],
                 lambda: {w: value(r, depth + 1) for w in r.sample(WORDS, r.randrange(3))}]
    return r.choice(made)()


def result(r):
    return r.choice([{"status": "ok", "id": text(r)}, {"status": r.choice(["timeout", "permission_denied", "not_found", "error"])},
                     {"error": text(r)}, text(r), {"status": "ok", "data": value(r)}, [text(r)]])


def step(r):
    if r.random() < .25:
        return {"text": text(r)}
    made = {"tool": r.choice(["get_order", "cancel_order", "fly"]), "arguments": {w: value(r) for w in r.sample(["order_id", "note", "n"],
            r.randrange(3))}, "result": result(r)}
    if r.random() < .3:
        made["text"] = text(r)
    return made


def behaviour(r):
    draw = r.random()
    if draw < .06:
        return {"raise": True}
    if draw < .10:
        return {"role": "assistant", "content": "hi"}
    made = {"steps": [step(r) for _ in range(r.randrange(4))], "final_text": text(r)}
    if draw < .14:
        made["final_text"] = r.choice(["", "  \n", "<tool_call>{}</tool_call>", "<agent error: no>", "I can't do that."])
    if draw < .18:
        made.pop("steps")
    if r.random() < .2:
        made["final_text"] = " ".join(r.choice(WORDS) for _ in range(40))
    if r.random() < .2:
        made["finish_reason"] = r.choice(["stop", "length", "tool", "error", "whim"])
    return made


def theirs(tasks, table, k, seed, policy):
    def agent(message):
        done = json.loads(json.dumps(table[message]))
        if done == {"raise": True}:
            raise RuntimeError("raised")
        return done
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        data = whileai.simulate(agent, tools=TOOLS, system_prompt=policy, tasks=tasks, repeats=k, seed=seed, simulator=False)
        return list(data.rows())


def ours(binary, folder, tasks, k, seed, policy):
    with open(os.path.join(folder, "tasks.jsonl"), "w") as f:
        f.writelines(json.dumps(t) + "\n" for t in tasks)
    done = subprocess.run([os.path.join(binary, "wai-simulate"), "--agent", f"cmd:{sys.executable} agent.py", "--tools", json.dumps(TOOLS),
                           "--tasks", "tasks.jsonl", "-k", str(k), "--seed", str(seed), "--system-prompt", policy, "--model-version",
                           "agent", "-q", "--agent-workers", "2", "--rerolls", "0"], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise AssertionError(done.stderr)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def differences(a, b, task):
    if b["scenario_dimensions"].get("tool_condition") == "None":    # a failed result without a status: its fault, here
        b["scenario_dimensions"]["tool_condition"] = a["scenario_dimensions"]["tool_condition"]
    wrong = [f"{key}: {a.get(key)!r} against {b.get(key)!r}" for key in FIELDS if a.get(key) != b.get(key)]
    said, there = a["messages"], b["messages"]
    if said != there and said != there + [{"role": "assistant", "content": a["final_text"]}]:
        wrong.append(f"messages: {said!r} against {there!r}")
    return [f"{task}: {w}" for w in wrong]


def one(r, binary, folder):
    prompts = list(dict.fromkeys(text(r, 2) + f" {i}" for i in range(TASKS)))
    table = {p: behaviour(r) for p in prompts}
    tasks = []
    for i, prompt in enumerate(prompts):
        task = {"prompt": prompt}
        if r.random() < .3:
            task["scenario_id"] = f"s{i}"
        if r.random() < .3:
            task["faults"] = {"get_order": {"mode": r.choice(["timeout", "stale"]), "rate": 1.0}}
        tasks.append(task)
    for name, content in (("table.json", json.dumps(table)), ("agent.py", AGENT)):
        with open(os.path.join(folder, name), "w") as f:
            f.write(content)
    k, seed, policy = r.randrange(1, 4), r.randrange(5), r.choice(["Be kind.", "Always ask first. Never guess."])
    there = {(x["prompt"], x["rollout_index"]): x for x in theirs(tasks, table, k, seed, policy)}
    here = {(x["prompt"], x["rollout_index"]): x for x in ours(binary, folder, tasks, k, seed, policy)}
    wrong = []
    for prompt in prompts:
        mine, other = ([key for key in rows if key[0] == prompt] for rows in (here, there))
        bad = []
        if len(mine) != len(other):
            bad = [f"{prompt}: {len(mine)} rows against {len(other)} for {table[prompt]!r}"]
        for key in mine:
            if key in there:
                bad += differences(here[key], there[key], prompt)
        wrong.append(bad[:2])
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    r, passed, failed = random.Random(given.seed), 0, 0
    for number in range(max(1, given.cases // TASKS)):
        with tempfile.TemporaryDirectory() as folder:
            for bad in one(r, os.path.abspath(given.bin), folder):
                passed, failed = passed + (not bad), failed + bool(bad)
                if bad and failed < 9:
                    print(*bad, sep="\n  ")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
