/* SPDX-License-Identifier: Apache-2.0 */
/* value_validation.c -- finds the values that have rules and validates them. */
#include "api/pending/value_validation.h"

#include <stdio.h>
#include <string.h>

#include "api/pending/metadata_validation.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    WORDS_MAX = 1024,      /* bytes of all supported values */
    SHOWN_MAX = 64 * 1024, /* bytes of a value in an error; a longer one is shown as ... */
    PORT_MAX = 65535,
    IP_RANGE_MAX = 64, /* bytes of the text of a range of addresses */
};

static void keep_failure(lw_api_status *errors, const lw_buf *text)
{
    if (text->st < 0 && errors->st == LW_OK)
        errors->st = text->st;
}

void lw_value_error(lw_api_status *errors, const char *field, const lw_node *node,
                    const char *detail)
{
    lw_buf text;
    lw_json_writer w;
    if (lw_api_status_is_full(errors))
        return; /* writing the value again for each error of a long list would cost too much */
    lw_buf_init(&text, SHOWN_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    bool is_long = text.st == LW_ERR_LIMIT;
    if (!is_long)
        keep_failure(errors, &text);
    lw_field_error_plain(errors, field, is_long ? LW_STR("...") : lw_buf_view(&text), detail);
    lw_buf_done(&text);
}

/* Adds a cause whose message is |fault|, |node| as JSON and |detail|. */
static void add_shown(lw_api_status *errors, const char *reason, const char *fault,
                      const char *field, const lw_node *node)
{
    lw_buf message;
    lw_json_writer w;
    if (lw_api_status_is_full(errors))
        return;
    lw_buf_init(&message, SHOWN_MAX);
    lw_buf_append_text(&message, fault);
    lw_json_writer_init(&w, &message, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    if (message.st == LW_ERR_LIMIT) {
        lw_buf_reset(&message);
        lw_buf_printf(&message, "%s...", fault);
    }
    keep_failure(errors, &message);
    lw_api_status_add_cause(errors, lw_str_of(reason), lw_buf_view(&message), lw_str_of(field));
    lw_buf_done(&message);
}

void lw_value_error_duplicate(lw_api_status *errors, const char *field, const lw_node *node)
{
    add_shown(errors, "FieldValueDuplicate", "Duplicate value: ", field, node);
}

void lw_value_error_too_many(lw_api_status *errors, const char *field, size_t count, size_t max)
{
    char message[64];
    (void)snprintf(message, sizeof(message), "Too many: %zu: must have at most %zu item%s", count,
                   max, max == 1 ? "" : "s");
    lw_api_status_add_cause(errors, LW_STR("FieldValueTooMany"), lw_str_of(message),
                            lw_str_of(field));
}

void lw_value_validate_immutable(const lw_node *spec, const lw_node *old, const char *name,
                                 lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    const lw_field_path top = lw_field_path_in(NULL, LW_STR("spec"));
    const lw_node *now = lw_node_get(spec, lw_str_of(name));
    const lw_node *before = lw_node_get(old, lw_str_of(name));
    if (now ? lw_node_equal(now, before) : !before)
        return;
    (void)lw_field_path_text(field, lw_field_path_in(&top, lw_str_of(name)));
    if (!now || lw_node_is(now, LW_JSON_STRING))
        lw_field_error_invalid(errors, field, lw_node_text(now), "field is immutable");
    else
        lw_value_error(errors, field, now, "field is immutable");
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

void lw_value_error_unsupported(lw_api_status *errors, const char *field, lw_str value,
                                const char *words)
{
    lw_buf detail;
    lw_buf_init(&detail, WORDS_MAX);
    append_words(&detail, words);
    keep_failure(errors, &detail);
    lw_api_status_add_field_error(errors, LW_FIELD_NOT_SUPPORTED, lw_str_of(field), value,
                                  lw_buf_view(&detail));
    lw_buf_done(&detail);
}

void lw_value_error_unsupported_node(lw_api_status *errors, const char *field, const lw_node *node,
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
    keep_failure(errors, &message);
    lw_api_status_add_cause(errors, LW_STR("FieldValueNotSupported"), lw_buf_view(&message),
                            lw_str_of(field));
    lw_buf_done(&message);
}

bool lw_value_is_one_of(lw_str value, const char *words)
{
    for (;;) {
        const char *end = strchrnul(words, '|');
        if (*words && lw_str_equal(lw_str_make(words, (size_t)(end - words)), value))
            return true;
        if (!*end)
            return false;
        words = end + 1;
    }
}

/* A missing integer, or a value of another type, is ignored: types are checked elsewhere. */
static void check_range(const lw_node *node, int64_t min, int64_t max, const char *detail,
                        const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    int64_t value;
    if (lw_node_is(node, LW_JSON_NUMBER) && lw_node_int64(node, &value) &&
        (value < min || value > max))
        lw_field_error_plain(errors, lw_field_path_text(field, *at), lw_node_text(node), detail);
}

static const char port_range[] = "must be between 1 and 65535, inclusive";

static void check_port(const lw_node *node, const lw_field_path *at, lw_api_status *errors)
{
    check_range(node, 1, PORT_MAX, port_range, at, errors);
}

void lw_value_errors_of_name(lw_api_status *errors, const lw_field_path *at, lw_str name,
                             const lw_name_problems *problems)
{
    char field[LW_FIELD_PATH_SIZE];
    for (size_t i = 0; i < problems->count; i++)
        lw_field_error_invalid(errors, lw_field_path_text(field, *at), name, problems->text[i]);
}

static void check_name(const lw_node *node, bool is_label, const lw_field_path *at,
                       lw_api_status *errors)
{
    lw_str name = lw_node_text(node);
    lw_name_problems problems;
    if (name.len == 0 || (is_label ? lw_name_is_dns1123_label(name, &problems)
                                   : lw_name_is_dns1123_subdomain(name, &problems)))
        return;
    lw_value_errors_of_name(errors, at, name, &problems);
}

static void check_text(lw_value_form form, lw_str text, const lw_field_path *at,
                       lw_api_status *errors)
{
    lw_name_problems problems = { 0 };
    switch (form) {
    case LW_VALUE_SUBDOMAIN_NEEDED: (void)lw_name_is_dns1123_subdomain(text, &problems); break;
    case LW_VALUE_LABEL_NEEDED: (void)lw_name_is_dns1123_label(text, &problems); break;
    case LW_VALUE_LABEL_KEY: (void)lw_name_is_qualified(text, &problems); break;
    case LW_VALUE_LABEL_VALUE: (void)lw_name_is_label_value(text, &problems); break;
    case LW_VALUE_PATH_SEGMENT: (void)lw_name_is_path_segment(text, &problems); break;
    default:
        if (text.len == 0)
            problems.text[problems.count++] = "must not be empty";
        break;
    }
    lw_value_errors_of_name(errors, at, text, &problems);
}

static void check_required(const lw_value_rule *rule, const lw_node *node, const lw_field_path *at,
                           lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    bool is_given = rule->form == LW_VALUE_PRESENT ? node != NULL
                    : rule->form == LW_VALUE_ITEMS ? lw_node_count(node) > 0
                                                   : lw_node_text(node).len > 0;
    if (!is_given)
        lw_field_error_required(errors, lw_field_path_text(field, *at),
                                rule->words ? rule->words : "");
}

static void check_count(const lw_node *list, const char *words, const lw_field_path *at,
                        lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    uint64_t max = 0;
    if (lw_str_to_uint64(lw_str_of(words), &max) && lw_node_count(list) > max)
        lw_value_error_too_many(errors, lw_field_path_text(field, *at), lw_node_count(list),
                                (size_t)max);
}

static void check_word(const lw_node *node, const char *words, const lw_field_path *at,
                       lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_str word = lw_node_text(node);
    if (word.len > 0 && !lw_value_is_one_of(word, words))
        lw_value_error_unsupported(errors, lw_field_path_text(field, *at), word, words);
}

static void check_value(const lw_value_rule *rule, const lw_node *node, const lw_field_path *at,
                        lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    switch (rule->form) {
    case LW_VALUE_REQUIRED:
    case LW_VALUE_PRESENT:
    case LW_VALUE_ITEMS: check_required(rule, node, at, errors); break;
    case LW_VALUE_AT_MOST: check_count(node, rule->words, at, errors); break;
    case LW_VALUE_ONE_OF: check_word(node, rule->words, at, errors); break;
    case LW_VALUE_NOT_NEGATIVE:
        check_range(node, 0, INT64_MAX, "must be greater than or equal to 0", at, errors);
        break;
    case LW_VALUE_POSITIVE:
        check_range(node, 1, INT64_MAX, "must be greater than 0", at, errors);
        break;
    case LW_VALUE_PORT: check_port(node, at, errors); break;
    case LW_VALUE_PORT_NEEDED:
        if (node)
            check_port(node, at, errors);
        else
            lw_field_error_plain(errors, lw_field_path_text(field, *at), LW_STR("0"), port_range);
        break;
    case LW_VALUE_COUNT:
        check_range(node, 1, INT32_MAX, "must be between 1 and 2147483647, inclusive", at, errors);
        break;
    case LW_VALUE_SUBDOMAIN: check_name(node, false, at, errors); break;
    case LW_VALUE_LABEL: check_name(node, true, at, errors); break;
    case LW_VALUE_LABELS:
        if (lw_node_count(node) > 0)
            lw_validate_labels(node, lw_str_of(lw_field_path_text(field, *at)), errors);
        break;
    case LW_VALUE_TRUE:
        if (node && !lw_node_bool(node))
            lw_field_error_plain(errors, lw_field_path_text(field, *at), LW_STR("false"),
                                 "must be either unset or set to true");
        break;
    default: check_text(rule->form, lw_node_text(node), at, errors); break;
    }
}

/* |rest| is the remaining path of the rule below |node|, which is at |at|. */
static void walk(const lw_value_rule *rule, lw_str rest, const lw_node *node,
                 const lw_field_path *at, lw_api_status *errors)
{
    lw_str step;
    if (rest.len == 0) {
        check_value(rule, node, at, errors);
        return;
    }
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return;
    (void)lw_str_cut(rest, '.', &step, &rest);
    bool is_list = step.len > 2 && step.ptr[step.len - 1] == ']';
    if (is_list)
        step.len -= 2;
    const lw_node *next = lw_node_get(node, step);
    lw_field_path below = lw_field_path_in(at, step);
    if (!is_list)
        walk(rule, rest, next, &below, errors);
    for (size_t i = 0; is_list && lw_node_is(next, LW_JSON_ARRAY) && i < lw_node_count(next); i++) {
        below.index = i;
        walk(rule, rest, lw_node_at(next, i), &below, errors);
    }
}

void lw_value_validate_at(const lw_value_rule *rules, const lw_node *object,
                          const lw_field_path *at, lw_api_status *errors)
{
    for (; rules->path; rules++)
        walk(rules, lw_str_of(rules->path), object, at, errors);
}

void lw_value_validate(const lw_value_rule *rules, const lw_node *object, const char *path,
                       lw_api_status *errors)
{
    lw_field_path at = lw_field_path_in(NULL, lw_str_of(path));
    lw_value_validate_at(rules, object, &at, errors);
}

/* Appends |text| without the leading zeros of decimal numbers, with which some programs parse
 * octal ones. */
static void append_without_zeros(lw_buf *out, lw_str text)
{
    bool is_v6 = memchr(text.ptr, ':', text.len) != NULL, is_start = !is_v6;
    for (size_t i = 0; i < text.len; i++) {
        bool has_more = i + 1 < text.len && lw_char_is_digit(text.ptr[i + 1]);
        if (is_start && text.ptr[i] == '0' && has_more)
            continue;
        lw_buf_append_char(out, text.ptr[i]);
        is_start = text.ptr[i] == '/' || (text.ptr[i] == '.' && !is_v6);
    }
}

static bool parses_without_zeros(lw_str text, lw_ip_range *out)
{
    lw_buf plain;
    lw_buf_init(&plain, IP_RANGE_MAX);
    append_without_zeros(&plain, text);
    bool is_range = plain.st == LW_OK && lw_ip_range_parse(lw_buf_view(&plain), out);
    lw_buf_done(&plain);
    return is_range;
}

bool lw_value_check_ip_range(lw_api_status *errors, const char *field, lw_str text,
                             lw_ip_range *out)
{
    const char *detail = NULL;
    bool is_strict = lw_ip_range_parse(text, out);
    if (!is_strict && !parses_without_zeros(text, out)) {
        lw_field_error_invalid(errors, field, text,
                               "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
        return false;
    }
    lw_ip_range masked = lw_ip_range_masked(out, out->prefix);
    if (!is_strict)
        detail = "must not have leading 0s in IP or prefix length";
    else if (lw_ip_is_mapped(out))
        detail = "must not have an IPv4-mapped IPv6 address";
    else if (memcmp(masked.bytes, out->bytes, sizeof(masked.bytes)) != 0)
        detail = "must not have bits set beyond the prefix length";
    if (detail)
        lw_field_error_invalid(errors, field, text, detail);
    return true;
}
