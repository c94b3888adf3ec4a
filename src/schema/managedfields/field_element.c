/* SPDX-License-Identifier: Apache-2.0 */
/* field_element.c -- path elements: their canonical form, order and text. */
#include "schema/managedfields/field_element.h"

#include <string.h>

#include "base/str.h"
#include "json/text.h"

enum {
    PREFIX = 2, /* "f:" */
};

lw_element_kind lw_element_kind_of(lw_str element)
{
    if (lw_str_equal(element, LW_STR(".")))
        return LW_ELEMENT_SELF;
    if (element.len < PREFIX || element.ptr[1] != ':')
        return LW_ELEMENT_NONE;
    switch (element.ptr[0]) {
    case 'f': return LW_ELEMENT_FIELD;
    case 'k': return LW_ELEMENT_KEY;
    case 'v': return LW_ELEMENT_VALUE;
    case 'i': return LW_ELEMENT_INDEX;
    default: return LW_ELEMENT_UNKNOWN;
    }
}

/* Skips |byte| if |*rest| begins with it. */
static bool takes(lw_str *rest, char byte)
{
    if (rest->len == 0 || rest->ptr[0] != byte)
        return false;
    *rest = lw_str_skip(*rest, 1);
    return true;
}

/* Skips a string without escapes that needs none; |*text| is its value. */
static bool takes_plain_string(lw_str *rest, lw_str *text)
{
    size_t at = 0;
    if (!takes(rest, '"'))
        return false;
    while (at < rest->len && rest->ptr[at] >= ' ' && rest->ptr[at] < 0x7f &&
           !memchr("\"\\<>&", rest->ptr[at], 5))
        at++;
    *text = lw_str_make(rest->ptr, at);
    *rest = lw_str_skip(*rest, at);
    return takes(rest, '"');
}

/* Skips an unsigned integer that is short enough to be exact. */
static bool takes_short_integer(lw_str *rest)
{
    enum {
        DIGITS_MAX = 9,
    };
    size_t at = 0;
    while (at < rest->len && lw_char_is_digit(rest->ptr[at]))
        at++;
    if (at == 0 || at > DIGITS_MAX || (at > 1 && rest->ptr[0] == '0'))
        return false;
    *rest = lw_str_skip(*rest, at);
    return true;
}

bool lw_element_is_plain_key(lw_str element)
{
    lw_str rest = lw_str_skip(element, PREFIX), last = LW_STR(""), key, text;
    if (lw_element_kind_of(element) != LW_ELEMENT_KEY || !takes(&rest, '{'))
        return false;
    do {
        if (!takes_plain_string(&rest, &key) || lw_str_compare(last, key) >= 0 ||
            !takes(&rest, ':'))
            return false;
        if (!takes_short_integer(&rest) && !takes_plain_string(&rest, &text))
            return false;
        last = key;
    } while (takes(&rest, ','));
    return takes(&rest, '}') && rest.len == 0;
}

/* True for a string or an integer in its usual form. */
static bool is_plain_value(lw_str element)
{
    lw_str rest = lw_str_skip(element, PREFIX), text;
    return (takes_short_integer(&rest) || takes_plain_string(&rest, &text)) && rest.len == 0;
}

static lw_status normalize_json(lw_tree *tree, lw_str element, bool is_key, lw_buf *out)
{
    lw_node *node = NULL;
    lw_json_writer w;
    lw_status st = lw_tree_parse_node(tree, lw_str_skip(element, PREFIX), &node, NULL);
    if (st < 0)
        return st == LW_ERR_NOMEM ? st : LW_ERR_INVALID;
    if (is_key && !lw_node_is(node, LW_JSON_OBJECT))
        return LW_ERR_INVALID;
    lw_node_sort_keys(node);
    lw_buf_append(out, element.ptr, PREFIX);
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    return lw_json_writer_status(&w);
}

lw_status lw_element_normalize(lw_tree *tree, lw_str element, lw_buf *out)
{
    int64_t index;
    lw_element_kind kind = lw_element_kind_of(element);
    switch (kind) {
    case LW_ELEMENT_NONE: return LW_ERR_INVALID;
    case LW_ELEMENT_KEY:
        if (!lw_element_is_plain_key(element))
            return normalize_json(tree, element, true, out);
        break;
    case LW_ELEMENT_VALUE:
        if (!is_plain_value(element))
            return normalize_json(tree, element, false, out);
        break;
    case LW_ELEMENT_INDEX:
        if (!lw_str_to_int64(lw_str_skip(element, PREFIX), &index))
            return LW_ERR_INVALID;
        break;
    default: break;
    }
    lw_buf_append_str(out, element);
    return out->st;
}

static int compare_numbers(const lw_node *a, const lw_node *b)
{
    int64_t x, y;
    if (lw_node_int64(a, &x) && lw_node_int64(b, &y))
        return (x > y) - (x < y);
    return lw_str_compare(lw_node_text(a), lw_node_text(b));
}

/* The rank of a JSON type in the order. */
static int type_rank(lw_json_type type)
{
    switch (type) {
    case LW_JSON_NUMBER: return 0;
    case LW_JSON_STRING: return 1;
    case LW_JSON_BOOL: return 2;
    case LW_JSON_ARRAY: return 3;
    case LW_JSON_OBJECT: return 4;
    case LW_JSON_NULL: return 5;
    }
    return 5;
}

static int compare_scalars(const lw_node *a, const lw_node *b)
{
    int rank = type_rank(lw_node_type(a)) - type_rank(lw_node_type(b));
    if (rank != 0)
        return rank;
    switch (lw_node_type(a)) {
    case LW_JSON_NUMBER: return compare_numbers(a, b);
    case LW_JSON_STRING: return lw_str_compare(lw_node_text(a), lw_node_text(b));
    case LW_JSON_BOOL: return (int)lw_node_bool(a) - (int)lw_node_bool(b);
    default: return 0; /* lists do not have such items */
    }
}

static int compare_keys(const lw_node *a, const lw_node *b)
{
    size_t a_count = lw_node_count(a), b_count = lw_node_count(b);
    for (size_t i = 0; i < a_count && i < b_count; i++) {
        int order = lw_str_compare(lw_node_key_at(a, i), lw_node_key_at(b, i));
        if (order == 0)
            order = compare_scalars(lw_node_at(a, i), lw_node_at(b, i));
        if (order != 0)
            return order;
    }
    return (a_count > b_count) - (a_count < b_count);
}

static size_t digits_end(lw_str text, size_t at)
{
    while (at < text.len && lw_char_is_digit(text.ptr[at]))
        at++;
    return at;
}

/* True if |text| from |begin| to |end| is an integer that fits into 64 bits. */
static bool is_integer(lw_str text, size_t begin, size_t end)
{
    enum {
        DIGITS_MAX = 18,
    };
    return end > begin && end - begin <= DIGITS_MAX &&
           (end == text.len || text.ptr[end] == ',' || text.ptr[end] == '}');
}

/* |a| and |b| differ first at |at|, outside of a string.  True if they differ there in an unsigned
 * integer; |*order| is the order of the integers. */
static bool compare_integers(lw_str a, lw_str b, size_t at, int *order)
{
    size_t begin = at, a_end = digits_end(a, at), b_end = digits_end(b, at);
    while (begin > 0 && lw_char_is_digit(a.ptr[begin - 1]))
        begin--;
    if (begin > 0 && a.ptr[begin - 1] != ':')
        return false;
    if (!is_integer(a, begin, a_end) || !is_integer(b, begin, b_end))
        return false;
    if (a_end != b_end)
        *order = a_end < b_end ? -1 : 1;
    else
        *order = a.ptr[at] < b.ptr[at] ? -1 : 1;
    return true;
}

/* True if the first difference of |a| and |b| is inside an integer, or inside a string without
 * escapes, whose bytes sort like its value; |*order| is that order. */
static bool compare_plain(lw_str a, lw_str b, int *order)
{
    bool is_string = false;
    size_t at = 0;
    for (; at < a.len && at < b.len && a.ptr[at] == b.ptr[at]; at++) {
        if (a.ptr[at] == '\\')
            return false;
        is_string ^= a.ptr[at] == '"';
    }
    if (!is_string)
        return compare_integers(a, b, at, order);
    if (at == a.len || at == b.len || a.ptr[at] == '\\' || b.ptr[at] == '\\')
        return false;
    if (a.ptr[at] == '"' || b.ptr[at] == '"')
        *order = a.ptr[at] == '"' ? -1 : 1; /* one is a prefix of the other */
    else
        *order = (unsigned char)a.ptr[at] < (unsigned char)b.ptr[at] ? -1 : 1;
    return true;
}

static lw_status parse_two(lw_tree **tree, lw_str a, lw_str b, lw_node **left, lw_node **right)
{
    lw_status st = lw_tree_new(tree, 0);
    if (st == LW_OK)
        st = lw_tree_parse_node(*tree, a, left, NULL);
    return st < 0 ? st : lw_tree_parse_node(*tree, b, right, NULL);
}

static int compare_json(lw_str a, lw_str b, lw_status *st)
{
    lw_tree *tree = NULL;
    lw_node *left = NULL, *right = NULL;
    int order;
    if (lw_str_equal(a, b))
        return 0;
    if (compare_plain(a, b, &order))
        return order;
    order = lw_str_compare(a, b);
    lw_status parsed = parse_two(&tree, a, b, &left, &right);
    if (parsed == LW_OK) {
        bool are_keys = lw_node_is(left, LW_JSON_OBJECT) && lw_node_is(right, LW_JSON_OBJECT);
        int meaning = are_keys ? compare_keys(left, right) : compare_scalars(left, right);
        order = meaning ? meaning : order;
    } else if (parsed == LW_ERR_NOMEM) {
        *st = parsed;
    }
    lw_tree_free(tree);
    return order;
}

int lw_element_compare(lw_str a, lw_str b, lw_status *st)
{
    lw_element_kind kind = lw_element_kind_of(a);
    int order = (int)kind - (int)lw_element_kind_of(b);
    if (order != 0)
        return order;
    if (kind == LW_ELEMENT_KEY || kind == LW_ELEMENT_VALUE || kind == LW_ELEMENT_INDEX)
        return compare_json(lw_str_skip(a, PREFIX), lw_str_skip(b, PREFIX), st);
    return lw_str_compare(a, b);
}

/* [name="a",port=80] or [="x"] */
static lw_status append_json(lw_buf *out, lw_str json, bool is_key)
{
    lw_tree *tree = NULL;
    lw_json_writer w;
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st < 0)
        return st;
    const lw_node *root = lw_tree_root(tree);
    lw_buf_append_char(out, '[');
    for (size_t i = 0; i < (is_key ? lw_node_count(root) : 1); i++) {
        lw_buf_append_text(out, i > 0 ? "," : "");
        if (is_key)
            lw_buf_append_str(out, lw_node_key_at(root, i));
        lw_buf_append_char(out, '=');
        lw_json_writer_init(&w, out, LW_JSON_COMPACT);
        lw_node_write(is_key ? lw_node_at(root, i) : root, &w);
    }
    lw_buf_append_char(out, ']');
    lw_tree_free(tree);
    return out->st;
}

lw_status lw_element_append_text(lw_buf *out, lw_str element)
{
    lw_str rest = lw_str_skip(element, PREFIX);
    switch (lw_element_kind_of(element)) {
    case LW_ELEMENT_KEY: return append_json(out, rest, true);
    case LW_ELEMENT_VALUE: return append_json(out, rest, false);
    case LW_ELEMENT_INDEX:
        lw_buf_append_char(out, '[');
        lw_buf_append_str(out, rest);
        lw_buf_append_char(out, ']');
        return out->st;
    default:
        lw_buf_append_char(out, '.');
        lw_buf_append_str(out, rest);
        return out->st;
    }
}
