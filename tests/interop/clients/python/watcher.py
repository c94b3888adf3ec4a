# SPDX-License-Identifier: Apache-2.0
"""watcher.py -- the watch of the Python client on config maps, on the server that KUBECONFIG names.

Says "ready" when its cache is filled; answers each line of standard input with what the cache
holds, {"namespace/name":"resourceVersion"}; ends with it."""

import json
import sys
import threading
import time

from kubernetes import client, config, watch
from urllib3.exceptions import HTTPError

PAUSE_S = 0.2  # before a server that was not there is asked again


class Cache:
    """List, then watch from there; list again when the server has forgotten, or was gone."""

    def __init__(self):
        self.api = client.CoreV1Api()
        self.lock = threading.Lock()
        self.held = {}  # lock
        self.is_filled = threading.Event()

    def replace(self):
        """The revision of the list that is held now."""
        found = self.api.list_config_map_for_all_namespaces()
        with self.lock:
            self.held = {self.key(item): item.metadata.resource_version for item in found.items}
        self.is_filled.set()
        return found.metadata.resource_version

    def follow(self, revision):
        """Until the server ends the watch, or says that it cannot go on."""
        events = watch.Watch().stream(self.api.list_config_map_for_all_namespaces,
                                      resource_version=revision, allow_watch_bookmarks=True,
                                      timeout_seconds=300)
        for event in events:
            if event["type"] == "BOOKMARK":
                continue
            with self.lock:
                if event["type"] == "DELETED":
                    self.held.pop(self.key(event["object"]), None)
                else:
                    self.held[self.key(event["object"])] = event["object"].metadata.resource_version

    def run(self):
        while True:
            try:
                self.follow(self.replace())
            except (client.ApiException, HTTPError) as trouble:
                print("watcher:", trouble, file=sys.stderr)
                time.sleep(PAUSE_S)

    @staticmethod
    def key(item):
        return f"{item.metadata.namespace}/{item.metadata.name}"


def main():
    config.load_kube_config()
    cache = Cache()
    threading.Thread(target=cache.run, daemon=True).start()
    cache.is_filled.wait()
    print("ready", flush=True)
    for _ in sys.stdin:
        with cache.lock:
            print(json.dumps(cache.held), flush=True)


main()
