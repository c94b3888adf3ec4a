/* SPDX-License-Identifier: Apache-2.0 */
/* store_window.c -- writes many changes to a store. */
#include "server/offline/store_window.h"

#include "base/alloc.h"
#include "base/error.h"

lw_store_window *lw_store_window_new(lw_store *store)
{
    lw_store_window *window = lw_alloc_zero(1, sizeof(*window));
    if (!window)
        return NULL;
    window->store = store;
    lw_mutex_init(&window->mu);
    lw_cond_init(&window->changed);
    for (size_t i = 0; i < LW_STORE_WINDOW_MAX; i++) {
        lw_buf_init(&window->items[i].key, LW_STORE_KEY_MAX);
        lw_buf_init(&window->items[i].value, LW_STORE_VALUE_MAX);
    }
    return window;
}

void lw_store_window_free(lw_store_window *window)
{
    if (!window)
        return;
    for (size_t i = 0; i < LW_STORE_WINDOW_MAX; i++) {
        lw_buf_done(&window->items[i].key);
        lw_buf_done(&window->items[i].value);
    }
    lw_cond_done(&window->changed);
    lw_mutex_done(&window->mu);
    lw_free(window);
}

bool lw_store_window_is_full(const lw_store_window *window)
{
    return window->count == LW_STORE_WINDOW_MAX || window->bytes >= LW_STORE_WINDOW_BYTES;
}

lw_store_window_item *lw_store_window_next(lw_store_window *window)
{
    lw_store_window_item *item = &window->items[window->count];
    lw_buf_reset(&item->key);
    lw_buf_reset(&item->value);
    return item;
}

/* Runs on the store's thread. */
static void item_done(lw_store_txn *txn)
{
    lw_store_window *window = txn->arg;
    lw_mutex_lock(&window->mu);
    if (--window->open == 0)
        lw_cond_signal(&window->changed);
    lw_mutex_unlock(&window->mu);
}

void lw_store_window_add(lw_store_window *window, lw_store_op op, uint64_t expected)
{
    lw_store_window_item *item = &window->items[window->count++];
    item->txn = (lw_store_txn){ .op = op,
                                .key = lw_buf_view(&item->key),
                                .value = lw_buf_view(&item->value),
                                .expected = expected,
                                .done = item_done,
                                .arg = window };
    window->bytes += item->key.len + item->value.len;
}

static void submit_all(lw_store_window *window)
{
    for (size_t i = 0; i < window->count; i++) {
        lw_store_txn *txn = &window->items[i].txn;
        lw_mutex_lock(&window->mu);
        window->open++;
        lw_mutex_unlock(&window->mu);
        lw_status st = lw_store_submit(window->store, txn);
        if (st == LW_OK)
            continue;
        txn->st = lw_error_set(&txn->err, st, "cannot write %.*s: %s", (int)txn->key.len,
                               txn->key.ptr, lw_status_name(st));
        item_done(txn);
    }
}

lw_status lw_store_window_commit(lw_store_window *window,
                                 lw_status (*on_done)(lw_store_window_item *item, void *arg,
                                                      lw_error *err),
                                 void *arg, lw_error *err)
{
    submit_all(window);
    lw_mutex_lock(&window->mu);
    while (window->open > 0)
        lw_cond_wait(&window->changed, &window->mu);
    lw_mutex_unlock(&window->mu);
    lw_status st = LW_OK;
    for (size_t i = 0; i < window->count && st == LW_OK; i++)
        st = on_done(&window->items[i], arg, err);
    window->count = 0;
    window->bytes = 0;
    return st;
}
