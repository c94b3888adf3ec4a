# SPDX-License-Identifier: Apache-2.0
"""Errors as exceptions."""

from __future__ import annotations

from typing import Any, Dict, Type


class LibraryNotFound(ImportError):
    """liblistwatch.so.0 cannot be loaded."""


class Error(Exception):
    """A call has failed.

    message       one sentence for people
    code          status of the library, e.g. -5 (LW_ERR_NOT_FOUND)
    status        HTTP status of the response; 0 if no server was involved
    reason        reason of the Kubernetes Status, e.g. "NotFound"; may be ""
    retriable     the same call may succeed later
    retry_after   seconds that the server asked to wait; 0 if it did not
    """

    def __init__(self, message: str, code: int = -19, status: int = 0, reason: str = "",
                 retriable: bool = False, retry_after: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.reason = reason
        self.retriable = retriable
        self.retry_after = retry_after


class Invalid(Error):
    """An argument, option or field has an invalid value, or a document is malformed."""


class LimitExceeded(Error):
    """A size, depth or count is above its limit."""


class NotFound(Error):
    """The object, resource, index or file does not exist."""


class AlreadyExists(Error):
    """The object already exists."""


class Conflict(Error):
    """The object was changed by another client, or another manager owns a field."""


class Expired(Error):
    """The revision has been compacted (410); list again."""


class Unauthorized(Error):
    """There are no credentials, or the server did not accept them."""


class Forbidden(Error):
    """The caller is authenticated, but not authorized."""


class TooManyRequests(Error):
    """The request was throttled (429); see retry_after."""


class Timeout(Error, TimeoutError):
    """There was no response in time."""


class Unavailable(Error):
    """The server cannot be reached, or is not ready."""


class Stopped(Error):
    """The client or the informer was closed."""


_CLASSES: Dict[int, Type[Error]] = {
    -2: Invalid, -3: Invalid, -4: LimitExceeded, -5: NotFound, -6: AlreadyExists, -7: Conflict,
    -8: Expired, -9: Unauthorized, -10: Forbidden, -11: TooManyRequests, -12: Timeout,
    -13: Unavailable, -17: Stopped,
}


def from_struct(code: int, error: Any) -> Exception:
    """The exception for the status |code| and an lw_error."""
    from ._ffi import lib, text

    if code == -1:
        return MemoryError("listwatch: an allocation failed")
    message = text(error.message) or text(lib.lw_status_name(code))
    return _CLASSES.get(code, Error)(message, code, error.http_status, text(error.reason),
                                     bool(error.retriable), error.retry_after_s)


def check(code: int, error: Any) -> None:
    """Raises the exception of a negative status; |error| is an lw_error pointer."""
    if code < 0:
        raise from_struct(code, error[0])
