# SPDX-License-Identifier: Apache-2.0
"""program.py -- programs under way and waiting for what they do."""

import json
import signal
import socket
import subprocess
import threading
import time


class Skip(Exception):
    """What a check raises where it cannot be made; says why."""


def note(text):
    print("# " + text, flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, what):
    """Asks |condition| again until it says something true; that is returned."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds} s still not: {what}")
        pause.wait(0.05)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class Program:
    """A program under way, and the lines it has said."""

    def __init__(self, command, env, stdin=None):
        self.lines, self.errors = [], []
        self.process = subprocess.Popen(command, env=env, stdin=stdin, text=True, bufsize=1,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.threads = [
            threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True),
            threading.Thread(target=self.read, args=(self.process.stderr, self.errors), daemon=True)]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    def says(self, words, seconds=30):
        """Waits for a line that has |words|."""
        try:
            return wait_until(lambda: next((x for x in list(self.lines) if words in x), None),
                              seconds, f'a line with "{words}"')
        except AssertionError as late:
            raise AssertionError(f"{late}; said {self.lines[-5:]}, {self.errors[-5:]}") from None

    def cache(self):
        """What a `listwatch watch` holds, by the lines it has printed."""
        held = {}
        for line in list(self.lines):
            word, _, rest = line.partition(" ")
            key, _, revision = rest.partition(" ")
            if word == "DELETED":
                if held.pop(key, None) is None:
                    raise AssertionError(f"deleted what was not there: {line}")
            elif word == ("MODIFIED" if key in held else "ADDED"):
                held[key] = revision
            elif not line.startswith("{"):
                raise AssertionError(f"not to be said now: {line}")
        return held

    def ends(self, number=None, seconds=30):
        """Sends signal |number|; waits for the end.  The exit code."""
        if number is not None:
            self.process.send_signal(number)
        if self.process.stdin:
            self.process.stdin.close()
        code = self.process.wait(timeout=seconds)
        for thread in self.threads:
            thread.join()
        return code

    def stats(self):
        """Ends a `listwatch watch --stats json`; its figures."""
        code = self.ends(signal.SIGTERM)
        if code != 0:
            raise AssertionError(f"exit code {code}: {self.errors[-3:]}")
        return json.loads(self.lines[-1])
