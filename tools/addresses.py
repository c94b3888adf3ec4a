# SPDX-License-Identifier: Apache-2.0
"""addresses.py -- run sanitized programs without address randomisation."""

import subprocess


def fixed_addresses():
    """What to put before a command: the sanitizers of gcc 12 and clang 14 cannot cope with the 32
    random bits of newer kernels.  Containers may forbid the change; then go without."""
    prefix = ["setarch", "-R"]
    try:
        tried = subprocess.run(prefix + ["true"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return []
    return prefix if tried.returncode == 0 else []
