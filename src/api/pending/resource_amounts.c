/* SPDX-License-Identifier: Apache-2.0 */
/* resource_amounts.c -- short lists of quantities by name, as sorted arrays. */
#include "api/pending/resource_amounts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

void lw_amounts_done(lw_amounts *amounts)
{
    for (size_t i = 0; i < amounts->count; i++)
        lw_free(amounts->list[i].name);
    lw_free(amounts->list);
    *amounts = (lw_amounts){ .list = NULL };
}

/* Returns the position of |name|, or where it must be inserted. */
static size_t place_of(const lw_amounts *amounts, lw_str name, bool *is_there)
{
    size_t low = 0, high = amounts->count;
    *is_there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lw_str_compare(lw_str_of(amounts->list[middle].name), name);
        if (order == 0) {
            *is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool reserve(lw_amounts *amounts)
{
    if (amounts->count < amounts->capacity)
        return true;
    if (amounts->count == LW_AMOUNTS_MAX) {
        amounts->st = LW_ERR_LIMIT;
        return false;
    }
    size_t capacity = amounts->capacity > 0 ? amounts->capacity * 2 : 8;
    lw_amount *more = lw_realloc_array(amounts->list, capacity, sizeof(*more));
    if (!more) {
        amounts->st = LW_ERR_NOMEM;
        return false;
    }
    amounts->list = more;
    amounts->capacity = capacity;
    return true;
}

/* Returns the quantity of |name|, which is 0 if |*is_new|; NULL: failure. */
static lw_quantity *amount_of(lw_amounts *amounts, lw_str name, bool *is_new)
{
    bool is_there;
    if (amounts->st < 0)
        return NULL;
    size_t at = place_of(amounts, name, &is_there);
    *is_new = !is_there;
    if (is_there)
        return &amounts->list[at].quantity;
    char *own = reserve(amounts) ? lw_str_dup(name) : NULL;
    if (!own) {
        if (amounts->st == LW_OK)
            amounts->st = LW_ERR_NOMEM;
        return NULL;
    }
    memmove(&amounts->list[at + 1], &amounts->list[at],
            (amounts->count - at) * sizeof(amounts->list[0]));
    amounts->list[at] = (lw_amount){ own, { 0, LW_QUANTITY_DECIMAL } };
    amounts->count++;
    return &amounts->list[at].quantity;
}

const lw_quantity *lw_amounts_get(const lw_amounts *amounts, lw_str name)
{
    bool is_there;
    size_t at = place_of(amounts, name, &is_there);
    return is_there ? &amounts->list[at].quantity : NULL;
}

void lw_amounts_set(lw_amounts *amounts, lw_str name, lw_quantity quantity)
{
    bool is_new;
    lw_quantity *own = amount_of(amounts, name, &is_new);
    if (own)
        *own = quantity;
}

void lw_amounts_add(lw_amounts *amounts, lw_str name, lw_quantity quantity)
{
    bool is_new;
    lw_quantity *own = amount_of(amounts, name, &is_new);
    if (own)
        *own = is_new ? quantity : lw_quantity_add(*own, quantity);
}

void lw_amounts_raise(lw_amounts *amounts, lw_str name, lw_quantity quantity)
{
    bool is_new;
    lw_quantity *own = amount_of(amounts, name, &is_new);
    if (own && (is_new || lw_quantity_compare(quantity, *own) > 0))
        *own = quantity;
}

static void take_over(lw_amounts *amounts, const lw_amounts *more,
                      void (*one)(lw_amounts *amounts, lw_str name, lw_quantity quantity))
{
    for (size_t i = 0; i < more->count; i++)
        one(amounts, lw_str_of(more->list[i].name), more->list[i].quantity);
    if (amounts->st == LW_OK)
        amounts->st = more->st;
}

void lw_amounts_add_all(lw_amounts *amounts, const lw_amounts *more)
{
    take_over(amounts, more, lw_amounts_add);
}

void lw_amounts_raise_all(lw_amounts *amounts, const lw_amounts *more)
{
    take_over(amounts, more, lw_amounts_raise);
}

bool lw_quantity_of_node(const lw_node *node, lw_quantity *out)
{
    return (lw_node_is(node, LW_JSON_STRING) || lw_node_is(node, LW_JSON_NUMBER)) &&
           lw_quantity_parse(lw_node_text(node), out);
}

void lw_amounts_read(lw_amounts *amounts, const lw_node *node)
{
    lw_quantity quantity;
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return;
    for (size_t i = 0; i < lw_node_count(node); i++) {
        if (lw_quantity_of_node(lw_node_at(node, i), &quantity))
            lw_amounts_add(amounts, lw_node_key_at(node, i), quantity);
    }
}

lw_node *lw_amounts_write(const lw_amounts *amounts, lw_tree *tree)
{
    char text[LW_QUANTITY_SIZE];
    lw_node *node = lw_tree_object(tree);
    for (size_t i = 0; i < amounts->count; i++) {
        lw_quantity_format(text, amounts->list[i].quantity);
        lw_node_put(tree, node, lw_str_of(amounts->list[i].name),
                    lw_tree_string(tree, lw_str_of(text)));
    }
    return node;
}
