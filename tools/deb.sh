#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh -- Debian packages of the last commit: tools/deb.sh FOLDER
#
# Unpacks the release tarball in FOLDER, adds packaging/debian as debian/, builds source and binary
# packages with dpkg-buildpackage, and runs lintian, whose warnings are failures.
set -eu

folder=${1:?usage: tools/deb.sh FOLDER}
root=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

tarball=$(sh "$root/tools/dist.sh" "$folder/dist")
name=$(basename "$tarball" .tar.xz)
version=${name#listwatch-}
of_package=$(dpkg-parsechangelog -l "$root/packaging/debian/changelog" -S Version)
if [ "${of_package%-*}" != "$version" ]; then
    echo "packaging/debian/changelog is of $of_package, but meson.build of $version" >&2
    exit 1
fi
cp "$tarball" "$folder/listwatch_$version.orig.tar.xz"
tar -xf "$tarball" -C "$folder"
cp -R "$root/packaging/debian" "$folder/$name/debian"

echo "Building; the log is $folder/build.log"
if ! (cd "$folder/$name" &&
    DEB_BUILD_OPTIONS="parallel=${JOBS:-2} nocheck ${DEB_BUILD_OPTIONS:-}" \
        dpkg-buildpackage --unsigned-source --unsigned-changes) >"$folder/build.log" 2>&1; then
    tail -n 60 "$folder/build.log" >&2
    exit 1
fi
rm -rf "${folder:?}/$name"
# The suppressed tag asks for the number of a request to package this in Debian, where the packages
# are not uploaded to.
lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on error,warning \
    --tag-display-limit 0 "$folder"/listwatch_*.changes
for package in "$folder"/*.deb; do
    echo "$(du -k "$package" | cut -f 1) KB $package"
done
