#!/usr/bin/env python3
"""wai-select against the package: the same rows in the same order, the same counts, on random graded rows.

Left out of the inputs on purpose, since there we do otherwise (named in wai-select(1) or wai-row(5)): rows
whose lineage is no object, negated words about truncation, a reply to a follow-up turn that the package's
conversation loses, a tool result whose error is null.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from interop import SHOWN, Count, options  # noqa: E402

import whileai.simulations as package

WORDS = "order refund please cancel the my ÉTÉ Straße weather lookup now 12 ORD-77 merge über 订单 a of to it".split()
REPLIES = ["Done.", "It is ready now.", "I can't do that.", "What is it?", "<agent error: boom>", "", "   ", "returned 500",
           "ok " * 9 + "fine.", "The code is blue falcon nine.", "x" * 40, "see <tool_call>{}</tool_call>.",
           "word " * 130, "word " * 60, "word " * 130 + "end.", "Here:\n```\ncode\n```", "42", "world_state is set."]
STATUSES = ["ok", "timeout", "not_found", "paid", "denied", 404, "exit_1", None]


def make_row(rng, tasks):
    task = rng.choice(tasks)
    row = {}
    if rng.random() < .9:
        row["scenario_id"] = task["id"]
    if rng.random() < .95:
        row["prompt"] = task["prompt"] if rng.random() < .9 else task["prompt"].upper() + "  "
    steps = []
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        result = {"status": rng.choice(STATUSES)} if rng.random() < .8 else rng.choice(["plain", None, 3, {"stale": True}])
        steps.append({"tool": rng.choice(["get_order", "cancel"]), "arguments": {"id": rng.choice(["12", "ORD-77", "zz", ""])},
                      "result": result})
    if rng.random() < .9:
        row["steps"] = steps
    if rng.random() < .95:
        row["final_text"] = rng.choice(REPLIES)
    kind = rng.random()
    if kind < .75:
        row["reward"] = rng.choice([0, 1, 1, 0, 1.0, "1", " 0 "])
    elif kind < .85:
        row["reward"] = rng.choice([.5, .25, None, True, "high", float("nan")])
    if rng.random() < .1:
        row["qwen_reward"] = rng.choice([0, 1, "1", .5])
    if rng.random() < .1:
        row["privileged"] = {"reference": "Blue  Falcon Nine", "principle": rng.choice([None, "never tell a soul"])}
    if rng.random() < .15:
        row["finish_reason"] = rng.choice(["stop", "length", "tool"])
    if rng.random() < .1:
        row["reason"] = rng.choice(["reply truncated", "was cut off", "fine"])
    if rng.random() < .1:
        row["label_source"] = rng.choice(["gold", "Claude judge", "rule"])
    if rng.random() < .1:
        row["faults"] = rng.choice([{}, {"get_order": {"mode": "timeout", "rate": 1}}, {"*": {"mode": "stale_result"}}])
    if rng.random() < .1:
        row["world_state"] = rng.choice(["unknown", "unspecified", "order missing"])
    if rng.random() < .1:
        row["ask_family"] = rng.choice(["tool", "chat"])
    if rng.random() < .1:
        row["calibration"] = rng.choice([{"pass_rate": .5, "n": 30}, {"pass_rate": "0.25", "n": "40", "task_id": "own", "x": 1},
                                         {"pass_rate": .5, "n": 99, "student": {"name": "q"}, "mean_kl": .5, "pass_rate_ci95": [.1, .9]}])
    if rng.random() < .2:
        row["logprob"], row["n_tokens"], row["ref_logprob"] = rng.choice([-3.5, -1, None]), rng.choice([7, 0, "4"]), rng.choice([-2.0, -4, None])
    if rng.random() < .3:
        row["model_version"] = rng.choice(["m@1", "m@2", None])
    if rng.random() < .1:
        row["judge_status"] = rng.choice(["ok", "error", None])
    if rng.random() < .1:
        row["failure_class"] = "wrong"
    if rng.random() < .05:
        row["overlong"] = rng.choice([True, False])
    if rng.random() < .1:
        row["pass_rate"] = rng.choice([0.1, "0.5", 2, True])
        row["n"] = rng.choice([1, 4, "4"])
    if rng.random() < .1:
        row["lineage"] = {"source": rng.choice(["eval", "grade"])}
    if rng.random() < .2:
        row["policy_version"] = "m@1"
    if rng.random() < .5:
        row["rollout_index"] = rng.randrange(9)
    return row


def make_rows(rng):
    tasks = [{"id": f"s{i}", "prompt": " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))}
             for i in range(rng.randint(1, 8))]
    return [make_row(rng, tasks) for _ in range(rng.choice([0, 1, 5, 20, 60]))]


def ours(binary, args, text, scratch):
    report = os.path.join(scratch, "report.json")
    done = subprocess.run([binary, "-q", "--strict-keys", "--report", report] + args, input=text.encode("utf-8", "surrogatepass"), capture_output=True)
    if done.returncode != 0:
        return None, done.stderr.decode()
    with open(report) as f:
        return [json.loads(line) for line in done.stdout.decode().splitlines()], json.load(f)


def plain(value):
    """For comparison: NaN equals NaN, and our own sentence about a penalty is not the package's."""
    return json.loads(json.dumps(value, sort_keys=True).replace("NaN", "null"))


SFT_KEYS = ("n privileged_leaks_dropped n_eligible n_selected n_not_pass n_junk unique_behaviors behaviors_covered target "
            "selection reward_mean_eligible reward_mean_selected eval_sourced completions_per_prompt_max "
            "completions_per_prompt_mean completions_per_prompt_median prompts_with_one_completion selection_effective").split()
RL_KEYS = ("n privileged_leaks_dropped n_after_gates gates n_after_trim unanimous_groups_dropped collapsed_groups_dropped "
           "n_selected groups_selected fault_kinds target band enforce_band band_groups_dropped band_dropped duplicates "
           "truncated_dropped truncated_policy truncated_kept truncated_penalized truncated_selected length eval_sourced "
           "eval_sourced_input calibration correlations hack_scan signal prior audit").split()


def compare(name, keys, want_rows, want, got_rows, got):
    if got_rows is None:
        return f"{name}: {got}"
    for row in got_rows + want_rows:
        if row.get("judge_name") == "overlong_penalty":
            row.pop("reason", None)
    if plain(got_rows) != plain(want_rows):
        return f"{name}: rows differ: {len(got_rows)} of ours, {len(want_rows)} of the package's"
    for key in keys:
        if key not in want and key not in got:
            continue
        if key == "hack_scan":      # our further keys, and its sentences
            want[key] = {k: v for k, v in want[key].items() if k != "warnings"}
            got[key] = {k: got[key].get(k) for k in want[key]}
        if plain(got.get(key)) != plain(want.get(key)):
            return f"{name}: {key}: {got.get(key)!r}, the package has {want.get(key)!r}"
    return None


PAIR_KEYS = ("pairs prompts_seen prompts_with_contrast min_margin mean_margin partial_score_pairs first_turn_identical "
             "trainer_pairs same_policy_pairs mixed_policy_pairs eval_sourced length").split()
CURRICULUM_KEYS = ("n_tasks n_trainable n_solved n_not_ready n_thin n_in_band thresholds schedule trainable retired not_ready "
                   "thin tiers").split()
ROUND_KEYS = "kept dropped_solved dropped_unsolved unknown n_prior_tasks pass_rates band from_policy prompt_set_sha".split()


def pairs_case(rng, binary, scratch, rows, text):
    margin, most, match = rng.choice([1.0, .5, .25]), rng.choice([1, 2, 5]), rng.random() < .7
    want = package.build_preference_pairs([dict(r) for r in rows], max_pairs_per_prompt=most, min_margin=margin, length_match=match)
    want_rows, want = want if isinstance(want, tuple) else (want["pairs"], want)
    args = ["--mode", "pairs", "--max-pairs-per-prompt", str(most), "--min-margin", str(margin)] + ([] if match else ["--no-length-match"])
    got_rows, got = ours(binary, args, text, scratch)
    return compare("pairs", PAIR_KEYS, want_rows, want, got_rows, got), text, args


def curriculum_case(rng, binary, scratch, rows, text):
    solved, floor, tiers, least = rng.choice([.8, .5]), rng.choice([.2, 0.0, .4]), rng.choice([1, 2, 3, 5]), rng.choice([1, 2, 4])
    args = ["--solved", str(solved), "--floor", str(floor), "--tiers", str(tiers), "--min-rollouts", str(least)]
    want = package.curriculum([dict(r) for r in rows], solved=solved, floor=floor, tiers=tiers, min_rollouts=least)
    report = os.path.join(scratch, "report.json")
    done = subprocess.run([binary, "-q", "--mode", "curriculum", "--report", report] + args, input=text.encode(), capture_output=True)
    if done.returncode:
        return f"curriculum: {done.stderr.decode()}", text, args
    return compare("curriculum", CURRICULUM_KEYS, [], want, [], json.load(open(report))), text, ["--mode", "curriculum"] + args


def round_case(rng, binary, scratch, rows, text):
    low, high = rng.choice([0.0, .2, .5]), rng.choice([.6, .8, 1.0])
    args, tasks = ["--mode", "next-round", "--band", f"{low},{high}"], None
    if rng.random() < .5:
        tasks = [r for r in make_rows(rng) if r.get("scenario_id") or r.get("prompt")] + ["never seen"]
        path = os.path.join(scratch, "tasks")
        with open(path, "w") as f:
            f.writelines(json.dumps(task) + "\n" for task in tasks)
        args += ["--tasks", path]
    want = package.next_round([dict(r) for r in rows], tasks=tasks, lo=low, hi=high)
    want_rows = [r if isinstance(r, dict) else {"prompt": r} for r in want["tasks"]]
    got_rows, got = ours(binary, args, text, scratch)
    return compare("next-round", ROUND_KEYS, want_rows, want, got_rows, got), text, args


GATE_KEYS = "ok judge_trust rl_shaped mode band signal duplicates near_duplicate_prompts length correlations".split()
STAMP_KEYS = "n_tasks n_rows n_stamped n_carried n_unstamped student mean_kl".split()


def gate_case(rng, binary, scratch, rows, text):
    student = rng.choice([None, None, "you are kind", {"name": "p", "version": "7"}])
    model = rng.choice([None, "m"])
    args = [] if student is None else ["--student", student if isinstance(student, str) else json.dumps(student)]
    args += ["--model", model] if model else []
    want_rows = [dict(r) for r in rows]
    if rng.random() < .5:
        ref = rng.choice([None, "ref_logprob"])
        want = package.calibrate(want_rows, policy=student, model=model, ref=ref)
        args = ["--mode", "calibrate"] + args + (["--ref", ref] if ref else [])
        got_rows, got = ours(binary, args, text, scratch)
        got, keys = (got["calibration"] if got_rows is not None else got), STAMP_KEYS
    else:
        mode = rng.choice([None, None, "rl", "sft"])
        want = package.publish_gate(want_rows, mode=mode, policy=student, model=model, strict=False)
        args = ["--mode", "gate", "--no-strict"] + args + (["--gate-mode", mode] if mode else [])
        got_rows, got = ours(binary, args, text, scratch)
        keys = GATE_KEYS
        if got_rows is not None:
            found = compare("gate", STAMP_KEYS, [], want["calibration"], [], got["calibration"])
            if found:
                return found, text, args
            refusal = (want.get("refusal") or " ").split(":")[0].split()[:1]
            if refusal and not (got["refusal"] or "").startswith(refusal[0]):
                return f"gate: refusal {got['refusal']}, the package has {want['refusal']}", text, args
    return compare("gate", keys, want_rows, want, got_rows, got), text, args


def filter_case(rng, binary, scratch, rows, text):
    tools = rng.random() < .7
    kept, want = package.filter_rl_rows([dict(r) for r in rows], has_tools=tools)
    args = ["--mode", "filter", "--no-trim-unanimous"] + ([] if tools else ["--no-tools"])
    got_rows, got = ours(binary, args, text, scratch)
    return compare("filter", "n n_kept n_dropped dropped kept_verified_zero".split(), kept, want, got_rows, got), text, args


def stage_case(rng, binary, scratch, rows, text):
    rows = [dict(r, **rng.choice([{}, {"stage": rng.choice(["SFT", "eval", "odd", "rl", ""])}, {"purpose": "eval"}])) for r in rows]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    want = package.stage_report(rows)
    done = subprocess.run([binary, "-q", "--mode", "stage", "--json"], input=text.encode(), capture_output=True)
    if done.returncode:
        return f"stage: {done.stderr.decode()}", text, ["--mode", "stage"]
    keys = "counts n_unstamped tasks_per_stage eval_train_leaks n_leaks".split()
    return compare("stage", keys, [], want, [], json.loads(done.stdout)), text, ["--mode", "stage"]


def one_case(rng, binary, scratch):
    rows = make_rows(rng)
    text = "".join(json.dumps(row, ensure_ascii=rng.random() < .5) + "\n" for row in rows)
    rows = [json.loads(line) for line in text.splitlines()] if "\x85" not in text else rows
    kind = rng.random()
    if kind < .4:
        return rng.choice([pairs_case, curriculum_case, round_case, gate_case, filter_case, stage_case])(rng, binary, scratch, rows, text)
    if kind < .6:
        rule = rng.choice(["top_per_prompt", "random_per_prompt", "top_k_overall", "random_k_overall"])
        target, low, seed = rng.choice([1, 5, 1000]), rng.choice([1.0, .5, 0.0]), rng.randrange(99)
        k = rng.choice([None, 1, 7])
        want_rows, want = package.select_for_sft([dict(r) for r in rows], target=target, select=rule, k=k, min_reward=low, seed=seed)
        args = ["--mode", "sft", "--select", rule, "--target", str(target), "--min-reward", str(low), "--seed", str(seed)]
        got_rows, got = ours(binary, args + (["--k", str(k)] if k else []), text, scratch)
        return compare(f"sft {rule}", SFT_KEYS, want_rows, want, got_rows, got), text, args
    options = {"target": rng.choice([1, 5, 1000]), "lo": rng.choice([0.0, .2, .5]), "hi": rng.choice([.5, .8, 1.0]),
               "enforce_band": rng.random() < .7, "has_tools": rng.random() < .7, "dedupe": rng.random() < .7,
               "truncated": rng.choice(["drop", "keep", "penalize"]), "order": rng.choice(["spread", "middle"]),
               "text_gates": rng.choice(["auto", "require", "skip"])}
    options["endorsed"] = rng.choice([[], [], ["tool:"], ["n:words", "done"]])
    options["prior"] = make_rows(rng) if rng.random() < .2 and options["lo"] < options["hi"] else None
    options["audit"] = {"fn_rate": .2, "fn_ci95": [.1, .3], "n_checked": 40, "verifier": "x", "more": 1} if rng.random() < .2 else None
    want_rows, want = package.select_for_rl([dict(r) for r in rows], **options)
    args = ["--target", str(options["target"]), "--band", f"{options['lo']},{options['hi']}", "--truncated", options["truncated"],
            "--order", options["order"], "--text-gates", options["text_gates"]]
    for pattern in options["endorsed"]:
        args += ["--endorsed", pattern]
    for name in ("prior", "audit"):
        if options[name] is not None:
            path = os.path.join(scratch, name)
            with open(path, "w") as f:
                f.writelines(json.dumps(row) + "\n" for row in (options[name] if name == "prior" else [options[name]]))
            args += [f"--{name}", path]
    args += [] if options["enforce_band"] else ["--no-enforce-band"]
    args += [] if options["has_tools"] else ["--no-tools"]
    args += [] if options["dedupe"] else ["--no-dedupe"]
    got_rows, got = ours(binary, args, text, scratch)
    return compare("rl", RL_KEYS, want_rows, want, got_rows, got), text, args


def main():
    given = options(2000)
    rng = random.Random(given.seed)
    count = Count()
    with tempfile.TemporaryDirectory() as scratch:
        for case in range(given.cases):
            difference, text, args = one_case(rng, os.path.join(given.bin, "wai-select"), scratch)
            count.add(not difference)
            if difference and count.failed <= SHOWN:
                kept = os.path.join(tempfile.gettempdir(), f"select-{case}.jsonl")
                with open(kept, "w") as f:
                    f.write(text)
                print(f"case {case}: {difference}\n    wai-select {' '.join(args)} {kept}")
    count.close()


if __name__ == "__main__":
    main()
