/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_purge.c -- the passes over terminating namespaces.
 *
 *     pods ──▶ kind by kind, a portion at a time ──▶ the status says what is left
 *       └─ some stay: no further ─────────────────────┘       └─ nothing: finalizer off, it is gone
 *
 * Nothing that pods stand on, such as a NetworkPolicy, goes before they have gone (KEP-5080).
 *
 * Portions are small and there is a rest between them (throttle.h), so that others get their turn.
 */
#include "api/lifecycle/namespace_purge.h"

#include "api/admission/namespaces.h"
#include "api/context/consistent_read.h"
#include "api/context/throttle.h"
#include "api/lifecycle/controller_users.h"
#include "api/lifecycle/edit.h"
#include "api/lifecycle/namespace_content.h"
#include "api/pending/metadata.h"
#include "api/write/purge.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    PORTION = 64,       /* objects listed at once */
    FAILURE_MAX = 1024, /* bytes of why something could not be deleted */
};

typedef struct purge {
    lw_purge_portion portion;   /* first */
    lw_write last;              /* of the namespace itself: its status, then its finalizer */
    lw_consistent_read confirm; /* that nothing is left */
    lw_api_port *port;
    char *ns;
    void (*over)(lw_purge_outcome outcome, void *arg);
    void *arg;
    lw_registry *registry; /* held: what there was to be purged when it began */
    size_t turn;           /* 0: pods; else that of the kind before it in the registry */
    lw_namespace_content left;
    bool is_looked_at; /* |left| says what is left */
    bool is_held;      /* something is */
    lw_buf failure;    /* why something could not be deleted; empty: nothing */
    lw_throttle pace;  /* between portions */
} purge;

static void purge_next(purge *p);

static void purge_end(purge *p, lw_purge_outcome outcome)
{
    if (p->over)
        p->over(outcome, p->arg);
    if (p->is_looked_at)
        lw_namespace_content_done(&p->left);
    lw_purge_portion_done(&p->portion);
    lw_buf_done(&p->failure);
    lw_registry_unref(p->registry);
    lw_free(p->ns);
    lw_free(p);
}

static purge *purge_of_last(lw_write *write)
{
    return LW_CONTAINER_OF(write, purge, last);
}

/* The manager in managedFields of the conditions. */
static const lw_field_manager controller = { .name = LW_STR_INIT("listwatch") };

static lw_write_decision edit_last(lw_write *write, unsigned subresource,
                                   lw_status (*change)(lw_tree *tree, lw_node *root, void *arg))
{
    lw_str text;
    const lw_edit edit = { .subresource = subresource,
                           .manager = controller,
                           .change = change,
                           .arg = purge_of_last(write) };
    if (!write->current || lw_object_raw(write->current, "/metadata/deletionTimestamp", &text) < 0)
        return LW_WRITE_KEEP;
    return lw_edit_decide(write, &edit);
}

static lw_status tell_what_is_left(lw_tree *tree, lw_node *root, void *arg)
{
    const purge *p = arg;
    return lw_namespace_content_tell(&p->left, lw_buf_view(&p->failure), tree, root,
                                     lw_clock_wall(p->port->api->clock));
}

static lw_write_decision status_decide(lw_write *write)
{
    return edit_last(write, LW_SUB_STATUS, tell_what_is_left);
}

/* Takes the server's own finalizer off the empty namespace. */
static lw_status drop_own_finalizer(lw_tree *tree, lw_node *root, void *arg)
{
    lw_node *finalizers = lw_fields_find(root, "/spec/finalizers");
    (void)tree;
    (void)arg;
    for (size_t i = lw_node_count(finalizers); i-- > 0;) {
        if (lw_str_equal(lw_node_text(lw_node_at(finalizers, i)), LW_STR("kubernetes")))
            lw_node_remove_at(finalizers, i);
    }
    if (lw_node_count(finalizers) == 0)
        lw_fields_remove(lw_node_get(root, LW_STR("spec")), "finalizers");
    return LW_OK;
}

static lw_write_decision finalize_decide(lw_write *write)
{
    return edit_last(write, LW_SUB_FINALIZE, drop_own_finalizer);
}

/* Writes the namespace itself, as the namespace controller. */
static void write_last(purge *p, lw_write_decision (*decide)(lw_write *write),
                       void (*done)(lw_write *write))
{
    p->last = (lw_write){ .port = p->port,
                          .kind = lw_namespace_kind(p->port->api),
                          .user = &lw_user_namespace_controller,
                          .key = { LW_STR(""), lw_str_of(p->ns) },
                          .decide = decide,
                          .done = done };
    lw_write_start(&p->last);
}

static void finalized(lw_write *write)
{
    purge *p = purge_of_last(write);
    bool is_refused = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    purge_end(p, is_refused ? LW_PURGE_FAILED : LW_PURGE_DONE);
}

/* Its status says what is left: if nothing is, it may go. */
static void told(lw_write *write)
{
    purge *p = purge_of_last(write);
    bool is_refused = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    if (is_refused || (p->is_held && p->failure.len > 0))
        purge_end(p, LW_PURGE_FAILED);
    else if (p->is_held)
        purge_end(p, LW_PURGE_HELD);
    else
        write_last(p, finalize_decide, finalized);
}

static void finish_if_empty(purge *p)
{
    p->is_looked_at = true;
    if (lw_namespace_content_look(&p->left, p->port, lw_str_of(p->ns)) < 0) {
        purge_end(p, LW_PURGE_FAILED);
        return;
    }
    p->is_held = p->left.kinds.len > 0;
    write_last(p, status_decide, told);
}

static void emptiness_confirmed(lw_consistent_read *confirm)
{
    purge *p = LW_CONTAINER_OF(confirm, purge, confirm);
    if (confirm->question.st == LW_OK)
        finish_if_empty(p);
    else
        purge_end(p, LW_PURGE_FAILED);
}

/* Another server may have let something in that the cache does not have yet. */
static void purge_finish(purge *p)
{
    if (!lw_consistent_read_is_needed(p->port, NULL)) {
        finish_if_empty(p);
        return;
    }
    p->confirm = (lw_consistent_read){ .port = p->port, .over = emptiness_confirmed };
    lw_consistent_read_begin(&p->confirm);
}

static void rest_over(lw_throttle *pace)
{
    purge_next(LW_CONTAINER_OF(pace, purge, pace));
}

static void portion_done(lw_mass_delete *mass)
{
    purge *p = (purge *)(void *)mass;
    if (mass->has_failed) {
        lw_buf_reset(&p->failure);
        lw_buf_append_str(&p->failure, lw_api_status_str(&mass->failure, mass->failure.message));
        lw_api_status_done(&mass->failure);
    }
    lw_purge_portion_drop(&p->portion);
    if (!p->portion.has_more)
        p->turn++;
    lw_throttle_rest(&p->pace);
}

/* Lists the next portion; false: nothing of this kind is left to be looked at. */
static bool take_portion(purge *p, const lw_kind *kind)
{
    lw_cache_resource *resource = lw_api_resource(p->port->api, kind);
    return resource && lw_namespace_holds(kind) &&
           lw_purge_portion_list(&p->portion, resource, lw_str_of(p->ns), PORTION) == LW_OK &&
           p->portion.list.count > 0;
}

/* Whether it is over with pods and some have stayed. */
static bool waits_for_pods(purge *p)
{
    if (p->turn != 1)
        return false;
    lw_purge_portion_rewind(&p->portion);
    bool has_some = take_portion(p, &lw_kind_pods);
    lw_purge_portion_drop(&p->portion);
    return has_some;
}

static void purge_next(purge *p)
{
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(p->registry, &count);
    bool is_waiting = waits_for_pods(p);
    while (p->turn <= count && !is_waiting && !p->port->is_draining) {
        const lw_kind *kind = p->turn == 0 ? &lw_kind_pods : kinds[p->turn - 1];
        if (!take_portion(p, kind)) {
            lw_purge_portion_rewind(&p->portion);
            p->turn++;
            continue;
        }
        lw_throttle_begin(&p->pace);
        if (lw_purge_portion_delete(&p->portion, p->port, kind, &lw_user_namespace_controller,
                                    LW_PROPAGATION_BACKGROUND, portion_done) < 0)
            break;
        return;
    }
    if ((p->turn <= count && !is_waiting) || p->port->is_draining)
        purge_end(p, LW_PURGE_FAILED);
    else
        purge_finish(p);
}

void lw_namespace_purge_start(lw_api_port *port, lw_str ns,
                              void (*over)(lw_purge_outcome outcome, void *arg), void *arg)
{
    purge *p = lw_alloc_zero(1, sizeof(*p));
    if (!p) {
        if (over)
            over(LW_PURGE_FAILED, arg);
        return;
    }
    p->port = port;
    p->pace.port = port;
    p->pace.go = rest_over;
    p->over = over;
    p->arg = arg;
    p->ns = lw_str_dup(ns);
    p->registry = lw_catalog_get_ref(&port->api->catalog);
    lw_purge_portion_init(&p->portion);
    lw_buf_init(&p->failure, FAILURE_MAX);
    if (p->ns)
        purge_next(p);
    else
        purge_end(p, LW_PURGE_FAILED);
}

void lw_namespace_purge_if_due(lw_api_port *port, lw_str ns)
{
    lw_namespace_state state;
    if (ns.len > 0 && lw_namespace_look(port, ns, &state) == LW_OK && state != LW_NAMESPACE_ACTIVE)
        lw_namespace_purge_start(port, ns, NULL, NULL);
}
