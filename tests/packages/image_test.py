#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""image_test.py IMAGE -- the last step of `make image`: the image is valid, and what is in it runs.

Every digest and size of the image layout is checked.  As root, the layer is unpacked and the
entrypoint is run in it with chroot, as the user of the image, until it answers a request; without
root, that part is skipped.  skopeo reads the image too, if it is installed."""

import gzip
import hashlib
import http.client
import json
import os
import select
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time


def blob(tar, descriptor):
    algorithm, _, digest = descriptor["digest"].partition(":")
    content = tar.extractfile(f"blobs/{algorithm}/{digest}").read()
    assert hashlib.sha256(content).hexdigest() == digest, digest
    assert len(content) == descriptor["size"], descriptor
    return content


def every_digest_is_right(image):
    with tarfile.open(image) as tar:
        assert json.load(tar.extractfile("oci-layout")) == {"imageLayoutVersion": "1.0.0"}
        index = json.load(tar.extractfile("index.json"))
        manifest = json.loads(blob(tar, index["manifests"][0]))
        config = json.loads(blob(tar, manifest["config"]))
        for descriptor, diff_id in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
            layer = gzip.decompress(blob(tar, descriptor))
            assert "sha256:" + hashlib.sha256(layer).hexdigest() == diff_id
        docker = json.load(tar.extractfile("manifest.json"))[0]
        assert docker["Config"].endswith(manifest["config"]["digest"].partition(":")[2])
        assert config["config"]["User"] == "65532:65532"


def unpack(image, folder):
    """Unpacks the layer; returns the configuration."""
    with tarfile.open(image) as tar:
        index = json.load(tar.extractfile("index.json"))
        manifest = json.loads(blob(tar, index["manifests"][0]))
        layer = tarfile.open(fileobj=tar.extractfile(
            "blobs/sha256/" + manifest["layers"][0]["digest"].partition(":")[2]), mode="r:gz")
        layer.extractall(folder, numeric_owner=True)
        return json.loads(blob(tar, manifest["config"]))["config"]


def url_of(process):
    """The address of plain HTTP, when the server is ready."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([process.stdout], [], [], 1)[0]:
            line = process.stdout.readline()
            assert line, f"the program has exited with {process.wait()}"
            if line.startswith("ready: "):
                return line.split()[-1]
    raise AssertionError("not ready after 60 s")


def the_entrypoint_runs_on_an_empty_root_and_answers(image):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        config = unpack(image, folder)
        # Another address than that of Cmd: a free port, and plain HTTP besides.
        words = config["Entrypoint"] + config["Cmd"][:2] + ["--listen", "127.0.0.1:0",
                                                            "--insecure-listen", "127.0.0.1:0"]
        chroot = ["chroot", f"--userspec={config['User']}", folder]
        env = dict(word.split("=", 1) for word in config["Env"])
        env["PATH"] += os.pathsep + os.environ["PATH"]
        process = subprocess.Popen(chroot + words, stdin=subprocess.DEVNULL, env=env,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = url_of(process).removeprefix("http://")
            connection = http.client.HTTPConnection(address, timeout=30)
            connection.request("GET", "/api/v1/namespaces/default")
            answer = json.load(connection.getresponse())
            assert answer["metadata"]["name"] == "default", answer
            # The client needs libcurl, which is loaded when it is first used.
            said = subprocess.run(chroot + ["/usr/bin/listwatch", "get", "namespaces", "-o", "name",
                                            "--server", f"http://{address}"], env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            assert said.returncode == 0 and "default" in said.stdout, said.stdout
        finally:
            process.terminate()
            code = process.wait(timeout=30)
        assert code == 0, f"ended with {code}"


def skopeo_reads_it(image):
    done = subprocess.run(["skopeo", "inspect", f"oci-archive:{image}"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["Os"] == "linux"


def main():
    image = sys.argv[1]
    failed = 0
    tests = {every_digest_is_right: None,
             the_entrypoint_runs_on_an_empty_root_and_answers:
                 None if os.geteuid() == 0 else "needs root, for chroot",
             skopeo_reads_it: None if shutil.which("skopeo") else "skopeo is not installed"}
    for number, (test, reason) in enumerate(tests.items(), 1):
        try:
            if reason is None:
                test(image)
            print(f"ok {number} - {test.__name__}" + (f" # SKIP {reason}" if reason else ""))
        except (AssertionError, OSError, KeyError, ValueError) as problem:
            failed += 1
            print(f"not ok {number} - {test.__name__}\n# {problem!r}")
    print(f"1..{len(tests)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
