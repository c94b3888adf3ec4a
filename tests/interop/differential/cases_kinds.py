# SPDX-License-Identifier: Apache-2.0
"""cases_kinds.py -- every change and every fault that kinds.py knows, one by one: made with it, and
changed to it; what a kind fills in, and what it will not have and why."""

from differential.kinds import KINDS
from differential.step import delete, merge, merged, post

NAME = "one"


def case_of(kind):
    def case():
        for change in [{}] + kind.changes + kind.faults:
            yield post(kind.path + "?dryRun=All", merged(kind.document(NAME), change))
        yield post(kind.path, kind.document(NAME))
        for change in kind.changes + kind.faults:
            yield merge(f"{kind.path}/{NAME}?dryRun=All", change)
        if kind.status:
            yield merge(f"{kind.path}/{NAME}/status", kind.status)
        yield delete(f"{kind.path}/{NAME}")
    case.__name__ = f"all_of_{kind.path.rpartition('/')[2]}"
    return case


KIND_CASES = [case_of(kind) for kind in KINDS]
