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
    ! grep -q 'colour:' out && grep -q 'size: "2"' out
check "a field that left the file is removed"

curl -sf -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"data":{"other":"1"}}' \
    "$plain/api/v1/namespaces/prod/configmaps/web" >out 2>err
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"prod","labels":{"app":"web"}},"data":{"size":"2"}}' |
    run "$program" apply -f - --server "$plain" >out 2>err
on get cm web -n prod -o yaml
grep -q 'other: "1"' out && grep -q 'size: "2"' out
check "a field that only others have set stays"

on get cm web -n prod -o json
cp out web.json
on apply -f web.json
[ $code -eq 0 ] && [ "$(cat out)" = "configmap/web unchanged" ]
check "what get prints can be applied"

printf 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: typo}\nspec:\n  replicaz: 3\n  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}\n' >typo.yaml
on apply -f typo.yaml
[ $code -eq 1 ] && [ ! -s out ] && grep -q '^listwatch: .*replicaz' err
check "a misspelled field is an error"

on apply -f green.yaml --dry-run=server
[ $code -eq 0 ] && [ "$(sed -n 2p out)" = "configmap/web configured (server dry run)" ] &&
    on get cm web -n prod -o yaml && ! grep -q 'colour:' out
check "a dry run changes nothing"

on diff -f green.yaml
[ $code -eq 1 ] && grep -qx '+  colour: green' out && grep -q '^--- live/configmap/web$' out
check "diff shows what apply would change"

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
[ $code -eq 0 ] && [ "$(head -n 1 out)" = "NAME   DATA   AGE" ] && grep -q '^db  *1  *[0-9]*s$' out &&
    ! grep -q '^web' out
check "get shows the columns of the server"

on get cm -A -o name
[ $code -eq 0 ] && [ "$(sort out)" = "configmap/db
configmap/extension-apiserver-authentication
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
[ $code -eq 1 ] && grep -q '^db ' out && grep -q 'configmaps "nothere" not found' err
check "names that are not there are named, the others are shown"

on get cm -n empty
[ $code -eq 0 ] && [ ! -s out ] && [ "$(cat err)" = "No objects found in namespace empty." ]
check "says that nothing was found"

on get widgets
[ $code -eq 1 ] && grep -q "the server doesn't have a resource type \"widgets\"" err
check "a resource nobody knows"

listwatch get pods --server http://127.0.0.1:1
[ $code -eq 1 ] && [ "$(sed -n '$p' err)" = \
    "Is a server running there?  The address is from the option --server." ] &&
    grep -q '^listwatch: .*http://127.0.0.1:1' err
check "a server that is not there is named, with the source of its address"

printf 'apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n' >gone.kubeconfig
KUBECONFIG=$dir/gone.kubeconfig listwatch get pods
[ $code -eq 1 ] && grep -q "The address is from $dir/gone.kubeconfig (variable KUBECONFIG).$" err
check "the address of a kubeconfig is named with its file and variable"

listwatch get pods
[ $code -eq 1 ] && [ -s err ] && [ ! -s out ]
check "no configuration is an error"

listwatch get cm -A -o name --kubeconfig data/admin.kubeconfig
[ $code -eq 0 ] && [ "$(wc -l <out)" -eq 5 ]
check "kubeconfig: TLS, its authority and its token"

listwatch get cm -A --kubeconfig data/admin.kubeconfig --token wrong
[ $code -eq 1 ] && grep -qi 'unauthorized' err && grep -q '^The credentials are from the option --token.$' err
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
[ $code -eq 1 ] && [ ! -s out ] &&
    [ "$(cat err)" = "listwatch: this would delete 1 configmaps in all namespaces; add --yes to delete them" ] &&
    on get cm web -n prod -o name
check "deleting in all namespaces needs --yes"

on delete cm -A -l app=web --yes
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
    grep -q '^listwatch: --all: cannot be combined with a selector' err &&
    on get cm keep -n other -o name && [ "$(cat out)" = configmap/keep ]
check "--all does not mean all namespaces"

on delete cm --all -n other
[ $code -eq 1 ] && [ ! -s out ] && grep -q 'in namespace other; add --yes' err &&
    on get cm keep -n other -o name
check "deleting everything in a namespace needs --yes"

on delete cm --all -n other --dry-run=client
[ $code -eq 0 ] && grep -qx 'configmap/keep deleted from namespace other (dry run)' out &&
    on get cm keep -n other -o name
check "a dry run of delete deletes nothing"

on delete cm -A -l g=9 --yes
[ $code -eq 0 ] && [ "$(cat out)" = "configmap/keep deleted from namespace other" ]
check "delete prints the namespace of what it deleted"

# Every command reads its options in the same place.
for arguments in 'get pods --all' 'get pods --out=name' 'watch pods --onc' 'watch --etc http://127.0.0.1:1' \
    'apply --file web.yaml' 'delete cm x --ignore' 'delete cm -l g=9 --all-name' 'control --node 3' \
    'serve --mem' 'serve --data x' 'logs x --tai 3' 'scale deploy/x --repl 3' 'store check --repa'; do
    option=$(printf '%s' "$arguments" | grep -o -- '--[a-z-]*')
    # shellcheck disable=SC2086
    on $arguments
    [ $code -eq 2 ] && [ ! -s out ] &&
        grep -q "^listwatch: unknown option $option of [a-z ]* (did you mean $option[a-z-]*" err
    check "no abbreviation: $arguments"
done

on get pods -n prod -q
[ $code -eq 2 ] && grep -q '^listwatch: unknown option -q of get' err
check "an option of another command is refused"

for arguments in 'get' 'get pods -f web.yaml' 'get pods/' 'get pods/a b' 'get pods a -l b=c' 'get pods -o jsonpath={' 'get pods -o custom-columns=A' \
    'get pods -n a -A' 'get pods a -A' 'get pods -l app=(' 'get pods --once' 'watch' \
    'watch pods a b' 'watch pods -f x' 'watch pods --stats xml' 'apply' 'apply web.yaml' \
    'apply -f web.yaml -o json' 'delete' 'delete pods' 'delete -f web.yaml -l a=b' \
    'delete pods a -l b=c' 'watch pods --once=1' 'get pods --nosuch' 'get pods -x' 'get pods -xA'; do
    # shellcheck disable=SC2086
    on $arguments
    [ $code -eq 2 ] && [ -s err ] && [ ! -s out ]
    check "bad usage: $arguments"
done

for command in get watch apply delete describe logs diff scale wait rollout api-resources explain \
    completion; do
    listwatch $command --help
    [ $code -eq 0 ] && grep -q "^usage: listwatch $command" out && [ ! -s err ]
    check "$command shows its help"
done

echo "1..$count"
