#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lost_reply_test.py -- a server that ends HTTP/2 connections without a reply, as kube-apiserver may
seem to do after a 401.   usage: lost_reply_test.py LISTWATCH"""

import json
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import threading

from h2frames import ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, SETTINGS, frame, literal
from serving import run_tests

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
METHOD_GET = b"\x82"  # RFC 7541, Appendix A


MEDIA = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
DISCOVERY = json.dumps({
    "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
    "items": [{"metadata": {"name": ""}, "versions": [{"version": "v1", "resources": [
        {"resource": "configmaps", "singularResource": "configmap", "scope": "Namespaced",
         "responseKind": {"group": "", "version": "v1", "kind": "ConfigMap"},
         "verbs": ["delete", "get", "list"]}]}]}]}).encode()


class EndingServer:
    """Ends the connections of the first |losses| requests, or with |takes_reads| those of all writes,
    when the request has come; answers 401 to others, or with |takes_reads| the kinds there are."""

    def __init__(self, losses, takes_reads):
        self.folder = tempfile.mkdtemp()
        self.takes_reads = takes_reads
        self.losses, self.requests, self.is_closing = losses, [], False
        certificate, key = self.folder + "/tls.pem", self.folder + "/tls.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
                        "-days", "2", "-subj", "/CN=127.0.0.1"], check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        self.tls.set_alpn_protocols(["h2"])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def config(self):
        name = self.folder + "/config"
        url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        with open(name, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "contexts": [{"name": "c", "context": {"cluster": "s", "user": "u"}}],
                       "clusters": [{"name": "s", "cluster": {"server": url,
                                                              "insecure-skip-tls-verify": True}}],
                       "users": [{"name": "u", "user": {"token": "wrong"}}]}, file)
        return name

    def serve(self):
        threads = []
        while True:
            plain, _ = self.listener.accept()
            if self.is_closing:
                plain.close()
                break
            threads.append(threading.Thread(target=self.serve_one, args=(plain,)))
            threads[-1].start()
        for thread in threads:
            thread.join()

    def serve_one(self, plain):
        try:
            with self.tls.wrap_socket(plain, server_side=True) as connection:
                self.answer(connection)
        except OSError:  # the client has ended it
            plain.close()

    def answer(self, connection):
        with connection.makefile("rb") as stream:
            if stream.read(len(PREFACE)) != PREFACE:
                return
            connection.sendall(frame(SETTINGS, 0, 0))
            while head := stream.read(9):
                block = stream.read(int.from_bytes(head[:3], "big"))
                if head[3] == SETTINGS and not head[4] & ACK:
                    connection.sendall(frame(SETTINGS, ACK, 0))
                if head[3] != HEADERS:
                    continue
                is_read = block.startswith(METHOD_GET)
                self.requests.append("read" if is_read else "write")
                number = int.from_bytes(head[5:], "big")
                if len(self.requests) <= self.losses or self.takes_reads and not is_read:
                    connection.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", number, 0)))
                    return
                connection.sendall(self.reply(number))

    def reply(self, number):
        if not self.takes_reads:
            return frame(HEADERS, END_STREAM | END_HEADERS, number, literal(":status", "401"))
        fields = literal(":status", "200") + literal("content-type", MEDIA)
        return frame(HEADERS, END_HEADERS, number, fields) + \
            frame(DATA, END_STREAM, number, DISCOVERY)

    def close(self):
        self.is_closing = True
        socket.create_connection(self.listener.getsockname()).close()
        self.thread.join()
        self.listener.close()
        shutil.rmtree(self.folder)


def said(program, words, losses=0, takes_reads=False):
    """The error of `listwatch WORDS`, and the requests that the server got."""
    server = EndingServer(losses, takes_reads)
    try:
        done = subprocess.run([program, *words, "--kubeconfig", server.config()],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1, done
        return done.stderr, server.requests
    finally:
        server.close()


def a_read_whose_connection_ended_is_sent_once_more(program):
    for losses in range(2):
        text, requests = said(program, ["get", "configmaps"], losses)
        assert "did not accept the credentials" in text, text
        # /api and /apis, together.  Only one connection ends, and each is repeated for it.
        assert 2 <= len(requests) <= 2 + 2 * losses, requests


def a_second_loss_is_an_error(program):
    text, requests = said(program, ["get", "configmaps"], 1000)
    assert "without a response" in text, text
    # Both are sent twice; libcurl itself repeats one that shared a connection, at most five times.
    assert 2 <= len(requests) <= 4 * 6, requests


def a_write_is_not_sent_twice(program):
    text, requests = said(program, ["delete", "configmap", "a", "--yes"], takes_reads=True)
    assert "without a response" in text, text
    assert requests.count("write") == 1, requests


if __name__ == "__main__":
    run_tests([a_read_whose_connection_ended_is_sent_once_more, a_second_loss_is_an_error,
               a_write_is_not_sent_twice])
