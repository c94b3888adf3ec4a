/* SPDX-License-Identifier: Apache-2.0 */
/* body.h -- the body of a request or reply as audit events show it: JSON, whatever was on the
 * wire. */
#ifndef LW_SERVER_AUDIT_BODY_H
#define LW_SERVER_AUDIT_BODY_H

#include "api/media/media.h"
#include "base/buf.h"
#include "json/tree.h"

enum {
    LW_AUDIT_BODY_MAX = 1024 * 1024, /* bytes of a body; a larger one is left out of the event */
};

/* Bytes as they were sent. */
typedef struct lw_audit_body {
    lw_buf bytes; /* failed with LW_ERR_LIMIT: too large */
    lw_media_format format;
    bool is_gzip;
    bool is_document; /* false: not a format that can be shown */
} lw_audit_body;

void lw_audit_body_init(lw_audit_body *body);
void lw_audit_body_done(lw_audit_body *body);

/* Set the format from the headers of a request or a reply. */
void lw_audit_body_of_request(lw_audit_body *body, const lw_http_request *request);
void lw_audit_body_of_reply(lw_audit_body *body, const lw_http_reply *reply);

/* Returns true if there is something to show. */
bool lw_audit_body_is_shown(const lw_audit_body *body);

/* Appends the body as one line of JSON.  LW_ERR_SYNTAX, LW_ERR_INVALID: it is not what it claims to
 * be; LW_ERR_LIMIT, LW_ERR_NOMEM.  Then nothing is appended. */
LW_MUST_CHECK lw_status lw_audit_body_write(const lw_audit_body *body, bool omits_managed_fields,
                                            lw_buf *out);

/* Parses |bytes| in the format of |body|.  The same errors. */
LW_MUST_CHECK lw_status lw_audit_body_parse(const lw_audit_body *body, lw_str bytes, lw_tree **out);

#endif
