# SPDX-License-Identifier: Apache-2.0
"""components.py -- the programs of Kubernetes that run beside `listwatch serve`, each with its own
identity, and what their logs may not have."""

import json
import os
import re

from listwatch_serve import ListwatchServe
from program import Program, free_port, note

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
SCHEDULER, MANAGER = "kube-scheduler", "kube-controller-manager"
SHOWN = 20  # complaints of one program

# What no log may have: access that is missing, resources that are not served, documents that
# cannot be read.
FAULTS = re.compile(r"forbidden|could not find the requested resource|no matches for kind"
                    r"|unable to decode|cannot unmarshal|proto: |unknown field|is invalid:"
                    r"|server rejected|Failed to watch|failed to list|panic", re.I)
# What is said by every start on every server.
HARMLESS = re.compile(r"serviceaccounts? \"[^\"]*\" not found|cloud-?provider|already exists")


class Component:
    """A program; may run several times.  |harmless| matches lines that are no faults."""

    harmless = HARMLESS

    def __init__(self, server, program, name):
        self.server, self.program, self.name = server, str(program), name
        self.runs = []

    def command(self):
        """The program and its arguments."""
        raise NotImplementedError

    def start(self):
        self.runs.append(Program(self.command(), dict(os.environ)))
        return self.runs[-1]

    def signed_kubeconfig(self, name, subject):
        """A kubeconfig with a client certificate of the server's CA."""
        self.server.sign(name, subject, "extendedKeyUsage=clientAuth")
        return self.server.kubeconfig(
            name + ".kubeconfig", **{"client-certificate": self.server.path(name + ".crt"),
                                     "client-key": self.server.path(name + ".key")})

    def log(self):
        return [line for run in self.runs for line in list(run.errors)]

    def complaints(self):
        """The lines of level E, and W, and those that have a fault: each text once."""
        found = {}
        for line in self.log():
            text = re.sub(r"^[IWEF]\d{4} \S+ +\d+ ", "", line)
            is_error = re.match(r"[EF]\d{4} ", line)
            if is_error or FAULTS.search(line) or re.match(r"W\d{4} ", line):
                key = re.sub(r"\d+", "N", text)
                found.setdefault(key, [line, 0])[1] += 1
        return [(line, count) for line, count in found.values()]

    def faults(self):
        return [line for line, _ in self.complaints()
                if FAULTS.search(line) and not self.harmless.search(line)]

    def print_complaints(self):
        complaints = self.complaints()
        note(f"{self.name}: {len(self.log())} lines, {len(complaints)} complaints")
        for line, count in complaints[:SHOWN]:
            note(f"  {count}x {line[:400]}")

    def end(self):
        for run in self.runs:
            if run.process.poll() is None:
                run.process.kill()
                run.process.wait()


class Leader(Component):
    """kube-controller-manager or kube-scheduler; the one that holds its lease works."""

    def __init__(self, server, program, name, *options):
        super().__init__(server, program, name)
        self.options = list(options)
        self.kubeconfig = self.signed_kubeconfig(name, f"/O=system:{name}/CN=system:{name}")

    def command(self):
        return [self.program, "--kubeconfig", self.kubeconfig,
                "--authentication-kubeconfig", self.kubeconfig,
                "--authorization-kubeconfig", self.kubeconfig,
                # The ConfigMap that it reads is in the charge of kube-apiserver.
                "--authentication-tolerate-lookup-failure=true",
                "--bind-address", "127.0.0.1", "--secure-port", str(free_port()),
                "--leader-elect=true", "--leader-elect-lease-duration=6s",
                "--leader-elect-renew-deadline=4s", "--leader-elect-retry-period=1s",
                *self.options]

    def holder(self):
        """Who holds the lease; empty while there is none."""
        status, text = self.server.request("GET", f"{LEASES}/{self.name}")
        return json.loads(text)["spec"].get("holderIdentity", "") if status == 200 else ""


def manager(server, interop, *options):
    """A controller manager whose controllers have accounts of their own."""
    return Leader(server, interop / MANAGER, MANAGER, "--use-service-account-credentials=true",
                  "--service-account-private-key-file", server.path("accounts.key"),
                  "--root-ca-file", server.path("ca.crt"),
                  "--cluster-signing-cert-file", server.path("ca.crt"),
                  "--cluster-signing-key-file", server.path("ca.key"), *options)


def scheduler(server, interop):
    return Leader(server, interop / SCHEDULER, SCHEDULER)


class Server(ListwatchServe):
    """With the keys that the controller manager has too."""

    def command(self):
        return super().command() + [
            "--service-account-signing-key-file", self.path("accounts.key"),
            "--cluster-signing-cert-file", self.path("ca.crt"),
            "--cluster-signing-key-file", self.path("ca.key")]
