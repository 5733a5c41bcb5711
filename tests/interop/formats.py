#!/usr/bin/env python3
"""wai-export's files for Axolotl and LLaMA-Factory in their own readers: Axolotl's chat_template strategy puts labels
on the turns marked `training` and on no other; LLaMA-Factory's sharegpt converter takes every row that is written,
and passes over just those conversations that wai-export leaves out.

    tests/interop/formats.py --bin DIR [--cases N] [--seed S]

Both packages are installed without what they depend on: their readers need little of it.
"""
import argparse
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from unittest.mock import MagicMock

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", CUDA_VISIBLE_DEVICES="", AXOLOTL_DO_NOT_TRACK="1")
warnings.filterwarnings("ignore")
PACKAGES = ["llamafactory==0.9.5", "axolotl==0.19.0"]
BETWEEN = "\n</tool_response>\n<tool_response>\n"
TEMPLATE = (
    "{%- if tools %}<tools>{{ tools | tojson }}\n{% endif %}"
    "{%- for message in messages %}<{{ message['role'] }}>{{ message['content'] }}"
    "{%- if message['tool_calls'] %}{%- for call in message['tool_calls'] %}"
    "<call>{{ call['function']['name'] }}{{ call['function']['arguments'] | tojson }}{% endfor %}{% endif %}"
    "{%- if message['role'] == 'assistant' %}<eos>{% endif %}\n{%- endfor %}"
    "{%- if add_generation_prompt %}<assistant>{% endif %}")
TOOLS = [{"name": "get", "description": "d", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}},
         {"name": "search", "parameters": {"type": "object", "properties": {"words": {"type": "array", "items": {"type": "string"}},
                                                                          "limit": {"type": "integer"}}}}]


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for packages that only other parts of a trainer need."""

    names = set()

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in self.names else None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__, module.__spec__, module.__name__, module.__version__, module.__file__ = [], spec, spec.name, "1.0", "x"
        return module

    def exec_module(self, module):
        pass


def load(name):
    own = name.split(".")[0]
    for _ in range(80):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as e:
            root = e.name.split(".")[0]
            if root in Missing.names or root == own:
                raise
            Missing.names.add(root)
            for module in [m for m in sys.modules if m.split(".")[0] == own]:
                del sys.modules[module]
    raise ImportError(name)


def conversation(r):
    """Turns in any order, good ones more often."""
    turns, calls = [], 0
    if r.random() < .3:
        turns.append({"role": "system", "content": "Be brief."})
    role = "user" if r.random() < .9 else "assistant"
    for _ in range(r.randint(1, 8)):
        if role == "user":
            turns.append({"role": "user", "content": r.choice(["Where?", "caf\u00e9", "Thanks"])})
            role = "assistant" if r.random() < .95 else "user"
        elif role == "assistant":
            turn = {"role": "assistant", "content": r.choice(["", "One moment."])}
            if r.random() < .5:
                turn["tool_calls"] = []
                for _ in range(r.choice([1, 1, 2])):
                    name, arguments = r.choice([("get", {"id": "A-1"}), ("search", {"words": ["a", "\u00e9"], "limit": 3}), ("search", {})])
                    turn["tool_calls"].append({"id": f"c{calls}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}})
                    calls += 1
                role = "tool" if r.random() < .95 else "user"
            else:
                turn["content"] = f"Answer {r.randint(0, 99)} is there."
                role = "user" if r.random() < .95 else "assistant"
            turns.append(turn)
        else:
            for call in turns[-1].get("tool_calls", [])[:r.choice([9, 9, 1])]:
                turns.append({"role": "tool", "tool_call_id": call["id"], "content": r.choice(["{\"status\": \"ok\"}", "nothing"])})
            role = "assistant" if r.random() < .95 else "user"
    return turns


def naive(turns):
    """The conversation turn by turn as LLaMA-Factory writes it, alternating or not."""
    out, last = [], max((i for i, t in enumerate(turns) if t["role"] == "assistant"), default=-1)
    for i, turn in enumerate(turns[:last + 1]):
        if turn["role"] == "tool" and i and turns[i - 1]["role"] == "tool":
            out[-1]["value"] += BETWEEN + turn["content"]
        elif turn["role"] != "system":
            kind = {"user": "human", "tool": "observation"}.get(turn["role"], "function_call" if turn.get("tool_calls") else "gpt")
            out.append({"from": kind, "value": turn["content"]})
    return out


class Checks:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.passed, self.failed = binary, folder, 0, 0

    def note(self, what, good, why=""):
        self.passed += bool(good)
        self.failed += not good
        if not good and self.failed < 10:
            print(f"FAILED {what}: {why}"[:2000])

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, name, rows, *options):
        with open(self.path("in.jsonl"), "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows)
        done = subprocess.run([os.path.join(self.binary, "wai-export"), "-q", "-o", self.path(name), "--report", self.path("report"),
                               "--no-validate", *options, self.path("in.jsonl")], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        with open(self.path("report")) as f:
            report = json.load(f)
        return report, list(datasets.load_dataset("json", data_files=self.path(name), split="train", cache_dir=self.path("cache." + name)))


def reader(report):
    """LLaMA-Factory's converter, set up by the entry that the report holds."""
    converter, parser = load("llamafactory.data.converter"), load("llamafactory.data.parser")
    converter.logger.warning_rank0 = lambda *_: None
    attributes = parser.DatasetAttr("file", dataset_name="x")
    attributes.join(report["dataset_info"])
    return converter.SharegptDatasetConverter(attributes, MagicMock(media_dir="."))


def calls_of(text):
    calls = json.loads(text)
    return [(c["name"], c["arguments"]) for c in (calls if isinstance(calls, list) else [calls])]


def check_llamafactory(c, r, n):
    sources = [conversation(r) for _ in range(n)] + [[{"role": "user", "content": "p"}, {"role": "assistant", "content": "a"}]]
    report, rows = c.export("lf.jsonl", [{"messages": turns, "reward": 1} for turns in sources], "-f", "llamafactory", "--tools", json.dumps(TOOLS))
    read, left = reader(report), list(rows)
    for turns in sources:
        wanted = read({"conversations": naive(turns), "system": "", "tools": ""})
        keeps = bool(wanted["_response"])
        got = left.pop(0) if keeps and left else None
        c.note("llamafactory: the rows that its reader takes", bool(got) == keeps, turns)
        if not got:
            continue
        made = read(got)
        c.note("llamafactory: turns", [m["role"] for m in made["_prompt"] + made["_response"]] == [m["role"] for m in wanted["_prompt"] + wanted["_response"]], got)
        system = turns[0]["content"] if turns[0]["role"] == "system" else ""
        c.note("llamafactory: system and tools", made["_system"] == system and [t["function"]["name"] for t in json.loads(made["_tools"])] == ["get", "search"], made)
        ours = [calls_of(m["content"]) for m in made["_prompt"] + made["_response"] if m["role"] == "function"]
        said = [[(x["function"]["name"], json.loads(x["function"]["arguments"])) for x in t["tool_calls"]] for t in turns if t.get("tool_calls")][:len(ours)]
        c.note("llamafactory: calls", ours == said, f"{ours} against {said}")
        texts = [(a["content"], b["content"]) for a, b in zip(made["_prompt"] + made["_response"], wanted["_prompt"] + wanted["_response"]) if a["role"] != "function"]
        c.note("llamafactory: texts", all(a == b for a, b in texts), texts)
    c.note("llamafactory: no row beside them", not left, len(left))
    base = [{"role": "user", "content": "p"}]
    ends = [base + [{"role": "assistant", "content": text}] for text in ("good", "bad")]
    report, rows = c.export("kto.jsonl", [{"messages": m, "reward": 1 - i} for i, m in enumerate(ends)], "--kind", "kto", "-f", "llamafactory")
    made = [reader(report)(row)["_response"] for row in rows]
    c.note("llamafactory: kto", [[m["content"] for m in x] for x in made] == [["good", ""], ["", "bad"]], made)
    pair = {"prompt": "p", "chosen": {"messages": ends[0]}, "rejected": {"messages": ends[1]}}
    report, rows = c.export("dpo.jsonl", [pair], "--kind", "preference", "-f", "llamafactory", "--tools", json.dumps(TOOLS))
    made = reader(report)(rows[0])
    c.note("llamafactory: preference", [m["content"] for m in made["_response"]] == ["good", "bad"] and made["_prompt"][0]["content"] == "p", made)


def tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    letters = {letter: i for i, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab={**letters, "<pad>": 256, "<eos>": 257}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", chat_template=TEMPLATE)


def check_axolotl(c, r, n):
    module = load("axolotl.prompt_strategies.chat_template")
    words = tokenizer()
    prompter = module.ChatTemplatePrompter(words, chat_template=TEMPLATE, message_field_training="training", max_length=8193)
    strategy = module.ChatTemplateStrategy(prompter, tokenizer=words, train_on_inputs=False, sequence_len=8192, roles_to_train=["assistant"])
    sources = []
    while len(sources) < n:
        turns = conversation(r)
        while turns and turns[-1]["role"] != "assistant":
            turns.pop()
        texts = [t["content"] for t in turns if t["role"] == "assistant"]
        # Its search for the turns in the text wants words to find.
        if turns and all(texts) and len(set(texts)) == len(texts) and turns[0]["role"] != "assistant":
            sources.append(turns)
    for mode in ("assistant", "final"):
        _, rows = c.export(f"ax-{mode}.jsonl", [{"messages": turns, "reward": 1} for turns in sources], "-f", "axolotl", "--mask-mode", mode,
                           "--tools", json.dumps(TOOLS))
        c.note(f"axolotl {mode}: every row", len(rows) == len(sources), len(rows))
        for turns, row in zip(sources, rows):
            made = strategy.tokenize_prompt(row)
            trained = words.decode([t for t, label in zip(made["input_ids"], made["labels"]) if label != -100])
            texts = [t["content"] for t in turns if t["role"] == "assistant"]
            wanted = texts if mode == "assistant" else texts[-1:]
            c.note(f"axolotl {mode}: what is trained on", all(t in trained for t in wanted) and not any(t in trained for t in texts if t not in wanted), f"{trained} against {wanted}")
            whole = words.decode(made["input_ids"])
            calls = [x["function"] for t in turns for x in t.get("tool_calls") or []]
            c.note(f"axolotl {mode}: calls and tools reach the template", all(f"<call>{x['name']}" + json.dumps(json.loads(x["arguments"]), ensure_ascii=False) in whole for x in calls)
                   and whole.startswith("<tools>[{\"type\": \"function\""), whole)


def main():
    global datasets
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    r, n = random.Random(given.seed), max(20, given.cases // 10)
    with tempfile.TemporaryDirectory() as folder:
        site = os.path.join(folder, "site")
        done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, *PACKAGES], capture_output=True, text=True)
        try:
            import datasets
            import torch  # noqa: F401  what is there is not stood in for
            import transformers  # noqa: F401
        except ImportError as e:
            done.returncode, done.stderr = 1, str(e)
        if done.returncode:
            print(f"skipped: {done.stderr.strip()[-300:]}")
            print("0 passed, 0 failed, 1 skipped")
            return 0
        datasets.disable_progress_bars()
        sys.path.insert(0, site)
        sys.meta_path.append(Missing())
        c = Checks(os.path.abspath(given.bin), folder)
        for check in (check_llamafactory, check_axolotl):
            try:
                check(c, r, n)
            except Exception as e:
                c.note(check.__name__, False, f"{type(e).__name__}: {e}")
    print(f"{c.passed} passed, {c.failed} failed")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
