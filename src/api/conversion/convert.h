/* SPDX-License-Identifier: Apache-2.0 */
/* convert.h -- converts custom resources to another version by the webhook of their definition.
 *
 *     start ──▶ all are known ──▶ DONE
 *       └──▶ WAITING: a batch is sent, or another job of this loop has sent the same object
 *               │ reply ──▶ next batch ──▶ ... ──▶ done(job, true)
 *               ├ failure ──▶ done(job, false)
 *               └ cancel ──▶ nothing; jobs that waited for this one send their objects themselves
 *
 * What was converted is kept (conversion_cache.h): a change that a thousand watches deliver is
 * converted once.  A job belongs to the loop of its port; the loop never waits. */
#ifndef LW_API_CONVERSION_CONVERT_H
#define LW_API_CONVERSION_CONVERT_H

#include "api/context/port.h"
#include "api/webhooks/caller.h"
#include "base/text/uuid.h"
#include "object/api_errors.h"

enum {
    LW_CONVERT_BATCH = 64,                    /* objects of one review */
    LW_CONVERT_BATCH_BYTES = 2 * 1024 * 1024, /* after which a review is long enough */
    LW_CONVERT_REVIEW_MAX = 32 * 1024 * 1024, /* bytes of a review */
    LW_CONVERT_TIMEOUT_S = 30,                /* of a call, as in kube-apiserver */
};

typedef enum lw_convert_outcome {
    LW_CONVERT_DONE,
    LW_CONVERT_FAILED, /* lw_convert_refuse says why */
    LW_CONVERT_WAITING,
} lw_convert_outcome;

typedef struct lw_convert lw_convert;
struct lw_convert {
    /* The owner's; all of it stays as it is until the job is over. */
    lw_api_port *port;
    const lw_kind *kind; /* the version that is wanted */
    lw_object **objects; /* one reference each; replaced by the converted ones */
    size_t count;
    size_t unstored;     /* the first so many are not what is stored: they are not remembered */
    int64_t deadline_ns; /* of the request, by the clock of the loop; 0: none */
    /* Once, if the job had to wait; it may free the job. */
    void (*done)(lw_convert *job, bool is_converted);

    /* Internal. */
    lw_buf why;   /* of a failure */
    lw_status st; /* of a failure that is the server's own */
    lw_dlist_node link;
    lw_hook_call call;
    lw_buf body;
    size_t next; /* the objects before it are converted */
    size_t batch[LW_CONVERT_BATCH];
    size_t batch_count;
    lw_convert *waits_for; /* has sent the same object */
    int64_t started_ns;
    bool is_waiting;
    bool is_open; /* a call is in progress */
    char uid[LW_UUID_SIZE];
};

/* True if objects of |kind| may have to be converted by a webhook. */
bool lw_convert_has_webhook(const lw_kind *kind);

/* True if |obj| must be converted by a webhook to be shown as |kind|. */
bool lw_convert_is_needed(const lw_kind *kind, const lw_object *obj);

/* True if the field selector of |filter| must see objects as |kind|, after a webhook has converted
 * them. */
bool lw_convert_selects(const lw_kind *kind, const lw_cache_filter *filter);

/* Converts what needs it.  A job that is WAITING must not be started again. */
lw_convert_outcome lw_convert_start(lw_convert *job);

/* Ends a job without a result.  Does nothing if it is not waiting. */
void lw_convert_cancel(lw_convert *job);

/* Sets |status| to why the job has failed: 500 with the webhook's words.  Call it at most once,
 * for a job that has failed; it frees the reason.  |is_internal|: as an internal error, in an ERROR
 * event and for admission. */
void lw_convert_refuse(lw_convert *job, bool is_internal, lw_api_status *status);

/* Fails all jobs of the port: the server stops. */
void lw_convert_port_hurry(lw_api_port *port);

#endif
