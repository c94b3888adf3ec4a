#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node_access_test.sh -- what nodes may read and write with --authorization-mode Node,RBAC: curl with
# client certificates that the server's own CA has signed.
#
#   node_access_test.sh PROGRAM
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
program=$(absolute "$1")
cd "$dir" || exit 1
: >out
: >err

start_server --data-dir data --authorization-mode Node,RBAC
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

# make_certificate NAME: a client certificate of the node NAME, in NAME.crt and NAME.key.
make_certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" \
        -subj "/O=system:nodes/CN=system:node:$1" -out "$1.csr" 2>openssl.log &&
        openssl x509 -req -in "$1.csr" -CA data/pki/ca.crt -CAkey data/pki/ca.key -days 1 \
            -set_serial "0x$2" -out "$1.crt" 2>>openssl.log
}

# as NODE METHOD PATH [BODY]: the request of a node; its status is in code, the body in out.
as() {
    as_node=$1 as_method=$2 as_path=$3
    shift 3
    curl -s --cacert data/pki/ca.crt --cert "$as_node.crt" --key "$as_node.key" -o out -w '%{http_code}' \
        -X "$as_method" -H "content-type: ${type:-application/json}" ${1+-d "$1"} "$tls$as_path" >code
}

# admin METHOD PATH [BODY]: the request of the administrator.
admin() {
    admin_method=$1 admin_path=$2
    shift 2
    curl -s -o out -w '%{http_code}' -X "$admin_method" -H "content-type: ${type:-application/json}" \
        ${1+-d "$1"} "$plain$admin_path" >code
    grep -q '^2' code
}

# as_admin_has PATH: whether there is such an object.
as_admin_has() {
    curl -s -o out -f "$plain$1"
}

allowed() {
    grep -q '^2' code
}

# denied TEXT: the last request was answered with 403 and TEXT (with \" for quotes).
denied() {
    [ "$(cat code)" = 403 ] && grep -qF -- "$1" out
}

# pod NAME NODE [MEMBERS]: a pod that is bound to NODE.
pod() {
    printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},"spec":{"nodeName":"%s","containers":[{"name":"c","image":"i"}]%s}}' \
        "$1" "$2" "${3-}"
}

make_certificate n1 1 && make_certificate n2 2
check "the CA of the server signs certificates of nodes"

as n1 POST /api/v1/nodes '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"kubernetes.io/os":"linux"}}}' && allowed
check "a node registers itself"

as n1 POST /api/v1/nodes '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"}}'
denied 'nodes \"n2\" is forbidden: node \"n1\" is not allowed to modify node \"n2\"'
check "a node does not register another"

as n2 POST /api/v1/nodes '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2","labels":{"x.node-restriction.kubernetes.io/a":"1","kubernetes.io/evil":"1","free.example/a":"1"}}}'
denied 'node \"n2\" is not allowed to set the following labels: kubernetes.io/evil, x.node-restriction.kubernetes.io/a'
check "a node does not set labels that steer workloads to it"

as n1 GET /api/v1/nodes/n1 && allowed && as n1 GET '/api/v1/nodes?fieldSelector=metadata.name%3Dn1' && allowed
check "a node reads itself"

as n1 GET /api/v1/nodes
denied "node 'n1' cannot read all nodes, only its own Node object"
check "a node does not read all nodes"

type=application/merge-patch+json as n1 PATCH /api/v1/nodes/n1/status '{"status":{"phase":"Running"}}' && allowed
check "a node updates its status"

type=application/merge-patch+json as n1 PATCH /api/v1/nodes/n1 '{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}'
denied 'node \"n1\" is not allowed to modify taints'
check "a node does not change its taints"

type=application/merge-patch+json as n1 PATCH /api/v1/nodes/n1 '{"metadata":{"labels":{"k8s.io/a":"1"}}}'
denied 'is not allowed to modify labels: k8s.io/a'
check "a node does not change labels of Kubernetes"

admin POST /api/v1/namespaces/default/secrets '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1"}}' &&
    admin POST /api/v1/namespaces/default/secrets '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s2"}}' &&
    as n1 GET /api/v1/namespaces/default/secrets/s1
denied "secrets \\\"s1\\\" is forbidden: User \\\"system:node:n1\\\" cannot get resource \\\"secrets\\\" in API group \\\"\\\" in the namespace \\\"default\\\": node: no relationship found between node 'n1' and this object"
check "a node does not read a secret that none of its pods refers to"

admin POST /api/v1/namespaces/default/pods "$(pod p1 n1 ',"volumes":[{"name":"v","secret":{"secretName":"s1"}}]')" &&
    as n1 GET /api/v1/namespaces/default/secrets/s1 && allowed
check "it reads the secret as soon as a pod is bound to it"

as n2 GET /api/v1/namespaces/default/secrets/s1
denied "no relationship found between node 'n2' and this object"
check "the other node still does not"

as n1 GET '/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Ds1' && allowed && grep -q '"s1"' out
check "a node lists one secret by name"

escapes=
for query in 'field%53elector=metadata.name%3Ds2&fieldSelector=metadata.name%3Ds1' \
    'fieldSelector=metadata.name%3Ds1%zz' 'fieldSelector=metadata.name%3Ds1;' \
    'fieldSelector=metadata.name%3Ds1%2D2' 'fieldSelector=metadata.name%3Ds%32'; do
    as n1 GET "/api/v1/namespaces/default/secrets?$query"
    escapes="$escapes $(cat code)"
done
[ "$escapes" = ' 403 403 403 403 403' ]
check "escapes in a query do not make the authorizer read another selector than the list"

as n1 GET '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1' && allowed && grep -q '"p1"' out &&
    as n1 GET '/api/v1/pods?fieldSelector=spec.nodeName%3Dn2'
denied 'can only list/watch pods with spec.nodeName field selector'
check "a node lists the pods that are bound to it, and no others"

as n1 GET '/api/v1/pods?field%53elector=spec.nodeName%3Dn2&fieldSelector=spec.nodeName%3Dn1'
denied 'can only list/watch pods with spec.nodeName field selector'
check "the first selector of a query counts, however its name is written"

as n1 POST /api/v1/namespaces/default/pods "$(pod x n1)"
denied 'pod does not have \"kubernetes.io/config.mirror\" annotation, node \"n1\" can only create mirror pods'
check "a node creates only mirror pods"

uid=$(curl -s "$plain/api/v1/nodes/n1" | sed -n 's/.*"uid": *"\([^"]*\)".*/\1/p')
mirror() {
    printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"m","annotations":{"kubernetes.io/config.mirror":"x"},"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n1","uid":"%s","controller":true}]},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]%s}}' \
        "$uid" "${1-}"
}
as n1 POST /api/v1/namespaces/default/pods "$(mirror ',"volumes":[{"name":"v","secret":{"secretName":"s2"}}]')"
denied 'node \"n1\" can not create pods that reference secrets'
check "a mirror pod does not refer to secrets"

as n1 POST /api/v1/namespaces/default/pods "$(mirror)" && allowed &&
    as n1 DELETE '/api/v1/namespaces/default/pods/m?gracePeriodSeconds=0' && allowed
check "a node creates and deletes a mirror pod of its own"

type=application/merge-patch+json as n1 PATCH /api/v1/namespaces/default/pods/p1/status '{"status":{"phase":"Running"}}' && allowed &&
    type=application/merge-patch+json as n2 PATCH /api/v1/namespaces/default/pods/p1/status '{"status":{"phase":"Failed"}}'
denied 'node \"n2\" can only update pod status for pods with spec.nodeName set to itself'
check "a node updates the status of its own pods only"

as n2 DELETE /api/v1/namespaces/default/pods/p1
denied 'node \"n2\" can only delete pods with spec.nodeName set to itself'
check "a node does not delete the pods of others"

as n2 POST /api/v1/namespaces/default/pods/p1/eviction '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p1"}}'
denied 'node n2 can only evict pods with spec.nodeName set to itself'
check "a node does not evict the pods of others"

lease='{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"n1"}}'
as n1 POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases "$lease" && allowed &&
    as n2 GET /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1
denied 'can only access node lease with the same name as the requesting node'
check "a node uses its own lease"

as n2 POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"n3"}}'
denied 'leases.coordination.k8s.io \"n3\" is forbidden: can only access node lease with the same name as the requesting node'
check "a node does not create the lease of another"

as n1 POST /apis/storage.k8s.io/v1/csinodes '{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n2"},"spec":{"drivers":[]}}'
denied 'can only access CSINode with the same name as the requesting node'
check "a node does not create the CSINode of another"

slices=/apis/resource.k8s.io/v1/resourceslices
# slice NAME NODE: the devices of a node.
slice() {
    printf '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"%s"},"spec":{"driver":"d.example.com","nodeName":"%s","pool":{"name":"%s","generation":1,"resourceSliceCount":1}}}' \
        "$1" "$2" "$2"
}
as n1 POST "$slices" "$(slice s1 n1)" && allowed && as n2 POST "$slices" "$(slice s2 n1)"
denied 'resourceslices.resource.k8s.io \"s2\" is forbidden: can only create ResourceSlice with the same NodeName as the requesting node'
check "a node creates resource slices of its own only"

as n1 GET "$slices?fieldSelector=spec.nodeName%3Dn1" && allowed && grep -q '"s1"' out && as n2 GET "$slices/s1"
denied "no relationship found between node 'n2' and this object"
check "a node reads its own resource slices only"

as n2 DELETE "$slices"
denied 'can only list/watch/deletecollection resourceslices with nodeName field selector'
check "a node does not delete the resource slices of others"

as n1 DELETE "$slices?fieldSelector=spec.nodeName%3Dn1" && allowed && ! as_admin_has "$slices/s1"
check "a node deletes its own"

claim() {
    printf '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"%s"},"spec":{}}' "$1"
}
claims=/apis/resource.k8s.io/v1/namespaces/default/resourceclaims
admin POST "$claims" "$(claim c1)" && admin POST "$claims" "$(claim c2)" &&
    admin POST /api/v1/namespaces/default/pods "$(pod dra n1 ',"resourceClaims":[{"name":"a","resourceClaimName":"c1"},{"name":"b","resourceClaimTemplateName":"t"}]')" &&
    as n1 GET "$claims/c1" && allowed && as n1 GET "$claims/c2"
denied "no relationship found between node 'n1' and this object"
check "a node reads the resource claims that its pods name"

type=application/merge-patch+json admin PATCH /api/v1/namespaces/default/pods/dra/status '{"status":{"resourceClaimStatuses":[{"name":"b","resourceClaimName":"c2"}]}}' &&
    as n1 GET "$claims/c2" && allowed
check "and those that were made from a template for them"

# uid_of PATH
uid_of() {
    curl -s "$plain$1" | sed -n 's/.*"uid": *"\([^"]*\)".*/\1/p' | head -n 1
}
certificates=/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests
stub=$(openssl req -new -key n1.key -subj / -outform DER | base64 -w 0)
admin POST /api/v1/namespaces/default/pods "$(pod cert n1 ',"serviceAccountName":"default","volumes":[{"name":"v","projected":{"sources":[{"podCertificate":{"signerName":"example.com/named","keyType":"ECDSAP256","credentialBundlePath":"b"}}]}}]')"
pod_uid=$(uid_of /api/v1/namespaces/default/pods/cert)
account_uid=$(uid_of /api/v1/namespaces/default/serviceaccounts/default)
# certificate_request SIGNER POD-UID NODE
certificate_request() {
    printf '{"apiVersion":"certificates.k8s.io/v1","kind":"PodCertificateRequest","metadata":{"name":"c-%s"},"spec":{"signerName":"example.com/%s","podName":"cert","podUID":"%s","serviceAccountName":"default","serviceAccountUID":"%s","nodeName":"%s","nodeUID":"%s","stubPKCS10Request":"%s"}}' \
        "$1" "$1" "$2" "$account_uid" "$3" "$(uid_of "/api/v1/nodes/$3")" "$stub"
}
as n1 POST "$certificates" "$(certificate_request named "$pod_uid" n1)" && allowed &&
    as n1 GET "$certificates/c-named" && allowed && as n1 GET "$certificates?fieldSelector=spec.nodeName%3Dn1" && allowed
check "a node asks for a certificate that a volume of its pod names"

as n2 GET "$certificates/c-named"
denied "no relationship found between node 'n2' and this object"
check "the request is of no concern to others"

as n1 POST "$certificates" "$(certificate_request other "$pod_uid" n1)"
denied 'pod \"default/cert\" does not mount a podCertificate projected volume for signer \"example.com/other\"'
check "a node does not ask another signer"

as n2 POST "$certificates" "$(certificate_request named "$pod_uid" n1)"
denied 'PodCertificateRequest.Spec.NodeName=\"n1\", which is not the requesting node \"n2\"' &&
    as n2 POST /api/v1/nodes '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"}}' && allowed && as n2 POST "$certificates" "$(certificate_request named "$pod_uid" n2)"
denied 'pod \"default/cert\" is not running on node \"n2\" named in the PodCertificateRequest'
check "a node does not ask for pods of others"

as n1 POST "$certificates" "$(certificate_request named 00000000-0000-4000-8000-000000000000 n1)"
[ "$(cat code)" = 500 ] && grep -qF 'which differs from running pod' out
check "with another UID of the pod the node is to try again"

admin POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/roles '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"signer"},"rules":[{"verbs":["request-serviceaccounts-podcertificate-signer"],"apiGroups":["certificates.k8s.io"],"resources":["example.com:other"],"resourceNames":["default"]}]}' &&
    admin POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"signer"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"signer"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"system:node:n1"}]}' &&
    as n1 POST "$certificates" "$(certificate_request other "$pod_uid" n1)" && allowed
check "with the permission it may ask any signer"

admin POST /apis/rbac.authorization.k8s.io/v1/clusterroles '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"wipe"},"rules":[{"verbs":["deletecollection"],"apiGroups":[""],"resources":["pods"]}]}' &&
    admin POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"wipe"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"wipe"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"system:node:n2"}]}' &&
    as n2 DELETE /api/v1/namespaces/default/pods
denied 'node \"n2\" can only delete pods with spec.nodeName set to itself'
check "a role that lets a node delete collections does not reach the pods of others"

# token_for MEMBERS: the body of a TokenRequest that is bound as MEMBERS say.
token_for() {
    printf '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["a"]%s}}' "${1-}"
}
tokens=/api/v1/namespaces/default/serviceaccounts/worker/token
admin POST /api/v1/namespaces/default/serviceaccounts '{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"worker"}}' &&
    admin POST /apis/storage.k8s.io/v1/csidrivers '{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"d1.example.com"},"spec":{"tokenRequests":[{"audience":"csi"}]}}' &&
    admin POST /apis/storage.k8s.io/v1/csidrivers '{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"d2.example.com"},"spec":{"tokenRequests":[{"audience":"claimed"}]}}' &&
    admin POST /api/v1/persistentvolumes '{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"csi":{"driver":"d2.example.com","volumeHandle":"x"}}}' &&
    admin POST /api/v1/namespaces/default/persistentvolumeclaims '{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"claim"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeName":"pv"}}' &&
    admin POST /api/v1/namespaces/default/pods "$(pod t1 n1 ',"serviceAccountName":"worker","volumes":[{"name":"p","projected":{"sources":[{"serviceAccountToken":{"path":"t","audience":"vault"}}]}},{"name":"q","csi":{"driver":"d1.example.com"}},{"name":"r","persistentVolumeClaim":{"claimName":"claim"}}]')"
uid=$(sed -n 's/.*"uid": *"\([^"]*\)".*/\1/p' out | head -n 1)
as n1 POST "$tokens" "$(token_for)"
denied 'serviceaccounts \"worker\" is forbidden: node requested token not bound to a pod'
check "a node gets no token that is not bound to a pod"
as n1 POST "$tokens" "$(token_for ',"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"t1"}')"
denied 'node requested token with a pod binding without a uid'
check "a node names the UID of the pod"
as n1 POST "$tokens" "$(token_for ',"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"t1","uid":"x"}')"
denied 'the UID in the bound object reference (x) does not match the UID in record'
check "a node gets no token for a pod that has been replaced"
admin POST /apis/rbac.authorization.k8s.io/v1/clusterroles '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"tokens"},"rules":[{"verbs":["create"],"apiGroups":[""],"resources":["serviceaccounts/token"]}]}' &&
    admin POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"tokens"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"tokens"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"system:node:n2"}]}'
as n2 POST "$tokens" "$(token_for ',"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"t1","uid":"'"$uid"'"}')"
denied 'node requested token bound to a pod scheduled on a different node'
check "a node gets no token for a pod of another node, whatever RBAC allows"
# token_as AUDIENCES: the request of n1 for a token of t1.
token_as() {
    as n1 POST "$tokens" '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":['"$1"'],"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"t1","uid":"'"$uid"'"}}}'
}
token_as '"a"'
denied 'system:node:n1 is not authorized to request tokens for audience \"a\"'
check "a node gets no token for an audience that its pod does not need"
token_as '"vault","a"'
denied 'node may only request 0 or 1 audiences'
check "a node gets no token for two audiences"
token_as '"vault"' && allowed && token_as '"csi"' && allowed && token_as '"claimed"' && allowed && token_as '' && allowed
check "a node gets tokens for the audiences of projected volumes and of CSI drivers"
admin POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/roles '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"audience"},"rules":[{"verbs":["request-serviceaccounts-token-audience"],"apiGroups":[""],"resources":["a"],"resourceNames":["worker"]}]}' &&
    admin POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"audience"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"audience"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"system:node:n1"}]}'
token_as '"a"' && allowed
check "a node with the permission gets a token for any audience"

admin DELETE '/api/v1/namespaces/default/pods/p1?gracePeriodSeconds=0' && as n1 GET /api/v1/namespaces/default/secrets/s1
denied "no relationship found between node 'n1' and this object"
check "when the pod is gone, so is the access"

admin POST /apis/authorization.k8s.io/v1/subjectaccessreviews '{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"system:node:n1","groups":["system:nodes"],"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"requirements":[{"key":"spec.nodeName","operator":"In","values":["n1"]}]}}}}' &&
    grep -q '"allowed": *true' out
check "a review of access knows field selectors"

echo "1..$count"
