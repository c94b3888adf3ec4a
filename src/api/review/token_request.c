/* SPDX-License-Identifier: Apache-2.0 */
/* token_request.c -- POST to serviceaccounts/NAME/token: issues a token.
 *
 *     body ──▶ account exists ──▶ valid ──▶ bound object exists ──▶ sign ──▶ 201 with the token
 *
 * It is a write that changes nothing: so the account and the bound object are looked up in a cache
 * that is as new as the store. */
#include "api/admission/node_restriction.h"
#include "api/review/review.h"

#include <stdio.h>

#include "api/admission/namespaces.h"
#include "api/context/cache_lookup.h"
#include "api/http/body.h"
#include "api/http/field_errors.h"
#include "api/http/reply.h"
#include "api/pending/field_validation.h"
#include "api/pending/metadata.h"
#include "api/write/ask.h"
#include "api/write/write_call.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "base/text/uuid.h"
#include "object/gvk.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    CREATED = 201,
    DEFAULT_S = 3600,
    MIN_S = 600,
    /* What the kubelet requests for a pod.  The token of such a request is valid for a year, and
     * its claim "warnafter" has the time that was requested: as in kube-apiserver, for clients that
     * do not read the file again. */
    POD_S = 3607,
    EXTENDED_S = 365 * 24 * 3600,
    TEXT_SIZE = 1024,
    REPLY_MAX = 1 << 20,
};

#define MAX_S (INT64_C(1) << 32)

static lw_gvk request_gvk(void)
{
    return lw_gvk_make("authentication.k8s.io", "v1", "TokenRequest");
}

/* What a request asks for, and the objects that were found for it. */
typedef struct request {
    lw_write *write;
    lw_node *spec; /* NULL: none */
    const lw_node *bound;
    lw_account_claims claims;
    int64_t expiration_s; /* as requested, or less */
    lw_object *pod, *node, *secret;
} request;

static void request_done(request *r)
{
    lw_object_unref(r->pod);
    lw_object_unref(r->node);
    lw_object_unref(r->secret);
}

/* 422 for one field. */
static bool refuse_invalid(request *r, lw_str name, const char *field, lw_str value,
                           const char *why, bool is_text)
{
    lw_api_status *status = &r->write->status;
    lw_api_status_init(status);
    if (is_text)
        lw_field_error_invalid(status, field, value, why);
    else
        lw_field_error_plain(status, field, value, why);
    lw_api_status_complete_invalid(status, request_gvk(), name);
    return false;
}

static bool refuse_bad_request(request *r, const char *message)
{
    lw_api_status_bad_request(&r->write->status, lw_str_of(message));
    return false;
}

/* The body may repeat the name and the namespace of the account. */
static bool check_metadata(request *r, const lw_node *body)
{
    lw_key key = r->write->key;
    lw_str name = lw_fields_text_at(body, "/metadata/name");
    lw_str ns = lw_fields_text_at(body, "/metadata/namespace");
    if (!lw_metadata_is_in(ns, key.ns, &r->write->status))
        return false;
    if (name.len > 0 && !lw_str_equal(name, key.name))
        return refuse_invalid(r, key.name, "metadata.name", name,
                              "must match the service account name if specified", true);
    return true;
}

/* What a node may ask for. */
static bool check_node(request *r)
{
    lw_write *write = r->write;
    const lw_node_restriction_request by = { write->port->api, write->user,    write->kind,
                                             write->key,       write->current, write->stream };
    return lw_node_restriction_admits_token(&by, r->spec, &write->status);
}

static bool check_account(request *r)
{
    lw_write *write = r->write;
    if (!write->current) {
        lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
        return false;
    }
    r->claims.ns = write->key.ns;
    r->claims.account =
        (lw_token_object){ write->key.name, lw_str_of(lw_object_uid(write->current)) };
    return true;
}

static bool read_audiences(request *r)
{
    const lw_node *list = lw_node_get(r->spec, LW_STR("audiences"));
    const lw_audiences *ours = r->write->port->api->issuer.audiences;
    if (lw_node_count(list) > LW_AUDIENCES_MAX)
        return refuse_bad_request(r, "spec.audiences has more than 32 entries");
    for (size_t i = 0; i < lw_node_count(list); i++)
        r->claims.audiences.at[i] = lw_node_text(lw_node_at(list, i));
    r->claims.audiences.count = lw_node_count(list);
    if (r->claims.audiences.count == 0)
        r->claims.audiences = *ours;
    return true;
}

static bool read_expiration(request *r)
{
    char text[TEXT_SIZE];
    r->expiration_s = lw_fields_int(r->spec, "expirationSeconds", DEFAULT_S);
    int len = snprintf(text, sizeof(text), "%lld", (long long)r->expiration_s);
    const lw_str value = { text, (size_t)len }, none = { NULL, 0 };
    if (r->expiration_s < MIN_S)
        return refuse_invalid(r, none, "spec.expirationSeconds", value,
                              "may not specify a duration less than 10 minutes", false);
    if (r->expiration_s > MAX_S)
        return refuse_invalid(r, none, "spec.expirationSeconds", value,
                              "may not specify a duration larger than 2^32 seconds", false);
    return true;
}

/* Looks up an object that must exist, in the namespace of the account if its kind has any. */
static bool find_object(request *r, const lw_kind *kind, lw_str name, lw_object **out)
{
    const lw_api *api = r->write->port->api;
    lw_key key = { kind->is_namespaced ? r->write->key.ns : LW_STR(""), name };
    lw_status st = lw_lookup(lw_api_resource(api, kind), key, out);
    if (st < 0)
        (void)lw_write_fail(r->write, st);
    else if (!*out)
        lw_api_status_not_found(&r->write->status, lw_kind_gvr(kind), name);
    return st == LW_OK && *out;
}

static lw_token_object named(const lw_object *obj)
{
    return (lw_token_object){ lw_str_of(lw_object_name(obj)), lw_str_of(lw_object_uid(obj)) };
}

/* The node of a pod, with its UID if it is there. */
static bool find_node_of_pod(request *r)
{
    const lw_api *api = r->write->port->api;
    lw_key key = { LW_STR(""), lw_str_of(lw_object_string(r->pod, "/spec/nodeName", "")) };
    if (key.name.len == 0)
        return true;
    lw_status st = lw_lookup(lw_api_resource(api, &lw_kind_nodes), key, &r->node);
    if (st < 0) {
        (void)lw_write_fail(r->write, st);
        return false;
    }
    r->claims.node = r->node ? named(r->node) : (lw_token_object){ .name = key.name };
    return true;
}

static bool bind_pod(request *r, lw_str name)
{
    char text[TEXT_SIZE];
    if (!find_object(r, &lw_kind_pods, name, &r->pod))
        return false;
    lw_str account = lw_str_of(lw_object_string(r->pod, "/spec/serviceAccountName", "default"));
    if (!lw_str_equal(account, r->write->key.name)) {
        (void)snprintf(text, sizeof(text),
                       "cannot bind token for serviceaccount \"%.*s\" to pod running with "
                       "different serviceaccount name.",
                       LW_STR_ARG(r->write->key.name));
        return refuse_bad_request(r, text);
    }
    r->claims.pod = named(r->pod);
    return find_node_of_pod(r);
}

static bool bind_node(request *r, lw_str name)
{
    if (!find_object(r, &lw_kind_nodes, name, &r->node))
        return false;
    r->claims.node = named(r->node);
    return true;
}

static bool bind_secret(request *r, lw_str name)
{
    if (!find_object(r, &lw_kind_secrets, name, &r->secret))
        return false;
    r->claims.secret = named(r->secret);
    return true;
}

static bool check_uid(request *r, lw_str kind, lw_str name, const lw_object *obj)
{
    char text[TEXT_SIZE];
    lw_str uid = lw_fields_text(r->bound, "uid");
    const lw_gvr gvr = { .resource = kind };
    if (uid.len == 0 || lw_str_equal(uid, lw_str_of(lw_object_uid(obj))))
        return true;
    (void)snprintf(text, sizeof(text),
                   "the UID in the bound object reference (%.*s) does not match the UID in record. "
                   "The object might have been deleted and then recreated",
                   LW_STR_ARG(uid));
    lw_api_status_conflict(&r->write->status, gvr, name, lw_str_of(text));
    return false;
}

/* Finds the object that the token shall be bound to, if there is one. */
static bool bind(request *r)
{
    char text[TEXT_SIZE];
    lw_gvk gvk = { .kind = lw_fields_text(r->bound, "kind") };
    lw_str name = lw_fields_text(r->bound, "name");
    if (!lw_node_is(r->bound, LW_JSON_OBJECT))
        return true;
    (void)lw_api_version_parse(lw_fields_text(r->bound, "apiVersion"), &gvk.group, &gvk.version,
                               NULL);
    if (gvk.group.len == 0 && lw_str_equal(gvk.kind, LW_STR("Pod")))
        return bind_pod(r, name) && check_uid(r, gvk.kind, name, r->pod);
    if (gvk.group.len == 0 && lw_str_equal(gvk.kind, LW_STR("Node")))
        return bind_node(r, name) && check_uid(r, gvk.kind, name, r->node);
    if (gvk.group.len == 0 && lw_str_equal(gvk.kind, LW_STR("Secret")))
        return bind_secret(r, name) && check_uid(r, gvk.kind, name, r->secret);
    (void)snprintf(text, sizeof(text), "cannot bind token to object of type %.*s/%.*s, Kind=%.*s",
                   LW_STR_ARG(gvk.group), LW_STR_ARG(gvk.version), LW_STR_ARG(gvk.kind));
    return refuse_bad_request(r, text);
}

/* Returns true if the token is only for this server. */
static bool is_for_us(const request *r)
{
    const lw_audiences *ours = r->write->port->api->issuer.audiences;
    for (size_t i = 0; i < r->claims.audiences.count; i++) {
        bool is_ours = false;
        for (size_t k = 0; k < ours->count; k++)
            is_ours = is_ours || lw_str_equal(ours->at[k], r->claims.audiences.at[i]);
        if (!is_ours)
            return false;
    }
    return true;
}

/* Shortens what is longer than this server allows, with a warning, and sets the times. */
static void set_times(request *r, int64_t now_s)
{
    char text[TEXT_SIZE];
    int64_t max_s = r->write->port->api->issuer.max_expiration_s;
    if (max_s > 0 && r->expiration_s > max_s) {
        (void)snprintf(text, sizeof(text),
                       "requested expiration of %lld seconds shortened to %lld seconds",
                       (long long)r->expiration_s, (long long)max_s);
        lw_call_warn(lw_write_call_of(r->write)->call, lw_str_of(text));
        r->expiration_s = max_s;
    }
    int64_t lifetime_s = r->expiration_s;
    if (r->pod && r->expiration_s == POD_S && is_for_us(r)) {
        r->claims.warn_after_s = now_s + r->expiration_s;
        lifetime_s = max_s > 0 && max_s < EXTENDED_S ? max_s : EXTENDED_S;
    }
    r->claims.issued_s = now_s;
    r->claims.expires_s = now_s + lifetime_s;
}

/* Reads the request.  False: write->status has the reason. */
static bool read_request(request *r, const lw_node *body)
{
    r->spec = lw_node_get(body, LW_STR("spec"));
    r->bound = lw_node_get(r->spec, LW_STR("boundObjectRef"));
    return lw_namespace_admits(r->write->port, r->write->kind, r->write->key.ns, r->write->key.name,
                               &r->write->status) &&
           check_metadata(r, body) && check_node(r) && check_account(r) && read_audiences(r) &&
           read_expiration(r) && bind(r);
}

static void set_time(lw_tree *tree, lw_node *object, const char *key, int64_t at_s)
{
    char text[LW_TIME_TEXT_SIZE];
    if (lw_time_format(text, (lw_time){ .s = at_s }) == LW_OK)
        lw_fields_set_text(tree, object, key, lw_str_of(text));
}

/* Makes the reply to |body|.  The body itself stays as it is: a write may have to decide again. */
static void make_reply(const request *r, const lw_node *body, lw_tree *tree, lw_str token)
{
    const lw_node *sent = lw_node_get(body, LW_STR("metadata"));
    lw_node *metadata =
        lw_node_is(sent, LW_JSON_OBJECT) ? lw_tree_share(tree, sent) : lw_tree_object(tree);
    lw_node *root = lw_tree_object(tree);
    lw_node *spec = lw_tree_object(tree), *status = lw_tree_object(tree);
    lw_node *audiences = lw_tree_array(tree);
    lw_fields_set_text(tree, metadata, "name", r->write->key.name);
    lw_fields_set_text(tree, metadata, "namespace", r->write->key.ns);
    lw_fields_set_text(tree, metadata, "uid", r->claims.account.uid);
    set_time(tree, metadata, "creationTimestamp", r->claims.issued_s);
    for (size_t i = 0; i < r->claims.audiences.count; i++)
        lw_node_append(tree, audiences, lw_tree_string(tree, r->claims.audiences.at[i]));
    lw_node_put(tree, spec, LW_STR("audiences"), audiences);
    lw_fields_set_int(tree, spec, "expirationSeconds", r->expiration_s);
    lw_node_put(tree, spec, LW_STR("boundObjectRef"),
                r->bound ? lw_tree_share(tree, r->bound) : lw_tree_null(tree));
    lw_fields_set_text(tree, status, "token", token);
    set_time(tree, status, "expirationTimestamp", r->claims.issued_s + r->expiration_s);
    lw_fields_set_text(tree, root, "kind", LW_STR("TokenRequest"));
    lw_fields_set_text(tree, root, "apiVersion", LW_STR("authentication.k8s.io/v1"));
    lw_node_put(tree, root, LW_STR("metadata"), metadata);
    lw_node_put(tree, root, LW_STR("spec"), spec);
    lw_node_put(tree, root, LW_STR("status"), status);
    lw_tree_set_root(tree, root);
}

/* Signs the token and makes the reply. */
static lw_status issue(request *r, const lw_node *body, lw_tree *tree)
{
    char id[LW_UUID_SIZE];
    lw_buf token;
    lw_api_port *port = r->write->port;
    const lw_token_issuer *issuer = &port->api->issuer;
    lw_uuid_format(id, &port->random);
    r->claims.id = lw_str_of(id);
    set_times(r, lw_clock_wall(port->api->clock) / LW_NS_PER_S);
    lw_buf_init(&token, LW_ACCOUNT_TOKEN_MAX);
    lw_status st = issuer->issue(issuer->arg, &r->claims, &token);
    if (st == LW_OK)
        make_reply(r, body, tree, lw_buf_view(&token));
    lw_buf_done(&token);
    return st == LW_OK ? lw_tree_status(tree) : st;
}

static lw_write_decision token_decide(lw_write *write)
{
    lw_write_call *wc = lw_write_call_of(write);
    request r = { .write = write };
    lw_ask ask = { .operation = LW_OPERATION_CREATE,
                   .subresource = LW_SUB_TOKEN,
                   .object = lw_tree_root(wc->body),
                   .gvk = request_gvk(),
                   .body = &wc->body };
    lw_write_decision decision = LW_WRITE_REFUSE;
    lw_tree_free(wc->reply); /* of a decision before; webhooks may replace its body */
    wc->reply = NULL;
    if (!lw_ask_is_admitted(write, &ask, &decision))
        return decision;
    const lw_node *body = lw_tree_root(wc->body);
    if (read_request(&r, body)) {
        lw_status st = lw_tree_new(&wc->reply, 0);
        if (st == LW_OK)
            st = issue(&r, body, wc->reply);
        decision = st < 0 ? lw_write_fail(write, st) : LW_WRITE_KEEP;
    }
    request_done(&r);
    return decision;
}

static void token_done(lw_write *write)
{
    lw_buf json;
    lw_json_writer w;
    lw_write_call *wc = lw_write_call_of(write);
    lw_api_call *call = wc->call;
    if (write->outcome == LW_WRITE_REFUSE) {
        lw_write_call_answer(write);
        return;
    }
    lw_buf_init(&json, REPLY_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(wc->reply), &w);
    wc->call = NULL;
    if (json.st < 0) {
        lw_buf_done(&json);
        lw_call_reply_nomem(call);
    } else {
        lw_call_reply_json(call, CREATED, &json);
    }
    lw_write_call_free(wc);
}

void lw_rest_token_request(lw_api_call *call)
{
    lw_write_options options;
    lw_api_status status;
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!call->api->issuer.issue) {
        lw_api_status_generic(&status, 404, LW_STR(""));
        lw_write_call_refuse(wc, &status);
    } else if (!lw_write_options_read(&options, &call->query, "CreateOptions", &status) ||
               !lw_body_read(call, request_gvk(), &wc->body, &status) ||
               !lw_field_validation_check(call, request_gvk(), wc->body, &status)) {
        lw_write_call_refuse(wc, &status);
    } else {
        lw_write_call_start(wc, token_decide, token_done);
    }
}
