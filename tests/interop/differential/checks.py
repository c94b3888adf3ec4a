# SPDX-License-Identifier: Apache-2.0
"""checks.py -- the same requests to kube-apiserver and to listwatch: the cases that were written by
hand, then sequences that were drawn, each seed in a namespace of its own."""

import os
import re
from pathlib import Path

import discovery
from differential.cases import CASES
from differential.compare import Sequence
from differential.crd import define
from differential.draw import draw
from differential.excuses import EXCUSES
from differential.users import USERS, create, shared_out
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import note

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "differences.md"
SEEDS = range(1, 1 + int(os.environ.get("DIFFERENTIAL_SEEDS", "20")))
STEPS = 120  # of a seed


class BareApiserver(KubeApiserver):
    """With claims and volumes that nobody lets go: there is no controller manager."""

    plugins_left_out = "ServiceAccount"
    users = USERS


class BareServe(ListwatchServe):
    users = USERS


class Pair:
    """Both servers, with the same definition of a custom resource and the same users."""

    def __init__(self, build, apiserver, etcd):
        self.real = BareApiserver(apiserver, etcd)
        try:
            self.ours = BareServe(build / "listwatch", options=(
                "--authorization-mode", "Node,RBAC",
                "--disable-admission-plugins", "ServiceAccount",
                "--controllers=-root-ca-cert-publisher,-pvc-protection,-pv-protection,"
                "-validatingadmissionpolicy-status"))
            for server in self.servers():
                define(server)
                create(server)
        except BaseException:
            self.real.remove()
            raise

    def servers(self):
        return [self.real, self.ours]

    def run(self, check):
        check(self)

    def remove(self):
        for server in self.servers():
            server.remove()


def run_sequence(pair, namespace, steps):
    sequence = Sequence(pair.servers(), namespace)
    try:
        for step in steps:
            sequence.run(step)
    finally:
        sequence.end()
    count = len(sequence.differences)
    note(f"{sequence.compared} answers, {count} different")
    assert not count, f"{count} different:\n" + "\n\n".join(sequence.differences)


def check_of_case(case):
    def check(pair):
        run_sequence(pair, case.__name__.replace("_", "-")[:60], case())
    check.__name__ = case.__name__
    return check


def check_of_seed(seed):
    def check(pair):
        run_sequence(pair, f"seed-{seed}", shared_out(draw(seed, STEPS), seed))
    check.__name__ = f"seed_{seed}_is_answered_alike"
    return check


def every_excuse_is_on_the_page_and_none_else(_pair):
    listed = set(re.findall(r"^\| `([a-z-]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    named = {excuse.name for excuse in EXCUSES}
    assert listed == named, f"only on the page: {listed - named}; only here: {named - listed}"


def every_excuse_was_needed(_pair):
    unused = [excuse.name for excuse in EXCUSES if not excuse.is_used]
    assert not unused, f"nothing differs there any more: {unused}"



def discovery_is_that_of_kube_apiserver(pair):
    (theirs, groups), (mine, my_groups) = map(discovery.served_by, pair.servers())
    custom = {name for name in theirs if "example.com" in name}
    different = [line for line in discovery.differences(theirs, mine)
                 if line.split(" ", 1)[1] not in custom]
    assert not different, "\n".join(different)
    assert groups == my_groups, (groups, my_groups)


CHECKS = ([every_excuse_is_on_the_page_and_none_else, discovery_is_that_of_kube_apiserver] + [check_of_case(case) for case in CASES]
          + [check_of_seed(seed) for seed in SEEDS] + [every_excuse_was_needed])
