# SPDX-License-Identifier: Apache-2.0
"""older_server.py -- a proxy that makes `listwatch serve` answer watches with initial events
(WatchList) as an older kube-apiserver does."""

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

# What kube-apiserver answers with its default feature gates.  Releases 1.19 to 1.26 do not know
# sendInitialEvents but refuse a resourceVersionMatch on a watch; still older ones know neither.
FROM_1_27 = ("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList "
             "feature gate is enabled")
FROM_1_19 = ("resourceVersionMatch", "resourceVersionMatch is forbidden for watch")
BEFORE_1_19 = None

PARAMETERS_SINCE_1_15 = ("sendInitialEvents", "resourceVersionMatch", "allowWatchBookmarks")


def invalid(field, problem):
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": f'ListOptions.meta.k8s.io "" is invalid: {field}: Forbidden: {problem}',
            "reason": "Invalid",
            "details": {"group": "meta.k8s.io", "kind": "ListOptions",
                        "causes": [{"reason": "FieldValueForbidden",
                                    "message": f"Forbidden: {problem}", "field": field}]},
            "code": 422}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        query = parse_qsl(url.query)
        self.server.seen.append(dict(query))
        refusal = self.server.refusal
        if refusal and ("sendInitialEvents", "true") in query:
            self.reply(422, "application/json", json.dumps(invalid(*refusal)).encode())
            return
        if not refusal:
            query = [pair for pair in query if pair[0] not in PARAMETERS_SINCE_1_15]
        self.forward(url.path + "?" + urlencode(query))

    def reply(self, status, media, body):
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def forward(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.request("GET", path, headers={"Accept": self.headers.get("Accept", "*/*")})
        answer = connection.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type"))
        self.end_headers()  # the body ends with the connection
        try:
            while data := answer.read1(65536):
                self.wfile.write(data)
        except (OSError, http.client.HTTPException):
            pass  # one of the two has gone
        connection.close()


class OlderServer(ThreadingHTTPServer):
    """Listens on a free port and forwards reads to |port|; |refusal| is one of the above."""

    daemon_threads = True

    def __init__(self, port, refusal):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port, self.refusal = port, refusal
        self.seen = []  # the parameters of each request
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()
