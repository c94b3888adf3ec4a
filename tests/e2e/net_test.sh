#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# net_test.sh -- the net module against curl, openssl and node.  usage: net_test.sh HTTP-ECHO SCRIPT
set -u
. "$(dirname "$0")/tap.sh"
program=$(absolute "$1")
websocket=$(absolute "$2")
cd "$dir" || exit 1
: >out
: >err

# The server runs until its input ends.
mkfifo input ports
run "$program" "$dir" <input >ports &
server=$!
exec 9>input
read -r plain secure <ports
http=http://127.0.0.1:$plain
https=https://127.0.0.1:$secure

# fetch ARGUMENTS: curl, with the CA of the server.
fetch() {
    curl --silent --show-error --max-time 30 --cacert ca.pem "$@" >out 2>err
}

# says TEXT: what was fetched.
says() {
    [ "$(cat out)" = "$1" ]
}

fetch $http/who && says "HTTP/1 plain"
check "HTTP/1.1"

fetch --http2-prior-knowledge $http/who && says "HTTP/2 plain"
check "HTTP/2 with prior knowledge"

fetch --http1.0 $http/who && says "HTTP/1 plain"
check "HTTP/1.0"

fetch --http1.1 $https/who && says "HTTP/1 tls"
check "HTTP/1.1 over TLS"

fetch --http2 $https/who && says "HTTP/2 tls"
check "HTTP/2 over TLS, by ALPN"

fetch --no-alpn $https/who && says "HTTP/1 tls"
check "TLS without ALPN is HTTP/1.1"

fetch --http2 --cert client.pem --key client.key $https/who &&
    says "HTTP/2 tls CN=admin O=system:masters"
check "a client's certificate says who it is, over HTTP/2"

fetch --http1.1 --cert client.pem --key client.key $https/who &&
    says "HTTP/1 tls CN=admin O=system:masters"
check "and over HTTP/1.1"

! fetch --cert stranger.pem --key stranger.key $https/who
check "a certificate of another CA is refused"

! fetch --cert server.pem --key server.key $https/who
check "so is a server's, shown by a client"

! fetch --cacert other.pem $https/who
check "the server is not believed without its CA"

! fetch --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0 $https/who
check "TLS 1.1 is refused"

fetch --tls-max 1.2 --http2 $https/who && says "HTTP/2 tls"
check "TLS 1.2 is taken"

fetch --verbose $https/who && grep -q 'TLSv1.3 / TLS_AES_128_GCM_SHA256' err
check "of the ciphers of a client, the server takes the cheapest"

fetch --verbose --tls13-ciphers TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256 $https/who &&
    grep -q 'TLSv1.3 / TLS_CHACHA20_POLY1305_SHA256' err
check "but ChaCha20 of a client that prefers it, because it has no instructions for AES"

fetch --write-out '%{http_code}' http://127.0.0.1:"$secure"/who && grep -q HTTPS out && grep -q 400 out
check "who forgets the s of https is told"

head -c 2000000 /dev/urandom >large
for how in "--http1.1 $http" "--http2-prior-knowledge $http" "--http1.1 $https" "--http2 $https"; do
    # shellcheck disable=SC2086
    fetch ${how% *} --data-binary @large "${how#* }/echo" && cmp -s large out
    check "two megabytes there and back: $how"
    # shellcheck disable=SC2086
    fetch ${how% *} "${how#* }/stream" && [ "$(wc -l <out)" -eq 1000 ]
    check "a thousand messages: $how"
    # shellcheck disable=SC2086
    fetch ${how% *} "${how#* }/large" && [ "$(wc -c <out)" -eq 4194304 ]
    check "four megabytes in one piece: $how"
done

fetch --http1.1 -H 'Transfer-Encoding: chunked' -H 'Expect: 100-continue' --data-binary @large \
    $http/echo && cmp -s large out
check "a chunked body that waits for 100 Continue"

fetch --head $http/who && grep -q 'Content-Length: 13' out
check "HEAD"

head -c 4000000 /dev/zero >larger
fetch --write-out '%{http_code}' --data-binary @larger $http/echo && grep -q 413 out
check "a body of more than three megabytes is refused with 413"

openssl verify -CAfile ca.pem -purpose sslserver -verify_ip 127.0.0.1 server.pem >out 2>err &&
    openssl verify -CAfile ca.pem -purpose sslserver -verify_hostname localhost server.pem >out 2>err &&
    openssl verify -CAfile ca.pem -purpose sslclient client.pem >out 2>err &&
    ! openssl verify -CAfile ca.pem -purpose sslserver -verify_hostname other server.pem >out 2>err &&
    ! openssl verify -CAfile ca.pem -purpose sslserver client.pem >out 2>err
check "openssl takes the certificates for what they are"

messages='101 s3pPLMBiTxaQ9kYGzzhZRbK+xOo= b
{"type":"ADDED"}
{"type":"ADDED"}
{"type":"ADDED"}
close 1000'
if command -v node >node.path; then
    node "$websocket" "$plain" >out 2>err && says "$messages"
    check "a WebSocket"
    node "$websocket" "$secure" "$dir/ca.pem" >out 2>err && says "$messages"
    check "a WebSocket over TLS"
else
    count=$((count + 2))
    echo "ok $((count - 1)) - a WebSocket # SKIP node is missing"
    echo "ok $count - a WebSocket over TLS # SKIP node is missing"
fi

exec 9>&-
wait $server
check "the server drains and ends"

echo "1..$count"
