/* SPDX-License-Identifier: Apache-2.0 */
/* advertise.c -- finds the address that is advertised. */
#include "server/setup/advertise.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

/* Gets the address from which this machine would send to any other network.  Connecting a socket of
 * UDP sends nothing. */
static bool find_route(char out[LW_ADVERTISED_SIZE])
{
    enum {
        DISCARD_PORT = 9,
    };
    struct sockaddr_in other = { .sin_family = AF_INET, .sin_port = htons(DISCARD_PORT) };
    struct sockaddr_in own;
    socklen_t len = sizeof(own);
    (void)inet_pton(AF_INET, "192.0.2.1", &other.sin_addr); /* RFC 5737: nobody's address */
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool is_found = connect(fd, (const struct sockaddr *)&other, sizeof(other)) == 0 &&
                    getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
                    inet_ntop(AF_INET, &own.sin_addr, out, LW_ADVERTISED_SIZE);
    (void)close(fd);
    return is_found && !lw_endpoint_host_is_loopback(lw_str_of(out));
}

static lw_status take_wanted(lw_advertised *out, const char *wanted, lw_error *err)
{
    if (!lw_endpoint_host_is_numeric(lw_str_of(wanted)) || strlen(wanted) >= sizeof(out->address))
        return lw_error_set(err, LW_ERR_INVALID, "\"%s\" cannot be advertised: use an IP address",
                            wanted);
    (void)snprintf(out->address, sizeof(out->address), "%s", wanted);
    return LW_OK;
}

lw_status lw_advertise_find(lw_advertised *out, const char *wanted, const lw_endpoint *https,
                            const lw_logger *logger, lw_error *err)
{
    out->port = https->port;
    out->address[0] = '\0';
    if (wanted) {
        lw_status st = take_wanted(out, wanted, err);
        if (st < 0)
            return st;
    } else if (!https->is_any && !https->is_loopback) {
        (void)snprintf(out->address, sizeof(out->address), "%s", https->host);
    } else if (!find_route(out->address)) {
        out->address[0] = '\0';
    }
    if (out->port > 0 && lw_endpoint_host_is_loopback(lw_str_of(out->address))) {
        lw_log(logger, LW_LOG_INFO, "server",
               "the Service default/kubernetes has no endpoints: %s is a loopback address",
               out->address);
        out->address[0] = '\0';
    }
    return LW_OK;
}
