# SPDX-License-Identifier: Apache-2.0
"""addresses.py -- runs sanitized programs without address space randomisation."""

import subprocess


def fixed_addresses():
    """The prefix of a command: the sanitizers of gcc 12 and clang 14 do not work with the 32 random
    bits of newer kernels.  Containers may forbid the change; then there is no prefix."""
    prefix = ["setarch", "-R"]
    try:
        tried = subprocess.run(prefix + ["true"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return []
    return prefix if tried.returncode == 0 else []
