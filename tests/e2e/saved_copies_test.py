#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""saved_copies_test.py -- a server that starts with saved copies of large resources has what the
store says, and answers as one without them.   usage: saved_copies_test.py LISTWATCH"""

import base64
import glob
import json
import os
import shutil

from mirrors import wait_for
from serving import CONFIGMAPS, Server, config_map, run_tests

COUNT = 1300
TEXT = "".join(f"option.{line}.of.this.component=enabled\\n" for line in range(1400))  # 57 KB
KEY = base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
CONFIG = ("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
          "- resources: [secrets]\n  providers:\n"
          f"  - aescbc: {{keys: [{{name: a, secret: {KEY}}}]}}\n  - identity: {{}}\n")


class SavingServer(Server):
    def __init__(self, program):
        # What is in the history is loaded from it.
        super().__init__(program, options=["--history-size", "1MiB"])
        self.plain = list(self.command)
        self.copies = self.folder + "/data/cache"

    def saved(self):
        return glob.glob(self.copies + "/*.state")

    def told(self, text):
        with open(self.folder + "/server.log") as log:
            return sum(text in line for line in log)

    def items(self):
        status, answer = self.call("GET", CONFIGMAPS)
        assert status == 200, answer
        return json.dumps(answer["items"])


def fill(server):
    connection = server.connect()
    for number in range(COUNT):
        status, made = server.call("POST", CONFIGMAPS,
                                   config_map(f"c-{number}", text=TEXT, own=str(number)), connection)
        assert status == 201, made
    connection.close()


def change(server):
    connection = server.connect()
    for number in range(0, COUNT, 50):
        status, _ = server.call("DELETE", f"{CONFIGMAPS}/c-{number}", None, connection)
        assert status == 200
        status, _ = server.call("PUT", f"{CONFIGMAPS}/c-{number + 1}",
                                config_map(f"c-{number + 1}", text=TEXT, own="changed"), connection)
        assert status == 200
    connection.close()


def restarted(server):
    server.kill()
    return server.start().items()


def a_killed_server_has_what_the_store_says(server):
    fill(server)
    wait_for("the copy is saved", server.saved, 120)
    file, = server.saved()
    assert os.stat(file).st_mode & 0o777 == 0o600
    assert os.stat(server.copies).st_mode & 0o777 == 0o700
    before = server.items()
    assert restarted(server) == before
    assert server.told("come from their saved copy") == 1
    change(server)
    changed = server.items()
    assert changed != before
    assert restarted(server) == changed
    assert server.told("come from their saved copy") == 2
    server.kill()
    shutil.rmtree(server.copies)
    assert server.start().items() == changed
    assert server.told("come from their saved copy") == 2


def a_damaged_copy_is_told_and_not_used(server):
    wait_for("the copy is saved again", server.saved, 120)
    server.kill()
    file, = server.saved()
    with open(file, "r+b") as copy:
        copy.seek(os.path.getsize(file) // 2)
        copy.write(b"damage")
    before = server.told("come from their saved copy")
    items = server.start().items()
    assert len(json.loads(items)) == COUNT - COUNT // 50
    assert server.told("come from their saved copy") == before
    assert server.told("is not used, so this start takes longer") == 1


def nothing_is_saved_beside_an_encrypted_store(server):
    wait_for("the copy is saved again", server.saved, 120)
    server.stop()
    with open(server.folder + "/encryption.yaml", "w",
              opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(CONFIG)
    server.command = server.plain + ["--encryption-provider-config", file.name]
    server.start()
    assert not os.path.exists(server.copies), os.listdir(server.copies)
    assert server.stop() == 0


def copies_are_only_a_cache(program):
    server = SavingServer(program)
    try:
        server.start()
        a_killed_server_has_what_the_store_says(server)
        a_damaged_copy_is_told_and_not_used(server)
        nothing_is_saved_beside_an_encrypted_store(server)
    finally:
        server.remove()


run_tests([copies_are_only_a_cache])
