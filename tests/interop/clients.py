#!/usr/bin/env python3
"""The official clients of OpenAI, Anthropic and AWS (botocore) against the project's test server, and our requests
for the same conversations compared with theirs: method, path, body field by field, the headers that count, and
for Bedrock the signature. What each makes of the server's replies is compared too, whole and streamed.

    tests/interop/clients.py --bin DIR [--cases N] [--seed S]

A conversation is a request or two for each provider, so N counts tenths. Loopback only. On purpose different: we
name the version 2023-06-01 of Anthropic's interface and send its key as x-api-key, as its documentation has it; its
newest client names a newer version and sends a bearer token.
"""
import argparse
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "net"))

try:
    import anthropic
    import botocore.session
    import openai
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.config import Config
    from botocore.credentials import Credentials
except ImportError as missing:
    print(f"skipped: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

import bench  # noqa: E402

WORDS = ["order", "x-7", "caf\u00e9", "\U0001f600", "\"quoted\"", "line\nbreak", "\u4f60\u597d", "a/b", "tab\tbed",
         "sep\u2028sep", "back\\slash", "<tag>", "\u007f", "zero\u200bwidth"]
KEY, SECRET, TOKEN = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "FwoGZXIvYXdzEXAMPLE=="


def text(r):
    return " ".join(r.choice(WORDS) for _ in range(r.randrange(1, 8)))


def value(r, depth=0):
    kinds = [lambda: text(r), lambda: r.randrange(-9, 10 ** 6), lambda: r.random() < 0.5, lambda: round(r.random(), 4),
             lambda: None]
    if depth < 2:
        kinds += [lambda: [value(r, depth + 1) for _ in range(r.randrange(3))],
                  lambda: {w: value(r, depth + 1) for w in r.sample(WORDS, r.randrange(3))}]
    return r.choice(kinds)()


def tools_of(r):
    made = []
    for i in range(r.randrange(4)):
        function = {"name": f"tool_{i}", "parameters": {"type": "object", "properties": {
            "order_id": {"type": "string", "description": text(r)}}, "required": ["order_id"]}}
        if r.random() < 0.7:
            function["description"] = text(r)
        made.append({"type": "function", "function": function})
    return made


def conversation(r, tools):
    messages = [{"role": "system", "content": text(r)}] if r.random() < 0.7 else []
    messages.append({"role": "user", "content": text(r)})
    for turn in range(r.randrange(4)):
        said = {"role": "assistant", "content": text(r) if r.random() < 0.6 else None}
        if tools and (said["content"] is None or r.random() < 0.5):
            said["tool_calls"] = [{"id": f"call_{turn}_{i}", "type": "function", "function": {
                "name": r.choice(tools)["function"]["name"],
                "arguments": json.dumps({w: value(r) for w in r.sample(WORDS, r.randrange(3))},
                                        ensure_ascii=r.random() < 0.5)}} for i in range(r.randrange(1, 3))]
        if said["content"] is None and "tool_calls" not in said:
            said["content"] = text(r)
        messages.append(said)
        for call in said.get("tool_calls", []):
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(value(r)) or "null"})
        if "tool_calls" not in said:
            messages.append({"role": "user", "content": text(r)})
    return messages


def blocks_of(messages, converse):
    """The turns of Anthropic and Converse, from their documentation."""
    turns = []
    for m in messages:
        if m["role"] == "system":
            continue
        if m["role"] == "tool":
            block = ({"toolResult": {"toolUseId": m["tool_call_id"], "content": [{"text": m["content"]}]}} if converse
                     else {"type": "tool_result", "tool_use_id": m["tool_call_id"], "content": m["content"]})
            if turns and turns[-1][1] == "tool":
                turns[-1][0]["content"].append(block)
            else:
                turns.append(({"role": "user", "content": [block]}, "tool"))
            continue
        blocks = []
        if m["content"]:
            blocks.append({"text": m["content"]} if converse else {"type": "text", "text": m["content"]})
        for call in m.get("tool_calls", []):
            use = {"name": call["function"]["name"], "input": json.loads(call["function"]["arguments"])}
            blocks.append({"toolUse": dict(use, toolUseId=call["id"])} if converse
                          else dict(use, type="tool_use", id=call["id"]))
        turns.append(({"role": m["role"], "content": blocks}, m["role"]))
    return [t for t, _ in turns]


def system_of(messages):
    return "\n\n".join(m["content"] for m in messages if m["role"] == "system")


class Clients:
    def __init__(self, base):
        self.openai = openai.OpenAI(base_url=base + "/v1", api_key="sk-openai-0123456789", max_retries=0)
        self.anthropic = anthropic.Anthropic(base_url=base, api_key="sk-ant-0123456789", max_retries=0)
        session = botocore.session.Session()
        self.bedrock = session.create_client(
            "bedrock-runtime", region_name="eu-west-1", endpoint_url=base, aws_access_key_id=KEY,
            aws_secret_access_key=SECRET, aws_session_token=TOKEN, config=Config(retries={"total_max_attempts": 1}))

    def ask_openai(self, c):
        more = {}
        if c["tools"]:
            more["tools"] = c["tools"]
        if c["stream"]:
            more["stream_options"] = {"include_usage": True}
            found, calls, finish, usage = "", {}, None, None
            for chunk in self.openai.chat.completions.create(
                    model="m", messages=c["messages"], temperature=c["temperature"], max_tokens=c["max_tokens"],
                    stream=True, **more):
                usage = chunk.usage or usage
                for choice in chunk.choices:
                    found += choice.delta.content or ""
                    finish = choice.finish_reason or finish
                    for call in choice.delta.tool_calls or []:
                        one = calls.setdefault(call.index, ["", ""])
                        one[0] += call.function.name or ""
                        one[1] += call.function.arguments or ""
            return found or None, [(n, json.loads(a)) for n, a in calls.values()], finish, usage.completion_tokens
        reply = self.openai.chat.completions.create(model="m", messages=c["messages"], temperature=c["temperature"],
                                                    max_tokens=c["max_tokens"], **more)
        message = reply.choices[0].message
        return (message.content, [(t.function.name, json.loads(t.function.arguments)) for t in message.tool_calls or []],
                reply.choices[0].finish_reason, reply.usage.completion_tokens)

    def ask_anthropic(self, c):
        more = {"temperature": c["temperature"]}
        if system_of(c["messages"]):
            more["system"] = system_of(c["messages"])
        if c["tools"]:
            more["tools"] = [dict({"name": t["function"]["name"], "input_schema": t["function"]["parameters"]},
                                  **({"description": t["function"]["description"]} if "description" in t["function"]
                                     else {})) for t in c["tools"]]
        asked = dict(model="claude-x", max_tokens=c["max_tokens"], messages=blocks_of(c["messages"], False), **{
            k: v for k, v in more.items() if k != "temperature"}, extra_body={"temperature": c["temperature"]})
        if c["stream"]:
            with self.anthropic.messages.stream(**asked) as stream:
                reply = stream.get_final_message()
        else:
            reply = self.anthropic.messages.create(**asked)
        words = [b.text for b in reply.content if b.type == "text"]
        return ("\n\n".join(words) if words else None,
                [(b.name, b.input) for b in reply.content if b.type == "tool_use"],
                {"end_turn": "stop", "tool_use": "tool_calls"}[reply.stop_reason], reply.usage.output_tokens)

    def ask_bedrock(self, c):
        more = {}
        if system_of(c["messages"]):
            more["system"] = [{"text": system_of(c["messages"])}]
        if c["tools"]:
            more["toolConfig"] = {"tools": [{"toolSpec": dict(
                {"name": t["function"]["name"], "inputSchema": {"json": t["function"]["parameters"]}},
                **({"description": t["function"]["description"]} if "description" in t["function"] else {}))}
                for t in c["tools"]]}
        reply = self.bedrock.converse(modelId="us.a.b-v1:0", messages=blocks_of(c["messages"], True),
                                      inferenceConfig={"maxTokens": c["max_tokens"], "temperature": c["temperature"]},
                                      **more)
        content = reply["output"]["message"]["content"]
        words = [b["text"] for b in content if "text" in b]
        return ("\n\n".join(words) if words else None,
                [(b["toolUse"]["name"], b["toolUse"]["input"]) for b in content if "toolUse" in b],
                {"end_turn": "stop", "tool_use": "tool_calls"}[reply["stopReason"]], reply["usage"]["outputTokens"])


def signature(request, base):
    """What botocore signs this very request with."""
    headers = request["headers"]
    again = AWSRequest("POST", base + request["path"], data=request["raw"].encode(),
                       headers={"Content-Type": headers["content-type"]})
    signer = SigV4Auth(Credentials(KEY, SECRET, TOKEN), "bedrock", "eu-west-1")
    again.context["timestamp"] = headers["x-amz-date"]
    again.headers["X-Amz-Date"] = headers["x-amz-date"]
    again.headers["X-Amz-Security-Token"] = TOKEN
    canonical = signer.canonical_request(again)
    return signer.signature(signer.string_to_sign(again, canonical), again)


def ours(reply):
    message = reply["reply"] or {}
    return (message.get("content"), [(t["function"]["name"], json.loads(t["function"]["arguments"]))
                                     for t in message.get("tool_calls", [])], message.get("_finish_reason"),
            message.get("_usage", {}).get("output_tokens"))


def compare(check, provider, c, mine, theirs, base):
    about = f"{provider} {json.dumps(c)[:200]}"
    check.same(f"{about}: method and path", [mine["method"], mine["path"]], [theirs["method"], theirs["path"].replace(
        "/v1/messages?beta=true", "/v1/messages")])
    body = dict(theirs["body"])
    check.same(f"{about}: body", mine["body"], body)
    names = {"openai": ["authorization"], "anthropic": [], "bedrock": ["x-amz-security-token"]}[provider]
    for name in names + ["content-type"]:
        check.same(f"{about}: {name}", mine["headers"].get(name), theirs["headers"].get(name))
    if provider == "anthropic":
        key = theirs["headers"].get("x-api-key") or theirs["headers"]["authorization"].split(" ")[1]
        check.same(f"{about}: key", mine["headers"]["x-api-key"], key)
        check.same(f"{about}: version", mine["headers"]["anthropic-version"], "2023-06-01")
    if provider == "bedrock":
        for who, request in (("ours", mine), ("theirs", theirs)):
            signed = request["headers"]["authorization"]
            check.true(f"{about}: signature of {who}", signed.endswith("Signature=" + signature(request, base)), signed)
        scopes = [request["headers"]["authorization"].split("Signature=")[0].split("/", 2)[2] for request in (mine, theirs)]
        check.same(f"{about}: region, service, signed headers", scopes[0], scopes[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    build = os.path.dirname(os.path.abspath(given.bin))
    program = os.path.join(build, "obj", "tests", "tools", "chat-client")
    subprocess.run(["make", "-s", "-C", build, "obj/tests/tools/chat-client"], check=True)
    os.environ.pop("AWS_BEARER_TOKEN_BEDROCK", None)
    r = random.Random(given.seed)
    check = bench.Checks()
    cases = []
    for _ in range(max(10, given.cases // 10)):
        tools = tools_of(r)
        cases.append({"messages": conversation(r, tools), "tools": tools, "temperature": round(r.random(), 2),
                      "max_tokens": r.randrange(256, 4096), "stream": r.random() < 0.5})
    with bench.Server() as s:
        clients = Clients(s.base)
        env = {"OPENAI_API_KEY": "sk-openai-0123456789", "OPENAI_BASE_URL": s.base + "/v1",
               "ANTHROPIC_API_KEY": "sk-ant-0123456789", "ANTHROPIC_BASE_URL": s.base, "AWS_ACCESS_KEY_ID": KEY,
               "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": TOKEN,
               "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": s.base}
        for provider, spec, ask in (("openai", "openai:m", clients.ask_openai),
                                    ("anthropic", "anthropic:claude-x", clients.ask_anthropic),
                                    ("bedrock", "bedrock:us.a.b-v1:0@eu-west-1", clients.ask_bedrock)):
            before = len(s.requests())
            answers = [ask(c) for c in cases]
            between = len(s.requests())
            replies, _, err = bench.run(program, [dict(c, spec=spec) for c in cases], env=env, timeout=300)
            asked = s.requests()
            theirs, mine = asked[before:between], asked[between:]
            check.same(f"{provider}: as many requests {err}", len(mine), len(theirs))
            for c, a, b, answer, reply in zip(cases, mine, theirs, answers, replies):
                compare(check, provider, c, a, b, s.base)
                check.same(f"{provider}: reply {json.dumps(c)[:200]}", ours(reply), answer)
    return check.close()


if __name__ == "__main__":
    sys.exit(main())
