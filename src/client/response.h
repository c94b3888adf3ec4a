/* SPDX-License-Identifier: Apache-2.0 */
/* response.h -- the struct of a raw response, which a session fills. */
#ifndef LW_CLIENT_RESPONSE_H
#define LW_CLIENT_RESPONSE_H

#include <listwatch/raw.h>

#include "base/buf.h"

enum {
    LW_RESPONSE_HEAD_MAX = 128 * 1024, /* bytes of all headers */
};

struct lw_response {
    int status;
    lw_buf head; /* names and values, each NUL-terminated */
    lw_buf body; /* with a NUL that is not counted */
};

/* Makes an empty response whose body has at most |max_body| bytes; NULL: out of memory. */
lw_response *lw_response__new(size_t max_body);

/* Empties it before the request is sent again. */
void lw_response__reset(lw_response *response);

#endif
