# SPDX-License-Identifier: Apache-2.0
"""normalise.py -- what differs between two servers that do the same: made equal where it is.

A uid becomes the name of its object, and which one of that name it was; addresses and ports become
numbers in the order in which they were first seen; times become <time>, the drawn end of a name
<drawn>.  What a dry run draws is no more than <new>.  A revision becomes its place among the revisions seen so far; that of a list,
the newest known one that is not newer, for a server may write on its own behalf in between."""

import base64
import bisect
import json
import re

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ADDRESS = re.compile(r"\b10\.96\.\d+\.\d+\b")
AGE = re.compile(r"^(\d+[smhdy])+$|^<invalid>$")
NODE_PORT = re.compile(r"(?<=:)(3[0-2]\d{3})(?=/)")  # in the column of ports
DRAWN = "bcdfghjklmnpqrstvwxz2456789"
RECORD = re.compile(r"(ResourceVersion in (?:record|the precondition) )\((\d+)\)")
CURRENT = re.compile(r"(current: |too old resource version: \d+ \()\d+")

UNORDERED = ("verbs", "resources")  # of discovery


def untimed(entry):
    """What managers are ordered by where their times are the same."""
    return [entry.get(key, "") for key in ("manager", "apiVersion", "subresource", "operation")]


class Numbers:
    """1, 2, 3 ... for values in the order they come."""

    def __init__(self, word):
        self.word = word
        self.numbers = {}

    def of(self, value, is_dry):
        if is_dry and value not in self.numbers:
            return "<new>"
        return f"<{self.word} {self.numbers.setdefault(value, len(self.numbers) + 1)}>"


class Normaliser:
    """Of one server, for one sequence."""

    def __init__(self, namespace):
        self.namespace = namespace
        self.uids = {}       # the text for each
        self.is_dry = False  # the answer is about a dry run
        self.addresses = Numbers("address")
        self.ports = Numbers("node port")
        self.stems = set()   # what names are drawn for
        self.revisions = []  # sorted

    def request(self, step):
        """Notes what |step| asks for that will be answered by chance."""
        body = step.body
        self.is_dry = "dryRun" in str(step)
        meta = body.get("metadata") if isinstance(body, dict) else None
        if isinstance(meta, dict) and meta.get("generateName"):
            self.stems.add(re.escape(meta["generateName"]))

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
        if meta["uid"] not in self.uids and not self.is_dry:
            name = self.text(meta.get("name", ""))
            count = 1 + sum(text.startswith(f"<uid of {name} ") for text in self.uids.values())
            self.uids[meta["uid"]] = f"<uid of {name} {count}>"
        revision = meta.get("resourceVersion", "")
        if revision.isdigit() and not self.is_dry:
            at = bisect.bisect_left(self.revisions, int(revision))
            if at == len(self.revisions) or self.revisions[at] != int(revision):
                self.revisions.insert(at, int(revision))

    def revision(self, text):
        if not str(text).isdigit():
            return text
        return f"<revision {bisect.bisect_right(self.revisions, int(text))}>"

    def value(self, value, key, parent):
        if isinstance(value, dict):
            return {self.text(name): self.value(item, name, value) for name, item in value.items()}
        if isinstance(value, list) and key == "managedFields":
            return self.managers(value)
        if isinstance(value, list):
            items = [self.value(item, key, parent) for item in value]
            # Of several who object to an apply, Go's map says who comes first.
            is_unordered = key in UNORDERED or "FieldManagerConflict" in str(value)
            return sorted(items, key=str) if is_unordered else items
        if key == "resourceVersion":
            return self.revision(value)
        if key in ("nodePort", "healthCheckNodePort") and value:
            return self.ports.of(value, self.is_dry)
        if key == "continue" and value:
            return self.token(value)
        if key == "cells" and isinstance(value, str) and AGE.match(value):
            return "<age>"
        if key == "cells" and isinstance(value, str):
            value = NODE_PORT.sub(lambda found: self.ports.of(int(found[1]), self.is_dry), value)
        return self.text(value) if isinstance(value, str) else value

    def managers(self, entries):
        """Whether they are in order is a matter of seconds that passed, which are each server's
        own: so it is judged here, and they are compared in an order without times."""
        is_ordered = entries == sorted(entries, key=lambda entry: (
            entry.get("operation"), entry.get("time", ""), *untimed(entry)))
        shown = [self.value(entry, None, None) for entry in entries]
        return sorted(shown, key=untimed) + ([] if is_ordered else ["<not in order>"])

    def token(self, text):
        try:
            token = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        except ValueError:
            return text
        # Where a list goes on is written from the namespace's slash on, or from behind it.
        return {**token, "start": token["start"].lstrip("/"),
                "rv": self.revision(token["rv"]) if token["rv"] > 0 else token["rv"]}

    def text(self, text):
        for stem in self.stems:
            text = re.sub(f"({stem})[{DRAWN}]{{5}}", r"\1<drawn>", text)
        text = UID.sub(lambda found: self.uids.get(found[0], "<new>"), text)
        text = ADDRESS.sub(lambda found: self.addresses.of(found[0], self.is_dry), text)
        text = RECORD.sub(lambda found: f"{found[1]}({self.revision(found[2])})", text)
        text = CURRENT.sub(lambda found: found[1] + "<revision>", text)
        return TIME.sub("<time>", text)
