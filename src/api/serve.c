/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c -- a request becomes a call: what it asks for, in which form, and which verb answers. */
#include "api/api.h"

#include "api/authz/forbidden.h"
#include "api/crd/crds.h"
#include "api/http/call.h"
#include "api/http/duration.h"
#include "api/http/failures.h"
#include "api/http/reply.h"
#include "api/http/warnings.h"
#include "api/read/read.h"
#include "api/request_cost.h"
#include "api/review/review.h"
#include "api/write/verbs.h"
#include "base/alloc.h"
#include "base/str.h"
#include "object/quote.h"
#include "schema/kinds/kinds.h"

enum {
    PATH_TEXT_MAX = LW_HTTP_HEAD_MAX,
    MESSAGE_MAX = 256 * 1024,
};

static void reply_bad_request(lw_api_call *call, lw_str message)
{
    lw_api_status status;
    lw_api_status_bad_request(&status, message);
    lw_call_reply_status(call, &status);
}

static void reply_generic(lw_api_call *call, int code)
{
    lw_api_status status;
    lw_api_status_generic(&status, code, lw_str_make(NULL, 0));
    lw_call_reply_status(call, &status);
}

/* In what shapes a resource can be had. */
static unsigned allowed_shapes(const lw_route *route)
{
    if (route->verb == LW_VERB_WATCH)
        return LW_MEDIA_ALLOW_TABLE | LW_MEDIA_ALLOW_PARTIAL;
    if (route->verb & (LW_VERB_LIST | LW_VERB_DELETE_COLLECTION))
        return LW_MEDIA_ALLOW_YAML | LW_MEDIA_ALLOW_TABLE | LW_MEDIA_ALLOW_PARTIAL_LIST;
    bool is_asked = route->kind->storage.len == 0 && !(route->kind->verbs & LW_VERB_GET);
    if (is_asked || route->subresource & ~(unsigned)(LW_SUB_STATUS | LW_SUB_APPROVAL |
                                                     LW_SUB_EPHEMERALCONTAINERS | LW_SUB_RESIZE))
        return LW_MEDIA_ALLOW_YAML | LW_MEDIA_ALLOW_PARTIAL;
    return LW_MEDIA_ALLOW_YAML | LW_MEDIA_ALLOW_TABLE | LW_MEDIA_ALLOW_PARTIAL;
}

/* Returns true if the route of a built-in kind has none of the types that the client accepts; it
 * compares them as they are written, as go-restful does. */
static bool lacks_types(const lw_api_call *call)
{
    const lw_route *route = &call->route;
    bool is_custom = route->kind && (route->kind->flags & LW_KIND_CUSTOM);
    bool has_route = route->target != LW_ROUTE_DISCOVERY || route->version.len > 0 ||
                     lw_str_equal(route->root, LW_STR("api"));
    return has_route && !is_custom && !call->media.names_served;
}

/* In what forms the answer can be had, besides CBOR. */
static unsigned allowed_forms(const lw_route *route)
{
    bool is_custom = route->kind && (route->kind->flags & LW_KIND_CUSTOM);
    switch (route->target) {
    case LW_ROUTE_DISCOVERY:
        return LW_MEDIA_ALLOW_YAML | LW_MEDIA_ALLOW_PROTOBUF |
               (route->group.len + route->version.len == 0 ? LW_MEDIA_ALLOW_DISCOVERY : 0);
    case LW_ROUTE_RESOURCE:
        return allowed_shapes(route) | (is_custom ? 0 : LW_MEDIA_ALLOW_PROTOBUF);
    case LW_ROUTE_VERSION:
    case LW_ROUTE_OPENAPI: return LW_MEDIA_ALLOW_YAML;
    default: return LW_MEDIA_ALLOW_YAML | LW_MEDIA_ALLOW_PROTOBUF;
    }
}

/* In what forms the answer can be had. */
static unsigned allowed_media(const lw_api_call *call)
{
    const lw_route *route = &call->route;
    unsigned allowed = allowed_forms(route);
    if (!call->api->serves_cbor || route->target == LW_ROUTE_OPENAPI)
        return allowed;
    if (route->verb & (LW_VERB_LIST | LW_VERB_WATCH))
        allowed |= LW_MEDIA_NAMES_CBOR_SEQ;
    return allowed | LW_MEDIA_ALLOW_CBOR;
}

#define REPLIES  "application/json, application/yaml, application/vnd.kubernetes.protobuf"
#define STREAMS  "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"

#define CBOR     ", application/cbor"
#define CBOR_SEQ ", application/cbor-seq"
#define ONLY     "only the following media types are accepted: "
#define NO_TYPE  "406: Not Acceptable\n\nAvailable representations: "

/* 406 for a form that there is, but not here: protobuf of custom resources, tables in protobuf, or
 * of what is only asked. */
static void reply_wrong_form(lw_api_call *call)
{
    lw_api_status status;
    const lw_http_request *request = &call->stream->request;
    bool has_cbor = call->api->serves_cbor;
    if (!lw_media_choose(&call->media, request, &call->query,
                         LW_MEDIA_ALLOW_YAML | LW_MEDIA_ALLOW_PROTOBUF |
                             (has_cbor ? LW_MEDIA_ALLOW_CBOR : 0)))
        call->media.is_pretty = true;
    /* A type that not even a list can be had in is refused as one of a list. */
    bool is_stream =
        call->route.verb == LW_VERB_WATCH && (!has_cbor || call->media.format == LW_MEDIA_YAML);
    lw_api_status_not_acceptable(
        &status, is_stream ? (has_cbor ? LW_STR(ONLY STREAMS CBOR_SEQ) : LW_STR(ONLY STREAMS))
                           : (has_cbor ? LW_STR(ONLY REPLIES CBOR) : LW_STR(ONLY REPLIES)));
    lw_call_reply_status(call, &status);
}

/* Where kube-apiserver has a kind: "core", "apps", "networking". */
static lw_str package_of(const lw_kind *kind)
{
    lw_str head, tail;
    (void)lw_str_cut(kind->group, '.', &head, &tail);
    return kind->group.len > 0 ? head : LW_STR("core");
}

/* 406 by the route of a built-in kind: it has none of the types in Accept. */
static void reply_no_type(lw_api_call *call)
{
    lw_api_status status;
    bool is_list = call->route.verb & (LW_VERB_LIST | LW_VERB_WATCH);
    lw_str message = is_list ? LW_STR(NO_TYPE REPLIES ", " STREAMS) : LW_STR(NO_TYPE REPLIES);
    if (call->api->serves_cbor)
        message = is_list ? LW_STR(NO_TYPE REPLIES CBOR ", " STREAMS CBOR_SEQ)
                          : LW_STR(NO_TYPE REPLIES CBOR);
    lw_api_status_generic(&status, 406, message);
    lw_call_reply_status(call, &status);
}

/* 406; a client that asked for the metadata of one object and would get a list, or the other way
 * round, is told so. */
static void reply_not_acceptable(lw_api_call *call)
{
    bool is_partial = call->media.as == LW_MEDIA_PARTIAL || call->media.as == LW_MEDIA_PARTIAL_LIST;
    bool is_list = call->media.as == LW_MEDIA_PARTIAL;
    if (!is_partial || !call->route.kind) {
        reply_wrong_form(call);
        return;
    }
    lw_buf message;
    lw_api_status status;
    if (call->media.format == LW_MEDIA_CBOR)
        call->media = (lw_media){ .format = LW_MEDIA_JSON, .is_pretty = true };
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_printf(&message, "you requested %s, but the requested object is %s list (*%.*s.%.*s)",
                  is_list ? "PartialObjectMetadata" : "PartialObjectMetadataList",
                  is_list ? "a" : "not a", LW_STR_ARG(package_of(call->route.kind)),
                  LW_STR_ARG(is_list ? call->route.kind->list_kind : call->route.kind->kind));
    lw_api_status_not_acceptable(&status, lw_buf_view(&message));
    if (message.st < 0)
        status.st = message.st;
    lw_buf_done(&message);
    lw_call_reply_status(call, &status);
}

/* Requests that end by themselves may bring the time they can take along; here they are answered at
 * once, but nonsense is refused. */
static bool check_timeout(lw_api_call *call)
{
    lw_str text = lw_query_get(&call->query, "timeout");
    int64_t ns;
    lw_buf message;
    if (text.len == 0 || call->route.verb == LW_VERB_WATCH)
        return true;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_append_text(&message, "invalid timeout specified in the request URL - ");
    if (lw_duration_parse(text, &ns, &message)) {
        lw_buf_done(&message);
        return true;
    }
    lw_call_reply_bad_request(call, &message);
    return false;
}

static void dispatch_verb(lw_api_call *call)
{
    lw_warn_of_kind(call);
    if (call->route.kind == &lw_kind_componentstatuses) {
        lw_rest_component_statuses(call);
        return;
    }
    switch (call->route.verb) {
    case LW_VERB_GET:
        if (call->route.subresource == LW_SUB_SCALE)
            lw_rest_get_scale(call);
        else
            lw_rest_get(call);
        break;
    case LW_VERB_LIST: lw_rest_list(call); break;
    case LW_VERB_WATCH: lw_rest_watch(call); break;
    case LW_VERB_CREATE:
        if (call->route.subresource == LW_SUB_TOKEN)
            lw_rest_token_request(call);
        else if (call->route.subresource || call->route.kind == &lw_kind_bindings)
            lw_rest_pod_verb(call);
        else if (call->route.kind->storage.len == 0)
            lw_rest_review(call);
        else
            lw_rest_create(call);
        break;
    case LW_VERB_UPDATE: lw_rest_update(call); break;
    case LW_VERB_PATCH: lw_rest_patch(call); break;
    case LW_VERB_DELETE: lw_rest_delete(call); break;
    case LW_VERB_DELETE_COLLECTION: lw_rest_delete_collection(call); break;
    default: reply_generic(call, 405); break;
    }
}

/* Reads the pruned objects of a mirror, if its view prunes these. */
static void use_view(lw_api_call *call)
{
    const lw_api_upstream *upstream = &call->api->upstream;
    lw_cache_resource_unref(call->view);
    call->view = upstream->view_ref(upstream->arg, call->stream->request.view, call->cache);
    call->cache = call->view ? call->view : call->cache;
}

static void dispatch(lw_api_call *call)
{
    switch (call->route.target) {
    case LW_ROUTE_NO_RESOURCE: reply_generic(call, 404); return;
    case LW_ROUTE_NO_SUBRESOURCE: lw_call_reply_not_found(call); return;
    case LW_ROUTE_NO_METHOD: reply_generic(call, 405); return;
    case LW_ROUTE_FOREIGN: lw_call_reply_nowhere(call); return;
    case LW_ROUTE_NOWHERE: lw_rest_nowhere(call); return;
    case LW_ROUTE_RESOURCE:
    case LW_ROUTE_DISCOVERY:
    case LW_ROUTE_OPENAPI:
    case LW_ROUTE_VERSION: break;
    }
    if (!check_timeout(call))
        return;
    if (call->route.target == LW_ROUTE_RESOURCE) {
        call->cache = lw_api_resource(call->api, call->route.kind);
        if (call->stream->request.view.len > 0 && call->cache)
            use_view(call);
        dispatch_verb(call);
    } else if (call->route.target == LW_ROUTE_OPENAPI) {
        lw_rest_openapi(call);
    } else {
        lw_rest_discovery(call);
    }
}

static lw_api_call *call_new(lw_api *api, lw_http_stream *stream, const lw_user *user)
{
    lw_api_call *call = lw_alloc(sizeof(*call)); /* the parameters need no zeroes */
    if (!call)
        return NULL;
    call->api = api;
    call->port = lw_loop_data(stream->loop);
    call->stream = lw_http_stream_ref(stream);
    call->route = (lw_route){ .target = LW_ROUTE_NOWHERE };
    call->media = (lw_media){ .format = LW_MEDIA_JSON };
    call->cache = call->view = NULL;
    call->registry = NULL;
    call->user = user;
    call->query.count = 0;
    lw_buf_init(&call->query.text, 0);
    lw_budget_init(&call->budget, LW_CALL_STEPS_MAX);
    lw_buf_init(&call->warnings, LW_CALL_WARNING_BYTES);
    lw_buf_init(&call->annotations, LW_CALL_ANNOTATION_BYTES);
    call->warning_count = 0;
    lw_buf_init(&call->path_text, PATH_TEXT_MAX);
    lw_account_begin(&call->account, call->port, stream);
    return call;
}

/* There is not even memory for the call. */
static void reply_nomem(lw_http_stream *stream)
{
    static const lw_http_reply reply = { .status = 500 };
    lw_status st = lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR("")));
    if (st < 0 && st != LW_ERR_STOPPED)
        lw_http_abort(stream);
}

static bool is_nothing(const lw_route *route)
{
    return route->target == LW_ROUTE_NO_RESOURCE || route->target == LW_ROUTE_NOWHERE;
}

/* Finds what the path means, among what is served now. */
static lw_status find_route(lw_api_call *call, bool is_watch)
{
    const lw_http_request *request = &call->stream->request;
    lw_registry *registry = lw_catalog_look(&call->api->catalog, &call->port->kinds);
    lw_status st = lw_route_find(&call->route, registry, request->method, request->path, is_watch,
                                 &call->path_text);
    if (call->route.kind && call->route.kind->custom)
        call->registry = lw_registry_ref(registry);
    return st;
}

/* Fills in what the request asks for.  False: it has been answered. */
static bool understand(lw_api_call *call)
{
    const lw_http_request *request = &call->stream->request;
    lw_status st = lw_query_parse(&call->query, request->query);
    bool is_watch = lw_query_bool(&call->query, "watch");
    lw_status route_st = find_route(call, is_watch);
    bool shows_kinds = is_nothing(&call->route) || call->route.target == LW_ROUTE_DISCOVERY;
    if (shows_kinds && lw_crds_sync_again(call->port))
        route_st = find_route(call, is_watch);
    if (call->route.target == LW_ROUTE_FOREIGN && route_st == LW_OK)
        return true;
    bool is_acceptable = lw_media_choose(&call->media, request, &call->query, allowed_media(call));
    bool is_served =
        call->route.target == LW_ROUTE_RESOURCE || call->route.target == LW_ROUTE_DISCOVERY;
    if (st == LW_ERR_NOMEM || route_st == LW_ERR_NOMEM)
        lw_call_reply_nomem(call);
    else if (st < 0)
        reply_bad_request(call, LW_STR("the request has too many parameters"));
    else if (route_st < 0)
        reply_bad_request(call, LW_STR("the path has a malformed escape"));
    else if (is_served && lacks_types(call))
        reply_no_type(call);
    else if (!is_acceptable && is_served)
        reply_not_acceptable(call);
    else
        return true;
    return false;
}

static void serve_now(lw_api_call *call);

static void client_takes_data(lw_http_stream *stream, void *arg)
{
    stream->on_drained = NULL;
    stream->on_closed = NULL;
    stream->arg = NULL;
    serve_now(arg);
}

static void client_gone(lw_http_stream *stream, void *arg)
{
    (void)stream;
    lw_call_free(arg);
}

/* Returns true if the call waits until its client takes data: what it reads would have to be
 * held. */
static bool waits_for_client(lw_api_call *call)
{
    lw_http_stream *stream = call->stream;
    bool is_read = stream->request.method == LW_HTTP_GET && call->route.verb != LW_VERB_WATCH;
    if (!is_read || stream->is_closed || lw_http_wants_more(stream))
        return false;
    stream->on_drained = client_takes_data;
    stream->on_closed = client_gone;
    stream->arg = call;
    return true;
}

static void reply_too_many(lw_api_call *call, lw_str message)
{
    lw_api_status status;
    lw_api_status_too_many(&status, message, 1);
    lw_call_reply_status(call, &status);
}

/* Returns true, and replies with 429, if the replies that the user's clients have not taken use up
 * what the user may hold.  A watch makes nothing for itself; a lease must be renewed in any case.
 */
static bool holds_too_much(lw_api_call *call, bool is_heavy)
{
    const lw_kind *kind = call->route.kind;
    lw_held_bytes *held = call->api->held;
    if (call->route.verb == LW_VERB_WATCH || !call->user ||
        (kind && lw_str_equal(kind->plural, LW_STR("leases"))))
        return false;
    if (is_heavy ? lw_held_bytes_has_room(held, call->user->name)
                 : !lw_held_bytes_is_exhausted(held, call->user->name))
        return false;
    reply_too_many(call, LW_STR("too many replies wait for their clients to read them: read them "
                                "or close their connections, and try again later."));
    return true;
}

/* Passes a heavy call to a worker.  False: it must be served here. */
static bool offload(lw_api_call *call)
{
    const lw_offload *to = &call->api->offload;
    lw_status st = to->take(to->arg, call->stream, call->user);
    if (st == LW_OK)
        lw_call_free(call);
    else if (st == LW_ERR_TOO_MANY)
        reply_too_many(call, LW_STR("too many large requests are waiting, try again later."));
    return st == LW_OK || st == LW_ERR_TOO_MANY;
}

/* Serves the call now, later or elsewhere. */
static void serve_now(lw_api_call *call)
{
    bool is_here = call->port->is_worker || !call->api->offload.take;
    if (!call->port->is_worker && waits_for_client(call))
        return;
    bool is_heavy = call->port->is_worker || (!is_here && lw_request_is_heavy(call));
    if (holds_too_much(call, is_heavy))
        return;
    if (is_here || !is_heavy || !offload(call))
        dispatch(call);
}

bool lw_api_serve(lw_api *api, lw_http_stream *stream, const lw_user *user)
{
    lw_api_call *call = call_new(api, stream, user);
    if (!call) {
        reply_nomem(stream);
        return true;
    }
    if (!understand(call))
        return true;
    if (call->route.target == LW_ROUTE_FOREIGN) {
        lw_call_free(call);
        return false;
    }
    serve_now(call);
    return true;
}

/* A call for a refusal, in a form that the client accepts.  NULL: there is no memory, and the
 * stream has been answered. */
static lw_api_call *refusal_new(lw_api *api, lw_http_stream *stream)
{
    lw_api_call *call = call_new(api, stream, NULL);
    if (!call) {
        reply_nomem(stream);
        return NULL;
    }
    if (lw_query_parse(&call->query, stream->request.query) == LW_OK)
        (void)lw_media_choose(&call->media, &stream->request, &call->query,
                              LW_MEDIA_ALLOW_PROTOBUF |
                                  (api->serves_cbor ? LW_MEDIA_ALLOW_CBOR : 0));
    call->media.as = LW_MEDIA_AS_IS;
    return call;
}

void lw_api_refuse_with(lw_api *api, lw_http_stream *stream, lw_api_status *status)
{
    lw_api_call *call = refusal_new(api, stream);
    if (call)
        lw_call_reply_status(call, status);
    else
        lw_api_status_done(status);
}

/* A browser must not find a tag in it. */
static void append_escaped(lw_buf *out, lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '&': lw_buf_append_text(out, "&amp;"); break;
        case '<': lw_buf_append_text(out, "&lt;"); break;
        case '>': lw_buf_append_text(out, "&gt;"); break;
        default: lw_buf_append_char(out, text.ptr[i]); break;
        }
    }
}

/* Replies that nobody has allowed the request and a webhook could not be asked, as kube-apiserver
 * does. */
static void reply_webhook_error(lw_api_call *call, lw_str error)
{
    const lw_http_request *request = &call->stream->request;
    lw_buf uri, text;
    lw_buf_init(&uri, 8 * LW_HTTP_HEAD_MAX);
    lw_buf_init(&text, 8 * LW_HTTP_HEAD_MAX);
    lw_buf_append_str(&uri, request->path);
    if (request->query.len > 0)
        lw_buf_printf(&uri, "?%.*s", LW_STR_ARG(request->query));
    lw_buf_append_text(&text, "Internal Server Error: ");
    lw_quote_append(&text, lw_buf_view(&uri));
    lw_buf_printf(&text, ": %.*s\n", LW_STR_ARG(error));
    lw_buf_reset(&uri);
    append_escaped(&uri, lw_buf_view(&text));
    lw_call_reply_text(call, 500, "text/plain; charset=utf-8", lw_buf_view(&uri));
    lw_buf_done(&uri);
    lw_buf_done(&text);
}

/* Replies that |attributes|, which could be read if |st| is LW_OK, are not allowed. */
static void reply_forbidden(lw_api *api, lw_http_stream *stream, lw_status st,
                            const lw_authz_attributes *attributes)
{
    lw_api_status status;
    lw_buf reason, error;
    lw_api_call *call = refusal_new(api, stream);
    if (!call)
        return;
    lw_buf_init(&reason, LW_AUTHZ_REASON_MAX);
    lw_buf_init(&error, LW_AUTHZ_REASON_MAX);
    if (st == LW_ERR_INVALID) {
        lw_api_status_bad_request(&status, LW_STR("the path has a malformed escape"));
    } else if (st < 0) {
        lw_api_status_of_failure(&status, st);
    } else {
        (void)lw_authz_explain(api->authz, attributes, &reason, &error);
        if (error.len == 0)
            lw_authz_forbid(&status, attributes, lw_buf_view(&reason));
    }
    if (error.len > 0)
        reply_webhook_error(call, lw_buf_view(&error));
    else
        lw_call_reply_status(call, &status);
    lw_buf_done(&error);
    lw_buf_done(&reason);
}

bool lw_api_authorize(lw_api *api, lw_http_stream *stream, const lw_request_info *info,
                      const lw_user *user)
{
    lw_authz_attributes attributes;
    lw_buf scratch;
    lw_api_port *port = lw_loop_data(stream->loop);
    if (lw_authz_allows_everything(api->authz))
        return true;
    lw_buf_init(&scratch, 3 * LW_HTTP_HEAD_MAX);
    lw_status st = lw_authz_read_info(&attributes, info, &stream->request, user, &scratch);
    attributes.stream = stream;
    attributes.cache = &port->allowed;
    bool is_allowed = st == LW_OK && lw_authz_allows(api->authz, &attributes);
    if (!is_allowed)
        reply_forbidden(api, stream, st, &attributes);
    lw_buf_done(&scratch);
    return is_allowed;
}

bool lw_api_awaits_authorization(lw_api *api, lw_http_stream *stream, const lw_user *user)
{
    lw_authz_attributes attributes;
    lw_buf scratch;
    if (!lw_authz_has_hooks(api->authz))
        return false;
    lw_buf_init(&scratch, 3 * LW_HTTP_HEAD_MAX);
    lw_status st = lw_authz_read_request(&attributes, &stream->request, user, &scratch);
    attributes.stream = stream;
    bool is_pending =
        st == LW_OK && lw_authz_decide(api->authz, &attributes, NULL) == LW_AUTHZ_PENDING;
    lw_buf_done(&scratch);
    return is_pending;
}

void lw_api_serve_again(lw_http_stream *stream, void *arg)
{
    if (!lw_api_serve(arg, stream, stream->caller))
        lw_http_abort(stream); /* it was one of the API's before */
}

void lw_api_refuse(lw_api *api, lw_http_stream *stream, int code, lw_str message)
{
    lw_api_status status;
    lw_api_call *call = refusal_new(api, stream);
    if (!call)
        return;
    /* kubectl reports a refused discovery as "unknown", without the message; it shows warnings. */
    if (code == 403)
        lw_call_warn(call, message);
    switch (code) {
    case 400: lw_api_status_bad_request(&status, message); break;
    case 401:
        lw_api_status_unauthorized(&status, message.len > 0 ? message : LW_STR("Unauthorized"));
        break;
    case 413: lw_api_status_too_large(&status, message); break;
    case 429: lw_api_status_too_many(&status, message, 1); break;
    case 503: lw_api_status_unavailable(&status, message); break;
    default: lw_api_status_generic(&status, code, message); break;
    }
    lw_call_reply_status(call, &status);
}
