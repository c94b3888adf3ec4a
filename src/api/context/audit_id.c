/* SPDX-License-Identifier: Apache-2.0 */
/* audit_id.c -- chooses the identifier of a request. */
#include "api/context/audit_id.h"

#include <string.h>

#include "base/text/uuid.h"

_Static_assert(LW_UUID_SIZE <= (int)LW_AUDIT_ID_SIZE, "a new identifier is a UUID");

static bool is_usable(lw_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] <= ' ' || value.ptr[i] > '~')
            return false;
    }
    return value.len > 0 && value.len <= LW_AUDIT_ID_MAX;
}

void lw_audit_id_choose(char out[LW_AUDIT_ID_SIZE], const lw_http_stream *stream, lw_random *random)
{
    const lw_http_observation *observation = stream->observation;
    lw_str given = observation ? observation->audit_id : lw_str_make(NULL, 0);
    if (given.len == 0 &&
        (!lw_http_request_header(&stream->request, "audit-id", &given) || !is_usable(given))) {
        lw_uuid_format(out, random);
        return;
    }
    memcpy(out, given.ptr, given.len);
    out[given.len] = '\0';
}
