# SPDX-License-Identifier: Apache-2.0
"""control_users_test.py -- controllers and hollow nodes act as users of their own, and need no other
rights than those: seen in the audit log.

usage: control_users_test.py LISTWATCH"""

import collections
import json
import os
import time

from cluster import DEPLOYMENTS, PODS, create, deployment, wait_for
from serving import Follower, Server, run_tests

POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}],
          "omitStages": ["RequestReceived"]}
ACCOUNT = "system:serviceaccount:kube-system:"
ACCOUNTS = ["deployment-controller", "replicaset-controller", "endpoint-controller",
            "endpointslice-controller", "job-controller", "cronjob-controller", "node-controller",
            "replication-controller", "root-ca-cert-publisher", "service-account-controller"]
NODES = [f"system:node:node-{number}" for number in (1, 2, 3)]
MANAGER, SCHEDULER = "system:kube-controller-manager", "system:kube-scheduler"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
RBAC = "rbac.authorization.k8s.io"

Request = collections.namedtuple("Request", "user who verb what code")


class Audited(Server):
    """A server that writes an audit log, and knows an operator with a token."""

    def __init__(self, program, options=()):
        super().__init__(program)
        self.audit = self.folder + "/audit.log"
        self.write("policy", json.dumps(POLICY))
        self.write("tokens", "operators-token,operator,1\n")
        self.command += ["--audit-policy-file", self.folder + "/policy", "--audit-log-path", self.audit,
                         "--audit-log-mode", "blocking",
                         "--token-file", self.folder + "/tokens", *options]
        self.start()

    def write(self, name, text):
        with open(os.open(f"{self.folder}/{name}", os.O_WRONLY | os.O_CREAT, 0o600), "w") as out:
            out.write(text)

    def requests(self):
        """The requests so far: who was authenticated, as whom, and what it came to."""
        with open(self.audit, encoding="utf-8") as log:
            lines = [json.loads(line) for line in log.read().splitlines(keepends=True)
                     if line.endswith("\n")]
        for line in lines:
            ref = line.get("objectRef", {})
            what = ref.get("resource", line["requestURI"].split("?")[0])
            if "subresource" in ref:
                what += "/" + ref["subresource"]
            user = line["user"]["username"]
            yield Request(user, line.get("impersonatedUser", {}).get("username", user),
                          line["verb"], what, line.get("responseStatus", {}).get("code", 0))


def is_running(pods):
    return len(pods) == 3 and all(pod.get("status", {}).get("phase") == "Running"
                                  for pod in pods.values())


def work(server):
    """Makes a Deployment run, and replaces its Pods; returns the requests of all others."""
    create(server, DEPLOYMENTS, deployment(3))
    before = wait_for(server, PODS, is_running)
    for name in before:
        server.call("DELETE", f"{PODS}/{name}")
    wait_for(server, PODS, lambda pods: is_running(pods) and not set(pods) & set(before))


def check(server, user):
    made = list(server.requests())
    refused = [request for request in made if request.code in (401, 403)]
    assert not refused, refused
    seen = {request.who for request in made}
    wanted = {MANAGER, SCHEDULER, *NODES, *(ACCOUNT + name for name in ACCOUNTS[:2])}
    assert wanted <= seen, wanted - seen
    known = wanted | {ACCOUNT + name for name in ACCOUNTS} | {"system:admin"}
    assert seen <= known, seen - known
    assert {request.user for request in made if request.who != "system:admin"} == {user}, seen
    # What the test did itself: the controllers did nothing as the administrator.
    admins = {(r.verb, r.what) for r in made if r.who == "system:admin"}
    assert admins <= {("create", "deployments"), ("delete", "pods"), ("list", "pods"),
                      ("watch", "pods"), ("create", "clusterroles"),
                      ("create", "clusterrolebindings")}, admins
    nodes = {(r.verb, r.what) for r in made if r.who in NODES}
    assert nodes == {("create", "nodes"), ("patch", "nodes/status"), ("create", "leases"),
                     ("patch", "leases"), ("patch", "pods/status"), ("delete", "pods")}, nodes


def those_of_the_server_act_as_their_own_users(program):
    server = Audited(program, ["--controllers", "--nodes", "3"])
    try:
        work(server)
        check(server, "system:admin")
    finally:
        server.remove()


def an_operator_needs_only_the_right_to_impersonate_them(program):
    server = Audited(program)
    rules = [(["users"], [MANAGER, SCHEDULER, *NODES]), (["groups"], ["system:nodes"]),
             (["serviceaccounts"], ACCOUNTS)]
    create(server, ROLES, {
        "apiVersion": RBAC + "/v1", "kind": "ClusterRole", "metadata": {"name": "operator"},
        "rules": [{"apiGroups": [""], "resources": resources, "resourceNames": names,
                   "verbs": ["impersonate"]} for resources, names in rules]})
    create(server, BINDINGS, {
        "apiVersion": RBAC + "/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "operator"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "operator"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "operator"}]})
    control = Follower([program, "control", "--server", f"https://127.0.0.1:{server.tls_port}",
                        "--certificate-authority", server.folder + "/data/pki/ca.crt",
                        "--token", "operators-token", "--nodes", "3"], joined=True)
    try:
        work(server)
        end = time.monotonic() + 30  # the informers are reported every two seconds
        while not any(r.what == "/debug/listwatch/informers" for r in server.requests()):
            assert time.monotonic() < end
            time.sleep(0.05)
        check(server, "operator")
        assert control.end() == 0, control.told()
        told = [line for line in control.lines if "forbidden" in line]
        assert not told, told
    finally:
        control.kill()
        server.remove()


run_tests([
    those_of_the_server_act_as_their_own_users,
    an_operator_needs_only_the_right_to_impersonate_them,
])
