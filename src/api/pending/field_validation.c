/* SPDX-License-Identifier: Apache-2.0 */
/* field_validation.c -- Ignore, Warn or Strict. */
#include "api/pending/field_validation.h"

#include "api/http/body.h"
#include "api/pending/field_findings.h"
#include "api/pending/pending_object.h"
#include "base/str.h"
#include "object/gvk.h"
#include "schema/validation/check_fits.h"

enum {
    TEXT_MAX = 1 << 20,  /* bytes of what is found */
    SHOWN_MAX = 1 << 14, /* bytes of a document that a refusal quotes */
};

static bool says(const lw_api_call *call, lw_str directive)
{
    return lw_str_equal(lw_query_get(&call->query, "fieldValidation"), directive);
}

/* What is looked at: the bytes that came, in which a field can be twice; of YAML the document. */
static lw_str text_of(const lw_api_call *call, const lw_tree *body, lw_buf *written)
{
    lw_json_writer w;
    if (lw_media_body_type(&call->stream->request) == LW_BODY_JSON)
        return call->stream->request.body;
    lw_json_writer_init(&w, written, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(body), &w);
    return lw_buf_view(written);
}

/* A warning for each of the texts, which end with a NUL. */
static void warn(lw_api_call *call, const lw_buf *findings)
{
    for (size_t at = 0; at < findings->len;) {
        lw_str text = lw_str_of(findings->data + at);
        lw_call_warn(call, text);
        at += text.len + 1;
    }
}

/* Whether the document can be read and is as strict as the request wants it. */
static bool judge(lw_api_call *call, lw_gvk gvk, lw_str json, lw_api_status *status)
{
    lw_field_check_result verdict;
    lw_field_check_result_init(&verdict);
    lw_status st = lw_field_findings(call->route.kind, gvk, json, &verdict);
    const lw_buf *why = &verdict.fault;
    if (why->len == 0 && says(call, LW_STR("Strict")))
        why = &verdict.strict;
    if (st < 0) {
        lw_api_status_init(status);
        status->st = st;
    } else if (why->len > 0) {
        lw_body_refuse(status, gvk, gvk.kind, lw_buf_view(why));
    } else if (!says(call, LW_STR("Ignore"))) {
        warn(call, &verdict.findings);
    }
    bool is_good = st == LW_OK && why->len == 0;
    lw_field_check_result_done(&verdict);
    return is_good;
}

/* True when there is surely nothing to say about |body|, as nearly always. */
static bool is_clean(const lw_api_call *call, lw_gvk gvk, const lw_tree *body)
{
    const lw_kind *kind = call->route.kind;
    bool is_custom = kind->custom && lw_gvk_equal(lw_kind_gvk(kind), gvk);
    const lw_type *type = is_custom ? NULL : lw_type_of_kind(gvk);
    return type && !lw_tree_had_repeats(body) && lw_check_fits_strictly(type, lw_tree_root(body));
}

bool lw_field_validation_check(lw_api_call *call, lw_gvk gvk, const lw_tree *body,
                               lw_api_status *status)
{
    /* Of protobuf only what the type has was read. */
    if (lw_media_body_type(&call->stream->request) == LW_BODY_PROTOBUF || is_clean(call, gvk, body))
        return true;
    lw_buf written;
    lw_buf_init(&written, LW_CALL_REPLY_MAX);
    lw_str json = text_of(call, body, &written);
    bool is_good = written.st == LW_OK;
    if (is_good) {
        is_good = judge(call, gvk, json, status);
    } else {
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
    }
    lw_buf_done(&written);
    return is_good;
}

/* Whether |text| is one of |findings|, which end with a NUL each. */
static bool has_finding(const lw_buf *findings, lw_str text)
{
    for (size_t at = 0; at < findings->len;) {
        lw_str one = lw_str_of(findings->data + at);
        if (lw_str_equal(one, text))
            return true;
        at += one.len + 1;
    }
    return false;
}

/* What there is against |json|. */
static lw_status look(const lw_api_call *call, lw_gvk gvk, lw_str json, lw_buf *findings)
{
    lw_field_check_result verdict;
    lw_field_check_result_init(&verdict);
    lw_status st = lw_field_findings(call->route.kind, gvk, json, &verdict);
    lw_buf_append_str(findings, lw_buf_view(&verdict.findings));
    lw_field_check_result_done(&verdict);
    return st;
}

/* Appends those of |findings| that begin with |beginning| and are not in |known|. */
static void take_new(const lw_buf *findings, lw_str beginning, const lw_buf *known, lw_buf *out)
{
    for (size_t at = 0; at < findings->len;) {
        lw_str one = lw_str_of(findings->data + at);
        at += one.len + 1;
        if (lw_str_starts_with(one, beginning) && !has_finding(known, one) &&
            !has_finding(out, one)) {
            lw_buf_append_str(out, one);
            lw_buf_append_char(out, '\0');
        }
    }
}

/* Appends what the patch of |call| has brought along to |found|.  |json| is what it has made. */
static lw_status look_at_patched(lw_api_call *call, lw_gvk gvk, lw_body_type patch_type,
                                 const lw_object *before, const lw_tree *patched, lw_buf *json,
                                 lw_buf *found)
{
    lw_buf of_patch, of_patched, known;
    lw_json_writer w;
    lw_status st = LW_OK;
    lw_buf_init(&of_patch, TEXT_MAX);
    lw_buf_init(&of_patched, TEXT_MAX);
    lw_buf_init(&known, TEXT_MAX);
    bool is_document = patch_type != LW_BODY_JSON_PATCH; /* it looks like what it changes */
    if (is_document)
        st = look(call, gvk, call->stream->request.body, &of_patch);
    take_new(&of_patch, LW_STR("duplicate field "), &known, found);
    /* Without anything odd in it, it has brought nothing odd along. */
    if (st == LW_OK && (!is_document || of_patch.len > 0)) {
        lw_json_writer_init(&w, json, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(patched), &w);
        st = json->st < 0 ? json->st : look(call, gvk, lw_buf_view(json), &of_patched);
    }
    if (st == LW_OK && of_patched.len > 0 && before)
        st = look(call, gvk, lw_object_json(before), &known);
    take_new(&of_patched, LW_STR(""), &known, found);
    lw_buf_done(&of_patch);
    lw_buf_done(&of_patched);
    lw_buf_done(&known);
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
    if (says(call, LW_STR("Ignore")))
        return true;
    lw_buf json, found;
    lw_buf_init(&json, LW_CALL_REPLY_MAX);
    lw_buf_init(&found, TEXT_MAX);
    lw_status st = look_at_patched(call, gvk, patch_type, before, patched, &json, &found);
    bool is_good = st == LW_OK && (found.len == 0 || !says(call, LW_STR("Strict")));
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
