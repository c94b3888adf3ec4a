# SPDX-License-Identifier: Apache-2.0
"""client_builds.py -- real clients of other languages, built below a folder the first time they are
wanted.  Where one cannot be had, Skip says why."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from program import Skip, note

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLIENTS = HERE / "clients"
NODE_MIN = 22  # what @kubernetes/client-node 2 runs on


def run(what, *command, cwd=None, env=None):
    """Runs a step of a build; Skip with its last words when it fails."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True,
                          text=True)
    if done.returncode != 0:
        words = (done.stdout + done.stderr).strip().splitlines() or ["no words"]
        raise Skip(f"{what}: {words[-1]}")
    return done.stdout


def need(program, what):
    if not shutil.which(program):
        raise Skip(f"there is no {program} for {what}")


class Builds:
    """Commands of clients, by name; each is made once, or found impossible once."""

    def __init__(self, interop):
        self.interop = interop
        self.made = {}

    def get(self, name):
        """The command that starts the client |name|."""
        if name not in self.made:
            try:
                self.made[name] = getattr(self, "make_" + name)()
            except Skip as reason:
                self.made[name] = reason
        if isinstance(self.made[name], Skip):
            raise self.made[name]
        return self.made[name]

    def go_program(self, name):
        run(name, "sh", HERE / "build.sh", self.interop, name)
        return [self.interop / name]

    def make_go(self):
        command = self.go_program("goclients")
        for line in run("go", "go", "version", "-m", *command).splitlines():
            words = line.split()
            if words[1:2] in (["k8s.io/client-go"], ["sigs.k8s.io/controller-runtime"]):
                note(f"{words[1]} {words[2]}")
        return command

    def make_kubectl(self):
        return self.tell_kubectl(self.go_program("kubectl"))

    @staticmethod
    def tell_kubectl(command):
        told = json.loads(run("kubectl", *command, "version", "--client", "-o", "json"))
        note(f"kubectl {told['clientVersion']['gitVersion']}")
        return command

    def make_debian(self):
        """Debian's kubectl, which `make deps` fetches beside the builds."""
        tool, folder = ROOT / "tools" / "kubectl.sh", ROOT / "build-kubectl"
        run("Debian's kubectl", "sh", tool, "fetch", folder)
        return self.tell_kubectl([run("Debian's kubectl", "sh", tool, "path", folder).strip()])

    def make_rust(self):
        need("cargo", "kube-rs")
        folder = self.interop / "rust"
        source = folder / "source"  # cargo writes its lock beside the sources
        shutil.copytree(CLIENTS / "rust", source, dirs_exist_ok=True)
        run("kube-rs does not build", "nice", "cargo", "build", "--quiet", "-j", "1",
            "--target-dir", folder, cwd=source)
        lock = (source / "Cargo.lock").read_text()
        note("kube-rs " + re.search(r'name = "kube"\nversion = "([^"]*)"', lock)[1])
        return [folder / "debug" / "reflector"]

    def make_node(self):
        need("node", "@kubernetes/client-node")
        need("npm", "@kubernetes/client-node")
        folder = self.interop / "node"
        shutil.copytree(CLIENTS / "node", folder, dirs_exist_ok=True)
        self.npm_install(folder)
        node = self.node_program(folder)
        package = folder / "node_modules" / "@kubernetes" / "client-node" / "package.json"
        note("@kubernetes/client-node " + json.loads(package.read_text())["version"]
             + ", node " + run("node", node, "--version").strip())
        return [node, folder / "informer.js"]

    @staticmethod
    def npm_install(folder, *packages):
        run("@kubernetes/client-node cannot be had", "npm", "install", "--no-audit", "--no-fund",
            *packages, cwd=folder)

    def node_program(self, folder):
        """The machine's node, or where that is too old for the client, one of npm's."""
        version = run("node", "node", "--version").strip()
        if int(version.lstrip("v").split(".")[0]) >= NODE_MIN:
            return "node"
        self.npm_install(folder, f"node@{NODE_MIN}")
        return folder / "node_modules" / ".bin" / "node"

    def make_python(self):
        folder = self.interop / "python"
        if not (folder / "bin" / "python").exists():
            run("there is no venv", sys.executable, "-m", "venv", folder)
        run("the Python client cannot be had", folder / "bin" / "python", "-m", "pip", "install",
            "--quiet", "-r", CLIENTS / "python" / "requirements.txt")
        note("kubernetes for Python " + run("python", folder / "bin" / "python", "-c",
                                            "import kubernetes; print(kubernetes.__version__)").strip())
        return [folder / "bin" / "python", CLIENTS / "python" / "watcher.py"]
