# SPDX-License-Identifier: Apache-2.0
"""checks_patches.py -- patches applied here and by Kubernetes' own library, on random cases.

No server is needed: strategic/ makes the cases and the library's outcomes, patch_cases.c compares."""

import subprocess
from pathlib import Path

from program import Skip, note

HERE = Path(__file__).resolve().parent
SEEDS = range(1, 5)
CASES = 2500  # of each seed


class Patches:
    """Where the checks find the two programs."""

    def __init__(self, build, interop):
        self.judge = build / "tests" / "interop" / "patch-cases"
        self.maker = interop / "strategic"

    def build_maker(self):
        self.maker.parent.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(["nice", "go", "build", "-buildvcs=false", "-o", self.maker, "."],
                                  cwd=HERE / "strategic", capture_output=True, text=True)
        except FileNotFoundError:
            raise Skip("there is no go in PATH")
        if done.returncode != 0:
            raise Skip(f"tests/interop/strategic does not build: {done.stderr.strip()[-200:]}")

    def run(self, check):
        check(self)

    def servers(self):
        return []

    def remove(self):
        pass


def random_patches_come_out_as_with_apimachinery(patches):
    patches.build_maker()
    for seed in SEEDS:
        made = subprocess.Popen([patches.maker, str(seed), str(CASES)], stdout=subprocess.PIPE)
        judged = subprocess.run([patches.judge], stdin=made.stdout, capture_output=True, text=True)
        made.stdout.close()
        assert made.wait() == 0, f"the maker of cases ended with {made.returncode}"
        assert judged.returncode == 0, judged.stdout[-4000:] + judged.stderr
        note(f"seed {seed}: {judged.stdout.splitlines()[-1]}")


CHECKS = [random_patches_come_out_as_with_apimachinery]
