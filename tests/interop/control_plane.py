#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""control_plane.py -- unmodified kube-controller-manager and kube-scheduler on `listwatch serve`: a
part of `make interop`.

    control_plane.py --build FOLDER --interop FOLDER [WORD...]   the programs; where the programs of
                                                                 Kubernetes are built; words of the
                                                                 checks to run

Each has a client certificate and no access but that of the bootstrap roles.  Hollow nodes run the
pods.  The checks run on the embedded store and on etcd.  Prints TAP and the complaints in the logs;
the last line counts."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))  # etcd.py

from components import MANAGER, SCHEDULER, Server, manager, scheduler
from etcd import Cluster as Etcd
from program import Program, note, wait_until
from scenes import Count, arguments, parser, run_scene, skip_all, version_of

NODES = 3
APPS, BATCH = "/apis/apps/v1/namespaces/default", "/apis/batch/v1/namespaces/default"
PODS = "/api/v1/namespaces/default/pods"
STRATEGIC = "application/strategic-merge-patch+json"

# A namespace that is being deleted is refused what the controllers fill it with.
NAMESPACE_FILLING = re.compile(r'verb="POST".*resource="(configmaps|serviceaccounts)",subresource=""')
# A hollow node deletes a pod of a StatefulSet a second time, and the name is that of the next pod
# already, which has no node.  (Where the controller manager is refused, its log says so.)
NEXT_POD = re.compile(r'verb="DELETE".*resource="pods",subresource=""')


class Scene:
    """A server, hollow nodes, two controller managers and two schedulers."""

    def __init__(self, build, interop, etcd_program=None):
        self.etcd = Etcd(program=etcd_program).start() if etcd_program else None
        self.server = self.nodes = None
        self.components = []
        try:
            self.server = Server(build / "listwatch", etcd=self.etcd)
            admin = self.server.kubeconfig("admin.kubeconfig", token=self.server.token)
            self.nodes = Program([str(build / "listwatch"), "control", "--only", "hollow-nodes",
                                  "--no-election", "--nodes", str(NODES), "--kubeconfig", admin],
                                 dict(os.environ))
            self.components = [manager(self.server, interop), scheduler(self.server, interop)]
            for component in self.components:
                component.start()
        except BaseException:
            self.remove()
            raise

    def run(self, check):
        check(self)

    def servers(self):
        return [self.server]

    def remove(self):
        for component in self.components:
            component.end()
        if self.nodes and self.nodes.process.poll() is None:
            self.nodes.ends(signal.SIGTERM)
        if self.server:
            self.server.remove()
        if self.etcd:
            self.etcd.stop()


def template(name, policy="Always", **annotations):
    return {"metadata": {"labels": {"app": name}, "annotations": annotations},
            "spec": {"restartPolicy": policy, "containers": [{"name": "c", "image": "i"}]}}


def workload(kind, name, **spec):
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": {"app": name}}, "template": template(name), **spec}}


def is_at(scene, path, **status):
    """Whether the object's status has these values."""
    code, text = scene.server.request("GET", path)
    got = json.loads(text).get("status", {}) if code == 200 else {}
    return all(got.get(field) == value for field, value in status.items())


def reaches(scene, path, seconds=90, **status):
    try:
        wait_until(lambda: is_at(scene, path, **status), seconds, f"{path} has {status}")
    except AssertionError:
        note(scene.server.request("GET", path)[1])
        raise


def both_are_elected(scene):
    for component in scene.components:
        wait_until(component.holder, 60, f"{component.name} holds its lease")


def workloads_run(scene):
    server = scene.server
    server.call("POST", APPS + "/deployments", workload("Deployment", "web", replicas=4))
    server.call("POST", APPS + "/statefulsets",
                workload("StatefulSet", "db", replicas=3, serviceName="db"))
    server.call("POST", APPS + "/daemonsets", workload("DaemonSet", "agent"))
    job = {"completions": 3, "parallelism": 2, "template": template("work", "Never")}
    server.call("POST", BATCH + "/jobs", {"metadata": {"name": "work"}, "spec": job})
    server.call("POST", BATCH + "/cronjobs", {"metadata": {"name": "minutely"}, "spec": {
        "schedule": "* * * * *", "jobTemplate": {"spec": {"template": template("tick", "Never")}}}})
    reaches(scene, APPS + "/deployments/web", readyReplicas=4, availableReplicas=4)
    reaches(scene, APPS + "/statefulsets/db", readyReplicas=3, currentReplicas=3)
    reaches(scene, APPS + "/daemonsets/agent", numberReady=NODES, desiredNumberScheduled=NODES)
    reaches(scene, BATCH + "/jobs/work", succeeded=3)
    wait_until(lambda: any(
        item["status"].get("succeeded") == 1 and item["metadata"]["name"].startswith("minutely-")
        for item in server.call("GET", BATCH + "/jobs")["items"]), 120, "a job of the CronJob ran")


def a_new_template_is_rolled_out(scene):
    server, path = scene.server, APPS + "/deployments/web"
    server.call("PATCH", path, {"spec": {"replicas": 2, "template": {"spec": {
        "containers": [{"name": "c", "image": "other"}]}}}}, STRATEGIC)
    reaches(scene, path, updatedReplicas=2, readyReplicas=2, replicas=2)
    server.call("PATCH", APPS + "/statefulsets/db", {"spec": {"template": {"spec": {
        "containers": [{"name": "c", "image": "other"}]}}}}, STRATEGIC)
    reaches(scene, APPS + "/statefulsets/db", updatedReplicas=3, readyReplicas=3,
            currentReplicas=3)


def services_have_endpoints(scene):
    server = scene.server
    server.call("POST", "/api/v1/namespaces/default/services", {
        "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=" \
             "kubernetes.io/service-name%3Dweb"
    wait_until(lambda: sum(len(item["endpoints"] or []) for item in
                           server.call("GET", slices)["items"]) == 2, 60, "two endpoints")
    wait_until(lambda: server.request("GET", "/api/v1/namespaces/default/endpoints/web")[0] == 200,
               60, "the Endpoints of the Service")


def namespaces_are_filled_and_emptied(scene):
    server, path = scene.server, "/api/v1/namespaces/brief"
    server.call("POST", "/api/v1/namespaces", {"metadata": {"name": "brief"}})
    wait_until(lambda: server.request("GET", path + "/serviceaccounts/default")[0] == 200, 60,
               "its default service account")
    wait_until(lambda: server.request("GET", path + "/configmaps/kube-root-ca.crt")[0] == 200, 60,
               "its root certificates")
    server.call("POST", path + "/configmaps", {"metadata": {"name": "a"}})
    server.call("DELETE", path)
    wait_until(lambda: server.request("GET", path)[0] == 404, 90, "the namespace is gone")


def dependents_are_collected(scene):
    scene.server.call("DELETE", APPS + "/deployments/web?propagationPolicy=Foreground")
    wait_until(lambda: not scene.server.call(
        "GET", PODS + "?labelSelector=app%3Dweb")["items"], 90, "its pods are gone")
    wait_until(lambda: scene.server.request("GET", APPS + "/deployments/web")[0] == 404, 90,
               "the Deployment is gone")


def another_one_takes_over(scene):
    for component in scene.components:
        first = component.holder()
        component.start()
        component.runs[0].process.send_signal(signal.SIGKILL)
        wait_until(lambda c=component, f=first: c.holder() not in ("", f), 60,
                   f"another {component.name} leads")
    scene.server.call("POST", APPS + "/deployments", workload("Deployment", "later", replicas=3))
    reaches(scene, APPS + "/deployments/later", readyReplicas=3)


def the_logs_are_clean(scene):
    for component in scene.components:
        component.print_complaints()
    refused = [line for line in scene.server.request("GET", "/metrics")[1].splitlines()
               if line.startswith("apiserver_request_total") and 'code="403"' in line
               and not NAMESPACE_FILLING.search(line) and not NEXT_POD.search(line)]
    faults = refused + [line for component in scene.components for line in component.faults()]
    assert not faults, faults[:5]


CHECKS = [
    both_are_elected,
    workloads_run,
    a_new_template_is_rolled_out,
    services_have_endpoints,
    namespaces_are_filled_and_emptied,
    dependents_are_collected,
    another_one_takes_over,
    the_logs_are_clean,
]


def built(interop):
    done = subprocess.run(["sh", HERE / "build.sh", interop, MANAGER, SCHEDULER, "etcd"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        skip_all(done.stdout.strip() or f"build.sh failed: {done.returncode}")


def main():
    args = arguments(parser(__doc__))
    build, interop = args.build, args.interop
    built(interop)
    for program in (MANAGER, SCHEDULER):
        note(f"{program}: {version_of(interop / program, '--version')}")
    count = Count()
    for title, etcd in (("embedded store", None), ("etcd", str(interop / "etcd"))):
        run_scene(count, title, lambda e=etcd: Scene(build, interop, e), CHECKS, args.only, interop)
    count.end()


if __name__ == "__main__":
    main()
