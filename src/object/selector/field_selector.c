/* SPDX-License-Identifier: Apache-2.0 */
/* field_selector.c -- field selectors: parse, match, print.
 *
 * Terms are sorted by their original text, which determines the printed order and which of several
 * errors is reported, as in Kubernetes.  One block contains the selector, its requirements, their
 * bytes (values are unescaped in place) and the printed text. */
#include <listwatch/field_selector.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

struct lw_field_selector {
    size_t count;
    lw_field_requirement *requirements;
    char *bytes;
    char *text; /* printed; never longer than the original text */
    size_t text_len;
};

static bool is_special(char c)
{
    return c == '\\' || c == ',' || c == '=';
}

/* Removes the first term from |*rest|; false if it was the last. */
static bool next_term(lw_str *rest, lw_str *term)
{
    size_t end = 0;
    while (end < rest->len && rest->ptr[end] != ',')
        end += rest->ptr[end] == '\\' ? 2 : 1;
    if (end > rest->len)
        end = rest->len; /* ends with a backslash */
    *term = lw_str_make(rest->ptr, end);
    bool more = end < rest->len;
    *rest = lw_str_skip(*rest, end + 1);
    return more;
}

/* Splits |term| at its first operator. */
static bool split_term(lw_str term, lw_field_requirement *r)
{
    for (size_t i = 0; i < term.len; i++) {
        bool before_equals = i + 1 < term.len && term.ptr[i + 1] == '=';
        if (term.ptr[i] != '=' && !(term.ptr[i] == '!' && before_equals))
            continue;
        r->field = lw_str_make(term.ptr, i);
        r->is_negated = term.ptr[i] == '!';
        r->value = lw_str_skip(term, before_equals ? i + 2 : i + 1);
        return true;
    }
    return false;
}

/* Returns the length of the first character of |s|, so that a message does not split it. */
static size_t rune_len(lw_str s)
{
    size_t len = 1;
    while (len < s.len && ((unsigned char)s.ptr[len] & 0xC0) == 0x80)
        len++;
    return len;
}

/* Decodes |*value| in place, in |bytes|. */
static lw_status unescape(char *bytes, lw_str *value, lw_error *err)
{
    size_t len = 0;
    for (size_t i = 0; i < value->len; i++) {
        char c = value->ptr[i];
        if (c == ',' || c == '=')
            return lw_error_set(err, LW_ERR_SYNTAX,
                                "invalid field selector: unescaped character in value: %d", c);
        if (c == '\\') {
            lw_str next = lw_str_skip(*value, i + 1);
            if (next.len == 0 || !is_special(next.ptr[0]))
                return lw_error_set(err, LW_ERR_SYNTAX,
                                    "invalid field selector: invalid escape sequence: \\%.*s",
                                    next.len ? (int)rune_len(next) : 0, next.ptr);
            c = next.ptr[0];
            i++;
        }
        bytes[len++] = c;
    }
    value->len = len;
    return LW_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return lw_str_compare(*(const lw_str *)a, *(const lw_str *)b);
}

static void print_requirement(lw_field_selector *selector, const lw_field_requirement *r)
{
    char *to = selector->text + selector->text_len;
    if (selector->text_len > 0)
        *to++ = ',';
    if (r->field.len > 0)
        memcpy(to, r->field.ptr, r->field.len);
    to += r->field.len;
    if (r->is_negated)
        *to++ = '!';
    *to++ = '=';
    for (size_t i = 0; i < r->value.len; i++) {
        if (is_special(r->value.ptr[i]))
            *to++ = '\\';
        *to++ = r->value.ptr[i];
    }
    selector->text_len = (size_t)(to - selector->text);
}

static lw_status add_term(lw_field_selector *selector, lw_str text, lw_str term, lw_error *err)
{
    lw_field_requirement r;
    if (!split_term(term, &r))
        return lw_error_set(err, LW_ERR_SYNTAX, "invalid selector: '%.*s'; can't understand '%.*s'",
                            LW_STR_ARG(text), LW_STR_ARG(term));
    lw_status st = unescape(selector->bytes + (r.value.ptr - selector->bytes), &r.value, err);
    if (st < 0)
        return st;
    /* Kubernetes ignores "=". */
    if (r.field.len == 0 && r.value.len == 0)
        return LW_OK;
    selector->requirements[selector->count++] = r;
    print_requirement(selector, &r);
    return LW_OK;
}

static lw_status selector_new(lw_field_selector **out, lw_str text, size_t term_count,
                              lw_error *err)
{
    size_t size =
        sizeof(lw_field_selector) + term_count * sizeof(lw_field_requirement) + 2 * text.len;
    lw_field_selector *selector = lw_alloc(size);
    if (!selector)
        return lw_error_nomem(err);
    selector->count = 0;
    selector->requirements = (lw_field_requirement *)(selector + 1);
    selector->bytes = (char *)(selector->requirements + term_count);
    selector->text = selector->bytes + text.len;
    selector->text_len = 0;
    if (text.len > 0)
        memcpy(selector->bytes, text.ptr, text.len);
    *out = selector;
    return LW_OK;
}

/* Splits the bytes of the selector into the |count| terms of |text|, sorts them and adds each. */
static lw_status add_terms(lw_field_selector *selector, lw_str text, size_t count, lw_error *err)
{
    lw_str *terms = lw_alloc_zero(count, sizeof(terms[0]));
    if (!terms)
        return lw_error_nomem(err);
    lw_str rest = lw_str_make(selector->bytes, text.len);
    for (size_t i = 0; i < count; i++)
        (void)next_term(&rest, &terms[i]);
    qsort(terms, count, sizeof(terms[0]), by_bytes);
    lw_status st = LW_OK;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        if (terms[i].len > 0)
            st = add_term(selector, text, terms[i], err);
    }
    lw_free(terms);
    return st;
}

lw_status lw_field_selector_parse(lw_field_selector **out, lw_str text, lw_error *err)
{
    if (text.len > LW_FIELD_SELECTOR_LENGTH_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "field selector is longer than %d bytes",
                            LW_FIELD_SELECTOR_LENGTH_MAX);
    size_t count = 1;
    lw_str rest = text, term;
    while (next_term(&rest, &term))
        count++;
    if (count > LW_FIELD_SELECTOR_TERMS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "field selector has more than %d terms",
                            LW_FIELD_SELECTOR_TERMS_MAX);
    lw_field_selector *selector = NULL;
    lw_status st = selector_new(&selector, text, count, err);
    if (st == LW_OK)
        st = add_terms(selector, text, count, err);
    if (st < 0) {
        lw_field_selector_free(selector);
        return st;
    }
    *out = selector;
    return LW_OK;
}

void lw_field_selector_free(lw_field_selector *selector)
{
    lw_free(selector);
}

bool lw_field_selector_is_everything(const lw_field_selector *selector)
{
    return !selector || selector->count == 0;
}

lw_str lw_field_selector_text(const lw_field_selector *selector)
{
    return selector ? lw_str_make(selector->text, selector->text_len) : lw_str_make(NULL, 0);
}

const lw_field_requirement *lw_field_selector_requirements(const lw_field_selector *selector,
                                                           size_t *count)
{
    *count = selector ? selector->count : 0;
    return selector ? selector->requirements : NULL;
}

bool lw_field_selector_matches(const lw_field_selector *selector, lw_field_get_fn get, void *arg)
{
    for (size_t i = 0; selector && i < selector->count; i++) {
        const lw_field_requirement *r = &selector->requirements[i];
        lw_str value;
        if (!get(arg, r->field, &value))
            value = lw_str_make(NULL, 0);
        if (lw_str_equal(value, r->value) == r->is_negated)
            return false;
    }
    return true;
}

bool lw_field_selector_requires_exact(const lw_field_selector *selector, lw_str field,
                                      lw_str *value)
{
    for (size_t i = 0; selector && i < selector->count; i++) {
        const lw_field_requirement *r = &selector->requirements[i];
        if (!r->is_negated && lw_str_equal(r->field, field)) {
            *value = r->value;
            return true;
        }
    }
    return false;
}
