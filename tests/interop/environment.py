#!/usr/bin/env python3
"""wai-export's environment package in verifiers: it installs, loads as one taskset, its tasks are the file's, and
a scripted policy gets the rewards that wai-grade gives the same rollouts.

    tests/interop/environment.py --bin DIR [--cases N] [--seed S]

The policy plays against the package's tools as a harness would, through their MCP server object, in this process:
verifiers' own launcher of tool servers wants uv and a network. The results it meets are compared with those of
wai-simulate --world-only for the task's seed, faults and world state.
"""
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))

from interop import Count, World, options  # noqa: E402

try:
    import verifiers.v1 as vf
    from mcp.server.mcpserver import MCPServer
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, TraceTask
    from verifiers.v1.types import AssistantMessage, SystemMessage, ToolCall, ToolMessage, UserMessage
    from verifiers.v1.utils.loaders import taskset_class
except ImportError as e:
    print(f"skipped: {e}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

TOOLS = [{"type": "function", "function": {
             "name": "get_order", "description": "Look an order up by its number.",
             "parameters": {"type": "object", "properties": {"order_id": {"type": "string", "description": "Like A-1001."},
                                                             "with-items": {"type": "boolean"}}, "required": ["order_id"]}}},
         {"name": "refund_order", "description": "Refund an order.",
          "input_schema": {"type": "object", "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
                           "required": ["order_id"]}},
         {"name": "list_orders"}]
PROMPT = "Help customers with \"orders\".\nLook before you refund."
# Each reads another part of the row: calls, results, last words, what the task carries.
REWARDS = ["expr:if ([.steps[]|select(.tool == \"get_order\")]|length) > 0 then 1 else 0.25 end",
           "expr:([.steps[]|select(.result.status == \"ok\")]|length) / ([(.steps|length), 1]|max)",
           "includes:field=privileged.reference", "cmd:{python} {scorer}", "scored:verdict"]
SCORER = """
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(json.dumps({"reward": len(row["final_text"]) % 3 / 2, "reason": row.get("scenario_id") or "none"}), flush=True)
"""
MODULE = """
def verdict(row):
    return 1.0 if row["steps"] and row["prompt"].endswith("?") else 0.0
"""


def note(c, what, good, why=""):
    c.check(good, what, why)


def rows(r, n):
    for i in range(n):
        faults = {r.choice(["get_order", "*"]): {"mode": r.choice(["timeout", "malformed", "stale"]), "rate": r.choice([0.5, 1.0])}}
        yield {"prompt": f"Where is order A-{i}" + r.choice(["?", ""]), "scenario_id": r.choice([f"s{i}", None]), "seed": i,
               "world_state": r.choice(["", "exists", "missing"]), "faults": r.choice([{}, faults]), "stance": "calm",
               "privileged": {"reference": f"answer {i % 3}"}, "reward": None}


def script(r, i):
    """What the policy says and calls: a list of (text, calls)."""
    turns = []
    for _ in range(r.randrange(4)):
        calls = []
        for _ in range(r.choice([1, 1, 2])):
            tool = r.choice(["get_order", "get_order", "refund_order", "list_orders"])
            arguments = {"order_id": f"A-{r.randrange(4)}"} if tool != "list_orders" else {}
            if tool == "get_order" and r.random() < 0.3:
                arguments["with-items"] = True
            if tool == "refund_order" and r.random() < 0.5:
                arguments["amount"] = r.choice([1.5, 20])
            calls.append((tool, arguments))
        turns.append((r.choice(["", "One moment."]), calls))
    return turns + [(r.choice([f"It is answer {i % 3}.", "I cannot say.", "No\u00ebl."]), [])]


def told(result):
    return result.content[0].text


async def play(package, task, turns):
    """The rollout as verifiers keeps it, and its steps as they happened."""
    tools = type(task).toolsets(task.config)[0]
    await tools.setup_task(task.data)
    server = MCPServer("test")
    tools.register(server)
    trace = vf.Trace(task=TraceTask(type=type(task).__name__, data=task.data), agent=AgentInfo(config=vf.AgentConfig()))

    def say(message, sampled=False):
        trace.nodes.append(MessageNode(parent=len(trace.nodes) - 1 if trace.nodes else None, message=message, sampled=sampled))

    say(SystemMessage(content=task.data.system_prompt))
    say(UserMessage(content=task.data.prompt))
    steps, final = [], ""
    for text, calls in turns:
        made = [ToolCall(id=f"c{len(steps) + i}", name=tool, arguments=json.dumps(arguments)) for i, (tool, arguments) in enumerate(calls)]
        say(AssistantMessage(content=text or None, tool_calls=made or None), True)
        final = text if text.strip() else final
        for call, (tool, arguments) in zip(made, calls):
            result = told(await server.call_tool(tool, arguments))
            say(ToolMessage(tool_call_id=call.id, content=result))
            steps.append({"tool": tool, "arguments": arguments, "result": json.loads(result)})
    await tools._exit_stack.aclose()
    return trace, steps, final


def graded(binary, reward, row):
    kind, _, rest = reward.partition(":")
    if reward == "scored:verdict":
        return 1.0 if row["steps"] and row["prompt"].endswith("?") else 0.0
    option = {"expr": ["-e", rest], "cmd": ["-c", rest]}.get(kind, ["-V", reward])
    done = subprocess.run([os.path.join(binary, "wai-grade"), "-q", *option], input=json.dumps(row) + "\n", capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["reward"] or 0.0


async def check_package(c, given, folder, number, reward, r):
    name = f"wai_env_{number}"
    tools = os.path.join(folder, "tools.json")
    source = os.path.join(folder, "rows.jsonl")
    made = subprocess.run([os.path.join(given.bin, "wai-export"), "-q", "--kind", "environment", "--out", os.path.join(folder, name), "--tools", tools,
                           "--system-prompt", PROMPT, "--reward", reward, "--max-turns", "3", source], capture_output=True, text=True)
    note(c, f"{name} is written", made.returncode == 0, made.stderr)
    installed = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", os.path.join(folder, "site"),
                                os.path.join(folder, name)], capture_output=True, text=True)
    note(c, f"{name} installs", installed.returncode == 0, installed.stderr[-800:])
    sys.path.insert(0, os.path.join(folder, "site"))
    package = taskset_class(name)
    module = sys.modules[package.__module__]
    for split in ("train", "holdout"):
        with open(os.path.join(folder, name, name, "data", f"{split}.jsonl")) as f:
            lines = [json.loads(line) for line in f]
        tasks = list(package(module.RolloutsConfig(id=name, split=split)))
        same = [(t.data.id, t.data.prompt, t.data.info) for t in tasks] == [(x["example_id"], x["prompt"], x["info"]) for x in lines]
        note(c, f"{name} {split}: its tasks are the file's", same and tasks, f"{len(tasks)} against {len(lines)}")
        for task, line in zip(tasks, lines):
            await check_rollout(c, given, f"{name} {line['prompt']}", module, task, line["info"], reward, tools, r)


async def check_rollout(c, given, what, module, task, info, reward, tools, r):
    turns = script(r, info["seed"])
    trace, steps, final = await play(module, task, turns)
    world = World(given.bin, tools, info)
    wanted = [world.ask({"tool": s["tool"], "arguments": s["arguments"]}) for s in steps]
    world.close()
    note(c, f"{what}: the world", [s["result"] for s in steps] == wanted, f"{steps} against {wanted}")
    stopped = task.max_turns(trace)
    note(c, f"{what}: turns", not stopped, "a reply without a call ends the rollout by itself")
    cut = len(turns) > 3  # the harness would have stopped after the third turn, which called a tool
    if cut:
        trace.stop("max_turns")
    await task.score(trace)
    row = {k: v for k, v in info.items() if k in ("scenario_id", "world_state", "faults", "privileged", "stance") and v is not None}
    row.update(prompt=task.data.prompt, steps=steps, final_text=final)
    want = 0.0 if cut else float(graded(given.bin, reward, row))
    got = trace.reward
    note(c, f"{what}: reward", abs(got - want) < 1e-12, f"{got} against {want} for {reward}")
    metrics = {"n_calls": float(len(steps)), "truncated": float(cut), "trace_clean": 1.0, "judge_ok": 1.0}
    note(c, f"{what}: metrics", trace.metrics == metrics, f"{trace.metrics} against {metrics}")


def main():
    given = options(100)
    given.bin = os.path.abspath(given.bin)
    os.environ["PATH"] = given.bin + os.pathsep + os.environ["PATH"]
    r, c = random.Random(given.seed), Count()
    n = max(8, min(40, given.cases // 50))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "rows.jsonl"), "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows(r, n))
        with open(os.path.join(folder, "tools.json"), "w") as f:
            json.dump(TOOLS, f)
        for file, text in (("scorer.py", SCORER), ("scored.py", MODULE)):
            with open(os.path.join(folder, file), "w") as f:
                f.write(text)
        sys.path.insert(0, folder)
        for number, reward in enumerate(REWARDS):
            reward = reward.format(python=sys.executable, scorer=os.path.join(folder, "scorer.py")) if reward.startswith("cmd:") else reward
            asyncio.run(check_package(c, given, folder, number, reward, r))
    c.close()


if __name__ == "__main__":
    main()
