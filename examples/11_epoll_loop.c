/* SPDX-License-Identifier: Apache-2.0 */
/* 11_epoll_loop.c -- an informer and a work queue in an epoll loop, in one thread: prints how many
 * pods are on each node when that changes.
 *
 *     11_epoll_loop     until Ctrl-C */
#define _POSIX_C_SOURCE 200809L /* sigprocmask */

#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <listwatch.h>

typedef struct program {
    lw_factory *factory;
    lw_informer *pods;
    lw_workqueue *nodes; /* names of nodes whose pods have changed */
    int epoll, signals;
} program;

static void add_node(lw_workqueue *nodes, const lw_object *pod)
{
    const char *node = pod ? lw_object_string(pod, "/spec/nodeName", "") : "";
    if (*node)
        (void)lw_workqueue_add(nodes, node);
}

/* Called from lw_factory_dispatch.  It only records what is to be done: ten changes of one node are
 * one key. */
static void on_pod(const lw_event *event, void *arg)
{
    add_node(arg, event->object);
    add_node(arg, event->old_object);
}

/* Processes at most one key, so that the loop returns to its other descriptors. */
static void work(const program *p)
{
    lw_object_list *pods = NULL;
    lw_error err = LW_ERROR_INIT;
    const char *node = lw_workqueue_get(p->nodes, 0);
    if (!node)
        return;
    if (lw_lister_by_index(lw_informer_lister(p->pods), "node", node, &pods, &err) == LW_OK) {
        printf("%s: %zu pods\n", node, lw_object_list_count(pods));
        fflush(stdout);
        lw_workqueue_forget(p->nodes, node);
    } else {
        fprintf(stderr, "%s: %s\n", node, err.message);
        (void)lw_workqueue_add_rate_limited(p->nodes, node);
    }
    lw_object_list_free(pods);
    lw_workqueue_done(p->nodes, node);
}

/* Returns the earlier of two timeouts; -1 is never. */
static int earlier(int a, int b)
{
    if (a < 0 || (b >= 0 && b < a))
        return b;
    return a;
}

static lw_status run(const program *p, lw_error *err)
{
    struct epoll_event ready[4];
    for (;;) {
        int timeout = earlier(lw_factory_timeout_ms(p->factory), lw_workqueue_timeout_ms(p->nodes));
        int count = epoll_wait(p->epoll, ready, 4, timeout);
        for (int i = 0; i < count; i++)
            if (ready[i].data.fd == p->signals)
                return LW_OK;
        lw_status st = lw_factory_dispatch(p->factory, err);
        if (st < 0)
            return st;
        work(p);
    }
}

static bool follow(const program *p, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
    return epoll_ctl(p->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static lw_status prepare(program *p, lw_error *err)
{
    lw_status st = lw_workqueue_new(&p->nodes, NULL, err);
    if (st == LW_OK)
        st = lw_factory_new(&p->factory, NULL, err);
    if (st == LW_OK)
        st = lw_factory_informer(p->factory, "pods", &p->pods, err);
    if (st == LW_OK)
        st = lw_informer_add_index_path(p->pods, "node", "/spec/nodeName", err);
    if (st == LW_OK)
        st = lw_informer_add_handler(p->pods, &(lw_handler){ .on_event = on_pod, .arg = p->nodes },
                                     NULL, err);
    return st;
}

int main(void)
{
    lw_error err = LW_ERROR_INIT;
    program p = { .epoll = epoll_create1(EPOLL_CLOEXEC) };
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    p.signals = signalfd(-1, &signals, SFD_CLOEXEC);

    lw_status st = prepare(&p, &err);
    if (st == LW_OK && follow(&p, p.signals) && follow(&p, lw_factory_fd(p.factory)) &&
        follow(&p, lw_workqueue_fd(p.nodes)))
        st = run(&p, &err);
    if (st < 0)
        fprintf(stderr, "11_epoll_loop: %s\n", err.message);
    lw_factory_free(p.factory);
    lw_workqueue_free(p.nodes);
    close(p.signals);
    close(p.epoll);
    return st == LW_OK ? 0 : 1;
}
