"""Thousands of calls in flight in one process: how long they take, and how much memory."""
import json
import os
import subprocess
import time

from bench import BARE

IN_FLIGHT, CALLS, DELAY_MS = 2000, 20000, 200


def measure(programs):
    server = subprocess.Popen([programs["delay-server"], str(DELAY_MS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = int(server.stdout.readline())
    line = {"spec": f"vllm:m@http://127.0.0.1:{port}/v1", "messages": [{"role": "user", "content": "hi"}],
            "count": CALLS}
    began = time.monotonic()
    child = subprocess.Popen([programs["chat-client"], "--jobs", str(IN_FLIGHT), "--summary"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, env=BARE)
    child.stdin.write(json.dumps(line).encode() + b"\n")
    child.stdin.close()
    total = json.loads(child.stdout.read())
    _, _, usage = os.wait4(child.pid, 0)
    took = time.monotonic() - began
    child.returncode = 0
    child.stdout.close()
    server.stdin.close()
    server.wait()
    server.stdout.close()
    return total, took, CALLS / IN_FLIGHT * DELAY_MS / 1000, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def check_all(check, programs):
    total, took, ideal, megabytes, cpu = measure(programs)
    print(f"     {CALLS} calls, {IN_FLIGHT} in flight, {DELAY_MS} ms each: {took:.2f} s, ideal {ideal:.2f} s "
          f"(x{took / ideal:.2f}), {megabytes:.0f} MB, {cpu:.2f} s of processor")
    check.same("every call is answered", [total["ok"], total["retries"]], [CALLS, 0])
    # A sanitizer's shadow and stacks are not the client's.
    if not any("SAN_OPTIONS" in name for name in os.environ) and "build-" not in programs["chat-client"]:
        check.true("within 200 MB", megabytes < 200, megabytes)
