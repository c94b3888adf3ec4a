/* SPDX-License-Identifier: Apache-2.0 */
/* pending_object.c -- an object in the making: its copy, the types of its fields, its final order.
 */
#include "api/pending/pending_object.h"

#include "api/context/definitions.h"
#include "api/pending/stored_parts.h"

#include "base/str.h"
#include "object/gvk.h"
#include "schema/kinds/conversion.h"
#include "schema/kinds/definition.h"
#include "schema/validation/check.h"
#include "schema/validation/check_fits.h"
#include "schema/validation/typed.h"
#include "json/fields.h"

typedef enum field_type {
    FIELD_STRING,
    FIELD_INT,
    FIELD_MAP, /* of strings */
    FIELD_STRINGS,
    FIELD_OBJECTS,
    FIELD_MANAGERS,
} field_type;

/* The members of metadata in the order they are written; all others are nobody's. */
static const struct {
    lw_str name;
    field_type type;
} metadata_fields[] = {
    { LW_STR_INIT("name"), FIELD_STRING },
    { LW_STR_INIT("generateName"), FIELD_STRING },
    { LW_STR_INIT("namespace"), FIELD_STRING },
    { LW_STR_INIT("uid"), FIELD_STRING },
    { LW_STR_INIT("resourceVersion"), FIELD_STRING },
    { LW_STR_INIT("generation"), FIELD_INT },
    { LW_STR_INIT("creationTimestamp"), FIELD_STRING },
    { LW_STR_INIT("deletionTimestamp"), FIELD_STRING },
    { LW_STR_INIT("deletionGracePeriodSeconds"), FIELD_INT },
    { LW_STR_INIT("labels"), FIELD_MAP },
    { LW_STR_INIT("annotations"), FIELD_MAP },
    { LW_STR_INIT("ownerReferences"), FIELD_OBJECTS },
    { LW_STR_INIT("finalizers"), FIELD_STRINGS },
    { LW_STR_INIT("managedFields"), FIELD_MANAGERS },
};

enum {
    METADATA_FIELDS = sizeof(metadata_fields) / sizeof(metadata_fields[0]),
    OBJECT_MAX = 8 << 20, /* bytes of what is stored; LW_STORE_VALUE_MAX */
    SORT_STEPS = 3,       /* of the budget for each member that is sorted */
};

lw_str lw_pending_object__metadata_name(size_t i)
{
    return i < METADATA_FIELDS ? metadata_fields[i].name : LW_STR("");
}

/* Returns what the document has for |value|, a member |name| of the body. */
static lw_node *share_member(lw_pending_object *pending, lw_str name, lw_node *value)
{
    lw_node *stored = lw_node_get(pending->old, name);
    bool is_same = false;
    if (lw_stored_parts_has(name))
        lw_pending_object_note(pending,
                               lw_stored_parts_match(value, stored, lw_tree_budget(pending->tree),
                                                     &is_same));
    return is_same ? stored : lw_tree_share_without_nulls(pending->tree, value);
}

/* Copies |body|.  A spec or status that the stored object has as well is not copied but is that of
 * it: most writes change one of them, and whoever compares the documents sees at once that the
 * other is the same.  Other members are copied: defaults may change them because of their
 * neighbours, as the data of a secret. */
static lw_node *share_body(lw_pending_object *pending, const lw_node *body)
{
    lw_tree *tree = pending->tree;
    if (!pending->old || !lw_node_is(body, LW_JSON_OBJECT))
        return lw_tree_share_without_nulls(tree, body);
    lw_node *root = lw_tree_object(tree);
    for (size_t i = 0; i < lw_node_count(body); i++) {
        lw_str name = lw_node_key_at(body, i);
        lw_node *value = lw_node_at(body, i);
        if (!lw_node_is(value, LW_JSON_NULL))
            lw_node_put(tree, root, name, share_member(pending, name, value));
    }
    return root;
}

/* |shares|: the parts that |body| and |old| have in common are not copied. */
static lw_status open_with(lw_pending_object *pending, lw_budget *budget, const lw_node *body,
                           bool shares)
{
    const lw_kind *kind = pending->kind;
    lw_buf_init(&pending->managed, OBJECT_MAX);
    lw_status st = lw_tree_new(&pending->tree, 0);
    if (st < 0)
        return st;
    lw_tree_set_budget(pending->tree, budget);
    bool is_typed = !(kind->flags & LW_KIND_CUSTOM);
    pending->root = lw_kind_is_definition(kind) ? lw_tree_share_definition(pending->tree, body)
                    : !is_typed                 ? lw_tree_share(pending->tree, body)
                    : shares                    ? share_body(pending, body)
                                                : lw_tree_share_without_nulls(pending->tree, body);
    pending->metadata = lw_fields_object(pending->tree, pending->root, "metadata");
    return lw_pending_object_state(pending);
}

lw_status lw_pending_object_open_on(lw_pending_object *pending, lw_api_port *port,
                                    const lw_kind *kind, lw_budget *budget, const lw_node *body,
                                    lw_node *old)
{
    *pending = (lw_pending_object){ .port = port, .kind = kind, .old = old };
    return open_with(pending, budget, body, false);
}

/* Parses the stored object |current|.  Its parts stay closed if |shares|. */
static lw_status read_stored(lw_pending_object *pending, lw_budget *budget,
                             const lw_object *current, bool shares)
{
    lw_tree_part parts[LW_STORED_PARTS];
    size_t count = shares ? lw_stored_parts_list(pending->kind, current, parts) : 0;
    lw_budget_enter(budget, LW_BUDGET_STORED);
    lw_status st = pending->kind->conversion
                       ? lw_kind_parse_converted(pending->kind, current, budget, &pending->old_tree)
                       : lw_stored_parts_parse(current, parts, count, budget, &pending->old_tree);
    if (st < 0)
        return st;
    pending->old = lw_tree_root(pending->old_tree);
    pending->is_stale = lw_kind_default_stored(pending->kind, current, pending->old_tree);
    return lw_tree_status(pending->old_tree);
}

lw_status lw_pending_object_open(lw_pending_object *pending, lw_api_port *port, const lw_kind *kind,
                                 lw_budget *budget, const lw_node *body, const lw_object *current)
{
    *pending = (lw_pending_object){ .port = port, .kind = kind };
    lw_status st = open_with(pending, budget, body, false);
    return st < 0 || !current ? st : read_stored(pending, budget, current, false);
}

lw_status lw_pending_object_open_inside(lw_pending_object *pending, lw_api_port *port,
                                        const lw_kind *kind, lw_budget *budget, lw_tree *body,
                                        bool is_typed, bool *is_changed)
{
    lw_node *root = lw_tree_root(body);
    *is_changed = !(kind->flags & LW_KIND_CUSTOM) && !lw_kind_is_definition(kind) &&
                  lw_tree_can_reread(body) && lw_tree_budget(body) == budget;
    if (!*is_changed)
        return lw_pending_object_open(pending, port, kind, budget, root, NULL);
    bool had_nulls = lw_tree_had_nulls(body);
    *pending = (lw_pending_object){ .port = port,
                                    .kind = kind,
                                    .tree = body,
                                    .is_borrowed = true,
                                    .is_typed = is_typed && !had_nulls };
    lw_buf_init(&pending->managed, OBJECT_MAX);
    if (had_nulls)
        lw_tree_drop_nulls(body, root);
    pending->root = root;
    pending->metadata = lw_fields_object(body, root, "metadata");
    return lw_tree_status(body);
}

lw_status lw_pending_object_open_update(lw_pending_object *pending, lw_api_port *port,
                                        const lw_kind *kind, lw_budget *budget, const lw_node *body,
                                        const lw_object *current, lw_tree *old)
{
    *pending = (lw_pending_object){
        .port = port, .kind = kind, .lent_tree = old, .old = old ? lw_tree_root(old) : NULL
    };
    pending->has_admitted = lw_object__checked(current) == LW_OBJECT_ADMITTED;
    lw_status st = old ? LW_OK : read_stored(pending, budget, current, true);
    return st < 0 ? st : open_with(pending, budget, body, true);
}

lw_node *lw_pending_object_own_part(const lw_pending_object *pending, const char *name)
{
    lw_tree *tree = pending->tree;
    lw_node *part = lw_fields_object(tree, pending->root, name);
    if (part && lw_node_get(pending->old, lw_str_of(name)) == part) {
        part = lw_tree_share(tree, part);
        lw_node_put(tree, pending->root, lw_str_of(name), part);
    }
    return part;
}

void lw_pending_object__drop_tree(lw_pending_object *pending)
{
    if (!pending->is_borrowed)
        lw_tree_free(pending->tree);
    pending->is_borrowed = false;
    pending->tree = NULL;
}

void lw_pending_object_done(lw_pending_object *pending)
{
    lw_pending_object__drop_tree(pending);
    lw_tree_free(pending->old_tree);
    lw_object_unref(pending->made);
    lw_buf_done(&pending->managed);
    *pending = (lw_pending_object){ 0 };
}

bool lw_pending_object_keeps_part(const lw_pending_object *pending, const char *name)
{
    return pending->has_admitted && lw_node_is_unread(lw_node_get(pending->root, lw_str_of(name)));
}

lw_status lw_pending_object_state(const lw_pending_object *pending)
{
    const lw_tree *old_tree = pending->old_tree ? pending->old_tree : pending->lent_tree;
    if (pending->st == LW_OK && old_tree && lw_tree_status(old_tree) < 0)
        return lw_tree_status(old_tree);
    return pending->st < 0 ? pending->st : lw_tree_status(pending->tree);
}

bool lw_pending_object_begin(lw_pending_object *pending, lw_budget_part part, bool visits_all)
{
    lw_budget *budget = lw_tree_budget(pending->tree);
    lw_budget_enter(budget, part);
    return visits_all ? lw_tree_charge_nodes(pending->tree) : !lw_budget_is_over(budget);
}

void lw_pending_object_note(lw_pending_object *pending, lw_status st)
{
    if (pending->st == LW_OK)
        pending->st = st;
}

static const char *json_type_name(const lw_node *node)
{
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: return "null";
    case LW_JSON_BOOL: return "bool";
    case LW_JSON_NUMBER: return "number";
    case LW_JSON_STRING: return "string";
    case LW_JSON_ARRAY: return "array";
    case LW_JSON_OBJECT: return "object";
    }
    return "";
}

/* Where a field stands, for messages. */
typedef struct field_place {
    lw_str owner;      /* the Go struct it is a member of */
    const char *under; /* "metadata.", or "" */
    lw_str name;
} field_place;

static bool refuse_type(const field_place *place, const lw_node *node, const char *wanted,
                        lw_buf *why)
{
    lw_buf_printf(why, "json: cannot unmarshal %s into Go struct field %.*s.%s%.*s of type %s",
                  json_type_name(node), LW_STR_ARG(place->owner), place->under,
                  LW_STR_ARG(place->name), wanted);
    return false;
}

static bool check_elements(const field_place *place, const lw_node *node, lw_json_type type,
                           const char *wanted, lw_buf *why)
{
    for (size_t i = 0; i < lw_node_count(node); i++) {
        const lw_node *element = lw_node_at(node, i);
        if (!lw_node_is(element, type) && !lw_node_is(element, LW_JSON_NULL))
            return refuse_type(place, element, wanted, why);
    }
    return true;
}

static bool check_field(const field_place *place, const lw_node *node, field_type type, lw_buf *why)
{
    int64_t number;
    switch (type) {
    case FIELD_STRING:
        return lw_node_is(node, LW_JSON_STRING) || refuse_type(place, node, "string", why);
    case FIELD_INT:
        return (lw_node_is(node, LW_JSON_NUMBER) && lw_node_int64(node, &number)) ||
               refuse_type(place, node, "int64", why);
    case FIELD_MAP:
        if (!lw_node_is(node, LW_JSON_OBJECT))
            return refuse_type(place, node, "map[string]string", why);
        return check_elements(place, node, LW_JSON_STRING, "string", why);
    case FIELD_STRINGS:
        if (!lw_node_is(node, LW_JSON_ARRAY))
            return refuse_type(place, node, "[]string", why);
        return check_elements(place, node, LW_JSON_STRING, "string", why);
    case FIELD_OBJECTS:
        if (!lw_node_is(node, LW_JSON_ARRAY))
            return refuse_type(place, node, "[]v1.OwnerReference", why);
        return check_elements(place, node, LW_JSON_OBJECT, "v1.OwnerReference", why);
    case FIELD_MANAGERS:
        if (!lw_node_is(node, LW_JSON_ARRAY))
            return refuse_type(place, node, "[]v1.ManagedFieldsEntry", why);
        return check_elements(place, node, LW_JSON_OBJECT, "v1.ManagedFieldsEntry", why);
    }
    return true;
}

/* Absent and null are fine everywhere. */
static bool check_member(const field_place *place, const lw_node *object, field_type type,
                         lw_buf *why)
{
    const lw_node *node = lw_node_get(object, place->name);
    return lw_node_type(node) == LW_JSON_NULL || check_field(place, node, type, why);
}

bool lw_pending_object_check_types(const lw_pending_object *pending, lw_buf *why)
{
    lw_str kind = pending->kind->kind;
    field_place place = { kind, "", LW_STR("metadata") };
    if (lw_pending_object_state(pending) < 0)
        return true; /* the failure is found by whoever looks next */
    if (!pending->metadata)
        return refuse_type(&place, lw_node_get(pending->root, place.name), "v1.ObjectMeta", why);
    for (size_t i = 0; i < METADATA_FIELDS; i++) {
        place = (field_place){ LW_STR("ObjectMeta"), "metadata.", metadata_fields[i].name };
        if (!check_member(&place, pending->metadata, metadata_fields[i].type, why))
            return false;
    }
    return true;
}

/* The type of the kind; NULL: its documents are kept as they come.  Definitions have rules of their
 * own for what is null in a schema. */
static const lw_type *type_of(const lw_pending_object *pending)
{
    bool is_definition = lw_str_equal(pending->kind->group, LW_STR("apiextensions.k8s.io"));
    bool is_custom = pending->kind->flags & LW_KIND_CUSTOM;
    return is_definition || is_custom ? NULL : lw_type_of_kind(lw_kind_gvk(pending->kind));
}

bool lw_pending_object_check_values(const lw_pending_object *pending, lw_buf *why)
{
    bool is_custom = pending->kind->flags & LW_KIND_CUSTOM;
    const lw_type *type = is_custom ? NULL : lw_type_of_kind(lw_kind_gvk(pending->kind));
    lw_check check;
    lw_buf json;
    lw_json_writer w;
    if (!type || lw_pending_object_state(pending) < 0 ||
        lw_check_fits_beside(type, pending->root, pending->old))
        return true;
    lw_check_init(&check);
    lw_buf_init(&json, OBJECT_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(pending->root, &w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = lw_check_document(&check, type, lw_buf_view(&json));
    bool is_good = st == LW_OK && check.fault.len == 0;
    if (!is_good)
        lw_buf_append_str(why, lw_buf_view(&check.fault));
    if (st < 0 && why->st == LW_OK)
        why->st = st;
    lw_buf_done(&json);
    lw_check_done(&check);
    return is_good;
}

void lw_pending_object_read_typed(lw_pending_object *pending)
{
    const lw_type *type = type_of(pending);
    if (!type)
        return;
    lw_stored_parts_defer(type, pending->root);
    lw_stored_parts_defer(type, pending->old);
    if (!pending->is_typed)
        lw_typed_read(pending->tree, type, pending->root);
    if (pending->old)
        lw_typed_read_beside(pending->tree, type, pending->old, pending->root);
    pending->is_read = true;
    pending->metadata = lw_fields_object(pending->tree, pending->root, "metadata");
}

/* What Go leaves out when it is empty. */
static bool is_empty(const lw_node *node)
{
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: return true;
    case LW_JSON_STRING: return lw_node_text(node).len == 0;
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: return lw_node_count(node) == 0;
    default: return false;
    }
}

/* Maps are written in the order of their keys. */
static void sort_member(lw_tree *tree, const lw_node *object, const char *key)
{
    lw_node *node = lw_node_get(object, lw_str_of(key));
    if (lw_node_is(node, LW_JSON_OBJECT) && lw_tree_charge(tree, lw_node_count(node) * SORT_STEPS))
        lw_node_sort_keys(node);
}

static lw_node *seal_metadata(lw_pending_object *pending)
{
    lw_node *sealed = lw_tree_object(pending->tree);
    for (size_t i = 0; i < METADATA_FIELDS; i++) {
        lw_str name = metadata_fields[i].name;
        lw_node *value = lw_node_get(pending->metadata, name);
        if (!is_empty(value) && !lw_str_equal(name, LW_STR("resourceVersion")))
            lw_node_put(pending->tree, sealed, name, value);
    }
    sort_member(pending->tree, sealed, "labels");
    sort_member(pending->tree, sealed, "annotations");
    return sealed;
}

static bool is_placed(lw_str key)
{
    return lw_str_equal(key, LW_STR("kind")) || lw_str_equal(key, LW_STR("apiVersion")) ||
           lw_str_equal(key, LW_STR("metadata")) || lw_str_equal(key, LW_STR("spec")) ||
           lw_str_equal(key, LW_STR("status"));
}

/* The version that it is stored in; one that a webhook converts (api/conversion) stays in the
 * version that it has until then. */
static void put_api_version(lw_pending_object *pending, lw_node *sealed)
{
    lw_buf text;
    const struct lw_custom *custom = pending->kind->custom;
    if (custom && lw_definition_has_webhook(custom->definition)) {
        lw_node_put(pending->tree, sealed, LW_STR("apiVersion"),
                    lw_node_get(pending->root, LW_STR("apiVersion")));
        return;
    }
    lw_buf_init(&text, 1024);
    lw_kind_append_storage_version(pending->kind, &text);
    lw_pending_object_note(pending, text.st);
    lw_node_put(pending->tree, sealed, LW_STR("apiVersion"),
                lw_tree_string(pending->tree, lw_buf_view(&text)));
    lw_buf_done(&text);
}

const lw_structural *lw_pending_object__storage_schema(const lw_pending_object *pending)
{
    const struct lw_custom *custom = pending->kind->custom;
    if (!custom || pending->is_copy || lw_definition_has_webhook(custom->definition))
        return NULL;
    const lw_kind *storage = lw_definition_storage_kind(custom->definition);
    return storage && storage != pending->kind ? storage->custom->schema : NULL;
}

void lw_pending_object_seal(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    if (pending->is_sealed)
        return;
    pending->is_sealed = true;
    pending->revision = lw_fields_text(pending->metadata, "resourceVersion");
    lw_node *from = pending->root, *sealed = lw_tree_object(tree);
    const lw_structural *schema = lw_pending_object__storage_schema(pending);
    if (schema)
        lw_structural_prune(schema, from);
    lw_node_put(tree, sealed, LW_STR("kind"), lw_tree_string(tree, pending->kind->kind));
    put_api_version(pending, sealed);
    pending->metadata = seal_metadata(pending);
    lw_node_put(tree, sealed, LW_STR("metadata"), pending->metadata);
    lw_node_put(tree, sealed, LW_STR("spec"), lw_node_get(from, LW_STR("spec")));
    for (size_t i = 0; i < lw_node_count(from); i++) {
        lw_str key = lw_node_key_at(from, i);
        if (!is_placed(key))
            lw_node_put(tree, sealed, key, lw_node_at(from, i));
    }
    lw_node_put(tree, sealed, LW_STR("status"), lw_node_get(from, LW_STR("status")));
    if (type_of(pending) && !lw_typed_write(tree, type_of(pending), sealed))
        pending->checked = LW_OBJECT_UNCHECKED;
    lw_stored_parts_settle(sealed);
    sort_member(pending->tree, sealed, "data");
    sort_member(pending->tree, sealed, "binaryData");
    pending->root = sealed;
    if (pending->old)
        lw_fields_remove(lw_fields_find(pending->old, "/metadata"), "resourceVersion");
}

bool lw_pending_object_is_unchanged(const lw_pending_object *pending)
{
    if (!pending->old || pending->is_stale || lw_pending_object_state(pending) < 0)
        return false;
    if (!pending->is_read)
        return lw_node_equal(pending->old, pending->root);
    return lw_typed_is_written(pending->tree, type_of(pending), pending->old, pending->root) &&
           lw_pending_object_state(pending) == LW_OK;
}
