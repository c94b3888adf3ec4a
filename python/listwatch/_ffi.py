# SPDX-License-Identifier: Apache-2.0
"""The library, and small helpers for its calls.

$LISTWATCH_LIBRARY is the path of the library if it is not installed."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Tuple, Union

from .errors import LibraryNotFound

try:
    from ._abi import ffi as _ffi
except ImportError:  # in a source tree that was not built: parse the declarations now
    from cffi import FFI

    from . import _cdef

    _ffi = FFI()
    _ffi.cdef(_cdef.TYPES + _cdef.FUNCTIONS)

ffi: Any = _ffi


def _load() -> Any:
    path = os.environ.get("LISTWATCH_LIBRARY", "liblistwatch.so.0")
    try:
        return ffi.dlopen(path)
    except OSError as failure:
        raise LibraryNotFound(f"cannot load {path}: {failure}; install liblistwatch0, "
                              "or set LISTWATCH_LIBRARY to the path of the library") from None


lib: Any = _load()
NULL: Any = ffi.NULL

Text = Union[str, bytes]


def text(pointer: Any) -> str:
    """The str of a C string; "" for NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def view(string: Any) -> bytes:
    """The bytes of an lw_str."""
    return bytes(ffi.buffer(string.ptr, string.len)) if string.len else b""


def c_string(value: str) -> bytes:
    """|value| as an argument; a NUL would end it early."""
    raw = value.encode()
    if b"\0" in raw:
        raise ValueError(f"a NUL character in {value!r}")
    return raw


def optional(value: Optional[str]) -> Any:
    """As c_string; NULL for None.  For arguments of functions."""
    return NULL if value is None else c_string(value)


class Options:
    """An options struct with its size set, which keeps its strings alive."""

    def __init__(self, type_name: str, /, **members: Any) -> None:
        self.struct = ffi.new(type_name + " *")
        self._kept: list[Any] = []
        self.struct.size = ffi.sizeof(type_name)
        for member, value in members.items():
            if value is not None:
                setattr(self.struct, member, self.keep(value) if isinstance(value, str) else value)

    def keep(self, value: str) -> Any:
        pointer = ffi.new("char[]", c_string(value))
        self._kept.append(pointer)
        return pointer

    def strings(self, values: Optional[Sequence[str]]) -> Any:
        """A NULL-terminated array; NULL for None."""
        if values is None:
            return NULL
        array = ffi.new("char *[]", [self.keep(value) for value in values] + [NULL])
        self._kept.append(array)
        return array


def split_key(key: Union[str, Tuple[str, str]]) -> Tuple[str, str]:
    """"ns/name" or "name" as namespace and name; pairs are left as they are."""
    if isinstance(key, tuple):
        return key
    namespace, slash, name = key.rpartition("/")
    return namespace, name
