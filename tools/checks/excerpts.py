#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""excerpts.py -- code in pages is code that is built: a block that names a file, as

    ```c examples/04_informer.c

must occur in that file, line by line.  A line that is only `...` stands for lines left out.  In the
tutorials every block of code must name its file.  What tutorials and guides call by a name of the
library, as lw_factory_new or LW_OK, is in a public header; lw_workqueue_* stands for several."""

import re

from check import Plant, Problem, files, line_of, main, relative

BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
GAP = "..."
TUTORIALS, GUIDES = "docs/tutorial/", "docs/guide/"
NAME = re.compile(r"\b(?:lw|LW)_\w+")
CODE = {"c", "go", "javascript", "js", "python", "yaml"}


def pieces(block):
    """The groups of lines of |block| between its gaps."""
    found = [[]]
    for line in block.splitlines():
        if line.strip() == GAP:
            found.append([])
        else:
            found[-1].append(line)
    return [piece for piece in found if any(line.strip() for line in piece)]


def trimmed(piece):
    """|piece| without leading and trailing blank lines."""
    while not piece[0].strip():
        piece = piece[1:]
    while not piece[-1].strip():
        piece = piece[:-1]
    return piece


def find(piece, lines, start):
    """The index of |piece| in |lines|, from |start| on; None if it is not found."""
    for at in range(start, len(lines) - len(piece) + 1):
        if lines[at:at + len(piece)] == piece:
            return at
    return None


def first_difference(piece, lines):
    """The first line of |piece| that does not follow the lines before it anywhere in |lines|."""
    for count in range(1, len(piece) + 1):
        if find(piece[:count], lines, 0) is None:
            return piece[count - 1].strip()
    return piece[0].strip()  # it exists, but before the previous piece


def check_block(root, page, line, name, block):
    source = root / name
    if not source.is_file():
        return [Problem(page, line, f"{name} does not exist")]
    lines = source.read_text(encoding="utf-8").splitlines()
    at, found = 0, pieces(block)
    if not found:
        return [Problem(page, line, f"empty excerpt of {name}")]
    for piece in map(trimmed, found):
        place = find(piece, lines, at)
        if place is None:
            return [Problem(page, line, f"differs from {name}: {first_difference(piece, lines)}")]
        at = place + len(piece)
    return []


def check_names(root):
    headers = "".join(path.read_text(encoding="utf-8") for path in files(root, "include/**/*.h"))
    declared = set(NAME.findall(headers))
    problems = []
    for path in files(root, TUTORIALS + "*.md", GUIDES + "*.md"):
        text = path.read_text(encoding="utf-8")
        for match in NAME.finditer(text):
            name = match[0]
            is_there = (name in declared if not name.endswith("_")
                        else any(other.startswith(name) for other in declared))
            if not is_there:
                problems.append(Problem(relative(root, path), line_of(text, match.start()),
                                        f"{name} is not in a public header"))
    return problems


def check_excerpts(root):
    problems = []
    for path in files(root, "*.md", "docs/**/*.md"):
        page, text = relative(root, path), path.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            language, _, name = match[1].strip().partition(" ")
            line = line_of(text, match.start())
            if name:
                problems += check_block(root, page, line, name.strip(), match[2])
            elif language in CODE and page.startswith(TUTORIALS):
                problems.append(Problem(page, line, f"a {language} block names no file"))
    return problems


def check(root):
    return check_excerpts(root) + check_names(root)


SOURCE = "int a(void)\n{\n    return 1;\n}\n\nint b(void)\n{\n    return 2;\n}\n"
PAGE = "docs/tutorial/a.md"


def page(block, opening="c examples/a.c"):
    return {PAGE: f"# A\n\n```{opening}\n{block}```\n"}


CLEAN = {
    "examples/a.c": SOURCE,
    **page("int a(void)\n{\n...\nint b(void)\n{\n    return 2;\n}\n"),
    "docs/tutorial/b.md": "```\n$ run me\n```\n\n```c examples/a.c\n\n    return 2;\n\n```\n",
    "docs/guide/c.md": "```c\nint elsewhere(void);\n```\n`lw_a_new` and others, `lw_a_*`: `LW_OK`\n",
    "include/listwatch/a.h": "LW_API lw_status lw_a_new(lw_a **out); /* LW_OK */\n",
}

PLANTS = [
    Plant("a line that is not in the file", page("int a(void)\n{\n    return 3;\n}\n"),
          f"{PAGE}:3: differs from examples/a.c: return 3;"),
    Plant("lines left out without saying so", page("int a(void)\n}\n"), "differs from examples/a.c: }"),
    Plant("pieces in another order", page("int b(void)\n...\nint a(void)\n"),
          "differs from examples/a.c: int a(void)"),
    Plant("another indentation", page("return 1;\n"), "differs from examples/a.c: return 1;"),
    Plant("a file that is not there", page("int a(void)\n", "c examples/b.c"),
          "examples/b.c does not exist"),
    Plant("an excerpt outside the tutorials", {"README.md": "```c examples/a.c\nint c(void)\n```\n"},
          "README.md:1: differs from examples/a.c: int c(void)"),
    Plant("code of a tutorial that names no file", page("int a(void)\n", "c"),
          f"{PAGE}:3: a c block names no file"),
    Plant("a function that is not there", {"docs/guide/c.md": "call `lw_b_new`\n"},
          "docs/guide/c.md:1: lw_b_new is not in a public header"),
    Plant("a family of functions that is not there", {PAGE: "call `lw_b_*`\n"},
          "lw_b_ is not in a public header"),
    Plant("an excerpt of nothing", page("...\n"), "empty excerpt of examples/a.c"),
]

if __name__ == "__main__":
    main("code and names in pages match the files", check, CLEAN, PLANTS)
