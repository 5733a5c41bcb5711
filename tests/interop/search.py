#!/usr/bin/env python3
"""Hash vectors, k-means, k-centre, the choice of a batch and action shapes against the reference package; weights of the
arms, the pace of mode adaptive, saturation and its forecast, what is rare on an axis, settings and where a steered slot goes;
the exactly rounded sum and BLAKE2b against Python's own; all on random inputs, some made of repeats and near repeats.

Deliberate difference, kept out of the inputs: arguments that are JSON text are read here, and nothing there."""
import argparse
import hashlib
import json
import math
import os
import random
import subprocess
import sys

from whileai.simulations.defaults import knob_bounds, knob_default, knob_names
from whileai.simulations.generate.actionspace import enumerate_shapes, shape_from_trajectory
from whileai.simulations.generate.embeddings import (EmbeddingArchive, kmeans, resolve_embedder, select_diverse,
                                                     select_execution_batch)

from whileai.simulations.generate.coverage import copies_remaining, predict_to_saturation, space_saturated
from whileai.simulations.generate.diversity import adaptive_allocator, allocator_slot_counts, sampling_plan
from whileai.simulations.generate.scenarios import (axis_starvation_boost, complete_yields,
                                                    reallocate_search_arms, SEARCH_ARMS, steer_region_picks)

WORDS = ["cancel", "order", "refund", "the", "my", "A1001", "42", "7", "where", "is", "please", "KETTLE", "café", "漢字", "x",
         "don't", "co-op", "\u0663\u0664", "Ünit", "\u212a", "", "  ", "!!", "a1b2"]


def text(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.choice([0, 1, 2, 4, 7, 12])))


def embedding_case(rng):
    pool = [text(rng) for _ in range(rng.choice([1, 2, 4, 9, 20, 45]))]
    texts = pool + [rng.choice(pool) for _ in range(rng.choice([0, 0, 2, 8]))]
    rng.shuffle(texts)
    return {"texts": texts, "kmeans": {"k": rng.choice([1, 2, 3, 5, 8]), "seed": rng.randint(-3, 50),
                                       "iterations": rng.choice([1, 2, 8, 40])},
            "select_diverse_k": rng.choice([1, 2, 5, 12, 60]),
            "batch": {"batch_size": rng.choice([1, 2, 3, 5, 8, 16, 40]), "seed": rng.randint(0, 9), "rounds": rng.choice([1, 3, 6])}}


def expected_embedding(case):
    embedder = resolve_embedder("hash")
    vectors = [list(v) for v in embedder.embed(case["texts"])]
    batch, batches = case["batch"], []
    archive = EmbeddingArchive(embedder.name, embedder.semantic)
    for number in range(batch["rounds"]):
        taken, info = select_execution_batch(case["texts"], embedder=embedder, archive=archive, batch_size=batch["batch_size"],
                                             seed=batch["seed"], round_index=number)
        archive.add([t["vector"] for t in taken])
        batches.append({"round": number, "clusters": info.get("clusters", 0),
                        "concentrated": info.get("concentrated", []), "sparse": info.get("sparse", []),
                        "selected": [{"text": t["text"], "cluster": t["cluster"], "novelty": t["novelty"],
                                      "kind": t["reason"].split()[0]} for t in taken]})
    k = case["kmeans"]
    return {"vectors": [{str(i): x for i, x in enumerate(v) if x} for v in vectors],
            "kmeans_labels": kmeans(vectors, k["k"], k["seed"], k["iterations"])[0],
            "select_diverse": select_diverse(vectors, case["select_diverse_k"]),
            "batches": batches}


VALUES = ["A1001", "", " kettle ", 5, 0, 2.5, True, False, None, [], ["A1001"], {}, {"a": 1}, "né", "not said", "ok", "OK"]


def declared(rng):
    names = rng.sample(["get_order", "refund", "ping", "buscar_año", "send email"], rng.randint(0, 4))
    return [{"type": "function", "function": {"name": n, "parameters": {"type": "object", "properties": {
        k: {"type": "string"} for k in rng.sample(["id", "b", "Z", "amount", "é"], rng.randint(0, 3))}}}} for n in names]


def step(rng, tools):
    if rng.random() < 0.15:
        return {"text": "one moment"}
    name = rng.choice([t["function"]["name"] for t in tools] + ["unheard_of"])
    made = {"tool": name, "arguments": {k: rng.choice(VALUES) for k in rng.sample(["id", "b", "Z", "amount", "é", "more"],
                                                                                  rng.randint(0, 4))}}
    if rng.random() < 0.8:
        made["result"] = rng.choice(VALUES + [{"status": "ok", "note": "A1001"}, {"é": "Not said"}])
    return made


def shape_case(rng):
    tools = declared(rng)
    rows = [{"prompt": rng.choice(["refund A1001, 5 pieces", "Kettle True ['a1001'] né", "", "nothing"]),
             "steps": [step(rng, tools) for _ in range(rng.randint(0, 4))]} for _ in range(4)]
    return {"tools": tools, "longest": rng.randint(1, 3), "most": rng.choice([1, 7, 40, 400]), "rows": rows}


def expected_shapes(case):
    shapes = enumerate_shapes(case["tools"], case["longest"], case["most"])
    seen = [shape_from_trajectory(row, case["tools"]) for row in case["rows"]]
    return {"keys": [s.key() for s in shapes], "observed": [s.key()[2:] if s else "" for s in seen]}


def sum_case(rng):
    values = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-20, 20) for _ in range(rng.randint(0, 60))]
    if rng.random() < 0.5:
        values += [-v for v in values if rng.random() < 0.7]
        rng.shuffle(values)
    if rng.random() < 0.3:
        values += [1.0, 2.0 ** -53, rng.choice([1, -1]) * 2.0 ** -110]
    return {"values": values}


def blake_case(rng):
    size = rng.choice([0, 1, 63, 64, 127, 128, 129, 255, 256, 257, rng.randint(0, 2000)])
    return {"in": "".join(rng.choice("abcÄ漢 ") for _ in range(size)), "n": rng.randint(1, 64)}


ARMS = ["structured", "open_ended", "llm_guided", "behavior_targeted", "failure_mutation"]


def arms_case(rng):
    return {"weights": dict(SEARCH_ARMS), "yields": [{arm: rng.choice([0, -1, 0.02, 1, 2, rng.random() * 5, 1000]) for arm in ARMS
                                                      if rng.random() < 0.6} for _ in range(rng.randint(1, 6))]}


def expected_arms(case):
    weights, out = case["weights"], []
    for yields in case["yields"]:
        weights = reallocate_search_arms(weights, complete_yields(yields))
        out.append(weights)
    return out


def pace_case(rng):
    total = rng.choice([0, 0, 1, 15, 30, 59.5, 60, 89.99, 90, 119, 120, 180, 600, rng.random() * 700])
    elapsed = total * rng.choice([0, 0.5, 0.9, rng.random()])
    return {"total": total, "elapsed": elapsed, "left": total - elapsed, "saturation": rng.randint(0, 1),
            "width": rng.choice([0, 1, 2, 3, 4, 8, 31, 32, 100, rng.randint(0, 400)])}


def expected_pace(case):
    total = case["total"] or None
    until = "saturation" if case["saturation"] else "compute"
    plan = adaptive_allocator(total, until, elapsed=case["elapsed"] if total else None)
    slots, scale = allocator_slot_counts(case["width"], plan), sampling_plan(total)
    return {"explore": plan["explore"], "expand": plan["expand"], "verify": plan["verify"], "n_req": plan["n_req"], "k": plan["k"],
            "slots": [slots["explore"], slots["expand"], slots["verify"]],
            "scale": [scale["shape_limit"], scale["enum_cap"], scale["max_shape_len"]]}


def saturation_case(rng):
    rows = rng.randint(0, 120)
    return {"planned": [rng.randint(3, 7) for _ in range(rng.randint(0, 3))], "counts": [rng.randint(1, 8) for _ in range(rng.randint(0, 5))],
            "rows": rows, "budget": rows + rng.randint(0, 400), "flat": rng.randint(0, 14), "last": rng.randint(1, 40)}


def expected_saturation(case):
    counts = {f"c{i}": n for i, n in enumerate(case["planned"] + case["counts"])}
    missing = copies_remaining({f"c{i}": n for i, n in enumerate(case["counts"])})
    told = predict_to_saturation([{"n_rows": case["rows"]}], budget=case["budget"], flat_streak=case["flat"],
                                 last_batch_size=case["last"], copy_deficit=missing)
    full = bool(case["counts"]) and space_saturated(counts, {}, expected_cells={f"c{i}" for i in range(len(case["planned"]))})
    return {"saturated": full, "missing": missing, "rows": told["predicted_to_saturation"], "remaining": told["predicted_remaining"]}


def starved_case(rng):
    values = {"tool_condition": ["success", "timeout", "stale_result"], "history": ["fresh", "prior_failure"],
              "world_state": ["entity exists", "entity missing", "unknown", "unspecified"]}
    return {"assignment": {a: rng.choice(v) for a, v in values.items() if rng.random() < 0.9},
            "axis_counts": {a: {x: rng.choice([1, 2, 5, 11, 30]) for x in v if rng.random() < 0.7} for a, v in values.items()
                            if rng.random() < 0.9}}


def steer_case(rng):
    return {"seed": rng.randint(-5, 1000), "round": rng.randint(0, 60), "n": rng.randint(0, 40), "weight": rng.choice([0, 1, 0.5, rng.random()])}


def expected_steer(case):
    region = lambda i, tool: {"id": f"{tool}{i}", "assignment": {"tool": tool}}
    picked = [region(i, "back") for i in range(case["n"])]
    after, _ = steer_region_picks(picked, [region(i, "front") for i in range(case["n"])], seed=case["seed"], round_index=case["round"],
                                  weight=case["weight"], front={"tool": {"front"}})
    return [r["assignment"]["tool"] == "front" for r in after]


FAMILIES = {
    "steer": (steer_case, expected_steer),
    "arms": (arms_case, expected_arms),
    "pace": (pace_case, expected_pace),
    "saturation": (saturation_case, expected_saturation),
    "starved": (starved_case, lambda case: axis_starvation_boost(case["assignment"], case["axis_counts"])),
    "embed": (embedding_case, expected_embedding),
    "shapes": (shape_case, expected_shapes),
    "fsum": (sum_case, lambda case: math.fsum(case["values"])),
    "blake2b": (blake_case, lambda case: hashlib.blake2b(case["in"].encode(), digest_size=case["n"]).hexdigest()),
}


def same(got, wanted):
    """Equal; a sum may end in another last bit, because the order of its additions is each side's own."""
    if isinstance(wanted, float) and isinstance(got, (int, float)):
        return abs(got - wanted) <= 1e-15 * max(1, abs(wanted))
    if isinstance(wanted, dict):
        return isinstance(got, dict) and got.keys() == wanted.keys() and all(same(got[k], wanted[k]) for k in wanted)
    if isinstance(wanted, (list, tuple)):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    return got == wanted


def check_settings(binary):
    """Every setting of the package is one of ours, with the same default and the same bounds."""
    failed = 0
    tried = lambda knob: subprocess.run([binary, "--budget", "1", "-q", "--set", knob, "-o", "/dev/null", "--json"], capture_output=True, text=True)
    ours = json.loads(tried("empty_rounds_to_stop=8").stdout)["coverage"]["knobs"]
    wanted = {name: knob_default(name) for name in knob_names()}
    if ours != wanted:
        print("settings:", {k: (ours.get(k), wanted.get(k)) for k in ours.keys() | wanted.keys() if ours.get(k) != wanted.get(k)})
        failed += 1
    for name in wanted:
        low, high = knob_bounds(name)
        for value, fine in ((low, True), (low - 1, False), (high, True), (None if high is None else high + 1, False), (1.5, high != 1 and isinstance(wanted[name], float))):
            if value is not None and (tried(f"{name}={value}").returncode == 0) != fine:
                print(f"setting {name}={value}: {'refused' if fine else 'taken'}")
                failed += 1
    return len(wanted), failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    driver = os.path.join(args.bin, "wai-unit")
    passed, failed = check_settings(os.path.join(args.bin, "wai-simulate"))
    for family, (make, expect) in FAMILIES.items():
        rng = random.Random(f"{args.seed}:{family}")
        cases = [make(rng) for _ in range(max(1, args.cases // 4) if family == "embed" else args.cases)]
        run = subprocess.run([driver, family], input="".join(json.dumps(c) + "\n" for c in cases), capture_output=True, text=True)
        ours = [json.loads(line) for line in run.stdout.splitlines()]
        if len(ours) < len(cases):
            print(f"{family}: {run.stderr.strip()}")
            failed += len(cases) - len(ours)
        for case, got in zip(cases, ours):
            wanted = expect(case)
            if isinstance(got, dict):
                got.pop("novelty_of_last_against_first_three", None)  # novelties are compared in the batches
            if same(got, wanted) if family == "arms" else got == wanted:
                passed += 1
                continue
            failed += 1
            if failed <= 5:
                print(f"{family}: {json.dumps(case)[:600]}")
                for key in wanted if isinstance(wanted, dict) else ():
                    if got[key] != wanted[key]:
                        print(f"  {key}\n    ours   {json.dumps(got[key])[:400]}\n    theirs {json.dumps(wanted[key])[:400]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
