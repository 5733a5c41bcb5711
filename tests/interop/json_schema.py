#!/usr/bin/env python3
"""wai-grade -V json-schema against the JSON-Schema-Test-Suite, as the source package of jsonschema carries it.

    json_schema.py --bin DIR [--cases N] [--seed S]

Every required case of drafts 2020-12 and 7; --cases and --seed are taken and do nothing. Left out, and counted as
skipped: cases whose schema refers outside of itself (refused on purpose) and the one of a custom vocabulary.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tarfile
import tempfile

PACKAGE = "jsonschema==4.23.0"
NOT_READ = {("vocabulary.json", "schema that uses custom metaschema with with no validation vocabulary")}


def fetch(folder):
    done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation",
                           "-d", folder, PACKAGE], capture_output=True, text=True)
    if done.returncode:  # building its metadata needs tools that may be missing: with isolation, then
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", folder, PACKAGE],
                       capture_output=True, text=True)
    for path in glob.glob(os.path.join(folder, "jsonschema-*.tar.gz")):
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
        return glob.glob(os.path.join(folder, "jsonschema-*", "json", "tests"))
    return []


def answers(binary, schema, draft, values):
    given = json.dumps(schema) if isinstance(schema, bool) else schema
    arguments = "json-schema:" + json.dumps({"schema": given, "draft": draft})
    rows = "".join(json.dumps({"final_text": json.dumps(v)}) + "\n" for v in values)
    done = subprocess.run([binary, "-q", "-j1", "-V", arguments], input=rows, capture_output=True, text=True)
    if done.returncode == 2 and "not in it" in done.stderr:
        return None
    return [json.loads(line)["reward"] for line in done.stdout.split("\n") if line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seed", type=int)
    binary = os.path.join(parser.parse_args().bin, "wai-grade")
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        roots = fetch(folder)
        if not roots:
            print(f"{PACKAGE} is not to be had here")
            print("0 passed, 0 failed, 1 skipped")
            return 0
        for draft, name in (("2020-12", "draft2020-12"), ("7", "draft7")):
            for path in sorted(glob.glob(os.path.join(roots[0], name, "*.json"))):
                with open(path, encoding="utf-8") as f:
                    cases = json.load(f)
                for case in cases:
                    tests = case["tests"]
                    got = answers(binary, case["schema"], draft, [t["data"] for t in tests])
                    if got is None or (os.path.basename(path), case["description"]) in NOT_READ:
                        skipped += len(tests)
                        continue
                    for i, t in enumerate(tests):
                        if i < len(got) and got[i] == int(t["valid"]):
                            passed += 1
                        else:
                            failed += 1
                            print(f"{name} {os.path.basename(path)}: {case['description']}: {t['description']}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
