/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue.h -- keys that want work: each once, none by two workers at a time, failures later.
 *
 * Any thread.  Keys are strings, copied. */
#ifndef LISTWATCH_WORKQUEUE_H
#define LISTWATCH_WORKQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/sys/clock.h>

LW_BEGIN_DECLS

typedef struct lw_workqueue_options {
    size_t max_keys;       /* 0: LW_WORKQUEUE_KEYS */
    int64_t base_delay_ns; /* of the first failure; doubles with each; 0: 5 ms */
    int64_t max_delay_ns;  /* 0: 1000 s */
    double rate;           /* retries a second for all keys together; 0: 10, < 0: no limit */
    unsigned burst;        /* 0: 100 */
    const lw_clock *clock; /* NULL: the system's */
} lw_workqueue_options;

enum {
    LW_WORKQUEUE_KEYS = 1000000,
};

typedef struct lw_workqueue lw_workqueue;

/* NULL |options|: the defaults.  LW_ERR_NOMEM, LW_ERR_IO (no descriptor). */
LW_API lw_status lw_workqueue_new(lw_workqueue **out, const lw_workqueue_options *options,
                                  lw_error *err);

/* Frees it with all keys; nobody may use it any more.  NULL does nothing. */
LW_API void lw_workqueue_free(lw_workqueue *queue);

/* Adds |key|: nothing happens if it waits already; if it is being worked on, it comes again after
 * that.  LW_ERR_LIMIT, LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_API lw_status lw_workqueue_add(lw_workqueue *queue, const char *key);

/* Adds it when |delay_ns| have passed; of two delays the earlier counts. */
LW_API lw_status lw_workqueue_add_after(lw_workqueue *queue, const char *key, int64_t delay_ns);

/* Adds it after a delay that grows with its failures, of which this is one more. */
LW_API lw_status lw_workqueue_add_rate_limited(lw_workqueue *queue, const char *key);

/* The key has succeeded: its failures are forgotten. */
LW_API void lw_workqueue_forget(lw_workqueue *queue, const char *key);

/* How often the key has failed since.  Failures of a key that does not come any more are kept until
 * the room is needed. */
LW_API unsigned lw_workqueue_failures(const lw_workqueue *queue, const char *key);

/* Waits for a key (|timeout_ms| < 0: for ever, 0: not at all) and hands it out, the longest waiting
 * first; nobody else gets it until it is given back with lw_workqueue_done, and the string lives
 * that long.  NULL: nothing in time, or the queue is shut down and empty. */
LW_API const char *lw_workqueue_get(lw_workqueue *queue, int timeout_ms);

/* Gives a key back; a key that was not handed out is passed over. */
LW_API void lw_workqueue_done(lw_workqueue *queue, const char *key);

/* Takes no more keys; those that wait are still handed out, delayed ones are dropped. */
LW_API void lw_workqueue_shut_down(lw_workqueue *queue);
LW_API bool lw_workqueue_is_shut_down(const lw_workqueue *queue);

/* The same, and waits until every key was worked on; so not from a worker. */
LW_API void lw_workqueue_drain(lw_workqueue *queue);

/* How many keys wait now; those that are delayed or worked on are not among them. */
LW_API size_t lw_workqueue_count(const lw_workqueue *queue);

/* For a loop of one's own: readable while a key waits, and from the shutdown on; and when to look
 * again (-1: no need). */
LW_API int lw_workqueue_fd(const lw_workqueue *queue);
LW_API int lw_workqueue_timeout_ms(const lw_workqueue *queue);

LW_END_DECLS

#endif
