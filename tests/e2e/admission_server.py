# SPDX-License-Identifier: Apache-2.0
"""admission_server.py -- an admission webhook on the loopback for tests: TLS, answers as the test
says, and remembers what it was asked."""

import base64
import http.server
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import threading


class AdmissionServer:
    """Answers each review with what answer(path, request) returns: a response without its uid,
    (HTTP status, text), or None to hang until release() or close().  |names| are those of its
    certificate, besides 127.0.0.1.  Needs a client certificate of |client_ca|, if that is given."""

    def __init__(self, answer, names=(), client_ca=None):
        self.answer, self.asked, self.lock = answer, [], threading.Condition()
        self.connections = 0
        self.released = threading.Event()
        self.folder = tempfile.mkdtemp()
        self.cert, key = make_certificate(self.folder, "hook", names)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                path = self.path.split("?")[0]
                with outer.lock:
                    outer.asked.append((self.path, review, dict(self.headers)))
                    outer.lock.notify_all()
                answer = outer.answer(path, review["request"])
                if answer is None:
                    outer.released.wait(60)
                    answer = (503, "too late")
                if isinstance(answer, tuple):
                    code, text = answer
                else:
                    code, text = 200, json.dumps(
                        {"apiVersion": review["apiVersion"], "kind": "AdmissionReview",
                         "response": {"uid": review["request"]["uid"], **answer}})
                try:
                    self.send_response(code)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text.encode())
                except OSError:
                    pass  # the server has given up

            def log_message(self, *args):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 128

            def finish_request(self, request, client):
                """The handshake, in the thread of the connection."""
                outer.connections += 1
                try:
                    secure = outer.context.wrap_socket(request, server_side=True)
                except (OSError, ssl.SSLError):
                    return
                super().finish_request(secure, client)

            def handle_error(self, request, client):
                pass  # a client that has gone

        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.cert, key)
        if client_ca:
            self.context.verify_mode = ssl.CERT_REQUIRED
            self.context.load_verify_locations(client_ca)
        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.port = self.listener.server_address[1]
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def url(self, path="/"):
        return f"https://127.0.0.1:{self.port}{path}"

    def ca_bundle(self):
        with open(self.cert, "rb") as file:
            return base64.b64encode(file.read()).decode()

    def requests(self, path=None):
        """The requests of the reviews so far, to |path| alone if that is given."""
        with self.lock:
            return [review["request"] for where, review, _ in self.asked
                    if path is None or where.split("?")[0] == path]

    def await_asked(self, count, timeout=30):
        """Waits until it was asked this often."""
        with self.lock:
            assert self.lock.wait_for(lambda: len(self.asked) >= count, timeout), \
                f"asked {len(self.asked)} times, not {count}"

    def release(self):
        self.released.set()

    def close(self):
        self.release()
        self.listener.shutdown()
        self.listener.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)


def make_certificate(folder, name, names=()):
    """A self-signed certificate and its key, as files."""
    cert, key = os.path.join(folder, name + ".crt"), os.path.join(folder, name + ".key")
    alternatives = ",".join(["IP:127.0.0.1"] + ["DNS:" + one for one in names])
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=" + name,
                    "-addext", "subjectAltName=" + alternatives, "-keyout", key, "-out", cert],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return cert, key


def patch(*operations):
    """A response that allows the request and changes its object."""
    text = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": text}


def webhook(server, name="hook.example.com", path="/", **settings):
    """A webhook of a configuration, called for every write of ConfigMaps unless told otherwise."""
    client = settings.pop("clientConfig", None) or {"url": server.url(path),
                                                    "caBundle": server.ca_bundle()}
    return {"name": name, "clientConfig": client, "admissionReviewVersions": ["v1"],
            "sideEffects": "None", "timeoutSeconds": 5,
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                       "operations": ["*"]}], **settings}


def configuration(kind, name, *webhooks):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind + "WebhookConfiguration",
            "metadata": {"name": name}, "webhooks": list(webhooks)}
