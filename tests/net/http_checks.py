"""The HTTP client against the test server: everything a server or a network can do wrong."""
import os
import socket
import subprocess
import tempfile
import time
from email.utils import formatdate

from bench import Server, run, scripted

NOW = {"headers": {"Retry-After": "0"}}


def ok(text="fine", **more):
    return dict({"text": text}, **more)


ROUTES = [
    scripted("/plain", ok()),
    scripted("/empty", ok("")),
    scripted("/chunked", ok("abc" * 1000, chunked=True, slow=[500, 1])),
    scripted("/slow", ok("z" * 60, slow=[5, 10])),
    scripted("/later", ok(delay_ms=150)),
    scripted("/busy", dict(NOW, status=503), dict(NOW, status=502), ok("third")),
    scripted("/busy/date", {"status": 429, "headers": {"Retry-After": formatdate(0, usegmt=True)}}, ok("after date")),
    scripted("/busy/ms", {"status": 429, "headers": {"Retry-After": "20", "retry-after-ms": "1"}}, ok("after ms")),
    scripted("/busy/long", {"status": 503, "headers": {"Retry-After": "20"}}),
    scripted("/busy/word", {"status": 503, "headers": {"Retry-After": "soon"}}, ok("own wait")),
    scripted("/down", dict(NOW, status=500, text="no")),
    scripted("/teapot", {"status": 418, "text": "short and stout"}),
    scripted("/cut", ok("x" * 50, cut=20), ok("whole")),
    scripted("/cut/always", ok("x" * 50, cut=20)),
    scripted("/cut/chunked", ok("x" * 50, cut=20, chunked=True), ok("whole")),
    scripted("/drop", {"drop": True}, ok("after drop")),
    scripted("/stale", ok("one", stale=True), ok("two", stale=True), ok("three")),
    scripted("/garbage", {"raw": "ssh-2.0 hello\r\n"}),
    scripted("/hang", {"hang": True}),
    scripted("/huge", ok("0123456789", repeat=200000)),
    scripted("/headers", ok(headers_endless=True)),
    scripted("/echo", ok("key sk-secret-0123456789 and Bearer sk-secret-0123456789!")),
    scripted("/echo/500", dict(NOW, status=400, text="bad key sk-secret-0123456789")),
    scripted("/to/same", {"status": 303, "headers": {"Location": "/target"}}),
    scripted("/to/keep", {"status": 307, "headers": {"Location": "/target"}}),
    scripted("/to/circle", {"status": 302, "headers": {"Location": "/to/circle"}}),
    scripted("/to/file", {"status": 302, "headers": {"Location": "file:///etc/passwd"}}),
    scripted("/to/user", {"status": 302, "headers": {"Location": "http://a@127.0.0.1/"}}),
    scripted("/to/nowhere", {"status": 302}),
    scripted("/target", ok("arrived")),
]


def closed_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def single(check, program):
    with Server(ROUTES + [scripted("/to/other", {"status": 303, "headers": {"Location": "@OTHER@"}})]) as s:
        def ask(path, **more):
            out, _, err = run(program, [dict({"url": s.base + path}, **more)])
            check.true(f"{path} answers", len(out) == 1, err)
            return out[0] if out else {}

        def says(path, text, **more):
            r = ask(path, **more)
            check.same(f"{path} body", r.get("body"), text)
            return r

        r = says("/plain", "fine")
        check.same("plain", [r["code"], r["failure"], r["status"], r["attempts"], r["retries"]], [0, "ok", 200, 1, 0])
        says("/empty", "")
        r = says("/chunked", "abc" * 1000)
        check.true("pieces arrive as they come", r["pieces"] > 1 and r["piece_bytes"] == 3000, r)
        says("/slow", "z" * 60)
        r = says("/busy", "third")
        check.same("two retries", [r["attempts"], r["retries"]], [3, 2])
        says("/busy/date", "after date")
        r = says("/busy/ms", "after ms")
        check.true("milliseconds win over seconds", r["ms"] < 5000, r["ms"])
        r = ask("/busy/long", timeout_s=5)
        check.true("no wait beyond the deadline", r["status"] == 503 and r["ms"] < 2000, r)
        r = says("/busy/word", "own wait")
        check.true("own wait of 0.4 s with jitter", 300 <= r["ms"] < 3000, r["ms"])
        r = ask("/down")
        check.same("gives the last reply after three retries", [r["code"], r["status"], r["body"], r["attempts"]],
                   [0, 500, "no", 4])
        check.same("retries -1: none", ask("/down", retries=-1)["attempts"], 1)
        check.same("retry never", ask("/down", retry="never")["attempts"], 1)
        check.same("retry unsent does not repeat a 500", ask("/down", retry="unsent")["attempts"], 1)
        r = ask("/teapot")
        check.same("other statuses are replies", [r["code"], r["status"], r["attempts"]], [0, 418, 1])
        r = says("/cut", "whole")
        check.same("a cut reply is tried again, and its bytes are gone", [r["retries"], r["piece_bytes"]], [1, 5])
        says("/cut/chunked", "whole")
        r = ask("/cut/always", retries=-1)
        check.same("cut", [r["code"], r["failure"], r["body"]], [-4, "dropped", ""])
        check.true("names the host", f"127.0.0.1:{s.port}" in r["error"], r["error"])
        says("/drop", "after drop")
        check.same("garbage", ask("/garbage", retries=-1)["failure"], "dropped")
        r = ask("/hang", timeout_s=0.3)
        check.same("hang", [r["failure"], r["attempts"]], ["timed_out", 1])
        check.true("names the mend", "--timeout" in r["error"], r["error"])
        r = ask("/huge", response_max=1000000)
        check.same("huge", [r["failure"], r["body"]], ["too_large", ""])
        check.same("huge, allowed", len(ask("/huge")["body"]), 2000000)
        check.same("headers without end", ask("/headers")["failure"], "too_large")
        r = ask("/hang", cancel_ms=100)
        check.same("cancelled", [r["failure"], r["code"]], ["cancelled", -4])
        r = ask("/plain", cancel_ms=0)
        check.true("cancelled early or done", r["failure"] in ("cancelled", "ok"), r)

        r = says("/echo", "key *** and Bearer ***!", secrets={"Authorization": "Bearer sk-secret-0123456789"})
        says("/echo/500", "bad key ***", secrets={"x-api-key": "sk-secret-0123456789"})
        r = ask("/plain", secrets={"x-api-key": "one\r\nX-Evil: two"})
        check.same("no line break in a header", [r["failure"], r["code"]], ["refused", -2])
        check.true("and the key is not shown", "one" not in r["error"].replace("line", ""), r["error"])
        for url in ("ftp://127.0.0.1/", "http://u:hunter2@127.0.0.1/", "http://127.0.0.1:0/", "http:///x", "//x", "",
                    "http://a\\b/", "http://127.0.0.1/a b", "http://[::1/", "http://1%2e2/", "http://x:99999/"):
            out, _, _ = run(program, [{"url": url}])
            check.same(f"address {url}", out[0]["failure"], "refused")
            check.true(f"address {url} not shown", "hunter2" not in out[0]["error"])

        before = len(s.requests())
        r = ask("/to/same", body="b", secrets={"x-api-key": "0123456789"})
        check.same("redirects are replies unless asked for", [r["status"], len(s.requests()) - before], [303, 1])
        says("/to/same", "arrived", body="b", redirect="origin", secrets={"x-api-key": "0123456789"})
        last = s.requests()[-1]
        check.same("303 becomes GET, key within the origin",
                   [last["method"], last["body"], last["headers"].get("x-api-key")], ["GET", None, "0123456789"])
        says("/to/keep", "arrived", body="\"b\"", redirect="origin")
        check.same("307 keeps method and body", [s.requests()[-1]["method"], s.requests()[-1]["body"]], ["POST", "b"])
        says("/to/keep", "arrived", body="\"b\"", redirect="get")
        check.same("by GET when so asked", s.requests()[-1]["method"], "GET")
        r = ask("/to/circle", redirect="get")
        check.same("circle", [r["failure"], r["code"]], ["refused", -2])
        check.same("file", ask("/to/file", redirect="get")["failure"], "refused")
        check.same("user", ask("/to/user", redirect="get")["failure"], "refused")
        check.same("no location", ask("/to/nowhere", redirect="get")["status"], 302)


def elsewhere(check, program):
    """A key does not follow a redirect to another origin."""
    with Server([scripted("/there", ok("there"))]) as other, \
            Server([scripted("/to", {"status": 302, "headers": {"Location": other.base + "/there"}})]) as s:
        secrets = {"Authorization": "Bearer 0123456789"}
        out, _, _ = run(program, [{"url": s.base + "/to", "redirect": "get", "secrets": secrets},
                                  {"url": s.base + "/to", "redirect": "origin", "secrets": secrets}])
        check.same("followed without the key", out[0]["body"], "there")
        check.same("not followed within the origin", out[1]["failure"], "refused")
        check.same("key stays", [r["headers"].get("authorization") for r in other.requests()], [None])


def connections(check, program):
    with Server(ROUTES) as s:
        lines = [{"url": s.base + "/plain"}] + [{"url": s.base + "/plain", "wait": True}] * 9
        out, _, _ = run(program, lines)
        check.same("ten calls one after the other", [r["body"] for r in out], ["fine"] * 10)
        check.same("on one connection", len({r["connection"] for r in s.requests()}), 1)
    with Server(ROUTES) as s:
        lines = [{"url": s.base + "/stale"}] + [{"url": s.base + "/stale", "wait": True, "body": "b"}] * 2
        out, _, _ = run(program, lines)
        check.same("closed connections cost no retry", [[r["body"], r["retries"]] for r in out],
                   [["one", 0], ["two", 0], ["three", 0]])
    with Server(ROUTES) as s:
        began = time.monotonic()
        out, _, _ = run(program, [{"url": s.base + "/later", "count": 8}], ["--per-host", "2"])
        check.true("two at a time", len(out) == 8 and time.monotonic() - began >= 0.55)
        check.true("two connections", len({r["connection"] for r in s.requests()}) <= 2)
    with Server(ROUTES) as s:
        out, _, _ = run(program, [{"url": s.base + "/plain"}], env={"http_proxy": "http://127.0.0.1:1"})
        check.same("this machine is asked without a proxy", out[0]["status"], 200)
    port = closed_port()
    out, _, _ = run(program, [{"url": f"http://127.0.0.1:{port}/", "retries": 1},
                              {"url": f"http://127.0.0.1:{port}/", "retries": 1, "retry": "unsent"},
                              {"url": "http://nowhere.invalid/", "retries": -1}])
    check.same("refused connection is tried again", [out[0]["failure"], out[0]["attempts"]], ["unreachable", 2])
    check.same("also for a request that may not be repeated", out[1]["attempts"], 2)
    check.same("no such host", out[2]["failure"], "unreachable")


def trust(check, program):
    with tempfile.TemporaryDirectory() as folder:
        pem = os.path.join(folder, "both.pem")
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                               "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", pem, "-out",
                               pem + ".crt"], capture_output=True)
        if made.returncode != 0:
            print("skipped trust: no openssl command")
            return
        with open(pem, "a") as f, open(pem + ".crt") as crt:
            f.write(crt.read())
        with Server(ROUTES, certificate=pem) as s:
            out, _, _ = run(program, [{"url": s.base + "/plain"}])
            check.same("an unknown certificate is refused at once", [out[0]["failure"], out[0]["attempts"]],
                       ["untrusted", 1])
            check.true("and the mend named", "SSL_CERT_FILE" in out[0]["error"], out[0]["error"])
            out, _, _ = run(program, [{"url": s.base + "/plain"}], env={"SSL_CERT_FILE": pem + ".crt"})
            check.same("SSL_CERT_FILE", out[0]["body"], "fine")


def storm(check, program):
    """Many at once, in bad weather: every call ends, and ends as something."""
    weather = {"cut": 0.05, "429": 0.1, "garbage": 0.02, "hang": 0.01, "delay_ms": 5, "seed": 3}
    with Server(weather=weather) as s:
        body = "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
        out, status, _ = run(program, [{"url": s.base + "/v1/chat/completions", "body": body, "timeout_s": 4,
                                        "count": 1000}], ["--quiet", "--per-host", "100"], timeout=120)
        check.same("no call is lost", [sum(out[0]["status"].values()), status], [1000, 0])
        check.true("almost all are answered", out[0]["ok"] > 950, out[0])


def interrupted(check, program):
    with Server(ROUTES) as s:
        child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdin.write(f"{{\"url\":\"{s.base}/hang\",\"count\":5}}\n".encode())
        child.stdin.close()
        while len(s.requests()) < 5:
            time.sleep(0.02)
        child.terminate()
        out = child.stdout.read().decode().splitlines()
        child.stdout.close()
        check.same("a signal ends what is in flight", [len(out), child.wait(10)], [5, 143])
        check.true("as interrupted", all('"code":-130' in line for line in out), out)


def check_all(check, programs):
    program = programs["http-client"]
    for part in (single, elsewhere, connections, trust, storm, interrupted):
        part(check, program)
