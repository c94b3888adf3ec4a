# SPDX-License-Identifier: Apache-2.0
"""client_figures.py -- runs bench-client and reads the figures of informers from its tables."""

import re
import subprocess
from pathlib import Path

# In the tables of bench-client: what it is called there, and in the figures.
CONTESTANTS = {"listwatch, list": "listwatch", "listwatch, JSON": "listwatch, JSON",
               "client-go typed, protobuf": "client-go", "client-go typed, JSON": "client-go, JSON",
               "client-go dynamic, JSON": "client-go dynamic, JSON"}
ROW = re.compile(r"  (\S.{27}) ((?: *[\d.]+)+)$")
GO_MOD = Path(__file__).resolve().parents[2] / "interop/clientgo/go.mod"
COLD, EVENTS = "cold start", " events on "
MOST_EVENTS, FEW_EVENTS = 20000, 1000


def rows(text, heading):
    """Name and numbers of the lines of the table below the line with |heading|."""
    found, is_there = [], False
    for line in text.splitlines():
        if heading in line:
            is_there = True
        elif not line:
            is_there = False
        match = ROW.match(line)
        if is_there and match and match[1].strip() in CONTESTANTS:
            found.append((CONTESTANTS[match[1].strip()], [float(n) for n in match[2].split()]))
    return found


def command(program, pods, events, client_go):
    return [program, "--pods", str(pods), "--events", str(events), "--restarts", "1",
            *(["--client-go", client_go] if client_go else [])]


def measure(build, sizes, client_go, note):
    """For each of |sizes|, what a cold start took; for the last, what an event took."""
    cold, events = [], []
    for pods in sizes:
        note(f"informers, {pods} pods")
        many = MOST_EVENTS if pods == sizes[-1] else FEW_EVENTS
        done = subprocess.run(command(build / "tests/bench/bench-client", pods, many, client_go),
                              capture_output=True, text=True)
        if done.returncode != 0:
            note(f"bench-client has failed: {done.stderr.strip()[-300:]}")
        for name, (wall, cpu, peak, settled, *_) in rows(done.stdout, COLD):
            cold.append({"who": name, "pods": pods, "wall_ms": wall, "cpu_ms": cpu,
                         "peak_mb": peak, "settled_mb": settled})
        if many == MOST_EVENTS:
            events = [{"who": name, "per_s": per_s, "cpu_us": cpu, "peak_mb": peak}
                      for name, (per_s, cpu, peak) in rows(done.stdout, EVENTS)]
    shown = command("bench-client", sizes[-1], MOST_EVENTS, client_go and "clientgo")
    version = re.search(r"k8s.io/client-go (v\S+)", GO_MOD.read_text())
    return {"command": " ".join(shown), "client_go": version[1] if client_go and version else None,
            "cold": cold, "events": events, "events_sent": MOST_EVENTS}
