#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scenarios.py -- docs/reference/scenarios.md tells the truth: its rows are numbered without a gap, each names
a test, and each test it names is there and is run."""

import re

from check import Plant, Problem, main

PAGE = "docs/reference/scenarios.md"
ROW = re.compile(r"^\| (\d+) \|(.*)\|$")
TEST = re.compile(r"`([\w/]+): (\w+)`")


def source_of(program):
    """The file of a test program: "informer/relist", "thread/factory"."""
    kind, _, name = program.partition("/")
    folder = "tests" if kind == "thread" else "tests/unit"
    return f"{folder}/{kind}/{name}_test.c"


def check_row(root, line, text):
    problems = []
    tests = TEST.findall(text)
    if not tests:
        problems.append(Problem(PAGE, line, "names no test"))
    for program, function in tests:
        path = root / source_of(program)
        source = path.read_text(encoding="utf-8") if path.is_file() else ""
        if not re.search(rf"\b(TEST|CASE)\({function}\)", source):
            problems.append(Problem(PAGE, line, f"{source_of(program)} runs no {function}"))
    return problems


def check(root):
    problems, wanted = [], 1
    lines = (root / PAGE).read_text(encoding="utf-8").splitlines()
    for line, text in enumerate(lines, 1):
        row = ROW.match(text)
        if not row:
            continue
        if int(row[1]) != wanted:
            problems.append(Problem(PAGE, line, f"is number {row[1]}, not {wanted}"))
        wanted += 1
        problems += check_row(root, line, row[2])
    if wanted == 1:
        problems.append(Problem(PAGE, 0, "has no scenario"))
    return problems


CLEAN = {
    "docs/reference/scenarios.md": "# S\n\n| | when | test | x |\n|---|---|---|---|\n"
    "| 1 | a | `m/n: does_a` | as |\n| 2 | b | `m/n: does_a`, `thread/n: does_b` | as |\n",
    "tests/unit/m/n_test.c": "static void does_a(void **s)\n{\n}\nTEST(does_a),\n",
    "tests/thread/n_test.c": "TEST(does_b),\n",
}

PLANTS = [
    Plant("a test that is gone", {"tests/unit/m/n_test.c": "TEST(does_c),\n"},
          "docs/reference/scenarios.md:5: tests/unit/m/n_test.c runs no does_a"),
    Plant("a test that is not run",
          {"tests/thread/n_test.c": "static void does_b(void **s)\n{\n}\n"}, "runs no does_b"),
    Plant("a row without a test", {"docs/reference/scenarios.md": "| 1 | a | none | as |\n"},
          "names no test"),
    Plant("a gap", {"docs/reference/scenarios.md": "| 1 | a | `m/n: does_a` | as |\n"
                    "| 3 | b | `m/n: does_a` | as |\n"}, "is number 3, not 2"),
    Plant("a page without rows", {"docs/reference/scenarios.md": "# S\n"}, "has no scenario"),
]

if __name__ == "__main__":
    main("every scenario has a test that is there and is run", check, CLEAN, PLANTS)
