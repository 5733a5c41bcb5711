"""Agents behind an address: a deployed endpoint (http://…) and a web service of one's own (post:…), played by
wai-simulate against the test server."""
import json
import os
import subprocess
import tempfile

from bench import BARE, Server, scripted

CHAT = "/v1/chat/completions"
TOOLS = [{"name": "get_order", "description": "Look up.", "parameters": {
    "type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}}]
SECRET = "sk-agent-0123456789"


def said(text, calls=(), finish="stop"):
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [{"id": f"c{i}", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
                                 for i, (n, a) in enumerate(calls)]
    return {"json": {"choices": [{"index": 0, "message": message, "finish_reason": finish}],
                     "usage": {"prompt_tokens": 10, "completion_tokens": 5}}}


def simulate(program, agent, tasks, *arguments, env=None, timeout=60):
    """Rows, status, standard error, report."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "tasks.jsonl"), "w") as f:
            f.writelines(json.dumps(t if isinstance(t, dict) else {"prompt": t}) + "\n" for t in tasks)
        done = subprocess.run([program, "--agent", agent, "--tools", json.dumps(TOOLS), "--tasks", "tasks.jsonl",
                               "--rerolls", "0", "--report", "run.json", *arguments], cwd=folder, capture_output=True,
                              timeout=timeout, text=True, env=dict(BARE, HOME=folder, **(env or {})))
        report = {}
        if os.path.exists(os.path.join(folder, "run.json")):
            with open(os.path.join(folder, "run.json")) as f:
                report = json.load(f)
        rows = [json.loads(line) for line in done.stdout.split("\n") if line]
        if SECRET in done.stdout + done.stderr + json.dumps(report):
            raise AssertionError("the key is shown")
        return rows, done.returncode, done.stderr, report


def shapes(rows):
    return [[sorted(set(s) - {"input_tokens", "output_tokens"}) for s in r["steps"]] for r in rows]


def deployed(check, program):
    call = said("Let me see.", [("get_order", {"order_id": "A-1"})])
    with Server([scripted(CHAT, call, said("It is there."), said("Anything else?"))]) as s:
        rows, code, err, _ = simulate(program, f"{s.base}/v1", ["find A-1\n<USER_TURN>\nthanks\n"])
        check.same("deployed: exit", [code, len(rows)], [0, 1])
        check.same("deployed: steps", shapes(rows), [[["arguments", "result", "text", "tool"], ["text"], ["user"], ["text"]]])
        row = (rows or [{}])[0]
        check.same("deployed: last words", [row.get("final_text"), row.get("user_model"), row.get("model_version")],
                   ["Anything else?", None, "m1"])
        check.same("deployed: the world answered", [row.get("world_seed"), row["steps"][0]["result"]["status"] in ("ok", "not_found")],
                   [0, True])
        check.same("deployed: sampling", row.get("sampling"), {"temperature": 0.3, "max_tokens": 1024, "model": "m1"})
        asked = [r["body"] for r in s.requests() if r["path"].startswith(CHAT)]
        check.same("deployed: requests", [len(asked), asked[0]["temperature"], asked[0]["max_tokens"],
                                          [m["role"] for m in asked[-1]["messages"]]],
                   [3, 0.3, 1024, ["user", "assistant", "tool", "assistant", "user"]])
    with Server([scripted(CHAT, call)]) as s:
        rows, code, _, _ = simulate(program, f"{s.base}/v1", ["find A-1"], "--max-turns", "3")
        check.same("deployed: calls run out", [code, len(s.requests()) - 1, rows[0]["final_text"], rows[0]["tools_used"]],
                   [0, 3, "Let me see.", ["get_order"] * 3])
    with Server([scripted(CHAT, said("Which one?"))]) as s:
        task = {"prompt": "find it", "faults": {"*": {"mode": "timeout", "rate": 1}}}
        rows, code, _, _ = simulate(program, f"{s.base}/v1", [task], "--agent-model", "mine", "--temperature", "0")
        check.same("deployed: a question ends it", [code, rows[0]["final_text"], shapes(rows), len(s.requests())],
                   [0, "Which one?", [[["text"]]], 1])
        check.same("deployed: model and temperature", [s.requests()[0]["body"]["model"], s.requests()[0]["body"]["temperature"]],
                   ["mine", 0])
    with Server([scripted(CHAT, said(""))]) as s:
        rows, code, _, report = simulate(program, f"{s.base}/v1", ["find it"])
        check.same("deployed: silence", [code, rows, report["rollouts"]["lost_by"]], [4, [], {"empty_reply": 1}])
    with Server([scripted(CHAT, {"status": 401, "json": {"error": "no"}})]) as s:
        rows, code, err, report = simulate(program, f"{s.base}/v1", ["a", "b"], "--agent-key-env", "KEY", env={"KEY": SECRET})
        check.same("deployed: key refused", [code, rows, report["stopped_because"]], [4, [], "agent_auth_failed"])
        check.true("deployed: names the variable", "KEY" in err, err)
        check.same("deployed: the key went along", s.requests()[-1]["headers"].get("Authorization", s.requests()[-1]["headers"].get(
            "authorization")), f"Bearer {SECRET}")


def check_all(check, programs):
    program = programs["wai-simulate"]
    deployed(check, program)
