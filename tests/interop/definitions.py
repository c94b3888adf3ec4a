#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""definitions.py -- public CustomResourceDefinitions, from Go modules, created on `listwatch serve`:
a part of `make interop`.

    definitions.py --build FOLDER --interop FOLDER [WORD...]   the program; unused; words of the
                                                               checks to run

kube-apiserver accepts all of them.  Each is created in a dry run and for real, established, and
deleted.  Prints TAP, one line per module; the last line counts.  A module that cannot be downloaded
is skipped, and the line says why."""

import json
import re
import shutil

from corpus.modules import DEFINITIONS, MODULES, documents, download
from listwatch_serve import ListwatchServe
from program import Skip, note, wait_until
from scenes import Count, arguments, parser, skip_all

ESTABLISHED_S = 30


def is_established(definition):
    return any(condition["type"] == "Established" and condition["status"] == "True"
               for condition in definition.get("status", {}).get("conditions") or [])


def create(server, text):
    """Creates one definition and deletes it again.  Returns what the server said against it."""
    for query in ("?dryRun=All", ""):
        status, said = server.request("POST", DEFINITIONS + query, text, "application/yaml")
        if status != 201:
            return f"{status} {json.loads(said).get('message', said)}"
    path = f"{DEFINITIONS}/{json.loads(said)['metadata']['name']}"
    wait_until(lambda: is_established(server.call("GET", path)), ESTABLISHED_S, f"{path} established")
    server.call("DELETE", path)
    wait_until(lambda: server.request("GET", path)[0] == 404, ESTABLISHED_S, f"{path} deleted")
    return None


class Scene:
    """The server that all are created on."""

    def __init__(self, program):
        self.server = ListwatchServe(program)

    def run(self, check):
        check(self.server)


def check_of(module, pattern):
    def check(server):
        count, refused = 0, []
        for path, text in documents(download(module), pattern):
            if "{{" in text or re.search(r"^  group: \"\"$", text, re.MULTILINE):
                # A template, or not finished: corpus/checks.py sees that both servers refuse it.
                continue
            said = create(server, text)
            count += 1
            if said:
                refused.append(f"{path}: {said}")
        if not count:
            raise Skip("each of its definitions is a template")
        note(f"{module}: {count - len(refused)} of {count} definitions created")
        assert not refused, "\n".join(refused)
    return check


def main():
    options = arguments(parser(__doc__))
    named = [(f"listwatch serve: definitions of {title}", check_of(module, pattern))
             for title, module, pattern in MODULES]
    chosen = [(name, check) for name, check in named
              if not options.only or any(word in name for word in options.only)]
    if not chosen:
        return
    if not shutil.which("go"):
        skip_all("there is no go in PATH to download modules with")
    scene, count = Scene(options.build / "listwatch"), Count()
    try:
        for name, check in chosen:
            count.run(scene, check, name)
    finally:
        scene.server.remove()
    count.end()


if __name__ == "__main__":
    main()
