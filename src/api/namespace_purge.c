/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_purge.c -- the passes over terminating namespaces.
 *
 *     kind by kind, a portion at a time ──▶ all empty? ──▶ finalizer off, namespace gone
 *                                              └─ no: over; somebody will start anew */
#include "api/namespace_purge.h"

#include "api/confirm.h"
#include "api/core.h"
#include "api/draft.h"
#include "api/fields.h"
#include "api/mass_delete.h"
#include "api/metadata.h"
#include "api/namespaces.h"
#include "base/alloc.h"
#include "base/str.h"

enum {
    PORTION = 256, /* objects listed at once */
};

typedef struct purge {
    lw_mass_delete mass; /* first */
    lw_write last;       /* of the namespace itself */
    lw_confirm confirm;  /* that nothing is left */
    lw_api_port *port;
    char *ns;
    lw_registry *registry; /* held: what there was to be purged when it began */
    size_t kind;           /* its index in the registry */
    lw_buf start;          /* key of the next portion */
    lw_cache_list list;    /* the portion at hand */
    bool has_more;
    bool is_starting; /* the portion is being started by purge_next, which goes on by itself */
    bool is_over;     /* the portion is done already */
} purge;

static void purge_next(purge *p);

static void purge_free(purge *p)
{
    lw_cache_list_done(&p->list);
    lw_buf_done(&p->start);
    lw_registry_unref(p->registry);
    lw_free(p->ns);
    lw_free(p);
}

static lw_cache_filter filter_of(const purge *p)
{
    return (lw_cache_filter){ .ns = lw_str_of(p->ns) };
}

static bool is_purged_kind(const lw_kind *kind)
{
    return kind->is_namespaced && (kind->verbs & LW_VERB_DELETE) != 0;
}

/* True when nothing is left in the namespace. */
static bool is_empty(const purge *p)
{
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(p->registry, &count);
    lw_cache_filter filter = filter_of(p);
    for (size_t i = 0; i < count; i++) {
        lw_cache_list list = { 0 };
        lw_cache_resource *resource = lw_api_resource(p->port->api, kinds[i]);
        if (!resource || !is_purged_kind(kinds[i]))
            continue;
        if (lw_cache_list_now(resource, &filter, LW_STR(""), 1, &list, NULL) < 0)
            return false;
        bool is_none = list.count == 0;
        lw_cache_list_done(&list);
        if (!is_none)
            return false;
    }
    return true;
}

/* Takes the server's own finalizer off the empty namespace. */
static void drop_own_finalizer(lw_draft *draft)
{
    lw_node *finalizers = lw_fields_find(draft->root, "/spec/finalizers");
    for (size_t i = lw_node_count(finalizers); i-- > 0;) {
        if (lw_str_equal(lw_node_text(lw_node_at(finalizers, i)), LW_STR("kubernetes")))
            lw_node_remove_at(finalizers, i);
    }
    if (lw_node_count(finalizers) == 0)
        lw_fields_remove(lw_node_get(draft->root, LW_STR("spec")), "finalizers");
}

static lw_write_verdict last_decide(lw_write *write)
{
    lw_draft draft = { 0 };
    lw_tree *stored = NULL;
    lw_str text;
    if (!write->current || lw_object_raw(write->current, "/metadata/deletionTimestamp", &text) < 0)
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_draft_open(&draft, write->port, write->kind, lw_tree_root(stored), write->current);
    lw_write_verdict verdict = LW_WRITE_DELETE;
    if (st == LW_OK) {
        drop_own_finalizer(&draft);
        if (!lw_metadata_is_released(&draft)) {
            lw_draft_seal(&draft);
            st = lw_draft_take(&draft, true, &write->next);
            verdict = lw_draft_is_unchanged(&draft) ? LW_WRITE_KEEP : LW_WRITE_PUT;
        }
    }
    lw_draft_done(&draft);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : verdict;
}

static void last_done(lw_write *write)
{
    purge *p = (purge *)(void *)((char *)write - offsetof(purge, last));
    lw_write_release(write);
    purge_free(p);
}

static void finish_if_empty(purge *p)
{
    lw_api *api = p->port->api;
    if (!is_empty(p)) {
        purge_free(p);
        return;
    }
    p->last.port = p->port;
    p->last.kind = lw_namespace_kind(api);
    p->last.key = (lw_key){ LW_STR(""), lw_str_of(p->ns) };
    p->last.decide = last_decide;
    p->last.done = last_done;
    lw_write_start(&p->last);
}

static void emptiness_confirmed(lw_confirm *confirm)
{
    purge *p = (purge *)(void *)((char *)confirm - offsetof(purge, confirm));
    if (confirm->question.st == LW_OK)
        finish_if_empty(p);
    else
        purge_free(p);
}

/* Another server may have let something in that the cache does not have yet. */
static void purge_finish(purge *p)
{
    if (!lw_confirm_is_needed(p->port)) {
        finish_if_empty(p);
        return;
    }
    p->confirm = (lw_confirm){ .port = p->port, .over = emptiness_confirmed };
    lw_confirm_begin(&p->confirm);
}

/* Remembers where the next portion begins: just behind the last object of this one. */
static void note_start(purge *p)
{
    lw_buf_reset(&p->start);
    p->has_more = p->list.has_more;
    if (!p->has_more)
        return;
    lw_str name = lw_str_of(lw_object_name(p->list.objects[p->list.count - 1]));
    lw_buf_append_text(&p->start, p->ns);
    lw_buf_append_char(&p->start, '/');
    lw_buf_append_str(&p->start, name);
    lw_buf_append_char(&p->start, '\0');
}

static void portion_done(lw_mass_delete *mass)
{
    purge *p = (purge *)(void *)mass;
    if (mass->has_failed)
        lw_api_status_done(&mass->failure);
    lw_cache_list_done(&p->list);
    p->list = (lw_cache_list){ 0 };
    if (!p->has_more)
        p->kind++;
    p->is_over = true;
    if (!p->is_starting)
        purge_next(p);
}

/* Lists the next portion; false: nothing of this kind is left to be looked at. */
static bool take_portion(purge *p, const lw_kind *kind)
{
    lw_cache_filter filter = filter_of(p);
    lw_cache_resource *resource = lw_api_resource(p->port->api, kind);
    if (!resource || !is_purged_kind(kind))
        return false;
    if (lw_cache_list_now(resource, &filter, lw_buf_view(&p->start), PORTION, &p->list, NULL) < 0)
        return false;
    if (p->list.count > 0)
        return true;
    lw_cache_list_done(&p->list);
    p->list = (lw_cache_list){ 0 };
    return false;
}

/* Starts to delete the portion at hand; true when that is over already. */
static bool delete_portion(purge *p, const lw_kind *kind)
{
    p->mass = (lw_mass_delete){ .port = p->port,
                                .kind = kind,
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

static void purge_next(purge *p)
{
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(p->registry, &count);
    while (p->kind < count && !p->port->is_draining) {
        if (!take_portion(p, kinds[p->kind])) {
            lw_buf_reset(&p->start);
            p->kind++;
            continue;
        }
        note_start(p);
        if (p->start.st < 0)
            break;
        if (!delete_portion(p, kinds[p->kind]))
            return;
    }
    if (p->kind < count)
        purge_free(p);
    else
        purge_finish(p);
}

void lw_namespace_purge_start(lw_api_port *port, lw_str ns)
{
    purge *p = lw_alloc_zero(1, sizeof(*p));
    if (!p)
        return;
    p->port = port;
    p->ns = lw_str_dup(ns);
    p->registry = lw_catalog_get_ref(&port->api->catalog);
    lw_buf_init(&p->start, LW_STORE_KEY_MAX);
    if (p->ns)
        purge_next(p);
    else
        purge_free(p);
}

void lw_namespace_purge_if_due(lw_api_port *port, lw_str ns)
{
    lw_namespace_state state;
    if (ns.len > 0 && lw_namespace_look(port->api, ns, &state) == LW_OK &&
        state != LW_NAMESPACE_ACTIVE)
        lw_namespace_purge_start(port, ns);
}

void lw_namespace_purge_resume(lw_api_port *port)
{
    const lw_api *api = port->api;
    const lw_cache_filter all = { .ns = LW_STR("") };
    lw_cache_list list = { 0 };
    if (lw_cache_list_now(lw_api_resource(api, lw_namespace_kind(api)), &all, LW_STR(""), 0, &list,
                          NULL) < 0)
        return;
    for (size_t i = 0; i < list.count; i++) {
        lw_str name = lw_str_of(lw_object_name(list.objects[i]));
        lw_namespace_state state;
        if (lw_namespace_look(api, name, &state) == LW_OK && state == LW_NAMESPACE_TERMINATING)
            lw_namespace_purge_start(port, name);
    }
    lw_cache_list_done(&list);
}
