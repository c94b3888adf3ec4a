#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kubectl_commands.py -- kubectl's own command tests (test/cmd of Kubernetes, from its Go module) against
kube-apiserver and against listwatch in its place: a part of `make interop`.

    kubectl_commands.py --build FOLDER --interop FOLDER [WORD...]   the programs; where those of
                                                                    Kubernetes are built; words of
                                                                    the functions to run
        --only-listwatch                                            kube-apiserver is not run

Both are started with the flags that Kubernetes' own script has, an etcd of their own (listwatch: the
stand-in that it brings) and an unmodified kube-controller-manager.  Prints a line a function: the outcome
on both; the last lines count.  One that fails here only is a fault."""

import argparse
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import free_port, note, openssl, wait_until
from scenes import skip_all

HERE = Path(__file__).resolve().parent
PARTS = ("test/cmd", "hack", "test/fixtures", "test/e2e/testing-manifests", "third_party/forked/shell2junit")
RUN_S = 3600
ENABLED = "LimitRanger,ResourceQuota"
DISABLED = ("ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,MutatingAdmissionWebhook,"
            "ValidatingAdmissionWebhook,StorageObjectInUseProtection")
TESTED = ("kube-apiserver", "listwatch")


def module():
    """Where Kubernetes' sources are."""
    told = subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"],
                          cwd=HERE / "apiserver", capture_output=True, text=True)
    if told.returncode != 0 or not told.stdout.strip():
        skip_all("no source of k8s.io/kubernetes: " + told.stderr.strip())
    return Path(told.stdout.strip())


class Site:
    """A server with its etcd and its controllers, from the programs in |folder|."""

    def __init__(self, name, folder, manager, kubectl, source, logs):
        self.name, self.folder, self.manager, self.logs = name, folder, manager, logs
        self.scratch = Path(tempfile.mkdtemp(prefix="listwatch-commands-"))
        self.root, self.tools = self.scratch / "kubernetes", self.scratch / "bin"
        self.port, self.etcd_port = free_port(), free_port()
        self.processes = []
        for part in PARTS:
            shutil.copytree(source / part, self.root / part)
        subprocess.run(["chmod", "-R", "u+w", self.root], check=True)
        self.tools.mkdir()
        (self.tools / "kubectl").symlink_to(kubectl)
        logs.mkdir(parents=True, exist_ok=True)

    def start(self, name, *command):
        log = (self.logs / f"{name}.server-log").open("wb")
        self.processes.append(subprocess.Popen([str(word) for word in command], cwd=self.root,
                                               stdout=log, stderr=log))

    def etcd_listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.etcd_port)) == 0

    def is_healthy(self):
        if self.processes[-1].poll() is not None:
            raise AssertionError(f"{self.name} has ended; logs: {self.logs}")
        try:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=5,
                                                     context=ssl._create_unverified_context())
            connection.request("GET", "/readyz", headers={"Authorization": "Bearer admin-token"})
            return connection.getresponse().status == 200
        except OSError:
            return False

    def start_all(self):
        key = self.scratch / "accounts.key"
        openssl("genrsa", "-out", str(key), "2048")
        etcd = f"http://127.0.0.1:{self.etcd_port}"
        self.start("etcd", self.folder / "etcd", "--data-dir", self.scratch / "etcd",
                   "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
                   "--listen-peer-urls", f"http://127.0.0.1:{free_port()}")
        wait_until(self.etcd_listens, 60, f"the etcd of {self.name} listens")
        self.start("apiserver", self.folder / "kube-apiserver", "--bind-address=127.0.0.1",
                   "--authorization-mode=RBAC,AlwaysAllow", f"--secure-port={self.port}",
                   f"--enable-admission-plugins={ENABLED}", f"--disable-admission-plugins={DISABLED}",
                   f"--etcd-servers={etcd}", "--runtime-config=api/v1",
                   f"--service-account-key-file={key}", "--service-account-lookup=true",
                   "--service-account-issuer=https://kubernetes.default.svc",
                   f"--service-account-signing-key-file={key}", f"--cert-dir={self.scratch}/certs",
                   "--service-cluster-ip-range=10.0.0.0/24", "--client-ca-file=hack/testdata/ca/ca.crt",
                   "--token-auth-file=hack/testdata/auth-tokens.csv")
        wait_until(self.is_healthy, 120, f"{self.name} is ready")
        config = self.scratch / "manager.kubeconfig"
        config.write_text(
            "kind: Config\nusers: [{name: u, user: {token: admin-token}}]\n"
            "contexts: [{name: c, context: {cluster: l, user: u}}]\ncurrent-context: c\n"
            f"clusters: [{{name: l, cluster: {{server: 'https://127.0.0.1:{self.port}',"
            " insecure-skip-tls-verify: true}}]\n")
        self.start("controller-manager", self.manager, f"--kubeconfig={config}", "--leader-elect=false",
                   f"--secure-port={free_port()}", "--bind-address=127.0.0.1",
                   "--cluster-signing-cert-file=hack/testdata/ca/ca.crt",
                   "--cluster-signing-key-file=hack/testdata/ca/ca.key")

    def run(self, names):
        """The outcome of each function by its name."""
        self.start_all()
        env = {**os.environ, "THIS_PLATFORM_BIN": str(self.tools), "TERM": "xterm",
               "PATH": f"{self.tools}:{os.environ['PATH']}"}
        env.pop("KUBECONFIG", None)
        with (self.logs / "run.log").open("wb") as log:
            try:
                subprocess.run(["bash", HERE / "commands/run.sh", self.root, str(self.port), self.logs,
                                *names], env=env, stdout=log, stderr=log, timeout=RUN_S)
            except subprocess.TimeoutExpired:
                note(f"{self.name}: has not ended after {RUN_S} s")
        results = self.logs / "results"
        lines = results.read_text().splitlines() if results.exists() else []
        return {line.split()[1]: line.split()[0] for line in lines}

    def remove(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


def run_site(site, names):
    try:
        return site.run(names)
    finally:
        site.remove()


def assets(build, folder):
    """listwatch by the names kube-apiserver and etcd."""
    subprocess.run([build / "listwatch", "envtest", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def build_programs(interop):
    done = subprocess.run(["sh", HERE / "build.sh", interop, "kubectl", "etcd", "kube-apiserver",
                           "kube-controller-manager"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        skip_all(done.stdout.strip() or f"build.sh failed: {done.returncode}")


def functions(source, words):
    """Those of test/cmd that have one of |words| in their names."""
    script = (source / "test/cmd/legacy-script.sh").read_text()
    return [name for name in re.findall(r"record_command (run_\w+)$", script, re.M)
            if any(word in name for word in words)]


def report(results):
    """Whether something fails only here."""
    real, ours = (results.get(name, {}) for name in TESTED)
    names = sorted({*real, *ours}, key=lambda name: [*real, *ours].index(name))
    faults = [name for name in names if ours.get(name) != "passed" and real.get(name) == "passed"]
    for number, name in enumerate(names, 1):
        outcome = "not ok" if name in faults else "ok"
        print(f"{outcome} {number} - {name}: kube-apiserver {real.get(name, 'not run')},"
              f" listwatch {ours.get(name, 'not run')}")
    print(f"1..{len(names)}")
    for which in TESTED:
        passed = sum(outcome == "passed" for outcome in results.get(which, {}).values())
        note(f"{which}: {passed} of {len(names)} have passed")
    print(f"{len(names) - len(faults)} passed, {len(faults)} failed, 0 skipped")
    return bool(faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("--only-listwatch", action="store_true")
    parser.add_argument("words", nargs="*", help="of names of functions of test/cmd")
    args = parser.parse_args()
    build, interop = args.build.resolve(), args.interop.resolve()
    source, logs = module(), interop / "last-kubectl-commands"
    names = functions(source, args.words)
    if args.words and not names:
        skip_all("no function has such a name")
    build_programs(interop)
    shutil.rmtree(logs, ignore_errors=True)
    which = TESTED[1:] if args.only_listwatch else TESTED
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(len(TESTED)) as pool:
        folders = {"kube-apiserver": interop, "listwatch": assets(build, Path(scratch) / "assets")}
        sites = {name: Site(name, folders[name], interop / "kube-controller-manager",
                            interop / "kubectl", source, logs / name) for name in which}
        runs = {name: pool.submit(run_site, site, names) for name, site in sites.items()}
        results = {name: run.result() for name, run in runs.items()}
    is_bad = report(results)
    note(f"logs: {logs}")
    sys.exit(1 if is_bad else 0)


main()
