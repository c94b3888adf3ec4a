/* SPDX-License-Identifier: Apache-2.0 */
/* health_server.c -- accepts connections, reads a request, writes the response, closes.
 *
 *   free ──accept──▶ reading ──end of the head──▶ writing ──all sent──▶ free
 *                       └────────── too slow, too long, error ──────────┘ */
#include "operator/health_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "operator/poll_set.h"

enum {
    BACKLOG = 64,
};

typedef struct connection {
    int fd; /* -1: free */
    int64_t until_ns;
    size_t in_len;
    char in[LW_HEALTH_SERVER_HEAD_SIZE];
    bool is_writing;
    size_t sent;
    lw_buf out;
} connection;

struct lw_health_server {
    lw_health_server_fn fn;
    void *arg;
    lw_poll_set polls;
    int fd;
    bool is_full; /* the listening socket is not in |polls| */
    unsigned port;
    connection connections[LW_HEALTH_SERVER_CONNECTIONS];
};

static int64_t now_ns(void)
{
    return lw_clock_now(lw_clock_system());
}

static void end(lw_health_server *e, connection *c)
{
    lw_poll_set_remove(&e->polls, c->fd);
    (void)close(c->fd);
    lw_buf_done(&c->out);
    c->fd = -1;
}

static const char *reason_of(int status)
{
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 431: return "Request Header Fields Too Large";
    case 505: return "HTTP Version Not Supported";
    default: return "Internal Server Error";
    }
}

/* Writes the response to |c->out|. */
static void respond(lw_health_server *e, connection *c, int status,
                    const lw_health_server_request *request)
{
    lw_health_server_reply reply = { .status = status,
                                     .content_type = "text/plain; charset=utf-8" };
    lw_buf_init(&reply.body, LW_HEALTH_SERVER_BODY_MAX);
    if (status == 200)
        e->fn(request, &reply, e->arg);
    else
        lw_buf_printf(&reply.body, "%s\n", reason_of(status));
    if (reply.body.st < 0)
        reply.status = 500;
    lw_buf_printf(&c->out,
                  "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                  "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
                  reply.status, reason_of(reply.status), reply.content_type, reply.body.len);
    if (!request->is_head)
        lw_buf_append_str(&c->out, lw_buf_view(&reply.body));
    lw_buf_done(&reply.body);
    c->is_writing = true;
}

/* Returns false if the connection has ended. */
static bool read_some(lw_health_server *e, connection *c)
{
    lw_health_server_request request = { .is_head = false };
    ssize_t got = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    c->in_len += (size_t)got;
    bool is_whole = memmem(c->in, c->in_len, "\r\n\r\n", 4) != NULL;
    if (is_whole)
        respond(e, c, lw_health_server_parse(lw_str_make(c->in, c->in_len), &request), &request);
    else if (c->in_len == sizeof(c->in))
        respond(e, c, 431, &request);
    /* The response is written when the socket is writable, which it usually is now. */
    return !c->is_writing || lw_poll_set_for_writing(&e->polls, c->fd);
}

/* Returns false if the connection has ended. */
static bool write_some(connection *c)
{
    while (c->out.st == LW_OK && c->sent < c->out.len) {
        ssize_t sent = send(c->fd, c->out.data + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (sent <= 0)
            return false;
        c->sent += (size_t)sent;
    }
    return false;
}

static void serve(lw_health_server *e, connection *c)
{
    bool is_open = now_ns() < c->until_ns;
    if (is_open && !c->is_writing)
        is_open = read_some(e, c);
    if (is_open && c->is_writing)
        is_open = write_some(c);
    if (!is_open)
        end(e, c);
}

static connection *find_free(lw_health_server *e)
{
    for (size_t i = 0; i < LW_HEALTH_SERVER_CONNECTIONS; i++) {
        if (e->connections[i].fd < 0)
            return &e->connections[i];
    }
    return NULL;
}

static void accept_some(lw_health_server *e)
{
    connection *c;
    while ((c = find_free(e)) != NULL) {
        int fd = accept4(e->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            break;
        if (lw_poll_set_add(&e->polls, fd, NULL) < 0) {
            (void)close(fd);
            continue;
        }
        c->fd = fd;
        c->until_ns = now_ns() + LW_HEALTH_SERVER_TIMEOUT_S * LW_NS_PER_S;
        c->in_len = c->sent = 0;
        c->is_writing = false;
        lw_buf_init(&c->out, LW_HEALTH_SERVER_BODY_MAX + 1024);
    }
    bool is_full = !c;
    if (is_full && !e->is_full)
        lw_poll_set_remove(&e->polls, e->fd);
    else if (!is_full && e->is_full && lw_poll_set_add(&e->polls, e->fd, NULL) < 0)
        is_full = true; /* again in the next dispatch */
    e->is_full = is_full;
}

void lw_health_server_dispatch(lw_health_server *e)
{
    accept_some(e);
    for (size_t i = 0; i < LW_HEALTH_SERVER_CONNECTIONS; i++) {
        if (e->connections[i].fd >= 0)
            serve(e, &e->connections[i]);
    }
    if (e->is_full)
        accept_some(e);
}

int lw_health_server_timeout_ms(const lw_health_server *e)
{
    int64_t due_ns = INT64_MAX;
    for (size_t i = 0; i < LW_HEALTH_SERVER_CONNECTIONS; i++) {
        const connection *c = &e->connections[i];
        if (c->fd >= 0 && c->until_ns < due_ns)
            due_ns = c->until_ns;
    }
    return lw_timeout_until(due_ns, now_ns());
}

int lw_health_server_fd(const lw_health_server *e)
{
    return e->polls.fd;
}

unsigned lw_health_server_port(const lw_health_server *e)
{
    return e->port;
}

/* A numeric address and a port. */
typedef struct target {
    struct sockaddr_storage at;
    socklen_t size;
} target;

static bool split_address(const char *address, char host[64], uint64_t *port)
{
    const char *colon = strrchr(address, ':');
    if (!colon || !lw_str_to_uint64(lw_str_of(colon + 1), port) || *port > UINT16_MAX)
        return false;
    lw_str name = lw_str_make(address, (size_t)(colon - address));
    if (name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']')
        name = lw_str_make(name.ptr + 1, name.len - 2);
    if (name.len >= 64)
        return false;
    memcpy(host, name.len ? name.ptr : "", name.len);
    host[name.len] = '\0';
    return true;
}

static lw_status parse_address(const char *address, target *out, lw_error *err)
{
    char host[64];
    uint64_t port;
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    bool is_good = split_address(address, host, &port);
    if (is_good && inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
        v4.sin_port = htons((uint16_t)port);
        memcpy(&out->at, &v4, sizeof(v4));
        out->size = sizeof(v4);
    } else if (is_good && inet_pton(AF_INET6, host[0] ? host : "::", &v6.sin6_addr) == 1) {
        v6.sin6_port = htons((uint16_t)port);
        memcpy(&out->at, &v6, sizeof(v6));
        out->size = sizeof(v6);
    } else {
        return lw_error_set(err, LW_ERR_INVALID,
                            "\"%s\" is not an address: use for example 127.0.0.1:8081, [::1]:8081 "
                            "or :8081",
                            address);
    }
    return LW_OK;
}

static lw_status listen_at(lw_health_server *e, const char *address, lw_error *err)
{
    target to = { .size = 0 };
    int yes = 1;
    lw_status st = parse_address(address, &to, err);
    if (st < 0)
        return st;
    e->fd = socket(to.at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (e->fd < 0 && errno == EAFNOSUPPORT && address[0] == ':') {
        /* The machine has no IPv6. */
        char v4[32];
        (void)snprintf(v4, sizeof(v4), "0.0.0.0%s", address);
        return listen_at(e, v4, err);
    }
    socklen_t size = sizeof(to.at);
    if (e->fd < 0 || setsockopt(e->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
        bind(e->fd, (const struct sockaddr *)&to.at, to.size) < 0 || listen(e->fd, BACKLOG) < 0 ||
        getsockname(e->fd, (struct sockaddr *)&to.at, &size) < 0)
        return lw_error_set(err, LW_ERR_IO, "cannot listen at %s: %s", address, strerror(errno));
    /* The port is at the same place in both. */
    struct sockaddr_in any;
    memcpy(&any, &to.at, sizeof(any));
    e->port = ntohs(any.sin_port);
    return LW_OK;
}

lw_status lw_health_server_new(lw_health_server **out, const char *address, lw_health_server_fn fn,
                               void *arg, lw_error *err)
{
    lw_health_server *e = lw_alloc_zero(1, sizeof(*e));
    if (!e)
        return lw_error_nomem(err);
    e->fn = fn;
    e->arg = arg;
    e->fd = -1;
    e->polls = (lw_poll_set)LW_POLL_SET_NONE;
    for (size_t i = 0; i < LW_HEALTH_SERVER_CONNECTIONS; i++)
        e->connections[i].fd = -1;
    lw_status st = listen_at(e, address, err);
    if (st == LW_OK)
        st = lw_poll_set_init(&e->polls, err);
    if (st == LW_OK)
        st = lw_poll_set_add(&e->polls, e->fd, err);
    if (st < 0) {
        lw_health_server_free(e);
        return st;
    }
    *out = e;
    return LW_OK;
}

void lw_health_server_free(lw_health_server *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < LW_HEALTH_SERVER_CONNECTIONS; i++) {
        if (e->connections[i].fd >= 0)
            end(e, &e->connections[i]);
    }
    lw_poll_set_done(&e->polls);
    if (e->fd >= 0)
        (void)close(e->fd);
    lw_free(e);
}
