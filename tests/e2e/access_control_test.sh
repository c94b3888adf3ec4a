#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# access_control_test.sh -- what users may do with --authorization-mode RBAC, as kubectl and curl see
# it; Debian's kubectl against `listwatch serve`.
#
#   access_control_test.sh PROGRAM FOLDER
#
# FOLDER is where `make deps` put kubectl.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"

printf 'anntoken,ann,1,"team"\nbobtoken,bob,2\n' >tokens
start_server --data-dir data --token-file tokens --authorization-mode RBAC
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

# admin ARGUMENT...: kubectl of the administrator.  ann ARGUMENT...: kubectl of the user ann.
admin() {
    "$kubectl_program" -s "$plain" "$@" >out 2>err
}
ann() {
    "$kubectl_program" -s "$tls" --insecure-skip-tls-verify --token anntoken "$@" >out 2>err
}

# denied TEXT: the last command failed with a message that contains TEXT.
denied() {
    [ $? -ne 0 ] && grep -qF -- "$1" err
}

admin create namespace prod && admin create clusterrole reader --verb=get,list,watch --resource=pods
check "the administrator of the plain port may do everything"

ann -n prod get pods
denied 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "prod"'
check "a user without a role is denied, in kube-apiserver's words"

admin -n prod create rolebinding team-reads --clusterrole=reader --group=team && ann -n prod get pods
check "a binding of a group counts for the next request"

# replies CODE: ann's next requests, on connections that all event loops share, have this status.
replies() {
    for number in 1 2 3 4 5 6 7 8; do
        [ "$(curl -sk -o out -w '%{http_code}' -H 'Authorization: Bearer anntoken' \
            "$tls/api/v1/namespaces/prod/services")" = "$1" ] || return 1
    done
}
admin create clusterrole once --verb=list --resource=services &&
    admin -n prod create rolebinding once --clusterrole=once --user=ann && replies 200 &&
    admin -n prod delete rolebinding once && replies 403 &&
    admin -n prod create rolebinding once --clusterrole=once --user=ann && replies 200 &&
    admin delete clusterrole once && replies 403
check "a binding or role that is deleted does not count for the next request"

ann get nodes
denied 'nodes is forbidden: User "ann" cannot list resource "nodes" in API group "" at the cluster scope'
check "a role in a namespace does not reach the cluster"

[ "$(curl -sk -o out -w '%{http_code}' "$tls/api/v1/pods")" = 403 ] &&
    grep -q 'User \\"system:anonymous\\" cannot list' out
check "a request without credentials is anonymous, and denied"

[ "$(curl -sk -o out -w '%{http_code}' -H 'Authorization: Bearer wrong' "$tls/livez")" = 401 ] &&
    [ "$(curl -sk -o out -w '%{http_code}' -H 'Authorization: Bearer wrong' "$tls/api/v1/pods")" = 401 ]
check "a wrong token is 401, for health checks, too"

ann -n prod auth can-i list pods && ! ann -n prod auth can-i delete pods
check "auth can-i tells a user what it may do"

admin create clusterrole cm --verb=get,patch,update --resource=configmaps &&
    admin -n prod create rolebinding cm --clusterrole=cm --user=ann &&
    admin -n prod create rolebinding roles --clusterrole=system:aggregate-to-admin --user=ann
check "the administrator grants more"

ann -n prod create role evil --verb=get,list --resource=secrets
denied 'is attempting to grant RBAC permissions not currently held:'
check "a user cannot write a role with more than it holds"

ann -n prod create role fine --verb=get --resource=configmaps && ann -n prod create rolebinding fine --role=fine --user=joe
check "a user can grant what it holds"

ann -n prod create rolebinding evil --clusterrole=cluster-admin --user=ann
denied 'is attempting to grant RBAC permissions not currently held:'
check "a user cannot bind a role with more than it holds"

curl -sk -o out -w '%{http_code}' -H 'Authorization: Bearer anntoken' -X PATCH \
    -H 'content-type: application/apply-patch+yaml' \
    -d '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}' \
    "$tls/api/v1/namespaces/prod/configmaps/x?fieldManager=t" >code
[ "$(cat code)" = 403 ] && grep -q 'configmaps \\"x\\" is forbidden' out
check "an apply that creates needs the right to create"

admin get clusterrole view -o jsonpath='{.rules[*].resources}' && grep -q configmaps out
check "the rules of aggregated roles are gathered"

admin --as joe --as-group g1 get --raw /api/v1/namespaces/prod/pods
denied 'User "joe" cannot list resource "pods"'
check "an impersonated user has its own rights"

ann --as joe get pods
denied 'pods is forbidden: User "ann" cannot impersonate-on:user-info:list resource "pods" in API group ""'
check "impersonation is a right of its own"

follow curl -skN -H 'Authorization: Bearer anntoken' "$tls/api/v1/namespaces/prod/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
await BOOKMARK && admin -n prod delete rolebinding team-reads && await '"code":403'
check "a watch ends with 403 when its user loses the permission"
unfollow

echo "1..$count"
