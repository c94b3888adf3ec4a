# SPDX-License-Identifier: Apache-2.0
"""checks.py -- writes through the same webhooks and policies at kube-apiserver and at listwatch, drawn
from seeds: the answers, the warnings, what is stored, and what each webhook is asked, and when."""

import os
import random

from differential import draw
from differential.compare import Sequence
from differential.crd import define
from differential.kinds import KINDS
from differential.step import get, merged
from hooked import world
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import note

SEEDS = range(1, 1 + int(os.environ.get("HOOKED_SEEDS", "20")))
STEPS = 40  # of a seed
CHOSEN = ("ConfigMap", "Secret", "Service", "Deployment", "StatefulSet", "Ingress", "Lease",
          "PodDisruptionBudget", "HorizontalPodAutoscaler", "Gadget")
LABELS = ([{"ask": wish} for wish in world.WISHES] + [{"ask": "m2-patches"}, {"ask": None}] * 5
          + [{"p1": "x"}, {"p2": "x"}, {"p2": "y"}, {"keep": "y"}, {"keep": None}, {"p5": "x"},
             {"m2": "y"}, {"p1": None}])


class Pair:
    """Both servers, and the webhooks of each."""

    def __init__(self, build, apiserver, etcd):
        self.hooks = []
        self.real = KubeApiserver(apiserver, etcd)
        try:
            self.ours = ListwatchServe(build / "listwatch", options=(
                "--authorization-mode", "Node,RBAC", "--disable-admission-plugins",
                "ServiceAccount", "--controllers=-root-ca-cert-publisher"))
            for server in self.servers():
                self.hooks.append(world.make_hook())
                define(server)
                world.establish(server, self.hooks[-1])
        except BaseException:
            self.remove()
            raise

    def servers(self):
        return [server for server in (self.real, getattr(self, "ours", None)) if server]

    def run(self, check):
        check(self)

    def remove(self):
        for hook in self.hooks:
            hook.close()
        for server in self.servers():
            server.remove()


class HookedSequence(Sequence):
    """Answers are compared with what the webhooks were asked meanwhile."""

    def __init__(self, pair, namespace):
        self.hooks = dict(zip((server.port for server in pair.servers()), pair.hooks))
        self.calls = 0
        super().__init__(pair.servers(), namespace)

    def both(self, step):
        def ask(side):
            session, normaliser = side
            hook = self.hooks[session.server.port]
            normaliser.request(step)
            hook.asked.clear()
            answer = session.send(step)
            calls = list(hook.asked)
            self.calls += len(calls)
            shown = {"status": answer.status, "headers": normaliser.body(answer.headers),
                     "body": normaliser.body(answer.body),
                     "calls": [call_of(normaliser, *call) for call in calls]}
            for call in shown["calls"]:
                call["review"]["request"]["object"] = excused(
                    call["review"]["request"]["object"], answer.status >= 400)
            shown["calls"] = ordered(shown["calls"])
            return without_patch_words(without_port(shown, hook.port))
        return list(self.pool.map(ask, self.sides))


def call_of(normaliser, path, review, _headers):
    review["request"]["uid"] = ""
    review["request"].setdefault("name", "")
    return {"path": path, "review": normaliser.body(review)}


def ordered(calls):
    """By number and path.  Validating webhooks are called at once: their order is no matter."""
    def is_mutating(call):
        return call["path"].startswith("/m")
    at_once = sorted((call for call in calls if not is_mutating(call)),
                     key=lambda call: (call["review"]["request"]["name"], call["path"]))
    return {f"{number} {call['path']}": call["review"]
            for number, call in enumerate([*filter(is_mutating, calls), *at_once])}


def excused(obj, is_refused):
    """Without what differs on purpose: managed fields of an object that is not valid have zeros and
    nulls that Go keeps."""
    if is_refused and isinstance(obj, dict) and "managedFields" in obj.get("metadata", {}):
        obj["metadata"]["managedFields"] = "<of an object that is refused>"
    return obj


def without_patch_words(shown):
    """Why a patch does not apply is said in the words of the library that applies it."""
    if shown["status"] != 500 or "operation" not in shown["body"].get("message", ""):
        return shown
    return {**shown, "body": {**shown["body"], "message": "", "details": ""}}


def without_port(value, port):
    if isinstance(value, dict):
        return {key: without_port(item, port) for key, item in value.items()}
    if isinstance(value, list):
        return [without_port(item, port) for item in value]
    return value.replace(f":{port}/", ":PORT/") if isinstance(value, str) else value


def wished(dice, step):
    """|step| with a label that says what webhooks and policies do, if it writes labels."""
    if step.method in ("POST", "PATCH") and isinstance(step.body, dict) and not any(
            part in step.path for part in ("/status", "/scale")):
        step.body = merged(step.body, {"metadata": {"labels": dice.choice(LABELS)}})
    return step


def steps_of(seed):
    dice = random.Random(f"hooked {seed}")
    kinds = dice.sample([kind for kind in KINDS if kind.kind in CHOSEN], 2)
    ways = [way for way in draw.WAYS if way is not draw.draw_read]
    for _ in range(STEPS):
        kind, name = dice.choice(kinds), dice.choice(draw.NAMES)
        step = wished(dice, dice.choice(ways)(dice, kind, name))
        # kube-apiserver cannot apply the scale of custom resources, and takes a field out of
        # Services that become an ExternalName only when they are read.
        if not (kind.is_custom() and "/scale" in step.path) and "ExternalName" not in str(step):
            yield step
    for kind in kinds:
        yield get(kind.path)


def check_of_seed(seed):
    def check(pair):
        sequence = HookedSequence(pair, f"hooked-{seed}")
        try:
            for step in steps_of(seed):
                sequence.run(step)
        finally:
            sequence.end()
        count = len(sequence.differences)
        note(f"{sequence.compared} answers, {sequence.calls} calls of webhooks, {count} different")
        assert not count, f"{count} different:\n" + "\n\n".join(sequence.differences)
    check.__name__ = f"seed_{seed}_passes_the_same_webhooks_and_policies"
    return check


CHECKS = [check_of_seed(seed) for seed in SEEDS]
