# SPDX-License-Identifier: Apache-2.0
"""checks_mirror.py -- `listwatch mirror` in front of a real API server: what its clients see is what
they would see there, with the same resourceVersions, and no more than they may."""

import json
import subprocess

from program import wait_until

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


class Mirror:
    """A mirror of |server| on loopback, with HTTPS; clients use it as they use the server."""

    def __init__(self, program, server, *options):
        self.server = server
        self.log = open(server.folder / "mirror.log", "ab")
        self.process = subprocess.Popen(
            [program, "mirror", "--kubeconfig", server.kubeconfig("mirror.json",
                                                                  token="admin-token-1"),
             "--resources", "configmaps,pods,namespaces,deployments.apps",
             "--tls-cert", server.path("server.crt"), "--tls-key", server.path("server.key"),
             "--client-ca", server.path("ca.crt"), "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline().split()
        if len(line) < 2 or line[0] != "ready:":
            raise AssertionError("the mirror is not ready: "
                                 + (server.folder / "mirror.log").read_text()[-2000:])
        self.port = int(line[1].rsplit(":", 1)[1])

    def open(self, method, path, *more, **options):
        """As Server.open, at the mirror."""
        own, self.server.port = self.server.port, self.port
        try:
            return self.server.open(method, path, *more, **options)
        finally:
            self.server.port = own

    def request(self, method, path, *more, **options):
        connection, reply = self.open(method, path, *more, **options)
        try:
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def call(self, method, path, *more):
        status, text = self.request(method, path, *more)
        if status >= 300:
            raise AssertionError(f"mirror: {method} {path}: {status} {text}")
        return json.loads(text)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.log.close()
        return code


def new_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def by_name(answer):
    return {(item["metadata"].get("namespace"), item["metadata"]["name"]): item
            for item in answer["items"]}


def lists_are_equal(server, mirror):
    """A list of the mirror has the objects of the server, member by member."""
    for path in (CONFIGMAPS, "/api/v1/namespaces", "/apis/apps/v1/deployments"):
        ours, theirs = mirror.call("GET", path), server.call("GET", path)
        if by_name(ours) != by_name(theirs):
            raise AssertionError(f"{path} differs:\n{ours}\n{theirs}")


def watches_resume_anywhere(server, mirror, program):
    """A watch goes on with the resourceVersion of the server at the mirror, of the mirror at the
    server, and of one mirror at another."""
    other = Mirror(program, server)
    try:
        since = server.call("GET", CONFIGMAPS)["metadata"]["resourceVersion"]
        made = mirror.call("POST", CONFIGMAPS, new_map("resumed", a="1"))
        for place in (server, mirror, other):
            connection, reply = place.open("GET", f"{CONFIGMAPS}?watch=1&resourceVersion={since}"
                                                  "&timeoutSeconds=20")
            event = json.loads(reply.readline())
            connection.close()
            if event["type"] != "ADDED" or event["object"]["metadata"] != made["metadata"]:
                raise AssertionError(f"{event}\nis not\n{made}")
    finally:
        other.stop()


def nobody_sees_more(server, mirror):
    """Tokens and certificates are those of the server, and so are the permissions."""
    for path in (CONFIGMAPS, CONFIGMAPS + "?resourceVersion=0", CONFIGMAPS + "?watch=1",
                 CONFIGMAPS + "/resumed", "/api/v1/secrets"):
        for token in ("nobody-token", "wrong-token"):
            ours = mirror.request("GET", path, token=token)[0]
            theirs = server.request("GET", path, token=token)[0]
            if ours != theirs:
                raise AssertionError(f"{path} with {token}: {ours}, at the server {theirs}")
    status, text = mirror.request("POST", CONFIGMAPS, new_map("no"), token="nobody-token")
    if status != 403:
        raise AssertionError(f"a write of nobody: {status} {text}")


def one_list_and_one_watch(server, before):
    """However many clients the mirror has.  Besides, it asks once which revision is the newest."""
    all_uris = [uri for uri in server.requests_of("admin")[before:]
                if uri.startswith("/apis/apps/v1/deployments")]
    if not any("?" in uri for uri in all_uris):  # a log without queries
        if len(all_uris) > 3:
            raise AssertionError(f"the mirror asked for deployments {len(all_uris)} times")
        return
    asked = [uri for uri in all_uris
             if uri.startswith("/apis/apps/v1/deployments?") and "limit=500" in uri
             or uri.startswith("/apis/apps/v1/deployments?watch=true") and
             "timeoutSeconds=3" not in uri.split("&")]
    if len(asked) != 2:
        raise AssertionError(f"the mirror asked for deployments: {asked}")


WEBSITES = "/apis/mirrored.example.com/v1/namespaces/default/websites"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WEBSITE = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "websites.mirrored.example.com"},
    "spec": {"group": "mirrored.example.com", "scope": "Namespaced",
             "names": {"plural": "websites", "singular": "website", "kind": "Website",
                       "listKind": "WebsiteList"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                 "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                     "type": "object", "properties": {"url": {"type": "string"}}}}}}}]},
}


def is_from_memory(mirror, path):
    connection, reply = mirror.open("GET", path)
    reply.read()
    connection.close()
    return reply.status == 200 and reply.getheader("X-Listwatch-Lag") is not None


def a_mirror_follows_definitions_of_custom_resources(b):
    server = b.server
    mirror = Mirror(str(b.build / "listwatch"), server, "--resources",
                    "configmaps,websites.mirrored.example.com")
    try:
        server.call("POST", DEFINITIONS, WEBSITE)
        wait_until(lambda: is_from_memory(mirror, WEBSITES + "?resourceVersion=0"), 30,
                   "the new resource is mirrored")
        since = server.call("GET", WEBSITES)["metadata"]["resourceVersion"]
        made = mirror.call("POST", WEBSITES, {
            "apiVersion": "mirrored.example.com/v1", "kind": "Website",
            "metadata": {"name": "w"}, "spec": {"url": "x"}})
        connection, reply = mirror.open(
            "GET", f"{WEBSITES}?watch=1&resourceVersion={since}&timeoutSeconds=30")
        if json.loads(reply.readline())["object"] != made:
            raise AssertionError("the watch does not show what was created")
        if by_name(mirror.call("GET", WEBSITES)) != by_name(server.call("GET", WEBSITES)):
            raise AssertionError("the lists differ")
        if server.purges_namespaces:  # so does it the objects of a definition
            server.call("DELETE", DEFINITIONS + "/websites.mirrored.example.com")
            if json.loads(reply.readline())["type"] != "DELETED":
                raise AssertionError("the watch does not show the deletion")
        connection.close()
    finally:
        code = mirror.stop()
    if code != 0:
        raise AssertionError(f"the mirror ended with {code}")


def a_mirror_shows_what_the_server_shows(b):
    server, program = b.server, str(b.build / "listwatch")
    before = len(server.requests_of("admin"))
    mirror = Mirror(program, server)
    try:
        mirror.call("POST", CONFIGMAPS, new_map("first", a="1"))
        wait_until(lambda: ("default", "first") in by_name(
            mirror.call("GET", CONFIGMAPS + "?resourceVersion=0")), 10, "the write is mirrored")
        for _ in range(5):
            mirror.call("GET", "/apis/apps/v1/deployments?resourceVersion=0")
        one_list_and_one_watch(server, before)
        lists_are_equal(server, mirror)
        watches_resume_anywhere(server, mirror, program)
        nobody_sees_more(server, mirror)
    finally:
        code = mirror.stop()
    if code != 0:
        raise AssertionError(f"the mirror ended with {code}")


CHECKS = [a_mirror_shows_what_the_server_shows, a_mirror_follows_definitions_of_custom_resources]
