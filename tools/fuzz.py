#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz.py -- run every libFuzzer target of a build for a while, some at a time; a row a target.

Inputs that were found and the reproducers of crashes stay in <build>/corpus and <build>/findings.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from addresses import fixed_addresses

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "tests" / "fuzz" / "corpus"
DICTIONARIES = ROOT / "tests" / "fuzz"  # <target>.dict, or else json.dict
SHOWN_LINES = 60  # of a target that fails: the report of the sanitizer


def fuzz(program, build, seconds):
    """Runs one target; returns the finished process and how long it took."""
    own = build / "corpus" / program.name
    findings = build / "findings" / program.name
    own.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    dictionary = DICTIONARIES / f"{program.name}.dict"
    if not dictionary.exists():
        dictionary = DICTIONARIES / "json.dict"
    command = [program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
               "-max_len=16384", "-print_final_stats=1", f"-artifact_prefix={findings}/",
               f"-dict={dictionary}", own]
    seeds = SEEDS / program.name
    if seeds.is_dir():
        command.append(seeds)
    command = fixed_addresses() + command
    env = dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
               ASAN_OPTIONS="detect_leaks=1")
    symbolizer = Path("/usr/bin/llvm-symbolizer-14")
    if symbolizer.exists():
        env["ASAN_SYMBOLIZER_PATH"] = str(symbolizer)
    begun = time.monotonic()
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    return done, time.monotonic() - begun


def last(pattern, text):
    found = re.findall(pattern, text)
    return found[-1] if found else "-"


def main():
    parser = argparse.ArgumentParser(description="run all fuzz targets")
    parser.add_argument("--build", type=Path, default=ROOT / "build-fuzz")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", help="only this target (may be repeated)")
    args = parser.parse_args()

    folder = args.build / "tests" / "fuzz"
    programs = sorted(p.resolve() for p in folder.glob("fuzz_*") if p.is_file())
    if args.only:
        programs = [p for p in programs if p.name in args.only]
    if not programs:
        print(f"no fuzz targets in {folder}", file=sys.stderr)
        return 1

    print(f"{'target':22} {'seconds':>8} {'execs':>11} {'execs/s':>9} {'cov':>6} result", flush=True)
    failed = []
    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        runs = {pool.submit(fuzz, p, args.build.resolve(), args.seconds): p for p in programs}
        for run in as_completed(runs):
            name = runs[run].name
            done, seconds = run.result()
            execs = last(r"stat::number_of_executed_units:\s+(\d+)", done.stdout)
            rate = last(r"stat::average_exec_per_sec:\s+(\d+)", done.stdout)
            coverage = last(r"\bcov: (\d+)", done.stdout)
            result = "clean" if done.returncode == 0 else f"FAILED ({done.returncode})"
            print(f"{name:22} {seconds:8.0f} {execs:>11} {rate:>9} {coverage:>6} {result}",
                  flush=True)
            if done.returncode != 0:
                failed.append((name, done.stdout))

    for name, text in failed:
        print(f"\n---- {name}: reproducers in {args.build}/findings/{name}")
        at = max(text.find("ERROR: "), 0) or text.find("runtime error")
        print("\n".join(text[max(at, 0):].splitlines()[:SHOWN_LINES]))
    print(f"\n{len(programs) - len(failed)} clean, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
