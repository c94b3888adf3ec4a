#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""08_python.py -- uses the library from Python with ctypes, without building anything.

    08_python.py [RESOURCE]     what is there, what changes; until Ctrl-C

LISTWATCH_LIBRARY is the path of the library if it is not installed."""

import ctypes
import os
import signal
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_int
from ctypes import c_size_t, c_uint64, c_void_p


class Error(Structure):  # lw_error
    _fields_ = [("code", c_int), ("http_status", c_int), ("retriable", c_bool),
                ("retry_after_s", c_int), ("offset", c_uint64), ("reason", c_char * 64),
                ("message", c_char * 512)]


class Event(Structure):  # lw_event
    _fields_ = [("type", c_int), ("cause", c_int), ("object", c_void_p), ("old_object", c_void_p),
                ("revision", c_uint64), ("is_uid_changed", c_bool),
                ("is_final_state_unknown", c_bool)]


OnEvent = CFUNCTYPE(None, POINTER(Event), c_void_p)


class Handler(Structure):  # lw_handler
    _fields_ = [("on_event", OnEvent), ("arg", c_void_p), ("mode", c_int), ("resync_s", c_int),
                ("max_pending", c_size_t)]


lw = ctypes.CDLL(os.environ.get("LISTWATCH_LIBRARY", "liblistwatch.so.0"))
for name, result, arguments in [
        ("lw_factory_new", c_int, [POINTER(c_void_p), c_void_p, POINTER(Error)]),
        ("lw_factory_informer", c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
        ("lw_informer_add_handler", c_int, [c_void_p, POINTER(Handler), c_void_p, POINTER(Error)]),
        ("lw_factory_start", c_int, [c_void_p, POINTER(Error)]),
        ("lw_factory_wait_for_sync", c_int, [c_void_p, c_int, POINTER(Error)]),
        ("lw_factory_free", None, [c_void_p]),
        ("lw_informer_lister", c_void_p, [c_void_p]),
        ("lw_lister_count", c_size_t, [c_void_p]),
        ("lw_event_type_name", c_char_p, [c_int]),
        ("lw_object_namespace", c_char_p, [c_void_p]),
        ("lw_object_name", c_char_p, [c_void_p])]:
    function = getattr(lw, name)
    function.restype, function.argtypes = result, arguments


def check(status, error):
    if status < 0:
        sys.exit("08_python: " + error.message.decode())


@OnEvent
def on_event(event, _):
    obj = event.contents.object
    print(lw.lw_event_type_name(event.contents.type).decode(),
          lw.lw_object_namespace(obj).decode() + "/" + lw.lw_object_name(obj).decode(), flush=True)


def main():
    error, factory, informer = Error(), c_void_p(), c_void_p()
    resource = sys.argv[1] if len(sys.argv) > 1 else "pods"
    # A thread of the library calls on_event; this thread handles signals.
    signals = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    check(lw.lw_factory_new(byref(factory), None, byref(error)), error)
    check(lw.lw_factory_informer(factory, resource.encode(), byref(informer), byref(error)), error)
    handler = Handler(on_event=on_event)
    check(lw.lw_informer_add_handler(informer, byref(handler), None, byref(error)), error)
    check(lw.lw_factory_start(factory, byref(error)), error)
    check(lw.lw_factory_wait_for_sync(factory, 30, byref(error)), error)
    print(lw.lw_lister_count(lw.lw_informer_lister(informer)), resource, flush=True)
    signal.sigwait(signals)
    lw.lw_factory_free(factory)


main()
