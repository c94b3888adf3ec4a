/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.c -- prepares metadata (and status) for the store. */
#include "api/pending/metadata.h"

#include "api/http/failures.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "base/text/uuid.h"
#include "object/quote.h"
#include "schema/kinds/definition.h"
#include "schema/structural/structural.h"
#include "json/fields.h"

static bool is_kind(const lw_pending_object *pending, const char *group, const char *plural)
{
    return lw_str_equal(pending->kind->group, lw_str_of(group)) &&
           lw_str_equal(pending->kind->plural, lw_str_of(plural));
}

static bool refuse_name(lw_api_status *status, lw_str name, lw_str wanted)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    if (name.len == 0)
        lw_buf_printf(&message,
                      "the name of the object (%.*s based on URL) was undeterminable: name must be "
                      "provided",
                      LW_STR_ARG(wanted));
    else
        lw_buf_printf(&message,
                      "the name of the object (%.*s) does not match the name on the URL (%.*s)",
                      LW_STR_ARG(name), LW_STR_ARG(wanted));
    return lw_failure_bad_request(status, &message);
}

bool lw_metadata_is_named(lw_str name, lw_str wanted, lw_api_status *status)
{
    return lw_str_equal(name, wanted) || refuse_name(status, name, wanted);
}

bool lw_metadata_is_in(lw_str ns, lw_str wanted, lw_api_status *status)
{
    if (ns.len == 0 || lw_str_equal(ns, wanted))
        return true;
    lw_api_status_bad_request(status, LW_STR("the namespace of the provided object does not "
                                             "match the namespace sent on the request"));
    return false;
}

bool lw_metadata_fits(lw_pending_object *pending, lw_key key, lw_api_status *status)
{
    lw_str ns = lw_fields_text(pending->metadata, "namespace");
    lw_str name = lw_fields_text(pending->metadata, "name");
    if (!pending->kind->is_namespaced)
        lw_fields_remove(pending->metadata, "namespace");
    else if (ns.len == 0)
        lw_fields_set_text(pending->tree, pending->metadata, "namespace", key.ns);
    else if (!lw_metadata_is_in(ns, key.ns, status))
        return false;
    return key.name.len == 0 || lw_metadata_is_named(name, key.name, status);
}

void lw_metadata_set_time(lw_pending_object *pending, lw_node *object, const char *key,
                          int64_t wall_ns)
{
    char text[LW_TIME_TEXT_SIZE];
    lw_status st = lw_time_format(text, lw_time_of_ns(wall_ns));
    lw_pending_object_note(pending, st);
    if (st == LW_OK)
        lw_fields_set_text(pending->tree, object, key, lw_str_of(text));
}

/* Fills in the status of an object that has none: for a custom resource the default of its schema,
 * which was there before it was taken away. */
static void default_status(const lw_pending_object *pending)
{
    const lw_structural *schema = pending->kind->custom ? pending->kind->custom->schema : NULL;
    if (schema && lw_structural_has_defaults(schema))
        lw_structural_default(schema, pending->tree, pending->root);
    else if (!pending->kind->custom)
        (void)lw_fields_object(pending->tree, pending->root, "status");
}

/* Resets the status of a new object. */
static void clear_status(const lw_pending_object *pending)
{
    /* A node may register with its status. */
    if (!(pending->kind->subresources & LW_SUB_STATUS) || is_kind(pending, "", "nodes"))
        return;
    lw_fields_remove(pending->root, "status");
    default_status(pending);
}

void lw_metadata_prepare_create(lw_pending_object *pending, int64_t wall_ns)
{
    char uid[LW_UUID_SIZE];
    lw_node *metadata = pending->metadata;
    lw_uuid_format(uid, &pending->port->random);
    lw_fields_set_text(pending->tree, metadata, "uid", lw_str_of(uid));
    lw_metadata_set_time(pending, metadata, "creationTimestamp", wall_ns);
    lw_fields_remove(metadata, "deletionTimestamp");
    lw_fields_remove(metadata, "deletionGracePeriodSeconds");
    if (pending->kind->flags & LW_KIND_GENERATION)
        lw_fields_set_int(pending->tree, metadata, "generation", 1);
    clear_status(pending);
}

/* Copies the members |keys| of metadata from the stored object. */
static void keep_metadata(lw_pending_object *pending, const char *const *keys)
{
    const lw_node *old = lw_fields_find(pending->old, "/metadata");
    for (; *keys; keys++)
        lw_fields_set_copy(pending->tree, pending->metadata, *keys,
                           lw_node_get(old, lw_str_of(*keys)));
}

static const char *const server_fields[] = { "generation", "creationTimestamp", NULL };

/* If the client sends these, they must not change (lw_validate_metadata_update). */
static const char *const fixed_fields[] = { "uid", "deletionTimestamp",
                                            "deletionGracePeriodSeconds" };

static void keep_identity(lw_pending_object *pending)
{
    for (size_t i = 0; i < sizeof(fixed_fields) / sizeof(fixed_fields[0]); i++) {
        const char *const field[] = { fixed_fields[i], NULL };
        const lw_node *sent = lw_node_get(pending->metadata, lw_str_of(field[0]));
        bool is_said = lw_node_is(sent, LW_JSON_STRING) ? lw_node_text(sent).len > 0
                                                        : lw_node_type(sent) != LW_JSON_NULL;
        if (!is_said)
            keep_metadata(pending, field);
    }
    keep_metadata(pending, server_fields);
}

void lw_metadata_prepare_update(lw_pending_object *pending)
{
    keep_identity(pending);
    if (!(pending->kind->subresources & LW_SUB_STATUS))
        return;
    const lw_node *status = lw_node_get(pending->old, LW_STR("status"));
    lw_fields_set_copy(pending->tree, pending->root, "status", status);
    if (!status && pending->kind->custom)
        default_status(pending);
}

/* Makes an object like the stored one without its status.  A custom resource is copied; a typed one
 * shares the members of the stored one, without its metadata. */
static lw_node *take_stored(const lw_pending_object *pending, bool is_custom)
{
    lw_node *copy = lw_tree_object(pending->tree);
    for (size_t i = 0; i < lw_node_count(pending->old); i++) {
        lw_str key = lw_node_key_at(pending->old, i);
        bool is_left_out = lw_str_equal(key, LW_STR("status")) ||
                           (!is_custom && lw_str_equal(key, LW_STR("metadata")));
        lw_node *value = lw_node_at(pending->old, i);
        if (!is_left_out)
            lw_node_put(pending->tree, copy, key,
                        is_custom ? lw_tree_share(pending->tree, value) : value);
    }
    return copy;
}

void lw_metadata_prepare_status(lw_pending_object *pending)
{
    static const char *const labels[] = { "labels", NULL };
    static const char *const owners[] = { "ownerReferences", NULL };
    bool is_custom = pending->kind->flags & LW_KIND_CUSTOM;
    lw_node *sent = pending->root, *metadata = pending->metadata;
    pending->root = take_stored(pending, is_custom);
    lw_node *status = lw_node_get(sent, LW_STR("status"));
    if (status)
        lw_node_put(pending->tree, pending->root, LW_STR("status"), status);
    if (is_custom) {
        pending->metadata = lw_fields_object(pending->tree, pending->root, "metadata");
        return;
    }
    if (!status)
        (void)lw_fields_object(pending->tree, pending->root, "status");
    lw_node_put(pending->tree, pending->root, LW_STR("metadata"), metadata);
    keep_identity(pending);
    if (is_kind(pending, "apps", "deployments"))
        keep_metadata(pending, labels);
    if (is_kind(pending, "", "pods"))
        keep_metadata(pending, owners);
}

/* Absent and empty are equal. */
static bool maps_differ(const lw_node *a, const lw_node *b)
{
    return (lw_node_count(a) > 0 || lw_node_count(b) > 0) && !lw_node_equal(a, b);
}

void lw_metadata_count_generation(lw_pending_object *pending)
{
    /* Members that do not count. */
    static const char *const without_status[] = { "kind", "apiVersion", "metadata", "status",
                                                  NULL };
    static const char *const with_status[] = { "kind", "apiVersion", "metadata", NULL };
    if (!(pending->kind->flags & LW_KIND_GENERATION))
        return;
    bool has_status = pending->kind->subresources & LW_SUB_STATUS;
    bool is_changed =
        lw_fields_differ(pending->root, pending->old, has_status ? without_status : with_status);
    if (pending->kind->flags & LW_KIND_ANNOTATION_GENERATION)
        is_changed |= maps_differ(lw_node_get(pending->metadata, LW_STR("annotations")),
                                  lw_fields_find(pending->old, "/metadata/annotations"));
    if (is_changed)
        lw_fields_set_int(pending->tree, pending->metadata, "generation",
                          lw_fields_int(pending->metadata, "generation", 0) + 1);
}

bool lw_metadata_is_released(const lw_pending_object *pending)
{
    const lw_node *old = lw_fields_find(pending->old, "/metadata");
    if (lw_fields_text(old, "deletionTimestamp").len == 0 ||
        lw_node_count(lw_node_get(pending->metadata, LW_STR("finalizers"))) > 0)
        return false;
    if (is_kind(pending, "", "namespaces") &&
        lw_node_count(lw_fields_find(pending->root, "/spec/finalizers")) > 0)
        return false;
    return lw_fields_int(old, "deletionGracePeriodSeconds", 0) == 0;
}

void lw_metadata_drop_finalizer(const lw_node *metadata, lw_str name)
{
    lw_node *finalizers = lw_node_get(metadata, LW_STR("finalizers"));
    for (size_t i = lw_node_count(finalizers); i-- > 0;) {
        if (lw_str_equal(lw_node_text(lw_node_at(finalizers, i)), name))
            lw_node_remove_at(finalizers, i);
    }
}
