#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""admission_webhooks_test.py -- admission webhooks as clients and webhooks see them.
usage: admission_webhooks_test.py LISTWATCH"""

import http.client
import json
import os
import re
import time

from webhook_server import AdmissionServer, configuration, make_certificate, patch, webhook
from serving import CONFIGMAPS, Server, Worker, run_tests

GROUP = "/apis/admissionregistration.k8s.io/v1/"
CREATIONS = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
              "resources": ["configmaps"]}]
SECRETS = "/api/v1/namespaces/default/secrets"


class Cluster(Server):
    def configure(self, kind, name, *webhooks):
        """Puts webhooks into force."""
        status, answer = self.call("POST", f"{GROUP}{kind.lower()}webhookconfigurations",
                                   configuration(kind, name, *webhooks))
        assert status == 201, answer

    def unconfigure(self, kind, name):
        status, answer = self.call("DELETE", f"{GROUP}{kind.lower()}webhookconfigurations/{name}")
        assert status == 200, answer

    def create(self, name, data=None, path=CONFIGMAPS, query=""):
        return self.call("POST", path + query, {"metadata": {"name": name}, "data": data or {"k": "v"}})

    def put_scale(self, scale, media):
        """Updates the scale of the Deployment "d", or patches it if |media| is that of a patch."""
        connection = self.connect()
        connection.request("PATCH" if "patch" in media else "PUT", DEPLOYMENTS + "/d/scale",
                           json.dumps(scale), {"Content-Type": media})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        assert reply.status == 200, text
        return json.loads(text)

    def metrics(self):
        connection = self.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text


def with_hook(program, answer, work, options=(), names=()):
    """Runs work(cluster, hook)."""
    hook = AdmissionServer(answer, names)
    cluster = Cluster(program, memory=True, options=[
        option.format(port=hook.port) for option in options])
    try:
        cluster.start()
        work(cluster, hook)
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def wait_for(is_so, timeout=30):
    end = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def writes_are_changed_checked_and_refused(program):
    def answer(path, request):
        data = (request["object"] or request["oldObject"]).get("data") or {}
        if path == "/change":
            if request["operation"] == "DELETE":
                return {"allowed": True}
            return patch({"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}},
                         {"op": "add", "path": "/data", "value": {**data, "added": "x"}})
        if data.get("bad") or request["name"] == "kept" and request["operation"] == "DELETE":
            return {"allowed": False, "status": {"code": 403, "message": "not this one",
                                                 "reason": "Forbidden"}}
        return {"allowed": True, "warnings": ["data is " + ",".join(sorted(data))],
                "auditAnnotations": {"looked": "at it"}}

    def work(cluster, hook):
        cluster.configure("Mutating", "change", webhook(hook, "change.example.com", "/change"))
        cluster.configure("Validating", "check", webhook(hook, "check.example.com", "/check"))
        connection = cluster.connect()
        connection.request("POST", CONFIGMAPS, json.dumps(
            {"metadata": {"name": "kept"}, "data": {"own": "1"}}),
            {"Content-Type": "application/json"})
        reply = connection.getresponse()
        made = json.loads(reply.read())
        assert reply.status == 201 and made["data"] == {"own": "1", "added": "x"}, made
        assert made["metadata"]["labels"] == {"seen": "yes"}, made
        assert "data is added,own" in reply.getheader("Warning"), reply.getheaders()
        connection.close()
        first, second = hook.requests()
        assert first["operation"] == "CREATE" and first["namespace"] == "default", first
        assert first["object"]["data"] == {"own": "1"} and first["oldObject"] is None, first
        assert "uid" not in first["object"]["metadata"], first
        assert first["userInfo"]["username"] == "system:admin", first
        assert first["options"] == {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}, first
        assert second["object"]["data"] == made["data"], second
        assert second["object"]["metadata"]["uid"] == made["metadata"]["uid"], second

        status, refused = cluster.create("bad", {"bad": "1"})
        assert (status, refused["message"], refused["reason"]) == (
            403, 'admission webhook "check.example.com" denied the request: not this one',
            "Forbidden"), refused

        made["data"]["own"] = "2"
        status, changed = cluster.call("PUT", CONFIGMAPS + "/kept", made)
        assert status == 200 and changed["data"]["own"] == "2", changed
        asked = hook.requests("/check")[-1]
        assert asked["operation"] == "UPDATE", asked
        assert asked["oldObject"]["data"]["own"] == "1", asked

        status, refused = cluster.call("DELETE", CONFIGMAPS + "/kept")
        assert status == 403 and "not this one" in refused["message"], refused
        asked = hook.requests("/check")[-1]
        assert (asked["operation"], asked["object"]) == ("DELETE", None), asked
        assert asked["oldObject"]["metadata"]["name"] == "kept", asked
        status, refused = cluster.call("DELETE", CONFIGMAPS)
        assert status == 403 and "not this one" in refused["message"], refused

        metrics = cluster.metrics()
        assert ('apiserver_admission_webhook_rejection_count{error_type="no_error",name='
                '"check.example.com",operation="DELETE",rejection_code="403",type="validating"} 2'
                in metrics), metrics
        cluster.unconfigure("Validating", "check")
        cluster.unconfigure("Mutating", "change")
        before = len(hook.asked)
        assert cluster.create("free")[0] == 201
        assert len(hook.asked) == before, hook.asked

    with_hook(program, answer, work)


def mutating_webhooks_see_each_other(program):
    """In the order of names, and once more if a later one has changed the object."""
    def answer(path, request):
        data = request["object"].get("data") or {}
        order = data.get("order", "") + path[1:]
        return patch({"op": "add", "path": "/data", "value": {**data, "order": order}})

    def work(cluster, hook):
        cluster.configure("Mutating", "b", webhook(hook, "b.example.com", "/b"))
        cluster.configure("Mutating", "a",
                          webhook(hook, "a.example.com", "/a", reinvocationPolicy="IfNeeded"),
                          webhook(hook, "c.example.com", "/c"))
        status, made = cluster.create("one")
        assert (status, made["data"]["order"]) == (201, "acba"), made

    with_hook(program, answer, work)


def only_matching_requests_are_sent(program):
    def work(cluster, hook):
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}
        cluster.configure(
            "Validating", "v",
            webhook(hook, "namespace.example.com", "/namespace",
                    namespaceSelector={"matchLabels": {"watched": "yes"}}),
            webhook(hook, "object.example.com", "/object",
                    objectSelector={"matchExpressions": [{"key": "skip",
                                                          "operator": "DoesNotExist"}]}),
            webhook(hook, "condition.example.com", "/condition", matchConditions=[
                {"name": "small", "expression": "object.data.size() < 2"},
                {"name": "user", "expression": "request.userInfo.username == 'system:admin'"}]),
            webhook(hook, "status.example.com", "/status",
                    rules=[{**rule, "operations": ["*"], "resources": ["*/status"]}]),
            webhook(hook, "cluster.example.com", "/cluster",
                    rules=[{**rule, "resources": ["*"], "scope": "Cluster"}]))

        def asked_after(action):
            before = len(hook.asked)
            status, answer = action()
            assert status in (200, 201), answer
            return sorted(path.split("?")[0] for path, _, _ in hook.asked[before:])

        assert asked_after(lambda: cluster.create("a")) == ["/condition", "/object"]
        assert asked_after(lambda: cluster.call("POST", CONFIGMAPS, {
            "metadata": {"name": "b", "labels": {"skip": "1"}},
            "data": {"1": "", "2": ""}})) == []
        assert asked_after(lambda: cluster.call("POST", "/api/v1/namespaces", {
            "metadata": {"name": "w", "labels": {"watched": "yes"}}})) == ["/cluster"]
        assert asked_after(lambda: cluster.create(
            "c", path="/api/v1/namespaces/w/configmaps")) == ["/condition", "/namespace", "/object"]
        assert asked_after(lambda: cluster.call(
            "PUT", "/api/v1/namespaces/w/status",
            {"metadata": {"name": "w"}, "status": {"phase": "Active"}})) == ["/status"]
        assert hook.requests("/status")[0]["subResource"] == "status"

    with_hook(program, lambda path, request: {"allowed": True}, work)


def failures_are_ignored_or_refused(program):
    def answer(path, request):
        return {"/500": (500, "boom"), "/nonsense": (200, "[]"), "/hang": None,
                "/uid": {"uid": "another", "allowed": True}}[path]

    def work(cluster, hook):
        url = hook.url("")

        def refused_by(path, **settings):
            cluster.configure("Validating", "v", webhook(hook, path=path, **settings))
            status, answer = cluster.create("a")
            cluster.unconfigure("Validating", "v")
            assert status == 500 and answer["reason"] == "InternalError", answer
            begin = 'Internal error occurred: failed calling webhook "hook.example.com": '
            assert answer["message"].startswith(begin), answer
            assert "Internal error occurred: " + answer["details"]["causes"][0]["message"] == \
                answer["message"], answer
            return answer["message"][len(begin):]

        assert refused_by("/500") == ('failed to call webhook: an error on the server ("unknown") '
                                      'has prevented the request from succeeding')
        assert refused_by("/nonsense").startswith(
            "failed to call webhook: couldn't get version/kind; json parse error: ")
        assert refused_by("/uid").startswith(
            "received invalid webhook response: expected response.uid=")
        assert refused_by("/hang", timeoutSeconds=1) == (
            f'failed to call webhook: Post "{url}/hang?timeout=1s": context deadline exceeded')
        dead = AdmissionServer(answer)
        dead.close()
        port = dead.port
        assert refused_by("/", clientConfig={"url": dead.url(), "caBundle": hook.ca_bundle()}) == (
            f'failed to call webhook: Post "https://127.0.0.1:{port}/?timeout=5s": dial tcp '
            f'127.0.0.1:{port}: connect: connection refused')
        cluster.configure("Validating", "v",
                          webhook(hook, "open.example.com", "/500", failurePolicy="Ignore"))
        assert cluster.create("a")[0] == 201
        assert ('apiserver_admission_webhook_fail_open_count{name="open.example.com",'
                'type="validating"} 1') in cluster.metrics()

    with_hook(program, answer, work)


def a_hanging_webhook_delays_only_its_requests(program):
    def work(cluster, hook):
        cluster.configure("Validating", "v", webhook(hook, path="/hang", timeoutSeconds=30))
        waiting = cluster.connect()
        waiting.request("POST", CONFIGMAPS, json.dumps({"metadata": {"name": "a"}}),
                        {"Content-Type": "application/json"})
        hook.await_asked(1)
        begin = time.monotonic()
        for number in range(50):
            assert cluster.create(f"s{number}", {"k": "dg=="}, SECRETS)[0] == 201
        assert time.monotonic() - begin < 10
        hook.release()
        assert waiting.getresponse().status == 500
        waiting.close()

    with_hook(program, lambda path, request: None, work)


def a_client_that_leaves_ends_the_call(program):
    """And a server that stops does not wait for the webhook."""
    def work(cluster, hook):
        cluster.configure("Validating", "v", webhook(hook, path="/hang", timeoutSeconds=30))
        for count in (1, 2):
            leaving = cluster.connect()
            leaving.request("POST", CONFIGMAPS, json.dumps({"metadata": {"name": "a"}}),
                            {"Content-Type": "application/json"})
            hook.await_asked(count)
            if count == 1:
                leaving.close()
        assert cluster.call("GET", CONFIGMAPS)[0] == 200

    with_hook(program, lambda path, request: None, work, options=["--shutdown-timeout", "1s"])


def an_update_that_was_overtaken_asks_again(program):
    """The webhook changes the object itself, while it is asked about it."""
    def answer(path, request):
        if request["userInfo"]["username"] == "system:admin" and not answer.done:
            answer.done = True
            status, other = answer.cluster.call("GET", CONFIGMAPS + "/a")
            other["data"] = {"other": "1"}
            status, other = answer.cluster.call("PUT", CONFIGMAPS + "/a", other)
            assert status == 200, other
        return {"allowed": True}
    answer.done = True

    def work(cluster, hook):
        assert cluster.create("a")[0] == 201
        answer.cluster, answer.done = cluster, False
        cluster.configure("Validating", "v", webhook(hook))
        connection = cluster.connect()
        connection.request("PATCH", CONFIGMAPS + "/a", json.dumps({"data": {"mine": "1"}}),
                           {"Content-Type": "application/merge-patch+json"})
        reply = connection.getresponse()
        patched = json.loads(reply.read())
        connection.close()
        assert (reply.status, patched["data"]) == (200, {"other": "1", "mine": "1"}), patched
        assert [one["object"]["data"] for one in hook.requests()] == [
            {"k": "v", "mine": "1"}, {"other": "1"}, {"other": "1", "mine": "1"}], hook.requests()

    with_hook(program, answer, work)


def services_are_found(program):
    """By --webhook-resolve, and by the Service; endpoints on the loopback are not valid."""
    def work(cluster, hook):
        def service(name):
            return {"service": {"name": name, "namespace": "default", "path": "/x"},
                    "caBundle": hook.ca_bundle()}

        cluster.configure("Validating", "v", webhook(hook, clientConfig=service("direct")))
        assert cluster.create("a")[0] == 201
        path, _, headers = hook.asked[-1]
        assert path.startswith("/x?timeout="), path
        assert headers["host"] == "direct.default.svc:443", headers
        cluster.unconfigure("Validating", "v")

        cluster.configure("Validating", "v", webhook(hook, clientConfig=service("found")))
        status, refused = cluster.create("b")
        assert status == 500 and 'service "found" not found' in refused["message"], refused
        cluster.unconfigure("Validating", "v")
        status, answer = cluster.call("POST", "/api/v1/namespaces/default/services", {
            "metadata": {"name": "found"},
            "spec": {"type": "ExternalName", "externalName": "localhost"}})
        assert status == 201, answer
        found = service("found")
        found["service"]["port"] = hook.port
        cluster.configure("Validating", "v", webhook(hook, clientConfig=found))
        assert cluster.create("b")[0] == 201

    with_hook(program, lambda path, request: {"allowed": True}, work,
              options=["--webhook-resolve", "direct.default.svc:443=127.0.0.1:{port}"],
              names=["direct.default.svc", "found.default.svc"])


def dry_runs_and_other_subresources_are_asked_about(program):
    def work(cluster, hook):
        rule = {"apiGroups": ["", "apps", "policy"], "apiVersions": ["*"], "operations": ["*"],
                "resources": ["pods/eviction", "pods/binding", "deployments/scale", "configmaps"]}
        cluster.configure("Validating", "v", webhook(hook, rules=[rule]))
        status, made = cluster.create("dry", query="?dryRun=All")
        assert status == 201, made
        asked = hook.requests()[-1]
        assert asked["dryRun"] is True and asked["options"]["dryRun"] == ["All"], asked
        pods = "/api/v1/namespaces/default/pods"
        template = {"metadata": {"labels": {"a": "b"}},
                    "spec": {"containers": [{"name": "c", "image": "i"}]}}
        status, made = cluster.call("POST", pods, {"metadata": {"name": "p"}, **template,
                                                   "metadata": {"name": "p"}})
        assert status == 201, made
        status, made = cluster.call("POST", pods + "/p/binding", {
            "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}})
        assert status == 201, made
        asked = hook.requests()[-1]
        assert (asked["subResource"], asked["kind"]["kind"], asked["resource"]["resource"]) == (
            "binding", "Binding", "pods"), asked
        status, made = cluster.call("POST", pods + "/p/eviction", {"metadata": {"name": "p"}})
        assert status == 201, made
        asked = hook.requests()[-1]
        assert (asked["subResource"], asked["kind"]["kind"]) == ("eviction", "Eviction"), asked
        apps = "/apis/apps/v1/namespaces/default/deployments"
        status, made = cluster.call("POST", apps, {
            "metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}},
                                                "template": template}})
        assert status == 201, made
        status, scale = cluster.call("GET", apps + "/d/scale")
        scale["spec"]["replicas"] = 3
        before = len(hook.asked)
        status, scaled = cluster.call("PUT", apps + "/d/scale", scale)
        assert status == 200 and scaled["spec"]["replicas"] == 3, scaled
        assert len(hook.asked) == before + 1, hook.asked[before:]
        asked = hook.requests()[-1]
        assert (asked["subResource"], asked["kind"], asked["object"]["spec"]["replicas"],
                asked["oldObject"]["spec"].get("replicas")) == (
            "scale", {"group": "autoscaling", "version": "v1", "kind": "Scale"}, 3, 1), asked

    with_hook(program, lambda path, request: {"allowed": True}, work)


def versions_of_a_resource_are_equivalent(program):
    """A webhook for one version of an API sees requests of another in its own."""
    def answer(path, request):
        if request["kind"]["version"] == "v2":
            spec = request["object"]["spec"]
            return patch({"op": "replace", "path": "/spec/maxReplicas",
                          "value": spec["maxReplicas"] + 1})
        return {"allowed": True}

    def work(cluster, hook):
        rule = {"apiGroups": ["autoscaling"], "apiVersions": ["v2"], "operations": ["*"],
                "resources": ["horizontalpodautoscalers"]}
        cluster.configure("Mutating", "m", webhook(hook, rules=[rule]),
                          webhook(hook, "exact.example.com", "/exact", rules=[rule],
                                  matchPolicy="Exact"))
        status, made = cluster.call(
            "POST", "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", {
                "metadata": {"name": "h"}, "spec": {
                    "maxReplicas": 3, "targetCPUUtilizationPercentage": 70,
                    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}})
        assert status == 201, made
        assert made["apiVersion"] == "autoscaling/v1" and made["spec"]["maxReplicas"] == 4, made
        assert made["spec"]["targetCPUUtilizationPercentage"] == 70, made
        asked, = hook.requests()
        assert asked["object"]["apiVersion"] == "autoscaling/v2", asked
        assert asked["requestKind"]["version"] == "v1", asked

    with_hook(program, answer, work)


def the_server_shows_its_certificate(program):
    """As --admission-control-config-file says."""
    cluster = Cluster(program, memory=True)
    cert, key = make_certificate(cluster.folder, "client")
    hook = AdmissionServer(lambda path, request: {"allowed": True}, client_ca=cert)
    try:
        with open(os.path.join(cluster.folder, "users"), "w") as file:
            json.dump({"users": [{"name": "127.0.0.*", "user": {"token": "wrong"}},
                                 {"name": f"127.0.0.1:{hook.port}", "user": {
                                     "client-certificate": cert, "client-key": key,
                                     "token": "secret"}}]}, file)
        with open(os.path.join(cluster.folder, "admission.yaml"), "w") as file:
            json.dump({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration",
                       "plugins": [{"name": "ValidatingAdmissionWebhook", "configuration": {
                           "apiVersion": "apiserver.config.k8s.io/v1",
                           "kind": "WebhookAdmissionConfiguration", "kubeConfigFile": "users"}}]},
                      file)
        cluster.command += ["--admission-control-config-file",
                            os.path.join(cluster.folder, "admission.yaml")]
        cluster.start()
        cluster.configure("Validating", "v", webhook(hook))
        status, made = cluster.create("a")
        assert status == 201, made
        assert hook.asked[0][2]["authorization"] == "Bearer secret", hook.asked[0]
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def plugins_can_be_disabled(program):
    def work(cluster, hook):
        cluster.configure("Validating", "v", webhook(hook))
        assert cluster.create("a")[0] == 201
        assert not hook.asked

    with_hook(program, lambda path, request: {"allowed": False}, work,
              options=["--disable-admission-plugins", "ValidatingAdmissionWebhook"])


def connections_are_kept(program):
    def work(cluster, hook):
        cluster.configure("Validating", "v", webhook(hook))
        connection = cluster.connect()
        for number in range(20):
            status, _ = cluster.call("POST", CONFIGMAPS, {"metadata": {"name": f"c{number}"}},
                                     connection)
            assert status == 201
        connection.close()
        assert hook.connections == 1, hook.connections

    with_hook(program, lambda path, request: {"allowed": True}, work)


POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
DEPLOYMENT = {"metadata": {"name": "d"}, "spec": {
    "replicas": 1, "selector": {"matchLabels": {"a": "b"}},
    "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD["spec"]}}}


def connections_and_tokens_are_asked_about(program):
    refused = {"allowed": False, "status": {"message": "not here"}}

    def work(cluster, hook):
        rules = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CONNECT", "CREATE"],
                  "resources": ["pods/exec", "pods/attach", "pods/portforward", "pods/proxy",
                                "serviceaccounts/token"]}]
        status, made = cluster.call("POST", PODS, POD)
        assert status == 201, made
        cluster.configure("Validating", "check",
                          webhook(hook, "check.example.com", "/check", rules=rules))
        for path, name, kind, options in (
                (PODS + "/p/exec?command=ls&command=-l&container=c&stdout=true", "p",
                 "PodExecOptions", {"stdout": True, "container": "c", "command": ["ls", "-l"]}),
                (PODS + "/p/exec", "p", "PodExecOptions", {"command": None}),
                (PODS + "/p/attach?stdin=1", "p", "PodAttachOptions", {"stdin": True}),
                (PODS + "/p/portforward?ports=80,0&ports=65535", "p", "PodPortForwardOptions",
                 {"ports": [80, 0, 65535]}),
                (PODS + "/https:p:8443/proxy/a%2Fb%20c", "https:p:8443", "PodProxyOptions",
                 {"path": "/a/b c"})):
            status, answer = cluster.call("POST", path)
            assert (status, answer["message"]) == (
                400, 'admission webhook "check.example.com" denied the request: not here'), answer
            asked = hook.requests()[-1]
            assert (asked["operation"], asked["name"], asked["namespace"]) == (
                "CONNECT", name, "default"), asked
            assert asked["kind"] == {"group": "", "version": "v1", "kind": kind}, asked
            assert asked["object"] == {"kind": kind, "apiVersion": "v1", **options}, asked
            assert asked["oldObject"] is None, asked
        hook.asked.clear()
        for path, message in (
                ("exec?command=ls&dryRun=All", "dryRun is not supported"),
                ("proxy/?dryRun=", "dryRun is not supported"),
                ("portforward?ports=80,x", 'cannot convert to []int32: strconv.ParseUint: '
                                           'parsing "x": invalid syntax'),
                ("portforward?ports=65536", 'cannot convert to []int32: strconv.ParseUint: '
                                            'parsing "65536": value out of range')):
            status, answer = cluster.call("POST", PODS + "/p/" + path)
            assert (status, answer["message"]) == (400, message), answer
        assert not hook.asked, hook.asked
        status, answer = cluster.call(
            "POST", "/api/v1/namespaces/default/serviceaccounts/default/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"expirationSeconds": 3600}})
        assert status == 400 and "not here" in answer["message"], answer
        asked = hook.requests()[-1]
        assert (asked["operation"], asked["subResource"], asked["kind"]["kind"]) == (
            "CREATE", "token", "TokenRequest"), asked

    with_hook(program, lambda path, request: refused, work)


def subresources_are_changed(program):
    """What a mutating webhook makes of a scale, binding, eviction or token request is checked, shown
    to validating ones, and done."""
    changes = {
        "scale": lambda one: one["spec"].update(replicas=one["spec"]["replicas"] + 4),
        "binding": lambda one: (one["target"].update(name="other"),
                                one["metadata"].update(annotations={"by": "webhook"})),
        "eviction": lambda one: one.update(deleteOptions={"gracePeriodSeconds": 0}),
        "token": lambda one: one["spec"].update(expirationSeconds=1200),
    }

    def answer(path, request):
        if path == "/check":
            return {"allowed": True}
        changed = json.loads(json.dumps(request["object"]))
        changes[request["subResource"]](changed)
        return patch({"op": "replace", "path": "", "value": changed})

    def work(cluster, hook):
        rules = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"],
                  "resources": ["pods/binding", "pods/eviction", "*/scale",
                                "serviceaccounts/token"]}]
        cluster.configure("Mutating", "change",
                          webhook(hook, "change.example.com", "/change", rules=rules))
        cluster.configure("Validating", "check",
                          webhook(hook, "check.example.com", "/check", rules=rules))
        assert cluster.call("POST", DEPLOYMENTS, DEPLOYMENT)[0] == 201
        for media in ("application/json", "application/merge-patch+json"):
            scaled = cluster.put_scale({"metadata": {"name": "d"}, "spec": {"replicas": 3}}, media)
            assert scaled["spec"]["replicas"] == 7, scaled
            seen = hook.requests("/check")[-1]
            assert seen["object"]["spec"]["replicas"] == 7, seen
            assert cluster.call("GET", DEPLOYMENTS + "/d")[1]["spec"]["replicas"] == 7
        changes["scale"] = lambda one: one["spec"].update(replicas=-1)
        asked = len(hook.requests("/check"))
        status, refused = cluster.call("PUT", DEPLOYMENTS + "/d/scale", {
            "metadata": {"name": "d"}, "spec": {"replicas": 1}})
        assert status == 422 and "spec.replicas: Invalid value: -1" in refused["message"], refused
        assert len(hook.requests("/check")) == asked, "it is checked before"
        changes["scale"] = lambda one: one["spec"].update(replicas="many")
        status, refused = cluster.call("PUT", DEPLOYMENTS + "/d/scale", {
            "metadata": {"name": "d"}, "spec": {"replicas": 1}})
        assert status == 500 and "spec.replicas of type int32" in refused["message"], refused

        assert cluster.call("POST", PODS, POD)[0] == 201
        status, made = cluster.call("POST", "/api/v1/namespaces/default/bindings", {
            "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}})
        assert status == 201, made
        pod = cluster.call("GET", PODS + "/p")[1]
        assert pod["spec"]["nodeName"] == "other", pod["spec"]
        assert pod["metadata"]["annotations"] == {"by": "webhook"}, pod["metadata"]
        assert hook.requests("/check")[-1]["object"]["target"]["name"] == "other"
        status, made = cluster.call("POST", PODS + "/p/eviction", {"metadata": {"name": "p"}})
        assert status == 201, made
        assert cluster.call("GET", PODS + "/p")[0] == 404, "it is deleted without grace"
        status, made = cluster.call(
            "POST", "/api/v1/namespaces/default/serviceaccounts/default/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"expirationSeconds": 3600}})
        assert (status, made["spec"]["expirationSeconds"]) == (201, 1200), made

    with_hook(program, answer, work)


def webhooks_may_name_new_objects(program):
    def answer(path, request):
        if path == "/check":
            return {"allowed": True}
        data = request["object"].get("data") or {}
        return patch({"op": "add", "path": "/metadata/name", "value": data["name"]})

    def work(cluster, hook):
        cluster.configure("Mutating", "name",
                          webhook(hook, "name.example.com", "/name", rules=CREATIONS))
        cluster.configure("Validating", "check",
                          webhook(hook, "check.example.com", "/check", rules=CREATIONS))
        status, made = cluster.create("one", {"name": "two"})
        assert (status, made["metadata"]["name"]) == (201, "two"), made
        seen = hook.requests("/check")[-1]
        assert (seen["name"], seen["object"]["metadata"]["name"]) == ("one", "two"), seen
        assert cluster.call("GET", CONFIGMAPS + "/one")[0] == 404
        assert cluster.call("GET", CONFIGMAPS + "/two")[1] == made
        status, refused = cluster.create("three", {"name": "two"})
        assert (status, refused["message"]) == (409, 'configmaps "two" already exists'), refused
        status, made = cluster.create("two", {"name": "four"})
        assert (status, made["metadata"]["name"]) == (201, "four"), "its own name is not in the way"
        status, made = cluster.call("POST", CONFIGMAPS, {"metadata": {"generateName": "g-"},
                                                         "data": {"name": "five"}})
        assert (status, made["metadata"]["name"]) == (201, "five"), made
        assert hook.requests("/check")[-1]["name"] == "five", hook.requests("/check")[-1]
        status, refused = cluster.create("six", {"name": "Not a name"})
        assert status == 422 and "metadata.name: Invalid value" in refused["message"], refused
        status, refused = cluster.create("six", {"name": ""})
        assert status == 422 and "name or generateName is required" in refused["message"], refused

    with_hook(program, answer, work)


def policies_may_name_new_objects(program):
    def work(cluster, hook):
        for plural, body in (
                ("mutatingadmissionpolicies", {"kind": "MutatingAdmissionPolicy", "spec": {
                    "matchConstraints": {"resourceRules": CREATIONS}, "reinvocationPolicy": "Never",
                    "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression":
                        "[JSONPatch{op: 'replace', path: '/metadata/name', value: 'other'}]"}}]}}),
                ("mutatingadmissionpolicybindings", {
                    "kind": "MutatingAdmissionPolicyBinding", "spec": {"policyName": "p"}})):
            status, made = cluster.call("POST", GROUP + plural, {
                "apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": "p"}, **body})
            assert status == 201, made
        status, made = cluster.create("one")
        assert (status, made["metadata"]["name"]) == (201, "other"), made
        assert cluster.call("GET", CONFIGMAPS + "/other")[1] == made
        status, refused = cluster.create("two")
        assert (status, refused["reason"]) == (409, "AlreadyExists"), refused

    with_hook(program, lambda path, request: {"allowed": True}, work)


def managed_fields_are_what_webhooks_make_of_them(program):
    def answer(path, request):
        managers = request["object"]["metadata"]["managedFields"]
        changed = {"rename": [{**managers[0], "manager": "webhook"}], "remove": [],
                   "bad": [{**managers[0], "operation": "Both"}]}[request["name"]]
        return patch({"op": "replace", "path": "/metadata/managedFields", "value": changed})

    def work(cluster, hook):
        cluster.configure("Mutating", "m", webhook(hook, rules=CREATIONS))
        assert cluster.create("rename")[1]["metadata"]["managedFields"][0]["manager"] == "webhook"
        assert "managedFields" not in cluster.create("remove")[1]["metadata"]
        connection = cluster.connect()
        connection.request("POST", CONFIGMAPS, json.dumps({"metadata": {"name": "bad"},
                                                          "data": {"k": "v"}}),
                           {"Content-Type": "application/json", "User-Agent": "tester/1"})
        reply = connection.getresponse()
        made = json.loads(reply.read())
        connection.close()
        assert reply.status == 201, made
        assert made["metadata"]["managedFields"][0]["manager"] == "tester", made
        assert (".metadata.managedFields was in an invalid state after admission; this could be "
                "caused by an outdated mutating admission controller; please fix your requests: "
                "operation must be `Apply` or `Update`") in reply.getheader("Warning"), made

    with_hook(program, answer, work)


def deletions_by_controllers_are_asked_about(program):
    """Of the garbage collector and the namespace controller; what is refused is tried again."""
    allowed = set()
    collector = "system:serviceaccount:kube-system:generic-garbage-collector"

    def answer(path, request):
        name = request["name"]
        if name == "slow" and name not in allowed:
            return None
        if name.startswith("kept") and name not in allowed:
            return {"allowed": False, "status": {"message": "not yet"}}
        return {"allowed": True}

    def asked_by(hook, name):
        return [one for one in hook.requests() if one["name"] == name]

    def work(cluster, hook):
        rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"],
                  "resources": ["configmaps"]}]
        cluster.configure("Validating", "check", webhook(hook, rules=rules, timeoutSeconds=30))
        owner = cluster.create("owner", path=SECRETS, data={"k": "dg=="})[1]
        owned = {"ownerReferences": [{"apiVersion": "v1", "kind": "Secret", "name": "owner",
                                      "uid": owner["metadata"]["uid"]}]}
        for name in ("kept", "slow", "free"):
            status, made = cluster.call("POST", CONFIGMAPS, {"metadata": {"name": name, **owned}})
            assert status == 201, made
        for number in range(200):
            cluster.call("POST", SECRETS, {"metadata": {"name": f"s{number}", **owned}})
        assert cluster.call("DELETE", SECRETS + "/owner")[0] == 200
        wait_for(lambda: cluster.call("GET", CONFIGMAPS + "/free")[0] == 404)
        wait_for(lambda: not cluster.call("GET", SECRETS)[1]["items"])
        assert cluster.call("GET", CONFIGMAPS + "/slow")[0] == 200, "it waits alone"
        assert cluster.call("GET", CONFIGMAPS + "/kept")[0] == 200
        seen = asked_by(hook, "free")[0]
        assert seen["operation"] == "DELETE" and seen["userInfo"]["username"] == collector, seen
        assert seen["userInfo"]["groups"] == [
            "system:serviceaccounts", "system:serviceaccounts:kube-system",
            "system:authenticated"], seen
        assert seen["oldObject"]["metadata"]["name"] == "free", seen
        assert seen["options"]["propagationPolicy"] == "Background", seen
        wait_for(lambda: len(asked_by(hook, "kept")) > 1)
        allowed.add("kept")
        wait_for(lambda: cluster.call("GET", CONFIGMAPS + "/kept")[0] == 404)

        assert cluster.call("POST", "/api/v1/namespaces", {"metadata": {"name": "doomed"}})[0] == 201
        doomed = CONFIGMAPS.replace("/default/", "/doomed/")
        assert cluster.create("kept-too", path=doomed)[0] == 201
        assert cluster.create("other", path=doomed)[0] == 201
        assert cluster.call("DELETE", "/api/v1/namespaces/doomed")[0] == 200

        def failure():
            conditions = cluster.call("GET", "/api/v1/namespaces/doomed")[1]["status"].get(
                "conditions", [])
            return [one["message"] for one in conditions if one["status"] == "True" and
                    one["type"] == "NamespaceDeletionContentFailure"]

        wait_for(lambda: "not yet" in "".join(failure()))
        assert cluster.call("GET", doomed + "/other")[0] == 404
        seen = asked_by(hook, "other")[0]["userInfo"]["username"]
        assert seen == "system:serviceaccount:kube-system:namespace-controller", seen
        allowed.add("kept-too")
        wait_for(lambda: cluster.call("GET", "/api/v1/namespaces/doomed")[0] == 404)
        # The server is stopped while the collector waits for the answer about "slow".

    with_hook(program, answer, work)


def edits_by_controllers_are_asked_about(program):
    """Owner references and finalizers that the collector removes, the status of a namespace, and
    its end; what is refused is tried again."""
    allowed = set()
    account = "system:serviceaccount:kube-system:"

    def answer(path, request):
        kept = {"kept": "UPDATE", "doomed": "UPDATE"}.get(request["name"])
        is_refused = (kept == request["operation"] and request["name"] not in allowed and
                      request.get("subResource") != "status" and
                      request["userInfo"]["username"].startswith(account))
        return {"allowed": False, "status": {"message": "not yet"}} if is_refused else {
            "allowed": True}

    def work(cluster, hook):
        def edits(name, subresource=None):
            return [(one["userInfo"]["username"].removeprefix(account), one["object"])
                    for one in hook.requests()
                    if one["name"] == name and one["operation"] == "UPDATE"
                    and one.get("subResource") == subresource]

        def owned(*owners):
            return {"ownerReferences": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": one["metadata"]["name"],
                 "uid": one["metadata"]["uid"]} for one in owners]}

        def made(name, **metadata):
            status, one = cluster.call("POST", CONFIGMAPS, {"metadata": {"name": name, **metadata}})
            assert status == 201, one
            return one

        rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"],
                  "resources": ["configmaps", "namespaces", "namespaces/*"]}]
        cluster.configure("Validating", "check", webhook(hook, rules=rules))
        one, two = made("one"), made("two")
        made("both", **owned(one, two))
        made("kept", **owned(one, two))
        assert cluster.call("DELETE", CONFIGMAPS + "/one")[0] == 200
        wait_for(lambda: len(edits("kept")) > 1)
        assert len(cluster.call("GET", CONFIGMAPS + "/kept")[1]["metadata"]["ownerReferences"]) == 2
        allowed.add("kept")
        for name in ("both", "kept"):
            wait_for(lambda: cluster.call("GET", CONFIGMAPS + "/" + name)[1]["metadata"][
                "ownerReferences"] == owned(two)["ownerReferences"])
        user, seen = edits("both")[0]
        assert user == "generic-garbage-collector", user
        assert seen["metadata"]["ownerReferences"] == owned(two)["ownerReferences"], seen
        assert cluster.call("DELETE", CONFIGMAPS + "/two?propagationPolicy=Orphan")[0] == 200
        wait_for(lambda: cluster.call("GET", CONFIGMAPS + "/two")[0] == 404)
        user, seen = edits("two")[-1]  # its finalizer
        assert user == "generic-garbage-collector" and "finalizers" not in seen["metadata"], seen
        assert "ownerReferences" not in edits("both")[-1][1]["metadata"], edits("both")

        assert cluster.call("POST", "/api/v1/namespaces", {"metadata": {"name": "doomed"}})[0] == 201
        assert cluster.call("DELETE", "/api/v1/namespaces/doomed")[0] == 200
        wait_for(lambda: len(edits("doomed", "finalize")) > 1)
        assert cluster.call("GET", "/api/v1/namespaces/doomed")[0] == 200
        allowed.add("doomed")
        wait_for(lambda: cluster.call("GET", "/api/v1/namespaces/doomed")[0] == 404)
        user, seen = edits("doomed", "finalize")[-1]
        assert user == "namespace-controller" and "finalizers" not in seen["spec"], seen
        user, seen = edits("doomed", "status")[0]
        assert user == "namespace-controller" and {
            one["status"] for one in seen["status"]["conditions"]} == {"False"}, seen

    with_hook(program, answer, work)


def policies_guard_against_the_collector(program):
    def work(cluster, hook):
        rules = [{**CREATIONS[0], "operations": ["DELETE"]}]
        for plural, body in (
                ("validatingadmissionpolicies", {"kind": "ValidatingAdmissionPolicy", "spec": {
                    "matchConstraints": {"resourceRules": rules}, "validations": [{
                        "expression": "!request.userInfo.username.endsWith('-collector')"}]}}),
                ("validatingadmissionpolicybindings", {
                    "kind": "ValidatingAdmissionPolicyBinding",
                    "spec": {"policyName": "p", "validationActions": ["Deny"]}})):
            status, made = cluster.call("POST", GROUP + plural, {
                "apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": "p"}, **body})
            assert status == 201, made
        denials = re.compile(r'policy_check_total{enforcement_action="deny".* (\d+)')
        status, made = cluster.call("POST", CONFIGMAPS, {"metadata": {
            "name": "orphan", "ownerReferences": [{"apiVersion": "v1", "kind": "Secret",
                                                   "name": "gone", "uid": "1-2-3"}]}})
        assert status == 201, made
        wait_for(lambda: denials.search(cluster.metrics()))
        assert cluster.call("GET", CONFIGMAPS + "/orphan")[0] == 200
        cluster.call("DELETE", GROUP + "validatingadmissionpolicybindings/p")
        wait_for(lambda: cluster.call("GET", CONFIGMAPS + "/orphan")[0] == 404)

    with_hook(program, lambda path, request: {"allowed": True}, work)


def conditions_ask_the_authorizers(program):
    def work(cluster, hook):
        def condition(expression):
            return webhook(hook, matchConditions=[{"name": "c", "expression": expression}])

        cluster.configure("Validating", "mine", condition(
            "authorizer.group('').resource('secrets').namespace('default').check('get').allowed()"
            " && authorizer.requestResource.check('update').allowed()"))
        assert cluster.create("a")[0] == 201
        assert len(hook.asked) == 1, hook.asked
        cluster.unconfigure("Validating", "mine")
        cluster.configure("Validating", "nobody", condition(
            "authorizer.serviceAccount('default', 'nobody').group('').resource('secrets')"
            ".namespace('default').check('get').allowed()"))
        assert cluster.create("b")[0] == 201
        assert len(hook.asked) == 1, hook.asked

    with_hook(program, lambda path, request: {"allowed": True}, work)


def policies_match_subresources(program):
    def policy(name, resource, operation, expression):
        return ({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
                 "metadata": {"name": name}, "spec": {
                     "matchConstraints": {"resourceRules": [{
                         "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resource],
                         "operations": [operation]}]},
                     "validations": [{"expression": expression}]}},
                {"apiVersion": "admissionregistration.k8s.io/v1",
                 "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
                 "spec": {"policyName": name, "validationActions": ["Deny"]}})

    def work(cluster, hook):
        for name, resource, operation, expression in (
                ("evict", "pods/eviction", "CREATE", "object.metadata.name != 'p'"),
                ("bind", "pods/binding", "CREATE", "object.target.name != 'n'"),
                ("scale", "*/scale", "UPDATE",
                 "object.spec.replicas < 3 && oldObject.spec.replicas == 1"),
                ("exec", "pods/exec", "CONNECT", "object.command[0] != 'rm'"),
                ("whole", "deployments", "UPDATE", "false")):
            first, second = policy(name, resource, operation, expression)
            status, answer = cluster.call("POST", GROUP + "validatingadmissionpolicies", first)
            assert status == 201, answer
            status, answer = cluster.call("POST", GROUP + "validatingadmissionpolicybindings", second)
            assert status == 201, answer
        assert cluster.call("POST", PODS, POD)[0] == 201
        assert cluster.call("POST", DEPLOYMENTS, DEPLOYMENT)[0] == 201
        scale = {"metadata": {"name": "d"}, "spec": {"replicas": 5}}
        for method, path, body, name in (
                ("POST", PODS + "/p/eviction", {"metadata": {"name": "p"}}, "evict"),
                ("POST", PODS + "/p/binding", {"metadata": {"name": "p"}, "target": {"name": "n"}},
                 "bind"),
                ("PUT", DEPLOYMENTS + "/d/scale", scale, "scale"),
                ("POST", PODS + "/p/exec?command=rm", None, "exec")):
            status, answer = cluster.call(method, path, body)
            assert status == 422 and f"ValidatingAdmissionPolicy '{name}'" in answer["message"], answer
        scale["spec"]["replicas"] = 2
        status, answer = cluster.call("PUT", DEPLOYMENTS + "/d/scale", scale)
        assert status == 200, answer
        assert cluster.call("GET", DEPLOYMENTS + "/d")[1]["spec"]["replicas"] == 2
        assert ('apiserver_validating_admission_policy_check_total{enforcement_action="deny",'
                'error_type="invalid_error",policy="scale",policy_binding="scale"} 1'
                in cluster.metrics()), cluster.metrics()

    with_hook(program, lambda path, request: {"allowed": True}, work)


TESTS = [writes_are_changed_checked_and_refused, mutating_webhooks_see_each_other,
         only_matching_requests_are_sent, failures_are_ignored_or_refused,
         a_hanging_webhook_delays_only_its_requests, a_client_that_leaves_ends_the_call,
         an_update_that_was_overtaken_asks_again, services_are_found,
         dry_runs_and_other_subresources_are_asked_about, versions_of_a_resource_are_equivalent,
         the_server_shows_its_certificate, plugins_can_be_disabled, connections_are_kept,
         connections_and_tokens_are_asked_about, subresources_are_changed,
         deletions_by_controllers_are_asked_about, edits_by_controllers_are_asked_about,
         policies_guard_against_the_collector,
         webhooks_may_name_new_objects, policies_may_name_new_objects, managed_fields_are_what_webhooks_make_of_them, conditions_ask_the_authorizers,
         policies_match_subresources]

if __name__ == "__main__":
    run_tests(TESTS)
