#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hardening.py -- the built program and libraries have what makes bugs harder to exploit: position
independence, read-only relocations that are resolved at start, a stack that is not executable, stack
protectors and, in optimized builds, checked versions of the C library's functions."""

import shlex
import tempfile
from pathlib import Path

from check import Plant, Problem, main, run


def arguments(parser):
    parser.add_argument("--file", type=Path, action="append", default=[],
                        help="a built program or shared library; may be repeated")
    parser.add_argument("--fortified", action="store_true", help="the build is optimized")
    parser.add_argument("--cc", default="cc", help="builds the program of the self-test")


def read(path, *options):
    code, text = run(["readelf", "--wide", *options, path])
    if code != 0:
        raise SystemExit(f"readelf: {text}")
    return text


def lacks(path, is_fortified):
    """What |path| does not have, in words."""
    header, dynamic = read(path, "--file-header"), read(path, "--dynamic")
    segments, symbols = read(path, "--segments"), read(path, "--dyn-syms")
    is_library = "(SONAME)" in dynamic
    stack = next((line for line in segments.splitlines() if "GNU_STACK" in line), "RWE")
    wanted = [
        ("DYN" in header and (is_library or "PIE" in dynamic),
         "is not position-independent (-fPIE -pie)"),
        ("GNU_RELRO" in segments, "has no read-only relocations (-Wl,-z,relro)"),
        ("BIND_NOW" in dynamic or "Flags: NOW" in dynamic,
         "resolves symbols late (-Wl,-z,now)"),
        ("RWE" not in stack, "has an executable stack (-Wl,-z,noexecstack)"),
        ("__stack_chk_fail" in symbols, "has no stack protectors (-fstack-protector-strong)"),
        (not is_fortified or "_chk@" in symbols.replace("__stack_chk_fail", "")
         or "_chk " in symbols.replace("__stack_chk_fail", ""),
         "has no checked functions (-D_FORTIFY_SOURCE=2)"),
    ]
    return [text for is_there, text in wanted if not is_there]


def problems(paths, is_fortified):
    return [Problem(path.name, 0, text) for path in paths for text in lacks(path, is_fortified)]


def check(root, args):
    if not args.self_test:
        return problems(args.file, args.fortified)
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "program"
        flags = shlex.split((root / "flags").read_text())
        code, text = run(shlex.split(args.cc) + flags + ["-o", program, root / "program.c"])
        if code != 0:
            raise SystemExit(text)
        return problems([program], True)


FLAGS = ("-O2 -fPIE -pie -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 "
         "-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack")
CLEAN = {
    "flags": FLAGS,
    "program.c": "#include <stdio.h>\n#include <string.h>\nint main(int argc, char **argv)\n{\n"
                 "    char text[64];\n    strcpy(text, argv[argc - 1]);\n    return puts(text);\n}\n",
}


def without(flag, instead=""):
    return {"flags": FLAGS.replace(flag, instead)}


PLANTS = [
    Plant("a program at a fixed address", without("-fPIE -pie", "-fno-pie -no-pie"),
          "is not position-independent"),
    Plant("writable relocations", without("-Wl,-z,relro", "-Wl,-z,norelro"),
          "has no read-only relocations"),
    Plant("late binding", without("-Wl,-z,now", "-Wl,-z,lazy"), "resolves symbols late"),
    Plant("an executable stack", without("-Wl,-z,noexecstack", "-Wl,-z,execstack"),
          "has an executable stack"),
    Plant("a stack without protectors",
          without("-fstack-protector-strong", "-fno-stack-protector"), "has no stack protectors"),
    Plant("functions without checks", without("-D_FORTIFY_SOURCE=2"),
          "has no checked functions"),
]

if __name__ == "__main__":
    main("the built files are hardened", check, CLEAN, PLANTS, arguments)
