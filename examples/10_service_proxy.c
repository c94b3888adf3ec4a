/* SPDX-License-Identifier: Apache-2.0 */
/* 10_service_proxy.c -- a small kube-proxy: turns services and endpoint slices into rules, or acts
 * as a TCP load balancer on the loopback.
 *
 *     10_service_proxy              prints the rules of a service for nft when they change
 *     10_service_proxy --listen     also listens on 127.0.0.1 for each TCP port and forwards
 *                                   connections to the endpoints in turn
 *
 * One thread: poll() waits for the informers and for all sockets.  Runs until SIGTERM or SIGINT. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll, accept4 */
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <listwatch.h>

enum {
    FRONTS = 128,   /* maximum number of service ports; further ones are ignored */
    BACKENDS = 128, /* maximum number of endpoints per port */
    PASSAGES = 128, /* maximum number of connections; further ones wait in the listen backlog */
    BUFFER = 16384,
};

/* One port of one service. */
typedef struct front {
    char service[320]; /* "namespace/name" */
    char port_name[64], protocol[8], address[48];
    int port;
    int listener; /* -1: none */
    struct sockaddr_in backends[BACKENDS];
    size_t count, next;
} front;

/* A forwarded connection: way[i] carries what is read from ends[i] to the other end. */
typedef struct passage {
    int ends[2]; /* of the client and of the endpoint; 0: no connection */
    bool is_connecting;
    struct way {
        char bytes[BUFFER];
        size_t len, sent;
        bool is_over; /* nothing more will be read */
        bool is_shut; /* and the other end was notified */
    } way[2];
} passage;

typedef struct proxy {
    lw_factory *factory;
    lw_informer *services, *slices;
    bool listens;
    front fronts[FRONTS];
    size_t front_count;
    passage passages[PASSAGES];
} proxy;

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

/* Part one: the informers. */

static void index_by_service(const lw_object *slice, void (*add)(void *to, lw_str value), void *to,
                             void *arg)
{
    char key[320];
    const char *service = lw_object_label(slice, "kubernetes.io/service-name");
    (void)arg;
    snprintf(key, sizeof(key), "%s/%s", lw_object_namespace(slice), service ? service : "");
    add(to, lw_str_of(key));
}

/* Returns a string or number of |obj| at a pointer that contains a number. */
static const char *text_at(const lw_object *obj, const char *pointer, size_t i, const char *none)
{
    char at[96];
    snprintf(at, sizeof(at), pointer, i);
    return lw_object_string(obj, at, none);
}

static int number_at(const lw_object *obj, const char *pointer, size_t i)
{
    char at[96];
    snprintf(at, sizeof(at), pointer, i);
    return (int)lw_object_int(obj, at, 0);
}

/* Adds the ready endpoints of |slice| that serve the port of |f|. */
static void add_backends(front *f, const lw_object *slice)
{
    char at[96];
    const char *address;
    size_t p = 0;
    while (number_at(slice, "/ports/%zu/port", p) > 0 &&
           strcmp(text_at(slice, "/ports/%zu/name", p, ""), f->port_name) != 0)
        p++;
    int port = number_at(slice, "/ports/%zu/port", p);
    for (size_t i = 0; port > 0 && f->count < BACKENDS; i++) {
        struct sockaddr_in *to = &f->backends[f->count];
        address = text_at(slice, "/endpoints/%zu/addresses/0", i, NULL);
        if (!address)
            return;
        snprintf(at, sizeof(at), "/endpoints/%zu/conditions/ready", i);
        *to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
        if (lw_object_bool(slice, at, true) && inet_pton(AF_INET, address, &to->sin_addr) == 1)
            f->count++;
    }
}

/* Prints the rule in nft syntax. */
static void print_rule(const front *f)
{
    char text[INET_ADDRSTRLEN];
    printf("%s %s: ip daddr %s %s dport %d ", f->service, f->port_name, f->address, f->protocol,
           f->port);
    if (f->count == 0)
        printf("reject");
    else
        printf("dnat to numgen random mod %zu map {", f->count);
    for (size_t i = 0; i < f->count; i++) {
        inet_ntop(AF_INET, &f->backends[i].sin_addr, text, sizeof(text));
        printf("%s %zu : %s . %d", i > 0 ? "," : "", i, text, ntohs(f->backends[i].sin_port));
    }
    printf("%s\n", f->count > 0 ? " }" : "");
}

static void open_listener(front *f)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    f->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (f->listener < 0 || bind(f->listener, (struct sockaddr *)&at, len) < 0 ||
        listen(f->listener, SOMAXCONN) < 0 ||
        getsockname(f->listener, (struct sockaddr *)&at, &len) < 0) {
        fprintf(stderr, "10_service_proxy: %s: %s\n", f->service, strerror(errno));
        return;
    }
    printf("%s %s: listens on 127.0.0.1:%d\n", f->service, f->port_name, ntohs(at.sin_port));
}

/* Returns the front for port |i| of |service|; NULL: there are too many. */
static front *find_front(proxy *p, const char *key, const char *port_name)
{
    for (size_t i = 0; i < p->front_count; i++) {
        front *f = &p->fronts[i];
        if (strcmp(f->service, key) == 0 && strcmp(f->port_name, port_name) == 0)
            return f;
    }
    if (p->front_count == FRONTS)
        return NULL;
    front *f = &p->fronts[p->front_count++];
    *f = (front){ .listener = -1 };
    snprintf(f->service, sizeof(f->service), "%s", key);
    snprintf(f->port_name, sizeof(f->port_name), "%s", port_name);
    return f;
}

static void set_front(proxy *p, const char *key, const lw_object *service, size_t i)
{
    lw_object_list *slices = NULL;
    front *f = find_front(p, key, text_at(service, "/spec/ports/%zu/name", i, ""));
    if (!f)
        return;
    const char *protocol = text_at(service, "/spec/ports/%zu/protocol", i, "TCP");
    snprintf(f->protocol, sizeof(f->protocol), "%s", strcmp(protocol, "UDP") == 0 ? "udp" : "tcp");
    snprintf(f->address, sizeof(f->address), "%s",
             lw_object_string(service, "/spec/clusterIP", ""));
    f->port = number_at(service, "/spec/ports/%zu/port", i);
    f->count = 0;
    if (lw_lister_by_index(lw_informer_lister(p->slices), "service", key, &slices, NULL) == LW_OK) {
        lw_object_list_sort(slices);
        for (size_t j = 0; j < lw_object_list_count(slices); j++)
            add_backends(f, lw_object_list_at(slices, j));
        lw_object_list_free(slices);
    }
    print_rule(f);
    if (p->listens && f->listener < 0 && strcmp(f->protocol, "tcp") == 0)
        open_listener(f);
}

/* Removes the fronts of a service that was deleted, or of ports it no longer has (port 0).  Open
 * connections continue. */
static void drop_fronts(proxy *p, const char *key)
{
    for (size_t i = p->front_count; i-- > 0;) {
        front *f = &p->fronts[i];
        if (strcmp(f->service, key) != 0 || f->port != 0)
            continue;
        printf("%s %s: gone\n", f->service, f->port_name);
        if (f->listener >= 0)
            close(f->listener);
        *f = p->fronts[--p->front_count];
    }
}

/* Updates all fronts of one service from the caches. */
static void set_service(proxy *p, const char *ns, const char *name)
{
    char key[320];
    lw_object *service = lw_lister_get(lw_informer_lister(p->services), ns, name);
    snprintf(key, sizeof(key), "%s/%s", ns, name);
    for (size_t i = 0; i < p->front_count; i++) {
        if (strcmp(p->fronts[i].service, key) == 0)
            p->fronts[i].port = 0; /* until it is found again */
    }
    for (size_t i = 0; service && number_at(service, "/spec/ports/%zu/port", i) > 0; i++)
        set_front(p, key, service, i);
    drop_fronts(p, key);
    fflush(stdout);
    lw_object_unref(service);
}

static void on_service(const lw_event *event, void *arg)
{
    set_service(arg, lw_object_namespace(event->object), lw_object_name(event->object));
}

static void on_slice(const lw_event *event, void *arg)
{
    const char *service = lw_object_label(event->object, "kubernetes.io/service-name");
    if (service)
        set_service(arg, lw_object_namespace(event->object), service);
}

/* Part two: the connections. */

static void close_passage(passage *l)
{
    for (int i = 0; i < 2; i++) {
        if (l->ends[i] > 0)
            close(l->ends[i]);
        l->ends[i] = 0;
    }
}

/* Accepts one connection of |f|, if there is room for it, and connects to the next endpoint. */
static void accept_passage(proxy *p, front *f)
{
    passage *l = p->passages;
    while (l < p->passages + PASSAGES && l->ends[0] > 0)
        l++;
    if (l == p->passages + PASSAGES)
        return;
    int client = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0)
        return;
    memset(l, 0, sizeof(*l));
    l->ends[0] = client;
    l->ends[1] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    l->is_connecting = true;
    if (f->count == 0 || l->ends[1] < 0 ||
        (connect(l->ends[1], (struct sockaddr *)&f->backends[f->next++ % f->count],
                 sizeof(struct sockaddr_in)) < 0 &&
         errno != EINPROGRESS))
        close_passage(l);
}

/* Returns what poll should wait for at end |i|. */
static short wanted(const passage *l, int i)
{
    if (l->is_connecting)
        return i == 1 ? POLLOUT : 0;
    const struct way *out = &l->way[i], *in = &l->way[1 - i];
    return (short)((!out->is_over && out->len == 0 ? POLLIN : 0) |
                   (in->len > in->sent ? POLLOUT : 0));
}

/* Moves data from end |i| to the other; false: the connection has failed. */
static bool carry(passage *l, int i)
{
    struct way *w = &l->way[i];
    if (!w->is_over && w->len == 0) {
        ssize_t got = recv(l->ends[i], w->bytes, sizeof(w->bytes), 0);
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        w->is_over = got == 0;
        w->len = got > 0 ? (size_t)got : 0;
    }
    if (w->len > w->sent) {
        ssize_t put = send(l->ends[1 - i], w->bytes + w->sent, w->len - w->sent, MSG_NOSIGNAL);
        if (put < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        w->sent += put > 0 ? (size_t)put : 0;
    }
    if (w->sent == w->len)
        w->sent = w->len = 0;
    if (w->is_over && w->len == 0 && !w->is_shut) {
        shutdown(l->ends[1 - i], SHUT_WR);
        w->is_shut = true;
    }
    return true;
}

static void turn_passage(passage *l, short client, short endpoint)
{
    if (l->is_connecting) {
        int fault = 0;
        socklen_t len = sizeof(fault);
        if (endpoint == 0)
            return;
        if (getsockopt(l->ends[1], SOL_SOCKET, SO_ERROR, &fault, &len) < 0 || fault != 0) {
            close_passage(l);
            return;
        }
        l->is_connecting = false;
    } else if (client == 0 && endpoint == 0) {
        return;
    }
    if (!carry(l, 0) || !carry(l, 1) || (l->way[0].is_shut && l->way[1].is_shut))
        close_passage(l);
}

/* One iteration: waits, dispatches the informers, then checks every socket. */
static void turn(proxy *p, const sigset_t *signals)
{
    struct pollfd at[1 + FRONTS + 2 * PASSAGES];
    int timeout = lw_factory_timeout_ms(p->factory);
    struct timespec limit = { timeout / 1000, timeout % 1000 * 1000000L };
    nfds_t count = 0;
    size_t fronts = p->front_count;
    at[count++] = (struct pollfd){ .fd = lw_factory_fd(p->factory), .events = POLLIN };
    for (size_t i = 0; i < fronts; i++)
        at[count++] = (struct pollfd){ .fd = p->fronts[i].listener, .events = POLLIN };
    for (size_t i = 0; i < PASSAGES; i++) {
        for (int end = 0; end < 2; end++)
            at[count++] =
                (struct pollfd){ .fd = p->passages[i].ends[end] > 0 ? p->passages[i].ends[end] : -1,
                                 .events = wanted(&p->passages[i], end) };
    }
    if (ppoll(at, count, timeout < 0 ? NULL : &limit, signals) < 0)
        return;
    for (size_t i = 0; i < PASSAGES; i++) {
        const struct pollfd *ends = &at[1 + fronts + 2 * i];
        if (p->passages[i].ends[0] > 0)
            turn_passage(&p->passages[i], ends[0].revents, ends[1].revents);
    }
    for (size_t i = 0; i < fronts; i++) {
        if (at[1 + i].revents & POLLIN)
            accept_passage(p, &p->fronts[i]);
    }
    (void)lw_factory_dispatch(p->factory, NULL); /* last: it may change the fronts */
}

int main(int argc, char **argv)
{
    static proxy p;
    lw_error err = LW_ERROR_INIT;
    const lw_handler of_services = { .on_event = on_service, .arg = &p };
    const lw_handler of_slices = { .on_event = on_slice, .arg = &p };
    const struct sigaction action = { .sa_handler = on_signal };
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before); /* signals are delivered only during the wait */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    p.listens = argc > 1 && strcmp(argv[1], "--listen") == 0;

    if (lw_factory_new(&p.factory, NULL, &err) < 0 ||
        lw_factory_informer(p.factory, "services", &p.services, &err) < 0 ||
        lw_factory_informer(p.factory, "endpointslices.discovery.k8s.io", &p.slices, &err) < 0 ||
        lw_informer_add_index(p.slices, "service", index_by_service, NULL, &err) < 0 ||
        lw_informer_add_handler(p.services, &of_services, NULL, &err) < 0 ||
        lw_informer_add_handler(p.slices, &of_slices, NULL, &err) < 0) {
        fprintf(stderr, "10_service_proxy: %s\n", err.message);
        lw_factory_free(p.factory);
        return 1;
    }
    while (!is_over)
        turn(&p, &before);
    for (size_t i = 0; i < PASSAGES; i++)
        close_passage(&p.passages[i]);
    for (size_t i = 0; i < p.front_count; i++) {
        if (p.fronts[i].listener >= 0)
            close(p.fronts[i].listener);
    }
    lw_factory_free(p.factory);
    return 0;
}
