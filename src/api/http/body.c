/* SPDX-License-Identifier: Apache-2.0 */
/* body.c -- reads bodies, and says in Kubernetes' words why one cannot be read. */
#include "api/http/body.h"

#include "api/http/body_cbor.h"
#include "api/http/failures.h"
#include "base/error.h"
#include "base/str.h"
#include "object/gvk.h"
#include "object/quote.h"
#include "schema/proto/proto.h"
#include "schema/types/type.h"
#include "json/fields.h"
#include "json/yaml/yaml.h"

enum {
    SUMMARY_BYTES = 30, /* of a body that are shown */
    MESSAGE_MAX = 16 * 1024,
    JSON_MAX = 64 * 1024 * 1024, /* that a body in protobuf may become: much of it is zeros */
};

void lw_body_refuse(lw_api_status *status, lw_gvk sent, lw_str kind, lw_str why)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_str(&message, sent.kind);
    lw_buf_append_text(&message, " in version ");
    lw_quote_append(&message, sent.version);
    lw_buf_append_text(&message, " cannot be handled as a ");
    lw_buf_append_str(&message, kind);
    lw_buf_append_text(&message, ": ");
    lw_buf_append_str(&message, why);
    (void)lw_failure_bad_request(status, &message);
}

/* The beginning of the body, as text if it looks like JSON, else in hex. */
static void append_summary(lw_str body, lw_buf *out)
{
    size_t len = body.len > SUMMARY_BYTES ? SUMMARY_BYTES : body.len;
    if (body.len == 0)
        lw_buf_append_text(out, "<empty>");
    else if (body.ptr[0] == '{')
        lw_buf_append(out, body.ptr, len);
    else
        for (size_t i = 0; i < len; i++)
            lw_buf_printf(out, "%02x", (unsigned char)body.ptr[i]);
    if (len < body.len)
        lw_buf_append_text(out, " ...");
}

static bool refuse_unreadable(lw_api_status *status, lw_str kind, const char *format,
                              const char *why, lw_str body)
{
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_printf(&message,
                  "the object provided is unrecognized (must be of type %.*s): couldn't get "
                  "version/kind; %s parse error: %s (",
                  LW_STR_ARG(kind), format, why);
    append_summary(body, &message);
    lw_buf_append_char(&message, ')');
    return lw_failure_bad_request(status, &message);
}

lw_status lw_body_read_json(lw_api_call *call, lw_tree **out, lw_error *err)
{
    lw_budget_enter(&call->budget, LW_BUDGET_BODY);
    return lw_tree_parse_within(out, call->stream->request.body, 0, &call->budget, err);
}

/* Parts of the root that need not be read. */
typedef struct known_parts {
    const lw_tree_part *parts;
    size_t count;
} known_parts;

/* Reads an object.  The sets in the managedFields of a built-in kind are raw JSON, which nobody
 * reads if they are the stored ones. */
static lw_status read_object(lw_api_call *call, lw_gvk gvk, known_parts known, lw_tree **out,
                             lw_error *err)
{
    if (!lw_type_of_kind(gvk))
        return lw_body_read_json(call, out, err);
    lw_budget_enter(&call->budget, LW_BUDGET_BODY);
    return lw_tree_parse_known(out, call->stream->request.body, LW_STR("fieldsV1"), known.parts,
                               known.count, &call->budget, err);
}

/* |duplicates| (may be NULL) is told of keys that are there twice. */
static lw_status read_yaml(lw_api_call *call, lw_buf *duplicates, lw_tree **out, lw_error *err)
{
    lw_yaml_reader *reader = NULL;
    lw_status st = lw_yaml_reader_new(&reader, call->stream->request.body);
    lw_budget_enter(&call->budget, LW_BUDGET_BODY);
    if (st == LW_OK) {
        lw_yaml_reader_set_budget(reader, &call->budget);
        lw_yaml_reader_report_duplicates(reader, duplicates);
        st = lw_yaml_reader_next(reader, 0, out, err);
    }
    lw_yaml_reader_free(reader);
    if (st == LW_OK && !*out)
        return lw_error_set(err, LW_ERR_SYNTAX, "the document is empty");
    return st;
}

static const char *type_text(const lw_node *node)
{
    switch (lw_node_type(node)) {
    case LW_JSON_ARRAY: return "json: cannot unmarshal array into Go value of type struct";
    case LW_JSON_STRING: return "json: cannot unmarshal string into Go value of type struct";
    case LW_JSON_NUMBER: return "json: cannot unmarshal number into Go value of type struct";
    case LW_JSON_BOOL: return "json: cannot unmarshal bool into Go value of type struct";
    default: return "json: cannot unmarshal null into Go value of type struct";
    }
}

static void append_group_name(lw_buf *out, lw_str group)
{
    lw_str head, tail;
    (void)lw_str_cut(group, '.', &head, &tail);
    lw_buf_append_str(out, group.len > 0 ? head : LW_STR("core"));
}

static bool refuse_kind(lw_api_status *status, lw_gvk sent, lw_gvk wanted)
{
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_buf_printf(&why, "converting (%.*s.%.*s) to (", LW_STR_ARG(sent.version),
                  LW_STR_ARG(sent.kind));
    append_group_name(&why, wanted.group);
    lw_buf_printf(&why, ".%.*s): unknown conversion", LW_STR_ARG(wanted.kind));
    lw_body_refuse(status, sent, wanted.kind, lw_buf_view(&why));
    if (why.st < 0)
        status->st = why.st;
    lw_buf_done(&why);
    return false;
}

static bool refuse_version(lw_api_status *status, lw_str sent, lw_gvk wanted)
{
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_printf(&message,
                  "the API version in the data (%.*s) does not match the expected API version (",
                  LW_STR_ARG(sent));
    lw_api_version_append(&message, wanted.group, wanted.version);
    lw_buf_append_char(&message, ')');
    return lw_failure_bad_request(status, &message);
}

static bool refuse_unknown(lw_api_status *status, lw_gvk sent, lw_gvk wanted)
{
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_buf_printf(&why, "no kind \"%.*s\" is registered for version \"", LW_STR_ARG(sent.kind));
    lw_api_version_append(&why, sent.group, sent.version);
    lw_buf_append_text(&why, "\" in scheme \"pkg/runtime/scheme.go:111\"");
    lw_body_refuse(status, sent, wanted.kind, lw_buf_view(&why));
    if (why.st < 0)
        status->st = why.st;
    lw_buf_done(&why);
    return false;
}

/* What the body does not say is taken for what is wanted. */
static bool check_kind(const lw_node *root, lw_gvk wanted, bool takes_any_version,
                       lw_api_status *status)
{
    lw_str api_version = lw_fields_text(root, "apiVersion");
    lw_str kind = lw_fields_text(root, "kind");
    lw_gvk sent = wanted;
    if (api_version.len > 0 &&
        lw_api_version_parse(api_version, &sent.group, &sent.version, NULL) < 0)
        return refuse_version(status, api_version, wanted);
    if (kind.len > 0)
        sent.kind = kind;
    if (!lw_str_equal(sent.kind, wanted.kind))
        return refuse_kind(status, sent, wanted);
    if (!takes_any_version && !lw_gvk_equal(sent, wanted))
        return lw_type_of_kind(sent) ? refuse_version(status, api_version, wanted)
                                     : refuse_unknown(status, sent, wanted);
    return true;
}

/* Without "couldn't get version/kind", which only readers of text say. */
bool lw_body_refuse_unrecognized(lw_api_status *status, lw_str kind, lw_str why, lw_str body)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_printf(&message,
                  "the object provided is unrecognized (must be of type %.*s): ", LW_STR_ARG(kind));
    lw_buf_append_str(&message, why);
    lw_buf_append_text(&message, " (");
    append_summary(body, &message);
    lw_buf_append_char(&message, ')');
    return lw_failure_bad_request(status, &message);
}

#define TYPES                                                                                      \
    "the body of the request was in an unknown format - accepted media types include: "            \
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"

/* 415 */
static bool refuse_type(const lw_api_call *call, lw_api_status *status)
{
    lw_api_status_unsupported_media_type(status, call->api->serves_cbor
                                                     ? LW_STR(TYPES ", application/cbor")
                                                     : LW_STR(TYPES));
    return false;
}

static lw_gvk gvk_of(const lw_proto_document *document, lw_gvk wanted)
{
    lw_gvk sent = wanted;
    if (document->api_version.len > 0)
        (void)lw_api_version_parse(document->api_version, &sent.group, &sent.version, NULL);
    if (document->kind.len > 0)
        sent.kind = document->kind;
    return sent;
}

/* Reads |document| as what is wanted; a document that calls itself something else is told so by
 * whoever looks at its kind. */
static bool read_message(lw_api_call *call, const lw_proto_document *document, lw_gvk wanted,
                         lw_tree **out, lw_api_status *status)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf json;
    const lw_type *type = lw_type_of_kind(wanted);
    bool is_other = document->kind.len > 0 && !lw_str_equal(document->kind, wanted.kind);
    if (!type) /* a custom resource; kube-apiserver breaks off here */
        return refuse_type(call, status);
    if (is_other)
        return refuse_kind(status, gvk_of(document, wanted), wanted);
    lw_buf_init(&json, JSON_MAX);
    lw_proto_document head = { document->api_version, wanted.kind, document->message };
    lw_status st = lw_proto_read(type, head.api_version.len > 0 ? &head : NULL, document->message,
                                 &json, &err);
    if (st == LW_OK)
        st = lw_tree_parse_within(out, lw_buf_view(&json), 0, &call->budget, &err);
    lw_buf_done(&json);
    if (st == LW_ERR_NOMEM) {
        lw_api_status_init(status);
        status->st = st;
    } else if (st == LW_ERR_LIMIT) {
        lw_api_status_too_large(status, lw_str_of(err.message));
    } else if (st < 0) {
        lw_body_refuse(status, gvk_of(document, wanted), wanted.kind, lw_str_of(err.message));
    }
    return st == LW_OK;
}

static bool read_protobuf(lw_api_call *call, lw_gvk wanted, lw_tree **out, lw_api_status *status)
{
    lw_str body = call->stream->request.body;
    lw_error err = LW_ERROR_INIT;
    lw_proto_document document;
    if (body.len == 0)
        return lw_body_refuse_unrecognized(status, wanted.kind, LW_STR("empty data"), body);
    if (lw_str_equal(body, lw_str_make("k8s", 4)))
        return lw_body_refuse_unrecognized(status, wanted.kind, LW_STR("empty body"), body);
    if (lw_proto_open(body, &document, &err) < 0)
        return lw_body_refuse_unrecognized(status, wanted.kind, lw_str_of(err.message), body);
    lw_budget_enter(&call->budget, LW_BUDGET_BODY);
    return read_message(call, &document, wanted, out, status);
}

/* Reads JSON or YAML. */
static bool read_text(lw_api_call *call, lw_gvk gvk, bool is_yaml, known_parts known, lw_tree **out,
                      lw_api_status *status)
{
    lw_str body = call->stream->request.body;
    lw_error err = LW_ERROR_INIT;
    lw_status st =
        is_yaml ? read_yaml(call, NULL, out, &err) : read_object(call, gvk, known, out, &err);
    if (st == LW_ERR_NOMEM) {
        lw_api_status_init(status);
        status->st = st;
        return false;
    }
    if (st < 0)
        return refuse_unreadable(status, gvk.kind, is_yaml ? "yaml" : "json", err.message, body);
    if (lw_node_is(lw_tree_root(*out), LW_JSON_NULL) && lw_type_of_kind(gvk)) {
        lw_tree_set_root(*out, lw_tree_object(*out)); /* null is an object without members */
        if (lw_tree_status(*out) == LW_OK)
            return true;
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
        return false;
    }
    if (!lw_node_is(lw_tree_root(*out), LW_JSON_OBJECT))
        return refuse_unreadable(status, gvk.kind, "json", type_text(lw_tree_root(*out)), body);
    return true;
}

/* The kind of a custom resource may be left out, but not be something else than a string. */
static bool has_kind(lw_tree *tree, lw_gvk gvk, lw_str body, lw_api_status *status)
{
    const lw_node *kind = lw_node_get(lw_tree_root(tree), LW_STR("kind"));
    if (!kind || lw_node_is(kind, LW_JSON_STRING) || lw_node_is(kind, LW_JSON_NULL))
        return true;
    return refuse_unreadable(
        status, gvk.kind, "json",
        "json: cannot unmarshal a value into Go struct field .kind of type string", body);
}

bool lw_body_read_known(lw_api_call *call, lw_gvk gvk, const lw_tree_part *parts, size_t count,
                        lw_tree **out, lw_api_status *status)
{
    const known_parts known = { parts, count };
    lw_tree *tree = NULL;
    bool is_read = false, takes_any_version = gvk.version.len == 0;
    if (takes_any_version)
        gvk.version = LW_STR("v1");
    lw_body_type type = lw_body_type_of(call);
    switch (type) {
    case LW_BODY_JSON:
    case LW_BODY_YAML:
        is_read = read_text(call, gvk, type == LW_BODY_YAML, known, &tree, status) &&
                  (takes_any_version || has_kind(tree, gvk, call->stream->request.body, status));
        break;
    case LW_BODY_PROTOBUF: is_read = read_protobuf(call, gvk, &tree, status); break;
    case LW_BODY_CBOR:
        is_read = lw_body_read_cbor(call, gvk, takes_any_version, &tree, status);
        break;
    default: return refuse_type(call, status);
    }
    if (is_read && check_kind(lw_tree_root(tree), gvk, takes_any_version, status)) {
        *out = tree;
        return true;
    }
    lw_tree_free(tree);
    return false;
}

bool lw_body_read(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status)
{
    return lw_body_read_known(call, gvk, NULL, 0, out, status);
}

/* Says "error strict decoding YAML" and every line of |duplicates|, as Go's yaml does. */
static bool refuse_duplicates(const lw_buf *duplicates, lw_buf *message, lw_api_status *status)
{
    lw_str rest = lw_buf_view(duplicates), line;
    lw_buf_append_text(message, "error strict decoding YAML: error converting YAML to JSON: yaml: "
                                "unmarshal errors:");
    while (lw_str_cut(rest, '\n', &line, &rest)) {
        lw_buf_append_text(message, "\n  ");
        lw_buf_append_str(message, line);
    }
    return lw_failure_bad_request(status, message);
}

/* What is applied must say what it is: invalid object type: /v1, Kind=Pod */
static bool is_of_kind(const lw_node *root, lw_gvk gvk, lw_buf *message, lw_api_status *status)
{
    lw_gvk sent = { LW_STR(""), LW_STR(""), lw_fields_text(root, "kind") };
    (void)lw_api_version_parse(lw_fields_text(root, "apiVersion"), &sent.group, &sent.version,
                               NULL);
    if (lw_gvk_equal(sent, gvk))
        return true;
    lw_buf_printf(message, "invalid object type: %.*s/%.*s, Kind=%.*s", LW_STR_ARG(sent.group),
                  LW_STR_ARG(sent.version), LW_STR_ARG(sent.kind));
    return lw_failure_bad_request(status, message);
}

static bool read_applied_yaml(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status)
{
    lw_error err = LW_ERROR_INIT;
    lw_tree *tree = NULL;
    lw_buf message, duplicates;
    bool is_strict = lw_str_equal(lw_query_get(&call->query, "fieldValidation"), LW_STR("Strict"));
    lw_buf_init(&duplicates, MESSAGE_MAX / 2);
    lw_status st = read_yaml(call, is_strict ? &duplicates : NULL, &tree, &err);
    const lw_node *root = st == LW_OK ? lw_tree_root(tree) : NULL;
    lw_buf_init(&message, MESSAGE_MAX);
    if (st == LW_ERR_NOMEM || duplicates.st == LW_ERR_NOMEM) {
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
    } else if (st < 0 || !lw_node_is(root, LW_JSON_OBJECT)) {
        lw_buf_printf(&message, "error decoding YAML: %s", st < 0 ? err.message : type_text(root));
        (void)lw_failure_bad_request(status, &message);
    } else if (duplicates.len > 0) {
        (void)refuse_duplicates(&duplicates, &message, status);
    } else if (is_of_kind(root, gvk, &message, status)) {
        *out = tree;
        tree = NULL;
    }
    bool is_read = st == LW_OK && !tree;
    lw_buf_done(&message);
    lw_buf_done(&duplicates);
    lw_tree_free(tree);
    return is_read;
}

lw_body_type lw_body_type_of(const lw_api_call *call)
{
    lw_body_type type = lw_media_body_type(&call->stream->request);
    bool is_cbor = type == LW_BODY_CBOR || type == LW_BODY_APPLY_PATCH_CBOR;
    return is_cbor && !call->api->serves_cbor ? LW_BODY_UNKNOWN : type;
}

static bool read_applied_cbor(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status)
{
    lw_tree *tree = NULL;
    lw_buf message;
    if (!lw_body_read_cbor_patch(call, &tree, status))
        return false;
    lw_buf_init(&message, MESSAGE_MAX);
    bool is_right = is_of_kind(lw_tree_root(tree), gvk, &message, status);
    lw_buf_done(&message);
    if (is_right)
        *out = tree;
    else
        lw_tree_free(tree);
    return is_right;
}

bool lw_body_read_applied(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status)
{
    return lw_body_type_of(call) == LW_BODY_APPLY_PATCH_CBOR
               ? read_applied_cbor(call, gvk, out, status)
               : read_applied_yaml(call, gvk, out, status);
}
