# SPDX-License-Identifier: Apache-2.0
"""sign_in_test.py -- signing in to the page: links, sessions, and attacks on both.

usage: sign_in_test.py LISTWATCH"""

import base64
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import time

from serving import Server, run_tests

WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
SESSION = "/ui/session"
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Protocol": "base64.binary.k8s.io",
           "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode()}
OTHERS = ["https://example.com", "https://127.0.0.1:1", "http://127.0.0.1:{port}", "null"]


class Site(Server):
    """A server over HTTPS."""

    def __init__(self, program, options=()):
        super().__init__(program, options=options)
        self.start()
        self.origin = f"https://127.0.0.1:{self.tls_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def ask(self, method, path, body=None, **headers):
        """One request over HTTPS: the status, the headers, and the text of the reply."""
        context = ssl.create_default_context(cafile=self.folder + "/data/pki/ca.crt")
        connection = http.client.HTTPSConnection("127.0.0.1", self.tls_port, timeout=30,
                                                 context=context)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        reply = connection.getresponse()
        text = "" if reply.status == 101 else reply.read().decode()
        connection.close()
        return reply.status, reply.headers, text

    def link(self):
        """The secret of a new link."""
        found = len(self.links())
        self.process.send_signal(signal.SIGUSR1)
        end = time.monotonic() + 30
        while len(self.links()) == found:
            assert time.monotonic() < end, "no link was printed"
            time.sleep(0.01)
        url, secret = self.links()[-1]
        assert url == self.origin, url
        return secret

    def links(self):
        with open(self.folder + "/server.log") as log:
            return re.findall(r"^page: (\S+)/#/sign-in/(\S+) ", log.read(), re.M)

    def sign_in(self, secret=None, **headers):
        headers = {"Origin": self.origin, **headers}
        return self.ask("POST", SESSION, secret or self.link(), **headers)

    def cookie(self):
        status, headers, text = self.sign_in()
        assert status == 201, text
        return headers["Set-Cookie"].split(";")[0]

    def user(self, **headers):
        """Who sends a request with these headers; None: nobody."""
        review = json.dumps({"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"})
        status, _, text = self.ask("POST", WHO, review, **{"Content-Type": "application/json",
                                                           **headers})
        if status != 201:
            assert status in (401, 403), (status, text)
            return None
        return json.loads(text)["status"]["userInfo"]["username"]


def a_link_signs_in_once(program):
    with Site(program) as site:
        assert site.links() == [], "a log may have many readers: no link without a terminal"
        secret = site.link()
        status, headers, text = site.sign_in(secret)
        assert status == 201, text
        name, *attributes = headers["Set-Cookie"].split("; ")
        assert name.startswith(f"__Host-listwatch-{site.tls_port}="), name
        assert sorted(attributes) == ["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict",
                                      "Secure"], attributes
        assert headers["Cache-Control"] == "no-store"
        assert site.user(Cookie=name, Origin=site.origin) == "system:admin"
        status, headers, text = site.sign_in(secret)  # replayed
        assert status == 401 and "Set-Cookie" not in headers, (status, headers)
        assert "used before" in json.loads(text)["message"], text
        for wrong in ["", "x", "A" * 43, "A" * 100000, secret[:-1], secret + "A"]:
            status, headers, _ = site.ask("POST", SESSION, wrong, Origin=site.origin)
            assert status == 401 and "Set-Cookie" not in headers, (wrong, status)


def a_terminal_shows_the_link_at_the_start(program):
    main, terminal = os.openpty()
    site = Server(program)
    process = subprocess.Popen([program, "serve", "--data-dir", site.folder + "/data", "--listen",
                                "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=terminal)
    os.close(terminal)
    told = b""
    try:
        while b"/#/sign-in/" not in told:
            told += os.read(main, 4096)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        os.close(main)
        site.remove()


def a_session_ends_on_the_server(program):
    with Site(program) as site:
        cookie, other = site.cookie(), site.cookie()
        own = {"Cookie": cookie, "Origin": site.origin}
        assert site.ask("GET", SESSION, Cookie=cookie)[2] == '{"isSignedIn":true}\n'
        status, headers, _ = site.ask("DELETE", SESSION, **own)
        assert status == 200 and "Max-Age=0" in headers["Set-Cookie"], headers
        assert site.user(**own) is None
        assert site.ask("GET", SESSION, Cookie=cookie)[2] == '{"isSignedIn":false}\n'
        assert site.user(Cookie=other, Origin=site.origin) == "system:admin"
        assert site.ask("DELETE", SESSION, **own)[0] == 200
        site.stop()
        site.start()
        assert site.user(Cookie=other, Origin=site.origin) is None, "sessions outlive the server"


def a_tampered_cookie_is_nobody(program):
    with Site(program) as site:
        cookie = site.cookie()
        name, value = cookie.split("=", 1)
        first = "B" if value[0] == "A" else "A"
        for wrong in [name + "=", name, f"{name}={first}{value[1:]}", f"{name}={value}A",
                      f"{name}={value[:-1]}", f"listwatch={value}", f"{name}x={value}",
                      f'{name}="{value}"', f"{name}={value},", ";" * 1000, "=" * 1000]:
            assert site.user(Cookie=wrong, Origin=site.origin) is None, wrong
        assert site.user(Cookie=f"a=b; {cookie}; c=d", Origin=site.origin) == "system:admin"
        # An invalid token is not overruled by a cookie.
        assert site.user(Cookie=cookie, Origin=site.origin, Authorization="Bearer x") is None


def a_cookie_is_for_the_page_of_the_server_only(program):
    allowed = "https://ui.example.com"
    with Site(program, ["--allow-origin", allowed]) as site:
        cookie = site.cookie()
        others = [other.format(port=site.tls_port) for other in OTHERS] + [allowed]
        pods = "/api/v1/pods"
        for other in others:
            assert site.user(Cookie=cookie, Origin=other) is None, other
            assert site.ask("GET", pods, Cookie=cookie, Origin=other)[0] in (401, 403), other
            status, headers, _ = site.sign_in(site.link(), Origin=other)
            assert status == 403 and "Set-Cookie" not in headers, (other, status)
            assert site.ask("DELETE", SESSION, Cookie=cookie, Origin=other)[0] == 403, other
            status, _, _ = site.ask("GET", pods + "?watch=1", Cookie=cookie, Origin=other, **UPGRADE)
            assert status in (401, 403), (other, status)
        assert site.user(Cookie=cookie) is None, "a write without an origin"
        assert site.ask("GET", pods + "?watch=1", Cookie=cookie, **UPGRADE)[0] in (401, 403)
        for relation in ["cross-site", "same-site", "same-Origin", ""]:
            headers = {"Cookie": cookie, "Sec-Fetch-Site": relation}
            assert site.ask("GET", pods, **headers)[0] in (401, 403), relation
            assert site.user(**headers, Origin=site.origin) is None, relation
        own = {"Cookie": cookie, "Origin": site.origin, "Sec-Fetch-Site": "same-origin"}
        assert site.ask("GET", pods + "?watch=1", **own, **UPGRADE)[0] == 101
        assert site.ask("GET", pods, Cookie=cookie, Sec_Fetch_Site="same-origin")[0] == 200
        assert site.ask("GET", pods, Cookie=cookie, Sec_Fetch_Site="none")[0] == 200
        assert site.user(**own) == "system:admin", "the session has survived the attacks"


def other_methods_do_not_sign_in(program):
    with Site(program) as site:
        secret = site.link()
        for method in ["PUT", "PATCH", "OPTIONS"]:
            status, headers, _ = site.ask(method, SESSION, secret, Origin=site.origin)
            assert status == 405 and "Set-Cookie" not in headers, (method, status)
        status, headers, _ = site.ask("GET", f"{SESSION}?{secret}", secret, Origin=site.origin)
        assert status == 200 and "Set-Cookie" not in headers
        assert site.sign_in(secret)[0] == 201, "the link has not been used yet"


def plain_http_has_no_sessions(program):
    with Site(program) as site:
        cookie = site.cookie()
        connection = site.connect()
        connection.request("POST", SESSION, site.link(), {"Origin": site.url()})
        reply = connection.getresponse()
        told = json.loads(reply.read())
        assert (reply.status, told["message"]) == (400, "plain HTTP needs no sign-in"), told
        connection.request("GET", SESSION, headers={"Cookie": cookie})
        assert connection.getresponse().read() == b'{"isSignedIn":false}\n'
        connection.close()


def the_number_of_links_and_sessions_is_bounded(program):
    with Site(program) as site:
        secrets = [site.link() for _ in range(9)]
        assert site.sign_in(secrets[0])[0] == 401, "the ninth link replaces the first"
        assert site.sign_in(secrets[1])[0] == 201
        cookies = [site.cookie() for _ in range(65)]
        assert site.user(Cookie=cookies[0], Origin=site.origin) is None
        assert site.user(Cookie=cookies[1], Origin=site.origin) == "system:admin"


run_tests([
    a_link_signs_in_once,
    a_terminal_shows_the_link_at_the_start,
    a_session_ends_on_the_server,
    a_tampered_cookie_is_nobody,
    a_cookie_is_for_the_page_of_the_server_only,
    other_methods_do_not_sign_in,
    plain_http_has_no_sessions,
    the_number_of_links_and_sessions_is_bounded,
])
