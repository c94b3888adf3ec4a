# SPDX-License-Identifier: Apache-2.0
"""relay.py -- one TCP address for several servers, as a Service has: a connection goes to one of
those that accept it, and ends with it."""

import asyncio
import threading


class Relay:
    """Start it with the ports of the servers; |ports| may be changed at any time."""

    def __init__(self, ports):
        self.ports = list(ports)
        self.turn, self.writers = 0, set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = self.do(asyncio.start_server(self.accept, "127.0.0.1", 0, backlog=1024))
        self.port = self.server.sockets[0].getsockname()[1]

    def do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    async def connect(self):
        """The next server that accepts."""
        for _ in range(len(self.ports)):
            self.turn += 1
            try:
                return await asyncio.open_connection("127.0.0.1",
                                                     self.ports[self.turn % len(self.ports)])
            except OSError:
                continue
        return None, None

    async def accept(self, reader, writer):
        down, up = await self.connect()
        if up:
            await asyncio.gather(self.copy(reader, up), self.copy(down, writer))
        writer.close()

    async def copy(self, reader, writer):
        self.writers.add(writer)
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    async def end(self):
        """Ends all connections, and with them their tasks."""
        self.server.close()
        for writer in self.writers:
            writer.transport.abort()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.gather(*tasks, return_exceptions=True)

    def stop(self):
        self.do(self.end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)
        self.loop.close()
