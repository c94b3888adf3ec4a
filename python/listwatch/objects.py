# SPDX-License-Identifier: Apache-2.0
"""Objects that are read from the JSON of the library, without a dict of everything."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Dict, List, Optional, Union, overload

from ._ffi import NULL, c_string, ffi, lib, text, view
from .errors import check

_STR = ffi.typeof("lw_str *")
_ITER = ffi.typeof("lw_iter *")
_string = ffi.string
_namespace, _name, _label = lib.lw_object_namespace, lib.lw_object_name, lib.lw_object_label

_label_keys: Dict[str, bytes] = {}  # the few that a program asks for, as arguments


def _label_key(key: str) -> bytes:
    if len(_label_keys) >= 256:
        _label_keys.clear()
    return _label_keys.setdefault(key, c_string(key))


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


Value = Any  # a scalar, or a MapView or ListView


class _View:
    """A value inside an object: the object, an iterator at one of its items (or None), and the
    JSON Pointer from there."""

    __slots__ = ("_object", "_at", "_pointer")

    def __init__(self, obj: "Object", at: Any, pointer: bytes) -> None:
        self._object = obj
        self._at = at
        self._pointer = pointer

    def _raw(self, pointer: bytes) -> Optional[bytes]:
        """The JSON text below; None if there is no value."""
        out = ffi.new(_STR)
        if self._at is None:
            st = lib.lw_object_raw(self._object._ptr, pointer, out)
        else:
            st = lib.lw_iter_raw(self._at, pointer, out)
        return view(out[0]) if st == 0 else None

    def _walk(self) -> Iterator[Any]:
        """An lw_iter pointer at each item in turn; it is the same one, which moves."""
        at = ffi.new(_ITER)
        if self._at is None:
            at[0] = lib.lw_object_iter(self._object._ptr, self._pointer)
        else:
            at[0] = lib.lw_iter_enter(self._at, self._pointer)
        while lib.lw_iter_next(at):
            yield at

    def _item(self, at: Any) -> Value:
        raw = view(at.json)
        if raw[:1] not in (b"{", b"["):
            return json.loads(raw)
        kind = MapView if raw[:1] == b"{" else ListView
        return kind(self._object, ffi.new(_ITER, at[0]), b"")

    def _below(self, raw: bytes, pointer: bytes) -> Value:
        if raw[:1] == b"{":
            return MapView(self._object, self._at, pointer)
        if raw[:1] == b"[":
            return ListView(self._object, self._at, pointer)
        return json.loads(raw)

    def _plain(self) -> Any:
        return json.loads(self._raw(self._pointer) or b"null")

    def __len__(self) -> int:
        return sum(1 for _ in self._walk())


class MapView(_View, Mapping):  # type: ignore[type-arg]
    """A JSON object inside an Object, read when asked.  to_dict() copies it."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, key: str) -> Value:
        if not isinstance(key, str) or "\0" in key:
            raise KeyError(key)
        pointer = self._pointer + b"/" + key.replace("~", "~0").replace("/", "~1").encode()
        raw = self._raw(pointer)
        if raw is None:
            raise KeyError(key)
        return self._below(raw, pointer)

    def __iter__(self) -> Iterator[str]:
        for at in self._walk():
            yield view(at.key).decode("utf-8", "replace")

    def items(self) -> Any:
        """Pairs of key and value, in the order of the JSON, in one pass."""
        return [(view(at.key).decode("utf-8", "replace"), self._item(at)) for at in self._walk()]

    def values(self) -> Any:
        """The values, in the order of the JSON, in one pass."""
        return [self._item(at) for at in self._walk()]

    def to_dict(self) -> Dict[str, Any]:
        """A dict of its own, which may be changed."""
        plain = self._plain()
        return plain if isinstance(plain, dict) else {}

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MapView):
            other = other.to_dict()
        return self.to_dict() == other if isinstance(other, Mapping) else NotImplemented

    def __repr__(self) -> str:
        return repr(self.to_dict())


class ListView(_View, Sequence):  # type: ignore[type-arg]
    """A JSON array inside an Object, read when asked.  to_list() copies it."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> List[Value]: ...

    def __getitem__(self, index: Union[int, slice]) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        if index < 0:
            index += len(self)
        pointer = self._pointer + b"/%d" % index
        raw = self._raw(pointer) if index >= 0 else None
        if raw is None:
            raise IndexError(index)
        return self._below(raw, pointer)

    def __iter__(self) -> Iterator[Value]:
        for at in self._walk():
            yield self._item(at)

    def to_list(self) -> List[Any]:
        """A list of its own, which may be changed."""
        plain = self._plain()
        return plain if isinstance(plain, list) else []

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ListView):
            other = other.to_list()
        return self.to_list() == other if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return repr(self.to_list())


class Object(MapView):
    """One Kubernetes object: immutable, shared with the cache it comes from.

        pod["spec"]["nodeName"]            decodes only this string
        pod.name, pod.namespace, pod.key   are decoded already
        pod.to_dict()                      is a copy to change, e.g. for Client.update
    """

    __slots__ = ("_ptr",)

    def __init__(self, source: Union[str, bytes, Mapping[str, Any]]) -> None:
        """Makes an object from its JSON, or from a dict."""
        if isinstance(source, MapView):
            source = source.to_dict()
        raw = source if isinstance(source, (str, bytes)) else json.dumps(source)
        raw = raw.encode() if isinstance(raw, str) else raw
        self._ptr = NULL
        out, err = ffi.new("lw_object **"), ffi.new("lw_error *")
        check(lib.lw_object_from_json(out, raw, len(raw), err), err)
        self._ptr = out[0]

    @classmethod
    def _take(cls, ptr: Any) -> "Object":
        """Wraps a reference, which the result owns."""
        self = cls.__new__(cls)
        self._ptr = ptr
        return self

    def __del__(self, unref: Any = lib.lw_object_unref) -> None:
        if self._ptr:
            unref(self._ptr)

    # A reference of the object to itself would be a cycle, so the members of _View are computed.
    @property
    def _root(self) -> MapView:
        return MapView(self, None, b"")

    def __getitem__(self, key: str) -> Value:
        try:
            return self._root[key]
        except KeyError:  # items of a typed list have neither in their JSON
            if key == "apiVersion" and self.api_version:
                return self.api_version
            if key == "kind" and self.kind:
                return self.kind
            raise

    def __iter__(self) -> Iterator[str]:
        return iter(self._root)

    def __len__(self) -> int:
        return len(self._root)

    def items(self) -> Any:
        """Pairs of key and value, in the order of the JSON."""
        return self._root.items()

    def values(self) -> Any:
        """The values, in the order of the JSON."""
        return self._root.values()

    def to_dict(self) -> Dict[str, Any]:
        """A dict of the whole object, which may be changed; with apiVersion and kind."""
        plain: Dict[str, Any] = json.loads(self.to_json())
        if self.kind and "kind" not in plain:
            plain.update(apiVersion=self.api_version, kind=self.kind)
        return plain

    def to_json(self) -> bytes:
        """The JSON as it was received, without members that were dropped."""
        return view(lib.lw_object_json(self._ptr))

    @property
    def api_version(self) -> str:
        return text(lib.lw_object_api_version(self._ptr))

    @property
    def kind(self) -> str:
        return text(lib.lw_object_kind(self._ptr))

    @property
    def name(self) -> str:
        return text(lib.lw_object_name(self._ptr))

    @property
    def namespace(self) -> str:
        """"" for cluster-scoped objects."""
        return text(lib.lw_object_namespace(self._ptr))

    @property
    def key(self) -> str:
        """"namespace/name", or "name"."""
        ptr = self._ptr
        namespace, name = _string(_namespace(ptr)), _string(_name(ptr))
        raw: bytes = namespace + b"/" + name if namespace else name
        return _decode(raw)

    @property
    def uid(self) -> str:
        return text(lib.lw_object_uid(self._ptr))

    @property
    def resource_version(self) -> str:
        return text(lib.lw_object_resource_version(self._ptr))

    def label(self, key: str) -> Optional[str]:
        """The value of a label, or None."""
        value = _label(self._ptr, _label_keys.get(key) or _label_key(key))
        return _decode(_string(value)) if value else None

    def annotation(self, key: str) -> Optional[str]:
        """The value of an annotation, or None."""
        value = lib.lw_object_annotation(self._ptr, c_string(key))
        return text(value) if value else None

    def __repr__(self) -> str:
        return f"<listwatch.Object {self.kind or 'object'} {self.key}>"


def borrow(ptr: Any, new: Any = object.__new__, ref: Any = lib.lw_object_ref) -> Object:
    """An Object with a reference of its own."""
    made: Object = new(Object)
    made._ptr = ref(ptr)
    return made


def take_list(ptr: Any) -> List[Object]:
    """The objects of an lw_object_list, which is freed."""
    try:
        return borrow_list(ptr)
    finally:
        lib.lw_object_list_free(ptr)


def borrow_list(ptr: Any) -> List[Object]:
    """The objects of an lw_object_list, each with a reference of its own."""
    return [borrow(lib.lw_object_list_at(ptr, index))
            for index in range(lib.lw_object_list_count(ptr))]
