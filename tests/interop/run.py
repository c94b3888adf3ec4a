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

import argparse
import os
import shutil
import subprocess
import sys
import traceback
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
from program import Skip, note

CLIENT_CHECKS = (checks_commands.CHECKS + checks_examples.CHECKS + checks_informer.CHECKS
                 + checks_tokens.CHECKS + checks_custom.CHECKS + checks_protobuf.CHECKS
                 + checks_control.CHECKS + checks_streams.CHECKS + checks_mirror.CHECKS
                 + checks_mirror_operator.CHECKS)


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    print("0 passed, 0 failed, 0 skipped")
    sys.exit(0)


def version_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0]


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("only", nargs="*", help="words of the names of checks")
    args = parser.parse_args()
    if not shutil.which("openssl"):
        skip_all("there is no openssl to make keys with")
    build, interop = args.build.resolve(), args.interop.resolve()
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
    print(f"1..{count.passed + count.failed + count.skipped}")
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    sys.exit(1 if count.failed else 0)


if __name__ == "__main__":
    main()
