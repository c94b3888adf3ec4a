# SPDX-License-Identifier: Apache-2.0
"""node_agents.py -- the programs of a node: an unmodified kubelet on a runtime without containers
(apiserver/runtime), and an unmodified kube-proxy whose iptables write down what they are told.

They run in a network of their own (pods/network.py).  What the kubelet changes on a machine is hidden
from this one: isolate() gives it folders and kernel settings of its own."""

import json
import os
import re
import resource
import subprocess
import urllib.request
from pathlib import Path

from components import HARMLESS, Component
from program import Program, free_port

NODE = "worker-1"
NODE_ADDRESS = "172.31.0.1"  # of this machine, in the network of the test
TOKEN = "abcdef.0123456789abcdef"
BOOTSTRAPPERS = "system:bootstrappers:kubeadm:default-node-token"
FOLDERS = ("/var/lib", "/var/log")  # in which a kubelet has paths that cannot be chosen
SETTINGS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
            "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes")
BINDINGS = {  # as kubeadm makes them: a role and whom it is for
    "kubelet-bootstrap": ("system:node-bootstrapper", BOOTSTRAPPERS),
    "node-autoapprove-bootstrap":
        ("system:certificates.k8s.io:certificatesigningrequests:nodeclient", BOOTSTRAPPERS),
    "node-autoapprove-certificate-rotation":
        ("system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "system:nodes"),
}

# Stands for iptables, iptables-save and iptables-restore, of IPv4 and IPv6.
TOOL = r"""#!/bin/sh
case "$0 $*" in
*--version*) echo "iptables v1.8.9 (nf_tables)" ;;
*-restore\ *) cat >>"$0.rules" ;;
esac
"""


def why_not(*used):
    """Why a kubelet cannot run here although there can be a network; None: it can.  |used| are folders
    that must not be hidden."""
    for path in used:
        for folder in FOLDERS:
            if path.is_relative_to(folder):
                return f"{path} is in {folder}, which the kubelet must have for itself"
    for setting in SETTINGS:
        if not os.access("/proc/sys/" + setting, os.R_OK):
            return f"there is no /proc/sys/{setting}"
    try:
        os.close(os.open("/dev/kmsg", os.O_RDONLY))
    except OSError as failure:
        return f"the kubelet reads /dev/kmsg: {failure.strerror}"
    return None


def mount(*words):
    subprocess.run(["mount", *map(str, words)], check=True, capture_output=True, text=True)


def isolate(folder):
    """Inside a mount namespace: hides from the kubelet what it would change."""
    for number, setting in enumerate(SETTINGS):
        copy = folder / f"setting-{number}"
        copy.write_text(Path("/proc/sys", setting).read_text())
        mount("--bind", copy, f"/proc/sys/{setting}")
    for path in FOLDERS:
        mount("-t", "tmpfs", "tmpfs", path)


def unmount_below(folder):
    """What a kubelet has mounted and left."""
    places = [line.split(" ")[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for place in reversed(places):  # what is mounted on another place comes later
        if Path(place).is_relative_to(folder):
            subprocess.run(["umount", place], check=True)


class Runtime:
    """The container runtime of the node."""

    def __init__(self, program, folder):
        folder.mkdir()
        self.program = Program([str(program), str(folder), NODE_ADDRESS], dict(os.environ))
        self.program.says("ready")
        self.endpoint = f"unix://{folder}/runtime.sock"

    def end(self):
        if self.program.process.poll() is None:
            self.program.process.kill()
            self.program.process.wait()


class Kubelet(Component):
    """Gets its certificate with a bootstrap token."""

    # It begins before it has a certificate.  A pod that is gone is related to no node, for
    # kube-apiserver too.
    harmless = re.compile(HARMLESS.pattern + r'|flag="kernel/panic|system:anonymous|'
                          '"Failed to get status for pod".*no relationship found')

    def __init__(self, server, program, runtime):
        super().__init__(server, program, "kubelet")
        self.folder = server.folder / "kubelet"
        self.pods = self.folder / "manifests"  # of static pods
        self.pods.mkdir(parents=True)
        self.bootstrap = server.kubeconfig("bootstrap.kubeconfig", token=TOKEN)
        self.port = free_port()
        (self.folder / "config.json").write_text(json.dumps(self.config(runtime)))

    def config(self, runtime):
        never = {signal: "0%" for signal in ("memory.available", "nodefs.available", "nodefs.inodesFree",
                                             "imagefs.available", "imagefs.inodesFree")}
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "address": NODE_ADDRESS, "port": self.port, "healthzPort": free_port(),
            "authentication": {"x509": {"clientCAFile": self.server.path("ca.crt")}},
            "rotateCertificates": True, "serverTLSBootstrap": True,
            "containerRuntimeEndpoint": runtime.endpoint,
            "cgroupsPerQOS": False, "enforceNodeAllocatable": [], "failCgroupV1": False,
            "failSwapOn": False, "oomScoreAdj": 0, "makeIPTablesUtilChains": False,
            "maxOpenFiles": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
            "evictionHard": never, "imageGCHighThresholdPercent": 100,
            "syncFrequency": "1s", "nodeStatusUpdateFrequency": "2s", "nodeLeaseDurationSeconds": 8,
            "staticPodPath": str(self.pods), "podLogsDir": str(self.folder / "logs"),
            "volumePluginDir": str(self.folder / "plugins"), "fileCheckFrequency": "1s"}

    def command(self):
        return [self.program, "--config", str(self.folder / "config.json"),
                "--bootstrap-kubeconfig", self.bootstrap,
                "--kubeconfig", str(self.folder / "kubeconfig"),
                "--cert-dir", str(self.folder / "pki"), "--root-dir", str(self.folder / "root"),
                "--hostname-override", NODE, "--node-ip", NODE_ADDRESS, "--v", "2"]


class Proxy(Component):
    """kube-proxy in the mode iptables."""

    def __init__(self, server, program):
        super().__init__(server, program, "kube-proxy")
        self.folder = server.folder / "proxy"
        self.folder.mkdir()
        self.healthz, self.metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
        for name in ("iptables", "ip6tables"):
            for part in ("", "-save", "-restore"):
                tool = self.folder / (name + part)
                tool.write_text(TOOL)
                tool.chmod(0o755)
        kubeconfig = self.signed_kubeconfig("kube-proxy", "/CN=system:kube-proxy")
        (self.folder / "config.json").write_text(json.dumps({
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration",
            "clientConnection": {"kubeconfig": kubeconfig}, "mode": "iptables",
            "hostnameOverride": NODE, "clusterCIDR": "10.128.0.0/9",
            "healthzBindAddress": self.healthz, "metricsBindAddress": self.metrics,
            "oomScoreAdj": 0, "nodePortAddresses": ["primary"],
            "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s",
                          "tcpCloseWaitTimeout": "0s"},
            "iptables": {"localhostNodePorts": False, "minSyncPeriod": "100ms"}}))

    def command(self):
        return ["env", f"PATH={self.folder}:{os.environ['PATH']}", self.program,
                "--config", str(self.folder / "config.json"), "--v", "2"]

    def nat(self, text=""):
        """The table nat as it was written last with |text| in it.  Its chain KUBE-SERVICES is whole;
        of other chains only those are there that have changed."""
        written = self.folder / "iptables-restore.rules"
        tables = written.read_text().split("COMMIT\n") if written.exists() else []
        return next((table for table in reversed(tables) if "*nat" in table and text in table), "")

    @staticmethod
    def get(address, path):
        with urllib.request.urlopen(f"http://{address}{path}", timeout=10) as reply:
            return reply.status, reply.read().decode()


def keep_logs(components, interop):
    """Leaves the logs where they can be read after the test."""
    for component in components:
        (interop / f"last-{component.name}.log").write_text("\n".join(component.log()) + "\n")
