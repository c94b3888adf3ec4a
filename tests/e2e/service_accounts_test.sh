#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# service_accounts_test.sh -- tokens of service accounts as kubectl, curl and openssl see them, against
# `listwatch serve`.
#
#   service_accounts_test.sh PROGRAM FOLDER
#
# FOLDER is where `make deps` put kubectl.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"

start_server --data-dir data --authorization-mode RBAC
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

k() {
    "$kubectl_program" -s "$plain" "$@" >out 2>err
}

# ask TOKEN PATH [ARGUMENT...]: the code goes to code, the body to out.
ask() {
    token=$1 path=$2
    shift 2
    code=$(curl -s --cacert data/pki/ca.crt -o out -w '%{http_code}' \
        -H "Authorization: Bearer $token" "$@" "$tls$path" 2>err)
}

# review TOKEN [AUDIENCE]: what a TokenReview says goes to out.
review() {
    audiences=${2:+\"$2\"}
    curl -s -H 'content-type: application/json' -d "{\"spec\":{\"token\":\"$1\",\"audiences\":[$audiences]}}" \
        "$plain/apis/authentication.k8s.io/v1/tokenreviews" >out 2>err
}

# new_token ACCOUNT [SPEC]: the token, or the refusal, goes to out.  A kubectl before 1.24 has no
# `create token`; what it would send is sent here.
new_token() {
    echo "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{${2-}}}" |
        "$kubectl_program" -s "$plain" create --raw "/api/v1/namespaces/default/serviceaccounts/$1/token" \
            -f - >reply 2>err || return 1
    sed 's/.*"token":"\([^"]*\)".*/\1/' reply >out
}

# part NUMBER TOKEN: a part of a token, decoded.
part() {
    text=$(printf '%s' "$2" | cut -d. -f"$1" | tr '_-' '/+')
    while [ $((${#text} % 4)) -ne 0 ]; do text="$text="; done
    printf '%s' "$text" | base64 -d
}

k create serviceaccount robot && new_token robot
check "kubectl creates a token"
robot=$(cat out)

ask "$robot" /apis/authentication.k8s.io/v1/selfsubjectreviews -H 'content-type: application/json' -d '{}'
[ "$code" = 201 ] && grep -q '"username": "system:serviceaccount:default:robot"' out &&
    grep -q '"system:serviceaccounts:default"' out && grep -q '"JTI=' out
check "the token is the service account"

ask "$robot" /api/v1/namespaces/default/pods
[ "$code" = 403 ] &&
    grep -q 'User \\"system:serviceaccount:default:robot\\" cannot list resource \\"pods\\"' out
check "a service account may do nothing at first"

k create rolebinding robot --clusterrole=view --serviceaccount=default:robot &&
    ask "$robot" /api/v1/namespaces/default/pods
[ "$code" = 200 ]
check "a role binding gives it permissions"

# ES256: the signature of a token is two numbers; openssl wants them as DER.
printf '%s' "$robot" | cut -d. -f1,2 | tr -d '\n' >signed
part 3 "$robot" | od -An -v -tx1 | tr -d ' \n' >numbers
r=$(cut -c1-64 numbers) s=$(cut -c65-128 numbers)
printf 'asn1=SEQUENCE:s\n[s]\nr=INTEGER:0x%s\ns=INTEGER:0x%s\n' "$r" "$s" >signature.cnf
openssl asn1parse -genconf signature.cnf -noout -out signature.der >out 2>err &&
    openssl pkey -in data/pki/sa.key -pubout -out public.pem 2>err &&
    openssl dgst -sha256 -verify public.pem -signature signature.der signed >out 2>err
check "openssl verifies its signature"

[ "$(stat -c %a data/pki/sa.key)" = 600 ]
check "the private key is for its owner only"

ask "$robot" /.well-known/openid-configuration
[ "$code" = 200 ] && grep -q '"issuer":"https://kubernetes.default.svc.cluster.local"' out &&
    grep -q "\"jwks_uri\":\"$tls/openid/v1/jwks\"" out && ask "$robot" /openid/v1/jwks -D head
[ "$code" = 200 ] && grep -qi '^content-type: application/jwk-set+json' head &&
    grep -q "\"kid\":\"$(part 1 "$robot" | sed 's/.*"kid":"\([^"]*\)".*/\1/')\"" out
check "service accounts find the public keys"

code=$(curl -s --cacert data/pki/ca.crt -o out -w '%{http_code}' "$tls/openid/v1/jwks" 2>err)
[ "$code" = 403 ]
check "anonymous users do not"

new_token robot '"audiences":["vault"]' && vault=$(cat out) && ask "$vault" /api/v1/namespaces/default/pods
[ "$code" = 401 ]
check "a token for another audience is refused"

review "$vault" && grep -q '"error": *"invalid bearer token"' out && review "$vault" vault &&
    tr -d ' \n' <out | grep -q '"status":{"authenticated":true,.*"audiences":\["vault"\]}'
check "a TokenReview for that audience accepts it"

new_token robot '"expirationSeconds":300'
grep -q 'may not specify a duration less than 10 minutes' err
check "a token lives for ten minutes at least"

k create namespace other && k -n other run web --image web &&
    k -n other get pod web -o 'jsonpath={.spec.serviceAccountName} {.spec.volumes[0].projected.sources[0].serviceAccountToken.path}'
[ "$(cat out)" = "default token" ]
check "a pod right after its namespace has the account default"

k run web --image web &&
    k get pod web -o 'jsonpath={.spec.volumes[0].projected.sources[0].serviceAccountToken.path} {.spec.containers[0].volumeMounts[0].mountPath}'
[ "$(cat out)" = "token /var/run/secrets/kubernetes.io/serviceaccount" ]
check "a pod gets a volume with a token"

new_token default '"boundObjectRef":{"kind":"Pod","name":"web"}' && bound=$(cat out) &&
    review "$bound" && grep -q '"authentication.kubernetes.io/pod-name"' out &&
    k delete pod web --grace-period=0 --force && review "$bound" && grep -q 'invalid bearer token' out
check "a token that is bound to a pod ends with the pod"

k run other --image web --overrides '{"spec":{"serviceAccountName":"nobody"}}'
grep -q 'error looking up service account default/nobody: serviceaccount "nobody" not found' err
check "a pod needs an existing service account"

cat >secret.yaml <<'SECRET'
apiVersion: v1
kind: Secret
metadata:
  name: kept
  annotations:
    kubernetes.io/service-account.name: robot
type: kubernetes.io/service-account-token
SECRET
follow curl -sN "$plain/api/v1/namespaces/default/secrets?watch=1"
k apply -f secret.yaml && await '"token":"'
seen=$?
unfollow
[ $seen -eq 0 ] && k get secret kept -o 'jsonpath={.data.token}' && kept=$(base64 -d <out) &&
    ask "$kept" /api/v1/namespaces/default/pods
[ "$code" = 200 ] && k get secret kept -o 'jsonpath={.data.ca\.crt}' &&
    base64 -d <out | cmp -s - data/pki/ca.crt
check "a Secret gets a token and the CA"

stop_server
start_server --data-dir data --authorization-mode RBAC
ask "$robot" /api/v1/namespaces/default/pods
[ "$code" = 200 ]
check "tokens are valid after a restart"

follow curl -sN "$plain/api/v1/namespaces/default/secrets?watch=1"
k delete serviceaccount robot && await '"type":"DELETED"'
seen=$?
unfollow
ask "$robot" /api/v1/namespaces/default/pods
[ $seen -eq 0 ] && [ "$code" = 401 ] && ! grep -q 'exist' out && grep -q 'its ServiceAccount does not exist' server.log
check "with the service account its tokens and its Secret are gone; the log says why"

stop_server
openssl genrsa -out rsa.key 2048 2>/dev/null
start_server --memory --service-account-signing-key-file rsa.key --service-account-key-file data/pki/sa.key \
    --service-account-issuer https://issuer.example --api-audiences one,two
k create serviceaccount robot && new_token robot && part 1 "$(cat out)" | grep -q '"alg":"RS256"' &&
    part 2 "$(cat out)" | grep -q '"aud":\["one","two"\],.*"iss":"https://issuer.example"'
check "key, issuer and audiences can be chosen"

stop_server
check "the server ends cleanly"

echo "1..$count"
