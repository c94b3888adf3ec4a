# SPDX-License-Identifier: Apache-2.0
"""etcd.py -- an etcd of one's own for tests in Python, and writes to it over its HTTP gateway."""

import base64
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile

TRIES = 5  # somebody may take a free port before etcd does
READY_S = 60


def etcd_is_missing():
    """Why tests are skipped; None: there is one."""
    return None if shutil.which("etcd") else "there is no etcd"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def text64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


class Etcd:
    """One member in a folder that is removed at the end; may be killed and started again."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.port = self.process = None

    def __enter__(self):
        for _ in range(TRIES):
            self.port, self.peer_port = free_port(), free_port()
            if self.start():
                return self
        raise RuntimeError(open(self.folder + "/log").read()[-4000:])

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """True when it can answer: it says so as it would to systemd."""
        place = self.folder + "/ready"
        if os.path.exists(place):
            os.unlink(place)
        peer = f"http://127.0.0.1:{self.peer_port}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready, \
                open(self.folder + "/log", "ab") as log:
            ready.bind(place)
            ready.settimeout(READY_S)
            self.process = subprocess.Popen(
                ["etcd", "--name=m", f"--data-dir={self.folder}/data", "--unsafe-no-fsync",
                 f"--listen-client-urls={self.url()}", f"--advertise-client-urls={self.url()}",
                 f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
                 f"--initial-cluster=m={peer}"],
                stdout=log, stderr=log, env=dict(os.environ, NOTIFY_SOCKET=place))
            try:
                return b"READY=1" in ready.recv(64)
            except socket.timeout:
                self.kill()
                return False

    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def call(self, path, **body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", path, json.dumps(body))
        reply = connection.getresponse()
        answer = json.loads(reply.read())
        connection.close()
        assert reply.status == 200, (reply.status, answer)
        return answer

    def put(self, key, value):
        """The revision of it, as the others."""
        return self.call("/v3/kv/put", key=text64(key),
                         value=text64(value))["header"]["revision"]

    def delete(self, key):
        return self.call("/v3/kv/deleterange", key=text64(key))["header"]["revision"]

    def compact(self, revision):
        self.call("/v3/kv/compaction", revision=revision)
