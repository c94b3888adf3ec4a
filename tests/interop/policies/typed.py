# SPDX-License-Identifier: Apache-2.0
"""typed.py -- policies for type checking: expressions that fit the schemas of the resources they are
for, and expressions that do not."""

DEPLOYMENTS = ("apps", "v1", "deployments")
PODS = ("", "v1", "pods")
DEFINITIONS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
SCHEMA = "object.spec.versions[0].schema.openAPIV3Schema"


def policy(rules, *expressions, variables=(), params=None, message=None):
    """|rules|: (groups, versions, resources), each with commas."""
    spec = {"matchConstraints": {"resourceRules": [
        {"apiGroups": group.split(","), "apiVersions": version.split(","),
         "resources": resource.split(","), "operations": ["*"]} for group, version, resource in rules]},
        "validations": [{"expression": expression} for expression in expressions]}
    if message:
        spec["validations"][0]["messageExpression"] = message
    if variables:
        spec["variables"] = [{"name": name, "expression": text} for name, text in variables]
    if params:
        spec["paramKind"] = {"apiVersion": params[0], "kind": params[1]}
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "spec": spec}


POLICIES = [
    policy([DEPLOYMENTS], "object.spec.replicas > 1", "object.spec.replicas > '1'", "object.foo == 1",
           "object.spec.nope.x == 1", "oldObject.foo == 1"),
    policy([DEPLOYMENTS],
           "object.spec.template.spec.containers.all(c, c.resources.limits['cpu'] == '1')",
           "object.spec.template.spec.containers[0].resources.foo == 1",
           "object.spec.template.spec.containers[0].name == 1"),
    policy([DEPLOYMENTS], "object.spec.strategy.rollingUpdate.maxSurge == 1",
           "object.spec.strategy.rollingUpdate == 1", "has(object.spec.foo)", "object == 1",
           "object.spec + 1 == 2"),
    policy([DEPLOYMENTS], "object.metadata.creationTimestamp == 'x'",
           "object.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')",
           "object.metadata.labels['a'] == 1", "object.metadata.__namespace__ == 'x'",
           "object.metadata.namespace == 'x'", "object.metadata.managedFields[0].fieldsV1 == 'x'",
           "object.metadata.managedFields[0].fieldsV1.x == 'x'"),
    policy([DEPLOYMENTS, PODS], "object.spec.replicas > 1"),
    policy([("", "v1", "events,secrets")], "object.data['a'] == 'b'", "object.data['a'] == b'c'",
           "object.note == 'x'", "object.eventTime == 'x'"),
    policy([("", "v1", "deployments")], "object.x == 1"),  # an empty group is any group
    policy([("*", "v1", "deployments")], "object.x == 1"),
    policy([("apps", "*", "deployments")], "object.x == 1"),
    policy([("apps", "v1", "deployments/status,*")], "object.x == 1"),
    policy([("apps", "v1", "deployment,nopes")], "object.x == 1"),
    policy([DEPLOYMENTS], "authorizer.requestResource.check('get').allowed()",
           "authorizer.group('apps').resource('deployments').check('get').allowed()"),
    policy([DEPLOYMENTS], "params.data.x == 1", "params.foo == 1", "params.binaryData.x == 'a'",
           params=("v1", "ConfigMap")),
    policy([DEPLOYMENTS], "params.data.x == 1", params=("no.example/v1", "Nope")),
    policy([DEPLOYMENTS], "variables.a > '1'", "variables.b == 1", "variables.c == 1",
           "variables.d == 1",
           variables=(("a", "object.spec.replicas"), ("b", "object.nope"), ("c", "object.spec"),
                      ("d", "object.metadata.name"))),
    policy([DEPLOYMENTS], "true", message="object.spec.foo + 'a'"),
    policy([DEFINITIONS], f"{SCHEMA}.foo == 1", f"{SCHEMA}.properties['a'].properties['b'].type == 1",
           f"{SCHEMA}.properties['a'].type == 1", f"{SCHEMA}.items == 1", f"{SCHEMA}.default == 1",
           f"{SCHEMA}.not.type == 1", f"{SCHEMA}.maxLength == 'x'", f"{SCHEMA}.maximum == 'x'"),
    policy([PODS], "object.spec.containers[0].ports[0].containerPort == 'a'",
           "object.spec.containers[0].livenessProbe.httpGet.port == {}",
           "object.spec.volumes[0].configMap.items[0].mode == 'a'",
           "object.spec.overhead['a'] == 1", "object.status.startTime == 1",
           "object.spec.containers.exists(c, c.image == 1)"),
    policy([("apps", "v1", "deployments,daemonsets,statefulsets,replicasets"),
            ("batch", "v1", "jobs,cronjobs")], "object.spec.replicas == 1"),
    policy([("", "v1", "pods,services,configmaps,secrets,nodes,endpoints,events,limitranges,"
             "namespaces,persistentvolumes,persistentvolumeclaims,replicationcontrollers"),
            DEPLOYMENTS], "object.foo == 1"),  # ten are looked at
    policy([("autoscaling", "v1,v2", "horizontalpodautoscalers"),
            ("networking.k8s.io", "v1", "ingresses,networkpolicies"),
            ("storage.k8s.io", "v1", "storageclasses")],
           "object.spec.minReplicas == 'a'", "object.spec.rules[0].host == 1",
           "object.parameters['a'] == 1"),
    policy([DEPLOYMENTS], "object.spec.replicas == 1 &&\n object.spec.foo == 1 && object.bar == 1"),
]
