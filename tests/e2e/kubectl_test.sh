#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kubectl_test.sh -- Debian's kubectl against `listwatch serve`, as people type it.
#
#   kubectl_test.sh PROGRAM FOLDER plain|tls|etcd
#
# FOLDER is where `make deps` put kubectl.  With etcd, $ETCD_ENDPOINTS say where its objects are.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"
way=$3

if [ "$way" = etcd ]; then
    start_server --data-dir data --etcd "$ETCD_ENDPOINTS"
else
    start_server --data-dir data
fi
if [ "$way" = tls ]; then
    kubectl() { "$kubectl_program" --kubeconfig data/admin.kubeconfig "$@"; }
else
    kubectl() { "$kubectl_program" -s "$plain" "$@"; }
fi
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

# k ARGUMENTS: kubectl; its output in out and err, ages as AGE.
k() {
    kubectl "$@" >raw 2>err
    code=$?
    sed -E 's/ [0-9]+[smh]([0-9]+s)?($| )/ AGE\2/g; s/ +$//' raw >out
    return $code
}

# is: standard input is what out holds, but for the width of columns.
is() {
    tr -s ' ' >wanted
    tr -s ' ' <out | diff wanted - >>err
}

k version --short && grep -q '^Server Version: v1\.' out
check "version shows the server's"

k get namespaces && is <<'END'
NAME              STATUS   AGE
default           Active   AGE
kube-node-lease   Active   AGE
kube-public       Active   AGE
kube-system       Active   AGE
END
check "a new server has its namespaces"

k get pods && [ ! -s out ] && grep -qx 'No resources found in default namespace.' err
check "an empty list says so"

k run nginx --image=nginx --labels=app=web && is <<'END'
pod/nginx created
END
check "run makes a pod"

k get pods && is <<'END'
NAME    READY   STATUS    RESTARTS   AGE
nginx   0/1     Pending   0          AGE
END
check "get shows it as a table"

k get pods -o wide && is <<'END'
NAME    READY   STATUS    RESTARTS   AGE   IP       NODE     NOMINATED NODE   READINESS GATES
nginx   0/1     Pending   0          AGE   <none>   <none>   <none>           <none>
END
check "get -o wide shows the wide columns"

k get pod nginx -o yaml && grep -qx 'apiVersion: v1' out && grep -qx 'kind: Pod' out &&
    grep -qx '  name: nginx' out && grep -qx '  - image: nginx' out &&
    grep -qx '  phase: Pending' out
check "get -o yaml"

k get pod nginx -o json && python3 -c '
import json
pod = json.load(open("out"))
assert pod["kind"] == "Pod" and pod["metadata"]["labels"] == {"app": "web"}, pod
assert pod["spec"]["containers"][0]["image"] == "nginx", pod' 2>>err
check "get -o json"

k get pods -o name && is <<'END'
pod/nginx
END
check "get -o name"

k get pods -l app=db && [ ! -s out ]
check "a label selector that matches nothing"

k get pods --field-selector status.phase=Pending -o name && is <<'END'
pod/nginx
END
check "a field selector"

k get pods --field-selector spec.colour=red
[ $? -ne 0 ] && grep -q 'field label not supported: spec.colour' err
check "a field that cannot be selected by"

k get pod nope
[ $? -ne 0 ] && grep -qx 'Error from server (NotFound): pods "nope" not found' err
check "an object that is not there"

cat >objects.yaml <<'END'
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: blue
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: nginx, image: nginx}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
---
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {password: secret}
END
k create -f objects.yaml && is <<'END'
configmap/settings created
deployment.apps/web created
service/web created
secret/key created
END
check "create -f of several documents"

k create -f objects.yaml
[ $? -ne 0 ] && grep -q 'Error from server (AlreadyExists): .*configmaps "settings" already exists' err
check "create of what is there"

k get configmap,secret && is <<'END'
NAME                 DATA   AGE
configmap/settings   1      AGE

NAME         TYPE     DATA   AGE
secret/key   Opaque   1      AGE
END
check "get of two kinds"

k get deployment web && is <<'END'
NAME   READY   UP-TO-DATE   AVAILABLE   AGE
web    0/2     0            0           AGE
END
check "get deployment"

k get service web && grep -Eq '^web +ClusterIP +10\.96\.[0-9]+\.[0-9]+ +<none> +80/TCP +AGE$' out
check "a service gets its address"

k get secret key -o 'jsonpath={.data.password}' && [ "$(cat out)" = c2VjcmV0 ]
check "stringData becomes data"

k create namespace team && is <<'END'
namespace/team created
END
check "create namespace"

k create configmap more --from-literal=a=1 -n team && is <<'END'
configmap/more created
END
check "create configmap in a namespace"

k get configmaps -A --field-selector metadata.namespace!=kube-system && is <<'END'
NAMESPACE   NAME       DATA   AGE
default     settings   1      AGE
team        more       1      AGE
END
check "get -A"

k create configmap more --from-literal=a=1 -n nowhere
[ $? -ne 0 ] && grep -q 'namespaces "nowhere" not found' err
check "create in a namespace that is not there"

k describe pod nginx && grep -Eq '^Name: +nginx$' out && grep -Eq '^Status: +Pending$' out &&
    grep -Eq '^    Image: +nginx$' out && grep -Eq '^Events: +<none>$' out
check "describe pod"

k describe deployment web && grep -Eq '^Replicas: +2 desired \| 0 updated \| 0 total' out &&
    grep -Eq '^Selector: +app=web$' out
check "describe deployment"

k describe configmap settings && grep -q '^colour:$' out
check "describe configmap"

k label pod nginx tier=front && is <<'END'
pod/nginx labeled
END
check "label"

k label pod nginx tier=back
[ $? -ne 0 ] && grep -q "'tier' already has a value (front), and --overwrite is false" err
check "label again without --overwrite"

k annotate pod nginx note='to be seen' && k get pod nginx -o \
    'jsonpath={.metadata.labels.tier},{.metadata.annotations.note}' &&
    [ "$(cat out)" = 'front,to be seen' ]
check "annotate"

k scale deployment web --replicas=5 && is <<'END'
deployment.apps/web scaled
END
check "scale"

k get deployment web -o 'jsonpath={.spec.replicas} {.metadata.generation}' &&
    [ "$(cat out)" = '5 2' ]
check "scale changed the spec and its generation"

k scale deployment nope --replicas=1
[ $? -ne 0 ] && grep -q 'not found' err
check "scale of what is not there"

kubectl get configmap settings -o yaml 2>err | sed 's/blue/green/' >changed.yaml
k replace -f changed.yaml && is <<'END'
configmap/settings replaced
END
check "replace"

k replace -f changed.yaml
[ $? -ne 0 ] && grep -q 'Error from server (Conflict): .*the object has been modified; please apply' err
check "replace with an old resourceVersion"

k patch configmap settings --type=merge -p '{"data":{"colour":"red","size":"big"}}' && is <<'END'
configmap/settings patched
END
check "patch --type=merge"

k patch configmap settings --type=json -p '[{"op":"remove","path":"/data/size"}]' &&
    k get configmap settings -o 'jsonpath={.data}' && [ "$(cat out)" = '{"colour":"red"}' ]
check "patch --type=json"

follow "$kubectl_program" $([ "$way" = tls ] && echo --kubeconfig data/admin.kubeconfig ||
    echo -s "$plain") get pods -w
await '^nginx .*Pending'
check "get -w shows what is there"

kubectl run later --image=busybox >/dev/null 2>err && await '^later .*Pending'
check "get -w shows a pod that comes"

kubectl delete pod later --wait=false >/dev/null 2>err && await '^later'
check "get -w shows it go"
unfollow

follow "$kubectl_program" $([ "$way" = tls ] && echo --kubeconfig data/admin.kubeconfig ||
    echo -s "$plain") wait --for=condition=Ready --timeout=30s pod/nginx
kubectl get pod nginx -o json 2>err | python3 -c '
import json, sys
pod = json.load(sys.stdin)
pod["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
pod["status"]["phase"] = "Running"
json.dump(pod, sys.stdout)' >ready.json
kubectl replace --raw /api/v1/namespaces/default/pods/nginx/status -f ready.json >out 2>err &&
    await 'pod/nginx condition met'
check "wait sees a condition that comes true"
unfollow

k get pod nginx && is <<'END'
NAME    READY   STATUS    RESTARTS   AGE
nginx   0/1     Running   0          AGE
END
check "the status was written"

k api-resources --api-group=apps && is <<'END'
NAME                  SHORTNAMES   APIVERSION   NAMESPACED   KIND
controllerrevisions                apps/v1      true         ControllerRevision
daemonsets            ds           apps/v1      true         DaemonSet
deployments           deploy       apps/v1      true         Deployment
replicasets           rs           apps/v1      true         ReplicaSet
statefulsets          sts          apps/v1      true         StatefulSet
END
check "api-resources of a group"

k api-resources && [ "$(wc -l <out)" -gt 30 ] && grep -Eq '^pods +po +v1 +true +Pod$' out
check "api-resources"

k api-versions && grep -qx v1 out && grep -qx apps/v1 out && grep -qx batch/v1 out
check "api-versions"

k get po,deploy,svc,cm,ns,no,ev,sa,pv,pvc,rc,limits,quota,ep >/dev/null
check "short names"

k get all && grep -q '^deployment.apps/web ' out && grep -q '^service/web ' out
check "get all"

k delete pod nginx --grace-period=0 --force && grep -q 'pod "nginx" force deleted' out
check "delete --force"

for name in a b c; do kubectl create configmap "$name" >/dev/null 2>err; done
kubectl label configmap a b kind=x >/dev/null 2>err
k delete configmaps -l kind=x && is <<'END'
configmap "a" deleted
configmap "b" deleted
END
check "delete -l"

k get configmaps -o name && is <<'END'
configmap/c
configmap/settings
END
check "delete -l deleted nothing else"

k delete -f objects.yaml && is <<'END'
configmap "settings" deleted
deployment.apps "web" deleted
service "web" deleted
secret "key" deleted
END
check "delete -f"

k delete namespace team && is <<'END'
namespace "team" deleted
END
check "delete namespace waits until it is gone"

k get configmap more -n team
[ $? -ne 0 ] && grep -q 'NotFound' err
check "and so is what was in it"

k delete namespace default
[ $? -ne 0 ] && grep -q 'forbidden' err
check "the default namespace stays"

echo 'this: is: no yaml' >bad.yaml
k create -f bad.yaml
[ $? -ne 0 ]
check "a file that is no YAML"

printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_b}\n' >bad.yaml
k create -f bad.yaml
[ $? -ne 0 ] && grep -q 'The ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b"' err
check "a bad name gets Kubernetes' words"

k explain pod.spec.containers && grep -qx 'RESOURCE: containers <\[\]Object>' out &&
    grep -q 'A container to run in a pod' out && grep -q 'imagePullPolicy' out
check "explain knows the fields"

printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: typo}\nspec: {contianers: []}\n' >typo.yaml
k create -f typo.yaml
[ $? -ne 0 ] &&
    grep -q 'unknown field "contianers" in io.k8s.api.core.v1.PodSpec' err
check "a field that there is not is refused before it is sent"

printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: drawn}\ndata: {a: "1"}\n' >drawn.yaml
k apply -f drawn.yaml && sed -i 's/"1"/"2"/' drawn.yaml
k diff -f drawn.yaml
[ $? -eq 1 ] && grep -qx -- '-  a: "1"' out && grep -qx -- '+  a: "2"' out
check "diff shows what apply would change"

k apply --dry-run=server -f drawn.yaml && is <<'END'
configmap/drawn configured (server dry run)
END
check "apply --dry-run=server changes nothing"

k --as=jane --as-group=dev delete configmap drawn
[ $? -ne 0 ] && grep -q 'User "jane" cannot delete resource "configmaps"' err && k get configmap drawn
check "--as a user without rights is refused and deletes nothing"

stop_server
check "SIGTERM ends the server with success"
echo "1..$count"
