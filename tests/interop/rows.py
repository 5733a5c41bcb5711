#!/usr/bin/env python3
"""wai-rows against the reference package, on random rows: facts of a row (fault, signature, usable, failed
criteria, reasoning split, ids), conversion to v1 and to the wire form, the conversation, shapes and problems,
both splits, benchmark items.

Where the two differ on purpose (rows 27 of the specification) the inputs keep out, or the comparison says so:
  * a reward or number that is NaN or infinite, also as text: the package lets them through;
  * a partial reward in a row that goes through the trace rules: the package drops it;
  * task_id without scenario_id: the package does not read it when it names the task;
  * keys that the package loses on conversion (KEPT below, unknown step keys, markers that are no numbers, the
    raw value of an unreadable reward): ours must be the value of the input;
  * the conversation: the package loses replies and follow-up turns; rows on which it does are compared with
    the rule written out here, the others with the package as well;
  * an `error` that is null or false in a result, a null `tool`; label_source alone under a stamped kind;
  * non-text prompts and replies in trace rows (Python text there, JSON here); content that is no text;
  * an unjudged (null) given reward, a repeated prompt among benchmark items;
  * lists as content, a reason that negates the word for cut, a dash and a name as a sign-off;
  * a null final_text in the wire form, a null text or user of a step that the trace rules take for the reply or
    the ask ("None" there, nothing here); lone surrogates, on which the package's hashes stop.
"""
import argparse
import contextlib
import copy
import io
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    from whileai.simulations import data as ref_data
    from whileai.simulations import schema as ref
    from whileai.simulations import text as ref_text
    from whileai.simulations.ingest import platform as ref_platform
    from whileai.simulations.ingest import traces as ref_traces
    from whileai.simulations.run import rows as ref_rows
    from whileai.simulations.score import grading as ref_grading
    from whileai.simulations.score import hygiene as ref_hygiene
    from whileai.simulations.score import style as ref_style
    from whileai.simulations.verify import base as ref_verify
except ImportError:
    print("skipped: the package whileai is not installed")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

AXES = ("tier ask_family intent_known tool_known stance tone length ask vagueness phrasing pressure user texture "
        "history").split()
# What the package forgets on the way through its objects and ours keeps as it was.
KEPT = {"seed", "behavior_signature", "steering", "grader_reason", "tool_trace", "trace", "reason", "judge_meta",
        "failure_class", "llm_reason", "calibration", "markers", "faults", "arm"}
WORDS = ["refund", "Order A-12", "can't", "cannot", "unable", "done.", "İstanbul", "ΣΑΣ", "naïve", "日本", "ok",
         "<think>plan</think>", "<THINK>x", "</think>", "<tool_call>", "it's", "\"q\"", "\n", "\t", "\u2003", "\x1c",
         "<agent error: x>", "😀", "R-77", "won't", "a b c d e f g h i j k l m", "\u00ad", "\\"]
STATUSES = ["ok", "OK", " error ", "timeout", "not_found", "denied", "permission_denied", "blocked", "paid", "500",
            "404", "600", "exit_1", "exit_0", "exit_", "created", "stale", "already_done", "already_acted_on", "missing",
            "entity missing", "permission needed", "success", "garbled", "malformed_result", "", "none", None, 404, 5.0,
            True, "no fault", "clean"]
TOOLS = ["get_order", "refund", "it's \"x\"\n", "é", "*"]


def strict(a, b):
    """Equal as JSON values: 1 is 1.0, true is no number."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(strict(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(strict, a, b))
    return type(a) in (int, float) and type(b) in (int, float) and a == b or type(a) is type(b) and a == b


class Maker:
    def __init__(self, rng):
        self.rng = rng

    def words(self, most=6):
        return " ".join(self.rng.choice(WORDS) for _ in range(self.rng.randint(0, most)))

    def scalar(self):
        return self.rng.choice([None, True, False, 0, 1, -1, 2.5, 1e-7, 1e16, 12345678901234567890, "", " ", "x", "A-12",
                                self.words()])

    def value(self, depth=0):
        if depth > 2 or self.rng.random() < 0.6:
            return self.scalar()
        if self.rng.random() < 0.5:
            return [self.value(depth + 1) for _ in range(self.rng.randint(0, 3))]
        return {self.rng.choice(["a", "b", "é", "id", "status"]): self.value(depth + 1)
                for _ in range(self.rng.randint(0, 3))}

    def result(self):
        kind = self.rng.random()
        if kind < 0.15:
            return self.scalar()
        result = {}
        if self.rng.random() < 0.7:
            result["status"] = self.rng.choice(STATUSES)
        if self.rng.random() < 0.2:
            result["reason"] = self.rng.choice(["already_acted_on", " ALREADY_acted_on", "no", 5])
        if self.rng.random() < 0.15:
            result["stale"] = self.rng.choice([True, False, 0, "x", None])
        if self.rng.random() < 0.3:
            # null and false are the package's faults, not ours
            result["error"] = self.rng.choice(["", " ", "boom", 1, ["x"], {"a": 1}, "\u2003"])
        if self.rng.random() < 0.1:
            result["body"] = self.rng.choice(["<<GARBLED>>", "Garbled response", "garbled"])
        if self.rng.random() < 0.4:
            result[self.rng.choice(["ref", "total"])] = self.value(1)
        return json.dumps(result, ensure_ascii=self.rng.random() < 0.5) if self.rng.random() < 0.3 else result

    def arguments(self):
        kind = self.rng.random()
        if kind < 0.1:
            return self.rng.choice([None, [], [1], "", "{\"a\": 1}", "text"])
        return {self.rng.choice(["id", "q", "note", "é", "a", "b"]): self.value(1) for _ in range(self.rng.randint(0, 4))}

    def step(self):
        kind = self.rng.random()
        if kind < 0.5:
            step = {"tool": self.rng.choice(TOOLS)}
            if self.rng.random() < 0.9:
                step["arguments"] = self.arguments()
            if self.rng.random() < 0.8:
                step["result"] = self.result()
            if self.rng.random() < 0.2:
                step["text"] = self.rng.choice([self.words(), "", None])
        elif kind < 0.75:
            step = {"text": self.rng.choice([self.words(), "", " ", None, 7])}
        else:
            step = {"user": self.rng.choice([self.words(), "", None, "more"])}
        if self.rng.random() < 0.15 and not step.get("user"):
            step.update({k: v for k, v in {
                "logprob": self.rng.choice([None, -1.5, "-0.25", 0]), "n_tokens": self.rng.choice([5, "7", 2.9, 0, None]),
                "truncated": self.rng.choice([True, 1, False, None, "x"]),
                "input_tokens": self.rng.choice([None, 3, 0, "4"]), "output_tokens": self.rng.choice([None, 1])}.items()
                if self.rng.random() < 0.6})
        if self.rng.random() < 0.03:
            step["mine"] = self.value()
        return step

    def steps(self):
        steps = [self.step() for _ in range(self.rng.randint(0, 5))]
        return steps if self.rng.random() < 0.97 else steps + ["odd"]

    def final(self, steps):
        kind = self.rng.random()
        spoken = [s["text"] for s in steps if isinstance(s, dict) and isinstance(s.get("text"), str)]
        if kind < 0.35 and spoken:
            return spoken[-1]
        if kind < 0.42:
            return self.rng.choice(["", " ", None, 7, 0, False, "<think>only</think>"])
        if kind < 0.47:
            return self.words(60)
        return self.words()

    def verdict(self, row):
        rng = self.rng
        if rng.random() < 0.7:
            row["reward"] = rng.choice([0, 1, 1.0, 0.5, "1", " 0 ", True, False, None, "high", [1], 2, -1, "0.25", 0.0])
        for key, values in (("reason", ["why", "", None, 5]), ("grader_reason", ["gr", ""]),
                            ("judge_status", ["ok", "error", "", None]), ("failure_class", ["wrong", "", None]),
                            ("llm_reward", [None, 1, "0.5"]), ("llm_reason", ["maybe", None, ""]),
                            ("qwen_reward", [0, 1, None, "1", 0.5])):
            if rng.random() < 0.2:
                row[key] = rng.choice(values)
        if rng.random() < 0.3:
            row["judge_name"] = rng.choice(["J", "", None])
        if rng.random() < 0.3:
            row["label_source"] = rng.choice(["conduct", "given", None])
        if row.get("judge_status") == "ok" and "reward" not in row:
            row["reason"] = "why"           # an "ok" alone is a judgment to the package
        if rng.random() < 0.25:
            row["judge_meta"] = rng.choice([{"model": "x", "version": "2"}, {}, None, {"version": 3}])
            if row.get("judge_name") and row["judge_meta"] and rng.random() < 0.5:
                row["judge_meta"] = dict(row["judge_meta"], scorer_kind=rng.choice(["human", "rule", "other"]))

    def row(self):
        rng = self.rng
        row = {"prompt": rng.choice([self.words(), self.words(), "", "refund Order A-12"])}
        steps = self.steps()
        row["steps"] = steps
        row["final_text"] = self.final(steps)
        if rng.random() < 0.9:
            row["scenario_id"] = rng.choice(["s1", "s2", "é", 7, "", None])
        if row.get("scenario_id") and rng.random() < 0.2:
            row["task_id"] = rng.choice(["t", row["scenario_id"]])
        self.verdict(row)
        for key in AXES:
            if rng.random() < 0.08:
                row[key] = rng.choice([None, "ordinary", 1, False, ""])
        for key, values in (
                ("world_state", ["entity missing", "unknown", "unspecified", "", None, 5]),
                ("faults", [{"t": {"mode": "timeout", "rate": 0.5}, "x": "plain"}, {}, None, {"*": {"mode": "stale_result"}},
                            {"a": {"mode": ""}, "b": {"mode": "permission_denied"}}, {"a": {}}]),
                ("fault_detected", [True, False, None, 1]), ("rollout_index", [0, 1, "3", 2.7, None, True, "z"]),
                ("model_version", ["m", "", None]), ("policy_version", ["m@h", "", None]),
                ("markers", [{"a": 1, "b": True, "c": "0.5"}, {}, {"x": "odd", "y": 0.25, "z": False}, None]),
                ("conversation_id", ["c", "", None]), ("ts", [17, None]), ("lineage", [{"k": 1}, None]),
                ("quality", [0.5, 0, None]), ("quality_reason", ["q", "", None]), ("quality_scores", [{"a": 1}, {}]),
                ("tools", [[], [{"name": "x"}], None]), ("usage", [{"input_tokens": 1}, None]), ("spec_id", ["sp", "", None]),
                ("sampling", [{}, {"temperature": 1}, None]), ("token_logprobs", [[], [-1.0]]), ("logprob", [-1.5, None]),
                ("calibration", [{"n": 4, "pass_rate": 0.5}, {"n": 0}, None,
                                 {"n": "2", "pass_rate": "1", "student": {"name": "m"}, "pass_rate_ci95": [0, "1"]}]),
                ("seed", [3]), ("arm", ["a"]), ("privileged", [{"reference": "g", "tests": "t"}]),
                ("mine", [self.value()]), ("_scratch", [1])):
            if rng.random() < 0.15:
                row[key] = rng.choice(values)
        if rng.random() < 0.25:
            row["messages"] = rng.choice([[], [{"role": "user", "content": "u"}, {"role": "assistant", "content": "x"}],
                                          None, ["odd", {"role": "user", "content": "u"}]])
        if rng.random() < 0.5:
            row["schema_version"] = rng.choice(["1", 1, "0", None])
        elif not row.get("scenario_id"):
            row["schema_version"] = "1"     # other shapes have a generator of their own
        return row

    def spoken_steps(self):
        return [s for s in self.steps() if isinstance(s, dict) and s.get("text", "") is not None
                and s.get("user", "") is not None]

    def legacy(self):
        """A row of a shape that goes through decoding or the trace rules."""
        rng = self.rng
        row = {}
        shape = rng.choice(["training", "pull", "loose", "hf", "otel"])
        if shape == "training":
            row["messages"] = self.messages()
            row["group_id"] = "g"
        elif shape == "pull":
            row = {"prompt": self.words(), "tool_trace": [
                {"tool": rng.choice(TOOLS), rng.choice(["input", "args", "arguments"]): self.arguments(),
                 rng.choice(["output", "result", "response"]): self.result()} for _ in range(rng.randint(0, 3))],
                   "final_text": self.words()}
        elif shape == "loose":
            row = {rng.choice(["question", "input", "task", "ask", "prompt"]): self.words(),
                   rng.choice(["answer", "final", "output", "response"]): self.words()}
            if rng.random() < 0.3:
                row["steps"] = self.spoken_steps()
        elif shape == "hf":
            steps = [s for s in self.steps() if isinstance(s, dict)]
            row = {"prompt": self.words(), "steps_json": json.dumps(steps), "final_text": self.words(), "scenario_id": "s"}
            if rng.random() < 0.5:
                row["metadata_json"] = rng.choice(["{\"lang\": \"en\"}", "broken"])
            if rng.random() < 0.5:
                row["messages_json"] = json.dumps([{"role": "user", "content": "h"}])
        else:
            row = {"conversation_id": "c", "prompt": self.words(), "steps": self.steps(), "final_text": self.words()}
        if rng.random() < 0.6:
            row["reward"] = rng.choice([0, 1, True, "1", 1.0])
        if rng.random() < 0.3:
            row["mine"] = self.value()
        return row

    def messages(self):
        rng, out, ids = self.rng, [], []
        for _ in range(rng.randint(1, 5)):
            kind = rng.random()
            if kind < 0.35:
                out.append({"role": "user", "content": rng.choice([self.words(), "u", None, [
                    {"type": "text", "text": self.words()}, {"type": "image"}]])})
            elif kind < 0.75:
                message = {"role": "assistant", "content": rng.choice([self.words(), "", None])}
                if rng.random() < 0.6:
                    message["tool_calls"] = []
                    for _ in range(rng.randint(1, 3)):
                        ids.append(f"c{len(ids)}")
                        call = {"name": rng.choice(TOOLS), "arguments": rng.choice([
                            {"a": 1}, "{\"a\": 1}", "{bad", "[1]", "", {}])}
                        message["tool_calls"].append(rng.choice([dict(call, id=ids[-1]), {
                            "id": ids[-1], "type": "function", "function": call}, call]))
                out.append(message)
            elif kind < 0.95:
                message = {"role": "tool", "content": rng.choice(["{\"ok\": true}", "text", "5", "[1, 2]", "", "null"])}
                if ids and rng.random() < 0.7:
                    message["tool_call_id"] = rng.choice(ids)
                if rng.random() < 0.4:
                    message["name"] = rng.choice(TOOLS)
                out.append(message)
            else:
                out.append({"role": "system", "content": "S"})
        return out


# ---- the conversation, as the specification has it --------------------------------------------------------

def text_of(value):
    return str(value) if value else ""


def spoken(text):
    return ref_text.split_reasoning(text)[0].strip()


def conversation(row):
    """Our rule, from its text (rows 5)."""
    out = []
    if text_of(row.get("opener")):
        out.append({"role": "assistant", "content": text_of(row["opener"])})
    prompt = text_of(row.get("prompt"))
    if prompt:
        out.append({"role": "user", "content": prompt})
    steps = [s for s in row.get("steps") or [] if isinstance(s, dict)] if isinstance(row.get("steps"), list) else []
    for i, step in enumerate(steps):
        if step.get("user"):
            if i == 0 and prompt and str(step["user"]) == prompt:
                continue
            out.append({"role": "user", "content": str(step["user"])})
        elif step.get("tool"):
            out.append({"role": "assistant", "content": text_of(step.get("text")),
                        "tool_calls": [{"name": step["tool"], "arguments": step.get("arguments") or {}}]})
            result = step.get("result")
            out.append({"role": "tool", "name": step["tool"],
                        "content": result if isinstance(result, str) else json.dumps(result)})
        elif text_of(step.get("text")):
            out.append({"role": "assistant", "content": text_of(step["text"])})
    final = text_of(row.get("final_text"))
    said = any(m["role"] == "assistant" and (m["content"] == final or spoken(final) and spoken(m["content"]) == spoken(final))
               for m in out)
    if final and not said:
        if out and out[-1]["role"] == "assistant":
            if not out[-1]["content"].strip():
                out[-1]["content"] = final
                return out
            if not spoken(final):
                return out
        out.append({"role": "assistant", "content": final})
    elif not final.startswith("<agent error"):
        while len(out) > 1 and out[-1]["role"] == "user":
            out.pop()
    return out


def loses_turns(row):
    """The package's conversation leaves something out here, or says it twice."""
    own, theirs = conversation(row), ref_data.conversation(row)
    steps = [s for s in row["steps"] if isinstance(s, dict)]
    twice = bool(steps) and bool(steps[0].get("user")) and str(steps[0]["user"]) == text_of(row["prompt"])
    return twice or len(own) != len(theirs)


# ---- running -----------------------------------------------------------------------------------------------

class Run:
    def __init__(self, folder):
        self.folder, self.passed, self.failed = folder, 0, 0

    def rows(self, verb, rows, *args, exits=(0,)):
        text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
        done = subprocess.run([os.path.join(self.folder, "wai-rows"), verb, *args], input=text.encode(),
                              capture_output=True)
        if done.returncode not in exits:
            raise SystemExit(f"wai-rows {verb} {args}: exit {done.returncode}: {done.stderr.decode()[-2000:]}")
        return done.stdout.decode()

    def lines(self, *args, **kwargs):
        return [json.loads(line) for line in self.rows(*args, **kwargs).splitlines()]

    def check(self, what, got, want, row):
        if strict(got, want):
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 8:
            print(f"{what}:\n  row  {json.dumps(row, ensure_ascii=False)}\n  got  {json.dumps(got, ensure_ascii=False)}\n"
                  f"  want {json.dumps(want, ensure_ascii=False)}")


def facts(run, rows):
    got = run.lines("convert", rows, "--to", "keep", "--add", "fault,signature,usable,criteria,aim,reasoning", "-q")
    for row, out in zip(rows, got, strict=True):
        run.check("fault", out["trace_fault"], ref_grading.trace_fault(row), row)
        run.check("signature", out["behavior_signature"], ref_grading.behavior_signature(row), row)
        run.check("usable", out["unusable_reason"], ref_rows._unusable_reason(row), row)
        run.check("criteria", out["failed_criteria"], ref_rows.failed_criteria(row), row)
        run.check("aim", out["mutation_worthy"], ref_rows.mutation_worthy(row), row)
        final = row.get("final_text")
        said, closed, unclosed = ref_text.split_reasoning("" if final is None else str(final))
        run.check("reasoning", [out["spoken_text"], out["reasoning"]], [said, {"closed": closed, "unclosed": unclosed}], row)


def quantities_row(maker):
    """A row with what gold, calls and replies are read from."""
    rng, row = maker.rng, maker.row()
    if rng.random() < 0.7:
        row["messages"] = [{"role": "user", "content": "u"}]
        for _ in range(rng.randint(0, 4)):
            message = {"role": rng.choice(["user", "assistant", "tool", "system"]),
                       "content": rng.choice([maker.words(), "", None, maker.words(40)])}
            if message["role"] == "assistant" and rng.random() < 0.3:
                message["tool_calls"] = [rng.choice([{"name": "t", "arguments": {"a": 1}}, {"name": 5}, {"arguments": "[1]"},
                                                     {"id": "x", "function": {"name": "é", "arguments": "{\"b\": 1.5}"}}])]
            row["messages"].append(message)
    for key, values in (("finish_reason", ["length", "stop", None]), ("tool_trace", [[{"tool": "z", "input": {"q": 1}}]]),
                        ("reason", ["The text is TRUNCATED", "it was  cut\toff", "fine", ""]), ("steps", [[]]),
                        (rng.choice(["reference", "answer", "target", "solution", "label", "expected"]), [None, 0, "g", [1]]),
                        (rng.choice(["info", "metadata"]), [{"answer": 1}, {"label": None}, {"x": 1}, "text"]),
                        ("final_text", [maker.words(60) + end for end in ("", ".", " and", "\n42", "\nbest\nSam")])):
        if rng.random() < 0.25:
            row[key] = rng.choice(values)
    return row


def quantities(run, rows):
    """Facts that the graders and scans read, through the driver of the library's functions."""
    driver = os.path.join(run.folder, "wai-unit")
    if not os.path.exists(driver):
        print("skipped quantities: no wai-unit")
        return
    done = subprocess.run([driver, "row_facts"], input="".join(json.dumps(r) + "\n" for r in rows).encode(),
                          capture_output=True, check=True)
    for row, got in zip(rows, map(json.loads, done.stdout.splitlines()), strict=True):
        gold, privileged = ref_verify._reference_with_source(row)
        want = {"n_tool_calls": ref_hygiene.tool_calls(row), "is_truncated": ref_hygiene.is_truncated(row),
                "candidate": ref_verify.candidate_text(row), "gold": gold, "privileged": privileged,
                "tool_calls": [[c.name, c.arguments, c.id or ""] for c in ref_verify.tool_calls(row)]}
        if row.get("messages") or not (row.get("opener") or loses_turns(row)):
            want.update(reply_length=ref_hygiene.reply_length(row), assistant_turns=ref_hygiene.assistant_turns(row),
                        assistant_text=ref_style.assistant_text(row))
        for key, value in want.items():
            run.check(key, got[key], value, row)


def settle(got, want, row):
    """Takes out of `got` what ours keeps and the package loses, where it is what the input had."""
    got, want = copy.deepcopy(got), copy.deepcopy(want)
    for key in KEPT:
        if key in got and key not in want and strict(got[key], row.get(key)):
            del got[key]
    if row.get("reward") is not None and got.get("judge_status") == "invalid_result":
        meta = dict(got.get("judge_meta") or {})
        if strict(meta.pop("raw_reward", None), row["reward"]):
            got["judge_meta"] = meta
            if not meta and not want.get("judge_meta"):
                got.pop("judge_meta")
                want.pop("judge_meta", None)
    for key in ("markers", "faults"):
        if isinstance(row.get(key), dict) and isinstance(got.get(key), dict):
            odd = {k: v for k, v in got[key].items() if k not in want.get(key, {}) and strict(v, row[key].get(k))}
            got[key] = {k: v for k, v in got[key].items() if k not in odd}
            if not got[key] and key not in want:
                del got[key]
    steps = row.get("steps") or json.loads(row.get("steps_json", "null"))
    if isinstance(steps, list):
        for mine, ours in zip(got["steps"], [s for s in steps if isinstance(s, dict)]):
            if "mine" in ours and strict(mine.get("mine"), ours["mine"]):
                del mine["mine"]
    for key in ("llm_reward", "qwen_reward"):
        if key in got and strict(got[key], row.get(key)) and want.get(key) is None:
            want[key] = got[key]
    return got, want


def conversion(run, rows):
    text = run.rows("convert", rows, "-q")
    again = subprocess.run([os.path.join(run.folder, "wai-rows"), "convert", "-q"], input=text.encode(), capture_output=True)
    for row, a, b in zip(rows, text.splitlines(), again.stdout.decode().splitlines(), strict=True):
        run.check("a converted row changes no byte", b, a, row)
    for row, out in zip(rows, map(json.loads, text.splitlines()), strict=True):
        want = json.loads(json.dumps(ref.to_row(*ref.from_row(copy.deepcopy(row)))))
        messages = out["messages"]
        own = row.get("messages")
        if own or row.get("messages_json"):
            run.check("messages carried", messages, want["messages"], row)
        else:
            built = dict(row, steps=out["steps"], prompt=out["prompt"], final_text=out["final_text"])
            run.check("messages", messages, conversation(built), row)
            if not loses_turns(built):
                run.check("messages as the package has them", messages, ref_data.conversation(built), row)
        del out["messages"], want["messages"]
        run.check("v1", *settle(out, want, row), row)


def wire(run, rows):
    kept, wants = [], []
    for row in rows:
        row = {k: v for k, v in row.items() if k != "opener"}
        if row.get("final_text") is None or not isinstance(row.get("steps"), list):
            continue
        try:
            wants.append(ref_data.export_row(copy.deepcopy(row)))
        except ValueError:
            continue
        kept.append(row)
    for row, want, got in zip(kept, wants, run.lines("convert", kept, "--to", "wire", "-q"), strict=True):
        if not row.get("messages"):
            run.check("wire messages", got["messages"], conversation(row), row)
            del got["messages"], want["messages"]
        run.check("wire", got, want, row)


def objects(run, rows):
    direct = run.lines("convert", rows, "-q")
    back = run.lines("convert", run.lines("convert", rows, "--to", "objects", "-q"), "--from", "objects", "-q")
    for row, a, b in zip(rows, direct, back, strict=True):
        run.check("back from objects", b, a, row)
    tasks = run.lines("convert", rows, "--to", "tasks", "-q")
    seen = {}
    for row in rows:
        if not row.get("scenario_id") and row.get("task_id"):
            continue
        task = ref.as_dict(ref.from_row(copy.deepcopy(row))[0])
        seen.setdefault(task["task_id"], task)
    run.check("tasks", [t["task_id"] for t in tasks], list(seen), None)


def ids(run, rows):
    got = run.lines("convert", rows, "--add", "id", "-q")
    for row, out in zip(rows, got, strict=True):
        run.check("rollout id", out["rollout_id"], ref.from_row(copy.deepcopy(row))[1].rollout_id, row)


def problems(run, rows, kind):
    report = json.loads(run.rows("check", rows, "--json", "--kind", kind, "--examples", str(len(rows)), exits=(0, 1)))
    named = {bad["row"]: bad["problems"] for bad in report["bad"]}
    for i, row in enumerate(rows):
        run.check(f"problems of kind {kind}", named.get(i, []), ref.validate(row, kind), row)
    shapes = {}
    for row in rows:
        shapes[ref.detect_shape(row)] = shapes.get(ref.detect_shape(row), 0) + 1
    run.check("shapes", report["shapes"], shapes, None)


def hash_split(run, maker, rows):
    share = maker.rng.choice([0.1, 0.2, 0.35, 0.5, 0.9])
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            train, held = ref_platform.split_holdout(copy.deepcopy(rows), share)
        except ref_platform.PlatformError:
            train = None
    got = run.rows("split", rows, "--holdout", str(share), "--print", "held", "-q", exits=(0, 3))
    if train is None:
        run.check("hash split leaves nothing", None, None, None)
        return
    run.check("hash split", [json.loads(x) for x in got.splitlines()], held, {"share": share})


def production_split(run, maker, rows):
    share = maker.rng.choice([0.0, 0.1, 0.3, 0.5, 1.0])
    seed = maker.rng.randint(0, 5)
    held, train = ref_traces.split_pseudo_production(rows, fraction=share, seed=seed)
    for side, want in (("held", held), ("train", train)):
        got = run.lines("split", rows, "--by", "production", "--holdout", str(share), "--seed", str(seed), "--print", side,
                        "-q")
        run.check(f"production split, {side}", got, want, {"share": share, "seed": seed})


def bench(run, maker, count):
    rng = maker.rng
    prompts, replies, rewards, golds, marks = [], [], [], [], []
    for i in range(count):
        ask = f"{i} {maker.words()}"
        prompts.append(ask if rng.random() < 0.6 else [{"role": "system", "content": "S"}, {"role": "user", "content": ask}]
                       + ([{"role": "assistant", "content": "x"}] if rng.random() < 0.3 else []))
        k = rng.randint(1, 4)
        replies.append([f"r{j} {maker.words()}" for j in range(k)])
        rewards.append([rng.choice([0, 1, 0.5, True, "1", "0.25", 1.0]) for _ in range(k)])
        golds.append(rng.choice([None, "g", 5, ["a", 1]]))
        marks.append([rng.choice([None, {"a": 1, "b": "0.5", "c": True}]) for _ in range(k)])
    want = ref.rows(prompts, replies, rewards, references=golds, markers=marks)
    items = [{"question": p, "answers": c, "scores": r, "gold": g, "marks": m}
             for p, c, r, g, m in zip(prompts, replies, rewards, golds, marks)]
    got = run.lines("bench", items, "--completion", "answers", "--reward", "scores", "--markers", "marks",
                    "--columns", "none", "-q")
    for a, b in zip(got, [json.loads(json.dumps(dict(r))) for r in want], strict=True):
        run.check("bench", a, b, a)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    maker = Maker(random.Random(given.seed))
    run = Run(given.bin)
    rows = [maker.row() for _ in range(given.cases)]
    legacy = [maker.legacy() for _ in range(given.cases // 2)]
    facts(run, rows)
    quantities(run, [quantities_row(maker) for _ in rows])
    conversion(run, rows)
    conversion(run, legacy)
    wire(run, rows)
    objects(run, rows)
    ids(run, rows)
    problems(run, rows + legacy, "row")
    problems(run, [{"messages": maker.messages(), "tools": maker.rng.choice([None, [], "x"]),
                    "loss_mask": maker.rng.choice([None, [1], [1, 0], [True], [1.0], "x", []])} for _ in rows[:300]],
             "training")
    problems(run, [{"prompt": "p", "chosen": maker.rng.choice([[], [1], None]), "rejected": maker.rng.choice([[2], "x"])}
                   for _ in rows[:100]], "preference")
    for at in range(0, len(rows), 100):
        part = rows[at:at + 100]
        hash_split(run, maker, part)
        production_split(run, maker, part)
    bench(run, maker, max(10, given.cases // 10))
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
