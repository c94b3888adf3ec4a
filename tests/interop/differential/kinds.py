# SPDX-License-Identifier: Apache-2.0
"""kinds.py -- what the sequences are about: for each kind where it is, the least that makes one, and
what may be changed in it, for good (|changes|) or for bad (|faults|), as merge patches."""

from differential.crd import GADGETS

POD_SPEC = {"containers": [{"name": "main", "image": "nginx:1.25"}]}
APP = {"app": "a"}
TEMPLATE = {"metadata": {"labels": APP}, "spec": POD_SPEC}


class Kind:
    def __init__(self, path, kind, body, changes, faults=(), status=None, has_scale=False):
        self.path = path
        self.kind = kind
        self.body = body
        self.changes = list(changes)
        self.faults = list(faults)
        self.status = status        # a merge patch of what only /status changes
        self.has_scale = has_scale

    def is_custom(self):
        return self.path == GADGETS

    def document(self, name):
        version = self.path.split("/namespaces/")[0].removeprefix("/apis/").removeprefix("/api/")
        if "/namespaces/" not in self.path:
            version = version.rpartition("/")[0]
        return {"apiVersion": version, "kind": self.kind, "metadata": {"name": name}, **self.body}


def core(plural):
    return "/api/v1/namespaces/{{ns}}/" + plural


def grouped(group, plural):
    return f"/apis/{group}/namespaces/{{{{ns}}}}/{plural}"


def containers(**more):
    return {"spec": {"containers": [{"name": "main", "image": "nginx:1.25", **more}]}}


def template(**more):
    return {"spec": {"template": {"spec": {"containers": [
        {"name": "main", "image": "nginx:1.25", **more}]}}}}


CONTAINER_CHANGES = [
    {"image": "nginx"},
    {"image": "host:5000/nginx@sha256:" + "0" * 64},
    {"ports": [{"containerPort": 80}, {"name": "web", "containerPort": 81, "protocol": "UDP"}]},
    {"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {
        "fieldRef": {"fieldPath": "metadata.name"}}}]},
    {"livenessProbe": {"httpGet": {"port": 80}}, "readinessProbe": {"tcpSocket": {"port": "web"}}},
    {"startupProbe": {"grpc": {"port": 9}}, "lifecycle": {"preStop": {"httpGet": {"port": 8}}}},
    {"resources": {"limits": {"cpu": "500m", "memory": "64Mi"}}},
    {"resources": {"requests": {"cpu": 1, "memory": "0.5Gi"}, "limits": {"cpu": "1000m"}}},
    {"securityContext": {"runAsUser": 5, "capabilities": {"add": ["NET_ADMIN"]}}},
    {"volumeMounts": [], "command": ["sh", "-c", "true"], "args": []},
]

CONTAINER_FAULTS = [
    {"image": ""},
    {"name": "Main_"},
    {"ports": [{"containerPort": 0}, {"containerPort": 70000, "protocol": "ICMP"}]},
    {"ports": [{"containerPort": 80, "name": "x"}, {"containerPort": 81, "name": "x"}]},
    {"env": [{"name": "", "value": "1"}, {"name": "B", "value": "1", "valueFrom": {}}]},
    {"imagePullPolicy": "Sometimes"},
    {"livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": -1}},
    {"livenessProbe": {}},
    {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
    {"resources": {"requests": {"cpu": "much"}}},
    {"volumeMounts": [{"name": "nope", "mountPath": "/x"}]},
    {"terminationMessagePolicy": "Never"},
    {"image": 5},
]

VOLUMES = [{"name": "a", "emptyDir": {}}, {"name": "b", "secret": {"secretName": "s"}},
           {"name": "c", "configMap": {"name": "s"}}, {"name": "d", "hostPath": {"path": "/x"}},
           {"name": "e", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
           {"name": "f", "downwardAPI": {"items": [{"path": "l", "fieldRef": {
               "fieldPath": "metadata.labels"}}]}}]

POD = Kind(core("pods"), "Pod", {"spec": POD_SPEC}, [
    {"metadata": {"labels": {"app": "b"}}}, {"metadata": {"annotations": {"a": "1"}}},
    {"spec": {"activeDeadlineSeconds": 100}},
] + [containers(**change) for change in CONTAINER_CHANGES] + [
    {"spec": {"volumes": VOLUMES, "serviceAccountName": "robot"}}, {"spec": {"hostNetwork": True, "nodeName": "n"}},
    {"spec": {"restartPolicy": "Never", "initContainers": [{"name": "i", "image": "i"}]}},
    {"spec": {"securityContext": {"runAsNonRoot": True}, "serviceAccountName": "robot"}},
    {"spec": {"tolerations": [{"key": "k", "operator": "Exists"}], "nodeSelector": {"a": "b"}}},
    {"spec": {"topologySpreadConstraints": [{
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]}},
    {"spec": {"schedulingGates": [{"name": "x.io/g"}], "priorityClassName": "system-node-critical"}},
], [containers(**fault) for fault in CONTAINER_FAULTS] + [
    {"spec": {"containers": []}}, {"spec": {"containers": None}}, {"spec": None},
    {"spec": {"restartPolicy": "Sometimes"}}, {"spec": {"dnsPolicy": "None"}},
    {"spec": {"volumes": [{"name": "a"}, {"name": "a", "emptyDir": {}}, {"emptyDir": {}}]}},
    {"spec": {"terminationGracePeriodSeconds": -1}}, {"spec": {"nodeName": "Bad Node"}},
    {"spec": {"nodeSelector": {"bad key": "v"}}}, {"spec": {"serviceAccountName": "Robot"}},
    {"spec": {"hostname": "a.b"}}, {"spec": {"activeDeadlineSeconds": 0}},
    {"spec": {"tolerations": [{"key": "k", "operator": "Maybe"}]}},
    {"spec": {"containers": [{"name": "a", "image": "a"}, {"name": "a", "image": "b"}]}},
], {"status": {"phase": "Running", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]}})

WORKLOAD_CHANGES = [{"spec": {"replicas": 3}}, {"spec": {"replicas": 0}},
                    {"spec": {"minReadySeconds": 5}},
                    {"metadata": {"annotations": {"note": "x"}}},
                    {"spec": {"template": {"spec": {"volumes": VOLUMES}}}},
                    ] + [template(**change) for change in CONTAINER_CHANGES]
WORKLOAD_FAULTS = [
    {"spec": {"replicas": -1}}, {"spec": {"replicas": "two"}}, {"spec": {"selector": None}},
    {"spec": {"selector": {"matchLabels": {"app": "other"}}}}, {"spec": {"template": None}},
    {"spec": {"selector": {"matchLabels": None}}}, {"spec": {"minReadySeconds": -1}},
    {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Is"}]}}},
    {"spec": {"template": {"metadata": {"labels": None}}}},
    {"spec": {"template": {"spec": {"restartPolicy": "Never"}}}}, {"spec": None},
    {"spec": {"revisionHistoryLimit": -1}},
] + [template(**fault) for fault in CONTAINER_FAULTS]
WORKLOAD = {"spec": {"selector": {"matchLabels": APP}, "template": TEMPLATE}}

KINDS = [
    Kind(core("configmaps"), "ConfigMap", {"data": {"k": "v"}}, [
        {"data": {"k": "w"}}, {"data": {"other": "1", "k": None}}, {"data": None},
        {"binaryData": {"b": "AAEC"}}, {"metadata": {"labels": {"tier": "x"}}},
        {"metadata": {"labels": None}}, {"metadata": {"annotations": {"note": "<&>\u2028é"}}},
        {"metadata": {"finalizers": ["example.com/hold"]}}, {"metadata": {"finalizers": None}}],
         [{"data": {"bad key": "v"}}, {"data": {"k": 5}}, {"data": []}, {"data": {"b": "x"},
                                                                      "binaryData": {"b": "AAEC"}},
          {"binaryData": {"b": "not base64!"}}, {"metadata": {"labels": {"a b": "c"}}},
          {"metadata": {"labels": {"a": "not valid!"}}}, {"metadata": {"labels": {"a": 1}}},
          {"metadata": {"annotations": {"Bad Key": "v"}}}, {"metadata": {"finalizers": ["short"]}},
          {"metadata": {"ownerReferences": [{"kind": "Pod", "name": "", "uid": ""}]}},
          {"metadata": {"namespace": "elsewhere"}}, {"metadata": {"name": "other"}},
          {"metadata": {"uid": "123"}}, {"metadata": {"resourceVersion": "1"}},
          {"metadata": {"resourceVersion": "x"}}, {"immutable": "yes"}, {"kind": "Secret", "data": None},
          {"apiVersion": "v2"}, {"metadata": "none"}, {"metadata": {"name": ""}}]),
    Kind(core("secrets"), "Secret", {"data": {"k": "dg=="}}, [
        {"data": {"k": "dw=="}}, {"stringData": {"plain": "text"}}, {"immutable": True},
        {"type": "example.com/x"}, {"data": None}],
         [{"data": {"k": "%%"}}, {"type": "kubernetes.io/tls"}, {"type": "kubernetes.io/basic-auth"},
          {"type": "kubernetes.io/dockerconfigjson"}, {"data": {"": "dg=="}},
          {"type": "kubernetes.io/service-account-token"}]),
    POD,
    Kind(core("services"), "Service", {"spec": {"ports": [{"port": 80}]}}, [
        {"spec": {"selector": {"app": "a"}}}, {"spec": {"type": "NodePort"}},
        {"spec": {"type": "LoadBalancer"}}, {"spec": {"type": "ClusterIP"}},
        {"spec": {"ports": [{"port": 80, "targetPort": "web"}]}},
        {"spec": {"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81,
                                                       "protocol": "UDP"}]}},
        {"spec": {"sessionAffinity": "ClientIP"}}, {"spec": {"externalIPs": ["1.2.3.4"]}},
        {"spec": {"publishNotReadyAddresses": True}}, {"spec": {"clusterIP": "None"}},
        {"spec": {"type": "ExternalName", "externalName": "example.com"}}],
         [{"spec": {"ports": []}}, {"spec": {"ports": [{"port": 0}]}}, {"spec": {"type": "Other"}},
          {"spec": {"ports": [{"port": 80}, {"port": 81}]}},
          {"spec": {"ports": [{"name": "a", "port": 80}, {"name": "a", "port": 81}]}},
          {"spec": {"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 80}]}},
          {"spec": {"ports": [{"port": 80, "protocol": "ICMP"}]}},
          {"spec": {"ports": [{"port": 80, "targetPort": 70000}]}},
          {"spec": {"sessionAffinity": "Sometimes"}}, {"spec": {"clusterIP": "1.2.3"}},
          {"spec": {"type": "ExternalName"}}, {"spec": {"selector": {"bad key": "x"}}},
          {"spec": {"externalTrafficPolicy": "Local"}},
          {"spec": {"ipFamilies": ["IPv5"]}}, {"spec": {"internalTrafficPolicy": "Near"}},
          {"spec": {"externalIPs": ["127.0.0.1", "x"]}}]),
    Kind(grouped("apps/v1", "deployments"), "Deployment", WORKLOAD, WORKLOAD_CHANGES + [
        {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}},
        {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 1}}}}, {"spec": {"paused": True}}],
         WORKLOAD_FAULTS + [
             {"spec": {"strategy": {"type": "Blue"}}}, {"spec": {"progressDeadlineSeconds": -5}},
             {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}}},
             {"spec": {"strategy": {"rollingUpdate": {"maxSurge": "ten", "maxUnavailable": -1}}}},
             {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}},
             {"spec": {"minReadySeconds": 700}}],
         {"status": {"replicas": 1, "observedGeneration": 1}}, True),
    Kind(grouped("apps/v1", "replicasets"), "ReplicaSet", WORKLOAD, WORKLOAD_CHANGES,
         WORKLOAD_FAULTS, {"status": {"replicas": 2}}, True),
    Kind(grouped("apps/v1", "statefulsets"), "StatefulSet",
         {"spec": {**WORKLOAD["spec"], "serviceName": "s"}}, WORKLOAD_CHANGES + [
             {"spec": {"volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": {
                 "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]}},
             {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}},
             {"spec": {"podManagementPolicy": "Parallel"}}, {"spec": {"serviceName": "t"}}],
         WORKLOAD_FAULTS + [{"spec": {"updateStrategy": {"type": "Blue"}}},
                            {"spec": {"podManagementPolicy": "Random"}}],
         {"status": {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1}}, True),
    Kind(grouped("apps/v1", "daemonsets"), "DaemonSet", WORKLOAD, WORKLOAD_CHANGES + [
        {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}}],
         WORKLOAD_FAULTS + [{"spec": {"updateStrategy": {"type": "Blue"}}}],
         {"status": {"numberReady": 1}}),
    Kind(grouped("batch/v1", "jobs"), "Job", {"spec": {"template": {"spec": {
        **POD_SPEC, "restartPolicy": "Never"}}}}, [
            {"spec": {"parallelism": 2}}, {"spec": {"completions": 4}}, {"spec": {"suspend": True}},
            {"spec": {"backoffLimit": 1}}, {"spec": {"ttlSecondsAfterFinished": 9}},
            {"spec": {"completions": 4, "completionMode": "Indexed"}},
            {"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}}],
         [{"spec": {"parallelism": -1}}, {"spec": {"completionMode": "Other"}},
          {"spec": {"completions": -1}}, {"spec": {"backoffLimit": -1}},
          {"spec": {"completionMode": "Indexed"}}, {"spec": {"activeDeadlineSeconds": -1}},
          {"spec": {"selector": {"matchLabels": {"a": "b"}}}}],
         {"status": {"active": 1}}),
    Kind(grouped("batch/v1", "cronjobs"), "CronJob", {"spec": {
        "schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": {
            **POD_SPEC, "restartPolicy": "OnFailure"}}}}}}, [
                {"spec": {"suspend": True}}, {"spec": {"concurrencyPolicy": "Forbid"}},
                {"spec": {"timeZone": "Etc/UTC"}}, {"spec": {"schedule": "@hourly"}}],
         [{"spec": {"schedule": ""}}, {"spec": {"schedule": "at noon"}},
          {"spec": {"concurrencyPolicy": "Maybe"}}, {"spec": {"successfulJobsHistoryLimit": -1}},
          {"spec": {"jobTemplate": None}},
          {"spec": {"startingDeadlineSeconds": -1}}],
         {"status": {"lastScheduleTime": "2020-01-01T00:00:00Z"}}),
    Kind(core("serviceaccounts"), "ServiceAccount", {}, [
        {"automountServiceAccountToken": False}, {"imagePullSecrets": [{"name": "x"}]},
        {"secrets": [{"name": "s"}]}], [{"secrets": {"name": "s"}}]),
    Kind(core("persistentvolumeclaims"), "PersistentVolumeClaim", {"spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}, [
            {"metadata": {"labels": {"a": "b"}}}, {"spec": {"storageClassName": "fast"}}],
         [{"spec": {"accessModes": []}}, {"spec": {"accessModes": ["Sometimes"]}},
          {"spec": {"resources": None}}, {"spec": {"resources": {"requests": {"storage": "0"}}}},
          {"spec": {"resources": {"requests": {"storage": "1024Mi"}}}},
          {"spec": {"volumeMode": "Tape"}}],
         {"status": {"phase": "Bound"}}),
    Kind(grouped("networking.k8s.io/v1", "ingresses"), "Ingress", {"spec": {
        "defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}}, [
            {"spec": {"ingressClassName": "n"}}, {"spec": {"rules": [{"host": "a.example", "http": {
                "paths": [{"path": "/", "pathType": "Prefix", "backend": {"service": {
                    "name": "s", "port": {"name": "web"}}}}]}}]}}],
         [{"spec": None}, {"spec": {"rules": [{"host": "a_b"}]}}, {"spec": {"defaultBackend": {}}},
          {"spec": {"rules": [{"http": {"paths": [{"path": "x", "backend": {"service": {
              "name": "s", "port": {"number": 80}}}}]}}]}}]),
    Kind(grouped("networking.k8s.io/v1", "networkpolicies"), "NetworkPolicy",
         {"spec": {"podSelector": {}}}, [
             {"spec": {"egress": [{}]}}, {"spec": {"ingress": [{"ports": [{"port": 80}]}]}}],
         [{"spec": {"policyTypes": ["Up"]}}]),
    Kind(grouped("coordination.k8s.io/v1", "leases"), "Lease", {"spec": {"holderIdentity": "me"}}, [
        {"spec": {"leaseDurationSeconds": 10}},
        {"spec": {"renewTime": "2020-01-01T00:00:00.000000Z"}}],
         [{"spec": {"leaseDurationSeconds": 0}}, {"spec": {"renewTime": "yesterday"}},
          {"spec": {"leaseTransitions": -1}}]),
    Kind(grouped("policy/v1", "poddisruptionbudgets"), "PodDisruptionBudget",
         {"spec": {"minAvailable": 1, "selector": {"matchLabels": APP}}}, [
             {"spec": {"minAvailable": "50%"}},
             {"spec": {"minAvailable": None, "maxUnavailable": 1}}],
         [{"spec": {"maxUnavailable": 1}}, {"spec": {"minAvailable": -1}},
          {"spec": {"minAvailable": "150%"}}], {"status": {"currentHealthy": 1}}),
    Kind(grouped("autoscaling/v2", "horizontalpodautoscalers"), "HorizontalPodAutoscaler",
         {"spec": {"maxReplicas": 3, "scaleTargetRef": {
             "apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}}, [
                 {"spec": {"minReplicas": 2}}, {"spec": {"metrics": [{
                     "type": "Resource", "resource": {"name": "memory", "target": {
                         "type": "Utilization", "averageUtilization": 50}}}]}}],
         [{"spec": {"maxReplicas": 0}}, {"spec": {"minReplicas": 5}},
          {"spec": {"scaleTargetRef": {"name": ""}}}, {"spec": {"scaleTargetRef": None}}],
         {"status": {"currentReplicas": 1}}),
    Kind(grouped("rbac.authorization.k8s.io/v1", "roles"), "Role", {"rules": [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}, [{"rules": None}],
         [{"rules": [{"apiGroups": [""], "resources": ["pods"]}]},
          {"rules": [{"resources": ["pods"], "verbs": ["get"]}]}]),
    Kind(grouped("rbac.authorization.k8s.io/v1", "rolebindings"), "RoleBinding", {
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "User", "name": "jane"}]}, [
            {"subjects": [{"kind": "ServiceAccount", "name": "s", "namespace": "n"}]},
            {"subjects": None}],
         [{"roleRef": {"name": "other"}}, {"roleRef": {"kind": "Thing"}},
          {"subjects": [{"kind": "Robot", "name": "x"}]},
          {"subjects": [{"kind": "ServiceAccount", "name": "s"}]}]),
    Kind(core("endpoints"), "Endpoints", {"subsets": [
        {"addresses": [{"ip": "1.2.3.4"}], "ports": [{"port": 80}]}]}, [
            {"metadata": {"labels": {"a": "b"}}}],
         [{"subsets": [{"addresses": [{"ip": "1.2.3"}], "ports": [{"port": 80}]}]}]),
    Kind(core("events"), "Event", {"involvedObject": {"kind": "Pod", "namespace": "{{ns}}",
                                                      "name": "p"}, "reason": "Test",
                                   "message": "m", "type": "Normal"}, [{"message": "n"}],
         [{"involvedObject": {"namespace": "elsewhere"}}]),
    Kind(GADGETS, "Gadget", {"spec": {"size": 3}}, [
        {"spec": {"size": 4}}, {"spec": {"color": "green"}}, {"spec": {"replicas": 2}},
        {"spec": {"parts": [{"name": "a"}, {"name": "b", "count": 2}]}}, {"spec": {"code": "abc"}},
        {"spec": {"free": {"any": [1, {"x": 2.5}]}}}, {"spec": {"port": "http"}},
        {"metadata": {"labels": {"tier": "x"}}}, {"spec": {"tags": ["a", "b"]}},
        {"spec": {"unknown": 1}}, {"extra": {"x": 1}}],
         [{"spec": {"size": 0}}, {"spec": {"size": 11}}, {"spec": {"size": "big"}},
          {"spec": {"size": None}}, {"spec": {"color": "blue"}}, {"spec": {"code": "ABCDEF"}},
          {"spec": None}, {"spec": {"tags": ["a", "a"]}},
          {"spec": {"parts": [{"name": "a"}, {"name": "a"}]}}, {"spec": {"parts": [{}]}},
          {"spec": {"parts": [{"name": str(n)} for n in range(4)]}},
          {"spec": {"port": {}}}, {"spec": {"free": 5}}],
         {"status": {"ready": 2, "phase": "Up"}}, True),
]
