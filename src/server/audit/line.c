/* SPDX-License-Identifier: Apache-2.0 */
/* line.c -- writes the lines of audit events.  The order of the members is that of kube-apiserver.
 *
 * The members are literals, which are copied: the general JSON writer takes several times as long.
 */
#include "server/audit/line.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"
#include "server/audit/event.h"
#include "json/fields.h"
#include "json/text.h"

enum {
    FIRST_BYTES = 768, /* room for what most requests have in common */
    MORE_BYTES = 384,  /* room for what most lines have besides it */
};

/* Appends a literal: inlined, so that its length is a constant. */
static inline void add(lw_buf *out, lw_str literal)
{
    if (lw_buf_reserve(out, literal.len) < 0)
        return;
    memcpy(out->data + out->len, literal.ptr, literal.len);
    out->len += literal.len;
}

/* Appends |key|, a literal in quotes with its colon, as the next member of an object. */
static inline void add_key(lw_buf *out, lw_str key)
{
    if (out->len > 0 && out->data[out->len - 1] != '{')
        lw_buf_append_char(out, ',');
    add(out, key);
}

static inline void add_member(lw_buf *out, lw_str key, lw_str value)
{
    add_key(out, key);
    lw_json_append_quoted(out, value);
}

/* Appends a member unless its value is empty. */
static inline void add_text(lw_buf *out, lw_str key, lw_str value)
{
    if (value.len > 0)
        add_member(out, key, value);
}

/* Appends the next item of an array. */
static void add_item(lw_buf *out, lw_str value)
{
    if (out->len > 0 && out->data[out->len - 1] != '[')
        lw_buf_append_char(out, ',');
    lw_json_append_quoted(out, value);
}

static void add_items(lw_buf *out, const lw_str *texts, size_t count)
{
    lw_buf_append_char(out, '[');
    for (size_t i = 0; i < count; i++)
        add_item(out, texts[i]);
    lw_buf_append_char(out, ']');
}

static void add_extras(lw_buf *out, const lw_user *user)
{
    add_key(out, LW_STR("\"extra\":{"));
    for (size_t i = 0; i < user->extra_count; i++) {
        add_member(out, LW_STR(""), user->extras[i].key);
        lw_buf_append_char(out, ':');
        add_items(out, user->extras[i].values, user->extras[i].count);
    }
    lw_buf_append_char(out, '}');
}

/* Appends a member with its opening brace, |key|. */
static void add_user(lw_buf *out, lw_str key, const lw_user *user)
{
    add_key(out, key);
    if (user) {
        add_text(out, LW_STR("\"username\":"), user->name);
        add_text(out, LW_STR("\"uid\":"), user->uid);
        if (user->group_count > 0) {
            add_key(out, LW_STR("\"groups\":"));
            add_items(out, user->groups, user->group_count);
        }
        if (user->extra_count > 0)
            add_extras(out, user);
    }
    lw_buf_append_char(out, '}');
}

static void add_uri(lw_buf *out, const lw_audit_facts *facts)
{
    add_member(out, LW_STR("\"requestURI\":"), facts->path);
    if (facts->query.len == 0 || out->st < 0)
        return;
    lw_buf_truncate(out, out->len - 1);
    size_t mark = out->len; /* of the quote that becomes a question mark */
    lw_json_append_quoted(out, facts->query);
    if (out->st == LW_OK)
        out->data[mark] = '?';
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
static void add_source_ips(lw_buf *out, const lw_audit_facts *facts)
{
    lw_str rest = facts->forwarded_for, one, last = { NULL, 0 };
    add_key(out, LW_STR("\"sourceIPs\":["));
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        if (is_ip(one)) {
            add_item(out, one);
            last = one;
        }
    }
    one = lw_str_trim(facts->real_ip);
    if (is_ip(one) && !lw_str_equal(one, last)) {
        add_item(out, one);
        last = one;
    }
    if (facts->address.len > 0 && !lw_str_equal(facts->address, last))
        add_item(out, facts->address);
    lw_buf_append_char(out, ']');
}

static void add_user_agent(lw_buf *out, lw_str agent)
{
    char cut[LW_AUDIT_USER_AGENT_MAX + sizeof("...TRUNCATED")];
    if (agent.len > LW_AUDIT_USER_AGENT_MAX) {
        memcpy(cut, agent.ptr, LW_AUDIT_USER_AGENT_MAX);
        memcpy(cut + LW_AUDIT_USER_AGENT_MAX, "...TRUNCATED", sizeof("...TRUNCATED"));
        agent = lw_str_of(cut);
    }
    add_text(out, LW_STR("\"userAgent\":"), agent);
}

/* What the path does not say is taken from the body. */
static void add_object_ref(lw_buf *out, const lw_audit_facts *facts)
{
    static const lw_audit_object unknown = { .is_known = false };
    const lw_audit_object *m = facts->object.is_known ? &facts->object : &unknown;
    const lw_authz_attributes *a = &facts->attributes;
    if (!a->is_resource)
        return;
    add_key(out, LW_STR("\"objectRef\":{"));
    add_text(out, LW_STR("\"resource\":"), a->resource);
    add_text(out, LW_STR("\"namespace\":"), a->ns.len > 0 ? a->ns : m->ns);
    add_text(out, LW_STR("\"name\":"), a->name.len > 0 ? a->name : m->name);
    add_text(out, LW_STR("\"uid\":"), m->uid);
    add_text(out, LW_STR("\"apiGroup\":"), a->group);
    add_text(out, LW_STR("\"apiVersion\":"), a->version);
    add_text(out, LW_STR("\"resourceVersion\":"), m->resource_version);
    add_text(out, LW_STR("\"subresource\":"), a->subresource);
    lw_buf_append_char(out, '}');
}

static void add_reply(lw_buf *out, const lw_node *status)
{
    const lw_node *details = lw_node_get(status, LW_STR("details"));
    lw_json_writer w;
    add_text(out, LW_STR("\"status\":"), lw_fields_text(status, "status"));
    add_text(out, LW_STR("\"message\":"), lw_fields_text(status, "message"));
    add_text(out, LW_STR("\"reason\":"), lw_fields_text(status, "reason"));
    if (!details)
        return;
    add_key(out, LW_STR("\"details\":"));
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(details, &w);
    if (w.st < 0 && out->st == LW_OK)
        out->st = w.st;
}

static void add_status(lw_buf *out, const lw_audit_facts *facts)
{
    if (facts->code == 0)
        return;
    add_key(out, LW_STR("\"responseStatus\":{\"metadata\":{}"));
    if (facts->message)
        add_member(out, LW_STR("\"status\":\"Success\",\"message\":"), lw_str_of(facts->message));
    if (facts->status)
        add_reply(out, facts->status);
    add_key(out, LW_STR("\"code\":"));
    lw_buf_append_uint(out, (uint64_t)facts->code);
    lw_buf_append_char(out, '}');
}

static void add_times(lw_buf *out, const lw_audit_line *line, int64_t now_ns)
{
    char text[LW_TIME_TEXT_SIZE];
    lw_time now = lw_time_of_ns(now_ns);
    lw_str received = lw_str_of(line->received_text);
    memcpy(text, line->received_text, sizeof(text));
    if (received.len > 0) {
        add_key(out, LW_STR("\"requestReceivedTimestamp\":\""));
        lw_buf_append_str(out, received);
        lw_buf_append_char(out, '"');
    }
    if ((received.len > 0 ? lw_time_reformat_micro(text, line->received, now)
                          : lw_time_format_micro(text, now)) == LW_OK) {
        add_key(out, LW_STR("\"stageTimestamp\":\""));
        lw_buf_append_text(out, text);
        lw_buf_append_char(out, '"');
    }
}

static void add_annotations(lw_buf *out, const lw_audit_facts *facts)
{
    lw_str rest = facts->annotations, key, value;
    if (facts->verdict == LW_AUDIT_NOT_DECIDED && !facts->has_lost_body && rest.len == 0)
        return;
    add_key(out, LW_STR("\"annotations\":{"));
    if (facts->has_lost_body)
        add_key(out, LW_STR("\"audit.k8s.io/truncated\":\"true\""));
    if (facts->verdict != LW_AUDIT_NOT_DECIDED) {
        add_key(out, facts->verdict == LW_AUDIT_ALLOWED
                         ? LW_STR("\"authorization.k8s.io/decision\":\"allow\"")
                         : LW_STR("\"authorization.k8s.io/decision\":\"forbid\""));
        add_member(out, LW_STR("\"authorization.k8s.io/reason\":"), facts->reason);
    }
    while (lw_str_cut(rest, '\0', &key, &rest)) {
        (void)lw_str_cut(rest, '\0', &value, &rest);
        add_member(out, LW_STR(""), key);
        lw_buf_append_char(out, ':');
        lw_json_append_quoted(out, value);
    }
    lw_buf_append_char(out, '}');
}

void lw_audit_line_begin(lw_audit_facts *facts)
{
    lw_audit_line *line = &facts->line;
    lw_buf *out = &line->bytes;
    lw_buf_init(out, LW_AUDIT_EVENT_MAX);
    (void)lw_buf_reserve(out, FIRST_BYTES);
    lw_buf_append_str(out,
                      LW_STR(
                          "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\""));
    lw_buf_append_str(out, lw_audit_level_name(facts->decision.level));
    lw_buf_append_char(out, '"');
    add_member(out, LW_STR("\"auditID\":"), facts->audit_id);
    add_key(out, LW_STR("\"stage\":\""));
    line->stage_at = out->len;
    lw_buf_append_char(out, '"');
    add_uri(out, facts);
    add_member(out, LW_STR("\"verb\":"), facts->attributes.verb);
    add_user(out, LW_STR("\"user\":{"), facts->attributes.user);
    line->user_end = out->len;
    add_source_ips(out, facts);
    add_user_agent(out, facts->user_agent);
    line->agent_end = out->len;
    add_object_ref(out, facts);
    line->received = lw_time_of_ns(facts->received_ns);
    line->received_text[0] = '\0';
    (void)lw_time_format_micro(line->received_text, line->received); /* stays empty */
}

void lw_audit_line_done(lw_audit_line *line)
{
    lw_buf_done(&line->bytes);
}

/* Appends what events have in common after the stage, and what is known by now. */
static void add_request(lw_buf *out, const lw_audit_facts *facts)
{
    const lw_audit_line *line = &facts->line;
    const char *bytes = line->bytes.data;
    size_t end = facts->object.is_known ? line->agent_end : line->bytes.len;
    size_t first = facts->impersonated ? line->user_end : end;
    lw_buf_append(out, bytes + line->stage_at, first - line->stage_at);
    if (facts->impersonated) {
        add_user(out, LW_STR("\"impersonatedUser\":{"), facts->impersonated);
        lw_buf_append(out, bytes + first, end - first);
    }
    if (facts->object.is_known)
        add_object_ref(out, facts);
}

size_t lw_audit_line_append(lw_buf *out, const lw_audit_facts *facts, lw_audit_stage stage,
                            int64_t now_ns)
{
    const lw_audit_line *line = &facts->line;
    size_t start = out->len;
    if (line->bytes.st < 0) {
        out->st = line->bytes.st;
        return 0;
    }
    (void)lw_buf_reserve(out, line->bytes.len + MORE_BYTES);
    lw_buf_append(out, line->bytes.data, line->stage_at);
    lw_buf_append_str(out, lw_audit_stage_name(stage));
    add_request(out, facts);
    add_status(out, facts);
    size_t bodies_at = out->len - start;
    add_times(out, line, now_ns);
    add_annotations(out, facts);
    add(out, LW_STR("}\n"));
    return bodies_at;
}
