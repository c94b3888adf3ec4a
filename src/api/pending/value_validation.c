/* SPDX-License-Identifier: Apache-2.0 */
/* value_validation.c -- walks to the values that have rules, and judges them. */
#include "api/pending/value_validation.h"

#include "api/pending/metadata_validation.h"
#include "base/str.h"
#include "object/names.h"

enum {
    WORDS_MAX = 1024,      /* bytes of all the words */
    SHOWN_MAX = 64 * 1024, /* bytes of a value in a fault; a longer one is shown as ... */
    PORT_MAX = 65535,
};

static void keep_failure(lw_api_status *faults, const lw_buf *text)
{
    if (text->st < 0 && faults->st == LW_OK)
        faults->st = text->st;
}

void lw_value_fault(lw_api_status *faults, const char *field, const lw_node *node,
                    const char *detail)
{
    lw_buf text;
    lw_json_writer w;
    if (lw_api_status_is_full(faults))
        return; /* it may be a long list that many elements of it are shown with */
    lw_buf_init(&text, SHOWN_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    bool is_long = text.st == LW_ERR_LIMIT;
    if (!is_long)
        keep_failure(faults, &text);
    lw_fault_plain(faults, field, is_long ? LW_STR("...") : lw_buf_view(&text), detail);
    lw_buf_done(&text);
}

static void append_words(lw_buf *out, const char *words)
{
    lw_str word, rest = lw_str_of(words);
    const char *between = "supported values: ";
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '|', &word, &rest);
        lw_buf_printf(out, "%s\"%.*s\"", between, LW_STR_ARG(word));
        between = ", ";
    }
}

void lw_value_fault_words(lw_api_status *faults, const char *field, lw_str value, const char *words)
{
    lw_buf detail;
    lw_buf_init(&detail, WORDS_MAX);
    append_words(&detail, words);
    keep_failure(faults, &detail);
    lw_api_status_add_fault(faults, LW_FIELD_NOT_SUPPORTED, lw_str_of(field), value,
                            lw_buf_view(&detail));
    lw_buf_done(&detail);
}

void lw_value_fault_node_words(lw_api_status *faults, const char *field, const lw_node *node,
                               const char *words)
{
    lw_buf message;
    lw_json_writer w;
    lw_buf_init(&message, SHOWN_MAX);
    lw_buf_append_text(&message, "Unsupported value: ");
    lw_json_writer_init(&w, &message, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    if (message.st == LW_ERR_LIMIT) {
        lw_buf_reset(&message);
        lw_buf_append_text(&message, "Unsupported value: ...");
    }
    lw_buf_append_text(&message, ": ");
    append_words(&message, words);
    keep_failure(faults, &message);
    lw_api_status_add_cause(faults, LW_STR("FieldValueNotSupported"), lw_buf_view(&message),
                            lw_str_of(field));
    lw_buf_done(&message);
}

bool lw_value_is_one_of(lw_str value, const char *words)
{
    lw_str word, rest = lw_str_of(words);
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '|', &word, &rest);
        if (lw_str_equal(word, value))
            return true;
    }
    return false;
}

/* An integer that is absent, or no integer, has no place here: types are checked elsewhere. */
static void check_range(const lw_node *node, int64_t min, int64_t max, const char *detail,
                        const lw_spot *at, lw_api_status *faults)
{
    char field[LW_SPOT_SIZE];
    int64_t value;
    if (lw_node_is(node, LW_JSON_NUMBER) && lw_node_int64(node, &value) &&
        (value < min || value > max))
        lw_fault_plain(faults, lw_spot_text(field, *at), lw_node_text(node), detail);
}

static const char port_range[] = "must be between 1 and 65535, inclusive";

static void check_port(const lw_node *node, const lw_spot *at, lw_api_status *faults)
{
    check_range(node, 1, PORT_MAX, port_range, at, faults);
}

static void check_name(const lw_node *node, bool is_label, const lw_spot *at, lw_api_status *faults)
{
    char field[LW_SPOT_SIZE];
    lw_str name = lw_node_text(node);
    lw_name_problems problems;
    if (name.len == 0 || (is_label ? lw_name_is_dns1123_label(name, &problems)
                                   : lw_name_is_dns1123_subdomain(name, &problems)))
        return;
    for (size_t i = 0; i < problems.count; i++)
        lw_fault_invalid(faults, lw_spot_text(field, *at), name, problems.text[i]);
}

static void check_word(const lw_node *node, const char *words, const lw_spot *at,
                       lw_api_status *faults)
{
    char field[LW_SPOT_SIZE];
    lw_str word = lw_node_text(node);
    if (word.len > 0 && !lw_value_is_one_of(word, words))
        lw_value_fault_words(faults, lw_spot_text(field, *at), word, words);
}

static void judge(const lw_value_rule *rule, const lw_node *node, const lw_spot *at,
                  lw_api_status *faults)
{
    char field[LW_SPOT_SIZE];
    switch (rule->form) {
    case LW_VALUE_REQUIRED:
        if (lw_node_text(node).len == 0)
            lw_fault_required(faults, lw_spot_text(field, *at), "");
        break;
    case LW_VALUE_ONE_OF: check_word(node, rule->words, at, faults); break;
    case LW_VALUE_NOT_NEGATIVE:
        check_range(node, 0, INT64_MAX, "must be greater than or equal to 0", at, faults);
        break;
    case LW_VALUE_POSITIVE:
        check_range(node, 1, INT64_MAX, "must be greater than 0", at, faults);
        break;
    case LW_VALUE_PORT: check_port(node, at, faults); break;
    case LW_VALUE_PORT_NEEDED:
        if (node)
            check_port(node, at, faults);
        else
            lw_fault_plain(faults, lw_spot_text(field, *at), LW_STR("0"), port_range);
        break;
    case LW_VALUE_COUNT:
        check_range(node, 1, INT32_MAX, "must be between 1 and 2147483647, inclusive", at, faults);
        break;
    case LW_VALUE_SUBDOMAIN: check_name(node, false, at, faults); break;
    case LW_VALUE_LABEL: check_name(node, true, at, faults); break;
    case LW_VALUE_LABELS:
        if (lw_node_count(node) > 0)
            lw_validate_labels(node, lw_str_of(lw_spot_text(field, *at)), faults);
        break;
    }
}

/* |rest| is what is left of the rule's path below |node|, which is at |at|. */
static void walk(const lw_value_rule *rule, lw_str rest, const lw_node *node, const lw_spot *at,
                 lw_api_status *faults)
{
    lw_str step;
    if (rest.len == 0) {
        judge(rule, node, at, faults);
        return;
    }
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return;
    (void)lw_str_cut(rest, '.', &step, &rest);
    bool is_list = step.len > 2 && step.ptr[step.len - 1] == ']';
    if (is_list)
        step.len -= 2;
    const lw_node *next = lw_node_get(node, step);
    lw_spot below = lw_spot_in(at, step);
    if (!is_list)
        walk(rule, rest, next, &below, faults);
    for (size_t i = 0; is_list && lw_node_is(next, LW_JSON_ARRAY) && i < lw_node_count(next); i++) {
        below.index = i;
        walk(rule, rest, lw_node_at(next, i), &below, faults);
    }
}

void lw_value_rules_check_at(const lw_value_rule *rules, const lw_node *object, const lw_spot *at,
                             lw_api_status *faults)
{
    for (; rules->path; rules++)
        walk(rules, lw_str_of(rules->path), object, at, faults);
}

void lw_value_rules_check(const lw_value_rule *rules, const lw_node *object, const char *path,
                          lw_api_status *faults)
{
    lw_spot at = lw_spot_in(NULL, lw_str_of(path));
    lw_value_rules_check_at(rules, object, &at, faults);
}
