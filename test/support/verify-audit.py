#!/usr/bin/env python3
"""Verifies an audit log with nothing but the published formula and the Python standard library.

    hash = lower-case hex of sha256( utf8(prev_hash) || utf8(JCS(event)) ), JCS = RFC 8785, genesis prev_hash = 64 zeros

Shares no code with the product: it parses every line and writes the canonical form again.
Exit status: 0 the chain holds, 1 broken link (the first bad record is named).
"""
import hashlib
import json
import sys

SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def refuse_duplicates(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate member")
    return members


def refuse_constant(name):
    raise ValueError(name + " is not JSON")


def text(value):
    out = []
    for char in value:
        if char in SHORT_ESCAPES:
            out.append(SHORT_ESCAPES[char])
        elif char < " ":
            out.append("\\u%04x" % ord(char))
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def number(value):
    """ECMAScript Number::toString; Python's repr gives the same shortest digits in another layout."""
    double = float(value)
    if double == 0:
        return "0"
    if double < 0:
        return "-" + number(-double)
    mantissa, _, exponent = repr(double).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + ("" if fraction == "0" else fraction)
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    sign = "+" if point > 0 else "-"
    tail = "." + digits[1:] if count > 1 else ""
    return digits[0] + tail + "e" + sign + str(abs(point - 1))


def canonical(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(text(key) + ":" + canonical(value[key]) for key in keys) + "}"


def check(line, seq, prev_hash):
    record = json.loads(line.decode("utf-8"), object_pairs_hook=refuse_duplicates, parse_constant=refuse_constant)
    if list(record) != ["seq", "hash", "prev_hash", "event"]:
        raise ValueError("unexpected members")
    if record["seq"] != seq or record["event"]["seq"] != seq:
        raise ValueError("seq is not %d" % seq)
    if record["prev_hash"] != prev_hash:
        raise ValueError("prev_hash differs")
    body = canonical(record["event"]).encode("utf-8")
    if hashlib.sha256(prev_hash.encode("utf-8") + body).hexdigest() != record["hash"]:
        raise ValueError("hash differs")
    return record["hash"]


def main(path):
    seq, head = 0, "0" * 64
    with open(path, "rb") as log:
        for line in log:
            if not line.endswith(b"\n"):
                print("unfinished last line of %d bytes" % len(line))
                break
            try:
                head = check(line, seq + 1, head)
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
                print("broken at record %d: %s" % (seq + 1, error))
                return 1
            seq += 1
    print("chain ok: %d records, head %d %s" % (seq, seq, head))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
