# SPDX-License-Identifier: Apache-2.0
"""Kubernetes informers, listers, requests and reconcilers, on the C library listwatch."""

from .client import AsyncClient, Client
from .errors import (AlreadyExists, Conflict, Error, Expired, Forbidden, Invalid, LibraryNotFound,
                     LimitExceeded, NotFound, Stopped, Timeout, TooManyRequests, Unauthorized,
                     Unavailable)
from .informer import Event, Informer
from .objects import ListView, MapView, Object
from .reconciler import Reconciler, Request, reconciler
from ._ffi import lib as _lib, text as _text

__version__ = "0.1.0"
library_version: str = _text(_lib.lw_version())

__all__ = ["AlreadyExists", "AsyncClient", "Client", "Conflict", "Error", "Event", "Expired",
           "Forbidden", "Informer", "Invalid", "LibraryNotFound", "LimitExceeded", "ListView",
           "MapView", "NotFound", "Object", "Reconciler", "Request", "Stopped", "Timeout",
           "TooManyRequests", "Unauthorized", "Unavailable", "library_version", "reconciler"]
