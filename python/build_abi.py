# SPDX-License-Identifier: Apache-2.0
"""Makes listwatch/_abi.py: the parsed declarations, so that the package needs no parser when it is
imported, and no compiler at all (cffi, out-of-line ABI mode)."""

import os
import runpy

from cffi import FFI

HERE = os.path.dirname(os.path.abspath(__file__))
declarations = runpy.run_path(os.path.join(HERE, "listwatch", "_cdef.py"))

ffi = FFI()
ffi.set_source("listwatch._abi", None)
ffi.cdef(declarations["TYPES"] + declarations["FUNCTIONS"])

if __name__ == "__main__":
    ffi.compile(tmpdir=HERE)
