/* SPDX-License-Identifier: Apache-2.0 */
/* h2_wire.h -- the HTTP/2 client on one end of a socket pair.  The test has the other end and plays
 * the server byte by byte.  Only the client uses the library's allocator. */
#ifndef LW_TESTS_SUPPORT_H2_WIRE_H
#define LW_TESTS_SUPPORT_H2_WIRE_H

#include <listwatch/sys/clock.h>

#include "net/h2/h2_client.h"

typedef struct h2_wire {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_h2_client *client;
    int fd; /* the server's end; -1: none */
} h2_wire;

/* The first frame of the server: empty SETTINGS. */
#define H2_WIRE_SETTINGS "\0\0\0\4\0\0\0\0\0"

/* Sets all options except on_up, on_down and arg.  LW_ERR_NOMEM; close it even then. */
lw_status h2_wire_open(h2_wire *wire, const lw_h2_client_options *options);
void h2_wire_close(h2_wire *wire);

/* Sends bytes of the server and runs the loop; bytes from the client are dropped. */
void h2_wire_give(h2_wire *wire, const void *bytes, size_t len);
void h2_wire_turn(h2_wire *wire);

#endif
