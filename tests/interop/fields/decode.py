#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""decode.py -- our check of documents against the decoder of kube-apiserver: a part of `make interop`.

    decode.py --build FOLDER --interop FOLDER [--seed N] [--count N]

Both are given the same random documents and must say the same, word for word.  Prints TAP; where
the decoder cannot be built, it says so and skips."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(ROOT / "tools"), str(ROOT / "tools" / "checks")]
import fields  # noqa: E402
from check import Tap  # noqa: E402
from documents import Documents  # noqa: E402

SHOWN = 5  # differences


def skip(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def build_decoder(folder, name="decode"):
    if not shutil.which("go"):
        skip("there is no go in PATH to build the decoder of kube-apiserver with")
    folder.mkdir(parents=True, exist_ok=True)
    program = folder.resolve() / name
    built = subprocess.run(["nice", "go", "build", "-buildvcs=false", "-p",
                            os.environ.get("JOBS", "2"), "-o", program, f"./{name}"],
                           cwd=HERE.parent / "apiserver", capture_output=True, text=True)
    if built.returncode != 0:
        skip(f"the {name} of kube-apiserver does not build: {built.stderr[-200:]}")
    return program


def answers(program, text):
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    args = parser.parse_args()
    decoder = build_decoder(args.interop)
    packages = fields.read_all(sorted((ROOT / "src" / "schema" / "fields").glob("*.fields")))
    documents = Documents(fields.Table(packages), args.seed)
    lines = [documents.line() for _ in range(args.count)]
    text = "\n".join(lines) + "\n"
    theirs = answers(decoder, text)
    ours = answers(args.build / "tests" / "interop" / "check-documents", text)
    faults = sum(line.startswith("fault: ") for line in theirs)
    print(f"# seed {args.seed}: {len(lines)} documents, {faults} of them with a fault, "
          f"{sum(line.startswith('strict: ') and line != 'strict: ' for line in theirs)} with findings")
    different = [f"{line}\n  theirs: {a}\n  ours:   {b}"
                 for line, a, b in zip(lines, theirs, ours) if a != b]
    tap = Tap()
    tap.report(len(ours) == len(theirs) == len(lines) and not different,
               "we say what the decoder of kube-apiserver says", different[:SHOWN])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
