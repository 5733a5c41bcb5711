"""What the scripts of this folder share: the test server, the test programs, a table of checks."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(HERE, "..", "tools", "server", "wire_server.py")

# No key, proxy or home of the person who runs the tests reaches a program under test.
BARE = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}
BARE.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS") or k == "GCOV_PREFIX"})


class Checks:
    def __init__(self, verbose=False):
        self.passed = self.failed = 0
        self.verbose = verbose

    def same(self, about, got, wanted):
        if got == wanted and type(got) is type(wanted):
            self.passed += 1
            if self.verbose:
                print(f"ok   {about}")
        else:
            self.failed += 1
            print(f"FAIL {about}\n     got    {str(got)[:600]}\n     wanted {str(wanted)[:600]}")

    def true(self, about, got, shown=""):
        self.same(f"{about}{': ' + str(shown)[:300] if not got else ''}", bool(got), True)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


class Server:
    """The test server as a child; .requests() is what it was asked, in order."""

    def __init__(self, routes=None, weather=None, certificate=None):
        self.folder = tempfile.TemporaryDirectory()
        self.log = os.path.join(self.folder.name, "log.jsonl")
        script = os.path.join(self.folder.name, "script.json")
        with open(script, "w") as f:
            json.dump({"routes": routes or []}, f)
        command = [sys.executable, SERVER, "--script", script, "--log", self.log, "--weather", json.dumps(weather or {})]
        if certificate:
            command += ["--certificate", certificate]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        self.base = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"

    def requests(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log) as f:
            return [json.loads(line) for line in f]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run(program, lines, arguments=(), env=None, timeout=60):
    """A test program fed with JSON lines: its JSON lines, status and standard error."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True, timeout=timeout,
                              env=dict(BARE, HOME=home, WHILEAI_HOME=home, **(env or {})), cwd=home)
    out = []
    for line in done.stdout.split("\n"):  # U+2028 ends no line of JSON
        with contextlib.suppress(ValueError):
            out.append(json.loads(line))
    return out, done.returncode, done.stderr


def scripted(path, *replies, **more):
    return dict(path=path, replies=list(replies), **more)
