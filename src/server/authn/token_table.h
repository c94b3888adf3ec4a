/* SPDX-License-Identifier: Apache-2.0 */
/* token_table.h -- bearer tokens and their users, parsed from lines such as
 *
 *     token,user,uid
 *     token,user,uid,"group1,group2"
 *
 * This is the format of kube-apiserver's --token-auth-file: fields are separated by commas, a
 * quoted field may contain commas, and "" in it is a quote.  Blank lines are skipped. */
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
    lw_str groups; /* e.g. "group1,group2", or empty */
} lw_authn_token;

/* An immutable table; any thread may read it. */
typedef struct lw_token_table lw_token_table;

/* Parses |text|.  LW_ERR_INVALID: the message names the line and the error; LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
lw_status lw_token_table_parse(lw_token_table **out, lw_str text, lw_error *err);
void lw_token_table_free(lw_token_table *table);

/* Returns the entry of |token|; NULL: unknown.  The time it takes does not reveal how much of a
 * guessed token is right. */
const lw_authn_token *lw_token_table_find(const lw_token_table *table, lw_str token);

/* True if a user with this |name| has a token. */
bool lw_token_table_has_user(const lw_token_table *table, lw_str name);

size_t lw_token_table_count(const lw_token_table *table);

/* True if both contain the same bytes; takes the same time for all strings of equal length. */
bool lw_token_equal(lw_str a, lw_str b);

#endif
