# SPDX-License-Identifier: Apache-2.0
"""runner.py -- runs the programs of pods on hollow nodes, without containers: each pod has a network
namespace with its address, each container a folder as its root with the program of its image and its
volumes.  Hollow nodes write the status of pods; this tells them by annotations when a program has
ended.

Only pods whose images are all known here are run; the others stay hollow."""

import json
import os
import re
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import volumes
from network import PodNetwork

API_ADDRESS, API_PORT = "10.96.0.1", 443  # of the Service default/kubernetes
MERGE = "application/merge-patch+json"
DOMAIN = "svc.cluster.local"
RESTART_S = 0.5  # pause before a program that has ended is started again
CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin")  # PATH is the container's


class Image:
    """What stands for a container's image: |programs| by their paths inside; the |entrypoint|."""

    def __init__(self, name, programs, entrypoint, arguments=()):
        self.name, self.programs = name, programs
        self.entrypoint, self.arguments = entrypoint, list(arguments)

    def is_in(self, image):
        return re.search(rf"/{self.name}:", image)


def libraries(program):
    """The shared libraries that |program| loads."""
    told = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return re.findall(r"(/\S+) \(0x", told)


class Container:
    """A program of a pod under way."""

    def __init__(self, image, spec, root, log):
        self.image, self.spec, self.root, self.log = image, spec, root, log
        self.process = None

    def make_root(self, hosts):
        for path, program in self.image.programs.items():
            for source, target in [(program, path), *((file, file) for file in libraries(program))]:
                place = self.root / target.lstrip("/")
                place.parent.mkdir(parents=True, exist_ok=True)
                if not place.exists():
                    shutil.copy(source, place)
        for folder in ("etc", "tmp", "proc", "dev"):
            (self.root / folder).mkdir(exist_ok=True)
        (self.root / "etc/hosts").write_text(hosts)
        (self.root / "etc/nsswitch.conf").write_text("hosts: files\n")

    def run(self, network, variables, is_over, restarts):
        """Until it ends; while it |restarts|, until the pod |is_over|.  The last exit code."""
        while True:
            self.start(network, variables)
            code = self.process.wait()
            if not restarts or is_over.wait(RESTART_S):
                return code

    def start(self, network, variables):
        words = self.spec.get("command") or [self.image.entrypoint]
        words = words + (self.spec.get("args") or
                         ([] if self.spec.get("command") else self.image.arguments))
        words = [volumes.expanded(word, variables) for word in words]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*network.inside(), CHROOT, str(self.root), *words], stdin=subprocess.DEVNULL,
                stdout=out, stderr=subprocess.STDOUT,
                env={"PATH": "/usr/local/bin:/usr/bin:/bin:/", "HOME": "/", **variables})


class RunningPod:
    def __init__(self, runner, pod, images, number):
        self.runner, self.pod = runner, pod
        self.key = (pod["metadata"]["namespace"], pod["metadata"]["name"])
        self.folder = runner.folder / f"{number}"
        self.network = PodNetwork(pod["status"]["podIP"], number)
        self.containers = [
            Container(image, spec, self.folder / spec["name"], runner.logs / f"{number}-{spec['name']}.log")
            for image, spec in zip(images, pod["spec"]["containers"])]
        self.is_over = threading.Event()

    def run(self):
        """Starts the containers, waits until all have ended, and tells the hollow node."""
        reader = volumes.Reader(self.runner.server, self.pod)
        hosts = "127.0.0.1 localhost\n" + "".join(
            f"{API_ADDRESS} {name}\n" for name in ("kubernetes.default", "kubernetes.default.svc",
                                                   f"kubernetes.default.{DOMAIN}"))
        try:
            for container in self.containers:
                container.root.mkdir(parents=True)
                container.make_root(hosts)
                volumes.fill(reader, container.spec, container.root)
            variables = [volumes.environment(reader, container.spec, {
                "KUBERNETES_SERVICE_HOST": API_ADDRESS, "KUBERNETES_SERVICE_PORT": str(API_PORT),
                "HOSTNAME": self.key[1]}) for container in self.containers]
            restarts = self.pod["spec"].get("restartPolicy", "Always") == "Always"
            with ThreadPoolExecutor(len(self.containers)) as pool:
                codes = list(pool.map(lambda container, own: container.run(
                    self.network, own, self.is_over, restarts), self.containers, variables))
        except (volumes.Missing, OSError, AssertionError) as reason:
            self.runner.say(f"{'/'.join(self.key)}: {reason}")
            return
        if not self.is_over.is_set():
            self.runner.say(f"{'/'.join(self.key)}: ended with {codes}")
            self.runner.tell(self.key, {"listwatch.io/run-seconds": "0",
                                        "listwatch.io/exit-code": str(max(abs(code) for code in codes))})

    def stop(self):
        self.is_over.set()
        for container in self.containers:
            if container.process:
                container.process.kill()

    def remove(self):
        self.stop()
        self.network.remove()
        shutil.rmtree(self.folder, ignore_errors=True)


class Runner:
    """Watches the pods of |server|; |images| are known, |folder| is for roots, |logs| is kept."""

    def __init__(self, server, images, folder, logs):
        self.server, self.images = server, images
        self.folder, self.logs = Path(folder), Path(logs)
        self.logs.mkdir(parents=True, exist_ok=True)
        self.mu = threading.Lock()  # guards pods, number
        self.pods, self.number = {}, 0
        self.journal = (self.logs / "pods.log").open("w")
        self.connection = None
        self.is_stopped = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def say(self, text):
        self.journal.write(text + "\n")
        self.journal.flush()

    def images_of(self, pod):
        """Those of its containers; None: not all are known."""
        found = [next((image for image in self.images if image.is_in(spec["image"])), None)
                 for spec in pod["spec"]["containers"]]
        return found if all(found) and not pod["spec"].get("initContainers") else None

    def tell(self, key, annotations):
        """The hollow node learns what has become of the pod."""
        self.server.request("PATCH", f"/api/v1/namespaces/{key[0]}/pods/{key[1]}",
                            {"metadata": {"annotations": annotations}}, MERGE)

    def find(self, key):
        with self.mu:
            return next((pod for pod in self.pods.values() if pod.key == key), None)

    def watch(self):
        while not self.is_stopped.is_set():
            try:
                self.connection, reply = self.server.open(
                    "GET", "/api/v1/pods?watch=1&allowWatchBookmarks=false", timeout=None)
                for line in reply:
                    self.handle(json.loads(line))
            except (OSError, ValueError, AttributeError) as reason:
                if not self.is_stopped.wait(0.1):
                    self.say(f"watch: {reason!r}")

    def handle(self, event):
        pod = event["object"]
        uid = pod.get("metadata", {}).get("uid")
        status = pod.get("status", {})
        is_over = (event["type"] == "DELETED" or "deletionTimestamp" in pod["metadata"]
                   or status.get("phase") in ("Succeeded", "Failed"))
        with self.mu:
            known = self.pods.get(uid)
            if is_over and known:
                known.stop()
            if event["type"] == "DELETED" and known:
                del self.pods[uid]
            wants = not is_over and not known and status.get("podIP") and status.get("phase") == "Running"
            self.number += bool(wants)
            number = self.number
        if event["type"] == "DELETED" and known:
            known.remove()
        if wants:
            self.start(uid, pod, number)

    def start(self, uid, pod, number):
        images = self.images_of(pod)
        if not images:
            return
        self.say(f"{pod['metadata']['namespace']}/{pod['metadata']['name']} is {number},"
                 f" {pod['status']['podIP']}: {[image.name for image in images]}")
        try:
            running = RunningPod(self, pod, images, number)
        except (OSError, subprocess.CalledProcessError) as reason:
            self.say(f"{pod['metadata']['name']}: {getattr(reason, 'stderr', reason)}")
            return
        with self.mu:
            self.pods[uid] = running
        threading.Thread(target=running.run, daemon=True).start()

    def remove(self):
        self.is_stopped.set()
        with self.mu:
            pods = list(self.pods.values())
        for pod in pods:
            pod.remove()
        self.journal.close()
