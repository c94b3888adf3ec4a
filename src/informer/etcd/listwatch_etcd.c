/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd.c -- informers on etcd: the provider, its sources, and the life cycle of their
 * calls.  See listwatch_etcd_internal.h.
 *
 * A requested revision has the same meaning as for an API server: "" and "0" mean any state (the
 * newest is used); otherwise a state that is not older, or exactly this one. */
#include <listwatch/etcd.h>

#include "base/alloc.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/str.h"
#include "informer/etcd/listwatch_etcd_internal.h"
#include "informer/source_spec.h"

/* Calls. */

static lw_etcd_source *source_of(lw_source *base)
{
    return (lw_etcd_source *)(void *)base;
}

void lw_etcd_source__free_call(lw_etcd_source_call *call)
{
    lw_etcd_source *source = call->source;
    lw_etcd_source_provider *provider = source->provider;
    if (source->held == call)
        source->held = NULL;
    if (call->range)
        lw_etcd_call_cancel(provider->etcd, call->range);
    if (call->check)
        lw_etcd_call_cancel(provider->etcd, call->check);
    lw_etcd_watch_cancel(call->watch);
    lw_timer_cancel(provider->loop, &call->deadline);
    lw_timer_cancel(provider->loop, &call->outage);
    if (lw_dlist_node_is_linked(&call->task.link))
        lw_dlist_remove(&call->task.link);
    lw_buf_done(&call->next);
    lw_free(call);
}

/* At the end of the iteration: the call is freed before its user is called. */
static void run_end(lw_task *task)
{
    lw_etcd_source_call *call = LW_CONTAINER_OF(task, lw_etcd_source_call, task);
    lw_source_sink sink = call->sink;
    lw_error err = call->error;
    bool is_heard = !call->is_cancelled && !call->is_held, has_error = call->has_error;
    lw_etcd_source__free_call(call);
    if (is_heard)
        sink.on_fail(has_error ? &err : NULL, sink.arg);
}

static void put_end_off(lw_etcd_source_call *call)
{
    call->is_ending = true;
    call->task.run = run_end;
    if (!lw_dlist_node_is_linked(&call->task.link))
        lw_loop_defer(call->source->provider->loop, &call->task);
}

void lw_etcd_source__end(lw_etcd_source_call *call, const lw_error *err)
{
    if (call->is_ending)
        return;
    call->has_error = err != NULL;
    if (err)
        call->error = *err;
    put_end_off(call);
}

bool lw_etcd_source__begin_delivery(lw_etcd_source_call *call)
{
    if (call->is_ending || call->is_held)
        return false;
    call->is_delivering = true;
    return true;
}

bool lw_etcd_source__end_delivery(lw_etcd_source_call *call)
{
    call->is_delivering = false;
    if (call->is_cancelled)
        put_end_off(call);
    return !call->is_cancelled;
}

static void source_cancel(lw_source *base, lw_source_call *opaque)
{
    lw_etcd_source_call *call = (lw_etcd_source_call *)(void *)opaque;
    (void)base;
    if (call->is_delivering)
        call->is_cancelled = true;
    else
        lw_etcd_source__free_call(call);
}

static lw_etcd_source_call *call_new(lw_etcd_source *source, const lw_source_sink *sink)
{
    lw_etcd_source_call *call = lw_alloc_zero(1, sizeof(*call));
    if (!call)
        return NULL;
    call->source = source;
    call->sink = *sink;
    call->left = UINT64_MAX;
    call->page = LW_ETCD_SOURCE_PAGE_KEYS;
    lw_buf_init(&call->next, LW_ETCD_SOURCE_KEY_MAX + 1);
    return call;
}

/* Parses |text| as a number; 0 for "" and "0". */
static lw_status read_revision(const char *text, uint64_t *revision, lw_error *err)
{
    lw_str s = lw_str_of(text);
    *revision = 0;
    if (s.len > 0 && !lw_str_to_uint64(s, revision))
        return lw_error_set(err, LW_ERR_INVALID,
                            "resourceVersion \"%s\" is not a valid etcd revision", text);
    return LW_OK;
}

static lw_status begin_list(lw_etcd_source_call *call, const lw_source_request *request,
                            lw_error *err)
{
    lw_str token = lw_str_of(request->continue_token);
    uint64_t revision;
    lw_status st = read_revision(request->resource_version, &revision, err);
    if (st < 0)
        return st;
    if (request->limit > 0)
        call->left = (uint64_t)request->limit;
    if (token.len > 0)
        st = lw_etcd_source__take_token(call, token, err);
    else if (lw_str_equal(lw_str_of(request->resource_version_match), LW_STR("Exact")))
        call->revision = revision;
    else
        call->not_older = revision;
    return st < 0 ? st : lw_etcd_source__read(call, err);
}

static lw_status source_list(lw_source *base, const lw_source_request *request,
                             const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    lw_etcd_source_call *call = call_new(source_of(base), sink);
    if (!call)
        return lw_error_nomem(err);
    lw_status st = begin_list(call, request, err);
    if (st < 0) {
        lw_etcd_source__free_call(call);
        return st;
    }
    *out = (lw_source_call *)(void *)call;
    return LW_OK;
}

/* Without a revision, or if initial events are requested, the state comes first. */
static lw_status begin_watch(lw_etcd_source_call *call, const lw_source_request *request,
                             uint64_t revision, lw_error *err)
{
    call->is_watch = true;
    call->wants_bookmarks = request->allows_bookmarks;
    call->wants_end_mark = request->sends_initial_events;
    lw_status st = lw_etcd_source__set_timeout(call, request->timeout_s, err);
    if (st < 0)
        return st;
    if (revision == 0 || request->sends_initial_events) {
        call->not_older = revision;
        return lw_etcd_source__read(call, err);
    }
    call->delivered = revision;
    call->sent = revision;
    return lw_etcd_source__watch(call, err);
}

static lw_status source_watch(lw_source *base, const lw_source_request *request,
                              const lw_source_sink *sink, lw_source_call **out, lw_error *err)
{
    uint64_t revision;
    lw_etcd_source_call *call = NULL;
    lw_status st = read_revision(request->resource_version, &revision, err);
    if (st < 0)
        return st;
    if (!request->sends_initial_events)
        call = lw_etcd_source__take_up(source_of(base), revision, sink, request->timeout_s);
    if (!call) {
        call = call_new(source_of(base), sink);
        st = call ? begin_watch(call, request, revision, err) : lw_error_nomem(err);
    }
    if (st < 0) {
        if (call)
            lw_etcd_source__free_call(call);
        return st;
    }
    *out = (lw_source_call *)(void *)call;
    return LW_OK;
}

/* Sources. */

static void source_free(lw_source *base)
{
    lw_etcd_source *source = source_of(base);
    if (source->held)
        lw_etcd_source__free_call(source->held);
    lw_etcd_source__done_filter(source);
    lw_source_spec_done(&source->spec);
    lw_free(source);
}

static lw_etcd_source_provider *provider_of(lw_provider *base)
{
    return (lw_etcd_source_provider *)(void *)base;
}

static lw_status provider_open(lw_provider *base, const lw_source_spec *spec, lw_source **out,
                               lw_error *err)
{
    static const lw_source_ops ops = { source_list, source_watch, source_cancel, source_free };
    lw_etcd_source *source = lw_alloc_zero(1, sizeof(*source));
    if (!source)
        return lw_error_nomem(err);
    source->base.ops = &ops;
    source->provider = provider_of(base);
    if (lw_source_spec_copy(&source->spec, spec) < 0) {
        lw_free(source);
        return lw_error_nomem(err);
    }
    lw_status st = lw_etcd_source__init_filter(source, err);
    if (st < 0) {
        source_free(&source->base);
        return st;
    }
    *out = &source->base;
    return LW_OK;
}

/* The provider. */

static int provider_fd(lw_provider *base)
{
    return lw_loop_fd(provider_of(base)->loop);
}

static int provider_timeout_ms(lw_provider *base)
{
    return lw_loop_timeout_ms(provider_of(base)->loop);
}

static lw_status provider_dispatch(lw_provider *base, lw_error *err)
{
    return lw_loop_turn(provider_of(base)->loop, 0, err);
}

static void provider_free(lw_provider *base)
{
    lw_etcd_source_provider *provider = provider_of(base);
    lw_etcd_free(provider->etcd);
    lw_loop_free(provider->loop);
    lw_free(provider);
}

static lw_status open_etcd(lw_etcd_source_provider *provider,
                           const lw_etcd_provider_options *options, const lw_clock *clock,
                           lw_error *err)
{
    const lw_etcd_options how = { .endpoints = options->endpoints,
                                  .ca_file = options->ca_file,
                                  .cert_file = options->cert_file,
                                  .key_file = options->key_file,
                                  .user = options->user,
                                  .password = options->password,
                                  .logger = options->logger };
    lw_status st = lw_loop_new(&provider->loop, clock, err);
    return st < 0 ? st : lw_etcd_new(&provider->etcd, provider->loop, &how, err);
}

lw_status lw_etcd_source__provider_new(lw_provider **out, const lw_etcd_provider_options *options,
                                       const lw_clock *clock, lw_error *err)
{
    static const lw_provider_ops ops = { .open = provider_open,
                                         .fd = provider_fd,
                                         .timeout_ms = provider_timeout_ms,
                                         .dispatch = provider_dispatch,
                                         .free = provider_free };
    if (!options || !options->endpoints)
        return lw_error_set(err, LW_ERR_INVALID,
                            "no etcd endpoints are set; set them, e.g. http://127.0.0.1:2379");
    lw_etcd_source_provider *provider = lw_alloc_zero(1, sizeof(*provider));
    if (!provider)
        return lw_error_nomem(err);
    provider->base.ops = &ops;
    provider->logger = options->logger;
    lw_status st = open_etcd(provider, options, clock, err);
    if (st < 0) {
        provider_free(&provider->base);
        return st;
    }
    *out = &provider->base;
    return LW_OK;
}

lw_status lw_etcd_provider_new(lw_provider **out, const lw_etcd_provider_options *options,
                               lw_error *err)
{
    return lw_etcd_source__provider_new(out, options, NULL, err);
}
