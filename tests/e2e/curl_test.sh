#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# curl_test.sh -- lists and watches with curl: HTTP/1.1, HTTP/2 with and without TLS.
#
#   curl_test.sh PROGRAM
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
program=$(absolute "$1")
cd "$dir" || exit 1
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

start_server --data-dir data
pods=/api/v1/namespaces/default/pods
token=$(sed -n 's/.*token: *"\{0,1\}\([^" ]*\).*/\1/p' data/admin.kubeconfig)
sed -n 's/.*certificate-authority-data: *"\{0,1\}\([^" ]*\).*/\1/p' data/admin.kubeconfig |
    base64 -d >ca.pem

# get PATH ARGUMENT...: body in out, status in code.
get() {
    path=$1
    shift
    code=$(curl -sS -o out -w '%{http_code}' "$@" "$plain$path" 2>err)
}

# run_pod NAME: makes a pod.
run_pod() {
    code=$(curl -sS -o out -w '%{http_code}' "$plain$pods" -H 'Content-Type: application/yaml' \
        --data-binary "metadata: {name: $1, labels: {app: $1}}
spec: {containers: [{name: c, image: i}]}" 2>err)
    [ "$code" = 201 ]
}

get /api/v1/namespaces/default && [ "$code" = 200 ] && [ "$(head -n 1 out)" = '{' ] &&
    grep -qx '    "name": "default",' out
check "what curl gets is laid out for people"

get '/api/v1/namespaces/default?pretty=false' && [ "$(wc -l <out)" = 1 ]
check "unless it asks for it in one line"

get /api/v1/namespaces/default -H 'Accept: application/yaml' && grep -qx 'kind: Namespace' out
check "YAML"

watch() {
    follow curl -sSN "$@"
}

watch "$plain$pods?watch=1"
run_pod one && await '^{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1",.*"name":"one"'
check "a watch over HTTP/1.1 has the line at once"
unfollow

watch --http2-prior-knowledge "$plain$pods?watch=1"
await '"name":"one"' && run_pod two && await '^{"type":"ADDED",.*"name":"two"'
check "a watch over HTTP/2 without TLS"
unfollow

watch --http2 --cacert ca.pem -H "Authorization: Bearer $token" "$tls$pods?watch=1&labelSelector=app=three"
run_pod three && await '^{"type":"ADDED",.*"name":"three"'
check "a watch with a selector over HTTP/2 with TLS"
unfollow

code=$(curl -sS -o out -w '%{http_version}' --http2 --cacert ca.pem \
    -H "Authorization: Bearer $token" "$tls/version" 2>err)
[ "$code" = 2 ] && grep -q gitVersion out
check "TLS speaks HTTP/2"

code=$(curl -sS -o out -w '%{http_version}' --http1.1 --cacert ca.pem \
    -H "Authorization: Bearer $token" "$tls/version" 2>err)
[ "$code" = 1.1 ] && grep -q gitVersion out
check "and HTTP/1.1"

curl -sS -o out "$plain$pods?watch=1&timeoutSeconds=1" 2>err && [ "$(wc -l <out)" = 3 ]
check "timeoutSeconds ends a watch cleanly"

curl -sS -o out "$plain$pods?watch=1&resourceVersion=1&timeoutSeconds=1" 2>err &&
    [ "$(grep -c '"type":"ADDED"' out)" = 3 ]
check "a watch from the past replays it"

get "$pods?limit=2" && token=$(sed -n 's/.*"continue": "\([^"]*\)".*/\1/p' out) && [ -n "$token" ] &&
    grep -q '"remainingItemCount": 1' out && get "$pods?limit=2&continue=$token" &&
    [ "$(grep -c '"name": "two"' out)" = 1 ] && ! grep -q '"continue"' out
check "pages"

get "$pods" -H 'Accept: application/json;as=Table;v=v1;g=meta.k8s.io' &&
    grep -q '"kind": "Table"' out && grep -q '"name": "Ready"' out
check "a table"

for bad in '?labelSelector=a%3Db%2C%2C%3D' '?fieldSelector=colour%3Dred' '?resourceVersion=abc' \
    '?limit=x' '?continue=nonsense' '?resourceVersionMatch=Exact'; do
    get "$pods$bad"
    case $code in 400 | 422) grep -q '"kind": "Status"' out ;; *) false ;; esac
    check "refused with a Status: $bad"
done

get /api/v1/namespaces/default/nothings && [ "$code" = 404 ] &&
    grep -q '"message": "the server could not find the requested resource"' out
check "an unknown resource"

get /apis/no.such/v1/things && [ "$code" = 404 ] && [ "$(cat out)" = '404 page not found' ]
check "an unknown group"

head -c 4000000 /dev/zero | tr '\0' 'x' >large
code=$(curl -sS -o out -w '%{http_code}' -H 'Content-Type: application/json' --data-binary @large \
    "$plain$pods" 2>err)
[ "$code" = 413 ] && grep -q 'Request entity too large: limit is 3145728' out
check "a body that is too large"

code=$(curl -sS -o out -w '%{http_code}' -H 'Content-Type: application/json' \
    --data-binary '{"metadata":' "$plain$pods" 2>err)
[ "$code" = 400 ] && grep -q '"reason": "BadRequest"' out
check "a body that is no JSON"

code=$(curl -sS -o out -w '%{http_code}' -H 'Content-Type: application/json' \
    --data-binary '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}' "$plain$pods" 2>err)
[ "$code" = 400 ] && grep -q 'cannot be handled as a Pod' out
check "a body of another kind"

get /readyz && [ "$code" = 200 ] && [ "$(cat out)" = ok ]
check "after all this the server is well"

watch "$plain$pods?watch=1"
await '"name":"two"'
stop_server
check "SIGTERM ends the server"
cat <&8 >rest
wait "$follower"
check "and its watches cleanly"
echo "1..$count"
