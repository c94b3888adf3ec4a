#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""format.py -- checks that every C file is formatted with .clang-format (run make format), and begins
with the license line and a comment about its purpose."""

import re
import shutil

from check import ROOT, SPDX, Plant, Problem, files, main, relative, run

PLACES = ["include/**/*.h", "src/**/*.[ch]", "cli/**/*.[ch]", "examples/**/*.[ch]",
          "tests/**/*.[ch]"]


def tracked(root):
    """C files that git knows or would take; all of them where there is no repository."""
    found = files(root, *PLACES)
    if (root / ".git").exists() and shutil.which("git"):
        code, text = run(["git", "-c", f"safe.directory={root}", "ls-files", "-co",
                          "--exclude-standard", "*.[ch]"], cwd=root)
        if code == 0:
            known = set(text.splitlines())
            found = [path for path in found if relative(root, path) in known]
    return found


def check_opening(name, text):
    stem = name.rsplit("/", 1)[1]
    if not text.startswith(SPDX):
        return [Problem(name, 1, "must begin with " + SPDX.strip())]
    if not text[len(SPDX):].startswith(f"/* {stem} -- "):
        return [Problem(name, 2, f'the purpose of the file is missing: "/* {stem} -- ..."')]
    return []


def check_layout(root, paths):
    style = ROOT / ".clang-format"
    code, text = run(["clang-format-14", f"--style=file:{style}", "--dry-run", "-Werror"] + paths)
    if code == 0:
        return []
    pattern = rf"^{re.escape(str(root))}/(.+?):(\d+):\d+: error: code should be"
    places = {m[1]: int(m[2]) for m in reversed(list(re.finditer(pattern, text, re.MULTILINE)))}
    if not places:
        return [Problem("clang-format-14", 0, text.strip())]
    return [Problem(name, line, "is not formatted (run make format)") for name, line in places.items()]


def check(root):
    paths = tracked(root)
    problems = check_layout(root, paths) if paths else []
    for path in paths:
        problems += check_opening(relative(root, path), path.read_text(encoding="utf-8"))
    return problems


def file(name, text):
    return {name: f"{SPDX}/* {name.rsplit('/', 1)[1]} -- a file. */\n{text}"}


CLEAN = file("src/base/a.c", "int a(int b)\n{\n    return b;\n}\n")

PLANTS = [
    Plant("a wrong indent", file("src/base/b.c", "int a(int b)\n{\n  return b;\n}\n"),
          "src/base/b.c:4: is not formatted"),
    Plant("a line that is too long", file("cli/b.c", "int b" + "b" * 60 + "(int c" + "c" * 60
                                          + ",int d)\n{\n    return 1;\n}\n"),
          "cli/b.c:3: is not formatted"),
    Plant("a file without a license", {"src/base/b.c": "/* b.c -- a file. */\nint b;\n"},
          "src/base/b.c:1: must begin with"),
    Plant("a file that does not say what it is for", {"src/base/b.c": SPDX + "int b;\n"},
          'the purpose of the file is missing: "/* b.c -- ..."'),
]

if __name__ == "__main__":
    main("every C file is formatted and states its purpose", check, CLEAN, PLANTS)
