# SPDX-License-Identifier: Apache-2.0
# tap.sh -- sourced by the scripts beside it: an empty folder to work in, and TAP.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
count=0

# absolute PATH: the path, from wherever the test goes.
absolute() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}

# run PROGRAM ARGUMENT...: a program of another machine runs under an emulator, which meson names.
run() {
    ${MESON_EXE_WRAPPER-} "$@"
}

# check NAME: the test passes when the command before it did.
check() {
    result=$?
    count=$((count + 1))
    if [ "$result" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        # awk ends the last line, so that the next result stands on a line of its own.
        tail -n 20 out | awk '{ print "# out: " $0 }'
        awk '{ print "# err: " $0 }' err
    fi
}
