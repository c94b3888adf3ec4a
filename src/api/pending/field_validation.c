/* SPDX-License-Identifier: Apache-2.0 */
/* field_validation.c -- implements fieldValidation: Ignore, Warn or Strict. */
#include "api/pending/field_validation.h"

#include "api/http/body.h"
#include "api/http/failures.h"
#include "api/pending/field_findings.h"
#include "api/pending/pending_object.h"
#include "base/str.h"
#include "object/gvk.h"
#include "schema/validation/check_fits.h"

enum {
    TEXT_MAX = 1 << 20,  /* bytes of all findings */
    SHOWN_MAX = 1 << 14, /* bytes of a document that a refusal quotes */
};

static bool is_requested(const lw_api_call *call, lw_str directive)
{
    return lw_str_equal(lw_query_get(&call->query, "fieldValidation"), directive);
}

/* Returns the text to check: the bytes of the request, which may have duplicate fields, or the
 * document as JSON if the request was YAML. */
static lw_str text_of(const lw_api_call *call, const lw_tree *body, lw_buf *written)
{
    lw_json_writer w;
    if (lw_media_body_type(&call->stream->request) == LW_BODY_JSON)
        return call->stream->request.body;
    lw_json_writer_init(&w, written, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(body), &w);
    return lw_buf_view(written);
}

/* Adds a warning for each of the texts, each of which ends with a NUL. */
static void warn(lw_api_call *call, const lw_buf *findings)
{
    for (size_t at = 0; at < findings->len;) {
        lw_str text = lw_str_of(findings->data + at);
        lw_call_warn(call, text);
        at += text.len + 1;
    }
}

/* Checks the document.  False: a value has the wrong type, or the request is Strict and there are
 * findings. */
static bool check_document(lw_api_call *call, lw_gvk gvk, lw_str json, lw_api_status *status)
{
    lw_field_check_result result;
    lw_field_check_result_init(&result);
    lw_status st = lw_field_findings(call->route.kind, gvk, json, &call->budget, &result);
    const lw_buf *why = &result.type_error;
    if (why->len == 0 && is_requested(call, LW_STR("Strict")))
        why = &result.strict;
    if (st < 0) {
        lw_api_status_init(status);
        status->st = st;
    } else if (why->len > 0) {
        lw_body_refuse(status, gvk, gvk.kind, lw_buf_view(why));
    } else if (!is_requested(call, LW_STR("Ignore"))) {
        warn(call, &result.findings);
    }
    bool is_good = st == LW_OK && why->len == 0;
    lw_field_check_result_done(&result);
    return is_good;
}

/* A fast check that covers nearly all requests.  True: there are no findings.  |*is_typed| (may be
 * NULL) as in lw_check_fits_strictly. */
static bool is_clean(const lw_api_call *call, lw_gvk gvk, const lw_tree *body, bool *is_typed)
{
    const lw_kind *kind = call->route.kind;
    bool is_custom = kind->custom && lw_gvk_equal(lw_kind_gvk(kind), gvk);
    const lw_type *type = is_custom ? NULL : lw_type_of_kind(gvk);
    return type && !lw_tree_had_repeats(body) &&
           lw_check_fits_strictly(type, lw_tree_root(body), is_typed);
}

static bool check(lw_api_call *call, lw_gvk gvk, lw_tree *body, bool *is_typed,
                  lw_api_status *status)
{
    lw_budget_enter(&call->budget, LW_BUDGET_FIELDS);
    if (!lw_tree_charge_pass(body)) {
        lw_api_status_of_failure(status, LW_ERR_LIMIT);
        return false;
    }
    /* The protobuf decoder keeps only fields of the type. */
    if (lw_body_type_of(call) == LW_BODY_PROTOBUF || is_clean(call, gvk, body, is_typed))
        return true;
    lw_buf written;
    lw_buf_init(&written, LW_CALL_REPLY_MAX);
    lw_str json = text_of(call, body, &written);
    bool is_good = written.st == LW_OK;
    if (is_good) {
        is_good = check_document(call, gvk, json, status);
    } else {
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
    }
    lw_buf_done(&written);
    return is_good;
}

bool lw_field_validation_check(lw_api_call *call, lw_gvk gvk, lw_tree *body, lw_api_status *status)
{
    return check(call, gvk, body, NULL, status);
}

bool lw_field_validation_check_new(lw_api_call *call, lw_gvk gvk, lw_tree *body, bool *is_typed,
                                   lw_api_status *status)
{
    *is_typed = false;
    return check(call, gvk, body, is_typed, status);
}

/* Appends the findings of |json|. */
static lw_status find(lw_api_call *call, lw_gvk gvk, lw_str json, lw_buf *findings)
{
    lw_field_check_result result;
    lw_field_check_result_init(&result);
    lw_status st = lw_field_findings(call->route.kind, gvk, json, &call->budget, &result);
    lw_buf_append_str(findings, lw_buf_view(&result.findings));
    lw_field_check_result_done(&result);
    return st;
}

/* A set of findings: the members of an object. */
typedef struct finding_set {
    lw_tree *tree;
    lw_node *members;
} finding_set;

static lw_status finding_set_init(finding_set *set, lw_budget *budget)
{
    lw_status st = lw_tree_new(&set->tree, 0);
    if (st < 0)
        return st;
    lw_tree_set_budget(set->tree, budget);
    set->members = lw_tree_object(set->tree);
    return lw_tree_status(set->tree);
}

static void finding_set_add(finding_set *set, lw_str finding)
{
    lw_node_put(set->tree, set->members, finding, lw_tree_null(set->tree));
}

static void finding_set_add_all(finding_set *set, const lw_buf *findings)
{
    for (size_t at = 0; at < findings->len;) {
        lw_str one = lw_str_of(findings->data + at);
        finding_set_add(set, one);
        at += one.len + 1;
    }
}

/* Appends the |findings| that begin with |beginning| and are not in |known|, and adds them to it.
 */
static void append_new(const lw_buf *findings, lw_str beginning, finding_set *known, lw_buf *out)
{
    for (size_t at = 0; at < findings->len;) {
        lw_str one = lw_str_of(findings->data + at);
        at += one.len + 1;
        if (lw_str_starts_with(one, beginning) && !lw_node_get(known->members, one)) {
            finding_set_add(known, one);
            lw_buf_append_str(out, one);
            lw_buf_append_char(out, '\0');
        }
    }
}

/* Appends the findings that the patch of |call| has caused to |found|; writes the patched document
 * to |json| if it is needed. */
static lw_status find_new_in_patched(lw_api_call *call, lw_gvk gvk, lw_body_type patch_type,
                                     const lw_object *before, const lw_tree *patched, lw_buf *json,
                                     lw_buf *found)
{
    lw_buf of_patch, of_patched, of_stored;
    finding_set known = { 0 };
    lw_json_writer w;
    lw_buf_init(&of_patch, TEXT_MAX);
    lw_buf_init(&of_patched, TEXT_MAX);
    lw_buf_init(&of_stored, TEXT_MAX);
    lw_status st = finding_set_init(&known, &call->budget);
    bool is_document = patch_type != LW_BODY_JSON_PATCH; /* merge patch */
    if (st == LW_OK && is_document)
        st = find(call, gvk, call->stream->request.body, &of_patch);
    if (st == LW_OK)
        append_new(&of_patch, LW_STR("duplicate field "), &known, found);
    /* A merge patch without findings cannot have caused any. */
    if (st == LW_OK && (!is_document || of_patch.len > 0)) {
        lw_json_writer_init(&w, json, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(patched), &w);
        st = json->st < 0 ? json->st : find(call, gvk, lw_buf_view(json), &of_patched);
    }
    if (st == LW_OK && of_patched.len > 0 && before)
        st = find(call, gvk, lw_object_json(before), &of_stored);
    if (st == LW_OK) {
        finding_set_add_all(&known, &of_stored);
        append_new(&of_patched, LW_STR(""), &known, found);
        st = lw_tree_status(known.tree);
    }
    lw_tree_free(known.tree);
    lw_buf_done(&of_patch);
    lw_buf_done(&of_patched);
    lw_buf_done(&of_stored);
    return st < 0 ? st : found->st;
}

static void refuse_patch(const lw_buf *found, lw_str json, lw_api_status *status)
{
    lw_buf why;
    lw_buf_init(&why, TEXT_MAX);
    lw_buf_append_text(&why, "strict decoding error: ");
    for (size_t at = 0; at < found->len;) {
        lw_str one = lw_str_of(found->data + at);
        lw_buf_printf(&why, "%s%.*s", at > 0 ? ", " : "", LW_STR_ARG(one));
        at += one.len + 1;
    }
    lw_api_status_init(status);
    lw_api_status_add_field_error(status, LW_FIELD_INVALID, LW_STR("patch"),
                                  json.len <= SHOWN_MAX ? json : LW_STR(""), lw_buf_view(&why));
    lw_api_status_complete_invalid(status, lw_gvk_make("", "", ""), LW_STR(""));
    if (why.st < 0)
        status->st = why.st;
    lw_buf_done(&why);
}

bool lw_field_validation_check_patched(lw_api_call *call, lw_gvk gvk, lw_body_type patch_type,
                                       const lw_tree *patched, const lw_object *before,
                                       lw_api_status *status)
{
    if (is_requested(call, LW_STR("Ignore")))
        return true;
    lw_budget_enter(&call->budget, LW_BUDGET_FIELDS);
    lw_buf json, found;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_buf_init(&found, TEXT_MAX);
    lw_status st = find_new_in_patched(call, gvk, patch_type, before, patched, &json, &found);
    bool is_good = st == LW_OK && (found.len == 0 || !is_requested(call, LW_STR("Strict")));
    if (st < 0) {
        lw_api_status_init(status);
        status->st = st;
    } else if (!is_good) {
        refuse_patch(&found, lw_buf_view(&json), status);
    } else {
        warn(call, &found);
    }
    lw_buf_done(&json);
    lw_buf_done(&found);
    return is_good;
}
