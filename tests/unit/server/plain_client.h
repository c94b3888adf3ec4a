/* SPDX-License-Identifier: Apache-2.0 */
/* plain_client.h -- one HTTP/1.1 request over one plain connection, and all that comes back. */
#ifndef LW_TESTS_UNIT_SERVER_PLAIN_CLIENT_H
#define LW_TESTS_UNIT_SERVER_PLAIN_CLIENT_H

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit/test.h"

/* Connects to "http://127.0.0.1:PORT" and sends a request, the connection's last. */
static inline int plain_open(const char *url, const char *method, const char *target,
                             const char *body)
{
    const char *port = strrchr(url, ':') + 1;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    char head[512];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    int len = snprintf(head, sizeof(head),
                       "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                       "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                       method, target, body ? strlen(body) : 0);
    /* A server may close before it has read all: what it said, if anything, tells. */
    ssize_t some = send(fd, head, (size_t)len, MSG_NOSIGNAL);
    for (size_t sent = 0, all = body ? strlen(body) : 0; some > 0 && sent < all;
         sent += (size_t)some)
        some = send(fd, body + sent, all - sent, MSG_NOSIGNAL);
    return fd;
}

/* Reads until |text| holds |words|; false: the end came before. */
static inline bool plain_read_until(int fd, char *text, size_t size, const char *words)
{
    size_t len = strlen(text);
    while (!strstr(text, words)) {
        ssize_t some = len + 1 < size ? recv(fd, text + len, size - 1 - len, 0) : 0;
        if (some <= 0)
            return false;
        len += (size_t)some;
        text[len] = '\0';
    }
    return true;
}

/* Reads to the end, closes, and returns the status. */
static inline int plain_finish(int fd, char *text, size_t size)
{
    (void)plain_read_until(fd, text, size, "\x01 never said");
    (void)close(fd);
    return strlen(text) > 12 ? (int)strtol(text + 9, NULL, 10) : 0;
}

/* One request from beginning to end. */
static inline int plain_call(const char *url, const char *method, const char *target,
                             const char *body, char *text, size_t size)
{
    text[0] = '\0';
    return plain_finish(plain_open(url, method, target, body), text, size);
}

#endif
