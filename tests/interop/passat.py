#!/usr/bin/env python3
"""wai-passat against the package's pass_at, marker_summary and group_signal on random row files.

    passat.py --bin DIR [--cases N] [--seed S] [--keep FOLDER]

Ragged groups, nulls, booleans, numeric text, partial rewards, markers of every kind, keys in any script,
judge statuses, settings that agree and that do not. Numbers must agree to 1e-12, everything else exactly;
the order of per_task too. Where the two differ on purpose, the package gets what wai-passat says it reads:

  - marker values that are infinite or not a number: dropped and counted here, they poison the mean there
  - a setting whose value is a list or an object, an integer reward beyond the range of doubles: the package
    ends with an exception, so neither is made here

A case that disagrees is shown with the seed that makes it again. --keep leaves its rows in FOLDER.
"""
import json
import math
import os
import random
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import SHOWN, Count, options  # noqa: E402

import whileai.simulations as wai

TOLERANCE = 1e-12
ODD_KEYS = ["", "é", "日本", "a b", "x\ny", "\u2028", "\U0001f600", "0", "1", "1.0", "Z", "z", "\u00a0", "a/b", "\x7f", "'q'", "\\"]
SPACES = ["", " ", "\t", "\u00a0", "\u3000", "\x1c", "\u2003\n"]


class Maker:
    def __init__(self, seed):
        self.r = random.Random(f"passat/{seed}")
        self.kinds = self.r.sample(["binary", "text", "odd", "partial", "bool", "none"], self.r.randint(1, 3))
        if self.r.random() < 0.8:
            self.kinds = ["binary"] * 4 + self.kinds
        self.settings = self.r.random() < 0.6
        self.mixed = self.r.random() < 0.4
        self.replies = self.r.random() < 0.5
        self.judged = self.r.random() < 0.3
        self.markers = self.r.sample(["ok", "words", "score", "rare", "é", "always", "null", "a/b"], self.r.randint(0, 4))

    def tasks(self):
        r = self.r
        n = r.choice([0, 1, 2, 3, 3, 4, 5, 6, 8, 12, 20, 35])
        made = []
        for i in range(n):
            way = r.random()
            if way < 0.5:
                key = {"task_id": f"t{i}"}
            elif way < 0.65:
                key = {"scenario_id": r.choice(ODD_KEYS + [i, i + 0.5, -0.0, True, False, 10 ** 22, 1e16, 1e-7, 12345678901234567890123]),
                       "task_id": f"u{i}"}
            elif way < 0.75:
                key = {"prompt": r.choice(ODD_KEYS) + str(i)}
            elif way < 0.85:
                key = {"scenario_id": r.choice([None, "", 0, 0.0, [], {}, False]), "prompt": f"ask {i}"}
            elif way < 0.95:
                key = {"task_id": r.choice([["a", i, None, {"k": 1.5}], {"n": i, "t": True, "q": "it's"}, ['"', "'\""], [1e300, -1e-9]])}
            else:
                key = {}
            made.append(key)
        return made

    def reward(self):
        r, kind = self.r, self.r.choice(self.kinds)
        if kind == "binary":
            return r.choice([0, 1, 1, 0.0, 1.0])
        if kind == "text":
            return r.choice(["1", "0", " 1 ", "1.0", "1e0", "-0", "0.50", "abc", "", "1_0", "0x1", "\u00a01\u2003", "infinity", "nan", ".0", "1.", "1_", "+1", "１"])
        if kind == "odd":
            return r.choice([[1], {"v": 1}, float("nan"), float("inf"), -0.0, 2, -1, 10 ** 300, 1e-320])
        if kind == "partial":
            return r.choice([0.5, 0.25, 0.75, 1 / 3])
        if kind == "bool":
            return r.random() < 0.5
        return None

    def marker(self, name):
        r = self.r
        if name == "always":
            return 1
        if name == "null":
            return None
        if name == "words":
            return r.choice([r.randint(1, 90), float(r.randint(1, 90)), str(r.randint(1, 9))])
        if name == "score":
            return r.choice([r.random(), r.gauss(0, 10), 1e9 * r.random(), 1e-9])
        if name == "rare":
            return r.choice([None, None, "x", [1], float("nan"), float("-inf"), 0, 1, True])
        return r.choice([0, 1, True, False, None, "1", " 0 "])

    def reply(self, row):
        r = self.r
        words = ["yes", "", " ", "<think>a</think> done", "<think>a", "<THINK>b</Think>\n\nok<think>", "x <think>y</think>",
                 "<think></think>", "\u3000", "\u00e9t\u00e9", "a < b", "<think>one<think>two</think>three</think>", "</think>only", "\\u003c", "\x1c\x1d"]
        if r.random() < 0.7:
            row["final_text"] = r.choice(words + [None, 7])
        if r.random() < 0.4:
            row["messages"] = [{"role": r.choice(["assistant", "user", "tool", "Assistant"]), "content": r.choice(words + [None, ["x"]])}
                               for _ in range(r.randint(0, 4))] + r.choice([[], ["text"], [None]])
        if r.random() < 0.6:
            row["finish_reason"] = r.choice(["stop", "length", "stop", None, 5, "LENGTH"])

    def configure(self, row):
        r = self.r
        pick = (lambda *v: r.choice(v)) if self.mixed else (lambda *v: v[0])
        if r.random() < 0.9:
            row["sampling"] = pick({"temperature": 1, "max_tokens": 256}, {"temperature": 1.0, "max_tokens": 256.0},
                                   {"temperature": True, "max_tokens": "256"}, {"temperature": 0}, "hot", None, [1], {})
        if r.random() < 0.9:
            row["policy_version"] = pick("m@abc", "m@abc", "m", "m@", "@", 5, None, "", 0, "a@b@c", True)
        if r.random() < 0.7:
            row["judge_meta"] = pick({"version": "j1"}, {"version": "j1"}, {"version": 0}, {}, None, {"version": 2}, "x")
        if r.random() < 0.7:
            row["lineage"] = pick({"judge_version": "j1", "system_prompt_sha": "abc"}, {"system_prompt_sha": None},
                                  {"system_prompt_sha": ""}, {}, None, {"judge_version": "j9"}, {"system_prompt_sha": 5})
        if r.random() < 0.7:
            row["user_model"] = pick("u", "u", 1, True, None, "")
        if r.random() < 0.7:
            row["writer_model"] = pick("pinned", "pinned", "w", "seed", None, 3)

    def rows(self):
        r, rows = self.r, []
        sizes = [r.choice([1, 2, 3, 4, 4, 5, 8, 60])] * 2 + [r.choice([1, 2, 3, 4, 4, 4, 4, 6])]
        for key in self.tasks():
            for _ in range(r.choice(sizes)):
                row = dict(key)
                if r.random() < 0.95:
                    row["reward"] = self.reward()
                if r.random() < 0.15:
                    row["qwen_reward"] = self.reward()
                if self.settings:
                    self.configure(row)
                if self.replies:
                    self.reply(row)
                if self.judged and r.random() < 0.8:
                    row["judge_status"] = r.choice(["ok", "error", "timeout", None, 0, ["x"]])
                    row["reason"] = r.choice(["because", None, ""])
                if self.markers and r.random() < 0.9:
                    row["markers"] = {m: self.marker(m) for m in self.markers if r.random() < 0.9}
                elif r.random() < 0.1:
                    row["markers"] = r.choice([None, "x", [1]])
                rows.append(row)
        if r.random() < 0.3:
            r.shuffle(rows)
        return rows

    def options(self):
        r = self.r
        k = r.choice([None, None, None, 1, 2, 3, 4, 5, 7, 30])
        return {"k": k, "min_k": r.choice([4, 4, 1, 2, 0, 8]), "unanimous_short": r.random() < 0.3,
                "band": r.choice([(0.2, 0.8), (0.0, 1.0), (0.25, 0.5)]), "n_boot": r.choice([2000, 40, 7, 1]), "draw": r.choice([0, 1, 3 ** 40])}


def text_of(rows, r):
    lines = []
    for row in rows:
        text = json.dumps(row, ensure_ascii=r.random() < 0.5, separators=r.choice([(",", ":"), (", ", ": ")]))
        if row and r.random() < 0.05:                       # a member twice: the last one wins
            name = r.choice(list(row))
            text = "{" + json.dumps(name) + ': "first", ' + text[1:]
        lines.append(text)
    return "\n".join(lines)


def finite_markers(rows):
    """The rows as wai-passat reads their markers."""
    def clean(value):
        try:
            number = float(value)
        except (TypeError, ValueError):
            return value
        return value if math.isfinite(number) else None
    return [dict(row, markers={k: clean(v) for k, v in row["markers"].items()}) if isinstance(row.get("markers"), dict) else row
            for row in rows]


def ours(binary, text, options, extra=()):
    command = [binary, "--json", "--min-k", str(options["min_k"]), "--signal", "--per-task", "--markers",
               "--band", "%r,%r" % options["band"], *extra]
    if options["k"] is not None:
        command += ["-k", str(options["k"])]
    if options["unanimous_short"]:
        command.append("--unanimous-short")
    done = subprocess.run(command, input=text.encode("utf-8", "surrogatepass"), capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')}")
    return json.loads(done.stdout)


def theirs(rows, options):
    result = wai.pass_at(rows, k=options["k"], min_k=options["min_k"], unanimous_short=options["unanimous_short"])
    expected = result.to_dict()
    expected["per_task"] = list(result.per_task.items())
    expected["signal"] = wai.group_signal(rows, lo=options["band"][0], hi=options["band"][1])
    return expected


def same(want, got, path, wrong):
    if isinstance(want, float) and not math.isfinite(want):
        want = None
    if isinstance(want, bool) or isinstance(got, bool) or want is None or got is None or isinstance(want, str):
        if want is not got and not (want == got and type(want) is type(got)):
            wrong.append(f"{path}: {got!r}, not {want!r}")
    elif isinstance(want, (int, float)):
        if not isinstance(got, (int, float)) or abs(want - got) > TOLERANCE * max(1.0, abs(want)):
            wrong.append(f"{path}: {got!r}, not {want!r}")
    elif isinstance(want, dict):
        for key, value in want.items():
            if key not in got:
                wrong.append(f"{path}.{key}: missing")
            else:
                same(value, got[key], f"{path}.{key}", wrong)
    elif isinstance(want, (list, tuple)):
        if len(want) != len(got):
            wrong.append(f"{path}: {len(got)} items, not {len(want)}")
        for i, (a, b) in enumerate(zip(want, got)):
            same(a, b, f"{path}[{i}]", wrong)
    else:
        wrong.append(f"{path}: {type(want)}")


def check(binary, seed):
    maker = Maker(seed)
    rows, options = maker.rows(), maker.options()
    text = text_of(rows, maker.r)
    rows = [json.loads(line) for line in text.split("\n") if line]
    wrong = []
    expected, got = theirs(rows, options), ours(binary, text, options)
    note = expected.pop("note")
    if bool(note) != bool(got["note_codes"]) or bool(note) != bool(got["note"]):
        wrong.append(f"note: {got['note_codes']}, not {note!r}")
    got["per_task"] = list(got["per_task"].items())
    same(expected, got, "", wrong)
    # Markers with a number of draws and a seed of their own: the package lets them be set here.
    extra = ["--n-boot", str(options["n_boot"]), "--seed", str(options["draw"])]
    markers = wai.marker_summary(finite_markers(rows), n_boot=options["n_boot"], seed=options["draw"])
    drawn = ours(binary, text, options, extra)
    if list(markers) != list(drawn["markers"]):
        wrong.append(f"markers: {list(drawn['markers'])}, not {list(markers)}")
    for name, want in markers.items():
        want = {k: v for k, v in want.items() if k not in ("note", "warning")}
        same(want, drawn["markers"].get(name, {}), f".markers[{name!r}]", wrong)
    return wrong, text, options


def main():
    given = options(1000, "--keep")
    binary = os.path.join(given.bin, "wai-passat")
    count = Count()
    for case in range(given.seed, given.seed + given.cases):
        try:
            wrong, text, asked = check(binary, case)
        except Exception as error:                          # noqa: BLE001: a case that cannot run disagrees
            wrong, text, asked = [f"{type(error).__name__}: {error}"], None, None
        count.add(not wrong)
        if wrong and count.failed <= SHOWN:
            print(f"case {case} {asked}: " + "; ".join(wrong[:4]))
        if wrong and given.keep and text is not None:
            with open(os.path.join(given.keep, f"{case}.jsonl"), "w", encoding="utf-8", errors="surrogatepass") as out:
                out.write(text)
    count.close()


if __name__ == "__main__":
    main()
