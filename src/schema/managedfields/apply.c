/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c -- updates managedFields for updates and applies. */
#include "schema/managedfields/apply.h"

#include <stdlib.h>

#include "base/str.h"
#include "schema/managedfields/applied_fields.h"
#include "schema/managedfields/field_merge.h"
#include "schema/managedfields/field_normal.h"
#include "schema/managedfields/field_set.h"
#include "schema/managedfields/field_walk.h"
#include "schema/managedfields/unmanaged_fields.h"
#include "json/text.h"

enum {
    TEXT_MAX = 64 * 1024, /* bytes of the name of a manager in a conflict */
};

static lw_status compare(lw_tree *tree, const lw_field_write *write, const lw_node *live,
                         const lw_node *next, lw_field_origin origin, lw_field_changes *changes)
{
    lw_status st = lw_field_compare(tree, write->type, live, next, origin, changes);
    if (st < 0)
        return st;
    lw_field_set_remove_below(tree, changes->changed, write->ignored);
    lw_field_set_remove_below(tree, changes->removed, write->ignored);
    return lw_tree_status(tree);
}

/* Takes the fields |gone| from |entry|, which gets a set of its own if it had some of them.
 * Returns true if it had. */
static bool take_from(lw_managers *managers, lw_manager *entry, const lw_node *gone)
{
    lw_tree *tree = managers->tree;
    if (lw_field_set_is_disjoint(entry->fields, gone))
        return false;
    entry->fields = lw_tree_share(tree, entry->fields);
    lw_field_set_remove(tree, entry->fields, gone);
    (void)lw_field_set_sort(entry->fields);
    return true;
}

/* Removes the changed fields from all managers except |keeper| (may be NULL). */
static void take_away(lw_managers *managers, const lw_manager *keeper,
                      const lw_field_changes *changes)
{
    lw_tree *tree = managers->tree;
    if (managers->count == 0)
        return;
    lw_node *gone = lw_field_set_union(tree, changes->changed, changes->removed);
    for (size_t i = 0; i < managers->count && !lw_field_set_is_empty(gone); i++) {
        lw_manager *other = &managers->entries[i];
        if (other != keeper)
            (void)take_from(managers, other, gone);
    }
}

lw_status lw_field_write_compare(lw_tree *tree, const lw_field_write *write, const lw_node *live,
                                 const lw_node *next, lw_field_changes *changes)
{
    return compare(tree, write, live, next, LW_FIELD_FROM_GO, changes);
}

/* Adds |changed| to the fields of the manager of |write|, unless it has them (not |is_more|), and
 * sets its time. */
static void give(lw_managers *managers, const lw_field_write *write, lw_node *changed, bool is_more)
{
    lw_tree *tree = managers->tree;
    lw_manager *mine = lw_managers_get(managers, &write->manager);
    if (!mine)
        return;
    if (is_more) {
        mine->fields = mine->fields ? lw_field_set_union(tree, mine->fields, changed) : changed;
        (void)lw_field_set_sort(mine->fields);
    }
    mine->time = write->manager.time;
}

bool lw_managers_note_stored(lw_managers *managers, const lw_field_write *write,
                             const lw_field_changes *changes, bool *has_new)
{
    lw_tree *tree = managers->tree;
    const lw_manager *mine = lw_managers_find(managers, &write->manager);
    lw_field_set_drop_unmanaged(changes->changed);
    bool is_changed = !lw_field_set_is_empty(changes->changed);
    bool is_more = is_changed && !(mine && lw_field_set_has_all(mine->fields, changes->changed));
    bool is_less = false;
    if (!lw_managers_are_kept(managers) ||
        (is_changed && managers->count + !mine > LW_UPDATE_MANAGERS_MAX))
        return false;
    for (size_t i = 0; i < managers->count; i++) {
        lw_manager *each = &managers->entries[i];
        is_less = take_from(managers, each, changes->removed) || is_less;
        if (each != mine)
            is_less = take_from(managers, each, changes->changed) || is_less;
    }
    if (is_less)
        lw_managers_drop_empty(managers);
    if (is_changed)
        give(managers, write, changes->changed, is_more);
    *has_new = is_more || is_less;
    return lw_tree_status(tree) == LW_OK;
}

lw_status lw_managers_note(lw_managers *managers, const lw_field_write *write,
                           const lw_field_changes *noted)
{
    lw_tree *tree = managers->tree;
    lw_field_changes changes = *noted;
    take_away(managers, NULL, &changes);
    lw_managers_drop_empty(managers);
    lw_field_set_drop_unmanaged(changes.changed);
    if (!lw_field_set_is_empty(changes.changed)) {
        lw_manager *mine = lw_managers_get(managers, &write->manager);
        if (!mine)
            return managers->count == LW_MANAGERS_MAX ? LW_ERR_LIMIT : LW_ERR_NOMEM;
        mine->fields = mine->fields ? lw_field_set_union(tree, mine->fields, changes.changed)
                                    : changes.changed;
        mine->time = write->manager.time;
    }
    lw_managers_cap(managers);
    return lw_tree_status(tree);
}

static lw_status note_update(lw_managers *managers, const lw_field_write *write,
                             const lw_node *live, const lw_node *next)
{
    lw_field_changes changes;
    lw_status st = lw_field_write_compare(managers->tree, write, live, next, &changes);
    return st < 0 ? st : lw_managers_note(managers, write, &changes);
}

lw_status lw_managers_update(lw_managers *managers, const lw_field_write *write,
                             const lw_node *live, const lw_node *next)
{
    if (live && managers->count == 0)
        return LW_OK;
    return note_update(managers, write, live, next);
}

/* Gives the fields of an object without managedFields to "before-first-apply". */
static lw_status note_unknown(lw_managers *managers, const lw_field_write *write,
                              const lw_node *live)
{
    lw_field_write before = *write;
    before.manager.name = LW_STR("before-first-apply");
    before.manager.is_apply = false;
    return note_update(managers, &before, NULL, live);
}

/* The state of one apply. */
typedef struct applying {
    lw_managers *managers;
    const lw_field_write *write;
    lw_apply *apply;
    lw_manager *mine;
    const lw_node *live; /* as Go would write it; NULL: none */
    const lw_node *last; /* the fields that the manager applied before */
    bool is_text;        /* those that it applies now are a text without the unmanaged fields */
} applying;

static lw_status named_fields(applying *a, const lw_node *set, lw_node **out)
{
    return lw_field_set_name_parents(a->managers->tree, a->write->type, set, out);
}

/* Lists the fields of |document| and the named fields that are their parents. */
static lw_status walk_named(applying *a, const lw_node *document, lw_node **out)
{
    lw_node *set = NULL;
    lw_status st = lw_field_walk(a->managers->tree, a->write->type, document, &set);
    return st < 0 ? st : named_fields(a, set, out);
}

static lw_status without(applying *a, const lw_node *document, const lw_node *set, lw_node **out)
{
    return lw_field_remove(a->managers->tree, a->write->type, document, set, out);
}

/* Restores the fields of |merged| that |pruned| lost but that a manager still owns. */
static lw_status restore_owned(applying *a, const lw_node *merged, const lw_node *all,
                               lw_node **pruned)
{
    lw_tree *tree = a->managers->tree;
    lw_node *managed = NULL, *named = NULL, *left = NULL;
    for (size_t i = 0; i < a->managers->count; i++)
        managed = lw_field_set_union(tree, managed, a->managers->entries[i].fields);
    lw_status st = named_fields(a, managed, &named);
    if (st == LW_OK)
        st = walk_named(a, *pruned, &left);
    if (st < 0)
        return st;
    lw_node *kept = lw_field_set_union(tree, left, named);
    return without(a, merged, lw_field_set_difference(tree, all, kept), pruned);
}

/* True if |a| and |b| are closed and written alike. */
static bool is_same_text(const lw_node *a, const lw_node *b)
{
    lw_str left, right;
    return lw_node_is_closed(a, &left) && lw_node_is_closed(b, &right) && lw_str_equal(left, right);
}

/* True if the manager has applied nothing before, or applies all of it again. */
static bool keeps_all(const applying *a)
{
    return a->is_text || lw_field_set_is_empty(a->last) ||
           lw_field_set_has_all(a->mine->fields, a->last);
}

/* Removes from the merged object the fields that this manager applied before and no longer applies,
 * unless another manager owns them. */
static lw_status prune(applying *a)
{
    lw_tree *tree = a->managers->tree;
    const lw_node *merged = a->apply->merged;
    lw_node *last = NULL, *all = NULL, *left = NULL, *pruned = NULL;
    if (keeps_all(a)) /* as most managers do */
        return LW_OK;
    lw_status st = named_fields(a, a->last, &last);
    if (st == LW_OK)
        st = walk_named(a, merged, &all);
    if (st == LW_OK)
        st = without(a, merged, last, &pruned);
    if (st == LW_OK)
        st = restore_owned(a, merged, all, &pruned);
    if (st == LW_OK)
        st = walk_named(a, pruned, &left);
    if (st < 0)
        return st;
    /* Only fields that this manager applied are removed. */
    lw_node *gone = lw_field_set_difference(tree, all, left);
    return without(a, merged, lw_field_set_intersection(tree, gone, last), &a->apply->merged);
}

/* "kubectl" with subresource "status" using v1 */
static void append_manager(lw_buf *out, const lw_manager *manager)
{
    lw_json_append_quoted(out, manager->name);
    if (manager->subresource.len > 0) {
        lw_buf_append_text(out, " with subresource ");
        lw_json_append_quoted(out, manager->subresource);
    }
    if (!manager->is_apply) {
        lw_buf_append_text(out, " using ");
        lw_buf_append_str(out, manager->api_version);
    }
}

/* The array of paths to append to. */
typedef struct path_list {
    lw_tree *tree;
    lw_node *array;
} path_list;

static void add_path(lw_str path, void *arg)
{
    path_list *list = arg;
    lw_node_append(list->tree, list->array, lw_tree_string(list->tree, path));
}

static lw_str manager_text(const lw_node *conflict)
{
    return lw_node_text(lw_node_get(conflict, LW_STR("manager")));
}

/* Inserts the conflict sorted by manager. */
static void put_conflict(lw_tree *tree, lw_node **conflicts, lw_node *conflict)
{
    size_t at = 0;
    if (!*conflicts)
        *conflicts = lw_tree_array(tree);
    while (at < lw_node_count(*conflicts) &&
           lw_str_compare(manager_text(lw_node_at(*conflicts, at)), manager_text(conflict)) <= 0)
        at++;
    if (lw_tree_status(tree) == LW_OK)
        lw_node_insert(tree, *conflicts, at, conflict);
}

static lw_status add_conflict(applying *a, const lw_manager *other, lw_node *set)
{
    lw_tree *tree = a->managers->tree;
    lw_node *conflict = lw_tree_object(tree);
    path_list paths = { tree, lw_tree_array(tree) };
    lw_buf name;
    lw_buf_init(&name, TEXT_MAX);
    append_manager(&name, other);
    lw_node_put(tree, conflict, LW_STR("manager"), lw_tree_string(tree, lw_buf_view(&name)));
    lw_node_put(tree, conflict, LW_STR("fields"), paths.array);
    lw_status st = name.st;
    lw_buf_done(&name);
    if (st == LW_OK)
        st = lw_field_set_sort(set);
    if (st == LW_OK)
        st = lw_field_set_visit(set, add_path, &paths);
    put_conflict(tree, &a->apply->conflicts, conflict);
    return st;
}

/* LW_ERR_CONFLICT: other managers own fields that would change. */
static lw_status find_conflicts(applying *a, const lw_field_changes *changes)
{
    lw_tree *tree = a->managers->tree;
    lw_status st = LW_OK;
    for (size_t i = 0; i < a->managers->count && st == LW_OK; i++) {
        const lw_manager *other = &a->managers->entries[i];
        if (other == a->mine)
            continue;
        lw_node *set = lw_field_set_intersection(tree, other->fields, changes->changed);
        set = lw_field_set_difference(tree, set, a->apply->allowed);
        if (!lw_field_set_is_empty(set))
            st = add_conflict(a, other, set);
    }
    if (st == LW_OK)
        st = lw_tree_status(tree);
    return st == LW_OK && a->apply->conflicts ? LW_ERR_CONFLICT : st;
}

/* Lists the fields of the configuration.  They can be a text if nothing is pruned, which is certain
 * if the manager has applied nothing before, or the same. */
static lw_status list_own(applying *a)
{
    lw_tree *tree = a->managers->tree;
    const lw_field_write *write = a->write;
    lw_node **own = &a->mine->fields;
    lw_status st = LW_OK;
    if (lw_applied_fields_can_ignore(write->ignored)) {
        st = lw_applied_fields(tree, write->type, a->apply->config, write->ignored, own);
        a->is_text = lw_field_set_is_empty(a->last) || is_same_text(*own, a->last);
    }
    if (st < 0 || a->is_text)
        return st;
    st = lw_field_walk(tree, write->type, a->apply->config, own);
    if (st == LW_OK)
        lw_field_set_remove_below(tree, *own, write->ignored);
    return st;
}

/* Sets the entry of the manager to the fields of the configuration. */
static lw_status set_own(applying *a)
{
    lw_manager like = a->write->manager;
    like.time = LW_STR(""); /* the entry has the time of its last change */
    a->mine = lw_managers_get(a->managers, &like);
    if (!a->mine)
        return a->managers->count == LW_MANAGERS_MAX ? LW_ERR_LIMIT : LW_ERR_NOMEM;
    a->last = a->mine->fields;
    lw_status st = list_own(a);
    a->mine->api_version = a->write->manager.api_version;
    return st < 0 ? st : lw_tree_status(a->managers->tree);
}

/* Takes the fields that change from other managers, unless that is a conflict. */
static lw_status take_changes(applying *a)
{
    lw_field_changes changes;
    lw_tree *tree = a->managers->tree;
    lw_status st = compare(tree, a->write, a->live, a->apply->merged, LW_FIELD_APPLIED, &changes);
    if (st == LW_OK && !a->apply->is_forced)
        st = find_conflicts(a, &changes);
    if (st == LW_OK)
        take_away(a->managers, a->mine, &changes);
    return st;
}

static lw_status settle(applying *a)
{
    lw_tree *tree = a->managers->tree;
    a->apply->is_same = a->live && lw_node_equal(a->live, a->apply->merged);
    if (!a->apply->is_same) {
        lw_status st = take_changes(a);
        if (st < 0)
            return st;
        a->mine->time = a->write->manager.time;
    }
    if (!a->is_text)
        lw_field_set_drop_unmanaged(a->mine->fields);
    return lw_tree_status(tree);
}

/* Finds the live object as Go would write it: mostly it is written like that already. */
static lw_status normalize_live(applying *a)
{
    lw_node *normal = NULL;
    lw_tree *tree = a->managers->tree;
    if (!lw_tree_charge_pass(tree) || lw_field_is_normal(a->write->type, a->apply->live)) {
        a->live = a->apply->live;
        return lw_tree_status(tree);
    }
    lw_status st = lw_field_normalize(tree, a->write->type, a->apply->live, &normal);
    a->live = normal;
    return st;
}

static lw_status normalize_merged(applying *a)
{
    lw_tree *tree = a->managers->tree;
    if (!lw_tree_charge_pass(tree) || lw_field_is_normal(a->write->type, a->apply->merged))
        return lw_tree_status(tree);
    return lw_field_normalize(tree, a->write->type, a->apply->merged, &a->apply->merged);
}

lw_status lw_managers_apply(lw_managers *managers, const lw_field_write *write, lw_apply *apply)
{
    applying a = { .managers = managers, .write = write, .apply = apply };
    lw_status st = LW_OK;
    apply->conflicts = NULL;
    if (apply->live)
        st = normalize_live(&a);
    if (st == LW_OK && a.live && managers->count == 0)
        st = note_unknown(managers, write, a.live);
    if (st == LW_OK)
        st = lw_field_merge(managers->tree, write->type, a.live, apply->config, &apply->merged);
    if (st == LW_OK)
        st = set_own(&a);
    if (st == LW_OK)
        st = prune(&a);
    if (st == LW_OK)
        st = settle(&a);
    if (st < 0)
        return st;
    lw_managers_drop_empty(managers);
    lw_managers_cap(managers);
    return normalize_merged(&a);
}
