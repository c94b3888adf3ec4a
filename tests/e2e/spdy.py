# SPDX-License-Identifier: Apache-2.0
"""spdy.py -- the server's side of SPDY/3.1, as far as kubectl exec and port-forward use it."""

import struct
import threading
import zlib

WORDS = """options head post put delete trace accept accept-charset accept-encoding accept-language
accept-ranges age allow authorization cache-control connection content-base content-encoding
content-language content-length content-location content-md5 content-range content-type date etag
expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since
last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer
retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate
method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin"""
REST = ("100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
        "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request"
        "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented"
        "503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, "
        "Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,"
        "application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age="
        "gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.")
DICTIONARY = b"".join(struct.pack(">I", len(word)) + word.replace("_", " ").encode()
                      for word in WORDS.split()) + REST.encode()

SYN_STREAM, SYN_REPLY, RST_STREAM, PING, GOAWAY = 1, 2, 3, 6, 7
FIN = 1


class Connection:
    """Reads frames from |read(count)| and writes them with |write(bytes)|.  on_open(stream, headers)
    and on_data(stream, bytes, is_last) are called by run(), which returns at the end."""

    def __init__(self, read, write):
        self.read, self.write = read, write
        self.inflate = zlib.decompressobj(zdict=DICTIONARY)
        self.deflate = zlib.compressobj(zdict=DICTIONARY)
        self.lock = threading.Lock()

    def exactly(self, count):
        data = self.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def control(self, kind, payload, flags=0):
        self.write(struct.pack(">HHI", 0x8003, kind, flags << 24 | len(payload)) + payload)

    def headers_of(self, block):
        text = self.inflate.decompress(block)
        count, at, found = struct.unpack(">I", text[:4])[0], 4, {}
        for _ in range(count):
            pair = []
            for _ in range(2):
                length = struct.unpack(">I", text[at:at + 4])[0]
                pair.append(text[at + 4:at + 4 + length].decode())
                at += 4 + length
            found[pair[0].lower()] = pair[1]
        return found

    def reply(self, stream):
        with self.lock:
            block = self.deflate.compress(struct.pack(">I", 0))
            block += self.deflate.flush(zlib.Z_SYNC_FLUSH)
            self.control(SYN_REPLY, struct.pack(">I", stream) + block)

    def send(self, stream, data, is_last=False):
        with self.lock:
            self.write(struct.pack(">II", stream, (FIN if is_last else 0) << 24 | len(data)) + data)

    def run(self, on_open, on_data):
        while True:
            try:
                first, second = struct.unpack(">II", self.exactly(8))
                payload = self.exactly(second & 0xffffff)
            except (EOFError, OSError):
                return
            flags, kind = second >> 24, first & 0xffff
            if not first >> 31:
                if on_data(first & 0x7fffffff, payload, bool(flags & FIN)) is False:
                    return
            elif kind == SYN_STREAM:
                stream = struct.unpack(">I", payload[:4])[0] & 0x7fffffff
                headers = self.headers_of(payload[10:])
                self.reply(stream)
                if on_open(stream, headers) is False:
                    return
            elif kind == PING:
                with self.lock:
                    self.control(PING, payload)
            elif kind == GOAWAY:
                return
