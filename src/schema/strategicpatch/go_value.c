/* SPDX-License-Identifier: Apache-2.0 */
/* go_value.c -- types, equality and printing of values, as in Go. */
#include "schema/strategicpatch/go_value.h"

#include <string.h>

#include "json/text.h"

static bool is_written_as_integer(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.' || text.ptr[i] == 'e' || text.ptr[i] == 'E')
            return false;
    }
    return true;
}

lw_go_form lw_go_form_of(const lw_node *node)
{
    int64_t number;
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: return LW_GO_NIL;
    case LW_JSON_BOOL: return LW_GO_BOOL;
    case LW_JSON_STRING: return LW_GO_STRING;
    case LW_JSON_ARRAY: return LW_GO_LIST;
    case LW_JSON_OBJECT: return LW_GO_MAP;
    case LW_JSON_NUMBER: break;
    }
    bool is_integer = is_written_as_integer(lw_node_text(node)) && lw_node_int64(node, &number);
    return is_integer ? LW_GO_INT64 : LW_GO_FLOAT64;
}

const char *lw_go_form_name(lw_go_form form)
{
    switch (form) {
    case LW_GO_NIL: return "%!s(<nil>)";
    case LW_GO_BOOL: return "bool";
    case LW_GO_INT64: return "int64";
    case LW_GO_FLOAT64: return "float64";
    case LW_GO_STRING: return "string";
    case LW_GO_LIST: return "[]interface {}";
    case LW_GO_MAP: break;
    }
    return "map[string]interface {}";
}

static int64_t integer_of(const lw_node *node)
{
    int64_t number = 0;
    (void)lw_node_int64(node, &number);
    return number;
}

bool lw_go_equal(const lw_node *a, const lw_node *b)
{
    lw_go_form form = lw_go_form_of(a);
    if (form != lw_go_form_of(b))
        return false;
    switch (form) {
    case LW_GO_NIL: return true;
    case LW_GO_BOOL: return lw_node_bool(a) == lw_node_bool(b);
    case LW_GO_INT64: return integer_of(a) == integer_of(b);
    case LW_GO_FLOAT64: return lw_json_number_equal(lw_node_text(a), lw_node_text(b));
    case LW_GO_STRING: return lw_str_equal(lw_node_text(a), lw_node_text(b));
    case LW_GO_LIST:
    case LW_GO_MAP: break;
    }
    return false;
}

uint64_t lw_go_hash(const lw_node *node, lw_hash_seed seed)
{
    lw_go_form form = lw_go_form_of(node);
    int64_t number = integer_of(node);
    double real;
    switch (form) {
    case LW_GO_INT64: return lw_hash_bytes(seed, &number, sizeof(number));
    case LW_GO_FLOAT64:
        /* + 0.0 makes minus zero plus zero */
        real = lw_json_number_to_double(lw_node_text(node)) + 0.0;
        return lw_hash_bytes(seed, &real, sizeof(real));
    case LW_GO_STRING: return lw_hash_str(seed, lw_node_text(node));
    default: number = lw_node_bool(node); return lw_hash_bytes(seed, &number, 1);
    }
}

/* Stops when |out| is |end| bytes long. */
static void print_within(const lw_node *node, lw_buf *out, size_t end)
{
    lw_go_form form = lw_go_form_of(node);
    if (form == LW_GO_NIL) {
        lw_buf_append_text(out, "<nil>");
    } else if (form == LW_GO_BOOL) {
        lw_buf_append_text(out, lw_node_bool(node) ? "true" : "false");
    } else if (form != LW_GO_LIST && form != LW_GO_MAP) {
        lw_str text = lw_node_text(node);
        size_t room = end > out->len ? end - out->len : 0;
        lw_buf_append(out, text.ptr, text.len < room ? text.len : room + 1);
    } else {
        lw_buf_append_text(out, form == LW_GO_LIST ? "[" : "map[");
        for (size_t i = 0; i < lw_node_count(node) && out->len <= end; i++) {
            lw_buf_append_text(out, i ? " " : "");
            lw_buf_append_str(out, lw_node_key_at(node, i));
            lw_buf_append_text(out, form == LW_GO_MAP ? ":" : "");
            print_within(lw_node_at(node, i), out, end);
        }
        lw_buf_append_char(out, ']');
    }
}

lw_status lw_go_print(const lw_node *node, lw_buf *out)
{
    lw_tree *sorted = NULL;
    size_t end = out->len + LW_GO_PRINT_MAX;
    lw_status st = lw_tree_new(&sorted, 0);
    if (st < 0)
        return st;
    lw_node *copy = node ? lw_tree_copy(sorted, node) : lw_tree_null(sorted);
    lw_node_sort_keys(copy);
    st = lw_tree_status(sorted);
    if (st == LW_OK) {
        print_within(copy, out, end);
        if (out->len > end) {
            lw_buf_truncate(out, end);
            lw_buf_append_text(out, "...");
        }
        st = out->st;
    }
    lw_tree_free(sorted);
    return st;
}
