/* SPDX-License-Identifier: Apache-2.0 */
/* accept.h -- an Accept header as its clauses, the most wanted first (RFC 9110, section 12.5.1). */
#ifndef LW_API_MEDIA_ACCEPT_H
#define LW_API_MEDIA_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/str.h>

enum {
    LW_ACCEPT_CLAUSES_MAX = 32, /* further ones are not read */
};

/* One of the forms a client takes; views of the header. */
typedef struct lw_accept_clause {
    lw_str type;       /* "application" or "*" */
    lw_str subtype;    /* "json" or "*" */
    lw_str parameters; /* "as=Table;v=v1;q=0.9", still to be cut */
    int quality;       /* thousandths */
} lw_accept_clause;

/* Cuts |header| and orders the clauses by quality, and where that is the same, what is named before
 * what is a wildcard, then as they were written.  Clauses with a quality of 0 are left out. */
size_t lw_accept_parse(lw_str header, lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX]);

/* Takes the next parameter off |*rest|; names are as written, quotes around values are gone. */
bool lw_accept_next_parameter(lw_str *rest, lw_str *name, lw_str *value);

/* True when |header| (Accept-Encoding) takes |coding| with a quality above 0. */
bool lw_accept_takes_coding(lw_str header, lw_str coding);

#endif
