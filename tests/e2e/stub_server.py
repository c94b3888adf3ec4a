# SPDX-License-Identifier: Apache-2.0
"""stub_server.py -- an HTTPS server on the loopback for tests, and the certificates it needs."""

import http.server
import os
import ssl
import subprocess
import threading
import types


class Authority:
    """A CA in a folder."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                     "-nodes", "-keyout", name + ".key", "-out", name + ".crt", "-days", "1",
                     "-subj", "/CN=" + name)
        self.cert = os.path.join(folder, name + ".crt")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.folder)

    def issue(self, name, subject, names=""):
        """The paths of a certificate and its key; |names| as "DNS:a,IP:127.0.0.1"."""
        extension = os.path.join(self.folder, name + ".ext")
        with open(extension, "w") as file:
            file.write(f"subjectAltName={names}\n" if names else "")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", name + ".key", "-out", name + ".csr", "-subj", subject)
        self.openssl("x509", "-req", "-in", name + ".csr", "-CA", self.name + ".crt", "-CAkey",
                     self.name + ".key", "-CAcreateserial", "-days", "1", "-extfile", extension,
                     "-out", name + ".crt")
        return tuple(os.path.join(self.folder, name + end) for end in (".crt", ".key"))


class Request(http.server.BaseHTTPRequestHandler):
    """One request; the owner's answer(request) replies to it."""

    protocol_version = "HTTP/1.1"

    def do(self):
        owner = self.server.owner
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else b""
        with owner.changed:
            owner.asked.append(types.SimpleNamespace(
                command=self.command, path=self.path, headers=self.headers, body=self.body,
                name=self.certificate_name()))
            owner.changed.notify_all()
        try:
            owner.answer(self)
        except (OSError, ValueError):
            self.close_connection = True  # the client has gone

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do

    def certificate_name(self):
        """The common name of the client's certificate, or None."""
        shown = self.connection.getpeercert() if hasattr(self.connection, "getpeercert") else None
        return next((value for part in (shown or {}).get("subject", ()) for key, value in part
                     if key == "commonName"), None)

    def reply(self, code, body=b"", kind="application/json", headers=()):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def begin(self, kind):
        """A reply whose chunks follow."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def end(self):
        self.wfile.write(b"0\r\n\r\n")

    def upgrade(self, protocol, headers=()):
        self.send_response(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", protocol)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, *args):
        pass


class Stub:
    """Answers with answer(request) of a subclass, and remembers what it was asked."""

    def __init__(self, cert=None, client_ca=None):
        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, request, client_address):
                pass

        self.asked, self.changed = [], threading.Condition()
        self.listener = Listener(("127.0.0.1", 0), Request)
        self.listener.owner = self
        self.port = self.listener.server_address[1]
        if cert:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*cert)
            if client_ca:
                context.verify_mode = ssl.CERT_OPTIONAL
                context.load_verify_locations(client_ca)
            self.listener.socket = context.wrap_socket(self.listener.socket, server_side=True,
                                                       do_handshake_on_connect=False)
        threading.Thread(target=self.listener.serve_forever, args=(0.05,), daemon=True).start()

    def await_asked(self, wanted, timeout=30):
        """Waits for a request for which wanted(request): a copy, with the common name of the
        client's certificate as its name, which is returned."""
        found = lambda: next((one for one in self.asked if wanted(one)), None)
        with self.changed:
            assert self.changed.wait_for(found, timeout), [one.path for one in self.asked]
            return found()

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()
