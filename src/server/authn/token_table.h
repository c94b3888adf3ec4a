/* SPDX-License-Identifier: Apache-2.0 */
/* token_table.h -- bearer tokens and whose they are, read from lines
 *
 *     token,user,uid
 *     token,user,uid,"group1,group2"
 *
 * as kube-apiserver's --token-auth-file has them: comma-separated, a field in quotes may hold
 * commas, "" in it is a quote.  Blank lines are skipped. */
#ifndef LW_SERVER_AUTHN_TOKEN_TABLE_H
#define LW_SERVER_AUTHN_TOKEN_TABLE_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_TOKEN_FILE_MAX = 4 << 20, /* bytes */
    LW_TOKENS_MAX = 65536,
};

typedef struct lw_authn_token {
    lw_str token;
    lw_str user;
    lw_str uid;
    lw_str groups; /* "group1,group2", or empty */
} lw_authn_token;

/* Never changes: any thread may look. */
typedef struct lw_token_table lw_token_table;

/* LW_ERR_INVALID names the line and what is wrong with it; LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_token_table_parse(lw_token_table **out, lw_str text, lw_error *err);
void lw_token_table_free(lw_token_table *table);

/* The entry of |token|; NULL: nobody's.  How long it takes does not tell how much of a guess was
 * right. */
const lw_authn_token *lw_token_table_find(const lw_token_table *table, lw_str token);

/* True when a user of this |name| has a token. */
bool lw_token_table_has_user(const lw_token_table *table, lw_str name);

size_t lw_token_table_count(const lw_token_table *table);

/* True when both hold the same bytes; takes equally long for all of equal length. */
bool lw_token_equal(lw_str a, lw_str b);

#endif
