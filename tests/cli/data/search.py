"""What a search must hold whatever its wording, on grids of 2, 6 and 20 tools: one function each, called by the table
wai-simulate-search.t as `search.py NAME`; prints "held" or says what does not hold."""
import collections
import itertools
import json
import os
import re
import subprocess
import sys

CASES = os.path.join(os.environ["SOURCE"], "tests/reference/simulate")
SETS = ("t2", "t6", "t20")
HARD = ("ambiguous", "boundary", "adversarial")


def run(name, *options, policy=None):
    """Rows and report of a run of this grid."""
    command = ["wai-simulate", "--tools", f"{CASES}/plan-{name}/tools.json", "--policy", policy or f"{CASES}/plan-{name}/policy.txt",
               "-q", "-o", "rows.jsonl", "--json", *map(str, options)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return [json.loads(line) for line in open("rows.jsonl")], json.loads(done.stdout)


def prompts_of(rows):
    """The first row of each prompt."""
    seen = {}
    for row in rows:
        seen.setdefault(row["prompt"], row)
    return list(seen.values())


def mask(text):
    return " ".join("#" if re.search(r"\d", w) else w for w in text.lower().split())


def same_bytes():
    """Whatever --jobs is, and in a second process."""
    for name in SETS:
        for options in (["--mode", "explore", "-b", "300"], ["--mode", "sft", "-b", "120"], ["--mode", "rl", "-b", "300"],
                        ["--mode", "adaptive", "-b", "150"], ["--mode", "rl", "-b", "200", "--grader", "expr:.tools_used|length|.%2"],
                        ["--traces", f"{CASES}/plan-traces/traces.jsonl", "--steering-weight", "0.5", "-b", "150"]):
            found = set()
            for jobs in (1, 2, 8, 64, 8):
                run(name, *options, "-j", jobs)
                found.add(open("rows.jsonl", "rb").read())
            assert len(found) == 1, (name, options)


def whole_budget():
    """An explore run has as many rows as it may, and every one a prompt of its own."""
    for name in SETS:
        for budget in (0, 1, 31, 33, 333, 1500, 5000):
            rows, report = run(name, "-b", budget)
            assert len(rows) == budget and report["stopped_because"] == "budget", (name, budget)
            assert len({mask(r["prompt"]) for r in rows}) == budget, (name, budget)


def pairs():
    """Of the pairs the grid plans, how many are met after so many rows; all of them after 1.2 rows a cell."""
    least = {"t2": {20: .50, 50: .82, 100: .97, 112: 1, 200: 1}, "t6": {20: .33, 50: .66, 100: .90, 170: 1, 200: 1},
             "t20": {20: .15, 50: .33, 100: .53, 200: .75, 400: .91, 687: 1}}
    for name, points in least.items():
        for seed in (0, 1, 2):
            for budget, fraction in points.items():
                _, report = run(name, "-b", budget, "--seed", seed)
                met = report["coverage"]["pairwise"]["fraction"]
                assert met >= fraction, (name, seed, budget, met)
        _, plan = run_plan(name)
        assert points and max(points) >= 1.2 * plan["cells"], (name, plan["cells"])


def run_plan(name, *options, policy=None):
    done = subprocess.run(["wai-simulate", "--plan", "--json", "--tools", f"{CASES}/plan-{name}/tools.json", "--policy",
                           policy or f"{CASES}/plan-{name}/policy.txt", "-q", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    plan = json.loads(done.stdout)
    return plan["region_ids"], plan


def variety():
    """No two prompts nearly alike; sentences and pairs of words do not repeat too often."""
    for name, budget, sentences_least, bigrams_least in (("t2", 100, .35, .30), ("t6", 100, .35, .30), ("t20", 100, .35, .30), ("t20", 600, .15, .10)):
        rows, _ = run(name, "-b", budget)
        prompts = [mask(r["prompt"]) for r in rows]
        assert len(set(prompts)) == budget
        sentences = [s for p in prompts for s in re.split(r"(?<=[.!?]) ", p)]
        bigrams = [b for p in prompts for b in zip(p.split(), p.split()[1:])]
        assert len(set(sentences)) >= sentences_least * len(sentences), (name, budget, len(set(sentences)) / len(sentences))
        assert len(set(bigrams)) >= bigrams_least * len(bigrams), (name, budget, len(set(bigrams)) / len(bigrams))
        tokens = [set(re.findall("[a-z]+|#", p)) for p in prompts]
        for a, b in itertools.combinations(range(budget), 2):
            assert len(tokens[a] & tokens[b]) < .9 * len(tokens[a] | tokens[b]), (name, prompts[a], prompts[b])


def dial():
    """The share of hard prompts is the one asked for, in every mode, and all tiers are there early."""
    for name in SETS:
        for mode in ("explore", "sft", "rl", "adaptive"):
            for share in (0, .2, .4, .8, 1):
                rows, report = run(name, "--mode", mode, "--hard-share", share, "-b", 400)
                first = prompts_of(rows)
                n, hard = len(first), sum(r["tier"] in HARD for r in first)
                assert n >= 50 and abs(hard / n - share) <= max(1 / n, .02), (name, mode, share, hard, n)
                assert abs(report["tier_mix"]["hard_share_prompts"] - share) <= max(1 / n, .02)
                if 0 < share < 1 and mode == "explore":
                    assert len({r["tier"] for r in first[:8 if share >= .3 else 16]}) == 4, (name, share)


def arms():
    """Shares of the arms: off the grid 5 to 10 %, the rare ones 1 to 8 %, pinned ones to two hundredths."""
    for name in SETS:
        for budget in (40, 100, 400, 1000):
            rows, report = run(name, "-b", budget)
            share = {arm: n / budget for arm, n in collections.Counter(r["arm"] for r in rows).items()}
            assert .05 <= share["open_ended"] <= .10 + 1e-9, (name, budget, share)
            for arm in ("behavior_targeted", "failure_mutation"):
                assert budget < 100 or .01 <= share.get(arm, 0) <= .08, (name, budget, share)
            assert {a: v["rows"] for a, v in report["arms"].items() if v["rows"]} == collections.Counter(r["arm"] for r in rows)
            assert abs(sum(report["arm_weights"].values()) - 1) < 1e-9
            assert report["coverage_curve"][-1]["arm_weights"] == report["arm_weights"]
        for pinned in ({"structured": .5, "open_ended": .4, "behavior_targeted": .1}, {"structured": .6, "failure_mutation": .1, "open_ended": .3}):
            rows, _ = run(name, "-b", 300, "--arm-weights", ",".join(f"{a}={x}" for a, x in pinned.items()))
            share = collections.Counter(r["arm"] for r in rows)
            for arm, wanted in pinned.items():
                assert abs(share[arm] / 300 - wanted) <= .02, (name, pinned, share)


def counts():
    """Situations, wordings and rollouts multiply exactly; a fixed number of rollouts is fixed but for the last prompt."""
    for name in SETS:
        for mode, n, k in (("rl", 1, 4), ("rl", 2, 3), ("sft", 3, 4), ("sft", 1, 1), ("explore", 1, 2)):
            for situations in (1, 7, 12, 40):
                rows, report = run(name, "--mode", mode, "--repeat-policy", "fixed", "--situations", situations, "-n", n, "-k", k)
                assert len(rows) == situations * n * k and report["stopped_because"] == "situations_exhausted", (name, mode, n, k, situations, len(rows))
                assert set(collections.Counter(r["prompt"] for r in rows).values()) == {k}
                assert len({r["scenario_id"] for r in rows}) <= situations
                assert n == 1 or len({r["scenario_id"] for r in rows}) == situations
        rows, _ = run(name, "--mode", "rl", "--repeat-policy", "fixed", "-k", 7, "-b", 100)
        groups = [len(list(g)) for _, g in itertools.groupby(rows, key=lambda r: r["prompt"])]
        assert groups[:-1] == [7] * (len(groups) - 1) and groups[-1] == 100 % 7


def successive():
    """No prompt over k, each probed first, a mixed one short only when it says so, and the report agrees with the rows."""
    for name in SETS:
        for options in (["-k", "8"], ["-k", "4"], ["-k", "8", "--probe", "3"], ["-k", "6", "--grader", "expr:.final_text|length|.%2"]):
            for budget in (1, 64, 257):
                rows, report = run(name, "--mode", "rl", "-b", budget, *options)
                k, groups = int(options[1]), collections.defaultdict(list)
                for row in rows:
                    groups[row["prompt"]].append(row)
                assert len(rows) == budget, (name, options, budget)
                probe, tally = min(report["groups"]["probe"], k), collections.Counter()
                for of in groups.values():
                    labels = {r["reward"] if r["reward"] in (0, 1) else r["behavior_signature"] for r in of}
                    assert [r["rollout_index"] for r in of] == list(range(len(of))) and len(of) <= k
                    cut = any(r.get("group_cut") for r in of)
                    assert len(of) >= probe or cut, (name, options, len(of))
                    if len(labels) > 1:
                        assert len(of) == k or cut
                        tally["mixed" if len(of) == k else "partial"] += 1
                    else:
                        tally["complete" if len(of) == k else "partial" if cut else "stopped_unanimous"] += 1
                told = {key: report["groups"][key] for key in ("mixed", "partial", "complete", "stopped_unanimous")}
                assert told == {key: tally[key] for key in told}, (name, options, budget, told, tally)
                assert report["groups"]["groups"] == len(groups)


def seeds():
    """Every seed is played, before anything that is written, whatever the seeds share; only the budget leaves some out."""
    asks = [f"Where is my parcel number {i}, the one with order kettle in it?" for i in range(250)]
    open("seeds.txt", "w").write("\n".join(asks) + "\n")
    for name in SETS:
        rows, report = run(name, "--seeds", "seeds.txt", "-b", 300)
        assert [r["prompt"] for r in rows[:250]] == asks and report["seeds_dropped"] == []
        rows, report = run(name, "--seeds", "seeds.txt", "--mode", "rl", "--repeat-policy", "fixed", "-k", 4, "-b", 1000)
        assert collections.Counter(r["prompt"] for r in rows) == {a: 4 for a in asks}
        rows, report = run(name, "--seeds", "seeds.txt", "--mode", "rl", "--repeat-policy", "fixed", "-k", 4, "-b", 100)
        assert {r["prompt"] for r in rows} == set(asks[:25]) and report["seeds_dropped"] == asks[25:]


def faults():
    """Of the situations with a fault, the share that keeps it is the fault rate; none at 0, all at 1."""
    for name in SETS:
        for rate in (0, .3, .5, .8, 1):
            rows, report = run(name, "--mode", "rl", "-k", 1, "--repeat-policy", "fixed", "-b", 600, "--fault-rate", rate)
            cells = [r for r in rows if r["arm"] == "structured" and r["scenario_dimensions"]["tool_condition"] != "success"]
            kept = sum(r["faults"] is not None for r in cells) / len(cells)
            assert len(cells) >= 100 and abs(kept - rate) <= .1, (name, rate, kept, len(cells))
            assert rate not in (0, 1) or kept == rate
            assert report["coverage"]["fault_cells"] == len(cells)
            assert all(r["faults"] is None for r in rows if r["arm"] in ("open_ended", "behavior_targeted"))


def rules():
    """One rule reworded, added or left out: only that rule's situations move."""
    for name in SETS:
        text = open(f"{CASES}/plan-{name}/policy.txt").read()
        before, plan = run_plan(name)
        block = max(len(v) for a, v in plan["dimensions"].items() if a != "rule")
        last = [r for r in plan["dimensions"]["rule"]][-1]
        changed = text.replace(last, last + " Always.") if last in text else text + "\n- Answer within the hour.\n"
        open("policy.txt", "w").write(changed)
        after, _ = run_plan(name, policy="policy.txt")
        assert changed != text
        assert len(set(before) - set(after)) <= block and len(set(after) - set(before)) <= 2 * block, name
        free = set(before) & set(after)
        assert len(free) >= len(before) - block


def resumed():
    """A run that was cut, resumed from its checkpoint, has the rows of one that was not, in the same order."""
    for name in SETS:
        for mode in ("explore", "rl", "adaptive"):
            whole, _ = run(name, "--mode", mode, "-b", 120)
            run(name, "--mode", mode, "-b", 120, "--checkpoint", f"{name}{mode}.jsonl")
            lines = open(f"{name}{mode}.jsonl").readlines()
            open(f"{name}{mode}.jsonl", "w").write("".join(lines[:70]) + lines[70][:40])
            again, report = run(name, "--mode", mode, "-b", 120, "--checkpoint", f"{name}{mode}.jsonl")
            assert report["rollouts"]["resumed"] == 70, (name, mode, report["rollouts"])
            for row in again:
                row["lineage"].pop("resumed", None)
            assert again == whole, (name, mode)


def honest():
    """Tags say what is true of the text; no label of an axis and no tool's name stands in it."""
    labels = ["multi_tool", "unspecified", "entity exists", "entity missing", "already acted on", "duplicate entity", "malformed", "stale_result",
              "permission_denied", "prior_failure", "prior_partial", "contradicts_earlier", "adversarial", "boundary", "exploratory", "scenario", "tool_condition",
              "world_state", "open_ended", "failure_mutation"]
    for name in SETS:
        tools = [t.get("function", t)["name"] for t in json.load(open(f"{CASES}/plan-{name}/tools.json"))]
        rows, _ = run(name, "-b", 1500)
        for row in rows:
            words, text = len(row["prompt"].split()), row["prompt"].lower()
            assert row["length"] == ("short" if words <= 16 else "long" if words >= 40 else "medium"), row["prompt"]
            assert not any(label in text for label in labels), row["prompt"]
            assert not any(tool.lower() in text for tool in tools if "_" in tool), row["prompt"]
            if row["scenario_dimensions"].get("origin") != "realized":
                stance = row["scenario_dimensions"]["stance"]
                hard = {"ambiguous": "ambiguous", "unsure": "ambiguous", "boundary": "boundary", "conflicting": "boundary", "adversarial": "adversarial"}
                assert row["tier"] == hard.get(stance, "ordinary"), (row["tier"], stance)


def replay():
    """A run's own rows, replayed, are the same tasks: prompts, ids, dimensions, plans of faults, rollouts."""
    keep = ("prompt", "scenario_id", "scenario_dimensions", "faults", "world_state", "arm", "tier", "length", "rollout_index", "generator", "privileged",
            "steps", "final_text")
    for name in SETS:
        for options in (["-b", "150"], ["--mode", "rl", "-k", "3", "--repeat-policy", "fixed", "-b", "90"]):
            rows, _ = run(name, *options)
            os.rename("rows.jsonl", "first.jsonl")
            again, report = run(name, "--tasks", "first.jsonl", "--repeat-policy", "fixed")
            assert report["stopped_because"] == "tasks_done"
            for a, b in zip(rows, again, strict=True):
                for key in keep:
                    assert a.get(key) == b.get(key), (name, options, key, a.get(key), b.get(key))


def aimed():
    """Traces aim a run: the budget is met, no row is like a trace, the hottest tool gets its rows, no tool is lost."""
    traces = f"{CASES}/plan-traces/traces.jsonl"
    asks = [mask(json.loads(line)["prompt"]) for line in open(traces)]
    for seed in range(5):
        rows, report = run("traces", "--traces", traces, "-b", 60, "--seed", seed)
        regions = report["search"]["behavior_state"]["regions"]
        tools = [region["recipe"].get("tool") for region in regions if region["recipe"].get("tool")]
        hot = sum(r["scenario_dimensions"].get("tool") in tools[0] for r in rows)
        assert len(rows) == 60 and hot >= 18, (seed, hot, tools[0])
        assert not {mask(r["prompt"]) for r in rows} & set(asks)
        declared = {t.get("function", t)["name"] for t in json.load(open(f"{CASES}/plan-traces/tools.json"))}
        assert declared <= {r["scenario_dimensions"].get("tool") for r in rows}, seed
        leakage = report["search"]["trace_leakage"]
        assert leakage["max_similarity"] < .9 and leakage["n"] == 60


def adaptive():
    """Each round of mode adaptive: new situations, new wordings, repeats, in the shares of the clock."""
    for name in SETS:
        rows, report = run(name, "--mode", "adaptive", "-b", 128, "--arm-weights", "structured=1")
        told = report["allocator"]
        assert sum(told.values()) == 128
        if name == "t20":  # 26, 3, 3 a round; the first one has nothing in use yet and nothing to play again
            assert told["explore"] >= 26 * 4 and told["expand"] == 9, told
        per = collections.Counter(r["prompt"] for r in rows)
        assert max(per.values()) <= 3
        wordings = collections.defaultdict(set)
        for row in rows:
            wordings[row["scenario_id"]].add(row["prompt"])
        assert max(map(len, wordings.values())) <= 3


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("held")
