#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simulator_test.py -- the simulator of tests/reach: small trees whose results are known."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from serving import run_tests  # noqa: E402
from simulator import ANSWER_S, PROBE_S, Costs, Histogram, Simulation, Tree  # noqa: E402

SMALL = Tree((2, 4, 8), 800)


def lose(run, node, is_silent=False):
    run.at(2.0, lambda: run.lose(node, is_silent))
    run.run(5)
    return run


def the_same_seed_gives_the_same_run(_):
    results = []
    for seed in (7, 7, 8):
        run = Simulation(SMALL, seed=seed)
        lose(run, run.levels[2][0])
        results.append((run.lags.buckets, run.recoveries.buckets, len(run.made_at)))
    assert results[0] == results[1], results
    assert results[0] != results[2], "the seed decides nothing"


def everybody_gets_every_change(_):
    run = Simulation(SMALL)
    run.run(5)
    changes = len(run.made_at) - 1
    assert changes > 20, changes
    assert round(run.lags.count) == changes * 800, (run.lags.count, changes)
    assert {node.revision for node in run.mirrors()} == {changes}


def lag_without_load_is_the_way_down(_):
    """Four hops of 1 to 2 ms, and the CPU time of each level."""
    costs = Costs(deliver_s=0, apply_s=0, latency_s=0.001)
    run = Simulation(SMALL, costs, rate=1)
    run.run(20)
    assert 0.004 <= run.lags.share(.01) and run.lags.max <= 0.008, str(run.lags)


def a_leaf_that_has_too_much_work_falls_behind(_):
    costs = Costs(deliver_s=0.001)  # 100 watchers on 4 cores: 25 ms for each change
    calm, busy = Simulation(SMALL, costs, rate=5), Simulation(SMALL, costs, rate=80)
    calm.run(5)
    busy.run(5)
    assert calm.lags.share(.99) < 0.2 < 2 < busy.lags.share(.99), (str(calm.lags), str(busy.lags))


def mirrors_below_a_killed_mid_level_mirror_move(_):
    run = Simulation(SMALL)
    lost = run.levels[2][0]
    lose(run, lost)
    assert run.recoveries.count == 2, run.recoveries.count  # its leaves
    assert 0.1 <= run.recoveries.share(0) and run.recoveries.max < 0.2, str(run.recoveries)
    assert run.watcher_recoveries.count == 200, run.watcher_recoveries.count
    assert all(leaf.at not in (None, lost) for leaf in run.levels[-1])
    assert {leaf.revision for leaf in run.levels[-1]} == {len(run.made_at) - 1}


def a_mirror_that_is_switched_off_is_found_by_the_probe(_):
    run = Simulation(SMALL)
    lose(run, run.levels[1][0], is_silent=True)
    assert run.recoveries.count == 2, run.recoveries.count
    assert ANSWER_S < run.recoveries.max < PROBE_S + ANSWER_S + 0.5, str(run.recoveries)
    assert {leaf.revision for leaf in run.levels[-1]} == {len(run.made_at) - 1}


def watchers_of_a_killed_leaf_spread_over_the_others(_):
    run = Simulation(SMALL)
    lose(run, run.levels[-1][0])
    left = [leaf.watchers for leaf in run.levels[-1]]
    assert left[0] == 0 and sum(left) == 800 and max(left) < 140, left
    assert run.watcher_recoveries.count == 100 and run.watcher_recoveries.max < 3


def quantiles_are_those_of_the_values(_):
    histogram = Histogram()
    for i in range(1, 1001):
        histogram.add(i / 1000)
    assert abs(histogram.share(.5) - 0.5) < 0.02 and abs(histogram.share(.99) - 0.99) < 0.03
    assert histogram.max == 1.0


run_tests([
    the_same_seed_gives_the_same_run,
    everybody_gets_every_change,
    lag_without_load_is_the_way_down,
    a_leaf_that_has_too_much_work_falls_behind,
    mirrors_below_a_killed_mid_level_mirror_move,
    a_mirror_that_is_switched_off_is_found_by_the_probe,
    watchers_of_a_killed_leaf_spread_over_the_others,
    quantiles_are_those_of_the_values,
])
