/* SPDX-License-Identifier: Apache-2.0 */
/* structural_lists.c -- lists of type set or map, whose elements must be unique. */
#include "schema/structural/structural_lists.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"

enum {
    KEYS_MAX = 64 * 1024 * 1024, /* and of all of them */
    ELEMENT_STEPS = 6,           /* of the budget: writing a key, and sorting it */
};

/* The identity of an element. */
typedef struct list_key {
    size_t begin, len; /* its range in the text */
    size_t index;
    const char *text;
} list_key;

static int compare_keys(const void *a, const void *b)
{
    const list_key *ka = a, *kb = b;
    int order = lw_str_compare(lw_str_make(ka->text + ka->begin, ka->len),
                               lw_str_make(kb->text + kb->begin, kb->len));
    if (order != 0)
        return order;
    return ka->index < kb->index ? -1 : 1;
}

/* Appends the element, or its key members, as JSON in a canonical order. */
static void append_key(const lw_structural_node *schema, const lw_node *element, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    if (schema->list_type == LW_LIST_SET) {
        lw_node_write(element, &w);
        return;
    }
    lw_json_write_object_begin(&w);
    for (size_t i = 0; i < schema->map_keys.count; i++) {
        const lw_node *value = lw_node_get(element, schema->map_keys.at[i]);
        if (!value)
            continue;
        lw_json_write_key(&w, schema->map_keys.at[i]);
        lw_node_write(value, &w);
    }
    lw_json_write_object_end(&w);
}

static void add_error_duplicate(lw_structural_check *c, const list_key *key)
{
    size_t len = c->path.len;
    lw_buf_printf(&c->path, "[%zu]", key->index);
    lw_structural_error(c, "FieldValueDuplicate", "Duplicate value",
                        lw_str_make(key->text + key->begin, key->len), "");
    lw_buf_truncate(&c->path, len);
}

void lw_structural_check_list(lw_structural_check *c, const lw_structural_node *schema,
                              const lw_node *list)
{
    size_t count = lw_node_count(list);
    if (schema->list_type == LW_LIST_ATOMIC || count < 2 || lw_structural_is_full(c) ||
        !lw_budget_charge(c->budget, count * ELEMENT_STEPS))
        return;
    lw_buf text;
    list_key *keys = lw_alloc_zero(count, sizeof(*keys));
    lw_buf_init(&text, KEYS_MAX);
    for (size_t i = 0; keys && i < count; i++) {
        keys[i].index = i;
        keys[i].begin = text.len;
        append_key(schema, lw_node_at(list, i), &text);
        keys[i].len = text.len - keys[i].begin;
    }
    if (!keys || text.st < 0) {
        if (c->errors->st == LW_OK)
            c->errors->st = keys ? text.st : LW_ERR_NOMEM;
    } else {
        for (size_t i = 0; i < count; i++)
            keys[i].text = text.data;
        qsort(keys, count, sizeof(*keys), compare_keys);
        for (size_t i = 1; i < count && !lw_structural_is_full(c); i++) {
            bool is_same =
                lw_str_equal(lw_str_make(text.data + keys[i].begin, keys[i].len),
                             lw_str_make(text.data + keys[i - 1].begin, keys[i - 1].len));
            if (is_same)
                add_error_duplicate(c, &keys[i]);
        }
    }
    lw_buf_done(&text);
    lw_free(keys);
}
