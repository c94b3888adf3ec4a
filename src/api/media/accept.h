/* SPDX-License-Identifier: Apache-2.0 */
/* accept.h -- the clauses of an Accept header, best first (RFC 9110, section 12.5.1). */
#ifndef LW_API_MEDIA_ACCEPT_H
#define LW_API_MEDIA_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/str.h>

enum {
    LW_ACCEPT_CLAUSES_MAX = 32, /* further ones are ignored */
};

/* One media range that a client accepts; views into the header. */
typedef struct lw_accept_clause {
    lw_str type;       /* "application" or "*" */
    lw_str subtype;    /* "json" or "*" */
    lw_str parameters; /* "as=Table;v=v1;q=0.9", not yet split */
    int quality;       /* thousandths */
} lw_accept_clause;

/* Splits |header| and sorts the clauses: by quality, then exact types before wildcards, then in
 * their order in the header.  Clauses with a quality of 0 are dropped.  Returns their number. */
size_t lw_accept_parse(lw_str header, lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX]);

/* Removes the next parameter from |*rest|; names are as written, quotes around values are
 * removed. */
bool lw_accept_next_parameter(lw_str *rest, lw_str *name, lw_str *value);

/* Returns true if |header| (Accept-Encoding) accepts |coding| with a quality above 0. */
bool lw_accept_takes_coding(lw_str header, lw_str coding);

#endif
