# SPDX-License-Identifier: Apache-2.0
"""kubelet.py -- the port of kubelets, one for all hollow nodes: the logs of the programs that
runner.py runs."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PORT = 10250


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        parts = urlsplit(self.path)
        words = parts.path.strip("/").split("/")
        text = None
        if len(words) == 4 and words[0] == "containerLogs":
            text = self.server.log_of((words[1], words[2]), words[3])
        if text is None:
            self.reply(404, b"there is no such container here\n")
            return
        lines = text.splitlines(keepends=True)
        query = parse_qs(parts.query)
        if "tailLines" in query:
            lines = lines[len(lines) - min(len(lines), int(query["tailLines"][0])):]
        self.reply(200, b"".join(lines))

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Kubelet(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, runner, certificate, key):
        super().__init__(("0.0.0.0", PORT), Handler)
        self.runner = runner
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def log_of(self, key, name):
        pod = self.runner.find(key)
        container = pod and next((each for each in pod.containers if each.spec["name"] == name), None)
        return container.log.read_bytes() if container and container.log.exists() else None

    def remove(self):
        self.shutdown()
        self.server_close()
