#!/usr/bin/env python3
"""The Hub client of wai-export against the official one (PyPI huggingface_hub), both driving the same stand-in of the
Hub: what a push leaves there, which requests it makes and what is in them, and what each fetches of the other's."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools", "server"))
sys.path.append(os.path.join(HERE, "common"))

from interop import Count, options  # noqa: E402
from hub_server import WRITE, Hub  # noqa: E402

os.environ.update(HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_PROGRESS_BARS="1", HF_HUB_DISABLE_SYMLINKS_WARNING="1")

ALPHABET = "abc xyz\u00e9\u4f60#%+.-_"


def make_tree(rng, folder):
    for _ in range(rng.randint(1, 8)):
        parts = ["".join(rng.choice(ALPHABET) for _ in range(rng.randint(1, 9))).strip(" .") or "f" for _ in range(rng.randint(1, 3))]
        path = os.path.join(folder, *parts)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(rng.randbytes(rng.choice([0, 1, 700, 2500, 9000, 15000])) if rng.random() < .4 else b"text\n" * rng.choice([1, 100, 900, 2600]))
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            pass
    if rng.random() < .3:
        with open(os.path.join(folder, "README.md"), "wb") as f:
            f.write(b"---\nlicense: mit\n---\n")


def facts(hub):
    """What was asked, without what depends on who asks: order within a step, headers, texts of a commit. The official
    client sends two files of the same bytes twice, and asks about a README twice; we do once."""
    out = []
    for method, path, headers, body in hub.log:
        if path == "/api/whoami-v2":
            continue
        kind = headers.get("Content-Type") or headers.get("content-type") or ""
        if "/commit/" in path:
            lines = [json.loads(line) for line in body.decode().splitlines()]
            value = sorted(json.dumps(line, sort_keys=True) for line in lines if line["key"] != "header")
        elif "json" in kind and body:
            value = json.loads(body)
            for key in ("files", "objects"):
                if isinstance(value, dict) and key in value:
                    value[key] = sorted({json.dumps(v, sort_keys=True) for v in value[key]})
        else:
            value = len(body)
        token = bool(headers.get("Authorization") or headers.get("authorization"))
        out.append(json.dumps([method, path, value, token], sort_keys=True))
    return sorted(set(out))


def theirs(code, hub, folder, **more):
    env = dict(os.environ, HF_ENDPOINT=hub.base, HF_TOKEN=WRITE, HF_HOME=folder + ".home", HF_HUB_OFFLINE="0", **more)
    return subprocess.run([sys.executable, "-c", code, folder], env=env, capture_output=True, text=True, timeout=300)


PUSH = """
import sys
from huggingface_hub import HfApi
api = HfApi()
api.create_repo("me/r", repo_type="dataset", private=True, exist_ok=True)
api.upload_folder(repo_id="me/r", repo_type="dataset", folder_path=sys.argv[1], commit_message="wai-export push")
"""
PULL = """
import sys
from huggingface_hub import snapshot_download
snapshot_download("me/r", repo_type="dataset", local_dir=sys.argv[1])
"""


def tree_of(folder):
    out = {}
    for root, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if f != ".cache"]
        for name in files:
            path = os.path.join(root, name)
            with open(path, "rb") as f:
                out[os.path.relpath(path, folder)] = f.read()
    return out


def one(rng, binary, scratch):
    folder = os.path.join(scratch, "up")
    make_tree(rng, folder)
    wanted = tree_of(folder)
    env = dict(PATH=os.environ["PATH"], HOME=scratch, HF_TOKEN=WRITE)
    with Hub() as a, Hub() as b:
        mine = subprocess.run([binary, "push", folder, "me/r", "-q"], env=dict(env, HF_ENDPOINT=a.base), capture_output=True, text=True)
        if mine.returncode:
            return f"push: {mine.stderr}"
        other = theirs(PUSH, b, folder)
        if other.returncode:
            return f"the official client: {other.stderr[-500:]}"
        left, right = (h.repositories["datasets/me/r"].files for h in (a, b))
        if left != right or {p: d for p, (d, _) in left.items()} != {p: d for p, d in wanted.items() if not p.endswith(".tmp")}:
            return f"another repository: {sorted(left)} {sorted(right)} {sorted(wanted)}"
        ours, official = (json.loads(re.sub(r"127\.0\.0\.1:\d+", "HOST", json.dumps(facts(h)))) for h in (a, b))
        if ours != official:
            return "other requests:\n  only ours " + "\n    ".join(sorted(set(ours) - set(official)))[:1500] + \
                "\n  only theirs " + "\n    ".join(sorted(set(official) - set(ours)))[:1500]
        down = os.path.join(scratch, "down")
        mine = subprocess.run([binary, "pull", "me/r", "--out", down, "-q"], env=dict(env, HF_ENDPOINT=b.base), capture_output=True, text=True)
        if mine.returncode or tree_of(down) != {p: d for p, (d, _) in right.items()}:
            return f"pull of what the official client pushed: {mine.stderr}"
        down += "2"
        other = theirs(PULL, a, down)
        if other.returncode or tree_of(down) != {p: d for p, (d, _) in left.items()}:
            return f"the official client's pull of what wai-export pushed: {other.stderr[-500:]}"
        if a.faults or b.faults:
            return f"{a.faults} {b.faults}"
    return None


def main():
    given = options(2000)
    count = Count()
    for n in range(max(3, given.cases // 100)):  # a process of the official client takes a second
        with tempfile.TemporaryDirectory() as scratch:
            fault = one(random.Random(given.seed * 1000003 + n), os.path.join(given.bin, "wai-export"), scratch)
        count.check(not fault, f"case {n}: {fault}")
    count.close()


if __name__ == "__main__":
    main()
