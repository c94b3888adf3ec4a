/* SPDX-License-Identifier: Apache-2.0 */
/* audit_id.h -- the identifier of a request, which its reply and its lines in logs have. */
#ifndef LW_API_CONTEXT_AUDIT_ID_H
#define LW_API_CONTEXT_AUDIT_ID_H

#include "base/random.h"
#include "net/http.h"

enum {
    LW_AUDIT_ID_MAX = 64,                   /* bytes; a longer one of the client is not used */
    LW_AUDIT_ID_SIZE = LW_AUDIT_ID_MAX + 1, /* with its NUL */
};

/* Writes the identifier that auditing has given the request (stream->observation); or the client's
 * own (header Audit-Id), so that the client finds its request in a log, if it is printable ASCII
 * without spaces; otherwise a new one. */
void lw_audit_id_choose(char out[LW_AUDIT_ID_SIZE], const lw_http_stream *stream,
                        lw_random *random);

#endif
