# SPDX-License-Identifier: Apache-2.0
"""The factory of a client: its informers share one connection, and one thread or event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import weakref
from collections.abc import Iterator
from typing import Any, Callable, Dict, Optional

from ._ffi import NULL, Options, c_string, ffi, lib, text
from .errors import Stopped, check, from_struct

log = logging.getLogger("listwatch")

_ADDRESS = ffi.typeof("uintptr_t")
_FAILING, _EXPIRED, _RECOVERED = 2, 3, 4


@ffi.callback("lw_informer_state_fn")  # type: ignore[untyped-decorator]
def _on_state(informer: Any, state: int, error: Any, arg: Any) -> None:
    # From the thread of the factory; it holds no lock of the library.
    shared = ffi.from_handle(arg)()
    if shared is not None:
        shared._state(informer, state, error)


def address_of(informer: Any) -> int:
    return int(ffi.cast(_ADDRESS, informer))


class SharedFactory:
    """An lw_factory that is made with the first informer.  It runs either in a thread of the
    library (`for`) or in an asyncio event loop (`async for`)."""

    def __init__(self, client: Any, read_interval_ms: int) -> None:
        self._client = client
        self._read_interval_ms = read_interval_ms
        self._factory: Any = NULL
        self._handle = ffi.new_handle(weakref.ref(self))
        self._users: Dict[int, int] = {}  # of each lw_informer, by its address
        self.lock = threading.Lock()
        self.changed = threading.Condition()  # an informer has a new state
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        self.after_dispatch: Dict[int, Callable[[], None]] = {}
        self._is_closed = False

    def _state(self, informer: Any, state: int, error: Any) -> None:
        name = text(lib.lw_informer_resource(informer))
        if state == _FAILING:
            log.warning("%s: %s", name, from_struct(error.code, error[0]))
        elif state == _EXPIRED:
            log.info("%s: the revision has expired, listing again", name)
        elif state == _RECOVERED:
            log.info("%s: recovered", name)
        with self.changed:
            self.changed.notify_all()

    def _make(self, loop: Optional[asyncio.AbstractEventLoop]) -> None:
        if self._is_closed:
            raise Stopped("the client is closed", code=-17)
        if self._factory != NULL:
            if self._loop is not loop:
                raise RuntimeError("the informers of one client run either in a thread (for, with) "
                                   "or in one event loop (async for, async with)")
            return
        options = Options("lw_factory_options", client=self._client, on_state=_on_state,
                          state_arg=self._handle, read_interval_ms=self._read_interval_ms)
        out, err = ffi.new("lw_factory **"), ffi.new("lw_error *")
        check(lib.lw_factory_new(out, options.struct, err), err)
        if loop is None:
            st = lib.lw_factory_start(out[0], err)
            if st < 0:
                lib.lw_factory_free(out[0])
                check(st, err)
        else:
            loop.add_reader(lib.lw_factory_fd(out[0]), self._pump)
        self._factory, self._loop = out[0], loop

    def open(self, resource: str, options: Options,
             loop: Optional[asyncio.AbstractEventLoop]) -> Any:
        """Returns an lw_informer; release it with drop."""
        with self.lock:
            self._make(loop)
            out, err = ffi.new("lw_informer **"), ffi.new("lw_error *")
            check(lib.lw_factory_informer_with(self._factory, c_string(resource), options.struct,
                                               out, err), err)
            address = address_of(out[0])
            self._users[address] = self._users.get(address, 0) + 1
        if loop is not None:
            loop.call_soon(self._pump)
        return out[0]

    @contextlib.contextmanager
    def using(self, informer: Any) -> Iterator[Any]:
        """Protects |informer| from being freed by another thread; Stopped if it was."""
        with self.lock:
            self.check_used(address_of(informer))
            yield informer

    def check_used(self, address: int) -> None:
        """Stopped if the informer at |address| was freed (0: NULL).  The caller holds |lock|."""
        if address not in self._users:
            raise Stopped("the informer is closed", code=-17)

    def drop(self, informer: Any) -> None:
        """Ends an informer if no other user has the same one."""
        with self.lock:
            address = address_of(informer)
            if self._factory == NULL or address not in self._users:
                return
            self._users[address] -= 1
            if self._users[address]:
                return
            del self._users[address]
            lib.lw_factory_drop(self._factory, informer)
            if not self._users and self._loop is not None:
                self._end()  # an event loop must not keep a descriptor for nothing

    def _pump(self) -> None:
        if self._factory == NULL or self._loop is None:
            return
        err = ffi.new("lw_error *")
        st = lib.lw_factory_dispatch(self._factory, err)
        for wake in list(self.after_dispatch.values()):
            wake()
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if st < 0 or self._factory == NULL:
            return
        wait = lib.lw_factory_timeout_ms(self._factory)
        if wait >= 0:
            self._timer = self._loop.call_later(wait / 1000, self._pump)

    def _end(self) -> None:
        factory, self._factory = self._factory, NULL
        if factory == NULL:
            return
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(lib.lw_factory_fd(factory))
        self._loop = None
        self._users.clear()
        lib.lw_factory_free(factory)

    def close(self) -> None:
        """Frees the factory with its informers."""
        with self.lock:
            self._is_closed = True
            self._end()
        with self.changed:
            self.changed.notify_all()
