#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""audit_webhook_test.py -- `listwatch serve` posts audit events to a webhook over HTTPS.
usage: audit_webhook_test.py LISTWATCH"""

import base64
import http.server
import json
import queue
import re
import shutil
import ssl
import subprocess
import tempfile
import threading
import time

from serving import Server, run_tests

WAIT_S = 30  # what a busy machine may take
POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  nonResourceURLs: ["/metrics", "/livez", "/readyz"]
- level: Metadata
"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.put((self.path, dict(self.headers), json.loads(body)))
        if self.server.is_hanging.is_set():
            self.server.is_over.wait(WAIT_S)
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Receiver:
    """A webhook with its own CA; |statuses| are those of its first replies."""

    def __init__(self, statuses=(), hangs=False):
        self.folder = tempfile.mkdtemp()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=hook",
                        "-addext", "subjectAltName=DNS:hook.test", "-keyout", self.path("key"),
                        "-out", self.path("cert")], check=True, capture_output=True)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.posts = queue.Queue()
        self.server.statuses = list(statuses)
        self.server.is_hanging, self.server.is_over = threading.Event(), threading.Event()
        if hangs:
            self.server.is_hanging.set()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("cert"), self.path("key"))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.write("policy", POLICY)
        self.write("config", json.dumps(self.config()))

    def path(self, name):
        return f"{self.folder}/{name}"

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def config(self, user=None):
        with open(self.path("cert"), "rb") as cert:
            ca = base64.b64encode(cert.read()).decode()
        port = self.server.server_address[1]
        return {"apiVersion": "v1", "kind": "Config", "current-context": "hook",
                "contexts": [{"name": "hook", "context": {"cluster": "hook", "user": "me"}}],
                "clusters": [{"name": "hook", "cluster": {
                    "server": f"https://127.0.0.1:{port}/audit", "tls-server-name": "hook.test",
                    "certificate-authority-data": ca}}],
                "users": [{"name": "me", "user": user or {"token": "sesame"}}]}

    def options(self, *more):
        return ["--audit-policy-file", self.path("policy"),
                "--audit-webhook-config-file", self.path("config"), *more]

    def next(self):
        return self.server.posts.get(timeout=WAIT_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.is_over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        shutil.rmtree(self.folder)


class Running:
    """A server with these options."""

    def __init__(self, program, options):
        self.server = Server(program, memory=True, options=options)

    def __enter__(self):
        return self.server.start()

    def __exit__(self, *_):
        self.server.remove()


def ask(server, audit_id):
    connection = server.connect()
    connection.request("GET", "/api/v1/namespaces/default/pods", headers={"Audit-Id": audit_id})
    assert connection.getresponse().status == 200
    connection.close()


def metric(server, plugin):
    connection = server.connect()
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return int(re.search(rf'^apiserver_audit_error_total{{plugin="{plugin}"}} (\d+)$', text,
                         re.MULTILINE).group(1))


def events_arrive_in_batches_and_in_order(program):
    with Receiver() as hook, Running(program, hook.options(
            "--audit-webhook-batch-max-size", "10", "--audit-webhook-batch-max-wait", "1s")) as server:
        wanted = [f"id-{i}" for i in range(25)]
        for audit_id in wanted:
            ask(server, audit_id)
        got, sizes = [], []
        while len(got) < len(wanted):
            path, headers, body = hook.next()
            assert path == "/audit", path
            assert headers["authorization"] == "Bearer sesame", headers
            assert headers["content-type"] == "application/json", headers
            assert body["kind"] == "EventList" and body["apiVersion"] == "audit.k8s.io/v1", body
            sizes.append(len(body["items"]))
            got += [event["auditID"] for event in body["items"]
                    if event["auditID"].startswith("id-")]
        assert got == wanted, got
        assert max(sizes) == 10, sizes
        assert metric(server, "webhook") == 0 and metric(server, "buffered") == 0
        assert server.stop() == 0


def a_batch_is_sent_again_after_an_error(program):
    with Receiver(statuses=[500, 403]) as hook, Running(program, hook.options(
            "--audit-webhook-batch-max-size", "1", "--audit-webhook-initial-backoff", "1s")) as server:
        ask(server, "again")
        bodies = [hook.next()[2] for _ in range(3)]
        assert bodies[0] == bodies[1] == bodies[2], bodies
        assert bodies[0]["items"][0]["auditID"] == "again", bodies
        assert metric(server, "webhook") == 0
        assert server.stop() == 0


def a_webhook_that_hangs_delays_nobody_and_loses_what_does_not_fit(program):
    with Receiver(hangs=True) as hook, Running(program, hook.options(
            "--audit-webhook-batch-max-size", "1", "--audit-webhook-batch-buffer-size", "5")) as server:
        ask(server, "first")
        hook.next()  # is in progress, and stays so
        begin = time.monotonic()
        for i in range(50):
            ask(server, f"id-{i}")
        assert time.monotonic() - begin < WAIT_S / 2
        assert metric(server, "buffered") == 45, metric(server, "buffered")
        begin = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - begin < WAIT_S / 2


def what_is_queued_is_delivered_when_the_server_stops(program):
    with Receiver() as hook, Running(program, hook.options(
            "--audit-webhook-batch-max-wait", "1h")) as server:
        for i in range(3):
            ask(server, f"id-{i}")
        assert hook.server.posts.empty()
        assert server.stop() == 0
        items = [event["auditID"] for event in hook.next()[2]["items"]]
        assert [i for i in items if i.startswith("id-")] == ["id-0", "id-1", "id-2"], items


def a_log_and_a_webhook_get_the_same_events(program):
    with Receiver() as hook:
        log = hook.path("log")
        with Running(program, hook.options("--audit-webhook-batch-max-size", "1",
                                           "--audit-log-path", log)) as server:
            ask(server, "both")
            event = next(e for e in iter(lambda: hook.next()[2]["items"][0], None)
                         if e["auditID"] == "both")
            assert server.stop() == 0
        with open(log) as lines:
            logged = [json.loads(line) for line in lines]
        assert event in logged, (event, logged)


def an_untrusted_webhook_gets_nothing(program):
    with Receiver() as hook, Receiver() as other:
        config = hook.config()
        config["clusters"][0]["cluster"]["certificate-authority-data"] = \
            other.config()["clusters"][0]["cluster"]["certificate-authority-data"]
        hook.write("config", json.dumps(config))
        with Running(program, hook.options("--audit-webhook-batch-max-size", "1")) as server:
            ask(server, "secret")
            assert server.stop() == 0
            with open(server.folder + "/server.log") as log:
                assert "cannot verify the certificate" in log.read()
        assert hook.server.posts.empty()


def a_configuration_with_an_exec_plugin_is_refused(program):
    with Receiver() as hook:
        hook.write("config", json.dumps(hook.config({"exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/true",
            "interactiveMode": "Never"}})))
        done = subprocess.run([program, "serve", "--memory", "--listen", "none",
                               "--insecure-listen", "127.0.0.1:0", *hook.options()],
                              capture_output=True, text=True, timeout=WAIT_S)
        assert done.returncode != 0 and "exec plugin" in done.stderr, done


run_tests([events_arrive_in_batches_and_in_order, a_batch_is_sent_again_after_an_error,
           a_webhook_that_hangs_delays_nobody_and_loses_what_does_not_fit,
           what_is_queued_is_delivered_when_the_server_stops,
           a_log_and_a_webhook_get_the_same_events, an_untrusted_webhook_gets_nothing,
           a_configuration_with_an_exec_plugin_is_refused])
