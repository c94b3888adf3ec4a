#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""front_door_test.py -- what `make deps` and `make test` promise: deps.sh against a machine made of
fake programs, and the counting of test.py."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "checks")]
import test as runner  # noqa: E402
from check import Tap  # noqa: E402

REAL = ["sh", "sed", "tr", "sort", "env", "mktemp", "rm", "cat", "true"]
LIBRARIES = {"libcurl4-openssl-dev", "libyaml-dev", "liblmdb-dev", "libnghttp2-dev",
             "libprotobuf-c-dev", "libssl-dev", "libwslay-dev", "zlib1g-dev"}
BUILD = {"gcc", "libc6-dev", "meson:all", "ninja-build", "pkgconf",
         "protobuf-c-compiler"} | LIBRARIES
ARM64 = {"gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross:all", "qemu-user", "libcmocka-dev:arm64"}
ARM64 |= {name + ":arm64" for name in LIBRARIES}


def machine(folder, installed, uid, has_dpkg=True, has_sudo=False, apt="exit 0", native="amd64"):
    """Fills |folder| with the programs of a made-up machine; apt-get writes down how it is called."""
    for name in REAL:
        where = next(Path(p) / name for p in os.defpath.split(":") if (Path(p) / name).exists())
        (folder / name).symlink_to(where)
    packages = "\n".join(f"echo 'installed {name if ':' in name else name + ':amd64'}'"
                         for name in sorted(installed))
    fakes = {"id": f"echo {uid}", "apt-get": f'echo "$0 $*" >>"{folder}/calls"\n{apt}'}
    if has_dpkg:
        # The real one fails when it does not know one of the names.
        fakes["dpkg-query"] = f"{packages}\nexit 1"
        fakes["dpkg"] = f"echo {native}"
    if has_sudo:
        fakes["sudo"] = 'shift\nexec "$@"'
    for name, body in fakes.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


def deps(groups, *args, **options):
    """Exit code and words of deps.sh there, and the calls of apt-get."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        machine(folder, *args, **options)
        done = subprocess.run([folder / "sh", ROOT / "tools" / "deps.sh"] + groups,
                              env={"PATH": scratch}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        calls = folder / "calls"
        return (done.returncode, done.stdout,
                calls.read_text().replace(f"{scratch}/", "").splitlines() if calls.exists() else [])


def test_deps(tap):
    code, said, calls = deps(["build"], BUILD, 1000)
    tap.report((code, said, calls) == (0, "", []), "does nothing, silently, when all is there",
               [code, said, calls])

    code, said, calls = deps(["build"], BUILD - {"meson:all"}, 1000)
    wanted = "    apt-get update && apt-get install -y --no-install-recommends meson\n"
    tap.report(code == 1 and wanted in said and not calls,
               "says exactly what to run when it is not root", [code, said, calls])

    code, said, calls = deps(["build"], BUILD - {"meson:all", "pkgconf"}, 0)
    tap.report(code == 0 and len(calls) == 2 and calls[0].endswith(" update")
               and calls[1].endswith("install --no-install-recommends meson pkg-config"),
               "as root updates once and installs what is missing", [code, said, calls])

    code, said, calls = deps(["build"], BUILD - {"meson:all"}, 1000, has_sudo=True)
    tap.report(code == 0 and len(calls) == 2, "uses sudo where it asks no password",
               [code, said, calls])

    code, said, calls = deps(["build"], set(), 0, apt="echo no network; exit 100")
    tap.report(code == 1 and "no network" in said and "install" in said,
               "shows what apt-get said when it fails", [code, said, calls])

    code, said, calls = deps(["build"], set(), 0, has_dpkg=False)
    tap.report(code == 1 and "libyaml-dev" in said, "names the packages where there is no dpkg",
               [code, said, calls])

    code, said, calls = deps(["build", "test"], BUILD, 1000)
    tap.report(code == 1 and "libcmocka-dev" in said and "clang-14" in said,
               "wants more for the tests than for the build", [code, said, calls])

    code, said, calls = deps(["build"], BUILD - {"libyaml-dev"} | {"libyaml-dev:arm64"}, 1000)
    tap.report(code == 1 and "Missing: libyaml-dev\n" in said,
               "does not take a library of another architecture", [code, said, calls])


def test_deps_arm64(tap):
    code, said, calls = deps(["arm64"], ARM64, 1000)
    tap.report((code, said, calls) == (0, "", []), "arm64: does nothing when all is there",
               [code, said, calls])

    code, said, calls = deps(["arm64"], ARM64 - {"qemu-user", "libyaml-dev:arm64"}
                             | {"libyaml-dev"}, 0)
    wanted = ("    dpkg --add-architecture arm64 && apt-get update && "
              "apt-get install -y --no-install-recommends libyaml-dev:arm64 qemu-user\n")
    tap.report(code == 1 and wanted in said and not calls,
               "arm64: says what to run and leaves it to the owner", [code, said, calls])

    code, said, calls = deps(["arm64"], ARM64, 1000, native="arm64")
    tap.report(code == 1 and "make test" in said, "arm64: points to make test on an arm64",
               [code, said, calls])


def counted(result, stdout, returncode=0):
    tally = runner.count({"result": result, "stdout": stdout, "returncode": returncode})
    return tally.passed, tally.failed, tally.skipped


def test_counting(tap):
    for what, got, wanted in [
        ("each line of TAP", counted("OK", "1..2\nok 1 - a\nok 2 - b\n"), (2, 0, 0)),
        ("a line that failed", counted("ERROR", "ok 1 - a\nnot ok 2 - b\n", 1), (1, 1, 0)),
        ("a crash after the last line", counted("ERROR", "ok 1 - a\n", -11), (1, 1, 0)),
        ("a time-out without a word", counted("TIMEOUT", ""), (0, 1, 0)),
        ("a skipped line", counted("OK", "ok 1 - a\nok 2 - b # SKIP none\n"), (1, 0, 1)),
        ("cmocka's way to skip", counted("FAIL", "ok 1 - a\nnot ok 2 # SKIP b\n"), (1, 0, 1)),
        ("a failure beside a skip", counted("FAIL", "not ok 1 # SKIP b\nnot ok 2 - a\n", 1),
         (0, 1, 1)),
        ("a program without TAP", counted("OK", "hello\n"), (1, 0, 0)),
        ("a program that had to fail", counted("EXPECTEDFAIL", "", 1), (1, 0, 0)),
        ("a program that had to fail and did not", counted("UNEXPECTEDPASS", ""), (0, 1, 0)),
    ]:
        tap.report(got == wanted, f"counts {what}", [got, wanted])


def main():
    tap = Tap()
    test_deps(tap)
    test_deps_arm64(tap)
    test_counting(tap)
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
