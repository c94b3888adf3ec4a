/* SPDX-License-Identifier: Apache-2.0 */
/* event.c -- audit events that wait with their bodies. */
#include "server/audit/event.h"

#include "base/alloc.h"
#include "base/str.h"

enum {
    FIRST_BYTES = 1024, /* room for most events */
};

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
    event->bodies_at = lw_audit_line_append(&event->json, facts, stage, now_ns);
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
