/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_cache.c -- finds, makes and forgets documents. */
#include "api/read/openapi_cache.h"

#include "api/media/gzip.h"
#include "base/alloc.h"
#include "base/ref.h"
#include "base/str.h"
#include "schema/openapi/openapi.h"
#include "schema/openapi/openapi_proto.h"

struct lw_openapi_document {
    lw_ref ref;
    lw_dlist_node node; /* in the cache, which holds a reference then */
    lw_openapi_form form;
    char *group, *version; /* copies: the registry may go */
    uint64_t stamp;        /* of what it is written from */
    bool is_plain;
    char etag[LW_REPLY_ETAG_SIZE]; /* of the plain text */
    lw_buf content;                /* compressed, unless is_plain */
};

void lw_openapi_cache_init(lw_openapi_cache *cache, const lw_aggregation *others)
{
    cache->others = others;
    lw_mutex_init(&cache->making);
    lw_mutex_init(&cache->mu);
    lw_dlist_init(&cache->documents);
}

static void forget_locked(lw_openapi_document *document)
{
    lw_dlist_remove(&document->node);
    lw_openapi_document_unref(document);
}

void lw_openapi_cache_done(lw_openapi_cache *cache)
{
    LW_DLIST_FOR_EACH_SAFE(lw_openapi_document, document, &cache->documents, node)
    {
        forget_locked(document);
    }
    lw_mutex_done(&cache->mu);
    lw_mutex_done(&cache->making);
}

void lw_openapi_document_unref(lw_openapi_document *document)
{
    if (!document || !lw_ref_dec(&document->ref))
        return;
    lw_buf_done(&document->content);
    lw_free(document->group);
    lw_free(document->version);
    lw_free(document);
}

const char *lw_openapi_document_etag(const lw_openapi_document *document)
{
    return document->etag;
}

static void release_bytes(void *owner)
{
    lw_openapi_document_unref(owner);
}

lw_bytes lw_openapi_document_bytes(lw_openapi_document *document)
{
    lw_ref_inc(&document->ref);
    return (lw_bytes){ document->content.data, document->content.len, release_bytes, document };
}

/* The kinds that |wanted| is about. */
static lw_kind_span span_of(const lw_registry *registry, const lw_openapi_wanted *wanted)
{
    if (wanted->form == LW_OPENAPI_V3_VERSION)
        return lw_kind_span_of_version(registry, wanted->group, wanted->version);
    return lw_kind_span_all(registry);
}

/* Changes with what the document |wanted| is written from. */
static uint64_t stamp_of(const lw_openapi_cache *cache, const lw_registry *registry,
                         const lw_openapi_wanted *wanted)
{
    const lw_aggregation *others = cache->others;
    uint64_t stamp = lw_openapi_stamp(span_of(registry, wanted));
    bool is_merged = wanted->form <= LW_OPENAPI_V2_PROTO && others->openapi_stamp;
    return is_merged ? stamp ^ others->openapi_stamp(others->arg) : stamp;
}

static lw_openapi_document *find_locked(lw_openapi_cache *cache, const lw_openapi_wanted *wanted)
{
    LW_DLIST_FOR_EACH(lw_openapi_document, document, &cache->documents, node)
    {
        if (document->form == wanted->form && document->is_plain == wanted->is_plain &&
            lw_str_equal(lw_str_of(document->group), wanted->group) &&
            lw_str_equal(lw_str_of(document->version), wanted->version))
            return document;
    }
    return NULL;
}

static lw_status compress(lw_str plain, lw_buf *packed)
{
    lw_gzip *gzip = NULL;
    lw_status st = lw_gzip_new(&gzip);
    if (st == LW_OK)
        st = lw_gzip_feed(gzip, plain, true, packed);
    lw_gzip_free(gzip);
    return st;
}

/* Makes the document of |plain|, whose bytes it may take. */
static lw_status document_new(const lw_openapi_wanted *wanted, uint64_t stamp, lw_buf *plain,
                              lw_openapi_document **out)
{
    lw_openapi_document *document = lw_alloc_zero(1, sizeof(*document));
    if (!document)
        return LW_ERR_NOMEM;
    lw_ref_init(&document->ref);
    lw_buf_init(&document->content, LW_OPENAPI_DOCUMENT_MAX);
    document->form = wanted->form;
    document->is_plain = wanted->is_plain;
    document->stamp = stamp;
    document->group = lw_str_dup(wanted->group);
    document->version = lw_str_dup(wanted->version);
    lw_reply_etag(lw_buf_view(plain), document->etag);
    lw_status st = document->group && document->version ? LW_OK : LW_ERR_NOMEM;
    if (st == LW_OK && !wanted->is_plain)
        st = compress(lw_buf_view(plain), &document->content);
    if (st < 0) {
        lw_openapi_document_unref(document);
        return st;
    }
    if (wanted->is_plain) {
        document->content = *plain;
        lw_buf_init(plain, LW_OPENAPI_DOCUMENT_MAX);
    }
    *out = document;
    return LW_OK;
}

static bool is_replaced(const lw_openapi_document *old, const lw_openapi_document *document)
{
    return old->form == document->form && old->is_plain == document->is_plain &&
           lw_str_equal(lw_str_of(old->group), lw_str_of(document->group)) &&
           lw_str_equal(lw_str_of(old->version), lw_str_of(document->version));
}

/* Takes the place of what was there, and of versions that are served no more. */
static void keep(lw_openapi_cache *cache, const lw_registry *registry,
                 lw_openapi_document *document)
{
    lw_mutex_lock(&cache->mu);
    LW_DLIST_FOR_EACH_SAFE(lw_openapi_document, old, &cache->documents, node)
    {
        const lw_openapi_wanted it = { old->form, lw_str_of(old->group), lw_str_of(old->version),
                                       old->is_plain };
        if (is_replaced(old, document) || span_of(registry, &it).count == 0)
            forget_locked(old);
    }
    lw_ref_inc(&document->ref);
    lw_dlist_push_back(&cache->documents, &document->node);
    lw_mutex_unlock(&cache->mu);
}

static lw_status append_v2(const lw_aggregation *others, const lw_registry *registry, bool is_proto,
                           lw_buf *out)
{
    lw_buf json, *written = is_proto ? &json : out;
    lw_json_writer w;
    lw_buf_init(&json, LW_OPENAPI_DOCUMENT_MAX);
    lw_json_writer_init(&w, written, LW_JSON_COMPACT);
    lw_openapi_v2(registry, &w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK && others->merge)
        st = others->merge(others->arg, LW_AGGREGATED_OPENAPI_2, LW_STR(""), written);
    if (st == LW_OK && is_proto)
        st = lw_openapi_append_proto(lw_buf_view(&json), out);
    lw_buf_done(&json);
    return st;
}

static lw_status get_making(lw_openapi_cache *cache, const lw_registry *registry,
                            const lw_openapi_wanted *wanted, lw_openapi_document **out);

/* The hash of a document as the index shows it: its ETag without the quotes. */
static lw_str hash_of(const lw_openapi_document *document)
{
    return lw_str_make(document->etag + 1, LW_REPLY_ETAG_SIZE - 3);
}

static lw_status append_index(lw_openapi_cache *cache, const lw_registry *registry, lw_buf *out)
{
    lw_json_writer w;
    lw_kind_span rest = lw_kind_span_all(registry), group, version;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_openapi_index_begin(&w);
    while (lw_kind_span_next_group(&rest, &group)) {
        while (lw_kind_span_next_version(&group, &version)) {
            const lw_kind *kind = version.kinds[0];
            const lw_openapi_wanted wanted = { LW_OPENAPI_V3_VERSION, kind->group, kind->version,
                                               false };
            lw_openapi_document *document = NULL;
            lw_status st = get_making(cache, registry, &wanted, &document);
            if (st < 0)
                return st;
            lw_openapi_index_add(version, hash_of(document), &w);
            lw_openapi_document_unref(document);
        }
    }
    lw_openapi_index_end(&w);
    return lw_json_writer_status(&w);
}

static lw_status append_text(lw_openapi_cache *cache, const lw_registry *registry,
                             const lw_openapi_wanted *wanted, lw_buf *out)
{
    lw_json_writer w;
    switch (wanted->form) {
    case LW_OPENAPI_V2_JSON:
    case LW_OPENAPI_V2_PROTO:
        return append_v2(cache->others, registry, wanted->form == LW_OPENAPI_V2_PROTO, out);
    case LW_OPENAPI_V3_INDEX: return append_index(cache, registry, out);
    case LW_OPENAPI_V3_VERSION: break;
    }
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_openapi_v3(span_of(registry, wanted), &w);
    return lw_json_writer_status(&w);
}

/* Finds the document of this |stamp|, to unref; NULL: it must be made. */
static lw_openapi_document *find_ref(lw_openapi_cache *cache, const lw_openapi_wanted *wanted,
                                     uint64_t stamp)
{
    lw_mutex_lock(&cache->mu);
    lw_openapi_document *document = find_locked(cache, wanted);
    if (document && document->stamp != stamp)
        document = NULL;
    if (document)
        lw_ref_inc(&document->ref);
    lw_mutex_unlock(&cache->mu);
    return document;
}

/* The caller holds cache->making. */
static lw_status get_making(lw_openapi_cache *cache, const lw_registry *registry,
                            const lw_openapi_wanted *wanted, lw_openapi_document **out)
{
    lw_kind_span span = span_of(registry, wanted);
    uint64_t stamp = stamp_of(cache, registry, wanted);
    *out = find_ref(cache, wanted, stamp);
    if (*out)
        return LW_OK;
    if (span.count == 0)
        return LW_ERR_NOT_FOUND;
    lw_buf plain;
    lw_buf_init(&plain, LW_OPENAPI_DOCUMENT_MAX);
    lw_status st = append_text(cache, registry, wanted, &plain);
    if (st == LW_OK)
        st = document_new(wanted, stamp, &plain, out);
    lw_buf_done(&plain);
    if (st == LW_OK)
        keep(cache, registry, *out);
    return st;
}

lw_status lw_openapi_cache_get_ref(lw_openapi_cache *cache, const lw_registry *registry,
                                   const lw_openapi_wanted *wanted, lw_openapi_document **out)
{
    *out = find_ref(cache, wanted, stamp_of(cache, registry, wanted));
    if (*out)
        return LW_OK;
    lw_mutex_lock(&cache->making);
    lw_status st = get_making(cache, registry, wanted, out);
    lw_mutex_unlock(&cache->making);
    return st;
}

bool lw_openapi_cache_has(lw_openapi_cache *cache, const lw_registry *registry,
                          const lw_openapi_wanted *wanted)
{
    lw_kind_span span = span_of(registry, wanted);
    lw_openapi_document *document = find_ref(cache, wanted, stamp_of(cache, registry, wanted));
    lw_openapi_document_unref(document);
    return document != NULL || span.count == 0;
}
