/* SPDX-License-Identifier: Apache-2.0 */
/* script_server.c -- an HTTP/1.1 server on loopback that plays scripted replies.
 *
 * One thread polls all connections.  |mu| guards everything that the thread and the tests share;
 * the thread holds it while it works, but not while it polls. */
#include "support/script_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sync.h"

enum {
    HEAD_KEPT = 2048, /* bytes of a request that are kept */
    PIPE_SIZE = 16 * 1024,
};

/* Longer than any operation takes; a test that waits this long has failed. */
#define PATIENCE_NS (10 * LW_NS_PER_S)

typedef struct reply {
    const char *request;
    script_step steps[SCRIPT_STEPS_MAX + 1];
    bool is_always, is_used;
} reply;

typedef struct connection {
    int fd;     /* -1: unused */
    int far_fd; /* the other end of a tunnel; -1: none */
    char *in;   /* received bytes, SCRIPT_REQUEST_SIZE long */
    size_t in_len;
    script_step steps[SCRIPT_STEPS_MAX + 1]; /* of the current reply */
    const script_step *step;                 /* NULL: reading a request */
    size_t sent;                             /* bytes sent of the step */
    bool is_waiting;
} connection;

struct script_server {
    lw_thread thread;
    int listen_fd, wake_fd;
    unsigned port;
    char url[64];
    lw_mutex mu; /* guards all below */
    lw_cond changed;
    connection connections[SCRIPT_CONNECTIONS_MAX];
    reply replies[SCRIPT_REPLIES_MAX];
    size_t reply_count;
    char *requests[SCRIPT_REQUESTS_MAX];
    script_counts counts;
    unsigned goes;
    bool is_stopping, is_cutting;
};

static const script_step unfit_reply[] = {
    { SCRIPT_SEND, "HTTP/1.1 500 Not In The Script\r\nContent-Length: 0\r\n\r\n", 0 },
    { SCRIPT_END, NULL, 0 },
};

static void drop(script_server *server, connection *conn, bool is_reset)
{
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };
    if (is_reset)
        (void)setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    close(conn->fd);
    if (conn->far_fd >= 0)
        close(conn->far_fd);
    free(conn->in);
    if (conn->is_waiting)
        server->counts.waiting--;
    *conn = (connection){ .fd = -1, .far_fd = -1 };
    server->counts.open--;
    lw_cond_broadcast(&server->changed);
}

static void accept_one(script_server *server)
{
    int fd = accept4(server->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    for (size_t i = 0; i < SCRIPT_CONNECTIONS_MAX; i++) {
        connection *conn = &server->connections[i];
        if (conn->fd >= 0)
            continue;
        int on = 1;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        conn->fd = fd;
        conn->in = calloc(1, SCRIPT_REQUEST_SIZE + 1);
        server->counts.accepted++;
        server->counts.open++;
        lw_cond_broadcast(&server->changed);
        if (!conn->in)
            drop(server, conn, true);
        return;
    }
    close(fd);
}

/* Returns the length of the request at the start of |in|; 0: it is not complete. */
static size_t request_len(const connection *conn, size_t *head_len)
{
    const char *end = strstr(conn->in, "\r\n\r\n");
    if (!end)
        return 0;
    *head_len = (size_t)(end - conn->in) + 4;
    size_t body = 0;
    const char *line = strcasestr(conn->in, "\r\nContent-Length:");
    if (line && line < end)
        body = strtoul(line + strlen("\r\nContent-Length:"), NULL, 10);
    return conn->in_len - *head_len >= body ? *head_len + body : 0;
}

static void remember(script_server *server, const char *head, size_t len)
{
    unsigned index = server->counts.requests++;
    if (index >= SCRIPT_REQUESTS_MAX)
        return;
    size_t kept = len < HEAD_KEPT ? len : HEAD_KEPT;
    char *copy = calloc(1, kept + 1);
    if (copy)
        memcpy(copy, head, kept);
    server->requests[index] = copy;
}

static const script_step *find_reply(script_server *server, const char *head)
{
    for (size_t i = 0; i < server->reply_count; i++) {
        reply *r = &server->replies[i];
        bool fits = !r->request || strncmp(head, r->request, strlen(r->request)) == 0;
        if (!fits || r->is_used)
            continue;
        r->is_used = !r->is_always;
        return r->steps;
    }
    server->counts.unfit++;
    return unfit_reply;
}

static void take_request(script_server *server, connection *conn)
{
    size_t head_len = 0;
    size_t len = request_len(conn, &head_len);
    if (len == 0)
        return;
    remember(server, conn->in, head_len);
    const script_step *steps = find_reply(server, conn->in);
    for (size_t i = 0; i <= SCRIPT_STEPS_MAX; i++) {
        conn->steps[i] = steps[i];
        if (steps[i].op == SCRIPT_END)
            break;
    }
    conn->step = conn->steps;
    conn->sent = 0;
    memmove(conn->in, conn->in + len, conn->in_len - len + 1);
    conn->in_len -= len;
    lw_cond_broadcast(&server->changed);
}

static void read_some(script_server *server, connection *conn)
{
    size_t room = SCRIPT_REQUEST_SIZE - conn->in_len;
    ssize_t got = recv(conn->fd, conn->in + conn->in_len, room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop(server, conn, false);
        return;
    }
    conn->in_len += (size_t)got;
    conn->in[conn->in_len] = '\0';
}

static int connect_loopback(unsigned port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Sends as much of the step's text as possible; true if all of it was sent. */
static bool send_some(script_server *server, connection *conn)
{
    const script_step *step = conn->step;
    size_t len = step->op == SCRIPT_TUNNEL || step->len == 0 ? strlen(step->text) : step->len;
    while (conn->sent < len) {
        size_t piece = step->op == SCRIPT_PIECES ? 1 : len - conn->sent;
        ssize_t got = send(conn->fd, step->text + conn->sent, piece, MSG_NOSIGNAL);
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            drop(server, conn, false);
        if (got < 0)
            return false;
        conn->sent += (size_t)got;
    }
    return true;
}

static bool pass_wait(script_server *server, connection *conn)
{
    if (!conn->is_waiting) {
        conn->is_waiting = true;
        server->counts.waiting++;
        lw_cond_broadcast(&server->changed);
    }
    if (server->goes == 0)
        return false;
    server->goes--;
    server->counts.waiting--;
    conn->is_waiting = false;
    return true;
}

/* Plays one step; false: the connection must wait. */
static bool play_step(script_server *server, connection *conn)
{
    switch (conn->step->op) {
    case SCRIPT_END: conn->step = NULL; return true;
    case SCRIPT_SEND:
    case SCRIPT_PIECES:
        if (!send_some(server, conn))
            return false;
        break;
    case SCRIPT_WAIT:
        if (!pass_wait(server, conn))
            return false;
        break;
    case SCRIPT_CLOSE: drop(server, conn, false); return false;
    case SCRIPT_RESET: drop(server, conn, true); return false;
    case SCRIPT_TUNNEL:
        if (!send_some(server, conn))
            return false;
        conn->far_fd = connect_loopback((unsigned)conn->step->len);
        if (conn->far_fd < 0)
            drop(server, conn, true);
        return false;
    }
    conn->step++;
    conn->sent = 0;
    return true;
}

/* Reads requests and plays their replies until the connection must wait. */
static void work(script_server *server, connection *conn)
{
    while (conn->fd >= 0 && conn->far_fd < 0) {
        if (!conn->step)
            take_request(server, conn);
        if (!conn->step || !play_step(server, conn))
            return;
    }
}

/* The socket buffers of a tunnel are large enough for what tests send. */
static void carry(script_server *server, connection *conn, int from, int to)
{
    char bytes[PIPE_SIZE];
    ssize_t got = recv(from, bytes, sizeof(bytes), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    for (ssize_t done = 0; done < got;) {
        ssize_t sent = send(to, bytes + done, (size_t)(got - done), MSG_NOSIGNAL);
        if (sent > 0) {
            done += sent;
            continue;
        }
        struct pollfd writable = { .fd = to, .events = POLLOUT };
        if (errno != EAGAIN || poll(&writable, 1, 1000) != 1) {
            got = 0;
            break;
        }
    }
    if (got <= 0)
        drop(server, conn, false);
}

static short wanted(const connection *conn)
{
    if (conn->step && conn->step->op == SCRIPT_WAIT && conn->far_fd < 0)
        return POLLRDHUP; /* detects a client that gives up */
    return conn->step && conn->far_fd < 0 ? POLLOUT : POLLIN;
}

static void serve(script_server *server, connection *conn, short events)
{
    if (conn->fd < 0 || events == 0)
        return;
    if (conn->far_fd >= 0)
        carry(server, conn, conn->fd, conn->far_fd);
    else if (conn->step && conn->step->op == SCRIPT_WAIT)
        drop(server, conn, false);
    else if (!conn->step)
        read_some(server, conn);
}

static size_t fill(script_server *server, struct pollfd *polls, size_t *owners)
{
    size_t count = 0;
    polls[count++] = (struct pollfd){ .fd = server->listen_fd, .events = POLLIN };
    polls[count++] = (struct pollfd){ .fd = server->wake_fd, .events = POLLIN };
    for (size_t i = 0; i < SCRIPT_CONNECTIONS_MAX; i++) {
        const connection *conn = &server->connections[i];
        if (conn->fd < 0)
            continue;
        owners[count] = i;
        polls[count++] = (struct pollfd){ .fd = conn->fd, .events = wanted(conn) };
        if (conn->far_fd >= 0) {
            owners[count] = i;
            polls[count++] = (struct pollfd){ .fd = conn->far_fd, .events = POLLIN };
        }
    }
    return count;
}

static void turn(script_server *server, const struct pollfd *polls, const size_t *owners,
                 size_t count)
{
    for (size_t i = 2; i < count; i++) {
        connection *conn = &server->connections[owners[i]];
        if (conn->far_fd >= 0 && polls[i].fd == conn->far_fd && polls[i].revents)
            carry(server, conn, conn->far_fd, conn->fd);
        else if (polls[i].fd == conn->fd)
            serve(server, conn, polls[i].revents);
    }
    if (polls[0].revents)
        accept_one(server);
    uint64_t wakes;
    if (polls[1].revents)
        (void)!read(server->wake_fd, &wakes, sizeof(wakes));
    for (size_t i = 0; i < SCRIPT_CONNECTIONS_MAX; i++) {
        if (server->is_cutting && server->connections[i].fd >= 0)
            drop(server, &server->connections[i], false);
        work(server, &server->connections[i]);
    }
    server->is_cutting = false;
}

static void run(void *arg)
{
    script_server *server = arg;
    static _Thread_local struct pollfd polls[2 + 2 * SCRIPT_CONNECTIONS_MAX];
    static _Thread_local size_t owners[2 + 2 * SCRIPT_CONNECTIONS_MAX];
    lw_mutex_lock(&server->mu);
    while (!server->is_stopping) {
        size_t count = fill(server, polls, owners);
        lw_mutex_unlock(&server->mu);
        (void)poll(polls, count, -1);
        lw_mutex_lock(&server->mu);
        turn(server, polls, owners, count);
    }
    lw_mutex_unlock(&server->mu);
}

static void wake(script_server *server)
{
    uint64_t one = 1;
    (void)!write(server->wake_fd, &one, sizeof(one));
}

static bool open_listener(script_server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(address);
    server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listen_fd < 0 || server->wake_fd < 0 ||
        bind(server->listen_fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(server->listen_fd, SCRIPT_CONNECTIONS_MAX) != 0 ||
        getsockname(server->listen_fd, (struct sockaddr *)&address, &len) != 0)
        return false;
    server->port = ntohs(address.sin_port);
    (void)snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%u", server->port);
    return true;
}

script_server *script_server_open(void)
{
    script_server *server = calloc(1, sizeof(*server));
    if (!server || !open_listener(server))
        abort();
    lw_mutex_init(&server->mu);
    lw_cond_init(&server->changed);
    for (size_t i = 0; i < SCRIPT_CONNECTIONS_MAX; i++)
        server->connections[i] = (connection){ .fd = -1, .far_fd = -1 };
    if (lw_thread_start(&server->thread, "script-server", run, server, NULL) < 0)
        abort();
    return server;
}

void script_server_close(script_server *server)
{
    lw_mutex_lock(&server->mu);
    server->is_stopping = true;
    lw_mutex_unlock(&server->mu);
    wake(server);
    lw_thread_join(&server->thread);
    for (size_t i = 0; i < SCRIPT_CONNECTIONS_MAX; i++)
        if (server->connections[i].fd >= 0)
            drop(server, &server->connections[i], false);
    for (size_t i = 0; i < SCRIPT_REQUESTS_MAX; i++)
        free(server->requests[i]);
    close(server->listen_fd);
    close(server->wake_fd);
    lw_cond_done(&server->changed);
    lw_mutex_done(&server->mu);
    free(server);
}

const char *script_server_url(const script_server *server)
{
    return server->url;
}

unsigned script_server_port(const script_server *server)
{
    return server->port;
}

static void add_reply(script_server *server, const char *request, const script_step *steps,
                      bool is_always)
{
    lw_mutex_lock(&server->mu);
    if (server->reply_count == SCRIPT_REPLIES_MAX)
        abort();
    reply *r = &server->replies[server->reply_count++];
    *r = (reply){ .request = request, .is_always = is_always };
    for (size_t i = 0; steps[i].op != SCRIPT_END; i++) {
        if (i == SCRIPT_STEPS_MAX)
            abort();
        r->steps[i] = steps[i];
    }
    lw_mutex_unlock(&server->mu);
}

void script_server_play(script_server *server, const char *request, const script_step *steps)
{
    add_reply(server, request, steps, false);
}

void script_server_play_always(script_server *server, const char *request, const script_step *steps)
{
    add_reply(server, request, steps, true);
}

void script_server_say(script_server *server, const char *request, const char *text)
{
    const script_step steps[] = { { SCRIPT_SEND, text, 0 }, { SCRIPT_END, NULL, 0 } };
    add_reply(server, request, steps, false);
}

void script_server_say_always(script_server *server, const char *request, const char *text)
{
    const script_step steps[] = { { SCRIPT_SEND, text, 0 }, { SCRIPT_END, NULL, 0 } };
    add_reply(server, request, steps, true);
}

void script_server_cut(script_server *server)
{
    lw_mutex_lock(&server->mu);
    server->is_cutting = true;
    lw_mutex_unlock(&server->mu);
    wake(server);
}

void script_server_go(script_server *server)
{
    lw_mutex_lock(&server->mu);
    server->goes++;
    lw_mutex_unlock(&server->mu);
    wake(server);
}

script_counts script_server_counts(script_server *server)
{
    lw_mutex_lock(&server->mu);
    script_counts counts = server->counts;
    lw_mutex_unlock(&server->mu);
    return counts;
}

static bool await(script_server *server, const unsigned *counter, unsigned count, bool is_exact)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_NS;
    lw_mutex_lock(&server->mu);
    bool is_there = false, is_time = true;
    while (!is_there && is_time) {
        is_there = is_exact ? *counter == count : *counter >= count;
        if (!is_there)
            is_time = lw_cond_wait_until(&server->changed, &server->mu, deadline);
    }
    lw_mutex_unlock(&server->mu);
    return is_there;
}

bool script_server_await_requests(script_server *server, unsigned count)
{
    return await(server, &server->counts.requests, count, false);
}

bool script_server_await_waiting(script_server *server, unsigned count)
{
    return await(server, &server->counts.waiting, count, false);
}

bool script_server_await_open(script_server *server, unsigned count)
{
    return await(server, &server->counts.open, count, true);
}

bool script_server_request(script_server *server, unsigned index, char *out, size_t size)
{
    lw_mutex_lock(&server->mu);
    bool is_there = index < SCRIPT_REQUESTS_MAX && server->requests[index];
    if (is_there)
        (void)snprintf(out, size, "%s", server->requests[index]);
    lw_mutex_unlock(&server->mu);
    return is_there;
}
