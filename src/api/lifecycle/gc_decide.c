/* SPDX-License-Identifier: Apache-2.0 */
/* gc_decide.c -- the garbage collector's decision about one object. */
#include "api/lifecycle/gc_decide.h"

#include "api/lifecycle/edit.h"
#include "api/pending/metadata.h"
#include "api/write/deletion.h"
#include "api/write/write_policies.h"
#include "base/str.h"
#include "json/fields.h"

/* The number of owners in each state. */
typedef struct owner_counts {
    size_t solid, absent, waiting, orphaning;
} owner_counts;

/* Like lw_owner_look, but an owner that cannot be resolved is absent if the collector has seen its
 * deletion, and otherwise exists. */
static lw_status look_owner(const lw_write *write, const lw_gc_decision *decision,
                            const lw_owner_ref *ref, lw_owner_state *state)
{
    lw_status st = lw_owner_look(write->port, write->kind, write->key.ns, ref, state);
    if (st == LW_OK && *state == LW_OWNER_UNKNOWN)
        *state = decision->is_gone(ref->uid, decision->arg) ? LW_OWNER_ABSENT : LW_OWNER_SOLID;
    return st;
}

static lw_status count_owners(const lw_write *write, const lw_gc_decision *decision,
                              owner_counts *counts)
{
    lw_owner_walk walk = lw_owner_walk_begin(write->current);
    lw_owner_ref ref;
    *counts = (owner_counts){ 0, 0, 0, 0 };
    while (lw_owner_walk_next(&walk, &ref)) {
        lw_owner_state state;
        lw_status st = look_owner(write, decision, &ref, &state);
        if (st < 0)
            return st;
        counts->solid += state == LW_OWNER_SOLID;
        counts->absent += state == LW_OWNER_ABSENT;
        counts->waiting += state == LW_OWNER_WAITING;
        counts->orphaning += state == LW_OWNER_ORPHANING;
    }
    return LW_OK;
}

/* The manager in managedFields, should the collector come to own a field. */
static const lw_field_manager collector = { .name = LW_STR_INIT("listwatch") };

/* Changes |metadata|, that of the stored object, in |tree|. */
typedef lw_status (*metadata_edit)(const lw_write *write, const lw_gc_decision *decision,
                                   lw_tree *tree, lw_node *metadata);

/* What an edit works with. */
typedef struct editing {
    const lw_write *write;
    const lw_gc_decision *decision;
    metadata_edit change;
} editing;

static lw_status edit_metadata(lw_tree *tree, lw_node *root, void *arg)
{
    const editing *e = arg;
    return e->change(e->write, e->decision, tree, lw_node_get(root, LW_STR("metadata")));
}

/* The object is stored, or deleted if the edit removed its last finalizer. */
static lw_write_decision edit(lw_write *write, const lw_gc_decision *decision, metadata_edit change)
{
    editing e = { write, decision, change };
    const lw_edit asked = { .manager = collector, .change = edit_metadata, .arg = &e };
    return lw_edit_decide(write, &asked);
}

static lw_owner_ref ref_of(const lw_node *node)
{
    return (lw_owner_ref){ .api_version = lw_fields_text(node, "apiVersion"),
                           .kind = lw_fields_text(node, "kind"),
                           .name = lw_fields_text(node, "name"),
                           .uid = lw_fields_text(node, "uid") };
}

/* Removes the references to owners whose state is in |states| (bits by lw_owner_state). */
static lw_status drop_refs(const lw_write *write, const lw_gc_decision *decision,
                           const lw_node *metadata, unsigned states)
{
    lw_node *refs = lw_node_get(metadata, LW_STR("ownerReferences"));
    for (size_t i = lw_node_count(refs); i-- > 0;) {
        lw_owner_ref ref = ref_of(lw_node_at(refs, i));
        lw_owner_state state;
        lw_status st = look_owner(write, decision, &ref, &state);
        if (st < 0)
            return st;
        if (states >> state & 1)
            lw_node_remove_at(refs, i);
    }
    return LW_OK;
}

static lw_status drop_orphaning_refs(const lw_write *write, const lw_gc_decision *decision,
                                     lw_tree *tree, lw_node *metadata)
{
    (void)tree;
    return drop_refs(write, decision, metadata, 1U << LW_OWNER_ORPHANING);
}

static lw_status drop_useless_refs(const lw_write *write, const lw_gc_decision *decision,
                                   lw_tree *tree, lw_node *metadata)
{
    (void)tree;
    return drop_refs(write, decision, metadata, 1U << LW_OWNER_ABSENT | 1U << LW_OWNER_WAITING);
}

/* In a cycle each object would wait for the other: this one no longer blocks its owners. */
static lw_status unblock_owners(const lw_write *write, const lw_gc_decision *decision,
                                lw_tree *tree, lw_node *metadata)
{
    lw_node *refs = lw_node_get(metadata, LW_STR("ownerReferences"));
    (void)write;
    (void)decision;
    for (size_t i = 0; i < lw_node_count(refs); i++)
        lw_node_put(tree, lw_node_at(refs, i), LW_STR("blockOwnerDeletion"),
                    lw_tree_bool(tree, false));
    return LW_OK;
}

static lw_status drop_orphan_finalizer(const lw_write *write, const lw_gc_decision *decision,
                                       lw_tree *tree, lw_node *metadata)
{
    (void)write;
    (void)decision;
    (void)tree;
    lw_metadata_drop_finalizer(metadata, LW_FINALIZER_ORPHAN);
    return LW_OK;
}

static lw_status drop_foreground_finalizer(const lw_write *write, const lw_gc_decision *decision,
                                           lw_tree *tree, lw_node *metadata)
{
    (void)write;
    (void)decision;
    (void)tree;
    lw_metadata_drop_finalizer(metadata, LW_FINALIZER_FOREGROUND);
    return LW_OK;
}

/* Decides about an object that is already being deleted. */
static lw_write_decision decide_deleting(lw_write *write, lw_gc_decision *decision,
                                         lw_owner_deletion deletion)
{
    lw_gc_view view;
    if (!deletion.orphans && !deletion.collects)
        return LW_WRITE_KEEP;
    if (!decision->look(&view, decision->arg))
        return LW_WRITE_KEEP;
    decision->needs_dependents = deletion.orphans && view.has_dependents;
    decision->needs_blockers = !deletion.orphans && view.is_blocked;
    if (decision->needs_dependents || decision->needs_blockers)
        return LW_WRITE_KEEP;
    return edit(write, decision,
                deletion.orphans ? drop_orphan_finalizer : drop_foreground_finalizer);
}

static bool blocks_any(const lw_object *obj)
{
    lw_owner_walk walk = lw_owner_walk_begin(obj);
    lw_owner_ref ref;
    while (lw_owner_walk_next(&walk, &ref)) {
        if (ref.blocks)
            return true;
    }
    return false;
}

/* Deletes an object that has no owner left. */
static lw_write_decision collect(lw_write *write, lw_gc_decision *decision,
                                 const owner_counts *counts, lw_owner_deletion deletion)
{
    lw_gc_view view;
    lw_api_delete_options options = { .propagation = LW_PROPAGATION_BACKGROUND,
                                      .uid = decision->uid };
    if (deletion.orphans || deletion.collects)
        options.propagation = deletion.orphans ? LW_PROPAGATION_ORPHAN : LW_PROPAGATION_FOREGROUND;
    if (!decision->look(&view, decision->arg))
        return LW_WRITE_KEEP;
    if (counts->waiting > 0 && view.has_dependents) {
        if (view.is_owner_of_waiting && blocks_any(write->current))
            return edit(write, decision, unblock_owners);
        options.propagation = LW_PROPAGATION_FOREGROUND;
    }
    return lw_policies_admit_delete(write) ? lw_deletion_decide(write, &options) : LW_WRITE_REFUSE;
}

lw_write_decision lw_gc_decide(lw_write *write, lw_gc_decision *decision)
{
    owner_counts counts;
    decision->needs_dependents = decision->needs_blockers = false;
    if (!write->current || !lw_str_equal(decision->uid, lw_str_of(lw_object_uid(write->current))))
        return LW_WRITE_KEEP;
    if (write->has_stored) { /* marked as deleted by this write */
        const lw_api_delete_options options = { .propagation = LW_PROPAGATION_BACKGROUND };
        return lw_deletion_decide(write, &options);
    }
    lw_status st = count_owners(write, decision, &counts);
    if (st < 0)
        return lw_write_fail(write, st);
    if (counts.orphaning > 0)
        return edit(write, decision, drop_orphaning_refs);
    lw_owner_deletion deletion = lw_owner_deletion_of(write->current);
    if (deletion.is_deleting)
        return decide_deleting(write, decision, deletion);
    if (counts.absent + counts.waiting == 0)
        return LW_WRITE_KEEP;
    if (counts.solid > 0)
        return edit(write, decision, drop_useless_refs);
    return collect(write, decision, &counts, deletion);
}
