#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""watch_test.py -- `listwatch watch` through changes, restarts, forgotten history and new tokens.

    watch_test.py PROGRAM"""

import json
import os
import pty
import select
import signal
import time

from older_server import BEFORE_1_19, FROM_1_19, FROM_1_27, OlderServer
from serving import CONFIGMAPS, Follower, Server, config_map, run_tests


class Scene:
    """A server and those who follow it; all gone at the end."""

    def __init__(self, program, **options):
        self.program = program
        self.server = Server(program, **options).start()
        self.followers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for follower in self.followers:
            follower.kill()
        self.server.remove()

    def watch(self, *arguments, server=True):
        where = ["--server", self.server.url()] if server else []
        self.followers.append(Follower([self.program, "watch", *arguments, *where]))
        return self.followers[-1]

    def create(self, name, **data):
        status, answer = self.server.call("POST", CONFIGMAPS, config_map(name, **data))
        assert status == 201, (status, answer)
        return answer["metadata"]["resourceVersion"]

    def update(self, name, **data):
        status, answer = self.server.call("PUT", CONFIGMAPS + "/" + name, config_map(name, **data))
        assert status == 200, (status, answer)
        return answer["metadata"]["resourceVersion"]

    def delete(self, name):
        status, answer = self.server.call("DELETE", CONFIGMAPS + "/" + name)
        assert status == 200, (status, answer)


def statistics(follower):
    return json.loads(follower.lines[-1])


def prints_a_line_an_event(program):
    with Scene(program, memory=True) as scene:
        first = scene.create("old")
        watch = scene.watch("cm")
        assert watch.await_line("old") == f"ADDED default/old {first}", watch.lines
        rv = scene.create("new", a="1")
        assert watch.await_line("new") == f"ADDED default/new {rv}", watch.lines
        rv = scene.update("new", a="2")
        assert watch.await_line("MODIFIED") == f"MODIFIED default/new {rv}", watch.lines
        scene.delete("new")
        assert watch.await_line("DELETED").startswith("DELETED default/new "), watch.lines
        assert watch.end() == 0, watch.told()


def once_shows_what_is_there_and_ends(program):
    with Scene(program, memory=True) as scene:
        for name in ("a", "b", "c"):
            scene.create(name)
        watch = scene.watch("cm", "--once", "--stats", "json")
        assert watch.finish() == 0, watch.told()
        assert sorted(line.split()[1] for line in watch.lines[:-1]) == [
            "default/a", "default/b", "default/c"], watch.lines
        stats = statistics(watch)
        assert stats["objects"] == 3 and stats["events"] == 3 and stats["relists"] == 0, stats
        for name in ("sync_ms", "cpu_ms", "peak_rss_kb", "rss_kb"):
            assert stats[name] > 0, stats
        assert "lists" in stats, stats


def once_ends_on_an_empty_resource(program):
    with Scene(program, memory=True) as scene:
        watch = scene.watch("pods", "-A", "--once", "--stats", "json")
        assert watch.finish() == 0, watch.told()
        assert statistics(watch)["objects"] == 0 and len(watch.lines) == 1, watch.lines


def quiet_prints_only_statistics(program):
    with Scene(program, memory=True) as scene:
        scene.create("a")
        watch = scene.watch("cm", "--once", "-q", "--stats", "json")
        assert watch.finish() == 0 and len(watch.lines) == 1, watch.told()
        assert statistics(watch)["objects"] == 1, watch.lines


def picks_by_name_label_and_namespace(program):
    with Scene(program, memory=True) as scene:
        scene.create("a")
        scene.create("b")
        labelled = config_map("c")
        labelled["metadata"]["labels"] = {"app": "web"}
        assert scene.server.call("POST", CONFIGMAPS, labelled)[0] == 201
        for arguments, expected in ((["cm", "a"], ["configmap/a"]), (["cm/b"], ["configmap/b"]),
                                    (["cm", "-l", "app=web"], ["configmap/c"]),
                                    (["cm", "-n", "kube-public"], [])):
            watch = scene.watch(*arguments, "--once", "-o", "name")
            assert watch.finish() == 0 and watch.lines == expected, (arguments, watch.told())


def json_is_an_event_a_line(program):
    with Scene(program, memory=True) as scene:
        scene.create("a", text="two\nlines  and blanks")
        watch = scene.watch("cm", "-o", "json")
        event = json.loads(watch.await_line("two"))
        assert event["type"] == "ADDED" and event["object"]["kind"] == "ConfigMap", event
        assert event["object"]["data"]["text"] == "two\nlines  and blanks", event
        scene.delete("a")
        assert json.loads(watch.await_line("DELETED"))["type"] == "DELETED"


def yaml_is_a_document_an_event(program):
    with Scene(program, memory=True) as scene:
        scene.create("a")
        watch = scene.watch("cm", "-o", "yaml", "--once")
        assert watch.finish() == 0, watch.told()
        assert watch.lines[:3] == ["---", "# ADDED", "kind: ConfigMap"], watch.lines


def sigterm_ends_it_as_an_interrupt_does(program):
    with Scene(program, memory=True) as scene:
        scene.create("a")
        watch = scene.watch("cm", "--stats", "json")
        watch.await_line("ADDED")
        assert watch.end(signal.SIGTERM) == 0 and statistics(watch)["objects"] == 1, watch.told()


def a_reader_that_leaves_ends_it_quietly(program):
    with Scene(program, memory=True) as scene:
        scene.create("a")
        watch = scene.watch("cm")
        watch.await_line("ADDED")
        watch.process.stdout.close()
        for i in range(100):  # the first line after that meets a closed pipe
            scene.create(f"more{i}")
            if watch.process.poll() is not None:
                break
        watch.process.wait(timeout=30)
        assert watch.told()["errors"] == "", watch.told()


def goes_on_through_a_restart_of_the_server(program):
    with Scene(program) as scene:
        scene.create("before")
        watch = scene.watch("cm", "--stats", "json")
        watch.await_line("before")
        scene.server.stop()
        scene.server.start()
        scene.create("after")
        watch.await_line("ADDED default/after")
        assert watch.end() == 0, watch.told()
        stats = statistics(watch)
        # The server remembers across its restart: nothing is listed again, nothing told twice.
        assert stats["relists"] == 0 and stats["events"] == 2, (stats, watch.told())


def goes_on_through_a_crash_of_the_server(program):
    with Scene(program) as scene:
        scene.create("before")
        watch = scene.watch("cm")
        watch.await_line("before")
        scene.server.kill()
        scene.server.start()
        scene.create("after")
        watch.await_line("ADDED default/after")
        assert watch.end() == 0, watch.told()


def lists_again_when_the_server_has_forgotten(program):
    with Scene(program, options=["--history-size", "64K"]) as scene:
        scene.create("stays", a="1")
        scene.create("goes")
        watch = scene.watch("cm", "--stats", "json")
        watch.await_line("ADDED")
        watch.await_line("ADDED")
        watch.process.send_signal(signal.SIGSTOP)
        scene.server.kill()
        scene.server.start()
        scene.delete("goes")
        for i in range(200):
            scene.update("stays", a=str(i) * 2000)
        scene.create("comes")
        watch.process.send_signal(signal.SIGCONT)
        watch.await_line("comes")
        for _ in range(2):  # in one relist, in whatever order
            if any("DELETED default/goes" in line for line in watch.lines):
                break
            watch.await_line("default/")
        assert watch.end() == 0, watch.told()
        stats = statistics(watch)
        assert stats["relists"] >= 1 and stats["objects"] == 2, (stats, watch.told())
        assert any(line.startswith("MODIFIED default/stays") for line in watch.lines), watch.lines
        assert any(line.startswith("DELETED default/goes") for line in watch.lines), watch.lines


def takes_up_a_token_that_has_rotated(program):
    with Scene(program) as scene:
        folder = scene.server.folder
        tokens, mine, config = folder + "/tokens", folder + "/token", folder + "/kubeconfig"

        def rotate(token):
            for name, text in ((tokens, f'{token},anna,1,"system:masters"\n'), (mine, token)):
                with open(name + ".new", "w") as file:
                    file.write(text)
                os.rename(name + ".new", name)

        rotate("first")
        scene.server.stop()
        scene.server.command += ["--token-file", tokens]
        scene.server.start()
        with open(config, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "clusters": [{"name": "c", "cluster": {
                           "server": f"https://127.0.0.1:{scene.server.tls_port}",
                           "insecure-skip-tls-verify": True}}],
                       "users": [{"name": "u", "user": {"tokenFile": mine}}],
                       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]},
                      file)
        watch = scene.watch("cm", "--kubeconfig", config, server=False)
        scene.create("before")
        watch.await_line("before")
        scene.server.stop()
        rotate("second")
        scene.server.start()
        scene.create("after")
        watch.await_line("ADDED default/after")
        assert watch.end() == 0, watch.told()


def a_refused_watch_says_why_and_ends(program):
    with Scene(program) as scene:
        url = f"https://127.0.0.1:{scene.server.tls_port}"
        watch = scene.watch("cm", "--server", url, "--insecure-skip-tls-verify", "--token", "no",
                            server=False)
        assert watch.finish() == 1, watch.told()
        assert "nauthorized" in watch.told()["errors"], watch.told()


def follows_a_server_without_watch_list(program, refusal, timeout):
    """|timeout|: within which what is there must be shown."""
    with Scene(program, memory=True) as scene:
        first = scene.create("old")
        older = OlderServer(scene.server.port, refusal)
        try:
            once = scene.watch("cm", "--once", "--server", older.url, server=False)
            watch = scene.watch("cm", "--server", older.url, server=False)
            assert once.finish(timeout) == 0, once.told()
            assert once.lines == [f"ADDED default/old {first}"], once.told()
            assert once.told()["errors"] == "", once.told()
            watch.await_line("ADDED default/old", timeout)
            rv = scene.create("new")
            assert watch.await_line("new") == f"ADDED default/new {rv}", watch.lines
            assert watch.end() == 0 and watch.told()["errors"] == "", watch.told()
            streams = [query for query in older.seen if "sendInitialEvents" in query]
            assert len(streams) == 2, older.seen  # each tried, or this test would show nothing
        finally:
            older.close()


def follows_a_server_that_refuses_initial_events(program):
    follows_a_server_without_watch_list(program, FROM_1_27, 5)


def follows_a_server_that_refuses_a_resource_version_match(program):
    follows_a_server_without_watch_list(program, FROM_1_19, 5)


def follows_a_server_that_ignores_the_request_for_initial_events(program):
    follows_a_server_without_watch_list(program, BEFORE_1_19, 20)


def read_terminal(master, wanted, timeout=60):
    text, end = b"", time.monotonic() + timeout
    while wanted not in text:
        left = end - time.monotonic()
        if left <= 0 or not select.select([master], [], [], left)[0]:
            raise RuntimeError(f"no {wanted} on the terminal: {text[-2000:]}")
        text += os.read(master, 65536)
    return text


def on_a_terminal_it_is_a_table_that_is_current(program):
    with Scene(program, memory=True) as scene:
        scene.create("first")
        child, master = pty.fork()
        if child == 0:
            os.execv(program, [program, "watch", "cm", "--server", scene.server.url()])
        try:
            text = read_terminal(master, b"\nfirst ")
            assert b"\033[?1049h" in text and b"\033[H" in text, text  # the alternate screen
            assert b"DATA" in text and b"AGE" in text, text  # the columns of the server
            scene.create("second")
            read_terminal(master, b"\nsecond ")
            os.write(master, b"sr")
            text = read_terminal(master, b"\nfirst ")
            assert b"NAME v" in text and b"\nsecond " in text, text
            os.write(master, b"/FIR\r")
            text = read_terminal(master, b"filter: FIR (Esc clears it)")
            assert b"\nsecond " not in text.rpartition(b"\033[H")[2], text
            os.write(master, b"\x1b")
            read_terminal(master, b"\nsecond ")
            scene.delete("second")
            read_terminal(master, b": 1 objects, 3 events")
            os.write(master, b"q")
            read_terminal(master, b"\033[?1049l")
            _, status = os.waitpid(child, 0)
            child = 0
            assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, status
        finally:
            if child:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            os.close(master)


run_tests([
    prints_a_line_an_event,
    once_shows_what_is_there_and_ends,
    once_ends_on_an_empty_resource,
    quiet_prints_only_statistics,
    picks_by_name_label_and_namespace,
    json_is_an_event_a_line,
    yaml_is_a_document_an_event,
    sigterm_ends_it_as_an_interrupt_does,
    a_reader_that_leaves_ends_it_quietly,
    goes_on_through_a_restart_of_the_server,
    goes_on_through_a_crash_of_the_server,
    lists_again_when_the_server_has_forgotten,
    takes_up_a_token_that_has_rotated,
    a_refused_watch_says_why_and_ends,
    follows_a_server_that_refuses_initial_events,
    follows_a_server_that_refuses_a_resource_version_match,
    follows_a_server_that_ignores_the_request_for_initial_events,
    on_a_terminal_it_is_a_table_that_is_current,
])
