#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""terminal_test.py -- what the commands do on a terminal.  usage: terminal_test.py PROGRAM"""

import os
import pty
import signal

from serving import CONFIGMAPS, Server, config_map, run_tests


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, program, *arguments, **variables):
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.execve(program, [program, *arguments], {**os.environ, "TERM": "xterm", **variables})
        self.text = b""

    def read_until(self, wanted):
        while wanted not in self.text:
            self.text += os.read(self.master, 65536)  # fails when the command has ended

    def write(self, keys):
        os.write(self.master, keys)

    def finish(self):
        """Returns the exit code; everything it wrote is in text."""
        try:
            while data := os.read(self.master, 65536):
                self.text += data
        except OSError:
            pass  # the command has closed its terminal
        _, status = os.waitpid(self.child, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)


class Scene:
    """A server with the ConfigMaps a and b."""

    def __init__(self, program):
        self.server = Server(program, memory=True).start()
        for name in ("a", "b"):
            assert self.server.call("POST", CONFIGMAPS, config_map(name))[0] == 201

    def __enter__(self):
        return self.server

    def __exit__(self, *_):
        self.server.remove()


def exists(server, name):
    return server.call("GET", f"{CONFIGMAPS}/{name}")[0] == 200


def delete_all_asks_and_no_deletes_nothing(program):
    with Scene(program) as server:
        for answer in (b"n\n", b"\n", b"\x04"):
            terminal = Terminal(program, "delete", "cm", "--all", "--server", server.url())
            terminal.read_until(b"configmaps in namespace default? [y/N] ")
            terminal.write(answer)
            assert terminal.finish() == 1, terminal.text
            assert b"listwatch: nothing was deleted" in terminal.text, terminal.text
            assert exists(server, "a") and exists(server, "b")


def delete_all_asks_and_yes_deletes(program):
    with Scene(program) as server:
        terminal = Terminal(program, "delete", "cm", "--all", "--server", server.url())
        terminal.read_until(b"[y/N] ")
        terminal.write(b"y\n")
        assert terminal.finish() == 0, terminal.text
        assert b"configmap/a deleted from namespace default" in terminal.text, terminal.text
        assert not exists(server, "a") and not exists(server, "b")


def one_object_is_deleted_without_a_question(program):
    with Scene(program) as server:
        terminal = Terminal(program, "delete", "cm", "a", "--server", server.url())
        assert terminal.finish() == 0 and b"[y/N]" not in terminal.text, terminal.text
        assert not exists(server, "a") and exists(server, "b")


def tables_have_colours_unless_no_color_is_set(program):
    with Scene(program) as server:
        arguments = ("get", "namespaces", "default", "--server", server.url())
        terminal = Terminal(program, *arguments, NO_COLOR="")
        assert terminal.finish() == 0 and b"\033[32mActive\033[0m" in terminal.text, terminal.text
        terminal = Terminal(program, *arguments, NO_COLOR="1")
        assert terminal.finish() == 0 and b"\033[" not in terminal.text, terminal.text


def an_interrupted_watch_restores_the_screen(program):
    with Scene(program) as server:
        terminal = Terminal(program, "watch", "cm", "--server", server.url())
        terminal.read_until(b"\r\nb ")
        os.kill(terminal.child, signal.SIGTERM)
        assert terminal.finish() == 0, terminal.text
        assert terminal.text.endswith(b"\033[?1049l"), terminal.text


run_tests([
    delete_all_asks_and_no_deletes_nothing,
    delete_all_asks_and_yes_deletes,
    one_object_is_deleted_without_a_question,
    tables_have_colours_unless_no_color_is_set,
    an_interrupted_watch_restores_the_screen,
])
