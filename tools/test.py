#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test.py -- `make test`: builds all variants, runs all suites, and prints one summary.

Each stage is a build folder with its compiler and sanitizers, and the suites that are run in it.
Stages that need more than the packages of `make deps` are run only when they are asked for.
A failed build counts as a failure, and so does a stage that finds no test to run: a check that
cannot fail is useless.  The last line is `N passed, N failed`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from addresses import fixed_addresses

ROOT = Path(__file__).resolve().parent.parent
CROSS = ROOT / "tools" / "cross" / "aarch64-linux-gnu.ini"
COMMON = ["-Dwerror=true", "-Dtests=enabled"]
SHOWN_LINES = 200  # of a failed build; the cause is at the end


@dataclass
class Stage:
    name: str
    folder: str  # appended to --build
    why: str
    options: list
    cc: str
    targets: list = field(default_factory=lambda: ["all", "meson-test-prereq"])
    suites: list = field(default_factory=list)  # none: all of them
    without: list = field(default_factory=list)
    needed: list = field(default_factory=list)  # of all suites: what must be among them
    setup: list = field(default_factory=list)  # what only `meson setup` takes
    linker: str = ""  # instead of the compiler's own
    patience: int = 6  # times the time a test may take
    is_extra: bool = False  # not part of `make test`


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def stages():
    own_cc = os.environ.get("CC", "gcc")
    # Hundreds of programs are linked, which takes the usual linker a third of the time of a build.
    quick_linker = "gold" if shutil.which("ld.gold") else ""
    quick = ["-Doptimization=1", "-Dc_args=-g1"]  # fast to build; reports still have line numbers
    sanitized = quick + ["-Db_lundef=false"]
    address = sanitized + ["-Db_sanitize=address,undefined", "-Dfuzz=true", "-Dbench=disabled"]
    # No -Werror: with TSan, gcc reports false positives.
    thread = sanitized + ["-Db_sanitize=thread", "-Dwerror=false", "-Dbench=disabled"]
    return [
        Stage("gcc", "", "all tests and the source checks", ["-Dbench=enabled"], own_cc,
              linker=quick_linker),
        Stage("clang", "-clang", "second compiler, ASan, UBSan and libFuzzer", address,
              "clang-14", without=["lint", "bench", "install", "slow"],
              needed=["libfuzzer", "sanitizer"], linker="lld"),
        Stage("tsan", "-tsan", "TSan for the tests with threads", thread, own_cc,
              targets=["thread-tests", "tests/sanitizer/planted"], suites=["thread", "sanitizer"],
              linker=quick_linker),
        Stage("arm64", "-arm64", "arm64 under qemu", ["-Dbench=disabled"],
              "aarch64-linux-gnu-gcc", setup=["--cross-file", str(CROSS)],
              suites=["unit", "thread", "oom", "fuzz", "e2e", "bench"], patience=30,
              is_extra=True),
    ]


def run(command, env=None):
    """Runs |command| in the root; returns its exit code and its output."""
    done = subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    return done.returncode, done.stdout


def show(title, text):
    print(f"\n---- {title}")
    lines = text.rstrip().splitlines()
    if len(lines) > SHOWN_LINES:
        print(f"(the last {SHOWN_LINES} of {len(lines)} lines)")
    print("\n".join(lines[-SHOWN_LINES:]))
    print("----\n", flush=True)


def configure(stage, folder):
    """Sets up the build directory, or changes its options if they differ from those of the stage."""
    options = COMMON + stage.options
    stamp = folder / ".options"
    wanted = "\n".join([stage.cc] + options)
    env = dict(os.environ, CC=stage.cc)
    if stage.linker:
        env["CC_LD"] = stage.linker
    if not (folder / "build.ninja").exists():
        shutil.rmtree(folder / "meson-private", ignore_errors=True)
        code, text = run(["meson", "setup", str(folder)] + stage.setup + options, env)
    elif stamp.exists() and stamp.read_text() == wanted:
        return 0, ""
    elif stamp.exists() and stamp.read_text().split("\n")[0] != stage.cc:
        code, text = run(["meson", "setup", "--wipe", str(folder)] + options, env)
    else:
        code, text = run(["meson", "configure", str(folder)] + options, env)
    if code == 0:
        stamp.write_text(wanted)
    return code, text


def test_env():
    env = dict(os.environ)
    env["ASAN_OPTIONS"] = "detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1"
    env["LSAN_OPTIONS"] = f"suppressions={ROOT / 'tests' / 'sanitizer' / 'leaks.txt'}"
    env["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    env["TSAN_OPTIONS"] = ("halt_on_error=1:second_deadlock_stack=1:suppressions="
                           f"{ROOT / 'tests' / 'sanitizer' / 'races.txt'}")
    return env


TAP_LINE = re.compile(r"^(not )?ok\b(.*)$", re.MULTILINE)


def is_only_skipped(entry, tally):
    """cmocka reports a skipped test as "not ok # SKIP", which meson takes for a failure."""
    return (entry["result"] == "FAIL" and entry["returncode"] == 0
            and tally.skipped > 0 and tally.failed == 0)


def count(entry):
    """The tally of one program: its TAP lines, or itself when it prints none."""
    tally = Tally()
    for line in TAP_LINE.finditer(entry.get("stdout") or ""):
        if re.search(r"#\s*SKIP\b", line.group(2), re.IGNORECASE):
            tally.skipped += 1
        elif line.group(1):
            tally.failed += 1
        else:
            tally.passed += 1
    result = entry["result"]
    if is_only_skipped(entry, tally):
        result = "OK"
    if result == "SKIP" and tally == Tally():
        tally.skipped = 1
    elif result not in ("OK", "EXPECTEDFAIL", "SKIP"):
        # A crash or a timeout after the last TAP line counts as a failure.
        tally.failed = max(tally.failed, 1)
    elif tally == Tally():
        tally.passed = 1
    return tally


def suites_of(entry):
    """Meson logs a test as `project:suite+suite / name`."""
    return entry["name"].split(" / ")[0].split(":", 1)[-1].split("+")


def tell_runs(entries):
    """Prints one line per fuzz target with the number of executions."""
    lines = sorted(line.group(0) for entry in entries if "libfuzzer" in suites_of(entry)
                   for line in TAP_LINE.finditer(entry.get("stdout") or ""))
    if lines:
        print("", *lines, "", sep="\n", end="", flush=True)


def run_suites(stage, folder, jobs):
    log = folder / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    # More processes than CPUs: many tests wait for timeouts and other programs.
    command = ["meson", "test", "-C", str(folder), "--num-processes", str(2 * jobs),
               "--timeout-multiplier", str(stage.patience), "--no-rebuild"]
    for suite in stage.suites:
        command += ["--suite", suite]
    for suite in stage.without:
        command += ["--no-suite", suite]
    code, text = run(fixed_addresses() + command, test_env())

    tally, excused = Tally(), False
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    for entry in entries:
        counted = count(entry)
        tally.add(counted)
        excused = excused or is_only_skipped(entry, counted)
        if counted.failed:
            said = (entry.get("stdout") or "") + (entry.get("stderr") or "")
            show(f"{stage.name}: {entry['name']}: {entry['result']}", said or "(no output)")
    tell_runs(entries)
    for suite in stage.suites + stage.needed:
        if not any(suite in suites_of(entry) for entry in entries):
            show(stage.name, f"no test of suite {suite} was run")
            tally.failed += 1
    if not entries or (code != 0 and tally.failed == 0 and not excused):
        show(f"{stage.name}: the tests could not be run", text)
        tally.failed += 1
    return tally


@dataclass
class Built:
    folder: Path
    seconds: float
    failure: tuple = None  # the step that failed, and what it said


def build_stage(stage, args):
    """Prints nothing: the tests of the previous stage may still be running."""
    begun = time.monotonic()
    folder = ROOT / (args.build + stage.folder)
    ninja = ["ninja", "--quiet", "-C", str(folder), "-j", str(args.jobs)] + stage.targets
    built = Built(folder, 0)
    for name, step in [("configure", lambda: configure(stage, folder)),
                       ("build", lambda: run(ninja))]:
        code, text = step()
        if code != 0:
            built.failure = (name, text)
            break
    built.seconds = time.monotonic() - begun
    return built


def test_stage(stage, built, jobs):
    if built.failure:
        name, text = built.failure
        show(f"{stage.name}: {name} failed", text)
        return Tally(failed=1)
    return run_suites(stage, built.folder, jobs)


def main():
    parser = argparse.ArgumentParser(description="build and test all variants")
    parser.add_argument("--build", default="build", help="build folder, and prefix of the others")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--stage", action="append", help="run only this stage (may be repeated)")
    args = parser.parse_args()

    chosen = [s for s in stages() if (s.name in args.stage if args.stage else not s.is_extra)]
    if not chosen:
        parser.error("unknown stage; the stages are " + ", ".join(s.name for s in stages()))

    total, rows = Tally(), []
    # The next stage is built while a stage is tested: tests spend much time waiting.
    with ThreadPoolExecutor(max_workers=1) as builder:
        builds = [builder.submit(build_stage, stage, args) for stage in chosen]
        for stage, build in zip(chosen, builds):
            print(f"{stage.name:6} {stage.why} ...", end="", flush=True)
            built = build.result()
            begun = time.monotonic()
            tally = test_stage(stage, built, args.jobs)
            seconds = time.monotonic() - begun
            print(f" built in {built.seconds:.0f} s, tested in {seconds:.0f} s", flush=True)
            rows.append((stage.name, built.seconds, seconds, tally))
            total.add(tally)

    print(f"\n{'stage':6} {'build s':>8} {'test s':>8} {'passed':>7} {'failed':>7} {'skipped':>8}")
    for name, build_s, test_s, tally in rows:
        print(f"{name:6} {build_s:8.1f} {test_s:8.1f} {tally.passed:7} {tally.failed:7} "
              f"{tally.skipped:8}")
    skipped = f", {total.skipped} skipped" if total.skipped else ""
    print(f"\n{total.passed} passed, {total.failed} failed{skipped}")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
