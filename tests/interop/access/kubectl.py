# SPDX-License-Identifier: Apache-2.0
"""kubectl.py -- `kubectl auth` and `kubectl create token` against both servers: equal output."""

import base64
import json
import re
import subprocess

from access.world import BLUE, RBAC, rule

LISTED = ("boss", "viewer", "chief", "system:node:n1", "named", "paths", "mixed", "granter", "outsider",
          "robot")
ASKED = (("create", "pods"), ("*", "*"), ("get", "secrets/ada"), ("get", "secrets", "--subresource=x"),
         ("list", "nodes"), ("get", "/healthz/ping"), ("get", "/custom/x"), ("update", "deployments.apps/scale"),
         ("create", "nothings"), ("create", "serviceaccounts/robot", "--subresource=token"))
TIMES = ("exp", "iat", "nbf", "jti")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:]+Z")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


class Kubectl:
    """The program as a user of both servers."""

    def __init__(self, pair, user):
        self.program = pair.kubectl()
        self.user = user
        self.configs = [server.kubeconfig(f"{user.replace(':', '-')}.kubeconfig", token=server.tokens[user])
                        for server in pair.servers()]

    def run(self, *words, text=None):
        """Of both: exit code, output and errors."""
        return [self.run_one(config, words, text) for config in self.configs]

    def run_one(self, config, words, text):
        done = subprocess.run([*self.program, "--kubeconfig", config, *words], input=text, text=True,
                              capture_output=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def is_answered_alike(self, *words, text=None, clean=lambda text: text):
        answers = [(code, clean(out), clean(err)) for code, out, err in self.run(*words, text=text)]
        assert answers[0] == answers[1], f"{self.user}: kubectl {' '.join(words)}\n- {answers[0]}\n+ {answers[1]}"


def sorted_lines(text):
    """Rules come in the order of a Go map."""
    return sorted(text.splitlines())


def without_uids(text):
    return TIME.sub("<time>", UID.sub("<uid>", text))


def kubectl_lists_what_users_may_do(pair):
    for user in LISTED:
        for namespace in (BLUE, "default"):
            Kubectl(pair, user).is_answered_alike("auth", "can-i", "--list", "-n", namespace, clean=sorted_lines)


def kubectl_asks_what_users_may_do(pair):
    for user in LISTED:
        for words in ASKED:
            Kubectl(pair, user).is_answered_alike("auth", "can-i", *words, "-n", BLUE)


def kubectl_knows_who_it_is(pair):
    for user in LISTED:
        for form in ("yaml", "wide"):
            Kubectl(pair, user).is_answered_alike("auth", "whoami", "-o", form, clean=without_uids)
    boss = Kubectl(pair, "boss")
    for words in (("eve", "--as-group", "dev", "--as-uid", "7"), ("system:node:n1",),
                  (f"system:serviceaccount:{BLUE}:robot",)):
        boss.is_answered_alike("auth", "whoami", "--as", *words, clean=without_uids)


def kubectl_reconciles_roles(pair):
    """More rules and subjects than there are; dry runs first."""
    objects = {"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name, "namespace": BLUE},
         "rules": rules} for name, rules in (("robot", [rule("get,delete", "pods,services")]),
                                             ("fresh", [rule("get", "configmaps")]))] + [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
         "metadata": {"name": "fresh", "namespace": BLUE}, "subjects": [{"kind": "User", "name": "eve",
                                                                         "apiGroup": RBAC.split("/")[2]}],
         "roleRef": {"apiGroup": RBAC.split("/")[2], "kind": "Role", "name": "fresh"}}]}
    text = json.dumps(objects)
    for user in ("viewer", "chief", "granter", "boss"):
        Kubectl(pair, user).is_answered_alike("auth", "reconcile", "-f", "-", "--dry-run=server", text=text)
    boss = Kubectl(pair, "boss")
    for extra in ((), (), ("--remove-extra-permissions", "--remove-extra-subjects")):
        boss.is_answered_alike("auth", "reconcile", "-f", "-", *extra, text=text)
    real, ours = (server.call("GET", f"{RBAC}/namespaces/{BLUE}/roles/robot")["rules"]
                  for server in pair.servers())
    assert real == ours, (real, ours)


def claims_of(text):
    """What a token says, but for times and uids."""
    if text.count(".") != 2:
        return text
    part = text.strip().split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    claims["lifetime"] = claims["exp"] - claims["iat"]
    kept = {key: value for key, value in claims.items() if key not in TIMES}
    return without_uids(json.dumps(kept, sort_keys=True))


def kubectl_creates_tokens(pair):
    for user in ("boss", "named", "viewer", "robot", "system:node:n1"):
        Kubectl(pair, user).is_answered_alike("create", "token", "other", "-n", BLUE, clean=claims_of)
    boss = Kubectl(pair, "boss")
    for words in (("robot",), ("robot", "--duration", "20m", "--audience", "vault", "--audience", "bank"),
                  ("robot", "--bound-object-kind", "Pod", "--bound-object-name", "ada"),
                  ("robot", "--bound-object-kind", "Secret", "--bound-object-name", "eve"),
                  ("robot", "--bound-object-kind", "Node", "--bound-object-name", "n1"),
                  ("other", "--bound-object-kind", "Pod", "--bound-object-name", "ada"),
                  ("robot", "--bound-object-kind", "Pod", "--bound-object-name", "nope"),
                  ("robot", "--duration", "1s"), ("nobody",)):
        boss.is_answered_alike("create", "token", *words, "-n", BLUE, clean=claims_of)


KUBECTL_CHECKS = [kubectl_lists_what_users_may_do, kubectl_asks_what_users_may_do, kubectl_knows_who_it_is,
                  kubectl_creates_tokens, kubectl_reconciles_roles]
