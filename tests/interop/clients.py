#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients.py -- clients of other languages against `listwatch serve`: a part of `make interop`.

    clients.py --build FOLDER --interop FOLDER [WORD...]   the programs; where clients are built;
                                                           words of the checks to run

Prints TAP; the last line counts.  What cannot be built is skipped, and says why."""

import argparse
import shutil
import sys
from pathlib import Path

import checks_clients
import checks_kubectl
from client_builds import Builds
from listwatch_serve import ListwatchServe
from program import note
from run import ClientScene, Count, run_scene, skip_all, version_of


class Scene(ClientScene):
    """A server, and the clients that there are."""

    def __init__(self, build, builds):
        super().__init__(build, ListwatchServe(build / "listwatch"))
        self.bench.builds = builds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("only", nargs="*", help="words of the names of checks")
    args = parser.parse_args()
    if not shutil.which("openssl"):
        skip_all("there is no openssl to make keys with")
    build, interop = args.build.resolve(), args.interop.resolve()
    interop.mkdir(parents=True, exist_ok=True)
    note(version_of(build / "listwatch", "--version"))
    count = Count()
    builds = Builds(interop)
    run_scene(count, "clients", lambda: Scene(build, builds),
              checks_kubectl.CHECKS + checks_clients.CHECKS, args.only, interop)
    print(f"1..{count.passed + count.failed + count.skipped}")
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    sys.exit(1 if count.failed else 0)


main()
