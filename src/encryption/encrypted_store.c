/* SPDX-License-Identifier: Apache-2.0 */
/* encrypted_store.c -- encrypts what is put and decrypts what is read. */
#include "encryption/encrypted_store.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "encryption/encrypted_store_internal.h"

/* The keys of a resource, by where it is stored. */
typedef struct lw_bound_resource {
    lw_str storage;
    const lw_encryption_keys *keys;
} lw_bound_resource;

static const lw_map_type by_storage = LW_MAP_STR_TYPE(lw_bound_resource, storage);

static lw_encrypted_store *encrypted_of(lw_store *base)
{
    return (lw_encrypted_store *)(void *)base;
}

const lw_encryption_keys *lw_encrypted_store_keys(const lw_encrypted_store *store, lw_str store_key)
{
    static const lw_encryption_keys none;
    lw_str first, second, rest;
    if (!lw_str_starts_with(store_key, lw_str_of(store->key_prefix)))
        return &none;
    lw_str below = lw_str_skip(store_key, strlen(store->key_prefix));
    bool has_more = lw_str_cut(below, '/', &first, &rest);
    (void)lw_str_cut(rest, '/', &second, &rest);
    const lw_bound_resource *bound = lw_map_get_str(&store->by_storage, first);
    if (!bound && has_more)
        bound =
            lw_map_get_str(&store->by_storage, lw_str_make(below.ptr, first.len + 1 + second.len));
    if (bound)
        return bound->keys;
    /* Custom resources are below their group. */
    bool is_custom = has_more && first.len > 0 && memchr(first.ptr, '.', first.len) != NULL;
    return is_custom ? lw_encryption_config_find(store->config, first, second)
                     : lw_encryption_config_find(store->config, LW_STR(""), first);
}

/* A put of an encrypted value: the transaction of the caller, and the one the inner store has. */
typedef struct encrypted_put {
    lw_store_txn inner;
    lw_store_txn *outer;
    lw_buf value;
} encrypted_put;

static void put_free(encrypted_put *put)
{
    lw_buf_done(&put->value);
    lw_free(put);
}

static void put_done(lw_store_txn *txn)
{
    encrypted_put *put = txn->arg;
    lw_store_txn *outer = put->outer;
    outer->st = txn->st;
    outer->revision = txn->revision;
    outer->err = txn->err;
    put_free(put);
    outer->done(outer);
}

static lw_status submit(lw_store *base, lw_store_txn *txn)
{
    lw_encrypted_store *store = encrypted_of(base);
    const lw_encryption_keys *keys =
        txn->op == LW_STORE_PUT ? lw_encrypted_store_keys(store, txn->key) : NULL;
    if (!keys || !lw_encryption_writes(keys))
        return lw_store_submit(store->inner, txn);
    encrypted_put *put = lw_alloc(sizeof(*put));
    if (!put)
        return LW_ERR_NOMEM;
    put->inner = *txn;
    put->outer = txn;
    lw_buf_init(&put->value,
                LW_STORE_VALUE_MAX + LW_ENCRYPTION_PREFIX_MAX + LW_ENCRYPTION_OVERHEAD);
    lw_status st = lw_encryption_seal(keys, txn->key, txn->value, &put->value);
    put->inner.value = lw_buf_view(&put->value);
    put->inner.done = put_done;
    put->inner.arg = put;
    if (st == LW_OK)
        st = lw_store_submit(store->inner, &put->inner);
    if (st < 0)
        put_free(put);
    return st;
}

static void hold(lw_store *base, bool is_held)
{
    lw_store_hold(encrypted_of(base)->inner, is_held);
}

/* A read in progress. */
typedef struct decrypting_read {
    const lw_encrypted_store *store;
    lw_store_record_fn fn;
    void *arg;
    lw_buf scratch;
} decrypting_read;

static lw_status decrypt_record(const lw_store_record *record, void *arg, lw_error *err)
{
    decrypting_read *read = arg;
    lw_store_record shown = *record;
    lw_buf_reset(&read->scratch);
    lw_status st =
        lw_encryption_open(lw_encrypted_store_keys(read->store, record->key), record->key,
                           record->value, &read->scratch, &shown.value, &shown.is_stale, err);
    return st < 0 ? st : read->fn(&shown, read->arg, err);
}

static lw_status range(lw_store *base, const lw_store_range *wanted, lw_store_record_fn fn,
                       void *arg, lw_store_range_result *result, lw_error *err)
{
    lw_encrypted_store *store = encrypted_of(base);
    decrypting_read read = { .store = store, .fn = fn, .arg = arg };
    lw_store_range asked = *wanted;
    asked.has = NULL; /* the checksums are those of the encrypted values */
    lw_buf_init(&read.scratch, LW_STORE_VALUE_MAX + LW_ENCRYPTION_OVERHEAD);
    lw_status st = lw_store_read(store->inner, &asked, decrypt_record, &read, result, err);
    lw_buf_done(&read.scratch);
    return st;
}

static lw_status compact(lw_store *base, uint64_t revision, lw_error *err)
{
    return lw_store_compact(encrypted_of(base)->inner, revision, err);
}

static void revisions(lw_store *base, uint64_t *current, uint64_t *compacted)
{
    lw_store_revisions(encrypted_of(base)->inner, current, compacted);
}

static size_t bytes(lw_store *base)
{
    return lw_store_bytes(encrypted_of(base)->inner);
}

static lw_status confirm(lw_store *base, lw_store_confirmation *confirmation)
{
    return lw_store_confirm(encrypted_of(base)->inner, confirmation);
}

static void store_free(lw_store *base)
{
    lw_encrypted_store *store = encrypted_of(base);
    lw_store_free(store->inner);
    lw_encrypted_watches_free(store);
    lw_encryption_config_free(store->config);
    lw_map_done(&store->by_storage);
    lw_mutex_done(&store->mu);
    lw_free(store->bound);
    lw_free(store->key_prefix);
    lw_free(store);
}

/* Each store has a copy, without what its inner store does not have. */
static void condition(lw_store *base, lw_store_condition *out)
{
    lw_store_check_condition(encrypted_of(base)->inner, out);
}

/* The backup has the values as they are stored: encrypted. */
static lw_status backup(lw_store *base, int fd, const atomic_bool *is_cancelled, lw_error *err)
{
    return lw_store_backup(encrypted_of(base)->inner, fd, is_cancelled, err);
}

static const lw_store_ops all_ops = {
    .submit = submit,
    .hold = hold,
    .range = range,
    .watch = lw_encrypted_watch_open,
    .unwatch = lw_encrypted_watch_close,
    .compact = compact,
    .revisions = revisions,
    .bytes = bytes,
    .confirm = confirm,
    .condition = condition,
    .backup = backup,
    .free = store_free,
};

/* Resolves the keys of the given resources once, since every change looks them up. */
static lw_status bind_resources(lw_encrypted_store *store,
                                const lw_encrypted_store_options *options)
{
    lw_status st = LW_OK;
    store->bound = lw_alloc_zero(options->count + 1, sizeof(*store->bound));
    if (!store->bound)
        return LW_ERR_NOMEM;
    for (size_t i = 0; st == LW_OK && i < options->count; i++) {
        const lw_encrypted_resource *resource = &options->resources[i];
        void *present = NULL;
        store->bound[i] =
            (lw_bound_resource){ resource->storage,
                                 lw_encryption_config_find(options->config, resource->group,
                                                           resource->resource) };
        st = lw_map_add(&store->by_storage, &store->bound[i].storage, &store->bound[i], &present);
    }
    return st;
}

lw_status lw_encrypted_store_new(lw_store **out, const lw_encrypted_store_options *options,
                                 lw_error *err)
{
    lw_encrypted_store *store = lw_alloc_zero(1, sizeof(*store));
    if (!store)
        return lw_error_nomem(err);
    store->ops = all_ops;
    if (!lw_store_is_shared(options->inner))
        store->ops.confirm = NULL;
    if (!options->inner->ops->condition)
        store->ops.condition = NULL;
    if (!options->inner->ops->backup)
        store->ops.backup = NULL;
    store->base.ops = &store->ops;
    lw_mutex_init(&store->mu);
    lw_dlist_init(&store->watches);
    lw_map_init(&store->by_storage, &by_storage, lw_hash_seed_random(), LW_MAP_MAX);
    store->key_prefix = lw_str_dup(options->key_prefix);
    lw_status st = store->key_prefix ? bind_resources(store, options) : LW_ERR_NOMEM;
    if (st < 0) {
        store_free(&store->base);
        return lw_error_nomem(err);
    }
    store->inner = options->inner;
    store->config = options->config;
    *out = &store->base;
    return LW_OK;
}
