#!/usr/bin/env python3
"""Talks of a model and the simulated person, held against the reference package: the same random replies from a
loopback server, the same requests to the agent's model, the same row.

    loop.py --bin DIR [--cases N] [--seed N] [-v]

Each case is a run of one prompt on both sides, each with a server of its own that gives out the case's replies in
order. Compared: steps, last words, how it ended, the opener, and every request that the agent's turns made. The
person's requests are worded differently; how many there were is compared. Last line: `N passed, N failed`.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOLS = [
    {"type": "function", "function": {"name": "get_order", "description": "Look up an order by id.", "parameters": {
        "type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}}},
    {"type": "function", "function": {"name": "update_order", "description": "Change an order.", "parameters": {
        "type": "object", "properties": {"order_id": {"type": "string"}, "status": {"type": "string"}},
        "required": ["order_id"]}}},
    {"type": "function", "function": {"name": "ask_customer", "description": "Ask the customer.", "parameters": {
        "type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}}, "kind": "human"},
]
WORLD = {"people": ["ada nkemelu", "per olsson", "mei fujita"], "adjectives": ["blue", "spare", "rush"],
         "topics": ["parcel", "lease", "permit"]}
PROMPTS = ["Where is order A-{n} today please", "cancel {n} right away!!", "Change my order {n} to the other one",
           "I need to know what happened to parcel B-{n}\n<USER_TURN>\nand what about C-{n} then",
           "Order {n} came broken.\n<USER_TURN>\nIt was the blue one.\n<USER_TURN>\nCan I get my money back?"]
WORDS = ["It is on its way.", "It arrives on Monday at your door.", "Which order is it?", "Do you want me to proceed with it?",
         "I can't do that, it is against the policy.", "Sure, let me check.", "Let me look into this for you right now.", "",
         "   ", "<think>hm</think>It is open.", "<think>never closed", "Done, I moved it. Anything else on the order?",
         "It is 12 Mill Lane, the flat at the back", "And what about B-12, is that one open too", "[leaves]", "thanks", "ok",
         "yes go ahead", "The green one, quick", "I am not sure, maybe the second of March", "Order A-7 then.",
         "Here is what I found about the order so far. It was placed and then it was", "Could you tell me the exact date?",
         "What is the name on it?", "no it has to be the large one and not the small one"]
CALLS = [("get_order", "{\"order_id\": \"A-7\"}"), ("get_order", "{\"order_id\": \"x\"}"), ("update_order", "{bad"),
         ("update_order", "{\"order_id\": \"4412\", \"status\": \"open\"}"), ("nope", "{}"), ("get_order", "{}"),
         ("ask_customer", "{\"question\": \"Which one?\"}")]
PATIENCE = {"normal": None, "short": None, "endless": None}


def a_reply(draw):
    kind = draw.random()
    message = {"role": "assistant", "content": draw.choice(WORDS)}
    finish = "stop"
    if kind < 0.25:
        message["content"] = draw.choice([None, None, "", draw.choice(WORDS)])
        message["tool_calls"] = [{"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
                                 for i, (name, arguments) in enumerate(draw.choices(CALLS, k=draw.choice([1, 1, 2, 3])))]
        finish = "tool_calls"
    elif kind < 0.35:
        name, arguments = draw.choice([c for c in CALLS if c[1] != "{bad"])
        message["content"] = draw.choice(["", "One moment. ", "<think>a</think>"]) + \
            f"<tool_call>{{\"name\": \"{name}\", \"arguments\": {arguments}}}</tool_call>"
    elif kind < 0.42:
        finish = "length"
    reply = {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    if draw.random() < 0.8:
        reply["usage"] = {"prompt_tokens": draw.randint(1, 99), "completion_tokens": draw.randint(1, 99)}
    return reply


class Replies(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            reply = server.replies[min(len(server.asked), len(server.replies) - 1)]
            server.asked.append(body)
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Side:
    """A server with a case's replies; .agents() and .persons are what it was asked."""

    def __init__(self, replies):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Replies)
        self.server.replies, self.server.asked, self.server.lock = replies, [], threading.Lock()
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def agents(self):
        return [b for b in self.server.asked if "tools" in b]

    def kinds(self):
        return ["agent" if "tools" in b else b["temperature"] for b in self.server.asked]


def cleaned(value):
    """Without the texts that are ours to word, and without our own facts of a turn."""
    if isinstance(value, dict):
        return {k: cleaned(v) for k, v in value.items()
                if k not in ("hint", "error", "prompt_truncated", "arguments_raw", "trimmed_chars", "finish_reason")}
    return [cleaned(v) for v in value] if isinstance(value, list) else value


def seen(row):
    if row is None:
        return None
    return {"steps": cleaned(row["steps"]), **{k: row.get(k) or None for k in ("final_text", "ended_by", "opener", "opening",
                                                                               "usage", "tools_used")}}


def plain(body):
    """A request without what is known to differ: texts of a human tool's stand-in, empty contents."""
    return {k: v for k, v in body.items() if k in ("messages", "temperature", "max_tokens", "model")}


def package_run(whileai, case, base):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = whileai.simulate(f"vllm:m1@{base}", tools=TOOLS, system_prompt="Help with orders.",
                                    tasks=[{"prompt": case["prompt"], "scenario_id": "s"}], repeats=1, seed=0,
                                    avg_turns=case["avg"], max_turns=case["cap"], patience=case["patience"], concurrency=1,
                                    simulator=False, timeout=20, advanced={"world": WORLD})
        except Exception as error:  # noqa: BLE001  (a lost rollout may end the package's run)
            return None, str(error)
    return (data.rows[0] if data.rows else None), ""


def our_run(binary, case, base, folder):
    task = os.path.join(folder, "task.jsonl")
    with open(task, "w") as f:
        json.dump({"prompt": case["prompt"], "scenario_id": "s"}, f)
    done = subprocess.run([binary, "--agent", f"vllm:m1@{base}", "--tools", json.dumps(TOOLS), "--system-prompt",
                           "Help with orders.", "--tasks", task, "--repeats", "1", "--avg-turns",
                           str(case["avg"]), "--max-turns", str(case["cap"]), "--patience", case["patience"], "--world",
                           json.dumps(WORLD), "-j", "1", "-q"], capture_output=True, text=True, timeout=60)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return (rows[0] if rows else None), done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=int(os.environ.get("INTEROP_CASES", 200)))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(WHILEAI_HOME=folder, VLLM_API_KEY="none")
        sys.stderr.flush()
        quiet = os.dup(2)
        if not given.v:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        import whileai
        passed = failed = 0
        for n in range(max(20, given.cases // 4)):  # a talk is two servers and two runs
            draw = random.Random(given.seed * 100000 + n)
            case = {"prompt": draw.choice(PROMPTS).format(n=draw.randint(1, 9999)), "avg": draw.choice([1, 2, 3, 4, 6, 8, 12]),
                    "cap": draw.choice([1, 2, 3, 4, 6, 8, 12, 20]), "patience": draw.choice(list(PATIENCE))}
            replies = [a_reply(draw) for _ in range(60)]
            theirs, ours = Side(replies), Side(replies)
            want, why = package_run(whileai, case, theirs.base)
            got, said = our_run(os.path.join(given.bin, "wai-simulate"), case, ours.base, folder)
            theirs.close()
            ours.close()
            same = seen(want) == seen(got) and theirs.kinds() == ours.kinds() and \
                [plain(b) for b in theirs.agents()] == [plain(b) for b in ours.agents()]
            passed, failed = passed + same, failed + (not same)
            if not same and failed <= 10:
                print(f"case {n}: {json.dumps(case)}\n  wanted {json.dumps(seen(want))[:1500]} {why[:200]}\n"
                      f"  got    {json.dumps(seen(got))[:1500]} {said[:200]}\n  asked {theirs.kinds()}\n  and   {ours.kinds()}\n"
                      f"  replies {[r['choices'][0]['message']['content'] for r in replies[:12]]}")
        os.dup2(quiet, 2)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
