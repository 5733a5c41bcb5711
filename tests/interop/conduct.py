#!/usr/bin/env python3
"""wai-grade --conduct and --checklist against the package's conduct_grade and task_checklist, on random rows.

    conduct.py --bin DIR [--cases N] [--seed S]

Rewards, the fault flag, markers. Where the two differ on purpose the inputs keep clear of it:

  - results with `error` null or false (D3); null final texts, rows with nothing but messages (D26); replies that
    start with a number from 400 to 599 (D27); tools whose name begins like a read and writes (D28); negated
    actions without a call (D53); booleans as ids (D54); results as JSON text, in the checklist (D55)
  - words within a kind that only one side knows (timeout, failure, "go ahead and refund", bold status values)
"""
import json
import os
import random
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import Count, graded, options  # noqa: E402

import whileai.simulations as wai

READS = ["get_order", "find_user", "list_items", "search_docs"]
WRITES = ["refund", "create_order", "send_mail", "update_user", "cancel_order", "delete_item"]
IDS = ["1234", "ORD-77", "u_1", "mine", "ENG-123", "conv_x", "abc", "AB-X", "x", "4017", 55, 7, "Straße"]
STATUS = ["ok", "ok", "ok", "created", "success", "updated", "error", "not_found", "timeout", "stale", "pending", "already_done", "denied",
          "exit_1", "exit_0", "503", "permission_denied", "OK", "Error", "rejected", "paid"]
PHRASES = ["Order 1234 is here", "I refunded the order", "it is done", "sorry", "it failed", "could not find it", "no such order", "not found",
           "all set", "successfully created", "it was not completed", "status: completed", "updated at 5", "completed", "was sent", "ORD-77",
           "see ENG-123", "#4017", "#99", "src/main.c", "a1b2c3d4e5f6a7", "which one?", "safe to proceed", "you can proceed", "it was already refunded",
           "already done", "previously cancelled", "I cannot do that", "deployed", "ran the tests", "scenario_dimensions", "the word brief",
           "It is shipped", "refunding it", "I will do it", "I'll see", "processing your order", "unable to find it", "no record", "no order matching",
           "the tool is unavailable", "okay", "won't", "didn't work", "without error", "may have been paid", "should be confirmed", "never sent",
           "looked it up", "created the order", "no longer", "only available for members", "abc", "4017", "55", "pending", "paid", "blue", "shipped",
           "This sentence is long enough to count", "no results", "the refund has been processed", "the refund is complete", "proceed with it"]
PROMPTS = ["refund 1234", "look up order ORD-77", "hi", "find abc", "do it twice", "step 2: go", "cancel 4017 for u_1", "which ticket", "ENG-123?", "AB-X"]
PLACEHOLDERS = ["your email", "<id>", "[name]", "placeholder", "user@example.com", "order id", "xxx", "{x}", "string"]


def reply(r):
    n = r.choice([0, 1, 1, 2, 2, 3, 4])
    text = "".join(r.choice(PHRASES) + r.choice([". ", ", ", "! ", "\n", " ", "; ", ". "]) for _ in range(n))
    if r.random() < 0.06:
        text += "word " * 130
    if r.random() < 0.03:
        text += "z" * 31
    return text


def arguments(r):
    made = {}
    for key in r.sample(["order_id", "id", "q", "user", "ref", "ids", "Key", "note", "at"], r.randint(0, 3)):
        value = r.choice(IDS) if r.random() < 0.85 else r.choice(PLACEHOLDERS)
        made[key] = [value] if key == "ids" else {"doc_id": value, "n": 1.5} if key == "at" else value
    return made


def result(r):
    kind = r.random()
    if kind < 0.8:
        made = {"status": r.choice(STATUS)}
        for key in r.sample(["order_id", "state", "missing", "reason", "n", "items", "stale"], r.randint(0, 2)):
            made[key] = {"order_id": r.choice(IDS), "state": r.choice(["shipped", "paid", "blue"]), "missing": ["ORD-77", "entity"],
                         "reason": r.choice(["already_acted_on", "late"]), "n": r.randint(0, 99), "items": [{"sku": "blue"}, 1234],
                         "stale": r.random() < 0.3}[key]
        return made
    return r.choice(["some text 1234", {}, {"id": "U-9"}, ["ORD-77"], 5, None])


def steps(r):
    made = []
    for _ in range(r.choice([0, 0, 1, 1, 2, 3, 4])):
        kind = r.random()
        if kind < 0.8 or not made:
            step = {"tool": r.choice(READS + WRITES), "arguments": arguments(r), "result": result(r)}
            if made and r.random() < 0.25:
                step = json.loads(json.dumps(r.choice(made)))
                if "tool" in step and r.random() < 0.3:
                    step["result"] = result(r)
        elif kind < 0.9:
            step = {"user": r.choice(PROMPTS)}
        else:
            step = {"text": r.choice(["This sentence is long enough to count", "Short", "This sentence is long  enough to count. ", reply(r)])}
        made.append(step)
    return made


DIMENSIONS = {
    "tool": READS + WRITES + ["refund", "get_order", "multi_tool", "unrelated", "unspecified", ""],
    "stance": ["adversarial", "neutral", ""],
    "world_state": ["entity missing", "missing", "entity already acted on", "already_done", "duplicate entity", "duplicate", "entity exists", ""],
    "history": ["prior_partial_action", "partially completed", "none", ""],
    "tool_condition": ["success", "timeout"],
}


def task(r, row):
    where = {}
    for key, values in DIMENSIONS.items():
        if r.random() < (0.7 if key == "tool" else 0.3):
            value = r.choice(values)
            if r.random() < 0.7:
                where[key] = value
            else:
                row[key] = value
    if where or r.random() < 0.5:
        row["scenario_dimensions"] = where
    if r.random() < 0.1:
        row["intent_known"] = r.choice([True, False])
    if r.random() < 0.15:
        row["ask_family"] = r.choice(["vague", "tool", "plain"])
    if r.random() < 0.05:
        row["tier"] = "adversarial"


def row_of(r, i):
    row = {"scenario_id": f"t{i}", "prompt": r.choice(PROMPTS), "final_text": reply(r), "steps": steps(r)}
    if r.random() < 0.1:
        row["faults"] = {"get_order": {"mode": "timeout"}}
    if row["final_text"] and r.random() < 0.1:
        row["messages"] = [{"role": "user", "content": r.choice(PROMPTS)}, {"role": "assistant", "content": "x"}]
    return row


NEGATIONS = ("not", "no ", "never", "n't", "unable", "failed", "without", "may have been", "should be", "cannot")


def clear_of_deviations(row):
    text = row["final_text"].lower()
    calls = any(s.get("tool") for s in row["steps"])
    if not calls and any(n in text for n in NEGATIONS):
        return False
    return True


def main():
    o = options(4000)
    r = random.Random(f"conduct/{o.seed}")
    binary = os.path.join(o.bin, "wai-grade")
    count = Count()
    rules = {}
    with tempfile.TemporaryDirectory() as folder:
        for scorer in ("--conduct", "--checklist"):
            declared = READS + WRITES[:-1] if scorer == "--conduct" else None
            arguments = [scorer]
            if declared:
                arguments += ["--tools", json.dumps([{"name": n, "parameters": {"type": "object"}} for n in declared])]
            rows = []
            while len(rows) < o.cases:
                row = row_of(r, len(rows))
                if scorer == "--checklist":
                    task(r, row)
                if clear_of_deviations(row):
                    rows.append(row)
            for row, got in zip(rows, graded(binary, arguments, rows, folder)):
                if declared:
                    want = wai.conduct_grade(row, set(declared))
                else:
                    want = wai.task_checklist(row)
                agrees = got["reward"] == want["reward"]
                if declared:
                    agrees = agrees and got["judge_meta"]["fault_detected"] == bool(want.get("fault_detected"))
                else:
                    agrees = agrees and got["markers"] == want["markers"]
                key = (got["judge_meta"]["rule"], want["reason"].split(":")[0])
                rules.setdefault(key, [0, 0])[not agrees] += 1
                count.check(agrees, json.dumps(row, ensure_ascii=False), "ours", got["reward"], got["judge_meta"], got.get("markers"), got["reason"], "theirs", want)
    if count.failed:
        for key, (good, bad) in sorted(rules.items()):
            if bad:
                print("rule", *key, good, "agree", bad, "do not")
    count.close()


if __name__ == "__main__":
    main()
