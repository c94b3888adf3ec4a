/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_read.c -- reads the keys at one revision in pages: for lists, and for the initial
 * events of a stream.
 *
 * The first page is a linearizable read and determines the revision of all others.  A list of any
 * length is read in pages of a few MiB, whatever its limit is, so that no reply is too large. */
#include "informer/etcd/listwatch_etcd_internal.h"

#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"

enum {
    REVISION_SIZE = 24,
};

/* Tokens: "REVISION.BASE64URL" of the last key that was delivered. */

lw_status lw_etcd_source__take_token(lw_etcd_source_call *call, lw_str token, lw_error *err)
{
    lw_str number, text;
    lw_buf_reset(&call->next);
    bool is_token = lw_str_cut(token, '.', &number, &text) &&
                    lw_str_to_uint64(number, &call->revision) && call->revision > 0 &&
                    lw_base64url_decode(&call->next, text) &&
                    lw_str_starts_with(lw_buf_view(&call->next), lw_buf_view(&call->source->first));
    if (call->next.st < 0)
        return lw_error_nomem(err);
    if (!is_token)
        return lw_error_set(err, LW_ERR_INVALID, "the continue token does not belong to this list");
    lw_buf_append_char(&call->next, '\0'); /* the first key after it */
    return call->next.st < 0 ? lw_error_nomem(err) : LW_OK;
}

static void append_token(lw_buf *out, const lw_etcd_source_call *call)
{
    lw_str next = lw_buf_view(&call->next);
    lw_buf_append_uint(out, call->revision);
    lw_buf_append_char(out, '.');
    lw_base64url_encode(out, lw_str_make(next.ptr, next.len - 1));
    lw_buf_append_char(out, '\0');
}

/* The end of a list. */

static void end_list(lw_etcd_source_call *call, bool has_more, int64_t remaining)
{
    char revision[REVISION_SIZE];
    lw_source_sink sink = call->sink;
    lw_buf token;
    lw_buf_init(&token, 2 * (size_t)LW_ETCD_SOURCE_KEY_MAX);
    if (has_more)
        append_token(&token, call);
    if (token.st < 0) {
        lw_error err;
        lw_buf_done(&token);
        (void)lw_error_nomem(&err);
        lw_etcd_source__end(call, &err);
        return;
    }
    (void)snprintf(revision, sizeof(revision), "%llu", (unsigned long long)call->revision);
    const lw_list_metadata list = {
        .api_version = LW_ETCD_OBJECT_API_VERSION,
        .kind = LW_ETCD_OBJECT_KIND "List",
        .resource_version = revision,
        .continue_token = has_more ? token.data : "",
        .remaining_item_count = has_more && !call->source->has_filter ? remaining : -1,
    };
    lw_etcd_source__free_call(call);
    sink.on_list_end(&list, sink.arg);
    lw_buf_done(&token);
}

/* Pages. */

static void hand_out_one(lw_etcd_source_call *call, const lw_object *obj)
{
    if (call->is_watch) {
        const lw_watch_event event = { .type = LW_WATCH_ADDED, .object = obj };
        call->sink.on_event(&event, call->sink.arg);
    } else {
        call->sink.on_object(obj, call->sink.arg);
    }
}

/* Returns false if the call failed or was cancelled. */
static bool hand_out(lw_etcd_source_call *call, const lw_etcd_range_answer *answer)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (!lw_etcd_source__begin_delivery(call))
        return false;
    for (size_t i = 0; i < answer->count && st == LW_OK && !call->is_cancelled; i++) {
        lw_object *obj = NULL;
        const lw_etcd_kv *kv = &answer->kvs[i];
        st = lw_etcd_source__select(call->source, kv, kv->mod_revision, &obj, &err);
        if (obj)
            hand_out_one(call, obj);
        lw_object_unref(obj);
    }
    if (!lw_etcd_source__end_delivery(call))
        return false;
    if (st < 0)
        lw_etcd_source__end(call, &err);
    return st == LW_OK;
}

/* Adapts the number of keys so that a page has about PAGE_BYTES. */
static void adapt_page(lw_etcd_source_call *call, const lw_etcd_range_answer *answer)
{
    uint64_t bytes = 1;
    for (size_t i = 0; i < answer->count; i++)
        bytes += answer->kvs[i].key.len + answer->kvs[i].value.len;
    uint64_t fits = (uint64_t)answer->count * LW_ETCD_SOURCE_PAGE_BYTES / bytes;
    if (fits > LW_ETCD_SOURCE_PAGE_KEYS_MAX)
        fits = LW_ETCD_SOURCE_PAGE_KEYS_MAX;
    call->page = fits > 0 ? (size_t)fits : 1;
}

/* Sets the beginning of the next page: after the last key. */
static lw_status move_on(lw_etcd_source_call *call, const lw_etcd_range_answer *answer)
{
    lw_buf_reset(&call->next);
    lw_buf_append_str(&call->next, answer->kvs[answer->count - 1].key);
    lw_buf_append_char(&call->next, '\0');
    return call->next.st;
}

static void read_on(lw_etcd_source_call *call)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_etcd_source__read(call, &err) < 0)
        lw_etcd_source__end(call, &err);
}

static void page_is_here(lw_etcd_source_call *call, const lw_etcd_range_answer *answer)
{
    bool has_more = answer->has_more && answer->count > 0;
    int64_t remaining = (int64_t)(answer->total - answer->count);
    lw_error err;
    if (!hand_out(call, answer))
        return;
    if (call->left != UINT64_MAX)
        call->left -= answer->count < call->left ? answer->count : call->left;
    if (has_more && move_on(call, answer) < 0) {
        (void)lw_error_nomem(&err);
        lw_etcd_source__end(call, &err);
    } else if (has_more && call->left > 0) {
        adapt_page(call, answer);
        read_on(call);
    } else if (call->is_watch) {
        lw_etcd_source__initial_events_end(call);
    } else {
        end_list(call, has_more, remaining);
    }
}

/* If the revision of etcd is older than one that was seen, etcd was replaced or restored. */
static void end_too_large(lw_etcd_source_call *call, uint64_t revision)
{
    lw_error err;
    (void)lw_error_set(&err, LW_ERR_TOO_LARGE_RV,
                       "revision %llu is in the future (current revision of etcd: %llu)",
                       (unsigned long long)call->not_older, (unsigned long long)revision);
    lw_etcd_source__end(call, &err);
}

static void on_range(const lw_etcd_range_answer *answer, void *arg)
{
    lw_etcd_source_call *call = arg;
    const lw_error *err = answer->base.err;
    call->range = NULL;
    if (err && err->code == LW_ERR_LIMIT && call->page > 1) {
        call->page /= 2; /* larger than the limit of a reply */
        read_on(call);
        return;
    }
    if (err) {
        lw_etcd_source__end(call, err);
        return;
    }
    if (answer->base.revision < call->not_older) {
        end_too_large(call, answer->base.revision);
        return;
    }
    if (call->revision == 0)
        call->revision = answer->base.revision;
    if (call->is_watch && !call->is_open) {
        call->is_open = true;
        if (!lw_etcd_source__begin_delivery(call))
            return;
        call->sink.on_open(call->sink.arg);
        if (!lw_etcd_source__end_delivery(call))
            return;
    }
    page_is_here(call, answer);
}

lw_status lw_etcd_source__read(lw_etcd_source_call *call, lw_error *err)
{
    const lw_etcd_source *source = call->source;
    const lw_etcd_range_request request = {
        .key = call->next.len > 0 ? lw_buf_view(&call->next) : lw_buf_view(&source->first),
        .end = lw_buf_view(&source->end),
        .revision = call->revision,
        .limit = call->left < call->page ? (size_t)call->left : call->page,
    };
    lw_status st = lw_etcd_range(source->provider->etcd, &request, on_range, call, &call->range);
    return st < 0 ? lw_error_set(err, st, "cannot send a range request to etcd: %s",
                                 lw_status_name(st))
                  : LW_OK;
}
