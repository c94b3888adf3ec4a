#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# server_side_apply_test.sh -- Debian's kubectl apply --server-side against `listwatch serve`.
#
#   server_side_apply_test.sh PROGRAM FOLDER
#
# FOLDER is where `make deps` put kubectl.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"

start_server --data-dir data
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

# k ARGUMENTS: kubectl; its output in out and err.
k() {
    "$kubectl_program" -s "$plain" "$@" >out 2>err
}

# deployment REPLICAS IMAGE: one in the file web.yaml.
deployment() {
    cat >web.yaml <<END
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: $1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: nginx
        image: $2
        ports: [{containerPort: 80}]
END
}

deployment 1 nginx:1
k apply --server-side -f web.yaml && grep -qx 'deployment.apps/web serverside-applied' out
check "apply makes what is not there"

k get deployment web -o 'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation}{end}' &&
    [ "$(cat out)" = 'kubectl Apply' ]
check "what was applied is kubectl's"

k get deployment web -o 'jsonpath={.metadata.managedFields[0].fieldsV1.f:spec.f:template.f:spec}' &&
    grep -qF 'k:{\"name\":\"nginx\"}' out && grep -qF 'k:{\"containerPort\":80,\"protocol\":\"TCP\"}' out
check "its fields are named by the keys of their lists"

rv() { "$kubectl_program" -s "$plain" get deployment web -o 'jsonpath={.metadata.resourceVersion}'; }
before=$(rv)
k apply --server-side -f web.yaml && [ "$(rv)" = "$before" ]
check "the same again changes nothing"

deployment 2 nginx:2
k apply --server-side -f web.yaml &&
    k get deployment web -o 'jsonpath={.spec.replicas} {.spec.template.spec.containers[*].image}' &&
    [ "$(cat out)" = '2 nginx:2' ]
check "apply changes what is different"

sed -i '/^  labels:/d' web.yaml
k apply --server-side -f web.yaml && k get deployment web -o 'jsonpath={.metadata.labels}' &&
    [ ! -s out ]
check "apply removes what is no longer said"

k scale deployment web --replicas=5 && deployment 3 nginx:2 && ! k apply --server-side -f web.yaml &&
    grep -q 'Apply failed with 1 conflict: conflict with "kubectl" .*: .spec.replicas' err
check "what another changed since is a conflict"

k get deployment web -o 'jsonpath={.spec.replicas}' && [ "$(cat out)" = 5 ]
check "a conflict changes nothing"

k apply --server-side --force-conflicts -f web.yaml &&
    k get deployment web -o 'jsonpath={.spec.replicas}' && [ "$(cat out)" = 3 ]
check "force takes it over"

deployment 3 nginx:3
! k apply --server-side --field-manager=other -f web.yaml &&
    grep -q 'conflict with "kubectl": .spec.template.spec.containers\[name="nginx"\].image' err
check "another manager is told whose field it is"

deployment 3 nginx:2
k apply --server-side --field-manager=other -f web.yaml
check "two managers may want the same"

deployment 4 nginx:2
curl -sS -X PATCH -H 'Content-Type: application/apply-patch+yaml' --data-binary @web.yaml \
    "$plain/apis/apps/v1/namespaces/default/deployments/web?fieldManager=kubectl&dryRun=All&force=true" \
    >out 2>err && grep -q '"replicas": 4' out
check "a dry run shows what apply would change"

k get deployment web -o 'jsonpath={.spec.replicas}' && [ "$(cat out)" = 3 ]
check "a dry run changes nothing"

k create configmap plain --from-literal=a=1 &&
    k get configmap plain -o 'jsonpath={.metadata.managedFields[0].manager} {.metadata.managedFields[0].operation}' &&
    [ "$(cat out)" = 'kubectl-create Update' ]
check "what is made otherwise is its maker's"

# lw ARGUMENTS: our own program; its output in out and err.
lw() {
    ${MESON_EXE_WRAPPER-} "$program" apply --server "$plain" "$@" >out 2>err
}

k delete deployment web && deployment 2 nginx:2 &&
    lw --server-side --field-manager web-controller -f web.yaml &&
    grep -qx 'deployment.apps/web serverside-applied' out
check "listwatch apply does it too, under the name it is given"

k scale deployment web --replicas=5 && ! lw --server-side --field-manager web-controller -f web.yaml &&
    grep -q 'conflict with "kubectl" .*: .spec.replicas' err &&
    k get deployment web -o 'jsonpath={.spec.replicas}' && [ "$(cat out)" = 5 ]
check "what kubectl scale has taken is a conflict that names kubectl"

lw --server-side --field-manager web-controller --force-conflicts -f web.yaml &&
    k get deployment web -o 'jsonpath={.spec.replicas}' && [ "$(cat out)" = 2 ]
check "with --force-conflicts it is taken back"

lw --force-conflicts -f web.yaml; [ $? -eq 2 ] && grep -q '\-\-force-conflicts: requires --server-side' err
check "--force-conflicts alone is refused"

stop_server
check "the server ends well"
echo "1..$count"
