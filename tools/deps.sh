#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deps.sh -- checks that the Debian packages of the named groups are installed; installs missing ones.
#
#   tools/deps.sh [build] [test] [bench] [fuzz] [page] [deb] [arm64]
#
# Prints nothing and needs no privileges if all are installed.  Without the privileges to install, it
# prints the command to run, and fails.  Packages for arm64 need a second dpkg architecture, which
# only the owner of the machine should add: it never installs those.
set -eu

# a|b: either is accepted; a is installed.
libraries="libcurl4-openssl-dev libyaml-dev liblmdb-dev libnghttp2-dev libssl-dev libwslay-dev zlib1g-dev libprotobuf-c-dev"
build_packages="gcc libc6-dev meson ninja-build pkg-config|pkgconf protobuf-c-compiler $libraries"
bench_packages="g++ libyajl-dev libsimdjson-dev"
fuzz_packages="clang-14 libclang-rt-14-dev lld-14 llvm-14 python3"
page_packages="chromium chromium-driver fonts-noto-core python3"
deb_packages="debhelper debootstrap dh-python dpkg-dev git lintian python3-cffi xz-utils"
arm64_packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libcmocka-dev:arm64
    $(for name in $libraries; do echo "$name:arm64"; done)"
test_packages="libcmocka-dev clang-format-14 binutils curl etcd-client etcd-server git libglib2.0-dev libuv1-dev locales luajit nghttp2-client openssl
    python3 python3-cffi python3-websockets $bench_packages $fuzz_packages"

native=$(dpkg --print-architecture 2>/dev/null) || true
wanted=
may_install=yes
before_install=
for group in "${@:-build}"; do
    case $group in
    build) wanted="$wanted $build_packages" ;;
    test) wanted="$wanted $test_packages" ;;
    bench) wanted="$wanted $bench_packages" ;;
    fuzz) wanted="$wanted $fuzz_packages" ;;
    page) wanted="$wanted $page_packages" ;;
    deb) wanted="$wanted $deb_packages" ;;
    arm64)
        if [ "$native" = arm64 ]; then
            echo "This machine is an arm64: make test already tests it." >&2
            exit 1
        fi
        wanted="$wanted $arm64_packages"
        may_install=no
        before_install="dpkg --add-architecture arm64 && "
        ;;
    *)
        echo "deps.sh: unknown group \"$group\" (build, test, bench, fuzz, page, deb, arm64)" >&2
        exit 2
        ;;
    esac
done

first_names() {
    for choice in "$@"; do
        echo "${choice%%|*}"
    done | sort -u | tr '\n' ' '
}

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "listwatch is built with packages of Debian 12, but there is no dpkg on this machine." >&2
    echo "The Debian packages are: $(first_names $wanted)" >&2
    echo "If they are installed in another way, run: make DEPS=true" >&2
    exit 1
fi

# The installed ones of the wanted packages as name:architecture, one per line; unknown names are
# ignored.
# shellcheck disable=SC2046,SC2086
have=$(dpkg-query -W -f '${db:Status-Status} ${Package}:${Architecture}\n' \
    $(echo $wanted | tr '|' ' ') 2>/dev/null | sed -n 's/^installed //p') || true

has_line() {
    case "
$have
" in
    *"
$1
"*) return 0 ;;
    esac
    return 1
}

# A library of another architecture does not count.
is_installed() {
    case $1 in
    *:*) has_line "$1" ;;
    *) has_line "$1:$native" || has_line "$1:all" ;;
    esac
}

missing=
for choice in $wanted; do
    found=no
    for name in $(echo "$choice" | tr '|' ' '); do
        if is_installed "$name"; then
            found=yes
        fi
    done
    if [ $found = no ]; then
        missing="$missing $choice"
    fi
done

[ -n "$missing" ] || exit 0

packages=$(first_names $missing)
packages=${packages% }

cannot_install() {
    echo "Missing: $packages" >&2
    echo "$1  As root, run:" >&2
    echo "    ${before_install}apt-get update &&" \
        "apt-get install -y --no-install-recommends $packages" >&2
    exit 1
}

[ $may_install = yes ] || cannot_install "Nothing was installed."
command -v apt-get >/dev/null 2>&1 || cannot_install "There is no apt-get here."

if [ "$(id -u)" = 0 ]; then
    as_root="env"
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n env"
else
    cannot_install "Installing needs root."
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Prints the output only on failure.
install_missing() {
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -q update </dev/null &&
        $as_root DEBIAN_FRONTEND=noninteractive apt-get -q -y \
            -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 \
            install --no-install-recommends $packages </dev/null
}

echo "Installing $packages"
install_missing >"$log" 2>&1 || {
    cat "$log" >&2
    cannot_install "apt-get failed."
}
