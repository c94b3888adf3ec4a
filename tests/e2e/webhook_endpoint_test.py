#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""webhook_endpoint_test.py -- the webhook server of the library, as examples/14_webhook.c uses it:
called by an API server and by curl.

    webhook_endpoint_test.py PROGRAM EXAMPLE"""

import json
import shutil
import subprocess
import sys

from serving import Follower, Server, run_tests

EXAMPLE = sys.argv[2]
MAPS = "/api/v1/namespaces/default/configmaps"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/"


class World:
    """A server, and the webhook."""

    def __init__(self, program):
        self.server = Server(program, memory=True)
        config = self.server.folder + "/config"
        self.server.command += ["--kubeconfig", config]
        self.server.start()
        self.webhook = Follower([EXAMPLE], {"KUBECONFIG": config})
        self.url = self.webhook.await_line("ready: ").split()[-1]
        self.webhook.await_line("END CERTIFICATE")
        self.count = 0

    def create(self, name, labels=None):
        return self.server.call("POST", MAPS, {"metadata": {"name": name, "labels": labels or {}}})

    def await_webhook(self):
        """Creates objects until the server has noticed the configuration."""
        while True:
            self.count += 1
            status, made = self.create(f"try-{self.count}")
            assert status == 201, made
            if made["metadata"].get("labels"):
                return

    def close(self):
        code = self.webhook.end()
        self.server.remove()
        assert code == 0, self.webhook.told()


def an_api_server_asks_the_webhook(program):
    world = World(program)
    try:
        for kind in "validating", "mutating":
            status, found = world.server.call(
                "GET", f"{CONFIGURATIONS}{kind}webhookconfigurations/frozen")
            assert status == 200, found
            assert found["webhooks"][0]["clientConfig"]["caBundle"], found
        world.await_webhook()
        status, made = world.create("a", {"frozen": "yes"})
        assert status == 201 and made["metadata"]["labels"] == {"frozen": "yes", "checked": "yes"}, made
        made["data"] = {"x": "y"}
        status, answer = world.server.call("PUT", MAPS + "/a", made)
        assert status == 403, answer
        assert answer["message"].startswith('admission webhook "frozen.example.com" denied the '
                                            "request: a is frozen: "), answer
    finally:
        world.close()


def curl(world, path, body=None, options=()):
    """The HTTP status and the text of one request."""
    command = ["curl", "-sS", "-k", "-o", "-", "-w", "\n%{http_code}", world.url + path, *options]
    if body is not None:
        command += ["-H", "Content-Type: application/json", "--data-binary", "@-"]
    done = subprocess.run(command, input=body, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    text, _, status = done.stdout.rpartition("\n")
    return int(status), text


def curl_gets_answers_and_refusals(program):
    if not shutil.which("curl"):
        return "curl is not installed"
    world = World(program)
    try:
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                  "request": {"uid": "u-1", "operation": "UPDATE", "name": "a",
                              "userInfo": {"username": "me"},
                              "oldObject": {"apiVersion": "v1", "kind": "ConfigMap",
                                            "metadata": {"name": "a", "labels": {"frozen": ""}}}}}
        status, text = curl(world, "/validate", json.dumps(review))
        assert status == 200, text
        assert json.loads(text)["response"] == {
            "uid": "u-1", "allowed": False,
            "status": {"code": 403, "message": "a is frozen: me must not change it"}}, text
        review["request"]["oldObject"]["metadata"]["labels"] = {}
        status, text = curl(world, "/validate", json.dumps(review), ["--http1.1"])
        assert json.loads(text)["response"] == {"uid": "u-1", "allowed": True}, text
        assert curl(world, "/validate", "{")[0] == 400
        assert curl(world, "/validate")[0] == 405
        assert curl(world, "/other", json.dumps(review))[0] == 404
        assert curl(world, "/validate", '"' + "x" * (4 << 20) + '"', ["--http1.1"])[0] == 413
    finally:
        world.close()
    return None


run_tests([an_api_server_asks_the_webhook, curl_gets_answers_and_refusals])
