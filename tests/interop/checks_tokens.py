# SPDX-License-Identifier: Apache-2.0
"""checks_tokens.py -- tokens that rotate under an informer: the old one is refused, it goes on."""

import json
import os

from bench import ALL_MAPS, MAPS, config_map
from program import wait_until

ROBOT = "/api/v1/namespaces/default/serviceaccounts/robot"
SECRETS = "/api/v1/namespaces/default/secrets"


def write_token(file, token):
    """In one step, as the kubelet does."""
    new = file.with_suffix(".new")
    new.write_text(token)
    os.replace(new, file)


def watch_by_token_file(b, name, token):
    """An informer that knows its token from a file; both.  It has begun: there is something to
    agree about."""
    b.apply(config_map("before-" + name))
    file = b.server.folder / name
    write_token(file, token)
    watch = b.watch("configmaps", "-A", env=b.env_with(name + ".json", tokenFile=str(file)))
    b.agrees(watch, ALL_MAPS)
    return watch, file


def hears(b, watch, name):
    b.server.call("POST", MAPS, config_map(name))
    watch.says(f"ADDED default/{name} ", 120)
    b.agrees(watch, ALL_MAPS)
    watch.stats()


def a_rotated_token_is_read_again(b):
    old = b.server.token
    watch, file = watch_by_token_file(b, "rotating", old)
    b.use_token("admin-token-2")
    b.server.write_tokens()
    write_token(file, b.server.token)
    b.server.restart()  # kube-apiserver reads its tokens at the start only
    said = b.listwatch("get", "cm", env=b.env_with("stale.json", token=old), code=1)
    assert "nauthorized" in said, said
    hears(b, watch, "after-rotation")


def a_token_that_comes_after_the_server_changed(b):
    watch, file = watch_by_token_file(b, "late", b.server.token)
    b.use_token("admin-token-3")
    b.server.write_tokens()
    b.server.restart()
    wait_until(lambda: any("nauthorized" in line for line in watch.errors), 60,
               "it says that it is not authorized")
    write_token(file, b.server.token)
    hears(b, watch, "after-late-token")


def robot_token(b, secret):
    """A token of a service account, good while |secret| exists."""
    b.server.call("POST", SECRETS, {"apiVersion": "v1", "kind": "Secret",
                                    "metadata": {"name": secret}})
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {
        "expirationSeconds": 3600,
        "boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": secret}}}
    return b.server.call("POST", ROBOT + "/token", asked)["status"]["token"]


def a_token_of_a_service_account_is_withdrawn(b):
    b.apply({"apiVersion": "v1", "kind": "ServiceAccount",
             "metadata": {"name": "robot", "namespace": "default"}},
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
             "metadata": {"name": "robot"},
             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                         "name": "cluster-admin"},
             "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": "default"}]})
    first, second = robot_token(b, "hold-1"), robot_token(b, "hold-2")
    wait_until(lambda: b.server.request("GET", MAPS, token=first)[0] == 200, 30, "the robot may")
    watch, file = watch_by_token_file(b, "robot", first)
    write_token(file, second)
    b.server.call("DELETE", SECRETS + "/hold-1")
    wait_until(lambda: b.server.request("GET", MAPS, token=first)[0] == 401, 60,
               "the first token is refused")
    b.server.restart()  # an open stream is not asked again who it is
    status, text = b.server.request("GET", MAPS, token=first)
    assert status == 401, (status, json.loads(text))
    hears(b, watch, "after-withdrawal")


CHECKS = [
    a_rotated_token_is_read_again,
    a_token_that_comes_after_the_server_changed,
    a_token_of_a_service_account_is_withdrawn,
]
