# SPDX-License-Identifier: Apache-2.0
"""etcd_members.py -- an etcd of one or three members on loopback, in a folder of the caller's."""

import base64
import http.client
import json
import signal
import subprocess
from pathlib import Path

from program import free_port, wait_until

READY_S = 120  # a first start on a busy machine


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class EtcdMember:
    """One process.  Its JSON gateway is spoken to, so no etcdctl is needed."""

    def __init__(self, program, folder, name):
        self.program, self.folder, self.name = program, Path(folder), name
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.peer = f"http://127.0.0.1:{free_port()}"
        self.process = None

    def start(self, initial_cluster):
        self.log = open(self.folder / f"etcd-{self.name}.log", "ab")
        self.process = subprocess.Popen(
            [self.program, "--name", self.name, "--data-dir", str(self.folder / self.name),
             "--listen-client-urls", self.url, "--advertise-client-urls", self.url,
             "--listen-peer-urls", self.peer, "--initial-advertise-peer-urls", self.peer,
             "--initial-cluster", initial_cluster, "--unsafe-no-fsync"],
            stdout=self.log, stderr=self.log)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def end(self, number):
        if self.is_running():
            self.process.send_signal(number)
            self.process.wait(timeout=30)
            self.log.close()

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def is_healthy(self):
        if not self.is_running():
            raise AssertionError(f"etcd has ended; see {self.folder}/etcd-{self.name}.log")
        try:
            return self.call("GET", "/health").get("health") == "true"
        except (OSError, ValueError, http.client.HTTPException):
            return False


class Etcd:
    """Members that are one etcd.  A member may be killed and started again where it was."""

    def __init__(self, program, folder, count=1):
        self.members = [EtcdMember(program, folder, f"member-{i}") for i in range(count)]
        self.initial_cluster = ",".join(f"{one.name}={one.peer}" for one in self.members)
        try:
            for one in self.members:
                one.start(self.initial_cluster)
            self.wait_healthy()
        except BaseException:
            self.stop()
            raise

    def urls(self):
        return ",".join(one.url for one in self.members)

    def wait_healthy(self):
        for one in self.members:
            wait_until(one.is_healthy, READY_S, f"{one.name} of etcd is healthy")

    def call(self, path, body):
        """One request to a member that runs."""
        running = next(one for one in self.members if one.is_running())
        answer = running.call("POST", path, body)
        if "error" in answer:
            raise AssertionError(f"etcd: {path}: {answer}")
        return answer

    def version(self):
        """As (3, 7, 3)."""
        text = self.members[0].call("GET", "/version")["etcdserver"]
        return tuple(int(part) for part in text.partition("-")[0].split("."))

    def revision(self):
        return int(self.call("/v3/kv/range", {"key": "AA=="})["header"]["revision"])

    def range(self, prefix):
        """Key and value (bytes) of all that begins with |prefix|."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        found = self.call("/v3/kv/range", {"key": encoded(prefix), "range_end": encoded(end)})
        return {base64.b64decode(kv["key"]).decode(): base64.b64decode(kv.get("value", ""))
                for kv in found.get("kvs", [])}

    def compact(self):
        """Forgets everything but the present.  Returns the revision of it."""
        head = self.revision()
        self.call("/v3/kv/compaction", {"revision": head, "physical": True})
        return head

    def leader(self):
        """The member that leads; None while there is none."""
        for one in self.members:
            if one.is_running():
                status = one.call("POST", "/v3/maintenance/status", {})
                if status.get("leader") == status["header"]["member_id"]:
                    return one
        return None

    def kill(self, member):
        member.end(signal.SIGKILL)

    def start_again(self, member):
        member.start(self.initial_cluster)
        wait_until(member.is_healthy, READY_S, f"{member.name} of etcd is healthy again")

    def stop(self):
        for one in self.members:
            one.end(signal.SIGTERM)
