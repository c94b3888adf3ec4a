/* SPDX-License-Identifier: Apache-2.0 */
/* value.c -- values: conversion from trees, lists and maps, and errors. */
#include "cel/value.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text/base64.h"
#include "cel/functions.h"
#include "cel/session_internal.h"
#include "json/text.h"

enum {
    ERROR_SIZE = 1024, /* bytes of an error message */
    ESCAPED_SIZE = 32, /* bytes of a reserved word with its underscores */
};

#define SIMPLE(what)                                                                               \
    {                                                                                              \
        .kind = (what), .max_size = LW_CEL_UNBOUNDED                                               \
    }
const lw_cel_type lw_cel_dyn = SIMPLE(LW_CEL_DYN);
const lw_cel_type lw_cel_null = SIMPLE(LW_CEL_NULL);
const lw_cel_type lw_cel_bool = SIMPLE(LW_CEL_BOOL);
const lw_cel_type lw_cel_int = SIMPLE(LW_CEL_INT);
const lw_cel_type lw_cel_uint = SIMPLE(LW_CEL_UINT);
const lw_cel_type lw_cel_double = SIMPLE(LW_CEL_DOUBLE);
const lw_cel_type lw_cel_string = SIMPLE(LW_CEL_STRING);
const lw_cel_type lw_cel_bytes = SIMPLE(LW_CEL_BYTES);
const lw_cel_type lw_cel_duration = SIMPLE(LW_CEL_DURATION);
const lw_cel_type lw_cel_timestamp = SIMPLE(LW_CEL_TIMESTAMP);
const lw_cel_type lw_cel_authorizer_type = SIMPLE(LW_CEL_AUTHORIZER);
const lw_cel_type lw_cel_resource_check_type = SIMPLE(LW_CEL_RESOURCE_CHECK);

bool lw_cel_is_over(lw_cel_run *run)
{
    if (run->st == LW_OK && run->arena.st < 0)
        run->st = run->arena.st;
    return run->st < 0;
}

bool lw_cel_charge(lw_cel_run *run, uint64_t cost)
{
    run->cost = cost > UINT64_MAX - run->cost ? UINT64_MAX : run->cost + cost;
    if (run->cost > run->budget && run->st == LW_OK)
        run->st = LW_ERR_LIMIT;
    return !lw_cel_is_over(run);
}

bool lw_cel_charge_work(lw_cel_run *run, uint64_t steps)
{
    run->work += steps;
    if (run->work > LW_CEL_WORK_MAX && run->st == LW_OK)
        run->st = LW_ERR_LIMIT;
    return !lw_cel_is_over(run);
}

lw_cel_value lw_cel_over(lw_cel_run *run)
{
    (void)lw_cel_is_over(run);
    return (lw_cel_value){ .kind = LW_CEL_ERROR,
                           .text = LW_STR("operation cancelled: actual cost limit exceeded") };
}

lw_cel_value lw_cel_fail(lw_cel_run *run, const char *format, ...)
{
    char text[ERROR_SIZE];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    size_t kept = len < 0 ? 0 : (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
    return (lw_cel_value){ .kind = LW_CEL_ERROR,
                           .text = lw_arena_copy(&run->arena, lw_str_make(text, kept)) };
}

lw_cel_value lw_cel_no_overload(lw_cel_run *run)
{
    (void)run;
    return (lw_cel_value){ .kind = LW_CEL_ERROR, .text = LW_STR("no such overload") };
}

lw_cel_value lw_cel_some(lw_cel_run *run, lw_cel_value inner)
{
    lw_cel_value *kept = lw_arena_take_zero(&run->arena, 1, sizeof(*kept));
    if (!kept)
        return lw_cel_over(run);
    *kept = inner;
    return (lw_cel_value){ .kind = LW_CEL_OPTIONAL, .inner = kept };
}

lw_cel_value lw_cel_copy_text(lw_cel_run *run, lw_str text)
{
    (void)lw_cel_charge_work(run, text.len / 16);
    return lw_cel_of_text(lw_arena_copy(&run->arena, text));
}

lw_cel_value lw_cel_take_buf(lw_cel_run *run, lw_buf *buf)
{
    if (buf->st < 0 && run->st == LW_OK)
        run->st = buf->st;
    lw_cel_value value = lw_cel_copy_text(run, lw_buf_view(buf));
    lw_buf_done(buf);
    return lw_cel_is_over(run) ? lw_cel_over(run) : value;
}

static lw_cel_value of_tree(lw_cel_kind kind, const lw_node *node, const lw_cel_type *type)
{
    return (lw_cel_value){ .kind = (uint8_t)kind, .is_tree = true, .tree = { node, type } };
}

/* Converts a string whose schema has a format. */
static lw_cel_value of_formatted(lw_cel_run *run, lw_str text, lw_cel_kind kind)
{
    lw_cel_value value = { .kind = (uint8_t)kind };
    if (kind == LW_CEL_DURATION)
        return lw_cel_duration_parse(text, &value.integer)
                   ? value
                   : lw_cel_fail(run, "Invalid duration %.*s", LW_STR_ARG(text));
    if (kind == LW_CEL_TIMESTAMP) {
        char moment[32];
        (void)snprintf(moment, sizeof(moment), "%.*sT00:00:00Z", LW_STR_ARG(text));
        return lw_time_parse(text, &value.time) || lw_time_parse(lw_str_of(moment), &value.time)
                   ? value
                   : lw_cel_fail(run, "Invalid date-time format %.*s", LW_STR_ARG(text));
    }
    lw_buf bytes;
    lw_buf_init(&bytes, LW_CEL_VALUES_MAX);
    bool is_good = lw_base64_decode(&bytes, text);
    value = lw_cel_take_buf(run, &bytes);
    if (lw_cel_is_error(&value))
        return value;
    value.kind = LW_CEL_BYTES;
    return is_good ? value
                   : lw_cel_fail(run, "Invalid byte formatted string %.*s", LW_STR_ARG(text));
}

static lw_cel_value of_number(lw_str text, lw_cel_kind kind)
{
    int64_t integer;
    if (kind != LW_CEL_DOUBLE && lw_json_number_to_int64(text, &integer))
        return lw_cel_of_int(integer);
    return lw_cel_of_double(lw_json_number_to_double(text));
}

lw_cel_value lw_cel_of_node(lw_cel_run *run, const lw_node *node, const lw_cel_type *type)
{
    type = type ? type : &lw_cel_dyn;
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: return lw_cel_of_null();
    case LW_JSON_BOOL: return lw_cel_of_bool(lw_node_bool(node));
    case LW_JSON_NUMBER:
        return of_number(lw_node_text(node), type->has_doubles ? LW_CEL_DOUBLE : type->kind);
    case LW_JSON_STRING:
        if (type->kind == LW_CEL_BYTES || type->kind == LW_CEL_DURATION ||
            type->kind == LW_CEL_TIMESTAMP)
            return of_formatted(run, lw_node_text(node), type->kind);
        return lw_cel_of_text(lw_node_text(node));
    case LW_JSON_ARRAY:
        return of_tree(LW_CEL_LIST, node,
                       type->kind == LW_CEL_LIST || type->has_doubles ? type : &lw_cel_dyn);
    case LW_JSON_OBJECT: break;
    }
    if (type->kind == LW_CEL_OBJECT)
        return of_tree(LW_CEL_OBJECT, node, type);
    return of_tree(LW_CEL_MAP, node,
                   type->kind == LW_CEL_MAP || type->has_doubles ? type : &lw_cel_dyn);
}

/* Returns the number of characters of |text|. */
static size_t runes_of(lw_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return count;
}

size_t lw_cel_size(const lw_cel_value *value)
{
    if (value->is_tree)
        return lw_node_count(value->tree.node);
    switch ((lw_cel_kind)value->kind) {
    case LW_CEL_STRING: return runes_of(value->text);
    case LW_CEL_BYTES: return value->text.len;
    case LW_CEL_LIST: return value->list.count;
    case LW_CEL_MAP: return value->map.count;
    case LW_CEL_OPTIONAL: return value->inner ? lw_cel_size(value->inner) : 1;
    case LW_CEL_IP: return value->address->family == 4 ? 4 : 16;
    case LW_CEL_CIDR: return (value->address->prefix + 7) / 8;
    default: return 1;
    }
}

lw_cel_value lw_cel_item(lw_cel_run *run, const lw_cel_value *list, size_t index)
{
    if (!list->is_tree)
        return list->list.items[index];
    return lw_cel_of_node(run, lw_node_at(list->tree.node, index), list->tree.type->elem);
}

lw_cel_value lw_cel_key_at(const lw_cel_value *map, size_t index)
{
    if (!map->is_tree)
        return map->map.entries[index].key;
    return lw_cel_of_text(lw_node_key_at(map->tree.node, index));
}

lw_cel_value lw_cel_value_at(lw_cel_run *run, const lw_cel_value *map, size_t index)
{
    if (!map->is_tree)
        return map->map.entries[index].value;
    return lw_cel_of_node(run, lw_node_at(map->tree.node, index), map->tree.type->elem);
}

bool lw_cel_lookup(lw_cel_run *run, const lw_cel_value *map, const lw_cel_value *key,
                   lw_cel_value *out)
{
    if (map->is_tree) {
        const lw_node *node =
            key->kind == LW_CEL_STRING ? lw_node_get(map->tree.node, key->text) : NULL;
        if (node)
            *out = lw_cel_of_node(run, node, map->tree.type->elem);
        return node != NULL;
    }
    for (size_t i = 0; i < map->map.count && lw_cel_charge_work(run, 1); i++) {
        if (!lw_cel_equal(run, &map->map.entries[i].key, key))
            continue;
        *out = map->map.entries[i].value;
        return true;
    }
    return false;
}

const lw_cel_field *lw_cel_field_exact(const lw_cel_type *type, lw_str name)
{
    size_t low = 0, high = type->field_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lw_str_compare(type->fields[middle].name, name);
        if (order == 0)
            return &type->fields[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const lw_cel_field *lw_cel_field_of(const lw_cel_type *type, lw_str name)
{
    char escaped[ESCAPED_SIZE];
    const lw_cel_field *field = lw_cel_field_exact(type, name);
    if (field || !lw_cel_is_reserved(name))
        return field;
    int len = snprintf(escaped, sizeof(escaped), "__%.*s__", LW_STR_ARG(name));
    return lw_cel_field_exact(type, lw_str_make(escaped, (size_t)len));
}

bool lw_cel_member(lw_cel_run *run, const lw_cel_value *object, lw_str name, lw_cel_value *out)
{
    if (!object->is_tree)
        return lw_cel_session_member(run, name, out);
    const lw_cel_field *field = lw_cel_field_of(object->tree.type, name);
    const lw_node *node = field ? lw_node_get(object->tree.node, field->key) : NULL;
    if (node)
        *out = lw_cel_of_node(run, node, field->type);
    return node != NULL;
}

const char *lw_cel_kind_name(lw_cel_kind kind)
{
    switch (kind) {
    case LW_CEL_DYN: return "dyn";
    case LW_CEL_NULL: return "null_type";
    case LW_CEL_BOOL: return "bool";
    case LW_CEL_INT: return "int";
    case LW_CEL_UINT: return "uint";
    case LW_CEL_DOUBLE: return "double";
    case LW_CEL_STRING: return "string";
    case LW_CEL_BYTES: return "bytes";
    case LW_CEL_DURATION: return "google.protobuf.Duration";
    case LW_CEL_TIMESTAMP: return "google.protobuf.Timestamp";
    case LW_CEL_TYPE: return "type";
    case LW_CEL_LIST: return "list";
    case LW_CEL_MAP: return "map";
    case LW_CEL_OBJECT: return "object";
    case LW_CEL_OPTIONAL: return "optional_type";
    case LW_CEL_QUANTITY: return "kubernetes.Quantity";
    case LW_CEL_IP: return "net.IP";
    case LW_CEL_CIDR: return "net.CIDR";
    case LW_CEL_URL: return "kubernetes.URL";
    case LW_CEL_FORMAT: return "kubernetes.NamedFormat";
    case LW_CEL_SEMVER: return "kubernetes.Semver";
    case LW_CEL_STRUCT: return "object";
    case LW_CEL_AUTHORIZER: return "kubernetes.authorization.Authorizer";
    case LW_CEL_PATH_CHECK: return "kubernetes.authorization.PathCheck";
    case LW_CEL_GROUP_CHECK: return "kubernetes.authorization.GroupCheck";
    case LW_CEL_RESOURCE_CHECK: return "kubernetes.authorization.ResourceCheck";
    case LW_CEL_DECISION: return "kubernetes.authorization.Decision";
    case LW_CEL_ERROR: return "error";
    }
    return "";
}
