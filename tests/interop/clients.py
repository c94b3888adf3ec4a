#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients.py -- clients of other languages against `listwatch serve`: a part of `make interop`.

    clients.py --build FOLDER --interop FOLDER [WORD...]   the programs; where clients are built;
                                                           words of the checks to run

Prints TAP; the last line counts.  What cannot be built is skipped, and says why."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))  # etcd.py

import checks_clients
import checks_kubectl
import checks_openapi
from client_builds import Builds
from etcd import Cluster, etcd_is_missing
from listwatch_serve import ListwatchServe
from program import note
from run import ClientScene
from scenes import Count, arguments, parser, run_scene, version_of


class Scene(ClientScene):
    """A server, on |etcd| if there is one, and the clients that there are."""

    def __init__(self, build, builds, etcd=None):
        super().__init__(build, ListwatchServe(build / "listwatch", etcd), builds)


def run_on_etcd(count, build, builds, words, interop):
    if etcd_is_missing():
        note(etcd_is_missing())
        return
    with Cluster() as etcd:
        run_scene(count, "clients on etcd", lambda: Scene(build, builds, etcd),
                  checks_clients.ETCD_CHECKS, words, interop)


def main():
    args = arguments(parser(__doc__))
    build, interop = args.build, args.interop
    interop.mkdir(parents=True, exist_ok=True)
    note(version_of(build / "listwatch", "--version"))
    count = Count()
    builds = Builds(interop)
    run_scene(count, "clients", lambda: Scene(build, builds),
              checks_openapi.CHECKS + checks_kubectl.CHECKS + checks_clients.CHECKS, args.only,
              interop)
    run_on_etcd(count, build, builds, args.only, interop)
    count.end()


main()
