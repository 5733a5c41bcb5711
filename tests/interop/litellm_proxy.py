#!/usr/bin/env python3
"""Our chat client and wai-simulate against a server that nobody here wrote: the proxy of PyPI's litellm, whose models
answer with fixed words: text and tool calls, whole and streamed, 429, an unknown model, Anthropic's interface; whole
rollouts with a model that calls or speaks, as the proxy's router draws. Loopback only.

    tests/interop/litellm_proxy.py --bin DIR [--cases N] [--seed S]
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "net"))

import bench  # noqa: E402

PROXY = os.path.join(os.path.dirname(sys.executable), "litellm")
KEY = "sk-master-0123456789"
START_SECONDS = 120
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_order", "arguments": "{\"order_id\": \"x\"}"}}
MODELS = {"words": {"mock_response": "It is on its way."}, "busy": {"mock_response": "litellm.RateLimitError"},
          "calls": {"mock_tool_calls": [CALL]}}


ROLLOUTS = 8


def closed_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(base, process):
    until = time.monotonic() + START_SECONDS
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < until and process.poll() is None:
        try:
            opener.open(base + "/health/liveliness", timeout=2).close()
            return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    return False


def talk(check, program, base):
    user = [{"role": "user", "content": "Where is it?"}]
    tools = [{"type": "function", "function": {"name": "get_order", "parameters": {"type": "object", "properties": {}}}}]

    def ask(spec, **more):
        line = dict({"spec": spec, "messages": user, "timeout_s": 60}, **more)
        env = {"VLLM_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": base}
        out, _, err = bench.run(program, [line], env=env, timeout=120)
        return out[0] if out else {"error": err}

    for stream in (False, True):
        reply = ask(f"vllm:words@{base}/v1", stream=stream)
        message = reply.get("reply") or {}
        check.same(f"words, stream {stream}", [message.get("content"), message.get("_finish_reason")],
                   ["It is on its way.", "stop"])
        check.true("usage", message.get("_usage", {}).get("output_tokens", 0) > 0, reply)
        message = ask("anthropic:words", stream=stream).get("reply") or {}
        check.same(f"Anthropic's interface, stream {stream}", message.get("content"), "It is on its way.")
    check.same("words as they come", ask(f"vllm:words@{base}/v1", stream=True).get("text"), "It is on its way.")
    message = ask(f"vllm:calls@{base}/v1", tools=tools).get("reply") or {}
    check.same("a tool call", message.get("tool_calls"), [CALL])
    answer = [*user, {"role": "assistant", "content": None, "tool_calls": [CALL]},
              {"role": "tool", "tool_call_id": "call_1", "content": "{\"status\": \"ok\"}"}]
    message = ask(f"vllm:words@{base}/v1", messages=answer, tools=tools).get("reply") or {}
    check.same("and the words after its result", message.get("content"), "It is on its way.")
    reply = ask(f"vllm:busy@{base}/v1", stream=True)
    check.same("429 is tried again, then says so", [reply.get("failure"), reply.get("status"), reply.get("retries")],
               ["transient", 429, 3])
    check.same("a model it does not have", ask(f"vllm:none@{base}/v1").get("failure"), "bad_request")


def simulate(check, program, base, folder):
    """Whole rollouts: the router sends "mixed" to a model that calls a tool, or to one that speaks."""
    tools = json.dumps([{"name": "get_order", "parameters": {"type": "object", "properties": {"order_id": {}}}}])
    tasks = os.path.join(folder, "tasks.jsonl")
    with open(tasks, "w") as f:
        f.writelines(json.dumps({"prompt": f"Where is order A-{i}?", "scenario_id": f"s{i}"}) + "\n" for i in range(ROLLOUTS))

    def play(spec, *more):
        report = os.path.join(folder, "report.json")
        done = subprocess.run([program, "--agent", spec, "--tools", tools, "--tasks", tasks, "--report", report, "-q", "-j", "8",
                               "--avg-turns", "8", "--max-turns", "10", *more], capture_output=True, text=True, timeout=300,
                              env=dict(bench.BARE, HOME=folder, WHILEAI_HOME=folder, VLLM_API_KEY=KEY, ANTHROPIC_API_KEY=KEY,
                                       ANTHROPIC_BASE_URL=base))
        with open(report) as f:
            return [json.loads(line) for line in done.stdout.splitlines()], json.load(f), done

    for spec, stream in ((f"vllm:mixed@{base}/v1", ()), (f"vllm:mixed@{base}/v1", ("--stream",)), ("anthropic:mixed", ())):
        rows, report, done = play(spec, *stream)
        about = f"{spec.split(':')[0]}{' as a stream' if stream else ''}"
        check.same(f"{about}: every rollout lands", [len(rows), done.returncode, report["rollouts"]["lost"]], [ROLLOUTS, 0, 0])
        if spec.startswith("vllm") and not stream:  # the proxy's fixed calls are there in whole replies only
            check.true(f"{about}: calls are made and answered", any(s.get("tool") == "get_order" and s["result"]
                                                                    for r in rows for s in r["steps"]))
            check.true(f"{about}: the last words are the model's", all(r["final_text"] == "It is on its way." for r in rows))
        check.true(f"{about}: tokens are counted", report["usage"]["agent"]["output_tokens"] > 0, report["usage"])
        check.true(f"{about}: no key is told", KEY not in done.stdout + done.stderr)
    rows, report, done = play(f"vllm:busy@{base}/v1", "--budget", "2", "--rerolls", "0")
    check.same("429 all the time: nothing lands, each loss is listed", [
        rows, done.returncode, [(l["scenario_id"], "429" in l["error"]) for l in report["lost_rollouts"]][:2]],
        [[], 4, [("s0", True), ("s1", True)]])
    rows, report, done = play(f"vllm:none@{base}/v1", "--budget", "2", "--rerolls", "0")
    check.same("a model it does not have: nothing lands", [rows, done.returncode], [[], 4])
    rows, report, done = play(f"vllm:words@{base}/v1", "--agent-key-env", "NOBODY")
    check.same("a key that is missing ends the run", [rows, done.returncode], [[], 4])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases")
    parser.add_argument("--seed")
    given = parser.parse_args()
    if not os.path.exists(PROXY):
        print("skipped: litellm is not installed")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    build = os.path.dirname(os.path.abspath(given.bin))
    subprocess.run(["make", "-s", "-C", build, "obj/tests/tools/chat-client"], check=True)
    check = bench.Checks()
    port = closed_port()
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "config.yaml")  # JSON is YAML
        with open(config, "w") as f:
            json.dump({"model_list": [{"model_name": name, "litellm_params": dict(model="openai/gpt-x", api_key="none",
                                                                                  **fixed)}
                                      for name, fixed in [*MODELS.items(), ("mixed", MODELS["words"]), ("mixed", MODELS["calls"])]],
                       "general_settings": {"master_key": KEY}, "litellm_settings": {"telemetry": False}}, f)
        env = dict(bench.BARE, HOME=folder, LITELLM_LOCAL_MODEL_COST_MAP="True", NO_PROXY="*")
        with open(os.path.join(folder, "log"), "w+") as log:
            process = subprocess.Popen([PROXY, "--config", config, "--host", "127.0.0.1", "--port", str(port),
                                        "--telemetry", "False"], env=env, stdout=log, stderr=log, cwd=folder)
            try:
                base = f"http://127.0.0.1:{port}"
                if wait_for(base, process):
                    talk(check, os.path.join(build, "obj", "tests", "tools", "chat-client"), base)
                    simulate(check, os.path.join(given.bin, "wai-simulate"), base, folder)
                else:
                    log.seek(0)
                    check.true(f"the proxy starts: {log.read()[-2000:]}", False)
            finally:
                process.terminate()
                process.wait(30)
    return check.close()


if __name__ == "__main__":
    sys.exit(main())
