# SPDX-License-Identifier: Apache-2.0
"""stub_apiserver.py -- an API server for tests that is joined by an APIService: one resource, in
memory, with discovery, OpenAPI, list and watch."""

import json
import threading
import urllib.parse

from stub_server import Stub

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def openapi_v2(group, version, plural, kind):
    """OpenAPI 2.0, with a definition whose name others use with other content."""
    gvk = {"group": group, "version": version, "kind": kind}
    model, meta = "com.example." + kind, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    return {
        "swagger": "2.0", "info": {"title": "stub", "version": "v1"},
        "paths": {
            "/apis/": {"get": {"responses": {"200": {"description": "OK"}}}},
            f"/apis/{group}/{version}/namespaces/{{namespace}}/{plural}": {
                "post": {"operationId": "create" + kind, "x-kubernetes-action": "post",
                         "x-kubernetes-group-version-kind": gvk,
                         "parameters": [{"$ref": "#/parameters/pretty-"}, {
                             "name": "body", "in": "body", "required": True,
                             "schema": {"$ref": "#/definitions/" + model}}],
                         "responses": {"201": {"description": "Created"}}}}},
        "definitions": {
            model: {"description": kind + " is a thing of another server.", "type": "object",
                    "properties": {
                        "apiVersion": {"type": "string"}, "kind": {"type": "string"},
                        "metadata": {"$ref": "#/definitions/" + meta},
                        "spec": {"type": "object", "description": "What is wanted.", "properties": {
                            "size": {"type": "integer", "description": "How large it is."}}}},
                    "x-kubernetes-group-version-kind": [gvk]},
            meta: {"description": "Metadata as another server has it.", "type": "object",
                   "properties": {"name": {"type": "string", "description": "The name there."},
                                  "namespace": {"type": "string"}}}},
        "parameters": {"pretty-": {"name": "pretty", "in": "query", "type": "string"}}}


class ApiServer(Stub):
    """Serves |plural| of |kind| in GROUP/VERSION; |is_old|: without aggregated discovery."""

    def __init__(self, cert, group="wardle.example.com", version="v1alpha1", plural="flunders",
                 kind="Flunder", is_old=False, client_ca=None):
        self.group, self.version, self.plural, self.kind = group, version, plural, kind
        self.is_old, self.is_healthy = is_old, True
        self.openapi = openapi_v2(group, version, plural, kind)
        self.objects, self.revision, self.grown = [], 1, threading.Condition()
        super().__init__(cert, client_ca)

    @property
    def api_version(self):
        return f"{self.group}/{self.version}"

    def add(self, name):
        with self.grown:
            self.revision += 1
            self.objects.append({"apiVersion": self.api_version, "kind": self.kind,
                                 "metadata": {"name": name, "namespace": "default",
                                              "resourceVersion": str(self.revision),
                                              "creationTimestamp": "2026-01-01T00:00:00Z"}})
            self.grown.notify_all()

    def resources(self):
        return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": self.api_version,
                "resources": [{"name": self.plural, "singularName": self.kind.lower(),
                               "namespaced": True, "kind": self.kind, "shortNames": ["fl"],
                               "verbs": ["create", "get", "list", "watch"]},
                              {"name": self.plural + "/status", "singularName": "",
                               "namespaced": True, "kind": self.kind, "verbs": ["get"]}]}

    def discovery(self):
        gvk = {"group": self.group, "version": self.version, "kind": self.kind}
        return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
                "metadata": {}, "items": [{"metadata": {"name": self.group}, "versions": [
                    {"version": self.version, "freshness": "Current", "resources": [
                        {"resource": self.plural, "responseKind": gvk, "scope": "Namespaced",
                         "singularResource": self.kind.lower(), "shortNames": ["fl"],
                         "verbs": ["create", "get", "list", "watch"]}]}]}]}

    def answer(self, request):
        url = urllib.parse.urlsplit(request.path)
        root = f"/apis/{self.group}/{self.version}"
        if not self.is_healthy:
            request.reply(500, b"not well", "text/plain")
        elif url.path == root:
            request.reply(200, json.dumps(self.resources()).encode())
        elif url.path == "/apis" and not self.is_old:
            request.reply(200, json.dumps(self.discovery()).encode(), AGGREGATED)
        elif url.path == "/openapi/v2":
            request.reply(200, json.dumps(self.openapi).encode())
        elif url.path == "/openapi/v3":
            request.reply(200, json.dumps({"paths": {root[1:]: {
                "serverRelativeURL": f"/openapi/v3{root}?hash=ABC"}}}).encode())
        elif url.path == "/openapi/v3" + root:
            request.reply(200, json.dumps({"openapi": "3.0.0", "info": {"title": "stub"},
                                           "paths": {}}).encode())
        elif url.path.startswith(root + "/"):
            self.answer_resource(request, url, root)
        else:
            request.reply(404, b"404 page not found", "text/plain")

    def answer_resource(self, request, url, root):
        query = urllib.parse.parse_qs(url.query)
        if query.get("watch"):
            self.answer_watch(request, int(query.get("resourceVersion", ["0"])[0]))
        elif request.command == "POST":
            self.add(json.loads(request.body)["metadata"]["name"])
            request.reply(201, json.dumps(self.objects[-1]).encode())
        elif url.path.endswith("/" + self.plural):
            request.reply(200, json.dumps({
                "apiVersion": self.api_version, "kind": self.kind + "List",
                "metadata": {"resourceVersion": str(self.revision)},
                "items": self.objects}).encode())
        else:
            name = url.path.rsplit("/", 1)[1]
            found = [one for one in self.objects if one["metadata"]["name"] == name]
            request.reply(200 if found else 404, json.dumps(found[0] if found else {
                "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
                "reason": "NotFound", "message": f'{self.plural} "{name}" not found'}).encode())

    def answer_watch(self, request, after):
        request.begin("application/json")
        while True:
            with self.grown:
                newer = lambda: [one for one in self.objects
                                 if int(one["metadata"]["resourceVersion"]) > after]
                if not self.grown.wait_for(newer, 30):
                    return
                found = newer()
            for one in found:
                request.chunk(json.dumps({"type": "ADDED", "object": one}).encode() + b"\n")
                after = int(one["metadata"]["resourceVersion"])
