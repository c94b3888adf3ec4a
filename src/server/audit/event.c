/* SPDX-License-Identifier: Apache-2.0 */
/* event.c -- writes audit events.  The order of the members is that of kube-apiserver. */
#include "server/audit/event.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "json/fields.h"

enum {
    FIRST_BYTES = 1024, /* room for most events */
};

static void write_text(lw_json_writer *w, const char *key, lw_str value)
{
    if (value.len > 0)
        lw_json_write_member_string(w, key, value);
}

static void write_texts(lw_json_writer *w, lw_str key, const lw_str *texts, size_t count)
{
    lw_json_write_key(w, key);
    lw_json_write_array_begin(w);
    for (size_t i = 0; i < count; i++)
        lw_json_write_string(w, texts[i]);
    lw_json_write_array_end(w);
}

static void write_user(lw_json_writer *w, const char *key, const lw_user *user)
{
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_object_begin(w);
    if (user) {
        write_text(w, "username", user->name);
        write_text(w, "uid", user->uid);
        if (user->group_count > 0)
            write_texts(w, LW_STR("groups"), user->groups, user->group_count);
        if (user->extra_count > 0) {
            lw_json_write_key(w, LW_STR("extra"));
            lw_json_write_object_begin(w);
            for (size_t i = 0; i < user->extra_count; i++)
                write_texts(w, user->extras[i].key, user->extras[i].values, user->extras[i].count);
            lw_json_write_object_end(w);
        }
    }
    lw_json_write_object_end(w);
}

static bool is_ip(lw_str text)
{
    char address[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    if (text.len == 0 || text.len >= sizeof(address))
        return false;
    memcpy(address, text.ptr, text.len);
    address[text.len] = '\0';
    return inet_pton(AF_INET, address, bytes) == 1 || inet_pton(AF_INET6, address, bytes) == 1;
}

/* The addresses that proxies have added, then the client's, without repeating the last one. */
static void write_source_ips(lw_json_writer *w, const lw_audit_facts *facts)
{
    lw_str rest = facts->forwarded_for, one, last = { NULL, 0 };
    lw_json_write_key(w, LW_STR("sourceIPs"));
    lw_json_write_array_begin(w);
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        if (is_ip(one)) {
            lw_json_write_string(w, one);
            last = one;
        }
    }
    one = lw_str_trim(facts->real_ip);
    if (is_ip(one) && !lw_str_equal(one, last)) {
        lw_json_write_string(w, one);
        last = one;
    }
    if (facts->address.len > 0 && !lw_str_equal(facts->address, last))
        lw_json_write_string(w, facts->address);
    lw_json_write_array_end(w);
}

static void write_user_agent(lw_json_writer *w, lw_str agent)
{
    char cut[LW_AUDIT_USER_AGENT_MAX + sizeof("...TRUNCATED")];
    if (agent.len > LW_AUDIT_USER_AGENT_MAX) {
        memcpy(cut, agent.ptr, LW_AUDIT_USER_AGENT_MAX);
        memcpy(cut + LW_AUDIT_USER_AGENT_MAX, "...TRUNCATED", sizeof("...TRUNCATED"));
        agent = lw_str_of(cut);
    }
    write_text(w, "userAgent", agent);
}

/* What the path does not say is taken from the body. */
static void write_object_ref(lw_json_writer *w, const lw_audit_facts *facts)
{
    static const lw_audit_object unknown = { .is_known = false };
    const lw_audit_object *m = facts->object.is_known ? &facts->object : &unknown;
    const lw_authz_attributes *a = &facts->attributes;
    if (!a->is_resource)
        return;
    lw_json_write_key(w, LW_STR("objectRef"));
    lw_json_write_object_begin(w);
    write_text(w, "resource", a->resource);
    write_text(w, "namespace", a->ns.len > 0 ? a->ns : m->ns);
    write_text(w, "name", a->name.len > 0 ? a->name : m->name);
    write_text(w, "uid", m->uid);
    write_text(w, "apiGroup", a->group);
    write_text(w, "apiVersion", a->version);
    write_text(w, "resourceVersion", m->resource_version);
    write_text(w, "subresource", a->subresource);
    lw_json_write_object_end(w);
}

static void write_status(lw_json_writer *w, const lw_audit_facts *facts)
{
    const lw_node *details = lw_node_get(facts->status, LW_STR("details"));
    if (facts->code == 0)
        return;
    lw_json_write_key(w, LW_STR("responseStatus"));
    lw_json_write_object_begin(w);
    lw_json_write_raw_members(w, LW_STR("\"metadata\":{}"));
    if (facts->message) {
        lw_json_write_member_string(w, "status", LW_STR("Success"));
        lw_json_write_member_string(w, "message", lw_str_of(facts->message));
    }
    if (facts->status) {
        write_text(w, "status", lw_fields_text(facts->status, "status"));
        write_text(w, "message", lw_fields_text(facts->status, "message"));
        write_text(w, "reason", lw_fields_text(facts->status, "reason"));
    }
    if (details) {
        lw_json_write_key(w, LW_STR("details"));
        lw_node_write(details, w);
    }
    lw_json_write_member_int(w, "code", facts->code);
    lw_json_write_object_end(w);
}

static void write_time(lw_json_writer *w, const char *key, int64_t wall_ns)
{
    char text[LW_TIME_TEXT_SIZE];
    if (lw_time_format_micro(text, lw_time_of_ns(wall_ns)) == LW_OK)
        lw_json_write_member_string(w, key, lw_str_make(text, sizeof(text) - 1));
}

static void write_annotations(lw_json_writer *w, const lw_audit_facts *facts)
{
    bool is_allowed = facts->verdict == LW_AUDIT_ALLOWED;
    lw_str rest = facts->annotations, key, value;
    if (facts->verdict == LW_AUDIT_NOT_DECIDED && !facts->has_lost_body && rest.len == 0)
        return;
    lw_json_write_key(w, LW_STR("annotations"));
    lw_json_write_object_begin(w);
    if (facts->has_lost_body)
        lw_json_write_member_string(w, "audit.k8s.io/truncated", LW_STR("true"));
    if (facts->verdict != LW_AUDIT_NOT_DECIDED) {
        lw_json_write_member_string(w, "authorization.k8s.io/decision",
                                    is_allowed ? LW_STR("allow") : LW_STR("forbid"));
        lw_json_write_member_string(w, "authorization.k8s.io/reason", facts->reason);
    }
    while (lw_str_cut(rest, '\0', &key, &rest)) {
        (void)lw_str_cut(rest, '\0', &value, &rest);
        lw_json_write_key(w, key);
        lw_json_write_string(w, value);
    }
    lw_json_write_object_end(w);
}

static void write_uri(lw_json_writer *w, const lw_audit_facts *facts)
{
    lw_buf uri;
    if (facts->query.len == 0) {
        lw_json_write_member_string(w, "requestURI", facts->path);
        return;
    }
    lw_buf_init(&uri, LW_HTTP_HEAD_MAX + 1);
    lw_buf_append_str(&uri, facts->path);
    lw_buf_append_char(&uri, '?');
    lw_buf_append_str(&uri, facts->query);
    if (uri.st < 0)
        w->out->st = uri.st;
    lw_json_write_member_string(w, "requestURI", lw_buf_view(&uri));
    lw_buf_done(&uri);
}

size_t lw_audit_event_append_line(lw_buf *out, const lw_audit_facts *facts, lw_audit_stage stage,
                                  int64_t now_ns)
{
    lw_json_writer w;
    size_t start = out->len;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_raw_members(&w, LW_STR("\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\""));
    lw_json_write_member_string(&w, "level", lw_audit_level_name(facts->decision.level));
    lw_json_write_member_string(&w, "auditID", facts->audit_id);
    lw_json_write_member_string(&w, "stage", lw_audit_stage_name(stage));
    write_uri(&w, facts);
    lw_json_write_member_string(&w, "verb", facts->attributes.verb);
    write_user(&w, "user", facts->attributes.user);
    if (facts->impersonated)
        write_user(&w, "impersonatedUser", facts->impersonated);
    write_source_ips(&w, facts);
    write_user_agent(&w, facts->user_agent);
    write_object_ref(&w, facts);
    write_status(&w, facts);
    size_t bodies_at = out->len - start;
    write_time(&w, "requestReceivedTimestamp", facts->received_ns);
    write_time(&w, "stageTimestamp", now_ns);
    write_annotations(&w, facts);
    lw_json_write_object_end(&w);
    lw_buf_append_char(out, '\n');
    if (w.st < 0 && out->st == LW_OK)
        out->st = w.st;
    return bodies_at;
}

lw_status lw_audit_event_new(lw_audit_event **out, const lw_audit_facts *facts,
                             lw_audit_stage stage, int64_t now_ns)
{
    lw_audit_event *event = lw_alloc_zero(1, sizeof(*event));
    if (!event)
        return LW_ERR_NOMEM;
    lw_ref_init(&event->refs);
    lw_buf_init(&event->json, LW_AUDIT_EVENT_MAX);
    lw_audit_body_init(&event->request);
    lw_audit_body_init(&event->response);
    event->omits_managed_fields = facts->decision.omits_managed_fields;
    (void)lw_buf_reserve(&event->json, FIRST_BYTES);
    event->bodies_at = lw_audit_event_append_line(&event->json, facts, stage, now_ns);
    lw_status st = event->json.st;
    if (st < 0)
        lw_audit_event_free(event);
    else
        *out = event;
    return st;
}

lw_audit_event *lw_audit_event_ref(lw_audit_event *event)
{
    lw_ref_inc(&event->refs);
    return event;
}

void lw_audit_event_free(lw_audit_event *event)
{
    if (!event || !lw_ref_dec(&event->refs))
        return;
    lw_buf_done(&event->json);
    lw_audit_body_done(&event->request);
    lw_audit_body_done(&event->response);
    lw_free(event);
}

size_t lw_audit_event_bytes(const lw_audit_event *event)
{
    return sizeof(*event) + event->json.cap + event->request.bytes.cap + event->response.bytes.cap;
}

static void append_body(const lw_audit_event *event, const char *key, const lw_audit_body *body,
                        lw_buf *out)
{
    size_t before = out->len;
    if (!lw_audit_body_is_shown(body))
        return;
    lw_buf_append_text(out, key);
    if (lw_audit_body_write(body, event->omits_managed_fields, out) < 0)
        lw_buf_truncate(out, before);
}

lw_status lw_audit_event_write(const lw_audit_event *event, lw_buf *out)
{
    lw_str json = lw_buf_view(&event->json);
    lw_buf_append(out, json.ptr, event->bodies_at);
    append_body(event, ",\"requestObject\":", &event->request, out);
    append_body(event, ",\"responseObject\":", &event->response, out);
    lw_buf_append_str(out, lw_str_skip(json, event->bodies_at));
    return out->st;
}

bool lw_audit_event_has_bodies(const lw_audit_event *event)
{
    return lw_audit_body_is_shown(&event->request) || lw_audit_body_is_shown(&event->response);
}

lw_str lw_audit_event_line(const lw_audit_event *event, lw_buf *scratch)
{
    if (!lw_audit_event_has_bodies(event))
        return lw_buf_view(&event->json);
    (void)lw_audit_event_write(event, scratch); /* the caller checks it */
    return lw_buf_view(scratch);
}
