#!/usr/bin/env python3
"""A LangGraph or LangChain agent for wai-simulate: --agent 'cmd:python3 langgraph_agent.py MODULE:FUNCTION'

FUNCTION(tools, system_prompt) returns the graph, as langchain.agents.create_agent makes one. The tools ask the world of
the run, so every call is a step of the row, with the fault that was scheduled for it.
"""
import importlib
import sys

from langchain_core.tools import StructuredTool

from agent import serve


def tool_of(schema, call):
    function = schema["function"]
    return StructuredTool.from_function(func=lambda **arguments: call(function["name"], **arguments), name=function["name"],
                                        description=function.get("description") or function["name"],
                                        args_schema=function.get("parameters") or {"type": "object", "properties": {}})


def player(build):
    def play(start, call):
        graph = build([tool_of(schema, call) for schema in start["tools"]], start["system_prompt"])
        # One tool at a time: threads would ask the world in any order, and the row would differ from run to run.
        said = graph.invoke({"messages": [("user", start["message"])]}, {"max_concurrency": 1})["messages"]
        usage = [m.usage_metadata for m in said if getattr(m, "usage_metadata", None)]
        done = {"final_text": said[-1].text if isinstance(said[-1].text, str) else said[-1].text()}
        if usage:
            done["usage"] = {key: sum(u[key] for u in usage) for key in ("input_tokens", "output_tokens")}
        return done
    return play


if __name__ == "__main__":
    module, _, function = sys.argv[1].partition(":")
    sys.path.insert(0, "")
    serve(player(getattr(importlib.import_module(module), function or "build")))
