#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh -- builds the real kube-apiserver that `make interop` talks to.  Where it cannot be
# built, says why and fails.
#
#   build.sh FOLDER
#
# The first time takes from minutes to half an hour, and two gigabytes for Go's caches.
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" || exit 1
folder=$(cd "$1" && pwd)

if ! command -v go >/dev/null 2>&1; then
    echo "there is no go in PATH to build kube-apiserver with"
    exit 1
fi
cd "$here/apiserver" || exit 1
version=$(sed -n 's/^[[:space:]]*k8s.io\/kubernetes //p' go.mod)
minor=${version#v1.}
stamp=k8s.io/component-base/version
if ! nice go build -buildvcs=false -p "${JOBS:-2}" -o "$folder/kube-apiserver" -ldflags "-s -w \
    -X $stamp.gitVersion=$version -X $stamp.gitMajor=1 -X $stamp.gitMinor=${minor%%.*}" . \
    >"$folder/kube-apiserver.log" 2>&1; then
    echo "kube-apiserver $version does not build: $(tail -n 1 "$folder/kube-apiserver.log")"
    exit 1
fi
