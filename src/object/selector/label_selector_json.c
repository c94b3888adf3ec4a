/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector_json.c -- makes a label selector from a LabelSelector of a spec, like
 * metav1.LabelSelectorAsSelector. */
#include "base/error.h"
#include "base/str.h"
#include "object/quote.h"
#include "object/selector/label_selector.h"
#include "json/tree.h"

enum {
    TREE_LIMIT = 4 * 1024 * 1024, /* memory for a structure of LW_LABEL_SELECTOR_LENGTH_MAX bytes */
};

/* Copies |text| into the bytes of the selector. */
static lw_str keep(lw_label_selector *selector, lw_str text)
{
    char *at = selector->bytes + selector->byte_count;
    if (text.len > 0)
        memcpy(at, text.ptr, text.len);
    selector->byte_count += text.len;
    return lw_str_make(at, text.len);
}

static lw_status wrong_type(lw_error *err, const char *what, const char *type)
{
    return lw_error_set(err, LW_ERR_INVALID, "%s of a label selector must be %s", what, type);
}

/* Returns LW_OK if |node| is absent, null or of |type|. */
static lw_status expect(const lw_node *node, lw_json_type type, const char *what, const char *name,
                        lw_error *err)
{
    if (lw_node_type(node) == LW_JSON_NULL || lw_node_is(node, type))
        return LW_OK;
    return wrong_type(err, what, name);
}

static lw_status add_labels(lw_label_selector *selector, const lw_node *labels, lw_error *err)
{
    for (size_t i = 0; i < lw_node_count(labels); i++) {
        const lw_node *value = lw_node_at(labels, i);
        lw_status st = expect(value, LW_JSON_STRING, "matchLabels", "strings", err);
        if (st < 0)
            return st;
        lw_label_selector__add(selector, keep(selector, lw_node_key_at(labels, i)),
                               LW_LABEL_EQUALS);
        lw_label_selector__add_value(selector, keep(selector, lw_node_text(value)));
        st = lw_label_selector__check_newest(selector, "", err);
        if (st < 0)
            return st;
    }
    return LW_OK;
}

static lw_status operator_of(lw_str text, lw_label_operator *op, lw_error *err)
{
    static const struct {
        lw_str text;
        lw_label_operator op;
    } operators[] = {
        { LW_STR_INIT("In"), LW_LABEL_IN },
        { LW_STR_INIT("NotIn"), LW_LABEL_NOT_IN },
        { LW_STR_INIT("Exists"), LW_LABEL_EXISTS },
        { LW_STR_INIT("DoesNotExist"), LW_LABEL_DOES_NOT_EXIST },
    };
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (lw_str_equal(text, operators[i].text)) {
            *op = operators[i].op;
            return LW_OK;
        }
    }
    lw_buf quoted;
    lw_buf_init(&quoted, TREE_LIMIT);
    lw_quote_append(&quoted, text);
    lw_status st = quoted.st < 0 ? lw_error_nomem(err)
                                 : lw_error_set(err, LW_ERR_INVALID,
                                                "%.*s is not a valid label selector operator",
                                                LW_STR_ARG(lw_buf_view(&quoted)));
    lw_buf_done(&quoted);
    return st;
}

static lw_status check_expression(const lw_node *expression, lw_error *err)
{
    if (!lw_node_is(expression, LW_JSON_OBJECT))
        return wrong_type(err, "matchExpressions", "objects");
    lw_status st =
        expect(lw_node_get(expression, LW_STR("key")), LW_JSON_STRING, "key", "a string", err);
    if (st == LW_OK)
        st = expect(lw_node_get(expression, LW_STR("operator")), LW_JSON_STRING, "operator",
                    "a string", err);
    if (st == LW_OK)
        st = expect(lw_node_get(expression, LW_STR("values")), LW_JSON_ARRAY, "values", "an array",
                    err);
    return st;
}

static lw_status add_expression(lw_label_selector *selector, const lw_node *expression,
                                lw_error *err)
{
    lw_status st = check_expression(expression, err);
    if (st < 0)
        return st;
    lw_label_operator op = LW_LABEL_EXISTS;
    st = operator_of(lw_node_text(lw_node_get(expression, LW_STR("operator"))), &op, err);
    if (st < 0)
        return st;
    lw_str key = lw_node_text(lw_node_get(expression, LW_STR("key")));
    lw_label_selector__add(selector, keep(selector, key), op);
    const lw_node *values = lw_node_get(expression, LW_STR("values"));
    for (size_t i = 0; i < lw_node_count(values); i++) {
        const lw_node *value = lw_node_at(values, i);
        st = expect(value, LW_JSON_STRING, "values", "strings", err);
        if (st < 0)
            return st;
        lw_label_selector__add_value(selector, keep(selector, lw_node_text(value)));
    }
    st = lw_label_selector__check_newest(selector, "", err);
    lw_label_selector__sort_newest(selector, false);
    return st;
}

static lw_status fill(lw_label_selector *selector, const lw_node *labels,
                      const lw_node *expressions, lw_error *err)
{
    lw_status st = add_labels(selector, labels, err);
    for (size_t i = 0; i < lw_node_count(expressions) && st == LW_OK; i++)
        st = add_expression(selector, lw_node_at(expressions, i), err);
    return st < 0 ? st : lw_label_selector__seal(selector, err);
}

/* An upper limit: every requirement and value except the first has a comma before it. */
static size_t count_terms(lw_str json)
{
    size_t terms = 1;
    for (size_t i = 0; i < json.len; i++)
        terms += json.ptr[i] == ',';
    return terms;
}

static lw_status from_tree(lw_label_selector **out, const lw_node *root, lw_str json, lw_error *err)
{
    if (lw_node_type(root) != LW_JSON_NULL && !lw_node_is(root, LW_JSON_OBJECT))
        return lw_error_set(err, LW_ERR_INVALID, "a label selector must be an object");
    const lw_node *labels = lw_node_get(root, LW_STR("matchLabels"));
    const lw_node *expressions = lw_node_get(root, LW_STR("matchExpressions"));
    lw_status st = expect(labels, LW_JSON_OBJECT, "matchLabels", "an object", err);
    if (st == LW_OK)
        st = expect(expressions, LW_JSON_ARRAY, "matchExpressions", "an array", err);
    if (st < 0)
        return st;
    lw_label_selector *selector = NULL;
    st = lw_label_selector__new(&selector, count_terms(json), json.len, err);
    if (st < 0)
        return st;
    selector->is_nothing = lw_node_type(root) == LW_JSON_NULL;
    st = fill(selector, labels, expressions, err);
    if (st < 0) {
        lw_label_selector_free(selector);
        return st;
    }
    *out = selector;
    return LW_OK;
}

lw_status lw_label_selector_from_json(lw_label_selector **out, lw_str json, lw_error *err)
{
    if (json.len > LW_LABEL_SELECTOR_LENGTH_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "label selector is longer than %d bytes",
                            LW_LABEL_SELECTOR_LENGTH_MAX);
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, json, TREE_LIMIT, err);
    if (st < 0)
        return st;
    st = from_tree(out, lw_tree_root(tree), json, err);
    lw_tree_free(tree);
    return st;
}
