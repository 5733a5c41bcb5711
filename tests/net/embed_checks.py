"""Embedders against the test server, commands and files: the same vectors whatever the way, and what is refused."""
import json
import math
import os
import tempfile

from bench import Server, run, scripted

TEXTS = ["where is my order", "", "caf\u00e9 \u4f60\u597d"]


def unit(vector):
    norm = math.sqrt(sum(x * x for x in vector))
    return {str(i): x / norm for i, x in enumerate(vector) if x}


def near(got, wanted):
    return len(got) == len(wanted) and all(
        g.keys() == w.keys() and all(abs(g[k] - w[k]) < 1e-15 for k in w) for g, w in zip(got, wanted))


def check_all(check, programs):
    program = programs["embed-client"]
    wanted = [unit([float(len(t)), float(sum(t.encode()) % 97), 1.0]) for t in TEXTS]
    with Server([scripted("/modal", {"json": {"embeddings": [[1, 0, 0]]}}, {"json": {"embeddings": [[0, 3, 4]]}})]) as s:
        env = {"OPENAI_BASE_URL": s.base + "/v1", "OPENAI_API_KEY": "sk-openai-0123456789", "OLLAMA_HOST": s.base}
        for spec, arguments, path, key in (("openai:", [], "/v1/embeddings", "Bearer sk-openai-0123456789"),
                                           ("ollama:m", [], "/api/embed", None),
                                           (s.base + "/v1/embeddings", ["m"], "/v1/embeddings",
                                            "Bearer sk-openai-0123456789")):
            out, _, err = run(program, [{"texts": TEXTS}], [spec, *arguments], env=env)
            check.true(f"{spec}: vectors of length 1, in order", near(out[0].get("vectors", []), wanted), out)
            check.same(f"{spec}: where, and whose key", [s.requests()[-1]["path"], s.requests()[-1]["headers"].get(
                "authorization")], [path, key])
        out, _, _ = run(program, [{"texts": ["x"] * 300}], ["openai:"], env=env)
        check.same("batches of 128", [len(r["body"]["input"]) for r in s.requests()[-3:]], [128, 128, 44])
        check.same("all of them", len(out[0]["vectors"]), 300)
        out, _, _ = run(program, [{"texts": ["x"]}], [f"modal:{s.base}/modal"])
        check.same("modal:", [out[0]["vectors"], out[0]["semantic"]], [[{"1": 0.6, "2": 0.8}], True])
        check.same("what it is told", s.requests()[-1]["body"], {"texts": ["x"]})
    out, _, _ = run(program, [{"texts": ["x"]}], ["hosted"])
    check.same("hosted without an answer: hash, and said", [out[0]["name"], out[0]["fell_back"], out[0]["semantic"]],
               ["hash-word-bigram-v2", True, False])
    child = "jq -c --unbuffered '{embeddings: [.texts[] | [length, 2]]}'"
    out, _, _ = run(program, [{"texts": ["ab"]}, {"texts": ["abc", ""]}], [f"cmd:{child}"])
    check.true("cmd:", near(out[0]["vectors"], [unit([2, 2])]) and near(out[1]["vectors"], [unit([3, 2]), {"1": 1.0}]),
               out)
    for about, reply in (("too few", "{embeddings: []}"), ("no list", "{embeddings: 3}"), ("no key", "{}"),
                         ("no number", "{embeddings: [[\"a\"]]}"), ("empty", "{embeddings: [[]]}"),
                         ("huge", "{embeddings: [[1e300]]}")):
        out, _, _ = run(program, [{"texts": ["x"]}], [f"cmd:jq -c --unbuffered '{reply}'"])
        check.same(f"cmd: {about}", out[0].get("code"), -4)
    out, _, _ = run(program, [{"texts": ["x"]}, {"texts": ["xy"]}], ["cmd:jq -c --unbuffered "
                                                                   "'{embeddings: [[range(.texts[0] | length)]]}'"])
    check.same("another size than before", [out[0].get("code"), out[1].get("code")], [None, -4])
    for about, reply in (("twice the same index", [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]),
                         ("index out of range", [{"index": 0, "embedding": [1]}, {"index": 7, "embedding": [1]}]),
                         ("no index", [{"embedding": [1]}, {"embedding": [1]}]), ("too few", [])):
        with Server([scripted("/v1/embeddings", {"json": {"data": reply}})]) as s:
            out, _, _ = run(program, [{"texts": ["a", "b"]}], [s.base + "/v1/embeddings", "m"])
            check.same(f"data: {about}", out[0].get("code"), -4)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vectors.jsonl")
        with open(path, "w") as f:
            f.writelines(json.dumps({"text": t, "vector": [3, i, 4]}) + "\n" for i, t in enumerate(TEXTS))
        out, _, _ = run(program, [{"texts": TEXTS[::-1]}, {"texts": ["other"]}], [f"file:{path}"])
        check.true("file:", near(out[0]["vectors"], [unit([3, i, 4]) for i in (2, 1, 0)]), out)
        check.same("file: a missing text", out[1].get("code"), -3)
        with open(path, "a") as f:
            f.write("{\"text\": 1}\n")
        out, _, _ = run(program, [{"texts": []}], [f"file:{path}"])
        check.same("file: a broken line", [out[0].get("code"), "vectors.jsonl:4" in out[0].get("error", "")], [-3, True])
    for spec in ("nope", "cmd:", "file:", "https://h/v1/embeddings", "http://u:p@h/"):
        out, _, _ = run(program, [{"texts": []}], [spec])
        check.same(f"no embedder: {spec}", out[0].get("code"), -2)
