#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""text_c.py -- writes a text file as a constant in C, without its comment lines."""

import argparse
import pathlib


def constant(name, text):
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
    rows = ['    "' + line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
            for line in lines]
    return ['#pragma GCC diagnostic ignored "-Woverlength-strings"', f"extern const char {name}[];", f"const char {name}[] ="] + rows + ["    ;", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    text = options.file.read_text(encoding="ascii")
    options.output.write_text("\n".join(constant(options.name, text)), encoding="ascii")


if __name__ == "__main__":
    main()
