# SPDX-License-Identifier: Apache-2.0
"""etcd.py -- a real etcd of one member for tests in Python."""

import contextlib
import http.client
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def is_installed():
    return shutil.which("etcd") is not None


def free_ports(count):
    """Ports that nobody listens on at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


class Etcd:
    """One member in a folder that is removed at the end; it may be paused and resumed."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.process = None
        self.port = 0

    def start(self, tries=5):
        """Another program may take a port before etcd does: then it is tried again."""
        for _ in range(tries):
            self.port, peer_port = free_ports(2)
            client, peer = (f"http://127.0.0.1:{port}" for port in (self.port, peer_port))
            self.log = open(self.folder + "/etcd.log", "ab")
            self.process = subprocess.Popen(
                ["etcd", "--data-dir", self.folder + "/data", "--listen-client-urls", client,
                 "--advertise-client-urls", client, "--listen-peer-urls", peer,
                 "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
                 "--heartbeat-interval", "10", "--election-timeout", "100"],
                stdout=self.log, stderr=self.log)
            if self.is_healthy():
                return self
            self.end()
        raise RuntimeError("no etcd: " + open(self.folder + "/etcd.log").read())

    def is_healthy(self, patience=30):
        end = time.monotonic() + patience
        while time.monotonic() < end and self.process.poll() is None:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/health")
                if b"true" in connection.getresponse().read():
                    return True
            except OSError:
                pass
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.05)  # until it asks again, or etcd has ended
        return False

    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def remove(self):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)
