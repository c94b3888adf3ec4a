#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sizes.py -- file sizes: a warning from 500 lines on, a failure beyond 600; and functions that are
too long."""

import re

from check import SPDX, Plant, Problem, code_only, files, line_of, main, relative

FILE_WARNING, FILE_LIMIT = 500, 600
FUNCTION_WARNING, FUNCTION_LIMIT = 40, 100

# A function body as formatted by clang-format: braces in the first column.
BODY = re.compile(r"^\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(\w+)\([^;{}]*$")


def functions(text):
    """(name, line, lines) of every function."""
    code = code_only(text)
    for body in BODY.finditer(code):
        head = NAME.search(code[max(0, body.start() - 400):body.start()].rstrip())
        yield (head[1] if head else "?", line_of(code, body.start()), body[1].count("\n"))


def check(root):
    problems, warnings = [], []
    for path in files(root, "src/**/*.[ch]", "cli/**/*.[ch]"):
        name = relative(root, path)
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > FILE_WARNING:
            found = problems if lines > FILE_LIMIT else warnings
            found.append(Problem(name, 0, f"has {lines} lines: split the file"))
        for function, line, length in functions(text):
            if length > FUNCTION_WARNING:
                found = problems if length > FUNCTION_LIMIT else warnings
                found.append(Problem(name, line, f"{function} has {length} lines"))
    for warning in warnings:
        print(f"# warning: {warning}")
    return problems


def function(lines):
    return "static int f(int a)\n{\n" + "    a++;\n" * lines + "}\n"


CLEAN = {"src/base/a.c": SPDX + function(FUNCTION_LIMIT) + "\n" * (FILE_LIMIT - 110)}

PLANTS = [
    Plant("a file that is too long", {"src/base/b.c": "\n" * (FILE_LIMIT + 1)},
          "src/base/b.c: has 601 lines"),
    Plant("a function that is too long", {"src/base/b.c": function(FUNCTION_LIMIT + 1)},
          "src/base/b.c:2: f has 101 lines"),
]

if __name__ == "__main__":
    main("no file above 600 lines, no function above 100", check, CLEAN, PLANTS)
