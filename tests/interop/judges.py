#!/usr/bin/env python3
"""wai-grade's model judges against the package's, given identical replies.

    judges.py --bin DIR [--cases N] [--seed S]

The package's judges talk to a scripted OpenAI-compatible server on the loopback interface; ours read the same replies
from a replay: file. Compared: the label and reason of the 0/1 judge, reward and markers of the rubric judge, the winner
and consistency of pairs with the report's rates, llm_reward of the second opinion, and how criteria are loaded (kind,
weight, version). The prompts differ, so nothing of the payload is compared.

Where the two differ on purpose the inputs keep clear of it: a thought that never closes (D36), a missing answer to a
criterion (--unanswered miss is compared, D32), texts as answers that are no clear yes or no (D31), a category word
inside a longer one (D29), titles that make the same name (D30), "winner: Apple" (D38); thoughts in rubrics, pairs and
second opinions, which the package reads; fences without a language in a second opinion; escapes other than \\" in a reason that stands outside of the deciding object.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
import interop  # noqa: E402


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    replies = []
    calls = {}

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = body["messages"][-1]["content"]
        at = re.search(r"case number (\d+)", text)
        said = "ready"
        if at:
            i = int(at.group(1))
            said = self.replies[i]
            if isinstance(said, list):
                n = self.calls.get(i, 0)
                self.calls[i] = n + 1
                said = said[n]
        out = json.dumps({"choices": [{"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}],
                          "usage": {"prompt_tokens": 1, "completion_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)


# ---- replies

NUMBERS = ["0", "1", "0.0", "1.0", "1.5", "0.5", "-1", "2", "1e0", "\"1\"", "true", "false", "null", "01", "1.", "[1]", "0.00", "10"]
REASONS = ["fine", "a  b\\n c", "it \\\"quoted\\\" that", "{\\\"score\\\": 1}", "é \\u00e9", "", "x" * 500, "unclosed { brace", "back\\\\slash"]


def an_object(r, key=None):
    parts = []
    keys = ["score", "reward"] if key is None else [key]
    for k in keys:
        if r.random() < (0.9 if k == keys[0] else 0.2):
            parts.append(f"\"{k}\": {r.choice(NUMBERS[:2] * 6 + NUMBERS)}")
    if r.random() < 0.6:
        parts.append(f"\"reason\": \"{r.choice(REASONS)}\"")
    if r.random() < 0.1:
        parts.append(r.choice(["\"score\": 1", "\"note\": {\"score\": 0}", "\"list\": [{\"score\": 1}, 2]", "\"reason\": 5"]))
    r.shuffle(parts)
    space = r.choice(["", " ", "\n  "])
    return "{" + space + ("," + space).join(parts) + space + "}"


PROSE = ["Here is my verdict: ", "Sure!\n", "", "", "The agent did {well}. ", "score: 1\n", "Example {\"reason\": \"<one sentence>\", \"score\": 1}. ",
         "I think \"score\": 0 is too harsh. ", "} ", "{ ", "[", "```\n"]


def a_reply(r, make=an_object):
    text = make(r)
    how = r.random()
    if how < 0.3:
        return text
    if how < 0.4:
        return r.choice(["```json\n", "```\n", "```"]) + text + r.choice(["\n```", "```", ""])
    if how < 0.5:
        return text[:r.randrange(len(text) + 1)]
    if how < 0.6:
        return "<think>" + r.choice(["hm", make(r), "{"]) + "</think>" + r.choice(["", "\n"]) + text
    if how < 0.75:
        return r.choice(PROSE) + text + r.choice(["", " done", ".", "\n", " }", " {"])
    if how < 0.85:
        return make(r) + r.choice([" ", "\n", ""]) + text
    if how < 0.9:
        return r.choice(NUMBERS + ["", " 1 ", "0\n", "no idea", "score 1", "1 0", "```\n1\n```"])
    return r.choice(PROSE) + make(r) + r.choice(PROSE) + text + r.choice(PROSE)


# ---- both sides

def ours(given, rows, replies, *arguments, files=()):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "replies.jsonl"), "w") as f:
            for said in replies:
                f.write(json.dumps({"replies": said} if isinstance(said, list) else {"reply": said}) + "\n")
        for name, content in files:
            with open(os.path.join(folder, name), "w") as f:
                json.dump(content, f)
        done = subprocess.run([os.path.join(given.bin, "wai-grade"), "-q", "--judge", "replay:replies.jsonl", "--retries", "0",
                               "--report", "report.json", *arguments], input="".join(json.dumps(row) + "\n" for row in rows), text=True,
                              capture_output=True, cwd=folder)
        if done.returncode not in (0, 4):
            raise SystemExit(f"wai-grade: {done.returncode}: {done.stderr[-400:]}")
        with open(os.path.join(folder, "report.json")) as f:
            return [json.loads(line) for line in done.stdout.splitlines()], json.load(f)


class Count(interop.Count):
    def same(self, about, got, wanted, shown):
        self.check(got == wanted, f"{about}\n     ours    {got}\n     package {wanted}\n     {shown}")


def row_of(i):
    return {"scenario_id": f"t{i}", "prompt": "p", "final_text": f"case number {i} it is"}


def labels(given, r, count, wai, spec):
    Handler.replies = replies = [a_reply(r) for _ in range(given.cases)]
    rows = [row_of(i) for i in range(given.cases)]
    theirs = [dict(row) for row in rows]
    wai.grade(theirs, spec=spec, trust="off", concurrency=8)
    mine, _ = ours(given, rows, replies, "--trust", "off")
    for i, (a, b) in enumerate(zip(mine, theirs)):
        if "\\" in (b.get("reason") or ""):
            a["reason"] = b["reason"] = "escapes"
        count.same("label", [a["reward"], a.get("reason") if a["reward"] is not None else None],
                   [b.get("reward"), (b.get("reason") or None) if b.get("reward") is not None else None], repr(replies[i]))


def advice(given, r, count, wai, spec):
    def make(q):
        return an_object(q)
    replies = [said for said in (a_reply(r, make) for _ in range(given.cases // 2)) if "<think>" not in said and
               not re.match(r"\s*```(?!json)", said)]
    Handler.replies = replies
    rows = [dict(row_of(i), reward=1) for i in range(len(replies))]
    theirs = [dict(row) for row in rows]
    data = wai.SimulationData(theirs) if hasattr(wai, "SimulationData") else None
    if data is None:
        return
    try:
        wai.llm_grade(data, spec=spec)
    except Exception as error:  # noqa: BLE001 - the package's own container wants more than rows
        print(f"     second opinions are not compared: {error!r}"[:200])
        return
    mine, _ = ours(given, rows, replies, "--advisory")
    for i, (a, b) in enumerate(zip(mine, theirs)):
        count.same("advice", a["llm_reward"], b.get("llm_reward"), repr(replies[i]))


TITLES = ["Looks first", "Polite tone", "Gives a date", "Rambles on", "Names the order", "Cites policy", "Émile's way", "No jargon"]


def criteria(r):
    out = []
    for title in r.sample(TITLES, r.randint(1, 5)):
        item = {"title": title}
        if r.random() < 0.5:
            item["description"] = r.choice(["Essential Criteria: x.", "Important Criteria: y.", "Optional: z", "Pitfall Criteria: w",
                                            "plain words", "[Pitfall] q", "(essential) q", "Hard rule - n", "say it [important]", "  spaced  "])
        if r.random() < 0.5:
            item["weight"] = r.choice([1, 2, 3.5, -1, -2, 0, "2", "x", None, True])
        if r.random() < 0.3:
            item["kind"] = r.choice(["hard", "Hard", "pitfall", "principle", "odd", ""])
        out.append(item)
    return out


def loaded(given, r, count, wai):
    for _ in range(min(given.cases // 10, 200)):
        items = criteria(r)
        theirs = wai.rubric_of({"privileged": {"rubric": items}})
        mine = attached(given, items)
        count.same("criteria", [[[c["title"], c["description"], c["weight"], c["kind"]] for c in mine["criteria"]], mine["version"]],
                   [[[c.title, c.description, c.weight, c.kind] for c in theirs.criteria], theirs.version], items)


def attached(given, items):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "rubric.json"), "w") as f:
            json.dump(items, f)
        done = subprocess.run([os.path.join(given.bin, "wai-grade"), "-q", "--attach-rubric", "rubric.json"], input="{}\n", text=True,
                              capture_output=True, cwd=folder)
        return json.loads(done.stdout)["privileged"]["rubric"]


def answers(r, items):
    given = {}
    for i, item in enumerate(items):
        if r.random() < 0.12:
            continue
        key = r.choice([str(i + 1), f"{i + 1}.", f"{i + 1})", item["title"], item["title"].lower(), re.sub(r"\W+", "_", item["title"].lower()),
                        item["title"].split()[0], item["title"] + " of all"])
        given[key] = r.choice([True, False, 1, 0, 2, "yes", "true", "met", "pass"])
    return given


def rubrics(given, r, count, wai, spec):
    for _ in range(12):
        items = criteria(r)
        rubric = wai.rubric_of({"privileged": {"rubric": items}})
        n = max(5, given.cases // 40)

        def make(q):
            body = {"criteria": answers(q, items), "reason": q.choice(["as seen", ""])}
            if q.random() < 0.2:
                body["criteria"] = [{"title": t, "met": v} for t, v in body["criteria"].items()]
            if q.random() < 0.05:
                body["criteria"] = q.choice([None, 3, "x"])
            return json.dumps(body)
        Handler.replies = replies = [said for said in (a_reply(r, make) if r.random() < 0.3 else make(r) for _ in range(n))
                                     if "<think>" not in said]
        n = len(replies)
        rows = [row_of(i) for i in range(n)]
        judge = wai.rubric_judge(rubric, spec=spec)
        mine, _ = ours(given, rows, replies, "--trust", "off", "--unanswered", "miss", "-r", "rubric.json", files=[("rubric.json", items)])
        for i, row in enumerate(rows):
            try:
                b = judge(row)
            except Exception:  # noqa: BLE001 - a reply it cannot use
                b = {"reward": None}
            a = mine[i]
            meta = a.get("judge_meta", {})
            count.same("rubric", [a["reward"], a.get("markers") if a["reward"] is not None else None,
                                  [meta.get(k) for k in ("hard_failed", "missed", "pitfalls_hit", "n_unanswered", "rubric_version")]
                                  if a["reward"] is not None else None],
                       [b.get("reward"), b.get("markers") if b.get("reward") is not None else None,
                        [b.get(k) for k in ("hard_failed", "missed", "pitfalls_hit", "n_unanswered", "rubric_version")]
                        if b.get("reward") is not None else None], repr(replies[i]) + " " + json.dumps(items))


def pairs(given, r, count, wai, spec):
    n = given.cases // 4

    def make(q):
        return json.dumps({"winner": q.choice(["A", "B", "tie", "a", "b", "TIE", "C", None, 1, " A "]), "reason": q.choice(["x", "", "y z"])})

    def one(q):
        if q.random() < 0.15:
            return q.choice(["winner: A", "Winner: B.", "the winner: tie", "winner is A", "??", "", "winner: \"B\""])
        return a_reply(q, make) if q.random() < 0.3 else make(q)
    replies = [both for both in ([one(r), one(r)] for _ in range(n)) if "<think>" not in "".join(both)]
    n = len(replies)
    rows = [{"prompt": f"case number {i} it is", "chosen": {"prompt": f"case number {i} it is", "final_text": "good"},
             "rejected": {"prompt": "p", "final_text": "bad"},
             "chosen_score": 1, "rejected_score": 0} for i in range(n)]
    Handler.replies, Handler.calls = replies, {}
    theirs, report = wai.judge_pairs([json.loads(json.dumps(row)) for row in rows], spec=spec, concurrency=1)
    mine, said = ours(given, rows, replies, "--pairwise")
    keys = ("winner", "position_consistent", "swapped")
    for i, (a, b) in enumerate(zip(mine, theirs)):
        said_by = [[said for said in side["pairwise"]["reasons"] if not said.startswith("not judged:")] for side in (a, b)]
        count.same("pair", [[a["pairwise"][k] for k in keys], a["tie"], said_by[0]],
                   [[b["pairwise"][k] for k in keys], b["tie"], said_by[1]], repr(replies[i]))
    keys = ("n", "n_judged", "failed", "swap", "position_flip_rate", "tie_rate", "agrees_with_scores", "prefers_rejected")
    count.same("report of pairs", [said[k] for k in keys], [report[k] for k in keys], "")


def main():
    given = interop.options(2000)
    given.bin = os.path.abspath(given.bin)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/v1"
    os.environ.update(OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=base)
    import whileai.simulations as wai
    r = random.Random(given.seed)
    count = Count()
    spec = "vllm:m@" + base
    labels(given, r, count, wai, spec)
    advice(given, r, count, wai, spec)
    loaded(given, r, count, wai)
    rubrics(given, r, count, wai, spec)
    pairs(given, r, count, wai, spec)
    count.close()


if __name__ == "__main__":
    main()
