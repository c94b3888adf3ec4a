# SPDX-License-Identifier: Apache-2.0
"""kubectl.py -- Debian's kubectl for tests in Python, from the folder that is the second argument."""

import os
import subprocess
import sys

from cluster import PATIENCE


def kubectl_path():
    script = os.path.join(os.path.dirname(__file__), "../../tools/kubectl.sh")
    found = subprocess.run(["sh", script, "path", sys.argv[2]], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


KUBECTL = kubectl_path()


def kubectl(server, *words, stdin=None, fails=False):
    done = subprocess.run([KUBECTL, "-s", server.url(), *words], input=stdin, text=True,
                          capture_output=True, timeout=PATIENCE, env={"HOME": server.folder})
    assert (done.returncode != 0) == fails, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr
