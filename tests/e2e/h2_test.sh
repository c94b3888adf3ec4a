#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# h2_test.sh -- HTTP/2 against nghttp2's tools and curl.  usage: h2_test.sh HTTP-ECHO
set -u
. "$(dirname "$0")/tap.sh"
program=$(absolute "$1")
cd "$dir" || exit 1
: >out
: >err

if ! command -v h2load >tool || ! command -v nghttp >tool; then
    echo "1..0 # SKIP nghttp2's clients are missing"
    exit 0
fi

# The server runs until its input ends.
mkfifo input ports
run "$program" "$dir" <input >ports &
server=$!
exec 9>input
read -r plain secure <ports
http=http://127.0.0.1:$plain
https=https://127.0.0.1:$secure

# load COUNT ARGUMENTS: that many requests, and all of them succeed.
load() {
    wanted=$1
    shift
    timeout 60 h2load --requests "$wanted" "$@" >out 2>err &&
        grep -q ", $wanted succeeded, 0 failed, 0 errored" out
}

load 10000 --clients 10 --max-concurrent-streams 100 "$http/who"
check "ten thousand small requests, a hundred at once on each of ten connections"

load 2000 --clients 1 --max-concurrent-streams 1000 "$http/stream"
check "a thousand streams at once, each with a thousand messages"

load 100 --clients 2 --max-concurrent-streams 10 "$http/large"
check "four megabytes a hundred times"

load 20 --clients 2 --max-concurrent-streams 10 --window-bits 14 --connection-window-bits 15 \
    "$http/large"
check "four megabytes through small windows"

load 2000 --clients 4 --max-concurrent-streams 50 "$https/who"
check "two thousand small requests over TLS"

load 40 --clients 2 --max-concurrent-streams 10 "$https/large"
check "four megabytes forty times over TLS"

head -c 100000 /dev/zero >body
load 500 --clients 2 --max-concurrent-streams 50 --data=body "$http/echo"
check "bodies of a hundred thousand bytes"

timeout 60 nghttp --verbose "$http/who" >out 2>err &&
    grep -q 'SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1000' out &&
    grep -q 'SETTINGS_INITIAL_WINDOW_SIZE(0x04):262144' out &&
    grep -q 'SETTINGS_MAX_HEADER_LIST_SIZE(0x06):65536' out &&
    grep -q 'HTTP/2 plain' out
check "nghttp is told the limits and gets its answer"

timeout 60 nghttp --multiply=200 --null-out "$http/large" >out 2>err
check "nghttp with two hundred streams of its priorities"

head -c 4000000 /dev/zero >large
timeout 60 curl --silent --http2-prior-knowledge --data-binary @large --write-out '%{http_code}' \
    "$http/echo" >out 2>err
grep -q 413 out
check "a body of more than three megabytes is refused with 413"

timeout 60 curl --silent --http2-prior-knowledge --head "$http/large" >out 2>err &&
    grep -q '^content-length: 4194304' out
check "HEAD tells the length and sends nothing"

exec 9>&-
wait $server
check "the server drains and ends"

echo "1..$count"
