#!/usr/bin/env python3
"""The mock world and the seeded agent against the reference package, on random tools, options, seeds, fault
plans, result shapes, states and calls. Key order and the text of every number count.

Left out of the comparison: texts that are our own (hint, error, and the free text of files, shells, diffs).
Deliberate differences, which the inputs here keep out of:
  * bytes_written counts UTF-8 bytes (the reference: characters);
  * arguments that are no object are refused, lists of other things in a place of objects are left as they are (the
    reference stops);
  * an expression of more than 1000 characters or 4096 bits, True, False, comments and line breaks in one, and
    results that are no JSON number, are refused;
  * numbers of a result shape beyond 2^61 are copied as they are.
"""
import argparse
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile

import whileai
from whileai.simulations.world.sandbox import MockEnvironment, WorldOptions

OWN_TEXT = {"hint", "error", "content", "text", "stdout", "stderr", "diff", "bytes"}

VERBS = ["get", "read", "list", "inspect", "search", "fetch", "find", "show", "describe", "cat", "view", "create",
         "generate", "write", "add", "upload", "insert", "make", "post", "new", "delete", "remove", "drop", "destroy",
         "update", "cancel", "book", "send", "apply", "edit", "patch", "replace", "check", "refund", "exec", "git"]
NOUNS = ["order", "orders", "ticket", "user", "users", "users_profile", "inventory", "stock_levels", "price",
         "payment", "invoice", "balance", "appointment", "booking", "schedule", "team_member", "address", "class",
         "seats", "room", "shipment", "status", "file", "directory", "account", "pr", "prs", "issue", "issues",
         "event", "commit", "commits", "checks", "estimate", "code", "contents", "fx_rate", "gas", "bus"]
NAMES = ["calculate", "compute_total", "evaluate", "math_eval", "calc", "run_command", "bash", "run_tests",
         "run_test", "exec", "exec_it", "pytest_run", "execute_command", "run_terminal_cmd", "terminal", "shell",
         "grep", "ripgrep", "search_code", "find_in_files", "search_files", "code_search", "read_file", "write_file",
         "edit_file", "open_file", "apply_patch", "get_file_contents", "list_dir", "list_files", "glob_files",
         "ls_dir", "list_folder", "git_status", "git_diff", "git_log", "git_show", "git_blame", "gitx",
         "list_commits", "recent_commits", "commit_log", "list_checks", "ci_status", "test_results", "get_checks",
         "get_payment", "create_payment", "amount_due", "create_invoice", "getOrder", "GET_ORDER", "ListOrders",
         "searchFlights", "ping", "x", "_", "__a", "get-order", "create-file", "update_file", "create_file",
         "get_user_profile", "view_profile", "café_order", "list_ünits", "buscar_año", "get", "s", "gets", "glasss",
         "delete_everything", "newsletter_send", "catalog_view", "address", "addresses", "makeup", "getaway_list"]
DESCRIPTIONS = ["", "Look it up.", "ci runs for a commit", "Check runs of CI", "the check run", "specific things",
                "decide", "A check running", "CI", "circle", "Get a café"]
KEYS = ["id", "order_id", "path", "file_path", "file", "name", "key", "ref", "number", "asin", "sku", "query", "q",
        "category", "subject", "pattern", "topic", "title", "description", "summary", "product_name", "date", "pnr",
        "code", "user_id", "status", "owner", "quantity", "amount", "currency", "content", "diff", "command", "cmd",
        "argv", "regex", "glob", "directory", "dir", "filepath", "filename", "sha", "commit", "email", "note", "meta",
        "items", "customer", "expression", "expr", "formula", "Order_ID", "Title", "when", "start_time", "created_at",
        "from", "by", "author", "a", "é", "team", "invoice_total", "flight_number", "updated_at", "limit", "ID"]
TEXTS = ["", " ", "A-100", "kettle", "  two   words ", "order_0123456789ab", "create_17", "src/app.py", "x.json",
         "notes.md", "a/b/c.yaml", "run.log", "p.diff", "Makefile", "<order id>", "[id]", "{x}", "<a>b>", "<>",
         "your email", "the id", "An Address", "email address", "Order ID", "string", "placeholder", "xx", "xxx",
         "XXXX", "me@example.com", "a.b+c@test.org", "me@example.de", "email", "name", "customer name", "my zip",
         "über-7", "emoji \U0001f600", "ls -la", "2 + 2", "1/0", "café", "a" * 60, "x y z", "tab\tand\nline", "None",
         "0", "007", "entity", "\u00a0nbsp\u00a0", "E\u0301", "İstanbul", "STRASSE", "ab", "a"]
NUMBERS = [0, 1, -1, 7, 42, 1000, 12345678901234567890123, -5, 0.0, 1.0, 3.5, -2.25, 1e16, 1e-7, 1.5e300, 0.1, 100]
SHAPE_TEXTS = TEXTS + ["ORD-1001", "2024-01-02T10:00:00Z", "on 2023-05-06", "jo.li@shop.io", "x@y@z", "S12B34", "Mug"]
ATOMS = ["1", "2", "3.5", "0", "10", "1e3", "7", "0.1", "0.2", "1_000", "0x1F", "0b101", "0o17", ".5", "5.", "1e400",
         "012", "00", "1__0", "9007199254740993", "1e-320", "123456789012345678901234567890", "a", "1j", "2.5e1"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", " + ", " - ", " * ", "^", " / ", "* *", "\t**\t"]


def expression(rng, depth=0):
    kind = rng.random()
    if depth > 3 or kind < 0.3:
        return rng.choice(ATOMS)
    if kind < 0.42:
        return rng.choice(["-", "+", "- ", "--"]) + expression(rng, depth + 1)
    if kind < 0.6:
        return "(" + rng.choice(["", " "]) + expression(rng, depth + 1) + rng.choice([")", " )", ")", ""])
    op = rng.choice(OPERATORS)
    right = expression(rng, depth + 1)
    if "**" in op:  # keep clear of results the reference would take for ever to compute
        right = rng.choice(["2", "3", "0", "-1", "0.5", "10", "-2", "5."])
    return expression(rng, depth + 1) + op + right


def value(rng, depth=0):
    kind = rng.random()
    if kind < 0.55:
        return rng.choice(TEXTS)
    if kind < 0.75:
        return rng.choice(NUMBERS)
    if kind < 0.85 or depth > 2:
        return rng.choice([True, False, None])
    if kind < 0.93:
        return {rng.choice(KEYS): value(rng, depth + 1) for _ in range(rng.randint(0, 3))}
    return [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]


def arguments(rng, tool, seen):
    properties = list(tool["parameters"].get("properties", {})) if isinstance(tool["parameters"], dict) else []
    args = {}
    for key in properties:
        if rng.random() < 0.85:
            args[key] = rng.choice(seen) if seen and rng.random() < 0.25 else value(rng)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        args[rng.choice(KEYS)] = rng.choice(seen) if seen and rng.random() < 0.3 else value(rng)
    if tool["name"].startswith(("calc", "comp", "eval", "math")) and rng.random() < 0.9:
        args[rng.choice(["expression", "expr", "formula"])] = expression(rng)
    items = list(args.items())
    rng.shuffle(items)
    return dict(items)


def schema(rng, depth=0):
    properties = {}
    for _ in range(rng.randint(0, 4)):
        key = rng.choice(KEYS)
        if depth == 0 and rng.random() < 0.15:
            properties[key] = schema(rng, 1)
        else:
            properties[key] = {"type": rng.choice(["string", "integer", "object", "array", "boolean"])}
    required = [k for k in properties if rng.random() < 0.4]
    if rng.random() < 0.1:
        required.append(rng.choice(KEYS))
    return {"type": "object", "properties": properties, "required": required}


def tools(rng):
    chosen = {}
    for _ in range(rng.randint(1, 8)):
        name = rng.choice(NAMES) if rng.random() < 0.5 else rng.choice(VERBS) + "_" + rng.choice(NOUNS)
        chosen[name] = {"name": name, "description": rng.choice(DESCRIPTIONS), "parameters": schema(rng)}
    return list(chosen.values())


def shape_value(rng, depth=0):
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(SHAPE_TEXTS)
    if kind < 0.65:
        return rng.choice([n for n in NUMBERS if abs(n) < 1e18])
    if kind < 0.72 or depth > 2:
        return rng.choice([True, False, None])
    if kind < 0.85:
        return {rng.choice(KEYS + ["images", "image", "Images"]): shape_value(rng, depth + 1)
                for _ in range(rng.randint(0, 4))}
    first = {rng.choice(KEYS): shape_value(rng, depth + 1) for _ in range(rng.randint(1, 4))}
    return [first if rng.random() < 0.7 else shape_value(rng, depth + 1)] + \
        [shape_value(rng, depth + 1) for _ in range(rng.randint(0, 2))]


def shapes(rng, declared):
    names = [t["name"] for t in declared if rng.random() < 0.35]
    extra = ["items", "products", "results", "images", "stdout", "content", "matches", "entries", "owner",
             "updated_at", "checks", "Owner", "image"]
    return {n: {rng.choice(KEYS + extra): shape_value(rng) for _ in range(rng.randint(0, 6))} for n in names}


def options(rng):
    o = {"people": rng.sample(["ada nkemelu", "per olsson", "mei fujita", "rana haddad", "ivo petrov", "zoë o'hara"],
                              rng.randint(1, 6)),
         "adjectives": rng.sample(["blue", "spare", "rush", "plain", "sealed", "façade"], rng.randint(1, 6)),
         "topics": rng.sample(["parcel", "lease", "permit", "roster"], rng.randint(1, 4))}
    low = rng.randint(0, 5)
    maybe = {"exists_share": rng.choice([0, 0.25, 0.35, 0.7, 0.85, 1, 1.0, 0.05]),
             "search_hits": [low, low + rng.randint(0, 4)], "template_hits": [rng.choice([0, 1]), rng.randint(1, 3)],
             "id_range": rng.choice([[1, 5], [10, 10], [0, 100000], [1000, 9999]]),
             "date_years": rng.choice([[1999, 1], [2020, 7]]), "jitter_divisor": rng.choice([1, 2, 5, 1000]),
             "shell_flavors": rng.randint(1, 6), "ci_fail_one_in": rng.randint(1, 4),
             "statuses": ["new", "old"], "code_verbs": ["go"], "code_nouns": ["thing", "other"],
             "check_names": ["one", "two"], "file_stems": ["aa", "bb", "cc"],
             "default_fault_mode": rng.choice(["timeout", "stale", "malformed", "permission_denied"]),
             "default_fault_rate": rng.choice([0, 0.5, 1.0]), "stale_as_of": rng.choice(["last week", 7, {"d": 1}]),
             "malformed_payload": rng.choice(["<<garbled resp0nse", None, [1, "x"]])}
    for key in maybe:
        if rng.random() < 0.3:
            o[key] = maybe[key]
    return o


def faults(rng, declared):
    plan = {}
    for name in [t["name"] for t in declared] + ["*"]:
        if rng.random() < 0.3:
            entry = {}
            if rng.random() < 0.8:
                entry["mode"] = rng.choice(["timeout", "malformed", "stale", "permission_denied", "unknown_mode"])
            if rng.random() < 0.7:
                entry["rate"] = rng.choice([0, 0.3, 0.5, 1, 1.0, -1, 0.9])
            plan[name] = entry
    return plan


def reduced(v, ascii_content):
    if isinstance(v, dict):
        return {k: reduced(x, ascii_content) for k, x in v.items()
                if k not in OWN_TEXT and (k != "bytes_written" or ascii_content)}
    return [reduced(x, ascii_content) for x in v] if isinstance(v, list) else v


def ids_of(v, found):
    """Texts of a result that a later call may name."""
    if isinstance(v, dict):
        for k, x in v.items():
            if isinstance(x, (str, int)) and k in ("id", "ref", "sku", "asin", "path", "number", "order_id", "name"):
                found.append(x)
            ids_of(x, found)
    elif isinstance(v, list):
        for x in v:
            ids_of(x, found)


def acceptable(v):
    """Results that are JSON, so that there is something to compare."""
    try:
        json.dumps(v, allow_nan=False)
        return True
    except (ValueError, TypeError):
        return False


def world_session(rng, binary, folder):
    """One set of tools and shapes, several lives. Returns [(what, ours, theirs)] and how many were compared."""
    declared, lines, expected = tools(rng), [], []
    given_shapes = shapes(rng, declared)
    for _ in range(rng.randint(3, 8)):
        o, seed = options(rng), rng.choice([0, 1, 5, 11, -3, 2 ** 40])
        plan = faults(rng, declared) if rng.random() < 0.4 else {}
        state = rng.choice(["", "", "", "entity exists", "entity missing", "entity already acted on", "unknown", "missing"])
        env = MockEnvironment([{"type": "function", "function": t} for t in declared], seed=seed,
                              faults=json.loads(json.dumps(plan)), world_state=state,
                              result_shapes=json.loads(json.dumps(given_shapes)), options=WorldOptions(**{
                                  k: tuple(v) if isinstance(v, list) and k != "malformed_payload" else v
                                  for k, v in o.items()}))
        lines.append({"reset": True, "seed": seed, "faults": plan, "world_state": state, "options": o})
        expected.append(({"reset": True}, True))
        seen = []
        for _ in range(rng.randint(4, 20)):
            tool = rng.choice(declared)
            name = tool["name"] if rng.random() < 0.97 else "no_such_tool"
            args = arguments(rng, tool, seen)
            try:
                result = env.call(name, json.loads(json.dumps(args)))
            except (OverflowError, RecursionError):
                continue
            except (AttributeError, TypeError):  # it stops on an odd list, and has half done the call
                break
            if not acceptable(result):
                continue
            result = json.loads(json.dumps(result))
            text = args.get("content") or args.get("diff")
            lines.append({"tool": name, "arguments": args})
            expected.append((result, bool(text) and str(text).isascii()))
            ids_of(result, seen)
    with open(os.path.join(folder, "tools.json"), "w") as f:
        json.dump(declared, f)
    with open(os.path.join(folder, "shapes.json"), "w") as f:
        json.dump(given_shapes, f)
    run = subprocess.run([binary, "--world-only", "--tools", "tools.json", "--result-shapes", "shapes.json"],
                         cwd=folder, input="".join(json.dumps(x, ensure_ascii=rng.random() < 0.5) + "\n" for x in lines),
                         capture_output=True, text=True)
    replies = [json.loads(x) for x in run.stdout.splitlines()]
    if run.returncode or len(replies) != len(lines):
        return [(run.stderr.strip(), f"exit {run.returncode}, {len(replies)} lines", f"{len(lines)} lines")], len(lines)
    wrong = []
    for line, (want, ascii_content), got in zip(lines, expected, replies):
        ours, theirs = (json.dumps(reduced(v, ascii_content)) for v in (got, want))
        if ours != theirs:
            wrong.append((json.dumps(line), ours, theirs))
    return wrong, len(lines)


ASKS = ["please {v} {n} {r} now", "what about my thing, number {r}?", "can you {v} the {n} {r} for me", "hello {r}",
        "{v} {n}s under {r}", "{n} {v} x{r}", "{r}", "I need help with the {n}", "{v} {n} \u00e9{r} or B-77",
        "{v}_{n} {r}, twice", "STRASSE {r} {v} the {n}!"]
RECORDS = ["A-100", "107", "12", "SKU128", "x_7", "A1b2", "ORD-4017", "1234567", "9 99 999", "\u0661\u0662\u0663", "r2-d2", ""]
WORLD_STATES = ["entity exists", "entity missing", "entity already acted on", "duplicate entity", "partially completed",
                "unknown", "unspecified", None]
CONDITIONS = ["success", "timeout", "malformed_result", "stale_result", "permission_denied", "success"]
STANCES = ["ordinary", "adversarial", "ambiguous", "hurried"]


def task(rng, declared, number):
    name = rng.choice(declared)["name"]
    verb, _, noun = name.partition("_")
    t = {"prompt": f"{number}: " + rng.choice(ASKS).format(v=verb, n=noun or "thing", r=rng.choice(RECORDS)),
         "scenario_id": f"s{number:03}",
         "scenario_dimensions": {"tool": rng.choice([name, "multi_tool", "unrelated"]), "stance": rng.choice(STANCES),
                                 "tool_condition": rng.choice(CONDITIONS)}}
    state = rng.choice(WORLD_STATES)
    if state:
        t["scenario_dimensions"]["world_state"] = t["world_state"] = state
    if rng.random() < 0.2:
        t["scenario_dimensions"]["history"] = rng.choice(["prior_partial_action", "fresh"])
    if rng.random() < 0.5:
        plan = faults(rng, declared)
        if plan:
            t["faults"] = plan
    return t


def seeded_session(rng, binary, folder):
    """A set of tasks played by the seeded agent on both sides."""
    declared = [t for t in tools(rng) if t["name"].isascii()]
    if not declared:
        return [], 0
    schemas = [{"type": "function", "function": t} for t in declared]
    tasks = [task(rng, declared, i) for i in range(25)]
    names = ["hedging", "sycophancy", "apology", "boilerplate", "ignore_fault", "leak"]
    behaviors = rng.sample(names, rng.randint(1, 6)) if rng.random() < 0.6 else None
    rate, seed, k = rng.choice([0, 0.35, 0.6, 1.0]), rng.choice([0, 1, 7, 2 ** 33]), rng.randint(1, 4)
    defaults = WorldOptions()
    pools = {key: list(getattr(defaults, key)) for key in ("people", "adjectives", "topics")}
    for name, value in (("tools.json", schemas), ("world.json", pools)):
        with open(os.path.join(folder, name), "w") as f:
            json.dump(value, f)
    with open(os.path.join(folder, "tasks.jsonl"), "w") as f:
        f.writelines(json.dumps(t) + "\n" for t in tasks)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        data = whileai.simulate(whileai.seeded_agent(schemas, rate=rate, seed=seed, behaviors=behaviors), tools=schemas,
                                simulator=False, tasks=json.loads(json.dumps(tasks)), mode="rl", repeats=k,
                                repeat_policy="fixed", budget=1000)
    command = [binary, "--agent", "seeded", "--tools", "tools.json", "--tasks", "tasks.jsonl", "--mode", "rl", "--repeats",
               str(k), "--repeat-policy", "fixed", "--world", "world.json", "--agent-seed", str(seed), "--seeded-rate",
               str(rate), "-q"] + (["--behaviors", ",".join(behaviors)] if behaviors else [])
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    ours = {(r["scenario_id"], r["rollout_index"]): r for r in map(json.loads, run.stdout.splitlines())}
    theirs = {(r["scenario_id"], r["rollout_index"]): r for r in data.trajectories}
    wrong = []
    if run.returncode or set(ours) != set(theirs):
        return [(run.stderr.strip(), f"{len(ours)} rows", f"{len(theirs)} rows")], len(theirs) or 1
    for key in theirs:
        pair = []
        for row in (ours[key], theirs[key]):
            kept = {name: row.get(name) for name in ("prompt", "faults", "seeded", "finish_reason", "tools_used",
                                                     "model_version", "scenario_dimensions")}
            kept["steps"] = reduced(row["steps"], False)
            kept["hidden_state"] = (row.get("privileged") or {}).get("hidden_state")
            kept["reference"] = bool((row.get("privileged") or {}).get("reference"))
            pair.append(json.dumps(kept, sort_keys=True))
        if pair[0] != pair[1]:
            wrong.append((str(key), *pair))
    return wrong, len(theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    binary = os.path.abspath(os.path.join(args.bin, "wai-simulate"))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        session = 0
        while passed + failed < args.cases:
            kind = seeded_session if session % 20 == 19 else world_session
            wrong, compared = kind(random.Random(f"{args.seed}:{kind.__name__}:{session}"), binary, folder)
            for what, ours, theirs in wrong[:3]:
                print(f"session {session}: {what}\n  ours   {ours}\n  theirs {theirs}")
            passed += compared - len(wrong)
            failed += len(wrong)
            session += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
