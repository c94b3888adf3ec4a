#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plots.py -- measures listwatch beside its peers, and draws the figures.

    plots.py measure --build FOLDER --interop FOLDER [--pods N,N,...] [--client-go PROGRAM] [--quick]
    plots.py draw
    plots.py check

measure writes figures.json.  draw makes the pictures and the figures in the pages from that file
alone, so that they cannot differ from it: check fails when they do."""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import machine  # noqa: E402
from output import outputs, stale  # noqa: E402

ROOT = HERE.parents[2]
FIGURES = "docs/pictures/plots/figures.json"


def note(text):
    print(f"plots: {text}", flush=True)


def measure(args):
    import client_figures
    import python_figures
    import server_figures
    sizes = [int(size) for size in args.pods.split(",")]
    build, interop = args.build.resolve(), args.interop.resolve()
    others = machine.Others()
    figures = {"client": client_figures.measure(build, sizes, args.client_go, note),
               "python": python_figures.measure(build, note),
               "server": server_figures.measure(build, interop, args.quick, note)}
    figures = {"commit": machine.commit(ROOT), "date": machine.today(),
               "machine": machine.describe(others), **figures}
    path = ROOT / FIGURES
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=1) + "\n")
    note(f"figures are in {path}")


def draw(_):
    for path, text in outputs(ROOT, FIGURES).items():
        path.write_text(text)


def check(_):
    found = stale(ROOT, FIGURES)
    for name in found:
        print(f"{name} is not what {FIGURES} gives: run `make plots-draw`")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser()
    steps = parser.add_subparsers(dest="step", required=True)
    measuring = steps.add_parser("measure")
    measuring.add_argument("--build", type=Path, required=True)
    measuring.add_argument("--interop", type=Path, required=True)
    measuring.add_argument("--pods", default="1000,10000,100000")
    measuring.add_argument("--client-go", default="")
    measuring.add_argument("--quick", action="store_true")
    measuring.set_defaults(run=measure)
    steps.add_parser("draw").set_defaults(run=draw)
    steps.add_parser("check").set_defaults(run=check)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
