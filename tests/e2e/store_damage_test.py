#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""store_damage_test.py -- damaged stores: every damage that changes an object is reported, and
nothing damaged is served.   usage: store_damage_test.py LISTWATCH [COUNT]"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from serving import CONFIGMAPS, Server, config_map, run_tests

COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 40
PAGE = 4096
OBJECTS = 120


def fill(server):
    """Objects of all sizes; some updated, some deleted."""
    connection = server.connect()
    for number in range(OBJECTS):
        body = config_map(f"c{number}", text="x" * (number * number % 9000), n=str(number))
        assert server.call("POST", CONFIGMAPS, body, connection)[0] == 201
    for number in range(0, OBJECTS, 3):
        body = config_map(f"c{number}", text="y" * (number * 7 % 5000), n=str(number))
        assert server.call("PUT", f"{CONFIGMAPS}/c{number}", body, connection)[0] == 200
    for number in range(0, OBJECTS, 7):
        assert server.call("DELETE", f"{CONFIGMAPS}/c{number}", None, connection)[0] == 200
    connection.close()


def flip_bits(data, chance):
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        at = chance.randrange(len(data))
        data[at] ^= 1 << chance.randrange(8)


def copy_page(data, chance):
    pages = len(data) // PAGE
    source, target = chance.randrange(pages), chance.randrange(pages)
    data[target * PAGE:(target + 1) * PAGE] = data[source * PAGE:(source + 1) * PAGE]


def old_page(data, chance, before):
    """A page as it was some commits ago: a write that never reached the disk."""
    page = chance.randrange(min(len(data), len(before)) // PAGE)
    data[page * PAGE:(page + 1) * PAGE] = before[page * PAGE:(page + 1) * PAGE]


def zero_bytes(data, chance):
    at = chance.randrange(len(data))
    size = chance.choice([1, 8, 512, PAGE])
    data[at:at + size] = bytes(len(data[at:at + size]))


def truncate(data, chance):
    del data[chance.randrange(len(data)):]


def exported(program, folder):
    """(exit code, {key: line}, messages) of an export."""
    done = subprocess.run([program, "store", "export", "-q", "--data-dir", folder],
                          capture_output=True, check=False)
    lines = done.stdout.decode(errors="replace").splitlines()
    found = {json.loads(line)["key"]: line for line in lines} if done.returncode == 0 else {}
    return done.returncode, found, done.stderr.decode(errors="replace")


def check(program, folder):
    return subprocess.run([program, "store", "check", "--data-dir", folder],
                          capture_output=True, text=True, check=False)


class Damages:
    """A sound store and copies of it that are damaged."""

    def __init__(self, program):
        self.program = program
        self.server = Server(program, options=["--history-size", "60K"]).start()
        fill(self.server)
        self.server.kill()
        self.store = self.server.folder + "/data/store"
        with open(self.store + "/data.mdb", "rb") as file:
            self.before = file.read()
        self.server.start()  # later commits, so that there are pages of earlier ones
        connection = self.server.connect()
        for number in range(1, OBJECTS, 7):
            body = config_map(f"c{number}", text="z" * 3000, n=str(number))
            assert self.server.call("PUT", f"{CONFIGMAPS}/c{number}", body, connection)[0] == 200
        connection.close()
        assert self.server.stop() == 0
        with open(self.store + "/data.mdb", "rb") as file:
            self.whole = file.read()
        code, self.truth, errors = exported(program, self.server.folder + "/data")
        assert code == 0 and len(self.truth) > OBJECTS // 2, errors
        self.folder = tempfile.mkdtemp()
        os.mkdir(self.folder + "/store")

    def remove(self):
        self.server.remove()
        shutil.rmtree(self.folder)

    def damage(self, number):
        chance = random.Random(number)
        data = bytearray(self.whole)
        kind = chance.choice(["flip", "flip", "flip", "copy", "old", "zero", "truncate"])
        if kind == "old":
            old_page(data, chance, self.before)
        else:
            {"flip": flip_bits, "copy": copy_page, "zero": zero_bytes,
             "truncate": truncate}[kind](data, chance)
        with open(self.folder + "/store/data.mdb", "wb") as file:
            file.write(data)
        return kind, bytes(data) != self.whole


def damage_is_reported_and_never_served(program):
    damages = Damages(program)
    reported = harmless = named = 0
    try:
        for number in range(COUNT):
            kind, is_changed = damages.damage(number)
            checked = check(program, damages.folder)
            assert checked.returncode in (0, 1), (number, kind, checked)
            code, found, errors = exported(program, damages.folder)
            assert code in (0, 1), (number, kind, code, errors)
            assert (code == 0) == (checked.returncode == 0), (number, kind, checked, errors)
            if code == 0:
                harmless += 1
                assert found == damages.truth, f"{number} ({kind}): damaged data was served"
            else:
                reported += is_changed
                assert is_changed, (number, kind, errors)
                assert "damaged" in errors or "not an LMDB file" in errors, (number, kind, errors)
                named += "key /" in checked.stderr
        print(f"# {COUNT} stores: {reported} reported, {named} of them with keys, "
              f"{harmless} whose damage is in unused parts")
        assert reported > COUNT // 4
    finally:
        damages.remove()


def a_server_refuses_a_damaged_store_and_starts_after_a_repair(program):
    damages = Damages(program)
    try:
        data = bytearray(damages.whole)
        at = data.index(b"\"n\":\"41\"")  # in the value of one object
        data[at + 6] ^= 1
        with open(damages.store + "/data.mdb", "wb") as file:
            file.write(data)
        try:
            damages.server.start()
            raise AssertionError("the server started")
        except RuntimeError as refused:
            text = str(refused)
            assert "damaged: key /registry/configmaps/default/c41 at revision" in text, text
            assert "listwatch store check --repair" in text, text
        repaired = subprocess.run([program, "store", "check", "--repair", "--data-dir",
                                   damages.server.folder + "/data"], capture_output=True,
                                  text=True, check=False)
        assert repaired.returncode == 0, repaired
        assert "key /registry/configmaps/default/c41" in repaired.stderr, repaired
        damages.server.start()
        _, listed = damages.server.call("GET", CONFIGMAPS)
        names = {"/registry/configmaps/default/" + item["metadata"]["name"]
                 for item in listed["items"]}
        truth = {key for key in damages.truth if "/configmaps/default/" in key}
        assert truth - names == {"/registry/configmaps/default/c41"}, truth ^ names
        assert names <= truth
        status, _ = damages.server.call("POST", CONFIGMAPS, config_map("new"))
        assert status == 201
        assert os.path.exists(damages.store + "/data.mdb.damaged")
    finally:
        damages.remove()


run_tests([damage_is_reported_and_never_served,
           a_server_refuses_a_damaged_store_and_starts_after_a_repair])
