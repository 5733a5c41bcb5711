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


def reply(value, **more):
    return dict({"json": value}, **more)


def calls(*named, state=None):
    return reply({"calls": [{"call": c, "tool": t, "arguments": a} for c, t, a in named], "state": state})


def posted(check, program):
    first = calls(("k1", "get_order", {"order_id": "A-1"}), ("k2", "fly", {}), state={"n": [1, 2]})
    done = reply({"final_text": "Done.", "mood": "calm", "usage": {"input_tokens": 1, "output_tokens": 2},
                  "steps": [{"text": "ignored"}]})
    with Server([scripted("/agent", first, done)]) as s:
        rows, code, err, report = simulate(program, f"post:{s.base}/agent?v=1", ["find A-1"], "--system-prompt", "Be kind.")
        row = (rows or [{}])[0]
        check.same("post: exit", [code, len(rows)], [0, 1])
        check.same("post: the row", [row.get("final_text"), row.get("mood"), row.get("tools_used"), row.get("usage"), row.get("model_version"),
                                     row.get("user_model")],
                   ["Done.", "calm", ["get_order", "fly"], {"input_tokens": 1, "output_tokens": 2}, f"127.0.0.1:{s.port}", None])
        asked = [r["body"] for r in s.requests()]
        check.same("post: the start line", [asked[0]["message"], asked[0]["system_prompt"], asked[0]["tools"][0]["function"]["name"],
                                            sorted(asked[0])],
                   ["find A-1", "Be kind.", "get_order", ["id", "message", "rollout_index", "scenario_id", "seed", "system_prompt",
                                                          "tools", "turns"]])
        check.same("post: the results", [asked[1]["id"] == asked[0]["id"], asked[1]["state"], [r["call"] for r in asked[1]["results"]],
                                         asked[1]["results"][1]["result"]["reason"]],
                   [True, {"n": [1, 2]}, ["k1", "k2"], "unknown_tool"])
        check.true("post: steps beside the calls are said to be left out", "brought steps" in err, err)
        check.same("post: no key goes along", [h for h in s.requests()[0]["headers"] if h.lower() == "authorization"], [])
    for about, answers, wanted, reason in (
            ("no JSON", [{"text": "<html>"}], 4, "sent what is no JSON: <html>"),
            ("an array", [reply([1])], 4, "sent neither a done line nor calls: [1]"),
            ("another shape", [reply({"content": "x"})], 4, "no final_text and no steps (its keys: content)"),
            ("an error", [reply({"error": "no"})], 4, "the agent failed: no"),
            ("a call without a name", [reply({"calls": [{}]})], 4, "sent a call without the name of a tool"),
            ("no end", [calls(("a", "get_order", {}))], 4, "still calls tools after 3 requests; raise --max-turns"),
            ("not found", [reply({"detail": "x"}, status=404)], 4, "refuses the request (404)"),
            ("a refusal", [reply({"detail": "x"}, status=400)], 4, 'refuses the request (400): {"detail": "x"}'),
            ("a redirect elsewhere", [{"status": 307, "headers": {"Location": "http://127.0.0.2:9/"}, "text": ""}], 4, ""),
            ("a hang", [{"hang": True}], 4, ""),
            ("a cut", [reply({"final_text": "x" * 99}, cut=20)], 4, ""),
            ("a huge reply", [{"text": "x" * 1000, "repeat": 20000}], 4, "")):
        with Server([scripted("/agent", *answers)]) as s:
            rows, code, err, report = simulate(program, f"post:{s.base}/agent", ["find A-1"], "--max-turns", "3", "--agent-timeout", "2")
            error = report.get("first_agent_error") or ""
            check.same(f"post, {about}", [rows, code, reason in error and bool(error)], [[], wanted, True])
            if reason not in error or not error:
                print("    ", error)
    with Server([scripted("/agent", reply({"detail": "no"}, status=503), reply("just words"))]) as s:
        rows, code, _, report = simulate(program, f"post:{s.base}/agent", ["find A-1"])
        check.same("post: a passing failure is tried again", [code, rows[0]["final_text"], report["usage"]["agent"]["retries"]],
                   [0, "just words", 1])
    with Server([scripted("/agent", reply({"detail": "no"}, status=401))]) as s:
        rows, code, err, report = simulate(program, f"post:{s.base}/agent", ["a", "b"], "--agent-key-env", "KEY", env={"KEY": SECRET})
        check.same("post: a refused key ends the run", [code, rows, report["stopped_because"]], [4, [], "agent_auth_failed"])
        check.same("post: the key went along", {k.lower(): v for k, v in s.requests()[0]["headers"].items()}["authorization"], f"Bearer {SECRET}")
        rows, code, err, _ = simulate(program, f"post:{s.base}/agent", ["a"], "--agent-key-env", "NONE")
        check.same("post: a key that is not there", [code, "NONE is not set" in err], [4, True])
    with Server([scripted("/agent", reply({"final_text": f"echo {SECRET}"}))]) as s:
        rows, code, err, _ = simulate(program, f"post:{s.base}/agent", ["a"], "--agent-key-env", "KEY", env={"KEY": SECRET})
        check.same("post: a key that comes back is cut out", [code, rows[0]["final_text"]], [0, "echo ***"])
    for url in ("post:", "post:ftp://x/", "post:http://user:secret@x/", "post:not a url"):
        rows, code, err, _ = simulate(program, url, ["a"])
        check.same(f"{url}: bad usage", [code, "secret" in err], [2, False])


def many(check, program):
    """The same bytes at any number of jobs, recorded and played again without a server."""
    with Server([scripted("/agent", reply({"final_text": "x"}), body={"results": [{}]}),
                 scripted("/agent", calls(("a", "get_order", {"order_id": "A-1"})))]) as s, tempfile.TemporaryDirectory() as folder:
        url, seen = f"post:{s.base}/agent", []
        tape = os.path.join(folder, "tape.jsonl")
        for jobs, more in ((1, ()), (8, ("--record", tape)), (4, ("--replay", tape))):
            rows, code, err, _ = simulate(program, url, [f"find A-{i}" for i in range(12)], "-j", str(jobs), "-k", "3", *more)
            seen.append([code, rows])
        check.same("post: rows at 1 and 8 jobs", seen[0] == seen[1] and len(seen[0][1]), 36)
        check.same("post: played again", seen[2], seen[0])


def check_all(check, programs):
    program = programs["wai-simulate"]
    deployed(check, program)
    posted(check, program)
    many(check, program)
