/* SPDX-License-Identifier: Apache-2.0 */
/* fake_webhook.h -- a webhook without a network: it keeps the calls until the test answers them. */
#ifndef LW_TESTS_SUPPORT_FAKE_WEBHOOK_H
#define LW_TESTS_SUPPORT_FAKE_WEBHOOK_H

#include "base/alloc.h"
#include "base/str.h"
#include "server/webhook/caller.h"

enum {
    FAKE_WEBHOOK_CALLS_MAX = 8,
};

typedef struct fake_webhook {
    lw_webhook_transport base; /* first */
    lw_webhook_call *calls[FAKE_WEBHOOK_CALLS_MAX];
    size_t count;    /* of calls that are not answered */
    unsigned sent;   /* in all */
    bool *was_freed; /* set when it is freed; may be NULL */
} fake_webhook;

static lw_status fake_webhook_send(lw_webhook_transport *base, lw_webhook_call *call, lw_error *err)
{
    fake_webhook *hook = (fake_webhook *)(void *)base;
    (void)err;
    hook->calls[hook->count++] = call;
    hook->sent++;
    return LW_OK;
}

static void fake_webhook_cancel(lw_webhook_transport *base, lw_webhook_call *call)
{
    fake_webhook *hook = (fake_webhook *)(void *)base;
    (void)call;
    hook->count = 0;
}

static void fake_webhook_free(lw_webhook_transport *base)
{
    fake_webhook *hook = (fake_webhook *)(void *)base;
    if (hook->was_freed)
        *hook->was_freed = true;
    lw_free(hook);
}

/* NULL: out of memory. */
static inline fake_webhook *fake_webhook_new(void)
{
    fake_webhook *hook = lw_alloc_zero(1, sizeof(*hook));
    if (hook)
        hook->base =
            (lw_webhook_transport){ fake_webhook_send, fake_webhook_cancel, fake_webhook_free };
    return hook;
}

/* Answers the oldest call, on the caller's loop. */
static inline void fake_webhook_answer(fake_webhook *hook, int status, const char *body)
{
    lw_webhook_call *call = hook->calls[0];
    lw_webhook_reply reply = { .status = status, .body = lw_str_of(body), .error = LW_ERROR_INIT };
    hook->count--;
    for (size_t i = 0; i < hook->count; i++)
        hook->calls[i] = hook->calls[i + 1];
    lw_webhook_call_replied(call, &reply);
}

#endif
