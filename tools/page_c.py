#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page_c.py -- writes the files of the page as a table in C: each uncompressed and gzipped, with its
content type and an ETag."""

import argparse
import gzip
import hashlib
import pathlib

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def array(name, content):
    rows = [", ".join(str(byte) for byte in content[at:at + 24]) + ","
            for at in range(0, len(content), 24)]
    return [f"static const unsigned char {name}[] = {{"] + rows + ["};"]


def table(paths):
    lines = ["/* Made by tools/page_c.py from web/. */", '#include "server/endpoints/page.h"', ""]
    rows = []
    for number, path in enumerate(sorted(paths, key=lambda path: path.name)):
        plain = path.read_bytes()
        packed = gzip.compress(plain, 9, mtime=0)
        tag = hashlib.sha256(plain).hexdigest()[:20]
        lines += array(f"plain_{number}", plain) + array(f"packed_{number}", packed)
        rows += [f'    {{ LW_STR_INIT("/ui/{path.name}"), LW_STR_INIT("{TYPES[path.suffix]}"),',
                 f'      LW_STR_INIT("\\"{tag}\\""),',
                 f"      {{ (const char *)plain_{number}, sizeof(plain_{number}) }},",
                 f"      {{ (const char *)packed_{number}, sizeof(packed_{number}) }} }},"]
    return lines + ["const lw_page_file lw_page_files[] = {"] + rows + \
        ["};", f"const size_t lw_page_file_count = {len(paths)};", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    options.output.write_text("\n".join(table(options.files)), encoding="ascii")


if __name__ == "__main__":
    main()
