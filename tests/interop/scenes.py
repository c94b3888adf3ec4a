# SPDX-License-Identifier: Apache-2.0
"""scenes.py -- what a program with checks has in common with others: its arguments, a scene with the
servers of its checks, and what it prints.

A scene has run(check), servers() and remove()."""

import argparse
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from program import Skip, note


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    print("0 passed, 0 failed, 0 skipped")
    sys.exit(0)


def version_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0]


def parser(doc, words="words of the names of checks"):
    """Arguments that each such program has; |doc| is what it says about itself."""
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    made.add_argument("--build", type=Path, required=True)
    made.add_argument("--interop", type=Path, required=True)
    made.add_argument("only", nargs="*", help=words)
    return made


def arguments(made):
    """Those of the command line, with whole paths; ends where nothing can be checked."""
    given = made.parse_args()
    given.build, given.interop = given.build.resolve(), given.interop.resolve()
    if not shutil.which("openssl"):
        skip_all("there is no openssl to make keys with")
    return given


class Count:
    """TAP, a line a check."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def run(self, scene, check, name):
        number = self.passed + self.failed + self.skipped + 1
        try:
            scene.run(check)
            self.passed += 1
            print(f"ok {number} - {name}", flush=True)
        except Skip as reason:
            self.skipped += 1
            print(f"ok {number} - {name} # SKIP {reason}", flush=True)
        except Exception:  # a failed assertion or anything else is a failed check
            self.failed += 1
            print(f"not ok {number} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                note(line)

    def end(self):
        """The last lines, and the end of the program."""
        print(f"1..{self.passed + self.failed + self.skipped}")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(1 if self.failed else 0)


def run_scene(count, title, make, checks, words, interop):
    """Of |checks|, those whose names have one of |words|.  Nothing is started for none."""
    named = [(check, f"{title}: {check.__name__.replace('_', ' ')}") for check in checks]
    chosen = [(check, name) for check, name in named
              if not words or any(word in name for word in words)]
    if not chosen:
        return
    scene = make()
    failed = count.failed
    try:
        for check, name in chosen:
            count.run(scene, check, name)
        if count.failed > failed:
            for server in scene.servers():
                keep = interop / f"last-{server.name.replace(' ', '-')}.log"
                shutil.copy(server.folder / "server.log", keep)
                note(f"the server's log: {keep}")
    finally:
        scene.remove()
