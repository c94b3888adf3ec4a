# SPDX-License-Identifier: Apache-2.0
"""etcd.py -- an etcd cluster of one's own for tests: started, killed, paused.

    etcd.py SIZE COMMAND...      runs COMMAND with $ETCD_ENDPOINTS, as a TAP test"""

import base64
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_S = 60  # a machine that is busy may take its time
TRIES = 5  # to find ports that nobody else takes meanwhile


def etcd_is_missing():
    """Why tests are skipped; None: there is one."""
    return None if shutil.which("etcd") else "no etcd; make deps installs etcd-server"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def text64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


class Member:
    def __init__(self, name, folder, client_port, peer_port):
        self.name, self.folder = name, folder
        self.client_port, self.peer_port = client_port, peer_port
        self.process = None

    def url(self):
        return f"http://127.0.0.1:{self.client_port}"

    def peer_url(self):
        return f"http://127.0.0.1:{self.peer_port}"

    def start(self, cluster):
        command = ["etcd", "--name", self.name, "--data-dir", f"{self.folder}/{self.name}",
                   "--listen-client-urls", self.url(), "--advertise-client-urls", self.url(),
                   "--listen-peer-urls", self.peer_url(),
                   "--initial-advertise-peer-urls", self.peer_url(),
                   "--initial-cluster", cluster, "--initial-cluster-state", "new",
                   "--initial-cluster-token", os.path.basename(self.folder),
                   "--unsafe-no-fsync"]  # what is written outlives a kill all the same
        env = dict(os.environ, ETCD_UNSUPPORTED_ARCH="arm64")
        with open(f"{self.folder}/{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=env)

    def is_healthy(self):
        """Knows a leader, and can read through it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.client_port, timeout=5)
        try:
            connection.request("GET", "/health")
            return json.loads(connection.getresponse().read()).get("health") == "true"
        except (OSError, ValueError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def send(self, number):
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait()

    def is_running(self):
        return self.process is not None and self.process.poll() is None


class Cluster:
    """|size| members on loopback; everything is gone at the end of a with block."""

    def __init__(self, size=1):
        self.size = size
        self.folder = tempfile.mkdtemp(prefix="etcd-")
        self.members = []

    def __enter__(self):
        for _ in range(TRIES):
            if self.try_start():
                return self
        logs = "".join(open(f"{self.folder}/{m.name}.log", errors="replace").read()[-1500:]
                       for m in self.members)
        self.__exit__()
        raise RuntimeError("etcd did not start: " + logs)

    def __exit__(self, *_):
        self.end_members()
        shutil.rmtree(self.folder, ignore_errors=True)

    def try_start(self):
        ports = free_ports(2 * self.size)
        self.members = [Member(f"m{i}", self.folder, ports[2 * i], ports[2 * i + 1])
                        for i in range(self.size)]
        for member in self.members:
            member.start(self.names())
        if self.await_health():
            return True
        self.end_members()
        for member in self.members:
            shutil.rmtree(f"{self.folder}/{member.name}", ignore_errors=True)
        return False

    def names(self):
        return ",".join(f"{m.name}={m.peer_url()}" for m in self.members)

    def endpoints(self):
        return ",".join(member.url() for member in self.members)

    def await_health(self, timeout=START_S):
        end = time.monotonic() + timeout
        while time.monotonic() < end and all(m.is_running() for m in self.members):
            if all(member.is_healthy() for member in self.members):
                return True
            time.sleep(0.05)  # between two questions; etcd tells of its readiness in no other way
        return False

    def url(self):
        return self.members[0].url()

    def kill(self, index=0):
        self.members[index].send(signal.SIGKILL)

    def restart(self, index=0):
        self.members[index].start(self.names())

    def pause(self, index=0):
        self.members[index].send(signal.SIGSTOP)

    def resume(self, index=0):
        self.members[index].send(signal.SIGCONT)

    def end_members(self):
        for member in self.members:
            if member.is_running():
                member.send(signal.SIGCONT)
                member.send(signal.SIGKILL)

    # What etcd's own HTTP gateway does.  Each returns a revision, or what there is.

    def call(self, path, **body):
        connection = http.client.HTTPConnection("127.0.0.1", self.members[0].client_port, timeout=30)
        connection.request("POST", path, json.dumps(body))
        reply = connection.getresponse()
        answer = json.loads(reply.read())
        connection.close()
        assert reply.status == 200, (reply.status, answer)
        return answer

    def put(self, key, value):
        return self.call("/v3/kv/put", key=text64(key), value=text64(value))["header"]["revision"]

    def delete(self, key):
        return self.call("/v3/kv/deleterange", key=text64(key))["header"]["revision"]

    def compact(self, revision=None):
        """Up to now, unless told otherwise."""
        self.call("/v3/kv/compaction", revision=revision or self.revision())

    def revision(self):
        return self.call("/v3/kv/range", key=text64("x"))["header"]["revision"]

    def read(self, prefix):
        """key -> (mod revision, value) of all keys that begin with |prefix|, an ASCII one."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        found = self.call("/v3/kv/range", key=text64(prefix), range_end=text64(end)).get("kvs", [])
        return {base64.b64decode(kv["key"]).decode(): (int(kv["mod_revision"]),
                                                       base64.b64decode(kv["value"]))
                for kv in found}


def main():
    if etcd_is_missing():
        print(f"1..0 # SKIP {etcd_is_missing()}")
        return 0
    with Cluster(int(sys.argv[1])) as cluster:
        env = dict(os.environ, ETCD_ENDPOINTS=cluster.endpoints())
        return subprocess.run(sys.argv[2:], env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
