#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""proto.py -- our protobuf against that of the Go types of Kubernetes: a part of `make interop`.

    proto.py --build FOLDER --interop FOLDER [--seed N] [--count N]

Both are given the same random documents and must write the same bytes, and read the same JSON back
from them.  Prints TAP; where the types cannot be built, it says so and skips."""

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(ROOT / "tools"), str(ROOT / "tools" / "checks")]
import fields  # noqa: E402
from check import Tap  # noqa: E402
from decode import answers, build_decoder  # noqa: E402
from documents import SoundDocuments  # noqa: E402

SHOWN = 3  # differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    args = parser.parse_args()
    codec = build_decoder(args.interop, "proto")
    packages = fields.read_all(sorted((ROOT / "src" / "schema" / "fields").glob("*.fields")))
    documents = SoundDocuments(fields.Table(packages), args.seed)
    lines = [documents.line() for _ in range(args.count)]
    text = "\n".join(lines) + "\n"
    theirs = answers(codec, text)
    ours = answers(args.build / "tests" / "interop" / "proto-documents", text)
    faults = [f"{line}\n  {a}" for line, a in zip(lines, theirs) if a.startswith("fault: ")]
    kinds = len({line.rpartition("\t")[0] for line in lines})
    print(f"# seed {args.seed}: {len(lines)} documents of {kinds} kinds, "
          f"{sum(map(len, theirs)) // 2} bytes")
    pairs = [(line, a.partition("\t"), b.partition("\t"))
             for line, a, b in zip(lines, theirs, ours)]
    tap = Tap()
    tap.report(len(ours) == len(theirs) == len(lines) and not faults,
               "the types of Kubernetes take all documents", faults[:SHOWN])
    for part, what in ((0, "we write the bytes that they write"),
                       (2, "we read from them the JSON that they read")):
        different = [f"{line}\n  theirs: {a[part]}\n  ours:   {b[part]}"
                     for line, a, b in pairs if a[part] != b[part]]
        tap.report(not different, what, different[:SHOWN])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
