/* SPDX-License-Identifier: Apache-2.0 */
/* body_cbor.c -- reads bodies in CBOR, and refuses them as kube-apiserver does: a document whose
 * kind cannot be determined is "unrecognized", any other "cannot be handled". */
#include "api/http/body_cbor.h"

#include <stdio.h>

#include "api/http/body.h"
#include "api/http/failures.h"
#include "base/str.h"
#include "object/gvk.h"
#include "schema/types/type.h"
#include "json/cbor/cbor.h"
#include "json/fields.h"

enum {
    MESSAGE_MAX = 16 * 1024,
};

#define NO_KIND "unable to determine group/version/kind: "

static const char *type_name(const lw_node *node)
{
    switch (lw_node_type(node)) {
    case LW_JSON_ARRAY: return "array";
    case LW_JSON_STRING: return "byte string";
    case LW_JSON_NUMBER: return "positive integer";
    default: return "primitives";
    }
}

static bool refuse_nomem(lw_api_status *status)
{
    lw_api_status_init(status);
    status->st = LW_ERR_NOMEM;
    return false;
}

/* Refuses a document of which not even the kind is known. */
static bool refuse_document(lw_api_call *call, lw_gvk gvk, bool is_options, lw_str why,
                            lw_api_status *status)
{
    if (!is_options)
        return lw_body_refuse_unrecognized(status, gvk.kind, why, call->stream->request.body);
    lw_api_status_bad_request(status, why);
    return false;
}

static bool refuse_syntax(lw_api_call *call, lw_gvk gvk, bool is_options, const char *why,
                          lw_api_status *status)
{
    lw_buf text;
    lw_buf_init(&text, MESSAGE_MAX);
    lw_buf_append_text(&text, NO_KIND);
    lw_buf_append_text(&text, why);
    bool is_read = refuse_document(call, gvk, is_options, lw_buf_view(&text), status);
    lw_buf_done(&text);
    return is_read;
}

/* Refuses a value inside of the document, which names its kind itself. */
static bool refuse_value(lw_api_call *call, lw_gvk gvk, bool is_options, const char *why,
                         lw_api_status *status)
{
    lw_str body = call->stream->request.body;
    lw_buf kind, api_version;
    lw_gvk sent = gvk;
    if (is_options) {
        lw_api_status_bad_request(status, lw_str_of(why));
        return false;
    }
    lw_buf_init(&kind, LW_HTTP_BODY_MAX);
    lw_buf_init(&api_version, LW_HTTP_BODY_MAX);
    lw_cbor_append_member(body, LW_STR("kind"), &kind);
    lw_cbor_append_member(body, LW_STR("apiVersion"), &api_version);
    if (kind.len > 0)
        sent.kind = lw_buf_view(&kind);
    if (api_version.len > 0)
        (void)lw_api_version_parse(lw_buf_view(&api_version), &sent.group, &sent.version, NULL);
    lw_body_refuse(status, sent, gvk.kind, lw_str_of(why));
    lw_buf_done(&kind);
    lw_buf_done(&api_version);
    return false;
}

/* Null is an object without members, for kinds whose fields are known. */
static bool replace_null(lw_tree *tree, lw_api_status *status)
{
    lw_tree_set_root(tree, lw_tree_object(tree));
    return lw_tree_status(tree) == LW_OK || refuse_nomem(status);
}

/* A custom resource must name its kind; in JSON it need not. */
static bool names_itself(lw_api_call *call, lw_gvk gvk, const lw_node *root, lw_api_status *status)
{
    if (lw_fields_text(root, "kind").len == 0)
        return lw_body_refuse_unrecognized(status, gvk.kind, LW_STR("Object 'Kind' is missing"),
                                           call->stream->request.body);
    if (lw_fields_text(root, "apiVersion").len > 0)
        return true;
    lw_gvk sent = { LW_STR(""), LW_STR(""), lw_fields_text(root, "kind") };
    lw_body_refuse(status, sent, gvk.kind, LW_STR("Object 'apiVersion' is missing"));
    return false;
}

/* Whether what was read is an object. */
static bool is_object(lw_api_call *call, lw_gvk gvk, bool is_options, lw_tree *tree,
                      lw_api_status *status)
{
    char why[192];
    const lw_node *root = lw_tree_root(tree);
    bool is_known = is_options || lw_type_of_kind(gvk);
    if (lw_node_is(root, LW_JSON_NULL) && is_known)
        return replace_null(tree, status);
    if (lw_node_is(root, LW_JSON_OBJECT) || lw_node_is(root, LW_JSON_NULL))
        return is_known || names_itself(call, gvk, root, status);
    (void)snprintf(why, sizeof(why),
                   "cbor: cannot unmarshal %s into Go value of type v1.TypeMeta%s", type_name(root),
                   lw_node_is(root, LW_JSON_ARRAY)
                       ? " (cannot decode CBOR array to struct without toarray option)"
                       : "");
    return refuse_syntax(call, gvk, is_options, why, status);
}

bool lw_body_read_cbor(lw_api_call *call, lw_gvk gvk, bool is_options, lw_tree **out,
                       lw_api_status *status)
{
    lw_error err = LW_ERROR_INIT;
    lw_tree *tree = NULL;
    lw_budget_enter(&call->budget, LW_BUDGET_BODY);
    lw_status st = lw_cbor_read(&tree, call->stream->request.body, 0, &call->budget, &err);
    if (st == LW_ERR_NOMEM)
        return refuse_nomem(status);
    if (st == LW_ERR_INVALID)
        return refuse_value(call, gvk, is_options, err.message, status);
    if (st < 0)
        return refuse_syntax(call, gvk, is_options, err.message, status);
    if (is_object(call, gvk, is_options, tree, status)) {
        *out = tree;
        return true;
    }
    lw_tree_free(tree);
    return false;
}

bool lw_body_read_cbor_patch(lw_api_call *call, lw_tree **out, lw_api_status *status)
{
    lw_error err = LW_ERROR_INIT;
    lw_tree *tree = NULL;
    lw_buf message;
    lw_budget_enter(&call->budget, LW_BUDGET_BODY);
    lw_status st = lw_cbor_read(&tree, call->stream->request.body, 0, &call->budget, &err);
    if (st == LW_ERR_NOMEM)
        return refuse_nomem(status);
    if (st == LW_OK && lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT)) {
        *out = tree;
        return true;
    }
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_append_text(&message, "error decoding patch: ");
    if (st < 0)
        lw_buf_append_text(&message, err.message);
    else
        lw_buf_printf(&message,
                      "cbor: cannot unmarshal %s into Go value of type map[string]interface {}",
                      type_name(lw_tree_root(tree)));
    lw_tree_free(tree);
    return lw_failure_bad_request(status, &message);
}
