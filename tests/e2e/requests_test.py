#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""requests_test.py -- the requests that commands send, and answers that listwatch serve does not
give: logs, warnings, tables without columns.  usage: requests_test.py PROGRAM"""

import json
import os
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from serving import run_tests

RESOURCES = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
    {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod",
     "verbs": ["get", "list", "watch"], "shortNames": ["po"], "categories": ["all"]}]}
POD = {"kind": "Pod", "apiVersion": "v1", "metadata": {
    "name": "web", "namespace": "default", "resourceVersion": "7",
    "creationTimestamp": "2020-01-01T00:00:00Z"}}
ANSWERS = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "groups": []},
    "/api/v1": RESOURCES,
    "/api/v1/namespaces/default/pods": {"kind": "PodList", "apiVersion": "v1",
                                        "metadata": {"resourceVersion": "9"}, "items": [POD]},
    "/api/v1/namespaces/default/pods/web": POD,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        self.server.seen.append((url.path, dict(parse_qsl(url.query)), dict(self.headers)))
        if url.path.endswith("/log"):
            self.reply(200, "text/plain", b"one\ntwo\n")
        elif url.path == "/web.json":
            self.reply(200, "application/json", json.dumps(POD).encode())
        elif url.path in ANSWERS:
            self.reply(200, "application/json", json.dumps(ANSWERS[url.path]).encode())
        else:
            self.reply(404, "text/plain", b"no")

    def reply(self, status, media, body):
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Warning", '299 - "pods are old-fashioned"')
        self.end_headers()
        self.wfile.write(body)


class Stub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, program):
        super().__init__(("127.0.0.1", 0), Handler)
        self.program, self.seen = program, []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def run(self, *arguments, **variables):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              timeout=60, check=False,
                              env={**os.environ, "HOME": "/nonexistent", **variables})

    def on(self, *arguments):
        return self.run(*arguments, "--server", self.url)


def logs_sends_its_options_and_prints_the_answer(program):
    with Stub(program) as stub:
        done = stub.on("logs", "web", "-c", "main", "--tail", "5", "--since", "2m", "--timestamps",
                       "-p", "-f")
        assert done.returncode == 0 and done.stdout == "one\ntwo\n", done
        path, query, _ = stub.seen[-1]
        assert path == "/api/v1/namespaces/default/pods/web/log", path
        assert query == {"container": "main", "tailLines": "5", "sinceSeconds": "120",
                         "timestamps": "true", "previous": "true", "follow": "true"}, query


def a_warning_of_the_server_is_printed_once(program):
    with Stub(program) as stub:
        done = stub.on("get", "pods", "-o", "name")
        assert done.returncode == 0 and done.stdout == "pod/web\n", done
        assert len(stub.seen) > 1 and done.stderr == "Warning: pods are old-fashioned\n", done


def a_server_without_columns_gets_name_and_age(program):
    with Stub(program) as stub:
        done = stub.on("get", "pods")
        lines = done.stdout.splitlines()
        assert done.returncode == 0 and lines[0].split() == ["NAME", "AGE"], done
        assert lines[1].split()[0] == "web" and "y" in lines[1].split()[1], done
        assert "as=Table;v=v1;g=meta.k8s.io" in stub.seen[-1][2]["Accept"], stub.seen[-1]


def a_manifest_of_a_url_is_read_without_credentials(program):
    with Stub(program) as stub, tempfile.TemporaryDirectory() as folder:
        kubeconfig = f"{folder}/kubeconfig"
        with open(kubeconfig, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "a",
                       "clusters": [{"name": "a", "cluster": {"server": stub.url}}],
                       "users": [{"name": "a", "user": {"as": "secret"}}],
                       "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}]}, file)
        done = stub.run("get", "-f", f"{stub.url}/web.json", "-o", "name", KUBECONFIG=kubeconfig)
        assert done.returncode == 0 and done.stdout == "pod/web\n", done
        assert "secret" not in stub.seen[-1][2].values(), stub.seen[-1]
        done = stub.run("get", "pods", "-o", "name", KUBECONFIG=kubeconfig)
        assert done.returncode == 0 and "secret" in stub.seen[-1][2].values(), (done, stub.seen[-1])


def a_manifest_that_is_not_at_its_url_is_an_error(program):
    with Stub(program) as stub:
        done = stub.run("get", "-f", f"{stub.url}/nosuch.json")
        assert done.returncode == 1 and f"listwatch: {stub.url}/nosuch.json: " in done.stderr, done


run_tests([
    logs_sends_its_options_and_prints_the_answer,
    a_warning_of_the_server_is_printed_once,
    a_server_without_columns_gets_name_and_age,
    a_manifest_of_a_url_is_read_without_credentials,
    a_manifest_that_is_not_at_its_url_is_an_error,
])
