# SPDX-License-Identifier: Apache-2.0
"""Informers: a cache of one resource that is kept up to date, its events, and its lister."""

from __future__ import annotations

import asyncio
import os
import select
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Dict, List, Optional, Tuple, Type, Union

from ._ffi import NULL, Options, c_string, ffi, lib, optional, split_key
from ._shared import SharedFactory, address_of
from .client import AsyncClient, Client
from .errors import Stopped, Timeout, check, from_struct
from .objects import Object, take_list

_TYPES = ("", "ADD", "UPDATE", "DELETE")
_CAUSES = ("", "initial", "watch", "relist", "resync")
_DRAINED = 2
_BATCH = 256  # events that are taken from the library at once
_SIZE = ffi.sizeof("lw_event")


class Event:
    """One change.

    type     "ADD", "UPDATE" or "DELETE"
    object   the current state; of a DELETE, the last known one
    old      the previous state of an UPDATE, otherwise None
    cause    "initial", "watch", "relist" or "resync"
    """

    __slots__ = ("type", "object", "old", "cause", "is_final_state_unknown")

    type: str
    object: Object
    old: Optional[Object]
    cause: str
    is_final_state_unknown: bool

    @property
    def key(self) -> str:
        """"namespace/name", or "name"."""
        return self.object.key

    def __repr__(self) -> str:
        return f"<listwatch.Event {self.type} {self.object!r}>"


def _take_event(raw: Any, new: Any = object.__new__) -> Event:
    """Makes an Event that owns the references of |raw|, an lw_event."""
    event: Event = new(Event)
    event.type = _TYPES[raw.type]
    event.cause = _CAUSES[raw.cause]
    event.object = made = new(Object)
    made._ptr = raw.object
    if old := raw.old_object:
        event.old = made = new(Object)
        made._ptr = old
    else:
        event.old = None
    event.is_final_state_unknown = raw.is_final_state_unknown
    return event


class _Subscription:
    """A registration whose events are taken by the thread that iterates: many at once, each made
    into an Event when it is its turn."""

    def __init__(self, informer: "Informer") -> None:
        self._shared = informer._shared
        self._informer = informer._informer
        self._batch = ffi.new("lw_event[]", _BATCH)
        self._count = self._next = 0  # of the batch
        self.waiter: Optional[asyncio.Future[None]] = None
        handler = ffi.new("lw_handler *", {"mode": _DRAINED})
        out, err = ffi.new("lw_registration **"), ffi.new("lw_error *")
        with self._shared.using(self._informer) as ptr:
            check(lib.lw_informer_add_handler(ptr, handler, out, err), err)
            self._registration = out[0]
            self.fd: int = lib.lw_registration_fd(out[0])
            self._address = address_of(ptr)

    def _fill(self, take: Any = lib.lw_registration_take) -> int:
        """Takes queued events, unless there are some, and returns how many there are."""
        if self._next == self._count:
            shared = self._shared
            self._next = self._count = 0
            with shared.lock:
                shared.check_used(self._address)
                self._count = take(self._registration, self._batch, _SIZE, _BATCH)
        return self._count - self._next

    def take(self) -> Iterator[Event]:
        """The events that are queued, at most _BATCH."""
        self._fill()
        batch = self._batch
        for index in range(self._next, self._count):
            self._next = index + 1
            yield _take_event(batch[index])

    @property
    def is_full(self) -> bool:
        """The last batch was as large as possible: more events may be queued."""
        return self._count == _BATCH

    def wake(self) -> None:
        """Called after each dispatch in an event loop."""
        if self.waiter is not None and not self.waiter.done():
            try:
                is_ready = self._fill() > 0
            except Stopped:
                is_ready = True
            if is_ready:
                self.waiter.set_result(None)

    def close(self) -> None:
        lib.lw_events_release(self._batch + self._next, _SIZE, self._count - self._next)
        self._next = self._count
        try:
            with self._shared.using(self._informer) as ptr:
                lib.lw_informer_remove_handler(ptr, self._registration)
        except Stopped:
            pass  # it was freed with its informer


def _release(shared: SharedFactory, informer: Any, ends: List[int]) -> None:
    shared.drop(informer)
    for end in ends:
        os.close(end)


class Informer:
    """A cache of |resource|, and its changes.

        for event in Informer("pods", field_selector="spec.nodeName=n1"):
            print(event.type, event.object["status"]["phase"])

        async with Informer("pods") as pods:
            await pods.wait_synced()
            pods.get("default/web-0")

    With `for` and `with`, a thread of the library keeps the cache up to date (it never needs the
    GIL); with `async for` and `async with`, the event loop does, and there is no thread.  Each
    iteration begins with an ADD of every object.  An iteration that falls behind by more than
    65,536 events sees the latest state of each object instead of every step.  Failures are retried
    and logged (logging, "listwatch"); last_error has the current one.

    namespace        one, or several: "a,b"; None: all
    indexes          names and JSON Pointers, e.g. {"node": "/spec/nodeName"}, for by_index
    keep, drop       JSON Pointers of the members that the cache keeps or drops
    metadata_only    only metadata is requested
    resync           seconds after which every object is reported again; 0: never
    client           None: a Client with the default configuration, which ends with the informer
    """

    def __init__(self, resource: str, *, client: Union[Client, AsyncClient, None] = None,
                 namespace: Optional[str] = None, label_selector: Optional[str] = None,
                 field_selector: Optional[str] = None, metadata_only: bool = False,
                 keep: Optional[Sequence[str]] = None, drop: Optional[Sequence[str]] = None,
                 resync: int = 0, indexes: Optional[Mapping[str, str]] = None) -> None:
        self.resource = resource
        self._own = Client() if client is None else None
        self.client: Union[Client, AsyncClient] = client or self._own  # type: ignore[assignment]
        self._shared = self.client._factory
        self._indexes: Dict[str, str] = dict(indexes or {})
        self._options = Options("lw_informer_options", ns=namespace,
                                label_selector=label_selector, field_selector=field_selector,
                                is_metadata_only=metadata_only, resync_s=resync)
        if keep is not None or drop is not None:
            read = ffi.new("lw_read_options *")
            read.keep, read.drop = self._options.strings(keep), self._options.strings(drop)
            self._options._kept.append(read)
            self._options.struct.read = read
        self._informer: Any = NULL
        self._free: Any = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._wake = -1

    # ---- start and end

    def _open(self, loop: Optional[asyncio.AbstractEventLoop]) -> None:
        if self._informer != NULL:
            if self._loop is not loop:
                raise RuntimeError("the informer runs in a thread or in another event loop")
            return
        if self._free is not None:
            raise Stopped("the informer is closed", code=-17)
        self._loop = loop
        self._informer = self._shared.open(self.resource, self._options, loop)
        self._wake, hold = os.pipe()  # hung up by close(), which wakes all iterations
        self._free = weakref.finalize(self, _release, self._shared, self._informer,
                                      [hold, self._wake])
        for name, pointer in self._indexes.items():
            self.add_index(name, pointer)

    def start(self) -> "Informer":
        """Starts it in a thread of the library; `for` and `with` do this too."""
        self._open(None)
        return self

    def close(self) -> None:
        """Ends the informer and all iterations.  May be called twice, and from any thread."""
        if self._free is not None:
            informer, self._informer = self._informer, NULL
            self._free()
            del informer
        if self._own is not None:
            self._own.close()
        for wake in list(self._shared.after_dispatch.values()):
            wake()

    def __enter__(self) -> "Informer":
        return self.start()

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    async def __aenter__(self) -> "Informer":
        self._open(asyncio.get_running_loop())
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        self.close()

    # ---- events

    def events(self, timeout: Optional[float] = None) -> Iterator[Event]:
        """Iterates over events; ends after |timeout| seconds without one (None: never), and when
        the informer is closed."""
        self._open(None)
        subscription = _Subscription(self)
        poll = select.poll()
        poll.register(subscription.fd, select.POLLIN)
        poll.register(self._wake, 0)  # POLLHUP
        limit = None if timeout is None else int(timeout * 1000)
        try:
            while True:
                yield from subscription.take()
                if not subscription.is_full and not poll.poll(limit):
                    return
        except Stopped:
            return
        finally:
            subscription.close()

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    async def _async_events(self) -> AsyncIterator[Event]:
        loop = asyncio.get_running_loop()
        self._open(loop)
        subscription = _Subscription(self)
        self._shared.after_dispatch[id(subscription)] = subscription.wake
        loop.call_soon(self._shared._pump)
        try:
            while True:
                for event in subscription.take():
                    yield event
                if subscription.is_full:
                    await asyncio.sleep(0)  # a stream without end must not starve other tasks
                else:  # all events were taken; this event loop is what brings more
                    subscription.waiter = loop.create_future()
                    await subscription.waiter
        except Stopped:
            return
        finally:
            del self._shared.after_dispatch[id(subscription)]
            subscription.close()

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._async_events()

    # ---- state

    @property
    def is_synced(self) -> bool:
        """The first list is in the cache."""
        with self._shared.using(self._informer) as ptr:
            return bool(lib.lw_informer_is_synced(ptr))

    @property
    def last_error(self) -> Optional[Exception]:
        """Why the informer is failing now; None if it is not."""
        err = ffi.new("lw_error *")
        with self._shared.using(self._informer) as ptr:
            st = lib.lw_informer_last_error(ptr, err)
        return None if st == 0 else from_struct(st, err[0])

    def _late(self) -> Timeout:
        reason = self.last_error
        return Timeout(f"{self.resource} are not synced" + (f": {reason}" if reason else ""),
                       code=-12)

    def wait_for_sync(self, timeout: Optional[float] = None) -> None:
        """Waits until the first list is in the cache.  Timeout names the reason; Stopped."""
        self._open(None)
        with self._shared.changed:
            if not self._shared.changed.wait_for(lambda: self.is_synced, timeout):
                raise self._late()

    async def wait_synced(self, timeout: Optional[float] = None) -> None:
        """As wait_for_sync, for asyncio."""
        loop = asyncio.get_running_loop()
        self._open(loop)
        done = loop.create_future()

        def wake() -> None:
            if done.done():
                return
            try:
                if self.is_synced:
                    done.set_result(None)
            except Stopped as failure:
                done.set_exception(failure)

        self._shared.after_dispatch[id(done)] = wake
        try:
            wake()
            await asyncio.wait_for(done, timeout)
        except asyncio.TimeoutError:
            raise self._late() from None
        finally:
            del self._shared.after_dispatch[id(done)]

    # ---- lister

    def get(self, key: Union[str, Tuple[str, str]]) -> Optional[Object]:
        """The object "namespace/name" (or "name", if cluster-scoped) of the cache, or None."""
        namespace, name = split_key(key)
        with self._shared.using(self._informer) as ptr:
            found = lib.lw_lister_get(lib.lw_informer_lister(ptr), c_string(namespace),
                                      c_string(name))
        return None if found == NULL else Object._take(found)

    def list(self, namespace: Optional[str] = None,
             label_selector: Optional[str] = None) -> List[Object]:
        """The objects of the cache that match, in no particular order."""
        out, err = ffi.new("lw_object_list **"), ffi.new("lw_error *")
        selector = NULL
        if label_selector is not None:
            raw = ffi.from_buffer(label_selector.encode())
            parsed = ffi.new("lw_label_selector **")
            check(lib.lw_label_selector_parse(parsed, (raw, len(raw)), err), err)
            selector = ffi.gc(parsed[0], lib.lw_label_selector_free)
        with self._shared.using(self._informer) as ptr:
            check(lib.lw_lister_select(lib.lw_informer_lister(ptr), optional(namespace), selector,
                                       out, err), err)
        return take_list(out[0])

    def add_index(self, name: str, pointer: str) -> None:
        """Adds an index by the string at a JSON Pointer, e.g. "/spec/nodeName"."""
        err = ffi.new("lw_error *")
        with self._shared.using(self._informer) as ptr:
            check(lib.lw_informer_add_index_path(ptr, c_string(name), c_string(pointer), err), err)

    def by_index(self, name: str, value: str) -> List[Object]:
        """The objects that have |value| in the index |name|; "namespace" is built in."""
        out, err = ffi.new("lw_object_list **"), ffi.new("lw_error *")
        with self._shared.using(self._informer) as ptr:
            check(lib.lw_lister_by_index(lib.lw_informer_lister(ptr), c_string(name),
                                         c_string(value), out, err), err)
        return take_list(out[0])

    def __contains__(self, key: Union[str, Tuple[str, str]]) -> bool:
        return self.get(key) is not None

    def __len__(self) -> int:
        with self._shared.using(self._informer) as ptr:
            return int(lib.lw_lister_count(lib.lw_informer_lister(ptr)))

    def __bool__(self) -> bool:
        return True
