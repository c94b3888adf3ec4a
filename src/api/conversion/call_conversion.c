/* SPDX-License-Identifier: Apache-2.0 */
/* call_conversion.c -- between a call and the conversion of its objects. */
#include "api/conversion/call_conversion.h"

#include "base/alloc.h"
#include "base/container_of.h"

static void refuse(lw_call_conversion *conversion)
{
    lw_api_status status;
    lw_convert_refuse(&conversion->job, false, &status);
    lw_call_reply_status(conversion->call, &status);
    conversion->over(conversion, false);
}

static void job_done(lw_convert *job, bool is_converted)
{
    lw_call_conversion *conversion = LW_CONTAINER_OF(job, lw_call_conversion, job);
    lw_api_call *call = conversion->call;
    call->stream->on_closed = NULL;
    call->stream->arg = NULL;
    lw_account_resume(&call->account);
    if (is_converted)
        conversion->over(conversion, true);
    else
        refuse(conversion);
}

static void client_left(lw_http_stream *stream, void *arg)
{
    lw_call_conversion *conversion = arg;
    stream->on_closed = NULL;
    stream->arg = NULL;
    lw_convert_cancel(&conversion->job);
    lw_call_free(conversion->call);
    conversion->over(conversion, false);
}

void lw_call_conversion_begin(lw_call_conversion *conversion)
{
    lw_api_call *call = conversion->call;
    conversion->job = (lw_convert){ .port = call->port,
                                    .kind = call->route.kind,
                                    .objects = conversion->objects,
                                    .count = conversion->count,
                                    .done = job_done };
    switch (lw_convert_start(&conversion->job)) {
    case LW_CONVERT_DONE: conversion->over(conversion, true); break;
    case LW_CONVERT_FAILED: refuse(conversion); break;
    case LW_CONVERT_WAITING:
        lw_account_pause(&call->account);
        call->stream->on_closed = client_left;
        call->stream->arg = conversion;
        break;
    }
}

/* One object. */
typedef struct single {
    lw_call_conversion conversion; /* first */
    lw_object *obj;
    void (*reply)(lw_api_call *call, const lw_object *obj);
} single;

static void single_over(lw_call_conversion *conversion, bool is_converted)
{
    single *s = (single *)(void *)conversion;
    if (is_converted)
        s->reply(conversion->call, s->obj);
    lw_object_unref(s->obj);
    lw_free(s);
}

void lw_call_with_converted(lw_api_call *call, lw_object *obj,
                            void (*reply)(lw_api_call *call, const lw_object *obj))
{
    if (!lw_convert_is_needed(call->route.kind, obj)) {
        reply(call, obj);
        lw_object_unref(obj);
        return;
    }
    single *s = lw_alloc_zero(1, sizeof(*s));
    if (!s) {
        lw_object_unref(obj);
        lw_call_reply_nomem(call);
        return;
    }
    s->obj = obj;
    s->reply = reply;
    s->conversion =
        (lw_call_conversion){ .call = call, .objects = &s->obj, .count = 1, .over = single_over };
    lw_call_conversion_begin(&s->conversion);
}
