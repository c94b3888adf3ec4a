#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kubernetes_e2e.py -- the API machinery and auth parts of Kubernetes' own end-to-end suite, from
its Go modules, against `listwatch serve` with controllers and hollow nodes: a part of `make interop`.

    kubernetes_e2e.py --build FOLDER --interop FOLDER [WORD...]   the programs; where the suite is
                                                                  built; words of the specs to run
        --etcd PROGRAM                                            store objects in an etcd of its own

Every spec must pass that is not in kubernetes_e2e_left_out.py.  Prints TAP, a line a spec; the last
lines count.  Where the suite cannot be built, it says why and skips.

Specs whose pods must do something run in a network namespace: pods/ starts the programs of their
images there.  Where no such namespace can be made, they are left out."""

import itertools
import json
import re
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "e2e"), str(HERE / "pods")]  # etcd.py, network.py

from client_builds import Builds
from kubernetes_e2e_left_out import LEFT_OUT, WITH_PODS
from listwatch_serve import ListwatchServe
from program import Skip, note, wait_until
from scenes import arguments, parser, skip_all, version_of

import etcd as etcd_server

import network
from kubelet import Kubelet
from runner import API_ADDRESS, API_PORT, DOMAIN, Image, Runner

PARALLEL = 4  # files of specs under way; they wait most of the time
SUITE_TIMEOUT = "15m"
NODES = 3
PROGRAMS = ("agnhost", "sample-apiserver", "etcd")  # of images
PARTS = {"apimachinery": "[sig-api-machinery]", "auth": "[sig-auth]"}  # folders of the suite
TEMPLATES = "/api/v1/namespaces/default/podtemplates"
SAMPLE = "sample-apiserver|Sample API Server|Aggregated APIServer"
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


class PodCluster(Cluster):
    """Whose pods run programs, and reach it by its Service."""

    addresses = ",".join([Cluster.addresses, f"IP:{API_ADDRESS}", *(
        f"DNS:kubernetes.default{end}" for end in ("", ".svc", "." + DOMAIN))])

    def __init__(self, program, interop, logs, **more):
        self.runner = self.kubelet = None
        super().__init__(program, "--kubelet-preferred-address-types", "InternalIP",
                         "--service-account-jwks-uri",
                         f"https://kubernetes.default.{DOMAIN}/openid/v1/jwks", **more)
        agnhost, sample, etcd = [interop / name for name in PROGRAMS]
        images = [Image("agnhost", {"/agnhost": agnhost}, "/agnhost", ["pause"]),
                  Image("sample-apiserver", {"/sample-apiserver": sample}, "/sample-apiserver"),
                  Image("etcd", {"/usr/local/bin/etcd": etcd}, "/usr/local/bin/etcd")]
        self.runner = Runner(self, images, self.path("pods"), logs)
        self.kubelet = Kubelet(self.runner, self.path("server.crt"), self.path("server.key"))
        wait_until(lambda: len(self.list("/api/v1/nodes")) == NODES, 60, "the nodes are there")
        for name in self.list("/api/v1/nodes"):  # else it knows that nodes without a kubelet have no logs
            self.call("PATCH", f"/api/v1/nodes/{name}",
                      {"metadata": {"annotations": {"listwatch.io/hollow": None}}},
                      "application/merge-patch+json")

    def choose_port(self):
        return API_PORT

    def command(self):
        words = super().command()
        words[words.index("--listen") + 1] = f"0.0.0.0:{self.port}"
        return words

    def remove(self):
        if self.kubelet:
            self.kubelet.remove()
        if self.runner:
            self.runner.remove()
        super().remove()


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

    def is_of(self, patterns):
        return any(re.search(pattern, self.name) for pattern in patterns)


class Choice:
    """Which specs run.  |pods|: why their programs cannot; None: they can."""

    def __init__(self, pods):
        self.list = LEFT_OUT + ([(pods, WITH_PODS)] if pods else [])

    def left_out(self, spec):
        """Why it is not run; None: it is."""
        return next((reason for reason, patterns in self.list if spec.is_of(patterns)), None)


def stale_patterns(specs):
    return [pattern for patterns in [*(patterns for _, patterns in LEFT_OUT), WITH_PODS]
            for pattern in patterns if not any(spec.is_of([pattern]) for spec in specs)]


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


def jobs_of(specs):
    """What runs one after the other: a file, or those who all deploy the same API server."""
    jobs = {}
    for spec in specs:
        jobs.setdefault("sample-apiserver" if spec.is_of([SAMPLE]) else spec.file.stem, []).append(spec)
    return jobs


def run_all(suite, server, program, specs):
    """Several jobs at once; yields what has run."""
    forgetting = [spec for spec in specs if FORGETS in spec.name]
    jobs = jobs_of([spec for spec in specs if spec not in forgetting])
    with ThreadPoolExecutor(PARALLEL) as pool:
        under_way = [pool.submit(run_forgetting, suite, program, forgetting)] if forgetting else []
        under_way += [pool.submit(suite.run, name, server.admin(), only(chosen),
                                  *{f"--ginkgo.focus-file={spec.file.parent.name}/{spec.file.name}"
                                    for spec in chosen})
                      for name, chosen in sorted(jobs.items(), key=lambda job: -len(job[1]))]
        for done in under_way:
            yield from (spec for spec in done.result() if spec.state != "skipped" or spec.why)


def build_programs(interop, *names):
    """Why they cannot be had; empty: they are there."""
    done = subprocess.run(["sh", HERE / "build.sh", interop, *names], stdout=subprocess.PIPE, text=True)
    return "" if done.returncode == 0 else done.stdout.strip() or f"build.sh failed: {done.returncode}"


def prepare(interop):
    """Builds what is missing, and goes on in a network of its own where that is possible; why not
    otherwise."""
    failure = build_programs(interop, "kubernetes-e2e")
    if failure:
        skip_all(failure)
    failure = build_programs(interop, *PROGRAMS) or network.why_not()
    if not failure:
        network.enter()
    return "needs pods that run programs: " + failure


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
    passed = []
    for number, spec in enumerate(chosen, 1):
        result = results.get(spec.name)
        is_good = result is not None and result.state == "passed"
        passed += [spec] if is_good else []
        seconds = f" ({result.seconds:.0f} s)" if result else " (has not run)"
        print(f"{'ok' if is_good else 'not ok'} {number} - {spec.name.replace('#', '')}{seconds}")
        for line in (result.why if result and not is_good else "").splitlines()[:20]:
            note(line)
    print(f"1..{len(chosen)}")
    for part, title in PARTS.items():
        of_part = [sum(spec.file.parent.name == part for spec in some) for some in (passed, specs)]
        note(f"{title} {of_part[0]} of {of_part[1]} specs have passed")
    failed = len(chosen) - len(passed)
    print(f"{len(passed)} passed, {failed} failed, {len(specs) - len(chosen)} skipped")
    return failed


def choose(specs, why_no_pods, words):
    """The specs to run; tells which are left out."""
    stale = stale_patterns(specs)
    if stale:
        sys.exit(f"no spec has these names, so take them off the list: {stale}")
    choice = Choice(why_no_pods)
    for reason, _ in choice.list:
        note(f"left out: {sum(choice.left_out(spec) == reason for spec in specs)} specs: {reason}")
    return [spec for spec in specs if not choice.left_out(spec)
            and (not words or any(word in spec.name for word in words))]


def main():
    options = parser(__doc__, "words of the names of specs")
    options.add_argument("--etcd", help="a program")
    args = arguments(options)
    build, interop = args.build, args.interop
    folder = interop / "last-kubernetes-e2e"
    why_no_pods = None if network.is_inside() else prepare(interop)
    kubectl = kubectl_of(interop)
    if not kubectl:
        skip_all("there is no kubectl, which specs call")
    folder.mkdir(exist_ok=True)
    note(version_of(build / "listwatch", "--version"))
    suite = Suite(interop / "kubernetes-e2e", kubectl, folder)
    specs = [spec for spec in suite.run("all", "/nowhere", "--ginkgo.dry-run",
                                        *[f"--ginkgo.focus-file=e2e/{part}/" for part in PARTS])
             if PARTS.get(spec.file.parent.name, "none of them") in spec.name]
    chosen = choose(specs, why_no_pods, args.only)
    if why_no_pods:
        server = Cluster(build / "listwatch", etcd_program=args.etcd)
    else:
        network.make(API_ADDRESS)
        server = PodCluster(build / "listwatch", interop, folder / "pods", etcd_program=args.etcd)
    try:
        failed = report(specs, chosen, list(run_all(suite, server, build / "listwatch", chosen)))
    finally:
        shutil.copy(server.path("server.log"), folder / "server.log")
        server.remove()
    if failed:
        note(f"logs: {folder}")
    sys.exit(1 if failed else 0)


main()
