#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py -- the client side against a real kube-apiserver with a real etcd, and the same against
`listwatch serve`: `make interop`.

    run.py --build FOLDER --interop FOLDER [WORD...]   the programs; where kube-apiserver and etcd
                                                       are built; words of the checks to run

ETCD=path takes that etcd, KUBE_APISERVER=path that kube-apiserver, and
OLDEST_KUBE_APISERVER=path the one of the oldest version (1.26), for the informers: it is built without
words and with the word "oldest".  Prints TAP; the last line
counts.  Where a server cannot be had it says why, and skips."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))  # etcd.py

import checks_commands
import checks_control
import checks_custom
import checks_examples
import checks_informer
import checks_mirror
import checks_mirror_informers
import checks_mirror_operator
import checks_patches
import checks_protobuf
import checks_streams
import checks_tokens
import encryption
import shared_etcd
from access import checks as access
from cbor import checks as cbor
from corpus import checks as corpus
from differential import checks as differential
from hooked import checks as hooked
from policies import checks as policies
from bench import Bench
from client_builds import Builds
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import note
from scenes import Count, arguments, parser, run_scene, skip_all, version_of

CLIENT_CHECKS = (checks_commands.CHECKS + checks_examples.CHECKS + checks_informer.CHECKS
                 + checks_tokens.CHECKS + checks_custom.CHECKS + checks_protobuf.CHECKS
                 + checks_control.CHECKS + checks_streams.CHECKS + checks_mirror.CHECKS
                 + checks_mirror_operator.CHECKS)


class ClientScene:
    """One server, for the checks of the client side; |builds| makes clients of others."""

    def __init__(self, build, server, builds):
        self.server = server
        self.bench = Bench(build, server)
        self.bench.builds = builds

    def run(self, check):
        try:
            check(self.bench)
        finally:
            self.bench.end_all()
            if not self.server.is_running():
                self.server.start()

    def servers(self):
        return [self.server]

    def remove(self):
        self.server.remove()


def built(interop):
    """kube-apiserver and etcd, built unless $KUBE_APISERVER and $ETCD name them; ends where that
    cannot be done.  Go links them again for each folder with sources: this takes minutes."""
    given = {"kube-apiserver": os.environ.get("KUBE_APISERVER"), "etcd": os.environ.get("ETCD")}
    wanted = [program for program, path in given.items() if not path]
    if wanted:
        note(f"building {' and '.join(wanted)}")
        sys.stdout.flush()
        done = subprocess.run(["sh", HERE / "build.sh", interop, *wanted], stdout=subprocess.PIPE,
                              text=True)
        if done.returncode != 0:
            skip_all(done.stdout.strip() or f"build.sh failed: {done.returncode}")
    return tuple(path or str(interop / program) for program, path in given.items())


def oldest(interop):
    """The kube-apiserver of the oldest version that still builds, unless $OLDEST_KUBE_APISERVER names
    one; None, with a note, where it cannot be built."""
    path = os.environ.get("OLDEST_KUBE_APISERVER")
    if path:
        return path
    note("building kube-apiserver-oldest")
    done = subprocess.run(["sh", HERE / "build.sh", interop, "kube-apiserver-oldest"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode == 0:
        return str(interop / "kube-apiserver-oldest")
    note(f"no oldest kube-apiserver: {done.stdout.strip() or done.returncode}")
    return None


def main():
    args = arguments(parser(__doc__))
    build, interop = args.build, args.interop
    apiserver, etcd = built(interop)
    note(f"kube-apiserver: {version_of(apiserver, '--version')}")
    note(version_of(etcd, "--version"))
    note(version_of(build / "listwatch", "--version"))
    old = None  # its build takes long
    if not args.only or any("oldest" in word for word in args.only):
        old = oldest(interop)
    if old:
        note(f"oldest kube-apiserver: {version_of(old, '--version')}")
    count, builds = Count(), Builds(interop)
    for title, make, checks in (
            ("kube-apiserver", lambda: ClientScene(build, KubeApiserver(apiserver, etcd), builds),
             CLIENT_CHECKS + checks_mirror_informers.CHECKS),
            ("oldest kube-apiserver", lambda: ClientScene(build, KubeApiserver(old, etcd), builds),
             checks_informer.CHECKS if old else []),
            ("listwatch serve", lambda: ClientScene(build, ListwatchServe(build / "listwatch"),
                                                  builds),
             CLIENT_CHECKS),
            ("shared etcd", lambda: shared_etcd.House(build, apiserver, etcd),
             shared_etcd.CHECKS),
            ("encryption", lambda: encryption.Scene(build, apiserver, etcd), encryption.CHECKS),
            ("differential", lambda: differential.Pair(build, apiserver, etcd),
             differential.CHECKS),
            ("access", lambda: access.Pair(build, interop, apiserver, etcd), access.CHECKS),
            ("cbor", lambda: cbor.Pair(build, apiserver, etcd), cbor.CHECKS),
            ("policies", lambda: policies.Pair(build, apiserver, etcd), policies.CHECKS),
            ("hooked", lambda: hooked.Pair(build, apiserver, etcd), hooked.CHECKS),
            ("corpus", lambda: corpus.Pair(build, apiserver, etcd), corpus.CHECKS),
            ("patches", lambda: checks_patches.Patches(build, interop), checks_patches.CHECKS)):
        run_scene(count, title, make, checks, args.only, interop)
    count.end()


if __name__ == "__main__":
    main()
