# SPDX-License-Identifier: Apache-2.0
"""machine.py -- where and from what figures were measured."""

import datetime
import os
import subprocess
import time

MEASURED = ("src", "cli", "include")
BUSY_SHARE = 0.1  # of the processors: from then on the machine counts as busy with other work


def field(path, name):
    with open(path) as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith(name)), "?")


def cpu_of_all():
    """Seconds of CPU time since the machine started, of all processes."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, interrupts, soft = map(int, file.readline().split()[1:8])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def cpu_of_ours():
    """The same of this process and of those that it has started and waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Others:
    """What other programs take of the processors from now on."""

    def __init__(self):
        self.began, self.all, self.ours = time.monotonic(), cpu_of_all(), cpu_of_ours()

    def share(self):
        used = cpu_of_all() - self.all - (cpu_of_ours() - self.ours)
        return max(0, used / (time.monotonic() - self.began) / os.cpu_count())


def describe(others):
    share = others.share()
    return {"cpu": field("/proc/cpuinfo", "model name"), "cores": os.cpu_count(),
            "memory_gb": round(int(field("/proc/meminfo", "MemTotal").split()[0]) / 1e6),
            "kernel": f"{os.uname().sysname} {os.uname().release.partition('-')[0]}",
            "share_of_others": round(share, 2), "is_busy": share > BUSY_SHARE}


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True).stdout.strip()


def commit(root):
    """The last one that changed what is measured; with a + where it has been changed since."""
    found = git(root, "log", "-1", "--abbrev=10", "--format=%h", "--", *MEASURED)
    return (found or "unknown") + ("+" if git(root, "status", "--porcelain", "--", *MEASURED) else "")


def today():
    return datetime.date.today().isoformat()
