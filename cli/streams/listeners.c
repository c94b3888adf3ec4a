/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.c -- listens on addresses of this machine. */
#include "listeners.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "message.h"

enum {
    ADDRESS_SIZE = 64,
    BACKLOG = 128,
};

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

static bool parse_address(const char *text, unsigned port, address *out, socklen_t *len)
{
    *out = (address){ .any = { 0 } };
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        *len = sizeof(out->v4);
        return true;
    }
    if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons((uint16_t)port);
        *len = sizeof(out->v6);
        return true;
    }
    return false;
}

/* Returns a descriptor, and the port that it listens on; -1: errno says why. */
static int listen_on(const char *text, unsigned *port)
{
    address at;
    socklen_t len;
    int on = 1;
    if (!parse_address(text, *port, &at, &len)) {
        errno = EINVAL;
        return -1;
    }
    int fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (at.any.sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, &at.any, len) < 0 || listen(fd, BACKLOG) < 0 ||
        getsockname(fd, &at.any, &len) < 0) {
        int reason = errno;
        (void)close(fd);
        errno = reason;
        return -1;
    }
    *port = ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
    return fd;
}

static bool add(listeners *all, const char *text, port_pair *ports, bool is_optional)
{
    if (all->count == LISTENERS_MAX) {
        message("too many ports; the limit is %d with all addresses", LISTENERS_MAX);
        return false;
    }
    int fd = listen_on(text, &ports->local);
    if (fd < 0) {
        if (!is_optional)
            message("cannot listen on %s, port %u: %s", text, ports->local,
                    errno == EINVAL ? "not an IP address" : strerror(errno));
        return is_optional;
    }
    all->at[all->count++] = (listener){ fd, ports->local, ports->remote };
    printf(strchr(text, ':') ? "Forwarding from [%s]:%u -> %u\n" : "Forwarding from %s:%u -> %u\n",
           text, ports->local, ports->remote);
    return true;
}

bool listeners_open(listeners *all, const char *addresses, port_pair ports)
{
    bool is_good = true;
    while (is_good && addresses[0]) {
        char text[ADDRESS_SIZE];
        size_t len = strcspn(addresses, ",");
        (void)snprintf(text, sizeof(text), "%.*s", (int)len, addresses);
        addresses += len + (addresses[len] == ',');
        if (strcmp(text, "localhost") == 0)
            /* A machine may have no IPv6. */
            is_good = add(all, "127.0.0.1", &ports, false) && add(all, "::1", &ports, true);
        else
            is_good = add(all, text, &ports, false);
    }
    (void)fflush(stdout);
    return is_good;
}

void listeners_close(listeners *all)
{
    for (size_t i = 0; i < all->count; i++)
        (void)close(all->at[i].fd);
    all->count = 0;
}
