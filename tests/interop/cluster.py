# SPDX-License-Identifier: Apache-2.0
"""cluster.py -- a real kube-apiserver and its etcd on loopback, in a folder that is removed."""

import http.client
import json
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path

READY_S = 120  # a first start on a busy machine
ADMIN_GROUP = "system:masters"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, what):
    """Asks |condition| again until it says something true; that is returned."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds} s still not: {what}")
        pause.wait(0.05)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class Etcd:
    """One member.  Its JSON gateway is spoken to, so no etcdctl is needed."""

    def __init__(self, program, folder):
        self.port = free_port()
        peer = f"http://127.0.0.1:{free_port()}"
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = open(folder / "etcd.log", "ab")
        self.process = subprocess.Popen(
            [program, "--name", "one", "--data-dir", str(folder / "etcd"),
             "--listen-client-urls", self.url, "--advertise-client-urls", self.url,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", f"one={peer}", "--unsafe-no-fsync"],
            stdout=self.log, stderr=self.log)
        try:
            wait_until(self.is_healthy, READY_S, "etcd is healthy")
        except BaseException:
            self.stop()
            raise

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def is_healthy(self):
        if self.process.poll() is not None:
            raise AssertionError("etcd has ended; see etcd.log")
        try:
            return self.call("GET", "/health").get("health") == "true"
        except (OSError, ValueError):
            return False

    def compact(self):
        """Forgets everything but the present.  Returns the revision of it."""
        head = self.call("POST", "/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        answer = self.call("POST", "/v3/kv/compaction", {"revision": head, "physical": True})
        if "error" in answer:
            raise AssertionError(f"compaction: {answer}")
        return int(head)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()


class Cluster:
    """etcd and kube-apiserver; the latter may be killed and started again on the same port."""

    def __init__(self, apiserver, etcd):
        self.folder = Path(tempfile.mkdtemp(prefix="listwatch-interop-"))
        self.apiserver = apiserver
        self.process = None
        self.etcd = None
        self.token = "admin-token-1"
        self.port = free_port()
        try:
            self.make_keys()
            self.write_tokens()
            self.etcd = Etcd(etcd, self.folder)
            self.start()
        except BaseException:
            self.remove()
            raise

    def path(self, name):
        return str(self.folder / name)

    def make_keys(self):
        openssl("genrsa", "-out", self.path("accounts.key"), "2048")
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=interop-ca", "-keyout", self.path("ca.key"), "-out", self.path("ca.crt"))
        self.sign("server", "/CN=kube-apiserver", "subjectAltName=IP:127.0.0.1")
        self.sign("client", f"/O={ADMIN_GROUP}/CN=by-certificate", "extendedKeyUsage=clientAuth")

    def sign(self, name, subject, extension):
        (self.folder / f"{name}.ext").write_text(extension + "\n")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", subject,
                "-keyout", self.path(name + ".key"), "-out", self.path(name + ".csr"))
        openssl("x509", "-req", "-days", "2", "-in", self.path(name + ".csr"),
                "-CA", self.path("ca.crt"), "-CAkey", self.path("ca.key"), "-CAcreateserial",
                "-extfile", self.path(name + ".ext"), "-out", self.path(name + ".crt"))

    def write_tokens(self):
        (self.folder / "tokens.csv").write_text(
            f'{self.token},admin,1,"{ADMIN_GROUP}"\nnobody-token,nobody,2\n')

    def start(self):
        self.log = open(self.folder / "kube-apiserver.log", "ab")
        self.process = subprocess.Popen(
            [self.apiserver, "--etcd-servers", self.etcd.url,
             "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
             "--secure-port", str(self.port), "--endpoint-reconciler-type", "none",
             "--tls-cert-file", self.path("server.crt"),
             "--tls-private-key-file", self.path("server.key"),
             "--client-ca-file", self.path("ca.crt"), "--token-auth-file", self.path("tokens.csv"),
             "--cert-dir", self.path("certs"), "--authorization-mode", "RBAC",
             "--service-account-issuer", "https://interop.example",
             "--service-account-key-file", self.path("accounts.key"),
             "--service-account-signing-key-file", self.path("accounts.key"),
             "--service-cluster-ip-range", "10.96.0.0/16",
             # Its other half is the controller manager, which does not run.
             "--disable-admission-plugins", "ServiceAccount"],
            stdout=self.log, stderr=self.log)
        wait_until(self.is_ready, READY_S, "kube-apiserver is ready")

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError("kube-apiserver has ended: " + self.last_words())
        try:
            return self.request("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def last_words(self):
        return "\n".join((self.folder / "kube-apiserver.log").read_text().splitlines()[-5:])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def restart(self):
        self.kill()
        self.start()

    def remove(self):
        if self.process and self.process.poll() is None:
            self.kill()
        if self.etcd:
            self.etcd.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def request(self, method, path, body=None, kind="application/json"):
        """One request of our own, not by the library under test: status and text."""
        trust = ssl.create_default_context(cafile=self.path("ca.crt"))
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=trust)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None,
                               {"Authorization": "Bearer " + self.token, "Content-Type": kind})
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def call(self, method, path, body=None, kind="application/json"):
        status, text = self.request(method, path, body, kind)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {text}")
        return json.loads(text)

    def list(self, path):
        """What is there: "namespace/name" and its resourceVersion."""
        found = {}
        for item in self.call("GET", path)["items"]:
            meta = item["metadata"]
            key = meta["namespace"] + "/" + meta["name"] if "namespace" in meta else meta["name"]
            found[key] = meta["resourceVersion"]
        return found

    def kubeconfig(self, name, **user):
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "interop",
            "clusters": [{"name": "interop", "cluster": {
                "server": f"https://127.0.0.1:{self.port}",
                "certificate-authority": self.path("ca.crt")}}],
            "users": [{"name": "interop", "user": user}],
            "contexts": [{"name": "interop", "context": {"cluster": "interop", "user": "interop"}}],
        }
        (self.folder / name).write_text(json.dumps(config))
        return self.path(name)


class Program:
    """A program under way, and the lines it has said."""

    def __init__(self, command, env, stdin=None):
        self.lines, self.errors = [], []
        self.process = subprocess.Popen(command, env=env, stdin=stdin, text=True, bufsize=1,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.threads = [
            threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True),
            threading.Thread(target=self.read, args=(self.process.stderr, self.errors), daemon=True)]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    def says(self, words, seconds=30):
        """Waits for a line that has |words|."""
        try:
            return wait_until(lambda: next((x for x in list(self.lines) if words in x), None),
                              seconds, f'a line with "{words}"')
        except AssertionError as late:
            raise AssertionError(f"{late}; said {self.lines[-5:]}, {self.errors[-5:]}") from None

    def cache(self):
        """What a `listwatch watch` holds, by the lines it has printed."""
        held = {}
        for line in list(self.lines):
            word, _, rest = line.partition(" ")
            key, _, revision = rest.partition(" ")
            if word == "DELETED":
                if held.pop(key, None) is None:
                    raise AssertionError(f"deleted what was not there: {line}")
            elif word == ("MODIFIED" if key in held else "ADDED"):
                held[key] = revision
            elif not line.startswith("{"):
                raise AssertionError(f"not to be said now: {line}")
        return held

    def ends(self, number=None, seconds=30):
        """Sends signal |number|; waits for the end.  The exit code."""
        if number is not None:
            self.process.send_signal(number)
        if self.process.stdin:
            self.process.stdin.close()
        code = self.process.wait(timeout=seconds)
        for thread in self.threads:
            thread.join()
        return code

    def stats(self):
        """Ends a `listwatch watch --stats json`; its figures."""
        code = self.ends(signal.SIGTERM)
        if code != 0:
            raise AssertionError(f"exit code {code}: {self.errors[-3:]}")
        return json.loads(self.lines[-1])
