#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster_commands_test.sh -- the commands for daily work, on a server with controllers.
# usage: cluster_commands_test.sh PROGRAM
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
program=$(absolute "$1")
cd "$dir" || exit 1
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT
unset KUBECONFIG
export HOME="$dir"

start_server --memory --controllers --nodes 2

# on ARGUMENT...: output in out and err, exit code in code.
on() {
    run "$program" "$@" --server "$plain" >out 2>err
    code=$?
}

cat >web.yaml <<'END_OF_FILE'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
END_OF_FILE

on apply -f web.yaml
on rollout status deployment/web --timeout 60s
[ $code -eq 0 ] && [ "$(tail -n 1 out)" = 'deployment "web" successfully rolled out' ]
check "rollout status waits for a deployment"

on get pods
[ $code -eq 0 ] && [ "$(head -n 1 out | tr -s ' ')" = "NAME READY STATUS RESTARTS AGE" ] &&
    [ "$(grep -c '1/1 *Running' out)" -eq 2 ]
check "get shows what the server knows about pods"

on get pods,deployments
[ $code -eq 0 ] && grep -q '^pod/web-' out && grep -q '^$' out && grep -q '^deployment.apps/web ' out
check "get shows several resources with their kinds"

on get all
[ $code -eq 0 ] && grep -q '^pod/web-' out && grep -q '^replicaset.apps/web-' out
check "get all shows the resources of the category"

on get pods -o wide --no-headers --show-labels
[ $code -eq 0 ] && [ "$(grep -c 'node-[12].*app=web' out)" -eq 2 ] && ! grep -q NAME out
check "wide columns, labels, and no titles"

on get nodes --sort-by '{.metadata.name}' -L kubernetes.io/hostname
[ $code -eq 0 ] && [ "$(head -n 1 out | awk '{ print $NF }')" = HOSTNAME ] &&
    [ "$(sed -n 3p out | awk '{ print $NF }')" = node-2 ]
check "sorts and shows labels as columns"

on get deploy/web nosuch/x
[ $code -eq 1 ] && grep -q '"nosuch"' err
check "an unknown resource among others is an error"

on get deploymnets
[ $code -eq 1 ] && grep -q "^listwatch: .*\"deploymnets\" (did you mean deployments?)$" err
check "suggests the resource that was meant"

run "$program" gte pods >out 2>err
[ $? -eq 2 ] && [ "$(cat err)" = 'listwatch: unknown command "gte" (did you mean get?)' ]
check "suggests the command that was meant"

on get pods --shwo-labels
[ $code -eq 2 ] && grep -q 'unknown option --shwo-labels of get (did you mean --show-labels?)' err
check "suggests the option that was meant"

on scale deployment/web --replicas 3
[ $code -eq 0 ] && [ "$(cat out)" = "deployment.apps/web scaled" ]
check "scale changes the replicas"

on scale deployment/web --replicas 5 --current-replicas 9
[ $code -eq 1 ] && grep -q 'expected 9 replicas, but it has 3' err
check "scale checks the number of now"

on wait deployment/web --for 'jsonpath={.status.readyReplicas}=3' --timeout 60s
[ $code -eq 0 ] && [ "$(cat out)" = "deployment.apps/web condition met" ]
check "wait for a value"

on wait pods -l app=web --for condition=Ready --timeout 60s
[ $code -eq 0 ] && [ "$(grep -c 'condition met$' out)" -eq 3 ]
check "wait for a condition of all that match"

on wait deployment/web --for condition=Nonsense --timeout 1s
[ $code -eq 1 ] && grep -q '^listwatch: timed out waiting for condition=Nonsense on deployment.apps/web$' err
check "wait gives up after its time"

on wait pod/nosuch --for delete
[ $code -eq 0 ] && [ "$(cat out)" = "pod/nosuch deleted" ]
check "what does not exist is deleted"

on describe deployment web
[ $code -eq 0 ] && grep -q '^Name:  *web$' out && grep -q '^  Replicas:  *3$' out &&
    grep -q 'ScalingReplicaSet .*deployment-controller' out
check "describe shows fields and events"

on api-resources --no-headers
[ $code -eq 0 ] && grep -q '^deployments  *deploy  *apps/v1  *true  *Deployment$' out
check "api-resources lists short names, versions and kinds"

on api-resources --api-group apps -o name
[ $code -eq 0 ] && grep -qx 'deployments.apps' out && ! grep -q pods out
check "api-resources of one group"

on explain deployment.spec.replicas
[ $code -eq 0 ] && grep -q '^FIELD: replicas <integer>$' out && grep -q '^GROUP:  *apps$' out
check "explain shows a field"

on explain deployment.spec.nosuch
[ $code -eq 1 ] && grep -q '^listwatch: field "nosuch" does not exist; see listwatch explain deployments.spec$' err
check "a field that does not exist is an error that says where to look"

follow "$program" get pods -w --no-headers --server "$plain"
await '^web-.*Running'
on scale deployment/web --replicas 4
await '^web-.*Pending' && await '^web-.*Running'
check "get -w prints the changes"
unfollow

for shell in bash zsh fish; do
    run "$program" completion $shell >out 2>err
    [ $? -eq 0 ] && grep -q listwatch out && [ ! -s err ]
    check "prints the completion of $shell"
done

# The script runs the program from the PATH.
mkdir bin
printf '#!/bin/sh\nexec %s %s "$@"\n' "${MESON_EXE_WRAPPER-}" "$program" >bin/listwatch
chmod +x bin/listwatch
cat >complete.sh <<'END_OF_FILE'
source <(listwatch completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
__listwatch
printf '%s\n' "${COMPREPLY[@]}"
END_OF_FILE
complete() {
    PATH="$dir/bin:$PATH" bash complete.sh "$@" >out 2>err
}
if command -v bash >/dev/null; then
    complete listwatch desc
    [ "$(cat out)" = describe ]
    check "bash completes commands"
    complete listwatch get --show-l
    [ "$(cat out)" = --show-labels ]
    check "bash completes options"
    complete listwatch get --server "$plain" deployments.a
    [ "$(cat out)" = deployments.apps ]
    check "bash completes resources"
    complete listwatch describe --server "$plain" deploy w
    [ "$(cat out)" = web ]
    check "bash completes names"
fi

echo "1..$count"
