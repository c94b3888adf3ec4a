#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""equivalent_webhooks_test.py -- admission webhooks and policies whose rules name another version of
a custom resource than that of the request: the conversion webhook converts for them.
usage: equivalent_webhooks_test.py LISTWATCH"""

from conversion_webhooks_test import (CRDS, V1, V2, Cluster, convert, definition, host, spec_of)
from serving import run_tests
from webhook_server import AdmissionServer, ConversionServer, configuration, patch, webhook

HOOKS = "/apis/admissionregistration.k8s.io/v1/"
RULE_OF_V2 = [{"apiGroups": ["example.com"], "apiVersions": ["v2"], "resources": ["hosts"],
               "operations": ["*"]}]


def with_hooks(program, answer, work, converter=convert, **settings):
    """Runs work(cluster, converter, hook) with a mutating and a validating webhook for v2."""
    conversions = ConversionServer(converter)
    hook = AdmissionServer(answer)
    cluster = Cluster(program, memory=True)
    try:
        cluster.start()
        cluster.must("POST", CRDS, definition(conversions))
        for kind in ("Mutating", "Validating"):
            cluster.must("POST", HOOKS + kind.lower() + "webhookconfigurations", configuration(
                kind, "hosts", webhook(hook, path="/" + kind.lower(), rules=RULE_OF_V2,
                                       **settings)))
        work(cluster, conversions, hook)
        assert cluster.stop() == 0
    finally:
        hook.close()
        conversions.close()
        cluster.remove()


def allow(path, request):
    return {"allowed": True}


def webhooks_see_the_version_of_their_rule(program):
    def work(cluster, conversions, hook):
        made = cluster.must("POST", V1, host("v1", "a", address="localhost:80"))
        assert spec_of(made) == {"address": "localhost:80"}, made
        made["spec"]["address"] = "localhost:81"
        cluster.must("PUT", V1 + "/a", made)
        cluster.must("DELETE", V1 + "/a")
        for path in ("/mutating", "/validating"):
            requests = hook.requests(path)
            assert [one["operation"] for one in requests] == ["CREATE", "UPDATE", "DELETE"]
            for one in requests:
                assert one["kind"] == {"group": "example.com", "version": "v2", "kind": "Host"}, one
                assert one["resource"]["version"] == "v2", one
                assert one["requestKind"]["version"] == "v1", one
                assert one["requestResource"]["version"] == "v1", one
            create, update, delete = requests
            assert create["object"]["apiVersion"] == "example.com/v2", create
            assert spec_of(create["object"]) == {"host": "localhost", "port": 80}, create
            assert create["oldObject"] is None, create
            assert spec_of(update["object"]) == {"host": "localhost", "port": 81}, update
            assert spec_of(update["oldObject"]) == {"host": "localhost", "port": 80}, update
            assert delete["object"] is None, delete
            assert spec_of(delete["oldObject"]) == {"host": "localhost", "port": 81}, delete

    with_hooks(program, allow, work)


def a_patched_object_is_converted_back(program):
    def answer(path, request):
        if path == "/mutating" and request["operation"] != "DELETE":
            return patch({"op": "replace", "path": "/spec/port", "value": 443},
                         {"op": "add", "path": "/metadata/labels", "value": {"patched": "yes"}})
        return {"allowed": True}

    def work(cluster, conversions, hook):
        made = cluster.must("POST", V1, host("v1", "a", address="localhost:80"))
        assert made["apiVersion"] == "example.com/v1", made
        assert spec_of(made) == {"address": "localhost:443"}, made
        assert made["metadata"]["labels"] == {"patched": "yes"}, made
        seen = hook.requests("/validating")[0]["object"]
        assert spec_of(seen) == {"host": "localhost", "port": 443}, seen
        generated = host("v1", "", address="h:1")
        generated["metadata"] = {"generateName": "g-"}
        made = cluster.must("POST", V1, generated)
        assert made["metadata"]["name"].startswith("g-"), made
        assert spec_of(made) == {"address": "h:443"}, made
        made = cluster.must("POST", V2, host("v2", "b", host="h", port=1))
        assert spec_of(made) == {"host": "h", "port": 443}, made

    with_hooks(program, answer, work)


def conditions_see_the_version_of_the_rule(program):
    def work(cluster, conversions, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:80"))
        assert hook.requests() == [], hook.requests()
        cluster.must("POST", V1, host("v1", "b", address="localhost:8080"))
        assert len(hook.requests()) == 2, hook.requests()

    with_hooks(program, allow, work, matchConditions=[
        {"name": "port", "expression": "object.spec.port > 1000"}])


def an_exact_rule_does_not_match(program):
    def work(cluster, conversions, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:80"))
        assert hook.requests() == [], hook.requests()
        assert conversions.converted() == [], conversions.converted()

    with_hooks(program, allow, work, matchPolicy="Exact")


def a_failing_conversion_refuses_the_request(program):
    def refuse(obj, wanted):
        return {"result": {"status": "Failure", "message": "no such address"}}

    def work(cluster, conversions, hook):
        status, refused = cluster.call("POST", V1, host("v1", "a", address="localhost:80"))
        assert (status, refused["message"], refused["reason"]) == (
            500, "Internal error occurred: conversion webhook for example.com/v1, Kind=Host failed: "
            "no such address", "InternalError"), refused
        cluster.must("GET", V1 + "/a", status=404)

    with_hooks(program, allow, work, refuse)


TESTS = [
    webhooks_see_the_version_of_their_rule,
    a_patched_object_is_converted_back,
    conditions_see_the_version_of_the_rule,
    an_exact_rule_does_not_match,
    a_failing_conversion_refuses_the_request,
]

if __name__ == "__main__":
    run_tests(TESTS)
