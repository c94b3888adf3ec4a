# SPDX-License-Identifier: Apache-2.0
"""kube_apiserver.py -- a real kube-apiserver on an etcd of the caller's, or on one of its own."""

import json

from etcd import Cluster
from server import Server

STREAMED_LISTS_SINCE = 32  # 1.32: WatchList is on
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}],
                "omitStages": ["ResponseStarted", "ResponseComplete", "Panic"]}


class KubeApiserver(Server):
    """Its etcd, when it is not given, is one member and ends with it."""

    name = "kube-apiserver"
    has_compacted_etcd = True
    must_have_customs = True
    plugins_left_out = "ServiceAccount"  # of admission

    def __init__(self, apiserver, etcd_program=None, etcd=None, storage_media_type=None,
                 options=()):
        super().__init__()
        self.options = list(options)
        self.apiserver = apiserver
        self.etcd = etcd
        self.storage_media_type = storage_media_type
        self.owns_etcd = etcd is None
        try:
            if self.owns_etcd:
                self.etcd = Cluster(program=etcd_program).start()
            (self.folder / "audit.json").write_text(json.dumps(AUDIT_POLICY))
            self.start()
        except BaseException:
            self.remove()
            raise

    def command(self):
        words = [
            self.apiserver, "--etcd-servers", self.etcd.endpoints(),
            "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
            "--secure-port", str(self.port), "--endpoint-reconciler-type", "none",
            "--tls-cert-file", self.path("server.crt"),
            "--tls-private-key-file", self.path("server.key"),
            "--client-ca-file", self.path("ca.crt"), "--token-auth-file", self.path("tokens.csv"),
            "--cert-dir", self.path("certs"), "--authorization-mode", "Node,RBAC",
            "--service-account-issuer", "https://interop.example",
            "--service-account-key-file", self.path("accounts.key"),
            "--service-account-signing-key-file", self.path("accounts.key"),
            "--service-cluster-ip-range", "10.96.0.0/16",
            "--audit-policy-file", self.path("audit.json"),
            "--audit-log-path", self.path("audit.log"),
            # Its other half is the controller manager, which does not run.
            "--disable-admission-plugins", self.plugins_left_out]
        if self.storage_media_type:
            words += ["--storage-media-type", self.storage_media_type]
        return words + self.options

    def why_no_streamed_lists(self):
        minor = int(self.call("GET", "/version")["gitVersion"].split(".")[1])
        if minor < STREAMED_LISTS_SINCE:
            return f"kube-apiserver before 1.{STREAMED_LISTS_SINCE} streams no lists"
        version = self.etcd.version()
        is_new = version >= (3, 5, 13) or (3, 4, 31) <= version < (3, 5)
        return "" if is_new else f"etcd {'.'.join(map(str, version))} answers no progress requests"

    def forget(self):
        self.kill()
        self.etcd.compact()
        self.start()  # its watch cache begins now

    def requests_of(self, user):
        lines = (self.folder / "audit.log").read_text().splitlines(keepends=True)
        events = [json.loads(line) for line in lines if line.endswith("\n")]
        return [event["requestURI"] for event in events if event["user"]["username"] == user]

    def remove(self):
        if self.is_running():
            self.kill()
        if self.owns_etcd and self.etcd:
            self.etcd.stop()
        super().remove()
