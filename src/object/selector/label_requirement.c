/* SPDX-License-Identifier: Apache-2.0 */
/* label_requirement.c -- validates one requirement of a label selector.
 *
 * All problems are listed in the order and with the messages of Kubernetes: one as it is, several
 * as "[a, b]". */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "object/names.h"
#include "object/quote.h"
#include "object/selector/label_selector.h"
#include "json/text.h"

enum {
    FINDINGS_LIMIT = 8 * 1024 * 1024, /* each value, quoted, with its explanation */
};

typedef struct findings {
    lw_buf text;
    size_t count;
} findings;

static void append_invalid(lw_buf *buf, lw_str value, const lw_name_problems *problems)
{
    lw_buf_append_text(buf, ": Invalid value: ");
    lw_quote_append(buf, value);
    for (size_t i = 0; i < problems->count; i++) {
        lw_buf_append_text(buf, i == 0 ? ": " : "; ");
        lw_buf_append_text(buf, problems->text[i]);
    }
}

static void begin_finding(findings *f)
{
    if (f->count++ > 0)
        lw_buf_append_text(&f->text, ", ");
}

static void check_key(const lw_label_requirement *r, findings *f)
{
    lw_name_problems problems;
    if (lw_name_is_qualified(r->key, &problems))
        return;
    begin_finding(f);
    lw_buf_append_text(&f->text, "key");
    append_invalid(&f->text, r->key, &problems);
}

/* Checks the number of values of the operator. */
static void check_value_count(const lw_label_requirement *r, findings *f)
{
    bool is_set = r->op == LW_LABEL_IN || r->op == LW_LABEL_NOT_IN;
    bool is_unary = r->op == LW_LABEL_EXISTS || r->op == LW_LABEL_DOES_NOT_EXIST;
    if (is_set && r->value_count == 0) {
        begin_finding(f);
        lw_buf_append_text(&f->text, "values: Invalid value: null: for 'in', 'notin' operators, "
                                     "values set can't be empty");
    }
    if (!is_unary || r->value_count == 0)
        return;
    begin_finding(f);
    lw_buf_append_text(&f->text, "values: Invalid value: [");
    for (size_t i = 0; i < r->value_count; i++) {
        if (i > 0)
            lw_buf_append_char(&f->text, ',');
        lw_json_append_quoted(&f->text, r->values[i]);
    }
    lw_buf_append_text(&f->text, "]: values set must be empty for exists and does not exist");
}

static void check_bound(lw_label_requirement *r, findings *f)
{
    if (r->op != LW_LABEL_GREATER_THAN && r->op != LW_LABEL_LESS_THAN)
        return;
    if (lw_str_to_int64(r->values[0], &r->bound))
        return;
    lw_str digits = lw_str_starts_with(r->values[0], LW_STR("+")) ? lw_str_skip(r->values[0], 1)
                                                                  : lw_str_make(NULL, 0);
    uint64_t magnitude;
    if (lw_str_to_uint64(digits, &magnitude) && magnitude <= INT64_MAX)
        return; /* a number in Go; the sign is rejected as a label value */
    begin_finding(f);
    lw_buf_append_text(&f->text, "values[0]: Invalid value: ");
    lw_quote_append(&f->text, r->values[0]);
    lw_buf_append_text(&f->text, ": for 'Gt', 'Lt' operators, the value must be an integer");
}

static void check_values(const lw_label_requirement *r, findings *f)
{
    for (size_t i = 0; i < r->value_count; i++) {
        lw_name_problems problems;
        if (lw_name_is_label_value(r->values[i], &problems))
            continue;
        begin_finding(f);
        lw_buf_append_text(&f->text, "values[");
        lw_buf_append_uint(&f->text, i);
        lw_buf_append_text(&f->text, "][");
        lw_buf_append_str(&f->text, r->key);
        lw_buf_append_char(&f->text, ']');
        append_invalid(&f->text, r->values[i], &problems);
    }
}

lw_status lw_label_selector__check_newest(lw_label_selector *selector, const char *prefix,
                                          lw_error *err)
{
    lw_label_requirement *r = &selector->requirements[selector->count - 1];
    findings f = { .count = 0 };
    lw_buf_init(&f.text, FINDINGS_LIMIT);
    check_key(r, &f);
    check_value_count(r, &f);
    check_bound(r, &f);
    check_values(r, &f);
    lw_status st = LW_OK;
    if (f.text.st == LW_ERR_NOMEM) {
        st = lw_error_nomem(err);
    } else if (f.count > 0) {
        const char *open = f.count > 1 ? "[" : "", *close = f.count > 1 ? "]" : "";
        st = lw_error_set(err, LW_ERR_INVALID, "%s%s%.*s%s", prefix, open,
                          LW_STR_ARG(lw_buf_view(&f.text)), close);
    }
    lw_buf_done(&f.text);
    return st;
}

lw_status lw_label_selector__refuse_key(lw_str key, const char *prefix, uint64_t offset,
                                        lw_error *err)
{
    lw_name_problems problems;
    (void)lw_name_is_qualified(key, &problems);
    lw_buf text;
    lw_buf_init(&text, FINDINGS_LIMIT);
    lw_buf_append_text(&text, "<nil>"); /* the path of the field, which a text does not have */
    append_invalid(&text, key, &problems);
    lw_status st = text.st == LW_ERR_NOMEM
                       ? lw_error_nomem(err)
                       : lw_error_set_at(err, LW_ERR_INVALID, offset, "%s%.*s", prefix,
                                         LW_STR_ARG(lw_buf_view(&text)));
    lw_buf_done(&text);
    return st;
}
