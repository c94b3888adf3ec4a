# SPDX-License-Identifier: Apache-2.0
"""checks_mirror.py -- `listwatch mirror` in front of a real API server: what its clients see is what
they would see there, with the same resourceVersions, and no more than they may."""

import glob
import json
import subprocess
import tempfile

from program import wait_until

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


class Mirror:
    """A mirror of |server| on loopback, with HTTPS; clients use it as they use the server."""

    def __init__(self, program, server, *options):
        self.server = server
        self.log = open(server.folder / "mirror.log", "ab")
        self.process = subprocess.Popen(
            [program, "mirror", "--kubeconfig", server.kubeconfig("mirror.json",
                                                                  token=server.token),
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


class Client:
    """Follows ConfigMaps as a reflector does: lists once, watches, goes on at another address."""

    def __init__(self, place):
        answer = place.call("GET", CONFIGMAPS + "?resourceVersion=0")
        self.objects = by_name(answer)
        self.version = answer["metadata"]["resourceVersion"]
        self.watch(place)

    def watch(self, place):
        self.connection, self.reply = place.open(
            "GET", f"{CONFIGMAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=120"
                   f"&resourceVersion={self.version}")

    def follow_until(self, version):
        """Reads events until the revision |version|."""
        while int(self.version) < int(version):
            event = json.loads(self.reply.readline())
            if event["type"] == "ERROR":
                raise AssertionError(f"a client must list again: {event}")
            item = event["object"]
            name = item["metadata"].get("namespace"), item["metadata"].get("name")
            self.version = item["metadata"]["resourceVersion"]
            if event["type"] == "DELETED":
                self.objects.pop(name)
            elif event["type"] != "BOOKMARK":
                # Items of a list have neither of the two.
                self.objects[name] = {key: value for key, value in item.items()
                                      if key not in ("kind", "apiVersion")}

    def close(self):
        self.connection.close()


def full_lists(server, before):
    """The lists of ConfigMaps that mirrors have asked for, by their first pages; confirmations ask for
    one object."""
    return [uri for uri in server.requests_of("admin")[before:]
            if uri.startswith("/api/v1/configmaps?") and "limit=500" in uri
            and "continue=" not in uri]


def write_some(server, turn):
    """Creates, changes and deletes; returns the last resourceVersion."""
    for i in range(6):
        made = server.call("POST", CONFIGMAPS, new_map(f"turn-{turn}-{i}", x="1"))
    made["data"]["x"] = "2"
    server.call("PUT", f"{CONFIGMAPS}/turn-{turn}-5", made)
    server.call("DELETE", f"{CONFIGMAPS}/turn-{turn}-0")
    return server.call("POST", CONFIGMAPS, new_map(f"turn-{turn}-end"))["metadata"][
        "resourceVersion"]


def killed_mirrors_cost_the_server_no_list(b):
    """40 clients of two mirrors.  One is killed: its clients go on at the other one.  It starts
    again from its files, and serves them as well."""
    server, program = b.server, str(b.build / "listwatch")
    before = len(server.requests_of("admin"))
    folders = [tempfile.TemporaryDirectory() for _ in range(2)]
    begin = lambda i: Mirror(program, server, "--data-dir", folders[i].name + "/data")
    mirrors = [begin(0), begin(1)]
    clients = []
    try:
        clients = [Client(mirrors[i % 2]) for i in range(40)]
        wait_until(lambda: glob.glob(folders[0].name + "/data/mirror/configmaps-*.state"), 30,
                   "the objects are saved")
        for turn in range(3):
            version = write_some(server, turn)
            for client in clients:
                client.follow_until(version)
            mirrors[0].process.kill()
            mirrors[0].stop()
            version = write_some(server, f"{turn}-away")
            for client in clients[::2]:
                client.close()
                client.watch(mirrors[1])
            mirrors[0] = begin(0)
            for client in clients:
                client.follow_until(version)
            for client in clients[::2]:
                client.close()
                client.watch(mirrors[0])
        wanted = by_name(server.call("GET", CONFIGMAPS))
        for place in [client.objects for client in clients] + [
                by_name(mirror.call("GET", CONFIGMAPS)) for mirror in mirrors]:
            differ = [name for name in place.keys() | wanted.keys()
                      if place.get(name) != wanted.get(name)]
            if differ:
                raise AssertionError(f"objects differ in a cache: {differ}")
        asked = full_lists(server, before)
        if any("?" in uri for uri in server.requests_of("admin")[before:]) and len(asked) != 2:
            raise AssertionError(f"lists of two mirrors: {asked}")
    finally:
        for client in clients:
            client.close()
        for mirror in mirrors:
            mirror.stop()
        for folder in folders:
            folder.cleanup()


CHECKS = [a_mirror_shows_what_the_server_shows, a_mirror_follows_definitions_of_custom_resources,
          killed_mirrors_cost_the_server_no_list]
