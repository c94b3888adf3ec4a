#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python_abi_test.py -- the declarations of the Python package are those of the headers.

    python_abi_test.py --cc CC --package FOLDER --include FOLDER

A C program with the headers and the declarations is compiled: the compiler compares the types of
the functions, and asserts the size of each struct and the offset and size of each member."""

import argparse
import os
import re
import runpy
import subprocess
import sys

try:
    from cffi import FFI
except ImportError:
    print("1..0 # SKIP python3-cffi is not installed")
    sys.exit(0)


def assertions(types):
    """The layout that cffi computes, as C."""
    ffi = FFI()
    ffi.cdef(types)
    lines = []
    for name in sorted(set(re.findall(r"^(?:typedef struct \{.*\}|\}) (lw_\w+);$", types, re.M))):
        layout = ffi.typeof(name)
        lines.append(f"_Static_assert(sizeof({name}) == {ffi.sizeof(name)}, \"{name}\");")
        for field, at in layout.fields:
            lines.append(f"_Static_assert(offsetof({name}, {field}) == {at.offset} && "
                         f"sizeof((({name} *)0)->{field}) == {ffi.sizeof(at.type)}, "
                         f"\"{name}.{field}\");")
    return lines


def compiles(args, types, functions):
    text = "\n".join(["#include <stddef.h>", "#include <listwatch.h>", *assertions(types),
                      functions])
    done = subprocess.run([*args.cc.split(), "-std=gnu11", "-fsyntax-only", "-Werror", "-I",
                           args.include, "-x", "c", "-"], input=text, text=True,
                          capture_output=True)
    return done.returncode == 0, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", required=True)
    parser.add_argument("--package", required=True)
    parser.add_argument("--include", required=True)
    args = parser.parse_args()
    cdef = runpy.run_path(os.path.join(args.package, "listwatch", "_cdef.py"))
    types, functions = cdef["TYPES"], cdef["FUNCTIONS"]
    fine, errors = compiles(args, types, functions)
    results = [("the declarations are those of the headers", fine, errors)]
    wrong, _ = compiles(args, types.replace("int timeout_ms", "int64_t timeout_ms"), functions)
    results.append(("a member of another size is found", not wrong, ""))
    wrong, _ = compiles(args, types, functions.replace("size_t max);", "int max);"))
    results.append(("an argument of another type is found", not wrong, ""))
    for number, (name, passed, output) in enumerate(results, 1):
        print(f"{'' if passed else 'not '}ok {number} - {name}")
        for line in [] if passed else output.splitlines():
            print("# " + line)
    print(f"1..{len(results)}")
    sys.exit(0 if all(passed for _, passed, _ in results) else 1)


main()
