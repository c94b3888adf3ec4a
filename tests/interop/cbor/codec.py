# SPDX-License-Identifier: Apache-2.0
"""codec.py -- CBOR (RFC 8949) as Kubernetes writes it: enough to send objects and to read answers.

encode() makes the shortest form, with texts as byte strings, which is what kube-apiserver and
client-go write; what else is to be sent, the cases spell out in bytes.  decode() gives the JSON
values: a byte string is a text, one with tag 22 the base64 of its bytes."""

import base64
import struct

SELF_DESCRIBED = b"\xd9\xd9\xf7"
UINT, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, SIMPLE = range(8)


def head(major, value):
    for size, code in ((1, 24), (2, 25), (4, 26), (8, 27)):
        if value < 24:
            return bytes([major << 5 | value])
        if value < 1 << 8 * size:
            return bytes([major << 5 | code]) + value.to_bytes(size, "big")
    raise ValueError(value)


def text(value, major=BYTES):
    raw = value.encode()
    return head(major, len(raw)) + raw


def item(value, major=BYTES):
    """|major|: of texts and keys."""
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(UINT, value) if value >= 0 else head(NEGATIVE, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):  # spelled out by the case
        return value
    if isinstance(value, str):
        return text(value, major)
    if isinstance(value, (list, tuple)):
        return head(ARRAY, len(value)) + b"".join(item(one, major) for one in value)
    return head(MAP, len(value)) + b"".join(
        text(key, major) + item(one, major) for key, one in value.items())


def encode(value, major=BYTES):
    return SELF_DESCRIBED + item(value, major)


class Reader:
    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, count):
        if self.at + count > len(self.raw):
            raise ValueError(f"CBOR ends at {len(self.raw)}")
        self.at += count
        return self.raw[self.at - count:self.at]

    def head(self):
        first = self.take(1)[0]
        major, info = first >> 5, first & 31
        if info < 24:
            return major, info, info
        if info < 28:
            return major, info, int.from_bytes(self.take(1 << (info - 24)), "big")
        if info == 31:
            return major, info, None
        raise ValueError(f"additional information {info}")

    def chunks(self, length):
        if length is not None:
            return self.take(length)
        whole = b""
        while not self.is_break():
            whole += self.take(self.head()[2])
        return whole

    def is_break(self):
        if self.raw[self.at] != 0xFF:
            return False
        self.at += 1
        return True

    def items(self, count, one):
        found = []
        while (not self.is_break()) if count is None else len(found) < count:
            found.append(one())
        return found

    def simple(self, info, value):
        if info == 25:
            return struct.unpack(">e", value.to_bytes(2, "big"))[0]
        if info == 26:
            return struct.unpack(">f", value.to_bytes(4, "big"))[0]
        if info == 27:
            return struct.unpack(">d", value.to_bytes(8, "big"))[0]
        return {20: False, 21: True, 22: None}[value]

    def item(self):
        major, info, value = self.head()
        if major == UINT:
            return value
        if major == NEGATIVE:
            return -1 - value
        if major in (BYTES, TEXT):
            return self.chunks(value).decode()
        if major == ARRAY:
            return self.items(value, self.item)
        if major == MAP:
            pairs = self.items(value, lambda: (self.item(), self.item()))
            assert len(dict(pairs)) == len(pairs), "a key is there twice"
            return dict(pairs)
        if major == TAG:
            if value == 22:
                _, _, length = self.head()
                return base64.b64encode(self.chunks(length)).decode()
            return self.item()
        return self.simple(info, value)


def decode_sequence(raw):
    reader, found = Reader(raw), []
    while reader.at < len(raw):
        found.append(reader.item())
    return found


def decode(raw):
    assert raw.startswith(SELF_DESCRIBED), raw[:20]
    found = decode_sequence(raw)
    assert len(found) == 1, f"{len(found)} items"
    return found[0]
