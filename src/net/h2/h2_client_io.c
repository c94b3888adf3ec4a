/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_io.c -- between the socket and the session: TLS handshake, reading, sending. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/container_of.h"
#include "net/h2/h2_client_internal.h"
#include "net/wire.h"

enum {
    READ_ROUNDS = 16,        /* reads before other descriptors are served */
    FLUSH_MAX = 1024 * 1024, /* bytes sent before other descriptors are served */
};

/* The connection is usable: creates the session and sends the preface. */
static void greet(lw_h2_client *client)
{
    client->stage = LW_H2_CLIENT_GREETING;
    if (lw_h2_client__session_new(client) < 0)
        lw_h2_client__fail(client, LW_ERR_NOMEM, "out of memory");
}

/* Reading or writing has failed, in TLS or in the socket. */
static void broken(lw_h2_client *client)
{
    lw_error err = LW_ERROR_INIT;
    int error = errno;
    if (client->tls) {
        lw_status st = lw_tls_stream_error(client->tls, &err);
        lw_h2_client__fail(client, st, "%s", err.message);
    } else {
        lw_h2_client__fail(client, LW_ERR_UNAVAILABLE, "the connection failed: %s",
                           strerror(error));
    }
}

static void handshake(lw_h2_client *client)
{
    lw_tls_result result = lw_tls_stream_handshake(client->tls);
    client->is_blocked = result == LW_TLS_WANTS_WRITE;
    if (result == LW_TLS_WANTS_READ || result == LW_TLS_WANTS_WRITE)
        return;
    if (result == LW_TLS_CLOSED)
        lw_h2_client__fail(client, LW_ERR_UNAVAILABLE,
                           "the server closed the connection during the TLS handshake");
    else if (result != LW_TLS_OK)
        broken(client);
    else if (!lw_tls_stream_is_h2(client->tls))
        lw_h2_client__fail(client, LW_ERR_INVALID,
                           "the server does not offer HTTP/2 (ALPN): check the port");
    else
        greet(client);
}

static void read_all(lw_h2_client *client)
{
    for (int round = 0; client->err.code == LW_OK && !client->is_freed; round++) {
        size_t got = 0;
        if (client->tls && (round == 0 || round == READ_ROUNDS))
            lw_tls_stream_set_read_ahead(client->tls, round == 0);
        if (round >= READ_ROUNDS && !(client->tls && lw_tls_stream_has_more(client->tls)))
            return;
        lw_tls_result result =
            lw_wire_read(client->io.fd, client->tls, client->read, LW_H2_CLIENT_READ_SIZE, &got);
        if (result == LW_TLS_OK)
            lw_h2_client__feed(client, client->read, got);
        else if (result == LW_TLS_CLOSED)
            lw_h2_client__fail(client, LW_ERR_UNAVAILABLE, "%s",
                               client->is_closing ? client->goaway.message
                                                  : "the server closed the connection");
        else if (result == LW_TLS_FAILED)
            broken(client);
        /* A plain socket that returned less has no more. */
        if (result != LW_TLS_OK || (!client->tls && got < LW_H2_CLIENT_READ_SIZE))
            return;
    }
}

static void io_ready(lw_io *io, unsigned events)
{
    lw_h2_client *client = LW_CONTAINER_OF(io, lw_h2_client, io);
    if (lw_h2_client__is_over(client))
        return;
    if (events & LW_IO_WRITE)
        client->is_blocked = false;
    if (client->stage == LW_H2_CLIENT_SECURING)
        handshake(client);
    if (client->stage >= LW_H2_CLIENT_GREETING && (events & (LW_IO_READ | LW_IO_GONE)))
        read_all(client);
    lw_h2_client__settle_soon(client);
}

/* Waits for events of the socket; false: failed. */
static bool watch_socket(lw_h2_client *client, int fd)
{
    client->io = (lw_io){ .fd = fd, .wanted = LW_IO_READ, .ready = io_ready };
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_loop_add(client->loop, &client->io, &err);
    if (st == LW_OK)
        return true;
    close(fd);
    client->io.fd = -1;
    lw_h2_client__fail(client, st, "%s", err.message);
    return false;
}

void lw_h2_client__secured(lw_h2_client *client, int fd, lw_tls_stream *tls)
{
    client->tls = tls;
    if (watch_socket(client, fd))
        greet(client);
    lw_h2_client__settle_soon(client);
}

void lw_h2_client__connected(lw_h2_client *client, int fd)
{
    if (!watch_socket(client, fd))
        return;
    if (!client->options.tls) {
        greet(client);
    } else if (lw_tls_stream_new_client(&client->tls, client->options.tls, fd, client->name) < 0) {
        lw_h2_client__fail(client, LW_ERR_NOMEM, "out of memory");
    } else {
        client->stage = LW_H2_CLIENT_SECURING;
        handshake(client);
    }
    lw_h2_client__settle_soon(client);
}

void lw_h2_client__disconnect(lw_h2_client *client)
{
    if (client->tls && client->io.fd >= 0)
        lw_tls_stream_shutdown(client->tls);
    lw_tls_stream_free(client->tls);
    client->tls = NULL;
    if (client->io.fd < 0)
        return;
    lw_loop_remove(client->loop, &client->io);
    close(client->io.fd);
    client->io.fd = -1;
}

/* Writes the queue to the socket as far as possible.  Returns the number of bytes. */
static size_t write_queue(lw_h2_client *client)
{
    size_t before = client->queue.pending;
    while (client->queue.pending > 0 && !client->is_blocked) {
        size_t sent = 0;
        lw_tls_result result = lw_wire_write(client->io.fd, client->tls, &client->queue,
                                             client->gather, LW_H2_CLIENT_GATHER_SIZE, &sent);
        if (result == LW_TLS_OK)
            lw_conn_queue_take(&client->queue, sent);
        /* If TLS needs to read first, any event leads back here. */
        else if (result == LW_TLS_WANTS_WRITE)
            client->is_blocked = true;
        else if (result != LW_TLS_WANTS_READ)
            broken(client);
        if (result != LW_TLS_OK)
            break;
    }
    return before - client->queue.pending;
}

void lw_h2_client__flush(lw_h2_client *client)
{
    size_t total = 0;
    while (client->err.code == LW_OK && !client->is_freed) {
        lw_h2_client__submit_waiting(client);
        if (!client->is_freed)
            lw_h2_client__frame(client);
        if (client->is_freed)
            return;
        size_t sent = write_queue(client);
        total += sent;
        if (sent == 0)
            return;
        if (total > FLUSH_MAX) {
            client->is_blocked = true; /* the next batch continues with it */
            return;
        }
    }
}
