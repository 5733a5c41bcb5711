"""Swarm rescue against a model behind an address: recordings, failures of some calls, of all calls."""
import json
import os
import subprocess
import sys
import tempfile

from bench import BARE
from writer_checks import SECRET, Writer, chat

ALL = ("--no-stop-on-correct",)
SCORE = """
import json, sys
for line in sys.stdin:
    n = int(json.loads(line)["text"].split()[-1])
    print(json.dumps({"fitness": n % 5 / 4, "correct": n % 7 == 3, "feedback": "case %d" % n}), flush=True)
"""


def swarm(program, base, folder, *arguments, problems=6):
    with open(os.path.join(folder, "score.py"), "w") as f:
        f.write(SCORE)
    done = subprocess.run(
        [program, "--swarm", "ring", "--agent", f"vllm:m@{base}", "--fitness", f"cmd:{sys.executable} score.py", "--particles", "4",
         "--rounds", "3", *arguments], cwd=folder, input="".join(json.dumps({"prompt": f"problem {i}"}) + "\n" for i in range(problems)),
        capture_output=True, text=True, timeout=120, env=dict(BARE, HOME=folder, VLLM_API_KEY=SECRET))
    if SECRET in done.stdout + done.stderr:
        raise AssertionError("the key is shown")
    return done.stdout, done.returncode, done.stderr


def reply(number, body):
    return chat(f"<think>hm</think>attempt {body['seed']}")


def recorded(check, program):
    with tempfile.TemporaryDirectory() as folder:
        with Writer(reply) as w:
            live, code, err = swarm(program, w.base, folder, "--record", "tape.jsonl", "-j", "16", *ALL)
            check.true("swarm: seeds are sent", sorted({b["seed"] for b in w.bodies}) == list(range(12)), len(w.bodies))
            base = w.base
        check.true("swarm: rows", code == 0 and len(live.splitlines()) == 72, err)
        again, code, err = swarm(program, base, folder, "--replay", "tape.jsonl", "-j", "1", *ALL)
        check.true("recorded at -j 16, played at -j 1", code == 0 and live == again, err)
        other, code, err = swarm(program, base, folder, "--replay", "tape.jsonl", "--seed", "3")
        check.same("a request that the recording lacks", [other, code], ["", 4])


def losses(check, program):
    with tempfile.TemporaryDirectory() as folder:
        with Writer(lambda n, b: reply(n, b) if b["seed"] % 5 else (400, '{"error":{"message":"no"}}')) as w:
            out, code, err = swarm(program, w.base, folder, *ALL, "--report", "run.json")
            report = json.load(open(os.path.join(folder, "run.json")))
            check.same("lost attempts are counted", [code, len(out.splitlines()), report["attempts"], report["attempts_lost"]],
                       [0, 54, 54, 18])
            check.true("and said", "18 of 72 attempts were lost, the first because:" in err, err)
        for about, answer in (("key", (401, "{}")), ("host", (404, "modal-http: invalid function call"))):
            with Writer(lambda n, b: answer) as w:
                out, code, err = swarm(program, w.base, folder, "-j", "1")
                check.same(f"swarm, {about}: ends", [out, code, len(w.bodies) < 12], ["", 4, True])
        with Writer(lambda n, b: reply(n, b) if n <= 40 else (401, "{}")) as w:
            out, code, err = swarm(program, w.base, folder, "-j", "1", *ALL)
            check.true("problems that were finished are out", code == 4 and len(out.splitlines()) in (24, 36), [code, len(out.splitlines())])


def check_all(check, programs):
    for part in (recorded, losses):
        part(check, programs["wai-simulate"])
