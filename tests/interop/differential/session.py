# SPDX-License-Identifier: Apache-2.0
"""session.py -- one server's side of a sequence: sends its steps, remembers what was said."""

import http.client
import json
import re
import ssl
from urllib.parse import quote

from differential.step import ANONYMOUS

PLACE = re.compile(r"\{\{(\w+)(?::([^}]+))?\}\}")
USER_AGENT = "differential/1"
HEADERS = ("Content-Type", "Warning", "Retry-After", "Cache-Control")
TIMEOUT_S = 90


class Answer:
    """Status, some headers, and the body: parsed, a list of events, or text."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body


class Session:
    def __init__(self, server, namespace):
        self.server = server
        self.namespace = namespace
        self.seen = {}      # by name: resourceVersion and uid
        self.objects = {}   # by path: the object
        self.cursor = ""    # continue of the last list
        self.connection = None

    def connect(self):
        trust = ssl.create_default_context(cafile=self.server.path("ca.crt"))
        return http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=TIMEOUT_S,
                                           context=trust)

    def filled(self, text, is_path=False):
        def fill(place):
            word, name = place.groups()
            if word == "ns":
                return self.namespace
            if word == "continue":
                return self.cursor
            value = self.seen.get(name, {}).get({"rv": "resourceVersion"}.get(word, word), "1")
            return quote(value) if is_path else value
        return PLACE.sub(fill, text)

    def body_of(self, step):
        if step.text is not None:
            return self.filled(step.text)
        if callable(step.body):
            return json.dumps(step.body(self.objects.get(step.object_path())))
        return None if step.body is None else self.filled(json.dumps(step.body))

    def send(self, step):
        """The answer to |step|; a connection that was closed meanwhile is made anew."""
        path, body = self.filled(step.path, is_path=True), self.body_of(step)
        headers = {"User-Agent": USER_AGENT, "Accept": step.accept or "application/json"}
        if step.user != ANONYMOUS:
            token = self.server.tokens[step.user] if step.user else self.server.token
            headers["Authorization"] = "Bearer " + token
        headers.update(step.headers)
        if body is not None:
            headers["Content-Type"] = step.kind
        for is_last in (False, True):
            is_new = self.connection is None
            self.connection = self.connection or self.connect()
            try:
                self.connection.request(step.method, path, body and body.encode(), headers)
                reply = self.connection.getresponse()
                return self.answer(step, reply, reply.read())
            except (OSError, http.client.HTTPException):
                self.close()
                if is_last or is_new:
                    raise

    def answer(self, step, reply, data):
        text = data.decode("utf-8", "replace")
        headers = {name: sorted(reply.headers.get_all(name)) for name in HEADERS
                   if name in reply.headers}
        if step.watch and reply.status == 200:
            events = [json.loads(line) for line in text.splitlines()]
            return Answer(reply.status, headers, events)
        try:
            body = json.loads(text)
        except ValueError:
            body = text
        if isinstance(body, dict) and reply.status < 300:
            self.remember(step, body)
            if step.method == "DELETE" and "dryRun" not in str(step):
                self.objects.pop(step.object_path(), None)
        return Answer(reply.status, headers, body)

    def remember(self, step, body):
        meta = body.get("metadata")
        if not isinstance(meta, dict) or "dryRun" in step.path:
            return
        if "items" in body or body.get("kind") == "Table":
            self.seen["list"] = meta
            self.cursor = meta.get("continue", "")
        elif "name" in meta and "resourceVersion" in meta and not step.accept:
            self.seen[meta["name"]] = meta
            self.objects[step.object_path()] = body

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None
