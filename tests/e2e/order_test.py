#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""order_test.py -- many watches of one server see one order.   usage: order_test.py LISTWATCH"""

from serving import CONFIGMAPS, Server, Watch, Worker, config_map, revision, run_tests, run_together

WATCHES = 50
WRITERS = 4
WRITES = 100


def write(server, number):
    connection = server.connect()
    for i in range(WRITES):
        name = f"w{number}-{i % 10}"
        status, made = server.call("POST", CONFIGMAPS, config_map(name, i=str(i)), connection)
        assert status == 201, made
        made["data"]["again"] = "yes"
        status, made = server.call("PUT", f"{CONFIGMAPS}/{name}", made, connection)
        assert status == 200, made
        status, made = server.call("DELETE", f"{CONFIGMAPS}/{name}", None, connection)
        assert status == 200, made
    connection.close()


def read_until_end(watch, seen):
    for event in watch:
        seen.append((event["type"], event["object"]["metadata"]["name"],
                     revision(event["object"])))
        if event["object"]["metadata"]["name"] == "end":
            return


def concurrent_watches_see_one_order_of_revisions(program):
    server = Server(program, memory=True)
    try:
        server.start()
        seen = [[] for _ in range(WATCHES)]
        watches = [Watch(server, f"{CONFIGMAPS}?watch=1&resourceVersion=0") for _ in seen]
        readers = [Worker(read_until_end, *pair) for pair in zip(watches, seen)]
        for reader in readers:
            reader.start()
        run_together([Worker(write, server, i) for i in range(WRITERS)])
        status, made = server.call("POST", CONFIGMAPS, config_map("end"))
        assert status == 201, made
        for reader in readers:
            reader.join()
        assert len(seen[0]) == 3 * WRITERS * WRITES + 1, len(seen[0])
        revisions = [rv for _, _, rv in seen[0]]
        assert revisions == sorted(set(revisions)), "not in the order of revisions"
        for other in seen[1:]:
            assert other == seen[0], "two watches saw two orders"
    finally:
        server.remove()


def a_watch_resumed_at_every_revision_sees_the_rest(program):
    server = Server(program, memory=True)
    try:
        server.start()
        first = Watch(server, f"{CONFIGMAPS}?watch=1&resourceVersion=0")
        write(server, 0)
        server.call("POST", CONFIGMAPS, config_map("end"))
        whole = []
        read_until_end(first, whole)
        for at in range(0, len(whole) - 1, 7):
            rest = []
            read_until_end(Watch(server, f"{CONFIGMAPS}?watch=1&resourceVersion={whole[at][2]}"),
                           rest)
            assert rest == whole[at + 1:], f"resumed at {whole[at][2]}"
    finally:
        server.remove()


run_tests([concurrent_watches_see_one_order_of_revisions,
           a_watch_resumed_at_every_revision_sees_the_rest])
