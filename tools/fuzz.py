#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz.py -- run libFuzzer targets: all of a build for a while (`make fuzz`), or one of them a fixed
number of times (`make test`).

    fuzz.py [--build FOLDER] [--seconds N] [--jobs N] [--only TARGET]
    fuzz.py --test PROGRAM --runs N [--is-planted] [--build FOLDER]

The first prints one row per target.  The second prints TAP; its random seed is fixed, so that the
result depends on the program and its corpus only, and not on the speed of the machine.
Inputs that reach new code stay in <build>/corpus and are used by the next run; the reproducers of
crashes stay in <build>/findings.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from addresses import fixed_addresses

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "tests" / "fuzz" / "corpus"
DICTIONARIES = ROOT / "tests" / "fuzz"  # <target>.dict, or else json.dict
SHOWN_LINES = 60  # of a failed target: the report of the sanitizer
OWN_LINES = 4  # and the last output of the target
LIBFUZZER_LINE = re.compile(r"#\d+\s|INFO: |Dictionary: |NEW_FUNC|==\d+==")
EXIT_FAULT = 77  # of libFuzzer
TEST_SECONDS = 60  # maximum, for very slow machines


def corpora(name, build):
    """The directories with inputs; new inputs are added to the first."""
    own = build / "corpus" / name
    own.mkdir(parents=True, exist_ok=True)
    seeds = SEEDS / name
    return [own, seeds] if seeds.is_dir() else [own]


def fuzz(program, build, limits):
    """Runs one target; returns the finished process and how long it took."""
    findings = build / "findings" / program.name
    findings.mkdir(parents=True, exist_ok=True)
    dictionary = DICTIONARIES / f"{program.name}.dict"
    if not dictionary.exists():
        dictionary = DICTIONARIES / "json.dict"
    command = [program, "-timeout=10", "-rss_limit_mb=2048", "-max_len=16384",
               "-print_final_stats=1", f"-artifact_prefix={findings}/", f"-dict={dictionary}"]
    command = fixed_addresses() + command + limits + corpora(program.name, build)
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


def executions(text):
    return last(r"stat::number_of_executed_units:\s+(\d+)", text)


def report(text):
    """The last output of the target, and the report of libFuzzer or a sanitizer."""
    at = max(text.find("ERROR: "), 0) or max(text.find("runtime error"), 0)
    said = [line for line in text[:at].splitlines() if not LIBFUZZER_LINE.match(line)]
    return said[-OWN_LINES:] + text[at:].splitlines()[:SHOWN_LINES]


def fuzz_runs(program, build, runs):
    """Runs |program| on its corpus and on |runs| further inputs."""
    known = sum(1 for folder in corpora(program.name, build) for entry in folder.iterdir()
                if entry.is_file())
    limits = [f"-runs={known + runs}", "-seed=1", f"-max_total_time={TEST_SECONDS}"]
    return fuzz(program, build, limits)


def test_one(program, build, runs):
    done, seconds = fuzz_runs(program, build, runs)
    print("1..1")
    if done.returncode == 0:
        added = last(r"stat::new_units_added:\s+(\d+)", done.stdout)
        print(f"ok 1 - {program.name}: {executions(done.stdout)} executions, {added} new inputs")
        print(f"# {seconds:.1f} s")
        return 0
    print(f"not ok 1 - {program.name}: exit code {done.returncode}, "
          f"reproducers in {build / 'findings' / program.name}")
    for line in report(done.stdout):
        print(f"# {line}")
    return 1


def test_planted(program, build, runs):
    """Runs a target with a planted fault that must be found.  Without coverage instrumentation, the
    other targets would find nothing either."""
    shutil.rmtree(build / "corpus" / program.name, ignore_errors=True)
    shutil.rmtree(build / "findings" / program.name, ignore_errors=True)
    done, _ = fuzz_runs(program, build, runs)
    found = any((build / "findings" / program.name).glob("crash-*"))
    is_good = done.returncode == EXIT_FAULT and found
    print(f"1..1\n{'' if is_good else 'not '}ok 1 - the planted fault is found within {runs} runs "
          f"({executions(done.stdout)} executions)")
    return 0 if is_good else 1


def fuzz_all(programs, build, seconds, jobs):
    print(f"{'target':22} {'seconds':>8} {'execs':>11} {'execs/s':>9} {'cov':>6} result", flush=True)
    failed = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        limits = [f"-max_total_time={seconds}"]
        runs = {pool.submit(fuzz, p, build, limits): p for p in programs}
        for run in as_completed(runs):
            name = runs[run].name
            done, taken = run.result()
            rate = last(r"stat::average_exec_per_sec:\s+(\d+)", done.stdout)
            coverage = last(r"\bcov: (\d+)", done.stdout)
            result = "clean" if done.returncode == 0 else f"FAILED ({done.returncode})"
            print(f"{name:22} {taken:8.0f} {executions(done.stdout):>11} {rate:>9} {coverage:>6} "
                  f"{result}", flush=True)
            if done.returncode != 0:
                failed.append((name, done.stdout))

    for name, text in failed:
        print(f"\n---- {name}: reproducers in {build}/findings/{name}")
        print("\n".join(report(text)))
    print(f"\n{len(programs) - len(failed)} clean, {len(failed)} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="run fuzz targets")
    parser.add_argument("--build", type=Path, default=ROOT / "build-fuzz")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", help="only this target (may be repeated)")
    parser.add_argument("--test", type=Path, metavar="PROGRAM", help="run this target as a test")
    parser.add_argument("--runs", type=int, help="with --test: number of inputs beyond the corpus")
    parser.add_argument("--is-planted", action="store_true",
                        help="with --test: the target must find a fault")
    args = parser.parse_args()
    build = args.build.resolve()
    if args.test:
        if args.runs is None:
            parser.error("--test needs --runs")
        test = test_planted if args.is_planted else test_one
        return test(args.test.resolve(), build, args.runs)

    folder = build / "tests" / "fuzz"
    programs = sorted(p.resolve() for p in folder.glob("fuzz_*") if p.is_file())
    if args.only:
        programs = [p for p in programs if p.name in args.only]
    if not programs:
        print(f"no fuzz targets in {folder}", file=sys.stderr)
        return 1
    return fuzz_all(programs, build, args.seconds, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
