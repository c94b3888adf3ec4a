#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""prune_test.py -- what the scanner copies out of a list is what Python's json reads and prunes.

usage: prune_test.py PRUNE.  Numbers are compared as they are spelled; of members named twice the
last one counts, before anything is pruned.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools" / "checks"))
from check import Tap  # noqa: E402

LISTS, ITEMS = 8, 40  # lists of each plan, objects of each list
SHOWN = 3  # differences of one plan

KEYS = ["spec", "status", "containers", "name", "image", "env", "a/b", "m~n", "*", "0", "", "é\n"]
LABEL_KEYS = ["app", "tier", "a/b", "é", ""]
IDENTITY = ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name", "/metadata/uid",
            "/metadata/resourceVersion", "/metadata/labels"]

# (option, paths); no option: the default.
PLANS = [
    (None, []),
    ("--drop", []),
    ("--drop", ["/metadata/managedFields", "/status"]),
    ("--drop", ["/spec/containers/name", "/spec/a~1b", "/status/m~0n/0", "/metadata/annotations"]),
    ("--drop", ["/spec/*/name", "/*/*/env", "/status/*"]),
    ("--drop", ["/spec/*", "/spec/containers/*/image"]),
    ("--drop", ["/*"]),
    ("--drop", ["/metadata/*"]),
    ("--drop", ["/metadata/labels/*", "/*/*/*"]),
    ("--drop", ["/spec/é\n", "/spec/", "/status//"]),
    ("--keep", []),
    ("--keep", ["/spec"]),
    ("--keep", ["/spec/containers/*/image", "/status/name"]),
    ("--keep", ["/*"]),
    ("--keep", ["/*/name", "/spec/*/*/env"]),
    ("--keep", ["/metadata/annotations", "/spec/", "/spec/é\n/*"]),
    ("--keep", ["/metadata", "/status/*/*", "/status/a~1b"]),
    ("--keep", ["/spec/containers", "/spec/containers/*/name"]),
]


class Number(str):
    """A number as it stands in the text."""


class Writer:
    """Random lists as text: json.dumps cannot write members twice, nor escape what need not be."""

    def __init__(self, seed, is_pretty):
        self.random = random.Random(seed)
        self.is_pretty = is_pretty

    def blanks(self):
        if not self.is_pretty:
            return ""
        return self.random.choice(["", " ", "\n", "\r\n\t", "    "])

    def between(self, text):
        return self.blanks() + text + self.blanks()

    def string(self, text):
        if self.random.random() < 0.15 and text:
            at = self.random.randrange(len(text))
            units = text[at].encode("utf-16-be").hex()
            escape = "".join("\\u" + units[i:i + 4] for i in range(0, len(units), 4))
            parts = [json.dumps(part)[1:-1] for part in (text[:at], text[at + 1:])]
            return f'"{parts[0]}{escape}{parts[1]}"'
        return json.dumps(text, ensure_ascii=self.random.random() < 0.5)

    def any_string(self):
        letters = "abc-./ \"\\\n\té€😀{}[],:\u2028\x7f"
        return self.string("".join(self.random.choices(letters, k=self.random.randrange(12))))

    def scalar(self):
        pick = self.random.randrange(6)
        if pick < 2:
            return self.any_string()
        if pick < 4:
            return self.random.choice(["0", "-1", "1.50", "-0.0", "1e400", "12E-3",
                                       "123456789012345678901234567890"])
        return self.random.choice(["null", "true", "false"])

    def members(self, pairs):
        comma, colon = self.between(","), self.between(":")
        inner = comma.join(self.string(key) + colon + value for key, value in pairs)
        return "{" + self.between(inner) + "}"

    def value(self, depth):
        pick = self.random.random()
        if depth == 0 or pick < 0.2:
            return self.scalar()
        count = self.random.randrange(5)
        if pick < 0.45:
            elements = [self.value(depth - 1) for _ in range(count)]
            return "[" + self.between(self.between(",").join(elements)) + "]"
        return self.members((self.random.choice(KEYS), self.value(depth - 1))
                            for _ in range(count))

    def text(self):
        return "null" if self.random.random() < 0.05 else self.any_string()

    def labels(self):
        if self.random.random() < 0.05:
            return "null"
        return self.members((self.random.choice(LABEL_KEYS), self.text())
                            for _ in range(self.random.randrange(5)))

    def metadata(self):
        if self.random.random() < 0.03:
            return "null"
        makers = {"name": self.text, "namespace": self.text, "uid": self.text,
                  "resourceVersion": self.text, "labels": self.labels,
                  "annotations": lambda: self.value(2), "managedFields": lambda: self.value(3),
                  "*": self.scalar}
        return self.some_of(makers)

    def some_of(self, makers):
        """Members in any order: most of them once, some not at all, some twice."""
        names = [name for name in makers for _ in range(self.random.choice([0, 1, 1, 1, 1, 1, 2]))]
        self.random.shuffle(names)
        return self.members((name, makers[name]()) for name in names)

    def item(self):
        makers = {"apiVersion": self.text, "kind": self.text, "metadata": self.metadata,
                  "spec": lambda: self.value(5), "status": lambda: self.value(4),
                  "name": self.scalar, "*": lambda: self.value(2)}
        return self.some_of(makers)

    def list(self):
        items = "[" + self.between(self.between(",").join(self.item() for _ in range(ITEMS))) + "]"
        return self.blanks() + self.members([
            ("kind", '"PodList"'), ("metadata", '{"resourceVersion":"7"}'), ("items", items),
            ("other", self.value(3))]) + self.blanks()


def load(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def segments(path):
    return [s.replace("~1", "/").replace("~0", "~") for s in path.split("/")[1:]]


def below(paths, key):
    """What is left of |paths| below the member |key|, or below an element (None)."""
    return [path[1:] for path in paths if path[0] == "*" or path[0] == key]


IDENTITY_PATHS = [segments(path) for path in IDENTITY]
WAYS_TO_IDENTITY = [path[:i] for path in IDENTITY_PATHS for i in range(1, len(path) + 1)]


def children(value):
    """(key, child) of a container; an element has no key."""
    if isinstance(value, dict):
        return list(value.items())
    return [(None, element) for element in value]


def rebuild(value, kept):
    return dict(kept) if isinstance(value, dict) else [child for _, child in kept]


def drop(value, paths, at=()):
    """|value| without what |paths| lead to, except what identifies an object."""
    if not isinstance(value, (dict, list)):
        return value
    kept = []
    for key, child in children(value):
        rest = below(paths, key)
        here = (*at, key)
        if [] in rest and list(here) not in WAYS_TO_IDENTITY:
            continue
        kept.append((key, drop(child, [path for path in rest if path], here)))
    return rebuild(value, kept)


def keep(value, paths):
    """What |paths| lead to in |value|, and what stands on the way: containers, and scalars that are
    members."""
    kept = []
    for key, child in children(value):
        rest = below(paths, key)
        if [] in rest:
            kept.append((key, child))
        elif rest and isinstance(child, (dict, list)):
            kept.append((key, keep(child, rest)))
        elif rest and key is not None:
            kept.append((key, child))
    return rebuild(value, kept)


def prune(item, option, paths):
    if option == "--keep":
        return keep(item, IDENTITY_PATHS + [segments(path) for path in paths])
    if option is None:
        paths = ["/metadata/managedFields"]
    return drop(item, [segments(path) for path in paths])


def run(program, text, option, paths, chunk):
    command = [program, "--chunk", str(chunk)] + ([option] if option else []) + paths
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.stdout.decode().split("\n")[:-1], done.returncode, done.stderr.decode()


def compare(program, seed, option, paths):
    """What is wrong with one list; nothing, when all is well."""
    writer = Writer(seed, is_pretty=seed % 2 == 1)
    text = writer.list()
    items = load(text)["items"]
    chunk = writer.random.choice([1, 7, 63, 64, 65, 1000, 1 << 20])
    lines, code, message = run(program, text, option, paths, chunk)
    if code != 0 or len(lines) != len(items):
        return [f"seed {seed}: exit code {code}, {len(lines)} objects: {message}"]
    return [f"seed {seed} chunk {chunk}: got {line}\nof {item}" for item, line in zip(items, lines)
            if load(line) != prune(item, option, paths)]


def main():
    tap = Tap()
    program = sys.argv[1]
    for number, (option, paths) in enumerate(PLANS):
        differences = []
        for i in range(LISTS):
            differences += compare(program, number * LISTS + i, option, paths)
        plan = " ".join([option or "(default)"] + [json.dumps(p, ensure_ascii=False) for p in paths])
        tap.report(not differences, f"{LISTS * ITEMS} objects with {plan}", differences[:SHOWN])
    for chunk in (1, 64, 1 << 20):
        lines, code, _ = run(program, '{"items":[{"spec":{"a":1}},{"spec":', None, [], chunk)
        tap.report(code == 1 and lines == ['{"spec":{"a":1}}'],
                   f"what stands before the fault is copied, in chunks of {chunk}", lines)
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
