#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tls_records_test.py -- connections after their handshake, with OpenSSL's clients: key updates, the
end, and what is larger than a socket.   usage: tls_records_test.py LISTWATCH"""

import http.client
import json
import os
import select
import socket
import ssl
import subprocess

from serving import CONFIGMAPS, Server, config_map, run_tests

TIMEOUT_S = 60
SUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
TOKEN = "a-token"
REQUEST = b"GET /version HTTP/1.1\r\nHost: a\r\n\r\n"


def with_server(test):
    def run(program):
        server = Server(program, memory=True)
        with open(server.folder + "/tokens", "w") as file:
            file.write(f"{TOKEN},admin,1,system:masters\n")
        server.command += ["--token-file", server.folder + "/tokens"]
        try:
            test(server.start())
        finally:
            server.remove()
    run.__name__ = test.__name__
    return run


class Client:
    """`openssl s_client`, which takes commands as well: K and k update its key."""

    def __init__(self, port, suite):
        self.process = subprocess.Popen(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-ciphersuites", suite],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.seen = b""

    def send(self, text):
        os.write(self.process.stdin.fileno(), text)

    def wait_for(self, text, count):
        while self.seen.count(text) < count:
            ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT_S)
            more = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            assert more, (text, count, self.seen[-2000:])
            self.seen += more

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@with_server
def keys_are_updated_between_requests(server):
    for suite in SUITES:
        client = Client(server.tls_port, suite)
        try:
            client.wait_for(f"Cipher is {suite}".encode(), 1)
            client.wait_for(b"---\n", 1)
            for turn in range(1, 7):
                client.send(REQUEST)
                client.wait_for(b'"gitVersion"', turn)
                client.send(b"K\n" if turn % 2 else b"k\n")
                client.wait_for(b"KEYUPDATE", turn)
        finally:
            client.close()


def connect(server, version=ssl.TLSVersion.TLSv1_3, receives=None):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = version
    plain = socket.socket()
    plain.settimeout(TIMEOUT_S)
    if receives:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
    plain.connect(("127.0.0.1", server.tls_port))
    return context.wrap_socket(plain, suppress_ragged_eofs=False)


@with_server
def the_end_of_a_connection_is_announced(server):
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        with connect(server, version) as connection:
            connection.sendall(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            reply = b""
            while more := connection.recv(65536):  # raises if the end is not announced
                reply += more
            assert b'"gitVersion"' in reply, reply


def ask(connection, method, path, body=None):
    own = http.client.HTTPConnection("127.0.0.1")
    own.sock = connection
    own.request(method, path, body, {"Content-Type": "application/json",
                                     "Authorization": f"Bearer {TOKEN}"})
    reply = own.getresponse()
    answer = json.loads(reply.read())
    assert reply.status in (200, 201), answer
    return answer


@with_server
def a_large_object_arrives_whole(server):
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        name = version.name.lower().replace("_", "-")
        text = "".join(f"{i} of {name}\n" for i in range(50000))
        with connect(server, version) as connection:
            ask(connection, "POST", CONFIGMAPS, json.dumps(config_map(name, text=text)))
            read = ask(connection, "GET", CONFIGMAPS + "/" + name)
            assert read["data"]["text"] == text


@with_server
def who_reads_slowly_gets_the_whole_list(server):
    data = {f"m{i}": f"{i}:" * 20000 for i in range(30)}
    for name, text in data.items():
        server.call("POST", CONFIGMAPS, config_map(name, text=text))
    for step in 1000, 17000:
        with connect(server, receives=4096) as connection:
            connection.sendall(f"GET {CONFIGMAPS} HTTP/1.0\r\n"
                               f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())
            reply = b""
            while more := connection.recv(step):
                reply += more
        items = json.loads(reply.split(b"\r\n\r\n", 1)[1])["items"]
        assert {item["metadata"]["name"]: item["data"]["text"] for item in items} == data


if __name__ == "__main__":
    run_tests([keys_are_updated_between_requests, the_end_of_a_connection_is_announced,
               a_large_object_arrives_whole, who_reads_slowly_gets_the_whole_list])
