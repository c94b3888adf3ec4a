/* SPDX-License-Identifier: Apache-2.0 */
/* event.h -- an audit event (audit.k8s.io/v1): one line of JSON about a request at one stage.
 *
 * The event is written when the stage is reached, except for the bodies: converting them takes
 * time, so they are carried along as they were sent and inserted by whoever writes the line. */
#ifndef LW_SERVER_AUDIT_EVENT_H
#define LW_SERVER_AUDIT_EVENT_H

#include "api/authz/attributes.h"
#include "api/context/audit_id.h"
#include "base/dlist.h"
#include "base/ref.h"
#include "server/audit/body.h"
#include "server/audit/line.h"
#include "server/audit/object.h"
#include "server/audit/policy.h"
#include "json/tree.h"

enum {
    LW_AUDIT_USER_AGENT_MAX = 1024,        /* bytes; the rest is cut off */
    LW_AUDIT_EVENT_MAX = 16 * 1024 * 1024, /* bytes of a line */
};

typedef enum lw_audit_verdict {
    LW_AUDIT_NOT_DECIDED, /* the request did not come to authorization */
    LW_AUDIT_ALLOWED,
    LW_AUDIT_FORBIDDEN,
} lw_audit_verdict;

typedef struct lw_audit_event lw_audit_event;

/* What is known about a request; grows while the request is served. */
typedef struct lw_audit_facts {
    lw_audit_decision decision;
    lw_authz_attributes attributes; /* its user is the authenticated one; NULL: none */
    const lw_user *impersonated;    /* NULL: none */
    lw_str audit_id;
    lw_str path, query;
    lw_str address;                            /* of the client, without its port; may be empty */
    lw_str forwarded_for, real_ip, user_agent; /* headers; empty: none */
    int64_t received_ns;                       /* wall clock */

    lw_audit_verdict verdict;
    lw_str reason;      /* of the verdict */
    lw_str annotations; /* of the reply (net/http.h); while it is written */

    int code;               /* status code of the reply; 0: none yet */
    const char *message;    /* instead of the reply's, static; NULL: none */
    const lw_node *status;  /* the Status that was replied; NULL: something else */
    bool has_lost_body;     /* a body is too large to be shown */
    lw_audit_object object; /* of the body of the request */
    lw_audit_line line;     /* lw_audit_line_begin */
} lw_audit_facts;

struct lw_audit_event {
    lw_ref refs;
    lw_dlist_node link;         /* in the queue of the log */
    lw_dlist_node webhook_link; /* in the queue of the webhook */
    lw_buf json;                /* the line, without the bodies */
    size_t bodies_at;           /* offset in |json| */
    bool omits_managed_fields;
    lw_audit_body request, response; /* may be empty */
};

/* Makes the event of |stage| at |now_ns| (wall clock), without bodies; after
 * lw_audit_line_begin.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_audit_event_new(lw_audit_event **out, const lw_audit_facts *facts,
                                           lw_audit_stage stage, int64_t now_ns);

/* Take and release a reference, for the log and for the webhook: nothing changes an event any more
 * that was sent to one of them.  lw_audit_event_free(NULL) does nothing. */
lw_audit_event *lw_audit_event_ref(lw_audit_event *event);
void lw_audit_event_free(lw_audit_event *event);

/* Returns the memory that the event uses, in bytes. */
size_t lw_audit_event_bytes(const lw_audit_event *event);

/* Whether bodies are to be inserted into the line. */
bool lw_audit_event_has_bodies(const lw_audit_event *event);

/* Appends the line, with bodies as far as they are valid.  Returns out->st. */
lw_status lw_audit_event_write(const lw_audit_event *event, lw_buf *out);

/* Returns the line, with bodies as far as they are valid: a view of |event|, or of |scratch| if
 * there are bodies.  Check scratch->st. */
lw_str lw_audit_event_line(const lw_audit_event *event, lw_buf *scratch);

#endif
