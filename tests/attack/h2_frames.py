# SPDX-License-Identifier: Apache-2.0
"""h2_frames.py -- HTTP/2 frames written by hand, for clients that no library would let us be."""

import socket
import ssl
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS = 0, 1, 2, 3, 4
PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
ENHANCE_YOUR_CALM = 0xb

# :method GET, :scheme https, :path /, and :authority "x", from the static table (RFC 7541, A)
REQUEST = b"\x82\x87\x84\x41\x01x"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def integer(prefix_bits, first, value):
    """An integer of HPACK (RFC 7541, 5.1)."""
    most = (1 << prefix_bits) - 1
    if value < most:
        return bytes([first | value])
    out, value = bytes([first | most]), value - most
    while value >= 128:
        out, value = out + bytes([value % 128 + 128]), value // 128
    return out + bytes([value])


def indexed(name, value):
    """A literal that is added to the dynamic table; b"\\xbe" then refers to it."""
    return b"\x40" + integer(7, 0, len(name)) + name + integer(7, 0, len(value)) + value


def connect_tls(port, protocol="h2", timeout=10):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    plain = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    return context.wrap_socket(plain, server_hostname="localhost")


class Connection:
    """An HTTP/2 connection: over TLS to |port|, or plain where |is_plain|."""

    def __init__(self, port, is_plain=False, timeout=10):
        if is_plain:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        else:
            self.socket = connect_tls(port, timeout=timeout)
        self.received = b""
        self.send(PREFACE + frame(SETTINGS, 0, 0))

    def send(self, data):
        self.socket.sendall(data)

    def frames(self):
        """All frames until the server closes."""
        while True:
            while len(self.received) >= 9:
                length = int.from_bytes(self.received[:3], "big")
                if len(self.received) < 9 + length:
                    break
                kind, flags, stream = struct.unpack(">BBI", self.received[3:9])
                payload, self.received = self.received[9:9 + length], self.received[9 + length:]
                yield kind, flags, stream, payload
            try:
                more = self.socket.recv(65536)
            except (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError):
                more = b""
            if not more:
                return
            self.received += more

    def close(self):
        self.socket.close()


def goaway_code(connection):
    """Reads until the server closes; the error code of its GOAWAY, None without one."""
    code = None
    for kind, _, _, payload in connection.frames():
        if kind == GOAWAY:
            code = int.from_bytes(payload[4:8], "big")
    return code
