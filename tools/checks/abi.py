#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""abi.py -- programs that were compiled with the ABI in tools/abi.txt still work: no function, struct
member or enum constant has gone, changed its type, or moved.

tools/abi.txt is the ABI of the last release.  What was added since is allowed: functions, structs,
constants, and members at the end of structs that may grow (docs/reference/abi.md).  A deliberate
change of the ABI is made with

    python3 tools/checks/abi.py --update --library build/src/liblistwatch.so ... (make abi-update)

which writes tools/abi.txt anew.  clang reads the headers: its AST has the types of functions, and it
prints the layouts of structs."""

import argparse
import json
import platform
import re
import shutil
import sys
import tempfile
from pathlib import Path

from check import ROOT, SPDX, Plant, Problem, files, main, relative, run

BASELINE = "tools/abi.txt"
HEAD = """\
# The ABI of the last release, as tools/checks/abi.py prints it: make abi-update writes this file.
# Offsets and sizes in bytes, on 64-bit Linux.  docs/reference/abi.md says what may change.
"""
# Structs without a size that only the library makes and passes to callbacks: they may grow.
GROWING = {"struct lw_result", "struct lw_event", "struct lw_reconcile_result"}
LAYOUT = re.compile(r"\*\*\* Dumping AST Record Layout\n(.*?)\n\s+\| \[sizeof=(\d+), align=(\d+)",
                    re.DOTALL)
OURS = re.compile(r"(?:struct|union) lw_\w+$")


def arguments(parser):
    parser.add_argument("--clang", default="clang-14")
    parser.add_argument("--library", type=Path, action="append", default=[],
                        help="a built shared library; may be repeated")


def clang(args, unit, root, dump):
    code, text = run([args.clang, "-std=c11", "-I", root / "include", "-fsyntax-only",
                      "-Xclang", dump, unit])
    if code != 0:
        raise SystemExit(f"{args.clang}: {text}")
    return text


def structs(text):
    """{"struct x": (size and alignment, [(offset, type, depth and name)])} of a dump of layouts."""
    found = {}
    for rows, size, align in LAYOUT.findall(text):
        lines = [line.split("|", 1) for line in rows.splitlines()]
        name = lines[0][1].strip()
        if not OURS.match(name):
            continue
        members = [(offset.strip(), re.sub(r"\(unnamed [^)]*\)|\(anonymous [^)]*\)", "(unnamed)",
                                           what[3:]).rstrip()) for offset, what in lines[1:]]
        found[name] = [f"size {size} align {align}"] + [f"{offset} {what}"
                                                       for offset, what in members]
    return found


def enum_rows(node):
    """"NAME = value" of each constant."""
    value = -1
    for constant in node.get("inner", []):
        if constant["kind"] == "EnumConstantDecl":
            given = next((i["value"] for i in constant.get("inner", []) if "value" in i), None)
            value = int(given) if given is not None else value + 1
            yield f"{constant['name']} = {value}"


def declared(text):
    """{"function x": [type], "enum x": [constants]} of an AST."""
    found = {}
    for node in json.loads(text)["inner"]:
        name = node.get("name", "")
        attributes = {inner["kind"] for inner in node.get("inner", [])}
        if node["kind"] == "FunctionDecl" and "VisibilityAttr" in attributes:
            found[f"function {name}"] = [node["type"]["qualType"]]
        elif node["kind"] == "EnumDecl" and node.get("inner"):
            rows = list(enum_rows(node))
            if rows and rows[0].startswith("LW_"):
                found[f"enum {name or rows[0].split()[0]}"] = rows
    return found


def exported(library):
    """{"symbol x": [its version]} of a shared library."""
    code, text = run(["nm", "-D", "--defined-only", "--format=posix", library])
    if code != 0:
        raise SystemExit(f"nm: {text}")
    rows = [line.split() for line in text.splitlines() if line.strip()]
    names = [row[0].partition("@") for row in rows if row[1] != "A"]
    return {f"symbol {name}": [version.lstrip("@") or "no version"] for name, _, version in names}


def current(root, args):
    """The ABI as {heading: rows}."""
    with tempfile.TemporaryDirectory() as scratch:
        unit = Path(scratch) / "all.c"
        # Without test.h: liblistwatch-test is only static and keeps no ABI.
        unit.write_text("".join(f"#include <{relative(root / 'include', path)}>\n"
                                for path in files(root, "include/**/*.h")
                                if path.name != "test.h"))
        found = declared(clang(args, unit, root, "-ast-dump=json"))
        found.update(structs(clang(args, unit, root, "-fdump-record-layouts-complete")))
    for library in args.library if not args.self_test else []:
        found.update(exported(library))
    return found


def text_of(abi):
    return HEAD + "".join(f"{heading}\n" + "".join(f"    {row}\n" for row in abi[heading])
                          for heading in sorted(abi))


def read(text):
    abi = {}
    for line in text.splitlines():
        if line.startswith("    "):
            abi[heading].append(line[4:])
        elif line and not line.startswith("#"):
            heading = line
            abi[heading] = []
    return abi


def struct_problems(heading, old, new):
    """Rows of a struct: [size and alignment, members...]."""
    sizes = [int(rows[0].split()[1]) for rows in (old, new)]
    kept, added = new[1:len(old)], new[len(old):]
    for before, after in zip(old[1:], kept + ["(nothing)"] * (len(old) - 1 - len(kept))):
        if before != after:
            return [f"{heading}: \"{before}\" is now \"{after}\""]
    if old[0].split()[2:] != new[0].split()[2:]:
        return [f"{heading}: {old[0]} is now {new[0]}"]
    may_grow = heading in GROWING or old[1:2] == ["0 size_t size"]
    if sizes[0] != sizes[1] and not may_grow:
        return [f"{heading} has grown from {sizes[0]} to {sizes[1]} bytes, and has no \"size\""]
    if added and int(added[0].split()[0].split(":")[0]) < sizes[0]:
        return [f"{heading}: \"{added[0]}\" is in the padding of the earlier struct"]
    return []


def changes(old, new):
    """What programs compiled with |old| would notice."""
    found = []
    for heading, rows in old.items():
        if heading not in new:
            found.append(f"{heading} has gone")
        elif heading.startswith(("struct ", "union ")):
            found += struct_problems(heading, rows, new[heading])
        else:
            found += [f"{heading}: \"{row}\" has gone or changed: now \"{', '.join(new[heading])}\""
                      for row in rows if row not in new[heading]]
    return found


def check(root, args):
    old = read((root / BASELINE).read_text(encoding="utf-8"))
    new = current(root, args)
    if args.self_test or not args.library:
        old = {heading: rows for heading, rows in old.items() if not heading.startswith("symbol ")}
    problems = changes(old, new) if old else [f"{BASELINE} is empty"]
    problems += [f"{heading} has no version" for heading, rows in new.items()
                 if rows == ["no version"]]
    return [Problem(BASELINE, 0, f"{text} (docs/reference/abi.md)") for text in problems]


HEADER = SPDX + """\
#include <stddef.h>
#define LW_API __attribute__((visibility("default")))
enum lw_mode { LW_MODE_A, LW_MODE_B = 4, LW_MODE_C };
struct lw_sized {
    size_t size;
    int a;
    int b;
};
struct lw_fixed {
    int *p;
    int a;
};
LW_API int lw_a(int x, const struct lw_fixed *y);
"""
CLEAN = {"include/listwatch/a.h": HEADER, BASELINE: """\
function lw_a
    int (int, const struct lw_fixed *)
enum lw_mode
    LW_MODE_A = 0
    LW_MODE_B = 4
    LW_MODE_C = 5
struct lw_fixed
    size 16 align 8
    0 int * p
    8 int a
struct lw_sized
    size 16 align 8
    0 size_t size
    8 int a
    12 int b
"""}


def changed(old, new):
    assert old in HEADER
    return {"include/listwatch/a.h": HEADER.replace(old, new)}


PLANTS = [
    Plant("a member that has moved", changed("    int a;\n    int b;\n", "    int b;\n    int a;\n"),
          'struct lw_sized: "8 int a" is now "8 int b"'),
    Plant("a member in the middle", changed("    int b;\n", "    int c;\n    int b;\n"),
          'struct lw_sized: "12 int b" is now "12 int c"'),
    Plant("a member that has gone", changed("    int b;\n", ""), '"12 int b" is now "(nothing)"'),
    Plant("a struct without a size that grows", changed("    int a;\n};\nLW", "    int a;\n"
                                                        "    long b;\n};\nLW"),
          "struct lw_fixed has grown from 16 to 24 bytes"),
    Plant("a member in padding", changed("    int a;\n};\nLW", "    int a;\n    int b;\n};\nLW"),
          '"12 int b" is in the padding'),
    Plant("a member with another type", changed("    int *p;", "    long *p;"),
          'struct lw_fixed: "0 int * p" is now "0 long * p"'),
    Plant("a function that has gone", changed("LW_API int lw_a", "LW_API int lw_b"),
          "function lw_a has gone"),
    Plant("a function with another parameter", changed("int x,", "long x,"), "function lw_a: "),
    Plant("a constant with another value", changed("LW_MODE_A,", "LW_MODE_A, LW_MODE_NEW = 3,")
          | {BASELINE: CLEAN[BASELINE].replace("C = 5", "C = 6")},
          'enum lw_mode: "LW_MODE_C = 6" has gone or changed'),
]


def update():
    """--update: writes the baseline; prints what programs will notice."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    arguments(parser)
    args = parser.parse_args()
    args.self_test = False
    path = ROOT / BASELINE
    old = read(path.read_text(encoding="utf-8")) if path.exists() else {}
    new = current(ROOT, args)
    for text in changes(old, new):
        print(text)
    path.write_text(text_of(new), encoding="utf-8")


if __name__ == "__main__":
    if shutil.which("clang-14") is None or platform.architecture()[0] != "64bit":
        print("1..0 # SKIP needs clang-14 on a 64-bit machine")
    elif "--update" in sys.argv:
        update()
    else:
        main("programs compiled with the ABI of the last release still work", check, CLEAN, PLANTS,
             arguments)
