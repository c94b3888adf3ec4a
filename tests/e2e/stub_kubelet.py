# SPDX-License-Identifier: Apache-2.0
"""stub_kubelet.py -- a kubelet for tests: logs, exec and port forwarding by SPDY and WebSocket."""

import base64
import hashlib
import json
import struct
import threading
import urllib.parse

import spdy
from stub_server import Stub

SUCCESS = {"metadata": {}, "status": "Success"}
EXIT_3 = {"metadata": {}, "status": "Failure", "reason": "NonZeroExitCode",
          "message": "command terminated with non-zero exit code: 3",
          "details": {"causes": [{"reason": "ExitCode", "message": "3"}]}}


def run(command, stdin):
    """What a command writes to stdout and stderr, and its status."""
    if command[0] == "cat":
        return stdin, b"", SUCCESS
    if command[0] == "fail":
        return b"", b"it failed\n", EXIT_3
    return b"ran " + " ".join(command).encode() + b"\n", b"", SUCCESS


class WebSocket:
    """The server's side of a WebSocket: whole, small frames."""

    def __init__(self, request):
        self.read, self.write = request.rfile.read, request.wfile.write

    def receive(self):
        """The next binary message; None: the end."""
        head = self.read(2)
        if len(head) < 2 or head[0] & 15 == 8:
            return None
        length = head[1] & 127
        if length == 126:
            length = struct.unpack(">H", self.read(2))[0]
        mask = self.read(4)
        return bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.read(length)))

    def send(self, data, kind=2):
        head = bytes([0x80 | kind, len(data)]) if len(data) < 126 else \
            struct.pack(">BBH", 0x80 | kind, 126, len(data))
        self.write(head + data)


class Kubelet(Stub):
    """|log| is what containerLogs answers; more() adds a line for those who follow."""

    def __init__(self, cert, client_ca=None, log=("one", "two", "three")):
        self.log, self.grown = list(log), threading.Condition()
        super().__init__(cert, client_ca)

    def more(self, line):
        with self.grown:
            self.log.append(line)
            self.grown.notify_all()

    def answer(self, request):
        url = urllib.parse.urlsplit(request.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        word = url.path.split("/")[1]
        if word == "containerLogs":
            self.answer_log(request, query)
        elif word in ("exec", "attach", "portForward"):
            self.answer_stream(request, word, query)
        elif word == "hang":
            threading.Event().wait(30)
        else:
            request.reply(200, json.dumps({"path": request.path, "method": request.command,
                                           "body": request.body.decode(),
                                           "client": request.certificate_name()}).encode())

    def answer_log(self, request, query):
        tail = int(query.get("tailLines", [len(self.log)])[0])
        if query.get("previous"):
            request.reply(400, b'previous terminated container "c" in pod "p" not found',
                          "text/plain")
            return
        lines = self.log[len(self.log) - tail:] if tail else []
        request.begin("text/plain")
        for line in lines:
            request.chunk(line.encode() + b"\n")
        at = len(self.log)
        while query.get("follow") and lines and lines[-1] != "end":
            with self.grown:
                self.grown.wait_for(lambda: len(self.log) > at, 30)
                lines, at = self.log[at:], len(self.log)
            for line in lines:
                request.chunk(line.encode() + b"\n")
        request.end()

    def answer_stream(self, request, word, query):
        if request.headers.get("Upgrade", "").lower() == "websocket":
            self.answer_websocket(request, query)
        elif word == "portForward":
            self.forward_spdy(request)
        else:
            self.exec_spdy(request, query)

    def exec_spdy(self, request, query):
        request.upgrade("SPDY/3.1", [("X-Stream-Protocol-Version", "v4.channel.k8s.io")])
        connection = spdy.Connection(request.rfile.read, request.wfile.write)
        streams, stdin = {}, []
        wanted = {"error"} | {name for name, flag in (("stdin", "input"), ("stdout", "output"),
                                                      ("stderr", "error")) if query.get(flag)}

        def finish():
            out, err, status = run(query.get("command", ["attach"]), b"".join(stdin))
            for name, text in (("stdout", out), ("stderr", err)):
                if name in streams:
                    connection.send(streams[name], text)
                    connection.send(streams[name], b"", True)
            connection.send(streams["error"], json.dumps(status).encode())
            connection.send(streams["error"], b"", True)

        def on_open(stream, headers):
            streams[headers["streamtype"]] = stream
            if wanted <= set(streams) and "stdin" not in streams:
                finish()

        def on_data(stream, data, is_last):
            stdin.append(data)
            if is_last and stream == streams.get("stdin"):
                finish()

        connection.run(on_open, on_data)

    def forward_spdy(self, request):
        request.upgrade("SPDY/3.1", [("X-Stream-Protocol-Version", "portforward.k8s.io")])
        connection = spdy.Connection(request.rfile.read, request.wfile.write)
        data_streams = {}

        def on_open(stream, headers):
            if headers["streamtype"] == "data":
                data_streams[stream] = headers["port"]

        def on_data(stream, data, is_last):
            if stream in data_streams:
                port = data_streams[stream].encode()
                connection.send(stream, data and port + b": " + data.upper(), is_last)

        connection.run(on_open, on_data)

    def answer_websocket(self, request, query):
        key = request.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        offered = [one.strip() for one in
                   request.headers.get("Sec-WebSocket-Protocol", "").split(",")]
        protocol = next(one for one in ("v5.channel.k8s.io", "v4.channel.k8s.io")
                        if one in offered)
        request.upgrade("websocket", [
            ("Sec-WebSocket-Accept",
             base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()),
            ("Sec-WebSocket-Protocol", protocol)])
        socket, stdin = WebSocket(request), []
        while query.get("input"):
            message = socket.receive()
            if message is None:
                return
            if message[0] == 255 and protocol.startswith("v5"):
                break  # stdin is closed
            stdin.append(message[1:])
            if message.endswith(b"\n"):
                break
        out, err, status = run(query.get("command", ["attach"]), b"".join(stdin))
        for channel, text in ((1, out), (2, err), (3, json.dumps(status).encode())):
            if text:
                socket.send(bytes([channel]) + text)
        socket.send(b"\x03\xe8", 8)
