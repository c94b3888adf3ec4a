# SPDX-License-Identifier: Apache-2.0
"""serving.py -- a server of one's own for tests in Python, TAP, and a small HTTP client."""

import http.client
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


class Worker(threading.Thread):
    """A thread whose failure, an assertion among them, is raised by join."""

    def __init__(self, work, *args):
        super().__init__()
        self.work, self.args, self.failure = work, args, None

    def run(self):
        try:
            self.work(*self.args)
        except Exception as failure:  # raised again by join
            self.failure = failure

    def join(self, timeout=None):
        super().join(timeout)
        if self.failure:
            raise self.failure


def run_together(workers):
    """Starts all, waits for all, and raises the first failure."""
    for worker in workers:
        worker.start()
    for worker in workers:
        threading.Thread.join(worker)
    for worker in workers:
        worker.join()


class Server:
    """`listwatch serve` in a folder that is removed at the end; may be killed and started again."""

    def __init__(self, program, memory=False, options=()):
        wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
        self.folder = tempfile.mkdtemp()
        where = ["--memory"] if memory else ["--data-dir", self.folder + "/data"]
        # Tests count their ConfigMaps: none of the server's own is in their namespaces.
        where.append("--controllers=-root-ca-cert-publisher")
        self.command = wrapper + [program, "serve"] + where + list(options)
        # ASan keeps what was freed for a while, which would be counted as the server's memory.
        asan = os.environ.get("ASAN_OPTIONS", "")
        self.env = dict(os.environ, ASAN_OPTIONS=f"{asan}:quarantine_size_mb=8".lstrip(":"))
        self.port = self.tls_port = 0  # any; the second start takes those of the first
        self.process = None

    def start(self):
        self.log = open(self.folder + "/server.log", "ab")
        listen = ["--listen", f"127.0.0.1:{self.tls_port}",
                  "--insecure-listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(self.command + listen, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True, env=self.env)
        line = self.process.stdout.readline().split()
        if len(line) != 3 or line[0] != "ready:":
            raise RuntimeError("not ready: " + open(self.folder + "/server.log").read())
        self.port = int(line[2].rsplit(":", 1)[1])
        self.tls_port = int(line[1].rsplit(":", 1)[1])
        return self

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.log.close()
        return code

    def remove(self):
        if self.process and self.process.poll() is None:
            self.kill()
        refused = self.refusals()
        shutil.rmtree(self.folder, ignore_errors=True)
        assert not refused, "controllers lack rights: " + "".join(refused)

    def refusals(self):
        """The lines of the log that say that a controller may not do something."""
        try:
            with open(self.folder + "/server.log") as log:
                return [line for line in log if 'is forbidden: User "system:' in line]
        except FileNotFoundError:
            return []

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, connection=None):
        """One request; its status and its JSON."""
        own = connection or self.connect()
        text = json.dumps(body) if body is not None else None
        own.request(method, path, text, {"Content-Type": "application/json"} if text else {})
        reply = own.getresponse()
        answer = reply.read()
        if not connection:
            own.close()
        assert reply.getheader("Content-Type") == "application/json", \
            (method, path, reply.status, answer)
        return reply.status, json.loads(answer)

    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def rss_kib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
        raise RuntimeError("no VmRSS")


class Watch:
    """A watch over HTTP/1.1; iterate over its events."""

    def __init__(self, server, path, timeout=30):
        self.connection = server.connect(timeout)
        self.connection.request("GET", path)
        self.reply = self.connection.getresponse()
        if self.reply.status != 200:
            raise RuntimeError(f"{path}: {self.reply.status} {self.reply.read()}")

    def __iter__(self):
        return self

    def __next__(self):
        line = self.reply.readline()
        if not line:
            raise StopIteration
        return json.loads(line)

    def close(self):
        self.connection.close()


class Follower:
    """A program that goes on; its lines are waited for, also of its errors where |joined|."""

    def __init__(self, command, env=None, stdin=None, joined=False):
        wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(wrapper + command, stdout=subprocess.PIPE, stdin=stdin,
                                        stderr=subprocess.STDOUT if joined else self.errors,
                                        env=dict(os.environ, **(env or {})))
        self.text = b""
        self.lines = []

    def await_line(self, wanted, timeout=60):
        """Reads until a line that has |wanted| in it, which is returned."""
        end = time.monotonic() + timeout
        while True:
            while b"\n" in self.text:
                line, self.text = self.text.split(b"\n", 1)
                self.lines.append(line.decode())
                if wanted in self.lines[-1]:
                    return self.lines[-1]
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise RuntimeError(f"no line with {wanted!r} in {timeout} s: {self.told()}")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                raise RuntimeError(f"it ended without a line with {wanted!r}: {self.told()}")
            self.text += more

    def told(self):
        self.errors.seek(0)
        return {"lines": self.lines[-20:], "errors": self.errors.read()[-4000:]}

    def end(self, number=signal.SIGINT, timeout=60):
        """Interrupts it; its exit code, the rest of its lines among the others."""
        self.process.send_signal(number)
        return self.finish(timeout)

    def finish(self, timeout=60):
        rest, _ = self.process.communicate(timeout=timeout)
        self.lines += (self.text + rest).decode().splitlines()
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def config_map(name, **data):
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}, "data": data}


def revision(thing):
    return int(thing["metadata"]["resourceVersion"])


def run_tests(tests):
    """Runs |tests|, functions that take the program, named by behaviour; prints TAP and exits."""
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        try:
            skipped = test(sys.argv[1])
            print(f"ok {number} - {name}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
        except Exception:  # a failed assertion or anything else is a failed test
            failed += 1
            print(f"not ok {number} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print("# " + line, flush=True)
    print(f"1..{len(tests)}")
    sys.exit(1 if failed else 0)
