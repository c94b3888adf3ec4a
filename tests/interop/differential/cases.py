# SPDX-License-Identifier: Apache-2.0
"""cases.py -- the edges that users meet, written down by hand; each is a namespace of its own."""

from differential.cases_access import ACCESS_CASES
from differential.cases_apply import APPLY_CASES
from differential.cases_kinds import KIND_CASES
from differential.cases_status import STATUS_CASES
from differential.crd import DEFINITIONS, GADGETS
from differential.kinds import core, grouped
from differential.step import (JSON, MERGE, STRATEGIC, Step, changed, delete, get, json_patch,
                               merge, post, put, strategic, watch)

MAPS = core("configmaps")
PODS = core("pods")
DEPLOYMENTS = grouped("apps/v1", "deployments")
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


def config_map(name, **more):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **more}


def labelled(name, **labels):
    return {**config_map(name), "metadata": {"name": name, "labels": labels}}


def pod(name, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "containers": [{"name": "main", "image": "nginx:1.25"}], **spec}}


def deployment(name):
    return {"metadata": {"name": name}, "spec": {
        "replicas": 2, "selector": {"matchLabels": {"app": "a"}}, "template": {
            "metadata": {"labels": {"app": "a"}}, "spec": {
                "containers": [{"name": "main", "image": "nginx:1.25"}]}}}}


def what_is_not_there():
    return [
        get(MAPS + "/nope"), put(MAPS + "/nope", config_map("nope")), merge(MAPS + "/nope", {}),
        json_patch(MAPS + "/nope"), delete(MAPS + "/nope"), get(MAPS + "/nope/status"),
        get(DEPLOYMENTS + "/nope/scale"), merge(DEPLOYMENTS + "/nope/scale", {"spec": {}}),
        merge(DEPLOYMENTS + "/nope/status", {"status": {}}), get(GADGETS + "/nope"),
        get(GADGETS + "/nope/scale"), get(GADGETS + "/nope/status"), get(GADGETS + "/nope/other"),
        post("/api/v1/namespaces/missing/configmaps", config_map("a")),
        put("/api/v1/namespaces/missing/configmaps/a", config_map("a")),
        delete("/api/v1/namespaces/missing/configmaps/a"),
        get("/api/v1/namespaces/missing/configmaps"), get("/api/v1/namespaces/missing"),
        get("/api/v1/nothings"), get("/api/v2/pods"), get("/apis/none.example/v1/things"),
        get("/apis/apps/v1/nothings"), get("/apis/apps/v9"), get("/apis/none"), get("/nothing"),
        get("/api/v1/configmaps/nope"), get("/api/v1/namespaces/{{ns}}/nodes"),
        get(core("nothings")), get("/api/v1/nodes/nope"), delete("/api/v1/nodes/nope"),
        delete("/api/v1/namespaces/nope"), get(PODS + "/nope/log"), post(PODS + "/nope/eviction", {}),
    ]


def methods_that_are_not_allowed():
    return [
        Step("PUT", MAPS, config_map("a")), Step("PATCH", MAPS, {}, MERGE),
        Step("POST", MAPS + "/a", config_map("a")), Step("POST", "/api/v1/configmaps", {}),
        Step("DELETE", "/api/v1/configmaps"), Step("DELETE", "/api/v1/namespaces"),
        Step("POST", "/api/v1", {}), Step("PUT", "/api", {}), Step("FETCH", MAPS),
        Step("DELETE", DEPLOYMENTS + "/a/scale"), Step("POST", DEPLOYMENTS + "/a/status", {}),
        Step("OPTIONS", MAPS),
    ]


def bodies_that_cannot_be_read():
    a = MAPS + "/a"
    steps = [post(MAPS, config_map("a"))]
    for text in ("", "{", "[]", "5", "null", '"text"', "{}", '{"metadata":{}}', '{"kind":5}',
                 '{"kind":"ConfigMap"}', '{"apiVersion":"v1"}', '{"metadata":5}',
                 '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
                 '{"apiVersion":"apps/v1","kind":"ConfigMap","metadata":{"name":"a"}}',
                 '{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"a"}}',
                 '{"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"a"}}',
                 '{"metadata":{"name":"x"},"data":{"k":"v"}} trailing',
                 '{"metadata":{"name":"x","labels":[]}}', '{"metadata":{"name":5}}',
                 '{"metadata":{"name":"x"},"data":{"k":true}}', '{"metadata":{"name":"x",}}',
                 '{"metadata":{"name":"x"},"data":"text"}', "a: b", "a:\n\t- b"):
        steps += [Step("POST", MAPS, text=text), Step("PUT", a, text=text),
                  Step("PATCH", a, text=text, kind=MERGE),
                  Step("PATCH", a, text=text, kind=STRATEGIC),
                  Step("PATCH", a, text=text, kind="application/json-patch+json"),
                  Step("POST", GADGETS, text=text), Step("POST", DEPLOYMENTS, text=text)]
    steps += [Step("POST", MAPS, text="metadata:\n  name: y\ndata:\n  k: v\n",
                   kind="application/yaml"),
              Step("POST", MAPS, text="a: [", kind="application/yaml"),
              Step("POST", MAPS, text="- a\n- b\n", kind="application/yaml")]
    return steps


def media_types():
    body = config_map("a")
    return [
        Step("POST", MAPS, body, "text/plain"), Step("POST", MAPS, body, "application/xml"),
        Step("POST", MAPS, body, "application/json; charset=utf-8"),
        Step("POST", MAPS, config_map("b"), ""), Step("PATCH", MAPS + "/a", {}, "text/plain"),
        Step("PATCH", MAPS + "/a", {}, JSON), Step("PATCH", GADGETS + "/a", {}, STRATEGIC),
        Step("PATCH", GADGETS + "/a", {}, JSON),
        get(MAPS, "text/html"), get(MAPS, "*/*"), get(MAPS, "application/*"), get(MAPS, TABLE),
        get(MAPS + "/a", TABLE), get(MAPS + "/nope", TABLE), get(MAPS + "/a", PARTIAL),
        get(MAPS, PARTIAL), get(MAPS + "/a", PARTIAL.replace("Metadata;", "MetadataList;")),
        get(MAPS, PARTIAL.replace("Metadata;", "MetadataList;")),
        get(MAPS + "?includeObject=Object", TABLE), get(MAPS + "?includeObject=None", TABLE),
        get(MAPS + "?includeObject=Some", TABLE), get(MAPS, TABLE + ",application/json"),
        get(MAPS, TABLE.replace("v=v1", "v=v9")), get(MAPS, "application/json;as=Chart"),
    ]


def names():
    paths = [MAPS, PODS, core("services"), core("secrets"), grouped("rbac.authorization.k8s.io/v1", "roles"),
             "/api/v1/namespaces"]
    names = ["A_b", "-a", "a-", "a.b", "1a", "a" * 64, "a" * 254, "a/b", "a%b", ".", "..", "ä", "a b"]
    steps = []
    for path in paths:
        steps += [post(path + "?dryRun=All", {"metadata": {"name": name}}) for name in names]
        steps += [post(path + "?dryRun=All", {"metadata": {}}),
                  post(path + "?dryRun=All", {"metadata": {"generateName": "A_"}}),
                  post(path + "?dryRun=All", {"metadata": {"generateName": "gen-"}})]
    return steps + [
        post(MAPS, {"metadata": {"generateName": "gen-"}}),
        post(MAPS, {"metadata": {"name": "a", "namespace": "other"}}),
        post("/api/v1/namespaces?dryRun=All", {"metadata": {"name": "x", "namespace": "other"}}),
        post(MAPS, config_map("a")), post(MAPS, config_map("a")),
        put(MAPS + "/a", config_map("b")), put(MAPS + "/a", {"metadata": {}}),
        put(MAPS + "/a", {"metadata": {"name": "a", "namespace": "other"}}),
    ]


def what_the_server_says_itself():
    """Metadata that a client sends and cannot decide."""
    mine = {"uid": "u", "creationTimestamp": "2020-01-01T00:00:00Z", "generation": 7,
            "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5,
            "selfLink": "/x"}
    return [
        post(MAPS, {"metadata": {"name": "a", **mine}}),
        post(MAPS, {"metadata": {"name": "b", "resourceVersion": "5"}}),
        post(MAPS, {"metadata": {"name": "b", "resourceVersion": "0"}}),
        post(MAPS, {"metadata": {"name": "b", "creationTimestamp": "yesterday"}}),
        post(DEPLOYMENTS, {**deployment("d"), "status": {"replicas": 5}}),
        merge(DEPLOYMENTS + "/d", {"metadata": {"generation": 50}, "status": {"replicas": 5}}),
        merge(DEPLOYMENTS + "/d", {"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}}),
        merge(DEPLOYMENTS + "/d", {"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}}),
        merge(DEPLOYMENTS + "/d", {"metadata": {"uid": "other"}}),
        put(DEPLOYMENTS + "/d", changed({"metadata": {"uid": "other"}})),
        put(DEPLOYMENTS + "/d", changed({"metadata": {"uid": None, "resourceVersion": None}})),
        put(DEPLOYMENTS + "/d", changed({"metadata": {"creationTimestamp": None}})),
    ]


def revisions_that_are_preconditions():
    a = MAPS + "/a"
    return [
        post(MAPS, config_map("a")), put(a, {**config_map("a"), "data": {"k": "1"}}),
        put(a, {"metadata": {"name": "a", "resourceVersion": "1"}}),
        put(a, {"metadata": {"name": "a", "resourceVersion": "text"}}),
        put(a, {"metadata": {"name": "a", "resourceVersion": "99999999"}}),
        put(a, {"metadata": {"name": "a", "uid": "other"}}),
        merge(a, {"metadata": {"resourceVersion": "1"}, "data": {"k": "2"}}),
        merge(a, {"metadata": {"resourceVersion": "{{rv:a}}"}, "data": {"k": "3"}}),
        merge(a, {"data": {"k": "3"}}), put(a, changed({})), strategic(a, {}), json_patch(a),
        delete(a, {"preconditions": {"resourceVersion": "1"}}),
        delete(a, {"preconditions": {"uid": "other"}}),
        delete(a + "?resourceVersion=1"), delete(a + "?uid=other"),
        delete(a, {"preconditions": {"uid": "{{uid:a}}", "resourceVersion": "{{rv:a}}"}}),
        post(GADGETS, {"apiVersion": "differential.example/v1", "kind": "Gadget",
                       "metadata": {"name": "g"}, "spec": {"size": 1}}),
        put(GADGETS + "/g", {"apiVersion": "differential.example/v1", "kind": "Gadget",
                             "metadata": {"name": "g"}, "spec": {"size": 2}}),
        put(GADGETS + "/g", changed({"spec": {"size": 2}})),
        put(GADGETS + "/new", {"apiVersion": "differential.example/v1", "kind": "Gadget",
                               "metadata": {"name": "new"}, "spec": {"size": 2}}),
    ]


def write_options():
    a = MAPS + "/a"
    return [
        post(MAPS + "?dryRun=All", config_map("a")), post(MAPS + "?dryRun=Some", config_map("a")),
        post(MAPS + "?dryRun=", config_map("z1")), post(MAPS + "?dryRun=All&dryRun=All",
                                                       config_map("a")),
        post(MAPS + "?fieldManager=" + "x" * 129, config_map("a")),
        post(MAPS + "?fieldManager=a%0Ab", config_map("a")),
        post(MAPS + "?fieldValidation=Strictly", config_map("a")),
        post(MAPS + "?timeout=soon", config_map("a")), post(MAPS + "?pretty=true", config_map("a")),
        put(a + "?dryRun=All", {**config_map("a"), "data": {"k": "1"}}),
        put(a + "?dryRun=Some", config_map("a")), merge(a + "?dryRun=Some", {}),
        merge(a + "?force=true", {}), merge(a + "?dryRun=All", {"data": {"k": "2"}}),
        delete(a + "?dryRun=All"), delete(a + "?dryRun=Some"), get(a),
        delete(a, {"dryRun": ["All"]}), delete(a + "?propagationPolicy=Sideways"),
        delete(a + "?propagationPolicy=Orphan&orphanDependents=true"),
        delete(a, {"orphanDependents": True, "propagationPolicy": "Orphan"}),
        delete(a + "?gracePeriodSeconds=x"), delete(a + "?gracePeriodSeconds=-5"),
        delete(a, {"kind": "Pod", "apiVersion": "v1"}), delete(a, {"gracePeriodSeconds": "five"}),
    ]


def deletion():
    held = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}
    h = MAPS + "/held"
    return [
        post(MAPS, config_map("a")), delete(MAPS + "/a"), delete(MAPS + "/a"),
        post(MAPS, held), delete(h), delete(h), get(h), post(MAPS, held),
        merge(h, {"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}}),
        merge(h, {"data": {"still": "there"}}), merge(h, {"metadata": {"deletionTimestamp": None}}),
        merge(h, {"metadata": {"finalizers": None}}), get(h),
        post(DEPLOYMENTS, {**deployment("d"), "metadata": {
            "name": "d", "finalizers": ["example.com/hold"]}}),
        delete(DEPLOYMENTS + "/d"), merge(DEPLOYMENTS + "/d", {"metadata": {"finalizers": []}}),
        post(DEPLOYMENTS, deployment("e")), delete(DEPLOYMENTS + "/e"),
        post(core("services"), {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}),
        delete(core("services/s")), post(core("serviceaccounts"), {"metadata": {"name": "sa"}}),
        delete(core("serviceaccounts/sa")),
        post(core("secrets"), {"metadata": {"name": "x"}}), delete(core("secrets/x")),
        watch(MAPS, "resourceVersion={{rv:start}}"),
    ]


def deletion_of_pods():
    running = {"status": {"phase": "Running"}}
    return [
        post(PODS, pod("waiting")), delete(PODS + "/waiting"),
        post(PODS, pod("bound", nodeName="n")), delete(PODS + "/bound"), get(PODS + "/bound"),
        delete(PODS + "/bound", {"gracePeriodSeconds": 10}), delete(PODS + "/bound", {
            "gracePeriodSeconds": 20}), delete(PODS + "/bound", {"gracePeriodSeconds": 0}),
        get(PODS + "/bound"), post(PODS, pod("short", nodeName="n",
                                             terminationGracePeriodSeconds=0)),
        delete(PODS + "/short"), post(PODS, pod("done", nodeName="n")),
        merge(PODS + "/done/status", {"status": {"phase": "Succeeded"}}), delete(PODS + "/done"),
        post(PODS, pod("evicted", nodeName="n")), merge(PODS + "/evicted/status", running),
        post(PODS + "/evicted/eviction", {"apiVersion": "policy/v1", "kind": "Eviction",
                                          "metadata": {"name": "evicted"}}),
        get(PODS + "/evicted"), post(PODS, pod("free")),
        post(PODS + "/free/binding", {"metadata": {"name": "free"}, "target": {
            "kind": "Node", "name": "n1"}}), get(PODS + "/free"),
        post(PODS + "/free/binding", {"metadata": {"name": "free"}, "target": {
            "kind": "Node", "name": "n2"}}),
        post(PODS + "/free/binding", {"metadata": {"name": "free"}, "target": {}}),
        delete(PODS + "/free", {"gracePeriodSeconds": -1}),
        watch(PODS, "resourceVersion={{rv:start}}"),
        watch(PODS, "resourceVersion={{rv:start}}&fieldSelector=spec.nodeName%3Dn"),
    ]


def lists():
    steps = [post(MAPS, labelled(f"m{n}", tier="xyz"[n % 3], n=str(n))) for n in range(7)]
    for parameters in (
            "", "limit=3", "limit=3&continue={{continue}}", "limit=3&continue={{continue}}",
            "limit=3", "continue={{continue}}&resourceVersion=0", "limit=3",
            "continue={{continue}}&resourceVersion={{rv:m1}}", "limit=3",
            "continue={{continue}}&resourceVersionMatch=Exact",
            "limit=2&labelSelector=tier%3Dx", "limit=2&labelSelector=tier%3Dx&continue={{continue}}",
            "limit=1&fieldSelector=metadata.name%3Dm3", "limit=-1", "limit=x", "limit=",
            "continue=abc", "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0",
            "continue=eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImEifQ", "resourceVersion=0",
            "resourceVersion=0&limit=2", "resourceVersion={{rv:m3}}",
            "resourceVersion={{rv:m3}}&limit=2", "resourceVersion={{rv:m3}}&resourceVersionMatch=Exact",
            "resourceVersion={{rv:m3}}&resourceVersionMatch=NotOlderThan",
            "resourceVersion={{rv:m3}}&resourceVersionMatch=Exact&limit=2",
            "resourceVersion={{rv:m3}}&resourceVersionMatch=Sometimes", "resourceVersionMatch=Exact",
            "resourceVersionMatch=NotOlderThan", "resourceVersion=0&resourceVersionMatch=Exact",
            "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=2", "resourceVersion=abc",
            "resourceVersion=-1", "resourceVersion=1.5", "resourceVersion=99999999999999999999",
            "resourceVersion=99999999", "resourceVersion=99999999&resourceVersionMatch=Exact",
            "sendInitialEvents=true", "sendInitialEvents=x&watch=0", "watch=0", "watch=false",
            "timeoutSeconds=x", "timeout=x", "timeout=1m", "allowWatchBookmarks=1"):
        steps.append(get(f"{MAPS}?{parameters}"))
    steps += [get(f"{MAPS}/m1?resourceVersion={rv}")
              for rv in ("0", "{{rv:m1}}", "x", "99999999")] + [get(MAPS + "/m1?watch=1")]
    return steps


def selectors():
    steps = [post(MAPS, labelled("plain")), post(MAPS, labelled("x1", tier="x", n="1")),
             post(MAPS, labelled("y2", tier="y", n="2")), post(MAPS, labelled("e", tier=""))]
    for selector in ("tier", "!tier", "tier=x", "tier==x", "tier!=x", "tier in (x,y)", "tier=",
                     "tier notin (x)", "n>1", "n<2", "n>x", "tier in ()", "tier in x", "tier=x,n=1",
                     "tier,", ",tier", "tier=x y", "tier===x", "bad key", "a b=c", "tier in (x",
                     "tier=-x-", "x" * 64, "tier=" + "x" * 64, "a/b/c=d", "!", "!tier=x", "(", "=x",
                     "tier = x , n = 1", "tier in (x, y ,)", "n>=1", "tier!x"):
        encoded = "".join(c if c.isalnum() else f"%{ord(c):02X}" for c in selector)
        steps.append(get(f"{MAPS}?labelSelector={encoded}"))
    for selector in ("metadata.name=x1", "metadata.name!=x1", "metadata.name==x1", "metadata.name",
                     "metadata.namespace={{ns}}", "metadata.namespace=other", "data.k=v", "=x",
                     "metadata.name=x1,metadata.name=y2", "metadata.name=a\\,b", "metadata.name=a\\b",
                     "metadata.name>x", ",", "metadata.name=x=y", "metadata.labels=x"):
        encoded = "".join(c if c.isalnum() or c in "{}" else f"%{ord(c):02X}" for c in selector)
        for path in (MAPS, PODS, DEPLOYMENTS, GADGETS, core("services"), core("events")):
            steps.append(get(f"{path}?fieldSelector={encoded}"))
    return steps + [
        get(PODS + "?fieldSelector=status.phase%3DPending,spec.nodeName%3D"),
        get(PODS + "?fieldSelector=spec.foo%3D1"), get(core("secrets?fieldSelector=type%3DOpaque")),
        get("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse"),
        get("/api/v1/namespaces?fieldSelector=status.phase%3Dother"),
        get(GADGETS + "?fieldSelector=spec.color%3Dred"),
        Step("DELETE", MAPS + "?labelSelector=tier%3Dx"), get(MAPS), Step("DELETE", MAPS),
        get(MAPS),
    ]


def watches():
    steps = [post(MAPS, labelled("a", x="0"))]
    steps += [merge(MAPS + "/a", {"metadata": {"labels": {"x": x}}}) for x in "1100"[:2] + "01"]
    steps += [post(MAPS, labelled("b", x="1")), merge(MAPS + "/b", {"data": {"k": "v"}}),
              delete(MAPS + "/a")]
    for parameters in (
            "resourceVersion={{rv:start}}", "resourceVersion={{rv:start}}&labelSelector=x%3D1",
            "resourceVersion={{rv:start}}&labelSelector=x!%3D1",
            "resourceVersion={{rv:start}}&fieldSelector=metadata.name%3Db", "", "resourceVersion=0",
            "resourceVersion={{rv:b}}", "resourceVersion=99999999", "allowWatchBookmarks=1",
            "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1",
            "sendInitialEvents=0&resourceVersionMatch=NotOlderThan", "sendInitialEvents=1",
            "resourceVersionMatch=NotOlderThan", "resourceVersionMatch=Exact&resourceVersion=5",
            "sendInitialEvents=1&resourceVersionMatch=Exact", "resourceVersion=x", "limit=x",
            "labelSelector=%28", "fieldSelector=a%3Db", "resourceVersion=1&limit=1&continue=abc",
            "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&resourceVersion={{rv:b}}"):
        steps.append(watch(MAPS, parameters))
    return steps + [
        watch(MAPS, "resourceVersion={{rv:start}}", TABLE),
        watch(MAPS, "resourceVersion={{rv:start}}", PARTIAL),
        watch("/api/v1/watch/namespaces/{{ns}}/configmaps", "resourceVersion={{rv:start}}"),
        watch("/api/v1/watch/namespaces/{{ns}}/configmaps/b"), watch(MAPS, "", "application/yaml"),
    ]


def status_and_scale():
    d = DEPLOYMENTS + "/d"
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d"}}
    g = GADGETS + "/g"
    return [
        post(DEPLOYMENTS, deployment("d")), get(d + "/scale"), get(d + "/status"),
        merge(d + "/scale", {"spec": {"replicas": 5}}), get(d),
        put(d + "/scale", {**scale, "spec": {"replicas": 4}}),
        put(d + "/scale", {**scale, "metadata": {"name": "x"}, "spec": {"replicas": 4}}),
        put(d + "/scale", {**scale, "spec": {"replicas": -4}}), put(d + "/scale", deployment("d")),
        put(d + "/scale", {**scale, "metadata": {"name": "d", "resourceVersion": "1"}}),
        merge(d + "/scale", {"spec": {"replicas": "x"}}), put(d + "/scale", {"kind": "Scale"}),
        merge(d + "/status", {"status": {"replicas": 2}, "spec": {"replicas": 9}}),
        merge(d + "/status?dryRun=All", {"status": {"replicas": -2}}), merge(d + "/status", {"status": None}),
        merge(d + "/status", {"metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}}}),
        strategic(d + "/status", {"status": {"conditions": [
            {"type": "Available", "status": "True"}]}}),
        strategic(d + "/status", {"status": {"conditions": [
            {"type": "Progressing", "status": "False"}, {"type": "Available", "status": "False"}]}}),
        get(d), post(GADGETS, {"apiVersion": "differential.example/v1", "kind": "Gadget",
                               "metadata": {"name": "g"},
                               "spec": {"size": 2, "replicas": 1}, "status": {"ready": 3}}),
        get(g + "/scale"), merge(g + "/scale", {"spec": {"replicas": 3}}), get(g + "/scale"),
        merge(g + "/status", {"status": {"ready": 1}, "spec": {"size": 9}}),
        merge(g, {"status": {"ready": 7}}),
        merge(g + "/status", {"metadata": {"labels": {"a": "b"}}}), get(g),
    ]


def strategic_patches():
    d, p = DEPLOYMENTS + "/d", PODS + "/p"
    containers = "spec.template.spec.containers".split(".")

    def inside(value):
        for key in reversed(containers):
            value = {key: value}
        return value
    return [
        post(DEPLOYMENTS, deployment("d")), post(PODS, pod("p")),
        strategic(d, inside([{"name": "main", "image": "nginx:2"}])),
        strategic(d, inside([{"name": "side", "image": "side:1"}])),
        strategic(d, inside([{"name": "side", "$patch": "delete"}])),
        strategic(d, inside([{"$patch": "replace"}, {"name": "only", "image": "only:1"}])),
        strategic(d, inside([{"image": "nameless"}])), strategic(d, {"spec": {"$patch": "what"}}),
        strategic(d, {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
        strategic(d, {"metadata": {"labels": {"$patch": "replace", "a": "b"}}}),
        strategic(d, {"spec": {"replicas": None}}), strategic(d, {"spec": "x"}),
        strategic(p, {"spec": {"containers": [{"name": "main", "image": "nginx:3"}]}}),
        strategic(p, {"spec": {"containers": [{"name": "main", "command": ["sh"]}]}}),
        strategic(p, {"spec": {"tolerations": [{"key": "x", "operator": "Exists"}]}}),
        strategic(p, {"spec": {"activeDeadlineSeconds": 10}}),
        strategic(p, {"metadata": {"finalizers": ["example.com/a"]}}),
        strategic(p, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a"]}}),
        get(d), get(p),
    ]


def json_patches():
    a = MAPS + "/a"
    return [
        post(MAPS, config_map("a", data={"k": "v"})),
        json_patch(a, {"op": "test", "path": "/data/k", "value": "other"}),
        json_patch(a, {"op": "test", "path": "/data/k", "value": "v"},
                   {"op": "replace", "path": "/data/k", "value": "w"}),
        json_patch(a, {"op": "remove", "path": "/data/none"}),
        json_patch(a, {"op": "replace", "path": "/data/none", "value": "x"}),
        json_patch(a, {"op": "add", "path": "/no/where", "value": "x"}),
        json_patch(a, {"op": "move", "from": "/data/k", "path": "/data/l"}),
        json_patch(a, {"op": "copy", "from": "/data/none", "path": "/data/m"}),
        json_patch(a, {"op": "add", "path": "/data/k~1l~0m", "value": "x"}),
        json_patch(a, {"op": "add", "path": "data", "value": "x"}), json_patch(a, {"op": "add"}),
        json_patch(a, {"op": "add", "path": ""}), json_patch(a, {"path": "/data"}),
        json_patch(a + "?dryRun=All", {"op": "add", "path": "", "value": config_map("a")}),
        json_patch(a + "?dryRun=All", {"op": "remove", "path": ""}), json_patch(a, {"op": "leap", "path": "/data"}),
        json_patch(a, {"op": "add", "path": "/data/n", "value": 5}),
        json_patch(a, {"op": "add", "path": "/metadata/finalizers/-", "value": "e.com/x"}),
        json_patch(a, {"op": "add", "path": "/metadata/finalizers", "value": ["e.com/x"]}),
        json_patch(a, {"op": "add", "path": "/metadata/finalizers/5", "value": "e.com/y"}),
        json_patch(a, {"op": "replace", "path": "/metadata/name", "value": "b"}),
        json_patch(a, {"op": "replace", "path": "/kind", "value": "Secret"}),
        json_patch(a, {"op": "replace", "path": "/metadata", "value": None}), json_patch(a, 5),
    ]


def put_that_creates():
    role = {"rules": []}
    return [
        put(MAPS + "/new", config_map("new")), put(DEPLOYMENTS + "/new", deployment("new")),
        put(core("services/new"), {"metadata": {"name": "new"}, "spec": {"ports": [{"port": 1}]}}),
        put(grouped("rbac.authorization.k8s.io/v1", "roles/new"), {"metadata": {"name": "new"}, **role}),
        put(grouped("coordination.k8s.io/v1", "leases/new"), {"metadata": {"name": "new"}}),
        put(core("endpoints/new"), {"metadata": {"name": "new"}}),
        put(core("limitranges/new") + "?dryRun=All", {"metadata": {"name": "new"}, "spec": {}}),
        put(core("endpoints/new2"), {"metadata": {"name": "new2", "resourceVersion": "5"}}),
        put(core("endpoints/new2"), {"metadata": {"name": "new2", "uid": "5"}}),
    ]


def namespaces():
    path = "/api/v1/namespaces/{{ns}}-x"
    return [
        post("/api/v1/namespaces", {"metadata": {"name": "{{ns}}-x", "labels": {"a": "b"}}}),
        get(path), merge(path, {"metadata": {"labels": {"kubernetes.io/metadata.name": "y"}}}),
        merge(path, {"spec": {"finalizers": []}}), get(path + "/status"), get(path, TABLE),
        delete("/api/v1/namespaces/default"), delete("/api/v1/namespaces/kube-system"),
        merge(path, {"metadata": {"labels": None}}), put(path, changed({"metadata": {"labels": {}}})),
        delete(path + "?dryRun=All"),
        post("/api/v1/namespaces", {"metadata": {"name": "{{ns}}-y"}, "spec": {
            "finalizers": ["example.com/x"]}}),
    ]


def values_of_a_known_form():
    job = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "main", "image": "nginx:1.25"}]}}}}}
    return [
        post(grouped("batch/v1", "cronjobs") + "?dryRun=All",
             {"metadata": {"name": "a"}, "spec": {**job, "timeZone": "Nowhere/Town"}}),
        post(grouped("networking.k8s.io/v1", "networkpolicies") + "?dryRun=All",
             {"metadata": {"name": "a"}, "spec": {"podSelector": {}, "ingress": [
                 {"from": [{"ipBlock": {"cidr": "1.2.3"}}]}]}}),
        *[post(grouped("batch/v1", "cronjobs") + "?dryRun=All",
               {"metadata": {"name": "a"}, "spec": {**job, "timeZone": zone}})
          for zone in ("", "Europe", "local", "../UTC", "Etc/UTC", "UTC")],
        *[post(grouped("networking.k8s.io/v1", "networkpolicies") + "?dryRun=All",
               {"metadata": {"name": "a"}, "spec": {"podSelector": {}, "ingress": [
                   {"from": [{"ipBlock": block}]}]}})
          for block in ({"cidr": ""}, {"cidr": "010.0.0.0/8"}, {"cidr": "10.0.0.0/08"},
                        {"cidr": "::ffff:10.0.0.0/104"}, {"cidr": "10.0.0.1/8"},
                        {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/16", "10.0.0.0/8", "fd00::/16",
                                                          "10.1.0.0/16", "x"]})],
        *[post(grouped("networking.k8s.io/v1", "networkpolicies") + "?dryRun=All",
               {"metadata": {"name": "a"}, "spec": {"podSelector": {}, "egress": [
                   {"ports": [port], "to": [{}]}]}})
          for port in ({"protocol": "ICMP"}, {"port": 0}, {"port": "a--b-"}, {"port": "1"},
                       {"port": 90, "endPort": 80}, {"endPort": 80},
                       {"port": "http", "endPort": 80}, {"port": 80, "endPort": 70000})],
        post(core("services") + "?dryRun=All", {"metadata": {"name": "a"}, "spec": {
            "ports": [{"port": 80}], "clusterIP": "192.168.1.1"}}),
        post(grouped("batch/v1", "jobs") + "?dryRun=All", {"metadata": {"name": "a"}, "spec": {
            "template": {"spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]}}}}),
    ]


def what_is_served():
    return [get(path) for path in ("/apis/apps/v1", "/apis/batch/v1", "/apis/autoscaling/v2")]


def definitions():
    def definition(plural="things", **spec):
        return {"metadata": {"name": plural + ".other.example"}, "spec": {
            "group": "other.example", "scope": "Namespaced", "names": {
                "plural": "things", "kind": "Thing"}, "versions": [{
                    "name": "v1", "served": True, "storage": True, "schema": {
                        "openAPIV3Schema": {"type": "object"}}}], **spec}}
    path = DEFINITIONS + "?dryRun=All"
    version = definition()["spec"]["versions"][0]
    return [
        post(path, definition()), post(path, definition("thing")), post(path, {}),
        post(path, definition(scope="World")), post(path, definition(versions=[])),
        post(path, definition(group="")), post(path, definition(names={"plural": "things"})),
        post(path, definition(names={"plural": "Things", "kind": "thing"})),
        post(path, definition(versions=[version, {**version, "name": "v2"}])),
        post(path, definition(versions=[version, version])),
        post(path, definition(versions=[{**version, "storage": False}])),
        post(path, definition(versions=[{**version, "schema": None}])),
        post(path, definition(versions=[{**version, "name": "V1"}])),
        post(path, definition(versions=[{**version, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"properties": {"a": {"type": "thing"}}}}}}}])),
        get(DEFINITIONS + "/gadgets.differential.example"),
        get(DEFINITIONS + "/gadgets.differential.example", TABLE),
        get("/apis/differential.example"), get("/apis/differential.example/v1"),
        get("/apis/differential.example/v2"),
    ]


CASES = [what_is_not_there, methods_that_are_not_allowed, bodies_that_cannot_be_read, media_types,
         names, what_the_server_says_itself, revisions_that_are_preconditions, write_options,
         deletion, deletion_of_pods, lists, selectors, watches, status_and_scale, strategic_patches,
         json_patches, put_that_creates, namespaces, values_of_a_known_form,
         definitions, what_is_served] + APPLY_CASES + KIND_CASES + ACCESS_CASES + STATUS_CASES
