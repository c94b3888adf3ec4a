/* SPDX-License-Identifier: Apache-2.0 */
/* h2_wire.h -- our side of HTTP/2 on one end of a pair of sockets; the test has the other, and
 * plays the server byte by byte.  Asks for no memory of the library but what the client asks for.
 */
#ifndef LW_TESTS_SUPPORT_H2_WIRE_H
#define LW_TESTS_SUPPORT_H2_WIRE_H

#include <listwatch/sys/clock.h>

#include "net/h2_client.h"

typedef struct h2_wire {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_h2_client *client;
    int fd; /* the server's end; -1: none */
} h2_wire;

/* The server's first frame: SETTINGS without any. */
#define H2_WIRE_SETTINGS "\0\0\0\4\0\0\0\0\0"

/* Everything but on_up, on_down and arg is filled in.  LW_ERR_NOMEM; close it then, too. */
lw_status h2_wire_open(h2_wire *wire, const lw_h2_client_options *options);
void h2_wire_close(h2_wire *wire);

/* Sends bytes of the server's, and turns the loop; what the client sends is dropped. */
void h2_wire_give(h2_wire *wire, const void *bytes, size_t len);
void h2_wire_turn(h2_wire *wire);

#endif
