/* SPDX-License-Identifier: Apache-2.0 */
/* purge.c -- portions of objects, and the last write of their holder. */
#include "api/write/purge.h"

#include "base/str.h"

void lw_purge_portion_init(lw_purge_portion *portion)
{
    *portion = (lw_purge_portion){ .has_more = false };
    lw_buf_init(&portion->start, LW_STORE_KEY_MAX);
}

void lw_purge_portion_done(lw_purge_portion *portion)
{
    lw_cache_list_done(&portion->list);
    lw_buf_done(&portion->start);
}

void lw_purge_portion_rewind(lw_purge_portion *portion)
{
    lw_buf_reset(&portion->start);
}

void lw_purge_portion_drop(lw_purge_portion *portion)
{
    lw_cache_list_done(&portion->list);
    portion->list = (lw_cache_list){ 0 };
}

lw_status lw_purge_portion_list(lw_purge_portion *portion, lw_cache_resource *resource, lw_str ns,
                                size_t limit)
{
    const lw_cache_filter filter = { .ns = ns };
    lw_purge_portion_drop(portion);
    return lw_cache_list_now(resource, &filter, lw_buf_view(&portion->start), limit, &portion->list,
                             NULL);
}

/* The next portion begins just behind the last object of this one. */
static void note_start(lw_purge_portion *portion)
{
    lw_buf_reset(&portion->start);
    portion->has_more = portion->list.has_more;
    if (!portion->has_more)
        return;
    lw_key last = lw_object_key(portion->list.objects[portion->list.count - 1]);
    if (last.ns.len > 0) {
        lw_buf_append_str(&portion->start, last.ns);
        lw_buf_append_char(&portion->start, '/');
    }
    lw_buf_append_str(&portion->start, last.name);
    lw_buf_append_char(&portion->start, '\0');
}

lw_status lw_purge_portion_delete(lw_purge_portion *portion, lw_api_port *port, const lw_kind *kind,
                                  const lw_user *user, lw_propagation propagation,
                                  void (*done)(lw_mass_delete *mass))
{
    note_start(portion);
    if (portion->start.st < 0)
        return portion->start.st;
    portion->mass = (lw_mass_delete){ .port = port,
                                      .kind = kind,
                                      .user = user,
                                      .options = { .has_grace = true, .propagation = propagation },
                                      .objects = portion->list.objects,
                                      .count = portion->list.count,
                                      .done = done };
    lw_mass_delete_start(&portion->mass);
    return LW_OK;
}

lw_write_decision lw_purge_decide_last(lw_write *write,
                                       bool (*edit)(lw_pending_object *pending, void *arg),
                                       void *arg)
{
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    lw_str text;
    if (!write->current || lw_object_raw(write->current, "/metadata/deletionTimestamp", &text) < 0)
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_pending_object_open_on(&pending, write->port, write->kind, NULL,
                                       lw_tree_root(stored), lw_tree_root(stored));
    lw_write_decision decision = LW_WRITE_DELETE;
    if (st == LW_OK && !edit(&pending, arg)) {
        lw_pending_object_seal(&pending);
        st = lw_pending_object_take(&pending, true, &write->next);
        decision = lw_pending_object_is_unchanged(&pending) ? LW_WRITE_KEEP : LW_WRITE_PUT;
    }
    lw_pending_object_done(&pending);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : decision;
}
