#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""control_crash_test.py -- kill -9 of the server, of the controllers, or of both in the middle of a
rollout, many times: it always comes to the right Pods, never one too many, never one too few.
usage: control_crash_test.py LISTWATCH"""

import random

from cluster import DEPLOYMENTS, PODS, SETS, create, deployment, images, patch, wait_for
from serving import Follower, Server, Watch, run_tests

ROUNDS = 20


def control(program, server):
    return Follower([program, "control", "--server", server.url(), "--nodes", "2",
                     "--lease-duration", "1s"], joined=True)


def watch_some(server, version, count):
    """Lets |count| changes of Pods pass."""
    watch = Watch(server, f"{PODS}?watch=1&resourceVersion={version}")
    for _ in range(count):
        next(watch)
    watch.close()


def is_rolled_out(replicas):
    def holds(deployments):
        web = deployments["web"]
        status = web.get("status", {})
        return (status.get("observedGeneration") == web["metadata"]["generation"]
                and all(status.get(field, 0) == replicas for field in
                        ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")))
    return holds


def rollouts_survive_kill_9(program):
    chance = random.Random(7)
    server = Server(program).start()
    copy = control(program, server)
    try:
        create(server, DEPLOYMENTS, deployment(4, "v0"))
        wait_for(server, DEPLOYMENTS, is_rolled_out(4))
        for number in range(1, ROUNDS + 1):
            replicas, image = chance.randint(3, 8), f"v{number}"
            version = server.call("GET", PODS)[1]["metadata"]["resourceVersion"]
            patch(server, DEPLOYMENTS + "/web", {"spec": {"replicas": replicas, "template": {
                "spec": {"containers": [{"name": "c", "image": image}]}}}})
            watch_some(server, version, chance.randint(0, 12))
            victims = chance.choice(("server", "controllers", "both"))
            if victims != "controllers":
                server.kill()
            if victims != "server":
                copy.kill()
                copy = None
            if victims != "controllers":
                server.start()
            copy = copy or control(program, server)
            wait_for(server, DEPLOYMENTS, is_rolled_out(replicas))
            pods = wait_for(server, PODS, lambda pods: len(pods) == replicas)
            assert images(pods) == [image] * replicas, (number, victims, images(pods))
            sets = wait_for(server, SETS, bool)
            wanted = sum(s["spec"]["replicas"] for s in sets.values())
            assert wanted == replicas, (number, victims, wanted)
            assert len({s["metadata"]["labels"]["pod-template-hash"] for s in sets.values()}) \
                == len(sets), sets
    finally:
        if copy:
            copy.kill()
        server.remove()


run_tests([rollouts_survive_kill_9])
