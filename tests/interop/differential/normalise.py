# SPDX-License-Identifier: Apache-2.0
"""normalise.py -- what differs between two servers that do the same: made equal where it is.

uids, addresses, ports and drawn names become numbers in the order in which they were first seen;
times become <time>.  A revision becomes its place among the revisions seen so far; that of a list,
the newest known one that is not newer, for a server may write on its own behalf in between."""

import base64
import bisect
import json
import re

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ADDRESS = re.compile(r"\b10\.96\.\d+\.\d+\b")
AGE = re.compile(r"^(\d+[smhdy])+$|^<invalid>$")
CURRENT = re.compile(r"(current: |too old resource version: \d+ \()\d+")

# Server-side apply comes to us by another way; until then nobody keeps book.
COMPARES_MANAGED_FIELDS = False


class Numbers:
    """1, 2, 3 ... for values in the order they come."""

    def __init__(self, word):
        self.word = word
        self.numbers = {}

    def of(self, value):
        return f"<{self.word} {self.numbers.setdefault(value, len(self.numbers) + 1)}>"


class Normaliser:
    """Of one server, for one sequence."""

    def __init__(self, namespace):
        self.namespace = namespace
        self.uids = Numbers("uid")
        self.addresses = Numbers("address")
        self.ports = Numbers("node port")
        self.drawn = Numbers("drawn name")
        self.revisions = []  # sorted

    def body(self, body):
        self.learn(body)
        return self.value(body, None, None)

    def learn(self, value):
        """Notes what is new in |value| before anything is told in numbers."""
        if isinstance(value, list):
            for item in value:
                self.learn(item)
        if not isinstance(value, dict):
            return
        meta = value.get("metadata")
        if isinstance(meta, dict) and "uid" in meta:
            self.learn_object(meta)
        for item in value.values():
            self.learn(item)

    def learn_object(self, meta):
        revision = meta.get("resourceVersion", "")
        if revision.isdigit():
            at = bisect.bisect_left(self.revisions, int(revision))
            if at == len(self.revisions) or self.revisions[at] != int(revision):
                self.revisions.insert(at, int(revision))
        stem, name = meta.get("generateName"), meta.get("name", "")
        if stem and name.startswith(stem) and len(name) == len(stem) + 5:
            self.drawn.of(name)

    def revision(self, text):
        if not str(text).isdigit():
            return text
        return f"<revision {bisect.bisect_right(self.revisions, int(text))}>"

    def value(self, value, key, parent):
        if isinstance(value, dict):
            return {self.text(name): self.value(item, name, value) for name, item in value.items()
                    if COMPARES_MANAGED_FIELDS or name != "managedFields"}
        if isinstance(value, list):
            return [self.value(item, key, parent) for item in value]
        if key == "resourceVersion":
            return self.revision(value)
        if key in ("nodePort", "healthCheckNodePort") and value:
            return self.ports.of(value)
        if key == "continue" and value:
            return self.token(value)
        if key == "cells" and isinstance(value, str) and AGE.match(value):
            return "<age>"
        return self.text(value) if isinstance(value, str) else value

    def token(self, text):
        try:
            token = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        except ValueError:
            return text
        return {**token, "rv": self.revision(token["rv"]) if token["rv"] > 0 else token["rv"]}

    def text(self, text):
        for name in self.drawn.numbers:
            if name in text:
                text = text.replace(name, self.drawn.of(name))
        text = UID.sub(lambda found: self.uids.of(found[0]), text)
        text = ADDRESS.sub(lambda found: self.addresses.of(found[0]), text)
        text = CURRENT.sub(lambda found: found[1] + "<revision>", text)
        return TIME.sub("<time>", text)
