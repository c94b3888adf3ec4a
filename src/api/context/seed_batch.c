/* SPDX-License-Identifier: Apache-2.0 */
/* seed_batch.c -- stores objects of the server's own at start. */
#include "api/context/seed_batch.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/uuid.h"
#include "json/fields.h"
#include "json/writer.h"

typedef struct item {
    lw_dlist_node link; /* in batch->items */
    lw_seed_batch *batch;
    lw_store_txn txn;
    lw_buf key, value;
} item;

lw_status lw_seed_batch_init(lw_seed_batch *batch, lw_api *api, lw_error *err)
{
    *batch = (lw_seed_batch){ .api = api };
    lw_dlist_init(&batch->items);
    lw_mutex_init(&batch->mu);
    lw_cond_init(&batch->over);
    lw_random_init_from_os(&batch->random);
    lw_status st = lw_time_format(batch->created, lw_time_of_ns(lw_clock_wall(api->clock)));
    return st < 0 ? lw_error_set(err, st, "the system clock shows an invalid date") : LW_OK;
}

void lw_seed_batch_done(lw_seed_batch *batch)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&batch->items));) {
        item *it = LW_DLIST_ITEM(node, item, link);
        lw_buf_done(&it->key);
        lw_buf_done(&it->value);
        lw_free(it);
    }
    lw_cond_done(&batch->over);
    lw_mutex_done(&batch->mu);
}

lw_status lw_seed_batch_update(lw_seed_batch *batch, const lw_kind *kind, lw_key key,
                               const lw_node *root, uint64_t expected)
{
    lw_json_writer w;
    item *it = lw_alloc_zero(1, sizeof(*it));
    if (!it)
        return LW_ERR_NOMEM;
    lw_buf_init(&it->key, LW_STORE_KEY_MAX);
    lw_buf_init(&it->value, LW_STORE_VALUE_MAX);
    it->batch = batch;
    lw_dlist_push_back(&batch->items, &it->link);
    lw_api_append_key(batch->api, kind, key, &it->key);
    lw_json_writer_init(&w, &it->value, LW_JSON_COMPACT);
    lw_node_write(root, &w);
    it->txn = (lw_store_txn){ .op = LW_STORE_PUT,
                              .key = lw_buf_view(&it->key),
                              .value = lw_buf_view(&it->value),
                              .expected = expected,
                              .err = LW_ERROR_INIT };
    return it->key.st < 0 ? it->key.st : it->value.st;
}

/* Moves a member to the end. */
static void move_last(lw_tree *tree, lw_node *object, lw_str key)
{
    lw_node *value = lw_node_get(object, key);
    if (value && lw_node_remove(object, key))
        lw_node_put(tree, object, key, value);
}

lw_status lw_seed_batch_create(lw_seed_batch *batch, const lw_kind *kind, lw_key key, lw_tree *tree,
                               lw_node *root)
{
    char uid[LW_UUID_SIZE];
    lw_node *metadata = lw_fields_object(tree, root, "metadata");
    lw_uuid_format(uid, &batch->random);
    lw_fields_set_text(tree, metadata, "name", key.name);
    if (key.ns.len > 0)
        lw_fields_set_text(tree, metadata, "namespace", key.ns);
    lw_fields_set_text(tree, metadata, "uid", lw_str_of(uid));
    lw_fields_set_text(tree, metadata, "resourceVersion", LW_STR("")); /* keeps the place */
    move_last(tree, metadata, LW_STR("generation"));
    lw_fields_set_text(tree, metadata, "creationTimestamp", lw_str_of(batch->created));
    move_last(tree, metadata, LW_STR("labels")); /* as kube-apiserver shows them */
    move_last(tree, metadata, LW_STR("annotations"));
    move_last(tree, metadata, LW_STR("managedFields"));
    lw_status st = lw_tree_status(tree);
    return st < 0 ? st : lw_seed_batch_update(batch, kind, key, root, 0);
}

/* On the store's thread. */
static void item_done(lw_store_txn *txn)
{
    lw_seed_batch *batch = txn->arg;
    lw_mutex_lock(&batch->mu);
    if (--batch->left == 0)
        lw_cond_signal(&batch->over);
    lw_mutex_unlock(&batch->mu);
}

static void submit(lw_seed_batch *batch, item *it)
{
    it->txn.done = item_done;
    it->txn.arg = batch;
    lw_mutex_lock(&batch->mu);
    batch->left++;
    lw_mutex_unlock(&batch->mu);
    lw_status st = lw_store_submit(batch->api->store, &it->txn);
    if (st == LW_OK)
        return;
    it->txn.st = st; /* it will not be done */
    lw_mutex_lock(&batch->mu);
    batch->left--;
    lw_mutex_unlock(&batch->mu);
}

lw_status lw_seed_batch_commit(lw_seed_batch *batch, lw_error *err)
{
    lw_store_hold(batch->api->store, true);
    LW_DLIST_FOR_EACH(item, it, &batch->items, link)
    submit(batch, it);
    lw_store_hold(batch->api->store, false);
    lw_mutex_lock(&batch->mu);
    while (batch->left > 0)
        lw_cond_wait(&batch->over, &batch->mu);
    lw_mutex_unlock(&batch->mu);
    LW_DLIST_FOR_EACH(item, done, &batch->items, link)
    {
        lw_status st = done->txn.st;
        if (st < 0 && st != LW_ERR_CONFLICT)
            return lw_error_set(err, st, "cannot store %.*s: %s", LW_STR_ARG(done->txn.key),
                                done->txn.err.message[0] ? done->txn.err.message
                                                         : lw_status_name(st));
    }
    return LW_OK;
}
