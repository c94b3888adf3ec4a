/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_stub_find.c -- recognises the stand-in for etcd, and asks it where the store belongs. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etcd_stub.h"
#include "http_address.h"

enum {
    ANSWER_MS = 2000, /* for each step */
    REPLY_SIZE = 16 * 1024,
};

static bool wait_for(int fd, short events)
{
    struct pollfd wanted = { .fd = fd, .events = events };
    int n;
    do
        n = poll(&wanted, 1, ANSWER_MS);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

static bool send_request(int fd)
{
    static const char request[] =
        "GET /version HTTP/1.1\r\nHost: etcd\r\nConnection: close\r\n\r\n";
    return wait_for(fd, POLLOUT) &&
           send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) == (ssize_t)sizeof(request) - 1;
}

static bool read_reply(int fd, char reply[REPLY_SIZE])
{
    size_t len = 0;
    while (len < REPLY_SIZE - 1 && wait_for(fd, POLLIN)) {
        ssize_t got = recv(fd, reply + len, REPLY_SIZE - 1 - len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    reply[len] = '\0';
    return len > 0;
}

static bool ask(const http_address *address, char reply[REPLY_SIZE])
{
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool is_started = connect(fd, (const struct sockaddr *)&address->storage, address->len) == 0 ||
                      errno == EINPROGRESS;
    bool is_read = is_started && send_request(fd) && read_reply(fd, reply);
    (void)close(fd);
    return is_read;
}

/* Decodes the percent-encoded |text| up to its quote. */
static bool decode(const char *text, char *out, size_t size)
{
    size_t len = 0;
    for (; *text != '"' && *text != '\0' && len + 1 < size; text++) {
        if (*text == '%' && text[1] && text[2]) {
            char digits[3] = { text[1], text[2], '\0' };
            out[len++] = (char)strtoul(digits, NULL, 16);
            text += 2;
        } else {
            out[len++] = *text;
        }
    }
    out[len] = '\0';
    return *text == '"' && len > 0;
}

bool etcd_stub_find(const char *servers, char *folder, size_t size)
{
    static const char member[] = "\"listwatchFolder\":\"";
    http_address address;
    char reply[REPLY_SIZE];
    struct stat status;
    if (!http_address_parse(&address, servers) || !ask(&address, reply))
        return false;
    const char *found = strstr(reply, member);
    return found && decode(found + sizeof(member) - 1, folder, size) &&
           stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}
