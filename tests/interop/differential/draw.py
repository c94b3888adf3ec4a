# SPDX-License-Identifier: Apache-2.0
"""draw.py -- sequences of requests, drawn from a seed: a few objects of a few kinds are made,
changed in every way there is, listed, deleted and made again; in the end watches tell the story."""

import random

from differential.kinds import KINDS
from differential.step import (Step, apply, changed, delete, get, json_patch, merge, merged, post, put,
                               strategic, watch)

NAMES = ("ada", "bob", "eve")
OPTIONS = ["", "", "", "", "?dryRun=All", "?fieldManager=me", "?fieldManager=you"]
APPLY_OPTIONS = ["?fieldManager=me", "?fieldManager=you", "?fieldManager=me&force=1",
                 "?fieldManager=you&force=1", "?fieldManager=us&dryRun=All", ""]
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


# They are written there once more when the first update changes nothing: defaults that came with
# reading are not stored yet.  So the first update changes something.
UNSETTLED = ("PersistentVolumeClaim", "Job")


def settle(kind, name, number):
    return merge(f"{kind.path}/{name}", {"metadata": {"annotations": {"settled": str(number)}}})


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


def draw_apply(dice, kind, name):
    body = kind.document(name)
    for _ in range(dice.randint(0, 2)):
        body = merged(body, dice.choice(kind.changes + LABELS))
    return apply(f"{kind.path}/{name}{dice.choice(APPLY_OPTIONS)}", body)


def draw_scale(dice, path, name):
    number = dice.randint(-9, 99)
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": name},
             "spec": {"replicas": number}}
    return dice.choice([
        get(path + "/scale"), merge(path + "/scale", {"spec": {"replicas": number}}),
        put(path + "/scale", scale), merge(path + "/scale?fieldManager=me", {"spec": {
            "replicas": number}}), apply(path + "/scale?fieldManager=you&force=1", scale)])


def draw_patch(dice, kind, name):
    return json_patch(f"{kind.path}/{name}", *dice.choice(PATCHES))


def draw_subresource(dice, kind, name):
    path = f"{kind.path}/{name}"
    if kind.has_scale and dice.random() < 0.5:
        return draw_scale(dice, path, name)
    if kind.status:
        return dice.choice([get(path + "/status"), merge(path + "/status", kind.status),
                            merge(path + "/status?fieldManager=you", kind.status),
                            apply(path + "/status?fieldManager=me&force=1",
                                  merged(kind.document(name), {"spec": None, **kind.status})),
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


WAYS = ([draw_create] * 5 + [draw_change] * 8 + [draw_apply] * 3 + [draw_patch] * 2 + [draw_subresource] * 2
        + [draw_read] * 4 + [draw_delete] * 2)


def draw(seed, count):
    """|count| steps about three kinds, then what watches of them tell."""
    dice = random.Random(seed)
    kinds = dice.sample(KINDS, 3)
    for number in range(count):
        kind, name, way = dice.choice(kinds), dice.choice(NAMES), dice.choice(WAYS)
        yield way(dice, kind, name)
        if kind.kind in UNSETTLED and way in (draw_create, draw_apply):
            yield settle(kind, name, number)
    for kind in kinds:
        yield watch(kind.path, "resourceVersion={{rv:start}}")
        yield watch(kind.path, "resourceVersion={{rv:start}}&labelSelector=tier%3Dx")
        yield watch(kind.path, "allowWatchBookmarks=1&sendInitialEvents=1"
                    "&resourceVersionMatch=NotOlderThan")
