/* SPDX-License-Identifier: Apache-2.0 */
/* job_indexes.c -- parses intervals of indexes; the messages are those of kube-apiserver. */
#include "api/strategy/status/job_indexes.h"

#include "api/http/field_errors.h"
#include "base/buf.h"
#include "base/str.h"
#include "object/quote.h"
#include "json/fields.h"

typedef struct interval {
    int64_t first, last;
} interval;

/* Parses one number below |completions|; otherwise says in |why| (may be NULL) what is wrong. */
static bool read_index(lw_str text, int64_t completions, int64_t *out, lw_buf *why)
{
    bool is_number = lw_str_to_int64(text, out);
    if (is_number && *out < completions)
        return true;
    if (why) {
        lw_buf_append_text(why, is_number ? "too large index: "
                                          : "cannot convert string to integer for index: ");
        lw_quote_append(why, text);
    }
    return false;
}

static bool refuse_order(int64_t before, int64_t now, lw_buf *why)
{
    if (why)
        lw_buf_printf(why, "non-increasing order, previous: %lld, current: %lld", (long long)before,
                      (long long)now);
    return false;
}

static bool read_interval(lw_str text, int64_t completions, interval *out, lw_buf *why)
{
    lw_str first, rest, last, more;
    bool has_last = lw_str_cut(text, '-', &first, &rest);
    if (has_last && lw_str_cut(rest, '-', &last, &more)) {
        if (why) {
            lw_buf_append_text(why, "the fragment ");
            lw_quote_append(why, text);
            lw_buf_append_text(why, " violates the requirement that an index interval can have at "
                                    "most two parts separated by '-'");
        }
        return false;
    }
    if (!read_index(first, completions, &out->first, why))
        return false;
    out->last = out->first;
    if (!has_last)
        return true;
    if (!read_index(rest, completions, &out->last, why))
        return false;
    return out->first < out->last || refuse_order(out->first, out->last, why);
}

/* Returns true if |text| is empty or has intervals in order. */
static bool is_well_formed(lw_str text, int64_t completions, lw_buf *why)
{
    int64_t last = -1;
    bool has_last = false;
    for (bool more = text.len > 0; more;) {
        lw_str one;
        interval now;
        more = lw_str_cut(text, ',', &one, &text);
        if (!read_interval(one, completions, &now, why))
            return false;
        if (has_last && last >= now.first)
            return refuse_order(last, now.first, why);
        last = now.last;
        has_last = true;
    }
    return true;
}

/* Takes the next interval that can be read from |*rest|; false: there is none. */
static bool next_interval(lw_str *rest, bool *more, int64_t completions, interval *out)
{
    while (*more) {
        lw_str one;
        *more = lw_str_cut(*rest, ',', &one, rest);
        if (read_interval(one, completions, out, NULL))
            return true;
    }
    return false;
}

/* Returns true, and the first common index, if |a| and |b| overlap. */
static bool overlap(lw_str a, lw_str b, int64_t completions, int64_t *at)
{
    interval x, y;
    bool more_a = a.len > 0, more_b = b.len > 0;
    bool has_x = next_interval(&a, &more_a, completions, &x);
    bool has_y = next_interval(&b, &more_b, completions, &y);
    while (has_x && has_y) {
        if (x.first <= y.last && y.first <= x.last) {
            *at = x.first > y.first ? x.first : y.first;
            return true;
        }
        if (x.first <= y.first)
            has_x = next_interval(&a, &more_a, completions, &x);
        else
            has_y = next_interval(&b, &more_b, completions, &y);
    }
    return false;
}

static void check_form(const char *field, const char *name, lw_str text, int64_t completions,
                       lw_api_status *errors)
{
    lw_buf why;
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    lw_buf_printf(&why, "error parsing %s: ", name);
    if (!is_well_formed(text, completions, &why)) {
        lw_api_status_add_field_error(errors, LW_FIELD_INVALID, lw_str_of(field), text,
                                      lw_buf_view(&why));
        if (why.st < 0 && errors->st == LW_OK)
            errors->st = why.st;
    }
    lw_buf_done(&why);
}

static void check_overlap(lw_str completed, lw_str failed, int64_t completions,
                          lw_api_status *errors)
{
    int64_t at;
    lw_buf why;
    if (!overlap(completed, failed, completions, &at))
        return;
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    lw_buf_printf(&why, "failedIndexes and completedIndexes overlap at index: %lld", (long long)at);
    lw_api_status_add_field_error(errors, LW_FIELD_INVALID, LW_STR("status.failedIndexes"), failed,
                                  lw_buf_view(&why));
    if (why.st < 0 && errors->st == LW_OK)
        errors->st = why.st;
    lw_buf_done(&why);
}

void lw_job_indexes_validate(const lw_node *spec, const lw_node *status, const lw_node *old,
                             lw_api_status *errors)
{
    const lw_node *failed_now = lw_node_get(status, LW_STR("failedIndexes"));
    lw_str completed = lw_fields_text(status, "completedIndexes");
    lw_str failed = lw_node_text(failed_now);
    int64_t completions = lw_fields_int(spec, "completions", -1);
    bool has_limit = lw_node_get(spec, LW_STR("backoffLimitPerIndex")) != NULL;
    bool is_completed_new = !lw_str_equal(completed, lw_fields_text(old, "completedIndexes"));
    bool is_failed_new = !lw_node_equal(failed_now, lw_node_get(old, LW_STR("failedIndexes")));
    if (is_completed_new && completions >= 0)
        check_form("status.completedIndexes", "completedIndexes", completed, completions, errors);
    if (is_failed_new && completions >= 0 && has_limit && failed_now)
        check_form("status.failedIndexes", "failedIndexes", failed, completions, errors);
    if (is_completed_new && completed.len > 0 &&
        !lw_str_equal(lw_fields_text(spec, "completionMode"), LW_STR("Indexed")))
        lw_field_error_invalid(
            errors, "status.completedIndexes", completed,
            "cannot set non-empty completedIndexes when non-indexed completion mode");
    if (is_failed_new && !has_limit && failed_now)
        lw_field_error_invalid(
            errors, "status.failedIndexes", failed,
            "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    if ((is_failed_new || is_completed_new) && completions >= 0)
        check_overlap(completed, failed, completions, errors);
}
