# SPDX-License-Identifier: Apache-2.0
"""page_pictures.py -- the pictures of docs/guide/page.md: a small shop on a server of its own, watched by a
few programs and written to all the time, photographed in both themes and on a phone.

usage: page_pictures.py LISTWATCH FOLDER"""

import json
import random
import sys
import threading
import time

from browser import Browser, missing
from serving import Server, Watch

APPS = [("shop", "cart", 4), ("shop", "checkout", 3), ("shop", "frontend", 6),
        ("payments", "ledger", 3), ("payments", "gateway", 2), ("observability", "metrics", 2)]
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
WATCHED = [("controllers/1.0", "/api/v1/pods"), ("controllers/1.0", "/api/v1/services"),
           ("scheduler/1.0", "/api/v1/pods"), ("scheduler/1.0", "/api/v1/nodes"),
           ("kubectl/v1.34", "/api/v1/namespaces/shop/configmaps")]


def make(server, path, name, **rest):
    code, made = server.call("POST", path, {"metadata": {"name": name, **rest.pop("meta", {})}, **rest})
    if code != 201:
        raise RuntimeError(f"{path}: {made.get('message')}")
    return made


def make_pod(server, rng, namespace, app, template):
    name = f"{app}-{template}-{''.join(rng.choice(LETTERS) for _ in range(5))}"
    pods = f"/api/v1/namespaces/{namespace}/pods"
    pod = make(server, pods, name, meta={"labels": {"app": app, "pod-template-hash": template}},
               spec={"nodeName": f"node-{rng.randint(1, 3)}",
                     "containers": [{"name": app, "image": f"registry.example.org/{app}:1.4"}]})
    runs = rng.random() < 0.85
    state = {"running": {}} if runs else {"waiting": {"reason": "ContainerCreating"}}
    pod["status"] = {"phase": "Running" if runs else "Pending", "podIP": f"10.244.1.{rng.randint(2, 250)}",
                     "containerStatuses": [{"name": app, "ready": runs, "restartCount": 0, "image": "x",
                                            "imageID": "x", "state": state}]}
    server.call("PUT", f"{pods}/{name}/status", pod)


def make_shop(server):
    rng = random.Random(3)
    for number in range(1, 4):
        make(server, "/api/v1/nodes", f"node-{number}")
    for namespace in sorted({namespace for namespace, _, _ in APPS}):
        make(server, "/api/v1/namespaces", namespace)
    for namespace, app, count in APPS:
        labels = {"app": app}
        pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": app, "image": app}]}}
        make(server, f"/apis/apps/v1/namespaces/{namespace}/deployments", app,
             spec={"replicas": count, "selector": {"matchLabels": labels}, "template": pod})
        make(server, f"/api/v1/namespaces/{namespace}/services", app,
             spec={"selector": labels, "ports": [{"port": 80}]})
        template = f"{rng.getrandbits(32):08x}"
        for _ in range(count):
            make_pod(server, rng, namespace, app, template)


def write_on(server, stop):
    """Changes a few objects all the time, and reports an informer now and then."""
    connection = server.connect()
    maps = "/api/v1/namespaces/shop/configmaps"
    for number in range(20):
        make(server, maps, f"stock-{number}")
    number = 0
    while not stop.wait(0.02):
        number += 1
        body = {"metadata": {"name": f"stock-{number % 20}"}, "data": {"left": str(number)}}
        _, written = server.call("PUT", f"{maps}/stock-{number % 20}", body, connection)
        if number % 50 == 1:
            revision = int(written["metadata"]["resourceVersion"])
            report = {"reporter": "controllers", "informers": [
                {"resource": name, "is_synced": True, "objects": objects, "revision": revision}
                for name, objects in (("pods", 20), ("services", 6))]}
            connection.request("POST", "/debug/listwatch/informers", json.dumps(report))
            connection.getresponse().read()


def follow(server, agent, path):
    """A watch under another program's name, read to its end."""
    watch = Watch.__new__(Watch)
    watch.connection = server.connect()
    watch.connection.request("GET", path + "?watch=1", headers={"User-Agent": agent})
    watch.reply = watch.connection.getresponse()
    try:
        for _ in watch:
            pass
    except (OSError, ValueError):
        pass  # the server is gone


def photograph(server, browser, folder):
    def take(name, path, words, **view):
        browser.set_size(*view.get("size", (1280, 800)))
        browser.set_theme(view.get("theme", "light"))
        browser.open(server.url() + path)
        browser.wait_text("body", words)
        time.sleep(view.get("wait", 1))
        browser.picture(f"{folder}/page-{name}.png")

    pod = server.call("GET", "/api/v1/namespaces/shop/pods")[1]["items"][0]["metadata"]["name"]
    take("pipeline", "/", "From a write", theme="dark", wait=12)
    take("pods", f"/#/k/pods.v1?o=shop/{pod}", "restartPolicy")
    take("phone", "/#/k/pods.v1", "Running", size=(390, 780))


def main():
    program, folder = sys.argv[1:]
    if missing():
        sys.exit(missing())
    server = Server(program, memory=True).start()
    browser, stop = Browser(), threading.Event()
    writer = threading.Thread(target=write_on, args=(server, stop))
    try:
        make_shop(server)
        for agent, path in WATCHED:
            threading.Thread(target=follow, args=(server, agent, path), daemon=True).start()
        writer.start()
        photograph(server, browser, folder)
    finally:
        stop.set()
        if writer.ident:
            writer.join()
        browser.close()
        server.remove()


if __name__ == "__main__":
    main()
