/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_config.c -- config maps and secrets: keys, sizes, and stringData. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "json/fields.h"

enum {
    DATA_MAX = 1024 * 1024,        /* bytes of all values together */
    ENCODED_MAX = 8 * 1024 * 1024, /* bytes of one base64 value */
    FIELD_SIZE = 512,
};

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || lw_char_is_digit(c) || c == '-' ||
           c == '_' || c == '.';
}

static void check_key(lw_str key, const char *map, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    bool is_good = key.len > 0;
    for (size_t i = 0; i < key.len && is_good; i++)
        is_good = is_key_char(key.ptr[i]);
    (void)snprintf(field, sizeof(field), "%s[%.*s]", map, LW_STR_ARG(key));
    if (key.len > 253)
        lw_field_error_invalid(errors, field, key, "must be no more than 253 characters");
    if (!is_good)
        lw_field_error_invalid(
            errors, field, key,
            "a valid config key must consist of alphanumeric characters, '-', '_' or "
            "'.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for "
            "validation is '[-._a-zA-Z0-9]+')");
}

/* Checks the keys of the map |name| and returns the total size of its values, decoded if base64. */
static size_t check_map(const lw_pending_object *pending, const char *name, bool is_base64,
                        lw_api_status *errors)
{
    const lw_node *map = lw_node_get(pending->root, lw_str_of(name));
    size_t bytes = 0;
    for (size_t i = 0; i < lw_node_count(map); i++) {
        size_t len = lw_node_text(lw_node_at(map, i)).len;
        check_key(lw_node_key_at(map, i), name, errors);
        bytes += is_base64 ? len / 4 * 3 : len;
    }
    return bytes;
}

/* If the stored object is immutable, neither that mark nor the data may change. */
static void check_immutable(const lw_pending_object *pending, const char *const *maps,
                            lw_api_status *errors)
{
    if (!pending->old || !lw_node_bool(lw_node_get(pending->old, LW_STR("immutable"))))
        return;
    if (!lw_node_bool(lw_node_get(pending->root, LW_STR("immutable"))))
        lw_field_error_forbidden(errors, "immutable",
                                 LW_STR("field is immutable when `immutable` is set"));
    for (; *maps; maps++) {
        lw_str name = lw_str_of(*maps);
        if (!lw_node_equal(lw_node_get(pending->root, name), lw_node_get(pending->old, name)))
            lw_field_error_forbidden(errors, *maps,
                                     LW_STR("field is immutable when `immutable` is set"));
    }
}

static void add_too_long_error(lw_api_status *errors, const char *field)
{
    lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, lw_str_of(field), LW_STR(""),
                                  LW_STR("may not be more than 1048576 bytes"));
}

/* A key cannot be in both data and binaryData. */
static void check_both(const lw_pending_object *pending, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    const lw_node *data = lw_node_get(pending->root, LW_STR("data"));
    const lw_node *bytes = lw_node_get(pending->root, LW_STR("binaryData"));
    for (size_t i = 0; i < lw_node_count(data) && lw_node_count(bytes) > 0; i++) {
        lw_str key = lw_node_key_at(data, i);
        if (!lw_node_get(bytes, key))
            continue;
        (void)snprintf(field, sizeof(field), "data[%.*s]", LW_STR_ARG(key));
        lw_field_error_invalid(errors, field, key, "duplicate of key present in binaryData");
    }
}

static void config_map_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const maps[] = { "data", "binaryData", NULL };
    check_immutable(pending, maps, errors);
    check_both(pending, errors);
    size_t bytes = check_map(pending, "data", false, errors);
    bytes += check_map(pending, "binaryData", true, errors);
    if (bytes > DATA_MAX)
        add_too_long_error(errors, "[]");
}

/* Base64 may contain line breaks; they are removed. */
static void append_joined(lw_str text, lw_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\n' && text.ptr[i] != '\r')
            lw_buf_append_char(out, text.ptr[i]);
    }
}

static bool has_lines(lw_str text)
{
    return text.len > 0 && (memchr(text.ptr, '\n', text.len) || memchr(text.ptr, '\r', text.len));
}

static void put_text(lw_pending_object *pending, lw_node *map, lw_str key, const lw_buf *text)
{
    lw_pending_object_note(pending, text->st);
    lw_node_put(pending->tree, map, key, lw_tree_string(pending->tree, lw_buf_view(text)));
}

static void join_data(lw_pending_object *pending, lw_node *data, lw_buf *scratch)
{
    for (size_t i = 0; i < lw_node_count(data); i++) {
        lw_str text = lw_node_text(lw_node_at(data, i));
        if (!has_lines(text))
            continue;
        lw_buf_reset(scratch);
        append_joined(text, scratch);
        put_text(pending, data, lw_node_key_at(data, i), scratch);
    }
}

/* Moves stringData into data, as base64; stringData is never returned. */
static void secret_defaults(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    const lw_node *plain = lw_node_get(pending->root, LW_STR("stringData"));
    lw_node *data = lw_node_count(plain) > 0 ? lw_fields_object(tree, pending->root, "data")
                                             : lw_node_get(pending->root, LW_STR("data"));
    lw_buf scratch;
    lw_buf_init(&scratch, ENCODED_MAX);
    join_data(pending, data, &scratch);
    for (size_t i = 0; i < lw_node_count(plain); i++) {
        lw_buf_reset(&scratch);
        lw_base64_encode(&scratch, lw_node_text(lw_node_at(plain, i)));
        put_text(pending, data, lw_node_key_at(plain, i), &scratch);
    }
    lw_buf_done(&scratch);
    lw_fields_remove(pending->root, "stringData");
    lw_fields_default_text(tree, pending->root, "type", "Opaque");
}

/* Checks the keys that a type of secret requires. */
static void check_secret_type(const lw_pending_object *pending, lw_api_status *errors)
{
    static const struct {
        lw_str type;
        const char *keys[2];
    } types[] = {
        { LW_STR_INIT("kubernetes.io/tls"), { "tls.crt", "tls.key" } },
        { LW_STR_INIT("kubernetes.io/ssh-auth"), { "ssh-privatekey", NULL } },
        { LW_STR_INIT("kubernetes.io/dockerconfigjson"), { ".dockerconfigjson", NULL } },
        { LW_STR_INIT("kubernetes.io/dockercfg"), { ".dockercfg", NULL } },
    };
    char field[FIELD_SIZE];
    lw_str type = lw_fields_text(pending->root, "type");
    const lw_node *data = lw_node_get(pending->root, LW_STR("data"));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        for (size_t k = 0; k < 2 && types[i].keys[k] && lw_str_equal(type, types[i].type); k++) {
            (void)snprintf(field, sizeof(field), "data[%s]", types[i].keys[k]);
            if (!lw_node_get(data, lw_str_of(types[i].keys[k])))
                lw_field_error_required(errors, field, "");
        }
    }
    if (lw_str_equal(type, LW_STR("kubernetes.io/basic-auth")) &&
        !lw_node_get(data, LW_STR("username")) && !lw_node_get(data, LW_STR("password"))) {
        lw_field_error_required(errors, "data[username]", "");
        lw_field_error_required(errors, "data[password]", "");
    }
    if (lw_str_equal(type, LW_STR("kubernetes.io/service-account-token")) &&
        !lw_node_get(lw_node_get(pending->metadata, LW_STR("annotations")),
                     LW_STR("kubernetes.io/service-account.name")))
        lw_field_error_required(errors, "metadata.annotations[kubernetes.io/service-account.name]",
                                "");
}

static void secret_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const maps[] = { "data", NULL };
    lw_str type = lw_fields_text(pending->root, "type");
    if (pending->old && !lw_str_equal(type, lw_fields_text(pending->old, "type")))
        lw_field_error_invalid(errors, "type", type, "field is immutable");
    check_immutable(pending, maps, errors);
    if (check_map(pending, "data", true, errors) > DATA_MAX)
        add_too_long_error(errors, "data");
    check_secret_type(pending, errors);
}

const lw_strategy lw_strategies_config[] = {
    { .plural = LW_STR_INIT("configmaps"), .validate = config_map_validate },
    { .plural = LW_STR_INIT("secrets"), .defaults = secret_defaults, .validate = secret_validate },
    { .plural = LW_STR_INIT("") },
};
