#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real_nodes.py -- an unmodified kubelet and kube-proxy on `listwatch serve`, with
kube-controller-manager and kube-scheduler: a part of `make interop`.

    real_nodes.py --build FOLDER --interop FOLDER [WORD...]   the programs; where the programs of
                                                              Kubernetes are built; words of the
                                                              checks to run

The kubelet joins with a bootstrap token.  Its pods have no containers (apiserver/runtime), all else is
real: volumes, tokens, probes, statuses, logs and exec.  The checks run on the embedded store and on
etcd; in between the server is killed, and then the kubelet.  Prints TAP and the complaints in the logs;
the last line counts."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "e2e"), str(HERE / "pods")]  # etcd.py, network.py

import network
import node_agents
from components import MANAGER, SCHEDULER, Server, manager, scheduler
from control_plane import APPS, BATCH, PODS, STRATEGIC, is_at, reaches
from etcd import Cluster as Etcd
from node_agents import NODE, NODE_ADDRESS, Kubelet, Proxy, Runtime
from program import Program, note, wait_until
from scenes import Count, arguments, parser, run_scene, skip_all, version_of

PROGRAMS = [MANAGER, SCHEDULER, "kubelet", "kube-proxy", "stub-runtime"]
CORE, SERVICES = "/api/v1/namespaces/default", "/api/v1/namespaces/default/services"
NODE_PATH = f"/api/v1/nodes/{NODE}"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{NODE}"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
MERGE = "application/merge-patch+json"
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


class NodeServer(Server):
    """Takes bootstrap tokens, calls kubelets with a certificate of its own, and records requests."""

    listens = "0.0.0.0"  # of the test's own network: for pods it is at the node's address

    def start(self, *options):
        Path(self.path("audit.json")).write_text(json.dumps({
            "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}))
        super().start(*options)

    def audited(self, stage="RequestReceived"):
        """The requests so far."""
        with open(self.path("audit.log"), encoding="utf-8") as log:
            events = [json.loads(line) for line in log if line.endswith("\n")]
        return [event for event in events if event["stage"] == stage]

    def command(self):
        return super().command() + [
            "--audit-policy-file", self.path("audit.json"), "--audit-log-path", self.path("audit.log"),
            "--audit-log-mode", "blocking", "--advertise-address", NODE_ADDRESS,
            "--enable-bootstrap-token-auth",
            "--kubelet-client-certificate", self.path("client.crt"),
            "--kubelet-client-key", self.path("client.key"),
            "--kubelet-certificate-authority", self.path("ca.crt"),
            "--kubelet-preferred-address-types", "InternalIP"]


class Scene:
    """A server, a controller manager, a scheduler and one node."""

    def __init__(self, build, interop, etcd_program=None):
        self.interop = interop
        self.etcd = Etcd(program=etcd_program).start() if etcd_program else None
        self.server = self.runtime = None
        self.components = []
        try:
            self.server = NodeServer(build / "listwatch", etcd=self.etcd)
            self.admin = self.server.kubeconfig("admin.kubeconfig", token=self.server.token)
            self.allow_bootstrap()
            self.runtime = Runtime(interop / "stub-runtime", self.server.folder / "runtime")
            self.manager = manager(self.server, interop, "--node-monitor-period=1s",
                                   "--node-monitor-grace-period=10s")
            self.kubelet = Kubelet(self.server, interop / "kubelet", self.runtime)
            self.proxy = Proxy(self.server, interop / "kube-proxy")
            self.components = [self.manager, scheduler(self.server, interop), self.kubelet, self.proxy]
            for component in self.components:
                component.start()
        except BaseException:
            self.remove()
            raise

    def allow_bootstrap(self):
        name, secret = node_agents.TOKEN.split(".")
        self.server.call("POST", "/api/v1/namespaces/kube-system/secrets", {
            "metadata": {"name": "bootstrap-token-" + name}, "type": "bootstrap.kubernetes.io/token",
            "stringData": {"token-id": name, "token-secret": secret,
                           "usage-bootstrap-authentication": "true",
                           "auth-extra-groups": node_agents.BOOTSTRAPPERS}})
        for name, (role, group) in node_agents.BINDINGS.items():
            self.server.call("POST", ROLES, {
                "metadata": {"name": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}]})

    def kubectl(self, *words, text=None):
        """What kubectl prints; an exit code of 1 and more is a failed check."""
        done = subprocess.run([self.interop / "kubectl", "--kubeconfig", self.admin, *words],
                              input=text, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"kubectl {words}: {done.returncode} {done.stderr}"
        return done.stdout

    def pods(self, app):
        return self.server.call("GET", f"{PODS}?labelSelector=app%3D{app}")["items"]

    def run(self, check):
        check(self)

    def servers(self):
        return [self.server]

    def remove(self):
        for component in self.components:
            component.end()
        node_agents.keep_logs(self.components, self.interop)
        if self.runtime:
            self.runtime.end()
        if self.server:
            node_agents.unmount_below(self.server.folder)
            self.server.remove()
        if self.etcd:
            self.etcd.stop()


def condition(thing, kind):
    """The status of a condition; empty: it has none."""
    return next((item["status"] for item in thing.get("status", {}).get("conditions", [])
                 if item["type"] == kind), "")


def node(scene):
    status, text = scene.server.request("GET", NODE_PATH)
    return json.loads(text) if status == 200 else {}


def requests_of_signer(scene, name):
    return [item for item in scene.server.call("GET", REQUESTS)["items"]
            if item["spec"]["signerName"] == "kubernetes.io/" + name]


def the_kubelet_gets_its_certificates(scene):
    first = wait_until(lambda: next(
        (item for item in requests_of_signer(scene, "kube-apiserver-client-kubelet")
         if item.get("status", {}).get("certificate")), None), 60, "a certificate for the kubelet")
    assert first["spec"]["username"] == "system:bootstrap:abcdef", first["spec"]
    # Nobody approves those of servers by itself.  The kubelet may ask twice: it breaks its
    # connections off when it has got the first certificate.
    def serves():
        for waiting in requests_of_signer(scene, "kubelet-serving"):
            assert waiting["spec"]["username"] == f"system:node:{NODE}", waiting["spec"]
            if not waiting.get("status"):
                scene.kubectl("certificate", "approve", waiting["metadata"]["name"])
        return scene.server.request("GET", NODE_PATH + "/proxy/healthz")[0] == 200
    wait_until(serves, 90, "the kubelet serves with a certificate")


def the_node_is_registered_and_ready(scene):
    wait_until(lambda: condition(node(scene), "Ready") == "True", 60, f"{NODE} is ready")
    found = node(scene)
    addresses = {item["type"]: item["address"] for item in found["status"]["addresses"]}
    assert addresses == {"InternalIP": NODE_ADDRESS, "Hostname": NODE}, addresses
    assert found["status"]["nodeInfo"]["kubeletVersion"] == "v1.37.1", found["status"]["nodeInfo"]
    assert found["status"]["nodeInfo"]["containerRuntimeVersion"] == "stub://1.0.0", found["status"]
    wait_until(lambda: not node(scene)["spec"].get("taints"), 60, "the node has no taints")


def its_lease_is_renewed(scene):
    first = scene.server.call("GET", LEASE)
    assert first["spec"]["holderIdentity"] == NODE, first["spec"]
    assert first["metadata"]["ownerReferences"][0]["name"] == NODE, first["metadata"]
    wait_until(lambda: scene.server.call("GET", LEASE)["spec"]["renewTime"]
               > first["spec"]["renewTime"], 30, "the lease is renewed")


def deployment(name, replicas):
    volumes = [{"name": "config", "configMap": {"name": "settings"}},
               {"name": "keys", "secret": {"secretName": "keys"}},
               {"name": "pod", "downwardAPI": {"items": [
                   {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
               {"name": "scratch", "emptyDir": {}}]
    container = {
        "name": "c", "image": "example.com/web:1", "command": ["serve", name],
        "ports": [{"containerPort": 8080}],
        "env": [{"name": "COLOUR", "valueFrom": {"configMapKeyRef": {"name": "settings",
                                                                     "key": "colour"}}}],
        "readinessProbe": {"exec": {"command": ["test", "-e", "/config/ready"]}, "periodSeconds": 1},
        "volumeMounts": [{"name": item["name"], "mountPath": "/" + item["name"]} for item in volumes]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}},
                     "spec": {"containers": [container], "volumes": volumes}}}}


def pods_of_a_deployment_run(scene):
    server = scene.server
    server.call("POST", CORE + "/configmaps", {"metadata": {"name": "settings"},
                                               "data": {"colour": "blue"}})
    server.call("POST", CORE + "/secrets", {"metadata": {"name": "keys"},
                                            "stringData": {"key": "hidden"}})
    server.call("POST", APPS + "/deployments", deployment("web", 3))
    wait_until(lambda: [pod["status"]["phase"] for pod in scene.pods("web")] == ["Running"] * 3, 90,
               "three pods run")
    assert is_at(scene, APPS + "/deployments/web", unavailableReplicas=3), "ready without the file"
    for pod in scene.pods("web"):
        assert pod["spec"]["nodeName"] == NODE, pod["spec"]
        assert pod["status"]["hostIP"] == NODE_ADDRESS and pod["status"]["podIP"], pod["status"]
        state = pod["status"]["containerStatuses"][0]
        assert state["started"] and "running" in state["state"] and not state["ready"], state


def a_changed_config_map_reaches_the_pods(scene):
    scene.server.call("PATCH", CORE + "/configmaps/settings",
                      {"data": {"colour": "green", "ready": "yes"}}, MERGE)
    reaches(scene, APPS + "/deployments/web", readyReplicas=3, availableReplicas=3)
    name = scene.pods("web")[0]["metadata"]["name"]
    files = {"/config/colour": "green", "/keys/key": "hidden", "/pod/name": name}
    for path, text in files.items():
        assert scene.kubectl("exec", name, "--", "cat", path) == text, path
    for kind in ("configmaps", "secrets"):
        watched = [event["requestURI"] for event in scene.server.audited()
                   if event["user"]["username"] == f"system:node:{NODE}" and event["verb"] == "watch"
                   and event["objectRef"]["resource"] == kind]
        assert any("fieldSelector=metadata.name%3D" in path for path in watched), watched


def a_pod_has_a_token_of_its_own(scene):
    server, pod = scene.server, scene.pods("web")[0]
    token = scene.kubectl("exec", pod["metadata"]["name"], "--", "cat", ACCOUNT + "/token")
    status, text = server.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                                  {"apiVersion": "authentication.k8s.io/v1",
                                   "kind": "SelfSubjectReview"}, token=token)
    assert status == 201, text
    user = json.loads(text)["status"]["userInfo"]
    assert user["username"] == "system:serviceaccount:default:default", user
    extra = user["extra"]
    assert extra["authentication.kubernetes.io/pod-name"] == [pod["metadata"]["name"]], extra
    assert extra["authentication.kubernetes.io/node-name"] == [NODE], extra
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims["kubernetes.io"]["pod"]["uid"] == pod["metadata"]["uid"], claims
    # The controller manager's --root-ca-file, which the server leaves in place.
    root = Path(server.path("ca.crt")).read_text()
    wait_until(lambda: scene.kubectl("exec", pod["metadata"]["name"], "--", "cat",
                                     ACCOUNT + "/ca.crt") == root, 90, "the CA in the pod")


def forwarded(scene, name, data):
    """What a port of the pod sends back."""
    run = Program([str(scene.interop / "kubectl"), "--kubeconfig", scene.admin, "port-forward",
                   "pod/" + name, ":8080"], dict(os.environ))
    try:
        port = re.search(r"127.0.0.1:(\d+)", run.says("Forwarding from 127.0.0.1:"))[1]
        with socket.create_connection(("127.0.0.1", int(port)), timeout=30) as connection:
            connection.sendall(data)
            found = b""
            while len(found) < len(data):
                found += connection.recv(len(data)) or b"<end>"
            return found
    finally:
        run.ends(signal.SIGTERM)


def logs_exec_attach_and_port_forward_reach_the_kubelet(scene):
    name = scene.pods("web")[0]["metadata"]["name"]
    assert scene.kubectl("logs", name) == "serve web\n"
    assert scene.kubectl("exec", "-i", name, "--", "cat", text="to and fro") == "to and fro"
    try:
        scene.kubectl("exec", name, "--", "nonsense")
        raise AssertionError("nonsense has succeeded")
    except AssertionError as failure:
        assert "127" in str(failure) and "no such command" in str(failure), failure
    assert "attached to c" in scene.kubectl("attach", name)
    assert forwarded(scene, name, b"there and back") == b"there and back"
    listed = json.loads(scene.kubectl("get", "--raw", NODE_PATH + "/proxy/pods"))["items"]
    assert name in [pod["metadata"]["name"] for pod in listed], listed


def pods_end_as_their_programs_do(scene):
    server = scene.server
    pod = {"restartPolicy": "Never", "containers": [
        {"name": "c", "image": "i", "command": ["exit", "0"]}]}
    server.call("POST", BATCH + "/jobs", {"metadata": {"name": "work"}, "spec": {
        "completions": 2, "parallelism": 2, "template": {"spec": pod}}})
    pod["containers"][0]["command"] = ["exit", "3"]
    server.call("POST", PODS, {"metadata": {"name": "fails"}, "spec": pod})
    reaches(scene, BATCH + "/jobs/work", succeeded=2)
    reaches(scene, PODS + "/fails", phase="Failed")
    state = server.call("GET", PODS + "/fails")["status"]["containerStatuses"][0]["state"]
    assert state["terminated"]["exitCode"] == 3, state


def a_static_pod_has_a_mirror(scene):
    manifest, draft = scene.kubelet.pods / "static.json", scene.kubelet.folder / "static.json"
    draft.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "static"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    draft.rename(manifest)  # the kubelet must not read half of it
    path = f"{PODS}/static-{NODE}"
    wait_until(lambda: scene.server.request("GET", path)[0] == 200, 60, "a mirror pod")
    reaches(scene, path, phase="Running")
    assert "kubernetes.io/config.mirror" in scene.server.call("GET", path)["metadata"]["annotations"]
    manifest.unlink()
    wait_until(lambda: scene.server.request("GET", path)[0] == 404, 60, "no mirror pod")


def have_rules(scene, addresses, gone=()):
    """Waits for rules of the Service for all |addresses| of its pods, and none for those that are
    |gone|."""
    def are_there():
        table = scene.proxy.nat("default/web -> ")
        return (all(f"--to-destination {one}:8080" in table for one in addresses)
                and not any(f"--to-destination {one}:8080" in table for one in gone))
    wait_until(are_there, 60, f"rules for {addresses}, none for {gone}")


def kube_proxy_writes_rules_for_services(scene):
    server, proxy = scene.server, scene.proxy
    server.call("POST", SERVICES, {"metadata": {"name": "web"}, "spec": {
        "type": "NodePort", "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}})
    service = server.call("GET", SERVICES + "/web")["spec"]
    addresses = [pod["status"]["podIP"] for pod in scene.pods("web")]
    wait_until(lambda: f"-d {service['clusterIP']} --dport 80 -j KUBE-SVC-" in proxy.nat(), 60,
               "a rule for the address of the Service")
    assert f"--dport {service['ports'][0]['nodePort']} -j KUBE-EXT-" in proxy.nat()
    have_rules(scene, addresses)
    server.call("PATCH", APPS + "/deployments/web/scale", {"spec": {"replicas": 2}}, MERGE)
    wait_until(lambda: len(scene.pods("web")) == 2, 90, "two pods are left")
    left = {pod["status"]["podIP"] for pod in scene.pods("web")}
    have_rules(scene, left, set(addresses) - left)
    assert f"--to-destination {NODE_ADDRESS}:{server.port}" in proxy.nat("default/kubernetes:https ->")
    assert proxy.get(proxy.healthz, "/healthz")[0] == 200
    synced = re.search(r"^kubeproxy_sync_proxy_rules_last_timestamp_seconds.* (\S+)$",
                       proxy.get(proxy.metrics, "/metrics")[1], re.M)
    assert synced and float(synced[1]) > 0, "kube-proxy has never synced"


def events_are_recorded(scene):
    reasons = {event["reason"] for event in scene.server.call("GET", CORE + "/events")["items"]}
    assert {"Scheduled", "Pulled", "Created", "Started", "NodeReady"} <= reasons, reasons


def a_pod_is_deleted_gracefully(scene):
    server, pod = scene.server, scene.pods("web")[0]
    name, revision = pod["metadata"]["name"], pod["metadata"]["resourceVersion"]
    connection, reply = server.open("GET", f"{PODS}?watch=1&timeoutSeconds=60&resourceVersion={revision}"
                                    f"&fieldSelector=metadata.name%3D{name}", timeout=90)
    try:
        answer = server.call("DELETE", f"{PODS}/{name}")
        assert answer["metadata"]["deletionGracePeriodSeconds"] == 30, answer["metadata"]
        events = []
        while not events or events[-1]["type"] != "DELETED":
            events.append(json.loads(reply.readline()))
    finally:
        connection.close()
    ended = [event for event in events if event["type"] == "MODIFIED"
             and "terminated" in event["object"]["status"]["containerStatuses"][0]["state"]]
    assert ended, "deleted before its container was seen to end"
    assert ended[-1]["object"]["status"]["phase"] in ("Succeeded", "Failed"), ended[-1]["object"]["status"]
    reaches(scene, APPS + "/deployments/web", readyReplicas=2)


def a_killed_server_is_followed_on(scene):
    server = scene.server
    users = [f"system:node:{NODE}", "system:kube-proxy", "system:kube-scheduler"]
    count = len(server.audited())
    before = {pod["metadata"]["uid"] for pod in scene.pods("web")}
    server.restart()
    first = server.call("GET", LEASE)["spec"]["renewTime"]
    wait_until(lambda: server.call("GET", LEASE)["spec"]["renewTime"] > first, 60,
               "the lease is renewed")
    server.call("PATCH", APPS + "/deployments/web", {"spec": {"replicas": 4}}, STRATEGIC)
    reaches(scene, APPS + "/deployments/web", readyReplicas=4)
    after = {pod["metadata"]["uid"] for pod in scene.pods("web")}
    assert before < after, "pods were replaced"
    have_rules(scene, [pod["status"]["podIP"] for pod in scene.pods("web")])
    found = [event for event in server.audited()[count:] if event["user"]["username"] in users]
    watches = [event["requestURI"] for event in found if event["verb"] == "watch"]
    lists = [event["requestURI"] for event in found
             if event["verb"] == "list" or "sendInitialEvents=true" in event["requestURI"]]
    note(f"after the restart: {len(watches)} watches, {len(lists)} lists")
    assert watches and not lists, f"listed again: {lists}"


def a_killed_kubelet_finds_its_pods_again(scene):
    before = {pod["metadata"]["uid"] for pod in scene.pods("web")}
    scene.kubelet.runs[-1].process.send_signal(signal.SIGKILL)
    wait_until(lambda: condition(node(scene), "Ready") == "Unknown", 90, "the node is lost")
    wait_until(lambda: "node.kubernetes.io/unreachable" in
               [taint["key"] for taint in node(scene)["spec"].get("taints", [])], 60, "a taint")
    wait_until(lambda: all(condition(pod, "Ready") == "False" for pod in scene.pods("web")), 60,
               "no pod of it is ready")
    name = scene.pods("web")[0]["metadata"]["name"]
    status, text = scene.server.request("GET", f"{PODS}/{name}/log")
    assert status == 500 and f'/containerLogs/default/{name}/c' in text, text
    scene.kubelet.start()
    wait_until(lambda: condition(node(scene), "Ready") == "True", 60, "the node is back")
    reaches(scene, APPS + "/deployments/web", readyReplicas=4)
    pods = scene.pods("web")
    assert {pod["metadata"]["uid"] for pod in pods} == before, "pods were replaced"
    assert not any(pod["status"]["containerStatuses"][0]["restartCount"] for pod in pods), pods
    assert len(requests_of_signer(scene, "kube-apiserver-client-kubelet")) == 1, "joined again"


def a_deleted_service_loses_its_rules(scene):
    address = scene.server.call("GET", SERVICES + "/web")["spec"]["clusterIP"]
    scene.server.call("DELETE", SERVICES + "/web")
    wait_until(lambda: f"-d {address} " not in scene.proxy.nat(), 60,
               "no rules for the Service")


def is_refusal(user, verb, resource, code):
    """Whether an answer says that the server lacks something, or gives too little access."""
    if user in ("admin", "system:anonymous"):  # the checks; the kubelet before it has a certificate
        return False
    if code == 403 and (user, verb, resource) == (f"system:node:{NODE}", "get", "pods"):
        return False  # a pod that is gone: see Kubelet.harmless
    return (code in (400, 403, 405, 406, 415, 422) or code >= 500
            or code == 404 and verb in ("list", "watch"))


def the_logs_are_clean(scene):
    for component in scene.components:
        component.print_complaints()
    answers = Counter((event["user"]["username"], event["verb"], event["objectRef"]["resource"],
                       event["responseStatus"]["code"])
                      for event in scene.server.audited("ResponseComplete") if event.get("objectRef"))
    for answer, number in sorted(answers.items()):
        if answer[3] >= 400:
            note(f"{number}x {answer[3]} for {answer[1]} of {answer[2]} by {answer[0]}")
    faults = [answer for answer in answers if is_refusal(*answer)]
    faults += [line for component in scene.components for line in component.faults()]
    assert not faults, faults[:5]


CHECKS = [
    the_kubelet_gets_its_certificates,
    the_node_is_registered_and_ready,
    its_lease_is_renewed,
    pods_of_a_deployment_run,
    a_changed_config_map_reaches_the_pods,
    a_pod_has_a_token_of_its_own,
    logs_exec_attach_and_port_forward_reach_the_kubelet,
    pods_end_as_their_programs_do,
    a_static_pod_has_a_mirror,
    kube_proxy_writes_rules_for_services,
    events_are_recorded,
    a_pod_is_deleted_gracefully,
    a_killed_server_is_followed_on,
    a_killed_kubelet_finds_its_pods_again,
    a_deleted_service_loses_its_rules,
    the_logs_are_clean,
]


def prepare(build, interop):
    """Builds what is missing, and goes on in a network of its own; does not return."""
    done = subprocess.run(["sh", HERE / "build.sh", interop, *PROGRAMS, "etcd", "kubectl"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        skip_all(done.stdout.strip() or f"build.sh failed: {done.returncode}")
    reason = network.why_not() or node_agents.why_not(build, interop, Path(tempfile.gettempdir()))
    if reason:
        skip_all(reason)
    network.enter()


def main():
    args = arguments(parser(__doc__))
    build, interop = args.build, args.interop
    if not network.is_inside():
        prepare(build, interop)
    network.make(NODE_ADDRESS)
    with tempfile.TemporaryDirectory(prefix="listwatch-settings-") as folder:
        node_agents.isolate(Path(folder))
        for program in PROGRAMS[:-1]:
            note(f"{program}: {version_of(interop / program, '--version')}")
        count = Count()
        for title, etcd in (("embedded store", None), ("etcd", str(interop / "etcd"))):
            run_scene(count, title, lambda e=etcd: Scene(build, interop, e), CHECKS, args.only, interop)
    count.end()


if __name__ == "__main__":
    main()
