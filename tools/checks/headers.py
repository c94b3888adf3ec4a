#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers.py -- every header compiles alone: public ones as C11 and as C++11, internal ones as gnu11.
All public ones together compile in the other standards that programs use.  An internal header that
the file of the same name includes first is compiled alone by the build; only its guard is checked
here.  Public functions that can fail are declared with LW_MUST_CHECK."""

import os
import platform
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

from check import SPDX, Plant, Problem, files, includes, line_of, main, relative, run

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]
# Twice, to detect a missing include guard; then a declaration, because an empty unit is not valid C.
UNIT = "#include <{0}>\n#include <{0}>\ntypedef int check_alone;\n"
# The standards that only all public headers together are compiled in.
C_STANDARDS = ["c99", "c17", "c2x"]
CXX_STANDARDS = ["c++14", "c++17", "c++20", "c++23"]

# Headers for one architecture only, and the flags of their files.
MACHINES = [
    ("*_avx2.h", "x86_64", ["-mavx2", "-mbmi", "-mbmi2", "-mpclmul"]),
    ("*_avx512.h", "x86_64", ["-mavx512f", "-mavx512bw", "-mbmi", "-mbmi2", "-mpclmul"]),
    ("*_clmul.h", "x86_64", ["-mpclmul"]),
    ("*_sse2.h", "x86_64", []),
    ("*_neon.h", "aarch64", []),
]
# Headers that are included several times with different macros; they do not compile alone.
TEMPLATES = ["src/json/scan_walk_loop.h", "src/json/lexer/skip_loop.h"]


def arguments(parser):
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--generated", type=Path, help="where headers are that the build makes")


def machine_flags(name):
    """What an internal header needs to be compiled here; None when it is not for this machine."""
    if name in TEMPLATES:
        return None
    for glob, machine, flags in MACHINES:
        if fnmatchcase(name, glob):
            return flags if platform.machine() == machine else None
    return []


GUARD = re.compile(r"^#ifndef (\w+)\n#define \1\n", re.MULTILINE)


def is_built_alone(path):
    """The build compiles it first in a unit of its own."""
    unit = path.with_suffix(".c")
    if not unit.exists():
        return False
    first = next(iter(includes(unit.read_text(encoding="utf-8"))), (0, "", False))
    return Path(first[1]).name == path.name


def unguarded(root):
    """The internal headers that cannot be included twice."""
    return [Problem(relative(root, path), 0, "has no include guard")
            for path in files(root, "src/**/*.h") if relative(root, path) not in TEMPLATES
            and not GUARD.search(path.read_text(encoding="utf-8"))]


# Returns what it was given, to be returned in turn.
MAY_BE_IGNORED = ["lw_error_set"]
RETURNS_STATUS = re.compile(r"^(LW_MUST_CHECK )?LW_API lw_status (\w+)\(", re.MULTILINE)


def unchecked(root):
    """The public functions that can fail and do not say that their result must be checked."""
    for path in files(root, "include/**/*.h"):
        text = path.read_text(encoding="utf-8")
        for match in RETURNS_STATUS.finditer(text):
            if not match[1] and match[2] not in MAY_BE_IGNORED:
                yield Problem(relative(root, path), line_of(text, match.start()),
                              f"{match[2]} returns lw_status without LW_MUST_CHECK")


def jobs(root, args):
    """(name of the header, language, command, what to include) for everything to be compiled."""
    public = ["-I", root / "include"]
    internal = public + ["-I", root / "src", "-I", root / "src/control", "-D_GNU_SOURCE"]
    if args.generated:
        internal += ["-I", args.generated]
    for path in files(root, "include/**/*.h"):
        name, included = relative(root, path), relative(root / "include", path)
        yield name, "C11", [args.cc, "-xc", "-std=c11"] + public, included
        yield (name, "C++11", [args.cxx, "-xc++", "-std=c++11", "-Wold-style-cast"] + public,
               included)
    together = ">\n#include <".join(relative(root / "include", path)
                                   for path in files(root, "include/**/*.h"))
    for standard in C_STANDARDS:
        yield "include", standard, [args.cc, "-xc", f"-std={standard}"] + public, together
    for standard in CXX_STANDARDS:
        yield ("include", standard, [args.cxx, "-xc++", f"-std={standard}", "-Wold-style-cast"]
               + public, together)
    for path in files(root, "src/**/*.h"):
        name, included = relative(root, path), relative(root / "src", path)
        flags = machine_flags(name)
        if flags is not None and not is_built_alone(path):
            yield name, "gnu11", [args.cc, "-xc", "-std=gnu11"] + internal + flags, included


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
        compiled = pool.map(compile_alone, jobs(root, args))
        return list(unchecked(root)) + unguarded(root) + [p for problems in compiled for p in problems]


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
    Plant("a public header that is not C99",
          {"include/listwatch/c.h": "#include <assert.h>\n#ifndef __cplusplus\n"
           "static_assert(sizeof(int) == 4, \"int\");\n#endif\n"},
          "include: does not compile alone as c99"),
    Plant("a public header that is not C++20",
          {"include/listwatch/c.h": "int c(int concept);\n"},
          "include: does not compile alone as c++20"),
    Plant("a result that may be ignored",
          {"include/listwatch/c.h": "LW_API lw_status lw_c(void);\n"},
          "lw_c returns lw_status without LW_MUST_CHECK"),
    Plant("a header without a guard", {"include/listwatch/c.h": "struct c {\n    int n;\n};\n"},
          "redefinition"),
    Plant("an internal header that lacks an include", {"src/base/c.h": "uint64_t c(void);\n"},
          "src/base/c.h: does not compile alone as gnu11"),
    Plant("an internal header that is not the first of its file",
          {"src/base/c.h": "uint64_t c(void);\n",
           "src/base/c.c": '#include <stdint.h>\n#include "base/c.h"\n'},
          "src/base/c.h: does not compile alone as gnu11"),
    Plant("an internal header without a guard",
          {"src/base/c.h": "typedef int c;\n", "src/base/c.c": '#include "base/c.h"\n'},
          "src/base/c.h: has no include guard"),
]

if __name__ == "__main__":
    main("every header compiles alone, public ones as C11 and C++11", check, CLEAN, PLANTS,
         arguments)
