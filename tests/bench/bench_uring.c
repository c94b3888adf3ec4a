/* SPDX-License-Identifier: Apache-2.0 */
/* bench_uring.c -- what io_uring would save: an event to many sockets, and small requests with
 * their replies, once as the server does it (epoll, recv, sendmsg) and once with io_uring.  Nothing
 * but the sockets is in it, so that a server, which does more, gains less. */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/uring.h"

enum {
    WATCHERS = 1000,
    CLIENTS = 64,
    EVENT = 1600, /* bytes, in two pieces: its frame and the object */
    HEAD = 6,
    REQUEST = 300,
    RING = 1024,
    ROUNDS = 7, /* of each way; the best counts */
    EVENTS_PER_ROUND = 200,
    REQUESTS_PER_ROUND = 100000,
};

typedef struct pairs {
    int ours[WATCHERS], theirs[WATCHERS];
    unsigned count;
    pid_t peer;
} pairs;

static char payload[EVENT];
static uint64_t *received; /* by the other side */
static uint64_t expected;

static double cpu_seconds(void)
{
    struct timespec now; /* of all threads: the kernel's helpers are threads of the process */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* Connections over loopback: socket pairs have no TCP in them. */
static void connect_pairs(pairs *p, unsigned count)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, len) < 0 ||
        listen(listener, 128) < 0 || getsockname(listener, (struct sockaddr *)&address, &len) < 0)
        fail("listen");
    for (p->count = 0; p->count < count; p->count++) {
        int theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (theirs < 0 || connect(theirs, (struct sockaddr *)&address, len) < 0)
            fail("connect");
        p->theirs[p->count] = theirs;
        p->ours[p->count] = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (p->ours[p->count] < 0)
            fail("accept");
    }
    close(listener);
}

/* The other side: reads everything; with |asks|, each reply is followed by the next request. */
static void run_peer(const pairs *p, bool asks)
{
    static char room[256 * 1024];
    static size_t got[WATCHERS];
    struct epoll_event events[256];
    int waiting = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned i = 0; i < p->count; i++) {
        close(p->ours[i]);
        struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };
        (void)epoll_ctl(waiting, EPOLL_CTL_ADD, p->theirs[i], &event);
        if (asks && send(p->theirs[i], payload, REQUEST, MSG_NOSIGNAL) != REQUEST)
            _exit(1);
    }
    for (;;) {
        int count = epoll_wait(waiting, events, 256, -1);
        for (int i = 0; i < count; i++) {
            unsigned at = events[i].data.u32;
            ssize_t len = recv(p->theirs[at], room, sizeof(room), 0);
            if (len <= 0)
                _exit(0); /* our side is gone */
            got[at] += (size_t)len;
            __atomic_fetch_add(received, (uint64_t)len, __ATOMIC_RELAXED);
            if (asks && got[at] >= EVENT) {
                got[at] -= EVENT;
                (void)send(p->theirs[at], payload, REQUEST, MSG_NOSIGNAL);
            }
        }
    }
}

static void open_pairs(pairs *p, unsigned count, bool asks)
{
    connect_pairs(p, count);
    p->peer = fork();
    if (p->peer < 0)
        fail("fork");
    if (p->peer == 0)
        run_peer(p, asks);
    for (unsigned i = 0; i < count; i++)
        close(p->theirs[i]);
}

static void close_pairs(pairs *p)
{
    kill(p->peer, SIGKILL);
    waitpid(p->peer, NULL, 0);
    for (unsigned i = 0; i < p->count; i++)
        close(p->ours[i]);
}

/* Waits until the other side has read |bytes| more, so that no socket is full: not measured. */
static void settle(uint64_t bytes)
{
    expected += bytes;
    while (__atomic_load_n(received, __ATOMIC_RELAXED) < expected)
        (void)sched_yield();
}

/* As the server does it: two pieces, one system call per socket. */
static void send_each(const pairs *p, uring *ring)
{
    struct iovec pieces[2] = { { payload, HEAD }, { payload + HEAD, EVENT - HEAD } };
    struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };
    (void)ring;
    for (unsigned i = 0; i < p->count; i++) {
        if (sendmsg(p->ours[i], &message, MSG_NOSIGNAL) != EVENT)
            fail("sendmsg");
    }
}

static void take_sent(uring *ring, unsigned count, bool is_zero_copy)
{
    /* A send without a copy completes twice: it was sent, and its buffer is free again. */
    unsigned left = is_zero_copy ? 2 * count : count;
    while (left > 0) {
        const struct io_uring_cqe *done = uring_peek(ring);
        if (!done) {
            uring_submit(ring, 1);
            continue;
        }
        if (!(done->flags & IORING_CQE_F_NOTIF) && done->res != EVENT) {
            errno = -done->res;
            fail("io_uring send");
        }
        uring_seen(ring);
        left--;
    }
}

static void send_together(const pairs *p, uring *ring)
{
    struct iovec pieces[2] = { { payload, HEAD }, { payload + HEAD, EVENT - HEAD } };
    struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };
    for (unsigned i = 0; i < p->count; i++) {
        struct io_uring_sqe *sqe = uring_next(ring);
        sqe->opcode = IORING_OP_SENDMSG;
        sqe->flags = IOSQE_FIXED_FILE;
        sqe->fd = (int)i;
        sqe->addr = (uint64_t)(uintptr_t)&message;
        sqe->msg_flags = MSG_NOSIGNAL;
    }
    uring_submit(ring, p->count);
    take_sent(ring, p->count, false);
}

/* From a registered buffer, without a copy; one piece. */
static void send_uncopied(const pairs *p, uring *ring)
{
    for (unsigned i = 0; i < p->count; i++) {
        struct io_uring_sqe *sqe = uring_next(ring);
        sqe->opcode = IORING_OP_SEND_ZC;
        sqe->flags = IOSQE_FIXED_FILE;
        sqe->ioprio = IORING_RECVSEND_FIXED_BUF;
        sqe->fd = (int)i;
        sqe->addr = (uint64_t)(uintptr_t)payload;
        sqe->len = EVENT;
        sqe->msg_flags = MSG_NOSIGNAL;
    }
    uring_submit(ring, p->count);
    take_sent(ring, p->count, true);
}

static void open_ring(uring *ring, const pairs *p)
{
    if (!uring_open(ring, RING) || !uring_register_files(ring, p->ours, p->count) ||
        !uring_register_buffer(ring, payload, EVENT))
        fail("io_uring");
}

typedef struct fan {
    const char *name;
    void (*send)(const pairs *p, uring *ring);
} fan;

static const fan fans[] = {
    { "an event to 1,000 sockets: sendmsg", send_each },
    { "an event to 1,000 sockets: io_uring", send_together },
    { "an event to 1,000 sockets: io_uring, not copied", send_uncopied },
};
enum {
    FANS = sizeof(fans) / sizeof(fans[0]),
};

static void print(const char *name, double best, double first)
{
    printf("%-52s %8.3f us CPU   %+.1f %%\n", name, best * 1e6, (best / first - 1) * 100);
}

static void measure_fans(void)
{
    pairs p;
    uring ring;
    double best[FANS] = { 0 };
    open_pairs(&p, WATCHERS, false);
    open_ring(&ring, &p);
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned way = 0; way < FANS; way++) {
            double cpu = 0;
            for (int event = 0; event < EVENTS_PER_ROUND; event++) {
                double start = cpu_seconds();
                fans[way].send(&p, &ring);
                cpu += cpu_seconds() - start;
                settle((uint64_t)p.count * EVENT);
            }
            cpu /= EVENTS_PER_ROUND * (double)p.count;
            if (round == 0 || cpu < best[way])
                best[way] = cpu;
        }
    }
    for (unsigned way = 0; way < FANS; way++)
        print(fans[way].name, best[way], best[0]);
    close_pairs(&p);
    close(ring.fd);
}

/* Bytes of the request at hand, of each client. */
static unsigned taken[CLIENTS];

static bool is_whole(unsigned client, ssize_t len)
{
    if (len <= 0)
        fail("recv");
    taken[client] += (unsigned)len;
    if (taken[client] < REQUEST)
        return false;
    taken[client] -= REQUEST;
    return true;
}

static double serve_with_epoll(const pairs *p)
{
    static char room[64 * 1024];
    struct epoll_event events[CLIENTS];
    int waiting = epoll_create1(EPOLL_CLOEXEC);
    double start = cpu_seconds();
    for (unsigned i = 0; i < p->count; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };
        (void)epoll_ctl(waiting, EPOLL_CTL_ADD, p->ours[i], &event);
    }
    for (unsigned done = 0; done < REQUESTS_PER_ROUND;) {
        int count = epoll_wait(waiting, events, CLIENTS, -1);
        for (int i = 0; i < count; i++) {
            unsigned at = events[i].data.u32;
            if (!is_whole(at, recv(p->ours[at], room, sizeof(room), 0)))
                continue;
            if (send(p->ours[at], payload, EVENT, MSG_NOSIGNAL) != EVENT)
                fail("send");
            done++;
        }
    }
    close(waiting);
    return cpu_seconds() - start;
}

static void ask_for_requests(uring *ring, unsigned client)
{
    struct io_uring_sqe *sqe = uring_next(ring);
    sqe->opcode = IORING_OP_RECV;
    sqe->flags = IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT;
    sqe->ioprio = IORING_RECV_MULTISHOT;
    sqe->fd = (int)client;
    sqe->user_data = client;
}

static void reply(uring *ring, unsigned client)
{
    struct io_uring_sqe *sqe = uring_next(ring);
    sqe->opcode = IORING_OP_SEND;
    sqe->flags = IOSQE_FIXED_FILE;
    sqe->fd = (int)client;
    sqe->addr = (uint64_t)(uintptr_t)payload;
    sqe->len = EVENT;
    sqe->msg_flags = MSG_NOSIGNAL;
    sqe->user_data = CLIENTS; /* nobody's request */
}

static double serve_with_uring(const pairs *p)
{
    uring ring;
    open_ring(&ring, p);
    if (!uring_provide(&ring, 4 * CLIENTS, 4096))
        fail("buffers of io_uring");
    double start = cpu_seconds();
    for (unsigned i = 0; i < p->count; i++)
        ask_for_requests(&ring, i);
    for (unsigned done = 0; done < REQUESTS_PER_ROUND;) {
        uring_submit(&ring, 1);
        const struct io_uring_cqe *got;
        while ((got = uring_peek(&ring)) != NULL) {
            unsigned client = (unsigned)got->user_data;
            if (client != CLIENTS) {
                if (got->flags & IORING_CQE_F_BUFFER)
                    uring_give_back(&ring, got->flags >> IORING_CQE_BUFFER_SHIFT);
                if (is_whole(client, got->res)) {
                    reply(&ring, client);
                    done++;
                }
                if (!(got->flags & IORING_CQE_F_MORE))
                    ask_for_requests(&ring, client);
            }
            uring_seen(&ring);
        }
    }
    double cpu = cpu_seconds() - start;
    close(ring.fd);
    return cpu;
}

static double round_of_requests(double (*serve)(const pairs *p))
{
    pairs p;
    open_pairs(&p, CLIENTS, true);
    memset(taken, 0, sizeof(taken));
    double cpu = serve(&p);
    close_pairs(&p);
    return cpu / REQUESTS_PER_ROUND;
}

static void measure_requests(void)
{
    double epolled = 0, ringed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double cpu = round_of_requests(serve_with_epoll);
        if (round == 0 || cpu < epolled)
            epolled = cpu;
        cpu = round_of_requests(serve_with_uring);
        if (round == 0 || cpu < ringed)
            ringed = cpu;
    }
    print("a request and its reply: epoll, recv, send", epolled, epolled);
    print("a request and its reply: io_uring, multishot receive", ringed, epolled);
}

int main(void)
{
    uring probe;
    received =
        mmap(NULL, sizeof(*received), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (received == MAP_FAILED)
        fail("mmap");
    memset(payload, 'x', sizeof(payload));
    if (!uring_open(&probe, 8)) {
        printf("skipped: no io_uring here: %s\n", strerror(errno));
        return 0;
    }
    close(probe.fd);
    measure_fans();
    measure_requests();
    return 0;
}
