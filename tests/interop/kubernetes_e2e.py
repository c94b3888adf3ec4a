#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kubernetes_e2e.py -- the API machinery and auth parts of Kubernetes' own end-to-end suite, from
its Go modules, against `listwatch serve` with controllers and hollow nodes: a part of `make interop`.

    kubernetes_e2e.py --build FOLDER --interop FOLDER [WORD...]   the programs; where the suite is
                                                                  built; words of the specs to run
        --etcd PROGRAM                                            store objects in an etcd of its own

Every spec must pass that is not in kubernetes_e2e_left_out.py.  Prints TAP, a line a spec; the last
line counts.  Where the suite cannot be built, it says why and skips."""

import argparse
import itertools
import json
import re
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from client_builds import Builds
from kubernetes_e2e_left_out import LEFT_OUT
from listwatch_serve import ListwatchServe
from program import Skip, note
from run import skip_all, version_of  # its folders have etcd.py, too

import etcd as etcd_server

HERE = Path(__file__).resolve().parent
PARALLEL = 4  # files of specs under way; they wait most of the time
SUITE_TIMEOUT = "15m"
NODES = 3
PARTS = {"apimachinery": "[sig-api-machinery]", "auth": "[sig-auth]"}  # folders of the suite
TEMPLATES = "/api/v1/namespaces/default/podtemplates"
FORGETS = "compacted away"  # the spec that waits until the server has forgotten a page token


class Cluster(ListwatchServe):
    """The server with its controllers and nodes; |options| are further ones.  It signs client
    certificates with the CA that it accepts.  |etcd_program|: an etcd of its own stores objects."""

    def __init__(self, program, *options, etcd_program=None):
        etcd = etcd_server.Cluster(program=etcd_program).start() if etcd_program else None
        try:
            super().__init__(program, etcd=etcd, options=options)
        except BaseException:
            if etcd:
                etcd.stop()
            raise

    def command(self):
        return super().command() + [
            "--controllers", "--nodes", str(NODES), "--cluster-signing-cert-file",
            self.path("ca.crt"), "--cluster-signing-key-file", self.path("ca.key")]

    def remove(self):
        super().remove()
        if self.etcd:
            self.etcd.stop()

    def admin(self):
        return self.kubeconfig("e2e.kubeconfig", token=self.token)

    def overwrite_until(self, is_over):
        """Writes and writes PodTemplates, so that a server with a short past forgets older ones."""
        self.call("POST", TEMPLATES, {"metadata": {"name": "filler"}, "template": {"spec": {
            "containers": [{"name": "c", "image": "i"}]}}})
        for number in itertools.count():
            if is_over.wait(0.1):
                return
            self.call("PATCH", TEMPLATES + "/filler",
                      {"metadata": {"annotations": {"text": f"{number:04}" * 1000}}},
                      "application/merge-patch+json")


class Suite:
    """The program, and how it is called."""

    def __init__(self, program, kubectl, folder):
        self.program, self.kubectl, self.folder = str(program), kubectl, folder

    def run(self, name, kubeconfig, *flags):
        """The specs that |flags| choose, as ginkgo reports them."""
        report, log = self.folder / f"{name}.json", self.folder / f"{name}.log"
        report.unlink(missing_ok=True)
        command = [self.program, "--kubeconfig", kubeconfig, "--provider=skeleton",
                   f"--kubectl-path={self.kubectl}", f"--num-nodes={NODES}",
                   f"--ginkgo.timeout={SUITE_TIMEOUT}", "--ginkgo.no-color", "--ginkgo.v",
                   f"--ginkgo.json-report={report}", *flags]
        with log.open("wb") as out:
            subprocess.run(command, stdout=out, stderr=subprocess.STDOUT)
        if not report.exists():
            raise AssertionError(f"the suite has ended without a report: {log}")
        return [Spec(spec) for suite in json.loads(report.read_text())
                for spec in suite["SpecReports"] if spec["LeafNodeType"] == "It"]


class Spec:
    def __init__(self, report):
        self.state = report["State"]
        self.seconds = report["RunTime"] / 1e9
        self.file = Path(report["LeafNodeLocation"]["FileName"])
        self.name = " ".join([*(report["ContainerHierarchyTexts"] or []), report["LeafNodeText"]])
        self.why = (report.get("Failure") or {}).get("Message", "")

    def left_out(self):
        """Why it is not run; None: it is."""
        return next((reason for reason, patterns in LEFT_OUT
                     if any(re.search(pattern, self.name) for pattern in patterns)), None)


def stale_patterns(specs):
    return [pattern for _, patterns in LEFT_OUT for pattern in patterns
            if not any(re.search(pattern, spec.name) for spec in specs)]


def only(specs):
    """A flag that chooses these by their whole names."""
    return "--ginkgo.focus=" + "|".join(re.escape(spec.name) + "( |$)" for spec in specs)


def run_forgetting(suite, program, specs):
    """On a server whose past is short."""
    server = Cluster(program, "--history-size", "64K")
    is_over = threading.Event()
    writer = threading.Thread(target=server.overwrite_until, args=(is_over,))
    writer.start()
    try:
        return suite.run("forgets", server.admin(), only(specs))
    finally:
        is_over.set()
        writer.join()
        server.remove()


def run_all(suite, program, specs, etcd_program):
    """File by file, several at once; yields what has run."""
    forgetting = [spec for spec in specs if FORGETS in spec.name]
    files = {}
    for spec in specs:
        if spec not in forgetting:
            files.setdefault(spec.file, []).append(spec)
    server = Cluster(program, etcd_program=etcd_program)
    try:
        with ThreadPoolExecutor(PARALLEL) as pool:
            under_way = [pool.submit(run_forgetting, suite, program, forgetting)] if forgetting else []
            under_way += [pool.submit(suite.run, file.stem, server.admin(), only(chosen),
                                      f"--ginkgo.focus-file={file.parent.name}/{file.name}")
                          for file, chosen in files.items()]
            for done in under_way:
                yield from (spec for spec in done.result() if spec.state != "skipped" or spec.why)
    finally:
        server.remove()


def built(interop):
    done = subprocess.run(["sh", HERE / "build.sh", interop, "kubernetes-e2e"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        skip_all(done.stdout.strip() or f"build.sh failed: {done.returncode}")
    return interop / "kubernetes-e2e"


def kubectl_of(interop):
    """The newest, or Debian's."""
    builds = Builds(interop)
    for name in ("kubectl", "debian"):
        try:
            return str(builds.get(name)[0])
        except Skip as reason:
            note(f"{name}: {reason}")
    return None


def report(specs, chosen, ran):
    """TAP of every spec that was to run, in words of the suite."""
    results = {spec.name: spec for spec in ran}
    passed = failed = 0
    for number, spec in enumerate(chosen, 1):
        result = results.get(spec.name)
        is_good = result is not None and result.state == "passed"
        passed, failed = passed + is_good, failed + (not is_good)
        seconds = f" ({result.seconds:.0f} s)" if result else " (has not run)"
        print(f"{'ok' if is_good else 'not ok'} {number} - {spec.name.replace('#', '')}{seconds}")
        for line in (result.why if result and not is_good else "").splitlines()[:20]:
            note(line)
    skipped = len(specs) - len(chosen)
    print(f"1..{len(chosen)}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("--etcd", help="a program")
    parser.add_argument("only", nargs="*", help="words of the names of specs")
    args = parser.parse_args()
    if not shutil.which("openssl"):
        skip_all("there is no openssl to make keys with")
    build, interop = args.build.resolve(), args.interop.resolve()
    folder = interop / "last-kubernetes-e2e"
    suite_program = built(interop)
    kubectl = kubectl_of(interop)
    if not kubectl:
        skip_all("there is no kubectl, which specs call")
    folder.mkdir(exist_ok=True)
    note(version_of(build / "listwatch", "--version"))
    suite = Suite(suite_program, kubectl, folder)
    specs = [spec for spec in suite.run("all", "/nowhere", "--ginkgo.dry-run",
                                        *[f"--ginkgo.focus-file=e2e/{part}/" for part in PARTS])
             if PARTS.get(spec.file.parent.name, "none of them") in spec.name]
    stale = stale_patterns(specs)
    if stale:
        sys.exit(f"no spec has these names, so take them off the list: {stale}")
    chosen = [spec for spec in specs if not spec.left_out()
              and (not args.only or any(word in spec.name for word in args.only))]
    for reason, _ in LEFT_OUT:
        note(f"left out: {sum(spec.left_out() == reason for spec in specs)} specs: {reason}")
    failed = report(specs, chosen, list(run_all(suite, build / "listwatch", chosen, args.etcd)))
    if failed:
        note(f"logs: {folder}")
    sys.exit(1 if failed else 0)


main()
