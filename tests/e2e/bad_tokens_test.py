#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bad_tokens_test.py -- tokens that must not be accepted: each gets the 401 of kube-apiserver, which
does not say why; the log does.
usage: bad_tokens_test.py LISTWATCH"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import ssl
import subprocess
import time

from serving import Server, run_tests

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
PODS = "/api/v1/namespaces/default/pods"
UNAUTHORIZED = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "Unauthorized", "reason": "Unauthorized", "code": 401}
HOUR = 3600


def encoded(data):
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Issuer(Server):
    """A server whose signing key is known here."""

    def __init__(self, program):
        super().__init__(program, memory=True)
        self.key = self.make_key("own", 2048)
        self.command += ["--service-account-signing-key-file", self.key, "--verbose"]

    def make_key(self, name, bits):
        path = os.path.join(self.folder, name + ".key")
        subprocess.run(["openssl", "genrsa", "-out", path, str(bits)], check=True,
                       stderr=subprocess.DEVNULL)
        return path

    def signed(self, header, claims, key=None, digest="-sha256"):
        text = encoded(header) + "." + encoded(claims)
        made = subprocess.run(["openssl", "dgst", digest, "-sign", key or self.key],
                              input=text.encode(), capture_output=True, check=True)
        return text + "." + encoded(made.stdout)

    def public_key(self):
        return subprocess.run(["openssl", "rsa", "-in", self.key, "-pubout"], check=True,
                              capture_output=True).stdout

    def new_token(self, account, **spec):
        self.call("POST", ACCOUNTS, {"metadata": {"name": account}})
        status, made = self.call("POST", f"{ACCOUNTS}/{account}/token", {"spec": spec})
        assert status == 201, made
        return made["status"]["token"]

    def ask(self, token):
        """Status and body of a request with |token|."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.tls_port, timeout=30,
                                                 context=ssl._create_unverified_context())
        connection.request("GET", PODS, headers={"Authorization": "Bearer " + token})
        reply = connection.getresponse()
        body = reply.read().decode()
        connection.close()
        return reply.status, body

    def log_size(self):
        return os.path.getsize(self.folder + "/server.log")

    def refuses(self, token, why):
        """|token| is refused without a reason; the log has |why|, if it is not empty."""
        before = self.log_size()
        status, body = self.ask(token)
        assert status == 401, (status, body)
        assert json.loads(body) == UNAUTHORIZED, body
        with open(self.folder + "/server.log") as log:
            log.seek(before)
            said = log.read()
        assert why in said, f"the log does not say \"{why}\": {said}"
        assert not token or len(token) < 8 or token not in said, "the log has the token"


def run(program, work):
    server = Issuer(program).start()
    try:
        token = server.new_token("robot")
        header, claims = (decoded(part) for part in token.split(".")[:2])
        assert server.ask(server.signed(header, claims))[0] == 403, "the test cannot sign"
        work(server, header, claims)
    finally:
        server.remove()


def expired_and_future_tokens_are_refused(program):
    def work(server, header, claims):
        now = int(time.time())
        old = {**claims, "iat": now - 2 * HOUR, "nbf": now - 2 * HOUR, "exp": now - HOUR}
        server.refuses(server.signed(header, old), "has expired")
        server.refuses(server.signed(header, {**claims, "nbf": now + HOUR}), "not valid yet")
        server.refuses(server.signed(header, {k: v for k, v in claims.items() if k != "exp"}),
                       "no expiration time")
    run(program, work)


def tokens_for_others_are_refused(program):
    def work(server, header, claims):
        server.refuses(server.signed(header, {**claims, "aud": ["vault"]}), "audience")
        server.refuses(server.signed(header, {**claims, "iss": "https://other.example"}), "")
        server.refuses(server.new_token("reader", audiences=["vault"]), "audience")
    run(program, work)


def tokens_end_with_their_account_and_pod(program):
    def work(server, header, claims):
        gone = server.new_token("gone")
        server.call("POST", PODS, {"metadata": {"name": "p"}, "spec": {
            "serviceAccountName": "robot", "containers": [{"name": "c", "image": "i"}]}})
        bound = server.new_token("robot", boundObjectRef={"kind": "Pod", "apiVersion": "v1",
                                                          "name": "p"})
        assert server.ask(bound)[0] == server.ask(gone)[0] == 403
        server.call("DELETE", PODS + "/p", {"gracePeriodSeconds": 0})
        server.refuses(bound, "its Pod does not exist")
        server.call("DELETE", ACCOUNTS + "/gone")
        server.refuses(gone, "its ServiceAccount does not exist")
        server.new_token("gone")
        server.refuses(gone, "its ServiceAccount has been deleted and created again")
    run(program, work)


def signatures_by_others_are_refused(program):
    def work(server, header, claims):
        for bits in (1024, 2048, 4096):
            key = server.make_key(f"other-{bits}", bits)
            server.refuses(server.signed(header, claims, key), "not signed by a key of this server")
        server.refuses(server.signed({**header, "alg": "RS512"}, claims), "not signed by a key of this server")
        good = server.signed(header, claims)
        text, _, signature = good.rpartition(".")
        changed = {**claims, "sub": "system:serviceaccount:kube-system:default"}
        server.refuses(f"{encoded(header)}.{encoded(changed)}.{signature}", "not signed by a key of this server")
        server.refuses(text + "." + signature[:-8], "")
        server.refuses(text + ".", "")
        server.refuses(server.signed({**header, "kid": "nobody"}, claims,
                                     server.make_key("nobody", 2048)), "not signed by a key of this server")
    run(program, work)


def tokens_without_a_signature_are_refused(program):
    def work(server, header, claims):
        for name in ("none", "None", "NONE", ""):
            unsigned = f"{encoded({**header, 'alg': name})}.{encoded(claims)}."
            server.refuses(unsigned, "")
            server.refuses(unsigned + encoded(b"x"), "")
        # The public key is no secret: it must not become one.
        text = f"{encoded({**header, 'alg': 'HS256'})}.{encoded(claims)}"
        for secret in (server.public_key(), server.public_key().strip(), b""):
            made = hmac.new(secret, text.encode(), hashlib.sha256).digest()
            server.refuses(text + "." + encoded(made), "")
    run(program, work)


def garbage_is_refused(program):
    def work(server, header, claims):
        for token in ("x", "a.b.c", "...", "..", ".", "a.b.c.d", "=.=.=", "~", "e30.e30.e30",
                      encoded({**header, "crit": ["exp"]}) + "." + encoded(claims) + ".AA",
                      encoded([]) + "." + encoded([]) + ".AA", "A" * 8000,
                      encoded(b"[" * 3000) + "." + encoded(b"{" * 3000) + ".AA",
                      encoded(header) + "." + encoded({**claims, "exp": "soon"}) + ".AA",
                      encoded(header) + "." + encoded({**claims, "kubernetes.io": 5}) + ".AA"):
            server.refuses(token, "")
        for odd in ({"exp": 1e300}, {"exp": -1}, {"nbf": "x"}, {"kubernetes.io": {}},
                    {"kubernetes.io": []}, {"sub": 5}, {"aud": {}}, {"aud": [5]}):
            server.refuses(server.signed(header, {**claims, **odd}), "")
    run(program, work)


run_tests([
    expired_and_future_tokens_are_refused,
    tokens_for_others_are_refused,
    tokens_end_with_their_account_and_pod,
    signatures_by_others_are_refused,
    tokens_without_a_signature_are_refused,
    garbage_is_refused,
])
