# SPDX-License-Identifier: Apache-2.0
"""compare.py -- puts a sequence of steps to both servers and tells where their answers differ.

A difference is told with what it takes to see it again: the requests so far about that object, and
what kube-apiserver (-) and listwatch (+) say otherwise.  After one that is stored, the object and
its collection are left alone for the rest of the sequence: what follows from it is no news."""

import json
from concurrent.futures import ThreadPoolExecutor

from differential.excuses import EXCUSES
from differential.normalise import Normaliser
from differential.session import Session
from differential.step import get, post

SHOWN_MAX = 1000  # characters of a value
NAMESPACES = "/api/v1/namespaces"


def leaves(real, ours, path="", missing="(nothing)"):
    """(path, what kube-apiserver has, what listwatch has) wherever they differ."""
    if isinstance(real, dict) and isinstance(ours, dict):
        for key in sorted(set(real) | set(ours)):
            yield from leaves(real.get(key, missing), ours.get(key, missing), f"{path}.{key}")
    elif isinstance(real, list) and isinstance(ours, list) and len(real) == len(ours):
        for at, (one, other) in enumerate(zip(real, ours)):
            yield from leaves(one, other, f"{path}[{at}]")
    elif real != ours or type(real) is not type(ours):
        yield path, real, ours


def shown(value):
    text = value if value == "(nothing)" else json.dumps(value)
    return text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "..."


class Sequence:
    """Steps in a namespace of their own, of the same name at both servers."""

    def __init__(self, pair, namespace):
        self.namespace = namespace
        self.sides = [(Session(server, namespace), Normaliser(namespace)) for server in pair]
        self.past = []  # the steps that changed something
        self.left_alone = set()
        self.differences = []
        self.compared = 0
        self.pool = ThreadPoolExecutor(2)
        self.both(post(NAMESPACES, {"metadata": {"name": namespace}}))
        self.both(get(f"{NAMESPACES}/{namespace}/configmaps"))
        for session, _ in self.sides:
            session.seen["start"] = session.seen.get("list", {})

    def both(self, step):
        """The two answers, normalised."""
        def ask(side):
            session, normaliser = side
            normaliser.request(step)
            answer = session.send(step)
            return {"status": answer.status, "headers": normaliser.body(answer.headers),
                    "body": normaliser.body(answer.body)}
        return list(self.pool.map(ask, self.sides))

    def run(self, step):
        about = step.object_path()
        if self.is_left_alone(about) or str(step) in self.left_alone:
            return
        real, ours = self.both(step)
        self.compared += 1
        is_stored = (step.method != "GET" and min(real["status"], ours["status"]) < 400
                     and "dryRun" not in str(step))
        if real != ours and not is_excused(step, real, ours):
            self.differences.append(self.told(step, about, *stripped(step, real, ours)))
            self.left_alone.add(about if is_stored else str(step))
        if is_stored:
            self.past.append(step)

    def is_left_alone(self, about):
        return any(about == path or about.startswith(path + "/") or path.startswith(about + "/")
                   for path in self.left_alone)

    def told(self, step, about, real, ours):
        lines = [f"      {earlier}" for earlier in self.past
                 if (about + "/").startswith(earlier.object_path() + "/")]
        lines.append(f"    > {step}")
        for path, one, other in leaves(real, ours):
            lines += [f"    - {path or '.'}: {shown(one)}", f"    + {path or '.'}: {shown(other)}"]
        return "\n".join(lines)

    def end(self):
        for session, _ in self.sides:
            session.close()
        self.pool.shutdown()


def stripped(step, real, ours):
    for excuse in EXCUSES:
        if excuse.strip:
            pair = excuse.strip(step, real), excuse.strip(step, ours)
            excuse.is_used |= pair != (real, ours)
            real, ours = pair
    return real, ours


def is_excused(step, real, ours):
    """Whether all that differs is in the table."""
    real, ours = stripped(step, real, ours)
    if real == ours:
        return True
    for excuse in EXCUSES:
        if excuse.covers and excuse.covers(step, real, ours):
            excuse.is_used = True
            return True
    return False
