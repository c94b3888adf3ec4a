#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""etcd_shared_test.py -- objects cross from liblistwatch-etcd.so to liblistwatch.so and are freed
there by the allocator that made them.

    etcd_shared_test.py PROGRAM     (etcd-shared)"""

from etcd import Cluster, etcd_is_missing
from serving import Follower, run_tests


def objects_of_one_library_are_freed_by_the_other(program):
    if etcd_is_missing():
        return etcd_is_missing()
    with Cluster() as etcd:
        for number in range(700):
            etcd.put(f"/app/{number}", '{"metadata": {"labels": {"a": "b"}}}' if number % 2 else "text")
        etcd.put("/app/hidden", '{"metadata": {"labels": {"hidden": "yes"}}}')
        run = Follower([program, etcd.url(), "/app/"])
        try:
            assert run.finish() == 0, run.told()
            assert run.lines == ["700 objects", "0 blocks"], run.lines
        finally:
            run.kill()
    return None


run_tests([objects_of_one_library_are_freed_by_the_other])
