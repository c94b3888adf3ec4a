#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""etcd_tls_test.py -- `listwatch serve` on an etcd that asks who comes: certificates, passwords.

    etcd_tls_test.py PROGRAM"""

import shutil
import subprocess

from etcd import Cluster, etcd_is_missing
from serving import CONFIGMAPS, Follower, Server, config_map, run_tests

REFUSED_S = 60  # a server that cannot work has said so by then


def on_a_guarded_etcd(test):
    def run(program):
        missing = etcd_is_missing() or (None if shutil.which("openssl") else "no openssl")
        if missing:
            return missing
        with Cluster(tls=True) as etcd:
            test(program, etcd)
        return None
    run.__name__ = test.__name__
    return run


def options(etcd, name="caller", authority=None):
    keys = etcd.keys
    return ["--etcd", etcd.endpoints(), "--etcd-ca", authority or keys.path("ca.pem"),
            "--etcd-cert", keys.path(name + ".pem"), "--etcd-key", keys.path(name + ".key")]


def refusal(program, more):
    """What a server says that does not start."""
    server = Server(program, options=more)
    done = subprocess.run(server.command + ["--listen", "127.0.0.1:0"], capture_output=True,
                          text=True, timeout=REFUSED_S, env=server.env)
    server.remove()
    assert done.returncode == 1, (done.returncode, done.stderr)
    return done.stderr


@on_a_guarded_etcd
def a_server_with_a_certificate_keeps_its_objects_there(program, etcd):
    server = Server(program, options=options(etcd))
    try:
        server.start()
        assert server.call("POST", CONFIGMAPS, config_map("kept", a="1"))[0] == 201
        assert "/registry/configmaps/default/kept" in etcd.read("/registry/configmaps/")
        server.kill()
        server.start()
        assert server.call("GET", CONFIGMAPS + "/kept")[1]["data"] == {"a": "1"}
    finally:
        server.remove()


@on_a_guarded_etcd
def a_server_without_a_certificate_says_so(program, etcd):
    said = refusal(program, options(etcd)[:4])
    assert "etcd" in said and "certificate" in said, said


@on_a_guarded_etcd
def an_etcd_that_another_authority_has_signed_is_not_believed(program, etcd):
    etcd.keys.make("other", "-x509", "-subj", "/CN=other")
    said = refusal(program, options(etcd, authority=etcd.keys.path("other.pem")))
    assert "certificate" in said, said


@on_a_guarded_etcd
def a_password_is_asked_for_once_etcd_wants_one(program, etcd):
    password = etcd.keys.path("password")
    with open(password, "w") as file:
        file.write("secret\n")
    etcd.call("/v3/auth/user/add", name="root", password="secret")
    etcd.call("/v3/auth/role/add", name="root")
    etcd.call("/v3/auth/user/grant", user="root", role="root")
    etcd.call("/v3/auth/enable")
    named = options(etcd) + ["--etcd-user", "root", "--etcd-password-file", password]
    server = Server(program, options=named)
    try:
        server.start()
        assert server.call("POST", CONFIGMAPS, config_map("kept", a="1"))[0] == 201
    finally:
        server.remove()
    with open(password, "w") as file:
        file.write("wrong\n")
    said = refusal(program, named)
    assert "password" in said or "authentication failed" in said, said


@on_a_guarded_etcd
def an_informer_follows_keys_by_tls(program, etcd):
    etcd.put("/app/web", "1")
    run = Follower([program, "watch", *options(etcd), "--prefix", "/app/"])
    try:
        run.await_line("ADDED web")
        etcd.put("/app/web", "2")
        run.await_line("MODIFIED web")
    finally:
        run.kill()


run_tests([a_server_with_a_certificate_keeps_its_objects_there,
           a_server_without_a_certificate_says_so,
           an_etcd_that_another_authority_has_signed_is_not_believed,
           a_password_is_asked_for_once_etcd_wants_one, an_informer_follows_keys_by_tls])
