#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""measure.py PROGRAM [SECONDS] -- what clients without credentials cost a server, in figures.

Not a test: it prints the share of one CPU that the server uses under each attack, and how long the
requests of an authenticated client take beside it.  attack_test.py has the cases that must hold."""

import http.client
import os
import socket
import ssl
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import h2_frames as h2  # noqa: E402
from serving import Server  # noqa: E402

RATE = 560 * 1000  # bytes per second
BLOCK = 16000      # references to one field


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client(threading.Thread):
    """An authenticated client on one connection that measures its requests."""

    def __init__(self, server):
        super().__init__()
        with open(server.folder + "/data/pki/admin.token") as token:
            self.headers = {"Authorization": "Bearer " + token.read().strip()}
        context = ssl.create_default_context(cafile=server.folder + "/data/pki/ca.crt")
        self.connection = http.client.HTTPSConnection("127.0.0.1", server.tls_port,
                                                      context=context, timeout=10)
        self.is_over, self.times = threading.Event(), []
        self.get()

    def get(self):
        self.connection.request("GET", "/api/v1/namespaces/default", headers=self.headers)
        reply = self.connection.getresponse()
        reply.read()
        assert reply.status == 200, reply.status

    def run(self):
        while not self.is_over.wait(0.01):
            began = time.monotonic()
            self.get()
            self.times.append(time.monotonic() - began)


def hpack_block(value):
    return h2.REQUEST + h2.indexed(b"a", value) + b"\xbe" * BLOCK


class Sender:
    """Sends |payload| of one connection after the other, at RATE; connects again when closed."""

    def __init__(self, port, payloads):
        self.port, self.payloads = port, payloads
        self.sent = self.connections = 0
        self.connection = None

    def attack(self, seconds):
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            ahead = self.sent / RATE - (time.monotonic() - began)
            if ahead > 0:
                time.sleep(ahead)
            try:
                if not self.connection:
                    self.connection = h2.Connection(self.port)
                    self.connection.socket.settimeout(2)
                    self.connections += 1
                    self.next = self.payloads()
                data = next(self.next)
                self.sent += len(data)
                self.connection.send(data)
            except (StopIteration, OSError):
                if self.connection:
                    self.connection.close()
                self.connection = None
        if self.connection:
            self.connection.close()


def head_payloads(block):
    """Requests, each with |block| in HEADERS and CONTINUATION frames."""
    stream = 1
    while True:
        yield h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, stream, block[:16384])
        stream += 2


def hpack_with(value):
    return lambda: head_payloads(hpack_block(value)[:16384])


def one_block_each():
    """A new connection for each block."""
    yield next(head_payloads(hpack_block(b"v" * 4000)))


def heads_that_fit():
    """Requests of 60,000 bytes in 20 bytes each, which are refused with status 401."""
    stream = 1
    yield h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, stream,
                   h2.REQUEST + h2.indexed(b"a", b"v" * 4000))
    while True:
        out = b""
        for _ in range(100):
            stream += 2
            out += h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, stream,
                            b"\x82\x87\x84" + b"\xbe" * 14)
        yield out


def trailers():
    stream = 1
    while True:
        yield (h2.frame(h2.HEADERS, h2.END_HEADERS, stream, h2.REQUEST) +
               h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, stream,
                        h2.indexed(b"a", b"v" * 4000) + b"\xbe" * 12000))
        stream += 2


def many(one):
    def payloads():
        while True:
            yield one * (16384 // len(one))
    return payloads


def rapid_reset():
    stream = 1
    while True:
        out = b""
        for _ in range(200):
            out += h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, stream, h2.REQUEST)
            out += h2.frame(h2.RST_STREAM, 0, stream, b"\0\0\0\x08")
            stream += 2
        yield out


ATTACKS = [
    ("nothing", None),
    ("HPACK, 4000-byte value", hpack_with(b"v" * 4000)),
    ("HPACK, 1-byte value", hpack_with(b"v")),
    ("HPACK, invalid value", hpack_with(b"v" * 3999 + b"\1")),
    ("HPACK, one block each", one_block_each),
    ("HPACK, heads that fit", heads_that_fit),
    ("HPACK, trailers", trailers),
    ("SETTINGS", many(h2.frame(h2.SETTINGS, 0, 0))),
    ("PING", many(h2.frame(h2.PING, 0, 0, b"12345678"))),
    ("WINDOW_UPDATE", many(h2.frame(h2.WINDOW_UPDATE, 0, 0, b"\0\0\0\1"))),
    ("unknown frames", many(h2.frame(77, 0, 0))),
    ("rapid reset", rapid_reset),
]


def measure(server, name, payloads, seconds):
    client = Client(server)
    client.start()
    before, began = cpu_s(server.process.pid), time.monotonic()
    sender = Sender(server.tls_port, payloads)
    if payloads:
        sender.attack(seconds)
    else:
        time.sleep(seconds)
    spent, took = cpu_s(server.process.pid) - before, time.monotonic() - began
    client.is_over.set()
    client.join()
    times = sorted(client.times)
    print(f"{name:24} {100 * spent / took:6.1f} % CPU  {sender.sent / took / 1000:6.0f} KB/s  "
          f"{sender.connections:5} connections  GET p50 {1000 * times[len(times) // 2]:.1f} ms  "
          f"p99 {1000 * times[len(times) * 99 // 100]:.1f} ms", flush=True)


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
    server = Server(sys.argv[1]).start()
    try:
        for name, payloads in ATTACKS:
            measure(server, name, payloads, seconds)
    finally:
        server.remove()


main()
