# SPDX-License-Identifier: Apache-2.0
"""cases_status.py -- what controllers and kubelets write: status, bindings, evictions; and methods
and media types that few clients use."""

from differential.kinds import core, grouped
from differential.step import Step, by, delete, get, merge, post, put

PODS = core("pods")
JOBS = grouped("batch/v1", "jobs")
BUDGETS = grouped("policy/v1", "poddisruptionbudgets")
CONTAINERS = [{"name": "main", "image": "nginx:1.25"}]
TIME = "2026-01-0{}T00:00:00Z"


def labelled_pod(name, **spec):
    return {"metadata": {"name": name, "labels": {"app": "a"}},
            "spec": {"containers": CONTAINERS, **spec}}


def conditions(*types):
    return [{"type": kind, "status": "True"} for kind in types]


def statuses_of_jobs():
    spec = {"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}}
    path = JOBS + "/one/status"
    indexed = JOBS + "/many/status"
    return [
        post(JOBS, {"metadata": {"name": "one"}, "spec": spec}),
        post(JOBS, {"metadata": {"name": "many"}, "spec": {
            **spec, "completions": 5, "completionMode": "Indexed", "backoffLimitPerIndex": 1}}),
        *[merge(path + "?dryRun=All", {"status": status}) for status in (
            {"active": -1, "ready": -2, "terminating": -1},
            {"conditions": conditions("Complete")},
            {"conditions": conditions("Complete"), "completionTime": TIME.format(1)},
            {"conditions": conditions("Complete", "SuccessCriteriaMet"),
             "completionTime": TIME.format(1), "startTime": TIME.format(2)},
            {"conditions": conditions("Complete", "Failed")},
            {"conditions": conditions("Complete", "FailureTarget")},
            {"conditions": conditions("Failed"), "startTime": TIME.format(1)},
            {"conditions": conditions("Failed", "FailureTarget"), "active": 2, "terminating": 1},
            {"conditions": conditions("SuccessCriteriaMet", "Failed", "FailureTarget")},
            {"completionTime": TIME.format(1)}, {"ready": 3, "active": 2},
            {"completedIndexes": "0"}, {"failedIndexes": "0"},
            {"uncountedTerminatedPods": {"succeeded": ["a", "", "a"], "failed": ["a"]}})],
        *[merge(indexed + "?dryRun=All", {"status": status}) for status in (
            {"completedIndexes": "0,2-3"}, {"completedIndexes": "3,1"}, {"completedIndexes": "7"},
            {"completedIndexes": "x"}, {"completedIndexes": "1-2-3"}, {"completedIndexes": "3-2"},
            {"failedIndexes": "1-x"}, {"completedIndexes": "0-2", "failedIndexes": "2,4"})],
        merge(path, {"status": {"startTime": TIME.format(1), "failed": 2, "succeeded": 1}}),
        merge(path + "?dryRun=All", {"status": {"startTime": TIME.format(2), "failed": 1,
                                                "succeeded": 0}}),
        merge(path + "?dryRun=All", {"status": {"startTime": None}}),
        merge(path, {"status": {"conditions": conditions("SuccessCriteriaMet")}}),
        merge(path, {"status": {"conditions": conditions("SuccessCriteriaMet", "Complete"),
                                "completionTime": TIME.format(3)}}),
        merge(path + "?dryRun=All", {"status": {"completionTime": TIME.format(4)}}),
        merge(path + "?dryRun=All", {"status": {"conditions": []}}), get(JOBS + "/one"),
    ]


def statuses_of_pods():
    path = PODS + "/p/status"
    ended = {"name": "main", "image": "x", "imageID": "", "ready": False, "restartCount": 0,
             "state": {"terminated": {"exitCode": 0}}}
    runs = {**ended, "state": {"running": {}}}
    return [
        post(PODS, {"metadata": {"name": "p"}, "spec": {
            "containers": CONTAINERS, "restartPolicy": "Never", "nodeName": "n"}}),
        *[merge(path + "?dryRun=All", {"status": status}) for status in (
            {"podIP": "10.0.0.1"}, {"podIPs": [{"ip": "10.0.0.1"}]},
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}, {"ip": "fd00::1"}]},
            {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]}, {"podIP": "x"},
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "::ffff:1.2.3.4"}]},
            {"hostIP": "1.2.3.4", "hostIPs": [{"ip": "1.2.3.5"}]},
            {"hostIPs": [{"ip": "1.2.3.5"}]}, {"qosClass": "Guaranteed"},
            {"conditions": [{"type": "no type", "status": "True"}]},
            {"conditions": [{"type": "Ready", "status": "True", "observedGeneration": -1}]},
            {"observedGeneration": -1}, {"nominatedNodeName": "n2"},
            {"nominatedNodeName": "Not_A_Node"})],
        merge(path, {"status": {"containerStatuses": [ended], "podIP": "10.0.0.1",
                                "conditions": conditions("Ready"), "observedGeneration": 1}}),
        merge(path + "?dryRun=All", {"status": {"containerStatuses": [runs]}}),
        merge(path, {"status": {"qosClass": None, "observedGeneration": None}}), get(PODS + "/p"),
    ]


def statuses_of_services():
    services, ingresses = core("services"), grouped("networking.k8s.io/v1", "ingresses")
    namespace = "/api/v1/namespaces/{{ns}}/status"
    entries = ([{"ip": "1.2.3.4"}], [{"ip": "x"}], [{"hostname": "Not_A_Host"}],
               [{"hostname": "1.2.3.4"}], [{"ip": "1.2.3.4", "ipMode": "Other"}],
               [{"hostname": "a.example", "ipMode": "VIP"}], [{"ip": "::ffff:1.2.3.4"}])
    steps = [
        post(services, {"metadata": {"name": "plain"}, "spec": {"ports": [{"port": 1}]}}),
        post(services, {"metadata": {"name": "balanced"}, "spec": {
            "ports": [{"port": 1}], "type": "LoadBalancer", "allocateLoadBalancerNodePorts": False}}),
        post(ingresses, {"metadata": {"name": "i"}, "spec": {"defaultBackend": {"service": {
            "name": "s", "port": {"number": 1}}}}}),
    ]
    for path in (services + "/plain/status", services + "/balanced/status", ingresses + "/i/status"):
        steps += [merge(path + "?dryRun=All", {"status": {"loadBalancer": {"ingress": ingress}}})
                  for ingress in entries]
    return steps + [
        merge(namespace + "?dryRun=All", {"status": {"phase": "Terminating"}}),
        merge(namespace + "?dryRun=All", {"status": {"phase": None}}),
        merge(grouped("apps/v1", "deployments") + "/none/status", {"status": {"replicas": -1}}),
    ]


def statuses_of_workloads():
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": CONTAINERS}}
    selector = {"matchLabels": {"app": "a"}}
    steps = []
    for plural in ("deployments", "replicasets", "statefulsets", "daemonsets"):
        path = grouped("apps/v1", plural)
        spec = {"selector": selector, "template": template}
        steps += [
            post(path, {"metadata": {"name": "w"}, "spec": spec}),
            *[merge(path + "/w/status?dryRun=All", {"status": status}) for status in (
                {"replicas": -1, "readyReplicas": -1, "observedGeneration": -1},
                {"replicas": 1, "readyReplicas": 2, "availableReplicas": 3, "updatedReplicas": 4,
                 "fullyLabeledReplicas": 5, "currentReplicas": 6},
                {"replicas": 3, "readyReplicas": 1, "availableReplicas": 2},
                {"currentNumberScheduled": -1, "numberReady": -1, "numberAvailable": -1})],
            merge(path + "/w/status", {"status": {"collisionCount": 3}}),
            merge(path + "/w/status?dryRun=All", {"status": {"collisionCount": 2}}),
            merge(path + "/w/status?dryRun=All", {"status": {"collisionCount": None}}),
        ]
    return steps


def evictions_and_budgets():
    def eviction(name, **more):
        return post(f"{PODS}/{name}/eviction", {"metadata": {"name": name}, **more})

    def running(name, ready="True"):
        return merge(f"{PODS}/{name}/status", {"status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": ready}]}})

    def budget(name, **spec):
        return post(BUDGETS, {"metadata": {"name": name}, "spec": {
            "minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}, **spec}})

    def allow(name, **status):
        return merge(f"{BUDGETS}/{name}/status", {"status": {"observedGeneration": 1, **status}})
    return [
        *[post(PODS, labelled_pod(name, nodeName="n")) for name in ("a", "b", "c", "d", "e")],
        eviction("a", deleteOptions={"dryRun": ["All"]}), eviction("none"),
        post(PODS + "/a/eviction", {"metadata": {"name": "b"}}),
        budget("one"), eviction("a"), running("b"), running("c"), running("d", "False"),
        running("e"), eviction("b"), allow("one", disruptionsAllowed=0, currentHealthy=1,
                                           desiredHealthy=2), eviction("b"), eviction("d"),
        allow("one", disruptionsAllowed=0, currentHealthy=3, desiredHealthy=2), eviction("b"),
        eviction("d"), allow("one", disruptionsAllowed=1), eviction("b"), eviction("c"),
        eviction("e", deleteOptions={"preconditions": {"uid": "other"}}),
        eviction("e", deleteOptions={"preconditions": {"resourceVersion": "1"}}),
        budget("two"), eviction("c"), delete(BUDGETS + "/two"), delete(BUDGETS + "/one"),
        budget("three", minAvailable=None, maxUnavailable=1, selector={}), eviction("c"),
        delete(BUDGETS + "/three"), eviction("c"), get(PODS),
    ]


def bindings():
    def binding(name, target, **metadata):
        return post(f"{PODS}/{name}/binding", {"metadata": {"name": name, **metadata},
                                               "target": target})
    return [
        *[post(PODS, labelled_pod(name)) for name in ("a", "b")],
        post(PODS, labelled_pod("gated", schedulingGates=[{"name": "example.com/gate"}])),
        binding("gated", {"name": "n"}), binding("a", {"kind": "Pod", "name": "n"}),
        binding("a", {"kind": "Pod"}), binding("a", {"name": "Not_A_Node"}),
        post(PODS + "/a/binding", {"metadata": {"name": "b"}, "target": {"name": "n"}}),
        binding("none", {"name": "n"}),
        binding("a", {"name": "n"}, annotations={"x": "y"}, labels={"zone": "z"}),
        binding("a", {"name": "n"}), get(PODS + "/a"),
    ]


def methods_and_types_that_few_use():
    maps = core("configmaps")
    return [
        *[Step(method, path) for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS")
          for path in ("/apis", "/apis/apps", "/apis/apps/v1", "/api", "/api/v1", "/version",
                       "/healthz", "/livez", "/readyz/ping")],
        *[get(path, accept) for path in (maps, maps + "/none", "/api/v1", "/apis")
          for accept in ("application/*", "text/html", "*/*", "application/xml,application/json",
                         "application/json;as=Nothing;g=meta.k8s.io;v=v1", "APPLICATION/JSON")],
        put(maps + "/none", {"metadata": {"name": "none", "resourceVersion": "x"}}),
        *[by(None, get(maps), headers) for headers in (
            {"Impersonate-Uid": "u"}, {"Impersonate-Extra-Some%2FKey": "v"},
            {"Impersonate-Group": "a", "Impersonate-Uid": "u", "Impersonate-Extra-K": "v"})],
    ]


STATUS_CASES = [statuses_of_jobs, statuses_of_pods, statuses_of_services, statuses_of_workloads,
                evictions_and_budgets, bindings, methods_and_types_that_few_use]
