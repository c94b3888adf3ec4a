#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deb_test.py -- `make deb-test`: the Debian packages in a new Debian 12, as their users have them.

Needs root, debootstrap and a Debian mirror, and is therefore not part of `make test`.  systemd does
not run in a chroot: the unit is verified, and its command is run as systemd would run it, as a user
of its own with a state directory.  Mounts are made in a mount namespace and end with this program."""

import argparse
import os
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERVICE_USER = 61184  # the first of the range that systemd takes dynamic users from
# What the test itself needs; installed before the packages, so that what is left can be told.
TOOLS = ["systemd", "gcc", "libc6-dev", "pkg-config", "ca-certificates"]
PACKAGES = ["listwatch", "liblistwatch0", "liblistwatch-etcd0", "liblistwatch-server0",
            "liblistwatch-dev", "python3-listwatch"]
UNIT = "lib/systemd/system/listwatch.service"
EXAMPLES = "/usr/share/doc/liblistwatch-dev/examples"
# Not of a package: caches and records of apt and dpkg themselves.
RECORDS = ("var/cache/", "var/log/", "var/lib/apt/", "var/lib/dpkg/", "tmp/", "root/", "proc/", "debs/",
           "run/")


class Debian:
    """A Debian below |folder|."""

    def __init__(self, folder):
        self.folder = folder

    def command(self, words, user=0, **values):
        env = [f"{name}={value}" for name, value in values.items()]
        return ["chroot", f"--userspec={user}:{user}", str(self.folder), "env", "-i",
                "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/root",
                "DEBIAN_FRONTEND=noninteractive", *env, *words]

    def run(self, *words, **values):
        """What it prints; raises if it fails."""
        done = subprocess.run(self.command(words, **values), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, f"{shlex.join(words)}: {done.stdout[-4000:]}"
        return done.stdout

    def files(self):
        """Paths of all files, links and folders that are not records of the package manager."""
        found = set()
        for folder, folders, names in os.walk(self.folder):
            at = os.path.relpath(folder, self.folder)
            paths = {os.path.normpath(os.path.join(at, name)) for name in folders + names}
            found |= {path for path in paths if not path.startswith(RECORDS)}
            folders[:] = [name for name in folders
                          if not (os.path.normpath(os.path.join(at, name)) + "/").startswith(RECORDS)]
        return found


class Service:
    """The command of the unit, run as its user."""

    def __init__(self, debian):
        unit = (debian.folder / UNIT).read_text()
        command = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1]
        command = command.replace("${STATE_DIRECTORY}", "/var/lib/listwatch")
        command = command.replace("$LISTWATCH_OPTIONS", "--listen 127.0.0.1:0")
        state = debian.folder / "var/lib/listwatch"
        state.mkdir(mode=0o700)
        os.chown(state, SERVICE_USER, SERVICE_USER)
        self.state = state
        self.process = subprocess.Popen(debian.command(shlex.split(command), user=SERVICE_USER),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def wait_until_ready(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 1)[0]:
                line = self.process.stdout.readline()
                assert line, f"the service has exited with {self.process.wait()}"
                if line.startswith("ready: "):
                    return
        raise AssertionError("the service is not ready after 60 s")

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=30)


def make_debian(folder, base, mirror):
    if base:
        subprocess.run(["cp", "-a", f"{base}/.", folder], check=True)
    else:
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder, mirror],
                       check=True, stdout=subprocess.DEVNULL)
    os.chmod(folder, 0o755)  # its root: a temporary folder is its owner's alone
    debian = Debian(Path(folder))
    shutil.copy("/etc/resolv.conf", debian.folder / "etc/resolv.conf")
    # No service is started: there is no systemd.
    policy = debian.folder / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    subprocess.run(["mount", "-t", "proc", "proc", debian.folder / "proc"], check=True)
    debian.run("apt-get", "-qq", "update")
    debian.run("apt-get", "-qq", "-y", "install", "--no-install-recommends", *TOOLS)
    return debian


def take_packages(debian, debs):
    """Copies the packages into the Debian; returns their names there."""
    target = debian.folder / "debs"
    target.mkdir()
    found = {}
    for name in PACKAGES:
        package = next(iter(debs.glob(f"{name}_*.deb")), None)
        assert package, f"no package {name} in {debs}: run make deb"
        shutil.copy(package, target)
        found[name] = f"/debs/{package.name}"
    return found


def the_program_is_installed_by_apt_and_the_unit_is_enabled(debian, debs, _):
    debian.run("apt-get", "-qq", "-y", "install", "--no-install-recommends", debs["listwatch"])
    assert "0.1" in debian.run("listwatch", "--version")
    assert (debian.folder / "etc/systemd/system/multi-user.target.wants/listwatch.service").is_symlink()
    said = debian.run("systemd-analyze", "verify", "--man=no", "/" + UNIT)
    assert "listwatch" not in said, said


def the_service_runs_as_its_user_and_kubectl_works(debian, debs, kubectl):
    if kubectl:
        shutil.copy(kubectl, debian.folder / "usr/local/bin/kubectl")
    service = Service(debian)
    try:
        service.wait_until_ready()
        assert (service.state / "admin.kubeconfig").stat().st_uid == SERVICE_USER
        config = "--kubeconfig=/var/lib/listwatch/admin.kubeconfig"
        if kubectl:
            debian.run("kubectl", config, "create", "configmap", "colours", "--from-literal=a=red")
            said = debian.run("kubectl", config, "get", "configmap", "colours", "-o", "jsonpath={.data.a}")
            assert said == "red", said
        said = debian.run("listwatch", "get", "configmaps", config, "-o", "name")
        assert "kube-root-ca.crt" in said or "colours" in said, said
        example(debian, debs, config.partition("=")[2])
    finally:
        code = service.stop()
    assert code == 0, f"the service ended with {code}"


def example(debian, debs, kubeconfig):
    """An example of the -dev package, built with pkg-config, lists from the service."""
    debian.run("apt-get", "-qq", "-y", "install", "--no-install-recommends",
               *(debs[name] for name in PACKAGES if name != "listwatch"))
    debian.run("sh", "-ec", f"cc -Wall -Werror -o /tmp/list {EXAMPLES}/01_list.c "
               "$(pkg-config --cflags --libs listwatch)")
    said = debian.run("/tmp/list", KUBECONFIG=kubeconfig)
    assert said.strip(), "the example printed nothing"
    said = debian.run("python3", "-c", "import listwatch; print(len(list(listwatch.Client().list"
                      "('namespaces'))))", KUBECONFIG=kubeconfig)
    assert int(said) >= 3, said


def the_static_libraries_build_a_server(debian, debs, _):
    debian.run("sh", "-ec", f"cc -Wall -Werror -o /tmp/server {EXAMPLES}/test_server/server_test.c "
               "$(pkg-config --cflags listwatch-server listwatch) -Wl,-Bstatic -llistwatch-server "
               "-llistwatch -Wl,-Bdynamic "
               "$(pkg-config --static --libs listwatch-server listwatch | "
               "tr ' ' '\\n' | grep -v llistwatch)")
    debian.run("/tmp/server")


def purge_leaves_nothing(debian, before):
    debian.run("apt-get", "-qq", "-y", "purge", *PACKAGES)
    debian.run("apt-get", "-qq", "-y", "autoremove", "--purge")
    ours = sorted(path for path in debian.files() if "listwatch" in path)
    assert not ours, f"left: {ours}"
    left = sorted(debian.files() - before - {"debs", "usr/local/bin/kubectl"})
    assert not left, f"left by dependencies or by us: {left[:20]}"


def in_namespace():
    """Runs this program again where its mounts end with it."""
    if os.environ.get("DEB_TEST_INSIDE") != "1":
        os.environ["DEB_TEST_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, "-B", *sys.argv])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--debs", type=Path, required=True, help="the folder of make deb")
    parser.add_argument("--kubectl", type=Path, help="a kubectl to be used in the new Debian")
    parser.add_argument("--base", type=Path, help="a new Debian of debootstrap, to be copied")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    args = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("make deb-test needs root, for debootstrap and chroot")
    in_namespace()
    kubectl = args.kubectl if args.kubectl and args.kubectl.exists() else None
    failed = 0
    with tempfile.TemporaryDirectory(dir=args.debs) as folder:
        debian = make_debian(folder, args.base, args.mirror)
        before = debian.files()
        debs = take_packages(debian, args.debs)
        steps = [(test.__name__, lambda test=test: test(debian, debs, kubectl)) for test in (
            the_program_is_installed_by_apt_and_the_unit_is_enabled,
            the_service_runs_as_its_user_and_kubectl_works,
            the_static_libraries_build_a_server)]
        steps.append(("purge_leaves_nothing", lambda: purge_leaves_nothing(debian, before)))
        for number, (name, step) in enumerate(steps, 1):
            try:
                step()
                print(f"ok {number} - {name}" + ("" if kubectl else " # without kubectl"), flush=True)
            except (AssertionError, OSError, subprocess.SubprocessError) as problem:
                failed += 1
                print(f"not ok {number} - {name}\n# {problem}", flush=True)
        print(f"1..{len(steps)}")
        subprocess.run(["umount", debian.folder / "proc"], check=False)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
