#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""websocket_test.py -- the watch over a WebSocket, with a client that is not ours (Debian's
python3-websockets).   usage: websocket_test.py LISTWATCH"""

import subprocess
import sys

from serving import CONFIGMAPS, Server, config_map, run_tests

CLIENT = """
import asyncio, json, sys, websockets

async def main():
    async with websockets.connect(sys.argv[1]) as socket:
        print("open", flush=True)
        async for message in socket:
            assert isinstance(message, str), "not a text frame"
            event = json.loads(message)
            print(event["type"], event["object"]["metadata"]["name"], flush=True)

asyncio.run(main())
"""


def system_python_with_websockets():
    for python in ("/usr/bin/python3", sys.executable):
        if subprocess.run([python, "-c", "import websockets"], capture_output=True).returncode == 0:
            return python
    return None


def events_arrive_as_text_frames(program):
    python = system_python_with_websockets()
    if not python:
        return "no Python with websockets (package python3-websockets)"
    server = Server(program, memory=True)
    client = None
    try:
        server.start()
        server.call("POST", CONFIGMAPS, config_map("before"))
        client = subprocess.Popen(
            [python, "-c", CLIENT, f"ws://127.0.0.1:{server.port}{CONFIGMAPS}?watch=1"],
            stdout=subprocess.PIPE, text=True)
        assert client.stdout.readline() == "open\n"
        assert client.stdout.readline() == "ADDED before\n"
        server.call("POST", CONFIGMAPS, config_map("during"))
        assert client.stdout.readline() == "ADDED during\n"
        server.call("DELETE", f"{CONFIGMAPS}/before")
        assert client.stdout.readline() == "DELETED before\n"
        assert server.stop() == 0
        assert client.wait(timeout=10) == 0, "the server's end was no clean close"
    finally:
        if client:
            client.kill()
            client.wait()
            client.stdout.close()
        server.remove()


run_tests([events_arrive_as_text_frames])
