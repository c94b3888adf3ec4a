/* SPDX-License-Identifier: Apache-2.0 */
/* curl_socket.c -- the sockets of curl: counts them, and detects peers that are gone.
 *
 * A peer that disappeared is detected keepalive_s + keepalive_reply_s after its last packet: by
 * keepalive probes if nothing is sent, by TCP_USER_TIMEOUT if something is. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#include "transport/curl_internal.h"

enum {
    PROBES = 3, /* within keepalive_reply_s */
    MS_PER_S = 1000,
};

static void set_number(int fd, int name, int value)
{
    /* If the kernel does not support the option, the timeouts of transfers still apply. */
    (void)setsockopt(fd, IPPROTO_TCP, name, &value, sizeof(value));
}

static void set_keepalive(int fd, const lw_transport_options *options)
{
    int on = 1;
    int between = (options->keepalive_reply_s + PROBES - 1) / PROBES;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    set_number(fd, TCP_KEEPIDLE, options->keepalive_s);
    set_number(fd, TCP_KEEPINTVL, between);
    set_number(fd, TCP_KEEPCNT, PROBES);
    set_number(fd, TCP_USER_TIMEOUT,
               (options->keepalive_s + options->keepalive_reply_s) * MS_PER_S);
}

static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    lw_transport *transport = arg;
    (void)purpose;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0)
        return CURL_SOCKET_BAD;
    set_keepalive(fd, &transport->options);
    transport->stats.connections++;
    return fd;
}

static int on_close(void *arg, curl_socket_t fd)
{
    lw_transport *transport = arg;
    transport->stats.connections--;
    return close(fd);
}

void curl_socket_setup(lw_transfer *transfer, unsigned *bad)
{
    lw_transport *transport = transfer->pool->transport;
    CURL *easy = transfer->easy;
    *bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    *bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transport);
    *bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    *bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transport);
}
