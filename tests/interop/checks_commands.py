# SPDX-License-Identifier: Apache-2.0
"""checks_commands.py -- get, apply, delete and the ways to say who one is."""

import json

from bench import MAPS, config_map, namespace


PUBLISHED = "kube-root-ca.crt"  # in each namespace, where a controller publishes it


def get_apply_and_delete_of_config_maps(b):
    b.apply(config_map("first", k="1"), config_map("second", k="2"))
    names = b.listwatch("get", "configmaps", "-o", "name").split()
    assert [name for name in names if not name.endswith(PUBLISHED)] == \
        ["configmap/first", "configmap/second"], names
    b.apply(config_map("first", j="added"))
    got = b.server.call("GET", MAPS + "/first")
    assert got["data"] == {"j": "added"}, got  # what left the file is removed
    shown = json.loads(b.listwatch("get", "cm/first", "-o", "json"))
    assert shown["metadata"]["uid"] == got["metadata"]["uid"], shown
    b.listwatch("delete", "configmaps", "first", "second")
    assert not set(b.server.list(MAPS)) - {f"default/{PUBLISHED}"}, b.server.list(MAPS)
    assert "not found" in b.listwatch("get", "configmap", "first", code=1)


def get_apply_and_delete_of_namespaces(b):
    watch = b.watch("namespaces")
    watch.says("ADDED default ")
    b.apply(namespace("made", tier="one"))
    watch.says("ADDED made ")
    assert b.listwatch("get", "ns", "-l", "tier=one", "-o", "name").strip() == "namespace/made"
    b.listwatch("delete", "namespace", "made")
    watch.says("MODIFIED made ")
    if b.server.purges_namespaces:
        watch.says("DELETED made ")
    else:
        got = json.loads(b.listwatch("get", "namespace", "made", "-o", "json"))
        assert got["status"]["phase"] == "Terminating", got
    b.agrees(watch, "/api/v1/namespaces")
    watch.stats()


def a_table_of_the_nodes_and_services_there_are(b):
    b.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}},
            {"apiVersion": "v1", "kind": "Service",
             "metadata": {"name": "shown", "namespace": "default"}, "spec": {"ports": [{"port": 80}]}})
    assert "node-1" in b.listwatch("get", "nodes")
    table = b.listwatch("get", "services", "-A")
    assert "default     shown" in table and "CLUSTER-IP" in table, table
    b.listwatch("delete", "service", "shown")
    b.listwatch("delete", "node", "node-1")


def an_unknown_user_is_told_so(b):
    said = b.listwatch("get", "configmaps", env=b.env_with("unknown.json", token="wrong"), code=1)
    assert "nauthorized" in said, said


def a_user_who_may_not_is_told_so(b):
    nobody = b.env_with("nobody.json", token="nobody-token")
    said = b.listwatch("get", "configmaps", env=nobody, code=1)
    assert "forbidden" in said and "nobody" in said, said


def a_client_certificate_is_believed(b):
    env = b.env_with("certificate.json", **{"client-certificate": b.server.path("client.crt"),
                                            "client-key": b.server.path("client.key")})
    assert "namespace/default" in b.listwatch("get", "ns", "-o", "name", env=env)


CHECKS = [
    get_apply_and_delete_of_config_maps,
    get_apply_and_delete_of_namespaces,
    a_table_of_the_nodes_and_services_there_are,
    an_unknown_user_is_told_so,
    a_user_who_may_not_is_told_so,
    a_client_certificate_is_believed,
]
