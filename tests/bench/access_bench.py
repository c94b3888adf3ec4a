#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""access_bench.py -- what authorization and auditing cost: CPU of the server for a GET, a create and
the delivery of a watch event.

    access_bench.py [--instructions] [--rounds N] [--only get|create|watch] LISTWATCH

Four servers hold the same 10,000 RoleBindings and serve the same requests of a user with a token,
over TLS, in turn: one with AlwaysAllow, one with Node,RBAC, one with AlwaysAllow that audits
everything at the level Metadata, and another one with AlwaysAllow: what it differs from the first
is noise.  Each round begins with another server.  The median of the rounds is printed, the median
of the differences from the first server in the same round, and within what the median would be in
19 of 20 such measurements.  Data and audit logs are in memory where the machine has /dev/shm: what a
file system does to make them durable is not a part of it.

--instructions counts instructions with valgrind instead of CPU time: the same in each run, whatever
else the machine does."""

import argparse
import glob
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile

BINDINGS, NAMESPACES, WATCHERS, PIPELINE = 10000, 100, 20, 1  # a client waits for each reply
MAPS = "/api/v1/namespaces/default/configmaps"
RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/"
VALGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
POLICY = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"
COUNTS = {"get": 2000, "create": 400, "watch": 2000}  # operations a round
LIMITS = {"RBAC": "limit 2 %", "audit": "limit 8 us", "control": "noise"}


class Server:
    def __init__(self, program, folder, options, wrapper=()):
        self.folder = folder
        self.process = subprocess.Popen(
            [*wrapper, program, "serve", "--listen", "127.0.0.1:0", "--insecure-listen",
             "127.0.0.1:0", "--threads", "1", "--data-dir", folder + "/data", "--token-file",
             folder + "/tokens", *options],
            stdout=subprocess.PIPE, stderr=open(folder + "/log", "w"), text=True)
        words = self.process.stdout.readline().split()
        if len(words) != 3:
            raise SystemExit(open(folder + "/log").read())
        self.tls_port, self.port = (int(word.rsplit(":", 1)[1]) for word in words[1:])

    def call(self, connection, method, path, body=None):
        connection.request(method, path, json.dumps(body) if body else None,
                           {"Content-Type": "application/json"})
        reply = connection.getresponse()
        told = reply.read()
        assert reply.status < 300, told

    def cpu_us(self):
        spent = 0
        for path in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            with open(path) as file:
                spent += int(file.read().split()[0])
        return spent / 1000

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        with open(self.folder + "/log") as log:
            found = re.search(r"Collected : (\d+)", log.read())
        return int(found[1]) if found else 0


def fill(program, folder):
    """Fills the data directory: 10,000 RoleBindings, one of which lets ann edit."""
    with open(os.open(folder + "/tokens", os.O_WRONLY | os.O_CREAT, 0o600), "w") as tokens:
        tokens.write("anns-token,ann,1,team-a\n")
    with open(folder + "/policy", "w") as policy:
        policy.write(POLICY)
    server = Server(program, folder, [])
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    for number in range(1, NAMESPACES):
        server.call(connection, "POST", "/api/v1/namespaces", {"metadata": {"name": f"ns-{number}"}})
    for number in range(BINDINGS):
        ns = f"ns-{number % NAMESPACES}" if number % NAMESPACES else "default"
        user, role = ("ann", "edit") if number == 0 else (f"user-{number}", "view")
        server.call(connection, "POST", f"{RBAC}{ns}/rolebindings", {
            "metadata": {"name": f"b-{number}"}, "subjects": [{"kind": "User", "name": user}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}})
    server.call(connection, "POST", MAPS, {"metadata": {"name": "one"}, "data": {"a": "1"}})
    connection.close()
    server.stop()


class Client:
    """A connection of ann over TLS, with several requests on their way."""

    def __init__(self, server):
        context = ssl.create_default_context(cafile=server.folder + "/data/pki/ca.crt")
        plain = socket.create_connection(("127.0.0.1", server.tls_port))
        self.socket = context.wrap_socket(plain, server_hostname="127.0.0.1")
        self.rest = b""

    def text(self, method, path, body=""):
        return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer anns-token\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()

    def reply(self):
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.receive()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        assert b" 20" in head[:13], head
        length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        while len(self.rest) < length:
            self.rest += self.receive()
        self.rest = self.rest[length:]

    def receive(self):
        got = self.socket.recv(65536)
        assert got, "the server has closed the connection"
        return got

    def run(self, requests):
        for at in range(0, len(requests), PIPELINE):
            part = requests[at:at + PIPELINE]
            self.socket.sendall(b"".join(part))
            for _ in part:
                self.reply()


class Watcher(Client):
    def __init__(self, server):
        super().__init__(server)
        self.socket.sendall(self.text("GET", MAPS + "?watch=1&fieldSelector=metadata.name%3Done"))
        while b'"ADDED"' not in self.rest:
            self.rest += self.receive()

    def take(self, count):
        seen = self.rest.count(b'"MODIFIED"')
        while seen < count:
            self.rest = self.rest[-16:] if b'"MODIFIED"' not in self.rest[-16:] else b""
            self.rest += self.receive()
            seen += self.rest.count(b'"MODIFIED"')
        self.rest = b""


class Loads:
    """What is done to one server; each load returns how many operations it was."""

    def __init__(self, server):
        self.server, self.client, self.made = server, Client(server), 0
        self.watchers = []

    def get(self, count):
        self.client.run([self.client.text("GET", MAPS + "/one")] * count)
        return count

    def create(self, count):
        first, self.made = self.made, self.made + count
        self.client.run([self.client.text("POST", MAPS, json.dumps(
            {"metadata": {"name": f"c-{number}"}, "data": {"a": "1"}}))
            for number in range(first, first + count)])
        return count

    def watch(self, count):
        """Deliveries to the watchers, with the writes that cause them."""
        if not self.watchers:
            self.watchers = [Watcher(self.server) for _ in range(WATCHERS)]
        writes = max(1, count // WATCHERS)
        for _ in range(writes):
            self.made += 1
            self.client.run([self.client.text("PUT", MAPS + "/one", json.dumps(
                {"metadata": {"name": "one"}, "data": {"a": f"w-{self.made}"}}))])  # never as it was
            for watcher in self.watchers:
                watcher.take(1)
        return writes * WATCHERS


def servers_of(folder):
    audit = ["--audit-policy-file", folder + "/policy", "--audit-log-path"]
    return [("AlwaysAllow", ["--authorization-mode", "AlwaysAllow"]),
            ("RBAC", ["--authorization-mode", "Node,RBAC"]),
            ("audit", ["--authorization-mode", "AlwaysAllow", *audit]),
            ("control", ["--authorization-mode", "AlwaysAllow"])]


def copy(folder, name):
    place = f"{folder}/{name}"
    os.mkdir(place)
    for part in ("tokens", "policy"):
        shutil.copy(f"{folder}/{part}", place)
    shutil.copytree(folder + "/data", place + "/data")
    return place


def options_of(place, options):
    return [*options, place + "/audit.log"] if options[-1] == "--audit-log-path" else options


def measure_time(program, folder, rounds, kinds):
    loads = {}
    for name, options in servers_of(folder):
        place = copy(folder, name)
        loads[name] = Loads(Server(program, place, options_of(place, options)))
    for kind in kinds:
        spent = {name: [] for name in loads}
        for number in range(rounds + 1):
            first = number % len(loads)
            for name, load in [*loads.items()][first:] + [*loads.items()][:first]:
                before = load.server.cpu_us()
                done = getattr(load, kind)(COUNTS[kind])
                if number > 0:  # the first round is to warm up
                    spent[name].append((load.server.cpu_us() - before) / done)
        show(kind, spent, "us")
    for load in loads.values():
        load.server.stop()


def count_one(program, folder, name, options, kind, count):
    place = copy(folder, f"{name}-{kind}-{count}")
    server = Server(program, place, options_of(place, options), VALGRIND)
    done = getattr(Loads(server), kind)(count)
    total = server.stop()
    shutil.rmtree(place)
    return total, done


def measure_instructions(program, folder, kinds):
    """The difference between a long and a short run: starts and ends cost the same."""
    for kind in kinds:
        spent, count = {}, COUNTS[kind] // 4
        for name, options in servers_of(folder)[:-1]:  # without noise
            short, few = count_one(program, folder, name, options, kind, count)
            long, many = count_one(program, folder, name, options, kind, 4 * count)
            spent[name] = [(long - short) / (many - few)]
        show(kind, spent, "instructions")


def bounds_of_median(values):
    """Between which the median is with a probability of 95 % (order statistics)."""
    values, count = sorted(values), len(values)
    away = 1.96 * count ** 0.5 / 2
    return values[max(0, round(count / 2 - away) - 1)], values[min(count - 1, round(count / 2 + away))]


def show(kind, spent, unit):
    base = spent["AlwaysAllow"]
    what = {"get": "GET", "create": "create", "watch": "watch event"}[kind]
    print(f"{what + ', AlwaysAllow':32} {statistics.median(base):10.2f} {unit}")
    for name in [name for name in LIMITS if name in spent]:
        more = [own - other for own, other in zip(spent[name], base)]
        low, high = bounds_of_median(more)
        share = 100 / statistics.median(base)
        print(f"{what + ', ' + name:32} {statistics.median(spent[name]):10.2f} {unit}   "
              f"{statistics.median(more):+.2f} ({low:+.2f} to {high:+.2f}), "
              f"{share * statistics.median(more):+.1f} % ({share * low:+.1f} to {share * high:+.1f})   "
              f"({LIMITS[name]})", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=[*COUNTS])
    parser.add_argument("program")
    args = parser.parse_args()
    if args.instructions and not shutil.which("valgrind"):
        sys.exit("access_bench.py: valgrind is not installed")
    kinds = [args.only] if args.only else [*COUNTS]
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        fill(args.program, folder)
        if args.instructions:
            measure_instructions(args.program, folder, kinds)
        else:
            measure_time(args.program, folder, args.rounds, kinds)


main()
