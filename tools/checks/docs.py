#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs.py -- checks the documentation: each public function has a comment, each link in a page is
valid, and the version is the same everywhere."""

import re

from check import SPDX, Plant, Problem, files, line_of, main, relative
from declared import declarations

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def check_comments(root):
    return [Problem(d.header, d.line, f"{d.name} has no comment")
            for d in declarations(root) if not d.is_documented]


def anchors(text):
    """The anchors that a hosted page makes of its headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in HEADING.findall(text)}


def check_links(root):
    problems = []
    for path in files(root, "*.md", "**/*.md"):
        text = path.read_text(encoding="utf-8")
        prose = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        for match in LINK.finditer(prose):
            link = match[1] or match[2]
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            place = (path.parent / target) if target else path
            line = line_of(prose, match.start())
            if not place.exists():
                problems.append(Problem(relative(root, path), line, f"{link}: broken link"))
            elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text()):
                problems.append(Problem(relative(root, path), line, f"{link}: the heading does not exist"))
    return problems


def first(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else "(none)"


def check_version(root):
    header = (root / "include/listwatch/version.h").read_text()
    said = {
        "include/listwatch/version.h": first(r'^#define LW_VERSION\s+"([^"]+)"', header),
        "meson.build": first(r"^\s*version: '([^']+)'", (root / "meson.build").read_text()),
        "include/listwatch/version.h (numbers)": ".".join(
            first(rf"^#define LW_VERSION_{part}\s+(\d+)", header)
            for part in ("MAJOR", "MINOR", "PATCH")),
        # The newest entry is the first one.
        "CHANGELOG.md": first(r"^## ([0-9.]+)$", (root / "CHANGELOG.md").read_text()),
        "packaging/debian/changelog": first(r"^listwatch \(([^)]+)-\d+\) ",
                                            (root / "packaging/debian/changelog").read_text()),
    }
    for page in files(root, "docs/man/*.[1-9]"):
        said[relative(root, page)] = first(r'^\.TH .*"listwatch ([^"]+)"', page.read_text())
    wanted = said["meson.build"]
    return [Problem(where, 0, f"says version {version}, meson.build {wanted}")
            for where, version in said.items() if version != wanted]


def check(root):
    return check_comments(root) + check_links(root) + check_version(root)


CLEAN = {
    "meson.build": "project('a', 'c',\n  version: '1.2.3')\n",
    "include/listwatch/version.h": SPDX + '#define LW_VERSION_MAJOR 1\n#define LW_VERSION_MINOR 2\n'
    '#define LW_VERSION_PATCH 3\n#define LW_VERSION "1.2.3"\n\n'
    "/* Says which. */\nLW_API const char *lw_version(void);\nLW_API int lw_version_number(void);\n",
    "docs/man/a.1": '.TH A 1 "" "listwatch 1.2.3"\n',
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3\n\n## 1.2.2\n",
    "packaging/debian/changelog": "listwatch (1.2.3-1) unstable; urgency=medium\n",
    "README.md": "# A page\n[page](docs/a.md#one-two) [web](https://example.org/x) [up](#a-page)\n"
    "```c\nint a[1](none.md)\n```\n",
    "docs/a.md": "# One, two\n[back](../README.md)\n",
}

PLANTS = [
    Plant("a public function without a comment",
          {"include/listwatch/b.h": "/* b.h -- x */\n\nLW_API int lw_b(void);\n"},
          "include/listwatch/b.h:3: lw_b has no comment"),
    Plant("an inline function without a comment",
          {"include/listwatch/b.h": "\nstatic inline int lw_b(int a)\n{\n    return a;\n}\n"},
          "lw_b has no comment"),
    Plant("a dead link", {"docs/a.md": "# One, two\n\n[x](b.md)\n"},
          "docs/a.md:3: b.md: broken link"),
    Plant("a dead anchor", {"docs/a.md": "[x](../README.md#nothing)\n"}, "the heading does not exist"),
    Plant("a version that is behind", {"meson.build": "project('a', 'c',\n  version: '1.3.0')\n"},
          "version.h: says version 1.2.3, meson.build 1.3.0"),
    Plant("a man page that is behind", {"docs/man/a.1": '.TH A 1 "" "listwatch 1.2.2"\n'},
          "docs/man/a.1: says version 1.2.2"),
    Plant("a version without an entry in the changelog",
          {"CHANGELOG.md": "# Changelog\n\n## 1.2.2\n"}, "CHANGELOG.md: says version 1.2.2"),
    Plant("a package of another version",
          {"packaging/debian/changelog": "listwatch (1.2.4-1) unstable; urgency=medium\n"},
          "packaging/debian/changelog: says version 1.2.4"),
]

if __name__ == "__main__":
    main("public functions are documented, links are valid, versions agree", check, CLEAN,
         PLANTS)
