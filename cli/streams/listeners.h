/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.h -- sockets of this machine whose connections are forwarded. */
#ifndef LISTWATCH_CLI_STREAMS_LISTENERS_H
#define LISTWATCH_CLI_STREAMS_LISTENERS_H

#include "remote_port.h"

enum {
    LISTENERS_MAX = 64,
};

typedef struct listener {
    int fd;
    unsigned local, remote;
} listener;

typedef struct listeners {
    listener at[LISTENERS_MAX];
    size_t count;
} listeners;

/* Listens on all |addresses| (separated by commas; "localhost" is 127.0.0.1 and ::1) for |ports|,
 * and prints "Forwarding from ADDRESS:PORT -> PORT" for each.  False after it has printed an error.
 */
bool listeners_open(listeners *all, const char *addresses, port_pair ports);
void listeners_close(listeners *all);

#endif
