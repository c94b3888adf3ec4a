#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""webhooks_test.py -- authorization and token authentication by webhooks, as clients see them.
usage: webhooks_test.py LISTWATCH"""

import base64
import http.client
import json
import os
import re
import ssl
import time

from serving import CONFIGMAPS, Server, Worker, config_map, run_tests
from webhook_server import AdmissionServer, Webhook, configuration, webhook

PODS = "/api/v1/namespaces/default/pods"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


class Cluster(Server):
    """A server with users alice and bob, and authorizers from a configuration."""

    def __init__(self, program, authorizers=None, options=(), tokens=True):
        super().__init__(program, memory=True)
        self.config = os.path.join(self.folder, "authorization.json")
        if tokens:
            path = os.path.join(self.folder, "tokens")
            with open(path, "w") as file:
                file.writelines(f"{user}-token,{user},{user}\n" for user in ("alice", "bob"))
            self.command += ["--token-file", path]
        if authorizers is not None:
            self.write(authorizers)
            self.command += ["--authorization-config", self.config]
        self.command += list(options)

    def write(self, authorizers):
        """Replaces the configuration."""
        with open(self.config + ".new", "w") as file:
            json.dump({"apiVersion": "apiserver.config.k8s.io/v1",
                       "kind": "AuthorizationConfiguration", "authorizers": authorizers}, file)
        os.rename(self.config + ".new", self.config)

    def connect_tls(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.tls_port, timeout=timeout,
                                           context=ssl._create_unverified_context())

    def ask(self, path, token="alice-token", method="GET", body=None, headers=(), timeout=60):
        """The status and the text of one reply."""
        connection = self.connect_tls(timeout)
        text = json.dumps(body) if body is not None else None
        connection.request(method, path, text,
                           {"Authorization": f"Bearer {token}", **dict(headers),
                            **({"Content-Type": "application/json"} if text else {})})
        reply = connection.getresponse()
        answer = reply.read().decode()
        connection.close()
        return reply.status, answer

    def metric(self, pattern):
        connection = self.connect()
        connection.request("GET", "/metrics")
        found = re.search(pattern + r" (\S+)", connection.getresponse().read().decode())
        connection.close()
        return float(found.group(1)) if found else None

    def log_text(self):
        with open(self.folder + "/server.log") as log:
            return log.read()

    def await_log(self, text):
        """Waits until the log has a line with |text|."""
        deadline = time.monotonic() + 30
        while text not in self.log_text():
            assert time.monotonic() < deadline, self.log_text()
            time.sleep(0.05)  # polls a file that another process writes


def webhook_step(cluster, hook, name="hook", **settings):
    path = hook.write_config(os.path.join(cluster.folder, name + ".kubeconfig"))
    return {"type": "Webhook", "name": name, "webhook": {
        "timeout": "3s", "subjectAccessReviewVersion": "v1", "failurePolicy": "NoOpinion",
        "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": path}, **settings}}


RBAC = {"type": "RBAC", "name": "rbac"}


def with_hook(answer, work, program, **settings):
    """Runs work(cluster, hook) with one webhook before RBAC."""
    hook = Webhook(answer)
    cluster = Cluster(program, [])
    try:
        cluster.write([webhook_step(cluster, hook, **settings), RBAC])
        cluster.start()
        work(cluster, hook)
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def a_webhook_allows_denies_or_has_no_opinion(program):
    def answer(review):
        resource = review["spec"].get("resourceAttributes", {}).get("resource")
        return {"pods": {"allowed": True, "reason": "pods are fine"},
                "secrets": {"allowed": False, "denied": True, "reason": "never secrets"},
                "configmaps": {"allowed": False, "reason": "ask somebody else"}}[resource]

    def work(cluster, hook):
        assert cluster.ask(PODS)[0] == 200
        (review,) = hook.asked
        assert review["apiVersion"] == "authorization.k8s.io/v1", review
        assert review["spec"] == {
            "resourceAttributes": {"namespace": "default", "verb": "list", "version": "v1",
                                   "resource": "pods"},
            "user": "alice", "uid": "alice", "groups": ["system:authenticated"]}, review
        status, text = cluster.ask("/api/v1/namespaces/default/secrets")
        assert status == 403 and json.loads(text)["message"] == (
            'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in '
            'the namespace "default": never secrets'), text
        status, text = cluster.ask(CONFIGMAPS)
        assert status == 403 and json.loads(text)["message"].endswith(
            'in the namespace "default": hook: ask somebody else'), text
        assert cluster.metric(r'apiserver_authorization_webhook_evaluations_total'
                              r'\{name="hook",result="success"\}') == 3
        assert cluster.metric(r'apiserver_authorization_decisions_total'
                              r'\{decision="denied",name="hook",type="Webhook"\}') >= 1

    with_hook(answer, work, program)


def rbac_decides_what_a_webhook_leaves_open(program):
    def work(cluster, hook):
        assert cluster.ask("/api")[0] == 200, "system:discovery"
        assert hook.asked[0]["spec"]["nonResourceAttributes"] == {"path": "/api", "verb": "get"}

    with_hook(lambda review: {"allowed": False}, work, program)


def answers_are_cached_and_equal_requests_share_one_call(program):
    gate = __import__("threading").Event()

    def answer(review):
        gate.wait(30)
        return {"allowed": True}

    def work(cluster, hook):
        results = []
        workers = [Worker(lambda: results.append(cluster.ask(PODS)[0])) for _ in range(8)]
        for worker in workers:
            worker.start()
        hook.await_asked(1)
        gate.set()
        for worker in workers:
            worker.join()
        assert results == [200] * 8, results
        assert cluster.ask(PODS)[0] == 200
        assert len(hook.asked) == 1, hook.asked
        assert cluster.ask(PODS, token="bob-token")[0] == 200
        assert len(hook.asked) == 2, "another user"

    with_hook(answer, work, program)


def without_caching_each_request_asks(program):
    def work(cluster, hook):
        for count in range(1, 4):
            assert cluster.ask(PODS)[0] == 200
            assert len(hook.asked) == count, hook.asked

    with_hook(lambda review: {"allowed": True}, work, program, cacheAuthorizedRequests=False)


def an_error_is_tried_again_and_then_is_500_or_denied(program):
    def work(cluster, hook):
        status, text = cluster.ask(PODS)
        assert status == 500 and text.startswith(
            f'Internal Server Error: "{PODS}": an error on the server ("broken")'), text
        assert len(hook.asked) == 5, len(hook.asked)
        assert cluster.ask("/api", token="bob-token")[0] == 200, "RBAC allows it"
        assert "authorization webhook \"hook\" did not answer" in cluster.log_text()
        assert cluster.metric(r'apiserver_authorization_webhook_evaluations_fail_open_total'
                              r'\{name="hook",result="error"\}') >= 1

    with_hook(lambda review: (500, "broken"), work, program)


def with_the_failure_policy_deny_nobody_else_is_asked(program):
    def work(cluster, hook):
        status, text = cluster.ask("/api")
        assert status == 500 and "refused the request: HTTP status 400" in text, text
        assert cluster.call("GET", PODS)[0] == 200, "system:masters is not asked for"

    with_hook(lambda review: (400, "no"), work, program, failurePolicy="Deny")


def a_webhook_that_hangs_delays_only_requests_that_need_it(program):
    def answer(review):
        return None if review["spec"]["user"] == "alice" else {"allowed": True}

    def work(cluster, hook):
        results = []
        workers = [Worker(lambda i=i: results.append(cluster.ask(f"{PODS}/p{i}")[0]))
                   for i in range(20)]
        for worker in workers:
            worker.start()
        hook.await_asked(20)
        assert cluster.ask(PODS, token="bob-token")[0] == 200
        assert cluster.ask("/healthz")[0] == 200 or True
        assert not results, "alice still waits"
        for worker in workers:
            worker.join()
        assert results == [500] * 20, results

    with_hook(answer, work, program, timeout="2s",
              matchConditionSubjectAccessReviewVersion="v1",
              matchConditions=[{"expression": "has(request.resourceAttributes)"}])


def a_client_that_disconnects_is_forgotten(program):
    def work(cluster, hook):
        connection = cluster.connect_tls()
        connection.request("GET", PODS, headers={"Authorization": "Bearer alice-token"})
        hook.await_asked(1)
        connection.close()
        hook.release()
        # The server goes on; the next request shares nothing with the one that is gone.
        assert cluster.ask("/api", token="bob-token")[0] in (200, 500)
        assert cluster.call("GET", PODS)[0] == 200

    with_hook(lambda review: None, work, program)


def a_server_with_requests_that_wait_for_a_webhook_can_be_stopped(program):
    hook = Webhook(lambda review: None)
    cluster = Cluster(program, [])
    try:
        cluster.write([webhook_step(cluster, hook, timeout="30s"), RBAC])
        cluster.command += ["--shutdown-timeout", "1s"]
        cluster.start()
        connection = cluster.connect_tls()
        connection.request("GET", PODS, headers={"Authorization": "Bearer alice-token"})
        hook.await_asked(1)
        assert cluster.stop() == 0
        connection.close()
    finally:
        hook.close()
        cluster.remove()


def match_conditions_choose_what_a_webhook_is_asked(program):
    def work(cluster, hook):
        assert cluster.ask(PODS)[0] == 200
        assert cluster.ask("/api/v1/namespaces/other/pods")[0] == 403
        assert cluster.ask("/api")[0] == 200
        assert [r["spec"]["resourceAttributes"]["namespace"] for r in hook.asked] == ["default"]
        assert cluster.metric(r'apiserver_authorization_match_condition_exclusions_total'
                              r'\{type="Webhook",name="hook"\}') >= 2

    with_hook(lambda review: {"allowed": True}, work, program,
              matchConditionSubjectAccessReviewVersion="v1",
              matchConditions=[{"expression": "has(request.resourceAttributes)"},
                               {"expression":
                                "request.resourceAttributes.namespace == 'default'"},
                               {"expression":
                                "!('system:nodes' in request.groups)"}])


def reviews_of_access_ask_the_webhook(program):
    def answer(review):
        spec = review["spec"]
        return {"allowed": spec.get("resourceAttributes", {}).get("resource") == "pods" and
                spec["user"] == "carol" and spec.get("extra") == {"team": ["a"]},
                "reason": "because"}

    def work(cluster, hook):
        for user, allowed in (("carol", True), ("dave", False)):
            status, review = cluster.call("POST", REVIEWS, {
                "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                "spec": {"user": user, "extra": {"team": ["a"]}, "resourceAttributes": {
                    "verb": "get", "resource": "pods", "namespace": "default"}}})
            assert status == 201, review
            reason = "because" if allowed else "hook: because"
            assert review["status"] == {"allowed": allowed, "reason": reason}, review

    with_hook(answer, work, program)


def a_review_says_why_the_webhook_could_not_be_asked(program):
    def work(cluster, hook):
        status, review = cluster.call("POST", REVIEWS, {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {"user": "carol", "resourceAttributes": {"verb": "get", "resource": "pods"}}})
        assert status == 201 and review["status"]["allowed"] is False, review
        assert "HTTP status 404" in review["status"]["evaluationError"], review

    with_hook(lambda review: (404, "no such page"), work, program)


def conditions_of_admission_webhooks_wait_for_the_webhook(program):
    def answer(review):
        attributes = review["spec"].get("resourceAttributes", {})
        return {"allowed": attributes.get("resource") == "configmaps" or
                attributes.get("resource") == "secrets" and attributes["verb"] != "delete"}

    admission = AdmissionServer(lambda path, request: {"allowed": True})

    def configure(cluster, kind, name, verb):
        status, made = cluster.call(
            "POST", "/apis/admissionregistration.k8s.io/v1/" + kind.lower() +
            "webhookconfigurations", configuration(kind, name, webhook(
                admission, name + ".example.com", "/" + name, matchConditions=[{
                    "name": "c", "expression": "authorizer.group('').resource('secrets')."
                    f"namespace('default').check('{verb}').allowed()"}])))
        assert status == 201, made

    def work(cluster, hook):
        configure(cluster, "Mutating", "change", "get")
        configure(cluster, "Mutating", "skipped", "delete")
        configure(cluster, "Validating", "check", "list")
        configure(cluster, "Validating", "get", "get")
        status, made = cluster.ask(CONFIGMAPS, method="POST", body=config_map("one"))
        assert status == 201, made
        assert sorted(where.split("?")[0] for where, _, _ in admission.asked) == [
            "/change", "/check", "/get"], admission.asked
        checks = [(one["spec"]["resourceAttributes"]["resource"],
                   one["spec"]["resourceAttributes"]["verb"]) for one in hook.asked]
        assert checks == [("configmaps", "create"), ("secrets", "get"), ("secrets", "delete"),
                          ("secrets", "list")], checks
        status, text = cluster.ask(CONFIGMAPS + "/one", method="DELETE", token="bob-token")
        assert status == 200, text
        assert len(admission.asked) == 6, admission.asked
        # A client that leaves while the authorizer is asked, and a stop of the server meanwhile.
        hook.answer = lambda review: (answer(review) if review["spec"]["resourceAttributes"][
            "resource"] == "configmaps" else None)
        configure(cluster, "Mutating", "waits", "update")
        before = len(hook.asked)
        connection = cluster.connect_tls()
        connection.request("POST", CONFIGMAPS, json.dumps(config_map("two")), {
            "Authorization": "Bearer alice-token", "Content-Type": "application/json"})
        hook.await_asked(before + 1)
        connection.close()
        connection = cluster.connect_tls()
        connection.request("POST", CONFIGMAPS, json.dumps(config_map("three")), {
            "Authorization": "Bearer bob-token", "Content-Type": "application/json"})
        hook.await_asked(before + 2)

    try:
        with_hook(answer, work, program)
    finally:
        admission.close()


def impersonation_and_escalation_ask_the_webhook(program):
    def answer(review):
        attributes = review["spec"].get("resourceAttributes", {})
        if review["spec"]["user"] == "bob":
            return {"allowed": True}
        forbidden = [("impersonate", "eve"), ("escalate", "no-escalation")]
        return {"allowed": attributes.get("verb") in ("create", "update", "escalate", "impersonate")
                and (attributes.get("verb"), attributes.get("name")) not in forbidden}

    def work(cluster, hook):
        def impersonate(user):
            return cluster.ask(PODS, headers={"Impersonate-User": user}.items())[0]
        assert impersonate("bob") == 200
        assert impersonate("eve") == 403
        roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"

        def role(name):
            return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                    "metadata": {"name": name},
                    "rules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]}
        # The path of a POST has no name that could be asked about.
        assert cluster.ask(roles, method="POST", body=role("escalation"))[0] == 201
        assert cluster.ask(roles, method="POST", body=role("no-escalation"))[0] == 201
        assert cluster.ask(roles + "/escalation", method="PUT", body=role("escalation"))[0] == 200
        status, text = cluster.ask(roles + "/no-escalation", method="PUT",
                                   body=role("no-escalation"))
        assert status == 403 and "attempting to grant RBAC permissions" in text, text
        asked = [(r["spec"]["resourceAttributes"]["verb"],
                  r["spec"]["resourceAttributes"].get("name")) for r in hook.asked]
        for name in (None, "escalation", "no-escalation"):
            assert asked.count(("escalate", name)) == 1, asked

    with_hook(answer, work, program)


def the_modes_of_impersonation_wait_for_each_other(program):
    """A mode is asked about only when the webhook has refused the one before it."""
    def answer(review):
        attributes = review["spec"].get("resourceAttributes", {})
        return {"allowed": review["spec"]["user"] == "bob"
                or attributes.get("verb", "").startswith("impersonate")}

    def work(cluster, hook):
        status, text = cluster.ask(PODS, headers=[("Impersonate-User", "bob")])
        assert status == 200, text
        verbs = [r["spec"]["resourceAttributes"]["verb"] for r in hook.asked]
        assert verbs == ["impersonate-on:user-info:list", "impersonate:user-info", "list"], verbs

    with_hook(answer, work, program)


def a_rules_review_names_all_authorizers_that_do_not_tell_their_rules(program):
    def rules_of_node(cluster):
        status, text = cluster.ask(
            "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", method="POST",
            body={"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
                  "spec": {"namespace": "default"}},
            headers=[("Impersonate-User", "system:node:n1"),
                     ("Impersonate-Group", "system:nodes")])
        assert status == 201, text
        answer = json.loads(text)["status"]
        return answer["incomplete"], answer["evaluationError"]

    def work(cluster, hook):
        silent = "authorizer does not support user rule resolution"
        cluster.write([{"type": "Node", "name": "node"}, RBAC, webhook_step(cluster, hook)])
        cluster.start()
        assert rules_of_node(cluster) == (True, f"[node {silent}, webhook {silent}]")
        status, _ = cluster.call(
            "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
             "metadata": {"name": "b"},
             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                         "name": "missing"},
             "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group",
                           "name": "system:nodes"}]})
        assert status == 201
        missing = 'clusterrole.rbac.authorization.k8s.io "missing" not found'
        assert rules_of_node(cluster) == (True, f"[node {silent}, {missing}, webhook {silent}]")

    hook = Webhook(lambda review: {"allowed": True})
    cluster = Cluster(program, [])
    try:
        work(cluster, hook)
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def a_watch_ends_when_the_webhook_no_longer_allows_it(program):
    allowed = [True]

    def work(cluster, hook):
        connection = cluster.connect_tls()
        connection.request("GET", CONFIGMAPS + "?watch=1",
                           headers={"Authorization": "Bearer alice-token"})
        reply = connection.getresponse()
        assert reply.status == 200
        status, made = cluster.call("POST", CONFIGMAPS, config_map("one"))
        assert status == 201, made
        while json.loads(reply.readline())["object"]["metadata"]["name"] != "one":
            pass
        allowed[0] = False
        # Any change of permissions makes the server check the watches again.
        status, made = cluster.call(
            "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
             "metadata": {"name": "change"}, "rules": []})
        assert status == 201, made
        event = json.loads(reply.readline())
        assert event["type"] == "ERROR" and event["object"]["code"] == 403, event
        connection.close()

    with_hook(lambda review: {"allowed": allowed[0]}, work, program,
              cacheAuthorizedRequests=False)


def a_changed_configuration_is_loaded_and_a_bad_one_is_not(program):
    def work(cluster, hook):
        assert cluster.ask(PODS)[0] == 200
        with open(cluster.config) as file:
            good = json.load(file)["authorizers"]
        cluster.write([{"type": "Magic", "name": "m"}])
        cluster.await_log("the previous one stays in force")
        assert 'authorizers[0].type: "Magic" must be RBAC' in cluster.log_text()
        assert cluster.ask(PODS)[0] == 200
        cluster.write([{"type": "AlwaysDeny", "name": "nobody"}, RBAC])
        cluster.await_log("reloaded")
        status, text = cluster.ask(PODS)
        assert status == 403 and "nobody: Everything is forbidden." in text, text
        cluster.write([{"type": "AlwaysAllow", "name": "all"}])
        cluster.await_log("can be added and removed only by a restart")
        assert cluster.ask(PODS)[0] == 403
        assert good

    with_hook(lambda review: {"allowed": True}, work, program)


def a_watch_ends_when_a_changed_configuration_no_longer_allows_it(program):
    def work(cluster, hook):
        connection = cluster.connect_tls()
        connection.request("GET", CONFIGMAPS + "?watch=1",
                           headers={"Authorization": "Bearer alice-token"})
        reply = connection.getresponse()
        assert reply.status == 200
        cluster.write([{"type": "AlwaysDeny", "name": "nobody"}, RBAC])
        for line in iter(reply.readline, b""):
            event = json.loads(line)
            if event["type"] == "ERROR":
                break
        assert event["type"] == "ERROR" and event["object"]["code"] == 403, event
        connection.close()

    with_hook(lambda review: {"allowed": True}, work, program)


def a_configuration_that_is_not_valid_is_refused_at_the_start(program):
    cases = (([], "authorizers: must be a list with at least one authorizer"),
             ([{"type": "Webhook", "name": "w", "webhook": {}}],
              "authorizers[0].webhook.timeout: is required"),
             ([RBAC, RBAC], 'authorizers[1].type: "RBAC" is there twice'))
    for authorizers, message in cases:
        cluster = Cluster(program, authorizers)
        try:
            cluster.start()
            raise AssertionError("started")
        except RuntimeError as failure:
            assert message in str(failure), failure
        finally:
            cluster.remove()


def the_short_flags_make_a_webhook(program):
    hook = Webhook(lambda review: {"allowed": "group" in review["spec"]})
    cluster = Cluster(program)
    try:
        path = hook.write_config(os.path.join(cluster.folder, "hook.kubeconfig"))
        cluster.command += ["--authorization-mode", "RBAC,Webhook",
                            "--authorization-webhook-config-file", path,
                            "--authorization-webhook-cache-authorized-ttl", "0"]
        cluster.start()
        for _ in range(2):
            assert cluster.ask(PODS)[0] == 200
        assert len(hook.asked) == 2, "0 means that nothing is cached"
        assert hook.asked[0]["apiVersion"] == "authorization.k8s.io/v1beta1", hook.asked
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def a_token_webhook_authenticates_unknown_tokens(program):
    def answer(review):
        if review["spec"]["token"] != "good":
            return {"authenticated": False, "error": "unknown"}
        return {"authenticated": True, "user": {
            "username": "carol", "uid": "7", "groups": ["team"], "extra": {"k": ["v"]}}}

    hook = Webhook(answer)
    cluster = Cluster(program)
    try:
        path = hook.write_config(os.path.join(cluster.folder, "tokens.kubeconfig"))
        cluster.command += ["--authentication-token-webhook-config-file", path,
                            "--authentication-token-webhook-version", "v1"]
        cluster.start()
        who = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        status, text = cluster.ask(who, token="good", method="POST", body=body)
        assert status == 201, text
        assert json.loads(text)["status"]["userInfo"] == {
            "username": "carol", "uid": "7", "groups": ["team", "system:authenticated"],
            "extra": {"k": ["v"]}}, text
        for _ in range(2):
            assert cluster.ask(who, token="bad", method="POST", body=body)[0] == 401
        assert cluster.ask(who, method="POST", body=body)[0] == 201, "the token file comes first"
        assert [r["spec"]["token"] for r in hook.asked] == ["good", "bad"], hook.asked
        assert hook.asked[0]["spec"]["audiences"], hook.asked
        status, review = cluster.call(
            "POST", "/apis/authentication.k8s.io/v1/tokenreviews",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
             "spec": {"token": "good", "audiences": ["other"]}})
        assert status == 201 and not review["status"].get("authenticated"), review
        status, review = cluster.call(
            "POST", "/apis/authentication.k8s.io/v1/tokenreviews",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
             "spec": {"token": "good"}})
        assert review["status"]["authenticated"], review
        assert review["status"]["user"]["username"] == "carol", review
        assert cluster.metric(r'authentication_token_cache_request_total\{status="hit"\}') >= 2
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def a_token_webhook_is_asked_about_what_no_trusted_issuer_has_signed(program):
    hook = Webhook(lambda review: {"authenticated": True, "user": {"username": "carol"}})
    cluster = Cluster(program, options=["--authorization-mode", "AlwaysAllow"])
    try:
        path = hook.write_config(os.path.join(cluster.folder, "tokens.kubeconfig"))
        cluster.command += ["--authentication-token-webhook-config-file", path,
                            "--authentication-token-webhook-version", "v1",
                            "--oidc-issuer-url", "https://127.0.0.1:1", "--oidc-client-id", "c"]
        cluster.start()
        part = lambda fields: base64.urlsafe_b64encode(json.dumps(fields).encode()).decode()
        tokens = ["plain", ".".join(text.rstrip("=") for text in (
            part({"alg": "RS256"}), part({"iss": "https://127.0.0.1:1", "aud": "c"}), "c2ln"))]
        for token in tokens:
            assert cluster.ask(PODS, token=token)[0] == 200, token
        assert [r["spec"]["token"] for r in hook.asked] == tokens, hook.asked
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def a_token_webhook_that_hangs_delays_nobody_else(program):
    hook = Webhook(lambda review: None)
    cluster = Cluster(program, options=["--authorization-mode", "AlwaysAllow"])
    try:
        path = hook.write_config(os.path.join(cluster.folder, "tokens.kubeconfig"))
        cluster.command += ["--authentication-token-webhook-config-file", path]
        cluster.start()
        results = []
        worker = Worker(lambda: results.append(
            cluster.ask(CONFIGMAPS, token="x", method="POST", body=config_map("one"))[0]))
        worker.start()
        hook.await_asked(1)
        assert cluster.ask(PODS)[0] == 200
        assert not results
        hook.release()
        worker.join()
        assert results == [401], results
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


run_tests([
    a_webhook_allows_denies_or_has_no_opinion,
    rbac_decides_what_a_webhook_leaves_open,
    answers_are_cached_and_equal_requests_share_one_call,
    without_caching_each_request_asks,
    an_error_is_tried_again_and_then_is_500_or_denied,
    with_the_failure_policy_deny_nobody_else_is_asked,
    a_webhook_that_hangs_delays_only_requests_that_need_it,
    a_client_that_disconnects_is_forgotten,
    a_server_with_requests_that_wait_for_a_webhook_can_be_stopped,
    match_conditions_choose_what_a_webhook_is_asked,
    reviews_of_access_ask_the_webhook,
    a_review_says_why_the_webhook_could_not_be_asked,
    conditions_of_admission_webhooks_wait_for_the_webhook,
    impersonation_and_escalation_ask_the_webhook,
    the_modes_of_impersonation_wait_for_each_other,
    a_rules_review_names_all_authorizers_that_do_not_tell_their_rules,
    a_watch_ends_when_the_webhook_no_longer_allows_it,
    a_changed_configuration_is_loaded_and_a_bad_one_is_not,
    a_watch_ends_when_a_changed_configuration_no_longer_allows_it,
    a_configuration_that_is_not_valid_is_refused_at_the_start,
    the_short_flags_make_a_webhook,
    a_token_webhook_authenticates_unknown_tokens,
    a_token_webhook_is_asked_about_what_no_trusted_issuer_has_signed,
    a_token_webhook_that_hangs_delays_nobody_else,
])
