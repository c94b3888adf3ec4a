# SPDX-License-Identifier: Apache-2.0
"""lagging.py -- a way to a server on which watches come late and all else at once: whoever goes it
has a cache that lags behind its own writes."""

import queue
import socket
import threading
import time


class LaggingWay:
    """Listens on a port of its own; |url| is where to call.  Bytes of a connection on which a watch
    was asked for come |lag| seconds late."""

    def __init__(self, port, lag):
        self.port, self.lag = port, lag
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.start(self.accept)

    @staticmethod
    def start(run, *args):
        threading.Thread(target=run, args=args, daemon=True).start()

    def accept(self):
        try:
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.port))
                late = threading.Event()
                self.start(self.ask, client, server, late)
                self.start(self.answer, server, client, late)
        except OSError:
            pass  # closed

    @staticmethod
    def ask(client, server, late):
        try:
            while data := client.recv(65536):
                if b"watch=" in data:
                    late.set()
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            server.close()

    def answer(self, server, client, late):
        waiting = queue.Queue()
        self.start(self.deliver, waiting, client)
        try:
            while data := server.recv(65536):
                waiting.put((time.monotonic() + (self.lag if late.is_set() else 0), data))
        except OSError:
            pass
        waiting.put((0, b""))

    @staticmethod
    def deliver(waiting, client):
        try:
            while True:
                due, data = waiting.get()
                if not data:
                    break
                time.sleep(max(0, due - time.monotonic()))
                client.sendall(data)
        except OSError:
            pass
        client.close()

    def close(self):
        self.listener.close()
