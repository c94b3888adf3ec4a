/* SPDX-License-Identifier: Apache-2.0 */
/* page_token.h -- the continue token of a list: the start key of the next page, and the revision.
 * Its encoding is {"v":"meta.k8s.io/v1","rv":104,"start":"p1\u0000"} in base64url. */
#ifndef LW_API_MEDIA_PAGE_TOKEN_H
#define LW_API_MEDIA_PAGE_TOKEN_H

#include "base/buf.h"

enum {
    LW_PAGE_TOKEN_MAX = 4096, /* bytes, encoded or not */
};

typedef struct lw_page_token {
    int64_t revision; /* -1: the current revision */
    lw_buf start;     /* the first key of the page, relative to the list: "p1\0" or "ns/p1\0" */
} lw_page_token;

/* Appends the token of the page that begins after the key |last|.  Errors are in out->st. */
void lw_page_token_write_after(lw_buf *out, int64_t revision, lw_str last);

/* Appends the token of the page that begins at |start|. */
void lw_page_token_write(lw_buf *out, int64_t revision, lw_str start);

/* Parses |text|.  LW_ERR_INVALID, with the message of Kubernetes ("continue key is not valid:
 * ..."); LW_ERR_NOMEM.  Call lw_page_token_done in any case. */
lw_status lw_page_token_read(lw_page_token *token, lw_str text, lw_error *err);
void lw_page_token_done(lw_page_token *token);

#endif
