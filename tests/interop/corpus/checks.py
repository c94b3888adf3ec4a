# SPDX-License-Identifier: Apache-2.0
"""checks.py -- public CustomResourceDefinitions (modules.py says where they are) at kube-apiserver
and at listwatch: each is accepted by both, or refused in the same words.

An estimate of the cost of a rule is told only as the factor by which it exceeds the limit, with few
digits, and not beyond 100.  So the spec of each definition that has rules is put into lists of different
lengths, which multiply the estimates: for each rule, some list brings the factor into the range."""

import copy
import json

from corpus.modules import DEFINITIONS, MODULES, documents, download
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import note

LENGTHS = [10 ** power for power in range(0, 10)]
OVER = "more than 100x"
CONTRIBUTED = "contributed to estimated rule cost total"


class Pair:
    def __init__(self, build, apiserver, etcd):
        self.real = KubeApiserver(apiserver, etcd)
        try:
            self.ours = ListwatchServe(build / "listwatch", options=(
                "--authorization-mode", "Node,RBAC",
                "--disable-admission-plugins", "ServiceAccount"))
        except BaseException:
            self.real.remove()
            raise
        self.seen = 0

    def servers(self):
        return [self.real, self.ours]

    def run(self, check):
        check(self)

    def remove(self):
        for server in self.servers():
            server.remove()


def answer(server, body, kind):
    """The status, what is wrong, and the definition; nothing is stored."""
    status, text = server.request("POST", DEFINITIONS + "?dryRun=All", body, kind)
    said = json.loads(text)
    causes = (said.get("details") or {}).get("causes") or []
    # Of rules that cost the same, Go's map says which ones are named.
    faults = sorted(("" if CONTRIBUTED in cause["message"] else cause.get("field", ""),
                     cause["message"]) for cause in causes)
    return status, faults or [("", said.get("message", ""))], said


def compare(pair, what, body, kind, differences):
    """kube-apiserver's answer."""
    real, ours = (answer(server, body, kind) for server in pair.servers())
    if real[0] != ours[0]:
        differences.append(f"{what}: {real[0]} {real[1]}, but {ours[0]} {ours[1]}")
    elif real[0] >= 300 and real[1] != ours[1]:
        only = [f"  - {fault}" for fault in real[1] if fault not in ours[1]]
        only += [f"  + {fault}" for fault in ours[1] if fault not in real[1]]
        differences.append("\n".join([f"{what}:"] + only))
    return real


def in_list(definition, length):
    """|definition| with the spec of each version in a list; None: nothing in it has rules."""
    made, has_rules = copy.deepcopy(definition), False
    for version in made["spec"]["versions"]:
        schema = version.get("schema", {}).get("openAPIV3Schema", {})
        schema.pop("x-kubernetes-validations", None)  # they know where the spec is
        spec = schema.get("properties", {}).get("spec")
        if spec and "x-kubernetes-validations" in json.dumps(spec):
            has_rules = True
            schema["properties"]["spec"] = {"type": "array", "maxItems": length, "items": spec}
        version.pop("additionalPrinterColumns", None)
        version.pop("selectableFields", None)
        version.pop("subresources", None)
    return made if has_rules else None


def compare_costs(pair, what, definition, differences):
    """How many estimates were compared."""
    count = 0
    for length in LENGTHS:
        made = in_list(definition, length)
        if not made:
            return 0
        found = len(differences)
        _, faults, _ = compare(pair, f"{what} in a list of {length}", made, "application/json",
                               differences)
        told = [message for _, message in faults if "exceeds budget by factor" in message]
        count += sum(OVER not in message for message in told)
        if len(differences) > found or (told and all(OVER in message for message in told)
                                        and len(told) > 1 and length > 10 ** 6):
            break
    return count


def check_of(title, module, pattern):
    def check(pair):
        count = accepted = costs = 0
        differences = []
        for path, text in documents(download(module), pattern):
            status, _, said = compare(pair, path, text, "application/yaml", differences)
            count += 1
            accepted += status == 201
            if status == 201 and "x-kubernetes-validations" in text:
                costs += compare_costs(pair, path, said, differences)
        pair.seen += count
        note(f"{module}: {count} definitions, {accepted} accepted, {costs} estimates, "
             f"{len(differences)} different; {pair.seen} so far")
        assert count > 0, f"{module} has no definitions in {pattern}"
        assert not differences, "\n".join(differences)
    check.__name__ = f"definitions_of_{title}_are_judged_alike"
    return check


CHECKS = [check_of(*one) for one in MODULES]
