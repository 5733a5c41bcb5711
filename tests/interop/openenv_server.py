#!/usr/bin/env python3
"""wai-export's OpenEnv package: it is valid, installs, serves; OpenEnv's own client plays episodes in it, meets the
world of wai-simulate and gets the rewards of wai-grade; nothing a client receives holds an answer.

    tests/interop/openenv_server.py --bin DIR [--cases N] [--seed S]
"""
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

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))

from interop import Count, World, options  # noqa: E402

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


def note(c, what, good, why=""):
    c.check(good, what, why)


def rows(r, n):
    for i in range(n):
        faults = {r.choice(["get_order", "*"]): {"mode": r.choice(["timeout", "malformed", "stale"]), "rate": r.choice([0.5, 1.0])}}
        yield {"prompt": f"Where is order A-{i}?", "scenario_id": f"s{i}", "seed": i, "world_state": r.choice(["", "exists", "missing"]),
               "faults": r.choice([{}, faults]), "stance": "calm", "privileged": {"reference": f"{SECRET} {i % 3}"}, "reward": None}


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
    note(c, f"{what}: reset", not start.done and seen["task"]["prompt"] == line["prompt"] and seen["task"]["id"] == line["example_id"] and
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
        note(c, f"{what}: the world", result.observation.result == want, f"{result.observation.result} against {want}")
        note(c, f"{what}: turns", result.done == last and result.reward == (0.0 if last else None) and
               result.metadata == {"n_calls": i + 1, "truncated": last}, f"{result.done} {result.reward} {result.metadata}")
    world.close()
    if n < TURNS:
        answer = r.choice([f"It is {info['privileged']['reference']}.", "I cannot say.", ""])
        end = env.step(CallToolAction(tool_name="submit", arguments={"answer": answer}))
        row = {k: v for k, v in info.items() if k in ("scenario_id", "world_state", "faults", "privileged", "stance") and v is not None}
        row.update(prompt=line["prompt"], steps=steps, final_text=answer)
        want = graded(given.bin, row)
        note(c, f"{what}: reward", end.done and end.reward == float(want["reward"] or 0) and
               end.observation.result == {k: want.get(k) for k in ("reward", "reason", "judge_status", "markers")},
               f"{end.reward} {end.observation.result} against {want}")
        note(c, f"{what}: facts", end.metadata["judge_ok"] and end.metadata["n_calls"] == n and not end.metadata["truncated"], end.metadata)
        received.append([end.observation.result, end.metadata])
    note(c, f"{what}: no answer reaches the client", SECRET not in json.dumps(received), received)
    try:
        env.step(CallToolAction(tool_name="get_order", arguments={}))
        note(c, f"{what}: nothing after the end", False)
    except RuntimeError as e:
        note(c, f"{what}: nothing after the end", "ended" in str(e), e)


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
    note(c, "health", ask(base, "/health")[0] == 200)
    note(c, "environments", ask(base, "/list_environments")[1] == ["orders"], ask(base, "/list_environments"))
    note(c, "splits", ask(base, "/orders/splits")[1] == [{"name": "train", "type": "train"}, {"name": "holdout", "type": "test"}])
    for split, lines in tasks.items():
        note(c, f"{split}: number", ask(base, "/orders/num_tasks", {"split": split})[1] == {"num_tasks": len(lines)})
        listed = ask(base, "/orders/tasks", {"split": split})[1]["tasks"]
        note(c, f"{split}: tasks", [(t["id"], t["prompt"]) for t in listed] == [(x["example_id"], x["prompt"]) for x in lines])
        note(c, f"{split}: a task, a range", ask(base, "/orders/task", {"split": split, "index": 0})[1]["task"] == listed[0] and
               ask(base, "/orders/task_range", {"split": split, "start": 1, "stop": 3})[1]["tasks"] == listed[1:3])
        note(c, f"{split}: no such task", ask(base, "/orders/task", {"split": split, "index": len(lines)})[0] == 400)
        note(c, f"{split}: no answer in it", SECRET not in json.dumps(listed) and "info" not in json.dumps(listed))
    code, schema = ask(base, "/schema")
    note(c, "schema", code == 200 and "action" in schema, schema)
    with client(base_url=base).sync() as env:
        names = [t.name for t in env.step(ListToolsAction()).observation.tools]
        note(c, "tools", names == ["get_order", "refund_order", "list_orders", "submit"], names)
        try:
            env.step(CallToolAction(tool_name="get_order", arguments={}))
            note(c, "before reset", False)
        except RuntimeError as e:
            note(c, "before reset", "reset first" in str(e), e)
        first = [env.reset().observation.metadata["task"]["index"] for _ in range(3)]
        note(c, "the next in order", first == [first[0], (first[0] + 1) % len(tasks["train"]), (first[0] + 2) % len(tasks["train"])], first)
        chosen = env.reset(seed=7).observation.metadata["task"]["index"]
        note(c, "by seed", chosen == random.Random(7).randrange(len(tasks["train"])), chosen)
        note(c, "state", env.state().step_count == 0 and env.state().episode_id)
        missing = env.step(CallToolAction(tool_name="nope", arguments={}))
        note(c, "no such tool", missing.observation.error is not None and not missing.done, missing)
        for bad in (dict(split="nope"), dict(index=len(tasks["train"])), dict(index=-1)):
            try:
                env.reset(**bad)
                note(c, f"reset {bad}", False)
            except RuntimeError:
                note(c, f"reset {bad}", True)
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
    given = options(100)
    given.bin = os.path.abspath(given.bin)
    r, c = random.Random(given.seed), Count()
    with tempfile.TemporaryDirectory() as folder:
        source, tools, package = (os.path.join(folder, name) for name in ("rows.jsonl", "tools.json", "orders"))
        with open(source, "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows(r, max(10, min(30, given.cases // 50))))
        with open(tools, "w") as f:
            json.dump(TOOLS, f)
        made = subprocess.run([os.path.join(given.bin, "wai-export"), "-q", "--kind", "environment", "--runtime", "openenv", "--out", package,
                               "--tools", tools, "--system-prompt", PROMPT, "--reward", "includes:field=privileged.reference",
                               "--max-turns", str(TURNS), "--holdout", "0.3", source], capture_output=True, text=True)
        note(c, "it is written", made.returncode == 0, made.stderr)
        valid = subprocess.run([sys.executable, "-m", "openenv.cli", "validate", package], capture_output=True, text=True)
        note(c, "openenv validate", valid.returncode == 0 and "FAIL" not in valid.stdout and "PASS  static.manifest" in valid.stdout, valid.stdout + valid.stderr)
        site = os.path.join(folder, "site")
        installed = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", site, package],
                                   capture_output=True, text=True)
        note(c, "it installs", installed.returncode == 0, installed.stderr[-800:])
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
            note(c, "the server", False, f"{type(e).__name__}: {e}\n{log.read()[-3000:]}")
        finally:
            server.terminate()
            server.wait()
            log.close()
    c.close()


if __name__ == "__main__":
    main()
