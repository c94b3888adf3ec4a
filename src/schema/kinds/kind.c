/* SPDX-License-Identifier: Apache-2.0 */
/* kind.c -- questions that one entry of the table answers. */
#include "schema/kinds/kind.h"

#include <assert.h>

#include "base/str.h"
#include "object/object.h"
#include "schema/kinds/conversion.h"
#include "schema/kinds/definition.h"
#include "json/cursor.h"
#include "json/path.h"
#include "json/text.h"
#include "json/writer.h"

/* Every kind has these. */
static const lw_field_label common_fields[] = {
    { .label = LW_STR_INIT("metadata.name"), .pointer = "/metadata/name" },
    { .label = LW_STR_INIT("metadata.namespace"), .pointer = "/metadata/namespace" },
    { .label = { NULL, 0 } },
};

lw_str lw_verb_name(unsigned verb)
{
    static const lw_str names[] = {
        LW_STR_INIT("create"), LW_STR_INIT("delete"), LW_STR_INIT("deletecollection"),
        LW_STR_INIT("get"),    LW_STR_INIT("list"),   LW_STR_INIT("patch"),
        LW_STR_INIT("update"), LW_STR_INIT("watch"),
    };
    size_t i = 0;
    assert(verb != 0 && verb <= LW_VERB_WATCH && (verb & (verb - 1)) == 0);
    while (i + 1 < sizeof(names) / sizeof(names[0]) && verb != 1u << i)
        i++;
    return names[i];
}

static const lw_field_label *find_label(const lw_field_label *fields, lw_str label)
{
    for (; fields && fields->label.len > 0; fields++) {
        if (lw_str_equal(fields->label, label))
            return fields;
    }
    return NULL;
}

bool lw_kind_find_field(const lw_kind *kind, lw_str field, lw_field_label *out)
{
    bool has_own = kind->fields || (kind->flags & LW_KIND_CUSTOM);
    const lw_field_label *found = find_label(common_fields, field);
    if (!kind->is_namespaced && has_own && lw_str_equal(field, LW_STR("metadata.namespace")))
        return false; /* kinds without fields of their own have both of the common ones */
    if (!found)
        found = find_label(kind->fields, field);
    if (!found)
        return false;
    *out = *found;
    return true;
}

/* The value of the dotted |field|; false when there is none. */
static bool find_dotted(lw_str json, lw_str field, lw_str *value)
{
    lw_json_cursor at = lw_json_cursor_on(json);
    bool more = true;
    while (more) {
        lw_str segment;
        more = lw_str_cut(field, '.', &segment, &field);
        if (!lw_json_cursor_find_member(&at, segment))
            return false;
    }
    *value = lw_json_cursor_skip(&at);
    return true;
}

/* True when |value| is a string, number or boolean, and not the empty string. */
static bool is_telling(lw_str value)
{
    lw_json_cursor at = lw_json_cursor_on(value);
    switch (lw_json_cursor_type(&at)) {
    case LW_JSON_STRING: return value.len > 2;
    case LW_JSON_NUMBER:
    case LW_JSON_BOOL: return true;
    case LW_JSON_NULL:
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: break;
    }
    return false;
}

/* What the field says about |obj|, as JSON; false when it says nothing. */
static bool find_value(const lw_field_label *field, const lw_object *obj, lw_str *value)
{
    lw_str json = lw_object_json(obj);
    bool is_found = field->pointer
                        ? lw_json_path_find(json, lw_str_of(field->pointer), value) == LW_OK
                        : find_dotted(json, field->label, value);
    if (is_found && is_telling(*value))
        return true;
    return field->other && lw_json_path_find(json, lw_str_of(field->other), value) == LW_OK &&
           is_telling(*value);
}

static bool field_equals(const lw_field_label *field, const lw_object *obj, lw_str expected)
{
    lw_str value;
    if (!find_value(field, obj, &value))
        return lw_str_equal(lw_str_of(field->fallback), expected);
    if (value.ptr[0] == '"')
        return lw_json_text_equal(lw_str_make(value.ptr + 1, value.len - 2), expected);
    return lw_str_equal(value, expected);
}

static bool fields_match(const lw_field_selector *fields, const lw_object *obj, const lw_kind *kind,
                         bool takes_any)
{
    size_t count;
    const lw_field_requirement *requirements = lw_field_selector_requirements(fields, &count);
    for (size_t i = 0; i < count; i++) {
        lw_field_label field = { .label = requirements[i].field };
        bool is_known = lw_kind_find_field(kind, requirements[i].field, &field);
        /* Requests that name other fields are refused before; here nothing matches them. */
        if ((!is_known && !takes_any) ||
            field_equals(&field, obj, requirements[i].value) == requirements[i].is_negated)
            return false;
    }
    return true;
}

bool lw_kind_fields_match(const lw_field_selector *fields, const lw_object *obj, const void *kind)
{
    return fields_match(fields, obj, kind, false);
}

bool lw_kind_any_fields_match(const lw_field_selector *fields, const lw_object *obj,
                              const void *kind)
{
    return fields_match(fields, obj, kind, true);
}

static void append_version(const lw_kind *kind, lw_str version, lw_buf *out)
{
    lw_buf_append_str(out, kind->group);
    if (kind->group.len > 0)
        lw_buf_append_char(out, '/');
    lw_buf_append_str(out, version);
}

static void write_api_version(const lw_kind *kind, lw_buf *out)
{
    append_version(kind, kind->version, out);
}

void lw_kind_append_storage_version(const lw_kind *kind, lw_buf *out)
{
    append_version(kind, kind->storage_version.len > 0 ? kind->storage_version : kind->version,
                   out);
}

/* Splits the bytes of a custom resource around its apiVersion; false: it is that of |kind|, or the
 * kind is built in. */
static bool split(const lw_kind *kind, const lw_object *obj, lw_str *before, lw_str *after)
{
    lw_str json = lw_object_json(obj), value, prefix, version;
    if (!kind->custom || lw_json_path_find(json, LW_STR("/apiVersion"), &value) < 0 ||
        value.len < 2)
        return false;
    bool has_group = lw_str_cut(lw_str_make(value.ptr + 1, value.len - 2), '/', &prefix, &version);
    if (has_group && lw_str_equal(version, kind->version))
        return false;
    *before = lw_str_make(json.ptr, (size_t)(value.ptr - json.ptr));
    *after = lw_str_skip(json, before->len + value.len);
    return true;
}

const lw_kind *lw_kind_stored(const lw_kind *kind)
{
    return kind->stored_as ? kind->stored_as : kind;
}

/* Returns the version of the definition of |kind| in which |obj| is stored; NULL: there is no such
 * version, or |kind| is built in. */
static const lw_custom *stored_version(const lw_kind *kind, const lw_object *obj)
{
    lw_str group, version;
    if (!kind->custom ||
        lw_api_version_parse(lw_str_of(lw_object_api_version(obj)), &group, &version, NULL) < 0)
        return NULL;
    const lw_kind *stored = lw_definition_version(kind->custom->definition, version);
    return stored ? stored->custom : NULL;
}

/* True if objects of |definition| may have been written in a version with other defaults. */
static bool mixes_defaults(const lw_definition *definition)
{
    size_t count;
    (void)lw_definition_served(definition, &count);
    return count > 1 && !lw_definition_has_webhook(definition);
}

/* Returns the schema whose defaults |obj| may lack: that of the version it is stored in.  NULL: it
 * lacks none, because it was written with the definition as it is now, in its only version. */
static const lw_structural *lacked_defaults(const lw_kind *kind, const lw_object *obj)
{
    const lw_custom *stored = stored_version(kind, obj);
    if (!stored || !stored->schema || !lw_structural_has_defaults(stored->schema))
        return NULL;
    return lw_object_revision(obj) < lw_definition_revision(stored->definition) ||
                   mixes_defaults(stored->definition)
               ? stored->schema
               : NULL;
}

/* Returns the schema that prunes |obj|, which is stored in another version; NULL: none. */
static const lw_structural *pruning_schema(const lw_kind *kind, const lw_object *obj)
{
    const lw_custom *stored = stored_version(kind, obj);
    return kind->custom && stored != kind->custom ? kind->custom->schema : NULL;
}

bool lw_kind_shows_json_as_stored(const lw_kind *kind, const lw_object *obj)
{
    return !kind->conversion && !lacked_defaults(kind, obj);
}

bool lw_kind_shows_as_stored(const lw_kind *kind, const lw_object *obj)
{
    lw_str before, after;
    return lw_kind_shows_json_as_stored(kind, obj) && !split(kind, obj, &before, &after);
}

static void append_converted(const lw_kind *kind, const lw_object *obj, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_json_writer w;
    lw_status st = lw_kind_parse_converted(kind, obj, NULL, &tree);
    if (st == LW_OK) {
        lw_json_writer_init(&w, out, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(tree), &w);
        st = lw_json_writer_status(&w);
    }
    if (st < 0 && out->st == LW_OK)
        out->st = st;
    lw_tree_free(tree);
}

static void append_with_version(const lw_kind *kind, const lw_object *obj, lw_buf *out)
{
    lw_str before, after;
    (void)lw_buf_reserve(out, lw_object_json(obj).len + kind->version.len + 1);
    if (!split(kind, obj, &before, &after)) {
        lw_buf_append_str(out, lw_object_json(obj));
        return;
    }
    lw_buf_append_str(out, before);
    lw_buf_append_char(out, '"');
    write_api_version(kind, out);
    lw_buf_append_char(out, '"');
    lw_buf_append_str(out, after);
}

bool lw_kind_default_stored(const lw_kind *kind, const lw_object *obj, lw_tree *tree)
{
    const lw_structural *schema = lacked_defaults(kind, obj);
    if (!schema)
        return false;
    lw_node *root = lw_tree_root(tree), *before = lw_tree_copy(tree, root);
    lw_structural_default(schema, tree, root);
    return !lw_node_equal(before, root);
}

/* As kube-apiserver reads custom resources: defaults that the schema of the stored version has got
 * since |obj| was stored are filled in; fields that |kind|, another version, does not know are
 * removed.  Both schemas may be NULL. */
static void append_edited(const lw_kind *kind, const lw_structural *defaults,
                          const lw_structural *pruning, const lw_object *obj, lw_buf *out)
{
    lw_tree *tree = NULL;
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, out->limit);
    append_with_version(kind, obj, &json);
    lw_status st = json.st < 0 ? json.st : lw_tree_parse(&tree, lw_buf_view(&json), 0, NULL);
    if (st == LW_OK && defaults)
        lw_structural_default(defaults, tree, lw_tree_root(tree));
    if (st == LW_OK && pruning)
        lw_structural_prune(pruning, lw_tree_root(tree));
    if (st == LW_OK)
        st = lw_tree_status(tree);
    if (st == LW_OK) {
        lw_json_writer_init(&w, out, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(tree), &w);
        st = lw_json_writer_status(&w);
    }
    if (st < 0 && out->st == LW_OK)
        out->st = st;
    lw_tree_free(tree);
    lw_buf_done(&json);
}

void lw_kind_append_object(const lw_kind *kind, const lw_object *obj, lw_buf *out)
{
    const lw_structural *defaults = lacked_defaults(kind, obj);
    const lw_structural *pruning = pruning_schema(kind, obj);
    if (kind->conversion)
        append_converted(kind, obj, out);
    else if (defaults || pruning)
        append_edited(kind, defaults, pruning, obj, out);
    else
        append_with_version(kind, obj, out);
}

void lw_kind_write_empty(const lw_kind *kind, uint64_t rv, lw_str annotations, lw_buf *out)
{
    lw_buf_append_text(out, "{\"kind\":\"");
    lw_buf_append_str(out, kind->kind);
    lw_buf_append_text(out, "\",\"apiVersion\":\"");
    write_api_version(kind, out);
    lw_buf_append_text(out, "\",\"metadata\":{\"resourceVersion\":\"");
    lw_buf_append_uint(out, rv);
    lw_buf_append_char(out, '"');
    if (annotations.len > 0) {
        lw_buf_append_text(out, ",\"annotations\":");
        lw_buf_append_str(out, annotations);
    }
    lw_buf_append_char(out, '}');
    lw_buf_append_str(out, kind->empty_members);
    lw_buf_append_char(out, '}');
}

lw_gvk lw_kind_gvk(const lw_kind *kind)
{
    return (lw_gvk){ kind->group, kind->version, kind->kind };
}

lw_gvr lw_kind_gvr(const lw_kind *kind)
{
    return (lw_gvr){ kind->group, kind->version, kind->plural };
}
