/* SPDX-License-Identifier: Apache-2.0 */
/* audit.c -- follows a request from its headers to the end of its reply and writes its events.
 *
 *     begin ─▶ RequestReceived
 *     replied, whole ───────────────────▶ ResponseComplete
 *     replied, in pieces ─▶ closed ─────▶ ResponseComplete
 *     freed without a reply ────────────▶ ResponseComplete, "Connection closed early"
 *
 * Requests that stay open write ResponseStarted when the reply begins. */
#include "server/audit/audit.h"

#include <stdatomic.h>
#include <string.h>

#include "api/authz/forbidden.h"
#include "api/http/request_info.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

struct lw_audit {
    lw_audit_policy *policy;
    lw_audit_sink *sink;       /* NULL: no log */
    lw_audit_webhook *webhook; /* NULL: none */
    const lw_clock *clock;
    bool is_strict;
    atomic_uint_least64_t events, rejected, failed;
    atomic_uint_least64_t levels[LW_AUDIT_LEVELS];
};

/* An audited request; belongs to its stream. */
typedef struct audited {
    lw_http_observation base; /* first */
    lw_audit *audit;
    const lw_http_request *request;
    lw_audit_facts facts;
    lw_buf scratch; /* for facts.attributes */
    lw_buf reason;  /* for facts.reason */
    char id[LW_AUDIT_ID_SIZE];
    char address[64];  /* for facts.address */
    bool is_malformed; /* the path has a malformed escape: the request is refused */
    bool is_unauthenticated;
    bool is_long_running;
    bool is_streamed;
    bool is_complete; /* the last event was written */
    lw_audit_body response;
    lw_tree *status; /* facts.status is in it */
} audited;

static const lw_http_observer observer;

/* Returns the audited request of |stream|; NULL: it is not audited. */
static audited *audited_of(const lw_http_stream *stream)
{
    lw_http_observation *observation = stream->observation;
    return observation && observation->observer == &observer ? (audited *)(void *)observation
                                                             : NULL;
}

/* Copies the address of the client without its port and brackets. */
static void copy_address(audited *r, lw_str address)
{
    size_t end = address.len;
    while (end > 0 && address.ptr[end - 1] != ':')
        end--;
    lw_str host = lw_str_make(address.ptr, end > 0 ? end - 1 : 0);
    if (host.len > 1 && host.ptr[0] == '[')
        host = lw_str_make(host.ptr + 1, host.len - 2);
    if (host.len > sizeof(r->address))
        host.len = 0;
    if (host.len > 0)
        memcpy(r->address, host.ptr, host.len);
    r->facts.address = lw_str_make(r->address, host.len);
}

static lw_str header_of(const lw_http_request *request, const char *name)
{
    lw_str value;
    return lw_http_request_header(request, name, &value) ? value : lw_str_make(NULL, 0);
}

static bool is_long_running(const lw_authz_attributes *a)
{
    const lw_request_info info = { .subresource = a->subresource };
    return a->is_resource &&
           (lw_str_equal(a->verb, LW_STR("watch")) || lw_request_info_is_long_running(&info));
}

static bool is_forbidden(const audited *r)
{
    return r->facts.verdict == LW_AUDIT_FORBIDDEN || r->is_unauthenticated;
}

static bool shows_request(const audited *r)
{
    return r->facts.decision.level >= LW_AUDIT_REQUEST && r->request->body.len > 0 &&
           !is_forbidden(r);
}

static bool shows_response(const audited *r)
{
    return r->facts.decision.level >= LW_AUDIT_REQUEST_RESPONSE;
}

/* Adds the bodies to |event|. */
static void add_bodies(audited *r, lw_audit_event *event)
{
    const lw_http_request *request = r->request;
    if (shows_request(r) && request->body.len <= LW_AUDIT_BODY_MAX) {
        lw_audit_body_of_request(&event->request, request);
        lw_buf_append_str(&event->request.bytes, request->body);
    }
    if (lw_audit_body_is_shown(&r->response)) {
        event->response.format = r->response.format;
        event->response.is_gzip = r->response.is_gzip;
        event->response.is_document = true;
        lw_buf_append_str(&event->response.bytes, lw_buf_view(&r->response.bytes));
    }
}

/* Sends |event| to the log and the webhook.  Returns the result of the log; what the webhook drops
 * is counted there. */
static lw_status send_take(lw_audit *audit, lw_audit_event *event)
{
    if (audit->webhook)
        (void)lw_audit_webhook_send_take(audit->webhook, lw_audit_event_ref(event));
    if (audit->sink)
        return lw_audit_sink_send_take(audit->sink, event);
    lw_audit_event_free(event);
    return LW_OK;
}

/* Writes the event of |stage|, unless the policy omits it. */
static lw_status write_stage(audited *r, lw_audit_stage stage)
{
    lw_audit *audit = r->audit;
    lw_audit_event *event = NULL;
    if (r->facts.decision.omitted_stages & stage)
        return LW_OK;
    lw_status st = LW_OK;
    bool has_bodies =
        stage != LW_AUDIT_REQUEST_RECEIVED && r->facts.decision.level > LW_AUDIT_METADATA;
    r->facts.has_lost_body =
        has_bodies && ((shows_request(r) && r->request->body.len > LW_AUDIT_BODY_MAX) ||
                       r->response.bytes.st == LW_ERR_LIMIT);
    /* As in kube-apiserver, the first event is of the moment in which the request was received. */
    int64_t now_ns =
        stage == LW_AUDIT_REQUEST_RECEIVED ? r->facts.received_ns : lw_clock_wall(audit->clock);
    if (!has_bodies && audit->sink && !audit->webhook &&
        lw_audit_sink_send_line(audit->sink, &r->facts, stage, now_ns, &st)) {
        atomic_fetch_add(&audit->events, 1);
        return st;
    }
    st = lw_audit_event_new(&event, &r->facts, stage, now_ns);
    if (st < 0) {
        atomic_fetch_add(&audit->failed, 1);
        return st;
    }
    if (has_bodies)
        add_bodies(r, event);
    /* An event without a body that it should have is better than none, but counts as lost. */
    if (event->request.bytes.st == LW_ERR_NOMEM || event->response.bytes.st == LW_ERR_NOMEM ||
        (has_bodies && r->response.bytes.st == LW_ERR_NOMEM))
        atomic_fetch_add(&audit->failed, 1);
    atomic_fetch_add(&audit->events, 1);
    return send_take(audit, event);
}

/* Finds the name of a new object, and so on, in the body of the request. */
static void read_object(audited *r)
{
    const lw_authz_attributes *a = &r->facts.attributes;
    if (a->is_resource && !is_forbidden(r) &&
        (lw_str_equal(a->verb, LW_STR("create")) || lw_str_equal(a->verb, LW_STR("update"))))
        lw_audit_object_read(&r->facts.object, r->request, r->facts.code / 100 == 2);
}

/* Reads the Status that is replied: errors are, and replies to deletions may be. */
static void read_status(audited *r, lw_str body)
{
    lw_str verb = r->facts.attributes.verb;
    if (!r->response.is_document || r->response.is_gzip ||
        (r->facts.code < 400 && !lw_str_starts_with(verb, LW_STR("delete"))) ||
        lw_audit_body_parse(&r->response, body, &r->status) < 0)
        return;
    const lw_node *root = lw_tree_root(r->status);
    lw_str kind = lw_node_text(lw_node_get(root, LW_STR("kind")));
    if (lw_str_equal(kind, LW_STR("Status")))
        r->facts.status = root;
}

static void complete(audited *r)
{
    r->is_complete = true;
    (void)write_stage(r, LW_AUDIT_RESPONSE_COMPLETE); /* counted */
}

static void on_replied(lw_http_stream *stream, const lw_http_reply *reply, const lw_bytes *body)
{
    audited *r = audited_of(stream);
    if (r->is_complete || r->is_streamed)
        return;
    r->facts.code = reply->status;
    r->facts.annotations = stream->annotations;
    r->is_streamed = !body;
    read_object(r);
    lw_audit_body_of_reply(&r->response, reply);
    if (body) {
        read_status(r, lw_str_make(body->ptr, body->len));
        if (shows_response(r))
            lw_buf_append(&r->response.bytes, body->ptr, body->len);
    }
    if (r->is_long_running || r->is_unauthenticated)
        (void)write_stage(r, LW_AUDIT_RESPONSE_STARTED); /* counted */
    if (r->is_unauthenticated)
        r->is_complete = true;
    else if (body)
        complete(r);
    r->facts.annotations = lw_str_make(NULL, 0);
}

static void on_written(lw_http_stream *stream, const lw_bytes *pieces, size_t count)
{
    audited *r = audited_of(stream);
    if (r->is_complete || r->is_long_running || !shows_response(r))
        return;
    for (size_t i = 0; i < count; i++)
        lw_buf_append(&r->response.bytes, pieces[i].ptr, pieces[i].len);
}

static void on_closed(lw_http_stream *stream)
{
    audited *r = audited_of(stream);
    if (r->is_streamed && !r->is_complete)
        complete(r);
}

static void on_freed(lw_http_stream *stream)
{
    audited *r = audited_of(stream);
    if (!r->is_complete) {
        r->facts.code = 200;
        r->facts.message = "Connection closed early";
        if (r->is_long_running)
            (void)write_stage(r, LW_AUDIT_RESPONSE_STARTED); /* counted */
        complete(r);
    }
    lw_user_unref(r->facts.attributes.user);
    lw_user_unref(r->facts.impersonated);
    lw_audit_body_done(&r->response);
    lw_tree_free(r->status);
    lw_audit_object_done(&r->facts.object);
    lw_audit_line_done(&r->facts.line);
    lw_buf_done(&r->reason);
    lw_buf_done(&r->scratch);
    lw_free(r);
    stream->observation = NULL;
}

static const lw_http_observer observer = { on_replied, on_written, on_closed, on_freed };

/* Makes the audited request of |stream| if the policy wants it; |*out| is NULL if not. */
static lw_status follow(lw_audit *audit, lw_http_stream *stream, const lw_user *user,
                        lw_random *random, audited **out)
{
    lw_buf scratch;
    lw_authz_attributes attributes;
    lw_buf_init(&scratch, 3 * LW_HTTP_HEAD_MAX);
    *out = NULL;
    lw_status read = lw_authz_read_request(&attributes, &stream->request, user, &scratch);
    lw_audit_decision decision = lw_audit_policy_decide(audit->policy, &attributes);
    atomic_fetch_add(&audit->levels[decision.level], 1);
    audited *r = decision.level == LW_AUDIT_NONE ? NULL : lw_alloc_zero(1, sizeof(*r));
    if (!r) {
        lw_buf_done(&scratch);
        return decision.level == LW_AUDIT_NONE ? LW_OK : LW_ERR_NOMEM;
    }
    r->audit = audit;
    r->scratch = scratch;
    r->is_malformed = read < 0;
    r->is_long_running = is_long_running(&attributes);
    lw_audit_body_init(&r->response);
    r->request = &stream->request;
    r->facts.path = stream->request.path;
    r->facts.query = stream->request.query;
    copy_address(r, stream->request.peer->address);
    r->facts.forwarded_for = header_of(&stream->request, "x-forwarded-for");
    r->facts.real_ip = header_of(&stream->request, "x-real-ip");
    r->facts.user_agent = header_of(&stream->request, "user-agent");
    r->facts.decision = decision;
    r->facts.attributes = attributes;
    if (user)
        r->facts.attributes.user = lw_user_ref(user);
    r->facts.received_ns = lw_clock_wall(audit->clock);
    lw_buf_init(&r->reason, LW_AUTHZ_REASON_MAX);
    lw_audit_id_choose(r->id, stream, random);
    r->facts.audit_id = lw_str_of(r->id);
    lw_audit_line_begin(&r->facts);
    r->base = (lw_http_observation){ &observer, r->facts.audit_id };
    stream->observation = &r->base;
    *out = r;
    return LW_OK;
}

bool lw_audit_begin(lw_audit *audit, lw_http_stream *stream, const lw_user *user, lw_random *random)
{
    audited *r = NULL;
    lw_status st = follow(audit, stream, user, random, &r);
    if (st < 0)
        atomic_fetch_add(&audit->failed, 1);
    if (r)
        st = write_stage(r, LW_AUDIT_REQUEST_RECEIVED);
    if (st == LW_OK || !audit->is_strict)
        return true;
    atomic_fetch_add(&audit->rejected, 1);
    return false;
}

void lw_audit_begin_unauthenticated(lw_audit *audit, lw_http_stream *stream, lw_random *random)
{
    audited *r = NULL;
    if (follow(audit, stream, NULL, random, &r) < 0)
        atomic_fetch_add(&audit->failed, 1);
    if (r)
        r->is_unauthenticated = true;
}

void lw_audit_impersonate(lw_http_stream *stream, const lw_user *user)
{
    audited *r = audited_of(stream);
    if (r && user != r->facts.attributes.user)
        r->facts.impersonated = lw_user_ref(user);
}

void lw_audit_authorize(lw_http_stream *stream, lw_authz *authz, const lw_user *user)
{
    audited *r = audited_of(stream);
    if (!r || r->is_malformed)
        return;
    lw_authz_attributes attributes = r->facts.attributes;
    attributes.user = user;
    attributes.stream = stream;
    bool is_allowed = !authz || lw_authz_decide(authz, &attributes, &r->reason) == LW_AUTHZ_ALLOW;
    r->facts.reason = lw_buf_view(&r->reason);
    r->facts.verdict = is_allowed ? LW_AUDIT_ALLOWED : LW_AUDIT_FORBIDDEN;
}

lw_status lw_audit_new(lw_audit **out, const lw_audit_options *options, lw_error *err)
{
    lw_audit *audit = lw_alloc_zero(1, sizeof(*audit));
    if (!audit)
        return lw_error_nomem(err);
    audit->clock = options->sink.log.clock;
    audit->is_strict = options->sink.mode == LW_AUDIT_BLOCKING_STRICT;
    atomic_init(&audit->events, 0);
    atomic_init(&audit->rejected, 0);
    atomic_init(&audit->failed, 0);
    for (size_t i = 0; i < LW_AUDIT_LEVELS; i++)
        atomic_init(&audit->levels[i], 0);
    lw_status st = lw_audit_policy_read(&audit->policy, options->policy_file, err);
    if (st == LW_OK && options->sink.log.path)
        st = lw_audit_sink_new(&audit->sink, &options->sink, err);
    if (st == LW_OK && options->webhook.config_file)
        st = lw_audit_webhook_new(&audit->webhook, &options->webhook, err);
    if (st < 0)
        lw_audit_free(audit);
    else
        *out = audit;
    return st;
}

void lw_audit_free(lw_audit *audit)
{
    if (!audit)
        return;
    lw_audit_sink_free(audit->sink);
    lw_audit_webhook_free(audit->webhook);
    lw_audit_policy_free(audit->policy);
    lw_free(audit);
}

void lw_audit_read_stats(lw_audit *audit, lw_audit_stats *stats)
{
    stats->events = atomic_load(&audit->events);
    stats->rejected = atomic_load(&audit->rejected);
    for (size_t i = 0; i < LW_AUDIT_LEVELS; i++)
        stats->levels[i] = atomic_load(&audit->levels[i]);
    stats->sink = (lw_audit_sink_stats){ 0 };
    stats->webhook = (lw_audit_webhook_stats){ 0 };
    if (audit->sink)
        lw_audit_sink_read_stats(audit->sink, &stats->sink);
    if (audit->webhook)
        lw_audit_webhook_read_stats(audit->webhook, &stats->webhook);
    stats->sink.failed += atomic_load(&audit->failed);
}
