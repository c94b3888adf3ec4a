/* SPDX-License-Identifier: Apache-2.0 */
/* crd_purge.c -- the passes over the objects of a definition.
 *
 *     a portion at a time ──▶ none left? ──▶ finalizer off, definition gone
 *                                └─ no: over; somebody will start anew */
#include "api/crd/crd_purge.h"

#include "api/context/cache_lookup.h"
#include "api/context/definitions.h"
#include "api/pending/metadata.h"
#include "api/write/purge.h"
#include "base/alloc.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    PORTION = 256, /* objects listed at once */
};

typedef struct purge {
    lw_purge_portion portion; /* first */
    lw_write last;            /* of the definition itself */
    lw_api_port *port;
    lw_definition *definition; /* held */
    bool is_starting; /* the portion is being started by purge_next, which goes on by itself */
    bool is_over;     /* the portion is done already */
} purge;

static void purge_next(purge *p);

static void purge_free(purge *p)
{
    lw_purge_portion_done(&p->portion);
    lw_definition_unref(p->definition);
    lw_free(p);
}

/* Takes the server's own finalizer off a definition without objects. */
static bool drop_own_finalizer(lw_pending_object *pending, void *arg)
{
    (void)arg;
    lw_metadata_drop_finalizer(pending->metadata, LW_STR(LW_CRD_FINALIZER));
    return lw_metadata_is_released(pending);
}

static lw_write_decision last_decide(lw_write *write)
{
    const purge *p = LW_CONTAINER_OF(write, purge, last);
    if (!write->current ||
        !lw_str_equal(lw_str_of(lw_object_uid(write->current)), lw_definition_uid(p->definition)))
        return LW_WRITE_KEEP;
    return lw_purge_decide_last(write, drop_own_finalizer, NULL);
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

/* Lists the next portion.  False: it cannot be said what there is. */
static bool list_portion(purge *p)
{
    lw_cache_resource *resource = lw_definition_serving(p->definition);
    if (resource)
        return lw_purge_portion_list(&p->portion, resource, LW_STR(""), PORTION) == LW_OK;
    lw_purge_portion_drop(&p->portion);
    return true;
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

/* Starts to delete the portion at hand.  |p->is_over|: that is over already. */
static lw_status delete_portion(purge *p)
{
    p->is_over = false;
    p->is_starting = true;
    lw_status st =
        lw_purge_portion_delete(&p->portion, p->port, lw_definition_storage_kind(p->definition),
                                NULL, LW_PROPAGATION_DEFAULT, portion_done);
    p->is_starting = false;
    return st;
}

/* All that was there has been told to go: is anything left? */
static void purge_finish(purge *p)
{
    lw_purge_portion_rewind(&p->portion);
    if (list_portion(p) && p->portion.list.count == 0)
        let_go(p);
    else
        purge_free(p);
}

static void purge_next(purge *p)
{
    while (p->portion.has_more && !p->port->is_draining) {
        if (!list_portion(p) || p->portion.list.count == 0) {
            p->portion.has_more = false;
            break;
        }
        if (delete_portion(p) < 0)
            break;
        if (!p->is_over)
            return;
    }
    if (p->portion.has_more)
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
    lw_purge_portion_init(&p->portion);
    p->portion.has_more = lw_definition_storage_kind(definition) != NULL;
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
