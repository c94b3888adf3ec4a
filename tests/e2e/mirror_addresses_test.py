#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mirror_addresses_test.py -- a mirror of an upstream that has several addresses, which come and go.
usage: mirror_addresses_test.py LISTWATCH"""

import contextlib
import http.client
import json
import selectors
import socket
import ssl
import threading

from mirrors import PATIENCE_S, Mirror, wait_for
from serving import CONFIGMAPS, Server, Watch, config_map, revision, run_tests

LISTS = "listwatch_mirror_lists_total"


class Relay:
    """An address that passes connections on to |port|, until it is closed or silent."""

    def __init__(self, port):
        self.target = port
        self.is_silent = False
        self.port = 0
        self.listener = None
        self.open()

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        self.pairs = []
        self.requests = 0
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            self.requests += 1
            self.pairs.append((client, server))
            threading.Thread(target=self.relay, args=(client, server), daemon=True).start()

    def relay(self, client, server):
        choice = selectors.DefaultSelector()
        choice.register(client, selectors.EVENT_READ, server)
        choice.register(server, selectors.EVENT_READ, client)
        with contextlib.suppress(OSError, ValueError):
            while True:
                for key, _ in choice.select():
                    bytes_ = key.fileobj.recv(65536)
                    if not bytes_:
                        raise OSError
                    if not self.is_silent:
                        key.data.sendall(bytes_)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for pair in self.pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def url(self):
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def relayed(program, options=(), **more):
    """A server, two addresses of it, and a mirror that knows both."""
    server = Server(program, memory=True).start()
    relays = [Relay(server.port), Relay(server.port)]
    mirror = None
    try:
        mirror = Mirror(program, server, resources="configmaps", options=(
            "--server", ",".join(relay.url() for relay in relays), *options), **more)
        yield (server, mirror, *relays)
        assert mirror.stop() == 0
    finally:
        if mirror:
            mirror.remove()
        for relay in relays:
            with contextlib.suppress(OSError):
                relay.close()
        server.remove()


def address(mirror, name, relay):
    """The metric |name| of an address."""
    for line in mirror.ask("GET", "/metrics")[2].splitlines():
        if line.startswith(f'listwatch_mirror_upstream_{name}{{server="{relay.url()}"}}'):
            return float(line.split()[-1])
    raise AssertionError(name)


def a_watch_goes_on_at_another_address(program):
    with relayed(program) as (server, mirror, one, other):
        watch = Watch(mirror, CONFIGMAPS + "?watch=1&resourceVersion=0")
        made = server.call("POST", CONFIGMAPS, config_map("a"))[1]
        assert next(watch)["object"] == made
        assert address(mirror, "current", one) == 1
        one.close()
        made = server.call("POST", CONFIGMAPS, config_map("b"))[1]
        assert next(watch)["object"] == made
        # What is passed through goes there as well, at once.
        status, made = mirror.call("POST", CONFIGMAPS, config_map("c"))
        assert status == 201 and next(watch)["object"] == made
        assert mirror.metric(LISTS) == 1
        assert address(mirror, "current", other) == 1 and address(mirror, "up", one) == 0
        text = mirror.ask("GET", "/readyz?verbose")[2]
        assert "[+]upstream ok (address 2 of 2; 1 do not answer)" in text, text
        # It comes back, and is used when the other one goes.
        one.open()
        wait_for("the address answers", lambda: address(mirror, "up", one) == 1)
        assert address(mirror, "current", other) == 1
        other.close()
        made = server.call("POST", CONFIGMAPS, config_map("d"))[1]
        assert next(watch)["object"] == made
        assert mirror.metric(LISTS) == 1
        watch.close()


def an_address_that_is_silent_is_left(program):
    with relayed(program) as (server, mirror, one, other):
        watch = Watch(mirror, CONFIGMAPS + "?watch=1&resourceVersion=0")
        one.is_silent = True
        made = server.call("POST", CONFIGMAPS, config_map("a"))[1]
        assert next(watch)["object"] == made
        assert address(mirror, "current", other) == 1 and mirror.metric(LISTS) == 1
        watch.close()


def the_first_address_may_be_away_at_the_start(program):
    server = Server(program, memory=True).start()
    relay = Relay(server.port)
    gone = Relay(server.port)
    gone.close()
    mirror = None
    try:
        mirror = Mirror(program, server, resources="configmaps",
                        options=("--server", f"{gone.url()},{relay.url()}"))
        assert mirror.call("GET", CONFIGMAPS)[0] == 200
        assert mirror.stop() == 0
    finally:
        if mirror:
            mirror.remove()
        relay.close()
        server.remove()


def permissions_are_asked_for_at_another_address(program):
    """Reviews go to the address that answers; nobody is refused meanwhile."""
    server = Server(program).start()
    relays = [Relay(server.tls_port), Relay(server.tls_port)]
    mirror = None
    try:
        pki = server.folder + "/data/pki/"
        mirror = Mirror(
            program, server, resources="configmaps",
            options=("--listen", "127.0.0.1:0", "--server", ",".join(
                f"https://127.0.0.1:{relay.port}" for relay in relays)),
            cluster={"server": f"https://127.0.0.1:{server.tls_port}",
                     "certificate-authority": pki + "ca.crt"},
            user={"client-certificate": pki + "admin.crt", "client-key": pki + "admin.key"})

        def read(name):
            """Reads ConfigMaps as a new service account, whose token nobody has seen."""
            accounts = "/api/v1/namespaces/default/serviceaccounts"
            server.call("POST", accounts, {"metadata": {"name": name}})
            token = server.call("POST", f"{accounts}/{name}/token", {"spec": {}})[1]["status"]["token"]
            server.call("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
                "metadata": {"name": name}, "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                    "name": "cluster-admin"},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}]})
            connection = http.client.HTTPSConnection("127.0.0.1", mirror.port, timeout=PATIENCE_S,
                                                     context=ssl._create_unverified_context())
            connection.request("GET", CONFIGMAPS + "?resourceVersion=0",
                               headers={"Authorization": "Bearer " + token})
            reply = connection.getresponse()
            answer = json.loads(reply.read())
            connection.close()
            return reply.status, answer
        assert read("one")[0] == 200
        relays[0].close()
        status, answer = read("two")
        assert status == 200, answer
        assert mirror.stop() == 0
    finally:
        if mirror:
            mirror.remove()
        for relay in relays:
            with contextlib.suppress(OSError):
                relay.close()
        server.remove()


def wrong_addresses_are_explained(program):
    server = Server(program, memory=True).start()
    try:
        for urls, why in (("https://127.0.0.1:1", "must be a URL with http"),
                          ("http://a b", "not allowed in a URL"), (",", "no address")):
            try:
                Mirror(program, server, resources="configmaps", options=("--server", urls)).remove()
                raise AssertionError(urls)
            except RuntimeError as refused:
                assert why in str(refused), refused
    finally:
        server.remove()


run_tests([
    a_watch_goes_on_at_another_address,
    an_address_that_is_silent_is_left,
    the_first_address_may_be_away_at_the_start,
    permissions_are_asked_for_at_another_address,
    wrong_addresses_are_explained,
])
