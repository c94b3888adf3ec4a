# SPDX-License-Identifier: Apache-2.0
"""checks.py -- who may do what: each user sends the same drawn requests to kube-apiserver and to
listwatch, both with Node,RBAC.  Codes and refusals must be equal, and what reviews say."""

import os

from access import world
from access.accounts import ACCOUNT_CHECKS
from access.draw import draw
from access.kubectl import KUBECTL_CHECKS
from access.mirror import MIRROR_CHECKS
from client_builds import Builds
from differential.compare import Sequence
from differential.step import ANONYMOUS, by
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import note

SEEDS = range(1, 1 + int(os.environ.get("ACCESS_SEEDS", "1")))
REQUESTS = 200  # of each user
IDENTITIES = [name for name, _ in world.USERS] + ["robot", "ghost", ANONYMOUS, None]


class AccessApiserver(KubeApiserver):
    users = world.USERS
    plugins_left_out = "StorageObjectInUseProtection"


class AccessServe(ListwatchServe):
    users = world.USERS


class Pair:
    def __init__(self, build, interop, apiserver, etcd):
        self.build = build
        self.builds = Builds(interop)
        self.real = AccessApiserver(apiserver, etcd,
                                    options=("--enable-admission-plugins", "NodeRestriction"))
        try:
            self.ours = AccessServe(build / "listwatch", options=(
                "--authorization-mode", "Node,RBAC", "--service-account-issuer", "https://interop.example",
                "--disable-admission-plugins", AccessApiserver.plugins_left_out))
            for server in self.servers():
                world.create(server)
        except BaseException:
            self.remove()
            raise

    def servers(self):
        return [self.real, self.ours]

    def kubectl(self):
        return [str(word) for word in self.builds.get("kubectl")]

    def run(self, check):
        check(self)

    def remove(self):
        for name in ("real", "ours"):
            if hasattr(self, name):
                getattr(self, name).remove()


class Matrix(Sequence):
    """Compares codes, refusals and reviews; objects are compared by the differential test."""

    def both(self, step):
        return [reduced(answer) for answer in super().both(step)]


def reduced(answer):
    body = answer["body"]
    kind = body.get("kind", "") if isinstance(body, dict) else ""
    if kind == "SelfSubjectRulesReview":
        status = body["status"]
        # Its rules are in the order of a Go map.
        return {"status": answer["status"], "headers": {}, "body": {
            key: sorted(value, key=str) if isinstance(value, list) else value
            for key, value in status.items()}}
    if kind.endswith("AccessReview") and "allowed by" in body["status"].get("reason", ""):
        # Of several bindings that allow it, kube-apiserver names any.
        body = {**body, "status": {**body["status"], "reason": "RBAC: allowed"}}
    is_told = kind.endswith("Review") or answer["status"] >= 400
    return {"status": answer["status"], "headers": {}, "body": body if is_told else ""}


def check_of(identity, seed):
    def check(pair):
        sequence = Matrix(pair.servers(), "access")
        try:
            for step in draw(seed, REQUESTS):
                sequence.run(by(identity, step))
        finally:
            sequence.end()
        count = len(sequence.differences)
        note(f"{sequence.compared} answers, {count} different")
        assert not count, f"{count} different:\n" + "\n\n".join(sequence.differences)
    check.__name__ = f"{identity or 'admin'} with seed {seed}"
    return check


def aggregated_roles_have_the_same_rules(pair):
    for name in ("view", "edit", "admin", "mixed"):
        real, ours = (server.call("GET", f"{world.RBAC}/clusterroles/{name}")["rules"]
                      for server in pair.servers())
        assert real == ours, f"{name}:\n- {real}\n+ {ours}"


CHECKS = [aggregated_roles_have_the_same_rules] + [
    check_of(identity, seed) for identity in IDENTITIES for seed in SEEDS] + (
        ACCOUNT_CHECKS + KUBECTL_CHECKS + MIRROR_CHECKS)
