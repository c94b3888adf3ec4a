# SPDX-License-Identifier: Apache-2.0
"""fields_mistake.py -- what is wrong in a .fields file."""


class Mistake(Exception):
    """A mistake in a .fields file, with the file and the line."""

    def __init__(self, where, text):
        super().__init__(f"{where}: {text}")
