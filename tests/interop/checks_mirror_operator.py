# SPDX-License-Identifier: Apache-2.0
"""checks_mirror_operator.py -- an operator on controller-runtime that caches all Pods: its memory
through a pruned view of a mirror beside its memory at the server.  The same program; only the
server's address in its kubeconfig differs.

$OPERATOR_PODS is how many Pods there are; 1000 without it."""

import http.client
import json
import os
import ssl
import subprocess

from checks_clients import Cache
from checks_mirror import Mirror
from program import note, wait_until

NAMESPACE = "operator"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
VIEW = "views: {placement: {pods: [/spec/nodeName]}}\n"
# How many times less.  A Pod of Go's own type takes 1.2 KB with nothing in it; this is what is left.
AT_LEAST = {"unstructured": 10, "typed": 4}


class Creator:
    """Requests on one connection."""

    def __init__(self, server):
        trust = ssl.create_default_context(cafile=server.path("ca.crt"))
        self.server = server
        self.connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=60,
                                                      context=trust)

    def call(self, method, path, body=None, allowed=0):
        self.connection.request(method, path, json.dumps(body).encode() if body else None,
                                {"Authorization": "Bearer " + self.server.token,
                                 "Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status < 300 or reply.status == allowed, (method, path, reply.status, text)
        return json.loads(text)


def sample_pods(b, count):
    """As nodes report them; pod-list-gen makes them, |count| or fewer at a time."""
    made = 0
    while made < count:
        part = min(count - made, 5000)
        text = subprocess.run([b.build / "tests" / "bench" / "pod-list-gen", "--pods", str(part),
                               "--seed", str(made + 1), "--managed-fields=0"], check=True,
                              stdout=subprocess.PIPE).stdout
        for item in json.loads(text)["items"]:
            item["metadata"] = {"name": f"pod-{made}", "namespace": NAMESPACE,
                                "labels": item["metadata"].get("labels", {}),
                                "annotations": item["metadata"].get("annotations", {})}
            made += 1
            yield dict(item, apiVersion="v1", kind="Pod")


def create_account(creator, name):
    """Unless a controller has done so."""
    creator.call("POST", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts",
                 {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}},
                 allowed=409)


def create_pods(b, count):
    creator = Creator(b.server)
    creator.call("POST", "/api/v1/namespaces",
                 {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    size, accounts = 0, set()
    for pod in sample_pods(b, count):
        account = pod["spec"].get("serviceAccountName", "default")
        if account not in accounts:
            create_account(creator, account)
            accounts.add(account)
        made = creator.call("POST", PODS, pod)
        pod["status"]["qosClass"] = made["status"]["qosClass"]  # the server's, which stays
        path = f"{PODS}/{pod['metadata']['name']}/status"
        kept = creator.call("PUT", path, pod)
        size += len(json.dumps(kept, separators=(",", ":")))
    note(f"{count} pods of {size // count} bytes on average, as JSON")


def delete_pods(b, count):
    creator = Creator(b.server)
    for i in range(count):
        creator.call("DELETE", f"{PODS}/pod-{i}?gracePeriodSeconds=0")
    creator.call("DELETE", f"/api/v1/namespaces/{NAMESPACE}")


def start_operator(b, mode, address):
    """With |address| as its server."""
    name = b.server.kubeconfig("operator.json", token=b.server.token)
    with open(name) as file:
        config = json.load(file)
    config["clusters"][0]["cluster"]["server"] = address
    with open(name, "w") as file:
        json.dump(config, file)
    return Cache(b, *b.builds.get("go"), "operator", mode, env=dict(os.environ, KUBECONFIG=name),
                 seconds=300)


def memory(b, mode, address, count):
    """What the operator says when it has reconciled all Pods, |count| of them."""
    cache = start_operator(b, mode, address)
    seen = {}

    def is_done():
        seen.update(cache.held())
        return seen["heap"] and seen["pods"] >= count and seen["placed"] == count

    try:
        wait_until(is_done, 300, f"{count} pods are reconciled")
    except AssertionError as late:
        raise AssertionError(f"{late}: {seen}") from None
    seen.update(cache.held())  # once more: nothing of the work is left
    cache.program.ends()
    return seen


def compare(mode, count, empty, whole, pruned):
    heap = [(one["heap"] - empty["heap"]) / count for one in (whole, pruned)]
    for name, one in (("no pods", empty), ("directly", whole), ("through the view", pruned)):
        note(f"{mode}, {count} pods, {name}: heap {one['heap'] / 1e6:.1f} MB, resident "
             f"{one['rss'] / 1e6:.1f} MB")
    note(f"{mode}, cache per pod: directly {heap[0]:.0f} bytes, through the view {heap[1]:.0f} "
         f"bytes: {heap[0] / heap[1]:.1f} times less")
    assert heap[0] >= AT_LEAST[mode] * heap[1], heap


def an_operator_takes_a_tenth_of_the_memory_through_a_pruned_view(b):
    count = int(os.environ.get("OPERATOR_PODS", "1000"))
    b.builds.get("go")
    views = b.server.folder / "views.yaml"
    views.write_text(VIEW)
    direct = f"https://127.0.0.1:{b.server.port}"
    others = len(b.server.call("GET", "/api/v1/pods")["items"])  # of checks before this one
    empty = {mode: memory(b, mode, direct, others) for mode in AT_LEAST}
    create_pods(b, count)
    mirror = Mirror(str(b.build / "listwatch"), b.server, "--resources", "pods",
                    "--views", str(views))
    try:
        view = f"https://127.0.0.1:{mirror.port}/mirror/placement"
        pruned = {mode: memory(b, mode, view, others + count) for mode in AT_LEAST}
        whole = {mode: memory(b, mode, direct, others + count) for mode in AT_LEAST}
    finally:
        mirror.stop()
        delete_pods(b, count)
    for mode in AT_LEAST:
        compare(mode, count, empty[mode], whole[mode], pruned[mode])


CHECKS = [an_operator_takes_a_tenth_of_the_memory_through_a_pruned_view]
