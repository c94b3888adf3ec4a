#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh -- `make run`: a server on free ports, and lines to paste for curl and kubectl.
#
#   run.sh PROGRAM FOLDER
#
# What it is told stays in FOLDER/1 for the next run; a second one at the same time takes FOLDER/2.
set -u
program=$1
mkdir -p "$2" || exit 1
folder=$(cd "$2" && pwd)

number=1
exec 9>"$folder/$number.lock"
while ! flock -n 9; do
    number=$((number + 1))
    exec 9>"$folder/$number.lock"
done
data=$folder/$number

# Ctrl-C reaches the server by itself, being of the same terminal; this script waits for its end.
trap : INT
trap 'kill -TERM "$server" 2>/dev/null' TERM HUP
rm -f "$data.ready"
mkfifo "$data.ready" || exit 1
"$program" serve --listen 127.0.0.1:0 --insecure-listen 127.0.0.1:0 --data-dir "$data" \
    >"$data.ready" &
server=$!
word=
read -r word tls plain <"$data.ready"
rm -f "$data.ready"
if [ "$word" = ready: ]; then
    cat <<END
ready: $tls $plain

In a browser: $plain/

In another terminal:

    export KUBECONFIG=$data/admin.kubeconfig
    kubectl run web --image=nginx
    kubectl get pods --watch

    curl $plain/api/v1/namespaces
    curl -N '$plain/api/v1/namespaces/default/configmaps?watch=1'
    curl --cacert $data/pki/ca.crt -H "Authorization: Bearer \$(cat $data/pki/admin.token)" $tls/version

What it is told stays in $data.  Ctrl-C ends it.
END
fi
wait "$server"
code=$?
while kill -0 "$server" 2>/dev/null; do # a signal has ended the wait, not yet the server
    wait "$server"
    code=$?
done
exit "$code"
