# SPDX-License-Identifier: Apache-2.0
"""shared_etcd.py -- kube-apiserver and `listwatch serve` on one etcd of three members.

kube-apiserver is told to keep JSON, which listwatch reads and writes.  Both must then show the same
objects at the same revisions and the same changes, whoever made them.  What may differ is in
`comparable`; what is compared lies in a namespace of its own, since kube-apiserver writes leases
and config maps for itself."""

import json

from bench import MERGE, Bench, config_map, custom, definition, event, namespace, pod
from etcd import Cluster
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import wait_until

NS = "shared"
JSON = "application/json"

DEPLOYMENT = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": NS},
    "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nothing"}]}}}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": NS},
           "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key", "namespace": NS},
          "stringData": {"password": "opensesame"}}
LEASE = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
         "metadata": {"name": "leader", "namespace": NS},
         "spec": {"holderIdentity": "one", "leaseDurationSeconds": 15}}


class Kind:
    """A resource both servers have: where it is served, where kube-apiserver keeps it, and one."""

    def __init__(self, path, key, example, patch):
        self.path, self.key, self.example, self.patch = path, key, example, patch
        self.name = example["metadata"]["name"]


def core(plural):
    return f"/api/v1/namespaces/{NS}/{plural}"


# Built-in kinds are kept without their group, some under another name; custom resources and their
# definitions with it.
LABEL = {"metadata": {"labels": {"changed": "yes"}}}
KINDS = [
    Kind(core("configmaps"), f"/registry/configmaps/{NS}/", config_map("settings", NS, k="v"),
         {"data": {"k": "w"}}),
    Kind(core("secrets"), f"/registry/secrets/{NS}/", SECRET, LABEL),
    Kind(core("pods"), f"/registry/pods/{NS}/", pod("web-1", NS, app="web"), LABEL),
    Kind(core("services"), f"/registry/services/specs/{NS}/", SERVICE, LABEL),
    Kind(core("events"), f"/registry/events/{NS}/", event("happened", NS), {"message": "again"}),
    Kind(f"/apis/apps/v1/namespaces/{NS}/deployments", f"/registry/deployments/{NS}/", DEPLOYMENT,
         {"spec": {"replicas": 3}}),
    Kind(f"/apis/coordination.k8s.io/v1/namespaces/{NS}/leases", f"/registry/leases/{NS}/", LEASE,
         {"spec": {"holderIdentity": "two"}}),
]
NAMESPACES = Kind("/api/v1/namespaces", "/registry/namespaces/", namespace(NS, tier="one"), LABEL)
DEFINITIONS = Kind("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                   "/registry/apiextensions.k8s.io/customresourcedefinitions/",
                   definition("widgets", "Widget"), LABEL)
CUSTOMS = Kind(f"/apis/example.com/v1/namespaces/{NS}/widgets", f"/registry/example.com/widgets/{NS}/",
               custom("Widget", "gear", 1, NS), {"spec": {"size": 2}})


def without_empty(value):
    """kube-apiserver writes some empty fields always and leaves others out, whatever is kept."""
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    if not isinstance(value, dict):
        return value
    rest = {name: without_empty(item) for name, item in value.items()}
    return {name: item for name, item in rest.items() if item not in (None, "", [], {})}


def comparable(obj):
    """An object without what may differ: empty fields, managedFields, and kind and apiVersion,
    which items of a list have or have not."""
    obj = without_empty(obj)
    rest = {name: value for name, value in obj.items() if name not in ("kind", "apiVersion")}
    rest["metadata"] = {name: value for name, value in obj["metadata"].items()
                        if name != "managedFields"}
    return rest


def listed(server, path):
    return [comparable(item) for item in server.call("GET", path)["items"]]


class Stream:
    """A watch read without the library; its events one by one."""

    def __init__(self, server, path, revision):
        self.name = server.name
        self.connection, self.reply = server.open(
            "GET", f"{path}?watch=1&timeoutSeconds=60&resourceVersion={revision}")
        assert self.reply.status == 200, (server.name, path, self.reply.read())

    def next(self):
        line = self.reply.readline()
        assert line, f"{self.name} has ended its watch"
        told = json.loads(line)
        return told["type"], comparable(told["object"])

    def close(self):
        self.connection.close()


class House:
    """Three members of etcd, and the servers on them; kube-apiserver has made one of each kind."""

    def __init__(self, build, apiserver, etcd_program):
        self.build = build
        self.etcd = self.kube = self.ours = None
        try:
            self.etcd = Cluster(3, etcd_program).start()
            self.kube = KubeApiserver(apiserver, etcd=self.etcd, storage_media_type=JSON)
            self.furnish()
        except BaseException:
            self.remove()
            raise

    def furnish(self):
        self.kube.call("POST", NAMESPACES.path, NAMESPACES.example)
        self.kube.call("POST", DEFINITIONS.path, DEFINITIONS.example)
        wait_until(lambda: self.kube.request("GET", CUSTOMS.path)[0] == 200, 60, "it has widgets")
        for kind in [*KINDS, CUSTOMS]:
            self.kube.call("POST", kind.path, kind.example)

    def need_ours(self):
        """`listwatch serve` on the same etcd, from the first check on that wants it."""
        if not self.ours:
            self.ours = ListwatchServe(self.build / "listwatch", self.etcd)
        return self.ours

    def kinds(self):
        """What both serve."""
        customs = self.ours.request("GET", CUSTOMS.path)[0] == 200
        return [NAMESPACES, DEFINITIONS, *KINDS] + ([CUSTOMS] if customs else [])

    def run(self, check):
        """A server that a check has left dead is started for the next."""
        try:
            check(self)
        finally:
            for server in self.servers():
                if not server.is_running():
                    server.start()

    def servers(self):
        return [server for server in (self.kube, self.ours) if server]

    def remove(self):
        for server in self.servers():
            server.remove()
        if self.etcd:
            self.etcd.stop()


def kube_apiserver_keeps_json_where_it_is_expected(h):
    for kind in [NAMESPACES, DEFINITIONS, *KINDS, CUSTOMS]:
        kept = h.etcd.read(kind.key)
        value = kept.get(kind.key + kind.name)
        assert value, (kind.key, list(kept))
        assert json.loads(value[1])["kind"] == kind.example["kind"], value


def both_list_the_same_objects(h):
    h.need_ours()
    for kind in h.kinds():
        if kind is DEFINITIONS:
            continue  # kube-apiserver keeps them in the form of v1beta1; listwatch shows that
        theirs, mine = listed(h.kube, kind.path), listed(h.ours, kind.path)
        assert theirs and mine == theirs, (kind.path, mine, theirs)


def changes_are_the_same(h, writer):
    """|writer| makes, changes and deletes one of each kind; both servers tell of the same."""
    other = h.ours if writer is h.kube else h.kube
    for kind in h.kinds():
        if kind in (NAMESPACES, DEFINITIONS):
            continue  # these take others to make and to delete
        example = json.loads(json.dumps(kind.example))
        example["metadata"]["name"] = "by-" + writer.name.replace(" ", "-")
        one = f"{kind.path}/{example['metadata']['name']}"
        head = h.kube.call("GET", kind.path)["metadata"]["resourceVersion"]
        streams = [Stream(server, kind.path, head) for server in (h.kube, h.ours)]
        writer.call("POST", kind.path, example)
        writer.call("PATCH", one, kind.patch, MERGE)
        wait_until(lambda: other.request("GET", one)[0] == 200, 30, f"{other.name} has {one}")
        writer.call("DELETE", one + "?gracePeriodSeconds=0")
        told = []  # ADDED, MODIFIED, DELETED; of pods another one, that they are to be deleted
        while told[-1:] != ["DELETED"]:
            theirs, mine = (stream.next() for stream in streams)
            assert mine == theirs, (kind.path, mine, theirs)
            told.append(theirs[0])
        assert told[0] == "ADDED" and set(told[1:-1]) == {"MODIFIED"}, (kind.path, told)
        for stream in streams:
            stream.close()


def writes_through_kube_apiserver_are_told_by_both(h):
    h.need_ours()
    changes_are_the_same(h, h.kube)


def writes_through_listwatch_are_told_by_both(h):
    h.need_ours()
    changes_are_the_same(h, h.ours)


def each_changes_what_the_other_has_made(h):
    h.need_ours()
    path = core("configmaps")
    for maker, changer in ((h.kube, h.ours), (h.ours, h.kube)):
        made = maker.call("POST", path, config_map("passed-on", NS, n="0"))
        for n in range(1, 6):
            made["data"]["n"] = str(n)
            made = (changer if n % 2 else maker).call("PUT", path + "/passed-on", made)
        assert listed(h.ours, path) == listed(h.kube, path)
        made["metadata"]["resourceVersion"] = "1"
        status, text = changer.request("PUT", path + "/passed-on", made)
        assert status == 409, (status, text)
        changer.call("DELETE", path + "/passed-on")
        wait_until(lambda: maker.request("GET", path + "/passed-on")[0] == 404, 30,
                   f"{maker.name} knows that it is deleted")


def has_written(server, obj):
    try:
        return server.request("POST", core("configmaps"), obj)[0] in (201, 409)
    except OSError:
        return False


def leads(etcd):
    """The leader's index in a list, which is empty while there is none."""
    return [index for index in [etcd.leader()] if index is not None]


def informers_go_on_when_etcds_leader_dies(h):
    benches = [Bench(h.build, server) for server in h.servers()]
    try:
        watches = [bench.watch("configmaps", "-n", NS) for bench in benches]
        for bench, watch in zip(benches, watches):
            bench.agrees(watch, core("configmaps"))
        leader = wait_until(lambda: leads(h.etcd), 30, "etcd has a leader")[0]
        h.etcd.kill(leader)
        try:
            wait_until(lambda: leads(h.etcd), 30, "etcd has another leader")
            wait_until(lambda: has_written(h.kube, config_map("after-leader", NS)), 60,
                       "kube-apiserver writes again")
            for bench, watch in zip(benches, watches):
                watch.says(f"ADDED {NS}/after-leader ", 60)
                bench.agrees(watch, core("configmaps"))
                watch.stats()
        finally:
            h.etcd.restart(leader)
            assert h.etcd.await_health()
    finally:
        for bench in benches:
            bench.end_all()


def both_forget_what_etcd_has_compacted(h):
    h.need_ours()
    path = core("events")  # of these kube-apiserver has no cache
    known = h.kube.call("GET", path)["metadata"]["resourceVersion"]
    for n in range(3):
        h.kube.call("POST", path, event(f"late-{n}", NS))
    h.etcd.compact()
    for server in h.servers():
        server.restart()
        assert server.is_gone(path, known), server.name


CHECKS = [
    kube_apiserver_keeps_json_where_it_is_expected,
    both_list_the_same_objects,
    writes_through_kube_apiserver_are_told_by_both,
    writes_through_listwatch_are_told_by_both,
    each_changes_what_the_other_has_made,
    informers_go_on_when_etcds_leader_dies,
    both_forget_what_etcd_has_compacted,
]
