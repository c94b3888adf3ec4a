# SPDX-License-Identifier: Apache-2.0
"""checks_control.py -- `listwatch control` is the controller manager, the scheduler and the nodes of
a real API server.  What an owner leaves behind is the server's business, so it is cleaned up here."""

import json
import signal

from bench import MERGE
from program import wait_until

DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
PODS = "/api/v1/namespaces/default/pods"
JOB = "/apis/batch/v1/namespaces/default/jobs/work"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/listwatch-control"


def deployment(image):
    labels = {"app": "controlled"}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"replicas": 4, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [{"name": "c", "image": image}]}}}}


def control(b, *words):
    # kube-apiserver has no roles for controllers that use PATCH.
    return b.start(b.build / "listwatch", "control", "--steps", "--no-impersonation", *words)


def read(b, path):
    return json.loads(b.server.request("GET", path)[1])


def is_rolled_out(b, replicas):
    thing = read(b, DEPLOYMENT)
    status = thing.get("status", {})
    return (status.get("observedGeneration") == thing["metadata"]["generation"]
            and all(status.get(field, 0) == replicas for field in
                    ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")))


def owned(b, path, kind):
    """Those of |path| that an object of |kind| owns and that are not on their way out."""
    return [item for item in read(b, path)["items"] if "deletionTimestamp" not in item["metadata"]
            and any(o["kind"] == kind for o in item["metadata"].get("ownerReferences", []))]


def clean_up(b):
    for path in (DEPLOYMENT, JOB):
        b.server.request("DELETE", path)
    for path, kind in ((SETS, "Deployment"), (PODS, "ReplicaSet"), (PODS, "Job")):
        for item in owned(b, path, kind):
            b.server.request("DELETE", f"{path}/{item['metadata']['name']}",
                             {"gracePeriodSeconds": 0})


def controllers_roll_a_deployment_out_and_on(b):
    run = control(b, "--nodes", "3")
    b.apply(deployment("one"))
    wait_until(lambda: is_rolled_out(b, 4), 60, "the first template runs")
    b.server.call("PATCH", DEPLOYMENT, deployment("two"), MERGE)
    wait_until(lambda: is_rolled_out(b, 4), 60, "the second template runs")
    pods = owned(b, PODS, "ReplicaSet")
    assert [p["spec"]["containers"][0]["image"] for p in pods] == ["two"] * 4, pods
    assert len({p["spec"]["nodeName"] for p in pods}) == 3, "they are on three nodes"
    b.server.call("PATCH", DEPLOYMENT, {"spec": {"replicas": 2}}, MERGE)
    wait_until(lambda: is_rolled_out(b, 2), 60, "it is scaled down")
    b.server.request("DELETE", f"{PODS}/{owned(b, PODS, 'ReplicaSet')[0]['metadata']['name']}")
    wait_until(lambda: len(owned(b, PODS, "ReplicaSet")) == 2, 60, "a deleted pod is replaced")
    assert run.ends(signal.SIGTERM) == 0
    clean_up(b)


def controllers_run_a_job_to_its_end(b):
    run = control(b, "--nodes", "3")  # those of the check before are still registered
    b.apply({"apiVersion": "batch/v1", "kind": "Job",
             "metadata": {"name": "work", "namespace": "default"},
             "spec": {"completions": 3, "parallelism": 2, "template": {
                 "spec": {"restartPolicy": "Never",
                          "containers": [{"name": "c", "image": "nothing"}]}}}})
    wait_until(lambda: any(c["type"] == "Complete" for c in
                           read(b, JOB).get("status", {}).get("conditions", [])), 60,
               "the job is complete")
    status = read(b, JOB)["status"]
    assert status["succeeded"] == 3 and "completionTime" in status, status
    assert run.ends(signal.SIGTERM) == 0
    clean_up(b)


def one_copy_of_the_controllers_works_at_a_time(b):
    first = control(b, "--identity", "first", "--lease-duration", "3s")
    wait_until(lambda: read(b, LEASE).get("spec", {}).get("holderIdentity") == "first", 60,
               "the first copy leads")
    control(b, "--identity", "second", "--lease-duration", "3s")
    assert first.ends(signal.SIGTERM) == 0
    wait_until(lambda: read(b, LEASE)["spec"].get("holderIdentity") == "second", 60,
               "the second copy leads")


CHECKS = [
    controllers_roll_a_deployment_out_and_on,
    controllers_run_a_job_to_its_end,
    one_copy_of_the_controllers_works_at_a_time,
]
