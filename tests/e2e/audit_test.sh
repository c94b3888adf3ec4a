#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# audit_test.sh -- the audit log of `listwatch serve`, as kubectl and curl cause it.
#
#   audit_test.sh PROGRAM FOLDER
#
# FOLDER is where `make deps` put kubectl.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"

cat >policy.yaml <<END
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: None
  users: [system:admin]
- level: None
  nonResourceURLs: ["/api*", "/openapi*", "/livez"]
- level: RequestResponse
  resources:
  - group: ""
    resources: [configmaps]
- level: Metadata
END
printf 'anntoken,ann,1,"system:masters"\nbobtoken,bob,2\n' >tokens
start_server --data-dir data --token-file tokens --authorization-mode RBAC \
    --audit-policy-file policy.yaml --audit-log-path logs/audit.log --audit-log-mode batch
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

ann() {
    "$kubectl_program" -s "$tls" --insecure-skip-tls-verify --token anntoken "$@" >out 2>err
}

# recorded TEXT...: one line of the log has all of them.
recorded() {
    cp logs/audit.log lines
    for text; do
        grep -F -- "$text" lines >fewer
        mv fewer lines
    done
    cp lines out
    [ -s lines ]
}

ann create configmap a --from-literal=k=v && ann get configmap a && ann delete configmap a
check "kubectl works with auditing"

curl -sk -H 'Authorization: Bearer bobtoken' -H 'Audit-Id: of-bob' -D headers "$tls/api/v1/secrets" >out &&
    grep -qi '^Audit-Id: of-bob' headers
check "the reply has the ID of the event"

# A body of this size is served by a worker.
python3 -c 'print("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"large\"},\"data\":{\"k\":\"" + "x" * 800000 + "\"}}")' >large.json
curl -sk -H 'Authorization: Bearer anntoken' -H 'Content-Type: application/json' --data-binary @large.json -D headers \
    "$tls/api/v1/namespaces/default/configmaps" >out
[ "$(grep -ic '^Audit-Id:' headers)" = 1 ] && curl -s "$plain/metrics" >out &&
    grep -q '^listwatch_worker_requests_total [1-9]' out
check "a large request is served by a worker, and its reply has one ID"
large_id=$(sed -n 's/^[Aa]udit-[Ii]d: *\([^[:space:]]*\).*/\1/p' headers)

curl -sk "$tls/api/v1/namespaces/default/pods?limit=1" >out
curl -sk -H 'Authorization: Bearer wrong' "$tls/api/v1/pods" >out
curl -sk -N -H 'Authorization: Bearer anntoken' "$tls/api/v1/pods?watch=1&timeoutSeconds=1" >out
curl -s "$plain/metrics" >out && grep -q '^apiserver_audit_event_total [1-9]' out &&
    grep -q '^apiserver_audit_error_total{plugin="buffered"} 0' out &&
    grep -q '^authentication_attempts{result="failure"} 1' out &&
    grep -q '^authorization_attempts_total{result="denied"} 2' out
check "metrics count the events and the refusals"

stop_server
check "the server stops"

recorded '"verb":"create"' '"username":"ann"' '"name":"a"' '"code":201' '"requestObject":{' \
    '"responseObject":{"kind":"ConfigMap"' '"data":{"k":"v"}'
check "a creation is recorded with both bodies"

recorded '"name":"large"' '"code":201' "\"auditID\":\"$large_id\"" && [ "$(grep -c '"name":"large"' logs/audit.log)" = 1 ]
check "a request that a worker has served is recorded once, with the ID of its reply"

! grep -q managedFields logs/audit.log
check "managed fields are omitted"

recorded '"verb":"delete"' '"status":"Success"' '"code":200'
check "a deletion is recorded"

recorded '"auditID":"of-bob"' '"username":"bob"' '"code":403' '"authorization.k8s.io/decision":"forbid"' \
    '"message":"secrets is forbidden'
check "a forbidden request is recorded"

recorded '"username":"system:anonymous"' '"requestURI":"/api/v1/namespaces/default/pods?limit=1"' '"code":403'
check "an anonymous request is recorded"

recorded '"stage":"ResponseStarted"' '"user":{}' '"code":401'
check "failed authentication is recorded without a user"

recorded '"stage":"ResponseStarted"' '"verb":"watch"' && recorded '"stage":"ResponseComplete"' '"verb":"watch"'
check "a watch is recorded when it starts and when it ends"

! grep -q -e '"stage":"RequestReceived"' -e system:admin logs/audit.log
check "what the policy leaves out is not recorded"

python3 -c 'import json, sys
for line in open("logs/audit.log"):
    event = json.loads(line)
    assert event["kind"] == "Event" and event["apiVersion"] == "audit.k8s.io/v1", line' >out 2>err
check "every line is an event"

printf 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]\n' >wrong.yaml
! run "$program" serve --memory --listen none --insecure-listen 127.0.0.1:0 --audit-policy-file wrong.yaml \
    --audit-log-path - >out 2>err && grep -q 'wrong.yaml: rules\[0\].level: "All" is not a level' err
check "a wrong policy is refused with the file and the field"

! run "$program" serve --memory --listen none --insecure-listen 127.0.0.1:0 --audit-log-path - >out 2>err &&
    grep -q 'set both or neither' err
check "a log without a policy is refused"

echo "1..$count"
