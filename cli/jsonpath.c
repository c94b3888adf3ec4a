/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath.c -- evaluates JSONPath templates.
 *
 * A step turns a list of values into the list of what it finds in each.  The lists are limited, so
 * that a path such as ..[*]..[*]..[*] cannot use all memory. */
#include "jsonpath.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "jsonpath_internal.h"

/* Values of the document. */
typedef struct values {
    const lw_value **at;
    size_t count, size;
} values;

typedef struct evaluation {
    lw_document *doc;
    const lw_value *root;
    size_t budget; /* values that may still be added to lists */
    lw_status st;
} evaluation;

static void values_add(evaluation *e, values *to, const lw_value *value)
{
    if (e->st < 0 || !value)
        return;
    if (e->budget == 0) {
        e->st = LW_ERR_LIMIT;
        return;
    }
    e->budget--;
    if (to->count == to->size) {
        size_t size = to->size ? to->size * 2 : 8;
        const lw_value **grown = realloc(to->at, size * sizeof(*grown));
        if (!grown) {
            e->st = LW_ERR_NOMEM;
            return;
        }
        to->at = grown;
        to->size = size;
    }
    to->at[to->count++] = value;
}

static const lw_value *member(const lw_value *of, const char *name)
{
    lw_str wanted = lw_str_of(name);
    for (size_t i = 0; i < lw_document_count(of); i++) {
        lw_str key = lw_document_key(of, i);
        if (key.len == wanted.len && wanted.len > 0 && lw_str_equal(key, wanted))
            return lw_document_item(of, i);
    }
    return NULL;
}

/* The item of an object at 0 has a key; if that is empty, the pointer "/0" does not find it. */
static bool is_array(evaluation *e, const lw_value *value)
{
    return lw_document_count(value) > 0 && lw_document_key(value, 0).len == 0 &&
           lw_document_find(e->doc, value, "/0") == lw_document_item(value, 0);
}

static long bound(bool is_given, long value, long count, long otherwise)
{
    if (!is_given)
        return otherwise;
    if (value < 0)
        value += count;
    return value < 0 ? 0 : value > count ? count : value;
}

static void take_slice(evaluation *e, const step *s, const lw_value *value, values *out)
{
    long count = (long)lw_document_count(value);
    if (!is_array(e, value))
        return;
    if (s->is_index) {
        long index = s->from < 0 ? s->from + count : s->from;
        if (index >= 0 && index < count)
            values_add(e, out, lw_document_item(value, (size_t)index));
        return;
    }
    long to = bound(s->has_to, s->to, count, count);
    for (long i = bound(s->has_from, s->from, count, 0); i < to && e->st == LW_OK;) {
        values_add(e, out, lw_document_item(value, (size_t)i));
        if (s->stride >= to - i)
            break;
        i += s->stride;
    }
}

static void take_all(evaluation *e, const lw_value *value, values *out)
{
    for (size_t i = 0; i < lw_document_count(value) && e->st == LW_OK; i++)
        values_add(e, out, lw_document_item(value, i));
}

/* The depth of a document is limited by its parser. */
static void take_descendants(evaluation *e, const lw_value *value, values *out)
{
    values_add(e, out, value);
    for (size_t i = 0; i < lw_document_count(value) && e->st == LW_OK; i++)
        take_descendants(e, lw_document_item(value, i), out);
}

static void walk(evaluation *e, const step_path *p, const lw_value *from, values *out);

static bool is_number(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0';
}

static int compare_texts(const char *a, const char *b)
{
    double x = 0, y = 0;
    if (is_number(a, &x) && is_number(b, &y))
        return x < y ? -1 : x > y;
    return strcmp(a, b);
}

static bool is_match(filter_operator op, int order)
{
    switch (op) {
    case FILTER_EQUAL: return order == 0;
    case FILTER_NOT_EQUAL: return order != 0;
    case FILTER_LESS: return order < 0;
    case FILTER_LESS_EQUAL: return order <= 0;
    case FILTER_GREATER: return order > 0;
    case FILTER_GREATER_EQUAL: return order >= 0;
    case FILTER_EXISTS: break;
    }
    return true;
}

/* The first value of an operand as text; NULL: there is none. */
static const char *operand_text(evaluation *e, const step_path *p, const lw_value *at)
{
    values found = { 0 };
    const char *text = p->literal;
    if (!text) {
        walk(e, p, at, &found);
        text = found.count > 0 ? jsonpath_text(e->doc, found.at[0]) : NULL;
        free(found.at);
    }
    return text;
}

static bool passes(evaluation *e, const step *s, const lw_value *value)
{
    const char *left = operand_text(e, s->paths, value);
    if (s->op == FILTER_EXISTS || !left)
        return left != NULL;
    const char *right = operand_text(e, s->paths->next, value);
    return right && is_match(s->op, compare_texts(left, right));
}

static void take_filtered(evaluation *e, const step *s, const lw_value *value, values *out)
{
    for (size_t i = 0; i < lw_document_count(value) && e->st == LW_OK; i++) {
        const lw_value *item = lw_document_item(value, i);
        if (passes(e, s, item))
            values_add(e, out, item);
    }
}

static void take_step(evaluation *e, const step *s, const lw_value *value, values *out)
{
    switch (s->kind) {
    case STEP_FIELD: values_add(e, out, member(value, s->name)); break;
    case STEP_ALL: take_all(e, value, out); break;
    case STEP_DESCEND: take_descendants(e, value, out); break;
    case STEP_SLICE: take_slice(e, s, value, out); break;
    case STEP_FILTER: take_filtered(e, s, value, out); break;
    case STEP_ROOT: values_add(e, out, e->root); break;
    case STEP_UNION:
        for (const step_path *p = s->paths; p && e->st == LW_OK; p = p->next)
            walk(e, p, value, out);
        break;
    }
}

/* Adds what |p| finds in |from| to |out|. */
static void walk(evaluation *e, const step_path *p, const lw_value *from, values *out)
{
    values now = { 0 };
    values_add(e, &now, from);
    for (const step *s = p->first; s && e->st == LW_OK; s = s->next) {
        values next = { 0 };
        for (size_t i = 0; i < now.count && e->st == LW_OK; i++)
            take_step(e, s, now.at[i], &next);
        free(now.at);
        now = next;
    }
    for (size_t i = 0; i < now.count && e->st == LW_OK; i++)
        values_add(e, out, now.at[i]);
    free(now.at);
}

static evaluation begin(lw_document *doc, const lw_value *root)
{
    if (!root)
        root = lw_document_find(doc, NULL, "");
    return (evaluation){ .doc = doc, .root = root, .budget = JSONPATH_VALUES_MAX };
}

static lw_status explain(const evaluation *e, lw_error *err)
{
    if (e->st == LW_ERR_LIMIT && err) {
        err->code = LW_ERR_LIMIT;
        (void)snprintf(err->message, sizeof(err->message), "the JSONPath finds more than %d values",
                       JSONPATH_VALUES_MAX);
    }
    return e->st;
}

lw_status jsonpath_find(const jsonpath *path, lw_document *doc, const lw_value *root,
                        jsonpath_value_fn on_value, void *arg, lw_error *err)
{
    evaluation e = begin(doc, root);
    values found = { 0 };
    const part *first = path->first;
    while (first && first->kind == PART_TEXT)
        first = first->next;
    if (first)
        walk(&e, first->path, e.root, &found);
    for (size_t i = 0; i < found.count && e.st == LW_OK; i++)
        e.st = on_value(doc, found.at[i], arg);
    free(found.at);
    return explain(&e, err);
}

const char *jsonpath_text(lw_document *doc, const lw_value *value)
{
    lw_str json;
    const char *text = lw_document_string(doc, value, "", NULL);
    if (text)
        return text;
    if (lw_document_json(doc, value, &json, NULL) < 0)
        return NULL;
    return strcmp(json.ptr, "null") == 0 ? "" : json.ptr;
}

/* Where the text goes. */
typedef struct sink {
    jsonpath_text_fn write;
    void *arg;
} sink;

static void write_bytes(evaluation *e, const sink *to, const char *bytes, size_t len)
{
    if (e->st == LW_OK && len > 0)
        e->st = to->write(bytes, len, to->arg);
}

static void write_values(evaluation *e, const values *found, const sink *to)
{
    for (size_t i = 0; i < found->count && e->st == LW_OK; i++) {
        const char *text = jsonpath_text(e->doc, found->at[i]);
        if (i > 0)
            write_bytes(e, to, " ", 1);
        if (text)
            write_bytes(e, to, text, strlen(text));
        else
            e->st = LW_ERR_NOMEM;
    }
}

/* Paths inside a range begin at its current value. */
static void write_parts(evaluation *e, const part *p, const lw_value *at, const sink *to)
{
    for (; p && e->st == LW_OK; p = p->next) {
        values found = { 0 };
        if (p->kind == PART_TEXT) {
            write_bytes(e, to, p->text, p->len);
            continue;
        }
        walk(e, p->path, at, &found);
        if (p->kind == PART_PATH)
            write_values(e, &found, to);
        for (size_t i = 0; p->kind == PART_RANGE && i < found.count && e->st == LW_OK; i++)
            write_parts(e, p->inside, found.at[i], to);
        free(found.at);
    }
}

lw_status jsonpath_write(const jsonpath *path, lw_document *doc, jsonpath_text_fn write, void *arg,
                         lw_error *err)
{
    evaluation e = begin(doc, NULL);
    const sink to = { write, arg };
    write_parts(&e, path->first, e.root, &to);
    return explain(&e, err);
}
