#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py -- docs/README.md is the index of the documentation: every page in docs/ and every man
page has exactly one line there, with a link and a description, and is in the folder of its reader.

Names of the library that a page for developers mentions (lw_write_start, LW_OK) exist in the code;
excerpts.py checks the pages for users, which may name public functions only.  The drawings of
ARCHITECTURE.md name functions and files that exist, static ones too."""

import re

from check import Plant, Problem, files, line_of, main, relative

INDEX = "docs/README.md"
FOLDERS = {"tutorial", "guide", "reference", "internals", "man"}
ROW = re.compile(r"^\| \[[^\]\n]+\]\(([^)\s]+)\) \| ([^|\n]*)\|", re.MULTILINE)
NAME = re.compile(r"\b(?:lw|LW)_\w+")
DEVELOPER_PAGES = ("*.md", "docs/reference/*.md", "docs/internals/*.md")
DRAWINGS = "ARCHITECTURE.md"
FENCE = re.compile(r"^```[^\n`]*\n.*?^```", re.MULTILINE | re.DOTALL)
DRAWN = re.compile(r"\b[a-z]+(?:_\w+)+(?:\.[ch]\b)?|\b[a-z]+\.[ch]\b")
CODE = ("include/**/*.h", "src/**/*.[ch]", "cli/*.[ch]", "tests/**/*.[ch]")


def indexed(root):
    """Of each path that the index names, the lines of the index and what they say."""
    text = (root / INDEX).read_text(encoding="utf-8")
    rows = {}
    for match in ROW.finditer(text):
        said = (line_of(text, match.start()), match[2].strip())
        rows.setdefault("docs/" + match[1], []).append(said)
    return rows


def check_index(root):
    rows, problems = indexed(root), []
    for path in files(root, "docs/**/*.md", "docs/man/*.[1-9]"):
        page = relative(root, path)
        if page == INDEX:
            continue
        lines = rows.get(page, [])
        if page.split("/")[1] not in FOLDERS:
            problems.append(Problem(page, 0, "move it to the folder of its reader: docs/tutorial, "
                                             "docs/guide, docs/reference or docs/internals"))
        if not lines:
            problems.append(Problem(page, 0, f"has no line in {INDEX}"))
        for line, _ in lines[1:]:
            problems.append(Problem(INDEX, line, f"{page} is listed twice"))
        for line, text in lines:
            if not text:
                problems.append(Problem(INDEX, line, f"{page} has no description"))
    return problems


def is_known(name, known):
    """|name| is in |known|; lw_a_ stands for all names that begin so."""
    return name in known or (name.endswith("_") and any(other.startswith(name) for other in known))


def check_names(root, words):
    known = {word for word in words if NAME.match(word)}
    problems = []
    for path in files(root, *DEVELOPER_PAGES):
        text = path.read_text(encoding="utf-8")
        for match in NAME.finditer(text):
            if not is_known(match[0], known):
                problems.append(Problem(relative(root, path), line_of(text, match.start()),
                                        f"{match[0]} is not in the code"))
    return problems


def check_drawings(root, words):
    page = root / DRAWINGS
    if not page.exists():
        return []
    text, problems = page.read_text(encoding="utf-8"), []
    known = words | {path.name for path in files(root, *CODE)}
    for fence in FENCE.finditer(text):
        for match in DRAWN.finditer(fence[0]):
            if not is_known(match[0], known):
                problems.append(Problem(DRAWINGS, line_of(text, fence.start() + match.start()),
                                        f"{match[0]} is not in the code"))
    return problems


def check(root):
    words = set()
    for path in files(root, *CODE):
        words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return check_index(root) + check_names(root, words) + check_drawings(root, words)


ROWS = ("# Documentation\n\n| page | |\n|---|---|\n| [A](guide/a.md) | how to a |\n"
        "| [a(1)](man/a.1) | the command a |\n")

CLEAN = {
    INDEX: ROWS,
    "docs/guide/a.md": "# A\n",
    "docs/man/a.1": ".TH A 1\n",
    "README.md": "`lw_a_new`, and the others of `lw_a_*`\n",
    "ARCHITECTURE.md": "```\n lw_a_new ─▶ make_a   a/a.c\n```\n",
    "src/a/a.c": "static int make_a(void);\nint lw_a_new(void);\n",
}

PLANTS = [
    Plant("a page that is not in the index", {"docs/internals/b.md": "# B\n"},
          f"docs/internals/b.md: has no line in {INDEX}"),
    Plant("a man page that is not in the index", {"docs/man/b.3": ".TH B 3\n"},
          f"docs/man/b.3: has no line in {INDEX}"),
    Plant("a page that is only mentioned", {INDEX: "[A](guide/a.md) | [a(1)](man/a.1)\n"},
          f"docs/guide/a.md: has no line in {INDEX}"),
    Plant("a page that is listed twice", {INDEX: ROWS + "| [A](guide/a.md) | again |\n"},
          f"{INDEX}:7: docs/guide/a.md is listed twice"),
    Plant("a page without a description", {INDEX: ROWS.replace("how to a ", "")},
          f"{INDEX}:5: docs/guide/a.md has no description"),
    Plant("a page in no reader's folder",
          {"docs/b.md": "# B\n", INDEX: ROWS + "| [B](b.md) | about b |\n"},
          "docs/b.md: move it to the folder of its reader"),
    Plant("a function that is not in the code", {"README.md": "call\n`lw_b_new`\n"},
          "README.md:2: lw_b_new is not in the code"),
    Plant("a drawing with a function that is gone", {"ARCHITECTURE.md": "```\n─▶ make_b\n```\n"},
          "ARCHITECTURE.md:2: make_b is not in the code"),
    Plant("a drawing with a file that is gone", {"ARCHITECTURE.md": "```\n make_a  a/b.c\n```\n"},
          "ARCHITECTURE.md:2: b.c is not in the code"),
]

if __name__ == "__main__":
    main("every page is in the index, and names that exist", check, CLEAN, PLANTS)
