#!/usr/bin/env python3
"""wai-export against the reference package on random rows and pairs: the same files, the same counts.

    tests/interop/export.py --bin DIR [--cases N] [--seed S]

A case is a row; a run of the binary takes about ten of them.
Left out, because we differ on purpose (the manual page says why): contents that are lists, roles beyond the
four, a system turn in the row beside the one given, blank arguments, a result that names its call out of order,
rows with a task_id and no scenario_id, the teacher's names inside lineage and faults, last words unlike
final_text, and the size of a group some of whose rows have no completion.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings

try:
    from whileai.simulations.export import export_preference, export_training
except ImportError:
    print("skipped: the package whileai is not installed")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

ROWS_PER_RUN = 10
TEXTS = ["Yes.", "I looked it up.", "caf\u00e9 \u4f60\u597d \U0001f600", " spaced \n", "<think>why\nnot</think>  So.", "a <THINK>x</think> b",
         "<think>open", "\"quoted\" \\ back", "tab\there", "the code word is heliotrope seven", "0"]
TOOL = {"type": "function", "function": {"name": "f", "description": "A tool, \u00e9.", "parameters": {"type": "object", "properties": {}}}}
VALUES = [1, 0, -3, 1.0, 2.5, 1e5, 1e22, 1e-7, 12345678901234567890, True, False, None, "x", "", "\u00e9\u2028", "a, b", [], [1, "a, b"], {},
          {"k": {"z": [None]}}]
AXES = ["tier", "ask_family", "ask", "stance", "tone", "texture", "vagueness", "phrasing", "pressure", "user", "history", "length",
        "intent_known", "tool_known"]


def arguments(r):
    value = {r.choice("abc\u00e9"): r.choice(VALUES) for _ in range(r.randrange(3))}
    form = r.randrange(12)
    if form < 6:
        return value
    if form < 9:
        return json.dumps(value)
    return [json.dumps(json.dumps(value)), "{broken", "[1]", 7, "null", None, json.dumps(json.dumps(json.dumps(value)))][r.randrange(7)]


def result(r):
    return r.choice([{"status": "ok", "note": r.choice(TEXTS)}, "plain " + r.choice(TEXTS), {"n": [1, 2.0]}, "", [1, "\u00e9"], 5])


def spoken(r):
    return r.choice([t for t in TEXTS if t.strip() and not t.startswith("<think>")])


def steps_row(r):
    steps = []
    for _ in range(r.randrange(4)):
        kind = r.randrange(4)
        if kind == 0:
            steps.append({"text": spoken(r)})
        elif kind == 1 and steps:
            steps.append({"user": r.choice(TEXTS[:4])})
        else:
            step = {"tool": r.choice(["f", "g"]), "arguments": arguments(r), "result": result(r)}
            if r.random() < 0.3:
                step["text"] = r.choice(TEXTS)
            steps.append(step)
    while steps and "user" in steps[-1]:
        steps.pop()
    row = {"steps": steps}
    if steps and "text" in steps[-1] and "tool" not in steps[-1]:
        row["final_text"] = steps[-1]["text"]
    elif r.random() < 0.9:
        row["final_text"] = spoken(r) + r.choice(["!", " really", " at last"])
    else:
        row["final_text"] = ""
    if r.random() < 0.2 and any(s.get("tool") for s in steps):
        row["tool_trace"] = [{"tool": s["tool"], "input": s["arguments"], "output": s["result"]} for s in steps if "tool" in s]
        row["final_text"] = "done with it"
        del row["steps"]
    return row


def messages_row(r):
    messages = [{"role": "user", "content": r.choice(TEXTS), "name": "someone"}]
    if r.random() < 0.1:
        messages = []
    for _ in range(r.randrange(1, 4)):
        turn = {"role": "assistant", "content": r.choice(TEXTS + [None, 5, ""]), "reasoning_content": "hm"}
        calls = []
        for _ in range(r.choice([0, 0, 1, 2])):
            call = {"name": r.choice(["f", "g"]), "arguments": arguments(r)}
            if r.random() < 0.5:
                call = {"type": "function", "function": call}
            if r.random() < 0.3:
                call["id"] = r.choice(["c9", "call_x", 7])
            calls.append(call)
        if calls:
            turn["tool_calls"] = calls
        messages.append(turn)
        for _ in calls:
            tool = {"role": "tool", "content": r.choice(["ok", "{\"a\": 1}", "", None, "x" * 50 + "\u00e9"])}
            if r.random() < 0.5:
                tool["name"] = r.choice(["f", ""])
            messages.append(tool)
        if r.random() < 0.5:
            messages.append({"role": "user", "content": r.choice(TEXTS)})
    return {"messages": messages, "final_text": r.choice(TEXTS)}


def row(r, tasks):
    made = steps_row(r) if r.random() < 0.6 else messages_row(r)
    task = r.randrange(tasks)
    if r.random() < 0.8 or "messages" not in made:
        made["prompt"] = f"ask {task} \u00e9"
    if r.random() < 0.7:
        made["scenario_id"] = r.choice([f"s{task}", task + 1])
    if r.random() < 0.9:
        made["reward"] = r.choice([0, 1, 1, 0.5, 0.25, 0.7, None, True, "1", "x", 2, -1, 0.1])
    for key in AXES:
        if r.random() < 0.1:
            made[key] = r.choice(VALUES)
    for key, values in {"qwen_reward": [1, 0.5], "reason": ["because", ""], "world_state": ["w", "unspecified"],
                        "faults": [{"f": {"mode": "timeout", "rate": 1}}], "fault_detected": [True], "label_source": ["rule"],
                        "failure_class": ["x", None], "judge_status": ["ok"], "judge_name": ["j"], "logprob": [-1.25], "n_tokens": [7],
                        "token_logprobs": [[-0.5, -1]], "sampling": [None, {"temperature": 1.0}], "policy_version": ["m@1"],
                        "writer_model": ["w"], "user_model": ["u"], "usage": [{"input_tokens": 3}], "rollout_index": [0, 3],
                        "lineage": [{"run": 3, "system_prompt_sha": "ab"}, None, {}], "finish_reason": ["stop", "length"],
                        "markers": [{"a": 1}], "vector": [[1.0]], "model_version": ["m"], "schema_version": ["0"],
                        "unknown": [1]}.items():
        if r.random() < 0.2:
            made[key] = r.choice(values)
    if r.random() < 0.3:
        made["privileged"] = {r.choice(["reference", "principle", "hidden_state", "rubric"]):
                              r.choice(["code WORD is  heliotrope", {"deep": ["nothing of the kind"]}, "short", 5])}
    return made


def lines(path, rows):
    with open(path, "w", encoding="utf-8") as f:
        for one in rows:
            f.write(json.dumps(one, ensure_ascii=random.random() < 0.5) + "\n")


def load(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return [json.loads(l) for l in f.read().split("\n") if l]


def differs(expected, got, path=""):
    if isinstance(expected, dict) and isinstance(got, dict):
        if set(expected) != set(got):
            return f"{path}: keys {sorted(set(expected) ^ set(got))}"
        return next(filter(None, (differs(expected[k], got[k], f"{path}.{k}") for k in expected)), None)
    if isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            return f"{path}: {len(got)} items, expected {len(expected)}"
        return next(filter(None, (differs(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(expected, got)))), None)
    if type(expected) is bool or type(got) is bool:
        same = expected is got
    else:
        same = expected == got
    return None if same else f"{path}: {got!r}, expected {expected!r}"


def reference(function, rows, out, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(rows, out, **options)
        except ValueError:
            return None


def ours(binary, folder, rows, arguments_given):
    lines(os.path.join(folder, "in.jsonl"), rows)
    for name in ("ours.jsonl", "ours.json"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    done = subprocess.run([binary, "-o", "ours.jsonl", "--report", "ours.json", *arguments_given, "in.jsonl"], cwd=folder,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    report = None
    if os.path.exists(os.path.join(folder, "ours.json")):
        with open(os.path.join(folder, "ours.json"), encoding="utf-8") as f:
            report = json.load(f)
    return done, load(os.path.join(folder, "ours.jsonl")), report


def pick(report, keys):
    return {k: report.get(k) for k in keys}


def flatten(report):
    flat = dict(report)
    flat["roundtrip"] = pick(flat["tool_call_roundtrip"], ["checked", "invalid", "encoding"])
    return flat


def common(r):
    options, given = {"format": r.choice(["openai", "trl", "fireworks"])}, []
    given += ["--format", options["format"]]
    if r.random() < 0.5:
        options["system_prompt"] = "Be kind. \u00e9"
        given += ["--system-prompt", options["system_prompt"]]
    if r.random() < 0.5:
        options["tools"] = [TOOL]
        given += ["--tools", json.dumps([TOOL], indent=r.choice([None, 2]))]
    if r.random() < 0.2:
        options["strip_think"] = False
        given.append("--no-strip-think")
    if r.random() < 0.5:
        options["validate"] = False
        given.append("--no-validate")
    return options, given


def training(r, binary, folder):
    rows = [row(r, r.choice([2, 5, 100])) for _ in range(ROWS_PER_RUN)]
    options, given = common(r)
    options["mask_mode"] = r.choice(["assistant", "final"])
    given += ["--mask-mode", options["mask_mode"]]
    if r.random() < 0.3:
        options["unroll"] = True
        given.append("--unroll")
    if r.random() < 0.4:
        options["max_tool_output_chars"] = r.choice([0, 3, 20, 1000])
        given += ["--max-tool-output-chars", str(options["max_tool_output_chars"])]
    given += ["-j", r.choice(["1", "4"])]
    out = os.path.join(folder, "theirs.jsonl")
    if os.path.exists(out):
        os.remove(out)
    report = reference(export_training, rows, out, **options)
    done, got, our_report = ours(binary, folder, rows, given)
    if report is None or done.returncode != 0:
        if report is None and done.returncode == 3 and got is None:
            return None, rows, given
        return f"exit {done.returncode} ({done.stderr.strip()[-300:]}), the package {'refuses' if report is None else 'writes'}", rows, given
    expected = load(out)
    dropped = report.get("no_completion_dropped", 0)
    if dropped and not options.get("unroll"):
        for one in expected + got:
            for key in ("group_id", "k", "n0", "n1", "reward_mean", "reward_std"):
                one.pop(key, None)
    keys = ["n", "format", "with_system", "with_tools", "roundtrip", "unrolled", "max_tool_output_chars", "tool_output_truncated",
            "tool_output_chars_cut", "trained_messages", "masked_messages", "rewards", "no_completion_dropped", "n_written"]
    keys += [] if dropped else ["groups"]
    for made in (report, our_report):
        made["roundtrip"] = pick(made["tool_call_roundtrip"], ["checked", "invalid", "rows", "encoding"])
        made["leaks"] = pick(made["privileged_leaks"], ["checked", "n_checked", "n_leaked", "leaked"])
    complaint = differs(expected, got, "rows") or differs(pick(report, keys + ["leaks"]), pick(our_report, keys + ["leaks"]), "report")
    return complaint, rows, given


def pair(r):
    # Leaks are checked on our side only, so none here.
    sides = [dict(row(r, 3)) for _ in range(2)]
    if r.random() < 0.7:
        sides[1] = dict(sides[0])
        sides[1].pop("messages", None)
        sides[1]["steps"] = list(sides[0].get("steps", []))[:r.randrange(3)] + r.choice([[], [{"text": "Or so"}]])
        while sides[1]["steps"] and "user" in sides[1]["steps"][-1]:
            sides[1]["steps"].pop()
        last = sides[1]["steps"][-1] if sides[1]["steps"] else {}
        sides[1]["final_text"] = last["text"] if "text" in last and "tool" not in last else "Or not."
    for one in sides:
        one.pop("privileged", None)
        one.pop("tool_trace", None)
    made = {"prompt": r.choice(["p", "", 5, "\u00e9"]), "chosen": sides[0], "rejected": sides[1]}
    for key, values in {"tie": [True, False, 1, 0, ""], "pairwise": ["A", {"w": 1}], "first_turn_differs": [True, False],
                        "chosen_score": [1.0, 1], "rejected_score": [0, 0.25], "margin": [1, 0.75, 0.3333, None], "chosen_model": ["a", None],
                        "rejected_model": ["b"], "same_policy": [True, None], "length_delta": [5, -5, 0, None], "chosen_reason": ["", "good"],
                        "rejected_reason": ["bad"], "rejected_failure_class": [None, "x"], "lineage": [{"chosen": None}], "other": [1]}.items():
        if r.random() < (0.2 if key == "tie" else 0.7):
            made[key] = r.choice(values)
    return made


def preference(r, binary, folder):
    pairs = [pair(r) for _ in range(r.choice([1, ROWS_PER_RUN]))]
    options, given = common(r)
    if r.random() < 0.3:
        options["drop_ties"] = False
        given.append("--keep-ties")
    given += ["--kind", "preference", "-j", r.choice(["1", "4"])]
    out = os.path.join(folder, "theirs.jsonl")
    if os.path.exists(out):
        os.remove(out)
    report = reference(export_preference, pairs, out, **options)
    done, got, our_report = ours(binary, folder, pairs, given)
    if report is None or done.returncode != 0:
        if report is None and done.returncode == 3 and got is None:
            return None, pairs, given
        return f"exit {done.returncode} ({done.stderr.strip()[-300:]}), the package {'refuses' if report is None else 'writes'}", pairs, given
    expected = load(out)
    keys = ["pairs", "format", "roundtrip", "fireworks_turns_cut", "trl_turns_cut", "ties_dropped", "no_completion_dropped",
            "chosen_longer_frac", "first_turn_identical", "mean_margin"]
    complaint = differs(expected or [], got or [], "rows") or differs(pick(flatten(report), keys), pick(flatten(our_report), keys), "report")
    return complaint, pairs, given


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    binary = os.path.join(os.path.abspath(given.bin), "wai-export")
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="wai-export.") as folder:
        for number in range(max(1, given.cases // ROWS_PER_RUN)):
            r = random.Random(given.seed * 1000003 + number)
            random.seed(number)
            complaint, rows, arguments_given = (training if number % 3 else preference)(r, binary, folder)
            passed += complaint is None
            failed += complaint is not None
            if complaint and failed <= 10:
                print(f"run {number}: {complaint}\n    {' '.join(arguments_given)}")
                with open(f"/tmp/wai-export-{number}.jsonl", "w", encoding="utf-8") as f:
                    f.writelines(json.dumps(one) + "\n" for one in rows)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
