#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pod_gen_test.py -- the generator writes what an API server would: valid, to the byte as Go writes
JSON, the same every time and everywhere, of the promised shape and size."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools" / "checks"))
from check import Tap  # noqa: E402

PODS = 1500

# Of PODS pods from the first seed.  Changes with the generator, never with the compiler or the
# machine: figures of `make bench` from two places are about the same bytes.
DIGEST = "f6c9b14fbc04e0a2e3ec747fbf6e6d8f51573f50c786a7e85556bb7862b80518"

# A program of another machine runs under an emulator, which meson names.
EMULATOR = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))


def generate(program, *arguments):
    return subprocess.run([*EMULATOR, program, *arguments], check=True,
                          stdout=subprocess.PIPE).stdout


def as_go_writes(document):
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text.encode() + b"\n"


def main():
    tap = Tap()
    program = sys.argv[1]
    raw = generate(program, "--pods", str(PODS))
    document = json.loads(raw)
    items = document["items"]
    metadata = [item["metadata"] for item in items]

    tap.report(as_go_writes(document) == raw, "writes JSON to the byte as Go does")
    tap.report(len(items) == PODS, "writes as many pods as asked for")
    tap.report(generate(program, "--pods", str(PODS)) == raw, "writes the same twice")
    digest = hashlib.sha256(raw).hexdigest()
    tap.report(digest == DIGEST, "writes the same on every machine", [digest, DIGEST])
    tap.report(generate(program, "--pods", str(PODS), "--seed", "2") != raw,
               "writes something else for another seed")
    tap.report(len({m["uid"] for m in metadata}) == PODS, "gives every pod its own uid")
    tap.report(len({(m["namespace"], m["name"]) for m in metadata}) == PODS,
               "gives every pod its own name")
    average = len(raw) / PODS
    tap.report(4000 < average < 6000, f"takes about 5 KB a pod ({average:.0f})")
    share = sum(len(as_go_writes(m["managedFields"])) for m in metadata) / len(raw)
    tap.report(0.35 < share < 0.45, f"spends two fifths on managedFields ({share:.2f})")
    tap.report({len(item["spec"]["containers"]) for item in items} == {1, 2, 3},
               "gives pods one to three containers")
    applied = "kubectl.kubernetes.io/last-applied-configuration"
    inner = [json.loads(m["annotations"][applied]) for m in metadata if applied in m["annotations"]]
    tap.report(any(inner) and all(pod["kind"] == "Pod" for pod in inner),
               "nests JSON in last-applied-configuration")
    foreign = sum(not json.dumps(m["annotations"], ensure_ascii=False).isascii() for m in metadata)
    tap.report(PODS / 100 < foreign < PODS / 25, f"goes beyond ASCII now and then ({foreign})")

    without = json.loads(generate(program, "--pods", "20", "--managed-fields=0"))
    tap.report(not any("managedFields" in i["metadata"] for i in without["items"]),
               "leaves managedFields out when told to")
    sized = generate(program, "--bytes", "1M")
    tap.report(1 << 20 <= len(sized) < (1 << 20) + 20000, "stops at the size asked for")
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
