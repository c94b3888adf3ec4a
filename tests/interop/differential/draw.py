# SPDX-License-Identifier: Apache-2.0
"""draw.py -- sequences of requests, drawn from a seed: a few objects of a few kinds are made,
changed in every way there is, listed, deleted and made again; in the end watches tell the story."""

import random

from differential.kinds import KINDS
from differential.step import (Step, changed, delete, get, json_patch, merge, merged, post, put,
                               strategic, watch)

NAMES = ("ada", "bob", "eve")
OPTIONS = ["", "", "", "", "?dryRun=All", "?fieldManager=me"]
SELECTORS = ["labelSelector=tier%3Dx", "labelSelector=tier", "labelSelector=!tier",
             "labelSelector=tier%20in%20(x,y)", "labelSelector=tier%3D%3D%3D",
             "fieldSelector=metadata.name%3Dada", "fieldSelector=metadata.name!%3Dada",
             "fieldSelector=spec.color%3Dred"]
LISTS = ["limit=1", "limit=2&continue={{continue}}", "resourceVersion=0", "limit=500",
         "resourceVersion={{rv:ada}}", "resourceVersion={{rv:ada}}&resourceVersionMatch=Exact",
         "resourceVersion={{rv:ada}}&resourceVersionMatch=NotOlderThan&limit=1",
         "resourceVersionMatch=Exact", "resourceVersion=x", "limit=-1", "limit=x",
         "continue=nonsense", "resourceVersion=0&resourceVersionMatch=Exact"]
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
PARTIAL = "application/json;as=PartialObjectMetadata{};g=meta.k8s.io;v=v1"
PATCHES = [
    [{"op": "add", "path": "/metadata/labels", "value": {"tier": "x"}}],
    [{"op": "add", "path": "/metadata/annotations", "value": {"by": "patch"}}],
    [{"op": "replace", "path": "/metadata/labels/tier", "value": "y"}],
    [{"op": "test", "path": "/metadata/name", "value": "nobody"}],
    [{"op": "remove", "path": "/metadata/labels"}],
    [{"op": "remove", "path": "/not/there"}],
    [{"op": "copy", "from": "/metadata/name", "path": "/metadata/annotations/name"}],
    [{"op": "replace", "path": "/metadata/name", "value": "other"}],
    [{"op": "jump", "path": "/metadata"}],
    [{"op": "add", "path": "/metadata/finalizers", "value": ["example.com/hold"]}],
    [{"op": "remove", "path": "/metadata/finalizers"}],
]
DELETIONS = [None, {"propagationPolicy": "Background"}, {"gracePeriodSeconds": 0},
             {"preconditions": {"uid": "someone-else"}},
             {"preconditions": {"resourceVersion": "{{rv:ada}}"}}, {"dryRun": ["All"]},
             {"dryRun": ["Some"]}, {"propagationPolicy": "Upward"}, {"gracePeriodSeconds": 5}]
LABELS = [{"metadata": {"labels": {"tier": "x"}}}, {"metadata": {"labels": {"tier": "y"}}},
          {"metadata": {"labels": {"tier": None}}}]


# Claims and jobs are written there also when nothing changes, a pod once more before it goes, and
# services have ports of nodes: what follows would be about that.  All have cases of their own.
NOT_DRAWN = ("PersistentVolumeClaim", "Job", "Pod", "Service")
DRAWN = [kind for kind in KINDS if kind.kind not in NOT_DRAWN]


def draw_create(dice, kind, name):
    body = kind.document(name)
    if dice.random() < 0.7:
        body = merged(body, dice.choice(kind.changes))
    if dice.random() < 0.2 and kind.faults:
        body = merged(body, dice.choice(kind.faults))
    return post(kind.path + dice.choice(OPTIONS), body)


def draw_change(dice, kind, name):
    path = f"{kind.path}/{name}{dice.choice(OPTIONS)}"
    wanted = dice.choice(kind.faults if kind.faults and dice.random() < 0.25
                         else kind.changes + LABELS)
    way = dice.choice([merge, strategic, put, put])
    if way is put:
        return put(path, changed(wanted))
    return (merge if kind.is_custom() else way)(path, wanted)


def draw_patch(dice, kind, name):
    return json_patch(f"{kind.path}/{name}", *dice.choice(PATCHES))


def draw_subresource(dice, kind, name):
    path = f"{kind.path}/{name}"
    if kind.has_scale and dice.random() < 0.5:
        return dice.choice([get(path + "/scale"),
                            merge(path + "/scale", {"spec": {"replicas": dice.randint(-9, 99)}})])
    if kind.status:
        return dice.choice([get(path + "/status"), merge(path + "/status", kind.status),
                            merge(path + "/status", {"spec": {"replicas": 9}, **kind.status})])
    return get(path + "/nonsense")


def draw_read(dice, kind, name):
    way = dice.randrange(6)
    if way == 0:
        return get(f"{kind.path}/{name}")
    if way == 1:
        return get(f"{kind.path}/{name}", dice.choice([TABLE, PARTIAL.format("")]))
    if way == 2:
        return get(kind.path, dice.choice([TABLE, PARTIAL.format("List")]))
    if way == 3:
        return get(f"{kind.path}?{dice.choice(SELECTORS)}")
    return get(f"{kind.path}?{dice.choice(LISTS)}")


def draw_delete(dice, kind, name):
    """Jobs are not left to who would orphan their pods."""
    default = {"propagationPolicy": "Background"} if kind.kind == "Job" else {}
    if dice.random() < 0.1:
        return Step("DELETE", kind.path + "?labelSelector=tier%3Dx", default or None)
    options = dice.choice(DELETIONS)
    return delete(f"{kind.path}/{name}", {**default, **(options or {})} or options)


WAYS = ([draw_create] * 5 + [draw_change] * 8 + [draw_patch] * 2 + [draw_subresource] * 2
        + [draw_read] * 4 + [draw_delete] * 2)


def draw(seed, count):
    """|count| steps about three kinds, then what watches of them tell."""
    dice = random.Random(seed)
    kinds = dice.sample(DRAWN, 3)
    for _ in range(count):
        kind = dice.choice(kinds)
        yield dice.choice(WAYS)(dice, kind, dice.choice(NAMES))
    for kind in kinds:
        yield watch(kind.path, "resourceVersion={{rv:start}}")
        yield watch(kind.path, "resourceVersion={{rv:start}}&labelSelector=tier%3Dx")
        yield watch(kind.path, "allowWatchBookmarks=1&sendInitialEvents=1"
                    "&resourceVersionMatch=NotOlderThan")
