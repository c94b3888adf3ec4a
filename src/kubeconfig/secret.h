/* SPDX-License-Identifier: Apache-2.0 */
/* secret.h -- buffers and lists of strings for secrets, which are wiped after use.
 *
 * lw_buf grows with realloc, which leaves copies in freed memory.  Secrets are appended with
 * lw_secret_append and freed with lw_secret_done. */
#ifndef LW_KUBECONFIG_SECRET_H
#define LW_KUBECONFIG_SECRET_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

/* Reserves space for |more| bytes; old memory is wiped.  Returns buf->st. */
lw_status lw_secret_reserve(lw_buf *buf, size_t more);

void lw_secret_append(lw_buf *buf, lw_str bytes);

/* Replaces the content of |buf| with a copy of |bytes|.  LW_ERR_NOMEM, LW_ERR_LIMIT: it does not
 * change. */
LW_MUST_CHECK lw_status lw_secret_set(lw_buf *buf, lw_str bytes);

/* Wipes and frees the content; the buffer may be used again. */
void lw_secret_done(lw_buf *buf);

/* Moves the bytes of |from| into |to|, whose old content is wiped; |from| is empty afterwards. */
void lw_secret_move(lw_buf *to, lw_buf *from);

enum {
    LW_STRINGS_MAX = 10000, /* strings of one list */
};

/* A NULL-terminated list of strings, for execve and headers.  Starts zeroed. */
typedef struct lw_strings {
    char **items; /* |count| strings and a NULL; NULL if there is none */
    size_t count;
} lw_strings;

/* Frees the strings and wipes them, because headers and environments may contain secrets. */
void lw_strings_done(lw_strings *strings);

/* Adds |text| and takes it, also on error; NULL is LW_ERR_NOMEM.  LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_strings_add_take(lw_strings *strings, char *text);
LW_MUST_CHECK lw_status lw_strings_add(lw_strings *strings, lw_str text);

/* Returns the list; never NULL. */
const char *const *lw_strings_view(const lw_strings *strings);

#endif
