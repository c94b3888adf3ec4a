/* SPDX-License-Identifier: Apache-2.0 */
/* query.h -- the parameters of a request, decoded once. */
#ifndef LW_API_MEDIA_QUERY_H
#define LW_API_MEDIA_QUERY_H

#include <stdint.h>

#include "base/buf.h"

enum {
    LW_QUERY_PARAMETERS_MAX = 64,
};

typedef struct lw_query_parameter {
    lw_str name;
    lw_str value;
} lw_query_parameter;

typedef struct lw_query {
    lw_buf text; /* what the views point into */
    lw_query_parameter parameters[LW_QUERY_PARAMETERS_MAX];
    size_t count;
} lw_query;

/* Decodes |raw| (after the '?'): '+' is a blank, %xx a byte, malformed pairs are left out as Go
 * does.  LW_ERR_LIMIT, LW_ERR_NOMEM.  Call lw_query_done in any case. */
lw_status lw_query_parse(lw_query *query, lw_str raw);
void lw_query_done(lw_query *query);

/* The first value of |name|; false: it is not there. */
bool lw_query_find(const lw_query *query, const char *name, lw_str *value);

/* The value or "". */
lw_str lw_query_get(const lw_query *query, const char *name);

/* Kubernetes' reading of a boolean: absent is false, "false" in any case and "0" are false, all
 * else, the empty string too, is true. */
bool lw_query_bool(const lw_query *query, const char *name);

#endif
