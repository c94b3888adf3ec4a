#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unique.py -- no two source files define a function of the same name.  The program links all
libraries, and a linker takes the first of two functions in archives without a word."""

import re

from check import SPDX, Plant, Problem, files, main, relative

DEFINITION = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\n\{",
                        re.MULTILINE)


def check(root):
    first, problems = {}, []
    for path in files(root, "src/**/*.c", "cli/*.c"):
        name, text = relative(root, path), path.read_text(encoding="utf-8")
        for found in DEFINITION.finditer(text):
            where = (name, text.count("\n", 0, found.start()) + 1)
            other = first.setdefault(found[1], where)
            if other != where and found[1] != "main":
                problems.append(Problem(*where, f"{found[1]} is also defined in "
                                                f"{other[0]}:{other[1]}"))
    return problems


CLEAN = {
    "src/api/a.c": SPDX + "lw_status lw_a_set(int x,\n                   int y)\n{\n}\n"
                          "static void set(void)\n{\n}\n",
    "src/api/b.c": SPDX + "void lw_b_set(int x)\n{\n}\nstatic void set(void)\n{\n}\n"
                          "lw_status lw_a_set(int x, int y);\n",
}

PLANTS = [
    Plant("a function that two modules define",
          {"src/control/c.c": SPDX + "void *lw_a_set(const char *name)\n{\n}\n"},
          "src/control/c.c:2: lw_a_set is also defined in src/api/a.c:2"),
    Plant("a function of the program that the library has",
          {"cli/c.c": SPDX + "void lw_b_set(int x)\n{\n}\n"}, "lw_b_set is also defined in"),
]

if __name__ == "__main__":
    main("every function is defined once", check, CLEAN, PLANTS)
