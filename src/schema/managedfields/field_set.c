/* SPDX-License-Identifier: Apache-2.0 */
/* field_set.c -- reads, sorts and combines field sets.  The recursion is as deep as the sets: at
 * most LW_TREE_DEPTH. */
#include "schema/managedfields/field_set.h"

#include "base/error.h"
#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "json/text.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024, /* bytes of a path element or a path */
    FEW_ELEMENTS = 16,
};

static bool is_self(lw_str element)
{
    return element.len == 1 && element.ptr[0] == '.';
}

/* True if the text at |set| has the member ".", which comes first in a sorted set. */
static bool text_names_whole(lw_json_cursor set)
{
    lw_str key;
    lw_json_cursor_enter(&set);
    while (lw_json_cursor_next_member(&set, &key)) {
        if (is_self(key))
            return true;
        (void)lw_json_cursor_skip(&set);
    }
    return false;
}

static bool text_is_empty(lw_json_cursor set)
{
    lw_json_cursor_enter(&set);
    return !lw_json_cursor_next(&set, '}');
}

/* As lw_field_set_has_self for the text at |set|. */
static bool text_has_self(lw_json_cursor set)
{
    return text_is_empty(set) || text_names_whole(set);
}

bool lw_field_set_has_self(const lw_node *below)
{
    lw_str text;
    if (lw_node_is_closed(below, &text))
        return text_has_self(lw_json_cursor_on(text));
    return below && (lw_node_count(below) == 0 || lw_node_get(below, LW_STR(".")));
}

bool lw_field_set_is_empty(const lw_node *set)
{
    lw_str text;
    if (!lw_node_is_closed(set, &text))
        return lw_node_count(set) == 0;
    return text_is_empty(lw_json_cursor_on(text));
}

bool lw_field_set_names_whole(const lw_node *set)
{
    lw_str text;
    if (!lw_node_is_closed(set, &text))
        return lw_node_get(set, LW_STR("."));
    return text_names_whole(lw_json_cursor_on(text));
}

bool lw_field_set_equal(const lw_node *a, const lw_node *b)
{
    if (lw_field_set_is_empty(a) || lw_field_set_is_empty(b))
        return lw_field_set_is_empty(a) && lw_field_set_is_empty(b);
    return lw_node_equal(a, b);
}

lw_node *lw_field_set_with_self(lw_tree *tree, lw_node *below)
{
    if (!below)
        return lw_tree_object(tree);
    if (!lw_field_set_has_self(below))
        lw_node_add(tree, below, LW_STR("."), lw_tree_object(tree));
    return below;
}

void lw_field_set_put(lw_tree *tree, lw_node **set, lw_str element, lw_node *below)
{
    if (!below)
        return;
    if (!*set)
        *set = lw_tree_object(tree);
    lw_node_put(tree, *set, element, below);
}

void lw_field_set_add(lw_tree *tree, lw_node **set, lw_str element, lw_node *below)
{
    if (!below)
        return;
    if (!*set)
        *set = lw_tree_object(tree);
    lw_node_add(tree, *set, element, below);
}

/* The state of reading a set. */
typedef struct reading {
    lw_tree *tree;
    lw_tree *scratch; /* for temporary nodes */
    lw_buf element;
    lw_error *err;
} reading;

typedef enum set_operation {
    UNION,
    INTERSECTION,
    DIFFERENCE,
} set_operation;

static lw_node *combine(lw_tree *tree, set_operation operation, const lw_node *a, const lw_node *b);

static lw_status read_below(reading *r, const lw_node *from, lw_node **out);

static lw_status read_member(reading *r, lw_str name, const lw_node *value, lw_node **set)
{
    lw_node *below = NULL;
    if (lw_element_kind_of(name) == LW_ELEMENT_UNKNOWN)
        return LW_OK;
    lw_status st = read_below(r, value, &below);
    if (st < 0)
        return st;
    lw_buf_truncate(&r->element, 0);
    st = lw_element_normalize(r->scratch, name, &r->element);
    if (st < 0)
        return lw_error_set(r->err, st, "invalid path element \"%.*s\" in fieldsV1",
                            LW_STR_ARG(name));
    lw_str element = lw_buf_view(&r->element);
    const lw_node *twin = lw_node_get(*set, element); /* the same element in another form */
    lw_field_set_put(r->tree, set, element, twin ? combine(r->tree, UNION, twin, below) : below);
    return LW_OK;
}

/* The result is never empty: an element with nothing below is in the set itself. */
static lw_status read_below(reading *r, const lw_node *from, lw_node **out)
{
    lw_node *set = NULL;
    bool has_self = false;
    if (!lw_node_is(from, LW_JSON_OBJECT) && lw_node_type(from) != LW_JSON_NULL)
        return lw_error_set(r->err, LW_ERR_INVALID,
                            "invalid fieldsV1: every value must be an object");
    for (size_t i = 0; i < lw_node_count(from); i++) {
        lw_str name = lw_node_key_at(from, i);
        if (is_self(name)) {
            has_self = true;
            continue;
        }
        lw_status st = read_member(r, name, lw_node_at(from, i), &set);
        if (st < 0)
            return st;
    }
    *out = has_self || !set ? lw_field_set_with_self(r->tree, set) : set;
    return lw_tree_status(r->tree);
}

/* True if |element| is in canonical form; false if memory runs out. */
static bool is_normal_element(reading *r, lw_str element)
{
    lw_buf_truncate(&r->element, 0);
    switch (lw_element_kind_of(element)) {
    case LW_ELEMENT_FIELD: return true;
    case LW_ELEMENT_KEY:
    case LW_ELEMENT_VALUE:
        return lw_element_is_plain_key(element) ||
               (lw_element_normalize(r->scratch, element, &r->element) == LW_OK &&
                lw_str_equal(element, lw_buf_view(&r->element)));
    default: return false;
    }
}

/* True if reading |from| would not change it, as is the case for all sets written by this
 * server. */
static bool is_normal(reading *r, const lw_node *from)
{
    size_t count = lw_node_count(from);
    if (!lw_node_is(from, LW_JSON_OBJECT))
        return false;
    for (size_t i = 0; i < count; i++) {
        lw_str name = lw_node_key_at(from, i);
        const lw_node *below = lw_node_at(from, i);
        bool is_good = is_self(name) ? count > 1 && lw_node_is(below, LW_JSON_OBJECT) &&
                                           lw_node_count(below) == 0
                                     : is_normal_element(r, name) && is_normal(r, below);
        if (!is_good)
            return false;
    }
    return true;
}

static bool is_closed(const lw_node *set)
{
    lw_str text;
    return lw_node_is_closed(set, &text);
}

lw_status lw_field_set_read(lw_tree *tree, const lw_node *fields, lw_node **out, lw_error *err)
{
    reading r = { .tree = tree, .err = err };
    lw_node *set = NULL;
    lw_buf_init(&r.element, TEXT_MAX);
    lw_status st = lw_tree_new(&r.scratch, 0);
    if (st == LW_OK)
        lw_tree_set_budget(r.scratch, lw_tree_budget(tree));
    lw_node *own = st == LW_OK && is_closed(fields) ? lw_tree_read_closed(tree, fields) : NULL;
    if (own)
        fields = own;
    if (st == LW_OK && is_normal(&r, fields)) {
        set = own ? own : lw_tree_copy(tree, fields);
        st = lw_tree_status(tree);
    } else if (st == LW_OK) {
        st = read_below(&r, fields, &set);
    }
    if (st == LW_OK) {
        (void)lw_node_remove(set, LW_STR(".")); /* the whole object is not a field */
        *out = set;
    } else if (st == LW_ERR_NOMEM) {
        (void)lw_error_nomem(err);
    }
    lw_tree_free(r.scratch);
    lw_buf_done(&r.element);
    return st;
}

static bool is_field(lw_str element)
{
    return element.len > 1 && element.ptr[0] == 'f' && element.ptr[1] == ':';
}

/* As lw_element_compare: "." is first, and most elements are fields. */
static int compare_elements(void *st, lw_str a, lw_str b)
{
    if (is_field(a) && is_field(b))
        return lw_str_compare(a, b);
    if (is_self(a) || is_self(b))
        return (int)is_self(b) - (int)is_self(a);
    return lw_element_compare(a, b, st);
}

static void sort_level(lw_node *set, lw_status *st)
{
    if (is_closed(set)) /* as it was written */
        return;
    size_t count = lw_node_count(set);
    for (size_t i = 0; i < count; i++)
        sort_level(lw_node_at(set, i), st);
    if (count > 1)
        lw_node_sort_members(set, compare_elements, st);
}

lw_status lw_field_set_sort(lw_node *set)
{
    lw_status st = LW_OK;
    sort_level(set, &st);
    return st;
}

static lw_node *combine_members(lw_tree *tree, set_operation operation, const lw_node *a,
                                const lw_node *b)
{
    lw_node *set = NULL;
    for (size_t i = 0; i < lw_node_count(a); i++) {
        lw_str element = lw_node_key_at(a, i);
        if (!is_self(element))
            lw_field_set_add(tree, &set, element,
                             combine(tree, operation, lw_node_at(a, i), lw_node_get(b, element)));
    }
    for (size_t i = 0; i < lw_node_count(b) && operation == UNION; i++) {
        lw_str element = lw_node_key_at(b, i);
        if (!is_self(element) && !lw_node_get(a, element))
            lw_field_set_add(tree, &set, element, lw_tree_copy(tree, lw_node_at(b, i)));
    }
    return set;
}

static bool keeps_self(set_operation operation, bool in_a, bool in_b)
{
    switch (operation) {
    case UNION: return in_a || in_b;
    case INTERSECTION: return in_a && in_b;
    default: return in_a && !in_b;
    }
}

/* Combines what is below one element; NULL: empty. */
static lw_node *combine(lw_tree *tree, set_operation operation, const lw_node *a, const lw_node *b)
{
    if (!b)
        return operation == INTERSECTION ? NULL : lw_tree_copy(tree, a);
    bool in_b = lw_field_set_has_self(b);
    lw_node *below = combine_members(tree, operation, a, b);
    return keeps_self(operation, lw_field_set_has_self(a), in_b)
               ? lw_field_set_with_self(tree, below)
               : below;
}

static lw_node *whole(lw_tree *tree, set_operation operation, const lw_node *a, const lw_node *b)
{
    lw_node *set = combine_members(tree, operation, a, b);
    return set ? set : lw_tree_object(tree);
}

lw_node *lw_field_set_union(lw_tree *tree, const lw_node *a, const lw_node *b)
{
    return whole(tree, UNION, a, b);
}

lw_node *lw_field_set_intersection(lw_tree *tree, const lw_node *a, const lw_node *b)
{
    return whole(tree, INTERSECTION, a, b);
}

lw_node *lw_field_set_difference(lw_tree *tree, const lw_node *a, const lw_node *b)
{
    return whole(tree, DIFFERENCE, a, b);
}

/* Returns true if no level of |set| has many elements: to look for each in a text is then cheap. */
static bool is_small(const lw_node *set)
{
    if (lw_node_count(set) > FEW_ELEMENTS)
        return false;
    for (size_t i = 0; i < lw_node_count(set); i++) {
        if (!is_small(lw_node_at(set, i)))
            return false;
    }
    return true;
}

/* Returns what is below the element |key| of a text in |set|, which is small. */
static const lw_node *below_key(const lw_node *set, lw_str key, bool is_escaped)
{
    if (!is_escaped)
        return lw_node_get(set, key);
    for (size_t i = 0; i < lw_node_count(set); i++) {
        if (lw_json_text_equal(key, lw_node_key_at(set, i)))
            return lw_node_at(set, i);
    }
    return NULL;
}

/* As lw_field_set_is_disjoint, where |a| is text, which is passed once. */
static bool text_is_disjoint(lw_json_cursor a, const lw_node *b)
{
    lw_str key;
    bool is_escaped;
    lw_json_cursor_enter(&a);
    while (lw_json_cursor_next_key(&a, &key, &is_escaped)) {
        const lw_node *in_b = is_self(key) ? NULL : below_key(b, key, is_escaped);
        bool is_shared = in_b && lw_field_set_has_self(in_b) && text_has_self(a);
        if (is_shared || (in_b && !text_is_disjoint(a, in_b)))
            return false;
        (void)lw_json_cursor_skip(&a);
    }
    return true;
}

bool lw_field_set_is_disjoint(const lw_node *a, const lw_node *b)
{
    lw_str text;
    if (lw_node_count(b) == 0)
        return true;
    if (lw_node_is_closed(a, &text) && is_small(b))
        return text_is_disjoint(lw_json_cursor_on(text), b);
    for (size_t i = 0; i < lw_node_count(b); i++) {
        lw_str element = lw_node_key_at(b, i);
        const lw_node *in_a = lw_node_get(a, element), *in_b = lw_node_at(b, i);
        if (!in_a || is_self(element))
            continue;
        bool is_shared = lw_field_set_has_self(in_a) && lw_field_set_has_self(in_b);
        if (is_shared || !lw_field_set_is_disjoint(in_a, in_b))
            return false;
    }
    return true;
}

bool lw_field_set_has_all(const lw_node *a, const lw_node *b)
{
    for (size_t i = 0; i < lw_node_count(b); i++) {
        lw_str element = lw_node_key_at(b, i);
        const lw_node *in_a = lw_node_get(a, element), *in_b = lw_node_at(b, i);
        if (is_self(element))
            continue;
        if (!in_a || (lw_field_set_has_self(in_b) && !lw_field_set_has_self(in_a)) ||
            !lw_field_set_has_all(in_a, in_b))
            return false;
    }
    return true;
}

static void remove_members(lw_tree *tree, lw_node *set, const lw_node *gone, bool is_below)
{
    for (size_t i = 0; i < lw_node_count(gone); i++) {
        lw_str element = lw_node_key_at(gone, i);
        const lw_node *less = lw_node_at(gone, i);
        lw_node *below = lw_node_get(set, element);
        if (!below || is_self(element))
            continue;
        bool is_gone = lw_field_set_has_self(less);
        bool stays = lw_field_set_has_self(below) && !is_gone;
        if (is_gone && is_below) {
            (void)lw_node_remove(set, element);
            continue;
        }
        remove_members(tree, below, less, is_below);
        (void)lw_node_remove(below, LW_STR("."));
        if (stays)
            (void)lw_field_set_with_self(tree, below);
        else if (lw_node_count(below) == 0)
            (void)lw_node_remove(set, element);
    }
}

void lw_field_set_remove(lw_tree *tree, lw_node *set, const lw_node *gone)
{
    remove_members(tree, set, gone, false);
}

void lw_field_set_remove_below(lw_tree *tree, lw_node *set, const lw_node *gone)
{
    remove_members(tree, set, gone, true);
}

typedef struct visiting {
    lw_buf path;
    void (*visit)(lw_str path, void *arg);
    void *arg;
} visiting;

static lw_status visit_level(visiting *v, const lw_node *set)
{
    size_t len = v->path.len;
    for (int is_deep = 0; is_deep < 2; is_deep++) {
        for (size_t i = 0; i < lw_node_count(set); i++) {
            lw_str element = lw_node_key_at(set, i);
            const lw_node *below = lw_node_at(set, i);
            if (is_self(element))
                continue;
            lw_status st = lw_element_append_text(&v->path, element);
            if (st == LW_OK && is_deep)
                st = visit_level(v, below);
            else if (st == LW_OK && lw_field_set_has_self(below))
                v->visit(lw_buf_view(&v->path), v->arg);
            if (st < 0)
                return st;
            lw_buf_truncate(&v->path, len);
        }
    }
    return LW_OK;
}

lw_status lw_field_set_visit(const lw_node *set, void (*visit)(lw_str path, void *arg), void *arg)
{
    visiting v = { .visit = visit, .arg = arg };
    lw_buf_init(&v.path, TEXT_MAX);
    lw_status st = visit_level(&v, set);
    lw_buf_done(&v.path);
    return st;
}
