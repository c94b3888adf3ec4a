/* SPDX-License-Identifier: Apache-2.0 */
/* load_batch.c -- see load_batch.h. */
#include "cache/load_batch.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cache/apply.h"
#include "cache/resource.h"
#include "cache/state.h"

lw_status lw_load_maker_init(lw_load_maker *maker, lw_error *err)
{
    *maker = (lw_load_maker){ .packing = { .compact = NULL } };
    return lw_value_parser_init(&maker->parser, err);
}

void lw_load_maker_done(lw_load_maker *maker)
{
    lw_value_parser_done(&maker->parser);
    lw_packing_list_done(&maker->packing);
}

lw_load_batch *lw_load_batch_new(void)
{
    lw_load_batch *batch = lw_alloc_zero(1, sizeof(*batch));
    if (batch)
        lw_buf_init(&batch->text, SIZE_MAX / 2);
    return batch;
}

void lw_load_batch_empty(lw_load_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (i < batch->made || batch->entries[i].is_saved)
            lw_object_unref(batch->entries[i].kept);
        if (i < batch->made)
            lw_object_unref(batch->entries[i].opened);
    }
    batch->count = batch->made = batch->saved_bytes = 0;
    lw_buf_reset(&batch->text);
}

void lw_load_batch_free(lw_load_batch *batch)
{
    if (!batch)
        return;
    lw_load_batch_empty(batch);
    lw_buf_done(&batch->text);
    lw_free(batch);
}

lw_status lw_load_batch_add(lw_load_batch *batch, const lw_store_record *record, lw_error *err)
{
    assert(!lw_load_batch_is_full(batch));
    lw_buf_append_str(&batch->text, record->key);
    lw_buf_append_str(&batch->text, record->value);
    if (batch->text.st < 0)
        return lw_error_nomem(err);
    batch->entries[batch->count].key_len = record->key.len;
    batch->entries[batch->count].value_len = record->value.len;
    batch->entries[batch->count].revision = record->mod_revision;
    batch->entries[batch->count].is_stale = record->is_stale;
    batch->entries[batch->count].is_saved = false;
    batch->count++;
    return LW_OK;
}

lw_status lw_load_batch_add_saved_take(lw_load_batch *batch, lw_str key, lw_object *obj,
                                       lw_error *err)
{
    const lw_store_record record = { .key = key };
    lw_status st = lw_load_batch_add(batch, &record, err);
    if (st < 0) {
        lw_object_unref(obj);
        return st;
    }
    batch->entries[batch->count - 1].is_saved = true;
    batch->entries[batch->count - 1].kept = obj;
    batch->saved_bytes += lw_cache_object_open_bytes(obj);
    return LW_OK;
}

bool lw_load_batch_is_full(const lw_load_batch *batch)
{
    return batch->count == LW_LOAD_BATCH || batch->text.len >= LW_LOAD_BATCH_BYTES;
}

/* Makes the object number |i|, whose record is |record|. */
static lw_status make_one(lw_load_batch *batch, size_t i, lw_load_maker *maker,
                          const lw_cache_resource *resource, const lw_store_record *record)
{
    lw_object *obj = NULL;
    lw_status st = lw_value_parse(&maker->parser, record, &obj, &batch->failure);
    if (st < 0)
        return st;
    batch->entries[i].kept = lw_packing_list_take(&maker->packing, resource, obj);
    batch->entries[i].opened = resource->observer.put ? lw_object_ref(obj) : NULL;
    lw_value_parser_unref(&maker->parser, obj);
    return LW_OK;
}

/* Packs the object number |i|, which was saved, unless it is: a cache packs it in any case. */
static lw_status make_saved(lw_load_batch *batch, size_t i, lw_load_maker *maker,
                            const lw_cache_resource *resource)
{
    lw_object *saved = batch->entries[i].kept;
    if (lw_compact_is_packed(saved)) {
        maker->packing.bytes += lw_cache_object_open_bytes(saved);
    } else {
        batch->entries[i].kept = lw_packing_list_take(&maker->packing, resource, saved);
        lw_object_unref(saved);
    }
    batch->entries[i].opened = NULL;
    if (!resource->observer.put)
        return LW_OK;
    batch->entries[i].opened = lw_compact_open_ref(batch->entries[i].kept);
    return batch->entries[i].opened ? LW_OK : lw_error_nomem(&batch->failure);
}

void lw_load_batch_make(lw_load_batch *batch, lw_load_maker *maker,
                        const lw_cache_resource *resource)
{
    lw_str text = lw_buf_view(&batch->text);
    batch->failure = (lw_error)LW_ERROR_INIT;
    maker->packing.bytes = batch->bytes_before;
    for (size_t i = 0; i < batch->count; i++) {
        lw_store_record record = { .mod_revision = batch->entries[i].revision,
                                   .is_stale = batch->entries[i].is_stale };
        record.key = lw_str_make(text.ptr, batch->entries[i].key_len);
        text = lw_str_skip(text, record.key.len);
        record.value = lw_str_make(text.ptr, batch->entries[i].value_len);
        text = lw_str_skip(text, record.value.len);
        lw_status st = batch->entries[i].is_saved ? make_saved(batch, i, maker, resource)
                                                  : make_one(batch, i, maker, resource, &record);
        if (st < 0)
            return;
        batch->made++;
    }
}

static lw_status put_all_locked(lw_load_batch *batch, lw_cache_resource *resource, lw_error *err)
{
    lw_str text = lw_buf_view(&batch->text);
    bool has_packed = false;
    for (size_t i = 0; i < batch->made; i++) {
        lw_str key = lw_str_make(text.ptr, batch->entries[i].key_len);
        lw_status st = lw_resource_put_loaded(resource, lw_str_skip(key, resource->prefix.len),
                                              batch->entries[i].kept, batch->entries[i].opened);
        if (st < 0)
            return lw_apply_error(err, st, key);
        has_packed = has_packed || lw_compact_is_packed(batch->entries[i].kept);
        text = lw_str_skip(text, key.len + batch->entries[i].value_len);
    }
    if (has_packed)
        lw_cache_packing_expect_locked(resource); /* for those before it was wanted */
    return LW_OK;
}

lw_status lw_load_batch_put(lw_load_batch *batch, lw_cache_resource *resource, lw_error *err)
{
    lw_cache *cache = resource->cache;
    lw_mutex_lock(&cache->apply_mu);
    lw_status st = put_all_locked(batch, resource, err);
    lw_mutex_unlock(&cache->apply_mu);
    if (st == LW_OK && batch->made < batch->count) {
        st = batch->failure.code;
        if (err)
            *err = batch->failure;
    }
    lw_load_batch_empty(batch);
    return st;
}
