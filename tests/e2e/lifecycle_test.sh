#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lifecycle_test.sh -- what becomes of objects: owners and dependents, namespaces, finalizers, events;
# Debian's kubectl against `listwatch serve`, and curl where it has no words for it.
#
#   lifecycle_test.sh PROGRAM FOLDER
#
# FOLDER is where `make deps` put kubectl.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"

start_server --data-dir data --event-ttl 2s
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

k() {
    "$kubectl_program" -s "$plain" "$@" >out 2>err
}

# fetch ARGUMENT...: curl; body in out, status in code.
fetch() {
    code=$(curl -sS -o out -w '%{http_code}' "$@" 2>err)
}

# gone NAME: waits until the object is deleted.
gone() {
    k wait --for=delete "$1" --timeout=30s || { ! k get "$1" && grep -q NotFound err; }
}

# owned KIND/NAME NAME: makes a ConfigMap NAME that the deployment, replicaset or configmap owns.
owned() {
    api=$(k get "$1" -o 'jsonpath={.apiVersion} {.kind} {.metadata.name} {.metadata.uid}' && cat out)
    # shellcheck disable=SC2086
    set -- $api "$2"
    k create -f - <<END
apiVersion: v1
kind: ConfigMap
metadata:
  name: $5
  ownerReferences:
  - {apiVersion: $1, kind: $2, name: $3, uid: $4, controller: true, blockOwnerDeletion: true}
END
}

# family: a deployment web, its replica set web-1, and two pods of that.
family() {
    k create deployment web --image=nginx &&
        k get deployment web -o 'jsonpath={.metadata.uid}' && deployment=$(cat out) &&
        k create -f - <<END && k get rs web-1 -o 'jsonpath={.metadata.uid}' && replicas=$(cat out) &&
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-1
  ownerReferences:
  - {apiVersion: apps/v1, kind: Deployment, name: web, uid: $deployment, controller: true, blockOwnerDeletion: true}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: nginx}]}
END
        for pod in web-1-a web-1-b; do
            k create -f - <<END || return 1
apiVersion: v1
kind: Pod
metadata:
  name: $pod
  labels: {app: web}
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: $replicas, controller: true, blockOwnerDeletion: true}
spec: {containers: [{name: nginx, image: nginx}]}
END
        done
}

deployments=/apis/apps/v1/namespaces/default/deployments

family && k delete deployment web --cascade=background && gone rs/web-1 && gone pod/web-1-a &&
    gone pod/web-1-b
check "--cascade=background: a deployment, then its replica set, then the pods"

family && k delete deployment web --cascade=foreground &&
    k get deployments,rs,pods -o name && ! grep -q . out
check "--cascade=foreground: when the deployment is gone, all are"

family && k delete deployment web --cascade=orphan && ! k get deployment web &&
    k get rs web-1 -o yaml && ! grep -q '^ *ownerReferences:' out &&
    k get pod web-1-a -o yaml && grep -q '^ *ownerReferences:' out &&
    k delete rs web-1 --cascade=orphan && k get pods -o yaml &&
    grep -q 'name: web-1-b' out && ! grep -q '^ *ownerReferences:' out && k delete pods --all
check "--cascade=orphan: the replica set stays with its pods, and the pods without it"

k create -f - <<'END' && k create -f - <<'END2'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.ex.io}
spec:
  group: ex.io
  scope: Namespaced
  names: {plural: shops, kind: Shop}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
END
apiVersion: ex.io/v1
kind: Shop
metadata: {name: corner}
END2
k get shop corner && owned shop/corner till && k delete shop corner --cascade=foreground &&
    ! k get configmap till && grep -q NotFound err
check "a custom resource owns as others do"

k create namespace mall && k create -n mall -f - <<'END' && k delete namespace mall --timeout=30s &&
apiVersion: ex.io/v1
kind: Shop
metadata: {name: big}
END
    k get shops -A && ! grep -q . out && k delete crd shops.ex.io --timeout=30s
check "and goes with its namespace"

k create deployment web --image=nginx && owned deployment/web one && owned configmap/one two &&
    k delete deployment web && gone configmap/one && gone configmap/two
check "what a deployment owns goes with it, and what that owns"

k create deployment web --image=nginx && owned deployment/web kept &&
    k delete deployment web --cascade=orphan && k get configmap kept -o yaml &&
    grep -q 'name: kept' out && ! grep -q '^  ownerReferences' out && ! k get deployment web
check "--cascade=orphan leaves it without its owner"

k create deployment web --image=nginx && owned deployment/web held &&
    k patch configmap held --type merge -p '{"metadata":{"finalizers":["ex.io/f"]}}' &&
    fetch -X DELETE "$plain$deployments/web" -H 'Content-Type: application/json' \
        --data '{"propagationPolicy":"Foreground"}' && [ "$code" = 200 ] &&
    grep -q foregroundDeletion out && k get deployment web -o yaml &&
    grep -q deletionTimestamp out
check "in the foreground the owner waits for what it owns"

k patch configmap held --type merge -p '{"metadata":{"finalizers":null}}' &&
    gone configmap/held && gone deployment/web
check "and goes after it"

k create configmap fin && k patch configmap fin --type merge \
    -p '{"metadata":{"finalizers":["ex.io/f"]}}' &&
    k delete configmap fin --wait=false && k get configmap fin -o yaml &&
    grep -q deletionTimestamp out &&
    ! k patch configmap fin --type merge -p '{"metadata":{"finalizers":["ex.io/f","ex.io/g"]}}' &&
    grep -q 'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted' err &&
    k patch configmap fin --type merge -p '{"metadata":{"finalizers":null}}' &&
    ! k get configmap fin
check "a finalizer holds an object, and no other can be added then"

k create namespace shop && k create configmap a -n shop && k create secret generic s -n shop &&
    k run p --image=nginx -n shop && k delete namespace shop --timeout=30s &&
    ! k get namespace shop && k get all,configmaps,secrets -n shop && ! grep -q . out
check "a namespace goes with everything in it"

k create namespace shop && k create configmap held -n shop &&
    k patch configmap held -n shop --type merge -p '{"metadata":{"finalizers":["ex.io/f"]}}' &&
    k delete namespace shop --wait=false &&
    k wait --for=condition=NamespaceFinalizersRemaining namespace/shop --timeout=30s &&
    k get namespace shop -o yaml &&
    grep -q 'Some resources are remaining: configmaps. has 1 resource instances' out &&
    grep -q 'finalizers remaining: ex.io/f in 1' out &&
    grep -q 'phase: Terminating' out
check "it says what holds it"

! k create configmap late -n shop &&
    grep -q 'configmaps "late" is forbidden: unable to create new content in namespace shop because it is being terminated' err &&
    k patch configmap held -n shop --type merge -p '{"metadata":{"finalizers":null}}' &&
    gone namespace/shop
check "takes nothing in, and goes when it is free"

k create -f - <<'END' && k wait --for=delete event/e --timeout=30s
apiVersion: v1
kind: Event
metadata: {name: e}
involvedObject: {namespace: default, kind: Pod, name: p}
END
check "an event goes when its time is over"

k create -f - <<'END' && stop_server && start_server --data-dir data --event-ttl 2s && gone event/old
apiVersion: v1
kind: Event
metadata: {name: old}
involvedObject: {namespace: default, kind: Pod, name: p}
END
check "over a restart too"

echo "1..$count"
