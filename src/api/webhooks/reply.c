/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c -- reads replies of webhooks. */
#include "api/webhooks/reply.h"

#include "api/webhooks/plain_reply.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "object/gvk.h"
#include "json/fields.h"

enum {
    TREE_MAX = 64 * 1024 * 1024,
    BAD_REQUEST = 400,
    CODE_END = 600, /* others are not codes of HTTP */
};

#define RECEIVED "received invalid webhook response: "

static lw_status invalid(lw_buf *why, const char *text)
{
    lw_buf_append_text(why, RECEIVED);
    lw_buf_append_text(why, text);
    return LW_ERR_INVALID;
}

static void append_quoted(lw_buf *out, lw_str text)
{
    lw_buf_append_char(out, '"');
    lw_buf_append_str(out, text);
    lw_buf_append_char(out, '"');
}

/* Appends "group/version, Kind=kind". */
static void append_gvk(lw_buf *out, const lw_node *root)
{
    lw_str group = LW_STR(""), version = LW_STR("");
    (void)lw_api_version_parse(lw_fields_text(root, "apiVersion"), &group, &version, NULL);
    lw_buf_append_str(out, group);
    lw_buf_append_char(out, '/');
    lw_buf_append_str(out, version);
    lw_buf_append_text(out, ", Kind=");
    lw_buf_append_str(out, lw_fields_text(root, "kind"));
}

/* A review of another version, which Go cannot convert. */
static bool is_other_version(const lw_node *root, lw_hook_version version)
{
    lw_str other =
        version == LW_HOOK_V1 ? LW_STR("admission.k8s.io/v1beta1") : LW_STR("admission.k8s.io/v1");
    return lw_str_equal(lw_fields_text(root, "kind"), LW_STR("AdmissionReview")) &&
           lw_str_equal(lw_fields_text(root, "apiVersion"), other);
}

/* A type that Go has no decoder for.  What is missing is taken for what was asked for. */
static lw_status check_registered(const lw_node *root, lw_hook_version version, lw_buf *why)
{
    lw_str kind = lw_fields_text(root, "kind"), in = lw_fields_text(root, "apiVersion");
    bool is_group = in.len == 0 || lw_str_equal(in, LW_STR("admission.k8s.io/v1")) ||
                    lw_str_equal(in, LW_STR("admission.k8s.io/v1beta1"));
    bool is_review = kind.len == 0 || lw_str_equal(kind, LW_STR("AdmissionReview"));
    if ((is_group && is_review) || lw_str_equal(kind, LW_STR("Status")))
        return LW_OK;
    if (in.len == 0)
        in = version == LW_HOOK_V1 ? LW_STR("admission.k8s.io/v1")
                                   : LW_STR("admission.k8s.io/v1beta1");
    lw_buf_append_text(why, "failed to call webhook: no kind ");
    append_quoted(why, kind.len > 0 ? kind : LW_STR("AdmissionReview"));
    lw_buf_append_text(why, " is registered for version ");
    append_quoted(why, in);
    lw_buf_append_text(why, " in scheme \"pkg/runtime/scheme.go:111\"");
    return LW_ERR_INVALID;
}

static const char *type_name(lw_json_type type)
{
    switch (type) {
    case LW_JSON_STRING: return "string";
    case LW_JSON_NUMBER: return "number";
    case LW_JSON_BOOL: return "bool";
    case LW_JSON_ARRAY: return "array";
    case LW_JSON_OBJECT: return "object";
    default: return "null";
    }
}

static lw_status check_kind(const lw_node *root, lw_buf *why)
{
    if (lw_str_equal(lw_fields_text(root, "kind"), LW_STR("AdmissionReview")) &&
        lw_str_equal(lw_fields_text(root, "apiVersion"), LW_STR("admission.k8s.io/v1")))
        return LW_OK;
    lw_buf_append_text(
        why,
        RECEIVED "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ");
    append_gvk(why, root);
    return LW_ERR_INVALID;
}

/* A value of another type cannot be decoded. */
static lw_status refuse_type(const lw_node *node, const char *member, const char *go_type,
                             lw_buf *why)
{
    lw_buf_printf(why,
                  "failed to call webhook: json: cannot unmarshal %s into Go struct field "
                  "AdmissionResponse.response.%s of type %s",
                  type_name(lw_node_type(node)), member, go_type);
    return LW_ERR_INVALID;
}

static lw_status check_strings(const lw_node *list, const char *name, lw_buf *why)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        if (!lw_node_is(lw_node_at(list, i), LW_JSON_STRING))
            return refuse_type(lw_node_at(list, i), name, "string", why);
    }
    return LW_OK;
}

static lw_status check_types(const lw_node *response, lw_buf *why)
{
    static const struct {
        const char *name;
        lw_json_type type;
        const char *go_type;
    } members[] = {
        { "uid", LW_JSON_STRING, "types.UID" },
        { "allowed", LW_JSON_BOOL, "bool" },
        { "status", LW_JSON_OBJECT, "v1.Status" },
        { "patch", LW_JSON_STRING, "[]uint8" },
        { "patchType", LW_JSON_STRING, "v1.PatchType" },
        { "auditAnnotations", LW_JSON_OBJECT, "map[string]string" },
        { "warnings", LW_JSON_ARRAY, "[]string" },
    };
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < sizeof(members) / sizeof(members[0]); i++) {
        const lw_node *node = lw_node_get(response, lw_str_of(members[i].name));
        if (lw_node_type(node) != LW_JSON_NULL && !lw_node_is(node, members[i].type))
            st = refuse_type(node, members[i].name, members[i].go_type, why);
    }
    if (st == LW_OK)
        st = check_strings(lw_node_get(response, LW_STR("warnings")), "warnings", why);
    if (st == LW_OK)
        st = check_strings(lw_node_get(response, LW_STR("auditAnnotations")), "auditAnnotations",
                           why);
    size_t bad;
    lw_str patch = lw_fields_text(response, "patch");
    if (st == LW_OK && !lw_base64_is_lenient(patch, &bad)) {
        lw_buf_printf(why, "failed to call webhook: illegal base64 data at input byte %zu", bad);
        st = LW_ERR_INVALID;
    }
    return st;
}

static lw_status check_uid(const lw_node *response, lw_str uid, lw_buf *why)
{
    lw_str replied = lw_fields_text(response, "uid");
    if (lw_str_equal(replied, uid))
        return LW_OK;
    lw_buf_append_text(why, RECEIVED "expected response.uid=");
    append_quoted(why, uid);
    lw_buf_append_text(why, ", got ");
    append_quoted(why, replied);
    return LW_ERR_INVALID;
}

/* In v1, patch and patchType come together, and only from mutating webhooks. */
static lw_status check_patch_type(const lw_node *response, bool is_mutating, lw_buf *why)
{
    const lw_node *type = lw_node_get(response, LW_STR("patchType"));
    bool has_patch = lw_fields_text(response, "patch").len > 0;
    bool has_type = lw_node_is(type, LW_JSON_STRING);
    if (!is_mutating && has_patch)
        return invalid(why, "validating webhook may not return response.patch");
    if (!is_mutating && has_type)
        return invalid(why, "validating webhook may not return response.patchType");
    if (has_patch && !has_type)
        return invalid(why, "webhook returned response.patch but not response.patchType");
    if (!has_patch && has_type)
        return invalid(why, "webhook returned response.patchType but not response.patch");
    if (has_type && lw_node_text(type).len == 0)
        return invalid(why, "webhook returned invalid response.patchType of \"\"");
    return LW_OK;
}

static lw_status check(const lw_node *root, const lw_node *response, lw_hook_version version,
                       bool is_mutating, lw_str uid, lw_buf *why)
{
    lw_status st = version == LW_HOOK_V1 ? check_kind(root, why) : LW_OK;
    if (st == LW_OK && !lw_node_is(response, LW_JSON_OBJECT))
        return invalid(why, "webhook response was absent");
    if (st < 0 || version != LW_HOOK_V1)
        return st;
    st = check_uid(response, uid, why);
    return st == LW_OK ? check_patch_type(response, is_mutating, why) : st;
}

static const lw_node *nonempty(const lw_node *node)
{
    return lw_node_count(node) > 0 ? node : NULL;
}

static lw_status read_response(lw_hook_reply *reply, lw_hook_version version, bool is_mutating,
                               lw_str uid, lw_buf *why)
{
    const lw_node *root = lw_tree_root(reply->tree);
    const lw_node *response = lw_node_get(root, LW_STR("response"));
    lw_status st = check_registered(root, version, why);
    if (st == LW_OK)
        st = check_types(response, why);
    if (st == LW_OK)
        st = check(root, response, version, is_mutating, uid, why);
    if (st < 0)
        return st;
    reply->is_allowed = lw_node_bool(lw_node_get(response, LW_STR("allowed")));
    reply->status = lw_node_get(response, LW_STR("status"));
    reply->warnings = nonempty(lw_node_get(response, LW_STR("warnings")));
    reply->annotations = nonempty(lw_node_get(response, LW_STR("auditAnnotations")));
    return LW_OK;
}

lw_status lw_hook_reply_read(lw_hook_reply *reply, lw_str json, lw_hook_version version,
                             bool is_mutating, lw_str uid, lw_buf *why)
{
    *reply = (lw_hook_reply){ .is_allowed = false };
    if (version == LW_HOOK_V1 && lw_hook_reply_is_plain(json, uid)) {
        reply->is_allowed = true;
        return LW_OK;
    }
    lw_status st = lw_tree_parse(&reply->tree, json, TREE_MAX, NULL);
    if (st == LW_ERR_NOMEM)
        return st;
    const lw_node *root = st == LW_OK ? lw_tree_root(reply->tree) : NULL;
    if (!lw_node_is(root, LW_JSON_OBJECT)) {
        lw_buf_printf(why,
                      "failed to call webhook: couldn't get version/kind; json parse error: json: "
                      "cannot unmarshal %s into Go value of type struct { APIVersion string "
                      "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                      "\"json:\\\"kind,omitempty\\\"\" }",
                      root ? type_name(lw_node_type(root)) : "string");
        return LW_ERR_INVALID;
    }
    if (is_other_version(root, version)) {
        const char *from = version == LW_HOOK_V1 ? "v1beta1" : "v1";
        lw_buf_printf(why,
                      "failed to call webhook: converting (%s.AdmissionReview) to "
                      "(%s.AdmissionReview): unknown conversion",
                      from, version == LW_HOOK_V1 ? "v1" : "v1beta1");
        return LW_ERR_INVALID;
    }
    return read_response(reply, version, is_mutating, uid, why);
}

/* Parses the decoded patch. */
static lw_status parse_patch(lw_hook_reply *reply, lw_str json, lw_buf *why)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_tree_parse(&reply->patch, json, TREE_MAX, &err);
    if (st == LW_ERR_NOMEM)
        return st;
    const lw_node *root = st == LW_OK ? lw_tree_root(reply->patch) : NULL;
    if (root && (lw_node_is(root, LW_JSON_ARRAY) || lw_node_type(root) == LW_JSON_NULL))
        return LW_OK;
    lw_buf_append_text(why, "received undecodable patch in webhook response: ");
    if (root)
        lw_buf_printf(why, "json: cannot unmarshal %s into Go value of type jsonpatch.Patch",
                      type_name(lw_node_type(root)));
    else
        lw_buf_append_text(why, err.message);
    return LW_ERR_INVALID;
}

lw_status lw_hook_reply_read_patch(lw_hook_reply *reply, lw_buf *why)
{
    if (!reply->tree)
        return LW_OK;
    const lw_node *response = lw_node_get(lw_tree_root(reply->tree), LW_STR("response"));
    lw_str encoded = lw_fields_text(response, "patch");
    lw_str type = lw_fields_text(response, "patchType");
    lw_buf json;
    if (encoded.len == 0)
        return LW_OK;
    lw_buf_init(&json, encoded.len);
    (void)lw_base64_decode_lenient(&json, encoded); /* check_types has seen that it can be */
    lw_status st = json.st < 0 ? json.st : parse_patch(reply, lw_buf_view(&json), why);
    lw_buf_done(&json);
    if (st < 0)
        return st;
    if (lw_node_count(lw_tree_root(reply->patch)) == 0) {
        lw_tree_free(reply->patch);
        reply->patch = NULL;
    } else if (type.len > 0 && !lw_str_equal(type, LW_STR("JSONPatch"))) {
        lw_buf_printf(why, "unsupported patch type \"%.*s\"", LW_STR_ARG(type));
        return LW_ERR_INVALID;
    }
    return LW_OK;
}

void lw_hook_reply_done(lw_hook_reply *reply)
{
    lw_tree_free(reply->patch);
    lw_tree_free(reply->tree);
    *reply = (lw_hook_reply){ .is_allowed = false };
}

/* Reads what a Status may say besides kind and apiVersion, which webhooks leave out. */
static void take_status(lw_api_status *status, const lw_node *from)
{
    const lw_node *details = lw_node_get(from, LW_STR("details"));
    const lw_node *causes = lw_node_get(details, LW_STR("causes"));
    int64_t code = lw_fields_int(from, "code", 0);
    int64_t retry = lw_fields_int(details, "retryAfterSeconds", 0);
    lw_api_status_init(status);
    status->code = code >= BAD_REQUEST && code < CODE_END ? (int32_t)code : BAD_REQUEST;
    lw_api_status_set(status, &status->reason, lw_fields_text(from, "reason"));
    status->has_details = lw_node_is(details, LW_JSON_OBJECT);
    lw_api_status_set(status, &status->name, lw_fields_text(details, "name"));
    lw_api_status_set(status, &status->group, lw_fields_text(details, "group"));
    lw_api_status_set(status, &status->kind, lw_fields_text(details, "kind"));
    lw_api_status_set(status, &status->uid, lw_fields_text(details, "uid"));
    status->retry_after_s = retry > 0 && retry <= INT32_MAX ? (int32_t)retry : 0;
    for (size_t i = 0; i < lw_node_count(causes); i++) {
        const lw_node *cause = lw_node_at(causes, i);
        lw_api_status_add_cause(status, lw_fields_text(cause, "reason"),
                                lw_fields_text(cause, "message"), lw_fields_text(cause, "field"));
    }
}

void lw_hook_refusal(lw_api_status *status, lw_str name, const lw_node *refusal)
{
    lw_str message = lw_fields_text(refusal, "message"), reason = lw_fields_text(refusal, "reason");
    lw_buf text;
    take_status(status, refusal);
    lw_buf_init(&text, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&text, "admission webhook ");
    append_quoted(&text, name);
    lw_buf_append_text(&text, " denied the request");
    lw_buf_append_text(&text, message.len + reason.len > 0 ? ": " : " without explanation");
    lw_buf_append_str(&text, message.len > 0 ? message : reason);
    if (text.st < 0)
        status->st = text.st;
    lw_api_status_set(status, &status->message, lw_buf_view(&text));
    lw_buf_done(&text);
}
