/* SPDX-License-Identifier: Apache-2.0 */
/* h2_pieces.h -- the body of a stream that is not yet framed: shared bytes, not copied, in order,
 * cut where frames end.  Both sides of HTTP/2 send by it. */
#ifndef LW_NET_H2_PIECES_H
#define LW_NET_H2_PIECES_H

#include "base/bytes.h"
#include "base/ring.h"

enum {
    LW_H2_PIECES_MAX = 1 << 20, /* pieces queued on a stream */
};

typedef struct lw_h2_pieces {
    lw_ring ring; /* of lw_bytes, none of them empty */
    size_t bytes; /* in all of them */
} lw_h2_pieces;

void lw_h2_pieces_init(lw_h2_pieces *pieces);

/* Releases all of them, and the memory; more may be pushed. */
void lw_h2_pieces_drop(lw_h2_pieces *pieces);

/* Puts |bytes| at the end; takes them, on error too.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_h2_pieces_push(lw_h2_pieces *pieces, lw_bytes bytes);

/* Sees to it that the first |len| bytes can be taken.  LW_ERR_NOMEM. */
lw_status lw_h2_pieces_prepare(lw_h2_pieces *pieces, size_t len);

/* Takes at most |max| (> 0) bytes off the front, a whole piece or a part of it: call it again for
 * the rest.  They were prepared, and there are some. */
lw_bytes lw_h2_pieces_take(lw_h2_pieces *pieces, size_t max);

#endif
