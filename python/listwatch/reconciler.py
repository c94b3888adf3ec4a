# SPDX-License-Identifier: Apache-2.0
"""Reconcilers: a function that is called with the key of each object that has changed."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import select
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple, Union

from ._ffi import Options, ffi, lib, view
from .client import AsyncClient, Client
from .errors import check
from .informer import Informer
from .objects import Object

log = logging.getLogger("listwatch")

_INTERNAL = -19


class Request:
    """The key to reconcile, with the caches.

    key, namespace, name   of the object
    object                 its state in the cache at the call; None: it was deleted
    client                 the client that was passed to run
    informers              by resource: that of the reconciler and those it owns
    """

    __slots__ = ("namespace", "name", "object", "client", "informers")

    def __init__(self, namespace: str, name: str, main: Informer,
                 informers: Dict[str, Informer]) -> None:
        self.namespace = namespace
        self.name = name
        self.client: Any = main.client
        self.informers = informers
        self.object: Optional[Object] = main.get((namespace, name))

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


@ffi.callback("lw_reconcile_fn", error=_INTERNAL)  # type: ignore[untyped-decorator]
def _on_key(key: Any, result: Any, arg: Any, err: Any) -> int:
    # The function runs after the dispatch, so that Ctrl-C does not end up in a callback of C.
    result.is_pending = True
    ffi.from_handle(arg).append((view(key.ns).decode(), view(key.name).decode(), result.ticket))
    return 0


class _Run:
    """A reconciler of the library with its informers, while it runs."""

    def __init__(self, owner: "Reconciler", main: Informer, informers: Dict[str, Informer]) -> None:
        self.keys: Deque[Tuple[str, str, Any]] = deque()
        self._owner, self._main, self._informers = owner, main, informers
        self._handle = ffi.new_handle(self.keys)
        options = Options("lw_reconciler_options", name=owner.name, reconcile=_on_key,
                          arg=self._handle, workers=owner.workers)
        out, err = ffi.new("lw_reconciler **"), ffi.new("lw_error *")
        check(lib.lw_reconciler_new(out, options.struct, err), err)
        self.ptr = out[0]
        try:
            check(lib.lw_reconciler_watch(self.ptr, main._informer, err), err)
            for informer in informers.values():
                if informer is not main:
                    check(lib.lw_reconciler_watch_owned(self.ptr, informer._informer,
                                                        main._informer, err), err)
            check(lib.lw_reconciler_start_in_loop(self.ptr, err), err)
        except BaseException:
            self.close()
            raise
        self.fd: int = lib.lw_reconciler_fd(self.ptr)

    def request(self, namespace: str, name: str) -> Request:
        return Request(namespace, name, self._main, self._informers)

    def finish(self, ticket: Any, again: Optional[float], failure: Optional[Exception],
               key: str) -> None:
        if failure is not None:
            log.error("%s: %s: %s", self._owner.name, key, failure, exc_info=failure)
        delay = int(again * 1e9) if again and failure is None else 0
        lib.lw_reconciler_finish(self.ptr, ticket, _INTERNAL if failure else 0, delay, ffi.NULL)

    def close(self) -> None:
        lib.lw_reconciler_free(self.ptr)


def _end(task: asyncio.Future[None]) -> None:
    if not task.done():
        task.set_result(None)


class Reconciler:
    """A decorated reconcile function; see reconciler()."""

    def __init__(self, function: Callable[[Request], Any], resource: str, owns: Sequence[str],
                 workers: int, name: Optional[str], options: Dict[str, Any]) -> None:
        self.function = function
        self.resource = resource
        self.owns = tuple(owns)
        self.workers = workers
        self.name = name or function.__name__
        self._options = options
        self._wake: Optional[int] = None
        self._task: Optional[asyncio.Future[None]] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def __call__(self, request: Request) -> Any:
        """Calls the function itself, e.g. in a test."""
        return self.function(request)

    def _informers(self, client: Union[Client, AsyncClient]) -> Dict[str, Informer]:
        namespace = self._options.get("namespace")
        informers = {name: Informer(name, client=client, namespace=namespace)
                     for name in self.owns}
        informers[self.resource] = Informer(self.resource, client=client, **self._options)
        return informers

    def run(self, client: Optional[Client] = None) -> None:
        """Reconciles until stop() or Ctrl-C.  The function runs in this thread; with several
        workers, in a pool of threads."""
        if inspect.iscoroutinefunction(self.function):
            raise TypeError(f"{self.name} is a coroutine function: await {self.name}.run_async()")
        own = Client() if client is None else None
        informers = self._informers(client or own)  # type: ignore[arg-type]
        pool = ThreadPoolExecutor(self.workers) if self.workers > 1 else None
        waiting, self._wake = os.pipe()
        run: Optional[_Run] = None
        try:
            for informer in informers.values():
                informer.start()
            for informer in informers.values():
                informer.wait_for_sync()
            run = _Run(self, informers[self.resource], informers)
            poll = select.poll()
            poll.register(run.fd, select.POLLIN)
            poll.register(waiting, select.POLLIN)
            while True:
                ready = poll.poll(lib.lw_reconciler_timeout_ms(run.ptr))
                if any(fd == waiting for fd, _ in ready) and b"x" in os.read(waiting, 4096):
                    break
                lib.lw_reconciler_dispatch(run.ptr)
                while run.keys:
                    key = run.keys.popleft()
                    if pool:
                        pool.submit(self._one_in_pool, run, *key)
                    else:
                        self._one(run, *key)
        finally:
            if pool:
                pool.shutdown(wait=True, cancel_futures=True)
            if run is not None:
                run.close()
            for informer in informers.values():
                informer.close()
            if own is not None:
                own.close()
            wake, self._wake = self._wake, None
            os.close(waiting)
            os.close(wake)

    def _one_in_pool(self, run: _Run, namespace: str, name: str, ticket: Any) -> None:
        self._one(run, namespace, name, ticket)
        assert self._wake is not None  # run() waits for the pool
        os.write(self._wake, b"d")  # done: the timeout of the reconciler may be shorter now

    def _one(self, run: _Run, namespace: str, name: str, ticket: Any) -> None:
        request = run.request(namespace, name)
        again: Optional[float] = None
        failure: Optional[Exception] = None
        try:
            again = self.function(request)
        except Exception as problem:  # logged, and retried with a growing delay
            failure = problem
        run.finish(ticket, again, failure, request.key)

    async def run_async(self, client: Optional[AsyncClient] = None) -> None:
        """Reconciles until stop(), or until the task is cancelled.  At most |workers| calls of the
        coroutine function are in progress; no threads."""
        own = AsyncClient() if client is None else None
        informers = self._informers(client or own)  # type: ignore[arg-type]
        self._loop = loop = asyncio.get_running_loop()
        self._task = loop.create_future()
        tasks: set[asyncio.Task[None]] = set()
        timers: List[asyncio.TimerHandle] = []
        stopping: List[bool] = []
        run: Optional[_Run] = None
        try:
            for informer in informers.values():
                await informer.__aenter__()
            for informer in informers.values():
                await informer.wait_synced()
            run = _Run(self, informers[self.resource], informers)
            running = run

            def ended(task: asyncio.Task[None]) -> None:
                tasks.discard(task)
                if not stopping:
                    set_timer()  # the timeout of the reconciler may be shorter now

            def set_timer() -> None:
                for timer in timers:
                    timer.cancel()
                timers.clear()
                wait = lib.lw_reconciler_timeout_ms(running.ptr)
                if wait >= 0:
                    timers.append(loop.call_later(wait / 1000, pump))

            def pump() -> None:
                lib.lw_reconciler_dispatch(running.ptr)
                while running.keys:
                    task = loop.create_task(self._one_async(running, *running.keys.popleft()))
                    tasks.add(task)
                    task.add_done_callback(ended)
                set_timer()

            loop.add_reader(run.fd, pump)
            pump()
            await self._task
        finally:
            stopping.append(True)
            for timer in timers:
                timer.cancel()
            if run is not None:
                loop.remove_reader(run.fd)
                for task in list(tasks):
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                run.close()
            for informer in informers.values():
                informer.close()
            if own is not None:
                own.close()
            self._task = self._loop = None

    async def _one_async(self, run: _Run, namespace: str, name: str, ticket: Any) -> None:
        request = run.request(namespace, name)
        again: Optional[float] = None
        failure: Optional[Exception] = None
        try:
            again = self.function(request)
            if inspect.isawaitable(again):
                again = await again
        except Exception as problem:  # logged, and retried with a growing delay
            failure = problem
        run.finish(ticket, again, failure, request.key)

    def stop(self) -> None:
        """Ends run() or run_async(); any thread, also a signal handler or the function itself."""
        if self._wake is not None:
            os.write(self._wake, b"x")
        loop, task = self._loop, self._task
        if loop is not None and task is not None:
            loop.call_soon_threadsafe(_end, task)


def reconciler(resource: str, *, owns: Sequence[str] = (), workers: int = 1,
               name: Optional[str] = None, **options: Any
               ) -> Callable[[Callable[[Request], Any]], Reconciler]:
    """Makes a reconciler of a function, or of a coroutine function.

        @reconciler("websites.example.com", owns=["deployments.apps"])
        def websites(request):
            site = request.object
            if site is not None:
                request.client.apply("deployments.apps", deployment(site), force=True)

        websites.run()

    The function is called for each object that exists or changes, and for the owner of each
    changed object of |owns|; one key is never reconciled twice at the same time.  It returns None,
    or the seconds after which to call it again.  An exception is logged, and the key is retried
    with a growing delay.  |options| are those of Informer: namespace, label_selector ..."""
    def decorate(function: Callable[[Request], Any]) -> Reconciler:
        return Reconciler(function, resource, owns, workers, name, options)
    return decorate
