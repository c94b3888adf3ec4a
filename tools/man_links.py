#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""man_links.py -- each function has a page: `man lw_factory_new` shows lw_factory(3), where its
prototype stands.

    man_links.py names PAGE...           prints the names of the links, one per line
    man_links.py write FOLDER PAGE...    writes them

A page gets a link for each function of its SYNOPSIS and each further name of its NAME section."""

import re
import shlex
import sys
from pathlib import Path


def section(text, title):
    match = re.search(rf"^\.SH {title}\n(.*?)(?=^\.SH |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1] if match else ""


def plain(line):
    """A line without its macro: the words of .BI are joined without spaces."""
    if line.startswith((".BI ", ".BR ", ".B ")):
        macro, words = line.split(" ", 1)
        return ("" if macro != ".B" else " ").join(shlex.split(words))
    return "" if line.startswith(".") else line


def prototypes(text):
    """Maps each function that a page declares to its prototype."""
    found = {}
    code = "\n".join(plain(line) for line in section(text, "SYNOPSIS").splitlines()
                     if "#include" not in line)
    for declaration in re.findall(r"[^;]+\([^;]*\);", code):
        words = " ".join(declaration.split()).replace("( ", "(")
        found[re.search(r"\b(lw_\w+)\(", words)[1]] = words
    return found


def names(page):
    """The other names of the page."""
    text = page.read_text(encoding="utf-8")
    listed = re.split(r"[,\s]+", section(text, "NAME").split(r"\-")[0].strip())
    return sorted({*listed, *prototypes(text)} - {page.stem})


def main():
    mode, *rest = sys.argv[1:]
    folder = Path(rest.pop(0)) if mode == "write" else None
    for page in map(Path, rest):
        for name in names(page):
            link = f"{name}{page.suffix}"
            if folder:
                (folder / link).write_text(f".so man{page.suffix[1:]}/{page.name}\n")
            else:
                print(link)


if __name__ == "__main__":
    main()
