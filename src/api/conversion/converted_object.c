/* SPDX-License-Identifier: Apache-2.0 */
/* converted_object.c -- checks and takes one object of a webhook's reply. */
#include "api/conversion/converted_object.h"

#include "api/conversion/conversion_review.h"
#include "api/pending/metadata_validation.h"
#include "base/str.h"
#include "object/gvk.h"
#include "json/fields.h"

enum {
    OBJECT_MAX = 8 * 1024 * 1024,
    SHOWN_MAX = 4096, /* bytes of an object in a message */
};

/* Begins a message; the caller appends the reason. */
static lw_status invalid(const lw_object *original, const char *what, lw_buf *why)
{
    lw_conversion_append_subject(original, why);
    lw_buf_printf(why, " returned invalid %s: ", what);
    return LW_ERR_INVALID;
}

static lw_status refuse_shape(const lw_node *node, lw_buf *why)
{
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, SHOWN_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    lw_buf_printf(why, "Object 'Kind' is missing in '%.*s'", LW_STR_ARG(lw_buf_view(&json)));
    lw_buf_done(&json);
    return LW_ERR_INVALID;
}

/* The version that was asked for, and the kind that it was. */
static lw_status check_kind(const lw_kind *to, const lw_object *original, const lw_node *node,
                            lw_buf *why)
{
    lw_str group = LW_STR(""), version = LW_STR(""), kind = lw_fields_text(node, "kind");
    if (kind.len == 0)
        return refuse_shape(node, why);
    (void)lw_api_version_parse(lw_fields_text(node, "apiVersion"), &group, &version, NULL);
    if (!lw_str_equal(group, to->group) || !lw_str_equal(version, to->version)) {
        (void)invalid(original, "object at index 0", why);
        lw_buf_append_text(why, "invalid groupVersion (expected ");
        lw_api_version_append(why, to->group, to->version);
        lw_buf_append_text(why, ", received ");
        lw_api_version_append(why, group, version);
        lw_buf_append_char(why, ')');
        return LW_ERR_INVALID;
    }
    if (lw_str_equal(kind, lw_str_of(lw_object_kind(original))))
        return LW_OK;
    (void)invalid(original, "object at index 0", why);
    lw_buf_printf(why, "invalid kind (expected %s, received %.*s)", lw_object_kind(original),
                  LW_STR_ARG(kind));
    return LW_ERR_INVALID;
}

static lw_status check_identity(const lw_object *original, const lw_node *metadata, lw_buf *why)
{
    const struct {
        const char *member, *word, *before;
    } same[] = {
        { "name", "name", lw_object_name(original) },
        { "namespace", "namespace", lw_object_namespace(original) },
        { "uid", "UID", lw_object_uid(original) },
    };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        lw_str after = lw_fields_text(metadata, same[i].member);
        if (lw_str_equal(after, lw_str_of(same[i].before)))
            continue;
        (void)invalid(original, "object", why);
        lw_buf_printf(why, "must have the same %s: %s != %.*s", same[i].word, same[i].before,
                      LW_STR_ARG(after));
        return LW_ERR_INVALID;
    }
    return LW_OK;
}

/* The type of a decoded value, in Go's words. */
static const char *go_type(const lw_node *node)
{
    int64_t number;
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: return "<nil>";
    case LW_JSON_BOOL: return "bool";
    case LW_JSON_NUMBER: return lw_node_int64(node, &number) ? "int64" : "float64";
    case LW_JSON_STRING: return "string";
    case LW_JSON_ARRAY: return "[]interface {}";
    case LW_JSON_OBJECT: return "map[string]interface {}";
    }
    return "";
}

static void append_errors(const lw_api_status *errors, lw_buf *why)
{
    if (errors->cause_count > 1)
        lw_buf_append_char(why, '[');
    for (size_t i = 0; i < errors->cause_count; i++) {
        lw_buf_append_text(why, i > 0 ? ", " : "");
        lw_buf_append_str(why, lw_api_status_str(errors, errors->causes[i].field));
        lw_buf_append_text(why, ": ");
        lw_buf_append_str(why, lw_api_status_str(errors, errors->causes[i].message));
    }
    if (errors->cause_count > 1)
        lw_buf_append_char(why, ']');
}

/* What has not changed is not validated: it may be older than the rules. */
static lw_status validate(const lw_object *original, const lw_node *map, bool is_labels,
                          lw_buf *why)
{
    lw_api_status errors;
    lw_api_status_init(&errors);
    if (is_labels)
        lw_validate_labels(map, LW_STR("metadata.labels"), &errors);
    else /* the path is that of kube-apiserver */
        lw_validate_annotations(map, LW_STR("metadata.annotation"), &errors);
    lw_status st = lw_api_status_state(&errors);
    if (st == LW_OK && errors.cause_count > 0) {
        st = invalid(original, "metadata", why);
        append_errors(&errors, why);
    }
    lw_api_status_done(&errors);
    return st;
}

static lw_status check_map(const lw_object *original, const char *name, const lw_node *map,
                           lw_buf *why)
{
    if (!lw_node_is(map, LW_JSON_OBJECT)) {
        (void)invalid(original, "metadata", why);
        lw_buf_printf(why, "invalid metadata.%s of type %s in converted object", name,
                      go_type(map));
        return LW_ERR_INVALID;
    }
    for (size_t i = 0; i < lw_node_count(map); i++) {
        if (lw_node_is(lw_node_at(map, i), LW_JSON_STRING))
            continue;
        (void)invalid(original, "metadata", why);
        lw_buf_printf(why, "metadata.%s[%.*s] must be a string, but is %s in converted object",
                      name, LW_STR_ARG(lw_node_key_at(map, i)), go_type(lw_node_at(map, i)));
        return LW_ERR_INVALID;
    }
    return LW_OK;
}

/* Takes labels or annotations of |from|, the reply's metadata, into |metadata|. */
static lw_status take_map(const lw_object *original, lw_tree *tree, const char *name,
                          const lw_node *from, lw_node *metadata, lw_buf *why)
{
    lw_str key = lw_str_of(name);
    lw_node *map = lw_node_get(from, key);
    if (lw_node_type(map) == LW_JSON_NULL) {
        (void)lw_node_remove(metadata, key);
        return LW_OK;
    }
    lw_status st = check_map(original, name, map, why);
    if (st == LW_OK && !lw_node_equal(map, lw_node_get(metadata, key)))
        st = validate(original, map, lw_str_equal(key, LW_STR("labels")), why);
    if (st == LW_OK)
        lw_node_put(tree, metadata, key, map);
    return st;
}

/* The metadata of the original with the labels and annotations of the reply. */
static lw_status make_metadata(const lw_object *original, lw_tree *tree, const lw_node *replied,
                               lw_node **out, lw_buf *why)
{
    lw_str json;
    lw_node *metadata = NULL;
    if (!replied || !lw_node_is(replied, LW_JSON_OBJECT)) {
        (void)invalid(original, "metadata", why);
        if (!replied)
            lw_buf_append_text(why, "missing metadata in converted object");
        else
            lw_buf_printf(why, "invalid metadata of type %s in converted object", go_type(replied));
        return LW_ERR_INVALID;
    }
    if (lw_object_raw(original, "/metadata", &json) < 0)
        json = LW_STR("{}");
    lw_status st = lw_tree_parse_node(tree, json, &metadata, NULL);
    if (st == LW_OK)
        st = take_map(original, tree, "labels", replied, metadata, why);
    if (st == LW_OK)
        st = take_map(original, tree, "annotations", replied, metadata, why);
    *out = metadata;
    return st;
}

static bool is_head(lw_str key)
{
    return lw_str_equal(key, LW_STR("kind")) || lw_str_equal(key, LW_STR("apiVersion")) ||
           lw_str_equal(key, LW_STR("metadata"));
}

/* In the order in which objects are stored. */
static lw_status make_object(const lw_kind *to, const lw_node *metadata, const lw_node *node,
                             lw_object **out)
{
    const lw_read_options options = { .keeps_managed_fields = true, .trusts_input = true };
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, OBJECT_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", to->kind);
    lw_json_write_member_string(&w, "apiVersion", lw_fields_text(node, "apiVersion"));
    lw_json_write_key(&w, LW_STR("metadata"));
    lw_node_write(metadata, &w);
    for (size_t i = 0; i < lw_node_count(node); i++) {
        if (is_head(lw_node_key_at(node, i)))
            continue;
        lw_json_write_key(&w, lw_node_key_at(node, i));
        lw_node_write(lw_node_at(node, i), &w);
    }
    lw_json_write_object_end(&w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = lw_object_from_json_with(out, json.data, json.len, &options, NULL);
    lw_buf_done(&json);
    return st;
}

lw_status lw_converted_object_read(const lw_kind *to, const lw_object *original, lw_tree *tree,
                                   lw_node *node, lw_object **out, lw_buf *why)
{
    lw_node *metadata = NULL;
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return refuse_shape(node, why);
    const lw_node *replied = lw_node_get(node, LW_STR("metadata"));
    lw_status st = check_kind(to, original, node, why);
    if (st == LW_OK)
        st = check_identity(original, replied, why);
    if (st == LW_OK)
        st = make_metadata(original, tree, replied, &metadata, why);
    if (st < 0)
        return st;
    if (to->custom && to->custom->schema)
        lw_structural_prune(to->custom->schema, node);
    st = lw_tree_status(tree);
    return st < 0 ? st : make_object(to, metadata, node, out);
}
