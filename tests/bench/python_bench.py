#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python_bench.py -- an informer in Python on many pods, beside the official Python client.

    python_bench.py [--pods N] [--venv FOLDER] PROGRAM LIBRARY POD_LIST_GEN

A server has N pods.  Two processes, one after the other, list and watch them until they have seen
N more changes of a label: one with the package in python/ (`for event in Informer("pods")`, which
also keeps the cache), the other with list_pod_for_all_namespaces and watch.Watch of PyPI's
`kubernetes`, which is installed into FOLDER.  Printed: CPU time and the largest resident memory of
each process, without what the interpreter and the imports cost, and with it.  It fails if the
informer needs more than 1/20 of the CPU or 1/5 of the memory.  Without the official client it says
so and measures only the informer."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from serving import Server  # noqa: E402

COST = """
import os, resource, sys
def cost():
    used = resource.getrusage(resource.RUSAGE_SELF)
    with open("/proc/self/status") as status:  # ru_maxrss would count the parent before exec
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    return used.ru_utime + used.ru_stime, peak
def tell(before):
    after = cost()
    print("cost", after[0] - before[0], after[1] - before[1], after[0], after[1], flush=True)
url, pods = sys.argv[1], int(sys.argv[2])
changed = set()
"""

INFORMER = COST + """
from listwatch import Client, Informer
before = cost()
initial = 0
for event in Informer("pods", client=Client(server=url)):
    if event.object.label("bench") == "changed":
        changed.add(event.key)
    elif event.type == "ADD":
        initial += 1
        if initial == pods:
            print("synced", flush=True)
    if len(changed) == pods:
        break
tell(before)
"""

OFFICIAL = COST + """
from kubernetes import client, watch
configuration = client.Configuration()
configuration.host = url
before = cost()
api = client.CoreV1Api(client.ApiClient(configuration))
listed = api.list_pod_for_all_namespaces()
cache = {(one.metadata.namespace, one.metadata.name): one for one in listed.items}
revision = listed.metadata.resource_version
del listed
assert len(cache) == pods, len(cache)
print("synced", flush=True)
while len(changed) < pods:
    for event in watch.Watch().stream(api.list_pod_for_all_namespaces, resource_version=revision):
        one = event["object"]
        revision = one.metadata.resource_version
        cache[one.metadata.namespace, one.metadata.name] = one
        if (one.metadata.labels or {}).get("bench") == "changed":
            changed.add((one.metadata.namespace, one.metadata.name))
        if len(changed) == pods:
            break
tell(before)
"""


def fill(server, generator, count):
    """Creates the pods; returns their paths."""
    made = subprocess.run([generator, "--pods", str(count)], stdout=subprocess.PIPE, check=True)
    connection, paths = server.connect(120), []
    for pod in json.loads(made.stdout)["items"]:
        metadata = pod["metadata"]
        for name in ("uid", "resourceVersion", "creationTimestamp", "managedFields",
                     "generation", "selfLink", "ownerReferences"):
            metadata.pop(name, None)
        for name in ("serviceAccountName", "serviceAccount", "priorityClassName", "priority"):
            pod["spec"].pop(name, None)
        namespace = metadata["namespace"]
        pod.update(apiVersion="v1", kind="Pod")
        folder = f"/api/v1/namespaces/{namespace}"
        status, reply = server.call("POST", folder + "/pods", pod, connection)
        if status == 404:
            server.call("POST", "/api/v1/namespaces", {
                "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
                connection)
            status, reply = server.call("POST", folder + "/pods", pod, connection)
        assert status == 201, reply
        paths.append(f"{folder}/pods/{metadata['name']}")
    return paths


def change(server, paths, value):
    connection = server.connect(120)
    body = json.dumps({"metadata": {"labels": {"bench": value}}})
    for path in paths:
        connection.request("PATCH", path, body, {"Content-Type": "application/merge-patch+json"})
        reply = connection.getresponse()
        assert reply.status == 200, reply.read()
        reply.read()
    connection.close()


def measure(python, program, server, paths, env):
    """CPU seconds and MiB of one process: for the work, and altogether."""
    change(server, paths, "before")
    process = subprocess.Popen([python, "-B", "-c", program, server.url(), str(len(paths))],
                               stdout=subprocess.PIPE, text=True, env=dict(os.environ, **env))
    guard = threading.Timer(900, process.kill)
    guard.start()
    assert process.stdout.readline() == "synced\n", "the process ended before it was synced"
    change(server, paths, "changed")
    words = process.stdout.readline().split()
    process.communicate()
    guard.cancel()
    assert words and words[0] == "cost", "the process has printed no result"
    cpu, memory, all_cpu, all_memory = map(float, words[1:])
    return cpu, memory / 1024, all_cpu, all_memory / 1024


def built_package(folder):
    """The package as an installation has it: with the declarations parsed.  Returns its folder."""
    place = os.path.join(folder, "python")
    shutil.copytree(os.path.join(ROOT, "python"), place)
    subprocess.run([sys.executable, "-B", os.path.join(place, "build_abi.py")], check=True)
    return place


def official_python(folder):
    """The interpreter of a venv with the official client, or None."""
    python = os.path.join(folder, "bin", "python")
    try:
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        if subprocess.run([python, "-c", "import kubernetes"], capture_output=True).returncode:
            subprocess.run([python, "-m", "pip", "-q", "install", "kubernetes"], check=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"python: the official client cannot be installed: {failure}")
        return None
    return python


def show(name, figures):
    print(f"  {name:<12} {figures[0]:8.2f} s {figures[1]:8.1f} MiB   with interpreter and imports: "
          f"{figures[2]:.2f} s, {figures[3]:.1f} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pods", type=int, default=10000)
    parser.add_argument("--venv", default="build-bench/python-venv")
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("generator")
    args = parser.parse_args()
    try:
        import cffi  # noqa: F401
    except ImportError:
        print("python: not measured, python3-cffi is not installed")
        return 0
    for needed in (args.program, args.library, args.generator):
        if not os.path.exists(needed):
            parser.error(f"{needed} does not exist; `make bench` builds it")
    server = Server(args.program, memory=True).start()
    try:
        paths = fill(server, args.generator, args.pods)
        print(f"python: {len(paths)} pods listed, then each changed once")
        with tempfile.TemporaryDirectory() as folder:
            env = {"LISTWATCH_LIBRARY": os.path.abspath(args.library),
                   "PYTHONPATH": built_package(folder)}
            ours = measure(sys.executable, INFORMER, server, paths, env)
        show("listwatch", ours)
        python = official_python(args.venv)
        if python is None:
            return 0
        theirs = measure(python, OFFICIAL, server, paths, {})
        show("kubernetes", theirs)
    finally:
        server.remove()
    print(f"  ratio        1/{theirs[0] / ours[0]:.0f} of the CPU (limit 1/20), "
          f"1/{theirs[1] / ours[1]:.1f} of the memory (limit 1/5)")
    return 0 if theirs[0] >= 20 * ours[0] and theirs[1] >= 5 * ours[1] else 1


if __name__ == "__main__":
    sys.exit(main())
