#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""luajit_test.py -- examples/13_luajit.lua, which binds the library with LuaJIT's ffi.

    luajit_test.py PROGRAM LIBRARY EXAMPLE"""

import json
import os
import shutil
import sys

from serving import CONFIGMAPS, Follower, Server, config_map, run_tests


def an_informer_in_lua_prints_what_is_there_and_what_changes(program):
    luajit = shutil.which("luajit")
    if not luajit:
        return "luajit is not installed"
    server = Server(program, memory=True).start()
    follower = None
    try:
        assert server.call("POST", CONFIGMAPS, config_map("a"))[0] == 201
        path = server.folder + "/config"
        with open(path, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "clusters": [{"name": "c", "cluster": {"server": server.url()}}],
                       "users": [{"name": "u", "user": {}}],
                       "contexts": [{"name": "c", "context": {
                           "cluster": "c", "user": "u", "namespace": "default"}}]}, file)
        count = len(server.call("GET", "/api/v1/configmaps")[1]["items"])
        follower = Follower([luajit, sys.argv[3], "configmaps", str(count + 1)],
                            {"KUBECONFIG": path, "LISTWATCH_LIBRARY": os.path.abspath(sys.argv[2])})
        follower.await_line("ADD\tdefault/a")
        assert server.call("DELETE", CONFIGMAPS + "/a")[0] == 200
        follower.await_line("DELETE\tdefault/a")
        assert follower.finish() == 0, follower.told()
    finally:
        if follower:
            follower.kill()
        server.remove()


run_tests([an_informer_in_lua_prints_what_is_there_and_what_changes])
