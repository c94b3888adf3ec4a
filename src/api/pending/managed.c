/* SPDX-License-Identifier: Apache-2.0 */
/* managed.c -- updates managedFields before an object is stored. */
#include "api/pending/managed.h"

#include "base/clock.h"
#include "base/str.h"
#include "object/gvk.h"
#include "schema/kinds/definition.h"
#include "schema/kinds/kinds.h"
#include "schema/managedfields/managed_fields_create.h"
#include "json/fields.h"

enum {
    VERSION_MAX = 1024, /* bytes of an apiVersion */
};

static lw_str ignored_fields_of_csr(lw_str subresource)
{
    if (lw_str_equal(subresource, LW_STR("status")))
        return LW_STR("{\"f:spec\":{},\"f:status\":{\"f:conditions\":{}}}");
    if (lw_str_equal(subresource, LW_STR("approval")))
        return LW_STR("{\"f:spec\":{},\"f:status\":{\"f:certificate\":{}}}");
    return LW_STR("{\"f:spec\":{},\"f:status\":{}}");
}

/* Returns the fields that a write through |subresource| cannot change, and so cannot own. */
static lw_str ignored_fields(const lw_kind *kind, lw_str subresource)
{
    if (kind == &lw_kind_certificatesigningrequests)
        return ignored_fields_of_csr(subresource);
    if (subresource.len == 0 && kind->subresources & LW_SUB_STATUS)
        return LW_STR("{\"f:status\":{}}");
    if (!lw_str_equal(subresource, LW_STR("status")))
        return LW_STR("{}");
    if (lw_str_equal(kind->kind, LW_STR("Deployment")))
        return LW_STR("{\"f:spec\":{},\"f:metadata\":{\"f:labels\":{}}}");
    if (lw_str_equal(kind->kind, LW_STR("Pod")))
        return LW_STR("{\"f:spec\":{},\"f:metadata\":{\"f:deletionTimestamp\":{},"
                      "\"f:ownerReferences\":{}}}");
    return LW_STR("{\"f:spec\":{}}");
}

static const lw_type *type_of(const lw_kind *kind)
{
    return kind->custom ? lw_structural_types_root(kind->custom->types)
                        : lw_type_of_kind(lw_kind_gvk(kind));
}

/* A scale is changed as a Scale object, and its managers are converted to those of the object
 * without their times, as in kube-apiserver. */
static bool is_timed(const lw_field_manager *manager)
{
    return !lw_str_equal(manager->subresource, LW_STR("scale"));
}

lw_status lw_managed_write_init(lw_managed_write *mw, lw_tree *tree, const lw_api_port *port,
                                const lw_kind *kind, const lw_field_manager *manager)
{
    lw_node *ignored = NULL;
    lw_buf_init(&mw->api_version, VERSION_MAX);
    lw_api_version_append(&mw->api_version, kind->group, kind->version);
    lw_status st = mw->api_version.st;
    if (st == LW_OK)
        st = lw_time_format(mw->time, lw_time_of_ns(lw_clock_wall(port->api->clock)));
    if (st == LW_OK) {
        ignored = lw_tree_closed(tree, ignored_fields(kind, manager->subresource));
        st = lw_tree_status(tree);
    }
    if (st < 0)
        return st;
    mw->write = (lw_field_write){
        .type = type_of(kind),
        .manager = { .name = manager->name,
                     .api_version = lw_buf_view(&mw->api_version),
                     .subresource = manager->subresource,
                     .time = is_timed(manager) ? lw_str_of(mw->time) : LW_STR(""),
                     .is_apply = manager->is_apply },
        .ignored = ignored,
    };
    return LW_OK;
}

void lw_managed_write_done(lw_managed_write *mw)
{
    lw_buf_done(&mw->api_version);
}

/* A new object has no other managers. */
static lw_status note_new(lw_pending_object *pending, const lw_field_write *write)
{
    return lw_managed_fields_create(write->type, &write->manager, pending->root, write->ignored,
                                    &pending->managed);
}

/* Reads the managers to start from: those that the client sent (NULL: it may not), otherwise the
 * stored ones.  Entries that cannot be parsed are ignored. */
static lw_status read_managers(lw_managers *managers, const lw_node *sent, const lw_node *stored)
{
    if (lw_managers_is_reset(sent))
        return LW_OK;
    lw_status st = lw_managers_read(managers, sent, NULL);
    if (st == LW_ERR_INVALID || (st == LW_OK && managers->count == 0))
        st = lw_managers_read(managers, stored, NULL);
    return st == LW_ERR_INVALID ? LW_OK : st;
}

static lw_status put_managers(lw_pending_object *pending, lw_managers *managers)
{
    lw_node *list = NULL;
    lw_status st = lw_managers_write(managers, &list);
    if (st == LW_OK)
        lw_node_put(pending->tree, pending->metadata, LW_STR("managedFields"), list);
    return st;
}

static lw_status note_change(lw_pending_object *pending, const lw_field_write *write,
                             const lw_node *sent, const lw_node *stored)
{
    lw_managers managers;
    lw_managers_init(&managers, pending->tree);
    lw_status st = read_managers(&managers, sent, stored);
    if (st == LW_OK)
        st = lw_managers_update(&managers, write, pending->old, pending->root);
    if (st == LW_OK)
        st = put_managers(pending, &managers);
    lw_managers_done(&managers);
    return st;
}

/* Notes |changes| in the |stored| entries; those that they do not concern are written as they are.
 * False: they must be read as a whole. */
static bool note_as_stored(lw_pending_object *pending, const lw_field_write *write,
                           const lw_node *stored, const lw_field_changes *changes)
{
    lw_managers managers;
    bool has_new = false;
    lw_managers_init(&managers, pending->tree);
    lw_status st = lw_managers_read_as_is(&managers, stored, NULL);
    bool is_noted = st == LW_OK && lw_managers_note_stored(&managers, write, changes, &has_new);
    if (is_noted) {
        lw_managers_append_json(&managers, &pending->managed);
        lw_pending_object_note(pending, pending->managed.st);
        pending->has_new_fields = has_new;
    }
    lw_managers_done(&managers);
    return is_noted;
}

/* For an object whose stored entries are the ones to start from. */
static lw_status note_stored(lw_pending_object *pending, const lw_field_write *write,
                             const lw_node *stored)
{
    lw_managers managers;
    lw_field_changes changes;
    lw_status st =
        lw_field_write_compare(pending->tree, write, pending->old, pending->root, &changes);
    if (st < 0 || note_as_stored(pending, write, stored, &changes))
        return st;
    lw_managers_init(&managers, pending->tree);
    st = read_managers(&managers, NULL, stored);
    if (st == LW_OK && managers.count > 0)
        st = lw_managers_note(&managers, write, &changes);
    if (st == LW_OK)
        st = put_managers(pending, &managers);
    lw_managers_done(&managers);
    return st;
}

static lw_status note(lw_pending_object *pending, const lw_field_write *write, const lw_node *sent)
{
    const lw_node *stored = lw_fields_find(pending->old, "/metadata/managedFields");
    if (!pending->old && !sent)
        return note_new(pending, write);
    if (lw_node_count(stored) > 0 && (!sent || lw_node_equal(sent, stored)))
        return note_stored(pending, write, stored);
    return note_change(pending, write, sent, stored);
}

void lw_managed_note(lw_pending_object *pending, const lw_field_manager *manager)
{
    lw_managed_write mw;
    const lw_node *sent = lw_node_get(pending->metadata, LW_STR("managedFields"));
    if (lw_pending_object_state(pending) < 0)
        return;
    lw_fields_remove(pending->metadata, "managedFields");
    lw_status st = lw_managed_write_init(&mw, pending->tree, pending->port, pending->kind, manager);
    if (st == LW_OK) /* a write of a subresource cannot set managedFields */
        st = note(pending, &mw.write, manager->subresource.len == 0 ? sent : NULL);
    lw_managed_write_done(&mw);
    lw_pending_object_note(pending, st);
}

bool lw_managed_is_unchanged(lw_pending_object *pending)
{
    if (pending->has_new_fields)
        return false;
    if (pending->managed.len > 0) { /* only a time has changed */
        lw_fields_remove(lw_fields_find(pending->old, "/metadata"), "managedFields");
        return lw_pending_object_is_unchanged(pending);
    }
    lw_node *stored = lw_fields_find(pending->old, "/metadata/managedFields");
    lw_node *now = lw_node_get(pending->metadata, LW_STR("managedFields"));
    if (!lw_managers_equal_untimed(stored, now))
        return false;
    lw_node_put(pending->tree, pending->metadata, LW_STR("managedFields"), stored);
    if (lw_pending_object_is_unchanged(pending))
        return true;
    lw_node_put(pending->tree, pending->metadata, LW_STR("managedFields"), now);
    return false;
}
