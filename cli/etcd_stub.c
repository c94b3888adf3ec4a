/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_stub.c -- this program started as etcd: answers what test environments ask.
 *
 *     accept ──▶ reading ──end of the head──▶ reply, close
 *                   └──too long, or too slow──▶ close */
#include "etcd_stub.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "http_address.h"

enum {
    CLIENTS_MAX = 64, /* connections at the same time; when there are more, the oldest is closed */
    HEAD_SIZE = 4096,
    CLIENT_S = 5, /* a client must have sent its request after this time */
    PATH_SIZE = 4096,
    REPLY_SIZE = 3 * PATH_SIZE + 1024,
};

#define ETCD_VERSION "3.7.3"

typedef struct client {
    int fd;
    time_t since;
    size_t len;
    char head[HEAD_SIZE];
} client;

typedef struct etcd_stub {
    const char *data_dir;
    const char *name;
    const char *listen;
    bool is_help, is_version;
    char folder[PATH_SIZE]; /* where the store of kube-apiserver belongs */
    int listener;
    unsigned port;
    client clients[CLIENTS_MAX]; /* the oldest first */
    size_t count;
} etcd_stub;

static volatile sig_atomic_t is_stopped;
static int stop_pipe[2];

static void on_signal(int number)
{
    (void)number;
    is_stopped = 1;
    ssize_t written = write(stop_pipe[1], "", 1); /* wakes poll */
    (void)written;
}

static int fail(const char *what)
{
    fprintf(stderr, "listwatch etcd: %s: %s\n", what, strerror(errno));
    return EXIT_FAILED;
}

static int take_flag(const go_flag *flag, const char *value, void *arg)
{
    etcd_stub *stub = arg;
    if (strcmp(flag->name, "data-dir") == 0)
        stub->data_dir = value;
    else if (strcmp(flag->name, "name") == 0)
        stub->name = value;
    else if (strcmp(flag->name, "listen-client-urls") == 0)
        stub->listen = value;
    else if (strcmp(flag->name, "version") == 0)
        stub->is_version = true;
    else if (strcmp(flag->name, "help") == 0 || strcmp(flag->name, "h") == 0)
        stub->is_help = true;
    return EXIT_OK;
}

/* Makes the folder of the store, and finds its absolute path. */
static int make_folder(etcd_stub *stub)
{
    char relative[PATH_SIZE], absolute[PATH_MAX];
    int len = stub->data_dir ? snprintf(relative, sizeof(relative), "%s", stub->data_dir)
                             : snprintf(relative, sizeof(relative), "%s.etcd", stub->name);
    if (len < 0 || len >= PATH_SIZE) {
        errno = ENAMETOOLONG;
        return fail("--data-dir");
    }
    if ((mkdir(relative, 0700) < 0 && errno != EEXIST) || !realpath(relative, absolute))
        return fail(relative);
    len = snprintf(stub->folder, sizeof(stub->folder), "%s/listwatch", absolute);
    if (len < 0 || len >= PATH_SIZE) {
        errno = ENAMETOOLONG;
        return fail(absolute);
    }
    return mkdir(stub->folder, 0700) < 0 && errno != EEXIST ? fail(stub->folder) : EXIT_OK;
}

static int open_listener(etcd_stub *stub)
{
    http_address address;
    int on = 1;
    if (!http_address_parse(&address, stub->listen)) {
        fprintf(stderr,
                "listwatch etcd: --listen-client-urls %s: use http with a numeric address and a "
                "port; TLS is not supported by this stand-in\n",
                stub->listen);
        return EXIT_FAILED;
    }
    stub->listener =
        socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (stub->listener < 0 ||
        setsockopt(stub->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        bind(stub->listener, (const struct sockaddr *)&address.storage, address.len) < 0 ||
        listen(stub->listener, CLIENTS_MAX) < 0 ||
        getsockname(stub->listener, (struct sockaddr *)&address.storage, &address.len) < 0)
        return fail(stub->listen);
    stub->port = http_address_port(&address);
    return EXIT_OK;
}

static void remove_client(etcd_stub *stub, size_t at)
{
    (void)close(stub->clients[at].fd);
    memmove(&stub->clients[at], &stub->clients[at + 1],
            (stub->count - at - 1) * sizeof(stub->clients[0]));
    stub->count--;
}

static time_t now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void accept_client(etcd_stub *stub)
{
    int fd = accept(stub->listener, NULL, NULL);
    if (fd < 0)
        return;
    if (stub->count == CLIENTS_MAX)
        remove_client(stub, 0);
    client *c = &stub->clients[stub->count++];
    c->fd = fd;
    c->len = 0;
    c->since = now_s();
}

/* Writes the folder so that it needs no escapes in JSON. */
static void encode_folder(const etcd_stub *stub, char *out, size_t size)
{
    size_t len = 0;
    for (const char *p = stub->folder; *p && len + 4 < size; p++) {
        bool is_plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                        (*p >= '0' && *p <= '9') || strchr("/._-", *p);
        len +=
            (size_t)snprintf(out + len, size - len, is_plain ? "%c" : "%%%02X", (unsigned char)*p);
    }
    out[len] = '\0';
}

static void reply(const etcd_stub *stub, const client *c)
{
    char text[REPLY_SIZE], body[REPLY_SIZE - 256], folder[3 * PATH_SIZE] = "";
    const char *status = "200 OK";
    bool is_get = strncmp(c->head, "GET /", 5) == 0;
    size_t path_len = is_get ? strcspn(c->head + 4, " ?\r\n") : 0;
    if (is_get && path_len == 8 && strncmp(c->head + 4, "/version", 8) == 0) {
        encode_folder(stub, folder, sizeof(folder));
        (void)snprintf(body, sizeof(body),
                       "{\"etcdserver\":\"" ETCD_VERSION
                       "\",\"etcdcluster\":\"3.7.0\",\"listwatchFolder\":\"%s\"}",
                       folder);
    } else if (is_get && ((path_len == 7 && strncmp(c->head + 4, "/health", 7) == 0) ||
                          (path_len == 7 && strncmp(c->head + 4, "/readyz", 7) == 0) ||
                          (path_len == 6 && strncmp(c->head + 4, "/livez", 6) == 0))) {
        (void)snprintf(body, sizeof(body), "{\"health\":\"true\",\"reason\":\"\"}");
    } else {
        status = "404 Not Found";
        (void)snprintf(body, sizeof(body),
                       "this is listwatch in place of etcd: it stores nothing by itself\n");
    }
    int len = snprintf(text, sizeof(text),
                       "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                       "Connection: close\r\n\r\n%s",
                       status, strlen(body), body);
    if (len > 0)
        (void)send(c->fd, text, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Reads what has arrived.  False: the client is done with. */
static bool read_client(const etcd_stub *stub, client *c)
{
    ssize_t got = recv(c->fd, c->head + c->len, sizeof(c->head) - 1 - c->len, MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == 0)
        return false;
    c->len += (size_t)got;
    c->head[c->len] = '\0';
    if (!strstr(c->head, "\r\n\r\n"))
        return c->len < sizeof(c->head) - 1;
    reply(stub, c);
    return false;
}

static void serve_turn(etcd_stub *stub)
{
    struct pollfd wanted[CLIENTS_MAX + 2];
    wanted[0] = (struct pollfd){ .fd = stop_pipe[0], .events = POLLIN };
    wanted[1] = (struct pollfd){ .fd = stub->listener, .events = POLLIN };
    for (size_t i = 0; i < stub->count; i++)
        wanted[i + 2] = (struct pollfd){ .fd = stub->clients[i].fd, .events = POLLIN };
    if (poll(wanted, (nfds_t)stub->count + 2, stub->count > 0 ? CLIENT_S * 1000 : -1) < 0)
        return;
    for (size_t i = stub->count; i-- > 0;) {
        bool is_late = now_s() - stub->clients[i].since >= CLIENT_S;
        if (is_late || (wanted[i + 2].revents && !read_client(stub, &stub->clients[i])))
            remove_client(stub, i);
    }
    if (wanted[1].revents)
        accept_client(stub);
}

static int run(etcd_stub *stub)
{
    struct sigaction action = { .sa_handler = on_signal };
    int code = make_folder(stub);
    if (code == EXIT_OK)
        code = open_listener(stub);
    if (code != EXIT_OK)
        return code;
    if (pipe(stop_pipe) < 0 || sigaction(SIGTERM, &action, NULL) < 0 ||
        sigaction(SIGINT, &action, NULL) < 0)
        return fail("signals");
    fprintf(stderr,
            "listwatch in place of etcd listens on %s (port %u); objects are stored in %s\n",
            stub->listen, stub->port, stub->folder);
    while (!is_stopped)
        serve_turn(stub);
    while (stub->count > 0)
        remove_client(stub, 0);
    (void)close(stub->listener);
    return EXIT_OK;
}

int command_etcd(int argc, char **argv)
{
    static etcd_stub stub; /* large */
    stub = (etcd_stub){ .name = "default", .listen = "http://localhost:2379", .listener = -1 };
    int code = go_flags_parse(argc, argv, etcd_stub_flags, take_flag, &stub);
    if (code != EXIT_OK)
        return code;
    if (stub.is_help)
        go_flags_print("etcd", etcd_stub_flags);
    else if (stub.is_version)
        puts("etcd Version: " ETCD_VERSION);
    else
        return run(&stub);
    return EXIT_OK;
}
