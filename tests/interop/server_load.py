# SPDX-License-Identifier: Apache-2.0
"""server_load.py -- one load of bench-server on a server that runs already."""

import subprocess

# No controller makes the service account that pods need by default; KubeApiserver does the same.
WITHOUT_ACCOUNTS = ["--disable-admission-plugins", "ServiceAccount"]


def run_load(build, server, load, pods, quick=False):
    """The lines that it prints; what went wrong is printed."""
    command = [build / "tests" / "bench" / "bench-server", "--only", load, "--pods", str(pods),
               "--attach", f"{server.process.pid}:{server.port}:{server.token}"]
    done = subprocess.run(command + (["--quick"] if quick else []), capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{server.name}, {load}: {done.stderr.strip()}")
    return done.stdout.splitlines()
