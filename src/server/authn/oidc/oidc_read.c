/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_read.c -- reads an authentication configuration strictly: a field that is misspelled must
 * not silently turn into a rule that accepts more.
 *
 * Shapes describe the objects: for each field its name, its type, and where it goes. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "server/authn/oidc/oidc_config.h"
#include "json/fields.h"
#include "json/yaml/yaml.h"

enum {
    TREE_MAX = 32 * 1024 * 1024,
    DUPLICATES_MAX = 4096,
    PATH_MAX_LEN = 512,
    SHOWN = 128, /* bytes of a wrong value in a message */
};

typedef enum field_type {
    FIELD_IGNORED,
    FIELD_TEXT,   /* lw_str */
    FIELD_PREFIX, /* lw_oidc_mapping: prefix and has_prefix */
    FIELD_BOOL,
    FIELD_TEXTS, /* lw_oidc_list of lw_str */
    FIELD_OBJECT,
    FIELD_LIST, /* lw_oidc_list of objects */
} field_type;

typedef struct shape shape;

typedef struct field {
    const char *name;
    field_type type;
    size_t offset;
    const shape *inner; /* of objects and lists of them */
} field;

struct shape {
    const field *fields; /* the last one has no name */
    size_t size;
};

#define TEXT(type, name, member)                                                                   \
    {                                                                                              \
        name, FIELD_TEXT, offsetof(type, member), NULL                                             \
    }

static const field issuer_fields[] = {
    TEXT(lw_oidc_issuer, "url", url),
    TEXT(lw_oidc_issuer, "discoveryURL", discovery_url),
    TEXT(lw_oidc_issuer, "certificateAuthority", certificate_authority),
    { "audiences", FIELD_TEXTS, offsetof(lw_oidc_issuer, audiences), NULL },
    TEXT(lw_oidc_issuer, "audienceMatchPolicy", audience_match_policy),
    TEXT(lw_oidc_issuer, "egressSelectorType", egress_selector_type),
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape issuer_shape = { issuer_fields, 0 };

static const field claim_rule_fields[] = {
    TEXT(lw_oidc_rule, "claim", claim),
    TEXT(lw_oidc_rule, "requiredValue", required_value),
    TEXT(lw_oidc_rule, "expression", expression),
    TEXT(lw_oidc_rule, "message", message),
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape claim_rule_shape = { claim_rule_fields, sizeof(lw_oidc_rule) };

static const field user_rule_fields[] = {
    TEXT(lw_oidc_rule, "expression", expression),
    TEXT(lw_oidc_rule, "message", message),
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape user_rule_shape = { user_rule_fields, sizeof(lw_oidc_rule) };

static const field prefixed_fields[] = {
    TEXT(lw_oidc_mapping, "claim", claim),
    TEXT(lw_oidc_mapping, "expression", expression),
    { "prefix", FIELD_PREFIX, 0, NULL },
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape prefixed_shape = { prefixed_fields, sizeof(lw_oidc_mapping) };

static const field uid_fields[] = {
    TEXT(lw_oidc_mapping, "claim", claim),
    TEXT(lw_oidc_mapping, "expression", expression),
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape uid_shape = { uid_fields, sizeof(lw_oidc_mapping) };

static const field extra_fields[] = {
    TEXT(lw_oidc_extra, "key", key),
    TEXT(lw_oidc_extra, "valueExpression", expression),
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape extra_shape = { extra_fields, sizeof(lw_oidc_extra) };

static const field mappings_fields[] = {
    { "username", FIELD_OBJECT, offsetof(lw_oidc_issuer, username), &prefixed_shape },
    { "groups", FIELD_OBJECT, offsetof(lw_oidc_issuer, groups), &prefixed_shape },
    { "uid", FIELD_OBJECT, offsetof(lw_oidc_issuer, uid), &uid_shape },
    { "extra", FIELD_LIST, offsetof(lw_oidc_issuer, extra), &extra_shape },
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape mappings_shape = { mappings_fields, 0 };

static const field jwt_fields[] = {
    { "issuer", FIELD_OBJECT, 0, &issuer_shape },
    { "claimValidationRules", FIELD_LIST, offsetof(lw_oidc_issuer, claim_rules),
      &claim_rule_shape },
    { "claimMappings", FIELD_OBJECT, 0, &mappings_shape },
    { "userValidationRules", FIELD_LIST, offsetof(lw_oidc_issuer, user_rules), &user_rule_shape },
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape jwt_shape = { jwt_fields, sizeof(lw_oidc_issuer) };

static const field condition_fields[] = {
    { "path", FIELD_TEXT, 0, NULL },
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape condition_shape = { condition_fields, sizeof(lw_str) };

static const field anonymous_fields[] = {
    { "enabled", FIELD_BOOL, offsetof(lw_oidc_anonymous, is_enabled), NULL },
    { "conditions", FIELD_LIST, offsetof(lw_oidc_anonymous, paths), &condition_shape },
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape anonymous_shape = { anonymous_fields, 0 };

static const field root_fields[] = {
    { "apiVersion", FIELD_IGNORED, 0, NULL },
    { "kind", FIELD_IGNORED, 0, NULL },
    { "jwt", FIELD_LIST, offsetof(lw_oidc_config, issuers), &jwt_shape },
    { "anonymous", FIELD_OBJECT, offsetof(lw_oidc_config, anonymous), &anonymous_shape },
    { NULL, FIELD_IGNORED, 0, NULL },
};
static const shape root_shape = { root_fields, 0 };

typedef struct reading {
    lw_arena *arena;
    lw_buf path; /* of the value that is being read: "jwt[0].issuer.url" */
    lw_error *err;
} reading;

static lw_status refuse(reading *r, const char *what)
{
    return lw_error_set(r->err, LW_ERR_INVALID, "%.*s: must be %s",
                        LW_STR_ARG(lw_buf_view(&r->path)), what);
}

static lw_status out_of_memory(reading *r)
{
    return r->arena->st == LW_ERR_NOMEM || r->path.st == LW_ERR_NOMEM
               ? lw_error_nomem(r->err)
               : lw_error_set(r->err, LW_ERR_LIMIT, "the configuration is too large");
}

static lw_status read_text(reading *r, const lw_node *node, lw_str *out)
{
    if (!lw_node_is(node, LW_JSON_STRING))
        return refuse(r, "a string");
    *out = lw_arena_copy(r->arena, lw_node_text(node));
    return r->arena->st < 0 ? out_of_memory(r) : LW_OK;
}

static lw_status read_object(reading *r, const lw_node *node, const shape *s, void *target);

/* Reads a list of strings (no |s|) or of objects. */
static lw_status read_list(reading *r, const lw_node *node, const shape *s, lw_oidc_list *out)
{
    size_t path_len = r->path.len, size = s ? s->size : sizeof(lw_str);
    if (!lw_node_is(node, LW_JSON_ARRAY))
        return refuse(r, "a list");
    size_t count = lw_node_count(node);
    char *items = lw_arena_take_zero(r->arena, count + 1, size);
    if (!items)
        return out_of_memory(r);
    *out = (lw_oidc_list){ items, count };
    for (size_t i = 0; i < count; i++) {
        lw_buf_printf(&r->path, "[%zu]", i);
        void *item = items + i * size;
        lw_status st = s ? read_object(r, lw_node_at(node, i), s, item)
                         : read_text(r, lw_node_at(node, i), item);
        if (st < 0)
            return st;
        lw_buf_truncate(&r->path, path_len);
    }
    return LW_OK;
}

static lw_status read_field(reading *r, const lw_node *node, const field *f, void *target)
{
    void *place = (char *)target + f->offset;
    lw_oidc_mapping *mapping = target;
    switch (f->type) {
    case FIELD_IGNORED: return LW_OK;
    case FIELD_TEXT: return read_text(r, node, place);
    case FIELD_PREFIX: mapping->has_prefix = true; return read_text(r, node, &mapping->prefix);
    case FIELD_BOOL:
        *(bool *)place = lw_node_bool(node);
        return lw_node_is(node, LW_JSON_BOOL) ? LW_OK : refuse(r, "true or false");
    case FIELD_TEXTS: return read_list(r, node, NULL, place);
    case FIELD_OBJECT: return read_object(r, node, f->inner, place);
    case FIELD_LIST: return read_list(r, node, f->inner, place);
    }
    return LW_ERR_INTERNAL;
}

static const field *find_field(const shape *s, lw_str name)
{
    for (const field *f = s->fields; f->name; f++) {
        if (lw_str_equal(lw_str_of(f->name), name))
            return f;
    }
    return NULL;
}

/* Reads the members of |node|; null is as if the member were absent. */
static lw_status read_object(reading *r, const lw_node *node, const shape *s, void *target)
{
    size_t path_len = r->path.len;
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return refuse(r, "an object");
    for (size_t i = 0; i < lw_node_count(node); i++) {
        lw_str name = lw_node_key_at(node, i);
        const lw_node *value = lw_node_at(node, i);
        const field *f = find_field(s, name);
        if (path_len > 0)
            lw_buf_append_char(&r->path, '.');
        lw_buf_append_str(&r->path, name);
        if (!f)
            return lw_error_set(r->err, LW_ERR_INVALID,
                                "strict decoding error: unknown field \"%.*s\"",
                                LW_STR_ARG(lw_buf_view(&r->path)));
        lw_status st = lw_node_is(value, LW_JSON_NULL) ? LW_OK : read_field(r, value, f, target);
        if (st < 0)
            return st;
        lw_buf_truncate(&r->path, path_len);
    }
    return LW_OK;
}

/* Checks the kind and the version. */
static lw_status check_type(const lw_node *root, lw_error *err)
{
    lw_str version = lw_fields_text(root, "apiVersion"), kind = lw_fields_text(root, "kind");
    bool is_known = lw_str_equal(version, LW_STR("apiserver.config.k8s.io/v1")) ||
                    lw_str_equal(version, LW_STR("apiserver.config.k8s.io/v1beta1")) ||
                    lw_str_equal(version, LW_STR("apiserver.config.k8s.io/v1alpha1"));
    if (is_known && lw_str_equal(kind, LW_STR("AuthenticationConfiguration")))
        return LW_OK;
    return lw_error_set(err, LW_ERR_INVALID,
                        "no kind \"%.*s\" is registered for version \"%.*s\": use kind "
                        "AuthenticationConfiguration of apiserver.config.k8s.io/v1",
                        (int)(kind.len < SHOWN ? kind.len : SHOWN), kind.ptr ? kind.ptr : "",
                        (int)(version.len < SHOWN ? version.len : SHOWN),
                        version.ptr ? version.ptr : "");
}

static lw_status read_root(lw_oidc_config *config, const lw_node *root, lw_error *err)
{
    reading r = { .arena = &config->arena, .err = err };
    lw_status st = lw_node_is(root, LW_JSON_OBJECT)
                       ? check_type(root, err)
                       : lw_error_set(err, LW_ERR_INVALID, "the file is not an object");
    if (st < 0)
        return st;
    lw_buf_init(&r.path, PATH_MAX_LEN);
    st = read_object(&r, root, &root_shape, config);
    if (st == LW_OK && r.path.st < 0)
        st = out_of_memory(&r);
    lw_buf_done(&r.path);
    config->anonymous.is_set = lw_node_is(lw_node_get(root, LW_STR("anonymous")), LW_JSON_OBJECT);
    return st;
}

/* Reads the first document of |text| into |*tree|; it must be the only one. */
static lw_status read_tree(lw_tree **tree, lw_str text, lw_error *err)
{
    lw_yaml_reader *reader = NULL;
    lw_tree *next = NULL;
    lw_buf duplicates;
    if (lw_yaml_reader_new(&reader, text) < 0)
        return lw_error_nomem(err);
    lw_buf_init(&duplicates, DUPLICATES_MAX);
    lw_yaml_reader_report_duplicates(reader, &duplicates);
    lw_status st = lw_yaml_reader_next(reader, TREE_MAX, tree, err);
    if (st == LW_OK && !*tree)
        st = lw_error_set(err, LW_ERR_INVALID, "empty config data");
    if (st == LW_OK)
        st = lw_yaml_reader_next(reader, TREE_MAX, &next, err);
    if (st == LW_OK && next)
        st = lw_error_set(err, LW_ERR_INVALID, "the file has more than one document");
    if (st == LW_OK && duplicates.len > 0)
        st = lw_error_set(err, LW_ERR_INVALID, "strict decoding error: %.*s",
                          LW_STR_ARG(lw_str_trim(lw_buf_view(&duplicates))));
    if (st == LW_OK && lw_tree_had_repeats(*tree))
        st = lw_error_set(err, LW_ERR_INVALID, "an object has two fields with the same name");
    if (st == LW_OK && duplicates.st == LW_ERR_NOMEM)
        st = lw_error_nomem(err);
    lw_tree_free(next);
    lw_buf_done(&duplicates);
    lw_yaml_reader_free(reader);
    return st;
}

lw_status lw_oidc_config_read(lw_oidc_config **out, lw_str text, lw_error *err)
{
    lw_oidc_config *config = NULL;
    lw_tree *tree = NULL;
    lw_status st = read_tree(&tree, text, err);
    if (st == LW_OK)
        st = lw_oidc_config_new(&config, err);
    if (st == LW_OK)
        st = read_root(config, lw_tree_root(tree), err);
    lw_tree_free(tree);
    if (st < 0) {
        lw_oidc_config_unref(config);
        return st;
    }
    *out = config;
    return LW_OK;
}
