#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server_test.py -- tests in Python with an API server of their own.

    server_test.py     needs the program listwatch in $PATH, or its path in $LISTWATCH"""

import json
import os
import subprocess
import tempfile
import unittest
import urllib.request


class ApiServer:
    """An API server for tests: in memory, on free ports, gone with the test."""

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory()
        self.kubeconfig = os.path.join(self.folder.name, "kubeconfig")
        program = os.environ.get("LISTWATCH", "listwatch")
        self.process = subprocess.Popen(
            [program, "serve", "--memory", "--listen", "127.0.0.1:0",
             "--insecure-listen", "127.0.0.1:0", "--kubeconfig", self.kubeconfig, *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()  # "ready: https://127.0.0.1:P http://127.0.0.1:Q"
        if not line.startswith("ready:"):
            self.stop()
            raise RuntimeError(f"{program} serve did not start: run it by hand to see why")
        _, self.https_url, self.http_url = line.split()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def call(self, method, path, body=None):
        """One request over plain HTTP, which needs no credentials."""
        request = urllib.request.Request(self.http_url + path, method=method,
                                         data=body and json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)


class ConfigMaps(unittest.TestCase):
    PATH = "/api/v1/namespaces/default/configmaps"

    def setUp(self):
        self.server = ApiServer()
        self.addCleanup(self.server.stop)

    def test_a_config_map_is_there_after_it_was_created(self):
        self.server.call("POST", self.PATH, {"metadata": {"name": "settings"},
                                             "data": {"theme": "dark"}})
        found = self.server.call("GET", self.PATH + "/settings")
        self.assertEqual(found["data"], {"theme": "dark"})

    def test_every_test_begins_with_an_empty_server(self):
        names = [item["metadata"]["name"] for item in self.server.call("GET", self.PATH)["items"]]
        self.assertNotIn("settings", names)

    def test_the_kubeconfig_names_the_server(self):
        with open(self.server.kubeconfig, encoding="utf-8") as file:
            self.assertIn(self.server.https_url, file.read())


if __name__ == "__main__":
    unittest.main()
