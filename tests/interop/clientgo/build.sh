#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh -- builds the client-go contestant of `make bench` and prints its path.  Where it cannot
# be built, says why on standard error and prints nothing.
#
#   build.sh FOLDER
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" || exit 1
folder=$(cd "$1" && pwd)

if ! command -v go >/dev/null 2>&1; then
    echo "client-go: skipped: there is no go in PATH" >&2
    exit 0
fi
if (cd "$here" && go build -o "$folder/clientgo" .) >"$folder/clientgo.log" 2>&1; then
    echo "$folder/clientgo"
else
    echo "client-go: skipped: it does not build here; $folder/clientgo.log says why" >&2
fi
