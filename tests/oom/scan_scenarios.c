/* SPDX-License-Identifier: Apache-2.0 */
/* scan_scenarios.c -- the scanner, with each allocation failing in turn. */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "oom/oom.h"
#include "json/scan.h"

#define OBJECT(name)                                                                               \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"1\",\"labels\":{\"a\":\"b\","      \
    "\"c\":null},\"managedFields\":[{\"x\":{}}]},\"spec\":{\"containers\":[{\"name\":\"m\","       \
    "\"image\":\"i\"},{\"env\":[1]}]},\"status\":{\"phase\":\"Running\"}}"

static const char list[] =
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\","
    "\"continue\":\"c\",\"remainingItemCount\":2},\"items\":[" OBJECT("x") "," OBJECT("y") "]}";
static const char events[] = "{\"type\":\"ADDED\",\"object\":" OBJECT(
    "x") "}\n"
         "{\"object\":" OBJECT("y") ",\"type\":\"DELETED\"}";

/* The result of a scan, and the total size of its objects. */
typedef struct outcome {
    uint64_t items, labels, documents, bytes;
} outcome;

static lw_status count_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    outcome *found = arg;
    (void)err;
    found->items++;
    found->labels += item->label_count;
    found->bytes += item->json.len;
    return LW_OK;
}

static lw_status count_document(const lw_scan_envelope *envelope, void *arg, lw_error *err)
{
    outcome *found = arg;
    (void)envelope;
    (void)err;
    found->documents++;
    return LW_OK;
}

static lw_status feed(lw_scan *scan, lw_str input, size_t chunk, lw_error *err)
{
    for (size_t at = 0; at < input.len; at += chunk) {
        size_t len = chunk < input.len - at ? chunk : input.len - at;
        lw_status st = lw_scan_feed(scan, input.ptr + at, len, err);
        if (st < 0)
            return st;
    }
    return lw_scan_finish(scan, err);
}

/* Scans |input| with |options|; LW_ERR_INTERNAL if the result is not |wanted|. */
static lw_status scan_input(const lw_scan_options *options, lw_str input, size_t chunk,
                            const outcome *wanted, lw_error *err)
{
    lw_scan_options own = *options;
    outcome found = { 0 };
    lw_scan *scan = NULL;
    own.on_item = count_item;
    own.on_document = count_document;
    own.arg = &found;
    lw_status st = lw_scan_new(&scan, &own, err);
    if (st == LW_OK)
        st = feed(scan, input, chunk, err);
    lw_scan_free(scan);
    if (st == LW_OK && memcmp(&found, wanted, sizeof(found)) != 0)
        return LW_ERR_INTERNAL;
    return st;
}

/* Scans the input at once and in pieces, which allocate at different places. */
static lw_status scan_both_ways(const lw_scan_options *options, lw_str input, const outcome *wanted,
                                lw_error *err)
{
    lw_status st = scan_input(options, input, input.len, wanted, err);
    return st == LW_OK ? scan_input(options, input, 7, wanted, err) : st;
}

static lw_status scan_list(lw_error *err)
{
    const lw_scan_options options = { .shape = LW_SCAN_LIST };
    const outcome wanted = { 2, 4, 1, 444 };
    return scan_both_ways(&options, LW_STR(list), &wanted, err);
}

static lw_status scan_list_dropping(lw_error *err)
{
    static const char *const drop[] = { "/status", "/spec/containers", "/metadata/m~1x", NULL };
    const lw_scan_options options = { .shape = LW_SCAN_LIST, .drop = drop };
    const outcome wanted = { 2, 4, 1, 338 };
    return scan_both_ways(&options, LW_STR(list), &wanted, err);
}

static lw_status scan_list_keeping(lw_error *err)
{
    static const char *const keep[] = { "/status/phase", "/metadata/annotations", NULL };
    const lw_scan_options options = { .shape = LW_SCAN_LIST, .keep = keep };
    const outcome wanted = { 2, 4, 1, 322 };
    return scan_both_ways(&options, LW_STR(list), &wanted, err);
}

static lw_status scan_list_with_wildcards(lw_error *err)
{
    static const char *const drop[] = { "/*/*/name", "/spec/containers/*/env", "/status/*", NULL };
    const lw_scan_options options = { .shape = LW_SCAN_LIST, .drop = drop };
    const outcome wanted = { 2, 4, 1, 446 };
    return scan_both_ways(&options, LW_STR(list), &wanted, err);
}

static lw_status scan_events(lw_error *err)
{
    const lw_scan_options options = { .shape = LW_SCAN_EVENT, .is_stream = true };
    const outcome wanted = { 2, 4, 2, 444 };
    return scan_both_ways(&options, LW_STR(events), &wanted, err);
}

/* An object with so many labels that their table grows, and a string that does not fit. */
static lw_status scan_large_object(lw_error *err)
{
    const lw_scan_options options = { .shape = LW_SCAN_OBJECT };
    lw_buf text;
    lw_buf_init(&text, 1 << 20);
    lw_buf_append_text(&text, "{\"metadata\":{\"labels\":{");
    for (unsigned i = 0; i < 1000; i++)
        lw_buf_printf(&text, "%s\"%u\":\"\\u0041\"", i ? "," : "", i);
    lw_buf_append_text(&text, "}},\"spec\":\"");
    for (unsigned i = 0; i < 1000; i++)
        lw_buf_append_text(&text, "a long string \xC3\xA9 ");
    lw_buf_append_text(&text, "\"}");
    const outcome wanted = { 1, 1000, 1, text.len };
    lw_status st = text.st;
    if (st == LW_OK)
        st = scan_input(&options, lw_buf_view(&text), 100, &wanted, err);
    if (st == LW_OK)
        st = scan_input(&options, lw_buf_view(&text), text.len, &wanted, err);
    lw_buf_done(&text);
    return st;
}

/* LW_OK if |st| is |wanted| and |err| agrees; LW_ERR_NOMEM is passed on. */
static lw_status expect_error(lw_status st, lw_status wanted, const lw_error *err)
{
    if (st < 0 && err->code != st)
        return LW_ERR_INTERNAL;
    if (st == LW_ERR_NOMEM)
        return st;
    return st == wanted ? LW_OK : LW_ERR_INTERNAL;
}

static lw_status refuse_input(lw_error *err)
{
    static const struct {
        const char *text;
        lw_status st;
        size_t max_item;
    } cases[] = {
        { "{\"items\":[{\"metadata\":{\"name\":\"a\"}},{]}", LW_ERR_SYNTAX, 0 },
        { "{\"items\":[{\"metadata\":{\"name\":\"a\"}}", LW_ERR_SYNTAX, 0 },
        { "{\"items\":[{\"metadata\":{\"name\":1}}]}", LW_ERR_INVALID, 0 },
        { "{\"items\":[{},{\"spec\":\"0123456789\"}]}", LW_ERR_LIMIT, 12 },
    };
    const outcome nobody = { 0 };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const lw_scan_options options = { .shape = LW_SCAN_LIST, .max_item = cases[i].max_item };
        lw_error own = LW_ERROR_INIT;
        lw_status st = scan_both_ways(&options, lw_str_of(cases[i].text), &nobody, &own);
        st = expect_error(st, cases[i].st, &own);
        if (st < 0) {
            *err = own;
            return st;
        }
    }
    return LW_OK;
}

static lw_status refuse_paths(lw_error *err)
{
    static const char *const malformed[] = { "/spec/ok", "spec", NULL };
    static const char *const identity[] = { "/spec/*", "/metadata/name", NULL };
    static const char *const *const plans[] = { malformed, identity };
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        const lw_scan_options options = { .shape = LW_SCAN_LIST, .drop = plans[i] };
        lw_error own = LW_ERROR_INIT;
        lw_scan *scan = NULL;
        lw_status st = expect_error(lw_scan_new(&scan, &options, &own), LW_ERR_INVALID, &own);
        lw_scan_free(scan);
        if (st < 0) {
            *err = own;
            return st;
        }
    }
    return LW_OK;
}

/* A scanner that failed works again after a reset, if there is memory. */
static lw_status scan_again_after_reset(lw_error *err)
{
    outcome found = { 0 };
    const lw_scan_options options = {
        .shape = LW_SCAN_LIST, .on_item = count_item, .on_document = count_document, .arg = &found
    };
    lw_scan *scan = NULL;
    lw_status st = lw_scan_new(&scan, &options, err);
    for (unsigned i = 0; st == LW_OK && i < 2; i++) {
        lw_error own = LW_ERROR_INIT;
        lw_status cut = feed(scan, lw_str_make(list, sizeof(list) - 5), 50, &own);
        st = expect_error(cut, LW_ERR_SYNTAX, &own) == LW_ERR_INTERNAL ? LW_ERR_INTERNAL : LW_OK;
        /* The failure is sticky until then. */
        if (lw_scan_finish(scan, NULL) != cut)
            st = LW_ERR_INTERNAL;
        lw_scan_reset(scan);
        found = (outcome){ 0 };
        if (st == LW_OK)
            st = feed(scan, LW_STR(list), 50, err);
        if (st == LW_OK && (found.items != 2 || found.labels != 4 || found.documents != 1))
            st = LW_ERR_INTERNAL;
        lw_scan_reset(scan);
    }
    lw_scan_free(scan);
    return st;
}

static lw_status validate(lw_error *err)
{
    lw_error own = LW_ERROR_INIT;
    lw_status st = lw_json_validate(LW_STR(list), 0, err);
    if (st == LW_OK)
        st = expect_error(lw_json_validate(LW_STR("[1,]"), 0, &own), LW_ERR_SYNTAX, &own);
    if (st == LW_OK)
        st = expect_error(lw_json_validate(LW_STR("[[1]]"), 1, &own), LW_ERR_LIMIT, &own);
    return st;
}

const oom_scenario scan_scenarios[] = {
    { "scan a list", scan_list },
    { "scan a list, dropping members", scan_list_dropping },
    { "scan a list, keeping members", scan_list_keeping },
    { "scan a list with wildcards", scan_list_with_wildcards },
    { "scan events", scan_events },
    { "scan a large object", scan_large_object },
    { "refuse malformed input", refuse_input },
    { "refuse malformed paths", refuse_paths },
    { "scan again after a reset", scan_again_after_reset },
    { "validate", validate },
};
const size_t scan_scenario_count = sizeof(scan_scenarios) / sizeof(scan_scenarios[0]);
