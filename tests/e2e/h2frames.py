# SPDX-License-Identifier: Apache-2.0
"""h2frames.py -- a small HTTP/2 client (RFC 9113) for tests that must misbehave: it sends the frames
it is told to, opens no window by itself, and does not decode the headers of replies."""

import socket
import struct

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4


def literal(name, value):
    """A header field without indexing and without Huffman coding (RFC 7541, 6.2.2)."""

    def text(s):
        raw = s.encode()
        if len(raw) < 127:
            return bytes([len(raw)]) + raw
        rest, more = len(raw) - 127, b"\x7f"
        while rest >= 128:
            more += bytes([rest % 128 + 128])
            rest //= 128
        return more + bytes([rest]) + raw

    return b"\x00" + text(name) + text(value)


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + \
        struct.pack(">I", stream) + payload


class Connection:
    """Over plain TCP, with prior knowledge."""

    def __init__(self, port, window, timeout=30):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.next_id = 1
        self.buffer = b""
        settings = struct.pack(">HI", INITIAL_WINDOW_SIZE, window)
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, settings))

    def close(self):
        self.socket.close()

    def get(self, path, headers=()):
        return self.send_requests([path], headers)[0]

    def send_requests(self, paths, headers=()):
        """Sends all requests at once and returns their streams."""
        ids, out = [], b""
        for path in paths:
            block = literal(":method", "GET") + literal(":scheme", "http") + \
                literal(":authority", "localhost") + literal(":path", path)
            for name, value in headers:
                block += literal(name, value)
            out += frame(HEADERS, END_STREAM | END_HEADERS, self.next_id, block)
            ids.append(self.next_id)
            self.next_id += 2
        self.socket.sendall(out)
        return ids

    def open_window(self, stream, size):
        self.socket.sendall(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", size)))

    def ping(self):
        """Returns when the server has read everything that was sent before."""
        self.socket.sendall(frame(PING, 0, 0, b"01234567"))
        while True:
            kind, flags, _, payload = self.read_frame()
            if kind == PING and flags & ACK and payload == b"01234567":
                return

    def read_frame(self):
        """Returns (kind, flags, stream, payload); acknowledges SETTINGS and PING."""
        while True:
            head = self.read(9)
            length = int.from_bytes(head[:3], "big")
            kind, flags = head[3], head[4]
            stream = int.from_bytes(head[5:9], "big") & 0x7fffffff
            payload = self.read(length)
            if kind == SETTINGS and not flags & ACK:
                self.socket.sendall(frame(SETTINGS, ACK, 0))
            elif kind == PING and not flags & ACK:
                self.socket.sendall(frame(PING, ACK, 0, payload))
            else:
                return kind, flags, stream, payload

    def read(self, size):
        while len(self.buffer) < size:
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError("the server has closed the connection")
            self.buffer += more
        out, self.buffer = self.buffer[:size], self.buffer[size:]
        return out
