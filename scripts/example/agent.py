#!/usr/bin/env python3
"""An agent for wai-simulate --agent 'cmd:python3 agent.py': looks up what the message names, and says what came back.

`play` is all that is its own: a message in, the last words out; `call` asks the world. Put your own in its place; what
else `play` returns as an object (usage, finish_reason, keys of your own) stays on the row.
"""
import json
import re
import sys
import threading


def play(start, call):
    named = re.search(r"[A-Za-z]+[-_]?\d+|\d{3,}", start["message"])
    if not named:
        return "Which order do you mean?"
    result = call("get_order", order_id=named.group())
    if result.get("status") == "ok":
        return f"I found {named.group()}."
    return f"I could not look up {named.group()}: {result.get('status')}."


def tell(line):
    print(json.dumps(line), flush=True)


def serve(play):
    """Plays rollouts until standard input ends. Nothing else may be printed: `print` to standard error."""
    turn = threading.Lock()             # answers come in the order of the calls, whatever thread asks
    for line in sys.stdin:
        start = json.loads(line)
        if "message" not in start:      # an `end`: nothing is left to say
            continue

        def call(tool, /, **arguments):
            with turn:
                tell({"id": start["id"], "tool": tool, "arguments": arguments})
                return json.loads(sys.stdin.readline())["result"]
        try:
            done = play(start, call)
            tell({"id": start["id"], **(done if isinstance(done, dict) else {"final_text": done})})
        except Exception as failure:    # this rollout is lost, and the run's report says why
            tell({"id": start["id"], "error": f"{type(failure).__name__}: {failure}"})


if __name__ == "__main__":
    serve(play)
