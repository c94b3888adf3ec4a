# SPDX-License-Identifier: Apache-2.0
"""webhook_server.py -- a webhook on the loopback for tests: it answers reviews as the test says, and
remembers what it was asked."""

import http.server
import json
import threading


class Webhook:
    """Answers with what answer(review) returns: a status of a review, (HTTP status, text), or None
    to hang until release() or close()."""

    def __init__(self, answer):
        self.answer, self.asked, self.lock = answer, [], threading.Condition()
        self.released = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.lock:
                    outer.asked.append(review)
                    outer.lock.notify_all()
                answer = outer.answer(review)
                if answer is None:
                    outer.released.wait(60)
                    answer = (503, "too late")
                code, text = answer if isinstance(answer, tuple) else (200, json.dumps(
                    {"apiVersion": review["apiVersion"], "kind": review["kind"],
                     "metadata": {}, "spec": review["spec"], "status": answer}))
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

        self.listener = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def write_config(self, path):
        """A file in the format of kubeconfig that leads here."""
        url = f"http://127.0.0.1:{self.listener.server_address[1]}/review"
        with open(path, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "clusters": [{"name": "c", "cluster": {"server": url}}],
                       "users": [{"name": "u", "user": {}}],
                       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]},
                      file)
        return path

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
