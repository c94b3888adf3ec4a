#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reach.py -- what a tree of mirrors with many watchers would do; figures of docs/internals/reach.md.

    reach.py [--watchers N] [--levels 2,30,1000] [--rate N] [--seconds N] [--seed N]
             [--client listwatch|client-go] [--cores N] [--deliver-us N]"""

import argparse

from simulator import Costs, Simulation, Tree


def simulate(options, seed, fault=None, is_silent=False):
    """One run; |fault| chooses the mirror that is lost in its middle."""
    tree = Tree(tuple(int(word) for word in options.levels.split(",")), options.watchers,
                options.cores, client=options.client)
    run = Simulation(tree, Costs(deliver_s=options.deliver_us / 1e6), options.rate, seed)
    if fault:
        run.at(options.seconds / 2, lambda: run.lose(fault(run), is_silent))
    run.run(options.seconds)
    return run


def print_needs(run):
    for level, count, cores, most, sent, memory in run.needs():
        name = "upstream" if level == 0 else f"level {level}"
        print(f"  {name:9} {count:5} servers: {cores:7.2f} cores in all, {most:5.2f} at most in one; "
              f"{sent / 1e6:8.1f} MB/s sent; {memory / 1e6:6.1f} MB each, without objects")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--watchers", type=int, default=1_000_000)
    parser.add_argument("--levels", default="2,30,1000")
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cores", type=float, default=4)
    parser.add_argument("--deliver-us", type=float, default=8.6)
    parser.add_argument("--client", choices=("listwatch", "client-go"), default="listwatch")
    options = parser.parse_args()
    run = simulate(options, options.seed)
    print(f"{options.watchers} watchers, mirrors per level {options.levels}, {options.rate:g} "
          f"changes/s, {options.cores:g} cores each, {options.seconds:g} s")
    print_needs(run)
    print(f"  lag: {run.lags}")
    for name, fault in (("a leaf", lambda run: run.levels[-1][0]),
                        ("a mid-level mirror", lambda run: run.levels[-2][0]),
                        ("a root", lambda run: run.levels[1][0])):
        for is_silent in (False, True):
            run = simulate(options, options.seed, fault, is_silent)
            print(f"{name} is {'switched off' if is_silent else 'killed'}: "
                  f"{run.recoveries.count} mirrors recover in {run.recoveries}; "
                  f"{run.watcher_recoveries.count:.0f} watchers are behind for "
                  f"{run.watcher_recoveries}; at most {run.most_opens()} watches opened in a second "
                  "at one server")


if __name__ == "__main__":
    main()
