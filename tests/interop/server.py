# SPDX-License-Identifier: Apache-2.0
"""server.py -- an API server on loopback: its keys and tokens, and requests to it that are not made
by the library under test.

The two kinds of it are in kube_apiserver.py and listwatch_serve.py; they say how one is started,
how it is made to forget, and what it cannot do."""

import http.client
import json
import shutil
import signal
import ssl
import subprocess
import tempfile
from pathlib import Path

from program import free_port, openssl, wait_until

READY_S = 120  # a first start on a busy machine
ADMIN_GROUP = "system:masters"
INFORMER_TOKEN = "informer-token"  # of the user "informer", whose requests can be told apart


class Server:
    """May be killed and started again on the same port, with the same data."""

    name = "?"
    purges_namespaces = False    # a namespace that is deleted goes
    remembers_restarts = False   # a watch can go on at a revision from before a restart
    has_compacted_etcd = False   # what it forgets is up to an etcd
    must_have_customs = False    # to serve no custom resources is a fault, not a reason to skip
    users = ()                   # more users: (name, groups); |tokens| has their tokens
    addresses = "IP:127.0.0.1"   # that its certificate is for

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="listwatch-interop-"))
        self.process = None
        self.token = "admin-token-1"
        self.tokens = {name: name.replace(":", "-") + "-token" for name, _ in self.users}
        self.port = self.choose_port()
        self.make_keys()
        self.write_tokens()

    def choose_port(self):
        return free_port()

    def path(self, name):
        return str(self.folder / name)

    def make_keys(self):
        openssl("genrsa", "-out", self.path("accounts.key"), "2048")
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=interop-ca", "-keyout", self.path("ca.key"), "-out", self.path("ca.crt"))
        self.sign("server", "/CN=interop", "subjectAltName=" + self.addresses)
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
            f'{self.token},admin,1,"{ADMIN_GROUP}"\nnobody-token,nobody,2\n'
            f'{INFORMER_TOKEN},informer,3,"{ADMIN_GROUP}"\n'
            + "".join(f'{self.tokens[name]},{name},{name}-uid' + (f',"{groups}"\n' if groups else "\n")
                      for name, groups in self.users))

    def why_no_streamed_lists(self):
        """Why it cannot answer sendInitialEvents; empty: it can."""
        return ""

    def command(self):
        """The program and its arguments."""
        raise NotImplementedError

    def forget(self):
        """Makes it forget the past up to now: no watch can start at a revision from before."""
        raise NotImplementedError

    def requests_of(self, user):
        """The paths that |user| has asked for so far."""
        raise NotImplementedError

    def start(self, *options):
        self.log = open(self.folder / "server.log", "ab")
        self.process = subprocess.Popen(self.command() + list(options), stdout=self.log,
                                        stderr=self.log)
        wait_until(self.is_ready, READY_S, f"{self.name} is ready")

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def is_ready(self):
        if not self.is_running():
            raise AssertionError(f"{self.name} has ended: " + self.last_words())
        try:
            return self.request("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def last_words(self):
        return "\n".join((self.folder / "server.log").read_text().splitlines()[-5:])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def restart(self, *options):
        self.kill()
        self.start(*options)

    def remove(self):
        if self.is_running():
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, method, path, body=None, kind="application/json", token=None, timeout=30):
        """A connection and the reply on it, of which nothing but its head has been read.  A |body|
        that is a string is sent as it is, any other as JSON."""
        trust = ssl.create_default_context(cafile=self.path("ca.crt"))
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout,
                                                 context=trust)
        try:
            text = body if body is None or isinstance(body, str) else json.dumps(body)
            connection.request(method, path, text.encode() if text is not None else None,
                               {"Authorization": "Bearer " + (token or self.token),
                                "Content-Type": kind})
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def request(self, method, path, body=None, kind="application/json", token=None):
        """Status and text."""
        connection, reply = self.open(method, path, body, kind, token)
        try:
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def call(self, method, path, body=None, kind="application/json"):
        status, text = self.request(method, path, body, kind)
        if status >= 300:
            raise AssertionError(f"{self.name}: {method} {path}: {status} {text}")
        return json.loads(text)

    def is_gone(self, path, revision):
        """Whether a watch cannot start at |revision| any more."""
        mark = "&" if "?" in path else "?"
        status, text = self.request(
            "GET", f"{path}{mark}watch=1&timeoutSeconds=1&resourceVersion={revision}")
        return status == 410 or '"code":410' in text

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
