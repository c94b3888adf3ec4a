# SPDX-License-Identifier: Apache-2.0
"""excuses.py -- the differences that are there on purpose, by name; docs/differences.md says why.

|strip| takes what is excused out of an answer, at both sides; |covers| looks at both answers.  What
no excuse takes away is a failure, and so is an excuse that the page does not list."""

import copy


class Excuse:
    def __init__(self, name, strip=None, covers=None):
        self.name = name
        self.strip = strip
        self.covers = covers
        self.is_used = False


def without_allow_header(step, answer):
    return answer


EXCUSES = [
]
