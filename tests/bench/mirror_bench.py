#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mirror_bench.py -- what a mirror of many pods costs: resident memory, the first start with a list,
and the start from its files.

    mirror_bench.py [--pods N] [--compact auto|on|off] BUILD

The upstream is a server of one answer: the list that pod-list-gen has made, and watches in which
nothing happens."""

import argparse
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from mirrors import Mirror, wait_for  # noqa: E402

REVISION = "9000000000"


class Upstream(http.server.BaseHTTPRequestHandler):
    """Answers with |pods|, or with no objects where only the revision is asked for."""

    protocol_version = "HTTP/1.1"
    pods = b""
    stopped = threading.Event()

    def do_GET(self):
        if "/pods" not in self.path:
            self.reply(404, b'{"kind":"Status","apiVersion":"v1","status":"Failure","code":404}')
        elif "watch=true" in self.path:
            self.watch()
        elif "limit=1&" in self.path + "&":
            self.reply(200, json.dumps({
                "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": REVISION}, "items": []}).encode())
        else:
            self.reply(200, self.pods)

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def watch(self):
        """Nothing happens until the end."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        self.stopped.wait()
        self.close_connection = True

    def log_message(self, *_):
        pass


class Address:
    """What Mirror needs to know of a server."""

    def __init__(self, port):
        self.port = port

    def url(self):
        return f"http://127.0.0.1:{self.port}"


def sample(build, count):
    """A list as an API server sends it, with |REVISION| as its own."""
    text = subprocess.run([os.path.join(build, "tests/bench/pod-list-gen"), "--pods", str(count)],
                          check=True, stdout=subprocess.PIPE).stdout
    head, _, tail = text.partition(b'"resourceVersion":"')
    return head + b'"resourceVersion":"' + REVISION.encode() + tail[tail.index(b'"'):]


def memory_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS:"))


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def start(program, port, folder, compact):
    """A mirror, and what it took until it was ready."""
    begin = time.monotonic()
    mirror = Mirror(program, Address(port), "pods", options=(
        "--data-dir", folder + "/data", "--compact", compact))
    return mirror, (f"ready after {time.monotonic() - begin:.2f} s "
                    f"({cpu_s(mirror.process.pid):.2f} s CPU)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pods", type=int, default=100000)
    parser.add_argument("--compact", default="auto")
    parser.add_argument("build")
    options = parser.parse_args()
    program = os.path.join(options.build, "listwatch")
    Upstream.pods = sample(options.build, options.pods)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        mirror, took = start(program, server.server_address[1], folder, options.compact)
        print(f"mirror of {options.pods} pods, {len(Upstream.pods) / 1e6:.0f} MB as JSON: {took} with "
              f"a list, {memory_mb(mirror.process.pid):.0f} MB resident")
        wait_for("the state is saved", lambda: any(
            name.startswith("pods-") for name in os.listdir(folder + "/data/mirror")))
        assert mirror.stop() == 0
        mirror.remove()
        mirror, took = start(program, server.server_address[1], folder, options.compact)
        lists = mirror.metric("listwatch_mirror_lists_total", "pods")
        print(f"started again: {took}, {lists:.0f} lists, "
              f"{memory_mb(mirror.process.pid):.0f} MB resident")
        mirror.process.kill()
        mirror.remove()
    Upstream.stopped.set()
    server.shutdown()


if __name__ == "__main__":
    main()
