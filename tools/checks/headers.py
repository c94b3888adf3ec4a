#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers.py -- every header compiles alone: public ones as C11 and as C++, internal ones as gnu11."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from check import SPDX, Plant, Problem, files, main, relative, run

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]
# Twice, so that a missing include guard shows; then something, for an empty unit is not C.
UNIT = "#include <{0}>\n#include <{0}>\ntypedef int check_alone;\n"


def arguments(parser):
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")


def jobs(root, args):
    """(name of the header, language, command) for everything to be compiled."""
    for path in files(root, "include/**/*.h"):
        name = relative(root / "include", path)
        where = ["-I", root / "include"]
        yield relative(root, path), "C11", [args.cc, "-xc", "-std=c11"] + where, name
        yield (relative(root, path), "C++11",
               [args.cxx, "-xc++", "-std=c++11", "-Wold-style-cast"] + where, name)
    for path in files(root, "src/*/*.h"):
        where = ["-I", root / "include", "-I", root / "src", "-D_GNU_SOURCE"]
        yield (relative(root, path), "gnu11", [args.cc, "-xc", "-std=gnu11"] + where,
               relative(root / "src", path))


def compile_alone(job):
    name, language, command, included = job
    with tempfile.TemporaryDirectory() as scratch:
        unit = Path(scratch) / "unit"
        unit.write_text(UNIT.format(included))
        code, text = run(command + WARNINGS + ["-fsyntax-only", unit])
    first = next((line for line in text.splitlines() if "error" in line), text.strip())
    return [Problem(name, 0, f"does not compile alone as {language}: {first}")] if code else []


def check(root, args):
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return [p for problems in pool.map(compile_alone, jobs(root, args)) for p in problems]


CLEAN = {
    "include/listwatch/a.h": SPDX + "#ifndef A_H\n#define A_H\n#include <stddef.h>\n"
    "struct a {\n    size_t n;\n};\n#endif\n",
    "src/base/b.h": SPDX + "#ifndef B_H\n#define B_H\n#include <listwatch/a.h>\n"
    "struct b {\n    struct a a;\n};\n#endif\n",
}

PLANTS = [
    Plant("a public header that lacks an include",
          {"include/listwatch/c.h": "size_t c(void);\n"}, "c.h: does not compile alone as C11"),
    Plant("a public header that is not C++",
          {"include/listwatch/c.h": "int c(int class);\n"}, "c.h: does not compile alone as C++11"),
    Plant("a public header that uses an extension",
          {"include/listwatch/c.h": "struct c {\n    int n;\n    int tail[0];\n};\n"},
          "c.h: does not compile alone as C11"),
    Plant("a header without a guard", {"include/listwatch/c.h": "struct c {\n    int n;\n};\n"},
          "redefinition"),
    Plant("an internal header that lacks an include", {"src/base/c.h": "uint64_t c(void);\n"},
          "src/base/c.h: does not compile alone as gnu11"),
]

if __name__ == "__main__":
    main("every header compiles alone, public ones as C11 and C++11", check, CLEAN, PLANTS,
         arguments)
