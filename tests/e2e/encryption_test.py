#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""encryption_test.py -- secrets are encrypted in the data file and in etcd.
usage: encryption_test.py LISTWATCH"""

import base64
import os
import re
import subprocess

from etcd import Cluster, etcd_is_missing
from serving import Server, Watch, revision, run_tests

SECRETS = "/api/v1/namespaces/default/secrets"
PASSWORD = "open-sesame-and-close-again"
PASSWORD64 = base64.b64encode(PASSWORD.encode())


def key(provider, name, byte):
    secret = base64.b64encode(bytes([byte]) * 32).decode()
    return f"  - {provider}: {{keys: [{{name: {name}, secret: {secret}}}]}}\n"


OLD = key("aescbc", "old", 1)
NEW = key("secretbox", "new", 2)
WRONG = key("aescbc", "old", 3)
IDENTITY = "  - identity: {}\n"


class EncryptedServer(Server):
    def __init__(self, program, options=()):
        super().__init__(program, options=list(options))
        self.file = self.folder + "/encryption.yaml"
        self.plain = list(self.command)
        self.etcd = None
        self.resources = "secrets"

    def start_with(self, *providers):
        """With these providers for secrets; with none of them without a configuration."""
        self.command = list(self.plain)
        if providers:
            with open(self.file, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
                f.write("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n"
                        f"resources:\n- resources: [{self.resources}]\n  providers:\n"
                        + "".join(providers))
            self.command += ["--encryption-provider-config", self.file]
        return self.start()

    def does_not_start_with(self, *providers):
        """Why, the last line of its log."""
        try:
            self.start_with(*providers)
        except RuntimeError:
            self.process.wait()
            self.process.stdout.close()
            self.log.close()
            return open(self.folder + "/server.log").read().splitlines()[-1]
        raise AssertionError("it has started")

    def stored(self):
        """All bytes that it keeps."""
        if self.etcd:
            return b"\n".join(value for _, value in self.etcd.read("/registry/").values())
        found = b""
        for folder, _, files in os.walk(self.folder + "/data/store"):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    found += file.read()
        assert found
        return found


def make_secret(server, name):
    body = {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": name},
            "stringData": {"password": PASSWORD}}
    status, made = server.call("POST", SECRETS, body)
    assert status == 201, made
    return made


def password_of(server, name):
    status, secret = server.call("GET", f"{SECRETS}/{name}")
    assert status == 200, secret
    return base64.b64decode(secret["data"]["password"]).decode()


def stale_secrets(server):
    connection = server.connect()
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return int(re.search(r'^listwatch_resource_stale_objects\{.*resource="secrets"\} (\d+)$', text,
                         re.MULTILINE)[1])


def on_both_stores(test):
    """Runs |test| with a data file and with etcd."""
    def run(program):
        server = EncryptedServer(program)
        try:
            test(server)
        finally:
            server.remove()
        if etcd_is_missing():
            return None
        with Cluster() as cluster:
            server = EncryptedServer(program, ["--etcd", cluster.url()])
            server.etcd = cluster
            try:
                test(server)
            finally:
                server.remove()
        return None
    run.__name__ = test.__name__
    return run


@on_both_stores
def a_secret_is_not_readable_where_it_is_stored(server):
    server.start_with(OLD, IDENTITY)
    make_secret(server, "a")
    assert PASSWORD64 not in server.stored()
    assert b"k8s:enc:aescbc:v1:old:" in server.stored()
    assert password_of(server, "a") == PASSWORD
    server.stop()
    server.start()
    assert password_of(server, "a") == PASSWORD
    server.stop()


@on_both_stores
def a_key_is_rotated(server):
    server.start_with(OLD)
    made = make_secret(server, "a")
    server.stop()

    # The new key writes, the old one still reads.
    server.start_with(NEW, OLD)
    assert password_of(server, "a") == PASSWORD
    _, seen = server.call("GET", f"{SECRETS}/a")
    assert revision(seen) == revision(made)
    assert stale_secrets(server) == 1
    # An update that changes nothing rewrites it, once.
    _, rewritten = server.call("PUT", f"{SECRETS}/a", seen)
    assert revision(rewritten) > revision(made), rewritten
    _, again = server.call("PUT", f"{SECRETS}/a", rewritten)
    assert revision(again) == revision(rewritten), again
    assert stale_secrets(server) == 0
    assert b"k8s:enc:secretbox:v1:new:" in server.stored()
    server.stop()

    # The old key is not needed, not even for the history: what is older than the start is gone.
    server.start_with(NEW)
    assert password_of(server, "a") == PASSWORD
    _, listed = server.call("GET", SECRETS)
    make_secret(server, "b")
    watch = Watch(server, f"{SECRETS}?watch=1&resourceVersion={revision(listed)}")
    assert next(watch)["object"]["metadata"]["name"] == "b"
    watch.close()
    server.stop()


@on_both_stores
def encryption_is_turned_on_and_off(server):
    server.start_with()
    make_secret(server, "a")
    assert PASSWORD64 in server.stored()
    server.stop()

    server.start_with(OLD, IDENTITY)
    _, seen = server.call("GET", f"{SECRETS}/a")
    _, rewritten = server.call("PUT", f"{SECRETS}/a", seen)
    assert revision(rewritten) > revision(seen)
    server.stop()

    server.start_with(IDENTITY, OLD)
    assert password_of(server, "a") == PASSWORD
    _, plain = server.call("PUT", f"{SECRETS}/a", rewritten)
    assert revision(plain) > revision(rewritten)
    server.stop()

    server.start_with()
    assert password_of(server, "a") == PASSWORD
    server.stop()


@on_both_stores
def a_server_without_the_key_does_not_start(server):
    server.start_with(OLD)
    make_secret(server, "a")
    server.stop()
    why = server.does_not_start_with(NEW)
    assert "/registry/secrets/default/a" in why and "k8s:enc:aescbc:v1:old:" in why, why
    why = server.does_not_start_with(WRONG)
    assert "/registry/secrets/default/a" in why and "k8s:enc:aescbc:v1:old:" in why, why
    why = server.does_not_start_with()
    assert "/registry/secrets/default/a" in why and "--encryption-provider-config" in why, why
    server.start_with(OLD)
    assert password_of(server, "a") == PASSWORD
    server.stop()


def custom_resources_are_encrypted_too(program):
    kept = "/apis/example.com/v1/namespaces/default/widgets"
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
                 "names": {"plural": "widgets", "kind": "Widget"},
                 "versions": [{"name": "v1", "served": True, "storage": True,
                               "schema": {"openAPIV3Schema": {
                                   "type": "object",
                                   "x-kubernetes-preserve-unknown-fields": True}}}]}}
    server = EncryptedServer(program)
    server.resources = "widgets.example.com"
    try:
        server.start_with(OLD)
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        assert server.call("POST", path, definition)[0] == 201
        widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"},
                  "spec": {"text": PASSWORD}}
        assert server.call("POST", kept, widget)[0] == 201
        assert PASSWORD.encode() not in server.stored()
        server.stop()
        why = server.does_not_start_with(NEW)
        assert "/registry/example.com/widgets/default/a" in why, why
        server.start_with(NEW, OLD)
        assert server.call("GET", f"{kept}/a")[1]["spec"]["text"] == PASSWORD
        server.stop()
    finally:
        server.remove()


def two_servers_rotate_their_key_one_after_the_other(program):
    """What one writes with a key that the other does not have, the other does not show."""
    if etcd_is_missing():
        return etcd_is_missing()
    with Cluster() as cluster:
        one, two = (EncryptedServer(program, ["--etcd", cluster.url()]) for _ in range(2))
        try:
            one.start_with(OLD)
            two.start_with(OLD)
            make_secret(one, "a")
            assert password_of(two, "a") == PASSWORD
            one.stop()
            one.start_with(NEW, OLD)
            make_secret(one, "b")
            status, answer = two.call("GET", f"{SECRETS}/b")
            assert status in (500, 503), (status, answer)
            assert "k8s:enc" not in str(answer.get("data")), answer
            assert two.call("GET", "/api/v1/namespaces/default/configmaps")[0] == 200
            two.stop()
            two.start_with(NEW, OLD)
            assert password_of(two, "b") == PASSWORD
        finally:
            one.remove()
            two.remove()
    return None


def a_file_that_others_can_read_is_refused(program):
    server = EncryptedServer(program)
    try:
        server.start_with(OLD)
        server.stop()
        os.chmod(server.file, 0o644)
        done = subprocess.run(server.command + ["--listen", "127.0.0.1:0"], capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 1 and "chmod 600" in done.stderr, done
    finally:
        server.remove()


run_tests([
    a_secret_is_not_readable_where_it_is_stored,
    a_key_is_rotated,
    encryption_is_turned_on_and_off,
    a_server_without_the_key_does_not_start,
    custom_resources_are_encrypted_too,
    two_servers_rotate_their_key_one_after_the_other,
    a_file_that_others_can_read_is_refused,
])
