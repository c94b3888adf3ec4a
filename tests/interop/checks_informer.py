# SPDX-License-Identifier: Apache-2.0
"""checks_informer.py -- an informer through a cold start, changes, restarts and lost history.

After each, a list that the library did not read must show exactly what the informer holds."""

import json
import signal
import threading

from bench import ALL_MAPS, MAPS, MERGE, config_map, event, namespace
from program import Skip, note, wait_until
from server import INFORMER_TOKEN

COLD_MAPS = 2000
BUSY_MAPS = 150
EVENTS = "/api/v1/namespaces/default/events"
ALL_EVENTS = "/api/v1/events"


def cold_sync_of_2000_config_maps(b):
    b.apply(namespace("cold"))
    b.apply(*[config_map(f"map-{i:04}", "cold", text="x" * 500) for i in range(COLD_MAPS)])
    there = b.server.list(ALL_MAPS)
    watch = b.watch("configmaps", "-A", "--once")
    assert watch.ends(seconds=120) == 0, watch.errors
    stats = json.loads(watch.lines[-1])
    assert watch.cache() == there and stats["objects"] == len(there) >= COLD_MAPS, stats
    note(f"{stats['objects']} objects, sync {stats['sync_ms']} ms, cpu {stats['cpu_ms']} ms, "
         f"peak RSS {stats['peak_rss_kb']} kB, {stats['bytes_received']} bytes received, "
         f"lists {stats['lists']}, watches {stats['watches']}")


def the_first_state_is_streamed_by_send_initial_events(b):
    if b.server.why_no_streamed_lists():
        raise Skip(b.server.why_no_streamed_lists())
    b.apply(config_map("streamed"))
    before = len(b.server.requests_of("informer"))
    watch = b.watch("configmaps", "-A", env=b.env_with("streamed.json", token=INFORMER_TOKEN))
    b.agrees(watch, ALL_MAPS)
    b.server.call("DELETE", MAPS + "/streamed")
    watch.says("DELETED default/streamed ")  # by the same stream
    asked = [path for path in b.server.requests_of("informer")[before:]
             if path.split("?")[0] == ALL_MAPS]
    stats = watch.stats()
    # One request for the state and for what came after it: a list would have been another.
    assert len(asked) == 1 and stats["watches"] == 1 and stats["objects"] > 0, (asked, stats)
    if "?" in asked[0]:  # where a server notes that much
        assert "sendInitialEvents=true" in asked[0], asked
    note(f"asked once: {asked[0]}")


def a_server_that_streams_no_lists_is_listed(b):
    """It answers 422 to sendInitialEvents, which ends neither the informer nor the program."""
    why = b.server.why_no_streamed_lists()
    if "streams no lists" not in why:
        raise Skip("the server streams lists")
    before = len(b.server.requests_of("informer"))
    watch = b.watch("configmaps", "-A", env=b.env_with("listed.json", token=INFORMER_TOKEN))
    b.agrees(watch, ALL_MAPS)
    b.apply(config_map("after-the-list"))
    watch.says("ADDED default/after-the-list ")
    b.server.call("DELETE", MAPS + "/after-the-list")
    watch.says("DELETED default/after-the-list ")
    asked = [path for path in b.server.requests_of("informer")[before:]
             if path.split("?")[0] == ALL_MAPS]
    assert ["sendInitialEvents=true" in path for path in asked] == [True, False, False], asked
    assert "watch=true" not in asked[1] and "watch=true" in asked[2], asked
    note(f"{why}: one streamed list was tried, then a list and a watch")


def live_changes_arrive(b):
    watch = b.watch("configmaps", "-A")
    b.agrees(watch, ALL_MAPS)
    for i in range(20):
        b.server.call("POST", MAPS, config_map(f"live-{i}"))
        b.server.call("PATCH", f"{MAPS}/live-{i}", {"data": {"n": str(i)}}, MERGE)
    for i in range(10):
        b.server.call("DELETE", f"{MAPS}/live-{i}")
    watch.says("DELETED default/live-9 ")
    b.agrees(watch, ALL_MAPS)
    stats = watch.stats()
    assert stats["relists"] == 0, stats


def catches_up_after_the_server_was_killed(b):
    b.apply(config_map("before-restart"))
    watch = b.watch("configmaps", "-A")
    b.agrees(watch, ALL_MAPS)
    b.server.kill()
    wait_until(lambda: watch.errors, 60, "it says that the server is gone")
    b.server.start()
    b.server.call("POST", MAPS, config_map("after-restart"))
    b.server.call("DELETE", f"{MAPS}/before-restart")
    b.agrees(watch, ALL_MAPS, 120)
    stats = watch.stats()
    if b.server.remembers_restarts:
        assert stats["relists"] == 0, stats
    note(f"relists {stats['relists']} ({stats['relist_reason']}), watches {stats['watches']}")


def catches_up_when_killed_as_the_first_objects_arrive(b):
    watch = b.watch("configmaps", "-A")
    watch.says("ADDED ")  # before, there is no informer: a command that finds no server ends
    b.server.restart()
    b.agrees(watch, ALL_MAPS, 120)
    watch.stats()


class BusyWriter:
    """Creates, changes and deletes config maps, whatever becomes of the server meanwhile."""

    def __init__(self, server):
        self.server = server
        self.written = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.write_all, daemon=True)
        self.thread.start()

    def write_all(self):
        for i in range(BUSY_MAPS):
            path = f"{MAPS}/busy-{i}"
            self.insist("POST", MAPS, config_map(f"busy-{i}"), 409)
            self.insist("PATCH", path, {"data": {"n": str(i)}}, 404, MERGE)
            if i % 3 == 0:
                self.insist("DELETE", path, None, 404)
            self.written += 1

    def insist(self, method, path, body, done_before, kind="application/json"):
        """Again until it is done, or (the reply was lost) was."""
        while not self.is_over.wait(0.01):
            try:
                status, _ = self.server.request(method, path, body, kind)
            except OSError:
                continue
            if status < 300 or status == done_before:
                return

    def stop(self):
        self.is_over.set()
        self.thread.join()


def nothing_is_lost_when_the_server_is_killed_under_writes(b):
    watch = b.watch("configmaps", "-A")
    b.agrees(watch, ALL_MAPS)
    writer = BusyWriter(b.server)
    try:
        for part in (1, 2):
            wait_until(lambda: writer.written >= part * BUSY_MAPS // 3, 120, "a part is written")
            b.server.restart()
        wait_until(lambda: writer.written == BUSY_MAPS, 120, "all is written")
    finally:
        writer.stop()
    b.agrees(watch, ALL_MAPS, 120)
    held = sum(key.startswith("default/busy-") for key in watch.cache())
    assert held == BUSY_MAPS - len(range(0, BUSY_MAPS, 3)), held
    stats = watch.stats()
    note(f"relists {stats['relists']} ({stats['relist_reason']}), watches {stats['watches']}")


def stop_and_cut(b, watch, *options):
    """Suspends an informer and cuts its stream: what follows cannot wait for it in the socket."""
    watch.process.send_signal(signal.SIGSTOP)
    b.server.restart(*options)


def lists_again_when_its_revision_is_forgotten(b):
    b.apply(config_map("to-go"), config_map("to-change"))
    watch = b.watch("configmaps", "-A")
    b.agrees(watch, ALL_MAPS)
    stop_and_cut(b, watch)
    b.server.call("POST", MAPS, config_map("unheard"))
    b.server.call("DELETE", f"{MAPS}/to-go")
    b.server.call("PATCH", f"{MAPS}/to-change", {"data": {"n": "changed"}}, MERGE)
    b.server.forget()
    known = max(watch.cache().values(), key=int)
    assert b.server.is_gone(ALL_MAPS, known), known
    watch.process.send_signal(signal.SIGCONT)
    b.agrees(watch, ALL_MAPS, 120)
    for word in ("ADDED default/unheard", "DELETED default/to-go", "MODIFIED default/to-change"):
        watch.says(word)
    stats = watch.stats()
    assert stats["relists"] == 1 and stats["relist_reason"] == "expired", stats
    note(f"known {known}: relists {stats['relists']} ({stats['relist_reason']})")


# Events have no watch cache in kube-apiserver: what a watch can start from is what etcd has.

def change_events(b, tag):
    b.server.call("POST", EVENTS, event(f"unheard-{tag}"))
    b.server.call("PATCH", f"{EVENTS}/to-change-{tag}", {"message": "changed"}, MERGE)
    b.server.call("DELETE", f"{EVENTS}/to-go-{tag}")


def watch_events(b, tag):
    for name in (f"to-go-{tag}", f"to-change-{tag}"):
        b.server.call("POST", EVENTS, event(name))
    watch = b.watch("events", "-A")
    b.agrees(watch, ALL_EVENTS)
    return watch


def resumes_at_its_revision_while_the_history_is_there(b):
    watch = watch_events(b, "kept")
    stop_and_cut(b, watch)
    change_events(b, "kept")
    watch.process.send_signal(signal.SIGCONT)
    b.agrees(watch, ALL_EVENTS, 120)
    stats = watch.stats()
    assert stats["relists"] == 0, stats


def lists_again_after_the_servers_own_compaction(b):
    if not b.server.has_compacted_etcd:
        raise Skip("it has no etcd to compact")
    watch = watch_events(b, "compacted")
    known = max(watch.cache().values(), key=int)
    stop_and_cut(b, watch, "--etcd-compaction-interval", "2s")
    change_events(b, "compacted")
    wait_until(lambda: b.server.is_gone(ALL_EVENTS, known), 60, "etcd is compacted")
    watch.process.send_signal(signal.SIGCONT)
    b.agrees(watch, ALL_EVENTS, 120)
    stats = watch.stats()
    assert stats["relists"] == 1 and stats["relist_reason"] == "expired", stats
    b.server.restart()


CHECKS = [
    cold_sync_of_2000_config_maps,
    the_first_state_is_streamed_by_send_initial_events,
    a_server_that_streams_no_lists_is_listed,
    live_changes_arrive,
    catches_up_after_the_server_was_killed,
    catches_up_when_killed_as_the_first_objects_arrive,
    nothing_is_lost_when_the_server_is_killed_under_writes,
    lists_again_when_its_revision_is_forgotten,
    resumes_at_its_revision_while_the_history_is_there,
    lists_again_after_the_servers_own_compaction,
]
