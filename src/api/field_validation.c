/* SPDX-License-Identifier: Apache-2.0 */
/* field_validation.c -- Ignore, Warn or Strict. */
#include "api/field_validation.h"

#include "api/body.h"
#include "api/field_findings.h"
#include "base/str.h"

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
    lw_str wish = lw_query_get(&call->query, "fieldValidation");
    lw_field_verdict verdict;
    lw_field_verdict_init(&verdict);
    lw_status st = lw_field_findings(gvk, json, &verdict);
    const lw_buf *why = &verdict.fault;
    if (why->len == 0 && lw_str_equal(wish, LW_STR("Strict")))
        why = &verdict.strict;
    if (st < 0) {
        lw_api_status_init(status);
        status->st = st;
    } else if (why->len > 0) {
        lw_body_refuse(status, gvk, gvk.kind, lw_buf_view(why));
    } else if (!lw_str_equal(wish, LW_STR("Ignore"))) {
        warn(call, &verdict.findings);
    }
    bool is_good = st == LW_OK && why->len == 0;
    lw_field_verdict_done(&verdict);
    return is_good;
}

bool lw_field_validation_check(lw_api_call *call, lw_gvk gvk, const lw_tree *body,
                               lw_api_status *status)
{
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
