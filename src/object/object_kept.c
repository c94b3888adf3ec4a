/* SPDX-License-Identifier: Apache-2.0 */
/* object_kept.c -- the list of data attached to an object, including its kept form. */
#include "object/object_kept.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "json/text.h"

static lw_form_budget *budget_of(const lw_object_string_node *form)
{
    lw_form_budget *budget;
    memcpy(&budget, form->text, sizeof(budget));
    return budget;
}

/* Bytes before the text proper: a pointer, or none. */
static size_t head_of(uint32_t at)
{
    return at == LW_KEPT_FORM || at == LW_KEPT_ADDRESS || at == LW_KEPT_PACKED ? sizeof(void *) : 0;
}

static size_t size_of(const lw_object_string_node *node)
{
    return sizeof(*node) + head_of(node->at) + node->len + 1;
}

static lw_str text_of(const lw_object_string_node *node)
{
    return lw_str_make(node->text + head_of(node->at), node->len);
}

static lw_object *packed_of(const lw_object_string_node *node)
{
    lw_object *packed;
    memcpy(&packed, node->text, sizeof(packed));
    return packed;
}

static void node_free(lw_object_string_node *node)
{
    if (node->at == LW_KEPT_PACKED)
        lw_object_unref(packed_of(node));
    lw_form_budget *budget = node->at == LW_KEPT_FORM ? budget_of(node) : NULL;
    if (budget) {
        lw_form_budget_give_back(budget, size_of(node));
        lw_form_budget_unref(budget);
    }
    lw_free(node);
}

static lw_object_string_node *kept(const lw_object *obj)
{
    return atomic_load_explicit(&obj->strings, memory_order_acquire);
}

static bool has_key(const lw_object_string_node *node, uint32_t at, const char *address)
{
    return node->at == at &&
           (at != LW_KEPT_ADDRESS || memcmp(node->text, &address, sizeof(address)) == 0);
}

/* Searches the node with that key from |node| on, up to |end|. */
static const lw_object_string_node *find_before(const lw_object_string_node *node,
                                                const lw_object_string_node *end, uint32_t at,
                                                const char *address)
{
    while (node != end && !has_key(node, at, address))
        node = node->next;
    return node == end ? NULL : node;
}

/* Attaches |node| to |obj|, whose list was |head| when it had no such node; frees it if another
 * thread was faster.  Returns the attached node. */
static const lw_object_string_node *hang(const lw_object *obj, lw_object_string_node *node,
                                         lw_object_string_node *head, const char *address)
{
    /* The list is a cache, not a part of the value. */
    lw_object *memory = (lw_object *)(uintptr_t)obj;
    node->next = head;
    while (!atomic_compare_exchange_weak_explicit(&memory->strings, &head, node,
                                                  memory_order_release, memory_order_acquire)) {
        const lw_object_string_node *winner = find_before(head, node->next, node->at, address);
        if (winner) {
            node_free(node);
            return winner;
        }
        node->next = head;
    }
    return node;
}

static lw_object_string_node *decode_node(lw_str quoted, uint32_t at)
{
    /* Input that was trusted wrongly may lack the closing quote. */
    lw_str raw = lw_str_make(quoted.ptr + 1, quoted.len >= 2 ? quoted.len - 2 : 0);
    size_t head = head_of(at);
    lw_object_string_node *node = lw_alloc(sizeof(*node) + head + raw.len + 1);
    if (!node)
        return NULL;
    node->at = at;
    if (head > 0)
        memcpy(node->text, &quoted.ptr, head);
    node->len = (uint32_t)lw_json_unescape(node->text + head, raw);
    node->text[head + node->len] = '\0';
    return node;
}

lw_status lw_object__decode(const lw_object *obj, lw_str quoted, lw_str *out)
{
    uint32_t at =
        obj->is_message ? LW_KEPT_ADDRESS : (uint32_t)(quoted.ptr - lw_object_json(obj).ptr);
    lw_object_string_node *head = kept(obj);
    const lw_object_string_node *found = find_before(head, NULL, at, quoted.ptr);
    if (!found) {
        lw_object_string_node *node = decode_node(quoted, at);
        if (!node)
            return LW_ERR_NOMEM;
        found = hang(obj, node, head, quoted.ptr);
    }
    *out = text_of(found);
    return LW_OK;
}

bool lw_object__find_text(const lw_object *obj, uint32_t at, lw_str *out)
{
    const lw_object_string_node *found = find_before(kept(obj), NULL, at, NULL);
    if (found)
        *out = text_of(found);
    return found != NULL;
}

lw_status lw_object__keep_text(const lw_object *obj, uint32_t at, lw_str text, lw_str *out)
{
    lw_object_string_node *head = kept(obj), *node;
    if (lw_object__find_text(obj, at, out))
        return LW_OK;
    node = text.len < UINT32_MAX ? lw_alloc(sizeof(*node) + text.len + 1) : NULL;
    if (!node)
        return LW_ERR_NOMEM;
    node->at = at;
    node->len = (uint32_t)text.len;
    if (text.len > 0)
        memcpy(node->text, text.ptr, text.len);
    node->text[text.len] = '\0';
    *out = text_of(hang(obj, node, head, NULL));
    return LW_OK;
}

void lw_object__keep_packed(const lw_object *obj, const lw_object *packed)
{
    lw_object_string_node *head = kept(obj), *node;
    if (find_before(head, NULL, LW_KEPT_PACKED, NULL))
        return;
    node = lw_alloc(sizeof(*node) + sizeof(packed) + 1);
    if (!node)
        return;
    lw_object *held = packed ? lw_object_ref(packed) : NULL;
    node->at = LW_KEPT_PACKED;
    node->len = 0;
    memcpy(node->text, &held, sizeof(held));
    node->text[sizeof(held)] = '\0';
    (void)hang(obj, node, head, NULL);
}

bool lw_object__find_packed(const lw_object *obj, lw_object **packed)
{
    const lw_object_string_node *found = find_before(kept(obj), NULL, LW_KEPT_PACKED, NULL);
    if (found)
        *packed = packed_of(found);
    return found != NULL;
}

/* Returns the object that has the form of |obj|, or is to have it: if there is a packed copy, it is
 * the one that stays. */
static const lw_object *form_owner(const lw_object *obj)
{
    lw_object *packed;
    if (find_before(kept(obj), NULL, LW_KEPT_FORM, NULL) || !lw_object__find_packed(obj, &packed) ||
        !packed)
        return obj;
    return packed;
}

bool lw_object__kept_form(const lw_object *obj, lw_str *out)
{
    const lw_object_string_node *found =
        find_before(kept(form_owner(obj)), NULL, LW_KEPT_FORM, NULL);
    if (found)
        *out = text_of(found);
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
    node->at = LW_KEPT_FORM;
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
    obj = form_owner(obj);
    lw_object_string_node *head = kept(obj);
    const lw_object_string_node *found = find_before(head, NULL, LW_KEPT_FORM, NULL);
    if (!found) {
        lw_object_string_node *node = form_new(begin, rest, budget);
        if (!node)
            return LW_ERR_NOMEM;
        found = hang(obj, node, head, NULL);
    }
    *out = text_of(found);
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
    for (const lw_object_string_node *node = kept(obj); node; node = node->next)
        size += size_of(node);
    return size;
}
