#!/usr/bin/env python3
"""The grid of situations against the reference package: how a policy is cut into rules, the covering array, ids,
weights, the flip to success, pinned axes, on random policies and tools.

Deliberate difference, kept out of the inputs: a pinned tool_condition is never flipped to success (the
reference flips it)."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

from whileai.simulations.generate.scenarios import rule_axis, scenario_regions

WORDS = ["never", "refund", "order", "above", "the", "total", "ask", "customer", "before", "you", "a", "manager", "Übung",
         "only", "e.g.", "v1.2", "when", "IF", "it's", "50%", "naïve", "co-op", "A-1001", "漢字", "--", "n/a", "*so*"]
OPENERS = ["", "", "", "- ", "* ", "\u2022 ", "1. ", "12) ", "# ", "### ", "####### ", "Note: ", "Refund policy: ", "- - ",
           "  - ", "\t* ", "-", "1.", "\u0663. ", "Very long heading that runs beyond the forty characters allowed: ", "A: "]
ROLES = ["You are a shop clerk. ", "you're the agent; ", "Act as a helper! ", "Your role is to help. ", "Your role: help. ",
         "YOU ACT AS support. ", "You are", "Your roles matter here. ", "You aren't a robot. "]
ENDS = [".", ".", "!", "?", ";", "; ", ": ", "", ".  ", "...", ".\n", ";\n", " ; ", ".\u00a0"]
BREAKS = ["\n", "\n", "\n\n", "\n \t\n", "\r\n", "\n\n\n", " ", "\u2028", "\x0b"]
NAMES = ["get_order", "refund_order", "cancelOrder", "search_flights", "getUserProfile", "escalate_to_human", "refund",
         "buscar_año", "send_email", "list", "x", "update_address", "unrelated", "statusCheck", "HTTPGet", "close-ticket",
         "_", "purge9Now", "wipe", "multi_tool"]
KEYS = ["order_id", "id", "path", "Name", "note", "text", "number", "ref", "amount", "SKU", "file_path", "reference"]


def sentence(rng):
    text = " ".join(rng.choice(WORDS) for _ in range(rng.choice([1, 2, 4, 6, 9, 14, 30])))
    return (text.capitalize() if rng.random() < 0.5 else text) + rng.choice(ENDS)


def policy(rng):
    out = []
    if rng.random() < 0.3:
        out.append(rng.choice(ROLES))
    for _ in range(rng.choice([0, 1, 3, 6, 10, 25])):
        out.append(rng.choice(OPENERS))
        if rng.random() < 0.1:
            out.append(rng.choice(ROLES))
        for _ in range(rng.choice([1, 1, 2, 3])):
            out.append(sentence(rng) + rng.choice(["", " ", "  "]))
        out.append(rng.choice(BREAKS))
    return "".join(out)


def schema(rng, depth=0):
    properties = {}
    for _ in range(rng.randint(0, 3)):
        properties[rng.choice(KEYS)] = schema(rng, 1) if depth == 0 and rng.random() < 0.2 else {"type": "string"}
    return {"type": "object", "properties": properties}


def tools(rng):
    return [{"type": "function", "function": {"name": n, "description": "on file A1001", "parameters": schema(rng)}}
            for n in rng.sample(NAMES, rng.choice([0, 1, 2, 3, 6]))]


def dimensions(rng):
    pinned = {}
    if rng.random() < 0.15:
        pinned["stance"] = rng.sample(["adversarial", "boundary", "vague", "ordinary"], rng.randint(1, 3))
    if rng.random() < 0.1:
        pinned["rule"] = rng.sample(["one rule", "another", "a third, with a comma"], rng.randint(1, 3))
    if rng.random() < 0.1:
        pinned["history"] = ["fresh"]
    return pinned


def compare(rng, binary, folder):
    text, declared, pinned = policy(rng), tools(rng), dimensions(rng)
    mode = rng.choice(["explore", "rl", "sft"])
    for name, value in (("tools.json", json.dumps(declared)), ("policy.md", text), ("pinned.json", json.dumps(pinned))):
        with open(os.path.join(folder, name), "w", newline="") as f:
            f.write(value)
    command = [binary, "--plan", "--json", "--tools", "tools.json", "--policy", "policy.md", "--mode", mode, "-q"]
    run = subprocess.run(command + (["--dimensions", "pinned.json"] if pinned else []), cwd=folder, capture_output=True,
                         text=True)
    if run.returncode:
        return run.stderr, None
    plan = json.loads(run.stdout)
    rules, total = rule_axis(text)
    regions = scenario_regions(declared, text, mode=mode, dimensions=pinned or None)
    ours = {"rules_total": plan["rules_total"], "ids": plan["region_ids"], "weights": plan["weights"]}
    theirs = {"rules_total": total, "ids": [r["id"] for r in regions], "weights": [r["weight"] for r in regions]}
    if "rule" not in pinned:
        ours["rules"], theirs["rules"] = plan["dimensions"]["rule"], rules or ["unspecified"]
    return ours, theirs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    binary = os.path.abspath(os.path.join(args.bin, "wai-simulate"))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in range(max(1, args.cases // 4)):  # the reference takes its time
            ours, theirs = compare(random.Random(f"{args.seed}:{case}"), binary, folder)
            if ours == theirs:
                passed += 1
                continue
            failed += 1
            if failed <= 5:
                print(f"case {case}: {open(os.path.join(folder, 'policy.md')).read()!r}")
                for key in theirs or ():
                    if not isinstance(ours, dict) or ours[key] != theirs[key]:
                        print(f"  {key}\n    ours   {ours[key] if isinstance(ours, dict) else ours}\n    theirs {theirs[key]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
