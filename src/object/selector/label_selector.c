/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector.c -- a label selector: match, print, inspect.
 * Invariant: a selector that was returned is sealed (requirements sorted by key, values sorted,
 * text printed) and never changes, so reading needs no lock. */
#include "object/selector/label_selector.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

static const lw_label_selector everything = { .count = 0 };
static const lw_label_selector nothing = { .is_nothing = true };

const lw_label_selector *lw_label_selector_everything(void)
{
    return &everything;
}

const lw_label_selector *lw_label_selector_nothing(void)
{
    return &nothing;
}

/* Matching. */

/* The first label at or after |from| whose key is not before |key|. */
static size_t lower_bound(const lw_label *labels, size_t from, size_t count, lw_str key)
{
    while (from < count) {
        size_t middle = from + (count - from) / 2;
        if (lw_str_compare(labels[middle].key, key) < 0)
            from = middle + 1;
        else
            count = middle;
    }
    return from;
}

static bool has_value(const lw_label_requirement *r, lw_str value)
{
    size_t from = 0, to = r->value_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = lw_str_compare(r->values[middle], value);
        if (order == 0)
            return true;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* The value of a label as a number.  Go reads a plus sign too. */
static bool label_number(lw_str value, int64_t *number)
{
    if (value.len > 1 && value.ptr[0] == '+' && value.ptr[1] != '-')
        value = lw_str_skip(value, 1);
    return lw_str_to_int64(value, number);
}

/* |value| is the value of the label of |r|; NULL if the object does not have it. */
static bool requirement_holds(const lw_label_requirement *r, const lw_str *value)
{
    int64_t number;
    switch (r->op) {
    case LW_LABEL_EXISTS: return value != NULL;
    case LW_LABEL_DOES_NOT_EXIST: return value == NULL;
    case LW_LABEL_EQUALS:
    case LW_LABEL_DOUBLE_EQUALS: return value && lw_str_equal(r->values[0], *value);
    case LW_LABEL_NOT_EQUALS: return !value || !lw_str_equal(r->values[0], *value);
    case LW_LABEL_IN: return value && has_value(r, *value);
    case LW_LABEL_NOT_IN: return !value || !has_value(r, *value);
    case LW_LABEL_GREATER_THAN: return value && label_number(*value, &number) && number > r->bound;
    case LW_LABEL_LESS_THAN: return value && label_number(*value, &number) && number < r->bound;
    }
    return false;
}

bool lw_label_selector_matches_labels(const lw_label_selector *selector, const lw_label *labels,
                                      size_t count)
{
    if (!selector)
        return true;
    if (selector->is_nothing)
        return false;
    size_t at = 0;
    for (size_t i = 0; i < selector->count; i++) {
        const lw_label_requirement *r = &selector->requirements[i];
        /* Both sides are sorted by key: labels before |at| match no later requirement. */
        at = lower_bound(labels, at, count, r->key);
        bool is_there = at < count && lw_str_equal(labels[at].key, r->key);
        if (!requirement_holds(r, is_there ? &labels[at].value : NULL))
            return false;
    }
    return true;
}

bool lw_label_selector__matches(const lw_label_selector *selector, lw_label_get_fn get,
                                const void *labels)
{
    if (!selector)
        return true;
    if (selector->is_nothing)
        return false;
    for (size_t i = 0; i < selector->count; i++) {
        const lw_label_requirement *r = &selector->requirements[i];
        lw_str value;
        bool is_there = get(labels, r->key, &value);
        if (!requirement_holds(r, is_there ? &value : NULL))
            return false;
    }
    return true;
}

/* Inspecting. */

bool lw_label_selector_is_everything(const lw_label_selector *selector)
{
    return !selector || (selector->count == 0 && !selector->is_nothing);
}

bool lw_label_selector_is_nothing(const lw_label_selector *selector)
{
    return selector && selector->is_nothing;
}

lw_str lw_label_selector_text(const lw_label_selector *selector)
{
    return selector ? lw_str_make(selector->text, selector->text_len) : lw_str_make(NULL, 0);
}

const lw_label_requirement *lw_label_selector_requirements(const lw_label_selector *selector,
                                                           size_t *count)
{
    *count = selector ? selector->count : 0;
    return selector ? selector->requirements : NULL;
}

bool lw_label_selector_requires_exact(const lw_label_selector *selector, lw_str key, lw_str *value)
{
    for (size_t i = 0; selector && i < selector->count; i++) {
        const lw_label_requirement *r = &selector->requirements[i];
        bool is_exact = r->op == LW_LABEL_EQUALS || r->op == LW_LABEL_DOUBLE_EQUALS ||
                        (r->op == LW_LABEL_IN && r->value_count == 1);
        if (is_exact && lw_str_equal(r->key, key)) {
            *value = r->values[0];
            return true;
        }
    }
    return false;
}

/* Building. */

lw_status lw_label_selector__new(lw_label_selector **out, size_t terms, size_t bytes, lw_error *err)
{
    if (bytes > LW_LABEL_SELECTOR_LENGTH_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "label selector is longer than %d bytes",
                            LW_LABEL_SELECTOR_LENGTH_MAX);
    if (terms > LW_LABEL_SELECTOR_TERMS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "label selector has more than %d terms",
                            LW_LABEL_SELECTOR_TERMS_MAX);
    size_t size =
        sizeof(lw_label_selector) + terms * (sizeof(lw_label_requirement) + sizeof(lw_str)) + bytes;
    lw_label_selector *selector = lw_alloc_zero(1, size);
    if (!selector)
        return lw_error_nomem(err);
    selector->requirements = (lw_label_requirement *)(selector + 1);
    selector->values = (lw_str *)(selector->requirements + terms);
    selector->bytes = (char *)(selector->values + terms);
    *out = selector;
    return LW_OK;
}

void lw_label_selector_free(lw_label_selector *selector)
{
    if (!selector)
        return;
    lw_free(selector->text);
    lw_free(selector);
}

lw_label_requirement *lw_label_selector__add(lw_label_selector *selector, lw_str key,
                                             lw_label_operator op)
{
    lw_label_requirement *r = &selector->requirements[selector->count++];
    r->key = key;
    r->op = op;
    r->values = selector->values + selector->value_count;
    return r;
}

void lw_label_selector__add_value(lw_label_selector *selector, lw_str value)
{
    selector->values[selector->value_count++] = value;
    selector->requirements[selector->count - 1].value_count++;
}

static int by_bytes(const void *a, const void *b)
{
    return lw_str_compare(*(const lw_str *)a, *(const lw_str *)b);
}

void lw_label_selector__sort_newest(lw_label_selector *selector, bool is_set)
{
    lw_label_requirement *r = &selector->requirements[selector->count - 1];
    if (r->value_count < 2)
        return;
    lw_str *values = selector->values + (selector->value_count - r->value_count);
    qsort(values, r->value_count, sizeof(values[0]), by_bytes);
    if (!is_set)
        return;
    size_t kept = 1;
    for (size_t i = 1; i < r->value_count; i++) {
        if (!lw_str_equal(values[i], values[kept - 1]))
            values[kept++] = values[i];
    }
    selector->value_count -= r->value_count - kept;
    r->value_count = kept;
}

/* Keys are views into the bytes of the selector in their original order, so the address keeps the
 * order of requirements with the same key. */
static int by_key(const void *a, const void *b)
{
    const lw_label_requirement *left = a, *right = b;
    int order = lw_str_compare(left->key, right->key);
    if (order != 0)
        return order;
    return (left->key.ptr > right->key.ptr) - (left->key.ptr < right->key.ptr);
}

static void print_values(lw_buf *buf, const lw_label_requirement *r)
{
    for (size_t i = 0; i < r->value_count; i++) {
        if (i > 0)
            lw_buf_append_char(buf, ',');
        lw_buf_append_str(buf, r->values[i]);
    }
}

static void print_requirement(lw_buf *buf, const lw_label_requirement *r)
{
    static const char *const between[] = {
        [LW_LABEL_EXISTS] = "",          [LW_LABEL_DOES_NOT_EXIST] = "", [LW_LABEL_EQUALS] = "=",
        [LW_LABEL_DOUBLE_EQUALS] = "==", [LW_LABEL_NOT_EQUALS] = "!=",   [LW_LABEL_IN] = " in (",
        [LW_LABEL_NOT_IN] = " notin (",  [LW_LABEL_GREATER_THAN] = ">",  [LW_LABEL_LESS_THAN] = "<",
    };
    if (r->op == LW_LABEL_DOES_NOT_EXIST)
        lw_buf_append_char(buf, '!');
    lw_buf_append_str(buf, r->key);
    lw_buf_append_text(buf, between[r->op]);
    print_values(buf, r);
    if (r->op == LW_LABEL_IN || r->op == LW_LABEL_NOT_IN)
        lw_buf_append_char(buf, ')');
}

lw_status lw_label_selector__seal(lw_label_selector *selector, lw_error *err)
{
    if (selector->count == 0)
        return LW_OK;
    qsort(selector->requirements, selector->count, sizeof(selector->requirements[0]), by_key);
    lw_buf buf;
    lw_buf_init(&buf, 2 * (size_t)LW_LABEL_SELECTOR_LENGTH_MAX);
    for (size_t i = 0; i < selector->count; i++) {
        if (i > 0)
            lw_buf_append_char(&buf, ',');
        print_requirement(&buf, &selector->requirements[i]);
    }
    size_t len = buf.len;
    lw_status st = buf.st;
    selector->text = lw_buf_take_text(&buf);
    lw_buf_done(&buf);
    if (!selector->text)
        return st == LW_ERR_LIMIT ? lw_error_set(err, st, "label selector is too long")
                                  : lw_error_nomem(err);
    selector->text_len = len;
    return LW_OK;
}
