/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reports.c -- stores reports of informers.  A report is parsed completely before it
 * replaces the previous one. */
#include "server/core/informer_reports.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "json/tree.h"

enum {
    TREE_MAX = 4 << 20, /* memory limit while a report is parsed, in bytes */
};

static const char *const value_names[LW_REPORT_VALUES] = {
    "objects", "revision", "lists", "relists", "watches", "queue_depth", "handler_depth",
};

void lw_informer_reports_init(lw_informer_reports *reports)
{
    lw_mutex_init(&reports->mu);
    reports->count = 0;
}

void lw_informer_reports_done(lw_informer_reports *reports)
{
    lw_mutex_done(&reports->mu);
}

/* Copies the string member |name| of |node|; empty if it is absent. */
static lw_status read_name(const lw_node *node, const char *name, char dst[LW_REPORT_NAME_SIZE],
                           lw_error *err)
{
    const lw_node *member = lw_node_get(node, lw_str_of(name));
    lw_str text = lw_node_text(member);
    if (member && !lw_node_is(member, LW_JSON_STRING))
        return lw_error_set(err, LW_ERR_INVALID, "%s must be a string", name);
    if (text.len >= LW_REPORT_NAME_SIZE || (text.len > 0 && memchr(text.ptr, '\0', text.len)))
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s must be shorter than %d bytes and must not contain a NUL byte",
                            name, LW_REPORT_NAME_SIZE);
    if (text.len > 0)
        memcpy(dst, text.ptr, text.len);
    dst[text.len] = '\0';
    return LW_OK;
}

static lw_status read_informer(const lw_node *node, lw_informer_report *report, lw_error *err)
{
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return lw_error_set(err, LW_ERR_INVALID, "each item of informers must be an object");
    lw_status st = read_name(node, "resource", report->resource, err);
    if (st == LW_OK)
        st = read_name(node, "namespace", report->ns, err);
    if (st < 0)
        return st;
    if (report->resource[0] == '\0')
        return lw_error_set(err, LW_ERR_INVALID, "the resource of an informer must be set");
    report->is_synced = lw_node_bool(lw_node_get(node, LW_STR("is_synced")));
    for (size_t i = 0; i < LW_REPORT_VALUES; i++) {
        const lw_node *value = lw_node_get(node, lw_str_of(value_names[i]));
        report->values[i] = 0;
        if (value && (!lw_node_int64(value, &report->values[i]) || report->values[i] < 0))
            return lw_error_set(err, LW_ERR_INVALID, "%s must be a whole number, 0 or more",
                                value_names[i]);
    }
    return LW_OK;
}

/* A parsed report. */
typedef struct report {
    char reporter[LW_REPORT_NAME_SIZE];
    size_t count;
    lw_informer_report items[LW_REPORT_INFORMERS];
} report;

static lw_status read_report(const lw_node *root, report *out, int64_t now_ns, lw_error *err)
{
    const lw_node *informers = lw_node_get(root, LW_STR("informers"));
    lw_status st = read_name(root, "reporter", out->reporter, err);
    if (st < 0)
        return st;
    if (out->reporter[0] == '\0' || !lw_node_is(informers, LW_JSON_ARRAY))
        return lw_error_set(err, LW_ERR_INVALID,
                            "a report must have reporter, a string, and informers, an array");
    if (lw_node_count(informers) > LW_REPORT_INFORMERS)
        return lw_error_set(err, LW_ERR_LIMIT, "too many informers in one report; the limit is %d",
                            LW_REPORT_INFORMERS);
    out->count = lw_node_count(informers);
    for (size_t i = 0; i < out->count && st == LW_OK; i++) {
        lw_informer_report *item = &out->items[i];
        memcpy(item->reporter, out->reporter, sizeof(out->reporter));
        item->at_ns = now_ns;
        st = read_informer(lw_node_at(informers, i), item, err);
    }
    return st;
}

static bool is_old(const lw_informer_report *item, int64_t now_ns)
{
    return now_ns - item->at_ns > LW_REPORT_LIFE_S * LW_NS_PER_S;
}

static bool stays(const lw_informer_report *item, const char *reporter, int64_t now_ns)
{
    return !is_old(item, now_ns) && strcmp(item->reporter, reporter) != 0;
}

static lw_status put(lw_informer_reports *reports, const report *r, int64_t now_ns, lw_error *err)
{
    lw_status st = LW_OK;
    size_t kept = 0;
    lw_mutex_lock(&reports->mu);
    for (size_t i = 0; i < reports->count; i++)
        kept += stays(&reports->items[i], r->reporter, now_ns);
    if (kept + r->count > LW_REPORT_INFORMERS) {
        st = lw_error_set(err, LW_ERR_LIMIT,
                          "too many informers; the limit for all reporters together is %d",
                          LW_REPORT_INFORMERS);
    } else {
        kept = 0;
        for (size_t i = 0; i < reports->count; i++) {
            if (stays(&reports->items[i], r->reporter, now_ns))
                reports->items[kept++] = reports->items[i];
        }
        memcpy(reports->items + kept, r->items, r->count * sizeof(r->items[0]));
        reports->count = kept + r->count;
    }
    lw_mutex_unlock(&reports->mu);
    return st;
}

lw_status lw_informer_reports_take(lw_informer_reports *reports, lw_str json, int64_t now_ns,
                                   lw_error *err)
{
    lw_tree *tree = NULL;
    if (json.len > LW_REPORT_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the report is too large; the limit is %d bytes",
                            LW_REPORT_MAX);
    report *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return lw_error_nomem(err);
    lw_status st = lw_tree_parse(&tree, json, TREE_MAX, err);
    if (st == LW_OK)
        st = read_report(lw_tree_root(tree), r, now_ns, err);
    if (st == LW_OK)
        st = put(reports, r, now_ns, err);
    lw_tree_free(tree);
    lw_free(r);
    return st;
}

void lw_informer_reports_write(lw_informer_reports *reports, int64_t now_ns, lw_json_writer *w)
{
    lw_json_write_array_begin(w);
    lw_mutex_lock(&reports->mu);
    for (size_t i = 0; i < reports->count; i++) {
        const lw_informer_report *item = &reports->items[i];
        if (is_old(item, now_ns))
            continue;
        lw_json_write_object_begin(w);
        lw_json_write_member_string(w, "reporter", lw_str_of(item->reporter));
        lw_json_write_member_string(w, "resource", lw_str_of(item->resource));
        lw_json_write_member_string(w, "namespace", lw_str_of(item->ns));
        lw_json_write_key(w, LW_STR("is_synced"));
        lw_json_write_bool(w, item->is_synced);
        for (size_t f = 0; f < LW_REPORT_VALUES; f++)
            lw_json_write_member_int(w, value_names[f], item->values[f]);
        lw_json_write_member_int(w, "age_ms", (now_ns - item->at_ns) / LW_NS_PER_MS);
        lw_json_write_object_end(w);
    }
    lw_mutex_unlock(&reports->mu);
    lw_json_write_array_end(w);
}
