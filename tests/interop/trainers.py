#!/usr/bin/env python3
"""wai-export's files in the trainers they are for: datasets loads each of them, TRL's SFT, DPO, KTO, reward and
GRPO trainers take two steps on them with a tiny random model on the CPU, and TRL's command line takes its
configurations.

    tests/interop/trainers.py --bin DIR [--cases N] [--seed S]

What is trained on is measured, not believed: the share of tokens with a label against what mask_effect says.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", CUDA_VISIBLE_DEVICES="", HF_HUB_DISABLE_TELEMETRY="1")
warnings.filterwarnings("ignore")
try:
    import torch
    from datasets import load_dataset
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, LlamaForSequenceClassification, PreTrainedTokenizerFast
    from transformers.utils import logging
    from trl import (DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, KTOConfig, KTOTrainer, ModelConfig, RewardConfig,
                     RewardTrainer, ScriptArguments, SFTConfig, SFTTrainer, TrlParser)
    from trl.scripts.utils import DatasetMixtureConfig
except ImportError as e:
    print(f"skipped: {e}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

logging.set_verbosity_error()
logging.disable_progress_bar()

TEMPLATE = (
    "{%- if tools %}<tools>{{ tools | tojson }}\n{% endif %}"
    "{%- for m in messages %}<{{ m.role }}>"
    "{%- if m.role == 'assistant' %}{% generation %}{{ m.content }}"
    "{%- for c in m.tool_calls or [] %}<call>{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}<eos>{% endgeneration %}"
    "{%- else %}{{ m.content }}{% endif %}\n{%- endfor %}"
    "{%- if add_generation_prompt %}<assistant>{% endif %}")
TOOLS = [{"name": "get_order", "description": "Look an order up.",
          "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}},
         {"name": "search", "description": "Search.",
          "parameters": {"type": "object", "properties": {"words": {"type": "array", "items": {"type": "string"}},
                                                          "limit": {"type": "integer"}}}}]
ARGUMENTS = [("get_order", {"order_id": "A-1"}), ("search", {"words": ["a", "\u00e9"], "limit": 3}), ("search", {}), ("get_order", {"order_id": None})]
TASKS = 6


def rows():
    """Graded rollouts with and without calls, arguments of every shape, two of a task."""
    for task in range(TASKS):
        for rollout in range(2):
            tool, arguments = ARGUMENTS[(task + rollout) % len(ARGUMENTS)]
            row = {"prompt": f"ask {task}", "scenario_id": f"s{task}", "rollout_index": rollout, "reward": rollout,
                   "final_text": f"Answer {rollout} of {task}."}
            if task % 3:
                row["steps"] = [{"tool": tool, "arguments": arguments, "result": {"status": "ok", "n": task}}]
            if task % 2:
                row["faults"] = {tool: {"mode": "timeout", "rate": 1.0}}
            yield row


def pairs(made):
    for bad, good in zip(made[0::2], made[1::2]):
        yield {"chosen": good, "rejected": bad, "margin": 1.0, "prompt": good["prompt"]}


def tokenizer():
    letters = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    bytes_ = Tokenizer(models.BPE(vocab={**letters, "<pad>": 256, "<eos>": 257}, merges=[]))
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bytes_.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=bytes_, pad_token="<pad>", eos_token="<eos>")
    made.chat_template = TEMPLATE
    return made


def model(kind=LlamaForCausalLM, **extra):
    torch.manual_seed(0)
    return kind(LlamaConfig(vocab_size=258, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
                            num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=256, eos_token_id=257, bos_token_id=None, **extra))


class Checks:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.passed, self.failed = binary, folder, 0, 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, name, source, *options):
        done = subprocess.run([os.path.join(self.binary, "wai-export"), "-q", *options, "-o", self.path(name), "--report", self.path(name + ".r"),
                               *([self.path(source)] if source else [])], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        with open(self.path(name + ".r")) as f:
            return json.load(f)

    def load(self, name):
        return load_dataset("json", data_files=self.path(name), split="train", cache_dir=self.path("cache"))

    def note(self, what, good, why=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED {what}: {why}")

    def run(self, what, check):
        try:
            check()
        except Exception as e:  # a trainer that refuses the file is the finding
            self.note(what, False, f"{type(e).__name__}: {e}"[:2000])

    # ---- datasets ----------------------------------------------------------------------------------

    def columns(self, name):
        """Every value comes back as it was written: nothing ragged becomes a null, no column goes."""
        with open(self.path(name)) as f:
            written = [json.loads(line) for line in f]
        loaded = self.load(name)
        keys = {k for row in written for k in row}
        self.note(f"columns of {name}", set(loaded.column_names) == keys, f"{loaded.column_names} against {sorted(keys)}")
        wrong = [(i, k, loaded[i][k], row.get(k)) for i, row in enumerate(written) for k in keys
                 if not self.same(loaded[i][k], row.get(k))]
        self.note(f"values of {name}", not wrong, wrong[:2])

    def same(self, a, b):
        if isinstance(a, float) and isinstance(b, (int, float)):
            return abs(a - b) < 1e-9  # its reader keeps ten digits
        return a == b

    # ---- trainers ----------------------------------------------------------------------------------

    def arguments(self, kind, **extra):
        base = {"output_dir": self.path("out"), "max_steps": 2, "per_device_train_batch_size": 2, "report_to": "none", "use_cpu": True,
                "bf16": False, "save_strategy": "no", "logging_steps": 1, "disable_tqdm": True, "gradient_checkpointing": False,
                "dataloader_num_workers": 0}
        return kind(**{**base, **extra})

    def steps(self, what, trainer):
        before = [p.detach().clone() for p in trainer.model.parameters()]
        trainer.train()
        losses = [h["loss"] for h in trainer.state.log_history if "loss" in h]
        moved = any(not torch.equal(a, b) for a, b in zip(before, trainer.model.parameters()))
        self.note(f"{what}: two steps", len(losses) == 2 and all(x == x for x in losses), losses)
        self.note(f"{what}: the weights move", moved)

    def trained_share(self, trainer):
        labels = [batch["labels"] for batch in trainer.get_train_dataloader()]
        masks = [batch["attention_mask"] for batch in trainer.get_train_dataloader()]
        return sum(int((x != -100).sum()) for x in labels) / sum(int(x.sum()) for x in masks)

    def sft(self, name, options, wanted_effect, **extra):
        report = self.export(name, "rows.jsonl", "--format", "trl", "--tools", self.path("tools.json"), *options)
        self.note(f"{name}: mask_effect", report["mask_effect"] == wanted_effect, report["mask_effect"])
        own = tokenizer()
        loaded = self.load(name)
        trainer = SFTTrainer(model=model(), args=self.arguments(SFTConfig, max_length=8192, packing=False, shuffle_dataset=False, **extra),
                             train_dataset=loaded, processing_class=own)
        share = self.trained_share(trainer)
        with open(self.path(name)) as f:
            wanted = self.expected_share([json.loads(line) for line in f], own, extra.get("assistant_only_loss"))
        self.note(f"{name}: share of tokens trained on", abs(share - wanted) < 1e-6, f"{share} against {wanted}")
        self.steps(name, trainer)

    def expected_share(self, written, own, assistants):
        trained = tokens = 0
        for row in written:
            if "completion" in row:
                head = own.apply_chat_template(row["prompt"], tools=row["tools"], tokenize=False, add_generation_prompt=True)
                whole = own.apply_chat_template(row["prompt"] + row["completion"], tools=row["tools"], tokenize=False)
                tokens += len(own(whole)["input_ids"])
                trained += len(own(whole)["input_ids"]) - len(own(head)["input_ids"])
            else:
                made = own.apply_chat_template(row["messages"], tools=row["tools"], return_dict=True, return_assistant_tokens_mask=True)
                tokens += len(made["input_ids"])
                trained += sum(made["assistant_masks"]) if assistants else len(made["input_ids"])
        return trained / tokens

    def dpo(self):
        self.export("dpo.jsonl", "pairs.jsonl", "--kind", "preference", "--format", "trl", "--tools", self.path("tools.json"))
        self.columns("dpo.jsonl")
        self.steps("dpo", DPOTrainer(model=model(), ref_model=model(), args=self.arguments(DPOConfig, max_length=8192),
                                     train_dataset=self.load("dpo.jsonl"), processing_class=tokenizer()))

    def kto(self):
        report = self.export("kto.jsonl", "rows.jsonl", "--kind", "kto", "--tools", self.path("tools.json"))
        self.note("kto: labels", report["labels"] == {"desirable": TASKS, "undesirable": TASKS, "ratio": 1.0}, report["labels"])
        self.columns("kto.jsonl")
        self.steps("kto", KTOTrainer(model=model(), ref_model=model(), args=self.arguments(KTOConfig, max_length=8192),
                                     train_dataset=self.load("kto.jsonl"), processing_class=tokenizer()))

    def reward(self):
        self.export("reward.jsonl", "pairs.jsonl", "--kind", "reward", "--tools", self.path("tools.json"))
        self.columns("reward.jsonl")
        self.steps("reward", RewardTrainer(model=model(LlamaForSequenceClassification, num_labels=1),
                                           args=self.arguments(RewardConfig, max_length=8192), train_dataset=self.load("reward.jsonl"),
                                           processing_class=tokenizer()))

    def grpo(self):
        self.export("prompts.jsonl", "rows.jsonl", "--kind", "prompts")
        self.columns("prompts.jsonl")
        seen = []

        def score(prompts, completions, info, example_id, **_):
            seen.extend(i["task_id"] == e for i, e in zip(info, example_id))
            return [float(len(c) % 3) for c in completions]

        self.steps("grpo", GRPOTrainer(model=model(), reward_funcs=score, processing_class=tokenizer(), train_dataset=self.load("prompts.jsonl"),
                                       args=self.arguments(GRPOConfig, num_generations=2, max_completion_length=8, beta=0.0, temperature=1.0)))
        self.note("grpo: the reward sees its task", seen and all(seen), seen)

    # ---- configurations ----------------------------------------------------------------------------

    def config(self, method, kind, wanted):
        self.export(f"{method}.yaml", None, "--kind", "config", "--trainer", "trl", "--method", method, "--model", "m", "--data", "d.jsonl",
                    "--learning-rate", "3e-5", "--warmup-ratio", "0.1", "--seed", "5", "--set", f"output_dir={self.path('o')}", "--set", "bf16=false")
        script, arguments, own, data = TrlParser((ScriptArguments, kind, ModelConfig, DatasetMixtureConfig)).parse_args_and_config(
            ["--config", self.path(f"{method}.yaml")])
        got = {"learning_rate": arguments.learning_rate, "warmup": arguments.warmup_steps, "seed": arguments.seed, "model": own.model_name_or_path,
               "lora": (own.use_peft, own.lora_r, own.lora_alpha, own.lora_target_modules), "data": data.datasets[0].data_files,
               **{k: getattr(arguments, k) for k in wanted}}
        want = {"learning_rate": 3e-5, "warmup": 0.1, "seed": 5, "model": "m", "lora": (True, 16, 32, "all-linear"), "data": "d.jsonl", **wanted}
        self.note(f"configuration {method}", got == want, f"{got} against {want}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases")
    parser.add_argument("--seed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        c = Checks(given.bin, folder)
        made = list(rows())
        for name, lines in (("rows.jsonl", made), ("pairs.jsonl", list(pairs(made)))):
            with open(c.path(name), "w") as f:
                f.writelines(json.dumps(line) + "\n" for line in lines)
        with open(c.path("tools.json"), "w") as f:
            json.dump(TOOLS, f)
        c.run("sft", lambda: c.sft("sft.jsonl", [], "every_token"))
        c.run("sft, assistants", lambda: c.sft("marked.jsonl", [], "every_token", assistant_only_loss=True))
        c.run("sft, final", lambda: c.sft("final.jsonl", ["--mask-mode", "final"], "completion"))
        c.run("sft, unrolled", lambda: c.sft("unrolled.jsonl", ["--unroll"], "completion"))
        for name in ("sft.jsonl", "final.jsonl", "unrolled.jsonl"):
            c.run(name, lambda name=name: c.columns(name))
        for name, options in (("openai.jsonl", []), ("fireworks.jsonl", ["--format", "fireworks"])):
            c.run(name, lambda: (c.export(name, "rows.jsonl", "--tools", c.path("tools.json"), *options), c.columns(name)))
        for name in ("dpo", "kto", "reward", "grpo"):
            c.run(name, getattr(c, name))
        for method, kind, wanted in (("sft", SFTConfig, {"max_length": 4096, "loss_type": "nll"}),
                                     ("grpo", GRPOConfig, {"num_generations": 8, "epsilon_high": 0.28, "loss_type": "bnpo", "use_vllm": False,
                                                           "mask_truncated_completions": True, "scale_rewards": "group"}),
                                     ("dpo", DPOConfig, {"beta": 0.1, "loss_type": ["sigmoid"], "label_smoothing": 0.0}),
                                     ("rm", RewardConfig, {"max_length": 4096}), ("kto", KTOConfig, {"beta": 0.1, "loss_type": "kto"})):
            c.run(f"configuration {method}", lambda: c.config(method, kind, wanted))
        print(f"{c.passed} passed, {c.failed} failed")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
