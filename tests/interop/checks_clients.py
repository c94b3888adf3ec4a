# SPDX-License-Identifier: Apache-2.0
"""checks_clients.py -- caches of other clients, held against what the server has.

Each client is a program that says "ready", and then answers a line with what its cache holds.  The
cache must be right after changes, after a restart of the server, and after the server has forgotten
what the client last saw."""

import base64
import json
import subprocess

from bench import ALL_MAPS, MAPS, MERGE, config_map, custom
from checks_custom import WIDGETS, define
from program import wait_until

SECRETS = "/api/v1/namespaces/default/secrets"
PATIENCE_S = 90  # a client may wait half a minute before it tries again


class Cache:
    """A client under way, whose cache can be asked for."""

    def __init__(self, b, *command, env=None, seconds=PATIENCE_S):
        self.server = b.server
        self.patience_s = seconds
        self.program = b.start(*command, env=env, stdin=subprocess.PIPE)
        self.program.says("ready", seconds)

    def held(self):
        """What it holds now, by its own account."""
        before = len(self.answers())
        self.program.process.stdin.write("\n")
        self.program.process.stdin.flush()
        wait_until(lambda: len(self.answers()) > before, self.patience_s,
                   f"the client answers; it said {self.program.errors[-5:]}")
        return json.loads(self.answers()[-1])

    def answers(self):
        return [line for line in list(self.program.lines) if line.startswith("{")]

    def agrees(self, path):
        """Waits until it holds exactly what a list shows."""
        try:
            wait_until(lambda: self.held() == self.server.list(path), PATIENCE_S,
                       f"the client holds what is at {path}")
        except AssertionError as late:
            raise AssertionError(f"{late}: {different(self.held(), self.server.list(path))}; "
                                 f"{self.program.errors[-5:]}") from None


def different(held, there):
    return {key: (held.get(key), there.get(key))
            for key in held.keys() | there.keys() if held.get(key) != there.get(key)}


def churn(b, word):
    """Creates, changes and deletes config maps whose names begin with |word|."""
    for i in range(40):
        b.server.call("POST", MAPS, config_map(f"{word}-{i}", n="0"))
    for i in range(0, 40, 2):
        b.server.call("PATCH", f"{MAPS}/{word}-{i}", {"data": {"n": "1"}}, MERGE)
    for i in range(0, 40, 4):
        b.server.call("DELETE", f"{MAPS}/{word}-{i}")


def sweep(b, *words):
    for word in words:
        for key in b.server.list(MAPS):
            if key.startswith(f"default/{word}-"):
                b.server.call("DELETE", f"{MAPS}/{key.partition('/')[2]}")


def follows_config_maps(b, *command):
    """The life of a cache, as above."""
    churn(b, "before")
    cache = Cache(b, *command)
    cache.agrees(ALL_MAPS)
    churn(b, "during")
    cache.agrees(ALL_MAPS)
    b.server.restart()
    churn(b, "restarted")
    cache.agrees(ALL_MAPS)
    b.server.forget()
    churn(b, "forgotten")
    cache.agrees(ALL_MAPS)
    sweep(b, "before", "during", "restarted", "forgotten")
    cache.agrees(ALL_MAPS)


def client_go_typed_informer_follows(b):
    follows_config_maps(b, *b.builds.get("go"), "typed", "configmaps")


def client_go_dynamic_informer_follows(b):
    follows_config_maps(b, *b.builds.get("go"), "dynamic", "configmaps")


def client_go_metadata_informer_follows(b):
    follows_config_maps(b, *b.builds.get("go"), "metadata", "configmaps")


def kube_rs_reflector_follows_from_a_list(b):
    follows_config_maps(b, *b.builds.get("rust"), "list")


def kube_rs_reflector_follows_from_initial_events(b):
    follows_config_maps(b, *b.builds.get("rust"), "stream")


def client_node_informer_follows(b):
    follows_config_maps(b, *b.builds.get("node"))


def python_client_watch_follows(b):
    follows_config_maps(b, *b.builds.get("python"))


def client_go_informers_follow_custom_resources(b):
    go = b.builds.get("go")
    define(b.server, "widgets", "Widget", "wg")
    b.server.call("POST", WIDGETS, custom("Widget", "gear", 1))
    caches = [Cache(b, *go, mode, "widgets.v1.example.com") for mode in ("dynamic", "metadata")]
    b.server.call("POST", WIDGETS, custom("Widget", "wheel", 2))
    b.server.call("PATCH", WIDGETS + "/gear", {"spec": {"size": 3}}, MERGE)
    for cache in caches:
        cache.agrees(WIDGETS)
    b.server.restart()
    b.server.call("DELETE", WIDGETS + "/gear")
    for cache in caches:
        cache.agrees(WIDGETS)


def copies(b):
    """The data of the Secrets that the controller has made, by name."""
    found = {}
    for item in b.server.call("GET", SECRETS)["items"]:
        owners = item["metadata"].get("ownerReferences", [])
        if any(owner["kind"] == "ConfigMap" and owner["controller"] for owner in owners):
            found[item["metadata"]["name"]] = {
                key: base64.b64decode(text).decode() for key, text in item.get("data", {}).items()}
    return found


def controller_runtime_reconciles(b):
    """A manager with leader election; its reconciler makes a Secret of each ConfigMap."""
    manager = Cache(b, *b.builds.get("go"), "manager")
    wanted = {}

    def source(number, text):
        wanted[f"source-{number}"] = {"text": text}
        return config_map(f"source-{number}", labels={"copy": "wanted"}, text=text)

    def is_reconciled():
        wait_until(lambda: copies(b) == wanted, PATIENCE_S,
                   f"every source has its copy; {manager.program.errors[-3:]}")
        manager.agrees(SECRETS)

    for i in range(10):
        b.server.call("POST", MAPS, source(i, "first"))
    is_reconciled()
    b.server.call("PUT", f"{MAPS}/source-1", source(1, "second"))
    b.server.call("DELETE", f"{SECRETS}/source-2")
    is_reconciled()
    b.server.restart()
    b.server.call("PUT", f"{MAPS}/source-3", source(3, "after the restart"))
    is_reconciled()
    lease = b.server.call("GET", "/apis/coordination.k8s.io/v1/namespaces/default/leases/copier")
    assert lease["spec"]["holderIdentity"], lease
    assert manager.program.ends() == 0, manager.program.errors[-5:]
    for name in wanted:
        b.server.call("DELETE", f"{MAPS}/{name}")
        b.server.request("DELETE", f"{SECRETS}/{name}")


CHECKS = [
    client_go_typed_informer_follows,
    client_go_dynamic_informer_follows,
    client_go_metadata_informer_follows,
    client_go_informers_follow_custom_resources,
    controller_runtime_reconciles,
    python_client_watch_follows,
    client_node_informer_follows,
    kube_rs_reflector_follows_from_a_list,
    kube_rs_reflector_follows_from_initial_events,
]

# The server is the same on an etcd, but for where revisions come from and how the past is forgotten.
ETCD_CHECKS = [
    client_go_typed_informer_follows,
    client_go_dynamic_informer_follows,
    client_go_metadata_informer_follows,
    controller_runtime_reconciles,
    python_client_watch_follows,
    client_node_informer_follows,
    kube_rs_reflector_follows_from_a_list,
    kube_rs_reflector_follows_from_initial_events,
]
