#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fairness_test.py -- API Priority and Fairness as clients see it: requests wait for a seat or are
rejected, and one client cannot keep others out.
usage: fairness_test.py LISTWATCH"""

import http.client
import json
import os
import select
import socket
import ssl
import struct
import time

from serving import CONFIGMAPS, Server, Worker, config_map, run_tests

FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1"
DUMP = "/debug/api_priority_and_fairness/dump_priority_levels"
USERS = ["alice", "bob", "carol"]
BIG = 100 * 1000  # bytes of an object; a list of many is far more than sockets hold
OBJECTS = 150


class Cluster(Server):
    """A server with users who have tokens."""

    def __init__(self, program, *options):
        super().__init__(program, memory=True)
        tokens = os.path.join(self.folder, "tokens")
        with open(tokens, "w") as file:
            file.writelines(f"{user}-token,{user},{user}\n" for user in USERS)
        self.command += ["--token-file", tokens, "--authorization-mode", "AlwaysAllow", *options]

    def as_user(self, user, path, method="GET", timeout=60):
        """One request; its reply, which has been read, and the body."""
        connection = self.connect_tls(timeout)
        connection.request(method, path, headers={"Authorization": f"Bearer {user}-token"})
        reply = connection.getresponse()
        body = reply.read().decode()
        connection.close()
        return reply, body

    def connect_tls(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.tls_port, timeout=timeout,
                                           context=ssl._create_unverified_context())

    def text(self, path):
        connection = self.connect()
        connection.request("GET", path)
        body = connection.getresponse().read().decode()
        connection.close()
        return body

    def make(self, kind, body):
        status, made = self.call("POST", f"{FLOW}/{kind}", body)
        assert status == 201, made
        return made

    def make_level(self, name, **queuing):
        response = {"type": "Queue", "queuing": queuing} if queuing else {"type": "Reject"}
        return self.make("prioritylevelconfigurations", {
            "metadata": {"name": name},
            "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": 1, "borrowingLimitPercent": 0,
                "limitResponse": response}}})

    def make_schema(self, name, level, *users):
        return self.make("flowschemas", {
            "metadata": {"name": name},
            "spec": {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": 100,
                     "distinguisherMethod": {"type": "ByUser"},
                     "rules": [{
                         "subjects": [{"kind": "User", "user": {"name": user}} for user in users],
                         "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                                            "clusterScope": True, "namespaces": ["*"]}],
                         "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}]}})

    def await_in_force(self, schema, user="alice"):
        """Waits until requests of the user belong to the schema."""
        uid = schema["metadata"]["uid"]
        return self.await_reply(user, lambda reply: reply.getheader(
            "X-Kubernetes-PF-FlowSchema-UID") == uid)[0]

    def await_reply(self, user, is_so):
        """Asks for the version until the reply is as it should be."""
        end = time.monotonic() + 30
        while True:
            reply, body = self.as_user(user, "/version")
            if is_so(reply):
                return reply, body
            assert time.monotonic() < end, (reply.status, reply.getheaders())

    def level(self, name):
        """The row of the level, by column."""
        rows = [[cell.strip() for cell in line.split(",")]
                for line in self.text(DUMP).splitlines()]
        return dict(zip(rows[0], next(row for row in rows if row[0] == name)))

    def await_level(self, name, **wanted):
        end = time.monotonic() + 30
        while True:
            row = self.level(name)
            if all(row[column] == value for column, value in wanted.items()):
                return
            assert time.monotonic() < end, (row, wanted)

    def fill(self):
        """Objects whose list does not fit into the buffers of a socket."""
        connection = self.connect()
        for i in range(OBJECTS):
            status, made = self.call("POST", CONFIGMAPS, config_map(f"c{i}", text="x" * BIG),
                                     connection)
            assert status == 201, made
        connection.close()


class BlockedList:
    """A list that its client does not read: it keeps its seat."""

    def __init__(self, server, user):
        plain = socket.create_connection(("127.0.0.1", server.tls_port))
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket = ssl._create_unverified_context().wrap_socket(plain)
        self.socket.sendall((f"GET {CONFIGMAPS} HTTP/1.1\r\nHost: a\r\n"
                             f"Authorization: Bearer {user}-token\r\n\r\n").encode())

    def await_start(self):
        """Waits until the reply begins: from then on the request certainly has its seat."""
        assert self.socket.recv(12) == b"HTTP/1.1 200"

    def close(self):
        # A reset: after an orderly end the client might still wait for the reply.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def of_one_seat_the_second_request_waits_and_the_third_gets_429(program):
    server = Cluster(program, "--max-requests-inflight", "1",
                     "--max-mutating-requests-inflight", "1")
    try:
        server.start()
        server.fill()
        level = server.make_level("one", queues=1, handSize=1, queueLengthLimit=1)
        schema = server.make_schema("users", "one", *USERS)
        reply = server.await_in_force(schema)
        assert reply.getheader("X-Kubernetes-PF-PriorityLevel-UID") == level["metadata"]["uid"]
        assert 'nominal_limit_seats{priority_level="one"} 1\n' in server.text("/metrics")

        blocked = BlockedList(server, "alice")
        server.await_level("one", ExecutingRequests="1", WaitingRequests="0")
        replies = []
        second = Worker(lambda: replies.append(server.as_user("bob", "/version")))
        second.start()
        server.await_level("one", ExecutingRequests="1", WaitingRequests="1", ActiveQueues="1")
        assert not replies

        reply, body = server.as_user("carol", "/version")
        assert (reply.status, body) == (429, "Too many requests, please try again later.\n")
        assert reply.getheader("Retry-After") == "1"
        assert reply.getheader("X-Kubernetes-PF-FlowSchema-UID") == schema["metadata"]["uid"]
        assert ('rejected_requests_total{flow_schema="users",priority_level="one",'
                'reason="queue-full"} 1\n') in server.text("/metrics")
        requests = server.text("/debug/api_priority_and_fairness/dump_requests"
                               "?includeRequestDetails=1")
        assert "bob" in requests and "alice" in requests, requests
        assert server.call("GET", "/api/v1/namespaces")[0] == 200  # the administrator is exempt

        blocked.close()
        second.join(60)
        assert replies[0][0].status == 200, replies
        server.await_level("one", ExecutingRequests="0", WaitingRequests="0", IsIdle="true")
    finally:
        server.remove()


def a_client_that_waits_and_gives_up_leaves_the_queue(program):
    server = Cluster(program, "--max-requests-inflight", "1",
                     "--max-mutating-requests-inflight", "1")
    try:
        server.start()
        server.fill()
        server.make_level("one", queues=1, handSize=1, queueLengthLimit=1)
        server.await_in_force(server.make_schema("users", "one", *USERS))
        blocked = BlockedList(server, "alice")
        server.await_level("one", ExecutingRequests="1")
        waiting = BlockedList(server, "bob")
        server.await_level("one", WaitingRequests="1")
        waiting.close()
        server.await_level("one", WaitingRequests="0", CancelledRequests="1")
        reply, _ = server.as_user("carol", "/version?timeout=1s")  # waits for a quarter of it
        assert reply.status == 429, reply.status
        server.await_level("one", TimedoutRequests="1")
        blocked.close()
        server.await_level("one", IsIdle="true")
    finally:
        server.remove()


def a_server_with_waiting_requests_can_be_stopped(program):
    server = Cluster(program, "--max-requests-inflight", "1",
                     "--max-mutating-requests-inflight", "1", "--shutdown-timeout", "4s")
    try:
        server.start()
        server.fill()
        server.make_level("one", queues=4, handSize=1, queueLengthLimit=50)
        server.await_in_force(server.make_schema("users", "one", *USERS))
        lists = [BlockedList(server, "alice")]
        server.await_level("one", ExecutingRequests="1")
        lists += [BlockedList(server, user) for user in USERS * 3]
        server.await_level("one", WaitingRequests=str(len(lists) - 1))
        assert server.stop() == 0
        for blocked in lists:
            blocked.close()
    finally:
        server.remove()


def watches_keep_no_seat(program):
    server = Cluster(program, "--max-requests-inflight", "1",
                     "--max-mutating-requests-inflight", "1")
    try:
        server.start()
        server.make_level("one", queues=1, handSize=1, queueLengthLimit=1)
        server.await_in_force(server.make_schema("users", "one", *USERS))
        connections = []
        for _ in range(5):
            connection = server.connect_tls()
            connection.request("GET", CONFIGMAPS + "?watch=1",
                               headers={"Authorization": "Bearer alice-token"})
            assert connection.getresponse().status == 200
            connections.append(connection)
        assert server.as_user("bob", "/version")[0].status == 200
        server.await_level("one", IsIdle="true")
        for connection in connections:
            connection.close()
    finally:
        server.remove()


def a_client_that_has_filled_its_queues_keeps_no_other_client_out(program):
    """Alice's requests are rejected, because her queues are full; bob's waits in a queue of his
    own and is served in turn."""
    server = Cluster(program, "--max-requests-inflight", "2",
                     "--max-mutating-requests-inflight", "2")
    try:
        server.start()
        server.fill()
        server.make_level("few", queues=64, handSize=2, queueLengthLimit=5)
        server.await_in_force(server.make_schema("users", "few", "alice", "bob"))
        lists = []
        for count in range(11):  # one executes, ten wait in two queues
            lists.append(BlockedList(server, "alice"))
            server.await_level("few", ExecutingRequests="1", WaitingRequests=str(count))
        assert server.as_user("alice", "/version")[0].status == 429
        replies = []
        bob = Worker(lambda: replies.append(server.as_user("bob", "/version")))
        bob.start()
        server.await_level("few", ExecutingRequests="1", WaitingRequests="11")

        while not replies:
            # A list that executes has something to read.
            readable, _, _ = select.select([blocked.socket for blocked in lists], [], [], 0.1)
            for blocked in [each for each in lists if each.socket in readable]:
                lists.remove(blocked)
                blocked.close()
        bob.join()
        assert replies[0][0].status == 200, replies
        for blocked in lists:
            blocked.close()
    finally:
        server.remove()


def without_priority_and_fairness_the_plain_limits_apply(program):
    server = Cluster(program, "--enable-priority-and-fairness=false",
                     "--max-requests-inflight", "1")
    try:
        server.start()
        server.fill()
        reply, _ = server.as_user("alice", "/version")
        assert reply.getheader("X-Kubernetes-PF-FlowSchema-UID") is None
        blocked = BlockedList(server, "alice")
        blocked.await_start()  # or a request of bob might have the seat when the list arrives
        reply, body = server.await_reply("bob", lambda reply: reply.status == 429)
        assert body == "Too many requests, please try again later.\n", body
        assert reply.getheader("Retry-After") == "1"
        assert server.call("GET", "/api/v1/namespaces")[0] == 200
        blocked.close()
        server.await_reply("bob", lambda reply: reply.status == 200)
    finally:
        server.remove()


def built_in_objects_exist_as_soon_as_the_server_is_ready(program):
    server = Cluster(program)
    try:
        server.start()
        for kind, count in (("flowschemas", 11), ("prioritylevelconfigurations", 8)):
            status, found = server.call("GET", f"{FLOW}/{kind}")
            assert status == 200 and len(found["items"]) == count, json.dumps(found)
        for schema in server.call("GET", f"{FLOW}/flowschemas")[1]["items"]:
            (condition,) = schema["status"]["conditions"]
            assert (condition["type"], condition["status"]) == ("Dangling", "False"), schema
    finally:
        server.remove()


run_tests([
    of_one_seat_the_second_request_waits_and_the_third_gets_429,
    a_client_that_waits_and_gives_up_leaves_the_queue,
    a_server_with_waiting_requests_can_be_stopped,
    watches_keep_no_seat,
    a_client_that_has_filled_its_queues_keeps_no_other_client_out,
    without_priority_and_fairness_the_plain_limits_apply,
    built_in_objects_exist_as_soon_as_the_server_is_ready,
])
