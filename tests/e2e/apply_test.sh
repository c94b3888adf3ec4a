#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# apply_test.sh -- Debian's kubectl changing objects of `listwatch serve`: apply, patch, set, edit.
#
#   apply_test.sh PROGRAM FOLDER
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

# is: standard input is what out holds.
is() {
    diff - out >>err
}

# shows KIND NAME PATH TEXT: the object has TEXT there.
shows() {
    k get "$1" "$2" -o "jsonpath=$3" && [ "$(cat out)" = "$4" ]
}

# deployment REPLICAS MORE: an object; MORE is further YAML of its first container.
deployment() {
    cat <<END
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web, tier: front}
spec:
  replicas: $1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: nginx
        image: nginx:1
        $2
END
}

deployment 2 'env: [{name: A, value: "1"}, {name: B, value: "2"}]' >web.yaml
k apply -f web.yaml && is <<'END'
deployment.apps/web created
END
check "apply creates"

k apply -f web.yaml && is <<'END'
deployment.apps/web unchanged
END
check "apply of the same changes nothing"

deployment 3 'env: [{name: A, value: "1"}, {name: B, value: "3"}]' >web.yaml
k apply -f web.yaml && is <<'END'
deployment.apps/web configured
END
check "apply changes"

shows deployment web '{.spec.replicas} {.spec.template.spec.containers[0].env[*].value}' '3 1 3'
check "and what was changed is there"

deployment 3 'env: [{name: B, value: "3"}]' | sed 's/, tier: front//' >web.yaml
k apply -f web.yaml &&
    shows deployment web '{.spec.template.spec.containers[0].env[*].name} {.metadata.labels}' \
        'B {"app":"web"}'
check "what is left out is taken off"

k set env deployment/web C=4 && k apply -f web.yaml &&
    shows deployment web '{.spec.template.spec.containers[0].env[*].name}' 'B C'
check "what others added stays"

deployment 3 'env: [{name: D, value: "5"}, {name: B, value: "3"}]' |
    sed 's/, tier: front//' >web.yaml
k apply -f web.yaml &&
    shows deployment web '{.spec.template.spec.containers[0].env[*].name}' 'D B C'
check "the order of the file is the order of the list"

k patch deployment web -p '{"spec":{"strategy":{"type":"Recreate","$retainKeys":["type"]}}}' &&
    shows deployment web '{.spec.strategy}' '{"type":"Recreate"}'
check "\$retainKeys takes the rest off"

for number in 1 2 3 4 5 6 7 8 9 10; do
    printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%s}\ndata: {k: v}\n---\n' "$number"
    printf 'apiVersion: v1\nkind: Service\nmetadata: {name: s%s}\nspec:\n' "$number"
    printf '  selector: {app: web}\n  ports: [{port: 80}]\n---\n'
done >many.yaml
k apply -f many.yaml && [ "$(grep -c ' created$' out)" -eq 20 ]
check "apply of a file of twenty objects"

k apply -f many.yaml && [ "$(grep -c ' unchanged$' out)" -eq 20 ]
check "and again: nothing changes"

sed 's/k: v/k: w/' many.yaml >changed.yaml
k apply -f changed.yaml && [ "$(grep -c ' configured$' out)" -eq 10 ] &&
    [ "$(grep -c ' unchanged$' out)" -eq 10 ]
check "and with ten of them changed"

k patch service s1 -p '{"spec":{"ports":[{"port":80,"name":"http"},{"port":443,"name":"https"}]}}' &&
    shows service s1 '{.spec.ports[*].name} {.spec.ports[*].port}' 'http https 80 443'
check "patch (strategic) merges ports by their number"

k patch service s1 --type=merge -p '{"spec":{"ports":[{"port":443,"name":"https"}]}}' &&
    shows service s1 '{.spec.ports[*].port}' 443
check "patch --type=merge replaces them"

k patch service s1 --type=json -p '[{"op":"replace","path":"/spec/ports/0/port","value":8443}]' &&
    shows service s1 '{.spec.ports[*].port}' 8443
check "patch --type=json"

k patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}'
[ $? -ne 0 ] && grep -qx \
    'Error from server: map: map\[image:x\] does not contain declared merge key: name' err
check "an element without its key gets Kubernetes' words"

k patch configmap c1 -p '{"data":{"k":"v"}}' && k patch configmap c1 -p '{"data":{"k":"v"}}' &&
    is <<'END'
configmap/c1 patched (no change)
END
check "a patch that changes nothing says so"

k label configmap c1 x=1 && k label configmap c1 x=2 --overwrite && k label configmap c1 y=3 &&
    k label configmap c1 x- && shows configmap c1 '{.metadata.labels}' '{"y":"3"}'
check "label sets, overwrites and removes"

k annotate configmap c1 note=one && k annotate configmap c1 note=two --overwrite &&
    shows configmap c1 '{.metadata.annotations.note}' two && k annotate configmap c1 note- &&
    shows configmap c1 '{.metadata.annotations.note}' ''
check "annotate sets, overwrites and removes"

k scale deployment web --replicas=7 && shows deployment web '{.spec.replicas}' 7
check "scale"

k set image deployment/web nginx=nginx:2 && is <<'END'
deployment.apps/web image updated
END
check "set image"

shows deployment web '{.spec.template.spec.containers[*].image}' nginx:2
check "and the image is another"

k set resources deployment/web --limits=cpu=100m &&
    shows deployment web '{.spec.template.spec.containers[0].resources.limits.cpu}' 100m
check "set resources"

cat >editor <<'END'
#!/bin/sh
sed -i 's/k: w/k: edited/' "$1"
END
chmod +x editor
EDITOR="$dir/editor" k edit configmap c2 && is <<'END'
configmap/c2 edited
END
check "edit"

shows configmap c2 '{.data.k}' edited
check "and what was edited is there"

EDITOR=true k edit configmap c2 && grep -qx 'Edit cancelled, no changes made.' err
check "edit without a change"

k delete -f changed.yaml && [ "$(grep -c ' deleted$' out)" -eq 20 ]
check "delete of the file"

stop_server
check "SIGTERM ends the server with success"
echo "1..$count"
