"""wai-export push and pull against the stand-in of the Hugging Face Hub: what arrives, what is not sent twice, what
goes on after a cut, what is refused, and where the token never goes."""
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from bench import BARE, HERE

sys.path.insert(0, os.path.join(HERE, "..", "tools", "server"))

from hub_server import READ, WRITE, Hub  # noqa: E402


def rows(n, seed=0):
    rng = random.Random(seed)
    return "".join(json.dumps({"prompt": f"p{i}", "reward": rng.random(), "text": "caf\u00e9 \u4f60" * rng.randint(0, 9)}) + "\n"
                   for i in range(n)).encode()


class Desk:
    """A scratch folder, the binary, a Hub."""

    def __init__(self, hub, program):
        self.hub, self.program = hub, program
        self.folder = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as f:
            f.write(data)

    def env(self, token=WRITE, **more):
        env = dict(BARE, HOME=self.folder.name, HF_ENDPOINT=self.hub.base, HF_TOKEN=token or "")
        env.update(more)
        return env

    def run(self, *arguments, token=WRITE, data=b"", **more):
        done = subprocess.run([self.program, *arguments], input=data, capture_output=True, cwd=self.folder.name, timeout=120,
                              env=self.env(token, **more))
        if token and token.encode() in done.stdout + done.stderr:
            self.hub.faults.append("the token is shown")
        return done.returncode, done.stdout, done.stderr.decode()


def push_checks(check, program):
    with Hub() as hub:
        desk = Desk(hub, program)
        desk.write("sft.jsonl", rows(5))
        code, out, err = desk.run("push", "sft.jsonl", "me/rows", "--json", "-q")
        report = json.loads(out or b"{}")
        check.same("push: a small file", [code, report.get("files"), report.get("private"), report.get("repo_type"), err],
                   [0, ["sft.jsonl"], True, "dataset", ""])
        check.same("push: its bytes", hub.repositories["datasets/me/rows"].files["sft.jsonl"], (rows(5), False))
        check.same("push: the commit", report.get("commit"), hub.repositories["datasets/me/rows"].commits[-1])
        check.same("push: private", hub.repositories["datasets/me/rows"].private, True)
        code, out, _ = desk.run("push", "sft.jsonl", "me/rows", "--json")
        check.same("push again: nothing to send, no change", [code, json.loads(out)["uploaded"], json.loads(out)["unchanged"],
                   len(hub.repositories["datasets/me/rows"].commits)], [0, 0, 1, 2])
        code, out, _ = desk.run("push", "-", "me/piped", "--json", data=rows(3) + b"\n" + rows(1)[:-1])
        check.same("push -: rows as train.jsonl", [code, hub.repositories["datasets/me/piped"].files["train.jsonl"][0]],
                   [0, rows(3) + rows(1)])
        code, _, err = desk.run("push", "-", "me/piped", data=b'{"a":1}\n{"a":\n')
        check.same("push -: a bad line", [code, "2:" in err], [3, True])
        code, _, err = desk.run("push", "-", "me/piped")
        check.same("push -: no row", [code, "no row" in err], [3, True])
        desk.write("big/data/a.jsonl", rows(40))
        desk.write("big/data/b.jsonl", rows(400, 1))
        desk.write("big/blob.bin", b"\0\1\2")
        desk.write("big/empty.txt", b"")
        desk.write("big/x.tmp", b"junk")
        desk.write("big/.git/config", b"no")
        desk.write("big/.cache/huggingface/x", b"no")
        desk.write("big/sub dir/n\u00e4me #1.txt", b"hi")
        desk.write("big/README.md", b"---\nlicense: mit\n---\n# rows\n")
        code, out, err = desk.run("push", "big/", "me/big", "--json", "--public")
        report = json.loads(out or b"{}")
        files = hub.repositories["datasets/me/big"].files
        check.same("push a folder", [code, report["files"]], [0, ["README.md", "blob.bin", "data/a.jsonl", "data/b.jsonl", "empty.txt",
                                                                "sub dir/n\u00e4me #1.txt", "x.tmp"]])
        check.same("push a folder: what the Hub ignores", [report["ignored"], "x.tmp" in files], [["x.tmp"], False])
        check.same("push a folder: large ones whole and in parts", [files["data/a.jsonl"], files["data/b.jsonl"], files["blob.bin"]],
                   [(rows(40), True), (rows(400, 1), True), (b"\0\1\2", True)])
        check.same("push a folder: public", [report["private"], hub.repositories["datasets/me/big"].private], [False, False])
        check.true("push a folder: in parts, and put together", hub.asked("^/complete/") and len(hub.asked("^/part/")) > 5)
        desk.write("big/data/c.jsonl", rows(30, 2))
        before = len(hub.asked("^/(whole|part)/"))
        code, out, _ = desk.run("push", "big", "me/big", "--json", "--public")
        check.same("push a folder again: the new file alone", [code, json.loads(out)["uploaded"], len(hub.asked("^/(whole|part)/")) - before],
                   [0, 1, 1])
        desk.write("adapter/adapter_config.json", b"{}")
        code, out, _ = desk.run("push", "adapter", "me/adapter", "--json")
        check.same("push a model", [code, json.loads(out)["repo_type"], "models/me/adapter" in hub.repositories], [0, "model", True])
        desk.write("many/d/x", b"1")
        for i in range(300):
            desk.write(f"many/f{i:03}", b"%d" % i)
        code, out, _ = desk.run("push", "many", "me/many", "--json")
        check.same("push 301 files in two questions", [code, len(hub.repositories["datasets/me/many"].files), len(hub.asked("many/preupload"))],
                   [0, 301, 2])
        check.same("no token at the storage, none shown", hub.faults, [])
    refusals(check, program)


def refusals(check, program):
    with Hub() as hub:
        desk = Desk(hub, program)
        desk.write("r.jsonl", rows(2))
        desk.write("d/README.md", b"---\nBROKEN\n---\n")
        desk.write("d/r.jsonl", rows(2))
        code, _, err = desk.run("push", "r.jsonl", "me/r", token="")
        check.same("no token", [code, "HF_TOKEN" in err, hub.log], [4, True, []])
        code, _, err = desk.run("push", "r.jsonl", "me/r", token="hf_wrong_0123456789")
        check.same("a wrong token", [code, "401" in err and "HF_TOKEN" in err], [4, True])
        code, _, err = desk.run("push", "r.jsonl", "me/r", token=READ)
        check.same("a token that may not write", [code, "403" in err], [4, True])
        desk.write(".cache/huggingface/token", WRITE.encode() + b"\n")
        check.same("the token of a login", desk.run("push", "r.jsonl", "me/login", token="")[0], 0)
        desk.write("home/token", WRITE.encode())
        check.same("HF_HOME", desk.run("push", "r.jsonl", "me/login2", token="", HF_HOME=desk.path("home"), HOME="/nowhere")[0], 0)
        code, _, err = desk.run("push", "d", "me/d")
        check.same("a head that is no YAML", [code, "README.md" in err and "no YAML" in err, hub.repositories["datasets/me/d"].files], [3, True, {}])
        for name in ("rows", "me/", "/rows", "me/a/b", "me/..", "me/a--b", "-me/a", "me/" + "x" * 97, "me/a b", "../x"):
            check.same(f"no name: {name[:20]}", desk.run("push", "--dry-run", "--", "r.jsonl", name)[0], 2)
        check.same("no such file", desk.run("push", "none.jsonl", "me/r")[0], 3)
        check.same("no operands", desk.run("push", "r.jsonl")[0], 2)
        n = len(hub.log)
        code, out, _ = desk.run("push", "d", "me/dry", "--dry-run", "--json", token="")
        check.same("--dry-run asks nobody", [code, json.loads(out)["files"], json.loads(out)["bytes"], len(hub.log) - n],
                   [0, ["README.md", "r.jsonl"], len(rows(2)) + 15, 0])
        check.same("public", desk.run("push", "r.jsonl", "me/pub", "--public")[0], 0)
        code, _, err = desk.run("push", "d/r.jsonl", "me/pub")
        check.same("a public repository takes nothing by mistake", [code, "--public" in err], [2, True])
        code, _, err = desk.run("push", "r.jsonl", "me/r", HF_ENDPOINT="http://192.0.2.1:9")
        check.same("no token over plain http", [code, "https" in err], [4, True])
        check.same("an endpoint that is none", desk.run("push", "r.jsonl", "me/r", HF_ENDPOINT="nonsense")[0], 2)
        check.same("no token shown or sent on", hub.faults, [])


def trouble(check, program):
    places = [("create", "POST", "^/api/repos/create"), ("preupload", "POST", "/preupload/"), ("batch", "POST", "/objects/batch"),
              ("whole", "PUT", "^/whole/"), ("part", "PUT", "^/part/"), ("complete", "POST", "^/complete/"), ("verify", "POST", "/verify$"),
              ("commit", "POST", "/commit/"), ("validate", "POST", "/validate-yaml")]
    for about, method, pattern in places:
        for what in (503, "cut", 429) + (("acted",) if about == "commit" else ()):
            with Hub() as hub:
                desk = Desk(hub, program)
                desk.write("d/README.md", b"# x\n")
                desk.write("d/a.jsonl", rows(40))
                desk.write("d/b.jsonl", rows(400))
                hub.trouble = [(method, pattern, what, 1)]
                code, _, err = desk.run("push", "d", "me/d")
                repository = hub.repositories.get("datasets/me/d")
                got = repository and {path: data for path, (data, _) in repository.files.items()}
                check.same(f"{what} at {about}: it arrives all the same", [code, got == {"README.md": b"# x\n", "a.jsonl": rows(40), "b.jsonl": rows(400)}], [0, True])
                check.same(f"{what} at {about}: one change", repository and len(repository.commits), 2)
    with Hub() as hub:
        desk = Desk(hub, program)
        desk.write("a.jsonl", rows(2))
        hub.words[409] = "There is another conflicting operation in progress"
        hub.trouble = [("POST", "^/api/repos/create", 409, 1)]
        check.same("409 of another operation", [desk.run("push", "a.jsonl", "me/a")[0], len(hub.asked("^/api/repos/create"))], [0, 2])
        hub.trouble = [("POST", "/commit/", 400, 9)]
        desk.write("a.jsonl", rows(3))
        code, _, err = desk.run("push", "a.jsonl", "me/a")
        check.same("a change that is refused is not repeated", [code, len(hub.asked("/commit/"))], [4, 2])
        hub.trouble = [("POST", "/preupload/", 413, 9)]
        code, _, err = desk.run("push", "a.jsonl", "me/a")
        check.same("413", [code, "too large" in err], [4, True])
    interrupted(check, program)


def interrupted(check, program):
    """Killed between two large files: the first is not sent again."""
    with Hub() as hub:
        desk = Desk(hub, program)
        desk.write("d/a.jsonl", rows(40))
        desk.write("d/b.jsonl", rows(45, 1))
        name = hashlib.sha256(rows(45, 1)).hexdigest()
        hub.trouble = [("PUT", "^/whole/" + name, 503, 100)]
        process = subprocess.Popen([program, "push", "d", "me/d"], cwd=desk.folder.name, env=desk.env(), stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not hub.asked("^/whole/" + name) and time.monotonic() < end:
            time.sleep(.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        hub.trouble = []
        check.same("killed: nothing half done is to be seen", hub.repositories["datasets/me/d"].files, {})
        n = len(hub.asked("^/whole/" + hashlib.sha256(rows(40)).hexdigest()))
        code, _, _ = desk.run("push", "d", "me/d")
        check.same("killed, and once more: all there, the first file sent once",
                   [code, sorted(hub.repositories["datasets/me/d"].files), len(hub.asked("^/whole/" + hashlib.sha256(rows(40)).hexdigest())) - n],
                   [0, ["a.jsonl", "b.jsonl"], 0])


def pull_checks(check, program):
    large = b"\0" + rows(60000, 7)  # more than one piece of 16 MiB would need more rows; see below
    with Hub() as hub:
        desk = Desk(hub, program)
        content = {"train.jsonl": rows(40), "data/test.jsonl": rows(4, 1), "README.md": b"# x\n", "empty": b"", "a b/\u00e4.txt": b"hi"}
        for path, data in content.items():
            desk.write("up/" + path, data)
        check.same("pull: what is pulled was pushed", desk.run("push", "up", "me/r")[0], 0)
        code, out, err = desk.run("pull", "me/r")
        check.same("pull: the rows of all JSONL files, by path", [code, out], [0, rows(4, 1) + rows(40)])
        code, out, _ = desk.run("pull", "hf:me/r@main", "--include", "data/*", "-o", "t.jsonl", "--json")
        report = json.loads(out)
        check.same("pull -o, --include", [code, open(desk.path("t.jsonl"), "rb").read(), report["files"], report["rows"], report["commit"]],
                   [0, rows(4, 1), ["data/test.jsonl"], 4, hub.repositories["datasets/me/r"].commits[-1]])
        code, out, _ = desk.run("pull", "me/r", "--out", "down", "--json")
        got = {path: open(desk.path("down/" + path), "rb").read() for path in content}
        check.same("pull --out: every file", [code, got == content, json.loads(out)["fetched"]], [0, True, 5])
        n = len(hub.asked("/resolve/"))
        code, out, _ = desk.run("pull", "me/r", "--out", "down", "--json")
        check.same("pull again: nothing to fetch", [code, json.loads(out)["unchanged"], len(hub.asked("/resolve/")) - n], [0, 5, 0])
        code, out, _ = desk.run("pull", "me/r", "--dry-run", "--json")
        check.same("pull --dry-run", [code, json.loads(out)["files"], json.loads(out)["fetched"]], [0, ["data/test.jsonl", "train.jsonl"], 0])
        check.same("pull: no such repository", desk.run("pull", "me/none")[0], 4)
        check.same("pull: no such revision", desk.run("pull", "me/r@v9")[0], 4)
        check.same("pull: a private one without a token", desk.run("pull", "me/r", token="")[0], 4)
        check.same("pull: no file like that", desk.run("pull", "me/r", "--include", "*.csv")[0], 3)
        os.remove(desk.path("down/train.jsonl"))
        with open(desk.path("down/train.jsonl.part"), "wb") as f:
            f.write(rows(40)[:1000])
        code, _, err = desk.run("pull", "me/r", "--out", "down")
        check.same("pull goes on from a part", [code, open(desk.path("down/train.jsonl"), "rb").read() == rows(40), hub.ranges[-1][0], os.path.exists(desk.path("down/train.jsonl.part"))],
                   [0, True, 1000, False])
        os.remove(desk.path("down/train.jsonl"))
        with open(desk.path("down/train.jsonl.part"), "wb") as f:
            f.write(b"x" * 1000)
        code, _, err = desk.run("pull", "me/r", "--out", "down")
        check.same("pull: a part of something else is begun anew", [code, open(desk.path("down/train.jsonl"), "rb").read() == rows(40)], [0, True])
        hub.spoil = lambda data: data[::-1]
        code, out, err = desk.run("pull", "me/r", "--out", "down2", "--include", "README.md")
        check.same("pull: bytes that are not what the Hub says", [code, "digest" in err, os.path.exists(desk.path("down2/README.md"))], [4, True, False])
        hub.spoil = lambda data: data[:-1]
        check.same("pull: too few bytes", desk.run("pull", "me/r", "--out", "down2", "--include", "README.md")[0], 4)
        hub.spoil = lambda data: data
        for path in ("../evil", "/etc/evil", "a/../../evil", "a//b", "a\\b", "a/", "", "a\nb", "."):
            hub.more_entries = [{"type": "file", "path": path, "size": 1, "oid": "2" * 40}]
            check.same(f"pull: no place for {path!r}", desk.run("pull", "me/r", "--out", "down3")[0], 4)
        hub.more_entries = [{"type": "file", "path": "x.jsonl", "size": 1}, 7, None, {"type": "file"}]
        check.same("pull: an entry without its digest", desk.run("pull", "me/r", "--out", "down3")[0], 4)
        hub.more_entries = []
        for what in (503, "cut"):
            hub.trouble = [("GET", "/resolve/", what, 1), ("GET", "/tree/", what, 1), ("GET", "^/get/", what, 1)]
            check.same(f"pull: {what}, and again", desk.run("pull", "me/r")[1], rows(4, 1) + rows(40))
        check.same("pull: no token at the storage", hub.faults, [])
        big = large * 6
        hub.objects[hashlib.sha256(big).hexdigest()] = big
        hub.repositories["datasets/me/r"].files["big.bin"] = (big, True)
        hub.ranges.clear()
        code, _, _ = desk.run("pull", "me/r", "--out", "down4", "--include", "big.bin")
        check.same("pull in pieces", [code, open(desk.path("down4/big.bin"), "rb").read() == big, len(hub.ranges)], [0, True, -(-len(big) // (16 << 20))])


def push_to_checks(check, program):
    with Hub() as hub:
        desk = Desk(hub, program)
        desk.write("s.jsonl", b'{"prompt":"p","messages":[{"role":"user","content":"p"},{"role":"assistant","content":"a"}],"reward":1}\n')
        code, out, err = desk.run("-o", "sft.jsonl", "--push-to", "me/sft", "--json", "s.jsonl")
        report = json.loads(out or b"{}")
        check.same("--push-to: the file and its card", [code, report.get("hub", {}).get("files"), sorted(hub.repositories["datasets/me/sft"].files)],
                   [0, ["sft.jsonl", "sft.jsonl.card.md"], ["sft.jsonl", "sft.jsonl.card.md"]])
        check.same("--push-to without a file", desk.run("--push-to", "me/sft", "s.jsonl")[0], 2)
        check.same("--push-to no name", desk.run("-o", "x.jsonl", "--push-to", "sft", "s.jsonl")[0], 2)
        hub.trouble = [("POST", "/preupload/", 400, 9)]
        code, out, _ = desk.run("-o", "sft2.jsonl", "--push-to", "me/sft2", "--json", "s.jsonl")
        check.same("--push-to fails: the file and its report are there", [code, "hub" in json.loads(out), os.path.exists(desk.path("sft2.jsonl"))],
                   [4, False, True])


def check_all(check, programs):
    program = programs["wai-export"]
    push_checks(check, program)
    trouble(check, program)
    pull_checks(check, program)
    push_to_checks(check, program)
