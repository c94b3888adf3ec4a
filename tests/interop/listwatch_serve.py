# SPDX-License-Identifier: Apache-2.0
"""listwatch_serve.py -- `listwatch serve`, with the same keys and tokens as kube-apiserver gets."""

from server import Server

FILLER = "/api/v1/namespaces/default/configmaps"


class ListwatchServe(Server):
    """On a store of its own, or on |etcd| below |prefix|."""

    name = "listwatch serve"
    purges_namespaces = True
    remembers_restarts = True
    listens = "127.0.0.1"

    def __init__(self, program, etcd=None, prefix="/registry", options=()):
        super().__init__()
        self.options = list(options)
        self.program = str(program)
        self.etcd = etcd
        self.prefix = prefix
        try:
            self.start()
        except BaseException:
            self.remove()
            raise

    def command(self):
        where = ["--data-dir", self.path("data")]
        if self.etcd:
            where += ["--etcd", self.etcd.endpoints(), "--etcd-prefix", self.prefix]
        return [self.program, "serve", "--listen", f"{self.listens}:{self.port}", *where, "--verbose",
                "--tls-cert", self.path("server.crt"), "--tls-key", self.path("server.key"),
                "--client-ca", self.path("ca.crt"), "--token-file", self.path("tokens.csv"),
                "--kubeconfig", self.path("made.kubeconfig"), *self.options]

    def forget(self):
        """On etcd it forgets with it; else it keeps a certain size of the past: with a small one,
        that much is written."""
        if self.etcd:
            self.kill()
            self.etcd.compact()
            self.start()
            return
        self.restart("--history-size", "64K")
        made = self.call("POST", FILLER, {"apiVersion": "v1", "kind": "ConfigMap",
                                          "metadata": {"name": "filler"}})
        written = 0
        while not self.is_gone(FILLER, made["metadata"]["resourceVersion"]):
            assert written < 2000, "it remembers two megabytes"
            for _ in range(50):
                self.call("PATCH", FILLER + "/filler", {"data": {"text": str(written) * 500}},
                          "application/merge-patch+json")
                written += 1
        self.call("DELETE", FILLER + "/filler")
        self.restart()

    def requests_of(self, user):
        """By its lines "... debug http: GET /api by informer"."""
        found = []
        for line in (self.folder / "server.log").read_text().splitlines():
            _, _, request = line.partition(" http: ")
            words = request.split(" ")
            if len(words) == 4 and words[2:] == ["by", user]:
                found.append(words[1])
        return found
