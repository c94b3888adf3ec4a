# SPDX-License-Identifier: Apache-2.0
"""cases.py -- admission policies, and requests that they see.  Each case has a namespace of its own,
to which its bindings are limited."""

ADMISSION = "admissionregistration.k8s.io/v1"


def rule(resources, operations=("CREATE", "UPDATE"), group="", version="v1", **more):
    return {"apiGroups": [group], "apiVersions": [version], "operations": list(operations),
            "resources": list(resources), **more}


CONFIG_MAPS = rule(["configmaps"], ["CREATE", "UPDATE", "DELETE"])
DEPLOYMENTS = rule(["deployments"], group="apps")
PODS = rule(["pods"])


def validating(*validations, rules=(CONFIG_MAPS,), **more):
    return {"matchConstraints": {"resourceRules": list(rules)},
            "validations": [v if isinstance(v, dict) else {"expression": v} for v in validations],
            **more}


def mutating(*mutations, rules=(rule(["configmaps"]),), reinvocation="Never", **more):
    return {"matchConstraints": {"resourceRules": list(rules)},
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": m}}
                          if m.startswith("[") else
                          {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": m}}
                          for m in mutations],
            "reinvocationPolicy": reinvocation, **more}


def config(name="c", data=None, **metadata):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}}
    return ("configmaps", body if data is None else {**body, "data": data})


def pod(name="p", spec=None, container=None, **metadata):
    return ("pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata},
                     "spec": {"containers": [{"name": "c", "image": "i", **(container or {})}],
                              **(spec or {})}})


def deployment(name="d", replicas=1, **spec):
    return ("deployments", {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}},
                 "template": {"metadata": {"labels": {"a": "b"}},
                              "spec": {"containers": [{"name": "c", "image": "i"}]}}, **spec}})


# name: (spec of the policy, spec of the binding, objects that are created)
VALIDATING = {
    "plain": (validating("object.data.a == 'x'"), {},
              [config("good", {"a": "x"}), config("bad", {"a": "y"}), config("none"),
               config("other", {"b": "x"})]),
    "message": (validating({"expression": "false", "message": " a message "}), {}, [config()]),
    "message-expression": (validating(
        {"expression": "object.data.a != 'y'", "message": "fixed",
         "messageExpression": "'a is ' + object.data.a + ' of ' + request.userInfo.username"},
        {"expression": "object.data.a != 'z'", "message": "fixed",
         "messageExpression": "string(object.data.missing)"},
        {"expression": "object.data.a != 'w'", "messageExpression": "'line\\nbreak'"}), {},
        [config("c1", {"a": "y"}), config("c2", {"a": "z"}), config("c3", {"a": "w"})]),
    "reasons": (validating({"expression": "object.data.a != '1'", "reason": "Forbidden"},
                           {"expression": "object.data.a != '3'", "reason": "RequestEntityTooLarge"},
                           {"expression": "object.data.a != '4'", "reason": "Invalid"}), {},
                [config(f"c{n}", {"a": str(n)}) for n in (1, 2, 3, 4, 5)]),
    "warn": (validating({"expression": "false", "message": "be warned"}),
             {"validationActions": ["Warn"]}, [config()]),
    "audit": (validating("false"), {"validationActions": ["Audit"]}, [config()]),
    "ignore": (validating("object.data.missing == 'x'", failurePolicy="Ignore"), {}, [config()]),
    "conditions": (validating("false", matchConditions=[
        {"name": "named", "expression": "object.metadata.name.startsWith('m')"},
        {"name": "with-data", "expression": "has(object.data)"}]), {},
        [config("other"), config("m1"), config("m2", {"a": "b"})]),
    "condition-errors": (validating("false", matchConditions=[
        {"name": "one", "expression": "object.data.x == 'y'"},
        {"name": "two", "expression": "object.data.z == 'y'"}]), {}, [config(), config("d", {"x": "n"})]),
    "condition-errors-ignored": (validating("false", failurePolicy="Ignore", matchConditions=[
        {"name": "one", "expression": "object.data.x == 'y'"}]), {}, [config()]),
    "variables": (validating(
        {"expression": "variables.sum <= 3 && variables.names.all(n, n != 'bad')",
         "messageExpression": "'sum is ' + string(variables.sum)"},
        variables=[{"name": "list", "expression": "object.data.map(k, object.data[k])"},
                   {"name": "sum", "expression": "variables.list.map(v, int(v)).sum()"},
                   {"name": "names", "expression": "object.data.map(k, k)"}]), {},
        [config("good", {"a": "1", "b": "2"}), config("much", {"a": "1", "b": "3"}),
         config("bad", {"bad": "1"}), config("words", {"a": "one"}), config("none")]),
    "request": (validating(
        {"expression": "false", "messageExpression":
         "[request.operation, request.name, request.namespace, request.kind.kind,"
         " request.resource.resource, request.requestKind.version, request.userInfo.username,"
         " string(request.dryRun), has(request.subResource) ? 'sub' : 'none'].join(' ')"}), {},
        [config()]),
    "namespace-object": (validating(
        {"expression": "namespaceObject.metadata.labels['who'] == 'nobody'", "messageExpression":
         "namespaceObject.metadata.name + ' is ' + namespaceObject.status.phase"}), {}, [config()]),
    "authorizer": (validating(
        {"expression": "authorizer.group('').resource('pods').namespace('default').check('get')"
                       ".allowed()", "message": "no pods"},
        {"expression": "!authorizer.serviceAccount('default', 'nobody').group('').resource("
                       "'secrets').check('list').allowed()", "message": "secrets"},
        {"expression": "authorizer.requestResource.check('create').allowed()"}), {}, [config()]),
    "authorizer-paths": (validating(
        {"expression": "!authorizer.path('/healthz').check('get').allowed()",
         "messageExpression": "'unused'", "message": "may see"},
        {"expression": "!authorizer.serviceAccount('d', 'n').path('/x').check('get').allowed()"}),
        {}, [config()]),
    "authorizer-errors": (validating(
        "authorizer.serviceAccount('No', 'x').path('/x').check('get').allowed()",
        "authorizer.path(' ').check('get').allowed()"), {}, [config()]),
    "selector": (validating("false", matchConstraints={
        "resourceRules": [CONFIG_MAPS], "objectSelector": {"matchLabels": {"a": "b"}}}), {},
        [config("c1"), config("c2", labels={"a": "b"}), config("c3", labels={"a": "c"})]),
    "excluded": (validating("false", matchConstraints={
        "resourceRules": [CONFIG_MAPS],
        "excludeResourceRules": [{**CONFIG_MAPS, "resourceNames": ["left-out"]}]}), {},
        [config("left-out"), config("c")]),
    "names": (validating("false", rules=({**CONFIG_MAPS, "resourceNames": ["named"]},)), {},
              [config("named"), config("c")]),
    "deployments": (validating(
        {"expression": "object.spec.replicas <= 3", "messageExpression":
         "'too many: ' + string(object.spec.replicas)"},
        "object.spec.template.spec.containers.all(c, has(c.resources) && !has(c.resources.limits))",
        "has(object.status)", rules=(DEPLOYMENTS,)), {},
        [deployment("d1", 2), deployment("d2", 5)]),
    "typed-values": (validating(
        {"expression": "type(object.spec.containers[0].ports[0].containerPort) == int &&"
                       " object.spec.containers[0].resources.limits.cpu == '1' &&"
                       " quantity(object.spec.containers[0].resources.limits.cpu)"
                       ".isGreaterThan(quantity('100m'))", "message": "types"},
        {"expression": "object.spec.terminationGracePeriodSeconds == 30", "message": "defaults"},
        {"expression": "object.kind == 'Pod' && object.apiVersion == 'v1'"}, rules=(PODS,)), {},
        [pod("p1", container={"ports": [{"containerPort": 80}],
                              "resources": {"limits": {"cpu": "1"}}}),
         pod("p2", container={"ports": [{"containerPort": 80}]}), pod("p3")]),
    "old-object": (validating({"expression": "oldObject == null", "message": "update"}), {},
                   [config("c", {"a": "1"})]),
    "errors": (validating("object.data.a.b == 'c'", "object.metadata.nothing == 'x'",
                          "1 == 2",
                          "object.data['a'] == 1", "dyn('a') < 1"), {}, [config("c", {"a": "x"})]),
    "error-index": (validating("[1, 2][int(object.data.a)] == 1"), {}, [config("c", {"a": "5"})]),
    "error-divide": (validating("1 / int(object.data.a) == 1"), {}, [config("c", {"a": "0"})]),
    "error-convert": (validating("int(object.data.a) == 1"), {}, [config("c", {"a": "x"})]),
    "error-types": (validating("object.data.a < 1"), {}, [config("c", {"a": "x"})]),
    "error-null": (validating("oldObject.data.a == 'x'"), {}, [config("c", {"a": "x"})]),
    "has-null": (validating("has(oldObject.data) || has(oldObject.data.a)"), {}, [config()]),
    "call-cost": (validating(
        "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c,"
        " [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f,"
        " a + b + c + d + e + f > 0))))))"), {}, [config()]),
    "authorizer-cost": (validating(
        "authorizer.path('/a').check('get').allowed() || authorizer.path('/b').check('get').allowed()"
        " || authorizer.path('/c').check('get').allowed()",
        "!authorizer.path('/a').check('get').allowed() || !authorizer.path('/b').check('get')"
        ".allowed() || !authorizer.path('/c').check('get').allowed()"), {}, [config()]),
    "libraries": (validating(
        "sets.contains(['a', 'b'], ['a']) && ip('10.0.0.1').family() == 4",
        "cidr('10.0.0.0/8').containsIP('10.1.1.1') && semver('1.2.3').major() == 1",
        "format.dns1123Label().validate('a').hasValue() == false",
        "[3, 1, 2].sort() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2]",
        "['b', 'a'].sortBy(x, x) == ['a', 'b'] && [1, 2, 3].slice(0, 2) == [1, 2]",
        "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && [1, 2].exists(i, v, v == 2)",
        "'%s is %d'.format(['a', 1]) == 'a is 1' && optional.of(1).orValue(2) == 1",
        "url('https://a.b/c').getHost() == 'a.b' && 'abc'.find('b') == 'b'",
        "object.?data.?a.orValue('none') == 'none'",
        {"expression": "false", "message": "all is well"}), {}, [config()]),
    "annotations": (validating(auditAnnotations=[
        {"key": "good", "valueExpression": "'value of ' + object.metadata.name"},
        {"key": "bad", "valueExpression": "object.data.missing + 'x'"}]), {}, [config()]),
}

NAMED_PARAMS = {"paramRef": {"name": "params", "parameterNotFoundAction": "Deny"}}
PARAM_KIND = {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}

# The ConfigMap "params" is created first in these.
WITH_PARAMS = {
    "params": (validating({"expression": "object.data.a == params.data.a", "messageExpression":
                           "'wanted ' + params.data.a + ' of ' + params.kind"},
                          rules=(rule(["secrets"]),), **PARAM_KIND), NAMED_PARAMS,
               [("secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
                             "data": {"a": "eA=="}}),
                ("secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "t"},
                             "data": {"a": "eQ=="}})]),
    "params-missing": (validating("true", rules=(rule(["secrets"]),), **PARAM_KIND),
                       {"paramRef": {"name": "nothing", "parameterNotFoundAction": "Deny"}},
                       [("secrets", {"apiVersion": "v1", "kind": "Secret",
                                     "metadata": {"name": "s"}})]),
    "params-missing-allowed": (
        validating("false", rules=(rule(["secrets"]),), **PARAM_KIND),
        {"paramRef": {"name": "nothing", "parameterNotFoundAction": "Allow"}},
        [("secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})]),
    "params-selected": (
        validating({"expression": "params.data.a == 'y'", "messageExpression":
                    "string(params.metadata.name)"}, rules=(rule(["secrets"]),), **PARAM_KIND),
        {"paramRef": {"selector": {"matchLabels": {"is": "param"}},
                      "parameterNotFoundAction": "Deny"}},
        [("secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})]),
    "params-null": (validating("params == null", rules=(rule(["secrets"]),), **PARAM_KIND), {},
                    [("secrets", {"apiVersion": "v1", "kind": "Secret",
                                  "metadata": {"name": "s"}})]),
    "params-unknown": (
        validating("true", matchConstraints={
            "resourceRules": [rule(["secrets"])], "namespaceSelector": {
                "matchLabels": {"kubernetes.io/metadata.name": "p-params-unknown"}}},
                   paramKind={"apiVersion": "nothing.example/v1", "kind": "Nothing"}), NAMED_PARAMS,
        [("secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})]),
}

MUTATING = {
    "apply": (mutating('Object{metadata: Object.metadata{labels: {"a": "b"}}, data: {"x": "y"}}'),
              {}, [config(), config("d", {"x": "n"}, labels={"c": "d"})]),
    "patch": (mutating('[JSONPatch{op: "add", path: "/data", value: {"x": "y"}},'
                       ' JSONPatch{op: "test", path: "/metadata/name", value: "c"},'
                       ' JSONPatch{op: "add", path: "/metadata/labels", value:'
                       ' {jsonpatch.escapeKey("a/b~c"): "d"}}]'), {}, [config(), config("other")]),
    "patch-empty": (mutating("[JSONPatch{op: 'add', path: '/data', value: {'a': 'b'}}].filter("
                             "p, has(object.data))"), {}, [config(), config("d", {"x": "y"})]),
    "two": (mutating('Object{data: {"x": "y"}}',
                     '[JSONPatch{op: "add", path: "/data/z", value: object.data.x}]'), {},
            [config()]),
    "containers": (mutating(
        'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{'
        'containers: object.spec.template.spec.containers.map(c,'
        ' Object.spec.template.spec.containers{name: c.name, imagePullPolicy: "Always"}) +'
        ' [Object.spec.template.spec.containers{name: "added", image: "b"}]}}}}',
        rules=(DEPLOYMENTS,)), {}, [deployment()]),
    "atomic": (mutating('Object{spec: Object.spec{selector: Object.spec.selector{}}}',
                        rules=(DEPLOYMENTS,)), {}, [deployment()]),
    "undeclared": (mutating('Object{spec: Object.spec{nothing: 1}}', rules=(DEPLOYMENTS,)), {},
                   [deployment()]),
    "mistyped": (mutating('Object{spec: Object.wrong{replicas: 1}}', rules=(DEPLOYMENTS,)), {},
                 [deployment()]),
    "error": (mutating('Object{data: {"x": object.data.missing}}'), {}, [config()]),
    "error-ignored": (mutating('Object{data: {"x": object.data.missing}}', failurePolicy="Ignore"),
                      {}, [config()]),
    "conditions": (mutating('Object{data: {"x": "y"}}', matchConditions=[
        {"name": "m", "expression": "object.metadata.name == 'm'"}]), {}, [config(), config("m")]),
    "variables": (mutating('Object{data: {"x": variables.v}}', variables=[
        {"name": "v", "expression": "object.metadata.name + '!'"}]), {}, [config()]),
    "defaults": (mutating('[JSONPatch{op: "add", path: "/spec/containers/-", value:'
                          ' Object.spec.containers{name: "added", image: "b:1"}}]', rules=(PODS,)),
                 {}, [pod()]),
    "reinvoked": (mutating('Object{data: {"n": string(int(object.?data.?n.orValue("0")) + 1)}}',
                           reinvocation="IfNeeded"), {}, [config()]),
}

# Policies that are created, and refused or not.
INVALID = {
    "types": validating("object.spec.x", "'text'", "1 + 1", "object"),
    "syntax": validating("a +", "object.x ==", "foo(1)", "unknown", "1 + 'a'", "has(1)"),
    "selects": validating("request.nothing == ''", "namespaceObject.metadata.nothing == ''",
                          "request.kind.nothing == 1", "variables.x == 1", "params == null"),
    "messages": validating({"expression": "true", "messageExpression": "1"},
                           {"expression": "true", "messageExpression": " "},
                           {"expression": "true", "messageExpression":
                            "authorizer.path('/x').check('get').reason()"},
                           {"expression": "true", "message": " "}, {"expression": " "}),
    "reasons": validating({"expression": "true", "reason": "Wrong"}),
    "conditions": validating("true", matchConditions=[
        {"name": "a", "expression": "1"}, {"name": "a", "expression": "true"},
        {"name": "-", "expression": "variables.x"}, {"name": "b", "expression": "params == null"}]),
    "variables": validating("variables.good == 1", variables=[
        {"name": "good", "expression": "1"}, {"name": "no-name", "expression": "1"},
        {"name": "namespace", "expression": "1"}, {"name": "later", "expression":
                                                   "variables.last == 1"},
        {"name": "last", "expression": "variables.good + 'a'"}]),
    "annotations": validating(auditAnnotations=[
        {"key": "a", "valueExpression": "1"}, {"key": "a", "valueExpression": "null"},
        {"key": "b", "valueExpression": "'x'"}]),
    "objects": validating("Object{} == null", "jsonpatch.escapeKey('a') == 'a'"),
    "mutations": mutating('Object{a: 1}.a', "[1]", "[JSONPatch{op: 1}]", "JSONPatch{op: 'add'}",
                          "[JSONPatch{nothing: 'add'}]", "Objekt{}"),
    "good": validating("variables.a.size() > 0 && params.x == 1 && authorizer.path('/x').check("
                       "'get').allowed()", variables=[{"name": "a", "expression": "[1, 2]"}],
                       paramKind={"apiVersion": "v1", "kind": "ConfigMap"}),
}
