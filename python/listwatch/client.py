# SPDX-License-Identifier: Apache-2.0
"""Single requests: Client waits for the response, AsyncClient is for asyncio."""

from __future__ import annotations

import asyncio
import select
import threading
import weakref
from types import TracebackType
from typing import Any, List, Optional, Type, TypeVar, Union

from ._ffi import Options, ffi, lib, text
from ._requests import Body, Pending, Plan, Plans, Result, Start, new_exchange
from ._shared import SharedFactory
from .errors import Stopped, check
from .objects import Object

T = TypeVar("T")


def _release(client: Any, factory: SharedFactory) -> None:
    factory.close()
    lib.lw_client_close(client)
    lib.lw_client_unref(client)


class _Connection:
    """The configuration and the client of the library, and the informers on them."""

    def __init__(self, kubeconfig: Optional[str] = None, *, context: Optional[str] = None,
                 server: Optional[str] = None, namespace: Optional[str] = None,
                 token: Optional[str] = None, ca_file: Optional[str] = None,
                 insecure: bool = False, in_cluster: bool = False, timeout: int = 60,
                 user_agent: Optional[str] = None, qps: float = 0, burst: int = 0,
                 read_interval: float = 0.005) -> None:
        """Reads the configuration, and sends nothing.

        kubeconfig   a file; otherwise $KUBECONFIG, ~/.kube/config, or the pod that the program
                     runs in
        server       "https://host:6443"; with it, no kubeconfig file is needed
        namespace    for requests that name none; otherwise that of the context
        timeout      seconds of a request with all its retries, except lists
        qps, burst   rate limit of this client; 0: none
        read_interval
                     seconds in which the thread of the informers reads at most once, so that events
                     in quick succession are taken together: each costs less CPU, and may be late
                     by this time.  An event after a pause is taken at once.  0: all are
        """
        options = Options("lw_config_options", kubeconfig=kubeconfig, context=context,
                          server=server, ns=namespace, token=token, ca_file=ca_file,
                          is_insecure=insecure, is_in_cluster=in_cluster)
        config, err = ffi.new("lw_config **"), ffi.new("lw_error *")
        check(lib.lw_config_load(config, options.struct, err), err)
        try:
            self.server: str = text(lib.lw_config_server(config[0]))
            self.namespace: str = text(lib.lw_config_namespace(config[0]))
            tuned = Options("lw_client_options", timeout_s=timeout, user_agent=user_agent,
                            qps=qps, burst=burst)
            out = ffi.new("lw_client **")
            check(lib.lw_client_new(out, config[0], tuned.struct, err), err)
        finally:
            lib.lw_config_unref(config[0])
        self._client = out[0]
        self._plans = Plans(self.namespace)
        self._factory = SharedFactory(self._client, round(read_interval * 1000))
        self._free = weakref.finalize(self, _release, self._client, self._factory)

    def close(self) -> None:
        """Cancels all requests, and ends the informers of this client.  May be called twice."""
        self._free()

    @property
    def is_closed(self) -> bool:
        return not self._free.alive

    def _check_open(self) -> None:
        if self.is_closed:
            raise Stopped("the client is closed", code=-17)


class Client(_Connection):
    """Requests that wait for the response.  Any thread may use it.  Ctrl-C cancels a request.

        with Client() as client:
            client.create("configmaps", {"metadata": {"name": "a"}, "data": {"k": "v"}})

    A resource is named as for kubectl: "pods", "po", "deployments.apps".  Requests for one object
    use the namespace of the client if they name none; lists are of all namespaces then.  Failures
    are subclasses of listwatch.Error."""

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def _one(self, start: Start) -> Result:
        self._check_open()
        local = self._local
        exchange = getattr(local, "exchange", None)
        if exchange is None:
            exchange = local.exchange = new_exchange(self._client)
            local.poll = select.poll()
            local.poll.register(lib.lw_async_fd(exchange), select.POLLIN)
        pending = Pending(exchange, start, None)
        try:
            while not pending.is_done:
                local.poll.poll(lib.lw_async_timeout_ms(exchange))
                lib.lw_async_dispatch(exchange)
        finally:
            pending.cancel()
        return pending.get()

    def _run(self, plan: Plan[T]) -> T:
        try:
            start = next(plan)
            while True:
                start = plan.send(self._one(start))
        except StopIteration as end:
            value: T = end.value
            return value

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._local = threading.local()  # an lw_async per thread

    def get(self, resource: str, name: str, *, namespace: Optional[str] = None,
            subresource: Optional[str] = None, resource_version: Optional[str] = None,
            timeout: Optional[float] = None) -> Object:
        """Gets one object."""
        return self._run(self._plans.get(resource, name, namespace, subresource, resource_version,
                                   timeout))

    def list(self, resource: str, *, namespace: Optional[str] = None,
             label_selector: Optional[str] = None, field_selector: Optional[str] = None,
             limit: int = 500) -> List[Object]:
        """Lists objects, with |limit| objects per request (0: all in one)."""
        return self._run(self._plans.list(resource, namespace, label_selector, field_selector, limit))

    def create(self, resource: str, obj: Body, *, namespace: Optional[str] = None,
               field_manager: Optional[str] = None, field_validation: Optional[str] = None,
               dry_run: bool = False, timeout: Optional[float] = None,
               name: Optional[str] = None, subresource: Optional[str] = None) -> Object:
        """Creates |obj|.  With |name| and |subresource|, posts it there, e.g. "eviction"."""
        return self._run(self._plans.create(resource, obj, namespace, field_manager, field_validation,
                                      dry_run, timeout, name, subresource))

    def update(self, resource: str, obj: Body, *, subresource: Optional[str] = None,
               field_manager: Optional[str] = None, field_validation: Optional[str] = None,
               dry_run: bool = False, timeout: Optional[float] = None) -> Object:
        """Replaces an object; Conflict if it was changed since |obj| was read."""
        return self._run(self._plans.update(resource, obj, subresource, field_manager, field_validation,
                                      dry_run, timeout))

    def patch(self, resource: str, name: str, patch: Union[Body, List[Any], str], *,
              namespace: Optional[str] = None, type: str = "merge",
              subresource: Optional[str] = None, field_manager: Optional[str] = None,
              field_validation: Optional[str] = None, dry_run: bool = False,
              timeout: Optional[float] = None) -> Object:
        """Patches one object; |type| is "merge", "json" or "strategic"."""
        return self._run(self._plans.patch(resource, name, patch, namespace, type, subresource,
                                     field_manager, field_validation, dry_run, timeout))

    def apply(self, resource: str, obj: Body, *, namespace: Optional[str] = None,
              field_manager: Optional[str] = None, force: bool = False,
              subresource: Optional[str] = None, field_validation: Optional[str] = None,
              dry_run: bool = False, timeout: Optional[float] = None) -> Object:
        """Server-side apply of exactly the fields in |obj|.  Conflict: another manager has set one
        of them; a controller that owns its fields sets |force|."""
        return self._run(self._plans.apply(resource, obj, namespace, field_manager, force, subresource,
                                     field_validation, dry_run, timeout))

    def delete(self, resource: str, name: str, *, namespace: Optional[str] = None,
               grace_period: Optional[int] = None, propagation: Optional[str] = None,
               uid: Optional[str] = None, resource_version: Optional[str] = None,
               dry_run: bool = False, timeout: Optional[float] = None) -> None:
        """Deletes one object; with finalizers, it exists for some time after that."""
        return self._run(self._plans.delete(resource, name, namespace, grace_period, propagation, uid,
                                      resource_version, dry_run, timeout))


class AsyncClient(_Connection):
    """As Client, for asyncio: each request is awaited, and cancelled with its task.  It belongs to
    one event loop and starts no threads.

        async with AsyncClient() as client:
            pod = await client.get("pods", "web-0")
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._exchange: Any = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        self._pending = 0

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        self.close()

    def _schedule(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        wait = lib.lw_async_timeout_ms(self._exchange)
        if self._pending and wait >= 0 and self._loop:
            self._timer = self._loop.call_later(wait / 1000, self._pump)

    def _pump(self) -> None:
        lib.lw_async_dispatch(self._exchange)
        self._schedule()

    def _attach(self) -> None:
        loop = asyncio.get_running_loop()
        if self._pending and loop is not self._loop:
            raise RuntimeError("the client is in use in another event loop")
        if self._exchange is None:
            self._exchange = new_exchange(self._client)
        if not self._pending:
            self._loop = loop
            loop.add_reader(lib.lw_async_fd(self._exchange), self._pump)
        self._pending += 1

    def _detach(self) -> None:
        self._pending -= 1
        if not self._pending and self._loop:
            self._loop.remove_reader(lib.lw_async_fd(self._exchange))
            self._loop = None
        self._schedule()

    async def _one(self, start: Start) -> Result:
        self._check_open()
        self._attach()
        try:
            done = asyncio.get_running_loop().create_future()

            def finish() -> None:
                if not done.done():
                    done.set_result(None)

            pending = Pending(self._exchange, start, finish)
            self._schedule()
            try:
                await done
            finally:
                pending.cancel()
            return pending.get()
        finally:
            self._detach()

    async def _run(self, plan: Plan[T]) -> T:
        try:
            start = next(plan)
            while True:
                start = plan.send(await self._one(start))
        except StopIteration as end:
            value: T = end.value
            return value

    async def get(self, resource: str, name: str, *, namespace: Optional[str] = None,
            subresource: Optional[str] = None, resource_version: Optional[str] = None,
            timeout: Optional[float] = None) -> Object:
        """Gets one object."""
        return await self._run(self._plans.get(resource, name, namespace, subresource, resource_version,
                                   timeout))

    async def list(self, resource: str, *, namespace: Optional[str] = None,
             label_selector: Optional[str] = None, field_selector: Optional[str] = None,
             limit: int = 500) -> List[Object]:
        """Lists objects, with |limit| objects per request (0: all in one)."""
        return await self._run(self._plans.list(resource, namespace, label_selector, field_selector, limit))

    async def create(self, resource: str, obj: Body, *, namespace: Optional[str] = None,
               field_manager: Optional[str] = None, field_validation: Optional[str] = None,
               dry_run: bool = False, timeout: Optional[float] = None,
               name: Optional[str] = None, subresource: Optional[str] = None) -> Object:
        """Creates |obj|.  With |name| and |subresource|, posts it there, e.g. "eviction"."""
        return await self._run(self._plans.create(resource, obj, namespace, field_manager, field_validation,
                                      dry_run, timeout, name, subresource))

    async def update(self, resource: str, obj: Body, *, subresource: Optional[str] = None,
               field_manager: Optional[str] = None, field_validation: Optional[str] = None,
               dry_run: bool = False, timeout: Optional[float] = None) -> Object:
        """Replaces an object; Conflict if it was changed since |obj| was read."""
        return await self._run(self._plans.update(resource, obj, subresource, field_manager, field_validation,
                                      dry_run, timeout))

    async def patch(self, resource: str, name: str, patch: Union[Body, List[Any], str], *,
              namespace: Optional[str] = None, type: str = "merge",
              subresource: Optional[str] = None, field_manager: Optional[str] = None,
              field_validation: Optional[str] = None, dry_run: bool = False,
              timeout: Optional[float] = None) -> Object:
        """Patches one object; |type| is "merge", "json" or "strategic"."""
        return await self._run(self._plans.patch(resource, name, patch, namespace, type, subresource,
                                     field_manager, field_validation, dry_run, timeout))

    async def apply(self, resource: str, obj: Body, *, namespace: Optional[str] = None,
              field_manager: Optional[str] = None, force: bool = False,
              subresource: Optional[str] = None, field_validation: Optional[str] = None,
              dry_run: bool = False, timeout: Optional[float] = None) -> Object:
        """Server-side apply of exactly the fields in |obj|.  Conflict: another manager has set one
        of them; a controller that owns its fields sets |force|."""
        return await self._run(self._plans.apply(resource, obj, namespace, field_manager, force, subresource,
                                     field_validation, dry_run, timeout))

    async def delete(self, resource: str, name: str, *, namespace: Optional[str] = None,
               grace_period: Optional[int] = None, propagation: Optional[str] = None,
               uid: Optional[str] = None, resource_version: Optional[str] = None,
               dry_run: bool = False, timeout: Optional[float] = None) -> None:
        """Deletes one object; with finalizers, it exists for some time after that."""
        return await self._run(self._plans.delete(resource, name, namespace, grace_period, propagation, uid,
                                      resource_version, dry_run, timeout))
