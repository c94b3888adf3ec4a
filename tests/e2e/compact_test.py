#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compact_test.py -- a server that keeps its objects compact answers as one that does not, byte for
byte: the same data directory is served both ways.
usage: compact_test.py LISTWATCH"""

import contextlib
import json

from mirrors import Mirror, wait_for
from serving import CONFIGMAPS, Server, config_map, revision, run_tests

COUNT = 150
PODS = "/api/v1/namespaces/default/pods"
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"
PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
FORMS = ["application/json", PROTOBUF, "application/yaml", TABLE, PARTIAL]
PACKED = "listwatch_resource_packed_objects"

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {"group": "example.com", "scope": "Namespaced",
             "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                 "openAPIV3Schema": {"type": "object",
                                     "x-kubernetes-preserve-unknown-fields": True}}}]}}


def text_of(number, change):
    """What siblings share, and what only one of them has."""
    return {"shared": "The same text in all of them. " * 12, "own": f"{number} of {change}",
            "escaped": "a \"quoted\" line\nand another, ünïcode"}


def pod(number, change):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {
        "name": f"web-{number}", "labels": {"app": "web", "tier": f"t{number % 3}"},
        "annotations": text_of(number, change)}, "spec": {
            "nodeName": f"node-{number % 4}",
            "containers": [{"name": "c", "image": "registry.example.com/web:1"}]}}


def widget(number, change):
    return {"kind": "Widget", "apiVersion": "example.com/v1", "metadata": {
        "name": f"w-{number}", "labels": {"tier": f"t{number % 3}"}}, "spec": text_of(number, change)}


def configured(number, change):
    made = config_map(f"c-{number}", **text_of(number, change))
    made["metadata"]["labels"] = {"tier": f"t{number % 3}"}
    return made


KINDS = [(CONFIGMAPS, configured), (PODS, pod), (WIDGETS, widget)]


def write(server, method, path, body=None):
    status, answer = server.call(method, path, body)
    assert status in (200, 201), (method, path, answer)
    return answer


def fill(server):
    """Objects of three kinds, and a history of them."""
    write(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)
    wait_for("widgets are served", lambda: server.call("GET", WIDGETS)[0] == 200)
    for path, make in KINDS:
        for number in range(COUNT):
            write(server, "POST", path, make(number, "the first"))


def change(server, what):
    write(server, "DELETE", f"{CONFIGMAPS}/c-{what}")
    for path, make in KINDS:
        for number in range(0, COUNT, 7):
            name = make(number, what)["metadata"]["name"]
            status, old = server.call("GET", f"{path}/{name}")
            assert status == 200, old
            old["metadata"]["labels"]["changed"] = what
            write(server, "PUT", f"{path}/{name}", old)


def fetch(server, path, accept):
    connection = server.connect()
    connection.request("GET", path, headers={"Accept": accept})
    reply = connection.getresponse()
    answer = (reply.status, reply.getheader("Content-Type"), reply.read())
    connection.close()
    assert answer[0] == 200, (path, accept, answer)
    return answer


def without_age(answer):
    """A Table without the cells that say how old an object is."""
    table = json.loads(answer[2])
    age = [column["name"] for column in table["columnDefinitions"]].index("Age")
    for row in table["rows"]:
        del row["cells"][age]
    return table


def changes(server, path, after, until, selection=""):
    """The lines of a watch after |after|, up to the one of |until|."""
    connection = server.connect()
    connection.request("GET", f"{path}?watch=true&resourceVersion={after}&{selection}")
    reply = connection.getresponse()
    assert reply.status == 200, reply.read()
    lines = []
    while not lines or revision(json.loads(lines[-1])["object"]) < until:
        lines.append(reply.readline())
    connection.close()
    return lines


def last_change(server, path):
    return max(revision(item) for item in server.call("GET", path)[1]["items"])


def selections(path):
    made = ["", "labelSelector=tier%3Dt1", "limit=7", "labelSelector=tier%3Dnone",
            "fieldSelector=metadata.name%21%3Dweb-4"]
    if path == PODS:
        made.append("fieldSelector=spec.nodeName%3Dnode-2")
    return made


def answers(server, first, last):
    """What the server says to many requests."""
    said = {}
    for path, make in KINDS:
        until = last[path]
        for accept in FORMS:
            if path == WIDGETS and accept == PROTOBUF:
                continue
            for selection in selections(path):
                where = f"{path}?resourceVersion={until}&resourceVersionMatch=Exact&{selection}"
                answer = fetch(server, where, accept)
                said[where, accept] = without_age(answer) if accept == TABLE else answer
            if accept in (TABLE, PARTIAL):
                continue
            for number in (0, 1, COUNT - 1):
                where = f"{path}/{make(number, '')['metadata']['name']}"
                said[where, accept] = fetch(server, where, accept)
        said["watch", path] = changes(server, path, first, until)
        said["selective watch", path] = changes(
            server, path, first, until, "labelSelector=changed")
    return said


def packed_of(server, resource):
    connection = server.connect()
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return sum(float(line.split()[-1]) for line in text.splitlines()
               if line.startswith(PACKED + "{") and f'resource="{resource}"' in line)


def restart(server, mode):
    assert server.stop() == 0
    server.command[server.command.index("--compact") + 1] = mode
    server.start()


def assert_same(said, expected):
    assert said.keys() == expected.keys()
    for request, answer in expected.items():
        assert said[request] == answer, (request, said[request], answer)


@contextlib.contextmanager
def filled(program):
    """A server without compact objects, and the revisions of its first and of its last change."""
    server = Server(program, options=("--compact", "off")).start()
    try:
        fill(server)
        first = revision(write(server, "POST", CONFIGMAPS, config_map("mark")))
        change(server, "15")
        yield server, first, {path: last_change(server, path) for path, _ in KINDS}
    finally:
        server.remove()


def a_compact_server_answers_byte_for_byte_the_same(program):
    with filled(program) as (server, first, last):
        expected = answers(server, first, last)
        assert packed_of(server, "pods") == 0
        restart(server, "on")
        for resource in ("pods", "widgets"):
            assert packed_of(server, resource) == COUNT, resource
        assert_same(answers(server, first, last), expected)
        assert_same(answers(server, first, last), expected)  # now in protobuf as it was kept


def changes_of_compact_objects_are_the_same_and_become_compact_again(program):
    with filled(program) as (server, first, last):
        restart(server, "on")
        change(server, "16")
        last = {path: last_change(server, path) for path, _ in KINDS}
        said = answers(server, first, last)
        wait_for("changed objects are compact", lambda: packed_of(server, "pods") == COUNT)
        wait_for("changed objects are compact", lambda: packed_of(server, "widgets") == COUNT)
        assert_same(answers(server, first, last), said)
        restart(server, "off")
        assert_same(answers(server, first, last), said)


def a_compact_mirror_answers_as_its_upstream(program):
    with filled(program) as (server, first, last):
        mirror = Mirror(program, server, resources="pods,configmaps",
                        options=("--compact", "on"))
        try:
            wait_for("the mirror is compact", lambda: packed_of(mirror, "pods") == COUNT)
            change(server, "16")
            last = last_change(server, PODS)
            for accept in FORMS[:3]:
                for selection in selections(PODS)[:2]:
                    where = f"{PODS}?resourceVersion={last}&resourceVersionMatch=Exact&{selection}"
                    wait_for("the mirror has the change",
                             lambda: mirror.call("GET", f"{PODS}?resourceVersion={last}")[0] == 200)
                    assert fetch(mirror, where, accept) == fetch(server, where, accept)
        finally:
            mirror.process.kill()
            mirror.remove()


def a_wrong_mode_is_refused(program):
    server = Server(program, options=("--compact", "perhaps"))
    try:
        server.start()
    except RuntimeError as refusal:
        assert "not a value of compact" in str(refusal), refusal
        return
    finally:
        server.remove()
    raise AssertionError("it started")


if __name__ == "__main__":
    run_tests([
        a_compact_server_answers_byte_for_byte_the_same,
        changes_of_compact_objects_are_the_same_and_become_compact_again,
        a_compact_mirror_answers_as_its_upstream,
        a_wrong_mode_is_refused,
    ])
