# SPDX-License-Identifier: Apache-2.0
"""webhook_server.py -- webhooks on the loopback for tests: they answer reviews as the test says, and
remember what they were asked."""

import base64
import http.server
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import threading


class ReviewServer:
    """Answers each review with what respond(path, review) returns: (HTTP status, text), or None to
    hang until release() or close().  |names| are those of its certificate, besides 127.0.0.1; with
    |client_ca| it needs a client certificate.  With names=None it speaks plain HTTP."""

    def __init__(self, names=None, client_ca=None):
        self.asked, self.lock = [], threading.Condition()
        self.connections = 0
        self.released = threading.Event()
        self.folder = tempfile.mkdtemp()
        self.context = None
        if names is not None:
            self.cert, key = make_certificate(self.folder, "hook", names)
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(self.cert, key)
        if client_ca:
            self.context.verify_mode = ssl.CERT_REQUIRED
            self.context.load_verify_locations(client_ca)
        self.listener = make_listener(self)
        self.port = self.listener.server_address[1]
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def remember(self, path, review, headers):
        """What is kept of a review in |asked|."""
        return (path, review, headers)

    def take(self, path, review, headers):
        with self.lock:
            self.asked.append(self.remember(path, review, headers))
            self.lock.notify_all()
        answer = self.respond(path.split("?")[0], review)
        if answer is None:
            self.released.wait(60)
            answer = (503, "too late")
        return answer

    def url(self, path="/"):
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}{path}"

    def ca_bundle(self):
        with open(self.cert, "rb") as file:
            return base64.b64encode(file.read()).decode()

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


def make_listener(server):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self):
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            code, text = server.take(self.path, review, dict(self.headers))
            try:
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text.encode())))
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
            server.connections += 1
            try:
                if server.context:
                    request = server.context.wrap_socket(request, server_side=True)
            except (OSError, ssl.SSLError):
                return
            super().finish_request(request, client)

        def handle_error(self, request, client):
            pass  # a client that has gone

    return Listener(("127.0.0.1", 0), Handler)


class Webhook(ReviewServer):
    """Authorizes or authenticates: answer(review) returns a status of a review, (HTTP status, text)
    or None."""

    def __init__(self, answer):
        self.answer = answer
        super().__init__()

    def remember(self, path, review, headers):
        return review

    def respond(self, path, review):
        answer = self.answer(review)
        if answer is None or isinstance(answer, tuple):
            return answer
        return 200, json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"],
                                "metadata": {}, "spec": review["spec"], "status": answer})

    def write_config(self, path):
        """A file in the format of kubeconfig that leads here."""
        with open(path, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "clusters": [{"name": "c", "cluster": {"server": self.url("/review")}}],
                       "users": [{"name": "u", "user": {}}],
                       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]},
                      file)
        return path


class AdmissionServer(ReviewServer):
    """Admits: answer(path, request) returns a response without its uid, (HTTP status, text) or
    None."""

    def __init__(self, answer, names=(), client_ca=None):
        self.answer = answer
        super().__init__(names, client_ca)

    def respond(self, path, review):
        answer = self.answer(path, review["request"])
        if answer is None or isinstance(answer, tuple):
            return answer
        return 200, json.dumps({"apiVersion": review["apiVersion"], "kind": "AdmissionReview",
                                "response": {"uid": review["request"]["uid"], **answer}})

    def requests(self, path=None):
        """The requests of the reviews so far, to |path| alone if that is given."""
        with self.lock:
            return [review["request"] for where, review, _ in self.asked
                    if path is None or where.split("?")[0] == path]


class ConversionServer(ReviewServer):
    """Converts: convert(object, version) returns the converted object; (HTTP status, text), None or
    a whole response, a dict with "result", in its place are the reply."""

    def __init__(self, convert):
        self.convert = convert
        super().__init__(())

    def respond(self, path, review):
        request = review["request"]
        objects = [self.convert(json.loads(json.dumps(obj)), request["desiredAPIVersion"])
                   for obj in request["objects"]]
        if objects[0] is None or isinstance(objects[0], tuple):
            return objects[0]
        response = objects[0] if "result" in objects[0] else {
            "convertedObjects": objects, "result": {"status": "Success"}}
        return 200, json.dumps({"apiVersion": review["apiVersion"], "kind": "ConversionReview",
                                "response": {"uid": request["uid"], **response}})

    def converted(self):
        """How many objects each review had, and to which version."""
        with self.lock:
            return [(review["request"]["desiredAPIVersion"].split("/")[1],
                     len(review["request"]["objects"])) for _, review, _ in self.asked]

    def forget(self):
        with self.lock:
            self.asked.clear()


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
