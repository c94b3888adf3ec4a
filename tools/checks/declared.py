# SPDX-License-Identifier: Apache-2.0
"""declared.py -- the functions that the public headers declare."""

import re
from dataclasses import dataclass

from check import blank, files, line_of, relative, without_comments

API = re.compile(r"^(?:LW_MUST_CHECK\s+)?LW_API\s[^;{]*?\b(lw_\w+)\s*(\(|;|\[)[^;{]*;", re.MULTILINE)
INLINE = re.compile(r"^static inline\s[^;{]*?\b(lw_\w+)\s*\([^;{]*\)\s*\{", re.MULTILINE)


@dataclass
class Declaration:
    header: str
    line: int
    name: str
    is_documented: bool
    is_exported: bool
    prototype: str  # on one line, without what only compilers read


def is_documented(text, position):
    """A comment ends on the line above, or the declarations right above it share one."""
    before = text[:position].rstrip(" ")
    lines = before.split("\n")[:-1]
    for line in reversed(lines):
        stripped = line.strip()
        if stripped.endswith("*/"):
            return True
        if not stripped or stripped.startswith("#"):
            return False
    return False


def prototype(text):
    words = re.sub(r"\b(LW_API|LW_MUST_CHECK|static inline|LW_PRINTF\([^)]*\))", "", text)
    words = " ".join(words.rstrip("{ \n;").split())
    return words.replace("( ", "(") + ";"


def declarations(root):
    found = []
    for path in files(root, "include/**/*.h"):
        text = path.read_text(encoding="utf-8")
        code = without_comments(text)
        # A macro is not a declaration.
        code = re.sub(r"^#(?:.*\\\n)*.*$", lambda m: blank(m[0]), code, flags=re.MULTILINE)
        for pattern in (API, INLINE):
            for match in pattern.finditer(code):
                found.append(Declaration(relative(root, path), line_of(code, match.start()),
                                         match[1], is_documented(text, match.start()),
                                         pattern is API, prototype(match[0])))
    return found
