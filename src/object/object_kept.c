/* SPDX-License-Identifier: Apache-2.0 */
/* object_kept.c -- the list of data attached to an object, including its kept form. */
#include "object/object_kept.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* A position that no string can have: the node of the form.  Its text begins with its budget. */
#define FORM_AT UINT32_MAX

static lw_form_budget *budget_of(const lw_object_string_node *form)
{
    lw_form_budget *budget;
    memcpy(&budget, form->text, sizeof(budget));
    return budget;
}

static lw_str bytes_of(const lw_object_string_node *form)
{
    return lw_str_make(form->text + sizeof(lw_form_budget *), form->len);
}

static size_t size_of(const lw_object_string_node *node)
{
    size_t head = node->at == FORM_AT ? sizeof(lw_form_budget *) : 0;
    return sizeof(*node) + head + node->len + 1;
}

static void node_free(lw_object_string_node *node)
{
    lw_form_budget *budget = node->at == FORM_AT ? budget_of(node) : NULL;
    if (budget) {
        lw_form_budget_give_back(budget, size_of(node));
        lw_form_budget_unref(budget);
    }
    lw_free(node);
}

lw_object_string_node *lw_object__kept(const lw_object *obj)
{
    return atomic_load_explicit(&obj->strings, memory_order_acquire);
}

/* Searches the node of |at| from |node| on, up to |end|. */
static const lw_object_string_node *find_before(const lw_object_string_node *node,
                                                const lw_object_string_node *end, uint32_t at)
{
    while (node != end && node->at != at)
        node = node->next;
    return node == end ? NULL : node;
}

const lw_object_string_node *lw_object__find_kept(const lw_object_string_node *head, uint32_t at)
{
    return find_before(head, NULL, at);
}

const lw_object_string_node *lw_object__hang(const lw_object *obj, lw_object_string_node *node,
                                             lw_object_string_node *head)
{
    /* The list is a cache, not a part of the value. */
    lw_object *memory = (lw_object *)(uintptr_t)obj;
    node->next = head;
    while (!atomic_compare_exchange_weak_explicit(&memory->strings, &head, node,
                                                  memory_order_release, memory_order_acquire)) {
        const lw_object_string_node *winner = find_before(head, node->next, node->at);
        if (winner) {
            node_free(node);
            return winner;
        }
        node->next = head;
    }
    return node;
}

bool lw_object__kept_form(const lw_object *obj, lw_str *out)
{
    const lw_object_string_node *found = lw_object__find_kept(lw_object__kept(obj), FORM_AT);
    if (found)
        *out = bytes_of(found);
    return found != NULL;
}

static lw_object_string_node *form_new(lw_str begin, lw_str rest, lw_form_budget *budget)
{
    lw_object_string_node *node;
    size_t len = begin.len + rest.len, head = sizeof(budget);
    if (begin.len >= UINT32_MAX || rest.len >= UINT32_MAX - begin.len)
        return NULL;
    node = lw_alloc(sizeof(*node) + head + len + 1);
    if (!node)
        return NULL;
    node->at = FORM_AT;
    node->len = (uint32_t)len;
    memcpy(node->text, &budget, head);
    if (begin.len > 0)
        memcpy(node->text + head, begin.ptr, begin.len);
    if (rest.len > 0)
        memcpy(node->text + head + begin.len, rest.ptr, rest.len);
    node->text[head + len] = '\0';
    if (budget)
        lw_form_budget_take(lw_form_budget_ref(budget), size_of(node));
    return node;
}

lw_status lw_object__keep_form(const lw_object *obj, lw_str begin, lw_str rest,
                               lw_form_budget *budget, lw_str *out)
{
    lw_object_string_node *head = lw_object__kept(obj);
    const lw_object_string_node *found = lw_object__find_kept(head, FORM_AT);
    if (!found) {
        lw_object_string_node *node = form_new(begin, rest, budget);
        if (!node)
            return LW_ERR_NOMEM;
        found = lw_object__hang(obj, node, head);
    }
    *out = bytes_of(found);
    return LW_OK;
}

void lw_object__free_kept(lw_object *obj)
{
    lw_object_string_node *node = atomic_load_explicit(&obj->strings, memory_order_relaxed);
    while (node) {
        lw_object_string_node *next = node->next;
        node_free(node);
        node = next;
    }
}

size_t lw_object__kept_memory(const lw_object *obj)
{
    size_t size = 0;
    for (const lw_object_string_node *node = lw_object__kept(obj); node; node = node->next)
        size += size_of(node);
    return size;
}
