#!/usr/bin/env python3
"""The json room against CPython's json, str and repr, on random texts, valid and broken.

Deliberate differences, which the inputs here keep out of:
  * nesting deeper than 512 levels is refused (Python stops near its recursion limit);
  * an integer may have any number of digits (Python refuses more than 4300);
  * bytes that encode a surrogate are not UTF-8, a text that starts with a byte order mark is no JSON
    (Python's decoder for bytes drops one).
What is the same on purpose: NaN, Infinity and -Infinity are read; raw control characters in strings are not;
a lone surrogate escape is; the last of two members with one name counts, in the place of the first.
"""
import argparse
import json
import math
import random
import subprocess
import sys

ALPHABET = (list("abcXYZ 019_-/.,:;'\"\\{}[]\n\r\t\b\f") +
            ["\x00", "\x01", "\x1f", "\x7f", "\x80", "\x85", "\xa0", "\xad", "\xff", "é", "ß", "İ", "Σ", "\u0301",
             "\u0378", "\u200b", "\u2028", "\u2029", "\u3000", "漢", "\ue000", "\ufeff", "\ufffd", "\uffff", "😀",
             "\U0001f9ff", "\U0001fadf", "\U000e0001", "\U0010ffff", "\ud800", "\udbff", "\udc00", "\udfff"])
EDGE_NUMBERS = ["0", "-0", "0.0", "-0.0", "1e400", "-1e400", "1e-400", "1e16", "1e15", "123456789012345678",
                "9007199254740993", "0.1", "1e22", "1e23", "5e-324", "2.2250738585072011e-308", "1.7976931348623157e308",
                "1.7976931348623159e308", "-1E+2", "1E-5", "0.0001", "0.00001", "9223372036854775807",
                "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "100000000000000000000000",
                "NaN", "Infinity", "-Infinity", "0e5", "0.10", "1.0", "4.35", "1e5"]
PIECES = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b"+", b".", b"e", b"\xff", b"\xc3", b"\xc0\x80",
          b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xef\xbb\xbf", b" ", b"\n",
          b"\x00", b"\x0c", b"\x0b", b"\x85", b"t", b"true", b"nul", b"\\u12", b"\\ud800", b"\\x", b"I", b"N", b"'",
          b"/**/", b"//", b"\x7f", b"01", b"1.", b".5", b"1e", b"\\u00e9"]


def text(rng):
    return "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, rng.choice([2, 8, 70]))))


def number(rng):
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(EDGE_NUMBERS)
    if kind < 0.5:
        return str(rng.randint(-10 ** rng.randint(1, 40), 10 ** rng.randint(1, 40)))
    if kind < 0.7:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-30, 30))
    digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 25)))
    return f"{rng.choice(['', '-'])}{rng.randint(0, 99)}.{digits}{rng.choice(['', 'e5', 'E-7', 'e+300', 'e-320'])}"


def quoted(rng, s):
    """A string literal with escapes chosen at random."""
    out = ['"']
    for c in s:
        code = ord(c)
        if c in '"\\' or code < 0x20 or 0xD800 <= code <= 0xDFFF or rng.random() < 0.15:
            short = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
            if c in short and rng.random() < 0.7:
                out.append(short[c])
            elif code > 0xFFFF:
                code -= 0x10000
                out.append(f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04X}")
            else:
                out.append(f"\\u{code:04x}" if rng.random() < 0.5 else f"\\u{code:04X}")
        else:
            out.append(c)
    return "".join(out) + '"'


def space(rng, newline=False):
    if rng.random() < 0.7:
        return ""
    return "".join(rng.choice(" \t\r\n" if newline else " \t\r") for _ in range(rng.randint(1, 3)))


def value(rng, depth=0, newline=False):
    kind = rng.random()
    if depth > 5 or kind < 0.25:
        return quoted(rng, text(rng))
    if kind < 0.45:
        return number(rng)
    if kind < 0.55:
        return rng.choice(["true", "false", "null"])
    pad = lambda s: space(rng, newline) + s + space(rng, newline)
    few = rng.choice([0, 1, 3, 3, 20])
    if kind < 0.75:
        return "[" + ",".join(pad(value(rng, depth + 1, newline)) for _ in range(rng.randint(0, few))) + "]"
    names = [text(rng) if rng.random() < 0.7 else rng.choice("abc") for _ in range(rng.randint(0, few))]
    return "{" + ",".join(pad(quoted(rng, n)) + ":" + pad(value(rng, depth + 1, newline)) for n in names) + "}"


def broken(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randint(0, len(data))
        kind = rng.random()
        if kind < 0.4:
            data[at:at] = rng.choice(PIECES)
        elif kind < 0.6:
            del data[at:at + rng.choice([1, 1, 2, 5])]
        elif kind < 0.8 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind < 0.9:
            del data[at:]
        elif at < len(data):
            end = rng.randint(at, min(len(data), at + 12))
            data[at:at] = data[at:end]
    return bytes(data)


class Check:
    def __init__(self, binary):
        self.binary = binary
        self.passed = self.failed = 0

    def run(self, function, lines):
        done = subprocess.run([self.binary, function], input=b"".join(l + b"\n" for l in lines), capture_output=True)
        out = done.stdout.split(b"\n")[:-1]
        if done.returncode != 0 or len(out) != len(lines):
            print(f"{function}: exit {done.returncode}, {len(out)} of {len(lines)} lines: {done.stderr[:300]!r}")
            self.failed += 1
            out += [None] * (len(lines) - len(out))
        return out

    def same(self, what, given, ours, theirs):
        if ours == theirs:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 20:
            print(f"{what} {given[:300]!r}:\n  ours   {ours!r:.300}\n  theirs {theirs!r:.300}")


def python_accepts(data):
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return ValueError


def check_verdicts(check, rng, cases):
    texts = []
    for _ in range(cases):
        data = (space(rng, True) + value(rng, newline=True) + space(rng, True)).encode("utf-8")
        texts.append(data if rng.random() < 0.2 else broken(rng, data))
    outs = check.run("json_scan", [b'"' + t.hex().encode() + b'"' for t in texts])
    for data, out in zip(texts, outs):
        theirs = python_accepts(data)
        ours = json.loads(out) if out else {}
        check.same("verdict of", data, "members" in ours, theirs is not ValueError)
        if "offset" in ours and theirs is ValueError:
            check.same("the fault lies in", data, 0 <= ours["offset"] <= len(data), True)


def pairs(items):
    """An object with its duplicates."""
    return ("object", items)


def exact(v):
    """A value whose comparison tells 1 from 1.0 from true, and NaN from others."""
    if isinstance(v, tuple):
        return ("object", [(k, exact(x)) for k, x in v[1]])
    if isinstance(v, list):
        return [exact(x) for x in v]
    return v if isinstance(v, str) else repr(v)


def check_texts(check, rng, cases):
    lines = [value(rng) for _ in range(cases)]
    values = [json.loads(l) for l in lines]
    data = [l.encode("utf-8") for l in lines]
    for function, theirs in (("json_pystr", str), ("json_pyrepr", repr), ("json_pyjson", json.dumps),
                             ("json_pyjson_sorted", lambda v: json.dumps(v, sort_keys=True))):
        for line, v, out in zip(lines, values, check.run(function, data)):
            check.same(function, line, json.loads(out) if out else None, theirs(v))
    for line, out in zip(lines, check.run("json_decode", data)):
        check.same("json_decode", line, exact(json.loads(out or b"0", object_pairs_hook=pairs)),
                   exact(json.loads(line, object_pairs_hook=pairs)))


def check_facts(check, rng, cases):
    lines = [number(rng) if rng.random() < 0.7 else value(rng) for _ in range(cases)]
    for line, out in zip(lines, check.run("json_facts", [l.encode("utf-8") for l in lines])):
        v = json.loads(line)
        plain = json.loads(line, object_pairs_hook=list)
        numeric = isinstance(v, (int, float)) and not isinstance(v, bool)
        try:
            real = float(v) if numeric else None
        except OverflowError:
            real = None                # an integer beyond the range of a double: infinite for us
        if real is not None and not math.isfinite(real):
            real = None                # written as null
        theirs = {"truthy": bool(v), "count": len(plain) if isinstance(v, (list, dict)) else 0,
                  "real": real,
                  "int64": v if numeric and isinstance(v, int) and -2 ** 63 <= v < 2 ** 63 else None}
        check.same("json_facts", line, repr(json.loads(out)) if out else None, repr(theirs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    check = Check(f"{given.bin}/wai-unit")
    check_verdicts(check, rng, given.cases * 10)
    check_texts(check, rng, given.cases)
    check_facts(check, rng, given.cases)
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
