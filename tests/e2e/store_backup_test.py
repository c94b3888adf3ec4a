#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""store_backup_test.py -- backups under load restore to exactly their revision; kill -9 during
backups, restores and compactions loses nothing.   usage: store_backup_test.py LISTWATCH [KILLS]"""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

from serving import CONFIGMAPS, Server, Worker, config_map, run_tests

KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
WRITERS = 2
PIPELINE = 16
BACKUPS = 5
OBJECTS = 2500


def store(program, *words, **options):
    return subprocess.run([program, "store", *words], capture_output=True, check=False, **options)


def exported(program, folder):
    """{key: value} of a store."""
    done = store(program, "export", "-q", "--data-dir", folder)
    assert done.returncode == 0, done
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return {line["key"]: line["value"] for line in lines}


class Flood(Worker):
    """Creates objects over one connection, several requests at a time, until it is told to end."""

    def __init__(self, server, number, is_over):
        super().__init__(self.write)
        self.server, self.number, self.is_over, self.count = server, number, is_over, 0

    def write(self):
        peer = socket.create_connection(("127.0.0.1", self.server.port))
        reader = peer.makefile("rb")
        while not self.is_over.is_set():
            batch = b""
            for _ in range(PIPELINE):
                body = json.dumps(config_map(f"w{self.number}-{self.count}", n="x" * 300))
                batch += (f"POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                          f"\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
                self.count += 1
            peer.sendall(batch)
            for _ in range(PIPELINE):
                self.read_reply(reader)
        peer.close()

    def read_reply(self, reader):
        first, length = reader.readline(), 0
        while (line := reader.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        body = reader.read(length)
        assert b" 201 " in first, (first, body)


def config_maps_at(server, revision):
    status, listed = server.call(
        "GET", f"{CONFIGMAPS}?resourceVersion={revision}&resourceVersionMatch=Exact")
    assert status == 200, listed
    return {item["metadata"]["name"]: item["data"] for item in listed["items"]}


def restore_and_compare(program, server, backup):
    folder = server.folder + "/restored"
    restored = store(program, "restore", "--data-dir", folder, backup, text=True)
    assert restored.returncode == 0, restored
    revision = int(restored.stdout.split("revision ")[1].split(",")[0])
    checked = store(program, "check", "--data-dir", folder, text=True)
    assert checked.returncode == 0, checked
    found = {value["metadata"]["name"]: value["data"] for key, value in
             exported(program, folder).items() if "/configmaps/default/" in key}
    assert found == config_maps_at(server, revision), f"not the state at revision {revision}"
    shutil.rmtree(folder)
    return revision


def a_backup_under_load_restores_to_exactly_its_revision(program):
    server = Server(program, options=["--history-size", "1G"]).start()
    is_over = threading.Event()
    writers = [Flood(server, number, is_over) for number in range(WRITERS)]
    try:
        for writer in writers:
            writer.start()
        start, revisions = time.monotonic(), []
        for number in range(BACKUPS):
            backup = f"{server.folder}/backup{number}"
            where = ["--server", server.url()] if number % 2 else ["--data-dir",
                                                                   server.folder + "/data"]
            done = store(program, "backup", *where, backup, text=True)
            assert done.returncode == 0, done
            revisions.append(restore_and_compare(program, server, backup))
        seconds = time.monotonic() - start
        is_over.set()
        for writer in writers:
            writer.join()
        written = sum(writer.count for writer in writers)
        assert revisions == sorted(revisions) and revisions[-1] > revisions[0], revisions
        print(f"# {BACKUPS} backups at {revisions} during {written / seconds:.0f} writes/s")
    finally:
        is_over.set()
        server.remove()


def objects():
    """Lines for an import, of more bytes than one transaction of a restore has."""
    lines = []
    for number in range(OBJECTS):
        value = config_map(f"c{number}", text="x" * (number * 13 % 20000))
        value["metadata"]["namespace"] = "default"
        lines.append(json.dumps({"key": f"/registry/configmaps/default/c{number}",
                                 "value": value}))
    return "\n".join(lines).encode()


class Killing:
    """A store, and commands that are killed at some time while they work on it."""

    def __init__(self, program):
        self.program = program
        self.server = Server(program)
        self.data = self.server.folder + "/data"
        filled = store(program, "import", "--data-dir", self.data, input=objects())
        assert filled.returncode == 0, filled
        self.backup = self.server.folder + "/backup"
        self.restored = self.server.folder + "/restored"
        self.truth = exported(program, self.data)
        self.killed = 0

    def kill(self, number, *words):
        """Kills the command at some time before its usual end."""
        chance = random.Random(f"{words[0]}/{number}")
        command = [self.program, "store", *words]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=chance.random() * self.seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.killed += 1

    def measure(self, *words):
        start = time.monotonic()
        done = store(self.program, *words)
        assert done.returncode == 0, done
        self.seconds = time.monotonic() - start

    def backups(self):
        words = ["backup", "--overwrite", "--data-dir", self.data, self.backup]
        self.measure(*words)
        for number in range(KILLS):
            if number % 2 and os.path.exists(self.backup):
                os.remove(self.backup)
            self.kill(number, *words)
            if os.path.exists(self.backup):
                checked = store(self.program, "check", "--backup", self.backup)
                assert checked.returncode == 0, checked
        assert exported(self.program, self.data) == self.truth
        self.measure(*words)

    def restores(self):
        words = ["restore", "--data-dir", self.restored, self.backup]
        self.measure(*words)
        for number in range(KILLS):
            shutil.rmtree(self.restored, ignore_errors=True)
            self.kill(number, *words)
            if os.path.exists(self.restored + "/store/data.mdb"):
                assert exported(self.program, self.restored) == self.truth, number
            else:
                done = store(self.program, *words)
                assert done.returncode == 0, done
                assert exported(self.program, self.restored) == self.truth, number

    def compactions(self):
        words = ["compact", "--data-dir", self.data]
        self.measure(*words)
        for number in range(KILLS):
            self.kill(number, *words)
            assert exported(self.program, self.data) == self.truth, number


def kill_9_during_backups_restores_and_compactions_loses_nothing(program):
    killing = Killing(program)
    try:
        killing.backups()
        killing.restores()
        killing.compactions()
        killing.server.start()
        _, listed = killing.server.call("GET", CONFIGMAPS)
        assert len(listed["items"]) == OBJECTS
        print(f"# {killing.killed} of {3 * KILLS} commands were killed before their end")
        assert killing.killed > KILLS
    finally:
        killing.server.remove()


def only_administrators_may_take_a_backup(program):
    server = Server(program)
    tokens = server.folder + "/tokens"
    with open(tokens, "w", encoding="utf-8") as file:
        file.write('boss-token,boss,1,"system:masters"\nuser-token,user,2,"developers"\n')
    server.command += ["--token-file", tokens, "--authorization-mode", "AlwaysAllow"]
    server.start()
    try:
        url = f"https://127.0.0.1:{server.tls_port}"
        for token, code in [("boss-token", 0), ("user-token", 1)]:
            done = store(program, "backup", "--server", url, "--token", token,
                         "--insecure-skip-tls-verify", server.folder + "/" + token, text=True)
            assert done.returncode == code, done
        assert "system:masters" in done.stderr, done
        assert not os.path.exists(server.folder + "/user-token")
    finally:
        server.remove()


run_tests([a_backup_under_load_restores_to_exactly_its_revision,
           kill_9_during_backups_restores_and_compactions_loses_nothing,
           only_administrators_may_take_a_backup])
