#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mirror_test.py -- `listwatch mirror` of a `listwatch serve`.   usage: mirror_test.py LISTWATCH"""

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile

from mirrors import PATIENCE_S, PODS, Mirror, another_cluster, mirrored, wait_for
from serving import CONFIGMAPS, Server, Watch, config_map, revision, run_tests


def reads_come_from_memory_with_the_upstream_s_revisions(program):
    with mirrored(program) as (server, mirror):
        status, made = mirror.call("POST", CONFIGMAPS, config_map("a", x="1"))
        assert status == 201, made
        at = revision(made)
        path = f"{CONFIGMAPS}?resourceVersion={at}"
        status, listed = mirror.call("GET", path)
        assert status == 200 and revision(listed) >= at, listed
        assert listed["items"] == server.call("GET", CONFIGMAPS)[1]["items"]
        assert mirror.call("GET", f"{CONFIGMAPS}/a?resourceVersion={at}") == (200, made)
        for _ in range(10):
            mirror.call("GET", path)
        assert mirror.metric("listwatch_mirror_lists_total") == 1
        assert mirror.metric("listwatch_mirror_watches_total") == 1
        status, headers, _ = mirror.ask("GET", path)
        assert headers["X-Listwatch-Lag"] == "0.000", headers
        status, table, _ = mirror.ask("GET", path, headers={
            "Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"})[0:3]
        assert status == 200


def the_newest_state_is_confirmed_with_the_upstream(program):
    with mirrored(program) as (server, mirror):
        for i in range(20):
            status, made = server.call("POST", CONFIGMAPS, config_map(f"c{i}"))
            assert status == 201
            status, listed = mirror.call("GET", CONFIGMAPS)
            assert len(listed["items"]) == i + 1 and revision(listed) >= revision(made), listed
            assert mirror.call("GET", f"{CONFIGMAPS}/c{i}") == (200, made)
        # Nothing changes in pods: the mirror finds that out without waiting for a bookmark.
        status, listed = mirror.call("GET", PODS)
        assert status == 200 and revision(listed) >= revision(made), listed


def a_watch_goes_on_at_the_upstream_and_at_another_mirror(program):
    with mirrored(program, count=2) as (server, one, other):
        since = revision(server.call("GET", CONFIGMAPS)[1])
        watch = Watch(one, f"{CONFIGMAPS}?watch=1&resourceVersion={since}&allowWatchBookmarks=true")
        made = [other.call("POST", CONFIGMAPS, config_map(f"m{i}"))[1] for i in range(3)]
        assert next(watch)["object"] == made[0]
        # SIGTERM hands the watch over: it ends with a bookmark.
        seen = [made[0], next(watch)["object"], next(watch)["object"]]
        assert one.stop() == 0
        last = list(watch)
        assert [event["type"] for event in last] == ["BOOKMARK"], last
        assert seen == made
        after = revision(last[0]["object"])
        assert after >= revision(made[2])
        status, more = server.call("POST", CONFIGMAPS, config_map("later"))
        for place in (other, server):
            again = Watch(place, f"{CONFIGMAPS}?watch=1&resourceVersion={after}")
            assert next(again)["object"] == more
            again.close()
        for place in (other, server):
            again = Watch(place, f"{CONFIGMAPS}?watch=1&resourceVersion={since}")
            assert [next(again)["object"] for _ in range(4)] == made + [more]
            again.close()


def initial_events_and_selectors_are_as_at_the_server(program):
    with mirrored(program) as (server, mirror):
        labelled = dict(config_map("l"), metadata={"name": "l", "labels": {"k": "v"}})
        server.call("POST", CONFIGMAPS, config_map("a"))
        status, made = server.call("POST", CONFIGMAPS, labelled)
        watch = Watch(mirror, f"{CONFIGMAPS}?watch=1&sendInitialEvents=true&labelSelector=k%3Dv"
                              "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
        assert next(watch)["object"] == made
        end = next(watch)
        assert end["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        server.call("DELETE", f"{CONFIGMAPS}/l")
        assert next(watch)["type"] == "DELETED"
        watch.close()


def an_upstream_that_is_away_is_waited_for(program):
    with mirrored(program, memory=False) as (server, mirror):
        server.call("POST", CONFIGMAPS, config_map("a"))
        wait_for("a is mirrored", lambda: len(
            mirror.call("GET", CONFIGMAPS + "?resourceVersion=0")[1]["items"]) == 1)
        watch = Watch(mirror, CONFIGMAPS + "?watch=1&resourceVersion=0")
        assert next(watch)["object"]["metadata"]["name"] == "a"
        server.kill()
        wait_for("the lag is told", lambda: "not followed for" in
                 mirror.ask("GET", "/readyz?verbose")[2])
        # It was told for the first resource; each resource has a lag of its own.
        wait_for("the lag is a metric", lambda: mirror.metric("listwatch_mirror_lag_seconds") > 0)
        wait_for("the lag is in a header", lambda: float(
            mirror.ask("GET", CONFIGMAPS + "?resourceVersion=0")[1]["X-Listwatch-Lag"]) > 0)
        status, _, text = mirror.ask("GET", CONFIGMAPS + "?resourceVersion=0")
        assert status == 200, text
        status, answer = mirror.call("POST", CONFIGMAPS, config_map("b"))
        assert (status, answer["reason"]) == (503, "ServiceUnavailable"), answer
        status, answer = mirror.call("GET", CONFIGMAPS)
        assert (status, answer["reason"]) == (503, "ServiceUnavailable"), answer
        server.start()
        status, made = server.call("POST", CONFIGMAPS, config_map("b"))
        assert next(watch)["object"] == made  # the same watch
        assert mirror.metric("listwatch_mirror_lists_total") == 1
        watch.close()


def an_upstream_that_was_restored_is_noticed(program):
    with mirrored(program) as (server, mirror):
        for i in range(30):
            server.call("POST", CONFIGMAPS, config_map(f"c{i}"))
        last = revision(server.call("GET", CONFIGMAPS)[1])
        wait_for("all are mirrored", lambda: len(
            mirror.call("GET", CONFIGMAPS + "?resourceVersion=0")[1]["items"]) == 30)
        watch = Watch(mirror, f"{CONFIGMAPS}?watch=1&resourceVersion={last}")
        server.kill()
        server.start()  # in memory: it begins again
        event = next(watch)
        assert event["type"] == "ERROR" and event["object"]["code"] == 410, event
        wait_for("the mirror has begun again", lambda: mirror.call(
            "GET", CONFIGMAPS + "?resourceVersion=0")[1].get("items") == [])
        again = Watch(mirror, f"{CONFIGMAPS}?watch=1&resourceVersion={last}")
        event = next(again)
        assert event["object"]["code"] == 410, event
        wait_for("it is counted", lambda: mirror.metric("listwatch_mirror_resets_total") == 1)


def read_log(mirror):
    with open(mirror.folder + "/mirror.log") as log:
        return log.read()


def an_upstream_that_was_restored_from_a_backup_is_noticed(program):
    server = Server(program).start()
    try:
        assert server.stop() == 0
        shutil.copytree(server.folder + "/data", server.folder + "/backup")
        server.start()
        mirror = Mirror(program, server)
        try:
            for i in range(5):
                server.call("POST", CONFIGMAPS, config_map(f"c{i}"))
            last = revision(server.call("GET", CONFIGMAPS)[1])
            wait_for("all are mirrored", lambda: len(
                mirror.call("GET", CONFIGMAPS + "?resourceVersion=0")[1]["items"]) == 5)
            watch = Watch(mirror, f"{CONFIGMAPS}?watch=1&resourceVersion={last}")
            server.kill()
            shutil.rmtree(server.folder + "/data")
            shutil.move(server.folder + "/backup", server.folder + "/data")
            server.start()
            event = next(watch)
            assert event["type"] == "ERROR" and event["object"]["code"] == 410, event
            wait_for("the mirror has begun again", lambda: mirror.call(
                "GET", CONFIGMAPS + "?resourceVersion=0")[1].get("items") == [])
            wait_for("the mirror says why", lambda: "restored from a backup" in read_log(mirror))
        finally:
            mirror.remove()
    finally:
        server.remove()


def another_cluster_at_a_later_revision_is_noticed(program):
    with mirrored(program) as (server, mirror):
        for i in range(5):
            server.call("POST", CONFIGMAPS, config_map(f"c{i}"))
        last = revision(server.call("GET", CONFIGMAPS)[1])
        wait_for("all are mirrored", lambda: len(
            mirror.call("GET", CONFIGMAPS + "?resourceVersion=0")[1]["items"]) == 5)
        watch = Watch(mirror, f"{CONFIGMAPS}?watch=1&resourceVersion={last}")
        other = another_cluster(program, server, 40)
        try:
            assert revision(other.call("GET", CONFIGMAPS)[1]) > last
            event = next(watch)
            assert event["type"] == "ERROR" and event["object"]["code"] == 410, event
            wait_for("the mirror has what the other cluster has", lambda: len(
                mirror.call("GET", CONFIGMAPS + "?resourceVersion=0")[1].get("items", [])) == 40)
            again = Watch(mirror, f"{CONFIGMAPS}?watch=1&resourceVersion={last}")
            event = next(again)
            assert event["type"] == "ERROR" and event["object"]["code"] == 410, event
        finally:
            other.stop()
            other.remove()


def reads_are_refused_when_the_mirror_is_too_far_behind(program):
    with mirrored(program, options=("--max-lag", "1s")) as (server, mirror):
        server.kill()
        answer = wait_for("503", lambda: [a for a in [mirror.call(
            "GET", CONFIGMAPS + "?resourceVersion=0")] if a[0] == 503])[0][1]
        assert "--max-lag" in answer["message"], answer
        assert mirror.ask("GET", "/readyz")[0] == 500


def everything_else_is_the_upstream_s(program):
    with mirrored(program) as (server, mirror):
        for path in ("/version", "/api", "/apis", "/apis/apps/v1", "/openapi/v3",
                     "/api/v1/namespaces/default/secrets", "/api/v1/nodes", "/nowhere"):
            connection = server.connect()
            connection.request("GET", path)
            reply = connection.getresponse()
            theirs = reply.status, reply.read().decode()
            connection.close()
            status, _, text = mirror.ask("GET", path)
            assert (status, text) == theirs, path
        status, made = mirror.call("POST", CONFIGMAPS, config_map("p"))
        status, page = mirror.call("GET", "/api/v1/namespaces?limit=1")
        token = page["metadata"]["continue"]
        assert mirror.call("GET", f"/api/v1/namespaces?limit=1&continue={token}")[0] == 200


def upgrades_are_tunnelled(program):
    with mirrored(program, options=()) as (server, mirror):
        # A WebSocket watch of a resource that is not mirrored: the upstream speaks.
        client = socket.create_connection(("127.0.0.1", mirror.port), timeout=PATIENCE_S)
        client.sendall(b"GET /api/v1/nodes?watch=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                       b"Sec-WebSocket-Version: 13\r\n\r\n")
        stream = client.makefile("rb")
        assert stream.readline() == b"HTTP/1.1 101 Switching Protocols\r\n"
        while stream.readline() != b"\r\n":
            pass
        server.call("POST", "/api/v1/nodes", {"kind": "Node", "apiVersion": "v1",
                                              "metadata": {"name": "n"}})
        head = stream.read(2)
        while head[0] & 15 != 1:  # until a text frame
            stream.read(head[1])
            head = stream.read(2)
        assert b'"ADDED"' in stream.read(64)
        client.close()


def a_view_has_only_the_members_that_it_names(program):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/views.yaml", "w") as file:
            file.write("views:\n  slim:\n    configmaps: [data.kept, /metadata/creationTimestamp]\n")
        with mirrored(program, options=("--views", folder + "/views.yaml")) as (server, mirror):
            slim = "/mirror/slim" + CONFIGMAPS
            watch = Watch(mirror, slim + "?watch=1")
            status, made = mirror.call("POST", slim, dict(
                config_map("a", kept="1", dropped="2" * 1000), metadata={
                    "name": "a", "annotations": {"also": "dropped"}}))
            assert status == 201, made
            meta = {key: made["metadata"][key] for key in (
                "name", "namespace", "uid", "resourceVersion", "creationTimestamp")}
            wanted = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": meta,
                      "data": {"kept": "1"}}
            assert next(watch) == {"type": "ADDED", "object": wanted}
            assert mirror.call("GET", slim + "/a") == (200, wanted)
            items = mirror.call("GET", slim + "?limit=5")[1]["items"]
            assert [item["data"] for item in items] == [{"kept": "1"}], items
            # Without the view, and of other resources, everything is there.
            assert mirror.call("GET", CONFIGMAPS + "/a") == (200, made)
            assert mirror.call("GET", "/mirror/slim/api")[0] == 200
            assert mirror.ask("GET", "/mirror/other/api/v1/pods")[0] == 404
            assert mirror.call("DELETE", slim + "/a")[0] == 200
            assert next(watch)["type"] == "DELETED"
            watch.close()


def objects_can_be_selected_by_any_field(program):
    with mirrored(program) as (server, mirror):
        for name, value in (("a", "1"), ("b", "2"), ("c", "2")):
            status, made = server.call("POST", CONFIGMAPS, config_map(name, x=value))
        query = f"?fieldSelector=data.x%3D2&resourceVersion={revision(made)}"
        assert server.call("GET", CONFIGMAPS + query)[0] == 400
        status, listed = mirror.call("GET", CONFIGMAPS + query)
        assert [item["metadata"]["name"] for item in listed["items"]] == ["b", "c"], listed
        watch = Watch(mirror, CONFIGMAPS + query + "&watch=1")
        made["data"]["x"] = "3"
        server.call("PUT", CONFIGMAPS + "/c", made)
        event = next(watch)
        assert (event["type"], event["object"]["metadata"]["name"]) == ("DELETED", "c"), event
        watch.close()


WEBSITES = "/apis/example.com/v1/namespaces/default/websites"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def definition(plural="websites", kind="Website", storage="v1", versions=("v1", "v2")):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": plural + ".example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": plural, "singular": kind.lower(), "kind": kind,
                               "listKind": kind + "List"},
                     "versions": [{"name": name, "served": True, "storage": name == storage,
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object",
                                       "x-kubernetes-preserve-unknown-fields": True}}}
                                  for name in versions]}}


def website(name):
    return {"apiVersion": "example.com/v1", "kind": "Website", "metadata": {"name": name}}


def is_local(mirror, path):
    """True once the mirror answers from memory."""
    return "X-Listwatch-Lag" in mirror.ask("GET", path + "?resourceVersion=0")[1]


def update_websites(server, change):
    """Changes the definition; the server itself writes its status."""
    def put():
        stored = server.call("GET", DEFINITIONS + "/websites.example.com")[1]
        change(stored["spec"])
        status, answer = server.call("PUT", DEFINITIONS + "/websites.example.com", stored)
        assert status in (200, 409), answer
        return status == 200
    wait_for("the definition is updated", put)


def views_of_custom_resources_are_pruned(program):
    server = Server(program, memory=True)
    server.start()
    mirror = None
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("views:\n  slim:\n    websites.example.com: [spec.host]\n"
                   "  bare:\n    websites.example.com: {drop: [/status]}\n"
                   "    configmaps: {drop: [/data/b]}\n")
        file.flush()
        try:
            mirror = Mirror(program, server, resources="configmaps,websites.example.com",
                            options=("--views", file.name))
            slim, bare = "/mirror/slim" + WEBSITES, "/mirror/bare" + WEBSITES
            # The resource is defined later, and goes, and comes back.
            for turn in range(2):
                assert server.call("POST", DEFINITIONS, definition())[0] == 201
                wait_for("websites are mirrored", lambda: is_local(mirror, WEBSITES))
                watch = Watch(mirror, slim + "?watch=1&resourceVersion=0")
                status, made = server.call("POST", WEBSITES, dict(
                    website("a"), spec={"host": "h", "other": "o"}, status={"s": 1}))
                assert status == 201, made
                event = next(watch)
                assert event["type"] == "ADDED", event
                assert event["object"]["spec"] == {"host": "h"} and "status" not in event["object"]
                assert event["object"]["kind"] == "Website", event
                assert mirror.call("GET", slim + "/a") == (200, event["object"])
                assert mirror.call("GET", slim)[1]["items"] == [event["object"]]
                whole = {key: value for key, value in made.items() if key != "status"}
                assert mirror.call("GET", bare + "/a") == (200, whole)
                assert mirror.call("GET", WEBSITES + "/a") == (200, made)
                assert mirror.metric("listwatch_mirror_lists_total", "websites") == 1
                assert server.call("DELETE", DEFINITIONS + "/websites.example.com")[0] == 200
                assert next(watch)["type"] == "DELETED"
                wait_for("websites are gone", lambda: mirror.ask("GET", slim)[0] == 404)
                watch.close()
            made = server.call("POST", CONFIGMAPS, config_map("c", a="1", b="2"))[1]
            assert mirror.call("GET", "/mirror/bare" + CONFIGMAPS + "/c") == (
                200, dict(made, data={"a": "1"}))
            assert mirror.stop() == 0
        finally:
            if mirror:
                mirror.remove()
            server.remove()


def wrong_views_are_explained(program):
    server = Server(program, memory=True)
    server.start()
    try:
        for text, why in (("secrets: [/data]", "not mirrored"),
                          ("configmaps: {drop: [/metadata/name]}", "cannot be dropped"),
                          ("configmaps: {drop: [/data], keep: [/data]}", "must be a list")):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write("views:\n  v:\n    " + text + "\n")
                file.flush()
                try:
                    Mirror(program, server, resources="configmaps",
                           options=("--views", file.name)).remove()
                    raise AssertionError(text)
                except RuntimeError as refused:
                    assert why in str(refused), (text, refused)
    finally:
        server.remove()


def definitions_of_custom_resources_are_followed(program):
    server = Server(program, memory=True)
    server.start()
    mirror = None
    try:
        assert server.call("POST", DEFINITIONS, definition())[0] == 201
        assert server.call("POST", WEBSITES, website("a"))[0] == 201
        mirror = Mirror(program, server,
                        resources="configmaps,websites.example.com,shops.example.com")
        # It is mirrored from the start, in the version it is stored in.
        assert is_local(mirror, WEBSITES) and not is_local(mirror, WEBSITES.replace("v1", "v2"))
        assert not is_local(mirror, DEFINITIONS)
        listed = mirror.call("GET", WEBSITES)[1]
        assert listed["items"] == server.call("GET", WEBSITES)[1]["items"], listed
        watch = Watch(mirror, f"{WEBSITES}?watch=1&resourceVersion={revision(listed)}")
        status, made = mirror.call("POST", WEBSITES, website("b"))
        assert status == 201 and next(watch)["object"] == made
        assert mirror.metric("listwatch_mirror_lists_total", "websites") == 1
        # One that is defined later.
        shops = WEBSITES.replace("websites", "shops")
        assert mirror.ask("GET", shops)[0] == 404
        assert server.call("POST", DEFINITIONS, definition("shops", "Shop"))[0] == 201
        wait_for("shops are mirrored", lambda: is_local(mirror, shops))
        # A definition that is not wanted is passed through.
        assert server.call("POST", DEFINITIONS, definition("others", "Other"))[0] == 201
        others = WEBSITES.replace("websites", "others")
        assert mirror.ask("GET", others)[0] == 200 and not is_local(mirror, others)
        # A change that does not matter leaves the watch alone; another storage version ends it.
        update_websites(server, lambda spec: spec["names"].update(shortNames=["ws"]))
        status, made = server.call("POST", WEBSITES, website("c"))
        assert next(watch)["object"] == made
        update_websites(server, lambda spec: [
            version.update(storage=version["name"] == "v2") for version in spec["versions"]])
        wait_for("v2 is mirrored", lambda: is_local(mirror, WEBSITES.replace("v1", "v2")))
        assert not is_local(mirror, WEBSITES)
        assert next(watch)["object"]["code"] == 410
        second = WEBSITES.replace("v1", "v2")
        assert mirror.call("GET", second)[1]["items"] == server.call("GET", second)[1]["items"]
        # The definition goes, and its objects with it.
        watch = Watch(mirror, second + "?watch=1&resourceVersion=0")
        assert server.call("DELETE", DEFINITIONS + "/websites.example.com")[0] == 200
        assert [event["type"] for event in watch] == ["ADDED"] * 3 + ["DELETED"] * 3
        wait_for("websites are gone", lambda: mirror.ask("GET", second)[0] == 404)
        wait_for("they are not followed", lambda: not any(
            line.startswith("listwatch_mirror_") and '"websites"' in line
            for line in mirror.ask("GET", "/metrics")[2].splitlines()))
        assert mirror.stop() == 0
    finally:
        if mirror:
            mirror.remove()
        server.remove()


def a_mirror_can_be_mirrored(program):
    with mirrored(program) as (server, near):
        assert server.call("POST", DEFINITIONS, definition())[0] == 201
        far = Mirror(program, near, resources="configmaps,websites.example.com")
        try:
            status, made = far.call("POST", CONFIGMAPS, config_map("a"))
            assert status == 201, made
            assert far.call("GET", CONFIGMAPS + "/a?resourceVersion=" + made["metadata"][
                "resourceVersion"]) == (200, made)
            watch = Watch(far, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(made)}")
            assert server.call("DELETE", CONFIGMAPS + "/a")[0] == 200
            assert next(watch)["type"] == "DELETED"
            status, made = server.call("POST", WEBSITES, website("w"))
            assert far.call("GET", WEBSITES)[1]["items"] == [made]
            watch.close()
            assert far.stop() == 0
        finally:
            far.remove()


def a_client_is_not_taken_for_the_mirror(program):
    """The mirror has a client certificate: requests of others must not use it."""
    server = Server(program)
    server.start()
    mirror = None
    try:
        pki = server.folder + "/data/pki/"
        mirror = Mirror(program, server,
                        options=("--listen", "127.0.0.1:0"),
                        cluster={"server": f"https://127.0.0.1:{server.tls_port}",
                                 "certificate-authority": pki + "ca.crt"},
                        user={"client-certificate": pki + "admin.crt",
                              "client-key": pki + "admin.key"})
        accounts = "/api/v1/namespaces/default/serviceaccounts"
        server.call("POST", accounts, {"metadata": {"name": "weak"}})
        token = server.call("POST", accounts + "/weak/token", {"spec": {}})[1]["status"]["token"]
        for headers, name in (({}, "system:anonymous"),
                              ({"Authorization": "Bearer " + token},
                               "system:serviceaccount:default:weak")):
            connection = http.client.HTTPSConnection("127.0.0.1", mirror.port, timeout=PATIENCE_S,
                                                     context=ssl._create_unverified_context())
            connection.request("POST", "/api/v1/namespaces/default/configmaps",
                               json.dumps(config_map("c")),
                               {"Content-Type": "application/json", **headers})
            reply = connection.getresponse()
            answer = json.loads(reply.read())
            connection.close()
            assert reply.status == 403 and name in answer["message"], answer
        assert mirror.stop() == 0
    finally:
        if mirror:
            mirror.remove()
        server.remove()


def sign(pki, folder, name):
    """Replaces the client certificate in |folder| by one for |name|, as a tool does that rotates."""
    run = lambda *words: subprocess.run(("openssl", *words), check=True, capture_output=True)
    run("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-subj", f"/O=system:masters/CN={name}", "-keyout", folder + "/new.key",
        "-out", folder + "/new.csr")
    run("x509", "-req", "-in", folder + "/new.csr", "-CA", pki + "ca.crt", "-CAkey", pki + "ca.key",
        "-CAcreateserial", "-CAserial", folder + "/serial", "-days", "1",
        "-out", folder + "/new.crt")
    os.replace(folder + "/new.key", folder + "/client.key")
    os.replace(folder + "/new.crt", folder + "/client.crt")


def a_client_certificate_that_changes_is_read_again(program):
    if not shutil.which("openssl"):
        return "openssl is not installed"
    server = Server(program)
    server.start()
    mirror = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            pki = server.folder + "/data/pki/"
            sign(pki, folder, "first")
            mirror = Mirror(program, server, resources="configmaps",
                            cluster={"server": f"https://127.0.0.1:{server.tls_port}",
                                     "certificate-authority": pki + "ca.crt"},
                            user={"client-certificate": folder + "/client.crt",
                                  "client-key": folder + "/client.key"})

            def name():
                status, answer = mirror.call(
                    "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
                assert status == 201, answer
                return answer["status"]["userInfo"]["username"]
            assert name() == "first"
            sign(pki, folder, "second")
            wait_for("the new certificate is used", lambda: name() == "second")
            # What is not a certificate changes nothing.
            with open(folder + "/client.crt", "w") as file:
                file.write("nonsense")
            assert name() == "second"
            sign(pki, folder, "third")
            wait_for("the third certificate is used", lambda: name() == "third")
            assert mirror.metric("listwatch_mirror_lists_total") == 1
            assert mirror.stop() == 0
        finally:
            if mirror:
                mirror.remove()
            server.remove()


def a_server_certificate_that_changes_is_read_again(program):
    if not shutil.which("openssl"):
        return "openssl is not installed"
    server = Server(program)
    server.start()
    mirror = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            pki = server.folder + "/data/pki/"
            sign(pki, folder, "first")
            mirror = Mirror(program, server, resources="configmaps", options=(
                "--listen", "127.0.0.1:0", "--tls-cert", folder + "/client.crt",
                "--tls-key", folder + "/client.key"))
            context = ssl.create_default_context(cafile=pki + "ca.crt")
            context.check_hostname = False

            def subject(connection):
                return dict(pair for part in connection.getpeercert()["subject"] for pair in part)

            def connect():
                return context.wrap_socket(socket.create_connection(("127.0.0.1", mirror.port)))

            def name():
                with connect() as connection:
                    return subject(connection)["commonName"]
            assert name() == "first"
            with connect() as old:
                def is_alive():
                    old.sendall(b"GET /livez HTTP/1.1\r\nHost: m\r\n\r\n")
                    reply = b""
                    while not reply.endswith(b"ok"):
                        reply += old.recv(4096)
                    return reply.startswith(b"HTTP/1.1 200")
                sign(pki, folder, "second")
                # A connection that is open goes on.
                wait_for("the new certificate is used", lambda: is_alive() and name() == "second")
                assert is_alive() and subject(old)["commonName"] == "first"
            assert mirror.stop() == 0
        finally:
            if mirror:
                mirror.remove()
            server.remove()


def wrong_options_are_explained(program):
    server = Server(program, memory=True)
    server.start()
    try:
        for resources, why in (("nonsense", "cannot be mirrored"), ("", "name the resources")):
            try:
                Mirror(program, server, resources=resources).remove()
                raise AssertionError(resources)
            except RuntimeError as refused:
                assert why in str(refused), refused
    finally:
        server.remove()


run_tests([
    reads_come_from_memory_with_the_upstream_s_revisions,
    the_newest_state_is_confirmed_with_the_upstream,
    a_watch_goes_on_at_the_upstream_and_at_another_mirror,
    initial_events_and_selectors_are_as_at_the_server,
    an_upstream_that_is_away_is_waited_for,
    an_upstream_that_was_restored_is_noticed,
    an_upstream_that_was_restored_from_a_backup_is_noticed,
    another_cluster_at_a_later_revision_is_noticed,
    reads_are_refused_when_the_mirror_is_too_far_behind,
    everything_else_is_the_upstream_s,
    upgrades_are_tunnelled,
    a_view_has_only_the_members_that_it_names,
    objects_can_be_selected_by_any_field,
    definitions_of_custom_resources_are_followed,
    views_of_custom_resources_are_pruned,
    wrong_views_are_explained,
    a_mirror_can_be_mirrored,
    a_client_is_not_taken_for_the_mirror,
    a_client_certificate_that_changes_is_read_again,
    a_server_certificate_that_changes_is_read_again,
    wrong_options_are_explained,
])
