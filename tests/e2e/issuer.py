# SPDX-License-Identifier: Apache-2.0
"""issuer.py -- an OpenID Connect issuer for tests: HTTPS on the loopback with a CA of its own, keys
that are rotated, and tokens.  The openssl program makes certificates and signatures."""

import base64
import http.server
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import time

CURVES = {"ES256": ("prime256v1", "P-256", 32), "ES384": ("secp384r1", "P-384", 48),
          "ES512": ("secp521r1", "P-521", 66)}


def run(*command, stdin=None):
    done = subprocess.run(command, input=stdin, capture_output=True)
    assert done.returncode == 0, (command, done.stderr.decode())
    return done.stdout


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number_at(der, at):
    """An INTEGER of DER that begins at |at|, and where it ends."""
    assert der[at] == 2
    end = at + 2 + der[at + 1]
    return int.from_bytes(der[at + 2:end], "big"), end


def without_der(der, size):
    """The two numbers of an ECDSA signature, |size| bytes each."""
    at = 2 if der[1] < 0x80 else 3
    r, at = number_at(der, at)
    s, _ = number_at(der, at)
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


class Key:
    """A private key in a file; |alg| decides its kind."""

    def __init__(self, folder, kid, alg="RS256", bits=2048):
        self.kid, self.alg, self.file = kid, alg, f"{folder}/{kid}.pem"
        if alg in CURVES:
            run("openssl", "ecparam", "-name", CURVES[alg][0], "-genkey", "-noout", "-out",
                self.file)
        else:
            run("openssl", "genrsa", "-out", self.file, str(bits))

    def public(self):
        """As PEM."""
        return run("openssl", "pkey", "-in", self.file, "-pubout")

    def jwk(self):
        if self.alg in CURVES:
            _, curve, size = CURVES[self.alg]
            der = run("openssl", "pkey", "-in", self.file, "-pubout", "-outform", "DER")
            point = der[-2 * size:]
            return {"kty": "EC", "use": "sig", "kid": self.kid, "crv": curve,
                    "x": base64url(point[:size]), "y": base64url(point[size:])}
        text = run("openssl", "rsa", "-in", self.file, "-noout", "-modulus").decode()
        modulus = bytes.fromhex(text.strip().split("=")[1])
        return {"kty": "RSA", "use": "sig", "kid": self.kid, "n": base64url(modulus), "e": "AQAB"}

    def sign(self, text, alg=None):
        alg = alg or self.alg
        more = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"] \
            if alg.startswith("PS") else []
        signature = run("openssl", "dgst", "-sha" + alg[2:], "-sign", self.file, *more, stdin=text)
        return without_der(signature, CURVES[alg][2]) if alg in CURVES else signature


def token_of(claims, key=None, header=None, signature=None):
    """A token with |claims|, a dictionary or JSON, signed by |key|."""
    head = {"alg": key.alg, "kid": key.kid} if key else {}
    head.update(header or {})
    body = claims if isinstance(claims, str) else json.dumps(claims)
    text = base64url(json.dumps(head).encode()) + "." + base64url(body.encode())
    if signature is None:
        signature = key.sign(text.encode(), head["alg"])
    return text + "." + base64url(signature)


class Issuer:
    """Serves |keys| until it is closed; counts the requests of each path."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.ca_file = self.folder + "/ca.pem"
        self.keys = []
        self.counts = {}
        self.metadata = {}
        self.server = None
        self.port = 0
        self._make_certificates()

    def _make_certificates(self):
        folder = self.folder
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        run("openssl", "req", "-x509", *curve, "-keyout", folder + "/ca.key", "-out",
            self.ca_file, "-days", "2", "-subj", "/CN=issuer-ca")
        run("openssl", "req", *curve, "-keyout", folder + "/tls.key", "-out", folder + "/tls.csr",
            "-subj", "/CN=issuer")
        with open(folder + "/san", "w") as file:
            file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        run("openssl", "x509", "-req", "-in", folder + "/tls.csr", "-CA", self.ca_file, "-CAkey",
            folder + "/ca.key", "-CAcreateserial", "-days", "2", "-extfile", folder + "/san",
            "-out", folder + "/tls.pem")

    def start(self):
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                issuer.counts[self.path] = issuer.counts.get(self.path, 0) + 1
                document = issuer.document(self.path)
                body = json.dumps(document or {}).encode()
                self.send_response(200 if document else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder + "/tls.pem", self.folder + "/tls.key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def reserve_port(self):
        """Chooses a port without serving it yet."""
        self.start()
        self.stop()
        return self

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        self.server = None

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def document(self, path):
        if path in ("/.well-known/openid-configuration", "/elsewhere"):
            return dict({"issuer": self.url, "jwks_uri": self.url + "/keys"}, **self.metadata)
        return {"keys": [key.jwk() for key in self.keys]} if path == "/keys" else None

    def ca(self):
        with open(self.ca_file) as file:
            return file.read()

    def new_key(self, kid, alg="RS256", bits=2048):
        return Key(self.folder, kid, alg, bits)

    def claims(self, **more):
        now = int(time.time())
        claims = {"iss": self.url, "aud": "kubernetes", "sub": "ann", "exp": now + 600, "iat": now}
        claims.update(more)
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, key=None, **claims):
        return token_of(self.claims(**claims), key or self.keys[0])
