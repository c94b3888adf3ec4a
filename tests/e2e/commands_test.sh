#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# commands_test.sh -- get, apply and delete on a server.  usage: commands_test.sh PROGRAM
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
program=$(absolute "$1")
cd "$dir" || exit 1
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT
unset KUBECONFIG
export HOME="$dir"

start_server --data-dir data

# listwatch ARGUMENT...: output in out and err, exit code in code.
listwatch() {
    run "$program" "$@" >out 2>err
    code=$?
}

# on ARGUMENT...: the same at the server, over plain HTTP.
on() {
    listwatch "$@" --server "$plain"
}

cat >web.yaml <<'END'
apiVersion: v1
kind: Namespace
metadata: {name: prod}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: prod, labels: {app: web}}
data: {colour: red, size: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: db
  labels: {app: db}
data: {colour: blue}
END

on apply -f web.yaml
[ $code -eq 0 ] && [ "$(cat out)" = "namespace/prod created
configmap/web created
configmap/db created" ]
check "apply makes what is not there"

on apply -f web.yaml
[ $code -eq 0 ] && [ "$(grep -c ' unchanged$' out)" -eq 3 ]
check "a second time nothing changes"

sed 's/colour: red/colour: green/' web.yaml >green.yaml
on apply -f green.yaml
[ $code -eq 0 ] && [ "$(sed -n 2p out)" = "configmap/web configured" ] &&
    [ "$(grep -c ' unchanged$' out)" -eq 2 ] && on get cm/web -n prod -o yaml &&
    grep -q 'colour: green' out && grep -q 'size: "1"' out
check "what differs is changed"

printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"prod"},"data":{"size":"2"}}' |
    run "$program" apply -f - --server "$plain" >out 2>err
[ "$(cat out)" = "configmap/web configured" ] && on get cm web -n prod -o yaml &&
    grep -q 'colour: green' out && grep -q 'size: "2"' out
check "what the file does not mention stays"

on get cm web -n prod -o json
cp out web.json
on apply -f web.json
[ $code -eq 0 ] && [ "$(cat out)" = "configmap/web unchanged" ]
check "what get prints can be applied"

cat >bad.yaml <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: Not_A_Name}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: good}
END
on apply -f bad.yaml
[ $code -eq 1 ] && [ "$(cat out)" = "configmap/good created" ] && grep -q 'Not_A_Name' err &&
    grep -qi 'widget' err
check "an object that is refused does not hold up the others"

printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: prod}\n' >other.yaml
on apply -n default -f other.yaml
[ $code -eq 1 ] && grep -q 'which does not match -n' err
check "a namespace that contradicts -n is refused"

on apply -n prod -f bad.yaml
on get cm good -n prod -o name
[ $code -eq 0 ] && [ "$(cat out)" = configmap/good ]
check "-n is the namespace of objects that name none"

on get configmaps
[ $code -eq 0 ] && grep -q '^default  *db  *ConfigMap ' out && ! grep -q ' web ' out
check "get shows a table of the default namespace"

on get cm -A -o name
[ $code -eq 0 ] && [ "$(sort out)" = "configmap/db
configmap/good
configmap/good
configmap/web" ]
check "-A is all namespaces, and short names are known"

on get cm -A -l 'app in (web)' -o name
[ $code -eq 0 ] && [ "$(cat out)" = configmap/web ]
check "the server picks by label"

on get cm -A --field-selector metadata.name=db -o name
[ $code -eq 0 ] && [ "$(cat out)" = configmap/db ]
check "the server picks by field"

on get namespaces prod -o json
[ $code -eq 0 ] && grep -q '"kind": "Namespace"' out
check "one object is printed as itself"

on get cm db nothere
[ $code -eq 1 ] && grep -q ' db ' out && grep -q 'configmaps "nothere" not found' err
check "names that are not there are named, the others are shown"

on get cm -n empty
[ $code -eq 0 ] && [ ! -s out ] && [ "$(cat err)" = "No objects found." ]
check "says that nothing was found"

on get widgets
[ $code -eq 1 ] && grep -q "the server doesn't have a resource type \"widgets\"" err
check "a resource nobody knows"

listwatch get pods --server http://127.0.0.1:1
[ $code -eq 1 ] && grep -q '^Is a server running at http://127.0.0.1:1?' err
check "a server that is not there is named"

listwatch get pods
[ $code -eq 1 ] && [ -s err ] && [ ! -s out ]
check "no configuration is an error"

listwatch get cm -A -o name --kubeconfig data/admin.kubeconfig
[ $code -eq 0 ] && [ "$(wc -l <out)" -eq 4 ]
check "kubeconfig: TLS, its authority and its token"

listwatch get cm -A --kubeconfig data/admin.kubeconfig --token wrong
[ $code -eq 1 ] && grep -qi 'unauthorized' err && grep -q 'The credentials come from' err
check "a wrong token is an error with advice"

KUBECONFIG=$dir/data/admin.kubeconfig listwatch get ns default -o name
[ $code -eq 0 ] && [ "$(cat out)" = namespace/default ]
check "KUBECONFIG is heeded"

listwatch get ns --kubeconfig data/admin.kubeconfig --context nosuch
[ $code -eq 1 ] && grep -q nosuch err
check "an unknown context is an error"

on delete cm good db
[ $code -eq 0 ] && [ "$(cat out)" = "configmap/good deleted from namespace default
configmap/db deleted from namespace default" ]
check "delete by name"

on delete cm db
[ $code -eq 1 ] && grep -q 'configmaps "db" not found' err
check "what is not there cannot be deleted"

on delete cm db --ignore-not-found
[ $code -eq 0 ] && [ ! -s err ]
check "unless that is fine"

on delete cm -A -l app=web
[ $code -eq 0 ] && [ "$(cat out)" = "configmap/web deleted from namespace prod" ]
check "delete by label"

on apply -f web.yaml && on delete cm/db
[ $code -eq 0 ] && [ "$(cat out)" = "configmap/db deleted from namespace default" ]
check "TYPE/NAME is understood"

# What stands in the namespace may be gone with it before its turn comes.
on delete -f web.yaml --ignore-not-found
[ $code -eq 0 ] && [ "$(head -n 1 out)" = "namespace/prod deleted" ] && ! grep -q 'map/db' out
check "delete what a file holds"

printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: keep, labels: {g: "9"}}\n' >keep.yaml
printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n' >namespace.yaml
on apply -f namespace.yaml
on apply -n other -f keep.yaml
on delete cm -l g=9 --all
[ $code -eq 2 ] && [ ! -s out ] &&
    grep -qx 'listwatch delete: unknown option --all (did you mean --all-namespaces?)' err &&
    on get cm keep -n other -o name && [ "$(cat out)" = configmap/keep ]
check "an abbreviated option deletes nothing"

on delete cm -A -l g=9
[ $code -eq 0 ] && [ "$(cat out)" = "configmap/keep deleted from namespace other" ]
check "delete prints the namespace of what it deleted"

# Every command reads its options in the same place.
for arguments in 'get pods --all' 'get pods --out=name' 'watch pods --onc' 'watch --etc http://127.0.0.1:1' \
    'apply --file web.yaml' 'delete cm x --ignore' 'control --node 3' 'serve --mem' 'serve --data x'; do
    option=$(printf '%s' "$arguments" | grep -o -- '--[a-z]*')
    # shellcheck disable=SC2086
    on $arguments
    [ $code -eq 2 ] && [ ! -s out ] &&
        grep -q "^listwatch ${arguments%% *}: unknown option $option (did you mean $option[a-z-]*" err
    check "no abbreviation: $arguments"
done

on get pods -n prod -q
[ $code -eq 2 ] && grep -q 'listwatch get: -q: not an option of this command' err
check "an option of another command is refused"

for arguments in 'get' 'get pods -f web.yaml' 'get pods/' 'get pods/a b' 'get pods a -l b=c' \
    'get pods -n a -A' 'get pods a -A' 'get pods -l app=(' 'get pods --once' 'watch' \
    'watch pods a b' 'watch pods -f x' 'watch pods --stats xml' 'apply' 'apply web.yaml' \
    'apply -f web.yaml -o json' 'delete' 'delete pods' 'delete -f web.yaml -l a=b' \
    'delete pods a -l b=c' 'watch pods --once=1' 'get pods --nosuch' 'get pods -x' 'get pods -xA'; do
    # shellcheck disable=SC2086
    on $arguments
    [ $code -eq 2 ] && [ -s err ] && [ ! -s out ]
    check "bad usage: $arguments"
done

for command in get watch apply delete; do
    listwatch $command --help
    [ $code -eq 0 ] && grep -q "^usage: listwatch $command" out && [ ! -s err ]
    check "$command shows its help"
done

echo "1..$count"
