/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields.c -- reads, writes, sorts and limits metadata.managedFields. */
#include "schema/managedfields/managed_fields.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "schema/managedfields/field_set.h"

enum {
    USUAL = 4096, /* bytes of the entries of a pod */
};

void lw_managers_init(lw_managers *managers, lw_tree *tree)
{
    *managers = (lw_managers){ .tree = tree };
}

void lw_managers_done(lw_managers *managers)
{
    lw_free(managers->entries);
    *managers = (lw_managers){ 0 };
}

static bool is_same(const lw_manager *a, const lw_manager *b)
{
    return a->is_apply == b->is_apply && lw_str_equal(a->name, b->name) &&
           lw_str_equal(a->subresource, b->subresource) &&
           (a->is_apply || lw_str_equal(a->api_version, b->api_version));
}

lw_manager *lw_managers_find(const lw_managers *managers, const lw_manager *like)
{
    for (size_t i = 0; i < managers->count; i++) {
        if (is_same(&managers->entries[i], like))
            return &managers->entries[i];
    }
    return NULL;
}

static lw_status grow(lw_managers *managers)
{
    if (managers->count < managers->cap)
        return LW_OK;
    if (managers->count == LW_MANAGERS_MAX)
        return LW_ERR_LIMIT;
    size_t cap = managers->cap ? managers->cap * 2 : 8;
    lw_manager *entries = lw_realloc_array(managers->entries, cap, sizeof(*entries));
    if (!entries)
        return LW_ERR_NOMEM;
    managers->entries = entries;
    managers->cap = cap;
    return LW_OK;
}

lw_manager *lw_managers_get(lw_managers *managers, const lw_manager *like)
{
    lw_manager *found = lw_managers_find(managers, like);
    if (found)
        return found;
    if (grow(managers) < 0)
        return NULL;
    found = &managers->entries[managers->count++];
    *found = *like;
    return found;
}

static void drop_at(lw_managers *managers, size_t at)
{
    managers->count--;
    for (; at < managers->count; at++)
        managers->entries[at] = managers->entries[at + 1];
}

void lw_managers_drop_empty(lw_managers *managers)
{
    for (size_t i = managers->count; i-- > 0;) {
        if (lw_field_set_is_empty(managers->entries[i].fields))
            drop_at(managers, i);
    }
}

static lw_str text_of(const lw_node *entry, const char *key)
{
    return lw_node_text(lw_node_get(entry, lw_str_of(key)));
}

static lw_status read_entry(lw_managers *managers, const lw_node *list, size_t at, bool is_as_is,
                            lw_error *err)
{
    const lw_node *entry = lw_node_at(list, at);
    lw_str operation = text_of(entry, "operation"), type = text_of(entry, "fieldsType");
    lw_manager read = { .name = text_of(entry, "manager"),
                        .api_version = text_of(entry, "apiVersion"),
                        .subresource = text_of(entry, "subresource"),
                        .time = text_of(entry, "time"),
                        .is_apply = lw_str_equal(operation, LW_STR("Apply")) };
    if (!read.is_apply && !lw_str_equal(operation, LW_STR("Update")))
        return lw_error_set(err, LW_ERR_INVALID, "operation must be `Apply` or `Update`");
    if (read.api_version.len == 0)
        return lw_error_set(err, LW_ERR_INVALID, "apiVersion must not be empty");
    if (type.len == 0)
        return lw_error_set(err, LW_ERR_INVALID, "missing fieldsType in managed fields entry %zu",
                            at);
    if (!lw_str_equal(type, LW_STR("FieldsV1")))
        return lw_error_set(err, LW_ERR_INVALID,
                            "invalid fieldsType \"%.*s\" in managed fields entry %zu",
                            LW_STR_ARG(type), at);
    lw_node *fields = lw_node_get(entry, LW_STR("fieldsV1"));
    lw_status st = LW_OK;
    if (is_as_is)
        read.fields = lw_tree_share_closed(managers->tree, fields);
    else
        st = lw_field_set_read(managers->tree, fields, &read.fields, err);
    if (st < 0)
        return st;
    lw_manager *slot = lw_managers_get(managers, &read);
    if (!slot)
        return managers->count == LW_MANAGERS_MAX
                   ? lw_error_set(err, LW_ERR_LIMIT, "managedFields has more than %d entries",
                                  LW_MANAGERS_MAX)
                   : lw_error_nomem(err);
    *slot = read;
    return LW_OK;
}

static lw_status read_entries(lw_managers *managers, const lw_node *list, bool is_as_is,
                              lw_error *err)
{
    lw_status st = LW_OK;
    if (lw_node_type(list) != LW_JSON_NULL && !lw_node_is(list, LW_JSON_ARRAY))
        return lw_error_set(err, LW_ERR_INVALID, "managedFields must be a list");
    for (size_t i = 0; i < lw_node_count(list) && st == LW_OK; i++)
        st = read_entry(managers, list, i, is_as_is, err);
    if (st < 0)
        managers->count = 0;
    return st;
}

lw_status lw_managers_read(lw_managers *managers, const lw_node *list, lw_error *err)
{
    return read_entries(managers, list, false, err);
}

lw_status lw_managers_read_as_is(lw_managers *managers, const lw_node *list, lw_error *err)
{
    return read_entries(managers, list, true, err);
}

bool lw_managers_are_kept(const lw_managers *managers)
{
    for (size_t i = 0; i < managers->count; i++) {
        const lw_node *fields = managers->entries[i].fields;
        if (lw_field_set_is_empty(fields) || lw_field_set_names_whole(fields))
            return false;
    }
    return true;
}

static int64_t seconds_of(lw_str text)
{
    lw_time time;
    return lw_time_parse(text, &time) ? time.s : 0;
}

static int compare_identity(const lw_manager *a, const lw_manager *b)
{
    int order = lw_str_compare(a->name, b->name);
    if (order == 0)
        order = lw_str_compare(a->api_version, b->api_version);
    return order ? order : lw_str_compare(a->subresource, b->subresource);
}

static int compare_entries(const void *left, const void *right)
{
    const lw_manager *a = left, *b = right;
    if (a->is_apply != b->is_apply)
        return a->is_apply ? -1 : 1;
    int64_t then = seconds_of(a->time), now = seconds_of(b->time);
    if (then != now)
        return then < now ? -1 : 1;
    return compare_identity(a, b);
}

static void sort_entries(lw_managers *managers)
{
    if (managers->count > 1)
        qsort(managers->entries, managers->count, sizeof(lw_manager), compare_entries);
}

/* Adds the fields of |from| to those of |to|. */
static void merge_into(lw_managers *managers, lw_manager *to, const lw_manager *from)
{
    to->fields = lw_field_set_union(managers->tree, to->fields, from->fields);
    to->time = from->time; /* the later one */
}

/* Returns the first update entry of the same version from |first| up to |end|. */
static lw_manager *oldest_of_version(lw_managers *managers, size_t first, size_t end,
                                     lw_str version)
{
    for (size_t i = first; i < end; i++) {
        if (lw_str_equal(managers->entries[i].api_version, version))
            return &managers->entries[i];
    }
    return NULL;
}

void lw_managers_cap(lw_managers *managers)
{
    static const lw_str ancient = LW_STR_INIT("ancient-changes");
    size_t first = 0;
    sort_entries(managers);
    while (first < managers->count && managers->entries[first].is_apply)
        first++;
    for (size_t at = first;
         at < managers->count && managers->count - first > LW_UPDATE_MANAGERS_MAX;) {
        lw_manager *entry = &managers->entries[at];
        lw_manager *oldest = oldest_of_version(managers, first, at, entry->api_version);
        if (!oldest) {
            at++;
            continue;
        }
        lw_manager like = { .name = ancient, .api_version = entry->api_version };
        lw_manager *ancients = lw_managers_find(managers, &like);
        if (!ancients) {
            ancients = oldest;
            oldest->name = ancient;
            oldest->subresource = LW_STR("");
        }
        if (ancients == entry) {
            at++;
            continue;
        }
        merge_into(managers, ancients, entry);
        drop_at(managers, at);
    }
}

static void put_text(lw_tree *tree, lw_node *object, const char *key, lw_str text)
{
    if (text.len > 0)
        lw_node_put(tree, object, lw_str_of(key), lw_tree_string(tree, text));
}

static lw_status write_entry(lw_tree *tree, const lw_manager *entry, lw_node *list)
{
    lw_node *object = lw_tree_object(tree);
    lw_status st = lw_field_set_sort(entry->fields);
    put_text(tree, object, "manager", entry->name);
    put_text(tree, object, "operation", entry->is_apply ? LW_STR("Apply") : LW_STR("Update"));
    put_text(tree, object, "apiVersion", entry->api_version);
    put_text(tree, object, "time", entry->time);
    put_text(tree, object, "fieldsType", LW_STR("FieldsV1"));
    lw_node_put(tree, object, LW_STR("fieldsV1"), entry->fields);
    put_text(tree, object, "subresource", entry->subresource);
    lw_node_append(tree, list, object);
    return st;
}

lw_status lw_managers_write(lw_managers *managers, lw_node **out)
{
    lw_status st = LW_OK;
    *out = NULL;
    if (managers->count == 0)
        return LW_OK;
    sort_entries(managers);
    *out = lw_tree_array(managers->tree);
    for (size_t i = 0; i < managers->count && st == LW_OK; i++)
        st = write_entry(managers->tree, &managers->entries[i], *out);
    return st < 0 ? st : lw_tree_status(managers->tree);
}

static void write_text(lw_json_writer *w, const char *key, lw_str text)
{
    if (text.len > 0)
        lw_json_write_member_string(w, key, text);
}

void lw_managers_append_json(lw_managers *managers, lw_buf *out)
{
    lw_json_writer w;
    if (managers->count == 0)
        return;
    (void)lw_buf_reserve(out, USUAL);
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    sort_entries(managers);
    lw_json_write_array_begin(&w);
    for (size_t i = 0; i < managers->count; i++) {
        const lw_manager *entry = &managers->entries[i];
        lw_json_write_object_begin(&w);
        write_text(&w, "manager", entry->name);
        write_text(&w, "operation", entry->is_apply ? LW_STR("Apply") : LW_STR("Update"));
        write_text(&w, "apiVersion", entry->api_version);
        write_text(&w, "time", entry->time);
        write_text(&w, "fieldsType", LW_STR("FieldsV1"));
        lw_json_write_key(&w, LW_STR("fieldsV1"));
        lw_node_write(entry->fields, &w);
        write_text(&w, "subresource", entry->subresource);
        lw_json_write_object_end(&w);
    }
    lw_json_write_array_end(&w);
    if (out->st == LW_OK)
        out->st = lw_json_writer_status(&w);
}

bool lw_managers_is_reset(const lw_node *list)
{
    if (!lw_node_is(list, LW_JSON_ARRAY))
        return false;
    if (lw_node_count(list) == 0)
        return true;
    const lw_node *first = lw_node_at(list, 0);
    return lw_node_count(list) == 1 && lw_node_is(first, LW_JSON_OBJECT) &&
           lw_node_count(first) == 0;
}

static bool entries_equal_untimed(const lw_node *a, const lw_node *b)
{
    static const char *const keys[] = { "manager",    "operation", "apiVersion",
                                        "fieldsType", "fieldsV1",  "subresource" };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const lw_node *left = lw_node_get(a, lw_str_of(keys[i]));
        const lw_node *right = lw_node_get(b, lw_str_of(keys[i]));
        if (left != right && !(left && right && lw_node_equal(left, right)))
            return false;
    }
    return true;
}

bool lw_managers_equal_untimed(const lw_node *a, const lw_node *b)
{
    size_t count = lw_node_count(a);
    if (count != lw_node_count(b))
        return false;
    /* A new time may have moved an entry: search all of them. */
    for (size_t i = 0; i < count; i++) {
        bool is_found = false;
        for (size_t j = 0; j < count && !is_found; j++)
            is_found = entries_equal_untimed(lw_node_at(a, i), lw_node_at(b, j));
        if (!is_found)
            return false;
    }
    return true;
}
