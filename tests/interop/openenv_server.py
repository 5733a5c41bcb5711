#!/usr/bin/env python3
"""wai-export's OpenEnv package: it is valid, installs, serves; OpenEnv's own client plays episodes in it, meets the
world of wai-simulate and gets the rewards of wai-grade; nothing a client receives holds an answer.

    tests/interop/openenv_server.py --bin DIR [--cases N] [--seed S]
"""
import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

try:
    from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction
except ImportError as e:
    print(f"skipped: {e}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

TOOLS = [{"type": "function", "function": {"name": "get_order", "description": "Look an order up.", "parameters": {
             "type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}}},
         {"name": "refund_order", "description": "Refund \"an\" order: all of it.",
          "input_schema": {"type": "object", "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}}}},
         {"name": "list_orders"}]
PROMPT = "Help customers with \"orders\".\nLook before you refund."
SECRET = "the-secret-answer"
TURNS = 4


def rows(r, n):
    for i in range(n):
        faults = {r.choice(["get_order", "*"]): {"mode": r.choice(["timeout", "malformed", "stale"]), "rate": r.choice([0.5, 1.0])}}
        yield {"prompt": f"Where is order A-{i}?", "scenario_id": f"s{i}", "seed": i, "world_state": r.choice(["", "exists", "missing"]),
               "faults": r.choice([{}, faults]), "stance": "calm", "privileged": {"reference": f"{SECRET} {i % 3}"}, "reward": None}


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def note(self, what, good, why=""):
        self.passed += bool(good)
        self.failed += not good
        if not good and self.failed < 20:
            print(f"FAILED {what}: {why}")


class World:
    def __init__(self, binary, tools, info):
        self.child = subprocess.Popen([os.path.join(binary, "wai-simulate"), "--world-only", "--tools", tools], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.ask({"reset": True, "seed": info["seed"] or 0, "faults": info["faults"], "world_state": info["world_state"]})

    def ask(self, message):
        self.child.stdin.write(json.dumps(message) + "\n")
        self.child.stdin.flush()
        reply = json.loads(self.child.stdout.readline())
        return reply if isinstance(reply, dict) else {"status": "ok", "result": reply}

    def close(self):
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


def graded(binary, row):
    done = subprocess.run([os.path.join(binary, "wai-grade"), "-q", "-V", "includes:field=privileged.reference"], input=json.dumps(row) + "\n",
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def play(c, given, tools, line, split, index, r, env):
    """One episode: some calls, perhaps too many, then the last words."""
    info = line["info"]
    start = env.reset(split=split, index=index)
    seen = start.observation.metadata
    what = f"{split} {index}"
    c.note(f"{what}: reset", not start.done and seen["task"]["prompt"] == line["prompt"] and seen["task"]["id"] == line["example_id"] and
           seen["messages"][0] == {"role": "system", "content": PROMPT} and seen["submit"] == "submit" and seen["max_turns"] == TURNS, seen)
    world, steps, received = World(given.bin, tools, info), [], [seen]
    n = r.choice([0, 1, 2, 3, TURNS])
    for i in range(n):
        tool = r.choice(["get_order", "refund_order", "list_orders"])
        arguments = {"order_id": f"A-{r.randrange(4)}"} if tool != "list_orders" else {}
        result = env.step(CallToolAction(tool_name=tool, arguments=arguments))
        want = world.ask({"tool": tool, "arguments": arguments})
        received.append([result.observation.result, result.metadata])
        steps.append({"tool": tool, "arguments": arguments, "result": want})
        last = i + 1 == TURNS
        c.note(f"{what}: the world", result.observation.result == want, f"{result.observation.result} against {want}")
        c.note(f"{what}: turns", result.done == last and result.reward == (0.0 if last else None) and
               result.metadata == {"n_calls": i + 1, "truncated": last}, f"{result.done} {result.reward} {result.metadata}")
    world.close()
    if n < TURNS:
        answer = r.choice([f"It is {info['privileged']['reference']}.", "I cannot say.", ""])
        end = env.step(CallToolAction(tool_name="submit", arguments={"answer": answer}))
        row = {k: v for k, v in info.items() if k in ("scenario_id", "world_state", "faults", "privileged", "stance") and v is not None}
        row.update(prompt=line["prompt"], steps=steps, final_text=answer)
        want = graded(given.bin, row)
        c.note(f"{what}: reward", end.done and end.reward == float(want["reward"] or 0) and
               end.observation.result == {k: want.get(k) for k in ("reward", "reason", "judge_status", "markers")},
               f"{end.reward} {end.observation.result} against {want}")
        c.note(f"{what}: facts", end.metadata["judge_ok"] and end.metadata["n_calls"] == n and not end.metadata["truncated"], end.metadata)
        received.append([end.observation.result, end.metadata])
    c.note(f"{what}: no answer reaches the client", SECRET not in json.dumps(received), received)
    try:
        env.step(CallToolAction(tool_name="get_order", arguments={}))
        c.note(f"{what}: nothing after the end", False)
    except RuntimeError as e:
        c.note(f"{what}: nothing after the end", "ended" in str(e), e)


def ask(base, path, body=None):
    request = urllib.request.Request(base + path, data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()


def check_server(c, given, folder, client, base, tools, r):
    tasks = {}
    for split in ("train", "holdout"):
        with open(os.path.join(folder, "orders", "data", f"{split}.jsonl")) as f:
            tasks[split] = [json.loads(line) for line in f]
    c.note("health", ask(base, "/health")[0] == 200)
    c.note("environments", ask(base, "/list_environments")[1] == ["orders"], ask(base, "/list_environments"))
    c.note("splits", ask(base, "/orders/splits")[1] == [{"name": "train", "type": "train"}, {"name": "holdout", "type": "test"}])
    for split, lines in tasks.items():
        c.note(f"{split}: number", ask(base, "/orders/num_tasks", {"split": split})[1] == {"num_tasks": len(lines)})
        listed = ask(base, "/orders/tasks", {"split": split})[1]["tasks"]
        c.note(f"{split}: tasks", [(t["id"], t["prompt"]) for t in listed] == [(x["example_id"], x["prompt"]) for x in lines])
        c.note(f"{split}: a task, a range", ask(base, "/orders/task", {"split": split, "index": 0})[1]["task"] == listed[0] and
               ask(base, "/orders/task_range", {"split": split, "start": 1, "stop": 3})[1]["tasks"] == listed[1:3])
        c.note(f"{split}: no such task", ask(base, "/orders/task", {"split": split, "index": len(lines)})[0] == 400)
        c.note(f"{split}: no answer in it", SECRET not in json.dumps(listed) and "info" not in json.dumps(listed))
    code, schema = ask(base, "/schema")
    c.note("schema", code == 200 and "action" in schema, schema)
    with client(base_url=base).sync() as env:
        names = [t.name for t in env.step(ListToolsAction()).observation.tools]
        c.note("tools", names == ["get_order", "refund_order", "list_orders", "submit"], names)
        try:
            env.step(CallToolAction(tool_name="get_order", arguments={}))
            c.note("before reset", False)
        except RuntimeError as e:
            c.note("before reset", "reset first" in str(e), e)
        first = [env.reset().observation.metadata["task"]["index"] for _ in range(3)]
        c.note("the next in order", first == [first[0], (first[0] + 1) % len(tasks["train"]), (first[0] + 2) % len(tasks["train"])], first)
        chosen = env.reset(seed=7).observation.metadata["task"]["index"]
        c.note("by seed", chosen == random.Random(7).randrange(len(tasks["train"])), chosen)
        c.note("state", env.state().step_count == 0 and env.state().episode_id)
        missing = env.step(CallToolAction(tool_name="nope", arguments={}))
        c.note("no such tool", missing.observation.error is not None and not missing.done, missing)
        for bad in (dict(split="nope"), dict(index=len(tasks["train"])), dict(index=-1)):
            try:
                env.reset(**bad)
                c.note(f"reset {bad}", False)
            except RuntimeError:
                c.note(f"reset {bad}", True)
        for split, lines in tasks.items():
            for index, line in enumerate(lines):
                play(c, given, tools, line, split, index, r, env)

    def other(seed):
        with client(base_url=base).sync() as session:
            for index, line in enumerate(tasks["train"][:4]):
                play(c, given, tools, line, "train", index, random.Random(seed), session)

    threads = [threading.Thread(target=other, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    given.bin = os.path.abspath(given.bin)
    r, c = random.Random(given.seed), Checks()
    with tempfile.TemporaryDirectory() as folder:
        source, tools, package = (os.path.join(folder, name) for name in ("rows.jsonl", "tools.json", "orders"))
        with open(source, "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows(r, max(10, min(30, given.cases // 50))))
        with open(tools, "w") as f:
            json.dump(TOOLS, f)
        made = subprocess.run([os.path.join(given.bin, "wai-export"), "-q", "--kind", "environment", "--runtime", "openenv", "--out", package,
                               "--tools", tools, "--system-prompt", PROMPT, "--reward", "includes:field=privileged.reference",
                               "--max-turns", str(TURNS), "--holdout", "0.3", source], capture_output=True, text=True)
        c.note("it is written", made.returncode == 0, made.stderr)
        valid = subprocess.run([sys.executable, "-m", "openenv.cli", "validate", package], capture_output=True, text=True)
        c.note("openenv validate", valid.returncode == 0 and "FAIL" not in valid.stdout and "PASS  static.manifest" in valid.stdout, valid.stdout + valid.stderr)
        site = os.path.join(folder, "site")
        installed = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", site, package],
                                   capture_output=True, text=True)
        c.note("it installs", installed.returncode == 0, installed.stderr[-800:])
        sys.path.insert(0, site)
        import orders
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        log = open(os.path.join(folder, "log"), "w+")
        env = dict(os.environ, PATH=given.bin + os.pathsep + os.environ["PATH"], PYTHONPATH=site)
        server = subprocess.Popen([sys.executable, "-P", "-m", "orders.server.app", "--port", str(port)], env=env, cwd=folder, stdout=log, stderr=log)
        base = f"http://127.0.0.1:{port}"
        try:
            for _ in range(600):
                try:
                    if ask(base, "/health")[0] == 200:
                        break
                except OSError:
                    time.sleep(.1)
            check_server(c, given, folder, orders.OrdersEnv, base, tools, r)
        except Exception as e:
            log.seek(0)
            c.note("the server", False, f"{type(e).__name__}: {e}\n{log.read()[-3000:]}")
        finally:
            server.terminate()
            server.wait()
            log.close()
    print(f"{c.passed} passed, {c.failed} failed")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
