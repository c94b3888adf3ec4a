#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""image.py -- `make image`: an OCI image of the program, written without a container daemon.

    tools/image.py --tree TREE FOLDER

TREE is what `make install DESTDIR=TREE PREFIX=/usr` has made.  Writes FOLDER/listwatch-image.tar: one
layer with the program, the shared libraries that it loads, and CA certificates, on an empty root.
The file is an OCI image layout, and has the manifest.json that `docker load` reads.  The same program
and libraries give the same bytes: names are sorted, owners are numbers, and times are that of the
last commit (or SOURCE_DATE_EPOCH)."""

import argparse
import gzip
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USER = 65532  # "nonroot", as other small images have it
SIZE_LIMIT = 15 * 1000 * 1000
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
LATE = "libcurl.so.4"  # loaded by the program when it is first used (src/transport/curl_late.c)
TEXTS = {
    "etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\nlistwatch:x:{USER}:{USER}:listwatch:"
                  "/var/lib/listwatch:/sbin/nologin\n",
    "etc/group": f"root:x:0:\nlistwatch:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
OCI = "application/vnd.oci.image"


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def time_of_image():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else int(said("git", "log", "-1", "--format=%ct"))


def version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]


def libraries(program):
    """{path in the image: file} of the libraries that |program| and libcurl load, and the loader."""
    late = next((line.split()[-1] for line in said("/sbin/ldconfig", "-p").splitlines()
                 if line.split()[:1] == [LATE]), None)
    if late is None:
        raise SystemExit(f"{LATE} is not installed: apt-get install libcurl4")
    found = {late: late}
    for file in (str(program), late):
        for line in said("ldd", file).splitlines():
            if "not found" in line:
                raise SystemExit(f"{file}: {line.strip()}")
            path = re.search(r"(/\S+) \(0x", line)
            if path:
                found[path[1]] = path[1]
    return {name.lstrip("/"): os.path.realpath(file) for name, file in found.items()}


def licences(paths):
    """{path in the image: file} of the copyright files of the packages that |paths| are from."""
    found = {}
    for path in paths:
        for name in (path, path.removeprefix("/usr")):
            owner = subprocess.run(["dpkg-query", "-S", name], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL).stdout.split(":")[0]
            file = f"/usr/share/doc/{owner}/copyright"
            if owner and os.path.exists(file):
                found[file.lstrip("/")] = os.path.realpath(file)
    return found


class Layer:
    """A tar with everything in order."""

    def __init__(self, when):
        self.entries, self.when = {}, when

    def folder(self, name, mode=0o755, owner=0):
        self.entries.setdefault(name, (tarfile.DIRTYPE, mode, owner, b""))

    def file(self, name, content, mode=0o644):
        parts = name.split("/")
        for depth in range(1, len(parts)):
            self.folder("/".join(parts[:depth]))
        self.entries[name] = (tarfile.REGTYPE, mode, 0, content)

    def bytes(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name in sorted(self.entries):
                info = tarfile.TarInfo(name)
                info.type, info.mode, info.uid, content = self.entries[name]
                info.gid, info.mtime, info.size = info.uid, self.when, len(content)
                tar.addfile(info, io.BytesIO(content))
        return out.getvalue()


def layer_of(tree, when):
    program = tree / "usr/bin/listwatch"
    layer = Layer(when)
    layer.folder("tmp", 0o1777)
    layer.folder("var")
    layer.folder("var/lib")
    layer.folder("var/lib/listwatch", 0o700, USER)
    layer.file("usr/bin/listwatch", program.read_bytes(), 0o755)
    shared = libraries(program)
    for name, file in shared.items():
        layer.file(name, Path(file).read_bytes(), 0o755)
    for name, file in licences(shared.values()).items():
        layer.file(name, Path(file).read_bytes())
    layer.file("usr/share/doc/listwatch/copyright", (ROOT / "LICENSE").read_bytes())
    for name, text in TEXTS.items():
        layer.file(name, text.encode())
    if not os.path.exists(CERTIFICATES):
        raise SystemExit(f"{CERTIFICATES} is missing: apt-get install ca-certificates")
    layer.file(CERTIFICATES.lstrip("/"), Path(CERTIFICATES).read_bytes())
    return layer.bytes()


def config_of(layer, when):
    created = said("date", "-u", "-d", f"@{when}", "+%Y-%m-%dT%H:%M:%SZ").strip()
    return {
        "created": created,
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"6443/tcp": {}},
            "Env": ["PATH=/usr/bin", f"SSL_CERT_FILE={CERTIFICATES}", "HOME=/var/lib/listwatch"],
            "Entrypoint": ["/usr/bin/listwatch", "serve"],
            "Cmd": ["--data-dir", "/var/lib/listwatch", "--listen", "0.0.0.0:6443"],
            "Volumes": {"/var/lib/listwatch": {}},
            "WorkingDir": "/var/lib/listwatch",
            "StopSignal": "SIGTERM",
            "Labels": {"org.opencontainers.image.title": "listwatch",
                       "org.opencontainers.image.version": version(),
                       "org.opencontainers.image.licenses": "Apache-2.0"},
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": created, "created_by": "tools/image.py"}],
    }


def json_bytes(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Blobs(dict):
    """Contents by their path in the layout."""

    def add(self, content, kind):
        digest = hashlib.sha256(content).hexdigest()
        self[f"blobs/sha256/{digest}"] = content
        return {"mediaType": f"{OCI}.{kind}", "digest": f"sha256:{digest}", "size": len(content)}


def image_of(layer, when):
    """The files of the image layout."""
    blobs = Blobs()
    config = blobs.add(json_bytes(config_of(layer, when)), "config.v1+json")
    packed = blobs.add(gzip.compress(layer, 9, mtime=0), "layer.v1.tar+gzip")
    manifest = blobs.add(json_bytes({"schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json",
                                     "config": config, "layers": [packed]}), "manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version()}
    path = {name: "blobs/sha256/" + blob["digest"].partition(":")[2]
            for name, blob in (("config", config), ("layer", packed))}
    blobs["oci-layout"] = json_bytes({"imageLayoutVersion": "1.0.0"})
    blobs["index.json"] = json_bytes({"schemaVersion": 2, "manifests": [manifest],
                                      "mediaType": f"{OCI}.index.v1+json"})
    blobs["manifest.json"] = json_bytes([{"Config": path["config"], "Layers": [path["layer"]],
                                          "RepoTags": [f"listwatch:{version()}"]}])
    return blobs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    when = time_of_image()
    archive = Layer(when)
    for name, content in image_of(layer_of(args.tree, when), when).items():
        archive.file(name, content)
    content = archive.bytes()
    if len(content) > SIZE_LIMIT:
        raise SystemExit(f"the image has {len(content)} bytes; the limit is {SIZE_LIMIT}")
    args.folder.mkdir(parents=True, exist_ok=True)
    target = args.folder / "listwatch-image.tar"
    target.write_bytes(content)
    print(f"{target}: {len(content) / 1e6:.1f} MB, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
