# SPDX-License-Identifier: Apache-2.0
"""checks_protobuf.py -- client-go's typed clients, in protobuf and nothing else."""

import os
import subprocess
from pathlib import Path

from program import Skip, note

HERE = Path(__file__).resolve().parent


def build_typed(folder):
    try:
        done = subprocess.run(["nice", "go", "build", "-buildvcs=false", "-p",
                               os.environ.get("JOBS", "2"), "-o", folder / "typed", "./typed"],
                              cwd=HERE / "apiserver", capture_output=True, text=True)
    except FileNotFoundError:
        raise Skip("there is no go in PATH") from None
    if done.returncode != 0:
        raise Skip(f"the typed clients do not build: {done.stderr.strip()[-200:]}")
    return folder / "typed"


def typed_clients_of_client_go_speak_protobuf(b):
    program = build_typed(Path(f"{b.build}-interop"))
    done = subprocess.run([program, b.env["KUBECONFIG"]], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    note(done.stdout.strip())


CHECKS = [typed_clients_of_client_go_speak_protobuf]
