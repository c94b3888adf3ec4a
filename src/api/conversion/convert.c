/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c -- jobs that convert objects, batch by batch. */
#include "api/conversion/convert.h"

#include "api/conversion/conversion_review.h"
#include "api/conversion/converter.h"
#include "api/http/failures.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "object/gvk.h"

enum {
    SUCCESS = 200,
    SUCCESS_END = 300,
};

static lw_str version_of(const lw_object *obj)
{
    lw_str group = LW_STR(""), version = LW_STR("");
    (void)lw_api_version_parse(lw_str_of(lw_object_api_version(obj)), &group, &version, NULL);
    return version;
}

bool lw_convert_has_webhook(const lw_kind *kind)
{
    return kind->custom && lw_definition_has_webhook(kind->custom->definition);
}

bool lw_convert_is_needed(const lw_kind *kind, const lw_object *obj)
{
    return lw_convert_has_webhook(kind) && !lw_str_equal(version_of(obj), kind->version);
}

bool lw_convert_selects(const lw_kind *kind, const lw_cache_filter *filter)
{
    return filter->fields && lw_convert_has_webhook(kind);
}

static lw_converter *converter_of(const lw_convert *job)
{
    return lw_definition_converter(job->kind->custom->definition);
}

static lw_convert_outcome fail(lw_convert *job, lw_status st)
{
    job->st = st;
    return LW_CONVERT_FAILED;
}

/* "conversion webhook for ... failed: |reason|" */
static lw_convert_outcome fail_call(lw_convert *job, lw_str reason)
{
    lw_conversion_append_subject(job->objects[job->batch[0]], &job->why);
    lw_buf_append_text(&job->why, " failed: ");
    lw_buf_append_str(&job->why, reason);
    return LW_CONVERT_FAILED;
}

/* The objects of the batch. */
static lw_conversion_review review_of(const lw_convert *job, lw_object **batch)
{
    for (size_t i = 0; i < job->batch_count; i++)
        batch[i] = job->objects[job->batch[i]];
    return (lw_conversion_review){ .version = converter_of(job)->version,
                                   .uid = lw_str_of(job->uid),
                                   .to = job->kind,
                                   .objects = batch,
                                   .count = job->batch_count };
}

static void call_done(lw_hook_call *call, int status, lw_str content_type, lw_str body,
                      const lw_error *err);

static lw_convert_outcome send(lw_convert *job)
{
    const lw_converter *converter = converter_of(job);
    lw_object *batch[LW_CONVERT_BATCH];
    lw_error err = LW_ERROR_INIT;
    if (!converter || !converter->endpoint)
        return fail_call(job, lw_str_of(converter && converter->error ? converter->error : ""));
    if (converter->version == LW_HOOK_VERSION_NONE) {
        lw_buf_append_text(&job->why, "no supported conversion review versions");
        return LW_CONVERT_FAILED;
    }
    lw_uuid_format(job->uid, &job->port->random);
    const lw_conversion_review review = review_of(job, batch);
    lw_buf_init(&job->body, LW_CONVERT_REVIEW_MAX);
    lw_conversion_review_write(&review, &job->body);
    int64_t now = lw_clock_now(lw_loop_clock(job->port->loop));
    int64_t until = now + LW_CONVERT_TIMEOUT_S * LW_NS_PER_S;
    if (job->deadline_ns > 0 && until > job->deadline_ns)
        until = job->deadline_ns;
    job->started_ns = now;
    job->call = (lw_hook_call){ .port = job->port,
                                .body = lw_buf_view(&job->body),
                                .timeout_s = LW_CONVERT_TIMEOUT_S,
                                .deadline_ns = until,
                                .done = call_done };
    lw_status st = job->body.st;
    if (st == LW_OK)
        st =
            converter->caller->start(converter->caller->arg, converter->endpoint, &job->call, &err);
    if (st < 0) {
        lw_status failed = job->body.st;
        lw_buf_done(&job->body);
        return failed < 0 ? fail(job, failed) : fail_call(job, lw_str_of(err.message));
    }
    job->is_open = true;
    lw_dlist_push_back(&job->port->converting, &job->link);
    return LW_CONVERT_WAITING;
}

/* Returns the job of this loop that has sent |obj| to be converted to the same version. */
static lw_convert *find_sender(const lw_convert *job, const lw_object *obj)
{
    LW_DLIST_FOR_EACH(lw_convert, other, &job->port->converting, link)
    {
        if (converter_of(other) != converter_of(job) ||
            !lw_str_equal(other->kind->version, job->kind->version))
            continue;
        for (size_t i = 0; i < other->batch_count; i++) {
            if (other->objects[other->batch[i]] == obj)
                return other;
        }
    }
    return NULL;
}

/* True if |*place| is, or now has become, an object of the version. */
static bool is_known(const lw_convert *job, lw_object **place)
{
    if (!lw_convert_is_needed(job->kind, *place))
        return true;
    lw_converter *converter = converter_of(job);
    bool is_stored = (size_t)(place - job->objects) >= job->unstored;
    lw_object *kept = converter && is_stored
                          ? lw_conversion_cache_get(&converter->cache, *place, job->kind->version)
                          : NULL;
    if (!kept)
        return false;
    lw_object_unref(*place);
    *place = kept;
    return true;
}

/* Collects the next batch.  Returns the job to wait for instead, if the first object that is not
 * known has been sent by it. */
static lw_convert *collect(lw_convert *job)
{
    size_t bytes = 0;
    job->batch_count = 0;
    for (; job->next < job->count; job->next++) {
        lw_object **place = &job->objects[job->next];
        if (is_known(job, place))
            continue;
        lw_convert *sender = find_sender(job, *place);
        if (sender)
            return job->batch_count > 0 ? NULL : sender;
        if (job->batch_count == LW_CONVERT_BATCH || bytes > LW_CONVERT_BATCH_BYTES)
            return NULL;
        bytes += lw_object_json(*place).len;
        job->batch[job->batch_count++] = job->next;
    }
    return NULL;
}

static lw_convert_outcome step(lw_convert *job)
{
    job->waits_for = collect(job);
    if (job->waits_for) {
        lw_dlist_push_back(&job->port->convert_waiting, &job->link);
        return LW_CONVERT_WAITING;
    }
    return job->batch_count == 0 ? LW_CONVERT_DONE : send(job);
}

lw_convert_outcome lw_convert_start(lw_convert *job)
{
    lw_buf_init(&job->why, LW_CONVERSION_WHY_MAX);
    job->st = LW_OK;
    job->next = 0;
    if (!lw_convert_has_webhook(job->kind))
        return LW_CONVERT_DONE;
    lw_convert_outcome outcome = step(job);
    if (outcome == LW_CONVERT_WAITING) {
        job->is_waiting = true;
        (void)lw_kind_ref(job->kind);
    }
    return outcome;
}

static void unlink_job(lw_convert *job)
{
    lw_dlist_remove(&job->link);
    if (job->is_open)
        lw_buf_done(&job->body);
    job->is_open = false;
    job->waits_for = NULL;
}

/* Tells the owner. */
static void over(lw_convert *job, bool is_converted)
{
    job->is_waiting = false;
    lw_kind_unref(job->kind);
    job->done(job, is_converted);
}

static void go_on(lw_convert *job)
{
    lw_convert_outcome outcome = step(job);
    if (outcome != LW_CONVERT_WAITING)
        over(job, outcome == LW_CONVERT_DONE);
}

/* Moves the jobs that wait for |job| to |out|. */
static void take_waiters(lw_convert *job, lw_dlist *out)
{
    lw_dlist_init(out);
    LW_DLIST_FOR_EACH_SAFE(lw_convert, other, &job->port->convert_waiting, link)
    {
        if (other->waits_for != job)
            continue;
        lw_dlist_remove(&other->link);
        other->waits_for = NULL;
        lw_dlist_push_back(out, &other->link);
    }
}

static lw_convert *pop(lw_dlist *list)
{
    return LW_DLIST_ITEM(lw_dlist_pop_front(list), lw_convert, link);
}

static void fail_like(lw_convert *job, const lw_buf *why, lw_status st)
{
    lw_buf_append_str(&job->why, lw_buf_view(why));
    job->st = st;
    over(job, false);
}

/* A reply that is not a success, as client-go words it. */
static void fail_with_code(lw_convert *job, int code, lw_str content_type, lw_str body)
{
    lw_api_status status;
    bool is_text = lw_str_starts_with(content_type, LW_STR("text/"));
    lw_api_status_generic(&status, code, is_text ? lw_str_trim(body) : LW_STR("unknown"));
    (void)fail_call(job, lw_api_status_str(&status, status.message));
    lw_api_status_done(&status);
}

static void keep(lw_convert *job, lw_object **converted)
{
    lw_converter *converter = converter_of(job);
    for (size_t i = 0; i < job->batch_count; i++) {
        lw_object **place = &job->objects[job->batch[i]];
        if (job->batch[i] >= job->unstored)
            lw_conversion_cache_put(&converter->cache, *place, job->kind->version, converted[i]);
        lw_object_unref(*place);
        *place = converted[i];
    }
}

/* Reads the reply.  False: job->why or job->st says why not. */
static bool take_reply(lw_convert *job, int status, lw_str content_type, lw_str body,
                       lw_conversion_failure *failure)
{
    lw_object *batch[LW_CONVERT_BATCH], *converted[LW_CONVERT_BATCH] = { NULL };
    const lw_conversion_review review = review_of(job, batch);
    if (status < SUCCESS || status >= SUCCESS_END) {
        fail_with_code(job, status, content_type, body);
        return false;
    }
    lw_status st = lw_conversion_review_read(&review, body, converted, failure, &job->why);
    if (st < 0 && st != LW_ERR_INVALID)
        job->st = st;
    if (st < 0)
        return false;
    *failure = LW_CONVERSION_SUCCEEDED;
    keep(job, converted);
    return true;
}

static void count(const lw_convert *job, lw_str from, lw_conversion_failure failure)
{
    lw_conversion_metrics *metrics = converter_of(job)->metrics;
    int64_t now = lw_clock_now(lw_loop_clock(job->port->loop));
    if (metrics)
        lw_conversion_metrics_count(metrics, lw_definition_name(job->kind->custom->definition),
                                    from, job->kind->version, failure, now - job->started_ns);
}

static void call_done(lw_hook_call *call, int status, lw_str content_type, lw_str body,
                      const lw_error *err)
{
    lw_convert *job = LW_CONTAINER_OF(call, lw_convert, call);
    lw_conversion_failure failure = LW_CONVERSION_CALL_FAILED;
    lw_object *first = lw_object_ref(job->objects[job->batch[0]]);
    lw_dlist waiters;
    lw_buf why;
    if (err)
        (void)fail_call(job, lw_str_of(err->message));
    bool is_good = !err && take_reply(job, status, content_type, body, &failure);
    count(job, version_of(first), failure);
    lw_object_unref(first);
    unlink_job(job);
    take_waiters(job, &waiters);
    lw_buf_init(&why, LW_CONVERSION_WHY_MAX);
    lw_buf_append_str(&why, lw_buf_view(&job->why));
    lw_status st = job->st < 0 ? job->st : why.st;
    if (is_good)
        go_on(job);
    else
        over(job, false);
    for (lw_convert *waiter; (waiter = pop(&waiters));) {
        if (is_good)
            go_on(waiter);
        else
            fail_like(waiter, &why, st);
    }
    lw_buf_done(&why);
}

void lw_convert_cancel(lw_convert *job)
{
    lw_dlist waiters;
    if (!job->is_waiting)
        return;
    const lw_converter *converter = converter_of(job);
    if (job->is_open)
        converter->caller->cancel(converter->caller->arg, &job->call);
    unlink_job(job);
    lw_buf_done(&job->why);
    job->is_waiting = false;
    take_waiters(job, &waiters);
    lw_kind_unref(job->kind);
    for (lw_convert *waiter; (waiter = pop(&waiters));)
        go_on(waiter);
}

void lw_convert_refuse(lw_convert *job, bool is_internal, lw_api_status *status)
{
    if (job->st < 0)
        lw_api_status_of_failure(status, job->st);
    else if (is_internal)
        lw_api_status_internal(status, lw_buf_view(&job->why));
    else
        lw_api_status_unclassified(status, &job->why);
    lw_buf_done(&job->why);
}

void lw_convert_port_hurry(lw_api_port *port)
{
    lw_dlist *lists[] = { &port->convert_waiting, &port->converting };
    for (size_t i = 0; i < 2; i++) {
        for (lw_dlist_node *node; (node = lw_dlist_first(lists[i]));) {
            lw_convert *job = LW_DLIST_ITEM(node, lw_convert, link);
            const lw_converter *converter = converter_of(job);
            if (job->is_open)
                converter->caller->cancel(converter->caller->arg, &job->call);
            unlink_job(job);
            lw_buf_append_text(&job->why, "the server is shutting down");
            over(job, false);
        }
    }
}
