#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""request_header_test.py -- an authenticating proxy that names users in headers
(--requestheader-client-ca-file).
usage: request_header_test.py LISTWATCH"""

import http.client
import json
import os
import ssl
import subprocess

from serving import Server, run_tests

WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
NAMED = {"X-Remote-User": "ann", "X-Remote-Group": "team", "X-Remote-Uid": "7",
         "X-Remote-Extra-Scopes%2fx": "all"}


class Cluster(Server):
    """A server with a proxy's CA, and client certificates of both CAs."""

    def __init__(self, program, *options):
        super().__init__(program, options=options)
        self.make_ca("proxy-ca")
        self.make_ca("client-ca")
        for name, ca in (("proxy", "proxy-ca"), ("other", "proxy-ca"), ("user", "client-ca"),
                         ("stranger", None)):
            self.make_certificate(name, ca, name)
        self.make_certificate("impostor", "client-ca", "proxy")
        self.command += ["--requestheader-client-ca-file", self.path("proxy-ca.crt"),
                         "--client-ca", self.path("client-ca.crt"),
                         "--requestheader-username-headers", "X-Remote-User",
                         "--requestheader-group-headers", "X-Remote-Group",
                         "--requestheader-uid-headers", "X-Remote-Uid",
                         "--requestheader-extra-headers-prefix", "X-Remote-Extra-",
                         "--requestheader-allowed-names", "proxy"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.folder)

    def make_ca(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                     "-nodes", "-keyout", name + ".key", "-out", name + ".crt", "-days", "1",
                     "-subj", "/CN=" + name)

    def make_certificate(self, name, ca, common_name):
        """Signed by |ca|, or by itself."""
        if ca is None:
            self.make_ca(name)
            return
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", name + ".key", "-out", name + ".csr", "-subj",
                     f"/O=crew/CN={common_name}")
        self.openssl("x509", "-req", "-in", name + ".csr", "-CA", ca + ".crt", "-CAkey",
                     ca + ".key", "-CAcreateserial", "-days", "1", "-out", name + ".crt")

    def who(self, certificate, headers=NAMED):
        """The status, and the user that the server sees."""
        context = ssl._create_unverified_context()
        if certificate:
            context.load_cert_chain(self.path(certificate + ".crt"),
                                    self.path(certificate + ".key"))
        connection = http.client.HTTPSConnection("127.0.0.1", self.tls_port, timeout=30,
                                                 context=context)
        connection.request("POST", WHO, json.dumps(REVIEW),
                           {"Content-Type": "application/json", **headers})
        reply = connection.getresponse()
        body = json.loads(reply.read())
        connection.close()
        return reply.status, body.get("status", {}).get("userInfo") if reply.status == 201 else body


def with_cluster(program, work, *options):
    cluster = Cluster(program, *options)
    try:
        cluster.start()
        work(cluster)
        assert cluster.stop() == 0
    finally:
        cluster.remove()


def the_proxy_names_the_user(program):
    def work(cluster):
        status, user = cluster.who("proxy")
        assert (status, user) == (201, {
            "username": "ann", "uid": "7", "groups": ["team", "system:authenticated"],
            "extra": {"scopes/x": ["all"]}}), (status, user)

    with_cluster(program, work, "--authorization-mode", "AlwaysAllow")


def headers_from_others_are_ignored(program):
    def work(cluster):
        status, user = cluster.who("user")
        assert status == 201 and user["username"] == "user", user
        assert "ann" not in json.dumps(user) and "team" not in json.dumps(user), user
        status, user = cluster.who("impostor")
        assert status == 201 and user["username"] == "proxy", "the other CA: " + json.dumps(user)
        assert cluster.who("other")[0] == 401, "its name is not allowed"
        assert cluster.who("proxy", {})[0] == 401, "the proxy's CA signs no users"
        assert cluster.who(None)[0] == 401
        try:
            status, user = cluster.who("stranger")
            assert status == 401, user
        except (ssl.SSLError, ConnectionError):
            pass  # the handshake refuses a certificate of an unknown CA

    with_cluster(program, work, "--authorization-mode", "AlwaysAllow")


def a_config_map_tells_aggregated_servers(program):
    def work(cluster):
        def read(name):
            with open(cluster.path(name)) as file:
                return file.read()

        def check():
            status, found = cluster.call(
                "GET", "/api/v1/namespaces/kube-system/configmaps/"
                       "extension-apiserver-authentication")
            assert status == 200 and found["data"] == {
                "client-ca-file": read("client-ca.crt"),
                "requestheader-client-ca-file": read("proxy-ca.crt"),
                "requestheader-allowed-names": '["proxy"]',
                "requestheader-username-headers": '["X-Remote-User"]',
                "requestheader-group-headers": '["X-Remote-Group"]',
                "requestheader-uid-headers": '["X-Remote-Uid"]',
                "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]'}, found
            return found["metadata"]["resourceVersion"]

        before = check()
        assert cluster.stop() == 0
        cluster.start()
        assert check() == before, "a restart changes nothing"

    with_cluster(program, work)


run_tests([
    the_proxy_names_the_user,
    headers_from_others_are_ignored,
    a_config_map_tells_aggregated_servers,
])
