# SPDX-License-Identifier: Apache-2.0
"""fault_proxy.py -- a proxy in front of a server that refuses, cuts, stalls and hangs connections,
or answers requests itself with an error.  Plain HTTP/1.1; a process of its own with an event loop."""

import asyncio
import multiprocessing
import random
import socket
import struct
import threading
import time

REASONS = {410: "Expired", 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable"}


def error_reply(code):
    body = ('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"injected",'
            f'"reason":"{REASONS[code]}","code":{code}}}').encode()
    more = "Retry-After: 1\r\n" if code == 429 else ""
    return (f"HTTP/1.1 {code} Injected\r\nContent-Type: application/json\r\n{more}"
            f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body


class Pipe:
    """One connection of a client and its other half."""

    def __init__(self, proxy, reader, writer):
        self.proxy, self.reader, self.writer = proxy, reader, writer
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.up = None

    def stall(self):
        self.is_open.clear()

    def resume(self):
        self.is_open.set()

    def cut(self, is_reset):
        try:
            if is_reset:
                self.writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass  # it has been closed meanwhile
        self.writer.close()
        if self.up:
            self.up.close()
        self.is_open.set()

    async def copy(self, reader, writer, sees):
        try:
            while data := await reader.read(65536):
                await self.is_open.wait()
                if sees and self.answer(data):
                    return
                writer.write(data)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def answer(self, data):
        """Notes a request; true if the proxy has answered it."""
        line = data.split(b"\r\n", 1)[0]
        self.proxy.note(line)
        code = self.proxy.pick_error()
        if not code:
            return False
        self.writer.write(error_reply(code))
        self.writer.close()
        return True

    async def run(self):
        try:
            first = await self.reader.read(65536)
            await self.is_open.wait()
            if not first or self.answer(first):
                return
            down, self.up = await asyncio.open_connection("127.0.0.1", self.proxy.to_port)
            self.up.write(first)
        except OSError:
            self.writer.close()
            return
        await asyncio.gather(self.copy(self.reader, self.up, True),
                             self.copy(down, self.writer, False))


class FaultProxy(threading.Thread):
    """Start it, wait for |port|, and call its faults from another thread."""

    def __init__(self, to_port, seed):
        super().__init__(daemon=True)
        self.to_port, self.random = to_port, random.Random(seed)
        self.pipes, self.errors, self.is_stalled = set(), [], False
        self.requests = []  # time and "list" or "watch"
        self.port, self.is_ready = 0, threading.Event()

    def run(self):
        self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(self.listen())
        self.is_ready.set()
        self.loop.run_forever()

    async def listen(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.port, backlog=4096)
        self.port = self.server.sockets[0].getsockname()[1]

    async def accept(self, reader, writer):
        pipe = Pipe(self, reader, writer)
        self.pipes.add(pipe)
        if self.is_stalled:
            pipe.stall()
        try:
            await pipe.run()
        finally:
            self.pipes.discard(pipe)
            writer.close()

    def note(self, line):
        if b"/configmaps" in line:
            is_watch = b"watch=" in line and b"sendInitialEvents" not in line
            self.requests.append((time.time(), "watch" if is_watch else "list"))

    def pick_error(self):
        return self.random.choice(self.errors) if self.errors else 0

    def do(self, work):
        """Runs a coroutine function in the loop and waits for it."""
        return asyncio.run_coroutine_threadsafe(work(), self.loop).result()

    def cut(self, share=1.0):
        async def work():
            for pipe in list(self.pipes):
                if self.random.random() < share:
                    pipe.cut(self.random.random() < 0.5)
        self.do(work)

    def refuse(self):
        async def work():
            self.server.close()
        self.do(work)
        self.cut()

    def accept_again(self):
        self.do(self.listen)

    def stall(self):
        async def work():
            self.is_stalled = True
            for pipe in self.pipes:
                pipe.stall()
        self.do(work)

    def resume(self):
        async def work():
            self.is_stalled = False
            for pipe in self.pipes:
                pipe.resume()
        self.do(work)

    def hang(self, share):
        """Some of the connections never get a byte through again; the others are cut."""
        async def work():
            for pipe in list(self.pipes):
                if self.random.random() < share:
                    pipe.stall()
                else:
                    pipe.cut(False)
        self.do(work)

    def set_errors(self, codes):
        self.errors = codes

    def take_requests(self):
        """The requests since the last call."""
        taken, self.requests = self.requests, []
        return taken


def serve_commands(channel, to_port, seed):
    proxy = FaultProxy(to_port, seed)
    proxy.start()
    proxy.is_ready.wait()
    channel.send(proxy.port)
    while True:
        try:
            name, args = channel.recv()
        except EOFError:
            return
        channel.send(getattr(proxy, name)(*args))


class RemoteProxy:
    """A FaultProxy in a process of its own, so that nothing else delays it."""

    def __init__(self, to_port, seed):
        self.channel, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(
            target=serve_commands, args=(other, to_port, seed), daemon=True)
        self.process.start()
        other.close()
        self.port = self.channel.recv()

    def __getattr__(self, name):
        def call(*args):
            self.channel.send((name, args))
            return self.channel.recv()
        return call

    def end(self):
        self.channel.close()
        self.process.join(timeout=10)
        if self.process.is_alive():
            self.process.kill()
