/* SPDX-License-Identifier: Apache-2.0 */
/* load_many.c -- many creates, some of them at once. */
#include <poll.h>
#include <stdio.h>

#include "bench/server_load.h"

enum {
    CLIENTS_MAX = 64,
};

static void ignore(const char *bytes, size_t len, void *arg)
{
    (void)bytes;
    (void)len;
    (void)arg;
}

bool load_many(http_client *clients, unsigned at_once, uint64_t count, load_send_fn send)
{
    struct pollfd polls[CLIENTS_MAX];
    uint64_t sent = 0, made = 0;
    if (at_once > CLIENTS_MAX)
        return false;
    for (unsigned i = 0; i < at_once; i++) {
        polls[i] = (struct pollfd){ .fd = clients[i].fd, .events = POLLIN };
        if (sent < count && !send(&clients[i], sent++))
            return false;
    }
    while (made < count) {
        if (poll(polls, at_once, -1) < 0)
            return false;
        for (unsigned i = 0; i < at_once; i++) {
            if (!polls[i].revents)
                continue;
            if (http_client_read(&clients[i], ignore, NULL) < 0)
                return false;
            if (!clients[i].is_complete)
                continue;
            if (clients[i].status != 201) {
                fprintf(stderr, "create: HTTP %d\n", clients[i].status);
                return false;
            }
            made++;
            if (sent < count && !send(&clients[i], sent++))
                return false;
        }
    }
    return true;
}
