# SPDX-License-Identifier: Apache-2.0
"""step.py -- one request that is put to both servers, and how it is written down.

A step may speak of what the server said before: {{rv:NAME}} and {{uid:NAME}} are those of the
object NAME as it was last seen, {{rv:list}} and {{continue}} those of the last list, {{ns}} is the
namespace of the sequence.  Each server's session fills in its own."""

import copy
import json

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
ANONYMOUS = "anonymous"


class Step:
    """A body that is a function makes the body from the object as it was last seen at the path."""

    def __init__(self, method, path, body=None, kind=JSON, accept=None, text=None, watch=False,
                 user=None, headers=()):
        self.method = method
        self.path = path
        self.body = body
        self.kind = kind
        self.accept = accept
        self.text = text  # the body as it is, where it is no JSON
        self.watch = watch
        self.user = user  # one of the server's tokens; ANONYMOUS: none; None: the administrator
        self.headers = dict(headers)

    def __str__(self):
        words = ([self.user + ":"] if self.user else []) + [self.method, self.path]
        if self.headers:
            words.append(str(self.headers))
        if self.kind != JSON:
            words.append(f"({self.kind})")
        if self.accept:
            words.append(f"(accept {self.accept})")
        if callable(self.body):
            words.append(f"<the object, changed by {self.body.__name__}>")
        elif self.text is not None:
            words.append(self.text[:500])
        elif self.body is not None:
            words.append(json.dumps(self.body))
        return " ".join(words)

    def object_path(self):
        """What it is about: the path without parameters; of what it makes, where that will be."""
        path = self.path.partition("?")[0]
        if self.method == "POST" and isinstance(self.body, dict):
            meta = self.body.get("metadata")
            name = meta.get("name") if isinstance(meta, dict) else None
            return f"{path}/{name}" if name else path
        return path


def get(path, accept=None):
    return Step("GET", path, accept=accept)


def post(path, body):
    return Step("POST", path, body)


def put(path, body):
    return Step("PUT", path, body)


def delete(path, body=None):
    return Step("DELETE", path, body)


def merge(path, body):
    return Step("PATCH", path, body, MERGE)


def strategic(path, body):
    return Step("PATCH", path, body, STRATEGIC)


def json_patch(path, *operations):
    return Step("PATCH", path, list(operations), JSON_PATCH)


def apply(path, body):
    return Step("PATCH", path, body, APPLY)


def watch(path, parameters="", accept=None, seconds=1):
    """What a watch tells until its time is over."""
    mark = "&" if "?" in path else "?"
    parameters = parameters and "&" + parameters
    return Step("GET", f"{path}{mark}watch=1&timeoutSeconds={seconds}{parameters}", accept=accept,
                watch=True)


def by(user, step, headers=()):
    """The same request as another user, maybe with more headers."""
    step = copy.copy(step)
    step.user, step.headers = user, {**step.headers, **dict(headers)}
    return step


def merged(old, patch):
    """|old| with a merge patch applied (RFC 7386)."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    new = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        else:
            new[key] = merged(new.get(key), value)
    return new


def changed(patch):
    """For PUT: the object as it was last seen, with a merge patch applied."""
    def change(old):
        return merged(old or {}, patch)
    change.__name__ = json.dumps(patch)
    return change
