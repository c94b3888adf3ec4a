/* SPDX-License-Identifier: Apache-2.0 */
/* h2_pieces.h -- the body of a stream that is not yet framed: shared bytes, not copied, in order,
 * split at frame boundaries.  Used by server and client. */
#ifndef LW_NET_H2_H2_PIECES_H
#define LW_NET_H2_H2_PIECES_H

#include "base/buf.h"
#include "base/ring.h"

enum {
    LW_H2_PIECES_MAX = 1 << 20, /* maximum number of pieces queued on a stream */
};

typedef struct lw_h2_pieces {
    lw_ring ring; /* of lw_bytes, none of them empty */
    size_t bytes; /* total size */
} lw_h2_pieces;

void lw_h2_pieces_init(lw_h2_pieces *pieces);

/* Releases all pieces and the memory; more may be pushed. */
void lw_h2_pieces_drop(lw_h2_pieces *pieces);

/* Appends |bytes|; takes ownership, even on error.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_h2_pieces_push(lw_h2_pieces *pieces, lw_bytes bytes);

/* Prepares the first |len| bytes for lw_h2_pieces_take.  LW_ERR_NOMEM. */
lw_status lw_h2_pieces_prepare(lw_h2_pieces *pieces, size_t len);

/* Removes at most |max| (> 0) bytes from the front, a whole piece or a part of it: call it again
 * for the rest.  The bytes must exist and be prepared. */
lw_bytes lw_h2_pieces_take(lw_h2_pieces *pieces, size_t max);

#endif
