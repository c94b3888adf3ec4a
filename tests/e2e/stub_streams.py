# SPDX-License-Identifier: Apache-2.0
"""stub_streams.py -- a kubelet for tests whose commands run while their input comes, and which
forwards ports to those of this machine, as a kubelet does: with the protocol of one WebSocket for
each connection."""

import base64
import hashlib
import json
import select
import socket
import ssl
import struct
import threading

from stub_kubelet import EXIT_3, Kubelet, SUCCESS

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
CHUNK = 60000
LIMIT = 1 << 20  # bytes that wait for one side of a forwarded connection


def unmask(data, mask):
    length = len(data)
    whole = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(length, "big")


def frame(data, kind=2):
    length = len(data)
    head = struct.pack(">BB", 0x80 | kind, length) if length < 126 else \
        struct.pack(">BBH", 0x80 | kind, 126, length) if length < 65536 else \
        struct.pack(">BBQ", 0x80 | kind, 127, length)
    return head + data


class Channels:
    """The server's side of a WebSocket with channels."""

    def __init__(self, request):
        self.request, self.pongs = request, 0

    def receive(self):
        """A channel and its bytes; None: the end."""
        read = self.request.rfile.read
        while True:
            head = read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                return None
            assert head[1] & 128, "a frame of a client must be masked"
            length = head[1] & 127
            if length == 126:
                length = struct.unpack(">H", read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", read(8))[0]
            mask = read(4)
            data = unmask(read(length), mask)
            if head[0] & 15 == 10:
                self.pongs += 1
                continue
            return data[0], data[1:]

    def frame(self, data, kind=2):
        self.request.wfile.write(frame(data, kind))

    def send(self, channel, data):
        self.frame(bytes([channel]) + data)

    def close(self):
        self.frame(struct.pack(">H", 1000), 8)


class StreamKubelet(Kubelet):
    """|protocols| are those of commands that it supports; |sent| is how many bytes of output were
    written, |ended| is set when a command that hangs lost its client."""

    protocols = (V5, V4)

    def __init__(self, *arguments, **more):
        self.sent, self.ended = 0, threading.Event()
        self.sizes, self.sized = [], threading.Condition()
        super().__init__(*arguments, **more)

    def answer_stream(self, request, word, query):
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return super().answer_stream(request, word, query)
        offered = [one.strip() for one in request.headers["Sec-WebSocket-Protocol"].split(",")]
        protocol = next((one for one in offered if one in
                         ((V4,) if word == "portForward" else self.protocols)), None)
        if protocol is None:
            return request.reply(400, b"no protocol", "text/plain")
        key = request.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        request.upgrade("websocket", [("Sec-WebSocket-Accept", accept),
                                      ("Sec-WebSocket-Protocol", protocol)])
        channels = Channels(request)
        if word == "portForward":
            self.forward(channels, query)
        else:
            self.run(channels, query.get("command", ["attach"]), protocol)

    # Commands.

    def run(self, channels, command, protocol):
        status = getattr(self, "do_" + command[0])(channels, protocol, *command[1:])
        if status:
            channels.send(3, json.dumps(status).encode())
            channels.close()

    def stdin(self, channels, protocol):
        """The input, until its end."""
        while (message := channels.receive()) is not None:
            channel, data = message
            if channel == 255 and protocol == V5:
                return
            if channel == 4:
                with self.sized:
                    self.sizes.append(json.loads(data))
                    self.sized.notify_all()
            elif channel == 0:
                yield data

    def do_cat(self, channels, protocol):
        channels.frame(b"are you there?", 9)
        for data in self.stdin(channels, protocol):
            channels.send(1, data)
        return SUCCESS

    do_attach = do_cat

    def do_line(self, channels, protocol):
        text = b""
        for data in self.stdin(channels, protocol):
            text += data
            if b"\n" in text:
                break
        channels.send(1, b"read " + text)
        return SUCCESS

    def do_count(self, channels, protocol):
        channels.send(1, b"%d\n" % sum(len(data) for data in self.stdin(channels, protocol)))
        return SUCCESS

    def do_fail(self, channels, protocol):
        channels.send(1, b"some output\n")
        channels.send(2, b"it failed\n")
        return EXIT_3

    def do_flood(self, channels, protocol, size):
        left = int(size)
        while left > 0:
            piece = b"x" * min(left, CHUNK)
            channels.send(1, piece)
            left -= len(piece)
            self.sent += len(piece)
        return SUCCESS

    def do_hang(self, channels, protocol):
        channels.send(1, b"hanging\n")
        for _ in self.stdin(channels, protocol):
            pass
        self.ended.set()

    def do_missing(self, channels, protocol):
        return {"metadata": {}, "status": "Failure", "code": 500, "reason": "InternalError",
                "message": 'exec failed: "missing": executable file not found in $PATH'}

    def do_break(self, channels, protocol):
        channels.send(1, b"begun\n")
        channels.request.connection.shutdown(socket.SHUT_RDWR)

    def do_nonsense(self, channels, protocol):
        channels.frame(b"\1hello", 7)

    def do_args(self, channels, protocol, *words):
        channels.send(1, json.dumps(words).encode() + b"\n")
        return SUCCESS

    def await_size(self, wanted, timeout=30):
        with self.sized:
            assert self.sized.wait_for(lambda: wanted in self.sizes, timeout), self.sizes

    # Ports.

    def forward(self, channels, query):
        (port,) = (int(one) for one in query["port"][0].split(","))
        for channel in (0, 1):
            channels.send(channel, struct.pack("<H", port))
        try:
            target = socket.create_connection(("127.0.0.1", port))
        except OSError as error:
            channels.send(1, f"error forwarding port {port} to pod p, uid : {error.strerror}"
                          .encode())
            channels.close()
            return
        Pump(channels.request.connection, target).run()


class Pump:
    """Copies between a WebSocket and a socket in one thread: a TLS connection of Python cannot be
    read and written by two."""

    def __init__(self, outer, target):
        self.outer, self.target = outer, target
        self.frames, self.to_outer, self.to_target = b"", b"", b""
        self.is_over = False  # the target has ended
        outer.setblocking(False)
        target.setblocking(False)

    def run(self):
        while not (self.is_over and not self.to_outer):
            reads = [self.outer] if len(self.to_target) < LIMIT else []
            if len(self.to_outer) < LIMIT and not self.is_over:
                reads.append(self.target)
            writes = [self.outer] * bool(self.to_outer) + [self.target] * bool(self.to_target)
            if not (reads and self.outer in reads and self.outer.pending()):
                reads, writes, _ = select.select(reads, writes, [])
            if self.outer in reads and not self.read_outer():
                break
            if self.target in reads:
                self.read_target()
            if self.to_target:
                self.to_target = self.to_target[self.send(self.target, self.to_target):]
            if self.to_outer:
                self.to_outer = self.to_outer[self.send(self.outer, self.to_outer):]
        self.target.close()

    @staticmethod
    def send(to, data):
        try:
            return to.send(data[:CHUNK])
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return 0

    def read_outer(self):
        try:
            data = self.outer.recv(CHUNK)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return True
        self.frames += data
        while (found := self.next_frame()) is not None:
            if found is False:
                return False
            self.to_target += found
        return bool(data)

    def next_frame(self):
        """The data of the next whole frame; None: there is none, False: it is the end."""
        text = self.frames
        if len(text) < 2:
            return None
        length, at = text[1] & 127, 2
        if length == 126:
            length, at = struct.unpack(">H", text[2:4].ljust(2, b"\0"))[0], 4
        if len(text) < at + 4 + length:
            return None
        data = unmask(text[at + 4:at + 4 + length], text[at:at + 4])
        self.frames = text[at + 4 + length:]
        return False if text[0] & 15 == 8 else data[1:]

    def read_target(self):
        try:
            data = self.target.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.is_over = not data
        self.to_outer += frame(b"\0" + data) if data else frame(struct.pack(">H", 1000), 8)
