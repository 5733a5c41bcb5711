#!/usr/bin/env python3
"""Agents made with LangGraph and with the OpenAI Agents SDK, through the shims of scripts/example, played by
wai-simulate: each with a scripted model of its own framework, so that nothing is sent. The rows of both must be those
of the plain agent that does the same.

    tests/interop/shims.py --bin DIR [--cases N] [--seed S]

A case is a rollout; a run has 20 tasks.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

try:
    import agents  # noqa: F401
    import langgraph  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "scripts", "example")
TOOLS = [{"name": n, "description": f"{n} of an order", "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}},
          "required": ["order_id"]}} for n in ("get_order", "cancel_order")]

# Two calls at once, then one more, then words: what the model of each framework is made to say.
PLAIN = """
from agent import serve
def play(start, call):
    name = start["message"].split()[-1]
    one, two = call("get_order", order_id=name), call("cancel_order", order_id=name)
    three = call("get_order", order_id="A-1")
    return " ".join(r.get("status", "?") for r in (one, two, three))
serve(play)
"""

GRAPH = """
import json
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.prebuilt import create_react_agent

class Model(BaseChatModel):
    @property
    def _llm_type(self): return "scripted"
    def bind_tools(self, tools, **_): return self
    def _generate(self, messages, stop=None, run_manager=None, **_):
        told = [m for m in messages if isinstance(m, ToolMessage)]
        name = [m for m in messages if m.type == "human"][0].content.split()[-1]
        calls = [("get_order", name, "a"), ("cancel_order", name, "b")] if not told else [("get_order", "A-1", "c")] if len(told) < 3 else []
        said = AIMessage(content="" if calls else " ".join(json.loads(m.content).get("status", "?") for m in told),
                         tool_calls=[{"name": n, "args": {"order_id": o}, "id": i} for n, o, i in calls],
                         usage_metadata={"input_tokens": 2, "output_tokens": 1, "total_tokens": 3})
        return ChatResult(generations=[ChatGeneration(message=said)])

def build(tools, system_prompt):
    return create_react_agent(Model(), tools, prompt=system_prompt or None)
"""

SDK = """
import json
from agents import Agent, Model, ModelResponse, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

class Scripted(Model):
    async def get_response(self, system_instructions, input, *_, **__):
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        told = [i for i in items if i.get("type") == "function_call_output"]
        name = [i for i in items if i.get("role") == "user"][0]["content"].split()[-1]
        calls = [("get_order", name, "a"), ("cancel_order", name, "b")] if not told else [("get_order", "A-1", "c")] if len(told) < 3 else []
        out = [ResponseFunctionToolCall(type="function_call", name=n, arguments=json.dumps({"order_id": o}), call_id=i) for n, o, i in calls]
        if not calls:
            words = " ".join(json.loads(i["output"]).get("status", "?") for i in told)
            out = [ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[
                ResponseOutputText(type="output_text", text=words, annotations=[])])]
        return ModelResponse(output=out, usage=Usage(requests=1, input_tokens=2, output_tokens=1, total_tokens=3), response_id=None)
    def stream_response(self, *_, **__): raise NotImplementedError

def build(tools, system_prompt):
    return Agent(name="test", instructions=system_prompt, model=Scripted(), tools=tools)
"""


def simulate(binary, folder, command):
    done = subprocess.run([os.path.join(binary, "wai-simulate"), "--agent", f"cmd:exec {sys.executable} {command}", "--tools", "tools.json",
                           "--tasks", "tasks.jsonl", "-k", "2", "--rerolls", "0", "-q", "--agent-workers", "2", "--model-version", "x",
                           "--system-prompt", "Be kind."], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=f"{folder}:{EXAMPLE}", PYTHONWARNINGS="ignore"))
    if done.returncode != 0:
        print(done.stderr[-2000:])
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("plain.py", PLAIN), ("a_graph.py", GRAPH), ("an_sdk.py", SDK), ("tools.json", json.dumps(TOOLS))):
            with open(os.path.join(folder, name), "w") as f:
                f.write(content)
        with open(os.path.join(folder, "tasks.jsonl"), "w") as f:
            for i in range(20):
                task = {"prompt": f"find and cancel A-{given.seed + i}", "scenario_id": f"s{i}"}
                if i % 3 == 0:
                    task["faults"] = {"cancel_order": {"mode": "timeout", "rate": 1.0}}
                f.write(json.dumps(task) + "\n")
        binary = os.path.abspath(given.bin)
        want = simulate(binary, folder, "plain.py")
        for command in (f"{EXAMPLE}/langgraph_agent.py a_graph:build", f"{EXAMPLE}/openai_agents_agent.py an_sdk:build"):
            got = simulate(binary, folder, command)
            if len(got) != len(want):
                print(f"{command}: {len(got)} rows, not {len(want)}")
                failed += abs(len(want) - len(got))
            for a, b in zip(got, want):
                used = a.pop("usage", None)
                same = a == b and used == {"input_tokens": 6, "output_tokens": 3}
                passed, failed = passed + same, failed + (not same)
                if not same and failed < 4:
                    print(*(f"{k}: {a.get(k)!r}, not {b.get(k)!r}" for k in {**a, **b} if a.get(k) != b.get(k)), used, sep="\n  ")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
