# SPDX-License-Identifier: Apache-2.0
"""The requests, each written once as a generator: it yields functions that start an asynchronous
request of the library and receives the results.  Client waits for them, AsyncClient awaits them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Callable, Dict, Generator, List, Optional, TypeVar, Union

from ._ffi import NULL, Options, c_string, ffi, lib, optional, text
from .errors import check, from_struct
from .objects import MapView, Object, borrow, borrow_list

T = TypeVar("T")
Start = Callable[[Any, Any, Any, Any, Any], int]  # lw_async, callback, its argument, out, err
Plan = Generator[Start, "Result", T]
Body = Union[Object, MapView, Mapping[str, Any]]

_PATCH_TYPES = {"merge": 0, "json": 1, "strategic": 2}


class Result:
    """What a request has returned, copied from an lw_result."""

    __slots__ = ("object", "objects", "continue_token", "resource")

    def __init__(self, result: Any) -> None:
        self.object: Optional[Object] = None
        self.objects: List[Object] = []
        self.continue_token = ""
        self.resource: Any = None
        if result.object != NULL:
            self.object = borrow(result.object)
        if result.list != NULL:
            self.objects = borrow_list(result.list)
            self.continue_token = text(lib.lw_object_list_metadata(result.list).continue_token)
        if result.resource != NULL:
            self.resource = ffi.new("lw_resource *", result.resource[0])


class Pending:
    """A request in progress of an lw_async."""

    def __init__(self, exchange: Any, start: Start, done: Optional[Callable[[], None]]) -> None:
        self.result: Optional[Result] = None
        self.error: Optional[BaseException] = None
        self.is_done = False
        self._done = done
        self._handle = ffi.new_handle(self)  # a cycle until the request ends
        self._request = ffi.new("lw_request **")
        err = ffi.new("lw_error *")
        try:
            check(start(exchange, _on_result, self._handle, self._request, err), err)
        except BaseException:
            self._handle = None
            raise

    def finish(self, result: Any) -> None:
        self.is_done, self._handle = True, None
        try:
            if result.st < 0:
                self.error = from_struct(result.st, result.err[0])
            else:
                self.result = Result(result)
        except BaseException as failure:  # must not leave a callback of C; raised by get()
            self.error = failure
        if self._done:
            self._done()

    def get(self) -> Result:
        if self.error is not None:
            raise self.error
        assert self.result is not None
        return self.result

    def cancel(self) -> None:
        if not self.is_done:
            self.is_done, self._handle = True, None
            lib.lw_request_cancel(self._request[0])


@ffi.callback("void(*)(const lw_result *, void *)")  # type: ignore[untyped-decorator]
def _on_result(result: Any, arg: Any) -> None:
    ffi.from_handle(arg).finish(result)


def new_exchange(client: Any) -> Any:
    """An lw_async, which is freed with the value."""
    out, err = ffi.new("lw_async **"), ffi.new("lw_error *")
    check(lib.lw_async_new(out, client, err), err)
    return ffi.gc(out[0], lib.lw_async_free)


def _ms(timeout: Optional[float]) -> int:
    return 0 if timeout is None else max(1, int(timeout * 1000))


def _json(body: Union[Body, List[Any], str]) -> bytes:
    if isinstance(body, Object):
        return body.to_json()
    if isinstance(body, MapView):
        body = body.to_dict()
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def _name_of(body: Body) -> str:
    metadata = body.get("metadata") or {}
    name = metadata.get("name")
    if not isinstance(name, str) or not name:
        raise ValueError("the object has no metadata.name")
    return name


class Plans:
    """The plans of one client.  |resources| remembers what discovery has found."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.resources: Dict[str, Any] = {}

    def resource(self, name: str) -> Plan[Any]:
        known = self.resources.get(name)
        if known is None:
            raw = c_string(name)
            result = yield lambda x, fn, arg, out, err: lib.lw_async_find_resource(
                x, raw, fn, arg, out, err)
            known = self.resources[name] = result.resource
        return known

    def _in(self, resource: Any, namespace: Optional[str]) -> Any:
        """The namespace of a request for one object; the client's own by default."""
        if not resource.is_namespaced:
            return NULL
        return optional(self.namespace if namespace is None else namespace)

    def get(self, resource: str, name: str, namespace: Optional[str], subresource: Optional[str],
            resource_version: Optional[str], timeout: Optional[float]) -> Plan[Object]:
        found = yield from self.resource(resource)
        options = Options("lw_get_options", subresource=subresource,
                          resource_version=resource_version, timeout_ms=_ms(timeout))
        result = yield lambda x, fn, arg, out, err: lib.lw_async_get(
            x, found.gvr, self._in(found, namespace), c_string(name), options.struct, fn, arg, out,
            err)
        assert result.object is not None
        return result.object

    def list(self, resource: str, namespace: Optional[str], label_selector: Optional[str],
             field_selector: Optional[str], limit: int) -> Plan[List[Object]]:
        found = yield from self.resource(resource)
        objects: List[Object] = []
        token: Optional[str] = None
        while True:
            options = Options("lw_list_options", ns=namespace, label_selector=label_selector,
                              field_selector=field_selector, limit=limit, continue_token=token)
            result = yield lambda x, fn, arg, out, err: lib.lw_async_list(
                x, found.gvr, options.struct, fn, arg, out, err)
            objects += result.objects
            if not result.continue_token or result.continue_token == token:
                return objects
            token = result.continue_token

    def create(self, resource: str, body: Body, namespace: Optional[str],
               field_manager: Optional[str], field_validation: Optional[str], dry_run: bool,
               timeout: Optional[float], name: Optional[str], subresource: Optional[str]
               ) -> Plan[Object]:
        found = yield from self.resource(resource)
        obj = body if isinstance(body, Object) else Object(body)
        if namespace is None and found.is_namespaced and not obj.namespace:
            namespace = self.namespace
        options = Options("lw_create_options", field_manager=field_manager, ns=namespace,
                          field_validation=field_validation, dry_run=dry_run,
                          timeout_ms=_ms(timeout), name=name, subresource=subresource)
        result = yield lambda x, fn, arg, out, err: lib.lw_async_create(
            x, found.gvr, obj._ptr, options.struct, fn, arg, out, err)
        assert result.object is not None
        return result.object

    def update(self, resource: str, body: Body, subresource: Optional[str],
               field_manager: Optional[str], field_validation: Optional[str], dry_run: bool,
               timeout: Optional[float]) -> Plan[Object]:
        found = yield from self.resource(resource)
        obj = body if isinstance(body, Object) else Object(body)
        options = Options("lw_update_options", subresource=subresource,
                          field_manager=field_manager, field_validation=field_validation,
                          dry_run=dry_run, timeout_ms=_ms(timeout))
        result = yield lambda x, fn, arg, out, err: lib.lw_async_update(
            x, found.gvr, obj._ptr, options.struct, fn, arg, out, err)
        assert result.object is not None
        return result.object

    def patch(self, resource: str, name: str, patch: Union[Body, List[Any], str],
              namespace: Optional[str], type: str, subresource: Optional[str],
              field_manager: Optional[str], field_validation: Optional[str], dry_run: bool,
              timeout: Optional[float]) -> Plan[Object]:
        if type not in _PATCH_TYPES:
            raise ValueError(f'the type of a patch is "merge", "json" or "strategic", not {type!r}')
        found = yield from self.resource(resource)
        options = Options("lw_patch_options", type=_PATCH_TYPES[type], subresource=subresource,
                          field_manager=field_manager, field_validation=field_validation,
                          dry_run=dry_run, timeout_ms=_ms(timeout))
        raw = ffi.from_buffer(_json(patch))
        result = yield lambda x, fn, arg, out, err: lib.lw_async_patch(
            x, found.gvr, self._in(found, namespace), c_string(name), (raw, len(raw)),
            options.struct, fn, arg, out, err)
        assert result.object is not None
        return result.object

    def apply(self, resource: str, body: Body, namespace: Optional[str],
              field_manager: Optional[str], force: bool, subresource: Optional[str],
              field_validation: Optional[str], dry_run: bool, timeout: Optional[float]
              ) -> Plan[Object]:
        found = yield from self.resource(resource)
        name = c_string(_name_of(body))
        if namespace is None:
            namespace = (body.get("metadata") or {}).get("namespace")
        options = Options("lw_apply_options", field_manager=field_manager, force=force,
                          dry_run=dry_run, field_validation=field_validation,
                          subresource=subresource, timeout_ms=_ms(timeout))
        raw = ffi.from_buffer(_json(body))
        result = yield lambda x, fn, arg, out, err: lib.lw_async_apply(
            x, found.gvr, self._in(found, namespace), name, (raw, len(raw)), options.struct, fn,
            arg, out, err)
        assert result.object is not None
        return result.object

    def delete(self, resource: str, name: str, namespace: Optional[str],
               grace_period: Optional[int], propagation: Optional[str], uid: Optional[str],
               resource_version: Optional[str], dry_run: bool, timeout: Optional[float]
               ) -> Plan[None]:
        found = yield from self.resource(resource)
        options = Options("lw_delete_options",
                          grace_period_s=-1 if grace_period is None else grace_period,
                          propagation=propagation, uid=uid, resource_version=resource_version,
                          dry_run=dry_run, timeout_ms=_ms(timeout))
        yield lambda x, fn, arg, out, err: lib.lw_async_delete(
            x, found.gvr, self._in(found, namespace), c_string(name), options.struct, fn, arg, out,
            err)
