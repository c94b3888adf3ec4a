# SPDX-License-Identifier: Apache-2.0
# serving.sh -- sourced after tap.sh: a server of one's own, and waiting for lines without sleeping.

# start_server ARGUMENT...: starts `$program serve` on ports of its own choice, without the CA's
# ConfigMap in each namespace, because tests count their ConfigMaps, and waits for its ready line.
# Sets server (its pid), tls and plain (its URLs).
start_server() {
    rm -f ready
    mkfifo ready
    # exec: the signals of the test are for the server, not for a shell around it.
    (exec ${MESON_EXE_WRAPPER-} "$program" serve --listen 127.0.0.1:0 \
        --insecure-listen 127.0.0.1:0 --controllers=-root-ca-cert-publisher "$@") >ready 2>server.log &
    server=$!
    ready_word=
    read -r ready_word tls plain <ready
    if [ "$ready_word" != ready: ]; then
        sed 's/^/# server: /' server.log
        echo "Bail out! the server did not become ready"
        exit 1
    fi
}

# stop_server: asks the server to end; its exit code is the result.
stop_server() {
    kill -TERM "$server"
    wait "$server"
}

# follow COMMAND...: runs COMMAND in the background; await reads its lines.  One at a time.
# --foreground: without it, timeout sends SIGCONT after the signal that ends COMMAND.  That undoes the
# stop with which LeakSanitizer looks at a process that ends, and LeakSanitizer waits for it forever.
follow() {
    rm -f followed
    mkfifo followed
    timeout --foreground --kill-after=10 60 "$@" >followed 2>followed.err &
    follower=$!
    exec 8<followed
}

# await PATTERN: reads lines of the follower until one matches PATTERN (grep's), and puts them into
# out.  Fails when they end before; a follower lives for a minute at most.
await() {
    : >out
    : >err
    while IFS= read -r line <&8; do
        printf '%s\n' "$line" >>out
        if printf '%s\n' "$line" | grep -q -- "$1"; then
            return 0
        fi
    done
    cat followed.err >err
    return 1
}

# unfollow: ends the follower.
unfollow() {
    kill "$follower" 2>/dev/null
    wait "$follower" 2>/dev/null
    exec 8<&-
}
