#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# certificates_test.sh -- a kubelet gets its certificate by a bootstrap token, and people approve and
# deny certificate signing requests; kubectl, curl and openssl against `listwatch serve`.
#
#   certificates_test.sh PROGRAM FOLDER
#
# FOLDER is where `make deps` put kubectl.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"

printf 'anntoken,ann,1,"team"\n' >tokens
start_server --data-dir data --token-file tokens --authorization-mode RBAC --enable-bootstrap-token-auth
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT
requests=apis/certificates.k8s.io/v1/certificatesigningrequests

admin() {
    "$kubectl_program" -s "$plain" "$@" >out 2>err
}

# denied TEXT: the last command failed with a message that contains TEXT.
denied() {
    [ $? -ne 0 ] && grep -qF -- "$1" err
}

# request NAME SUBJECT SIGNER USAGES [EXTENSION]: makes NAME.key and the object NAME.json.
request() {
    set -- "$1" "$2" "$3" "$4" "${5-}"
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" \
        -subj "$2" ${5:+-addext "$5"} -out "$1.csr" 2>/dev/null || return 1
    cat >"$1.json" <<END
{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"$1"},
 "spec":{"request":"$(base64 -w0 "$1.csr")","signerName":"$3","usages":[$4],"expirationSeconds":3600}}
END
}

# issued NAME: waits for the certificate of the request NAME and puts it into NAME.crt.
issued() {
    follow curl -sN -A e2e "$plain/$requests?watch=1&fieldSelector=metadata.name=$1"
    await '"certificate":"'
    result=$?
    unfollow
    [ $result -eq 0 ] &&
        sed -n 's/.*"certificate":"\([^"]*\)".*/\1/p' out | tail -n 1 | base64 -d >"$1.crt"
}

# whoami ARGUMENT...: the identity that the server has authenticated for the caller of curl.
whoami() {
    curl -sk -A e2e "$@" -X POST -H 'content-type: application/json' \
        -d '{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}' \
        "$tls/apis/authentication.k8s.io/v1/selfsubjectreviews" >out
}

bearer='Authorization: Bearer abcdef.0123456789abcdef'

whoami -H "$bearer" && grep -q '"code":401' out
check "a bootstrap token that does not exist is 401"

admin create -f - <<END
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"bootstrap-token-abcdef","namespace":"kube-system"},
 "type":"bootstrap.kubernetes.io/token",
 "stringData":{"token-id":"abcdef","token-secret":"0123456789abcdef","usage-bootstrap-authentication":"true",
               "expiration":"2999-01-01T00:00:00Z",
               "auth-extra-groups":"system:bootstrappers:kubeadm:default-node-token"}}
END
whoami -H "$bearer" && grep -q '"username":"system:bootstrap:abcdef"' out &&
    grep -qF '"groups":["system:bootstrappers","system:bootstrappers:kubeadm:default-node-token","system:authenticated"]' out
check "a bootstrap token authenticates as system:bootstrap:ID with its groups"

whoami -H 'Authorization: Bearer abcdef.0123456789abcdeX' && grep -q '"code":401' out &&
    whoami -H 'Authorization: Bearer abcdef.0123456789abcde0' && grep -q '"code":401' out
check "a wrong secret is 401"

request node1 /O=system:nodes/CN=system:node:node1 kubernetes.io/kube-apiserver-client-kubelet \
    '"digital signature","client auth"'
[ "$(curl -sk -A e2e -o out -w '%{http_code}' -H "$bearer" -H 'content-type: application/json' -d @node1.json "$tls/$requests")" = 403 ]
check "without the binding of kubeadm, a bootstrap token may do nothing"

group=system:bootstrappers:kubeadm:default-node-token
admin create clusterrolebinding kubeadm:kubelet-bootstrap --clusterrole=system:node-bootstrapper --group=$group &&
    [ "$(curl -sk -A e2e -o out -w '%{http_code}' -H "$bearer" -H 'content-type: application/json' -d @node1.json "$tls/$requests")" = 201 ] &&
    grep -q '"username":"system:bootstrap:abcdef"' out && admin get csr node1 &&
    grep -q 'node1 .*kubernetes.io/kube-apiserver-client-kubelet *system:bootstrap:abcdef *60m *Pending' out
check "with it, the kubelet posts its request, which waits for approval"

admin create clusterrolebinding kubeadm:node-autoapprove-bootstrap \
    --clusterrole=system:certificates.k8s.io:certificatesigningrequests:nodeclient --group=$group && issued node1 &&
    admin get csr node1 && grep -q 'Approved,Issued' out && admin get csr node1 -o yaml && grep -q 'reason: AutoApproved' out
check "with the binding for automatic approval, the request is approved and signed"

openssl x509 -in node1.crt -noout -subject -ext extendedKeyUsage,keyUsage,basicConstraints >out 2>err &&
    grep -q 'O = system:nodes, CN = system:node:node1' out && grep -q 'TLS Web Client Authentication' out &&
    grep -q 'CA:FALSE' out && openssl verify -CAfile data/pki/ca.crt node1.crt >out 2>err &&
    openssl x509 -in node1.crt -noout -checkend 3000 >out && ! openssl x509 -in node1.crt -noout -checkend 3700 >out
check "the certificate has the subject and the lifetime of the request, and is signed by the CA of the server"

whoami --cert node1.crt --key node1.key && grep -q '"username":"system:node:node1"' out &&
    grep -qF '"groups":["system:nodes","system:authenticated"]' out
check "with the certificate, the kubelet is system:node:node1 in system:nodes"

admin create clusterrolebinding kubeadm:node-autoapprove-certificate-rotation \
    --clusterrole=system:certificates.k8s.io:certificatesigningrequests:selfnodeclient --group=system:nodes &&
    admin create clusterrolebinding nodes --clusterrole=system:node-bootstrapper --group=system:nodes &&
    request renewal /O=system:nodes/CN=system:node:node1 kubernetes.io/kube-apiserver-client-kubelet \
        '"digital signature","client auth"' &&
    [ "$(curl -sk -A e2e --cert node1.crt --key node1.key -o out -w '%{http_code}' -H 'content-type: application/json' \
        -d @renewal.json "$tls/$requests")" = 201 ] && issued renewal
check "the kubelet renews its own certificate"

request serving /O=system:nodes/CN=system:node:node1 kubernetes.io/kubelet-serving \
    '"digital signature","server auth"' 'subjectAltName=DNS:node1,IP:10.0.0.1' && admin create -f serving.json &&
    admin certificate approve serving && issued serving &&
    openssl x509 -in serving.crt -noout -ext subjectAltName >out && grep -q 'DNS:node1, IP Address:10.0.0.1' out
check "kubectl certificate approve: a serving certificate has the names of the request"

request ann /O=dev/CN=ann kubernetes.io/kube-apiserver-client '"client auth"' && admin create -f ann.json &&
    admin certificate deny ann && admin get csr ann && grep -q 'Denied$' out && ! admin certificate approve ann
check "kubectl certificate deny: the request is denied, and stays so"

request wrong /O=dev/CN=ann kubernetes.io/kubelet-serving '"digital signature","server auth"' &&
    admin create -f wrong.json && follow curl -sN -A e2e "$plain/$requests?watch=1&fieldSelector=metadata.name=wrong" &&
    admin certificate approve wrong && await '"type":"Failed"' &&
    grep -q '"reason":"SignerValidationFailure","message":"subject organization is not system:nodes"' out
check "a request that the signer does not accept fails, with the reason"
unfollow

request masters /O=system:masters/CN=eve kubernetes.io/kube-apiserver-client '"client auth"'
admin create -f masters.json
denied 'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed'
check "nobody gets a client certificate of system:masters"

request two /O=dev/CN=two kubernetes.io/kube-apiserver-client '"client auth"'
admin create -f two.json && admin create clusterrole approver --verb=get,list,update,patch \
    --resource=certificatesigningrequests,certificatesigningrequests/approval &&
    admin create clusterrolebinding approver --clusterrole=approver --user=ann
"$kubectl_program" -s "$tls" --insecure-skip-tls-verify --token anntoken certificate approve two >out 2>err
denied 'user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"'
check "approving needs the permission for the signer"

admin create clusterrole signers --verb=approve --resource=signers.certificates.k8s.io --resource-name='kubernetes.io/*' ||
    admin create -f - <<END
{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"signers"},
 "rules":[{"apiGroups":["certificates.k8s.io"],"resources":["signers"],"verbs":["approve"],"resourceNames":["kubernetes.io/*"]}]}
END
admin create clusterrolebinding signers --clusterrole=signers --user=ann &&
    "$kubectl_program" -s "$tls" --insecure-skip-tls-verify --token anntoken certificate approve two >out 2>err && issued two &&
    whoami --cert two.crt --key two.key && grep -q '"username":"two"' out
check "the permission for all signers of a domain is enough"

admin -n kube-system patch secret bootstrap-token-abcdef -p '{"stringData":{"expiration":"2020-01-01T00:00:00Z"}}' &&
    whoami -H "$bearer" && grep -q '"code":401' out &&
    admin -n kube-system wait --for=delete secret/bootstrap-token-abcdef --timeout=30s || ! admin -n kube-system get secret bootstrap-token-abcdef
check "an expired bootstrap token is refused and deleted"

echo "1..$count"
