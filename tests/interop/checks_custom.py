# SPDX-License-Identifier: Apache-2.0
"""checks_custom.py -- custom resources, where a server has them."""

import json
import signal
import sys

from bench import custom, definition
from checks_examples import ROOT
from program import Skip, wait_until
from server import INFORMER_TOKEN

WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"
GIZMOS = "/apis/example.com/v1/namespaces/default/gizmos"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def define(server, plural, kind, *short_names):
    """Makes a definition and waits until it is served."""
    name = f"{plural}.example.com"
    path = f"/apis/example.com/v1/namespaces/default/{plural}"
    server.call("POST", DEFINITIONS, definition(plural, kind, *short_names))
    try:
        wait_until(lambda: server.request("GET", path)[0] == 200,
                   60 if server.must_have_customs else 10, f"{plural} are served")
    except AssertionError:
        status = server.call("DELETE", f"{DEFINITIONS}/{name}").get("status", {})
        if server.must_have_customs or "conditions" in status:
            raise
        raise Skip(f"{server.name} does not serve custom resources") from None


def custom_resources_are_applied_and_watched(b):
    define(b.server, "widgets", "Widget", "wg")
    b.apply(custom("Widget", "gear", 1))
    watch = b.watch("widgets.example.com")
    watch.says("ADDED default/gear ")
    b.apply(custom("Widget", "gear", 2), custom("Widget", "wheel", 3))
    watch.says("MODIFIED default/gear ")
    watch.says("ADDED default/wheel ")
    b.listwatch("delete", "wg", "gear")
    watch.says("DELETED default/gear ")
    b.agrees(watch, WIDGETS)
    said = b.listwatch("apply", "-f", "-", code=1, text=json.dumps(custom("Widget", "bad", "large")))
    assert "size" in said, said  # the server's words about its schema reach the user
    watch.stats()


def an_informer_waits_for_a_resource_that_is_not_defined_yet(b):
    before = len(b.server.requests_of("informer"))
    env = b.env_with("early.json", token=INFORMER_TOKEN)
    env["LISTWATCH_LIBRARY"] = str(b.build / "src" / "liblistwatch.so.0")
    run = b.start(sys.executable, ROOT / "examples" / "08_python.py", "gizmos.example.com", env=env)
    wait_until(lambda: any(path.startswith("/apis")
                           for path in b.server.requests_of("informer")[before:]), 30,
               "the informer has asked what there is")
    define(b.server, "gizmos", "Gizmo")
    run.says("0 gizmos.example.com", 60)
    b.server.call("POST", GIZMOS, custom("Gizmo", "cog", 1))
    run.says("ADD default/cog")
    b.server.call("DELETE", GIZMOS + "/cog")
    run.says("DELETE default/cog")
    assert run.ends(signal.SIGTERM) == 0, run.errors


CHECKS = [
    custom_resources_are_applied_and_watched,
    an_informer_waits_for_a_resource_that_is_not_defined_yet,
]
