# SPDX-License-Identifier: Apache-2.0
"""network.py -- a network of its own for a test whose pods run programs: a namespace in which the
addresses of pods, nodes and services lead back to this machine, and nothing leads outside.

Needs no root: the namespaces of network, processes and mounts are made together with one of users.
A pod is a network namespace inside, joined by a bridge, so that each has all ports for itself."""

import os
import shutil
import subprocess
import sys

PODS, GATEWAY, WIDTH = "10.128.0.0", "10.128.0.1", 9  # where hollow nodes take pods' addresses from
NODES = "172.16.0.0/12"                               # where hollow nodes are
BRIDGE = "pods"
MARK = "LISTWATCH_POD_NETWORK"
UNSHARE = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


def command(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


def unshare():
    """With one of users unless this is root, who may have more than one user inside."""
    return UNSHARE if os.geteuid() == 0 else [*UNSHARE, "--user", "--map-root-user"]


def why_not():
    """Why there can be no such network here; None: there can."""
    for program in ("unshare", "nsenter", "ip", "chroot"):
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin"):
            return f"there is no {program}"
    probe = subprocess.run([*unshare(), "sh", "-c", f"ip link add {BRIDGE} type bridge &&"
                            " ip link add one type veth peer name other"], capture_output=True, text=True)
    if probe.returncode != 0:
        return "no network namespaces: " + (probe.stderr.strip().splitlines() or ["no words"])[-1]
    return None


def is_inside():
    return MARK in os.environ


def enter():
    """Starts this program again inside; does not return."""
    os.environ[MARK] = "1"
    os.environ["PATH"] += ":/sbin:/usr/sbin"
    sys.stdout.flush()
    os.execvp("unshare", [*unshare(), sys.executable, *sys.argv])


def make(*addresses):
    """Inside: the bridge, and |addresses| that are this machine's too."""
    command("ip", "link", "set", "lo", "up")
    command("ip", "link", "add", BRIDGE, "type", "bridge")
    command("ip", "addr", "add", f"{GATEWAY}/{WIDTH}", "dev", BRIDGE)
    command("ip", "link", "set", BRIDGE, "up")
    command("ip", "route", "add", "local", NODES, "dev", "lo")
    for address in addresses:
        command("ip", "addr", "add", f"{address}/32", "dev", "lo")


class PodNetwork:
    """The network namespace of one pod, held by a process that does nothing else."""

    def __init__(self, address, number):
        self.link = f"pod{number}"
        self.holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo && exec cat"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.holder.stdout.readline()
            command("ip", "link", "add", self.link, "type", "veth", "peer", "name", "eth0",
                    "netns", self.holder.pid)
            command("ip", "link", "set", self.link, "master", BRIDGE, "up")
            command(*self.inside(), "sh", "-c",
                    f"ip link set lo up && ip addr add {address}/{WIDTH} dev eth0 &&"
                    f" ip link set eth0 up && ip route add default via {GATEWAY}")
        except BaseException:
            self.remove()
            raise

    def inside(self):
        """What a command begins with to run in it."""
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]

    def remove(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdin.close()
        self.holder.stdout.close()
        # The kernel removes its end later; the address may be another pod's by then.
        subprocess.run(["ip", "link", "del", self.link], capture_output=True)
