# SPDX-License-Identifier: Apache-2.0
"""kubectl.py -- Debian's kubectl for tests in Python, from the folder that is the second argument;
and waiting for objects to be as they should."""

import os
import subprocess
import sys
import time

from serving import Watch

PATIENCE = 60


def kubectl_path():
    script = os.path.join(os.path.dirname(__file__), "../../tools/kubectl.sh")
    found = subprocess.run(["sh", script, "path", sys.argv[2]], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


KUBECTL = kubectl_path()


def kubectl(server, *words, stdin=None, fails=False):
    done = subprocess.run([KUBECTL, "-s", server.url(), *words], input=stdin, text=True,
                          capture_output=True, timeout=PATIENCE, env={"HOME": server.folder})
    assert (done.returncode != 0) == fails, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def wait_for(server, path, holds):
    """Watches |path| until |holds| of the objects there, by name; returns them."""
    end = time.monotonic() + PATIENCE
    _, listed = server.call("GET", path)
    objects = {item["metadata"]["name"]: item for item in listed["items"]}
    watch = Watch(server, f"{path}?watch=1&resourceVersion={listed['metadata']['resourceVersion']}",
                  timeout=PATIENCE)
    try:
        while not holds(objects):
            event = next(watch)
            assert time.monotonic() < end, f"{path} did not come to it: {list(objects)}"
            name = event["object"]["metadata"]["name"]
            if event["type"] == "DELETED":
                objects.pop(name, None)
            else:
                objects[name] = event["object"]
    finally:
        watch.close()
    return objects
