# SPDX-License-Identifier: Apache-2.0
"""check.py -- shared by the source checks: reading C, and reporting as TAP.

A check is a function from a root folder to a list of Problem.  Each file of this folder is one
check and a program; `--self-test` plants violations in a scratch tree and demands that they are
found, because a check that cannot fail is useless.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"


@dataclass(frozen=True)
class Problem:
    path: str  # relative to the root
    line: int  # 0: the file as a whole
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


def files(root, *patterns):
    """Files below |root| that match a glob, sorted, without build folders."""
    found = set()
    for pattern in patterns:
        found.update(p for p in root.glob(pattern) if p.is_file())
    return sorted(p for p in found if not p.relative_to(root).parts[0].startswith(("build", ".")))


def relative(root, path):
    return path.relative_to(root).as_posix()


# One comment, string or character constant.  An apostrophe in a number is not C11.
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def blank(text):
    """|text| as spaces, with its newlines where they were."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    return TOKEN.sub(lambda m: blank(m[0]) if m[0].startswith("/") else m[0], text)


def code_only(text):
    """The source with comments, strings and #include lines blanked, every line in its place."""
    text = TOKEN.sub(lambda m: blank(m[0]), text)
    return re.sub(r"^[ \t]*#[ \t]*include\b.*$", lambda m: blank(m[0]), text, flags=re.MULTILINE)


INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|\"([^\"\n]+)\")", re.MULTILINE)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def includes(text):
    """(line, name, is_quoted) of every #include."""
    text = without_comments(text)
    return [(line_of(text, m.start()), m[1] or m[2], m[2] is not None)
            for m in INCLUDE.finditer(text)]


@dataclass
class Plant:
    """A violation: files to write into the scratch tree, and words that must be reported."""
    what: str
    tree: dict
    words: str


def write_tree(root, tree):
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def report(self, is_good, name, detail=()):
        """One line, and when it failed the |detail| below it."""
        self.count += 1
        self.failed += not is_good
        print(f"{'' if is_good else 'not '}ok {self.count} - {name}")
        for part in () if is_good else detail:
            for line in str(part).splitlines():
                print(f"# {line}")

    def finish(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def self_test(check, clean, plants):
    """|check| must accept the tree |clean|, and name each plant laid on top of it."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        write_tree(Path(scratch), clean)
        problems = check(Path(scratch))
        tap.report(not problems, "accepts a clean tree", problems)
    for plant in plants:
        with tempfile.TemporaryDirectory() as scratch:
            write_tree(Path(scratch), {**clean, **plant.tree})
            problems = [str(p) for p in check(Path(scratch))]
            is_caught = any(plant.words in p for p in problems)
            tap.report(is_caught, f"catches {plant.what}",
                       [f"expected: {plant.words}"] + problems)
    return tap.finish()


def main(name, check, clean, plants, arguments=lambda parser: None):
    """The program of a check.  |arguments| may add options; check is called with them if it wants."""
    parser = argparse.ArgumentParser(description=name)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    arguments(parser)
    args = parser.parse_args()
    if arguments.__code__.co_name != "<lambda>":
        plain = check
        check = lambda root: plain(root, args)  # noqa: E731
    if args.self_test:
        sys.exit(self_test(check, clean, plants))
    tap = Tap()
    problems = check(args.root.resolve())
    tap.report(not problems, name, problems)
    sys.exit(tap.finish())


def run(command, **options):
    """Exit code and everything it said."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", **options)
    return done.returncode, done.stdout
