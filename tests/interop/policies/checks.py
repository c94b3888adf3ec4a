# SPDX-License-Identifier: Apache-2.0
"""checks.py -- admission policies and Pod Security: kube-apiserver and listwatch give the same
answers to the same requests: code, message, reason, causes, warnings, and the object."""

import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from policies import cases, pods, subresources, typed
from program import Skip, note

GROUP = "/apis/admissionregistration.k8s.io/v1"
READY_S = 60
# What a server writes by itself.
OWN = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation")


class Pair:
    def __init__(self, build, apiserver, etcd):
        self.real = KubeApiserver(apiserver, etcd, options=("--allow-privileged",))
        try:
            self.ours = ListwatchServe(build / "listwatch", options=(
                "--authorization-mode", "Node,RBAC",
                "--disable-admission-plugins", "ServiceAccount"))
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


def path_of(namespace, resource):
    group = "/apis/apps/v1" if resource == "deployments" else "/api/v1"
    return f"{group}/namespaces/{namespace}/{resource}"


def cleaned(body):
    """Without what differs between two runs of one server."""
    if body.get("kind") == "Status":
        details = body.get("details") or {}
        return {"message": body.get("message"), "reason": body.get("reason"),
                "causes": details.get("causes"), "name": details.get("name"),
                "kind": details.get("kind")}
    metadata = {k: v for k, v in body.get("metadata", {}).items() if k not in OWN}
    return {**body, "metadata": metadata, "status": None}


def answer(server, method, path, body=None, kind="application/json"):
    connection, reply = server.open(method, path, body, kind)
    try:
        warnings = sorted(reply.headers.get_all("Warning") or [])
        return reply.status, cleaned(json.loads(reply.read())), warnings
    finally:
        connection.close()


class Comparison:
    def __init__(self, servers):
        self.servers = servers
        self.compared = 0
        self.differences = []

    def both(self, what, method, path, body=None, kind="application/json", is_short=False):
        """|is_short|: of what is stored, only that it is."""
        real, ours = (answer(server, method, path, body, kind) for server in self.servers)
        if is_short and real[0] == ours[0] < 300:
            real, ours = real[::2], ours[::2]
        self.compared += 1
        if real != ours:
            self.differences.append(f"{what}:\n  kube-apiserver {real}\n  listwatch      {ours}")

    def end(self):
        count = len(self.differences)
        note(f"{self.compared} answers, {count} different")
        assert not count, f"{count} different:\n" + "\n".join(self.differences)


def make_namespace(server, name, labels=None):
    server.call("POST", "/api/v1/namespaces", {
        "apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {"who": "somebody", **(labels or {})}}})


def bound_to(namespace, policy, spec):
    actions = {} if "mutations" in policy else {"validationActions": ["Deny"]}
    return {"policyName": namespace, **actions, **spec, "matchResources": {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}}


def define(server, kind, name, policy, binding):
    """The policy and its binding, which are limited to the namespace with their name."""
    plural = "validatingadmissionpolicies" if kind == "Validating" else "mutatingadmissionpolicies"
    metadata = {"name": name}
    server.call("POST", f"{GROUP}/{plural}", {
        "apiVersion": cases.ADMISSION, "kind": f"{kind}AdmissionPolicy", "metadata": metadata,
        "spec": policy})
    server.call("POST", f"{GROUP}/{plural.replace('policies', 'policybindings')}", {
        "apiVersion": cases.ADMISSION, "kind": f"{kind}AdmissionPolicyBinding",
        "metadata": metadata, "spec": bound_to(name, policy, binding)})


def await_policies(server, kind, prefix):
    """Until the last of the policies is in force, and with it those before."""
    name = f"{prefix}sentinel"
    make_namespace(server, name)
    policy = (cases.validating("false") if kind == "Validating"
              else cases.mutating('Object{data: {"sentinel": object.data.missing}}'))
    define(server, kind, name, policy, {})
    deadline = time.monotonic() + READY_S
    while answer(server, "POST", path_of(name, "configmaps") + "?dryRun=All",
                 cases.config()[1])[0] < 400:
        assert time.monotonic() < deadline, f"{server.name} does not use its policies"
        time.sleep(0.1)


def run_cases(pair, kind, table, prefix, prepare=None):
    for server in pair.servers():
        for name, (policy, binding, _) in table.items():
            make_namespace(server, prefix + name)
            if prepare:
                prepare(server, prefix + name)
            define(server, kind, prefix + name, policy, binding)
        await_policies(server, kind, prefix)
    comparison = Comparison(pair.servers())
    for name, (_, _, objects) in table.items():
        for resource, body in objects:
            path = path_of(prefix + name, resource)
            what = f"{name} {body['metadata']['name']}"
            comparison.both(what, "POST", path, body)
            comparison.both(f"{what} labelled", "PATCH", f"{path}/{body['metadata']['name']}",
                            {"metadata": {"labels": {"later": "1"}}},
                            "application/merge-patch+json")
            comparison.both(f"{what} deleted", "DELETE", f"{path}/{body['metadata']['name']}")
    comparison.end()


def validating_policies_give_the_same_answers(pair):
    run_cases(pair, "Validating", cases.VALIDATING, "v-")


def policies_with_parameters_give_the_same_answers(pair):
    def prepare(server, namespace):
        for name, value, labels in (("params", "eA==", {"is": "param"}),
                                    ("second", "y", {"is": "param"}), ("third", "z", {})):
            server.call("POST", path_of(namespace, "configmaps"), {
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": name, "labels": labels}, "data": {"a": value}})
    run_cases(pair, "Validating", cases.WITH_PARAMS, "p-", prepare)


def mutating_policies_give_the_same_answers(pair):
    run_cases(pair, "Mutating", cases.MUTATING, "m-")


def policies_of_subresources_give_the_same_answers(pair):
    for server in pair.servers():
        for name, (kind, policy, _) in subresources.CASES.items():
            make_namespace(server, f"u-{name}")
            for resource, body in subresources.objects():
                server.call("POST", path_of(f"u-{name}", resource), body)
            define(server, kind, f"u-{name}", policy, {})
        for kind in ("Validating", "Mutating"):
            await_policies(server, kind, f"u-{kind.lower()}-")
    comparison = Comparison(pair.servers())
    for name, (_, _, requests) in subresources.CASES.items():
        for method, below, body in requests:
            resource, rest = below.split("/", 1)
            patch = "application/merge-patch+json" if method == "PATCH" else "application/json"
            comparison.both(f"{name} {method} {below}", method,
                            f"{path_of(f'u-{name}', resource)}/{rest}", body, patch)
    comparison.end()


def invalid_policies_are_refused_in_the_same_words(pair):
    comparison = Comparison(pair.servers())
    for name, spec in cases.INVALID.items():
        kind = "Mutating" if "mutations" in spec else "Validating"
        plural = f"{kind.lower()}admissionpolicies"
        comparison.both(name, "POST", f"{GROUP}/{plural}?dryRun=All", {
            "apiVersion": cases.ADMISSION, "kind": f"{kind}AdmissionPolicy",
            "metadata": {"name": f"i-{name}"}, "spec": spec})
    comparison.end()


def labels_of(modes):
    return {f"pod-security.kubernetes.io/{mode}": value for mode, value in modes.items()}


def policies_of_pod_security_give_the_same_answers(pair):
    comparison = Comparison(pair.servers())
    for level, modes in pods.LEVELS.items():
        for server in pair.servers():
            make_namespace(server, f"s-{level}", labels_of(modes))
        for name, body in pods.PODS.items():
            comparison.both(f"{level} {name}", "POST",
                            path_of(f"s-{level}", "pods") + "?dryRun=All", body, is_short=True)
            made = cases.deployment()[1]
            made["spec"]["template"]["spec"] = body["spec"]
            comparison.both(f"{level} {name} in a deployment", "POST",
                            path_of(f"s-{level}", "deployments") + "?dryRun=All", made,
                            is_short=True)
    comparison.end()


def policies_of_pod_security_for_namespaces_give_the_same_answers(pair):
    comparison = Comparison(pair.servers())
    for server in pair.servers():
        make_namespace(server, "s-changed")
        for name in ("a", "b"):
            body = {**pods.PODS["privileged"], "metadata": {"name": name}}
            server.call("POST", path_of("s-changed", "pods"), body)
        server.call("POST", path_of("s-changed", "pods"),
                    {**pods.PODS["host-ports"], "metadata": {"name": "c"}})
    for number, modes in enumerate(pods.LABELS):
        comparison.both(f"created {modes}", "POST", "/api/v1/namespaces?dryRun=All", {
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": f"s-new-{number}", "labels": labels_of(modes)}})
        comparison.both(f"changed {modes}", "PATCH", "/api/v1/namespaces/s-changed?dryRun=All",
                        {"metadata": {"labels": labels_of(modes)}},
                        "application/merge-patch+json")
    comparison.end()


def type_checker(folder):
    """kube-controller-manager's type checker, built."""
    done = subprocess.run(["nice", "go", "build", "-buildvcs=false", "-p", os.environ.get("JOBS", "2"), "-o",
                           folder, "./typecheck"],
                          cwd=Path(__file__).resolve().parent.parent / "apiserver",
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip(f"the type checker cannot be built: {done.stderr.strip()[-300:]}")
    return Path(folder) / "typecheck"


def warnings_of(checked):
    """Without the numbers that make the names of types unique."""
    kinds = "|".join(re.findall(r"Kind=(\w+)", json.dumps(checked))) or "-"
    return [(one["fieldRef"], re.sub(rf"\b({kinds})\d+", r"\1", one["warning"])) for one in checked]


def types_of_policies_are_checked_alike(pair):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([type_checker(folder)], check=True, capture_output=True, text=True,
                              input="\n".join(map(json.dumps, typed.POLICIES)))
    count = 0
    for index, (policy, line) in enumerate(zip(typed.POLICIES, done.stdout.splitlines(), strict=True)):
        path = f"{GROUP}/validatingadmissionpolicies"
        named = {**policy, "metadata": {"name": f"typed-{index}"}}
        _, made = answer(pair.ours, "POST", path, named)[:2]
        until = time.monotonic() + READY_S
        while "observedGeneration" not in (made.get("status") or {}):
            assert time.monotonic() < until, f"{named} has no status: {made}"
            made = json.loads(pair.ours.request("GET", f"{path}/typed-{index}")[1])
        wanted = warnings_of(json.loads(line) or [])
        seen = warnings_of(made["status"]["typeChecking"].get("expressionWarnings", []))
        assert seen == wanted, f"{policy}:\n{wanted}\n{seen}"
        count += len(wanted)
    note(f"{len(typed.POLICIES)} policies, {count} warnings")


CHECKS = [types_of_policies_are_checked_alike,
          validating_policies_give_the_same_answers,
          policies_with_parameters_give_the_same_answers,
          mutating_policies_give_the_same_answers,
          policies_of_subresources_give_the_same_answers,
          invalid_policies_are_refused_in_the_same_words,
          policies_of_pod_security_give_the_same_answers,
          policies_of_pod_security_for_namespaces_give_the_same_answers]
