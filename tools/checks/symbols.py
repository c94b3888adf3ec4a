#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""symbols.py -- each shared library exports what its public headers declare with LW_API, no more and
no less: liblistwatch-server what server.h declares, liblistwatch-etcd what etcd.h does, liblistwatch
what all others do."""

import shlex
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

from check import SPDX, Plant, Problem, main, run
from declared import declarations


# Headers of the other libraries.
SERVER_HEADERS = "include/listwatch/server*.h"
ETCD_HEADERS = "include/listwatch/etcd*.h"
TEST_HEADERS = "include/listwatch/test.h"  # of liblistwatch-test, which is only static


def arguments(parser):
    parser.add_argument("--library", type=Path, help="the built liblistwatch.so")
    parser.add_argument("--server-library", type=Path, help="the built liblistwatch-server.so")
    parser.add_argument("--etcd-library", type=Path, help="the built liblistwatch-etcd.so")
    parser.add_argument("--cc", default="cc", help="builds the libraries of the self-test")


def exported(library):
    code, text = run(["nm", "-D", "--defined-only", "--format=posix", library])
    if code != 0:
        raise SystemExit(f"nm: {text}")
    # GNU ld also defines an absolute symbol (A) with the name of the version.
    rows = [line.split() for line in text.splitlines() if line.strip()]
    return {row[0].split("@")[0] for row in rows if row[1] != "A"}


def home_of(header):
    """The pattern of the other library that |header| belongs to; None: the main one."""
    return next((p for p in (SERVER_HEADERS, ETCD_HEADERS, TEST_HEADERS) if fnmatchcase(header, p)), None)


def compare(root, library, home):
    declared = {d.name: d for d in declarations(root)
                if d.is_exported and home_of(d.header) == home}
    found = exported(library)
    problems = [Problem(library.name, 0, f"exports {name}, which is not declared in its headers")
                for name in sorted(found - set(declared))]
    for name in sorted(set(declared) - found):
        problems.append(Problem(declared[name].header, declared[name].line,
                                f"{name} is declared but not exported by {library.name}"))
    if not found:
        problems.append(Problem(library.name, 0, "exports nothing"))
    return problems


def compare_all(root, library, server_library, etcd_library):
    return (compare(root, library, None) + compare(root, server_library, SERVER_HEADERS)
            + compare(root, etcd_library, ETCD_HEADERS))


def build(root, scratch, name, cc):
    """A library of the self-test, from |name|.c."""
    library = Path(scratch) / f"lib{name}.so"
    code, text = run(shlex.split(cc) + ["-shared", "-fPIC", "-I", root / "include", "-o", library,
                                        root / f"{name}.c"])
    if code != 0:
        raise SystemExit(text)
    return library


def check(root, args):
    if not args.self_test:
        return compare_all(root, args.library, args.server_library, args.etcd_library)
    with tempfile.TemporaryDirectory() as scratch:
        return compare_all(root, *(build(root, scratch, name, args.cc)
                                   for name in ("lib", "server", "etcd")))


HEADER = SPDX + "#define LW_API\n/* Does a. */\nLW_API int lw_a(int x,\n                int y);\n"
SERVER_HEADER = SPDX + "#define LW_API\n/* Serves. */\nLW_API int lw_server_a(void);\n"
CLEAN = {
    "include/listwatch/a.h": HEADER,
    "lib.c": "int lw_a(int x, int y)\n{\n    return x + y;\n}\n",
    "include/listwatch/server.h": SERVER_HEADER,
    "server.c": "int lw_server_a(void)\n{\n    return 1;\n}\n",
    "include/listwatch/etcd.h": SPDX + "#define LW_API\n/* Asks. */\nLW_API int lw_etcd_a(void);\n",
    "etcd.c": "int lw_etcd_a(void)\n{\n    return 1;\n}\n",
}

PLANTS = [
    Plant("an export that is not declared",
          {"lib.c": CLEAN["lib.c"] + "int lw_b(void)\n{\n    return 0;\n}\n"},
          "exports lw_b, which is not declared in its headers"),
    Plant("an export without the prefix",
          {"lib.c": CLEAN["lib.c"] + "int helper;\n"}, "exports helper"),
    Plant("a declaration that is not exported",
          {"include/listwatch/a.h": HEADER + "LW_API const char *lw_c(void);\n"},
          "a.h:6: lw_c is declared but not exported"),
    Plant("a server that shows the ground it stands on",
          {"server.c": CLEAN["server.c"] + CLEAN["lib.c"]},
          "libserver.so: exports lw_a, which is not declared in its headers"),
    Plant("a library that has the server's functions",
          {"lib.c": CLEAN["lib.c"] + CLEAN["server.c"]},
          "liblib.so: exports lw_server_a, which is not declared in its headers"),
    Plant("an etcd library that shows what it carries",
          {"etcd.c": CLEAN["etcd.c"] + CLEAN["lib.c"]},
          "libetcd.so: exports lw_a, which is not declared in its headers"),
    Plant("a function that server.h declares and the server has not",
          {"include/listwatch/server.h": SERVER_HEADER + "LW_API int lw_server_b(void);\n"},
          "server.h:5: lw_server_b is declared but not exported by libserver.so"),
]

if __name__ == "__main__":
    main("each library exports exactly what is declared with LW_API", check, CLEAN, PLANTS,
         arguments)
