#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""install.py -- what `make install` lays down is whole: a program that knows only pkg-config is
built against it, with the shared library and with the static one, and runs; the examples are built
as their readers would build them."""

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path

from check import ROOT, Tap, files, relative, run

PROGRAM = r"""
#include <listwatch.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    printf("%s\n", lw_version());
    return strcmp(lw_version(), LW_VERSION) != 0;
}
"""


def one(folder, pattern):
    return next(iter(sorted(folder.glob(pattern))), None)


def pkg_config(stage, arguments):
    """The flags that pkg-config gives, with the installed tree below |stage| for its root."""
    where = one(stage, "**/listwatch.pc").parent
    env = dict(os.environ, PKG_CONFIG_PATH=str(where), PKG_CONFIG_SYSROOT_DIR=str(stage))
    code, text = run(["pkg-config"] + arguments + ["listwatch"], env=env)
    return shlex.split(text) if code == 0 else None


def check_build(tap, stage, cc, what, arguments, extra):
    flags = pkg_config(stage, arguments)
    if flags is None:
        tap.report(False, f"pkg-config {' '.join(arguments)}")
        return
    program = stage / f"program-{what}"
    source = stage / "program.c"
    source.write_text(PROGRAM)
    code, text = run(cc + ["-std=c11", "-Wall", "-Werror", source, "-o", program] + extra(flags))
    if code == 0:
        library = one(stage, "**/liblistwatch.so.*").parent
        code, text = run([program], env=dict(os.environ, LD_LIBRARY_PATH=str(library)))
    tap.report(code == 0, f"a program is built with the {what} library, and runs",
               [text])


def check_examples(tap, stage, cc):
    flags = pkg_config(stage, ["--cflags", "--libs"]) or []
    for source in files(ROOT, "examples/*.c"):
        code, text = run(cc + ["-std=c11", "-Wall", "-Werror", source, "-o", stage / source.stem]
                         + flags)
        tap.report(code == 0, f"{relative(ROOT, source)} is built with pkg-config's flags", [text])


def statically(stage):
    """Names the archive itself, so that the shared library beside it is not taken."""
    archive = str(one(stage, "**/liblistwatch.a"))
    return lambda flags: [archive if flag == "-llistwatch" else flag for flag in flags]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    args = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch)
        code, text = run(["meson", "install", "--no-rebuild", "-C", args.build, "--destdir", stage])
        tap.report(code == 0, "installs into an empty folder", [text])
        if code == 0:
            for pattern in ("bin/listwatch", "liblistwatch.so", "liblistwatch.so.0",
                            "liblistwatch.a", "pkgconfig/listwatch.pc", "man1/listwatch.1",
                            "include/listwatch.h", "include/listwatch/error.h",
                            "include/listwatch/sys/alloc.h"):
                tap.report(one(stage, "**/" + pattern) is not None, f"installs {pattern}")
            cc = shlex.split(args.cc)
            check_build(tap, stage, cc, "shared", ["--cflags", "--libs"], lambda flags: flags)
            check_build(tap, stage, cc, "static", ["--static", "--cflags", "--libs"],
                        statically(stage))
            check_examples(tap, stage, cc)
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
