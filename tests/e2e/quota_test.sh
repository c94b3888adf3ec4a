#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# quota_test.sh -- quotas and limit ranges as kubectl sees them, and many clients at once; Debian's
# kubectl against `listwatch serve`.
#
#   quota_test.sh PROGRAM FOLDER memory|etcd
#
# FOLDER is where `make deps` put kubectl.  With etcd, two servers share $ETCD_ENDPOINTS, and half of
# the clients come to each.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"
way=$3

if [ "$way" = etcd ]; then
    start_server --data-dir other --etcd "$ETCD_ENDPOINTS"
    other_server=$server other=$plain
    start_server --data-dir data --etcd "$ETCD_ENDPOINTS"
else
    start_server --data-dir data
    other_server=$server other=$plain
fi
trap 'kill "$server" "$other_server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

k() {
    "$kubectl_program" -s "$plain" "$@" >out 2>err
}

# used TEXT: waits until the status of the quota q has TEXT in it, a minute at most.
used() {
    follow curl -sN "$plain/api/v1/namespaces/default/resourcequotas?watch=1&fieldSelector=metadata.name%3Dq"
    await "\"used\":{$1"
    seen=$?
    unfollow
    return $seen
}

# create_many COUNT: that many ConfigMaps at once, of each server in turn; the codes go to codes.
create_many() {
    : >codes
    for i in $(seq "$1"); do
        [ $((i % 2)) -eq 0 ] && to=$plain || to=$other
        curl -s -o /dev/null -w '%{http_code}\n' -H 'content-type: application/json' \
            -d "{\"metadata\":{\"name\":\"c$i\"}}" "$to/api/v1/namespaces/default/configmaps" >>codes &
        creators="${creators-} $!"
    done
    # shellcheck disable=SC2086
    wait $creators
}

k create quota q --hard=configmaps=10,pods=1,requests.cpu=1 && used '"configmaps":"0"'
check "a quota is counted as soon as it is made"

create_many 40
[ "$(grep -c 201 codes)" -eq 10 ] && [ "$(grep -c 403 codes)" -eq 30 ] &&
    k get configmaps -o name && [ "$(wc -l <out)" -eq 10 ]
check "forty clients at once make what the quota allows, and no more"

k create configmap more
[ $? -ne 0 ] && grep -q 'configmaps "more" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=10, limited: configmaps=10' err
check "kubectl is told which quota is exceeded, and by how much"

k delete configmaps --all && used '"configmaps":"0"'
check "what is deleted is given back"

k run p --image=i --restart=Never
[ $? -ne 0 ] && grep -q 'must specify requests.cpu' err
check "a quota of cpu has pods say what they need"

k create -f - <<END && k run p --image=i --restart=Never &&
apiVersion: v1
kind: LimitRange
metadata: {name: l}
spec:
  limits:
  - {type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 250m}, max: {cpu: "1"}}
END
    k get pod p -o 'jsonpath={.spec.containers[0].resources.requests.cpu}' && [ "$(cat out)" = 250m ] &&
    used '"configmaps":"0","pods":"1","requests.cpu":"250m"'
check "a limit range says it for them, and the quota counts that"

k create -f - <<END
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: c, image: i, resources: {limits: {cpu: "2"}}}]}
END
[ $? -ne 0 ] && grep -q 'maximum cpu usage per Container is 1, but limit is 2' err
check "a limit range refuses what is too large"

k describe quota q && grep -q '^requests.cpu *250m *1$' out
check "kubectl describes what is used"

[ "$way" = etcd ] && kill "$other_server"
stop_server
check "the server ends cleanly"

echo "1..$count"
