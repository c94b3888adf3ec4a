/* SPDX-License-Identifier: Apache-2.0 */
/* crd_purge.c -- the passes over the objects of a definition.
 *
 *     a portion at a time ──▶ none left? ──▶ finalizer off, definition gone
 *                                └─ no: over; somebody will start anew */
#include "api/crd/crd_purge.h"

#include "api/context/cache_lookup.h"
#include "api/context/definitions.h"
#include "api/pending/metadata.h"
#include "api/pending/pending_object.h"
#include "api/write/mass_delete.h"
#include "base/alloc.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    PORTION = 256, /* objects listed at once */
};

typedef struct purge {
    lw_mass_delete mass; /* first */
    lw_write last;       /* of the definition itself */
    lw_api_port *port;
    lw_definition *definition; /* held */
    lw_buf start;              /* key of the next portion */
    lw_cache_list list;        /* the portion at hand */
    bool has_more;
    bool is_starting; /* the portion is being started by purge_next, which goes on by itself */
    bool is_over;     /* the portion is done already */
} purge;

static void purge_next(purge *p);

static void purge_free(purge *p)
{
    lw_cache_list_done(&p->list);
    lw_buf_done(&p->start);
    lw_definition_unref(p->definition);
    lw_free(p);
}

/* Takes the server's own finalizer off a definition without objects. */
static void drop_own_finalizer(const lw_pending_object *pending)
{
    lw_node *finalizers = lw_node_get(pending->metadata, LW_STR("finalizers"));
    for (size_t i = lw_node_count(finalizers); i-- > 0;) {
        if (lw_str_equal(lw_node_text(lw_node_at(finalizers, i)), LW_STR(LW_CRD_FINALIZER)))
            lw_node_remove_at(finalizers, i);
    }
}

static lw_write_decision last_decide(lw_write *write)
{
    const purge *p = LW_CONTAINER_OF(write, purge, last);
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    lw_str text;
    if (!write->current ||
        lw_object_raw(write->current, "/metadata/deletionTimestamp", &text) < 0 ||
        !lw_str_equal(lw_str_of(lw_object_uid(write->current)), lw_definition_uid(p->definition)))
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_pending_object_open_on(&pending, write->port, write->kind, lw_tree_root(stored),
                                       lw_tree_root(stored));
    lw_write_decision decision = LW_WRITE_DELETE;
    if (st == LW_OK) {
        drop_own_finalizer(&pending);
        if (!lw_metadata_is_released(&pending)) {
            lw_pending_object_seal(&pending);
            st = lw_pending_object_take(&pending, true, &write->next);
            decision = lw_pending_object_is_unchanged(&pending) ? LW_WRITE_KEEP : LW_WRITE_PUT;
        }
    }
    lw_pending_object_done(&pending);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

static void last_done(lw_write *write)
{
    purge *p = LW_CONTAINER_OF(write, purge, last);
    lw_write_release(write);
    purge_free(p);
}

static void let_go(purge *p)
{
    p->last.port = p->port;
    p->last.kind = &lw_kind_customresourcedefinitions;
    p->last.key = (lw_key){ LW_STR(""), lw_definition_name(p->definition) };
    p->last.decide = last_decide;
    p->last.done = last_done;
    lw_write_start(&p->last);
}

/* Lists from the start of the next portion on.  False: it cannot be said what there is. */
static bool list_portion(purge *p)
{
    const lw_cache_filter all = { .ns = LW_STR("") };
    lw_cache_resource *resource = lw_definition_serving(p->definition);
    lw_cache_list_done(&p->list);
    p->list = (lw_cache_list){ 0 };
    return !resource || lw_cache_list_now(resource, &all, lw_buf_view(&p->start), PORTION, &p->list,
                                          NULL) == LW_OK;
}

/* Remembers where the next portion begins: just behind the last object of this one. */
static void note_start(purge *p)
{
    const lw_object *last = p->list.objects[p->list.count - 1];
    lw_key key = lw_object_key(last);
    lw_buf_reset(&p->start);
    p->has_more = p->list.has_more;
    if (lw_definition_is_namespaced(p->definition)) {
        lw_buf_append_str(&p->start, key.ns);
        lw_buf_append_char(&p->start, '/');
    }
    lw_buf_append_str(&p->start, key.name);
    lw_buf_append_char(&p->start, '\0');
}

static void portion_done(lw_mass_delete *mass)
{
    purge *p = (purge *)(void *)mass;
    if (mass->has_failed)
        lw_api_status_done(&mass->failure);
    p->is_over = true;
    if (!p->is_starting)
        purge_next(p);
}

/* Starts to delete the portion at hand; true when that is over already. */
static bool delete_portion(purge *p)
{
    p->mass = (lw_mass_delete){ .port = p->port,
                                .kind = lw_definition_storage_kind(p->definition),
                                .options = { .has_grace = true },
                                .objects = p->list.objects,
                                .count = p->list.count,
                                .done = portion_done };
    p->is_over = false;
    p->is_starting = true;
    lw_mass_delete_start(&p->mass);
    p->is_starting = false;
    return p->is_over;
}

/* All that was there has been told to go: is anything left? */
static void purge_finish(purge *p)
{
    lw_buf_reset(&p->start);
    if (list_portion(p) && p->list.count == 0)
        let_go(p);
    else
        purge_free(p);
}

static void purge_next(purge *p)
{
    while (p->has_more && !p->port->is_draining) {
        if (!list_portion(p) || p->list.count == 0) {
            p->has_more = false;
            break;
        }
        note_start(p);
        if (p->start.st < 0)
            break;
        if (!delete_portion(p))
            return;
    }
    if (p->has_more)
        purge_free(p);
    else
        purge_finish(p);
}

void lw_crd_purge_start(lw_api_port *port, lw_definition *definition)
{
    purge *p = port->is_draining ? NULL : lw_alloc_zero(1, sizeof(*p));
    if (!p)
        return;
    p->port = port;
    p->definition = lw_definition_ref(definition);
    lw_buf_init(&p->start, LW_STORE_KEY_MAX);
    p->has_more = lw_definition_storage_kind(definition) != NULL;
    purge_next(p);
}

void lw_crd_purge_if_due(lw_api_port *port, const lw_kind *kind)
{
    lw_object *crd = NULL;
    lw_str text;
    if (!kind->custom)
        return;
    /* Nobody changes a definition; but those who hold it count. */
    lw_definition *definition = (lw_definition *)(uintptr_t)kind->custom->definition;
    lw_key key = { LW_STR(""), lw_definition_name(definition) };
    lw_cache_resource *definitions = lw_api_resource(port->api, &lw_kind_customresourcedefinitions);
    if (lw_lookup(definitions, key, &crd) < 0 || !crd)
        return;
    if (lw_object_raw(crd, "/metadata/deletionTimestamp", &text) == LW_OK)
        lw_crd_purge_start(port, definition);
    lw_object_unref(crd);
}

void lw_crd_purge_if_empty(lw_api_port *port, const lw_kind *kind)
{
    const lw_cache_filter all = { .ns = LW_STR("") };
    lw_cache_resource *resource = lw_api_resource(port->api, kind);
    lw_cache_list list = { 0 };
    if (!kind->custom || !resource ||
        lw_cache_list_now(resource, &all, LW_STR(""), 1, &list, NULL) < 0)
        return;
    bool is_empty = list.count == 0;
    lw_cache_list_done(&list);
    if (is_empty)
        lw_crd_purge_if_due(port, kind);
}
