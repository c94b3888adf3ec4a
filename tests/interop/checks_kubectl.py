# SPDX-License-Identifier: Apache-2.0
"""checks_kubectl.py -- kubectl, the newest and Debian's, with what it reads in OpenAPI."""

import json
import subprocess

from bench import definition, pod
from checks_custom import DEFINITIONS
from program import wait_until

PODS = "/api/v1/namespaces/default/pods"
RULERS = DEFINITIONS + "/rulers.example.com"


class Kubectl:
    def __init__(self, b, name):
        self.command = b.builds.get(name)
        self.env = dict(b.env, HOME=str(b.server.folder / ("home-" + name)))

    def run(self, *words, text=None):
        """Exit code, output and errors."""
        done = subprocess.run([*self.command, *words], input=text, env=self.env, text=True,
                              capture_output=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def says(self, *words, text=None):
        code, out, err = self.run(*words, text=text)
        assert code == 0, (words, code, out, err)
        return out


def explains_built_in_kinds(kubectl):
    said = kubectl.says("explain", "pod.spec.containers")
    for part in ("KIND:", "Pod", "A container to run in a pod", "imagePullPolicy", "<[]string>"):
        assert part in said, said
    deep = kubectl.says("explain", "deployment.spec.template.spec", "--recursive")
    assert "terminationGracePeriodSeconds\t<integer>" in deep, deep[:500]


def explains_custom_kinds(b, kubectl):
    """Also when the definition changes."""
    ruler = definition("rulers", "Ruler")
    schema = ruler["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["properties"]["size"]["description"] = "how long it is"
    b.server.call("POST", DEFINITIONS, ruler)
    try:
        said = wait_until(lambda: kubectl.run("explain", "ruler.spec")[1], 30, "rulers are explained")
        assert "how long it is" in said and "<integer>" in said, said
        b.server.call("PATCH", RULERS, [{
            "op": "add", "value": "how wide it is",
            "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/description",
        }], "application/json-patch+json")
        said = kubectl.says("explain", "ruler.spec")
        assert "how wide it is" in said, said
    finally:
        b.server.call("DELETE", RULERS)


def refuses_unknown_fields(kubectl, words):
    wrong = pod("typo")
    wrong["spec"]["contianers"] = wrong["spec"]["containers"]
    code, _, said = kubectl.run("create", "-f", "-", text=json.dumps(wrong))
    assert code == 1 and any(word in said for word in words), said


def shows_what_would_change(b, kubectl):
    kubectl.says("apply", "-f", "-", text=json.dumps(pod("drawn")))
    changed = pod("drawn")
    changed["spec"]["containers"][0]["image"] = "something"
    try:
        code, said, err = kubectl.run("diff", "-f", "-", text=json.dumps(changed))
        assert code == 1, (code, said, err)
        assert "-  - image: nothing" in said and "+  - image: something" in said, said
        assert "name: c" in said, said  # merged by its key, not replaced
        dry = kubectl.says("apply", "--dry-run=server", "-f", "-", text=json.dumps(changed))
        assert "(server dry run)" in dry, dry
    finally:
        b.server.call("DELETE", PODS + "/drawn?gracePeriodSeconds=0")


def newest_kubectl_explains(b):
    kubectl = Kubectl(b, "kubectl")
    explains_built_in_kinds(kubectl)
    explains_custom_kinds(b, kubectl)


def debians_kubectl_explains(b):
    kubectl = Kubectl(b, "debian")
    explains_built_in_kinds(kubectl)
    explains_custom_kinds(b, kubectl)


def newest_kubectl_refuses_unknown_fields(b):
    """It asks the server to be strict, whose words these are."""
    refuses_unknown_fields(Kubectl(b, "kubectl"), ['unknown field "spec.contianers"'])


def debians_kubectl_refuses_unknown_fields(b):
    """By what it read in the document."""
    refuses_unknown_fields(Kubectl(b, "debian"),
                           ['unknown field "contianers" in io.k8s.api.core.v1.PodSpec'])


def newest_kubectl_shows_what_would_change(b):
    shows_what_would_change(b, Kubectl(b, "kubectl"))


def debians_kubectl_shows_what_would_change(b):
    shows_what_would_change(b, Kubectl(b, "debian"))


def newest_kubectl_does_the_daily_work(b):
    kubectl = Kubectl(b, "kubectl")
    assert "deployments" in kubectl.says("api-resources", "--api-group=apps")
    deployment = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "nothing"}]}}}}
    assert "created" in kubectl.says("apply", "-f", "-", text=json.dumps(deployment))
    assert "unchanged" in kubectl.says("apply", "-f", "-", text=json.dumps(deployment))
    assert "serverside-applied" in kubectl.says("apply", "--server-side", "--force-conflicts", "-f",
                                                "-", text=json.dumps(deployment))
    assert "scaled" in kubectl.says("scale", "deployment/web", "--replicas=3")
    assert "labeled" in kubectl.says("label", "deployment/web", "team=a")
    assert "patched" in kubectl.says("patch", "deployment/web", "-p", json.dumps({"spec": {
        "template": {"spec": {"containers": [{"name": "c", "image": "something"}]}}}}))
    assert "something" in kubectl.says("get", "deployments", "-o", "wide", "-l", "team=a")
    assert "3 desired" in kubectl.says("describe", "deployment/web")
    assert "condition met" in kubectl.says("wait", "deployment/web", "--for=jsonpath={.spec.replicas}=3")
    kubectl.says("run", "lonely", "--image=nothing")
    assert "lonely" in kubectl.says("get", "pods", "--field-selector=metadata.name=lonely")
    assert "lonely" in kubectl.says("describe", "pod/lonely")
    assert "deleted" in kubectl.says("delete", "deployment/web", "pod/lonely", "--now")
    assert kubectl.run("get", "deployment/web")[0] == 1


def newest_kubectl_creates_in_protobuf(b):
    """What it makes up by itself, its typed clients send."""
    kubectl = Kubectl(b, "kubectl")
    kubectl.says("create", "namespace", "made")
    try:
        for words in (["configmap", "settings", "--from-literal=a=1"],
                      ["secret", "generic", "key", "--from-literal=b=2"],
                      ["serviceaccount", "robot"], ["deployment", "web", "--image=nothing"],
                      ["job", "once", "--image=nothing"],
                      ["role", "reader", "--verb=get,list", "--resource=pods"],
                      ["service", "clusterip", "web", "--tcp=80:8080"]):
            assert "created" in kubectl.says("create", "-n", "made", *words), words
        assert kubectl.says("get", "-n", "made", "configmap/settings", "-o", "jsonpath={.data.a}") == "1"
        assert "8080" in kubectl.says("describe", "-n", "made", "service/web")
    finally:
        assert "deleted" in kubectl.says("delete", "namespace", "made")


def knows_what_it_may(kubectl):
    assert kubectl.says("auth", "can-i", "delete", "pods").strip() == "yes"
    assert kubectl.says("auth", "can-i", "get", "/healthz").strip() == "yes"
    listed = kubectl.says("auth", "can-i", "--list").splitlines()
    first = [line.split()[0] for line in listed]
    assert first[:3] == ["Resources", "*.*", "[*]"], listed
    # system:basic-user gives these to everybody.
    assert "selfsubjectaccessreviews.authorization.k8s.io" in first, listed


def debians_kubectl_knows_what_it_may(b):
    knows_what_it_may(Kubectl(b, "debian"))


def newest_kubectl_knows_what_it_may_and_who_it_is(b):
    kubectl = Kubectl(b, "kubectl")
    knows_what_it_may(kubectl)
    who = json.loads(kubectl.says("auth", "whoami", "-o", "json"))["status"]["userInfo"]
    assert who["username"] and "system:authenticated" in who["groups"], who


CHECKS = [
    debians_kubectl_knows_what_it_may,
    debians_kubectl_explains,
    debians_kubectl_refuses_unknown_fields,
    debians_kubectl_shows_what_would_change,
    newest_kubectl_explains,
    newest_kubectl_refuses_unknown_fields,
    newest_kubectl_shows_what_would_change,
    newest_kubectl_does_the_daily_work,
    newest_kubectl_creates_in_protobuf,
    newest_kubectl_knows_what_it_may_and_who_it_is,
]
