#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# serve_test.sh -- `listwatch serve` at the command line: the line it prints, its files, authentication, shutdown.
#
#   serve_test.sh PROGRAM
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
program=$(absolute "$1")
cd "$dir" || exit 1
server=
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

# serve ARGUMENT...: a server that should not come up; its words are in out and err.
serve() {
    timeout 60 ${MESON_EXE_WRAPPER-} "$program" serve "$@" >out 2>err
    code=$?
}

# fetch ARGUMENT...: curl; body in out, status in code.
fetch() {
    code=$(curl -sS -o out -w '%{http_code}' "$@" 2>err)
}

maps=/api/v1/namespaces/default/configmaps

start_server --data-dir data
case $tls in https://127.0.0.1:*) true ;; *) false ;; esac && case $plain in http://127.0.0.1:*) true ;; *) false ;; esac
check "says where it is when it can answer"

[ "$(stat -c %a data)" = 700 ] && [ "$(stat -c %a data/admin.kubeconfig)" = 600 ] &&
    [ "$(stat -c %a data/pki)" = 700 ] && [ "$(stat -c %a data/pki/* | sort -u)" = 600 ]
check "its files are its owner's alone"

grep -q "server: \"$tls\"" data/admin.kubeconfig && grep -q '^current-context: listwatch$' data/admin.kubeconfig
check "the kubeconfig names it"

for path in /healthz /livez /readyz /livez/ping; do
    fetch "$plain$path" && [ "$code" = 200 ] && [ "$(cat out)" = ok ]
    check "$path"
done

fetch "$plain/readyz?verbose&exclude=store" && [ "$code" = 200 ] && grep -qx '\[+\]store excluded: ok' out &&
    grep -qx 'readyz check passed' out
check "the checks of /readyz"

fetch "$plain/metrics" && [ "$code" = 200 ] && grep -q '^listwatch_store_revision [0-9]' out
check "metrics"

grep -q libcrypto "/proc/$server/maps" && ! grep -q libcurl "/proc/$server/maps"
check "a server carries no libcurl"

fetch "$plain$maps" -H 'Content-Type: application/json' --data '{"metadata":{"name":"kept"},"data":{"a":"b"}}' &&
    [ "$code" = 201 ] && fetch "$plain$maps/kept" && [ "$code" = 200 ] && grep -q '"a": "b"' out
check "takes an object and gives it back"

follow curl -sSN "$plain$maps?watch=1"
await '"ADDED".*"name":"kept"' && fetch "$plain$maps/gone" &&
    fetch "$plain$maps" -H 'Content-Type: application/json' --data '{"metadata":{"name":"gone"}}' &&
    fetch -X DELETE "$plain$maps/gone" && [ "$code" = 200 ] && await '"DELETED".*"name":"gone"'
check "a watch sees it come and go"
unfollow

ca="--cacert data/pki/ca.crt"
fetch $ca "$tls/api" && [ "$code" = 403 ] && grep -q 'User \\"system:anonymous\\" cannot get path' out
check "over TLS nobody is let in without credentials"

fetch $ca -H 'Authorization: Bearer wrong' "$tls/api" && [ "$code" = 401 ]
check "nor with a wrong token"

fetch $ca "$tls/readyz" && [ "$code" = 200 ] && fetch $ca "$tls/metrics" && [ "$code" = 403 ]
check "health needs no credentials, metrics do"

fetch $ca -H "Authorization: Bearer $(cat data/pki/admin.token)" "$tls$maps/kept" && [ "$code" = 200 ]
check "the admin's token opens"

fetch $ca --cert data/pki/admin.crt --key data/pki/admin.key "$tls$maps/kept" && [ "$code" = 200 ]
check "the admin's certificate opens"

# refuses_to_impersonate URL CURL-ARGUMENT...: $wanted, the body has $why, and the object is still there.
refuses_to_impersonate() {
    url=$1
    shift
    fetch -X DELETE "$@" "$url" && [ "$code" = "$wanted" ] && grep -q "$why" out && fetch "$plain$maps/kept" && [ "$code" = 200 ]
}

admin="--cert data/pki/admin.crt --key data/pki/admin.key"
for header in 'Impersonate-User: jane' 'impersonate-group: dev' 'IMPERSONATE-UID: 7' 'Impersonate-Extra-Scopes: all'; do
    case $header in
    *User*) wanted=403 why='User \\"jane\\" cannot delete resource' ;;
    *) wanted=400 why='without impersonating a user' ;;
    esac
    refuses_to_impersonate "$plain$maps/kept" --http1.1 -H "$header" &&
        refuses_to_impersonate "$plain$maps/kept" --http2-prior-knowledge -H "$header" &&
        refuses_to_impersonate "$tls$maps/kept" $ca $admin --http1.1 -H "$header" &&
        refuses_to_impersonate "$tls$maps/kept" $ca $admin --http2 -H "$header"
    check "a request with '$header' of the administrator has no rights: HTTP/1.1 and HTTP/2, plain and TLS"
done

fetch --max-time 20 --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
    -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' -H 'Impersonate-User: jane' "$plain$maps?watch=1" &&
    [ "$code" = 403 ] && grep -q 'User \\"jane\\" cannot watch resource' out
check "a WebSocket of an impersonated user without rights is refused before the upgrade"

fetch -H 'Origin: https://example.com' "$plain/api" && [ "$code" = 403 ] && fetch -H 'Host: example.com' "$plain/api" &&
    [ "$code" = 403 ]
check "plain HTTP is not for pages of others"

fetch "$plain/" && grep -q '"/apis/apps/v1"' out && fetch "$plain/nothing" && [ "$code" = 404 ]
check "says what there is"

follow curl -sSN "$plain$maps?watch=1"
await '"name":"kept"'
stop_server
check "SIGTERM ends it"
cat <&8 >rest
wait "$follower"
check "its watches end cleanly"
exec 8<&-

printf '31ada4fd,jane,1,"dev,ops"\n' >tokens
start_server --data-dir data --token-file tokens
fetch "$plain$maps/kept" && [ "$code" = 200 ] && grep -q '"a": "b"' out
check "a restart keeps what it was told"

fetch $ca -H "Authorization: Bearer $(cat data/pki/admin.token)" "$tls/api" && [ "$code" = 200 ]
check "and its keys"

fetch $ca -H 'Authorization: Bearer 31ada4fd' "$tls/api" && [ "$code" = 200 ]
check "a token of the token file opens"

fetch $ca -H 'Authorization: Bearer 31ada4fd' "$tls$maps" && [ "$code" = 403 ] &&
    grep -q 'authorization mode Node,RBAC$' server.log && [ "$(cat data/authorization-mode)" = Node,RBAC ]
check "a new folder has Node,RBAC, and keeps it: a user without a role reads nothing"

serve --listen none --insecure-listen 127.0.0.1:0 --data-dir data
[ "$code" = 1 ] && [ ! -s out ] && grep -q "$dir/data\|data/" err
check "a folder has one server at a time"

serve --memory --listen "${tls#https://}"
[ "$code" = 1 ] && grep -q 'cannot listen on 127.0.0.1:.*; choose another address, or 127.0.0.1:0 for a free port' err
check "an address in use is said, with what to do"
stop_server
check "SIGTERM ends it again"

cp data/store/data.mdb backup.mdb
: >data/store/data.mdb
serve --listen none --insecure-listen 127.0.0.1:0 --data-dir data
[ "$code" = 1 ] && [ ! -s out ] &&
    grep -q 'data/store/data.mdb is damaged (the file is empty): restore a backup (listwatch store restore), or' err
check "a store file of 0 bytes is refused, with what to do"

cp backup.mdb data/store/data.mdb
start_server --data-dir data && fetch "$plain$maps/kept" && [ "$code" = 200 ]
check "a backup in its place is served"
stop_server

rm data/authorization-mode
start_server --data-dir data --token-file tokens && fetch $ca -H 'Authorization: Bearer 31ada4fd' "$tls$maps" && [ "$code" = 200 ] &&
    grep -q 'authorization mode AlwaysAllow: any authenticated user has full access (kept, because' server.log &&
    [ "$(cat data/authorization-mode)" = AlwaysAllow ]
check "a folder of a version without authorization stays as it was, and the log says so"
stop_server

start_server --data-dir data --token-file tokens --authorization-mode RBAC && stop_server &&
    start_server --data-dir data --token-file tokens && fetch $ca -H 'Authorization: Bearer 31ada4fd' "$tls$maps" &&
    [ "$code" = 403 ] && [ "$(cat data/authorization-mode)" = RBAC ]
check "the modes of the last start count"
stop_server

echo Nod >data/authorization-mode
serve --listen none --insecure-listen 127.0.0.1:0 --data-dir data
[ "$code" = 1 ] && grep -q 'data/authorization-mode: unknown authorization mode "Nod": use' err
check "a damaged file of modes is refused, with its name"
echo RBAC >data/authorization-mode
start_server --data-dir data
stop_server

rm data/store/data.mdb
start_server --data-dir data && fetch "$plain$maps/kept" && [ "$code" = 404 ]
check "without the file the store is empty"
stop_server

serve --memory --insecure-listen 0.0.0.0:0
[ "$code" = 1 ] && grep -q 'plain HTTP on 0.0.0.0:0 would give full access to everyone' err
check "plain HTTP is for the loopback only"

printf 'nonsense\n' >tokens
serve --memory --insecure-listen 127.0.0.1:0 --token-file tokens
[ "$code" = 1 ] && grep -q 'tokens: line 1: token, user and uid are required' err
check "a token file that makes no sense is said, with its line"

for wrong in '--memory --data-dir data' '--history-size 10Q' '--protobuf-size much' '--history-age forever' '--threads 0' \
    '--threads 65' '--workers 0' '--workers 17' '--listen none' '--nonsense' 'argument'; do
    serve $wrong
    [ "$code" = 2 ] && [ ! -s out ] && [ -s err ]
    check "makes no sense: $wrong"
done

serve --help
[ "$code" = 0 ] && grep -q -- '--insecure-listen ADDR:PORT' out
check "--help"

# The ready line alone: one URL each.
rm -f ready
mkfifo ready
${MESON_EXE_WRAPPER-} "$program" serve --memory --listen none --insecure-listen '[::1]:0' --kubeconfig kubeconfig >ready 2>server.log &
server=$!
read -r line <ready
case $line in "ready: http://[::1]:"*[0-9]) true ;; *) false ;; esac && [ "$(stat -c %a kubeconfig)" = 600 ] &&
    grep -qF "server: \"${line#ready: }\"" kubeconfig && fetch -g "${line#ready: }/livez" && [ "$code" = 200 ]
check "plain HTTP alone, in memory"
kill -INT "$server"
wait "$server"
check "SIGINT ends it"

XDG_STATE_HOME=$dir/state
export XDG_STATE_HOME
rm -f ready
mkfifo ready
${MESON_EXE_WRAPPER-} "$program" serve --insecure-listen 127.0.0.1:0 --history-size 1M --history-age 10m --threads 1 -v >ready 2>server.log &
server=$!
read -r word tls plain <ready
[ "$word" = ready: ] && [ "${tls#https://127.0.0.1:}" != 6443 ] && fetch "$plain/livez" && [ "$code" = 200 ] &&
    [ -f state/listwatch/admin.kubeconfig ]
check "the default folder; beside plain HTTP, HTTPS takes any port"
stop_server
check "and ends"
echo "1..$count"
