#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nodes_test.py -- scheduler, hollow nodes, node lifecycle and endpoints, seen with Debian's kubectl.
usage: nodes_test.py LISTWATCH KUBECTL-FOLDER"""

import json
import os
import sys

from cluster import wait_for
from kubectl import KUBECTL, kubectl
from serving import Follower, Server, run_tests

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
ENDPOINTS = "/api/v1/namespaces/default/endpoints"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"

DEPLOYMENT = json.dumps({
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
    "spec": {"replicas": 6, "selector": {"matchLabels": {"app": "web"}},
             "template": {"metadata": {"labels": {"app": "web"}},
                          "spec": {"terminationGracePeriodSeconds": 1, "containers": [
                              {"name": "c", "image": "nginx",
                               "ports": [{"name": "http", "containerPort": 8080}]}]}}}})
SERVICE = json.dumps({
    "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}})


def pod(name, **spec):
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
                       "spec": {"containers": [{"name": "c", "image": "i", **spec.pop("container", {})}],
                                **spec}})


class Cluster:
    """A server, controllers and three nodes in a process of their own, for a with statement."""

    def __init__(self, program, *options):
        self.program = program
        self.server = Server(program, memory=True)
        self.options = options
        self.copies = []

    def control(self):
        copy = Follower([self.program, "control", "--server", self.server.url(), "--nodes", "3",
                         "--lease-duration", "3s", *self.options], joined=True)
        self.copies.append(copy)
        copy.await_line("controllers are running")
        return copy

    def __enter__(self):
        self.server.start()
        self.control()
        wait_for(self.server, NODES, lambda nodes: len(nodes) == 3 and all(map(is_ready, nodes.values())))
        return self.server, self

    def __exit__(self, *_):
        for copy in self.copies:
            copy.kill()
        self.server.remove()


def condition(obj, kind):
    for each in obj.get("status", {}).get("conditions", []):
        if each["type"] == kind:
            return each
    return {}


def is_ready(obj):
    return condition(obj, "Ready").get("status") == "True"


def running(pods):
    return [each for each in pods.values()
            if each["status"].get("phase") == "Running" and is_ready(each)
            and "deletionTimestamp" not in each["metadata"]]


def a_deployment_runs_on_all_nodes(program):
    with Cluster(program) as (server, _):
        kubectl(server, "create", "-f", "-", stdin=DEPLOYMENT)
        kubectl(server, "rollout", "status", "deployment", "web", "--timeout=60s")
        pods = wait_for(server, PODS, lambda pods: len(running(pods)) == 6)
        nodes = [each["spec"]["nodeName"] for each in pods.values()]
        assert sorted(nodes) == ["node-1"] * 2 + ["node-2"] * 2 + ["node-3"] * 2, nodes
        addresses = [each["status"]["podIP"] for each in pods.values()]
        assert len(set(addresses)) == 6, addresses
        kubectl(server, "scale", "deployment", "web", "--replicas=1")
        wait_for(server, PODS, lambda pods: len(pods) == 1)
        told = kubectl(server, "describe", "pod")
        assert "default-scheduler  Successfully assigned default/web-" in told, told


def what_does_not_fit_is_told_and_waits_for_room(program):
    with Cluster(program) as (server, _):
        large = {"resources": {"requests": {"cpu": "10"}}}
        for name in ("a", "b", "c", "d"):
            kubectl(server, "create", "-f", "-", stdin=pod(name, container=large))
        wait_for(server, PODS, lambda pods: len(running(pods)) == 3 and any(
            condition(each, "PodScheduled").get("reason") == "Unschedulable"
            for each in pods.values()))
        waiting, = [name for name in "abcd" if "nodeName" not in
                    server.call("GET", f"{PODS}/{name}")[1]["spec"]]
        wait_for(server, "/api/v1/namespaces/default/events", lambda events: any(
            each["reason"] == "FailedScheduling" for each in events.values()))
        told = kubectl(server, "describe", "pod", waiting)
        assert "FailedScheduling" in told, told
        assert "0/3 nodes are available: 3 Insufficient cpu." in told, told
        kubectl(server, "delete", "pod", "a" if waiting != "a" else "b")
        wait_for(server, PODS, lambda pods: len(running(pods)) == 3 and len(pods) == 3)


def taints_and_cordons_keep_pods_off(program):
    with Cluster(program) as (server, _):
        kubectl(server, "taint", "node", "node-1", "who=me:NoSchedule")
        kubectl(server, "cordon", "node-2")
        kubectl(server, "create", "-f", "-", stdin=DEPLOYMENT)
        pods = wait_for(server, PODS, lambda pods: len(running(pods)) == 6)
        assert {each["spec"]["nodeName"] for each in pods.values()} == {"node-3"}, pods
        tolerant = pod("tolerant", tolerations=[{"key": "who", "value": "me"}],
                       nodeSelector={"kubernetes.io/hostname": "node-1"})
        kubectl(server, "create", "-f", "-", stdin=tolerant)
        wait_for(server, PODS, lambda pods: len(running(pods)) == 7)
        kubectl(server, "uncordon", "node-2")
        kubectl(server, "taint", "node", "node-3", "go=away:NoExecute")
        pods = wait_for(server, PODS, lambda pods: len(running(pods)) == 7 and len(pods) == 7 and
                        not any(each["spec"]["nodeName"] == "node-3" for each in pods.values()))


def pods_of_a_node_that_dies_run_elsewhere(program):
    with Cluster(program, "--node-grace", "3s", "--pod-eviction-timeout", "1s") as (server, _):
        kubectl(server, "create", "-f", "-", stdin=DEPLOYMENT)
        kubectl(server, "create", "-f", "-", stdin=SERVICE)
        wait_for(server, PODS, lambda pods: len(running(pods)) == 6)
        kubectl(server, "annotate", "--overwrite", "node", "node-2", "listwatch.io/hollow=stopped")
        nodes = wait_for(server, NODES, lambda nodes: not is_ready(nodes["node-2"]))
        assert condition(nodes["node-2"], "Ready")["status"] == "Unknown", nodes["node-2"]
        pods = wait_for(server, PODS, lambda pods: len(running(pods)) == 6 and len(pods) == 6 and
                        not any(each["spec"].get("nodeName") == "node-2" for each in pods.values()))
        addresses = sorted(each["status"]["podIP"] for each in pods.values())
        wait_for(server, ENDPOINTS, lambda found: "web" in found and sorted(
            each["ip"] for each in found["web"].get("subsets", [{}])[0].get("addresses", []))
            == addresses)
        assert "NotReady" in kubectl(server, "get", "nodes")
        kubectl(server, "annotate", "--overwrite", "node", "node-2", "listwatch.io/hollow=running")
        wait_for(server, NODES, lambda nodes: is_ready(nodes["node-2"]) and
                 not nodes["node-2"]["spec"].get("taints"))


def endpoints_follow_readiness(program):
    with Cluster(program) as (server, _):
        kubectl(server, "create", "-f", "-", stdin=DEPLOYMENT)
        kubectl(server, "create", "-f", "-", stdin=SERVICE)

        def ready_in(slices):
            return sum(point["conditions"]["ready"] for each in slices.values()
                       for point in each["endpoints"])

        slices = wait_for(server, SLICES, lambda slices: ready_in(slices) == 6)
        made, = slices.values()
        assert made["metadata"]["labels"]["kubernetes.io/service-name"] == "web", made
        assert made["ports"][0]["port"] == 8080, made
        assert made["metadata"]["ownerReferences"][0]["kind"] == "Service", made
        name = made["endpoints"][0]["targetRef"]["name"]
        kubectl(server, "annotate", "pod", name, "listwatch.io/ready=false")
        wait_for(server, SLICES, lambda slices: ready_in(slices) == 5)
        wait_for(server, ENDPOINTS, lambda found: len(
            found["web"]["subsets"][0].get("notReadyAddresses", [])) == 1)
        kubectl(server, "delete", "service", "web")
        wait_for(server, ENDPOINTS, lambda found: not found)
        wait_for(server, SLICES, lambda found: not found)


def jobs_end_on_hollow_nodes(program):
    with Cluster(program) as (server, _):
        kubectl(server, "create", "-f", "-", stdin=json.dumps({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum"},
            "spec": {"completions": 3, "parallelism": 3, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}))
        kubectl(server, "wait", "--for=condition=complete", "job/sum", "--timeout=60s")


def everything_goes_on_after_the_controllers_were_killed(program):
    with Cluster(program) as (server, cluster):
        kubectl(server, "create", "-f", "-", stdin=DEPLOYMENT)
        cluster.copies[0].process.kill()
        kubectl(server, "scale", "deployment", "web", "--replicas=9")
        cluster.control()
        pods = wait_for(server, PODS, lambda pods: len(running(pods)) == 9 and len(pods) == 9)
        addresses = [each["status"]["podIP"] for each in pods.values()]
        assert len(set(addresses)) == 9, addresses


if not KUBECTL:
    print("1..0 # SKIP no kubectl of the package kubernetes-client; make deps fetches it")
    sys.exit(0)
TESTS = [
    a_deployment_runs_on_all_nodes,
    what_does_not_fit_is_told_and_waits_for_room,
    taints_and_cordons_keep_pods_off,
    pods_of_a_node_that_dies_run_elsewhere,
    endpoints_follow_readiness,
    jobs_end_on_hollow_nodes,
    everything_goes_on_after_the_controllers_were_killed,
]
only = os.environ.get("ONLY")
run_tests([test for test in TESTS if not only or only in test.__name__])
