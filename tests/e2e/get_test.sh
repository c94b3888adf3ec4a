#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# get_test.sh -- `listwatch get` at the command line.  usage: get_test.sh PROGRAM
set -u
. "$(dirname "$0")/tap.sh"
program=$(absolute "$1")
cd "$dir" || exit 1

listwatch() {
    run "$program" "$@"
}

# get ARGUMENTS: runs the command; its output is in out and err, its exit code in code.
get() {
    listwatch get "$@" >out 2>err
    code=$?
}

cat >pods.json <<'END'
{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[
 {"metadata":{"name":"web-0","namespace":"prod","resourceVersion":"7","labels":{"app":"web"},
  "managedFields":[{"manager":"x"}]},"spec":{"nodeName":"n1"}},
 {"metadata":{"name":"db-0","namespace":"prod","resourceVersion":"8","labels":{"app":"db"}}},
 {"metadata":{"name":"web-1","namespace":"test","resourceVersion":"9","labels":{"app":"web"}}}]}
END
cat >mixed.yaml <<'END'
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
---
# a comment, and nothing else
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata:
    name: web
END
printf '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"one"}}' >one.json

get -f pods.json
[ $code -eq 0 ] && [ "$(wc -l <out)" -eq 4 ] &&
    [ "$(sed -n 2p out)" = "prod        web-0   Pod    7                 app=web" ]
check "prints a table"

get -f pods.json -o wide
[ $code -eq 0 ] && head -1 out | grep -q '^NAMESPACE .*APIVERSION  *UID  *LABELS$'
check "a wide table has more columns"

get -f pods.json -l app=web -o name
[ $code -eq 0 ] && [ "$(cat out)" = "pod/web-0
pod/web-1" ]
check "picks by label"

get -f pods.json -l 'app in (web)' -n test -o name
[ $code -eq 0 ] && [ "$(cat out)" = "pod/web-1" ]
check "picks by namespace"

get -f pods.json --field-selector spec.nodeName=n1 -o name
[ $code -eq 0 ] && [ "$(cat out)" = "pod/web-0" ]
check "picks by field"

get -f mixed.yaml -o name
[ $code -eq 0 ] && [ "$(cat out)" = "deployment.apps/web
service/web" ]
check "reads YAML documents and opens lists up"

listwatch get -f - -o name <pods.json >out 2>err
[ $? -eq 0 ] && [ "$(wc -l <out)" -eq 3 ]
check "reads standard input"

get -f one.json -f mixed.yaml -o name
[ $code -eq 0 ] && [ "$(wc -l <out)" -eq 3 ]
check "reads several files"

get -f one.json -o yaml
[ $code -eq 0 ] && [ "$(cat out)" = "kind: Pod
apiVersion: v1
metadata:
  name: one" ]
check "prints one object as itself"

get -f pods.json -n prod -o json
cp out again.json
get -f again.json -o name
[ $code -eq 0 ] && [ "$(cat out)" = "pod/web-0
pod/db-0" ] && ! grep -q managedFields again.json
check "what it prints as JSON it can read, kinds included"

get -f pods.json -o yaml
cp out again.yaml
get -f again.yaml -o name
[ $code -eq 0 ] && [ "$(wc -l <out)" -eq 3 ]
check "what it prints as YAML it can read"

get -f pods.json -n none
[ $code -eq 0 ] && [ ! -s out ] && [ "$(cat err)" = "No objects found." ]
check "says that nothing was found"

get -f pods.json -n none -o json
[ $code -eq 0 ] && grep -q '"items": \[\]' out
check "an empty result is an empty list"

printf '{"items":[{"metadata":{"name":"a"}},{"metadata":' >cut.json
get -f cut.json -o name
[ $code -eq 1 ] && [ "$(cat out)" = "a" ] && grep -q '^listwatch: cut.json: byte 48: ' err
check "a file cut short is an error that says where"

printf 'kind: A\nmetadata: [\n' >bad.yaml
get -f bad.yaml
[ $code -eq 1 ] && grep -q '^listwatch: bad.yaml: .*line 3' err
check "bad YAML is an error with its line"

get -f absent.json
[ $code -eq 1 ] && [ "$(cat err)" = "listwatch: absent.json: No such file or directory" ]
check "a missing file is an error"

mkdir empty
get -f empty
[ $code -eq 1 ] && [ "$(cat err)" = "listwatch: empty: the directory has no files *.json, *.yaml or *.yml" ]
check "a directory without manifests is an error"

mkdir -p manifests/more
cp one.json manifests/b.json
cp mixed.yaml manifests/a.yml
cp pods.json manifests/notes.txt
cp one.json manifests/more/c.yaml
get -f manifests -o name
[ $code -eq 0 ] && [ "$(cat out)" = "deployment.apps/web
service/web
pod/one" ]
check "reads the manifests of a directory in the order of their names"

get -f manifests -R -o name
[ $code -eq 0 ] && [ "$(wc -l <out)" -eq 4 ]
check "-R reads the directories below as well"

get -f pods.json -o 'jsonpath={range .items[*]}{.metadata.name}={.spec.nodeName}{"\n"}{end}'
[ $code -eq 0 ] && [ "$(cat out)" = "web-0=n1
db-0=
web-1=" ]
check "prints a JSONPath"

get -f pods.json -o 'custom-columns=NAME:.metadata.name,APP:.metadata.labels.app,NODE:.spec.nodeName' --sort-by .metadata.name
[ $code -eq 0 ] && [ "$(cat out)" = "NAME    APP   NODE
db-0    db    <none>
web-0   web   n1
web-1   web   <none>" ]
check "prints custom columns, sorted"

get -f one.json -o 'jsonpath={.metadata.name'
[ $code -eq 2 ] && grep -q '^listwatch: -o: invalid JSONPath .*"}" is missing at position 16$' err
check "a malformed JSONPath is an error with its position"

for arguments in '' '-f' '-f pods.json -o xml' '-f pods.json extra' '--nonsense' \
    '-f pods.json -l app=(' '-f pods.json --field-selector x'; do
    # shellcheck disable=SC2086
    get $arguments
    [ $code -eq 2 ] && [ -s err ] && [ ! -s out ]
    check "bad usage: get $arguments"
done

get --help
[ $code -eq 0 ] && grep -q '^usage: listwatch get' out && [ ! -s err ]
check "shows its help"

printf '{"metadata":{"name":"a\\u001b[31mb\\nc"}}' >escape.json
get -f escape.json
[ $code -eq 0 ] && grep -q 'a?\[31mb?c' out
check "no file can steer the terminal"

# A reader that leaves early: no message, and no hanging on to the rest of the input.
{
    printf '{"items":['
    i=0
    while [ $i -lt 20000 ]; do
        printf '{"metadata":{"name":"n%d"}},' $i
        i=$((i + 1))
    done
    printf '{}]}'
} >many.json
{
    trap '' PIPE
    listwatch get -f many.json -o name 2>err
    echo $? >status
} | head -1 >out
[ "$(cat out)" = n0 ] && [ ! -s err ] && [ "$(cat status)" -eq 1 ]
check "stops quietly when nobody reads any more"

if [ -w /dev/full ]; then
    listwatch get -f many.json -o name >/dev/full 2>err
    [ $? -eq 1 ] && grep -q 'standard output: No space left on device' err
    check "a full disk is an error"
fi

echo "1..$count"
