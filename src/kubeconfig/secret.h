/* SPDX-License-Identifier: Apache-2.0 */
/* secret.h -- bytes that nobody finds in memory after we are done with them.
 *
 * lw_buf grows by realloc, which leaves copies behind; what is secret is appended with
 * lw_secret_append and given back with lw_secret_done. */
#ifndef LW_KUBECONFIG_SECRET_H
#define LW_KUBECONFIG_SECRET_H

#include "base/buf.h"

/* Makes room for |more| further bytes; memory that is left behind is wiped.  Returns buf->st. */
lw_status lw_secret_reserve(lw_buf *buf, size_t more);

void lw_secret_append(lw_buf *buf, lw_str bytes);

/* Replaces what is in |buf| by a copy of |bytes|.  LW_ERR_NOMEM, LW_ERR_LIMIT: it stays as it was.
 */
LW_MUST_CHECK lw_status lw_secret_set(lw_buf *buf, lw_str bytes);

/* Wipes and frees; the buffer may be used again. */
void lw_secret_done(lw_buf *buf);

/* Moves the bytes of |from| into |to|, whose own are wiped; |from| is empty then. */
void lw_secret_move(lw_buf *to, lw_buf *from);

#endif
