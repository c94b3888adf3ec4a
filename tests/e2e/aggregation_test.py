#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""aggregation_test.py -- another API server behind this one (APIService).
usage: aggregation_test.py LISTWATCH KUBECTL_FOLDER"""

import base64
import http.client
import json
import os
import ssl
import time

from kubectl import KUBECTL, kubectl
from serving import Follower, Server, run_tests
from stub_apiserver import AGGREGATED, ApiServer
from stub_server import Authority

GROUP = "wardle.example.com"
NAME = "v1alpha1." + GROUP
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
FLUNDERS = f"/apis/{GROUP}/v1alpha1/namespaces/default/flunders"


class Cluster(Server):
    """A server, and another one that it can be joined with."""

    def __init__(self, program, **stub):
        super().__init__(program, options=["--token-file", "-"])
        tokens = os.path.join(self.folder, "tokens.csv")
        with open(tokens, "w") as file:
            file.write('ann-token,ann,7,"team a,team b"\n')
        self.command[self.command.index("-")] = tokens
        self.authority = Authority(self.folder, "other-ca")
        self.cert = self.authority.issue("other", "/CN=other", "DNS:api.default.svc")
        self.other = ApiServer(self.cert, **stub)

    def request(self, method, path, body=None, headers=(), token=None):
        """The status, the headers and the text."""
        if token:
            connection = http.client.HTTPSConnection("127.0.0.1", self.tls_port, timeout=30,
                                                     context=ssl._create_unverified_context())
        else:
            connection = self.connect()
        own = {"Authorization": "Bearer " + token} if token else {}
        text = json.dumps(body) if body is not None else None
        if text:
            own["Content-Type"] = "application/json"
        connection.request(method, path, text, {**own, **dict(headers)})
        reply = connection.getresponse()
        answer = reply.read().decode()
        connection.close()
        return reply.status, reply.headers, answer

    def make(self, path, body):
        code, made = self.call("POST", path, body)
        assert code == 201, made
        return made

    def make_service(self, port=None):
        self.make("/api/v1/namespaces/default/services", {
            "metadata": {"name": "api"}, "spec": {"ports": [{"port": 443, "name": "https"}]}})
        self.make_slice(port or self.other.port)

    def make_slice(self, port):
        self.make("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
            "metadata": {"name": "api-1", "labels": {"kubernetes.io/service-name": "api"}},
            "addressType": "IPv4", "ports": [{"name": "https", "port": port}],
            "endpoints": [{"addresses": ["127.0.0.1"], "conditions": {"ready": True}}]})

    def join(self, **spec):
        ca = base64.b64encode(open(self.authority.cert, "rb").read()).decode()
        return self.make(SERVICES, {
            "metadata": {"name": NAME},
            "spec": {"group": GROUP, "version": "v1alpha1", "groupPriorityMinimum": 2000,
                     "versionPriority": 15, "caBundle": ca,
                     "service": {"namespace": "default", "name": "api"}, **spec}})

    def condition(self):
        _, found = self.call("GET", f"{SERVICES}/{NAME}")
        return (found.get("status", {}).get("conditions") or [{}])[0]

    def await_condition(self, status, reason, timeout=30):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            now = self.condition()
            if (now.get("status"), now.get("reason")) == (status, reason):
                return now["message"]
            time.sleep(0.02)
        raise AssertionError(f"not {status} {reason}: {now}")

    def joined(self):
        self.make_service()
        self.join()
        self.await_condition("True", "Passed")
        return self

    def remove(self):
        self.other.close()
        super().remove()


def with_cluster(program, work, **stub):
    cluster = Cluster(program, **stub)
    try:
        work(cluster.start())
    finally:
        cluster.remove()


def groups_of_this_server_are_listed_as_available(program):
    def work(cluster):
        _, found = cluster.call("GET", SERVICES)
        local = {one["metadata"]["name"]: one for one in found["items"]}
        assert {"v1.", "v1.apps", "v2.autoscaling"} <= set(local), local.keys()
        assert local["v1.apps"]["spec"] == {"group": "apps", "version": "v1",
                                            "groupPriorityMinimum": 17800, "versionPriority": 15}
        condition = local["v1."]["status"]["conditions"][0]
        assert (condition["status"], condition["reason"]) == ("True", "Local"), condition
        cluster.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "metadata": {"name": "things.example.org"},
            "spec": {"group": "example.org", "scope": "Namespaced",
                     "names": {"plural": "things", "kind": "Thing"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object"}}}]}})
        wait_for(lambda: cluster.call("GET", SERVICES + "/v1.example.org")[0] == 200)
        cluster.call("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                     "things.example.org")
        wait_for(lambda: cluster.call("GET", SERVICES + "/v1.example.org")[0] == 404)
    with_cluster(program, work)


def wait_for(is_so, timeout=30):
    end = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def conditions_say_what_is_missing(program):
    def work(cluster):
        cluster.join()
        message = cluster.await_condition("False", "ServiceNotFound")
        assert message == 'service/api in "default" is not present', message
        code, _, text = cluster.request("GET", FLUNDERS)
        assert (code, text) == (503, "service unavailable\n"), (code, text)
        gauge = f'aggregator_unavailable_apiservice{{name="{NAME}"}} 1\n'
        assert gauge in cluster.request("GET", "/metrics")[2]
        cluster.make("/api/v1/namespaces/default/services", {
            "metadata": {"name": "api"}, "spec": {"ports": [{"port": 444, "name": "https"}]}})
        message = cluster.await_condition("False", "ServicePortError")
        assert message == 'service/api in "default" is not listening on port 443', message
        cluster.call("DELETE", "/api/v1/namespaces/default/services/api")
        cluster.await_condition("False", "ServiceNotFound")
        cluster.make("/api/v1/namespaces/default/services", {
            "metadata": {"name": "api"}, "spec": {"ports": [{"port": 443, "name": "https"}]}})
        message = cluster.await_condition("False", "EndpointsNotFound")
        assert message == 'cannot find endpointslices for service/api in "default"', message
        cluster.other.is_healthy = False
        cluster.make_slice(cluster.other.port)
        message = cluster.await_condition("False", "FailedDiscoveryCheck")
        assert f"bad status from https://127.0.0.1:{cluster.other.port}/apis/{GROUP}/v1alpha1: " \
            "500" in message, message
        cluster.other.is_healthy = True
        assert cluster.await_condition("True", "Passed") == "all checks passed"
    with_cluster(program, work)


def a_certificate_of_another_ca_is_not_accepted(program):
    def work(cluster):
        cluster.make_service()
        stranger = Authority(cluster.folder, "stranger-ca")
        ca = base64.b64encode(open(stranger.cert, "rb").read()).decode()
        cluster.join(caBundle=ca)
        message = cluster.await_condition("False", "FailedDiscoveryCheck")
        assert "certificate" in message, message
    with_cluster(program, work)


def requests_carry_the_user_and_no_credentials(program):
    def work(cluster):
        cluster.joined()
        cluster.make("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
            "metadata": {"name": "flunders"}, "rules": [
                {"apiGroups": [GROUP], "resources": ["flunders"], "verbs": ["create"]}]})
        code, _, text = cluster.request("POST", FLUNDERS, {"metadata": {"name": "f"}},
                                        token="ann-token")
        assert code == 403, text
        assert f'cannot create resource "flunders" in API group "{GROUP}"' in \
            json.loads(text)["message"], text
        cluster.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": "flunders"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "flunders"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
                          "name": "ann"}]})
        code, _, text = cluster.request(
            "POST", FLUNDERS, {"metadata": {"name": "f"}}, token="ann-token",
            headers=[("X-Remote-User", "system:admin"), ("X-Remote-Group", "system:masters"),
                     ("Cookie", "secret=1")])
        assert code == 201, text
        seen = cluster.other.await_asked(lambda one: one.command == "POST").headers
        assert seen.get_all("X-Remote-User") == ["ann"], seen
        assert seen["X-Remote-Uid"] == "7", seen
        assert seen.get_all("X-Remote-Group") == ["team a", "team b", "system:authenticated"], seen
        assert seen["Authorization"] is None and seen["Cookie"] is None, seen
        assert seen["X-Forwarded-For"] == "127.0.0.1", seen
    with_cluster(program, work)


def the_front_proxy_certificate_is_shown(program):
    def work(cluster):
        _, info = cluster.call("GET", "/api/v1/namespaces/kube-system/configmaps/"
                               "extension-apiserver-authentication")
        path = os.path.join(cluster.folder, "front.crt")
        with open(path, "w") as file:
            file.write(info["data"]["requestheader-client-ca-file"])
        assert json.loads(info["data"]["requestheader-allowed-names"]) == ["front-proxy-client"]
        cluster.other.close()
        cluster.other = ApiServer(cluster.cert, client_ca=path)
        cluster.joined()
        one = cluster.other.await_asked(lambda one: one.path == f"/apis/{GROUP}/v1alpha1")
        assert one.name == "front-proxy-client", one.name
    with_cluster(program, work)


def discovery_has_the_groups_of_others(program):
    def work(cluster):
        cluster.joined()
        _, _, text = cluster.request("GET", "/apis")
        groups = {one["name"]: one for one in json.loads(text)["groups"]}
        assert groups[GROUP]["preferredVersion"]["groupVersion"] == GROUP + "/v1alpha1", groups
        assert list(groups)[0] == "apiregistration.k8s.io", list(groups)
        _, one = cluster.call("GET", "/apis/" + GROUP)
        assert one["kind"] == "APIGroup" and one["versions"][0]["version"] == "v1alpha1", one
        _, one = cluster.call("GET", f"/apis/{GROUP}/v1alpha1")
        assert one["resources"][0]["name"] == "flunders", one
        _, _, text = cluster.request("GET", "/apis", headers=[("Accept", AGGREGATED)])
        items = {one["metadata"]["name"]: one for one in json.loads(text)["items"]}
        version = items[GROUP]["versions"][0]
        assert version["freshness"] == "Current", version
        assert version["resources"][0]["resource"] == "flunders", version
        _, paths = cluster.call("GET", "/openapi/v3")
        url = paths["paths"][f"apis/{GROUP}/v1alpha1"]["serverRelativeURL"]
        _, document = cluster.call("GET", url)
        assert document["info"]["title"] == "stub", document
        cluster.other.is_healthy = False
        cluster.call("DELETE", "/api/v1/namespaces/default/services/api")
        cluster.await_condition("False", "ServiceNotFound")
        _, _, text = cluster.request("GET", "/apis", headers=[("Accept", AGGREGATED)])
        items = {one["metadata"]["name"]: one for one in json.loads(text)["items"]}
        assert items[GROUP]["versions"][0]["freshness"] == "Stale", items[GROUP]
        cluster.call("DELETE", f"{SERVICES}/{NAME}")
        wait_for(lambda: GROUP not in cluster.request("GET", "/apis")[2])
        code, _, _ = cluster.request("GET", "/apis/" + GROUP)
        assert code == 404, code
    with_cluster(program, work)


def openapi_v2(cluster, etag=None):
    headers = [("Accept", "application/json")] + ([("If-None-Match", etag)] if etag else [])
    code, head, text = cluster.request("GET", "/openapi/v2", headers=headers)
    return code, head["ETag"], json.loads(text) if text else None


def openapi_v2_has_the_kinds_of_others(program):
    path = f"/apis/{GROUP}/v1alpha1/namespaces/{{namespace}}/flunders"
    meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

    def work(cluster):
        _, before, alone = openapi_v2(cluster)
        assert path not in alone["paths"] and "parameters" not in alone
        cluster.joined()
        code, etag, merged = openapi_v2(cluster)
        assert code == 200 and etag != before, (etag, before)
        assert merged["info"] == alone["info"] and path in merged["paths"]
        assert set(merged["paths"]) - set(alone["paths"]) == {path}
        model = merged["definitions"]["com.example.Flunder"]
        assert model["properties"]["metadata"]["$ref"] == f"#/definitions/{meta}_v2", model
        assert merged["definitions"][meta] == alone["definitions"][meta]
        assert "another server" in merged["definitions"][meta + "_v2"]["description"]
        assert merged["parameters"]["pretty-"]["in"] == "query"
        assert openapi_v2(cluster, etag)[:2] == (304, etag)
        cluster.call("DELETE", "/api/v1/namespaces/default/services/api")
        cluster.await_condition("False", "ServiceNotFound")
        assert openapi_v2(cluster)[1] == etag, "the last document stays"
        cluster.call("DELETE", f"{SERVICES}/{NAME}")
        wait_for(lambda: openapi_v2(cluster)[1] == before)
    with_cluster(program, work)


def an_openapi_document_that_is_none_leaves_the_others(program):
    def work(cluster):
        _, before, _ = openapi_v2(cluster)
        cluster.other.openapi = {"paths": ["/apis/"], "definitions": 7}
        cluster.joined()
        assert openapi_v2(cluster)[1] == before
    with_cluster(program, work)


def kubectl_explains_and_validates_an_aggregated_kind(program):
    if not KUBECTL:
        return "there is no kubectl"
    manifest = ("apiVersion: {}/v1alpha1\nkind: Flunder\nmetadata: {{name: one}}\n"
                "spec: {{{}: 1}}\n")

    def work(cluster):
        cluster.joined()
        shown = kubectl(cluster, "explain", "flunders")
        assert "Flunder is a thing of another server." in shown, shown
        assert "How large it is." in kubectl(cluster, "explain", "flunders.spec.size")
        assert "The name there." in kubectl(cluster, "explain", "flunders.metadata.name")
        assert "Standard object's metadata" in kubectl(cluster, "explain", "pods.metadata")
        refused = kubectl(cluster, "create", "-f", "-", stdin=manifest.format(GROUP, "colour"),
                          fails=True)
        assert 'unknown field "colour"' in refused, refused
        assert "created" in kubectl(cluster, "create", "-f", "-",
                                    stdin=manifest.format(GROUP, "size"))
    with_cluster(program, work)


def servers_without_aggregated_discovery_are_converted(program):
    def work(cluster):
        cluster.joined()
        _, _, text = cluster.request("GET", "/apis", headers=[("Accept", AGGREGATED)])
        items = {one["metadata"]["name"]: one for one in json.loads(text)["items"]}
        resource = items[GROUP]["versions"][0]["resources"][0]
        assert resource["scope"] == "Namespaced" and resource["singularResource"] == "flunder"
        assert resource["responseKind"] == {"group": GROUP, "version": "v1alpha1",
                                            "kind": "Flunder"}, resource
        assert resource["subresources"][0]["subresource"] == "status", resource
    with_cluster(program, work, is_old=True)


def a_server_that_has_gone_is_reported(program):
    def work(cluster):
        cluster.joined()
        cluster.other.close()
        code, text = cluster.call("GET", FLUNDERS)
        assert code == 503 and text["message"].startswith("error trying to reach service: "), text
        assert "refused" in text["message"], text
    with_cluster(program, work)


def kubectl_gets_and_watches_an_aggregated_kind(program):
    if not KUBECTL:
        return "there is no kubectl"

    def work(cluster):
        cluster.joined()
        cluster.other.add("first")
        assert "first" in kubectl(cluster, "get", "flunders")
        assert "first" in kubectl(cluster, "get", "fl", "-o", "name")
        shown = kubectl(cluster, "get", "apiservices", NAME)
        assert "default/api" in shown and "True" in shown, shown
        watch = Follower([KUBECTL, "-s", cluster.url(), "get", "flunders", "-w", "-o", "name"],
                         env={"HOME": cluster.folder})
        try:
            watch.await_line("first")
            cluster.other.add("second")
            watch.await_line("second")
        finally:
            watch.kill()
    with_cluster(program, work)


def shutdown_ends_proxied_watches(program):
    def work(cluster):
        cluster.joined()
        cluster.other.add("first")
        connection = cluster.connect()
        connection.request("GET", FLUNDERS + "?watch=1")
        reply = connection.getresponse()
        assert json.loads(reply.readline())["object"]["metadata"]["name"] == "first"
        began = time.monotonic()
        assert cluster.stop() == 0
        assert time.monotonic() - began < 8
        assert reply.read() == b""
        connection.close()
    with_cluster(program, work)


run_tests([groups_of_this_server_are_listed_as_available,
           conditions_say_what_is_missing,
           a_certificate_of_another_ca_is_not_accepted,
           requests_carry_the_user_and_no_credentials,
           the_front_proxy_certificate_is_shown,
           discovery_has_the_groups_of_others,
           openapi_v2_has_the_kinds_of_others,
           an_openapi_document_that_is_none_leaves_the_others,
           kubectl_explains_and_validates_an_aggregated_kind,
           servers_without_aggregated_discovery_are_converted,
           a_server_that_has_gone_is_reported,
           kubectl_gets_and_watches_an_aggregated_kind,
           shutdown_ends_proxied_watches])
