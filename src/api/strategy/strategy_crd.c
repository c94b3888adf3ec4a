/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_crd.c -- defaulting of definitions, and status.storedVersions. */
#include "api/strategy/crd_validate.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    NAME_MAX_BYTES = 1024,
    HTTPS_PORT = 443,
};

/* Sets the member |key| of |names|, if it is missing, to the name in lower case or with
 * |suffix|. */
static void default_name(lw_pending_object *pending, lw_node *names, const char *key, bool is_lower,
                         const char *suffix)
{
    lw_str kind = lw_fields_text(names, "kind");
    if (kind.len == 0 || lw_fields_text(names, key).len > 0)
        return;
    lw_buf text;
    lw_buf_init(&text, NAME_MAX_BYTES);
    for (size_t i = 0; i < kind.len; i++) {
        char c = kind.ptr[i];
        lw_buf_append_char(&text, is_lower && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
    lw_buf_append_text(&text, suffix);
    lw_pending_object_note(pending, text.st == LW_ERR_NOMEM ? text.st : LW_OK);
    if (text.st == LW_OK)
        lw_fields_set_text(pending->tree, names, key, lw_buf_view(&text));
    lw_buf_done(&text);
}

static void crd_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    lw_node *names = lw_node_get(spec, LW_STR("names"));
    if (lw_node_is(names, LW_JSON_OBJECT)) {
        default_name(pending, names, "singular", true, "");
        default_name(pending, names, "listKind", false, "List");
    }
    if (!lw_node_is(spec, LW_JSON_OBJECT))
        return;
    if (!lw_node_get(spec, LW_STR("conversion")))
        lw_fields_set_text(pending->tree, lw_fields_object(pending->tree, spec, "conversion"),
                           "strategy", LW_STR("None"));
    lw_node *service = lw_fields_find(spec, "/conversion/webhook/clientConfig/service");
    if (lw_node_is(service, LW_JSON_OBJECT))
        lw_fields_default_int(pending->tree, service, "port", HTTPS_PORT);
}

/* Returns the storage version, which may be empty; NULL: there is none. */
static lw_str storage_version(const lw_pending_object *pending)
{
    const lw_node *versions = lw_fields_find(pending->root, "/spec/versions");
    for (size_t i = 0; i < lw_node_count(versions); i++) {
        const lw_node *version = lw_node_at(versions, i);
        if (lw_node_bool(lw_node_get(version, LW_STR("storage"))))
            return lw_fields_text(version, "name");
    }
    return lw_str_make(NULL, 0);
}

/* Adds the storage version to status.storedVersions: objects may be stored in each version
 * listed. */
static void note_storage_version(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_fields_object(tree, pending->root, "status");
    lw_node *stored = lw_node_get(status, LW_STR("storedVersions"));
    lw_str version = storage_version(pending);
    if (!lw_node_is(stored, LW_JSON_ARRAY)) {
        stored = lw_tree_array(tree);
        lw_node_put(tree, status, LW_STR("storedVersions"), stored);
    }
    if (version.ptr && !lw_fields_list_has(stored, version))
        lw_node_append(tree, stored, lw_tree_string(tree, version));
}

static void crd_create(lw_pending_object *pending, lw_api_status *errors)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_fields_object(tree, pending->root, "status");
    (void)errors;
    lw_node_put(tree, status, LW_STR("conditions"), lw_tree_null(tree));
    lw_node *accepted = lw_fields_object(tree, status, "acceptedNames");
    lw_fields_set_text(tree, accepted, "plural", LW_STR(""));
    lw_fields_set_text(tree, accepted, "kind", LW_STR(""));
    note_storage_version(pending);
}

static void crd_update(lw_pending_object *pending, lw_api_status *errors)
{
    (void)errors;
    note_storage_version(pending);
}

const lw_strategy lw_strategies_crd[] = {
    { .group = LW_STR_INIT("apiextensions.k8s.io"),
      .plural = LW_STR_INIT("customresourcedefinitions"),
      .defaults = crd_defaults,
      .create = crd_create,
      .update = crd_update,
      .validate = lw_crd_validate },
    { .plural = { NULL, 0 } },
};
