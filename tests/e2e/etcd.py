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
import ssl
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


class Keys:
    """An authority, and what it has signed for etcd and for those who call it, in PEM files."""

    def __init__(self, folder):
        self.folder = folder
        self.make("ca", "-x509", "-subj", "/CN=authority")
        self.sign("etcd", "subjectAltName=IP:127.0.0.1")
        self.sign("caller", "extendedKeyUsage=clientAuth")

    def path(self, name):
        return f"{self.folder}/{name}"

    def make(self, name, *words):
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", self.path(name + ".key"), "-out", self.path(name + ".pem"), *words)

    def sign(self, name, extension):
        self.make(name, "-subj", "/CN=" + name, "-addext", extension)
        self.openssl("x509", "-req", "-in", self.path(name + ".pem"), "-copy_extensions", "copy",
                     "-CA", self.path("ca.pem"), "-CAkey", self.path("ca.key"),
                     "-CAcreateserial", "-out", self.path(name + ".pem"))

    @staticmethod
    def openssl(*words):
        done = subprocess.run(["openssl", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def options(self):
        """etcd's: it lets nobody in whom the authority has not signed for."""
        return ["--cert-file", self.path("etcd.pem"), "--key-file", self.path("etcd.key"),
                "--trusted-ca-file", self.path("ca.pem"), "--client-cert-auth"]

    def context(self):
        context = ssl.create_default_context(cafile=self.path("ca.pem"))
        context.load_cert_chain(self.path("caller.pem"), self.path("caller.key"))
        return context


class Member:
    def __init__(self, program, name, folder, client_port, peer_port, keys=None):
        self.program, self.name, self.folder, self.keys = program, name, folder, keys
        self.client_port, self.peer_port = client_port, peer_port
        self.process = None

    def url(self):
        return f"{'https' if self.keys else 'http'}://127.0.0.1:{self.client_port}"

    def peer_url(self):
        return f"http://127.0.0.1:{self.peer_port}"

    def start(self, cluster):
        command = [self.program, "--name", self.name, "--data-dir", f"{self.folder}/{self.name}",
                   "--listen-client-urls", self.url(), "--advertise-client-urls", self.url(),
                   "--listen-peer-urls", self.peer_url(),
                   "--initial-advertise-peer-urls", self.peer_url(),
                   "--initial-cluster", cluster, "--initial-cluster-state", "new",
                   "--initial-cluster-token", os.path.basename(self.folder),
                   "--unsafe-no-fsync"]  # what is written outlives a kill all the same
        command += self.keys.options() if self.keys else []
        env = dict(os.environ, ETCD_UNSUPPORTED_ARCH="arm64")
        with open(f"{self.folder}/{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=env)

    def connect(self, timeout):
        if self.keys:
            return http.client.HTTPSConnection("127.0.0.1", self.client_port, timeout=timeout,
                                               context=self.keys.context())
        return http.client.HTTPConnection("127.0.0.1", self.client_port, timeout=timeout)

    def call(self, method, path, body=None, timeout=30):
        """What its HTTP gateway answers, so that no etcdctl is needed."""
        connection = self.connect(timeout)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None)
            reply = connection.getresponse()
            answer = json.loads(reply.read())
            assert reply.status == 200, (path, reply.status, answer)
            return answer
        finally:
            connection.close()

    def is_healthy(self):
        """Knows a leader, and can read through it."""
        try:
            return self.call("GET", "/health", timeout=5).get("health") == "true"
        except (AssertionError, OSError, ValueError, http.client.HTTPException):
            return False

    def is_leading(self):
        status = self.call("POST", "/v3/maintenance/status", {})
        return status.get("leader") == status["header"]["member_id"]

    def send(self, number):
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait()
        elif number == signal.SIGSTOP:
            os.waitpid(self.process.pid, os.WUNTRACED)  # until all its threads have stopped

    def is_running(self):
        return self.process is not None and self.process.poll() is None


class Cluster:
    """|size| members on loopback; everything is gone at the end of a with block, or after stop.
    With TLS |keys| is what its members and its callers have."""

    def __init__(self, size=1, program="etcd", tls=False):
        self.size, self.program = size, program
        self.folder = tempfile.mkdtemp(prefix="etcd-")
        self.keys = Keys(self.folder) if tls else None
        self.members = []

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for _ in range(TRIES):
            if self.try_start():
                return self
        logs = "".join(open(f"{self.folder}/{m.name}.log", errors="replace").read()[-1500:]
                       for m in self.members)
        self.stop()
        raise RuntimeError("etcd did not start: " + logs)

    def stop(self):
        self.end_members()
        shutil.rmtree(self.folder, ignore_errors=True)

    def try_start(self):
        ports = free_ports(2 * self.size)
        self.members = [Member(self.program, f"m{i}", self.folder, *ports[2 * i:2 * i + 2],
                               self.keys)
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

    def leader(self):
        """The index of the member that leads; None while there is none."""
        return next((i for i, member in enumerate(self.members)
                     if member.is_running() and member.is_leading()), None)

    def version(self):
        """As (3, 7, 3)."""
        text = self.members[0].call("GET", "/version")["etcdserver"]
        return tuple(int(part) for part in text.partition("-")[0].split("."))

    # What etcd's own HTTP gateway does.  Each returns a revision, or what there is.

    def call(self, path, **body):
        running = next(member for member in self.members if member.is_running())
        return running.call("POST", path, body)

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
