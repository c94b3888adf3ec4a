#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conversion_webhooks_test.py -- custom resources whose versions a webhook converts, as clients and
the webhook see them.
usage: conversion_webhooks_test.py LISTWATCH"""

import json
import threading

from serving import Server, Watch, Worker, run_tests
from webhook_server import ConversionServer

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
V1 = "/apis/example.com/v1/namespaces/default/hosts"
V2 = "/apis/example.com/v2/namespaces/default/hosts"
SUBJECT = "conversion webhook for example.com/v1, Kind=Host"


def convert(obj, version):
    """v1 has spec.address "host:port"; v2 has spec.host and spec.port."""
    spec = obj.setdefault("spec", {})
    if version.endswith("/v2") and "address" in spec:
        spec["host"], port = spec.pop("address").split(":")
        spec["port"] = int(port)
    elif version.endswith("/v1") and "host" in spec:
        spec["address"] = f"{spec.pop('host')}:{spec.pop('port')}"
    obj["apiVersion"] = version
    return obj


def version(name, stored, properties):
    """A version with a scale subresource, a status and a field that has a default; |properties| can be
    selected."""
    return {"name": name, "served": True, "storage": stored,
            "selectableFields": [{"jsonPath": ".spec." + field} for field in properties],
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                     "statusReplicasPath": ".status.replicas"}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {
                    **properties, "replicas": {"type": "integer"},
                    "note": {"type": "string", "default": "default of " + name}}},
                "status": {"type": "object", "properties": {"replicas": {"type": "integer"},
                                                            "phase": {"type": "string"}}}}}}}


def definition(hook, stored="v1"):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "hosts.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": "hosts", "kind": "Host"},
                     "conversion": {"strategy": "Webhook", "webhook": {
                         "conversionReviewVersions": ["v1"],
                         "clientConfig": {"url": hook.url("/convert"),
                                          "caBundle": hook.ca_bundle()}}},
                     "versions": [version("v1", stored == "v1", {"address": {"type": "string"}}),
                                  version("v2", stored == "v2", {"host": {"type": "string"},
                                                                 "port": {"type": "integer"}})]}}


def host(api, name, **spec):
    return {"apiVersion": "example.com/" + api, "kind": "Host", "metadata": {"name": name},
            "spec": spec}


class Cluster(Server):
    def must(self, method, path, body=None, status=None):
        code, answer = self.call(method, path, body)
        assert code == (status or (201 if method == "POST" else 200)), (code, answer)
        return answer

    def redefine(self, **spec):
        """Changes the definition; again after a conflict: the server may be writing its status."""
        code = 409
        while code == 409:
            crd = self.must("GET", CRDS + "/hosts.example.com")
            crd["spec"].update(spec)
            code, answer = self.call("PUT", CRDS + "/hosts.example.com", crd)
        assert code == 200, answer
        return answer

    def send(self, method, path, body, content_type):
        connection = self.connect()
        connection.request(method, path, json.dumps(body), {"Content-Type": content_type})
        reply = connection.getresponse()
        answer = json.loads(reply.read())
        connection.close()
        return reply.status, answer

    def metrics(self):
        connection = self.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text


def with_cluster(program, work, answer=convert):
    """Runs work(cluster, hook) with the definition stored."""
    hook = ConversionServer(answer)
    cluster = Cluster(program, memory=True)
    try:
        cluster.start()
        cluster.must("POST", CRDS, definition(hook))
        work(cluster, hook)
        assert cluster.stop() == 0
    finally:
        hook.close()
        cluster.remove()


def spec_of(obj):
    return {key: value for key, value in obj["spec"].items() if key != "note"}


def objects_are_read_in_each_version(program):
    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:80"))
        assert hook.converted() == [], hook.asked
        shown = cluster.must("GET", V2 + "/a")
        assert shown["apiVersion"] == "example.com/v2", shown
        assert shown["spec"] == {"host": "localhost", "port": 80, "note": "default of v1"}, shown
        stored = cluster.must("GET", V1 + "/a")
        assert shown["metadata"] == stored["metadata"], (shown, stored)
        review = hook.asked[0][1]
        assert review["kind"] == "ConversionReview", review
        assert review["apiVersion"] == "apiextensions.k8s.io/v1", review
        assert review["request"]["desiredAPIVersion"] == "example.com/v2", review
        assert review["request"]["objects"] == [stored], review
        cluster.must("GET", V2 + "/a")
        assert hook.converted() == [("v2", 1)], "the second read is answered from the cache"
        assert hook.asked[0][0] == "/convert?timeout=30s", hook.asked
        metrics = cluster.metrics()
        assert ('apiserver_conversion_webhook_request_total{failure_type="",result="success"} 1'
                in metrics), metrics
        assert ('apiserver_crd_conversion_webhook_duration_seconds_count{crd_name='
                '"hosts.example.com",from_version="v1",succeeded="true",to_version="v2"} 1'
                in metrics), metrics

    with_cluster(program, work)


def a_change_of_the_status_keeps_what_was_converted(program):
    """As the server itself makes it after the creation of the definition, at any time."""
    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:80"))
        cluster.must("GET", V2 + "/a")
        for i in range(3):
            status, crd = cluster.send("PATCH", CRDS + "/hosts.example.com",
                                       {"metadata": {"labels": {"changed": str(i)}}},
                                       "application/merge-patch+json")
            assert status == 200, crd
            cluster.must("GET", V2 + "/a")
        assert hook.converted() == [("v2", 1)], hook.converted()
        versions = definition(hook)["spec"]["versions"]
        versions[1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].pop("port")
        cluster.redefine(versions=versions)
        assert spec_of(cluster.must("GET", V2 + "/a")) == {"host": "localhost"}
        assert hook.converted() == [("v2", 1)] * 2, "another schema prunes otherwise"

    with_cluster(program, work)


def lists_are_converted_in_batches(program):
    def work(cluster, hook):
        for i in range(150):
            cluster.must("POST", V1, host("v1", f"h{i:03}", address=f"localhost:{i}"))
        listed = cluster.must("GET", V2)
        assert [obj["spec"]["port"] for obj in listed["items"]] == list(range(150)), listed
        assert all(obj["apiVersion"] == "example.com/v2" for obj in listed["items"]), listed
        assert hook.converted() == [("v2", 64), ("v2", 64), ("v2", 22)], hook.converted()
        hook.forget()
        page = cluster.must("GET", V2 + "?limit=10")
        assert len(page["items"]) == 10 and page["metadata"]["continue"], page
        cluster.must("PATCH", V1 + "/h007", None, 415)
        assert hook.converted() == [], hook.converted()

    with_cluster(program, work)


def writes_are_stored_in_the_storage_version(program):
    def work(cluster, hook):
        made = cluster.must("POST", V2, host("v2", "a", host="localhost", port=80))
        assert made["apiVersion"] == "example.com/v2", made
        assert spec_of(made) == {"host": "localhost", "port": 80}, made
        assert made["spec"]["note"] == "default of v2", made
        assert hook.converted() == [("v1", 1), ("v2", 1)], hook.converted()
        stored = cluster.must("GET", V1 + "/a")
        assert spec_of(stored) == {"address": "localhost:80"}, stored
        made["spec"]["port"] = 81
        changed = cluster.must("PUT", V2 + "/a", made)
        assert changed["spec"]["port"] == 81, changed
        assert changed["metadata"]["generation"] == 2, changed
        assert cluster.must("GET", V1 + "/a")["spec"]["address"] == "localhost:81"
        status, patched = cluster.send("PATCH", V2 + "/a", {"spec": {"host": "example"}},
                                       "application/merge-patch+json")
        assert status == 200 and patched["spec"]["host"] == "example", patched
        assert cluster.must("GET", V1 + "/a")["spec"]["address"] == "example:81"
        status, applied = cluster.send(
            "PATCH", V2 + "/a?fieldManager=me&force=true", host("v2", "a", port=82),
            "application/apply-patch+yaml")
        assert status == 200 and applied["spec"]["port"] == 82, applied
        managers = {entry["manager"]: entry["apiVersion"]
                    for entry in applied["metadata"]["managedFields"]}
        assert managers["me"] == "example.com/v2", applied
        applied["status"] = {"phase": "ready", "replicas": 3}
        status = cluster.must("PUT", V2 + "/a/status", applied)
        assert status["status"]["phase"] == "ready", status
        assert cluster.must("GET", V1 + "/a")["status"] == {"phase": "ready", "replicas": 3}
        status, scaled = cluster.send("PATCH", V2 + "/a/scale", {"spec": {"replicas": 5}},
                                      "application/merge-patch+json")
        assert status == 200 and scaled["spec"]["replicas"] == 5, scaled
        assert cluster.must("GET", V2 + "/a/scale")["spec"]["replicas"] == 5
        assert cluster.must("GET", V1 + "/a")["spec"]["replicas"] == 5
        dry = cluster.must("POST", V2 + "?dryRun=All", host("v2", "dry", host="h", port=1))
        assert spec_of(dry) == {"host": "h", "port": 1}, dry
        before = cluster.must("GET", V1 + "/a")["metadata"]["resourceVersion"]
        same = cluster.must("GET", V2 + "/a")
        assert cluster.must("PUT", V2 + "/a", same)["metadata"]["resourceVersion"] == before
        cluster.must("DELETE", V2 + "/a")
        cluster.must("GET", V1 + "/a", status=404)

    with_cluster(program, work)


def the_storage_version_changes_when_objects_are_written(program):
    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:80"))
        crd = cluster.must("GET", CRDS + "/hosts.example.com")
        assert crd["status"]["storedVersions"] == ["v1"], crd
        crd = cluster.redefine(versions=definition(hook, "v2")["spec"]["versions"])
        assert crd["status"]["storedVersions"] == ["v1", "v2"], crd
        hook.forget()
        old = cluster.must("GET", V1 + "/a")
        assert hook.converted() == [], "it is still stored as v1"
        written = cluster.must("PUT", V1 + "/a", old)
        assert written["metadata"]["resourceVersion"] != old["metadata"]["resourceVersion"], written
        hook.forget()
        assert cluster.must("GET", V2 + "/a")["spec"]["host"] == "localhost"
        assert hook.converted() == [], "it is stored as v2"

    with_cluster(program, work)


def watches_deliver_converted_objects(program):
    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:1"))
        watches = [Watch(cluster, V2 + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                         "&resourceVersionMatch=NotOlderThan") for _ in range(5)]
        for watch in watches:
            first, mark = next(watch), next(watch)
            assert (first["type"], spec_of(first["object"])) == (
                "ADDED", {"host": "localhost", "port": 1}), first
            assert mark["type"] == "BOOKMARK", mark
        obj = cluster.must("GET", V1 + "/a")
        hook.forget()
        obj["spec"]["address"] = "localhost:2"
        cluster.must("PUT", V1 + "/a", obj)
        cluster.must("DELETE", V1 + "/a")
        for watch in watches:
            changed, gone = next(watch), next(watch)
            assert (changed["type"], changed["object"]["spec"]["port"]) == ("MODIFIED", 2), changed
            assert changed["object"]["apiVersion"] == "example.com/v2", changed
            assert (gone["type"], gone["object"]["spec"]["port"]) == ("DELETED", 2), gone
            watch.close()
        assert sum(count for _, count in hook.converted()) <= 2 * 2, (
            "each loop converts each state once: " + str(hook.converted()))

    with_cluster(program, work)


def changes_during_a_conversion_are_delivered_after_it(program):
    may_answer = threading.Event()

    def answer(obj, wanted):
        assert may_answer.wait(60)
        return convert(obj, wanted)

    def work(cluster, hook):
        watch = Watch(cluster, V2 + "?watch=true&resourceVersion=" +
                      cluster.must("GET", V1)["metadata"]["resourceVersion"])
        made = cluster.must("POST", V1, host("v1", "a", address="localhost:1"))
        hook.await_asked(1)
        made["spec"]["address"] = "localhost:2"
        cluster.must("PUT", V1 + "/a", made)
        cluster.must("DELETE", V1 + "/a")
        may_answer.set()
        events = [next(watch) for _ in range(3)]
        assert [(event["type"], event["object"]["spec"]["port"]) for event in events] == [
            ("ADDED", 1), ("MODIFIED", 2), ("DELETED", 2)], events
        watch.close()

    with_cluster(program, work, answer)


def field_selectors_choose_of_converted_objects(program):
    def work(cluster, hook):
        chosen = V2 + "?fieldSelector=spec.host%3Da"
        before = cluster.must("GET", V1)["metadata"]["resourceVersion"]
        watch = Watch(cluster, chosen + "&watch=true&resourceVersion=" + before)
        for name, address in (("one", "a:1"), ("two", "a:2"), ("three", "b:1")):
            cluster.must("POST", V1, host("v1", name, address=address))
        assert [each["metadata"]["name"] for each in cluster.must("GET", chosen)["items"]] == [
            "one", "two"]
        assert cluster.must("GET", chosen + ",spec.port%3D2")["items"][0]["metadata"]["name"] == "two"
        assert len(cluster.must("GET", V1 + "?fieldSelector=spec.address%3Db:1")["items"]) == 1
        for name, address in (("three", "a:3"), ("three", "a:4"), ("three", "b:5")):
            obj = cluster.must("GET", f"{V1}/{name}")
            obj["spec"]["address"] = address
            moved = cluster.must("PUT", f"{V1}/{name}", obj)
        assert len(cluster.must("DELETE", chosen + ",spec.port%3D2")["items"]) == 1
        assert len(cluster.must("GET", V1)["items"]) == 2
        events = [next(watch) for _ in range(6)]
        assert [(event["type"], event["object"]["metadata"]["name"], event["object"]["spec"]["port"])
                for event in events] == [
            ("ADDED", "one", 1), ("ADDED", "two", 2), ("ADDED", "three", 3), ("MODIFIED", "three", 4),
            ("DELETED", "three", 4), ("DELETED", "two", 2)], events
        assert (events[4]["object"]["metadata"]["resourceVersion"]
                == moved["metadata"]["resourceVersion"]), (events[4], moved)
        watch.close()

    with_cluster(program, work)


def a_failing_webhook_fails_requests_with_its_reason(program):
    state = {"fails": False}

    def answer(obj, wanted):
        if state["fails"]:
            return {"result": {"status": "Failure", "message": "no such address"}}
        return convert(obj, wanted)

    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:1"))
        watch = Watch(cluster, V2 + "?watch=true")
        assert next(watch)["type"] == "ADDED"
        state["fails"] = True
        obj = cluster.must("GET", V1 + "/a")
        obj["spec"]["address"] = "localhost:2"
        cluster.must("PUT", V1 + "/a", obj)
        error = next(watch)
        assert error["type"] == "ERROR", error
        assert error["object"]["code"] == 500, error
        assert error["object"]["message"] == (
            f"Internal error occurred: {SUBJECT} failed: no such address"), error
        assert next(watch, None) is None, "the watch has ended"
        for method, path, body in (("GET", V2 + "/a", None), ("GET", V2, None),
                                   ("PUT", V2 + "/a", host("v2", "a", host="h", port=1)),
                                   ("DELETE", V2 + "/a", None)):
            status, refused = cluster.call(method, path, body)
            assert (status, refused["message"], refused.get("reason")) == (
                500, f"{SUBJECT} failed: no such address", None), (method, path, refused)
        status, refused = cluster.call("POST", V2, host("v2", "b", host="h", port=1))
        assert (status, refused["message"]) == (
            500, "conversion webhook for example.com/v2, Kind=Host failed: no such address"), refused
        cluster.must("GET", V1 + "/b", status=404)
        cluster.must("GET", V1 + "/a")
        assert ('apiserver_conversion_webhook_request_total{failure_type="'
                'conversion_webhook_malformed_response_failure",result="failure"}'
                in cluster.metrics())
        cluster.must("DELETE", CRDS + "/hosts.example.com")

    with_cluster(program, work, answer)


def replies_are_checked(program):
    state = {}

    def answer(obj, wanted):
        return state["answer"](convert(obj, wanted))

    def changed(path, value):
        def change(obj):
            at = obj
            for key in path[:-1]:
                at = at.setdefault(key, {})
            at[path[-1]] = value
            return obj
        return change

    def without_metadata(obj):
        del obj["metadata"]
        return obj

    invalid = SUBJECT + " returned invalid "
    cases = [
        (lambda obj: {"result": {"status": "Failed"}},
         SUBJECT + " failed: response.result.status was 'Failed', not 'Success'"),
        (lambda obj: {"result": {"status": "Success"}, "convertedObjects": []},
         SUBJECT + " returned 0 objects, expected 1"),
        (lambda obj: {"result": {"status": "Success"}, "uid": "other", "convertedObjects": [obj]},
         None),
        (lambda obj: (500, "it broke"),
         SUBJECT + ' failed: an error on the server ("unknown") has prevented the request from '
         'succeeding'),
        (changed(["apiVersion"], "example.com/v3"),
         invalid + "object at index 0: invalid groupVersion (expected example.com/v2, received "
         "example.com/v3)"),
        (changed(["kind"], "Other"),
         invalid + "object at index 0: invalid kind (expected Host, received Other)"),
        (changed(["metadata", "name"], "b"), invalid + "object: must have the same name: a != b"),
        (changed(["metadata", "namespace"], "b"),
         invalid + "object: must have the same namespace: default != b"),
        (changed(["metadata", "uid"], "b"), None),
        (changed(["metadata", "labels"], {"a": 1}),
         invalid + "metadata: metadata.labels[a] must be a string, but is int64 in converted object"),
        (changed(["metadata", "labels"], ["a"]),
         invalid + "metadata: invalid metadata.labels of type []interface {} in converted object"),
        (without_metadata, invalid + "object: must have the same name: a != "),
    ]

    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:1"))
        for reply, message in cases:
            state["answer"] = reply
            status, refused = cluster.call("GET", V2 + "/a")
            assert status == 500, refused
            assert message is None or refused["message"] == message, (refused["message"], message)
            assert refused["message"].startswith(SUBJECT), refused
        state["answer"] = lambda obj: changed(["metadata", "labels"], {"not a label": "x"})(obj)
        status, refused = cluster.call("GET", V2 + "/a")
        assert refused["message"].startswith(
            invalid + 'metadata: metadata.labels: Invalid value: "not a label": '), refused
        # Of the metadata only labels and annotations may change; unknown fields are pruned.
        state["answer"] = lambda obj: changed(["metadata", "finalizers"], ["x/y"])(
            changed(["metadata", "annotations"], {"k": "v"})(changed(["spec", "extra"], 1)(obj)))
        shown = cluster.must("GET", V2 + "/a")
        assert "finalizers" not in shown["metadata"], shown
        assert shown["metadata"]["annotations"] == {"k": "v"}, shown
        assert spec_of(shown) == {"host": "localhost", "port": 1}, shown

    with_cluster(program, work, answer)


def a_hanging_webhook_delays_nobody_else(program):
    def answer(obj, wanted):
        return None

    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:1"))
        readers = [Worker(cluster.call, "GET", V2 + "/a") for _ in range(3)]
        for reader in readers:
            reader.start()
        hook.await_asked(1)
        assert cluster.must("GET", V1 + "/a")["spec"]["address"] == "localhost:1"
        hook.release()
        for reader in readers:
            reader.join()

    with_cluster(program, work, answer)


def conversion_is_validated(program):
    def work(cluster, hook):
        def refused(change):
            crd = definition(hook)
            crd["metadata"]["name"] = "other.example.com"
            crd["spec"]["names"] = {"plural": "other", "kind": "Other"}
            crd["spec"]["conversion"] = change(crd["spec"]["conversion"])
            status, answer = cluster.call("POST", CRDS, crd)
            assert status == 422, answer
            return [(cause["field"], cause["message"]) for cause in answer["details"]["causes"]]

        def webhook(**changes):
            def change(conversion):
                conversion["webhook"].update(changes)
                return conversion
            return change

        top = "spec.conversion."
        assert refused(lambda _: {}) == [(top + "strategy", "Required value")]
        assert refused(lambda _: {"strategy": "Maybe"}) == [
            (top + "strategy",
             'Unsupported value: "Maybe": supported values: "None", "Webhook"')]
        assert refused(lambda _: {"strategy": "Webhook"}) == [
            (top + "webhookClientConfig",
             "Required value: required when strategy is set to Webhook"),
            (top + "conversionReviewVersions", "Required value")]
        assert refused(webhook(clientConfig={})) == [
            (top + "webhookClientConfig",
             "Required value: exactly one of url or service is required")]
        assert refused(webhook(clientConfig={"url": "http://127.0.0.1"})) == [
            (top + "webhookClientConfig.url", 'Invalid value: "http": \'https\' is the only allowed '
             "URL scheme; desired format: https://host[/path]")]
        assert refused(webhook(conversionReviewVersions=["v2", "v2"])) == [
            (top + "conversionReviewVersions[1]", 'Invalid value: "v2": duplicate version'),
            (top + "conversionReviewVersions",
             'Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1')]
        assert refused(lambda conversion: {**conversion, "strategy": "None"}) == [
            (top + "webhookClientConfig",
             "Forbidden: should not be set when strategy is not set to Webhook"),
            (top + "conversionReviewVersions",
             "Forbidden: should not be set when strategy is not set to Webhook")]

    with_cluster(program, work)


def without_a_webhook_only_the_version_changes(program):
    def work(cluster, hook):
        cluster.must("POST", V1, host("v1", "a", address="localhost:1"))
        cluster.redefine(conversion={"strategy": "None"})
        shown = cluster.must("GET", V2 + "/a")
        assert shown["apiVersion"] == "example.com/v2", shown
        assert hook.converted() == [], hook.asked

    with_cluster(program, work)


TESTS = [
    objects_are_read_in_each_version,
    a_change_of_the_status_keeps_what_was_converted,
    lists_are_converted_in_batches,
    writes_are_stored_in_the_storage_version,
    the_storage_version_changes_when_objects_are_written,
    watches_deliver_converted_objects,
    changes_during_a_conversion_are_delivered_after_it,
    field_selectors_choose_of_converted_objects,
    a_failing_webhook_fails_requests_with_its_reason,
    replies_are_checked,
    a_hanging_webhook_delays_nobody_else,
    conversion_is_validated,
    without_a_webhook_only_the_version_changes,
]

if __name__ == "__main__":
    run_tests(TESTS)
