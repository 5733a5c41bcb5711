#!/usr/bin/env python3
"""Hash vectors, k-means, k-centre, the choice of a batch and action shapes against the reference package; the exactly
rounded sum and BLAKE2b against Python's own; all on random inputs, some made of repeats and near repeats.

Deliberate difference, kept out of the inputs: arguments that are JSON text are read here, and nothing there."""
import argparse
import hashlib
import json
import math
import os
import random
import subprocess
import sys

from whileai.simulations.generate.actionspace import enumerate_shapes, shape_from_trajectory
from whileai.simulations.generate.embeddings import (EmbeddingArchive, kmeans, resolve_embedder, select_diverse,
                                                     select_execution_batch)

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


FAMILIES = {
    "embed": (embedding_case, expected_embedding),
    "shapes": (shape_case, expected_shapes),
    "fsum": (sum_case, lambda case: math.fsum(case["values"])),
    "blake2b": (blake_case, lambda case: hashlib.blake2b(case["in"].encode(), digest_size=case["n"]).hexdigest()),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    driver = os.path.join(args.bin, "wai-unit")
    passed = failed = 0
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
            if got == wanted:
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
