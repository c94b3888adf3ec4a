#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dist.sh -- the release tarball of the last commit: tools/dist.sh FOLDER
#
# Writes FOLDER/listwatch-VERSION.tar.xz and its .sha256, and prints the name of the tarball.  The
# same commit gives the same bytes: names, owners and times come from git, and xz runs with one
# thread, whose output does not depend on the machine.
set -eu

folder=${1:?usage: tools/dist.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."

if ! git rev-parse --verify --quiet HEAD >/dev/null; then
    echo "make dist needs a git checkout: the tarball is made of the last commit." >&2
    exit 1
fi
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
    echo "note: changes that are not committed are not in the tarball" >&2
fi
version=$(git show HEAD:meson.build | sed -n "s/^  version: '\([0-9.]*\)',\$/\1/p")
name=listwatch-$version
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD >"$folder/$name.tar"
xz --force --threads=1 -6 "$folder/$name.tar"
(cd "$folder" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256")
echo "$folder/$name.tar.xz"
