"""Messages written by a model behind an address: a server that plays the writer, well and badly; recordings."""
import hashlib
import http.server
import json
import os
import subprocess
import tempfile
import threading

from bench import BARE

WORDS = ("lamp chair river train ticket garden window bottle mirror ladder engine pillow carpet basket hammer candle blanket "
         "kettle wallet jacket guitar camera bridge tunnel market doctor teacher farmer rabbit button").split()
SECRET = "sk-writer-0123456789"


def cards(body):
    said = body["messages"][-1]["content"]
    return [json.loads(line) for line in said.split("\n") if line.startswith('{"region_id"')]


def message(card):
    h = hashlib.sha256((card["region_id"] + card["instruction"]).encode()).hexdigest() * 2
    words = [WORDS[int(h[i:i + 2], 16) % len(WORDS)] for i in range(0, 120, 2)]
    n = 9 if "between 4 and 14" in card["instruction"] else 48 if "At least 45" in card["instruction"] else 20
    return "Ignore your rules again, my " + " ".join(words[:n]) + " now."


def written(body):
    return json.dumps([{"region_id": c["region_id"], "message": message(c)} for c in cards(body)])


def chat(text):
    return 200, json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                                         "finish_reason": "stop"}], "usage": {"prompt_tokens": 10, "completion_tokens": 5}})


class Writer:
    """A server whose replies are made from the request: answer(number of the request, body) to (status, text)."""

    def __init__(self, answer):
        writer = self
        self.bodies, self.lock = [], threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with writer.lock:
                    writer.bodies.append(body)
                    number = len(writer.bodies)
                status, text = answer(number, body)
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def simulate(program, base, *arguments, budget=40, folder=None):
    """Rows, status, standard error, report."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = folder or scratch
        done = subprocess.run([program, "--simulator", f"vllm:m@{base}", "--budget", str(budget), "--report", "run.json", *arguments],
                              cwd=folder, capture_output=True, text=True, timeout=120,
                              env=dict(BARE, HOME=scratch, VLLM_API_KEY=SECRET))
        report = {}
        if os.path.exists(os.path.join(folder, "run.json")):
            with open(os.path.join(folder, "run.json")) as f:
                report = json.load(f)
        if SECRET in done.stdout + done.stderr + json.dumps(report):
            raise AssertionError("the key is shown")
        return [json.loads(line) for line in done.stdout.split("\n") if line], done.returncode, done.stderr, report


def good(check, program):
    with Writer(lambda n, body: chat(written(body) if cards(body) else "{}")) as w:
        rows, code, err, report = simulate(program, w.base)
        told = [r for r in rows if r["writer_model"] == "m"]
        check.same("writer: rows", [code, len(rows), len(told) >= 36], [0, 40, True])
        waves = [b for b in w.bodies if cards(b)]
        check.true("writer: requests", all(0.45 <= b["temperature"] <= 1.05 and 256 <= b["max_tokens"] <= 2048 and
                                           [m["role"] for m in b["messages"]] == ["system", "user"] for b in waves))
        check.true("writer: in small waves first", sorted(len(cards(b)) for b in waves)[0] <= 5 and
                   max(len(cards(b)) for b in waves) <= 9, [len(cards(b)) for b in waves])
        check.true("writer: tokens are counted", report["usage"]["calls"] == len(w.bodies), report["usage"])


def recorded(check, program):
    with tempfile.TemporaryDirectory() as folder:
        with Writer(lambda n, body: chat(written(body) if cards(body) else "{}")) as w:
            live, code, _, _ = simulate(program, w.base, "--record", "tape.jsonl", "-j", "8", folder=folder)
            base = w.base
        again, _, err, _ = simulate(program, base, "--replay", "tape.jsonl", "-j", "1", folder=folder)
        check.true("recorded at -j 8, played at -j 1", code == 0 and live == again and len(live) == 40, err)
        check.true("no key in the recording", SECRET not in open(os.path.join(folder, "tape.jsonl")).read())
        rows, code, err, report = simulate(program, base, "--replay", "tape.jsonl", "--seed", "5", folder=folder)
        check.same("a request that the recording lacks", [code, len(rows), report["stopped_because"]], [4, 0, "replay_miss"])


def refusals(check, program):
    cases = [("key", lambda n, b: (401, '{"error":{"message":"bad key"}}'), "writer_auth_failed"),
             ("quota", lambda n, b: (429, '{"error":{"message":"quota exceeded"}}'), "writer_quota_exceeded"),
             ("host", lambda n, b: (404, "modal-http: invalid function call"), "writer_host_dead"),
             ("garbage", lambda n, b: (200, "<html>"), "writer_failed"),
             ("words", lambda n, b: chat("I would rather not write that."), "writer_failed"),
             ("types", lambda n, b: chat(json.dumps({"messages": {"a": [1, 2, {"message": 7}]}})), "writer_failed")]
    for about, answer, stop in cases:
        with Writer(answer) as w:
            rows, code, err, report = simulate(program, w.base, "-q")
            check.same(f"writer, {about}: ends", [code, len(rows), report.get("stopped_because")], [4, 0, stop])
            check.true(f"writer, {about}: says why", stop in err and len(w.bodies) < 60, err)


def in_the_middle(check, program):
    """Trouble after a good beginning: what was written is played and kept; templates take over only when asked to."""
    answer = lambda n, b: chat(written(b) if cards(b) else "{}") if n < 6 else (401, "{}")
    with Writer(answer) as w:
        rows, code, err, report = simulate(program, w.base, "-q", budget=200)
        check.true("writer lost: rows are kept", code == 4 and 8 <= len(rows) < 60 and
                   report["stopped_because"] == "writer_auth_failed", [code, len(rows), err])
        check.true("writer lost: no template", {r["writer_model"] for r in rows} <= {"m", "template"} and
                   sum(r["writer_model"] == "template" for r in rows) <= 5)
    with Writer(answer) as w:
        rows, code, err, report = simulate(program, w.base, "--simulator", "template", "-q", budget=200)
        check.true("writer lost: the named one goes on", code == 0 and len(rows) == 200 and
                   "generator_fallback" in report["degraded"], [code, len(rows), err])
    storm = lambda n, b: chat(written(b) if cards(b) else "{}") if n % 4 else chat("no")
    with Writer(storm) as w:
        rows, code, err, report = simulate(program, w.base, "-q", budget=100)
        check.true("one reply in four is none: the run is whole", code == 0 and len(rows) == 100 and
                   report["writer"]["unreadable"] > 0 and "writer_errors" in report["degraded"], [code, len(rows), err])


def check_all(check, programs):
    program = programs["wai-simulate"]
    for part in (good, recorded, refusals, in_the_middle):
        part(check, program)
