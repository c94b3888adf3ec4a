/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_range.c -- reads ranges page by page: the caller waits while the store's thread sends the
 * requests.
 *
 * A page is copied out of etcd's reply and passed on by the caller's own thread, so that a slow
 * reader blocks nobody.  The number of keys per page is chosen so that a page has about PAGE_BYTES,
 * judging by the previous page. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/etcd_internal.h"

enum {
    PAGE_FIRST = 256, /* keys */
    PAGE_LEAST = 16,
    PAGE_MOST = 10000,
    PAGE_BYTES = 4 << 20,
};

/* A record in a page; its key and value follow. */
typedef struct page_record {
    uint64_t create_revision, mod_revision;
    size_t key_len, value_len;
} page_record;

typedef struct range_job {
    lw_etcd_job job;
    lw_etcd_range_request request;
    lw_buf page; /* a sequence of page_record, key, value */
    lw_buf next; /* the first key of the next page */
    size_t count;
    bool has_more;
    uint64_t revision, total;
    lw_error err; /* code LW_OK: success */
} range_job;

static void copy_page(range_job *own, const lw_etcd_range_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        const lw_etcd_kv *kv = &answer->kvs[i];
        const page_record record = { kv->create_revision, kv->mod_revision, kv->key.len,
                                     kv->value.len };
        lw_buf_append(&own->page, &record, sizeof(record));
        lw_buf_append_str(&own->page, kv->key);
        lw_buf_append_str(&own->page, kv->value);
    }
    own->count = answer->count;
    own->has_more = answer->has_more;
    own->total = answer->total;
    own->revision = answer->base.revision;
    if (own->page.st < 0)
        (void)lw_error_nomem(&own->err);
}

static void page_answered(const lw_etcd_range_answer *answer, void *arg)
{
    range_job *own = arg;
    if (answer->base.err)
        own->err = *answer->base.err;
    else
        copy_page(own, answer);
    lw_etcd_job_end(&own->job);
}

static void ask_page(lw_etcd_job *job)
{
    range_job *own = (range_job *)(void *)job;
    lw_status st = lw_etcd_range(job->store->etcd, &own->request, page_answered, own, NULL);
    if (st == LW_OK)
        return;
    (void)lw_error_set(&own->err, st, "cannot send the request to etcd: %s", lw_status_name(st));
    lw_etcd_job_end(job);
}

/* Reads one page into own->page. */
static lw_status read_page(lw_etcd_store *store, range_job *own, lw_error *err)
{
    lw_buf_reset(&own->page);
    own->count = 0;
    own->err = (lw_error)LW_ERROR_INIT;
    lw_etcd_job_run(store, &own->job, ask_page);
    if (own->err.code == LW_OK)
        return LW_OK;
    if (own->err.code == LW_ERR_EXPIRED)
        lw_etcd_probe_compacted(store); /* so that the next read knows the compacted revision */
    return lw_error_set(err, own->err.code, "%s", own->err.message);
}

/* Passes the page to |fn|.  Sets |*last| to the key of its last record, a view into the page. */
static lw_status walk_page(const range_job *own, lw_store_record_fn fn, void *arg, lw_str *last,
                           lw_error *err)
{
    lw_status st = LW_OK;
    const char *at = own->page.data;
    for (size_t i = 0; i < own->count && st == LW_OK; i++) {
        page_record head;
        memcpy(&head, at, sizeof(head));
        at += sizeof(head);
        const lw_store_record record = { .key = { at, head.key_len },
                                         .value = { at + head.key_len, head.value_len },
                                         .create_revision = head.create_revision,
                                         .mod_revision = head.mod_revision };
        at += head.key_len + head.value_len;
        *last = record.key;
        if (record.key.len <= LW_STORE_KEY_MAX) /* otherwise it is not one of our objects */
            st = fn(&record, arg, err);
    }
    return st;
}

static size_t next_limit(const range_job *own)
{
    size_t each = own->count > 0 ? own->page.len / own->count + 1 : 1;
    size_t limit = PAGE_BYTES / each;
    return limit < PAGE_LEAST ? PAGE_LEAST : limit > PAGE_MOST ? PAGE_MOST : limit;
}

/* Sets the request to the part of |range| below the server's prefix.  False: there is none, and the
 * request only gets the revision. */
static bool set_bounds(const lw_etcd_store *store, const lw_store_range *range,
                       lw_etcd_range_request *request)
{
    lw_str start = lw_str_compare(range->start, store->prefix) > 0 ? range->start : store->prefix;
    lw_str end = range->end;
    /* "\0" is the smallest possible key; as an end, etcd reads it as "no end". */
    if (start.len == 0)
        start = LW_STR("\0");
    if (store->prefix_end.len > 0 && (end.len == 0 || lw_str_compare(store->prefix_end, end) < 0))
        end = store->prefix_end;
    request->revision = range->revision;
    if (end.len > 0 && lw_str_compare(start, end) >= 0) {
        request->key = LW_STR(LW_STORE_ETCD_COMPACT_KEY);
        request->is_count_only = true;
        return false;
    }
    request->key = start;
    request->end = end.len > 0 ? end : LW_STR("\0");
    return true;
}

/* Sets the start of the next page to the smallest possible key after |last|. */
static lw_status set_next(range_job *own, lw_str last, lw_error *err)
{
    lw_buf_reset(&own->next);
    lw_buf_append_str(&own->next, last);
    lw_buf_append_char(&own->next, '\0');
    own->request.key = lw_buf_view(&own->next);
    return own->next.st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status read_pages(lw_etcd_store *store, const lw_store_range *range, range_job *own,
                            lw_store_record_fn fn, void *arg, lw_store_range_result *result,
                            lw_error *err)
{
    size_t reported = 0, page_limit = PAGE_FIRST;
    uint64_t total = 0;
    for (bool is_first = true;; is_first = false) {
        size_t room = range->limit > 0 ? range->limit - reported : page_limit;
        own->request.limit = room < page_limit ? room : page_limit;
        lw_status st = read_page(store, own, err);
        if (st < 0)
            return st;
        if (is_first) {
            total = own->total;
            if (range->revision == 0)
                own->request.revision = own->revision;
        }
        lw_str last = LW_STR("");
        st = walk_page(own, fn, arg, &last, err);
        if (st < 0)
            return st;
        reported += own->count;
        bool is_full = range->limit > 0 && reported == range->limit;
        if (!own->has_more || own->count == 0 || is_full)
            break;
        page_limit = next_limit(own);
        st = set_next(own, last, err);
        if (st < 0)
            return st;
    }
    *result =
        (lw_store_range_result){ .revision = own->request.revision, .has_more = own->has_more };
    if (range->is_counting && own->has_more)
        result->remaining = (size_t)total - reported;
    return LW_OK;
}

lw_status lw_etcd_store_range(lw_store *base, const lw_store_range *range, lw_store_record_fn fn,
                              void *arg, lw_store_range_result *result, lw_error *err)
{
    lw_etcd_store *store = lw_etcd_store_of(base);
    range_job own = { .err = LW_ERROR_INIT };
    if (range->revision > INT64_MAX)
        return lw_error_set(err, LW_ERR_TOO_LARGE_RV, "the revision is too large");
    lw_buf_init(&own.page, LW_ETCD_MESSAGE_MAX);
    lw_buf_init(&own.next, LW_ETCD_MESSAGE_MAX);
    lw_status st;
    if (set_bounds(store, range, &own.request)) {
        st = read_pages(store, range, &own, fn, arg, result, err);
    } else {
        st = read_page(store, &own, err);
        if (st == LW_OK)
            *result = (lw_store_range_result){ .revision = range->revision > 0 ? range->revision
                                                                               : own.revision };
    }
    lw_buf_done(&own.page);
    lw_buf_done(&own.next);
    return st;
}
