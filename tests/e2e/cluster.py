# SPDX-License-Identifier: Apache-2.0
"""cluster.py -- what tests of controllers share: objects to make, and waiting for what becomes of
them."""

import json
import time

from serving import Watch

PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
PATIENCE = 60


def wait_for(server, path, holds):
    """Watches |path| until |holds| of the objects there, by name; returns them.  The Service of the
    server, and its endpoints, are left out."""
    end = time.monotonic() + PATIENCE
    _, listed = server.call("GET", path)
    objects = {item["metadata"]["name"]: item for item in listed["items"]
               if item["metadata"]["name"] != "kubernetes"}
    watch = Watch(server, f"{path}?watch=1&resourceVersion={listed['metadata']['resourceVersion']}",
                  timeout=PATIENCE)
    try:
        while not holds(objects):
            event = next(watch)
            assert time.monotonic() < end, f"{path} did not come to it: {list(objects)}"
            name = event["object"]["metadata"]["name"]
            if event["type"] == "DELETED":
                objects.pop(name, None)
            else:
                objects[name] = event["object"]
    finally:
        watch.close()
    return objects


def template(image="a", labels=None, **spec):
    return {"metadata": {"labels": labels or {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def deployment(replicas=3, image="a", **spec):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
                     "template": template(image), **spec}}


def replica_set(replicas=3, **spec):
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
                     "template": template(), **spec}}


def create(server, path, thing):
    status, made = server.call("POST", path, thing)
    assert status == 201, made
    return made


def patch(server, path, change):
    connection = server.connect()
    connection.request("PATCH", path, json.dumps(change),
                       {"Content-Type": "application/merge-patch+json"})
    reply = connection.getresponse()
    answer = json.loads(reply.read())
    connection.close()
    assert reply.status == 200, answer
    return answer


def images(pods):
    """The images of Pods, sorted."""
    return sorted(pod["spec"]["containers"][0]["image"] for pod in pods.values())
