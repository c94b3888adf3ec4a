/* SPDX-License-Identifier: Apache-2.0 */
/* account_token.h -- tokens of service accounts: what they claim, and who issues them.
 *
 * The API decides which tokens to issue (api/review/token_request.c); the server signs and verifies
 * them (server/authn).  All strings are views. */
#ifndef LW_API_CONTEXT_ACCOUNT_TOKEN_H
#define LW_API_CONTEXT_ACCOUNT_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

#define LW_ACCOUNT_USER_PREFIX "system:serviceaccount:"

/* The type of Secrets that hold a token, and their annotations. */
#define LW_TOKEN_SECRET_TYPE "kubernetes.io/service-account-token"
#define LW_TOKEN_SECRET_NAME "kubernetes.io/service-account.name"
#define LW_TOKEN_SECRET_UID  "kubernetes.io/service-account.uid"

enum {
    LW_AUDIENCES_MAX = 32,
    LW_ACCOUNT_TOKEN_MAX = 8 * 1024, /* maximum length of an issued token in bytes */
};

/* The recipients that a token is intended for. */
typedef struct lw_audiences {
    lw_str at[LW_AUDIENCES_MAX];
    size_t count;
} lw_audiences;

/* An object that a token names; an empty name: none. */
typedef struct lw_token_object {
    lw_str name;
    lw_str uid; /* may be empty */
} lw_token_object;

typedef struct lw_account_claims {
    lw_str ns;
    lw_token_object account;
    lw_token_object pod, node, secret; /* objects that the token is bound to */
    lw_str id;                         /* of this token; empty: none */
    lw_audiences audiences;
    int64_t issued_s, expires_s, warn_after_s; /* Unix time; 0: none */
} lw_account_claims;

/* Signs tokens; the functions run on any thread and do not block. */
typedef struct lw_token_issuer {
    /* Appends a token with |claims|; NULL: this server issues no tokens.  LW_ERR_NOMEM,
     * LW_ERR_LIMIT, LW_ERR_INTERNAL. */
    lw_status (*issue)(void *arg, const lw_account_claims *claims, lw_buf *token);
    /* As issue, for the token of the Secret claims->secret: it does not expire. */
    lw_status (*issue_for_secret)(void *arg, const lw_account_claims *claims, lw_buf *token);
    const lw_audiences *audiences; /* of this server; of tokens that name none */
    int64_t max_expiration_s;      /* 0: no limit */
    lw_str root_ca;                /* PEM: verifies this server; may be empty */
    void *arg;
} lw_token_issuer;

#endif
