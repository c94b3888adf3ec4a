#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pod_nodes_test.sh -- the example of the README on a generated list.
# usage: pod_nodes_test.sh PROGRAM GENERATOR
set -u
case $1 in
/*) program=$1 ;;
*) program=$PWD/$1 ;;
esac
case $2 in
/*) generator=$2 ;;
*) generator=$PWD/$2 ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
count=0

# check NAME: the test passes when the command before it did.
check() {
    result=$?
    count=$((count + 1))
    if [ "$result" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        tail -n 5 out | sed 's/^/# out: /'
        sed 's/^/# err: /' err
    fi
}

# Programs of another machine run under an emulator, which meson names.
pod_nodes() {
    ${MESON_EXE_WRAPPER-} "$program" "$@"
}

${MESON_EXE_WRAPPER-} "$generator" --pods 200 --seed 1 >pods.json || exit 1

pod_nodes app=web <pods.json >out 2>err
[ $? -eq 0 ] && [ "$(head -n 1 out)" = \
    "default/web-nvllndf99-272lh on node-325.eu-central-1.example.com" ]
check "prints the node of each pod that the selector picks"

[ "$(tail -n 1 out)" = "20 pods, as of resourceVersion 987654321" ] &&
    [ "$(grep -c ' on node-' out)" -eq 20 ]
check "ends with their number and the revision of the list"

pod_nodes <pods.json >out 2>err
[ $? -eq 0 ] && [ "$(tail -n 1 out)" = "200 pods, as of resourceVersion 987654321" ]
check "without a selector all pods are meant"

head -c 30000 pods.json | pod_nodes >out 2>err
[ $? -eq 1 ] && grep -q '^pod_nodes: the document ends' err
check "a list cut short is an error"

pod_nodes 'app in web' <pods.json >out 2>err
[ $? -eq 1 ] && grep -q "^pod_nodes: unable to parse requirement: found 'web'" err
check "a bad selector is an error"

echo "1..$count"
