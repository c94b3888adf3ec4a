/* SPDX-License-Identifier: Apache-2.0 */
/* query.h -- the decoded query parameters of a request. */
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
    lw_buf text; /* the decoded text, into which the views point */
    lw_query_parameter parameters[LW_QUERY_PARAMETERS_MAX];
    size_t count;
} lw_query;

/* Decodes |raw| (the part after '?'): '+' is a space, %xx a byte; malformed pairs are ignored, as
 * in Go.  LW_ERR_LIMIT, LW_ERR_NOMEM.  Call lw_query_done in any case. */
lw_status lw_query_parse(lw_query *query, lw_str raw);
void lw_query_done(lw_query *query);

/* Finds the first value of |name|; false: there is none. */
bool lw_query_find(const lw_query *query, const char *name, lw_str *value);

/* Returns the first value of |name|, or "". */
lw_str lw_query_get(const lw_query *query, const char *name);

/* Parses a boolean as Kubernetes does: false if absent, "false" in any case or "0"; otherwise true,
 * also if empty. */
bool lw_query_bool(const lw_query *query, const char *name);

#endif
