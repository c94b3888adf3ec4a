#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# embedded_server_test.sh -- the example with a server inside.  usage: embedded_server_test.sh PROGRAM
set -u
. "$(dirname "$0")/tap.sh"
program=$(absolute "$1")
cd "$dir" || exit 1
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT
: >err

mkfifo ready
${MESON_EXE_WRAPPER-} "$program" >ready 2>err &
server=$!
read -r url <ready
curl -sS "$url/api/v1/namespaces/default" >out 2>err && grep -q '"name": "default"' out
check "prints its URL and answers there"

kill -TERM "$server"
wait "$server"
check "ends when it is told to"
echo "1..$count"
