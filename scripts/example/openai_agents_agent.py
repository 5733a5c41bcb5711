#!/usr/bin/env python3
"""An agent of the OpenAI Agents SDK for wai-simulate: --agent 'cmd:python3 openai_agents_agent.py MODULE:FUNCTION'

FUNCTION(tools, system_prompt) returns the agents.Agent. The tools ask the world of the run, so every call is a step of
the row, with the fault that was scheduled for it.
"""
import importlib
import json
import sys

from agents import FunctionTool, Runner, set_tracing_disabled

from agent import serve


def tool_of(schema, call):
    function = schema["function"]

    async def invoke(_, arguments):
        return json.dumps(call(function["name"], **json.loads(arguments or "{}")), ensure_ascii=False)
    return FunctionTool(name=function["name"], description=function.get("description") or "", on_invoke_tool=invoke,
                        params_json_schema=function.get("parameters") or {"type": "object", "properties": {}},
                        strict_json_schema=False)


def player(build):
    def play(start, call):
        agent = build([tool_of(schema, call) for schema in start["tools"]], start["system_prompt"])
        run = Runner.run_sync(agent, start["message"])
        used = run.context_wrapper.usage
        return {"final_text": str(run.final_output), "usage": {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}}
    return play


if __name__ == "__main__":
    module, _, function = sys.argv[1].partition(":")
    sys.path.insert(0, "")
    set_tracing_disabled(True)          # nothing of a run is sent anywhere
    serve(player(getattr(importlib.import_module(module), function or "build")))
