/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue.h -- a queue of keys to process: each key is queued once, is processed by one worker at
 * a time, and is retried with backoff after a failure.
 *
 * Any thread may use a queue.  Keys are strings, which are copied. */
#ifndef LISTWATCH_WORKQUEUE_H
#define LISTWATCH_WORKQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/sys/clock.h>

LW_BEGIN_DECLS

/* Initialise it with LW_WORKQUEUE_OPTIONS_INIT. */
typedef struct lw_workqueue_options {
    size_t size;
    size_t max_keys;       /* 0: LW_WORKQUEUE_KEYS */
    int64_t base_delay_ns; /* delay after the first failure; doubles with each failure; 0: 5 ms */
    int64_t max_delay_ns;  /* 0: 1000 s */
    double rate;           /* retries per second of all keys together; 0: 10, < 0: no limit */
    unsigned burst;        /* 0: 100 */
    const lw_clock *clock; /* NULL: the system clock */
} lw_workqueue_options;

#define LW_WORKQUEUE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(lw_workqueue_options), 0, 0, 0, 0, 0, NULL                                          \
    }

enum {
    LW_WORKQUEUE_KEYS = 1000000,
};

typedef struct lw_workqueue lw_workqueue;

/* Makes a queue; NULL |options| means the defaults.  LW_ERR_NOMEM, LW_ERR_IO (cannot create a
 * descriptor). */
LW_MUST_CHECK LW_API lw_status lw_workqueue_new(lw_workqueue **out,
                                                const lw_workqueue_options *options, lw_error *err);

/* Frees the queue and its keys; no thread may be using it.  NULL does nothing. */
LW_API void lw_workqueue_free(lw_workqueue *queue);

/* Adds |key|.  A key that is already queued is not added again; a key that is being processed is
 * queued again afterwards.  LW_ERR_LIMIT, LW_ERR_NOMEM, LW_ERR_STOPPED. */
LW_MUST_CHECK LW_API lw_status lw_workqueue_add(lw_workqueue *queue, const char *key);

/* Adds |key| after |delay_ns|; of two delays, the shorter one counts.  Errors as
 * lw_workqueue_add. */
LW_MUST_CHECK LW_API lw_status lw_workqueue_add_after(lw_workqueue *queue, const char *key,
                                                      int64_t delay_ns);

/* Counts a failure of |key| and adds it after a delay that grows with the number of failures.
 * Errors as lw_workqueue_add. */
LW_MUST_CHECK LW_API lw_status lw_workqueue_add_rate_limited(lw_workqueue *queue, const char *key);

/* Resets the failures of |key|; call it after a success. */
LW_API void lw_workqueue_forget(lw_workqueue *queue, const char *key);

/* Returns the number of failures of |key| since it was forgotten.  The failures of a key that is
 * not added any more are kept until the space is needed. */
LW_API unsigned lw_workqueue_failures(const lw_workqueue *queue, const char *key);

/* Waits for a key (|timeout_ms| < 0: no timeout, 0: does not wait) and returns the oldest one.  No
 * other worker gets the key until lw_workqueue_done, and the string is valid until then.  NULL:
 * timeout, or the queue is shut down and empty. */
LW_API const char *lw_workqueue_get(lw_workqueue *queue, int timeout_ms);

/* Ends the processing of |key|.  A key that is not being processed is ignored. */
LW_API void lw_workqueue_done(lw_workqueue *queue, const char *key);

/* Shut down the queue, and return whether it is shut down: it accepts no more keys, queued keys are
 * still returned, delayed keys are dropped. */
LW_API void lw_workqueue_shut_down(lw_workqueue *queue);
LW_API bool lw_workqueue_is_shut_down(const lw_workqueue *queue);

/* Shuts down the queue and waits until every key was processed.  Must not be called from a
 * worker. */
LW_API void lw_workqueue_drain(lw_workqueue *queue);

/* Returns the number of queued keys, without keys that are delayed or being processed. */
LW_API size_t lw_workqueue_count(const lw_workqueue *queue);

/* For an event loop of the program: a descriptor that is readable while a key is queued and after
 * the shutdown, and the time until the next delayed key is due (-1: none). */
LW_API int lw_workqueue_fd(const lw_workqueue *queue);
LW_API int lw_workqueue_timeout_ms(const lw_workqueue *queue);

LW_END_DECLS

#endif
