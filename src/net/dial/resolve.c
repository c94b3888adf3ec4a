/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c -- runs getaddrinfo on a short-lived thread.
 *
 *     resolving ──done──▶ posted ──loop──▶ joined, reported, freed
 *     resolving ──cancel──▶ abandoned ──done──▶ freed by its own thread
 *     posted ──cancel──▶ abandoned ──loop──▶ joined, freed
 *
 * Threads: |mu| guards is_posted and is_abandoned; the rest belongs to the thread while it
 * resolves, and to the loop afterwards. */
#include "net/dial/resolve.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"

enum {
    PORT_SIZE = 8,
};

struct lw_resolve {
    lw_loop *loop;
    lw_task task;
    lw_thread thread;
    char *host;
    uint16_t port;
    lw_resolve_fn done;
    void *arg;
    lw_address addresses[LW_RESOLVE_MAX];
    size_t count;
    int result; /* result of getaddrinfo */

    lw_mutex mu; /* guards the two members below */
    bool is_posted;
    bool is_abandoned;
};

/* Returns getaddrinfo's result, and at most |max| addresses. */
static int look_up(const char *host, uint16_t port, int flags, lw_address *out, size_t max,
                   size_t *count)
{
    const struct addrinfo hints = { .ai_flags = flags | AI_NUMERICSERV,
                                    .ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char port_text[PORT_SIZE];
    (void)snprintf(port_text, sizeof(port_text), "%u", (unsigned)port);
    int result = getaddrinfo(host, port_text, &hints, &found);
    *count = 0;
    if (result != 0)
        return result;
    for (const struct addrinfo *at = found; at && *count < max; at = at->ai_next) {
        if (at->ai_addrlen > sizeof(out->storage))
            continue;
        lw_address *address = &out[(*count)++];
        memset(address, 0, sizeof(*address));
        memcpy(&address->storage, at->ai_addr, at->ai_addrlen);
        address->len = at->ai_addrlen;
    }
    freeaddrinfo(found);
    return *count > 0 ? 0 : EAI_NONAME;
}

bool lw_resolve_numeric(lw_address *out, const char *host, uint16_t port)
{
    size_t count;
    return look_up(host, port, AI_NUMERICHOST, out, 1, &count) == 0;
}

static void resolve_free(lw_resolve *resolve)
{
    lw_mutex_done(&resolve->mu);
    lw_free(resolve->host);
    lw_free(resolve);
}

/* The function of the thread. */
static void run(void *arg)
{
    lw_resolve *resolve = arg;
    resolve->result = look_up(resolve->host, resolve->port, 0, resolve->addresses, LW_RESOLVE_MAX,
                              &resolve->count);
    lw_mutex_lock(&resolve->mu);
    bool is_abandoned = resolve->is_abandoned;
    if (!is_abandoned) {
        /* Under the lock: a thread that cancels sees that it is posted, and may free the loop,
         * which runs it. */
        resolve->is_posted = true;
        lw_loop_post(resolve->loop, &resolve->task);
    }
    lw_mutex_unlock(&resolve->mu);
    if (is_abandoned)
        resolve_free(resolve);
}

/* Runs on the loop. */
static void tell(lw_task *task)
{
    lw_resolve *resolve = LW_DLIST_ITEM(&task->link, lw_resolve, task.link);
    lw_thread_join(&resolve->thread);
    lw_error err = LW_ERROR_INIT;
    if (resolve->result == EAI_MEMORY)
        (void)lw_error_nomem(&err);
    else if (resolve->result != 0)
        (void)lw_error_set(&err, LW_ERR_UNAVAILABLE, "cannot resolve the host name \"%s\": %s",
                           resolve->host, gai_strerror(resolve->result));
    if (!resolve->is_abandoned)
        resolve->done(resolve->addresses, resolve->count, resolve->result == 0 ? NULL : &err,
                      resolve->arg);
    resolve_free(resolve);
}

lw_status lw_resolve_start(lw_resolve **out, lw_loop *loop, const char *host, uint16_t port,
                           lw_resolve_fn done, void *arg, lw_error *err)
{
    lw_resolve *resolve = lw_alloc_zero(1, sizeof(*resolve));
    char *copy = lw_str_dup(lw_str_of(host));
    if (!resolve || !copy) {
        lw_free(resolve);
        lw_free(copy);
        return lw_error_nomem(err);
    }
    resolve->loop = loop;
    resolve->task.run = tell;
    resolve->host = copy;
    resolve->port = port;
    resolve->done = done;
    resolve->arg = arg;
    lw_mutex_init(&resolve->mu);
    lw_status st = lw_thread_start(&resolve->thread, "lw-resolve", run, resolve, err);
    if (st < 0) {
        resolve_free(resolve);
        return st;
    }
    *out = resolve;
    return LW_OK;
}

void lw_resolve_cancel(lw_resolve *resolve)
{
    lw_mutex_lock(&resolve->mu);
    resolve->is_abandoned = true;
    /* Not after the unlock: the thread may have ended by then and freed this memory. */
    if (!resolve->is_posted)
        lw_thread_detach(&resolve->thread);
    lw_mutex_unlock(&resolve->mu);
}
