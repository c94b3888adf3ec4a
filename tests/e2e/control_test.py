#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""control_test.py -- `listwatch control` and `serve --controllers`, seen with Debian's kubectl.
usage: control_test.py LISTWATCH KUBECTL-FOLDER

No nodes run here: Pods are made ready by a thread of the test (Kubelet)."""

import json
import os
import subprocess
import sys
import threading
import time

from cluster import (DEPLOYMENTS, PATIENCE, PODS, SETS, create, deployment, images, patch,
                     replica_set, template, wait_for)
from kubectl import KUBECTL, kubectl
from lagging import LaggingWay
from serving import Follower, Server, Watch, run_tests

JOBS = "/apis/batch/v1/namespaces/default/jobs"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/listwatch-control"


class Kubelet(threading.Thread):
    """Makes every Pod Running and ready, or ends it as its annotation "end" says."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        _, listed = server.call("GET", PODS)
        version = listed["metadata"]["resourceVersion"]
        self.watch = Watch(server, f"{PODS}?watch=1&resourceVersion={version}", timeout=300)
        self.start()

    def run(self):
        try:
            for event in self.watch:
                pod = event["object"]
                if event["type"] == "ADDED":
                    self.begin(pod)
        except (OSError, ValueError, AttributeError):
            pass  # the server is gone

    def begin(self, pod):
        end = pod["metadata"].get("annotations", {}).get("end")
        if pod["spec"]["containers"][0]["image"] == "never-ready":
            return
        status = {"phase": end or "Running", "conditions": [
            {"type": "Ready", "status": "False" if end else "True",
             "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
        connection = self.server.connect()
        connection.request("PATCH", f"{PODS}/{pod['metadata']['name']}/status",
                           json.dumps({"status": status}),
                           {"Content-Type": "application/merge-patch+json"})
        connection.getresponse().read()
        connection.close()


class Cluster:
    """A server, controllers and a Kubelet, for a with statement."""

    def __init__(self, program, options=("--controllers",)):
        self.program = program
        self.server = Server(program, memory=True, options=options)
        self.copies = []

    def __enter__(self):
        self.server.start()
        self.kubelet = Kubelet(self.server)
        return self

    def __exit__(self, *_):
        for copy in self.copies:
            copy.kill()
        self.server.remove()

    def control(self, name, url=None):
        """One more copy of `listwatch control`, which finds the server at |url|."""
        copy = Follower([self.program, "control", "--server", url or self.server.url(),
                         "--identity", name, "--lease-duration", "3s", "--steps"], joined=True)
        self.copies.append(copy)
        return copy


def available(count):
    return lambda sets: any(s.get("status", {}).get("availableReplicas", 0) == count
                            and s["status"].get("replicas", 0) == count for s in sets.values())


def a_replica_set_keeps_its_number_of_pods(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, SETS, replica_set())
        wait_for(server, SETS, available(3))
        kubectl(server, "scale", "rs/web", "--replicas=5")
        wait_for(server, SETS, available(5))
        kubectl(server, "scale", "rs/web", "--replicas=2")
        wait_for(server, SETS, available(2))
        pods = wait_for(server, PODS, lambda pods: len(pods) == 2)
        gone = sorted(pods)[0]
        kubectl(server, "delete", "pod", gone)
        pods = wait_for(server, PODS, lambda pods: len(pods) == 2 and gone not in pods)
        owner = next(iter(pods.values()))["metadata"]["ownerReferences"][0]
        assert owner["kind"] == "ReplicaSet" and owner["controller"], owner
        told = kubectl(server, "describe", "rs", "web")
        assert "SuccessfulCreate" in told and "SuccessfulDelete" in told, told


def a_replica_set_adopts_and_releases_pods_by_their_labels(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": "stray", "labels": {"app": "web"}}, "spec": template()["spec"]})
        create(server, SETS, replica_set(2))
        pods = wait_for(server, PODS, lambda pods: len(pods) == 2 and all(
            "ownerReferences" in pod["metadata"] for pod in pods.values()))
        assert "stray" in pods, list(pods)
        kubectl(server, "label", "pod", "stray", "app=other", "--overwrite")
        pods = wait_for(server, PODS, lambda pods: len(pods) == 3
                        and not pods["stray"]["metadata"].get("ownerReferences"))


def pods_that_are_orphaned_on_purpose_stay_and_are_adopted_by_the_next(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, SETS, replica_set(2))
        wait_for(server, SETS, available(2))
        kubectl(server, "delete", "rs", "web", "--cascade=orphan")
        wait_for(server, SETS, lambda sets: not sets)
        pods = wait_for(server, PODS, lambda pods: not any(
            pod["metadata"].get("ownerReferences") for pod in pods.values()))
        assert len(pods) == 2, list(pods)
        create(server, SETS, replica_set(2))
        wait_for(server, SETS, available(2))
        assert set(wait_for(server, PODS, bool)) == set(pods)


def controllers_that_run_apart_have_their_informers_on_the_page(program):
    with Cluster(program, options=()) as cluster:
        cluster.control("first")
        end = time.monotonic() + PATIENCE
        seen = []
        while not seen and time.monotonic() < end:
            _, page = cluster.server.call("GET", "/debug/listwatch")
            seen = [one for one in page["informers"] if one["resource"] == "pods"
                    and one["reporter"].startswith("listwatch control on ") and one["is_synced"]]
            time.sleep(0.05)
        assert seen, page["informers"]


def a_cache_that_lags_behind_never_leads_to_a_pod_too_many(program):
    with Cluster(program, options=()) as cluster:
        server, replicas = cluster.server, 20
        way = LaggingWay(server.port, lag=0.7)
        cluster.control("late", way.url).await_line("controllers are running")
        create(server, SETS, replica_set(replicas))
        seen = []

        def is_there(pods):
            if len(pods) > len(seen):  # its cache shows none of them when it hears of this
                seen.append(len(pods))
                patch(server, SETS + "/web", {"metadata": {"labels": {"seen": str(len(pods))}}})
            assert len(pods) <= replicas, len(pods)
            return len(pods) == replicas

        wait_for(server, PODS, is_there)
        wait_for(server, SETS, lambda sets: available(replicas)(sets))
        assert len(server.call("GET", PODS)[1]["items"]) == replicas
        kubectl(server, "scale", "rs/web", "--replicas=5")
        patch(server, SETS + "/web", {"metadata": {"labels": {"seen": "scaled"}}})
        wait_for(server, SETS, available(5))
        assert len(server.call("GET", PODS)[1]["items"]) == 5
        way.close()


def minimum_ready_seconds_hold_availability_back(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, SETS, replica_set(1, minReadySeconds=3600))
        wait_for(server, PODS, lambda pods: len(pods) == 1)
        sets = wait_for(server, SETS, lambda s: s["web"].get("status", {}).get("readyReplicas"))
        assert available(1)(sets), sets["web"]["status"]  # ready since long ago
        name = next(iter(wait_for(server, PODS, bool)))
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        patch(server, f"{PODS}/{name}/status", {"status": {"conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": now}]}})
        wait_for(server, SETS, lambda s: s["web"]["status"].get("readyReplicas") == 1
                 and s["web"]["status"].get("availableReplicas", 0) == 0)


def a_deployment_rolls_out_and_back(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, DEPLOYMENTS, deployment())
        told = kubectl(server, "rollout", "status", "deployment/web", "--timeout=60s")
        assert "successfully rolled out" in told, told
        kubectl(server, "set", "image", "deployment/web", "c=b")
        told = kubectl(server, "rollout", "status", "deployment/web", "--timeout=60s")
        assert "successfully rolled out" in told, told
        pods = wait_for(server, PODS, lambda pods: images(pods) == ["b"] * 3)
        history = kubectl(server, "rollout", "history", "deployment/web")
        assert history.split()[-4:] == ["1", "<none>", "2", "<none>"], history
        kubectl(server, "rollout", "undo", "deployment/web")
        kubectl(server, "rollout", "status", "deployment/web", "--timeout=60s")
        wait_for(server, PODS, lambda pods: images(pods) == ["a"] * 3)
        history = kubectl(server, "rollout", "history", "deployment/web")
        assert history.split()[-4:] == ["2", "<none>", "3", "<none>"], history
        sets = wait_for(server, SETS, lambda sets: len(sets) == 2)
        assert all("pod-template-hash" in s["spec"]["selector"]["matchLabels"]
                   for s in sets.values()), sets
        conditions = {c["type"]: (c["status"], c["reason"]) for c in
                      server.call("GET", DEPLOYMENTS + "/web")[1]["status"]["conditions"]}
        assert conditions == {"Available": ("True", "MinimumReplicasAvailable"),
                              "Progressing": ("True", "NewReplicaSetAvailable")}, conditions
        assert len(pods) == 3


def a_rolling_update_keeps_to_its_bounds(program):
    with Cluster(program) as cluster:
        server = cluster.server
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
        create(server, DEPLOYMENTS, deployment(4, strategy=rolling))
        wait_for(server, SETS, available(4))
        _, listed = server.call("GET", PODS)
        pods = {pod["metadata"]["name"]: pod for pod in listed["items"]}
        watch = Watch(server, f"{PODS}?watch=1&resourceVersion="
                      f"{listed['metadata']['resourceVersion']}")
        kubectl(server, "set", "image", "deployment/web", "c=b")
        most, fewest_ready = len(pods), 4
        while images(pods) != ["b"] * 4:
            event = next(watch)
            name = event["object"]["metadata"]["name"]
            if event["type"] == "DELETED":
                del pods[name]
            else:
                pods[name] = event["object"]
            ready = sum(pod.get("status", {}).get("phase") == "Running" for pod in pods.values())
            most, fewest_ready = max(most, len(pods)), min(fewest_ready, ready)
        watch.close()
        assert (most, fewest_ready) == (5, 4), (most, fewest_ready)


def an_update_that_does_not_come_up_stops_and_is_told(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, DEPLOYMENTS, deployment(4, progressDeadlineSeconds=2))
        kubectl(server, "rollout", "status", "deployment/web", "--timeout=60s")
        kubectl(server, "set", "image", "deployment/web", "c=never-ready")
        told = kubectl(server, "rollout", "status", "deployment/web", "--timeout=60s", fails=True)
        assert "exceeded its progress deadline" in told, told
        pods = wait_for(server, PODS, bool)
        assert images(pods).count("a") == 3 and len(pods) == 5, images(pods)


def a_paused_deployment_waits(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, DEPLOYMENTS, deployment(2))
        wait_for(server, SETS, available(2))
        kubectl(server, "rollout", "pause", "deployment/web")
        kubectl(server, "set", "image", "deployment/web", "c=b")
        kubectl(server, "scale", "deployment/web", "--replicas=3")
        wait_for(server, SETS, available(3))
        assert len(wait_for(server, SETS, bool)) == 1
        wait_for(server, DEPLOYMENTS, lambda d: any(
            c["reason"] == "DeploymentPaused" for c in d["web"]["status"]["conditions"]))
        kubectl(server, "rollout", "resume", "deployment/web")
        wait_for(server, PODS, lambda pods: images(pods) == ["b"] * 3)


def recreation_lets_no_two_templates_run_at_once(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, DEPLOYMENTS, deployment(2, strategy={"type": "Recreate"}))
        wait_for(server, SETS, available(2))
        _, listed = server.call("GET", PODS)
        pods = {pod["metadata"]["name"]: pod for pod in listed["items"]}
        watch = Watch(server, f"{PODS}?watch=1&resourceVersion="
                      f"{listed['metadata']['resourceVersion']}")
        kubectl(server, "set", "image", "deployment/web", "c=b")
        while images(pods) != ["b", "b"]:
            event = next(watch)
            name = event["object"]["metadata"]["name"]
            if event["type"] == "DELETED":
                del pods[name]
            else:
                pods[name] = event["object"]
            assert len(set(images(pods))) < 2, images(pods)
        watch.close()


def old_replica_sets_are_kept_as_far_as_the_history_reaches(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, DEPLOYMENTS, deployment(1, revisionHistoryLimit=1))
        for image in "bcd":
            kubectl(server, "set", "image", "deployment/web", f"c={image}")
            kubectl(server, "rollout", "status", "deployment/web", "--timeout=60s")
        sets = wait_for(server, SETS, lambda sets: len(sets) == 2)
        revisions = {s["metadata"]["annotations"]["deployment.kubernetes.io/revision"]
                     for s in sets.values()}
        assert revisions == {"3", "4"}, revisions


def job(name="work", end="Succeeded", **spec):
    made = template("a", {"job": name}, restartPolicy="Never")
    made["metadata"]["annotations"] = {"end": end}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"template": made, **spec}}


def condition(thing, kind):
    return next((c for c in thing.get("status", {}).get("conditions", []) if c["type"] == kind
                 and c["status"] == "True"), None)


def a_job_runs_until_it_has_its_completions(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, JOBS, job(completions=5, parallelism=2))
        told = kubectl(server, "wait", "--for=condition=complete", "job/work", "--timeout=60s")
        assert "condition met" in told, told
        status = server.call("GET", JOBS + "/work")[1]["status"]
        assert status["succeeded"] == 5 and "completionTime" in status, status
        assert len(wait_for(server, PODS, bool)) == 5


def a_job_gives_up_after_its_backoff_limit(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, JOBS, job(end="Failed", backoffLimit=1))
        jobs = wait_for(server, JOBS, lambda jobs: condition(jobs["work"], "Failed"))
        assert condition(jobs["work"], "Failed")["reason"] == "BackoffLimitExceeded", jobs
        assert jobs["work"]["status"]["failed"] == 2, jobs["work"]["status"]


def a_job_that_takes_too_long_is_ended(program):
    with Cluster(program) as cluster:
        server = cluster.server
        thing = job(activeDeadlineSeconds=1)
        thing["spec"]["template"]["spec"]["containers"][0]["image"] = "never-ready"
        create(server, JOBS, thing)
        jobs = wait_for(server, JOBS, lambda jobs: condition(jobs["work"], "Failed"))
        assert condition(jobs["work"], "Failed")["reason"] == "DeadlineExceeded", jobs
        wait_for(server, PODS, lambda pods: not pods)


def a_finished_job_is_removed_after_its_time(program):
    with Cluster(program) as cluster:
        server = cluster.server
        create(server, JOBS, job(ttlSecondsAfterFinished=1))
        wait_for(server, JOBS, lambda jobs: not jobs)


def one_copy_leads_and_another_takes_over_when_it_is_killed(program):
    with Cluster(program, options=()) as cluster:
        server = cluster.server
        first = cluster.control("first")
        first.await_line("controllers are running")
        second = cluster.control("second")
        create(server, DEPLOYMENTS, deployment())
        wait_for(server, SETS, available(3))
        assert server.call("GET", LEASE)[1]["spec"]["holderIdentity"] == "first"
        first.process.kill()
        kubectl(server, "scale", "deployment/web", "--replicas=5")
        second.await_line("controllers are running")
        wait_for(server, SETS, available(5))
        spec = server.call("GET", LEASE)[1]["spec"]
        assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("second", 1), spec
        assert len(wait_for(server, PODS, bool)) == 5


def a_copy_that_is_stopped_gives_the_lease_back(program):
    with Cluster(program, options=()) as cluster:
        server = cluster.server
        first = cluster.control("first")
        first.await_line("controllers are running")
        first.process.terminate()
        assert first.finish() == 0
        assert server.call("GET", LEASE)[1]["spec"]["holderIdentity"] == ""
        second = cluster.control("second")
        begun = time.monotonic()
        second.await_line("controllers are running")
        assert time.monotonic() - begun < 2.5, "it waited for the lease to run out"


def what_makes_no_sense_is_refused(program):
    with Cluster(program, options=()) as cluster:
        url = cluster.server.url()
        for words, said in ((["--only", "nonsense"], 'unknown controller "nonsense"'),
                            (["--nodes", "-1"], "not a valid number of nodes"),
                            (["extra"], "unexpected argument")):
            done = subprocess.run([program, "control", "--server", url, *words], text=True,
                                  capture_output=True, timeout=PATIENCE)
            assert done.returncode != 0 and said in done.stderr, (words, done.stderr)


if not KUBECTL:
    print("1..0 # SKIP no kubectl of the package kubernetes-client; make deps fetches it")
    sys.exit(0)
TESTS = [
    a_replica_set_keeps_its_number_of_pods,
    a_replica_set_adopts_and_releases_pods_by_their_labels,
    controllers_that_run_apart_have_their_informers_on_the_page,
    pods_that_are_orphaned_on_purpose_stay_and_are_adopted_by_the_next,
    a_cache_that_lags_behind_never_leads_to_a_pod_too_many,
    minimum_ready_seconds_hold_availability_back,
    a_deployment_rolls_out_and_back,
    a_rolling_update_keeps_to_its_bounds,
    an_update_that_does_not_come_up_stops_and_is_told,
    a_paused_deployment_waits,
    recreation_lets_no_two_templates_run_at_once,
    old_replica_sets_are_kept_as_far_as_the_history_reaches,
    a_job_runs_until_it_has_its_completions,
    a_job_gives_up_after_its_backoff_limit,
    a_job_that_takes_too_long_is_ended,
    a_finished_job_is_removed_after_its_time,
    one_copy_leads_and_another_takes_over_when_it_is_killed,
    a_copy_that_is_stopped_gives_the_lease_back,
    what_makes_no_sense_is_refused,
]
only = os.environ.get("ONLY")
run_tests([test for test in TESTS if not only or only in test.__name__])
