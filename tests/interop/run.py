#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py -- the client side against a real kube-apiserver with a real etcd: `make interop`.

    run.py --build FOLDER --interop FOLDER     the programs; where kube-apiserver is built

Prints TAP; the last line counts.  Where the server cannot be had it says why, and skips."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from pathlib import Path

from cluster import Cluster, Program, wait_until

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COLD_MAPS = 2000
MERGE = "application/merge-patch+json"
MAPS = "/api/v1/namespaces/default/configmaps"
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"


class Bench:
    """What a check works with: the cluster, and our programs with a kubeconfig for it."""

    def __init__(self, build, cluster):
        self.build = build
        self.cluster = cluster
        self.env = dict(os.environ, KUBECONFIG=cluster.kubeconfig("admin.json",
                                                                  token=cluster.token))
        self.running = []

    def listwatch(self, *words, text=None, code=0, env=None):
        done = subprocess.run([self.build / "listwatch", *words], env=env or self.env, input=text,
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == code, (words, done.returncode, done.stdout[-500:], done.stderr)
        return done.stdout if code == 0 else done.stderr

    def apply(self, *objects):
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        return self.listwatch("apply", "-f", "-", text=json.dumps(items))

    def start(self, *command, env=None, stdin=None):
        program = Program([str(word) for word in command], env or self.env, stdin)
        self.running.append(program)
        return program

    def watch(self, *words, env=None):
        return self.start(self.build / "listwatch", "watch", *words, "--stats", "json", env=env)

    def example(self, name, *words, stdin=None):
        return self.start(self.build / "examples" / name, *words, stdin=stdin)

    def agrees(self, watch, path, seconds=60):
        """Waits until the informer holds exactly what a fresh list shows."""
        wait_until(lambda: watch.cache() == self.cluster.list(path), seconds,
                   f"the informer agrees with a list of {path}; {watch.errors[-3:]}")

    def end_all(self):
        for program in self.running:
            if program.process.poll() is None:
                program.process.kill()
                program.process.wait()
        self.running.clear()


def config_map(name, ns="default", labels=None, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": ns, "labels": labels or {}}, "data": data}


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pod(name, **labels):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": labels},
            "spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "nothing"}]}}


def get_apply_and_delete_of_config_maps(b):
    b.apply(config_map("first", k="1"), config_map("second", k="2"))
    assert b.listwatch("get", "configmaps", "-o", "name").split() == \
        ["configmap/first", "configmap/second"], b.listwatch("get", "configmaps", "-o", "name")
    b.apply(config_map("first", j="added"))
    got = b.cluster.call("GET", MAPS + "/first")
    assert got["data"] == {"k": "1", "j": "added"}, got
    shown = json.loads(b.listwatch("get", "cm/first", "-o", "json"))
    assert shown["metadata"]["uid"] == got["metadata"]["uid"], shown
    b.listwatch("delete", "configmaps", "first", "second")
    assert not b.cluster.list(MAPS)
    assert "not found" in b.listwatch("get", "configmap", "first", code=1)


def get_apply_and_delete_of_namespaces(b):
    watch = b.watch("namespaces")
    watch.says("ADDED default ")
    b.apply(namespace("made", tier="one"))
    watch.says("ADDED made ")
    assert b.listwatch("get", "ns", "-l", "tier=one", "-o", "name").strip() == "namespace/made"
    b.listwatch("delete", "namespace", "made")  # stays, being deleted: nobody finalizes it here
    watch.says("MODIFIED made ")
    got = json.loads(b.listwatch("get", "namespace", "made", "-o", "json"))
    assert got["status"]["phase"] == "Terminating", got
    b.agrees(watch, "/api/v1/namespaces")
    watch.stats()


def a_table_of_the_nodes_and_services_there_are(b):
    assert b.listwatch("get", "nodes") is not None
    table = b.listwatch("get", "services", "-A")
    assert "kubernetes" in table, table


def a_user_who_may_not_is_told_so(b):
    nobody = dict(b.env, KUBECONFIG=b.cluster.kubeconfig("nobody.json", token="nobody-token"))
    said = b.listwatch("get", "configmaps", env=nobody, code=1)
    assert "forbidden" in said and "nobody" in said, said
    unknown = dict(b.env, KUBECONFIG=b.cluster.kubeconfig("unknown.json", token="wrong"))
    said = b.listwatch("get", "configmaps", env=unknown, code=1)
    assert "nauthorized" in said, said


def a_client_certificate_is_believed(b):
    config = b.cluster.kubeconfig("certificate.json", **{
        "client-certificate": b.cluster.path("client.crt"),
        "client-key": b.cluster.path("client.key")})
    env = dict(b.env, KUBECONFIG=config)
    assert "namespace/default" in b.listwatch("get", "ns", "-o", "name", env=env)


def example_01_lists_pods(b):
    b.apply(pod("web-1", app="web"), pod("db-1", app="db"))
    run = b.example("01_list", "app=web")
    assert run.ends() == 0 and run.lines == ["default/web-1 on node-1", "1 pods"], run.lines


def example_02_shows_what_is_there_and_what_changes(b):
    b.apply(config_map("before"))
    run = b.example("02_watch", "8")
    run.says("ADDED default/before")
    b.apply(config_map("meanwhile"))
    run.says("ADDED default/meanwhile")
    b.listwatch("delete", "cm", "before", "meanwhile")
    run.says("DELETED default/before")
    assert run.ends() == 0, run.errors  # the server ends it after eight seconds


def example_03_goes_on_where_a_watch_has_ended(b):
    b.apply(config_map("listed"))
    run = b.example("03_list_then_watch", "3", "3")
    run.says("LISTED listed")
    run.says("-- as of ")
    b.apply(config_map("watched"))
    run.says("ADDED watched")
    assert run.ends() == 0, run.errors
    assert sum(line.startswith("-- as of") for line in run.lines) == 1, run.lines
    b.listwatch("delete", "cm", "listed", "watched")


def example_04_has_a_cache_of_pods(b):
    run = b.example("04_informer")
    run.says("1 web pods")
    b.apply(pod("web-2", app="web"))
    run.says("default/web-2 on node-1")
    assert run.ends(signal.SIGTERM) == 0


def example_05_joins_services_and_slices(b):
    run = b.example("05_services_endpoints")
    run.says("default/kubernetes 10.96.0.1 ->")
    b.apply({"apiVersion": "v1", "kind": "Service",
             "metadata": {"name": "web", "namespace": "default"},
             "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}},
            {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
             "metadata": {"name": "web-x", "namespace": "default",
                          "labels": {"kubernetes.io/service-name": "web"}},
             "ports": [{"port": 8080}],
             "endpoints": [{"addresses": ["10.1.0.5"]}, {"addresses": ["10.1.0.6"]}]})
    run.says(" 10.1.0.5:8080 10.1.0.6:8080")
    b.listwatch("delete", "service", "web")
    run.says("default/web gone")
    assert run.ends(signal.SIGTERM) == 0


def example_06_makes_right_what_was_changed(b):
    run = b.example("06_controller")
    b.apply(namespace("crew", team="blue"))
    path = "/api/v1/namespaces/crew/configmaps"

    def team_is(color):
        status, text = b.cluster.request("GET", path + "/team")
        return status == 200 and json.loads(text)["data"] == {"team": color}

    wait_until(lambda: team_is("blue"), 30, "the map says blue")
    b.listwatch("delete", "cm", "team", "-n", "crew")
    wait_until(lambda: team_is("blue"), 30, "the map is back")
    b.cluster.call("PATCH", "/api/v1/namespaces/crew", {"metadata": {"labels": {"team": "red"}}},
                   MERGE)
    wait_until(lambda: team_is("red"), 30, "the map says red")
    assert run.ends(signal.SIGTERM) == 0


def example_07_answers_from_its_own_loop(b):
    run = b.example("07_own_loop", stdin=subprocess.PIPE)
    run.says("web-1")
    run.process.stdin.write("app=db\n")
    run.process.stdin.flush()
    run.says("- db-1")
    assert run.ends() == 0, run.errors


def example_08_is_the_library_in_python(b):
    env = dict(b.env, LISTWATCH_LIBRARY=str(b.build / "src" / "liblistwatch.so.0"))
    run = b.start(sys.executable, ROOT / "examples" / "08_python.py", "configmaps", env=env)
    run.says(" configmaps")
    b.apply(config_map("from-python"))
    run.says("default/from-python")
    b.listwatch("delete", "cm", "from-python")
    assert run.ends(signal.SIGTERM) == 0


def cold_sync_of_2000_config_maps(b):
    b.apply(namespace("cold"))
    b.apply(*[config_map(f"map-{i:04}", "cold", text="x" * 500) for i in range(COLD_MAPS)])
    there = b.cluster.list("/api/v1/configmaps")
    watch = b.watch("configmaps", "-A", "--once")
    assert watch.ends(seconds=120) == 0, watch.errors
    stats = json.loads(watch.lines[-1])
    assert watch.cache() == there and stats["objects"] == len(there) >= COLD_MAPS, stats
    note(f"{stats['objects']} objects, sync {stats['sync_ms']} ms, cpu {stats['cpu_ms']} ms, "
         f"peak RSS {stats['peak_rss_kb']} kB, {stats['bytes_received']} bytes received, "
         f"lists {stats['lists']}, watches {stats['watches']}")


def live_changes_arrive(b):
    watch = b.watch("configmaps", "-A")
    b.agrees(watch, "/api/v1/configmaps")
    for i in range(20):
        b.cluster.call("POST", MAPS, config_map(f"live-{i}"))
        b.cluster.call("PATCH", f"{MAPS}/live-{i}", {"data": {"n": str(i)}}, MERGE)
    for i in range(10):
        b.cluster.call("DELETE", f"{MAPS}/live-{i}")
    watch.says("DELETED default/live-9 ")
    b.agrees(watch, "/api/v1/configmaps")
    stats = watch.stats()
    assert stats["relists"] == 0, stats


def catches_up_after_the_server_was_killed(b):
    b.apply(config_map("before-restart"))
    watch = b.watch("configmaps", "-A")
    b.agrees(watch, "/api/v1/configmaps")
    b.cluster.kill()
    wait_until(lambda: watch.errors, 60, "it says that the server is gone")
    b.cluster.start()
    b.cluster.call("POST", MAPS, config_map("after-restart"))
    b.cluster.call("DELETE", f"{MAPS}/before-restart")
    b.agrees(watch, "/api/v1/configmaps", 120)
    stats = watch.stats()
    note(f"relists {stats['relists']} ({stats['relist_reason']}), watches {stats['watches']}")


def catches_up_when_killed_as_the_first_objects_arrive(b):
    watch = b.watch("configmaps", "-A")
    watch.says("ADDED ")  # before, there is no informer: a command that finds no server ends
    b.cluster.restart()
    b.agrees(watch, "/api/v1/configmaps", 120)
    watch.stats()


def lists_again_when_its_revision_is_compacted(b):
    b.apply(config_map("to-go"), config_map("to-change"))
    watch = b.watch("configmaps", "-A")
    b.agrees(watch, "/api/v1/configmaps")
    watch.process.send_signal(signal.SIGSTOP)
    b.cluster.restart()  # cuts its stream: what follows cannot wait for it in the socket
    b.cluster.call("POST", MAPS, config_map("unheard"))
    b.cluster.call("DELETE", f"{MAPS}/to-go")
    b.cluster.call("PATCH", f"{MAPS}/to-change", {"data": {"n": "changed"}}, MERGE)
    b.cluster.kill()
    head = b.cluster.etcd.compact()
    b.cluster.start()  # its watch cache begins now
    status, text = b.cluster.request(
        "GET", "/api/v1/configmaps?watch=1&timeoutSeconds=5&resourceVersion="
        + max(watch.cache().values(), key=int))
    assert status == 410 or '"code":410' in text, (status, text)
    watch.process.send_signal(signal.SIGCONT)
    b.agrees(watch, "/api/v1/configmaps", 120)
    for word in ("ADDED default/unheard", "DELETED default/to-go", "MODIFIED default/to-change"):
        watch.says(word)
    stats = watch.stats()
    assert stats["relists"] == 1 and stats["relist_reason"] == "expired", stats
    note(f"compacted at {head}: relists {stats['relists']} ({stats['relist_reason']})")


def a_rotated_token_is_read_again(b):
    token_file = b.cluster.folder / "token"
    token_file.write_text(b.cluster.token)
    config = b.cluster.kubeconfig("rotating.json", tokenFile=str(token_file))
    watch = b.watch("configmaps", "-A", env=dict(b.env, KUBECONFIG=config))
    b.agrees(watch, "/api/v1/configmaps")
    old = b.cluster.token
    b.cluster.token = "admin-token-2"
    b.cluster.write_tokens()
    token_file.write_text(b.cluster.token)
    b.cluster.restart()  # kube-apiserver reads its tokens at the start only
    b.env = dict(b.env, KUBECONFIG=b.cluster.kubeconfig("admin.json", token=b.cluster.token))
    stale = dict(b.env, KUBECONFIG=b.cluster.kubeconfig("stale.json", token=old))
    assert "nauthorized" in b.listwatch("get", "cm", env=stale, code=1)
    b.cluster.call("POST", MAPS, config_map("after-rotation"))
    watch.says("ADDED default/after-rotation ", 90)
    b.agrees(watch, "/api/v1/configmaps")
    watch.stats()


def a_token_that_comes_after_the_server_changed(b):
    token_file = b.cluster.folder / "late-token"
    token_file.write_text(b.cluster.token)
    config = b.cluster.kubeconfig("late.json", tokenFile=str(token_file))
    watch = b.watch("configmaps", "-A", env=dict(b.env, KUBECONFIG=config))
    b.agrees(watch, "/api/v1/configmaps")
    b.cluster.token = "admin-token-3"
    b.cluster.write_tokens()
    b.cluster.restart()
    b.env = dict(b.env, KUBECONFIG=b.cluster.kubeconfig("admin.json", token=b.cluster.token))
    wait_until(lambda: any("nauthorized" in line for line in watch.errors), 60,
               "it says that it is not authorized")
    token_file.write_text(b.cluster.token)
    b.cluster.call("POST", MAPS, config_map("after-late-token"))
    watch.says("ADDED default/after-late-token ", 120)
    b.agrees(watch, "/api/v1/configmaps")
    watch.stats()


def custom_resources_are_applied_and_watched(b):
    b.apply({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
             "metadata": {"name": "widgets.example.com"},
             "spec": {"group": "example.com", "scope": "Namespaced",
                      "names": {"plural": "widgets", "singular": "widget", "kind": "Widget",
                                "shortNames": ["wg"]},
                      "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                          "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                              "type": "object", "properties": {"size": {"type": "integer"}}}}}}}]}})
    wait_until(lambda: b.cluster.request("GET", WIDGETS)[0] == 200, 60, "widgets are served")

    def widget(name, size):
        return {"apiVersion": "example.com/v1", "kind": "Widget",
                "metadata": {"name": name, "namespace": "default"}, "spec": {"size": size}}

    b.apply(widget("gear", 1))
    watch = b.watch("widgets.example.com")
    watch.says("ADDED default/gear ")
    b.apply(widget("gear", 2), widget("wheel", 3))
    watch.says("MODIFIED default/gear ")
    watch.says("ADDED default/wheel ")
    b.listwatch("delete", "wg", "gear")
    watch.says("DELETED default/gear ")
    b.agrees(watch, WIDGETS)
    said = b.listwatch("apply", "-f", "-", code=1, text=json.dumps(widget("bad", "large")))
    assert "size" in said, said  # the server's words about its schema reach the user
    watch.stats()


CHECKS = [
    get_apply_and_delete_of_config_maps,
    get_apply_and_delete_of_namespaces,
    a_table_of_the_nodes_and_services_there_are,
    a_user_who_may_not_is_told_so,
    a_client_certificate_is_believed,
    example_01_lists_pods,
    example_02_shows_what_is_there_and_what_changes,
    example_03_goes_on_where_a_watch_has_ended,
    example_04_has_a_cache_of_pods,
    example_05_joins_services_and_slices,
    example_06_makes_right_what_was_changed,
    example_07_answers_from_its_own_loop,
    example_08_is_the_library_in_python,
    cold_sync_of_2000_config_maps,
    live_changes_arrive,
    catches_up_after_the_server_was_killed,
    catches_up_when_killed_as_the_first_objects_arrive,
    lists_again_when_its_revision_is_compacted,
    a_rotated_token_is_read_again,
    a_token_that_comes_after_the_server_changed,
    custom_resources_are_applied_and_watched,
]


def note(text):
    print("# " + text, flush=True)


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    print("0 passed, 0 failed")
    sys.exit(0)


def version_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0]


def run_checks(bench, words):
    """Those whose names have one of |words|; how many passed and failed."""
    passed = failed = 0
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        if words and not any(word in name for word in words):
            continue
        number = passed + failed + 1
        try:
            check(bench)
            passed += 1
            print(f"ok {number} - {name}", flush=True)
        except Exception:  # a failed assertion or anything else is a failed check
            failed += 1
            print(f"not ok {number} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                note(line)
        bench.end_all()
        if bench.cluster.process.poll() is not None:
            bench.cluster.start()
    print(f"1..{passed + failed}")
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("only", nargs="*", help="words of the names of checks")
    args = parser.parse_args()
    etcd = os.environ.get("ETCD") or shutil.which("etcd")
    if not etcd:
        skip_all("there is no etcd: install etcd-server, or name one in $ETCD")
    if not shutil.which("openssl"):
        skip_all("there is no openssl to make keys with")
    built = subprocess.run(["sh", HERE / "build.sh", args.interop], stdout=subprocess.PIPE,
                           text=True)
    if built.returncode != 0:
        skip_all(built.stdout.strip() or f"build.sh failed: {built.returncode}")
    apiserver = str(args.interop.resolve() / "kube-apiserver")
    note(f"kube-apiserver: {version_of(apiserver, '--version')}")
    note(version_of(etcd, "--version"))
    note(version_of(args.build / "listwatch", "--version"))
    cluster = Cluster(apiserver, etcd)
    try:
        passed, failed = run_checks(Bench(args.build.resolve(), cluster), args.only)
        if failed:
            keep = args.interop / "last-kube-apiserver.log"
            shutil.copy(cluster.folder / "kube-apiserver.log", keep)
            note(f"the server's log: {keep}")
    finally:
        cluster.remove()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
