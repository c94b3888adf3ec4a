# SPDX-License-Identifier: Apache-2.0
"""python_figures.py -- runs python_bench.py and reads its figures: the package in python/ and the
official Python client."""

import re
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1] / "python_bench.py"
PODS = 3000
ROW = re.compile(r"  (listwatch|kubernetes) +([\d.]+) s +([\d.]+) MiB")
WHO = {"listwatch": "listwatch", "kubernetes": "official client"}


def measure(build, note):
    """Without python3-cffi there is nothing; without the official client, listwatch alone."""
    note("informers in Python")
    done = subprocess.run([sys.executable, "-B", BENCH, "--pods", str(PODS), "--venv",
                           build / "python-venv", build / "listwatch",
                           build / "src/liblistwatch.so.0", build / "tests/bench/pod-list-gen"],
                          capture_output=True, text=True)
    rows = [{"who": WHO[who], "cpu_ms": round(float(cpu) * 1e3), "mb": float(mb)}
            for who, cpu, mb in ROW.findall(done.stdout)]
    if len(rows) < len(WHO):
        note(f"python_bench.py: {(done.stdout + done.stderr).strip()[-300:]}")
    return {"command": f"python_bench.py --pods {PODS}", "pods": PODS, "work": rows}
