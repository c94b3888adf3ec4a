#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""symbols.py -- the shared library exports what the public headers declare with LW_API, no more and
no less."""

import shlex
import tempfile
from pathlib import Path

from check import SPDX, Plant, Problem, main, run
from declared import declarations


def arguments(parser):
    parser.add_argument("--library", type=Path, help="the built liblistwatch.so")
    parser.add_argument("--cc", default="cc", help="builds the libraries of the self-test")


def exported(library):
    code, text = run(["nm", "-D", "--defined-only", "--format=posix", library])
    if code != 0:
        raise SystemExit(f"nm: {text}")
    return {line.split()[0].split("@")[0] for line in text.splitlines() if line.strip()}


def compare(root, library):
    declared = {d.name: d for d in declarations(root) if d.is_exported}
    found = exported(library)
    problems = [Problem(library.name, 0, f"exports {name}, which no public header declares")
                for name in sorted(found - set(declared))]
    for name in sorted(set(declared) - found):
        problems.append(Problem(declared[name].header, declared[name].line,
                                f"{name} is declared but not exported by {library.name}"))
    if not found:
        problems.append(Problem(library.name, 0, "exports nothing"))
    return problems


def check(root, args):
    if not args.self_test:
        return compare(root, args.library)
    with tempfile.TemporaryDirectory() as scratch:
        library = Path(scratch) / "libplanted.so"
        code, text = run(shlex.split(args.cc) + ["-shared", "-fPIC", "-I", root / "include", "-o",
                                                 library, root / "lib.c"])
        if code != 0:
            raise SystemExit(text)
        return compare(root, library)


HEADER = SPDX + "#define LW_API\n/* Does a. */\nLW_API int lw_a(int x,\n                int y);\n"
CLEAN = {
    "include/listwatch/a.h": HEADER,
    "lib.c": "int lw_a(int x, int y)\n{\n    return x + y;\n}\n",
}

PLANTS = [
    Plant("an export that is not declared",
          {"lib.c": CLEAN["lib.c"] + "int lw_b(void)\n{\n    return 0;\n}\n"},
          "exports lw_b, which no public header declares"),
    Plant("an export without the prefix",
          {"lib.c": CLEAN["lib.c"] + "int helper;\n"}, "exports helper"),
    Plant("a declaration that is not exported",
          {"include/listwatch/a.h": HEADER + "LW_API const char *lw_c(void);\n"},
          "a.h:6: lw_c is declared but not exported"),
]

if __name__ == "__main__":
    main("the library exports exactly what is declared with LW_API", check, CLEAN, PLANTS,
         arguments)
