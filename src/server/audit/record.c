/* SPDX-License-Identifier: Apache-2.0 */
/* record.c -- facts to bytes and back. */
#include "server/audit/record.h"

#include <string.h>

enum {
    TEXTS = 20,
};

/* A record: this, then the texts. */
typedef struct record_head {
    const lw_user *user, *impersonated; /* may be NULL */
    const char *message;                /* static */
    int64_t received_ns, now_ns;
    lw_audit_level level;
    lw_audit_stage stage;
    lw_audit_verdict verdict;
    int code;
    bool is_resource, has_lost_body, is_object_known;
    uint32_t lens[TEXTS];
} record_head;

/* Lists the texts of |facts|, in the order of a record. */
static void list_texts(lw_audit_facts *facts, lw_str *texts[TEXTS])
{
    lw_authz_attributes *a = &facts->attributes;
    lw_audit_object *o = &facts->object;
    lw_str *const all[TEXTS] = {
        &facts->audit_id,   &facts->path, &facts->query, &facts->address, &facts->forwarded_for,
        &facts->real_ip,    &a->verb,     &a->group,     &a->version,     &a->resource,
        &a->subresource,    &a->ns,       &a->name,      &facts->reason,  &facts->annotations,
        &facts->user_agent, &o->ns,       &o->name,      &o->uid,         &o->resource_version,
    };
    memcpy(texts, all, sizeof(all));
}

static bool is_kept(const lw_user *user)
{
    return !user || lw_user_id(user) != 0;
}

bool lw_audit_record_fits(const lw_audit_facts *facts)
{
    return !facts->status && is_kept(facts->attributes.user) && is_kept(facts->impersonated);
}

lw_status lw_audit_record_append(lw_buf *out, const lw_audit_facts *facts, lw_audit_stage stage,
                                 int64_t now_ns)
{
    lw_audit_facts copy = *facts;
    lw_str *texts[TEXTS];
    record_head head = {
        .user = facts->attributes.user,
        .impersonated = facts->impersonated,
        .message = facts->message,
        .received_ns = facts->received_ns,
        .now_ns = now_ns,
        .level = facts->decision.level,
        .stage = stage,
        .verdict = facts->verdict,
        .code = facts->code,
        .is_resource = facts->attributes.is_resource,
        .has_lost_body = facts->has_lost_body,
        .is_object_known = facts->object.is_known,
    };
    size_t bytes = sizeof(head);
    list_texts(&copy, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        head.lens[i] = (uint32_t)texts[i]->len; /* parts of a request, which is smaller than 4 GB */
        bytes += texts[i]->len;
    }
    if (lw_buf_reserve(out, bytes) < 0)
        return out->st;
    lw_buf_append(out, &head, sizeof(head));
    for (size_t i = 0; i < TEXTS; i++)
        lw_buf_append_str(out, *texts[i]);
    if (head.user)
        (void)lw_user_ref(head.user);
    if (head.impersonated)
        (void)lw_user_ref(head.impersonated);
    return LW_OK;
}

lw_status lw_audit_record_write(lw_str *records, lw_buf *out)
{
    record_head head;
    lw_str *texts[TEXTS];
    memcpy(&head, records->ptr, sizeof(head));
    *records = lw_str_skip(*records, sizeof(head));
    lw_audit_facts facts = {
        .decision = { .level = head.level },
        .attributes = { .user = head.user, .is_resource = head.is_resource },
        .impersonated = head.impersonated,
        .received_ns = head.received_ns,
        .verdict = head.verdict,
        .code = head.code,
        .message = head.message,
        .has_lost_body = head.has_lost_body,
        .object = { .is_known = head.is_object_known },
    };
    list_texts(&facts, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        *texts[i] = lw_str_make(records->ptr, head.lens[i]);
        *records = lw_str_skip(*records, head.lens[i]);
    }
    (void)lw_audit_event_append_line(out, &facts, head.stage, head.now_ns);
    lw_user_unref(head.user);
    lw_user_unref(head.impersonated);
    return out->st;
}
