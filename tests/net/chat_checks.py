"""The model room against the test server: providers, repairs, failures, streams, recordings, budgets."""
import json
import os
import subprocess
import tempfile
import time

from bench import BARE, Server, run, scripted

USER = [{"role": "user", "content": "Where is order x?"}]
TOOLS = [{"type": "function", "function": {"name": "get_order", "description": "Look up.", "parameters": {
    "type": "object", "properties": {"order_id": {"type": "string"}}}}}]
CHAT = "/v1/chat/completions"
SECRETS = {"OPENAI_API_KEY": "sk-openai-0123456789", "ANTHROPIC_API_KEY": "sk-ant-0123456789",
           "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI-secret",
           "AWS_SESSION_TOKEN": "session-token-0123456789", "VLLM_API_KEY": "sk-vllm-0123456789"}


def bases(server):
    return dict(SECRETS, OPENAI_BASE_URL=server.base + "/v1", ANTHROPIC_BASE_URL=server.base,
                AWS_ENDPOINT_URL_BEDROCK_RUNTIME=server.base, OLLAMA_HOST=server.base)


def said(text, finish="stop", **more):
    message = dict({"role": "assistant", "content": text}, **more)
    return {"json": {"choices": [{"index": 0, "message": message, "finish_reason": finish}],
                     "usage": {"prompt_tokens": 10, "completion_tokens": 5}}}


def refuses(words, status=400):
    return {"status": status, "json": {"error": {"message": words}}}


def no_secret(check, about, text):
    check.true(f"{about}: no secret shown", not any(s in text for s in SECRETS.values()), text)


def call_of(reply):
    calls = (reply or {}).get("tool_calls") or [{}]
    return calls[0].get("function")


def providers(check, program):
    """The same conversation with every provider: a tool call, then words; whole and as a stream."""
    with Server() as s:
        specs = [("openai:gpt-x", CHAT), (f"vllm:m@{s.base}/v1", CHAT), ("ollama:q", CHAT),
                 ("anthropic:claude-x", "/v1/messages"), ("bedrock:a.b-v1:0@eu-west-1", "/model/a.b-v1%3A0/converse"),
                 ("bedrock:arn:aws:bedrock:us-east-1:1:imported-model/q", None), (s.base + "/v1", CHAT),
                 (f"vllm:m@{s.base}/v1/chat/completions?api-version=2", CHAT + "?api-version=2"),
                 (f"vllm:m@{s.base}", CHAT), (f"sglang:@{s.base}/v1/", CHAT), (f"endpoint:{s.base}", CHAT)]
        for spec, path in specs:
            for stream in (False, True):
                line = {"spec": spec, "messages": USER, "tools": TOOLS, "temperature": 0.5, "stream": stream}
                out, _, err = run(program, [line, dict(line, tools=[])], env=bases(s))
                about = f"{spec} {'stream' if stream else 'whole'}"
                check.true(about, len(out) == 2 and all(o["code"] == 0 for o in out), err or out)
                if any(o["code"] for o in out):
                    continue
                check.same(f"{about}: call", call_of(out[0]["reply"]),
                           {"name": "get_order", "arguments": "{\"order_id\": \"x\"}"})
                check.same(f"{about}: finish", out[0]["reply"].get("_finish_reason"), "tool_calls")
                check.same(f"{about}: words", out[1]["reply"]["content"], "You said: Where is order x?")
                check.same(f"{about}: end", out[1]["reply"].get("_finish_reason"), "stop")
                usage = out[1]["reply"].get("_usage", {})
                check.true(f"{about}: usage", usage.get("input_tokens", 0) > 0 and usage.get("output_tokens") == 7)
                if stream and "bedrock" not in spec:
                    check.same(f"{about}: words as they come", out[1]["text"], "You said: Where is order x?")
                if path:
                    check.same(f"{about}: path", s.requests()[-1]["path"], path)
        for r in s.requests():
            sent = json.dumps(r["headers"])
            own = [k for k, v in SECRETS.items() if v in sent]
            where = r["path"].split("?")[0]
            wanted = {"/v1/messages": ["ANTHROPIC_API_KEY"]}.get(where)
            if where.startswith("/model/"):
                wanted = ["AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"]
            if wanted:
                check.same(f"{where}: its own key alone", own, wanted)
            else:
                check.true(f"{where}: no other's key", own in (["OPENAI_API_KEY"], []), own)


def repairs(check, program):
    long_text = "x" * 900
    cases = [
        ("renamed and halved", [refuses("use max_completion_tokens instead"), refuses("max_completion_tokens too large"),
                                said("fine")], {}, [
            {"max_tokens": 768}, {"max_completion_tokens": 768}, {"max_completion_tokens": 384}]),
        ("halved to the least", [refuses("max_tokens?")] * 2 + [said("fine")], {"max_tokens": 700},
         [{"max_tokens": 700}, {"max_tokens": 350}, {"max_tokens": 256}]),
        ("n", [refuses("no"), said("fine")], {"n": 3}, [{"n": 3}, {"n": None}]),
        ("logprobs", [refuses("logprobs are not served"), said("fine")], {"logprobs": "sum"},
         [{"logprobs": True}, {"logprobs": None}]),
        ("temperature", [refuses("'temperature' does not support 0.8"), said("fine")], {"temperature": 0.8},
         [{"temperature": 0.8}, {"temperature": None}]),
    ]
    for about, replies, more, wanted in cases:
        with Server([scripted(CHAT, *replies)]) as s:
            out, _, _ = run(program, [dict({"spec": f"vllm:m@{s.base}/v1", "messages": USER}, **more)])
            check.same(f"{about}: mended", [out[0]["failure"], out[0]["repairs"]], ["ok", len(wanted) - 1])
            got = [{k: r["body"].get(k) for k in w} for r, w in zip(s.requests(), wanted)]
            check.same(f"{about}: requests", got, wanted)
    with Server([scripted(CHAT, refuses("input tokens exceed the context"), said("half"))]) as s:
        messages = [{"role": "system", "content": "S"}, {"role": "user", "content": long_text}]
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": messages}])
        sent = [r["body"]["messages"][1]["content"] for r in s.requests()]
        check.same("half of a long prompt", [len(t) for t in sent], [900, 450])
        check.same("and it is marked", out[0]["reply"]["_prompt_truncated"], {
            "context_tokens": 4096, "prompt_chars": 900, "prompt_chars_sent": 450, "max_tokens_asked": 768,
            "max_tokens_sent": 768})
    with Server([scripted(CHAT, refuses("input tokens exceed the context"))]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER}])
        check.same("a short prompt is not cut", [out[0]["failure"], out[0]["requests"]], ["too_long", 1])
    with Server([scripted(CHAT, refuses("max_tokens"))]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "max_tokens": 100000}])
        check.same("at most five repairs", [out[0]["failure"], out[0]["requests"], out[0]["repairs"]],
                   ["bad_request", 6, 5])
    with Server([scripted("/v1/messages", refuses("temperature: not supported with thinking"), {"play": True})]) as s:
        line = {"spec": "anthropic:c", "messages": USER, "temperature": 0.5}
        out, _, _ = run(program, [line, line], env=bases(s))
        check.same("a refused temperature is remembered",
                   [["temperature" in r["body"] for r in s.requests()], [o["requests"] for o in out]],
                   [[True, False, False], [2, 1]])


def window(check, program):
    with Server() as s:
        messages = [{"role": "user", "content": "y" * 9000}]
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": messages, "max_tokens": 1000}],
                        ["--context", "2048"])
        sent = s.requests()[0]["body"]
        length = len(sent["messages"][0]["content"])
        check.same("a known window is kept to", [length, sent["max_tokens"]], [4500, 473])
        check.same("as marked", out[0]["reply"]["_prompt_truncated"]["prompt_chars_sent"], 4500)
        check.same("a true record", out[0]["max_tokens_sent"], 473)
        run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": messages}])
        check.same("an unknown one cuts nothing", len(s.requests()[-1]["body"]["messages"][0]["content"]), 9000)


def failures(check, program):
    cases = [
        ("auth", refuses("Incorrect API key: sk-vllm-0123456789", 401), "auth", 1),
        ("forbidden", refuses("no", 403), "auth", 1),
        ("quota", refuses("Quota exceeded for today", 429), "quota", 1),
        ("insufficient", {"status": 429, "json": {"error": {"code": "insufficient_quota", "message": "x"}}}, "quota", 1),
        ("busy", dict(refuses("slow down", 429), headers={"Retry-After": "0"}), "transient", 4),
        ("down", dict(refuses("oops", 503), headers={"Retry-After": "0"}), "transient", 4),
        ("overloaded", dict(refuses("busy", 529), headers={"Retry-After": "0"}), "transient", 4),
        ("dead", refuses("no such route", 404), "dead_host", 1),
        ("dead app", {"status": 400, "text": "modal-http: invalid function call"}, "dead_host", 1),
        ("gone", {"status": 410}, "dead_host", 1),
        ("bad request", refuses("bad field foo"), "bad_request", 1),
        ("validation", {"status": 422, "json": {"detail": [{"loc": ["body"], "msg": "field required"}]}},
         "bad_request", 1),
        ("too large", refuses("x", 413), "too_long", 1),
        ("garbage", {"text": "<html>hello"}, "bad_reply", 1),
        ("cut JSON", {"text": "{\"choices\": [{\"mess"}, "bad_reply", 1),
        ("no choices", {"json": {"choices": []}}, "bad_reply", 1),
        ("wrong types", {"json": {"choices": {"message": 1}}}, "bad_reply", 1),
        ("wrong types inside", {"json": {"choices": [{"message": "hi"}]}}, "bad_reply", 1),
        ("error in a 200", {"json": {"error": {"message": "the provider failed"}}}, "bad_reply", 1),
        ("deep", {"text": "[" * 100000}, "bad_reply", 1),
        ("empty", {"text": ""}, "bad_reply", 1),
        ("cut", {"json": {"choices": []}, "cut": 3, "headers": {}}, "transient", 4),
        ("hang", {"hang": True}, "timed_out", 1),
        ("teapot", {"status": 418, "text": "I'm a\n\x1b[31mteapot"}, "bad_request", 1),
    ]
    for about, reply, failure, requests in cases:
        with Server([scripted(CHAT, reply)]) as s:
            out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "timeout_s": 8 if
                                       failure == "transient" else 1}], env=SECRETS)
            check.same(about, [out[0]["failure"], out[0]["requests"], out[0]["reply"]], [failure, requests, None])
            check.true(f"{about}: names the host", f"127.0.0.1:{s.port}" in out[0]["error"], out[0]["error"])
            check.true(f"{about}: one clean line", "\n" not in out[0]["error"] and "\x1b" not in out[0]["error"])
            no_secret(check, about, out[0]["error"])
    with Server([scripted(CHAT, refuses("who are you", 401))]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER}])
        check.true("a key that was not sent", "VLLM_API_KEY" in out[0]["error"] and "--agent-key-env" in out[0]["error"],
                   out[0])
    with Server([scripted(CHAT, {"status": 302, "headers": {"Location": "file:///etc/passwd"}})]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER}])
        check.same("a redirect that is not followed", [out[0]["failure"], out[0]["code"]], ["dead_host", -4])
    with Server([scripted(CHAT, {"status": 303, "headers": {"Location": "/result"}}),
                 scripted("/result", said("from the result"), method="GET")]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER}], env=SECRETS)
        check.same("a long POST answered by a result's address", [out[0]["reply"]["content"], s.requests()[-1]["headers"][
            "authorization"]], ["from the result", "Bearer sk-vllm-0123456789"])
    out, _, _ = run(program, [{"spec": "anthropic:c", "messages": USER}, {"spec": "vllm:m@https://127.0.0.2/v1",
                                                                        "messages": USER}])
    check.true("a missing key is named", "ANTHROPIC_API_KEY" in out[0]["error"] and out[0]["code"] == -4, out[0])
    out, _, _ = run(program, [{"spec": spec, "messages": USER} for spec in
                              ("typesafe:", "gpt-4o", "openai/gpt-4o", "", "foo:x", "vllm:m", "vllm:m@http://u:pw@h/")])
    check.same("specs that are none", [o["code"] for o in out], [-2] * 7)
    check.true("each with a mend", all(any(w in o["error"] for w in ("write", "wai-grade", "there are", "leave it out"))
                                       for o in out), [o["error"] for o in out])
    check.true("no password shown", "pw" not in out[-1]["error"], out[-1]["error"])
    with Server([scripted(CHAT, dict(refuses("x", 429), headers={"Retry-After": "0"}),
                          refuses("use max_completion_tokens"), dict(refuses("x", 500), headers={"Retry-After": "0"}),
                          dict(refuses("x", 500), headers={"Retry-After": "0"}), said("at last"))]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER}])
        check.same("one allowance of retries per call", [out[0]["failure"], out[0]["requests"], out[0]["retries"],
                                                         out[0]["repairs"]], ["ok", 5, 3, 1])
    path = "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aimported-model%2Fq/invoke"
    slow = {"status": 429, "json": {"__type": "ModelNotReadyException"}, "headers": {"Retry-After": "0"}}
    with Server([scripted(path, *[slow] * 6, said("ready"))]) as s:
        out, _, _ = run(program, [{"spec": "bedrock:arn:aws:bedrock:us-east-1:1:imported-model/q", "messages": USER}],
                        env=bases(s))
        check.same("a model that is being loaded is waited for", [out[0]["failure"], out[0]["requests"],
                                                                  out[0]["retries"]], ["ok", 7, 0])


def quirks(check, program):
    cases = [
        ("arguments as an object", said(None, tool_calls=[{"function": {"name": "f", "arguments": {"a": 1}}}]),
         {"content": None, "tool_calls": [{"id": "call_0", "type": "function",
                                           "function": {"name": "f", "arguments": "{\"a\": 1}"}}]}),
        ("arguments missing", said(None, tool_calls=[{"id": "i", "function": {"name": "f"}}, 7, None]),
         {"tool_calls": [{"id": "i", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
        ("arguments as a list", said(None, tool_calls=[{"id": "i", "function": {"name": "f", "arguments": [1]}}]),
         {"tool_calls": [{"id": "i", "type": "function", "function": {"name": "f", "arguments": "[1]"}}]}),
        ("broken arguments stay", said(None, tool_calls=[{"id": "i", "function": {"name": "f", "arguments": "{a"}}]),
         {"tool_calls": [{"id": "i", "type": "function", "function": {"name": "f", "arguments": "{a"}}]}),
        ("no name", said(None, tool_calls=[{"id": "i", "function": {}}]),
         {"tool_calls": [{"id": "i", "type": "function", "function": {"name": "", "arguments": "{}"}}]}),
        ("parts", said([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), {"content": "ab"}),
        ("content of another type", said(7), {"content": None}),
        ("eos_token", said("x", "eos_token"), {"_finish_reason": "stop"}),
        ("function_call", said(None, "function_call", function_call={"name": "f", "arguments": "{}"}),
         {"_finish_reason": "tool_calls", "tool_calls": [{"id": "call_0", "type": "function",
                                                          "function": {"name": "f", "arguments": "{}"}}]}),
        ("no usage", {"json": {"choices": [{"message": {"content": "x"}}]}}, {"_usage": None, "_finish_reason": None}),
        ("reasoning_content is no text", said("x", reasoning_content="thought"), {"content": "x"}),
        ("empty text stays", said(""), {"content": ""}),
        ("unicode", said("h\u00e9 \U0001f600 \ud83d"), {"content": "h\u00e9 \U0001f600 \ud83d"}),
    ]
    for about, reply, wanted in cases:
        with Server([scripted(CHAT, reply)]) as s:
            out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER}])
            got = out[0]["reply"] or {"failure": out[0]["error"]}
            check.same(about, {k: got.get(k) for k in wanted}, wanted)
    with Server([scripted(CHAT, {"play": True})]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "n": 2, "logprobs": "tokens"}])
        check.same("logprobs and choices", [out[0]["reply"]["_logprobs"], len(out[0]["reply"]["_all"])],
                   [{"sum": -0.75, "n": 2, "tokens": [-0.25, -0.5]}, 2])
        run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "extra": {"top_k": 4, "max_tokens": 9}}],
            ["--thinking", "off"])
        body = s.requests()[-1]["body"]
        check.same("extra is merged last", [body["top_k"], body["max_tokens"], body["chat_template_kwargs"]],
                   [4, 9, {"enable_thinking": False}])
    with Server([scripted("/v1/messages", {"play": True})]) as s:
        out, _, _ = run(program, [{"spec": "anthropic:c", "messages": USER, "n": 3}], env=bases(s))
        check.same("three calls where a provider gives one", [len(out[0]["reply"]["_all"]), len(s.requests())], [3, 3])


def streams(check, program):
    def chunk(delta=None, finish=None, **more):
        return dict({"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}]}, **more)
    cases = [
        ("no DONE, a finish reason", [chunk({"content": "a"}), chunk({"content": "b"}, "stop")], "ok", "ab"),
        ("broken off", [chunk({"content": "a"})], "bad_reply", None),
        ("an error event", [chunk({"content": "a"}), {"error": {"message": "lost"}}], "bad_reply", None),
        ("not JSON", ["{nope"], "bad_reply", None),
        ("empty", [], "bad_reply", None),
        ("wrong types", [{"choices": 4}, chunk(7), chunk({"content": 3, "tool_calls": "x"}), "[DONE]"], "ok", None),
        ("index far out", [{"choices": [{"index": 1e9, "delta": {"content": "x"}}]}, "[DONE]"], "bad_reply", None),
        ("tool index far out", [chunk({"tool_calls": [{"index": 99999999, "function": {"name": "f"}}]}), "[DONE]"],
         "bad_reply", None),
    ]
    for about, events, failure, content in cases:
        with Server([scripted(CHAT, {"sse": events})]) as s:
            out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "stream": True}])
            check.same(f"stream: {about}", [out[0]["failure"], (out[0]["reply"] or {}).get("content")],
                       [failure, content])
    with Server([scripted(CHAT, {"play": True, "slow": [7, 1]})]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "stream": True}])
        check.same("stream in slow bytes", out[0]["reply"]["content"], "You said: Where is order x?")
    with Server([scripted(CHAT, {"play": True, "cut": 300, "slow": [50, 1]}, {"play": True})]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "stream": True}])
        check.same("a cut stream is asked for again, its words start over",
                   [out[0]["reply"]["content"], out[0]["text"], out[0]["retries"]],
                   ["You said: Where is order x?"] * 2 + [1])
    with Server([scripted(CHAT, said("whole"))]) as s:
        out, _, _ = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "stream": True}])
        check.same("a server without streams", out[0]["reply"]["content"], "whole")


def recordings(check, program):
    with tempfile.TemporaryDirectory() as folder:
        tape = os.path.join(folder, "tape.jsonl")
        with Server([scripted(CHAT, *[said(f"reply {i}") for i in range(40)])]) as s:
            spec = f"vllm:m@{s.base}/v1"
            lines = [{"spec": spec, "messages": USER, "scope": f"r{i}"} for i in range(20) for _ in (0, 1)]
            first, status, err = run(program, lines, ["--record", tape, "--jobs", "8"], env=SECRETS)
            check.same("recorded", [status, [o["failure"] for o in first]], [0, ["ok"] * 40])
            asked = len(s.requests())
            text = open(tape).read()
            no_secret(check, "recording", text)
            check.same("no headers", [k for k in ("headers", "Bearer", "uthorization") if k in text], [])
            check.same("for the owner alone", os.stat(tape).st_mode & 0o777, 0o600)
            for jobs in ("1", "8"):
                again, _, _ = run(program, lines, ["--replay", tape, "--no-network", "--jobs", jobs])
                check.same(f"played at --jobs {jobs}", sorted(o["reply"]["content"] for o in again),
                           sorted(o["reply"]["content"] for o in first))
                check.same("each rollout its own", [{o["reply"]["content"] for o in again[i:i + 2]} for i in
                                                    range(0, 40, 2)],
                           [{o["reply"]["content"] for o in first[i:i + 2]} for i in range(0, 40, 2)])
            check.same("nothing was sent", len(s.requests()), asked)
            other = [{"spec": spec, "messages": [{"role": "user", "content": "new"}]}]
            out, _, _ = run(program, other, ["--replay", tape])
            check.same("a request that is not there", [out[0]["failure"], out[0]["code"]], ["not_recorded", -4])
            check.true("is named", CHAT in out[0]["error"] and "--replay-miss" in out[0]["error"], out[0]["error"])
            out, _, _ = run(program, other, ["--replay", tape, "--live-miss", "--record", tape])
            check.same("or sent", out[0]["failure"], "ok")
            out, _, _ = run(program, other, ["--replay", tape, "--no-network"])
            check.same("and is there from now on", out[0]["failure"], "ok")
            with open(tape, "a") as f:
                f.write("{\"key\": \"half")
            out, _, _ = run(program, other, ["--replay", tape, "--no-network"])
            check.same("half a line at the end is passed over", out[0]["failure"], "ok")
            with open(tape, "a") as f:
                f.write("\n{}\n")
            _, status, err = run(program, other, ["--replay", tape, "--no-network"])
            check.same("a broken line is bad input", [status, "tape.jsonl:42" in err], [3, True])
        with Server([scripted(CHAT, dict(refuses("oops", 503), headers={"Retry-After": "0"}), {"hang": True})]) as s:
            tape = os.path.join(folder, "failures.jsonl")
            lines = [{"spec": f"vllm:m@{s.base}/v1", "messages": USER, "timeout_s": 0.3},
                     {"spec": f"vllm:m@{s.base}/v1", "messages": USER, "timeout_s": 0.3, "stream": True}]
            first, _, _ = run(program, lines, ["--record", tape])
            again, _, _ = run(program, lines, ["--replay", tape, "--no-network"])
            check.same("failures are recorded too", [o["failure"] for o in again], [o["failure"] for o in first])
        _, status, _ = run(program, [], ["--record", "/dev/full"])
        check.same("opens", status, 0)
        with Server() as s:
            _, status, err = run(program, [{"spec": f"vllm:m@{s.base}/v1", "messages": USER}], ["--record", "/dev/full"])
            check.same("a full disk is said", status, 5)


def budgets(check, program):
    with Server([scripted(CHAT, said("x"))]) as s:
        # 10 tokens in at 1 and 5 out at 2 per million: 20 millionths a call; at worst 256 out: about 540.
        line = {"spec": f"vllm:m@{s.base}/v1", "messages": USER, "max_tokens": 256, "count": 200}
        out, _, _ = run(program, [line], ["--price", "1,2", "--max-cost", "0.001", "--jobs", "8", "--summary"])
        total = out[0]
        check.true("money is not overrun", total["cost"] <= 0.001, total)
        check.same("the rest is refused", total["failed"], {"no_budget": 200 - total["ok"]})
        check.true("and not before it must be", 20 <= total["ok"] <= 50, total)
        check.same("refused calls are not sent", len(s.requests()), total["ok"])


def local_models(check, program):
    reply = "jq -c --unbuffered '{content: (\"You said: \" + .messages[-1].content), finish_reason: \"stop\", " \
            "usage: {input_tokens: 3, output_tokens: 4}}'"
    echo = "jq -c --unbuffered '.messages[-1].content'"
    show = "jq -c --unbuffered 'tojson'"
    lines = [{"spec": f"exec:{c}", "messages": USER, "tools": TOOLS, "temperature": 0.5, "seed": 3}
             for c in (reply, echo, show, "exit 3", "echo nope", "sleep 5", "echo '{\"error\": \"no model\"}'",
                       "echo 7")]
    for line in lines:
        line["timeout_s"] = 3
    out, _, _ = run(program, lines)
    check.same("exec: a message", out[0]["reply"], {
        "role": "assistant", "content": "You said: Where is order x?", "_finish_reason": "stop",
        "_usage": {"input_tokens": 3, "output_tokens": 4}})
    check.same("exec: a text", out[1]["reply"], {"role": "assistant", "content": "Where is order x?"})
    check.same("exec: what it is told", json.loads(out[2]["reply"]["content"]), {
        "messages": USER, "tools": TOOLS, "temperature": 0.5, "max_tokens": 768, "seed": 3})
    check.same("exec: failures", [o["failure"] for o in out[3:]],
               ["transient", "bad_reply", "timed_out", "bad_reply", "bad_reply"])
    with tempfile.TemporaryDirectory() as folder:
        tape = os.path.join(folder, "replies.jsonl")
        with open(tape, "w") as f:
            f.write('{"reply": "one"}\n\n{"replies": ["two", {"content": null, "tool_calls": [{"function": {"name": "f"}}]}'
                    ']}\n{"error": "timeout"}\n{"error": "lost"}\n{"x": 1}\n')
        spec = f"replay:{tape}"
        asks = [(0, 0), (0, 9), (1, 0), (1, 1), (1, 2), (2, 0), (3, 0), (4, 0), (5, 0)]
        out, _, _ = run(program, [{"spec": spec, "messages": USER, "item": i, "call": c} for i, c in asks],
                        ["--no-network"])
        check.same("replay:", [o["reply"]["content"] if o["reply"] else o["failure"] for o in out],
                   ["one", "one", "two", None, "not_recorded", "timed_out", "transient", "not_recorded",
                    "not_recorded"])
        check.same("replay: a call", call_of(out[3]["reply"]), {"name": "f", "arguments": "{}"})
        out, _, _ = run(program, [{"spec": spec, "messages": USER}] * 2, ["--no-network"])
        check.same("replay: in order", [o["reply"]["content"] for o in out], ["one", "two"])
        with open(tape, "a") as f:
            f.write("nope\n")
        out, _, _ = run(program, [{"spec": spec, "messages": USER}])
        check.same("replay: a broken line", [out[0]["code"], "replies.jsonl:7" in out[0]["error"]], [-3, True])


def storm(check, program):
    """Issue 5's hostile server: every call lands or says why not."""
    with Server(weather={"cut": 0.05, "429": 0.05, "garbage": 0.02, "hang": 0.01, "seed": 7}) as s:
        line = {"spec": f"vllm:m@{s.base}/v1", "messages": USER, "timeout_s": 3, "count": 1500}
        out, status, _ = run(program, [line], ["--jobs", "64", "--summary"], timeout=120)
        total = out[0]
        check.same("no call is lost", [total["ok"] + sum(total["failed"].values()), status], [1500, 0])
        check.true("what failed is what the weather brings", set(total["failed"]) <=
                   {"bad_reply", "timed_out", "transient"},
                   total)
        check.true("and about as much of it as was sent", total["ok"] > 1400, total)


def check_all(check, programs):
    program = programs["chat-client"]
    for part in (providers, repairs, window, failures, quirks, streams, recordings, budgets, local_models, storm):
        began = time.monotonic()
        part(check, program)
        if check.verbose:
            print(f"     {part.__name__}: {time.monotonic() - began:.1f} s")
