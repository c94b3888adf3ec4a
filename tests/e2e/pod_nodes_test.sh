#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pod_nodes_test.sh -- the example of the README on a generated list.
# usage: pod_nodes_test.sh PROGRAM GENERATOR
set -u
. "$(dirname "$0")/tap.sh"
program=$(absolute "$1")
generator=$(absolute "$2")
cd "$dir" || exit 1

pod_nodes() {
    run "$program" "$@"
}

run "$generator" --pods 200 --seed 1 >pods.json || exit 1

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
