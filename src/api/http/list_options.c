/* SPDX-License-Identifier: Apache-2.0 */
/* list_options.c -- the options of lists and watches: read, checked in the order kube-apiserver
 * checks them, and turned into a plan. */
#include "api/http/list_options.h"

#include "api/http/failures.h"
#include "base/str.h"
#include "object/quote.h"

enum {
    MESSAGE_MAX = 256 * 1024, /* bytes of a complaint, which quotes what it complains about */
};

static const lw_str match_exact = LW_STR_INIT("Exact");
static const lw_str match_not_older = LW_STR_INIT("NotOlderThan");

static bool refuse_error(lw_api_status *status, lw_status st, const lw_error *err)
{
    lw_api_status_bad_request(status, lw_str_of(err->message));
    if (st == LW_ERR_NOMEM)
        status->st = st;
    return false;
}

/* Appends what strconv says of |text| that is no number, or too large a one. */
static void append_number_complaint(lw_buf *out, const char *function, lw_str text)
{
    size_t sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
    bool is_number = text.len > sign;
    for (size_t i = sign; i < text.len; i++)
        is_number = is_number && lw_char_is_digit(text.ptr[i]);
    lw_buf_append_text(out, "strconv.");
    lw_buf_append_text(out, function);
    lw_buf_append_text(out, ": parsing ");
    lw_quote_append(out, text);
    lw_buf_append_text(out, is_number && (sign == 0 || function[5] == 'I') ? ": value out of range"
                                                                           : ": invalid syntax");
}

static bool read_int(const lw_query *query, const char *name, int64_t *out, lw_api_status *status)
{
    lw_str text;
    *out = 0;
    if (!lw_query_find(query, name, &text) || lw_str_to_int64(text, out))
        return true;
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    append_number_complaint(&message, "ParseInt", text);
    return lw_failure_bad_request(status, &message);
}

bool lw_revision_parse(lw_str text, uint64_t *revision, lw_buf *message)
{
    if (lw_str_to_uint64(text, revision))
        return true;
    lw_buf_append_text(message, "resourceVersion: Invalid value: ");
    lw_quote_append(message, text);
    lw_buf_append_text(message, ": ");
    append_number_complaint(message, "ParseUint", text);
    return false;
}

static bool read_selectors(lw_api_list_options *options, const lw_query *query,
                           lw_api_status *status)
{
    lw_error err = LW_ERROR_INIT;
    lw_str labels = lw_query_get(query, "labelSelector");
    lw_str fields = lw_query_get(query, "fieldSelector");
    lw_status st = LW_OK;
    if (labels.len > 0)
        st = lw_label_selector_parse(&options->labels, labels, &err);
    if (st == LW_OK && fields.len > 0)
        st = lw_field_selector_parse(&options->fields, fields, &err);
    return st == LW_OK || refuse_error(status, st, &err);
}

static void forbid(lw_api_status *status, const char *field, const char *why)
{
    lw_api_status_add_field_error(status, LW_FIELD_FORBIDDEN, lw_str_of(field),
                                  lw_str_make(NULL, 0), lw_str_of(why));
}

static void check_list(const lw_api_list_options *options, lw_api_status *status)
{
    static const char field[] = "resourceVersionMatch";
    lw_str match = options->match;
    if (match.len > 0) {
        if (options->resource_version.len == 0)
            forbid(status, field,
                   "resourceVersionMatch is forbidden unless resourceVersion is provided");
        if (options->continue_token.len > 0)
            forbid(status, field, "resourceVersionMatch is forbidden when continue is provided");
        if (!lw_str_equal(match, match_exact) && !lw_str_equal(match, match_not_older))
            lw_api_status_add_field_error(
                status, LW_FIELD_NOT_SUPPORTED, lw_str_of(field), match,
                LW_STR("supported values: \"Exact\", \"NotOlderThan\", \"\""));
        if (lw_str_equal(match, match_exact) &&
            lw_str_equal(options->resource_version, LW_STR("0")))
            forbid(status, field,
                   "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
    if (options->initial_events != LW_UNSET)
        forbid(status, "sendInitialEvents", "sendInitialEvents is forbidden for list");
}

static void check_watch(const lw_api_list_options *options, lw_api_status *status)
{
    static const char field[] = "resourceVersionMatch";
    lw_str match = options->match;
    bool is_not_older = lw_str_equal(match, match_not_older);
    if (options->initial_events != LW_UNSET && !is_not_older)
        forbid(status, field,
               "sendInitialEvents requires setting resourceVersionMatch to "
               "NotOlderThan");
    if (match.len == 0)
        return;
    if (options->initial_events == LW_UNSET)
        forbid(status, field,
               "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    if (!is_not_older)
        lw_api_status_add_field_error(status, LW_FIELD_NOT_SUPPORTED, lw_str_of(field), match,
                                      LW_STR("supported values: \"NotOlderThan\""));
    if (options->continue_token.len > 0)
        forbid(status, field, "resourceVersionMatch is forbidden when continue is provided");
}

/* 422 when options contradict one another. */
static bool check(const lw_api_list_options *options, bool is_watch, lw_api_status *status)
{
    lw_api_status errors;
    lw_api_status_init(&errors);
    if (is_watch)
        check_watch(options, &errors);
    else
        check_list(options, &errors);
    if (errors.cause_count == 0 && lw_api_status_state(&errors) == LW_OK) {
        lw_api_status_done(&errors);
        return true;
    }
    lw_api_status_complete_invalid(&errors, lw_gvk_make("meta.k8s.io", "", "ListOptions"),
                                   LW_STR(""));
    *status = errors;
    return false;
}

/* 400 when a field is none that |kind| can be selected by. */
static bool check_fields(const lw_api_list_options *options, const lw_kind *kind,
                         lw_api_status *status)
{
    size_t count = 0;
    lw_field_label found;
    const lw_field_requirement *r = lw_field_selector_requirements(options->fields, &count);
    for (size_t i = 0; i < count; i++) {
        if (lw_kind_find_field(kind, r[i].field, &found))
            continue;
        lw_buf message;
        lw_buf_init(&message, MESSAGE_MAX);
        if (lw_str_equal(kind->plural, LW_STR("jobs"))) {
            lw_buf_append_text(&message, "field label ");
            lw_quote_append(&message, r[i].field);
            lw_buf_append_text(&message, " not supported for Job");
        } else if (kind->fields || (kind->flags & LW_KIND_CUSTOM)) {
            lw_buf_append_text(&message, "field label not supported: ");
            lw_buf_append_str(&message, r[i].field);
        } else {
            lw_quote_append(&message, r[i].field);
            lw_buf_append_text(&message, " is not a known field selector: only "
                                         "\"metadata.name\", \"metadata.namespace\"");
        }
        return lw_failure_bad_request(status, &message);
    }
    return true;
}

bool lw_api_list_options_read(lw_api_list_options *options, const lw_query *query,
                              const lw_kind *kind, bool is_watch, bool takes_any_field,
                              lw_api_status *status)
{
    lw_str initial;
    *options = (lw_api_list_options){
        .resource_version = lw_query_get(query, "resourceVersion"),
        .match = lw_query_get(query, "resourceVersionMatch"),
        .continue_token = lw_query_get(query, "continue"),
        .allows_bookmarks = lw_query_bool(query, "allowWatchBookmarks"),
        .takes_any_field = takes_any_field,
    };
    if (lw_query_find(query, "sendInitialEvents", &initial))
        options->initial_events = lw_query_bool(query, "sendInitialEvents") ? LW_YES : LW_NO;
    if (!read_selectors(options, query, status) ||
        !read_int(query, "limit", &options->limit, status) ||
        !read_int(query, "timeoutSeconds", &options->timeout_s, status))
        return false;
    if (options->limit < 0)
        options->limit = 0;
    return check(options, is_watch, status) &&
           (takes_any_field || check_fields(options, kind, status));
}

void lw_api_list_options_done(lw_api_list_options *options)
{
    lw_label_selector_free(options->labels);
    lw_field_selector_free(options->fields);
    options->labels = NULL;
    options->fields = NULL;
}

bool lw_api_list_options_filter(const lw_api_list_options *options, const lw_kind *kind, lw_str ns,
                                lw_str name, lw_cache_filter *filter, lw_api_status *status)
{
    lw_str selected = { NULL, 0 }, selected_ns = { NULL, 0 };
    bool has_name =
        lw_field_selector_requires_exact(options->fields, LW_STR("metadata.name"), &selected);
    bool has_ns = lw_field_selector_requires_exact(options->fields, LW_STR("metadata.namespace"),
                                                   &selected_ns);
    if (name.len > 0 && !lw_field_selector_is_everything(options->fields) &&
        (!has_name || !lw_str_equal(selected, name))) {
        lw_api_status_bad_request(status,
                                  LW_STR(
                                      "fieldSelector metadata.name doesn't match requested name"));
        return false;
    }
    *filter = (lw_cache_filter){
        /* What a selector fixes is looked up, not searched for; it is still checked as well. */
        .ns = ns.len == 0 && has_ns && kind->is_namespaced ? selected_ns : ns,
        .name = name.len > 0 ? name : selected,
        .labels = lw_label_selector_is_everything(options->labels) ? NULL : options->labels,
        .fields = lw_field_selector_is_everything(options->fields) ? NULL : options->fields,
        .fields_match = options->takes_any_field ? lw_kind_any_fields_match : lw_kind_fields_match,
        .fields_arg = kind,
    };
    return true;
}

/* The page a token asks for. */
static bool plan_page(lw_list_plan *plan, const lw_api_list_options *options, lw_api_status *status)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_status st = lw_page_token_read(&plan->token, options->continue_token, &err);
    if (st < 0) {
        lw_buf_append_text(&message, "invalid continue token: ");
        lw_buf_append_text(&message, err.message);
        if (st == LW_ERR_NOMEM)
            message.st = st;
        return lw_failure_bad_request(status, &message);
    }
    if (options->resource_version.len > 0 &&
        !lw_str_equal(options->resource_version, LW_STR("0"))) {
        lw_buf_append_text(&message,
                           "specifying resource version is not allowed when using continue");
        return lw_failure_bad_request(status, &message);
    }
    plan->is_page = true;
    plan->is_exact = plan->token.revision > 0;
    plan->revision = plan->is_exact ? (uint64_t)plan->token.revision : 0;
    plan->is_newest = !plan->is_exact;
    return true;
}

bool lw_list_plan_make(lw_list_plan *plan, const lw_api_list_options *options,
                       lw_api_status *status)
{
    *plan = (lw_list_plan){ .limit = (size_t)options->limit };
    lw_buf_init(&plan->token.start, LW_PAGE_TOKEN_MAX);
    if (options->continue_token.len > 0)
        return plan_page(plan, options, status);
    plan->is_newest = options->resource_version.len == 0;
    if (plan->is_newest)
        return true;
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_append_text(&message, "invalid resource version: ");
    if (!lw_revision_parse(options->resource_version, &plan->revision, &message))
        return lw_failure_bad_request(status, &message);
    lw_buf_done(&message);
    /* Without a word on how it is meant, a revision with a limit is exact: so it was before there
     * was resourceVersionMatch. */
    plan->is_exact = plan->revision > 0 && (lw_str_equal(options->match, match_exact) ||
                                            (options->match.len == 0 && options->limit > 0));
    if (plan->revision == 0)
        plan->limit = 0; /* "0" is answered from the cache, which used not to know pages */
    return true;
}

void lw_list_plan_done(lw_list_plan *plan)
{
    lw_page_token_done(&plan->token);
}
