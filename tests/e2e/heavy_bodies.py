#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heavy_bodies.py -- requests whose bodies take much work, up to the largest body, and what they cost.

CASES lists them; each is prepared once and sent as often as wanted.  Run as a program, it prints
the CPU time that the server needs for each request, and fails if one takes longer than --limit.
usage: heavy_bodies.py [--limit MS] [--only TEXT] [--freezing] LISTWATCH"""

import argparse
import json
import os
import sys
import time

from serving import CONFIGMAPS, Server

BODY_MAX = 3 * 1024 * 1024
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
THINGS = "/apis/example.com/v1/namespaces/default/things"
JSON, YAML = "application/json", "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
JSON_PATCH, MERGE = "application/json-patch+json", "application/merge-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"


class Request:
    """One request: its body is bytes."""

    def __init__(self, method, path, body, kind=JSON):
        self.method, self.path, self.kind = method, path, kind
        self.body = body if isinstance(body, bytes) else dump(body)


class Case:
    """A heavy request, and those that must come before it; |froze|: it once blocked the server."""

    def __init__(self, name, request, before=(), froze=False):
        self.name, self.request, self.before, self.froze = name, request, before, froze


def dump(value):
    return json.dumps(value, separators=(",", ":")).encode()


def fill(begin, item, end, count=None):
    """|begin|, then item(0), item(1), ... separated by commas, then |end|; BODY_MAX bytes at most."""
    parts, size, i = [], len(begin) + len(end), 0
    while count is None or i < count:
        text = item(i)
        size += len(text) + 1
        if size > BODY_MAX:
            break
        parts.append(text)
        i += 1
    return (begin + ",".join(parts) + end).encode()


def config_map(item, count=None, name="a"):
    return fill('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"},"data":{' % name,
                item, "}}", count)


def key(i):
    return f'"k{i}":"v"'


def thing(item, count=None):
    return fill('{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":{',
                item, "}}", count)


def thing_list(item, count=None):
    return fill('{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},'
                '"spec":{"s":[', item, "]}}", count)


def definition(spec):
    """Creates the kind Thing; |spec| is the schema of its spec."""
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {"spec": spec}}}}
    return Request("POST", CRDS, {
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
                 "names": {"plural": "things", "kind": "Thing"}, "versions": [version]}})


def list_of(items, **more):
    return {"type": "object",
            "properties": {"s": dict({"type": "array", "items": items}, **more)}}


MAP_LIST = list_of({"type": "object", "required": ["k"], "properties": {
    "k": {"type": "integer"}, "v": {"type": "string"}}},
    **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]})
SET_LIST = list_of({"type": "string"}, **{"x-kubernetes-list-type": "set"})
FREE = {"type": "object", "additionalProperties": {"type": "string"}}
PLAIN = definition(list_of({"type": "string"}))


def create(body, kind=JSON):
    return Request("POST", CONFIGMAPS, body, kind)


def create_thing(body, kind=JSON):
    return Request("POST", THINGS, body, kind)


def patch(path, kind, body):
    return Request("PATCH", path, body, kind)


def core(plural, body):
    return Request("POST", "/api/v1/namespaces/default/" + plural, body)


# The bodies that made the server stop for seconds or minutes.

def unknown_keys():
    return create(fill('{"metadata":{"name":"a"},', lambda i: f'"u{i}":1', "}", 200000))


def nulls():
    return create_thing(thing(lambda i: f'"u{i}":null', 190000))


def pattern_strings():
    return create_thing(thing_list(lambda i: '"' + "a" * 1000 + '"', 60))


def enum_definition():
    return definition(list_of({"type": "string", "enum": [f"e{i}" for i in range(50000)]}))


def enum_values():
    return create_thing(thing_list(lambda i: '"e49999"', 16000))


def limit_range():
    return core("limitranges", fill('{"metadata":{"name":"l"},"spec":{"limits":[',
                                    lambda i: '{"type":"x.io/t%05d"}' % i, "]}}", 379000 // 21))


def service_ports():
    return core("services", fill('{"metadata":{"name":"s"},"spec":{"ports":[',
                                 lambda i: '{"name":"p%d","port":%d}' % (i, i % 65535 + 1), "]}}",
                                 20000))


# Bodies of the largest size.

def protobuf_config_map():
    """A ConfigMap with very many keys, as message of core/v1: metadata is field 1, data field 2."""
    def field(number, content):
        length, left = b"", len(content)
        while left > 127:
            length += bytes([left & 127 | 128])
            left >>= 7
        return bytes([number << 3 | 2]) + length + bytes([left]) + content

    entries = b"".join(field(2, field(1, b"k%d" % i) + field(2, b"v")) for i in range(220000))
    message = field(1, field(1, b"a")) + entries
    kind = field(1, b"v1") + field(2, b"ConfigMap")
    return create(b"k8s\0" + field(1, kind) + field(2, message), PROTOBUF)


def yaml_config_map(item="  k%d: v\n", count=230000):
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n"
    return (head + "".join(item % i for i in range(count))).encode()[:BODY_MAX]


def pod(field, item, count=None):
    return core("pods", fill('{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":'
                             '"i"}],"%s":[' % field, item, "]}}", count))


def container_field(field, item, count=None):
    return core("pods", fill('{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":'
                             '"i","%s":[' % field, item, "]}]}}", count))


def keyed(i, value="a"):
    return '{"k":%d,"v":"%s"}' % (i, value)


def costly_rule():
    spec = list_of({"type": "string", "maxLength": 20}, maxItems=900)
    spec["x-kubernetes-validations"] = [
        {"rule": "self.s.all(x, self.s.exists_one(y, x == y))"}]
    return definition(spec)


def small_map(name="a"):
    return create({"metadata": {"name": name}, "data": {"k": "v"}})


def cases():
    """All cases; bodies are made when this is called."""
    one = f"{CONFIGMAPS}/a"
    forced = "?fieldManager=m&force=true"
    many_keys = config_map(key)
    half_keys = config_map(key, 100000)
    some_keys = config_map(key, 60000)
    map_list = thing_list(keyed)
    return [
        Case("200,000 unknown keys", unknown_keys(), froze=True),
        Case("200,000 unknown keys, strict", Request(
            "POST", CONFIGMAPS + "?fieldValidation=Strict", unknown_keys().body)),
        Case("190,000 nulls in a custom resource", nulls(), [definition(FREE)],
             froze=True),
        Case("pattern (a?){1000}a{1000}$, 60 strings", pattern_strings(),
             [definition(list_of({"type": "string", "pattern": "(a?){1000}a{1000}$"}))],
             froze=True),
        Case("enum of 50,000, 16,000 values", enum_values(), [enum_definition()],
             froze=True),
        Case("LimitRange of 379 KB", limit_range(), froze=True),
        Case("Service with 20,000 ports", service_ports(), froze=True),
        Case("one value of 3 MB", create(config_map(lambda i: '"k":"' + "x" * 3000000 + '"', 1))),
        Case("3 MB of values of 300 bytes", create(config_map(
            lambda i: f'"k{i}":"' + "x" * 300 + '"'))),
        Case("3 MB of tiny values", create(many_keys)),
        Case("3 MB of tiny values, YAML", create(yaml_config_map(), YAML)),
        Case("3 MB of tiny values, YAML flow", create(many_keys, YAML)),
        Case("3 MB of anchors, YAML", create(yaml_config_map("  k%d: &a v\n", 190000), YAML)),
        Case("3 MB of tiny values, protobuf", protobuf_config_map()),
        Case("3 MB of numbers", create_thing(thing_list(lambda i: "1")), [PLAIN]),
        Case("3 MB of numbers, unknown", create(fill(
            '{"metadata":{"name":"a"},"u":[', lambda i: "1", "]}"))),
        Case("3 MB of empty objects, unknown", create(fill(
            '{"metadata":{"name":"a"},"u":[', lambda i: "{}", "]}"))),
        Case("3 MB of labels", create(fill(
            '{"metadata":{"name":"a","labels":{', key, "}}}"))),
        Case("3 MB of annotations", create(fill(
            '{"metadata":{"name":"a","annotations":{', key, "}}}"))),
        Case("3 MB of finalizers", create(fill(
            '{"metadata":{"name":"a","finalizers":[', lambda i: f'"x.io/f{i}"', "]}}"))),
        Case("3 MB of owner references", create(fill(
            '{"metadata":{"name":"a","ownerReferences":[',
            lambda i: '{"apiVersion":"v1","kind":"Pod","name":"p%d","uid":"u%d"}' % (i, i),
            "]}}"))),
        Case("3 MB of volumes", pod("volumes", lambda i: '{"name":"v%d","emptyDir":{}}' % i)),
        Case("3 MB of tolerations", pod("tolerations", lambda i: '{"key":"k%d"}' % i)),
        Case("3 MB of containers", pod(
            "initContainers", lambda i: '{"name":"i%d","image":"i"}' % i)),
        Case("3 MB of env", container_field("env", lambda i: '{"name":"E%d","value":"v"}' % i)),
        Case("3 MB of container ports", container_field(
            "ports", lambda i: '{"name":"p%d","containerPort":1}' % i)),
        Case("3 MB in a list of type set", create_thing(thing_list(lambda i: f'"v{i}"')),
             [definition(SET_LIST)]),
        Case("3 MB in a list of type set, equal", create_thing(thing_list(lambda i: '"v"')),
             [definition(SET_LIST)]),
        Case("3 MB in a list of type map", create_thing(map_list), [definition(MAP_LIST)]),
        Case("3 MB of patterns that match", create_thing(thing_list(lambda i: f'"abc-d-{i}"')),
             [definition(list_of({"type": "string",
                                  "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}))]),
        Case("3 MB of defaults", create_thing(thing_list(lambda i: "{}")), [definition(list_of(
            {"type": "object", "properties": {f"d{i}": {"type": "string", "default": "x"}
                                              for i in range(10)}}))]),
        Case("3 MB of definition", Request("POST", CRDS, definition(
            {"type": "object", "properties": {f"p{i}": {"type": "string"}
                                              for i in range(90000)}}).body)),
        Case("a rule that compares each with each", create_thing(thing_list(
            lambda i: f'"v{i}"', 900)), [costly_rule()]),
        Case("apply of 3 MB, new", patch(one + forced, APPLY, many_keys)),
        Case("apply of 100,000 keys, new", patch(one + forced, APPLY, half_keys)),
        Case("apply of 60,000 keys on the same", patch(one + forced, APPLY, some_keys),
             [patch(one + forced, APPLY, some_keys)]),
        Case("apply of 60,000 keys on others'", patch(one + forced, APPLY, some_keys),
             [create(some_keys)]),
        Case("apply that removes 60,000 keys", patch(
            one + forced, APPLY, config_map(key, 1)), [patch(one + forced, APPLY, some_keys)]),
        Case("apply of 3 MB, list of type map", patch(f"{THINGS}/t{forced}", APPLY, map_list),
             [definition(MAP_LIST)]),
        Case("apply of 20,000 map items on the same", patch(
            f"{THINGS}/t{forced}", APPLY, thing_list(lambda i: keyed(i, "b"), 20000)),
             [definition(MAP_LIST),
              patch(f"{THINGS}/t{forced}", APPLY, thing_list(keyed, 20000))]),
        Case("apply of 3 MB, list of type set", patch(
            f"{THINGS}/t{forced}", APPLY, thing_list(lambda i: f'"v{i}"')),
             [definition(SET_LIST)]),
        Case("merge patch of 3 MB", patch(one, MERGE, fill('{"data":{', key, "}}")),
             [small_map()]),
        Case("merge patch with unknown fields", patch(f"{THINGS}/t", MERGE, fill(
            '{"spec":{', lambda i: f'"u{i}":1', "}}", 40000)),
             [PLAIN, create_thing(thing_list(lambda i: '"a"', 1))], froze=True),
        Case("merge patch that removes 100,000", patch(one, MERGE, fill(
            '{"data":{', lambda i: f'"k{i}":null', "}}", 100000)), [create(half_keys)]),
        Case("strategic patch of 3 MB", patch(one, STRATEGIC, fill('{"data":{', key, "}}")),
             [small_map()]),
        Case("strategic patch of 3 MB, owner references", patch(one, STRATEGIC, fill(
            '{"metadata":{"ownerReferences":[',
            lambda i: '{"apiVersion":"v1","kind":"Pod","name":"p%d","uid":"u%d"}' % (i, i),
            "]}}")), [small_map()]),
        Case("JSON patch, 10,000 inserts at the front", patch(one, JSON_PATCH, fill(
            "[", lambda i: '{"op":"add","path":"/metadata/finalizers/0","value":"x.io/%d"}' % i,
            "]", 10000)), [create({"metadata": {"name": "a", "finalizers": [
                f"x.io/a{i}" for i in range(100000)]}})]),
        Case("JSON patch, 10,000 tests of a large value", patch(one, JSON_PATCH, fill(
            "[", lambda i: '{"op":"test","path":"/data","value":{}}', "]", 10000)),
             [create(half_keys)]),
        Case("update of 100,000 keys", Request("PUT", one, half_keys.replace(b'"v"', b'"w"')),
             [create(half_keys)]),
    ]


class Meter:
    """The CPU time of a process, in ms."""

    def __init__(self, pid):
        self.path = f"/proc/{pid}/stat"
        self.tick = 1000 / os.sysconf("SC_CLK_TCK")
        self.tasks = f"/proc/{pid}/task"

    def read(self):
        """Of all threads, in ns where the kernel tells (schedstat), else in ticks of the clock."""
        total = 0
        try:
            for task in os.listdir(self.tasks):
                with open(f"{self.tasks}/{task}/schedstat") as stat:
                    total += int(stat.read().split()[0])
            return total / 1e6
        except (FileNotFoundError, ProcessLookupError):
            with open(self.path) as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) * self.tick


def send(connection, request):
    connection.request(request.method, request.path, request.body, {"Content-Type": request.kind})
    reply = connection.getresponse()
    return reply.status, reply.read()


def message_of(answer):
    try:
        return json.loads(answer).get("message", "")
    except ValueError:
        return answer[:100].decode(errors="replace")


def measure(program, case):
    """Sends the case to a server of its own: status, message, CPU ms, elapsed ms."""
    server = Server(program, memory=True)
    try:
        server.start()
        connection = server.connect(timeout=120)
        for request in case.before:
            status, answer = send(connection, request)
            assert status in (200, 201), (case.name, status, answer[:500])
        meter = Meter(server.process.pid)
        before, start = meter.read(), time.monotonic()
        status, answer = send(connection, case.request)
        elapsed = (time.monotonic() - start) * 1000
        cpu = meter.read() - before
        connection.close()
        return status, message_of(answer) if status >= 400 else "", cpu, elapsed
    finally:
        server.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--limit", type=float, default=0, help="most CPU per request, in ms")
    parser.add_argument("--only", default="", help="only cases with this text in their name")
    parser.add_argument("--freezing", action="store_true",
                        help="only cases that once blocked the server")
    parser.add_argument("program")
    args = parser.parse_args()
    slow = 0
    print(f"{'body':45} {'KB':>6} {'status':>6} {'CPU ms':>7}  message")
    for case in cases():
        if args.only not in case.name or (args.freezing and not case.froze):
            continue
        status, message, cpu, _ = measure(args.program, case)
        is_slow = 0 < args.limit < cpu
        slow += is_slow
        print(f"{case.name:45} {len(case.request.body) // 1000:>6} {status:>6} {cpu:>7.0f}"
              f"{'!' if is_slow else ' '} {message[:110]}", flush=True)
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
