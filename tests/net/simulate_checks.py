"""wai-simulate with models: whole runs against the test server, in fair weather and foul, recorded, cut short,
killed and gone on with."""
import json
import os
import random
import signal
import subprocess
import tempfile
import time

from bench import BARE, Server, scripted

TOOLS = [{"type": "function", "function": {
    "name": "get_order", "description": "Look up an order by id.",
    "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}}}]
FOUL = {"cut": 0.05, "429": 0.05, "garbage": 0.02, "hang": 0.01, "seed": 7}
KEY = "sk-secret-0123456789abcdef"


def said(text, **more):
    return {"json": {"choices": [dict({"index": 0, "message": {"role": "assistant", "content": text},
                                       "finish_reason": "stop"}, **more)],
                     "usage": {"prompt_tokens": 10, "completion_tokens": 5}}}


class Place:
    """A scratch folder with tools and tasks, and wai-simulate run in it."""

    def __init__(self, programs, prompts):
        self.program = programs["wai-simulate"]
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        with open(self.file("tools.json"), "w") as f:
            json.dump(TOOLS, f)
        with open(self.file("tasks.jsonl"), "w") as f:
            for i, prompt in enumerate(prompts):
                f.write(json.dumps({"prompt": prompt, "scenario_id": f"s{i}"}) + "\n")

    def file(self, name):
        return os.path.join(self.path, name)

    def start(self, *arguments, env=None):
        command = [self.program, "--tools", "tools.json", "--tasks", "tasks.jsonl", "--report", "report.json", *arguments]
        return subprocess.Popen(command, cwd=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                env=dict(BARE, HOME=self.path, WHILEAI_HOME=self.path, **(env or {})))

    def run(self, *arguments, env=None, timeout=120):
        child = self.start(*arguments, env=env)
        try:
            out, err = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise
        return Outcome(child.returncode, out.decode(), err.decode(), self)


class Outcome:
    def __init__(self, status, out, err, place):
        self.status, self.out, self.err = status, out, err
        self.rows = [json.loads(line) for line in out.splitlines()]
        self.report = {}
        if os.path.exists(place.file("report.json")):
            with open(place.file("report.json")) as f:
                self.report = json.load(f)
            os.unlink(place.file("report.json"))


def at(server, *more):
    return ("--agent", f"vllm:m1@{server.base}/v1", "-q", *more)


# ---- what a rollout is -----------------------------------------------------------------------------------

def check_providers(check, programs):
    """Each wire, plain and as a stream: a call, its result, a last word."""
    with Server() as server:
        place = Place(programs, ["Where is order x today"])
        keys = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.base + "/v1", "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": server.base + "/v1", "AWS_BEARER_TOKEN_BEDROCK": KEY,
                "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": server.base}
        for spec in ("openai:m1", "anthropic:m1", "bedrock:m1", f"vllm:m1@{server.base}/v1", f"endpoint:{server.base}/v1"):
            for stream in ((), ("--stream",)):
                done = place.run("--agent", spec, "--avg-turns", "1", "--max-turns", "3", *stream, env=keys)
                row = (done.rows or [{}])[0]
                steps = row.get("steps", [])
                about = f"{spec.split(':')[0]}{' as a stream' if stream else ''}"
                check.same(f"{about}: a call and an end", [[s.get("tool") for s in steps], done.status],
                           [["get_order", None], 0])
                check.same(f"{about}: what it is", [row.get("model_version"), row.get("user_model"),
                                                    row.get("finish_reason"), row.get("tools_used")],
                           ["m1", "m1", "stop", ["get_order"]])
                check.true(f"{about}: tokens are told", row.get("usage", {}).get("output_tokens") == 14, row.get("usage"))
                check.true(f"{about}: no key is told", KEY not in done.out + done.err + json.dumps(done.report))


def check_row(check, programs):
    """The keys that a talk adds."""
    logprobs = {"content": [{"token": "a", "logprob": -0.25}, {"token": "b", "logprob": -0.1234567}]}
    with Server([scripted("/v1/chat/completions", said("Hello, what can I do?"), said("It is on its way.", logprobs=logprobs))]) as server:
        place = Place(programs, ["Where is order x today"])
        done = place.run(*at(server, "--avg-turns", "1", "--opening", "agent", "--logprobs", "tokens", "--system-prompt",
                             "Be kind.", "--scaffold", "Think first.", "--temperature", "0.5", "--agent-max-tokens", "300",
                             "--price", "1,10"))
        row = done.rows[0]
        check.same("the agent opened", [row["opener"], row["opening"]], ["Hello, what can I do?", "agent"])
        check.same("messages", [m["role"] for m in row["messages"]], ["assistant", "user", "assistant"])
        check.same("log-probabilities", [row["logprob"], row["n_tokens"], row["token_logprobs"]],
                   [-0.373457, 2, [-0.25, -0.123457]])
        check.same("sampling as sent", row["sampling"], {"temperature": 0.5, "max_tokens": 300, "model": "m1"})
        check.same("the scaffold is told and not the policy's text",
                   [server.requests()[1]["body"]["messages"][0]["content"], row["lineage"]["system_prompt_chars"]],
                   ["Be kind.\n\nThink first.", len("Be kind.\n\nThink first.")])
        usage = done.report["usage"]
        check.same("usage by role", [usage["calls"], usage["agent"]["input_tokens"], usage["user"]["calls"]], [2, 20, 0])
        check.same("money", done.report["cost"], 0.00012)


def check_hostile(check, programs):
    """Replies that no provider would send: each is a row or a loss with a reason, never a crash."""
    deep = "[" * 20000
    calls = [{"id": 7, "function": {"name": ["x"], "arguments": 5}}, {"function": {"name": "get_order", "arguments": deep}},
             "call", None, {"function": None}, {"id": "", "function": {"name": "", "arguments": "{}"}}]
    replies = [
        said(7), said({"a": 1}), said(["x", {"type": "text", "text": "parts"}]), said(None), said("\u0000\u001b[31m\ud800"),
        {"json": {"choices": {}}}, {"json": {"choices": [None]}}, {"json": {"choices": [{"message": "hi"}]}}, {"json": [1]},
        {"text": deep}, {"text": "{\"choices\":[" + "1" * 5000}, {"json": {"choices": []}}, {"text": ""},
        {"json": {"choices": [{"message": {"content": None, "tool_calls": calls}, "finish_reason": 5}],
                  "usage": {"prompt_tokens": -1, "completion_tokens": 1e300}}},
        {"json": {"choices": [{"message": {"content": "x", "tool_calls": "no"}}], "usage": "none"}},
        {"json": {"choices": [{"message": {"content": None, "tool_calls": [
            {"id": f"c{i}", "function": {"name": "get_order", "arguments": "{}"}} for i in range(3000)]}}]}},
        said("<tool_call>" * 5000), said("<think>" * 5000), said("word " * 400000),
        {"status": 302, "headers": {"Location": "file:///etc/passwd"}}, {"status": 200, "raw": "\x00\x01\x02"},
        {"headers_endless": True}, {"json": {"choices": [{"message": {"content": "a"}}]}, "repeat": 3},
    ]
    for i, reply in enumerate(replies):
        with Server([scripted("/v1/chat/completions", reply, said("All done then."))]) as server:
            place = Place(programs, ["Where is order x today"])
            done = place.run(*at(server, "--avg-turns", "1", "--timeout", "10", "--rerolls", "0"))
            landed, lost = done.report["rollouts"]["landed"], done.report["rollouts"]["lost"]
            check.true(f"hostile reply {i} ends as a row or a loss", done.status in (0, 4) and landed + lost == 1,
                       (done.status, landed, lost, done.err))


def check_ends(check, programs):
    """Failures that end a run keep what is there."""
    good = said("All done then.")
    for name, reply, times, reason in (
            ("a refused key", {"status": 401, "json": {"error": {"message": "no"}}}, 1, "agent_auth_failed"),
            ("a spent quota", {"status": 429, "json": {"error": {"message": "quota exceeded"}}}, 1, "agent_quota_exceeded"),
            ("a dead host", {"status": 404, "json": {"error": {"message": "no"}}}, 3, "agent_host_dead")):
        with Server([scripted("/v1/chat/completions", good, good, reply)]) as server:
            place = Place(programs, [f"Where is order {i} today" for i in range(9)])
            done = place.run(*at(server, "--avg-turns", "1", "-j", "1", "--rerolls", "0"), env={"VLLM_API_KEY": KEY})
            check.same(f"{name} ends the run", [done.status, len(done.rows), done.report["stopped_because"]], [4, 2, reason])
            check.same(f"{name}: so many requests", len(server.requests()), 2 + times)
            check.true(f"{name}: named with its host, without the key",
                       server.base.split("//")[1] in done.err and KEY not in done.err, done.err)
    with Server() as server:
        place = Place(programs, [f"Where is order {i} today" for i in range(50)])
        done = place.run(*at(server, "--avg-turns", "1", "--price", "10000,10000", "--max-cost", "30", "-j", "4"))
        check.same("--max-cost ends the run", done.report["stopped_because"], "max_cost")
        check.true("and holds", done.rows and done.report["cost"] <= 30, done.report.get("cost"))
        check.true("nothing is lost by it", done.report["rollouts"]["lost"] == 0, done.report["rollouts"])


# ---- recordings ------------------------------------------------------------------------------------------

def check_recording(check, programs):
    prompts = [f"Where is order A-{i} today please" for i in range(40)]
    with Server(weather={"cut": 0.05, "429": 0.05, "garbage": 0.05, "seed": 3}) as server:
        place = Place(programs, prompts)
        first = place.run(*at(server, "--repeats", "2", "--record", "tape.jsonl", "-j", "8"), env={"VLLM_API_KEY": KEY})
        counts = first.report["rollouts"]
        check.same("a recorded run lands", [first.status, len(first.rows) + counts["lost"]], [0, 80])
        check.true("some of its rollouts were played again", counts["rerolled"] > 0, counts)
        asked = len(server.requests())
        for jobs in ("1", "3", "32"):
            again = place.run(*at(server, "--repeats", "2", "--replay", "tape.jsonl", "-j", jobs))
            check.true(f"its replay at -j {jobs} has the same bytes", again.out == first.out and again.status == 0, again.err)
            check.same(f"and the same losses, at -j {jobs}", [again.report["rollouts"], again.report["lost_rollouts"]],
                       [counts, first.report["lost_rollouts"]])
        check.same("and asks nobody", len(server.requests()), asked)
        with open(place.file("tape.jsonl")) as f:
            tape = f.read()
        check.true("the recording holds no key", KEY not in tape and "uthorization" not in tape)
        done = place.run(*at(server, "--repeats", "3", "--replay", "tape.jsonl", "-j", "4"))
        check.same("a request that is not on it ends the run", [done.status, done.report["stopped_because"]],
                   [4, "replay_miss"])
        check.true("rows before it are kept", len(done.rows) > 0)


# ---- foul weather ----------------------------------------------------------------------------------------

def planned(prompts, repeats):
    return {(f"s{i}", k) for i in range(len(prompts)) for k in range(repeats)}


def key(row):
    return row["scenario_id"], row["rollout_index"]


def foul(check, programs, tasks, repeats, jobs, about):
    """Every planned rollout is a row or is listed as lost, with a reason."""
    prompts = [f"Where is order A-{i} today please" for i in range(tasks)]
    with Server(weather=FOUL) as server:
        place = Place(programs, prompts)
        began = time.monotonic()
        done = place.run(*at(server, "--repeats", str(repeats), "-j", str(jobs), "--round", str(tasks * repeats), "--timeout", "2",
                             "--avg-turns", "1", "--max-turns", "4", "--rerolls", "1", "--budget", "none"), timeout=600)
        took = time.monotonic() - began
        rows, lost = [key(r) for r in done.rows], [(l["scenario_id"], l["rollout_index"]) for l in done.report["lost_rollouts"]]
        calls = done.report["usage"]["calls"]
        print(f"     {about}: {calls} calls, {len(rows)} rows, {len(lost)} lost, {done.report['rollouts']['rerolled']} re-rolled, "
              f"{done.report['usage']['retries']} retries, {took:.1f} s")
        check.same(f"{about}: each planned rollout is a row or listed as lost", sorted(rows + lost),
                   sorted(planned(prompts, repeats)))
        check.true(f"{about}: each loss has a reason", all(l["reason"] and l["error"] for l in done.report["lost_rollouts"]))
        check.same(f"{about}: the counts agree", [done.report["rows"], done.report["rollouts"]["lost"]], [len(rows), len(lost)])
        check.true(f"{about}: few are lost", len(lost) < len(rows) / 10, len(lost))


def killed(check, programs, tasks, repeats, jobs, about):
    """Killed at some moment and started again: the union is whole, and nothing is there twice."""
    prompts = [f"Where is order A-{i} today please" for i in range(tasks)]
    wanted = planned(prompts, repeats)
    with Server(weather=FOUL) as server:
        place = Place(programs, prompts)
        arguments = at(server, "--repeats", str(repeats), "-j", str(jobs), "--round", str(tasks * repeats), "--timeout", "2",
                       "--avg-turns", "1", "--max-turns", "4", "--checkpoint", "run.jsonl", "--rerolls", "3", "--budget", "none")
        kills, moment = 0, random.Random(5)
        for _ in range(3):
            before = os.path.getsize(place.file("run.jsonl")) if os.path.exists(place.file("run.jsonl")) else 0
            child = place.start(*arguments)
            target = before + moment.randint(2, 2 + tasks * repeats // 6) * 1000
            until = time.monotonic() + 60
            while child.poll() is None and time.monotonic() < until:
                if os.path.exists(place.file("run.jsonl")) and os.path.getsize(place.file("run.jsonl")) >= target:
                    break
                time.sleep(0.002)
            kills += child.poll() is None
            child.send_signal(signal.SIGKILL)
            child.communicate()
        with open(place.file("run.jsonl"), "rb") as f:
            lines = f.read().split(b"\n")
        kept = {key(json.loads(line)) for line in lines[:-1]}
        check.true(f"{about}: killed {kills} times, whole rows are on file", kills > 0 and kept, (kills, len(kept)))
        done = place.run(*arguments, timeout=600)
        rows = [key(r) for r in done.rows]
        lost = {(l["scenario_id"], l["rollout_index"]) for l in done.report["lost_rollouts"]}
        resumed = [key(r) for r in done.rows if r["lineage"].get("resumed")]
        print(f"     {about}: {len(kept)} rows on file after {kills} kills, {len(rows)} in the end, {len(lost)} lost")
        check.same(f"{about}: what was on file is taken from there", sorted(resumed), sorted(kept))
        check.same(f"{about}: no row twice", len(rows), len(set(rows)))
        check.same(f"{about}: the union is whole", sorted(set(rows) | lost), sorted(wanted))
        with open(place.file("run.jsonl")) as f:
            on_file = [key(json.loads(line)) for line in f]
        check.same(f"{about}: the file has the same rows", sorted(on_file), sorted(rows))


def check_interrupt(check, programs):
    """Ctrl-C: the rollouts in flight are dropped, whole rows stay."""
    prompts = [f"Where is order A-{i} today please" for i in range(200)]
    with Server(weather={"delay_ms": 30}) as server:
        place = Place(programs, prompts)
        child = place.start(*at(server, "-j", "4", "--avg-turns", "1", "--max-turns", "2"))
        out = b""
        while b"\n" not in out:
            out += os.read(child.stdout.fileno(), 1 << 16)
        child.send_signal(signal.SIGINT)
        while piece := os.read(child.stdout.fileno(), 1 << 16):
            out += piece
        child.communicate(timeout=30)
        rows = [json.loads(line) for line in out.decode().splitlines()]
        check.same("an interrupt ends with 130", child.returncode, 130)
        check.true("whole rows, fewer than all", 0 < len(rows) < 200, len(rows))
        check.same("in the order of the tasks", [r["scenario_id"] for r in rows], sorted(
            (r["scenario_id"] for r in rows), key=lambda s: int(s[1:])))


def check_roles(check, programs):
    """Roles of the working folder; a person of its own."""
    with Server() as agent, Server([scripted("/v1/chat/completions", said("And what about order B-12 then?"))]) as user:
        place = Place(programs, ["Where is order x today?"])
        with open(place.file("wai.yaml"), "w") as f:
            f.write(f"agent: vllm:m1@{agent.base}/v1\nuser: vllm:m2@{user.base}/v1\n")
        done = place.run("--min-user-turns", "2", "--max-turns", "6", "--patience", "endless")
        row = done.rows[0]
        check.same("agent and user of wai.yaml play", [row["model_version"], row["user_model"]], ["m1", "m2"])
        check.true("the person's line is a step, typed as the opening line is",
                   {"user": "and what about order B-12 then?"} in row["steps"], row["steps"])
        check.true("and it is said where they came from", "wai.yaml: the agent is" in done.err and "wai.yaml: the user is" in
                   done.err, done.err)
        check.true("no warning of one model in two roles", "same_model" not in done.report["degraded"])
        text = json.dumps(user.requests()[0]["body"])
        check.true("the person sees the thread and the tools", "Where is order x today" in text and "get_order" in text and
                   "[leaves]" not in text, text)


def check_all(check, programs):
    check_providers(check, programs)
    check_row(check, programs)
    check_ends(check, programs)
    check_roles(check, programs)
    check_recording(check, programs)
    check_interrupt(check, programs)
    check_hostile(check, programs)
    foul(check, programs, 60, 4, 32, "foul weather")
    killed(check, programs, 60, 4, 16, "killed")


def check_whole(check, programs):
    """The large run: ten thousand calls."""
    foul(check, programs, 1250, 4, 256, "foul weather, ten thousand calls")
    killed(check, programs, 625, 4, 256, "killed, five thousand calls")
