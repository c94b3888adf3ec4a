# SPDX-License-Identifier: Apache-2.0
"""checks.py -- CBOR: the same bodies, valid and not, sent to kube-apiserver and to listwatch, both
with the gate CBORServingAndStorage; codes, types and decoded answers are equal."""

import http.client
import json
import ssl

from cbor import codec
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import note, wait_until

GATE = ("--feature-gates", "CBORServingAndStorage=true")
CBOR, APPLY = "application/cbor", "application/apply-patch+cbor"
MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"
WIDGETS = "/apis/interop.example/v1/namespaces/default/widgets"
WIDGET = {"apiVersion": "interop.example/v1", "kind": "Widget"}
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "count": {"type": "integer"}, "ratio": {"type": "number"}, "text": {"type": "string"},
    "blob": {"type": "string", "format": "byte"}}}}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.interop.example"},
    "spec": {"group": "interop.example", "scope": "Namespaced",
             "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
             "versions": [{"name": "v1", "served": True, "storage": True,
                           "schema": {"openAPIV3Schema": SCHEMA}}]}}
READY_S = 60
OWN = ("uid", "resourceVersion", "creationTimestamp", "managedFields")  # differ between servers


class Pair:
    def __init__(self, build, apiserver, etcd):
        self.real = KubeApiserver(apiserver, etcd, options=GATE)
        try:
            self.ours = ListwatchServe(build / "listwatch", options=GATE)
        except BaseException:
            self.real.remove()
            raise
        for server in self.servers():
            server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                        DEFINITION)
            wait_until(lambda server=server: server.request("GET", WIDGETS)[0] == 200, READY_S,
                       "widgets are served")

    def servers(self):
        return [self.real, self.ours]

    def run(self, check):
        check(self)

    def remove(self):
        for server in self.servers():
            server.remove()


def cleaned(value):
    if isinstance(value, dict):
        return {key: cleaned(one) for key, one in value.items() if key not in OWN}
    return [cleaned(one) for one in value] if isinstance(value, list) else value


def send(server, method, path, body=None, kind=None, accept=CBOR):
    """Code, type and what the body says."""
    trust = ssl.create_default_context(cafile=server.path("ca.crt"))
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=30, context=trust)
    headers = {"Authorization": "Bearer " + server.token, "Accept": accept}
    if kind:
        headers["Content-Type"] = kind
    try:
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        raw, answered = reply.read(), reply.headers["Content-Type"]
    finally:
        connection.close()
    if answered == "application/cbor-seq":
        return reply.status, answered, cleaned(codec.decode_sequence(raw))
    if answered.startswith(CBOR):
        return reply.status, answered, cleaned(codec.decode(raw))
    return reply.status, answered, cleaned(json.loads(raw))


def compare(pair, cases):
    wrong = []
    for what, *request in cases:
        real, ours = (send(server, *request) for server in pair.servers())
        if real != ours:
            wrong.append(f"{what}:\n  {real}\n  {ours}")
    assert not wrong, "\n".join(wrong)
    note(f"{len(cases)} requests are answered alike")


def config_map(name, **more):
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}, **more}


def twice(key):
    return b"\xa2" + 2 * (codec.text(key) + codec.text("x"))


def objects_are_written_and_read_alike(pair):
    one = codec.encode(config_map("one", data={"k": "v"}))
    compare(pair, [
        ("create", "POST", MAPS, one, CBOR),
        ("exists", "POST", MAPS, one, CBOR),
        ("text strings", "POST", MAPS, codec.item(config_map("two", data={"k": "v"}), codec.TEXT),
         CBOR),
        ("update", "PUT", MAPS + "/one", codec.encode(config_map("one", data={"k": "w"})), CBOR),
        ("apply", "PATCH", MAPS + "/three?fieldManager=me",
         codec.encode(config_map("three", data={"x": "y"})), APPLY),
        ("secret", "POST", SECRETS, codec.encode(
            {"metadata": {"name": "s"}, "data": {"a": "aGVsbG8=", "b": b"\xd6\x45hello"}}), CBOR),
        ("custom", "POST", WIDGETS, codec.encode(
            {**WIDGET, "metadata": {"name": "w"},
             "spec": {"count": 3, "ratio": 1.5, "text": "x", "blob": b"\xd6\x45hello"}}), CBOR),
        ("custom apply", "PATCH", WIDGETS + "/v?fieldManager=me",
         codec.encode({**WIDGET, "metadata": {"name": "v"}, "spec": {"count": 3}}), APPLY),
        ("get", "GET", MAPS + "/one"),
        ("as JSON", "GET", WIDGETS + "/w", None, None, "application/json"),
        ("by quality", "GET", MAPS + "/one", None, None,
         "application/json;q=0.9,application/cbor;q=1"),
        ("list of custom", "GET", WIDGETS),
        ("metadata", "GET", MAPS + "/one", None, None,
         "application/cbor;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
        ("watch of one", "GET", MAPS + "?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=one"),
        ("missing", "GET", MAPS + "/none"),
        ("delete", "DELETE", MAPS + "/two",
         codec.encode({"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}),
         CBOR),
        ("delete custom", "DELETE", WIDGETS + "/w"),
    ])


def invalid_bodies_are_refused_alike(pair):
    broken = [("empty", b""), ("break", b"\xff"), ("json", b"{}"), ("array", codec.encode([1])),
              ("rest", codec.encode({}) + b"\x00"), ("short", codec.encode({"a": "b"})[:-1]),
              ("duplicate", codec.SELF_DESCRIBED + twice("a")),
              ("NaN", codec.encode({"x": b"\xf9\x7e\x00"})),
              ("infinity", codec.encode({"x": b"\xf9\x7c\x00"})),
              ("bignum", codec.encode({"x": b"\xc2\x41\x01"}))]
    inside = [("duplicate inside", twice("a")), ("undefined", b"\xf7"),
              ("not UTF-8", b"\xa1\x41a\x61\xff")]
    compare(pair,
            [(what, "POST", path, body, CBOR) for what, body in broken
             for path in (MAPS, WIDGETS)]
            + [(what, "PATCH", MAPS + "/p?fieldManager=me", body, APPLY) for what, body in broken]
            + [(what, "POST", MAPS, codec.encode(config_map("bad", data=body)), CBOR)
               for what, body in inside]
            + [("large integer", "POST", WIDGETS, codec.encode(
                {**WIDGET, "metadata": {"name": "b"}, "spec": {"count": 1 << 63}}), CBOR)])


def types_are_negotiated_alike(pair):
    compare(pair, [(f"{method} {path} {kind} {accept}", method, path, body, kind, accept)
                   for method, path, body, kind, accept in (
        ("GET", MAPS, None, None, "application/cbor-seq"),
        ("GET", MAPS, None, None, "application/foo"),
        ("GET", MAPS + "/one", None, None, "application/foo"),
        ("GET", WIDGETS, None, None, "application/foo"),
        ("GET", MAPS, None, None, "application/cbor;as=Table;v=v1;g=meta.k8s.io"),
        ("GET", MAPS, None, None, "application/cbor;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
        ("GET", MAPS + "?watch=1", None, None, "application/cbor-seq"),
        ("POST", MAPS, b"{}", "application/foo", CBOR),
        ("PATCH", MAPS + "/one", b"{}", CBOR, CBOR),
        ("PATCH", WIDGETS + "/w", b"{}", "application/foo", CBOR),
        ("GET", "/apis/apps", None, None, CBOR))])


CHECKS = [objects_are_written_and_read_alike, invalid_bodies_are_refused_alike,
          types_are_negotiated_alike]
