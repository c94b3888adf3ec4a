# SPDX-License-Identifier: Apache-2.0
"""cases_apply.py -- server-side apply, and who manages what after several have written."""

from differential.crd import GADGETS
from differential.kinds import core, grouped
from differential.step import apply, get, json_patch, merge, post, put

MAPS = core("configmaps")
DEPLOYMENTS = grouped("apps/v1", "deployments")
VERSIONS = {"ConfigMap": "v1", "Service": "v1", "Pod": "v1", "Deployment": "apps/v1",
            "Gadget": "differential.example/v1", "Scale": "autoscaling/v1"}


def config(kind, name, **more):
    return {"apiVersion": VERSIONS[kind], "kind": kind, "metadata": {"name": name}, **more}


def by(manager, force=False):
    return f"?fieldManager={manager}" + ("&force=1" if force else "")


def applies():
    a = MAPS + "/a"

    def data(**values):
        return config("ConfigMap", "a", data=values)
    return [
        apply(a + by("one"), data(x="1", y="1")), apply(a + by("one"), data(x="1", y="1")),
        apply(a + by("two"), data(x="1")), apply(a + by("two"), data(x="2")),
        apply(a + by("two", True), data(x="2")), apply(a + by("one"), data(y="1")),
        apply(a, data(x="3")), merge(a + by("three"), {"data": {"y": "3"}}),
        apply(a + by("one"), data(y="1")), apply(a + by("one"), data()), get(a),
        apply(a + by("one"), config("ConfigMap", "a", dtaa={})),
        apply(a + by("one"), config("ConfigMap", "b")), apply(a + by("one"), config("Pod", "a")),
        apply(a + by("one"), {"metadata": {"name": "a", "managedFields": []}}),
        apply(MAPS + "/new" + by("one"), config("ConfigMap", "new")),
        json_patch(a + by("four"), {"op": "remove", "path": "/data"}),
        put(a + by("five"), {**data(z="1"), "metadata": {"name": "a", "managedFields": [{}]}}),
        apply(a + by("one"), data(z="1")), get(a),
    ]


def applies_to_services():
    s = core("services/s")

    def ports(*ports, **spec):
        return config("Service", "s", spec={"ports": list(ports), **spec})
    web, dns = {"name": "web", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"}
    return [
        apply(s + by("one"), ports(web)), apply(s + by("two"), ports(dns, type="NodePort")),
        apply(s + by("two"), ports(dns)), apply(s + by("one"), ports({**web, "port": 81})),
        apply(s + by("one"), ports({**web, "nodePort": 30099}, type="NodePort")), get(s),
        merge(s + by("three"), {"spec": {"type": "LoadBalancer"}}), get(s),
        merge(s + by("three"), {"spec": {"type": "ExternalName", "externalName": "a.b"}}), get(s),
    ]


def applies_to_scales():
    d, g = DEPLOYMENTS + "/d", GADGETS + "/g"

    def scale(name, **spec):
        return config("Scale", name, spec=spec)
    return [
        post(DEPLOYMENTS, config("Deployment", "d", spec={
            "replicas": 2, "selector": {"matchLabels": {"app": "a"}}, "template": {
                "metadata": {"labels": {"app": "a"}}, "spec": {
                    "containers": [{"name": "main", "image": "nginx:1.25"}]}}})),
        apply(d + "/scale" + by("one"), scale("d", replicas=3)),
        apply(d + "/scale" + by("one", True), scale("d", replicas=3)), get(d),
        apply(d + "/scale" + by("one"), scale("d", replicas=4)), get(d),
        apply(d + "/scale" + by("two"), scale("d", replicas=5)),
        apply(d + "/scale" + by("two"), scale("d", replicas=4)), get(d),
        apply(d + "/scale" + by("two", True), scale("d", replicas=6)), get(d),
        apply(d + "/scale", scale("d", replicas=6)),
        apply(d + "/scale" + by("two"), scale("d", replicas=-6)),
        apply(d + "/scale" + by("two"), scale("d", copies=6)),
        apply(d + "/scale" + by("two"), scale("x", replicas=6)),
        apply(d + "/scale" + by("two"), config("Deployment", "d", spec={"replicas": 6})),
        apply(DEPLOYMENTS + "/nope/scale" + by("two"), scale("nope", replicas=6)),
        merge(d + "/scale" + by("three"), {"spec": {"replicas": 7}}), get(d),
        apply(d + "/scale" + by("two"), scale("d", replicas=6)),
        merge(d + by("four"), {"spec": {"replicas": 8}}), get(d),
        post(GADGETS, config("Gadget", "g", spec={"size": 2, "replicas": 1})),
        apply(g + "/scale" + by("one", True) + "&dryRun=All", scale("g", replicas=3)),
        apply(g + "/scale" + by("two"), scale("g", replicas=4)),
    ]


def applies_to_statuses():
    d = DEPLOYMENTS + "/d"

    def status(**status):
        return config("Deployment", "d", status=status)
    return [
        apply(d + by("one"), config("Deployment", "d", spec={
            "selector": {"matchLabels": {"app": "a"}}, "template": {
                "metadata": {"labels": {"app": "a"}}, "spec": {
                    "containers": [{"name": "main", "image": "nginx:1.25"}]}}})),
        apply(d + "/status" + by("two"), status(replicas=1)),
        apply(d + "/status" + by("three"), status(replicas=2)),
        apply(d + "/status" + by("three", True), status(replicas=2)),
        apply(d + "/status" + by("one"), status(conditions=[
            {"type": "Available", "status": "True"}])), get(d),
    ]


APPLY_CASES = [applies, applies_to_services, applies_to_scales, applies_to_statuses]
