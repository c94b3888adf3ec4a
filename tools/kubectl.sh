#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kubectl.sh -- Debian's kubectl for the tests, beside whatever kubectl the machine has.
#
#   tools/kubectl.sh fetch FOLDER   see that it is there; takes it out of its package into FOLDER
#   tools/kubectl.sh path FOLDER    print where it is, or fail
#
# The package kubernetes-client is never installed: it collides with other packages that bring a
# kubectl.  Where it cannot be had, the tests that need it are skipped and say so.
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
        echo "kubectl: the package kubernetes-client could not be had; its tests will be skipped:" >&2
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
