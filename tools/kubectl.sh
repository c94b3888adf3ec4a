#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kubectl.sh -- Debian's kubectl for the tests, independent of the machine's own kubectl.
#
#   tools/kubectl.sh fetch FOLDER   extract it from its package into FOLDER, if needed
#   tools/kubectl.sh path FOLDER    print its path, or fail
#
# The package kubernetes-client is never installed: it conflicts with other packages that contain a
# kubectl.  If it is not available, the tests that need it are skipped with a message.
set -eu
action=$1
folder=$2

is_debians() {
    [ "$(dpkg-query -S "$1" 2>/dev/null | cut -d: -f1)" = kubernetes-client ]
}

path() {
    if [ -x "$folder/usr/bin/kubectl" ]; then
        echo "$folder/usr/bin/kubectl"
    elif [ -x /usr/bin/kubectl ] && is_debians /usr/bin/kubectl; then
        echo /usr/bin/kubectl
    else
        return 1
    fi
}

download() {
    (cd "$scratch" && apt-get -q -o APT::Sandbox::User=root download kubernetes-client) \
        >"$scratch/log" 2>&1
}

update() {
    if [ "$(id -u)" = 0 ]; then
        apt-get -q update >"$scratch/log" 2>&1
    else
        sudo -n apt-get -q update >"$scratch/log" 2>&1
    fi
}

fetch() {
    if path >/dev/null; then
        return 0
    fi
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    if download || { update && download; }; then
        mkdir -p "$folder"
        dpkg-deb -x "$scratch"/kubernetes-client_*.deb "$folder"
    else
        echo "kubectl: cannot download the package kubernetes-client; the tests that need it are skipped:" >&2
        tail -n 3 "$scratch/log" >&2
    fi
}

case $action in
fetch) fetch ;;
path) path ;;
*)
    echo "usage: kubectl.sh fetch|path FOLDER" >&2
    exit 2
    ;;
esac
