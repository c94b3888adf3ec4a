/* SPDX-License-Identifier: Apache-2.0 */
/* h2_wire.c -- an HTTP/2 client on a socket pair. */
#include "support/h2_wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/h2/h2_client_internal.h"

lw_status h2_wire_open(h2_wire *wire, const lw_h2_client_options *options)
{
    int fds[2];
    memset(wire, 0, sizeof(*wire));
    wire->fd = -1;
    lw_status st = lw_manual_clock_new(&wire->clock, 0);
    if (st == LW_OK)
        st = lw_loop_new(&wire->loop, lw_manual_clock_as_clock(wire->clock), NULL);
    if (st < 0)
        return st;
    lw_h2_client_options all = *options;
    all.host = "127.0.0.1";
    all.port = 1;
    all.connect_timeout_ms = all.ping_idle_ms = all.ping_timeout_ms = 3000;
    st = lw_h2_client_open(&wire->client, wire->loop, &all, NULL);
    if (st < 0)
        return st;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) < 0)
        abort();
    wire->fd = fds[1];
    lw_dial_cancel(wire->client->dial);
    wire->client->dial = NULL;
    lw_h2_client__connected(wire->client, fds[0]);
    h2_wire_turn(wire);
    return LW_OK;
}

void h2_wire_close(h2_wire *wire)
{
    lw_h2_client_free(wire->client);
    lw_loop_free(wire->loop);
    lw_manual_clock_free(wire->clock);
    if (wire->fd >= 0)
        close(wire->fd);
}

void h2_wire_turn(h2_wire *wire)
{
    static char dropped[64 * 1024];
    for (int i = 0; i < 4; i++) {
        if (lw_loop_turn(wire->loop, 0, NULL) < 0)
            abort();
        while (recv(wire->fd, dropped, sizeof(dropped), 0) > 0)
            continue;
    }
}

void h2_wire_give(h2_wire *wire, const void *bytes, size_t len)
{
    /* The size is below the socket buffer: all bytes are sent, or none if the client has closed. */
    (void)send(wire->fd, bytes, len, MSG_NOSIGNAL);
    h2_wire_turn(wire);
}
