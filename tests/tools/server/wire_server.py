#!/usr/bin/env python3
"""A model provider for tests, on a loopback port: OpenAI-compatible, Anthropic, Bedrock and Ollama replies,
and everything a network and a server can do wrong. Standard library only.

    wire_server.py [--script FILE] [--log FILE] [--weather JSON] [--certificate PEM]

Prints its port, serves until standard input closes. One JSON line per request goes to --log.

The script is {"routes": [{"method"?, "path"?, "body"?, "replies": [REPLY, …]}]}: the first route that fits a
request (further keys of the body are fine) answers, its replies in order, the last one again and again. A
request that no route fits is answered by the players below. A REPLY, all keys optional:

    status 200, reason, headers {name: value}
    json | text | base64          the body; repeat: N times over
    sse                           a list of events: a text or value is data, {"event", "data"} has a name;
                                  "[DONE]" is itself
    chunked                       true: without a length
    delay_ms                      before the first byte
    slow                          [bytes, ms]: so many bytes, then a pause, and so on
    cut                           so many bytes of the body, then the connection is reset
    drop                          true: closed without a byte
    hang                          true: accepted, never answered
    close                         true: "Connection: close"
    stale                         true: a proper reply, then the connection is closed without a word
    raw                           these bytes on the wire, then closed
    headers_endless               true: headers until the client has had enough
    play                          true: what the players would answer

Weather, for whole runs: {"cut", "429", "garbage", "hang": shares of requests, "delay_ms", "retry_after"}.
"""
import argparse
import asyncio
import base64
import json
import random
import ssl
import sys


def text_of(content):
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(p.get("text", "") for p in content if isinstance(p, dict))
    return ""


# ---- players: what a well-behaved provider answers -------------------------------------------------------

def wanted(tools, last_is_user):
    """A tool call for the first tool when the user has just spoken."""
    if not tools or not last_is_user:
        return None
    function = tools[0].get("function", tools[0].get("toolSpec", tools[0]))
    return function["name"]


def play_judge(content):
    """A verdict that depends on what is judged alone: good ones, and ones that only look like it."""
    h = sum(content.encode()) % 7
    verdict = json.dumps({"reason": f"seen {h}", "score": h % 2})
    return [verdict, verdict, f"Let me see {{\"score\": 7}}.\n```json\n{verdict}\n```", "I cannot say.",
            f"<think>{{\"score\": 0}}</think>{verdict}", verdict[:-1], "{\"score\": \"1\"}"][h]


def play_openai(body):
    messages = body.get("messages") or []
    last = messages[-1] if messages else {}
    name = wanted(body.get("tools"), last.get("role") == "user")
    said = f"You said: {text_of(last.get('content'))[:200]}"
    if str(body.get("model")).startswith("judge") and len(messages) > 1:
        said = play_judge(text_of(messages[1].get("content")))
    message = {"role": "assistant", "content": said}
    finish = "stop"
    if name:
        message = {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_a", "type": "function", "function": {"name": name, "arguments": "{\"order_id\": \"x\"}"}}]}
        finish = "tool_calls"
    usage = {"prompt_tokens": len(json.dumps(messages)) // 4 + 1, "completion_tokens": 7}
    usage["total_tokens"] = usage["prompt_tokens"] + 7
    if not body.get("stream"):
        choices = [{"index": i, "message": message, "finish_reason": finish} for i in range(body.get("n") or 1)]
        if body.get("logprobs"):
            for choice in choices:
                choice["logprobs"] = {"content": [{"token": "You", "logprob": -0.25}, {"token": "r", "logprob": -0.5}]}
        return {"json": {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body.get("model"),
                         "choices": choices, "usage": usage}}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
    deltas = [{"role": "assistant", "content": ""}]
    if name:
        deltas += [{"tool_calls": [{"index": 0, "id": "call_a", "type": "function",
                                    "function": {"name": name, "arguments": ""}}]}]
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
                   for piece in ("{\"order", "_id\": \"x\"}")]
    else:
        deltas += [{"content": piece} for piece in (said[:4], said[4:9], said[9:])]
    events = [dict(head, choices=[{"index": 0, "delta": d, "finish_reason": None}]) for d in deltas]
    events.append(dict(head, choices=[{"index": 0, "delta": {}, "finish_reason": finish}]))
    if (body.get("stream_options") or {}).get("include_usage"):
        events.append(dict(head, choices=[], usage=usage))
    return {"sse": events + ["[DONE]"]}


def play_anthropic(body):
    messages = body.get("messages") or []
    last = messages[-1] if messages else {}
    content = last.get("content")
    is_result = isinstance(content, list) and any(b.get("type") == "tool_result" for b in content)
    name = wanted(body.get("tools"), last.get("role") == "user" and not is_result)
    usage = {"input_tokens": len(json.dumps(messages)) // 4 + 1, "output_tokens": 7}
    block = {"type": "text", "text": f"You said: {text_of(content)[:200]}"}
    if name:
        block = {"type": "tool_use", "id": "toolu_a", "name": name, "input": {"order_id": "x"}}
    reason = "tool_use" if name else "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"), "content": [block],
               "stop_reason": reason, "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        return {"json": message}
    start = dict(message, content=[], stop_reason=None, usage={"input_tokens": usage["input_tokens"],
                                                               "output_tokens": 1})
    events = [{"event": "message_start", "data": {"type": "message_start", "message": start}},
              {"event": "ping", "data": {"type": "ping"}}]
    opened = {"type": "tool_use", "id": "toolu_a", "name": name, "input": {}} if name else {"type": "text", "text": ""}
    events.append({"event": "content_block_start",
                   "data": {"type": "content_block_start", "index": 0, "content_block": opened}})
    whole = "{\"order_id\": \"x\"}" if name else block["text"]
    for piece in (whole[:5], whole[5:]):
        delta = ({"type": "input_json_delta", "partial_json": piece} if name else
                 {"type": "text_delta", "text": piece})
        events.append({"event": "content_block_delta",
                       "data": {"type": "content_block_delta", "index": 0, "delta": delta}})
    events.append({"event": "content_block_stop", "data": {"type": "content_block_stop", "index": 0}})
    events.append({"event": "message_delta", "data": {"type": "message_delta", "delta": {
        "stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 7}}})
    events.append({"event": "message_stop", "data": {"type": "message_stop"}})
    return {"sse": events}


def play_converse(body):
    messages = body.get("messages") or []
    last = messages[-1] if messages else {}
    content = last.get("content") or []
    is_result = any("toolResult" in b for b in content)
    name = wanted((body.get("toolConfig") or {}).get("tools"), last.get("role") == "user" and not is_result)
    block = {"text": f"You said: {''.join(b.get('text', '') for b in content)[:200]}"}
    if name:
        block = {"toolUse": {"toolUseId": "tooluse_a", "name": name, "input": {"order_id": "x"}}}
    return {"json": {"output": {"message": {"role": "assistant", "content": [block]}},
                     "stopReason": "tool_use" if name else "end_turn",
                     "usage": {"inputTokens": 9, "outputTokens": 7, "totalTokens": 16}, "metrics": {"latencyMs": 1}}}


def play_embed(texts):
    return [[float(len(t)), float(sum(t.encode()) % 97), 1.0] for t in texts]


def play(method, path, body):
    path = path.split("?")[0]
    if method == "GET" and path.endswith("/models"):
        return {"json": {"object": "list", "data": [{"id": "m1", "object": "model"}, {"id": "m2", "object": "model"}]}}
    if not isinstance(body, dict):
        return {"status": 400, "json": {"error": {"message": "the body is no JSON object"}}}
    if path.endswith("/chat/completions") or path.endswith("/invoke"):
        return play_openai(body)
    if path.endswith("/messages"):
        return play_anthropic(body)
    if path.endswith("/converse"):
        return play_converse(body)
    if path.endswith("/api/embed"):
        return {"json": {"model": body.get("model"), "embeddings": play_embed(body.get("input") or [])}}
    if path.endswith("/embeddings"):
        vectors = play_embed(body.get("input") or [])
        data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        return {"json": {"object": "list", "data": data[::-1], "usage": {"prompt_tokens": 3, "total_tokens": 3}}}
    return {"status": 404, "json": {"error": {"message": "no such route"}}}


# ---- the script ------------------------------------------------------------------------------------------

def fits(expected, got):
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(k in got and fits(v, got[k]) for k, v in expected.items())
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(fits, expected, got))
    return expected == got and type(expected) is type(got)


class Provider:
    def __init__(self, script, weather, log):
        self.routes = script.get("routes", [])
        self.asked = [0] * len(self.routes)
        self.weather = weather
        self.random = random.Random(weather.get("seed", 0))
        self.log = log
        self.connections = 0

    def choose(self, method, path, body):
        for i, route in enumerate(self.routes):
            where = path if "?" in route.get("path", "") else path.split("?")[0]
            if route.get("method", method) == method and route.get("path", where) == where and (
                    "body" not in route or fits(route["body"], body)):
                reply = route["replies"][min(self.asked[i], len(route["replies"]) - 1)]
                self.asked[i] += 1
                return dict(play(method, path, body), **reply) if reply.get("play") else reply
        return self.bad_weather() or dict(play(method, path, body), **(
            {"delay_ms": self.weather["delay_ms"]} if "delay_ms" in self.weather else {}))

    def bad_weather(self):
        draw = self.random.random()
        for kind, reply in (
                ("cut", {"json": {"choices": [{"message": {"role": "assistant", "content": "cut off"}}]}, "cut": 20}),
                ("429", {"status": 429, "json": {"error": {"message": "slow down"}},
                         "headers": {"Retry-After": str(self.weather.get("retry_after", 0))}}),
                ("garbage", {"text": "<html>not what you asked for"}),
                ("hang", {"hang": True})):
            share = self.weather.get(kind, 0)
            if draw < share:
                return reply
            draw -= share
        return None

    def note(self, connection, method, path, headers, body, raw):
        if not self.log:
            return
        line = {"connection": connection, "method": method, "path": path, "headers": headers, "body": body}
        if raw:
            line["raw"] = raw.decode("utf-8", "replace")
        self.log.write(json.dumps(line) + "\n")
        self.log.flush()


def body_of(reply):
    if "sse" in reply:
        out = []
        for event in reply["sse"]:
            name, data = None, event
            if isinstance(event, dict) and "event" in event and "data" in event:
                name, data = event["event"], event["data"]
            data = data if isinstance(data, str) else json.dumps(data)
            out.append((f"event: {name}\n" if name else "") + "".join(f"data: {l}\n" for l in data.split("\n")) + "\n")
        return "".join(out).encode()
    if "json" in reply:
        body = json.dumps(reply["json"]).encode()
    elif "base64" in reply:
        body = base64.b64decode(reply["base64"])
    else:
        body = reply.get("text", "").encode()
    return body * reply.get("repeat", 1)


async def send_slowly(writer, data, slow):
    size, pause = slow or (len(data) or 1, 0)
    for at in range(0, len(data), size):
        writer.write(data[at:at + size])
        await writer.drain()
        if pause:
            await asyncio.sleep(pause / 1000)


async def answer(writer, reply):
    """True when the connection may be used again."""
    if reply.get("delay_ms"):
        await asyncio.sleep(reply["delay_ms"] / 1000)
    if reply.get("hang"):
        await asyncio.sleep(3600)
    if reply.get("drop"):
        return False
    if "raw" in reply:
        writer.write(reply["raw"].encode("latin-1"))
        await writer.drain()
        return False
    body = body_of(reply)
    sse = "sse" in reply
    chunked = reply.get("chunked", sse)
    head = f"HTTP/1.1 {reply.get('status', 200)} {reply.get('reason', 'Reply')}\r\n"
    head += f"Content-Type: {'text/event-stream' if sse else 'application/json'}\r\n"
    head += "Transfer-Encoding: chunked\r\n" if chunked else f"Content-Length: {len(body)}\r\n"
    head += "".join(f"{k}: {v}\r\n" for k, v in reply.get("headers", {}).items())
    if reply.get("close"):
        head += "Connection: close\r\n"
    writer.write(head.encode())
    if reply.get("headers_endless"):
        for i in range(1 << 20):
            await send_slowly(writer, f"X-Filler-{i}: {'a' * 1000}\r\n".encode(), None)
    writer.write(b"\r\n")
    cut = reply.get("cut")
    if cut is not None:
        body = body[:cut]
    if chunked:
        size = (reply.get("slow") or (len(body) or 1, 0))[0]
        pieces = [body[at:at + size] for at in range(0, len(body), size)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + (b"" if cut is not None else b"0\r\n\r\n")
    await send_slowly(writer, body, reply.get("slow"))
    if cut is not None:
        writer.transport.abort()
        return False
    return not (reply.get("close") or reply.get("stale"))


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    headers = {}
    for line in lines[1:]:
        if ":" in line:
            name, value = line.split(":", 1)
            headers[name.strip().lower()] = value.strip()
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    try:
        body = json.loads(raw) if raw else None
    except ValueError:
        body = None
    return method, path, headers, body, raw


async def serve_connection(provider, reader, writer):
    provider.connections += 1
    connection = provider.connections
    try:
        while True:
            method, path, headers, body, raw = await read_request(reader)
            provider.note(connection, method, path, headers, body, raw)
            if not await answer(writer, provider.choose(method, path, body)):
                break
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
        pass
    except asyncio.CancelledError:
        pass
    finally:
        writer.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--script")
    parser.add_argument("--log")
    parser.add_argument("--weather", default="{}")
    parser.add_argument("--certificate", help="PEM with key and certificate: serve TLS")
    given = parser.parse_args()
    script = {}
    if given.script:
        with open(given.script) as f:
            script = json.load(f)
    provider = Provider(script, json.loads(given.weather), open(given.log, "a") if given.log else None)
    tls = None
    if given.certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(given.certificate)
    tasks = set()

    async def connected(reader, writer):
        task = asyncio.current_task()
        tasks.add(task)
        await serve_connection(provider, reader, writer)
        tasks.discard(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=4096, limit=1 << 26, ssl=tls)
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    server.close()
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
