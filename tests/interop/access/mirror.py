# SPDX-License-Identifier: Apache-2.0
"""mirror.py -- a mirror allows nothing that its upstream forbids: each user sends the same drawn
requests to a server and to a mirror of it."""

import copy
from concurrent.futures import ThreadPoolExecutor

from access.draw import draw
from checks_mirror import Mirror
from differential.session import Session
from differential.step import ANONYMOUS, by
from program import note

REQUESTS = 100  # of each user
SEED = 7
IDENTITIES = ["viewer", "editor", "chief", "system:node:n1", "named", "paths", "mixed", "proxy",
              "outsider", "robot", "ghost", ANONYMOUS]
CONFIRMED_EVERY = 10  # of the lists: they take a second when nothing changes
RESOURCES = ("configmaps,secrets,pods,services,serviceaccounts,events,nodes,namespaces,"
             "deployments.apps,jobs.batch,leases.coordination.k8s.io,"
             "roles.rbac.authorization.k8s.io,clusterroles.rbac.authorization.k8s.io")
REFUSALS = (401, 403)


def drawn():
    """The requests; most reads are such that the mirror answers from memory."""
    for number, step in enumerate(draw(SEED, REQUESTS)):
        if step.method == "GET" and step.path.startswith("/api") and number % CONFIRMED_EVERY:
            step = copy.copy(step)
            step.path += ("&" if "?" in step.path else "?") + "resourceVersion=0"
        yield step


def compare(server, there, identity):
    """What the mirror says otherwise, and how many requests were refused by both."""
    here, at_mirror = Session(server, "access"), Session(there, "access")
    differences, refused = [], 0
    try:
        for step in drawn():
            step = by(identity, step)
            real, ours = here.send(step).status, at_mirror.send(step).status
            refused += real in REFUSALS and ours in REFUSALS
            if (real in REFUSALS) != (ours in REFUSALS):
                differences.append(f"{step}: {ours}, at the upstream {real}")
    finally:
        here.close()
        at_mirror.close()
    return differences, refused


def check_of(index, name):
    def check(pair):
        server = pair.servers()[index]
        mirror = Mirror(str(pair.build / "listwatch"), server, "--resources", RESOURCES)
        try:
            there = copy.copy(server)
            there.port = mirror.port
            with ThreadPoolExecutor(len(IDENTITIES)) as pool:
                found = list(pool.map(lambda who: compare(server, there, who), IDENTITIES))
        finally:
            code = mirror.stop()
        differences = [line for lines, _ in found for line in lines]
        refused = sum(count for _, count in found)
        note(f"{len(IDENTITIES) * REQUESTS} requests, {refused} refused by both")
        assert not differences, f"{len(differences)} different:\n" + "\n".join(differences)
        assert refused > REQUESTS, f"only {refused} requests were refused"
        assert code == 0, f"the mirror ended with {code}"
    check.__name__ = f"a mirror of {name} allows nothing that it forbids"
    return check


MIRROR_CHECKS = [check_of(0, "kube-apiserver"), check_of(1, "listwatch")]
