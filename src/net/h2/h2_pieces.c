/* SPDX-License-Identifier: Apache-2.0 */
/* h2_pieces.c -- pieces of bodies, split without copying.
 *
 * A piece that does not end with its frame is wrapped once in a shared_piece; each frame's part of
 * it holds a reference, and the piece is released after the last part has been sent. */
#include "net/h2/h2_pieces.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/ref.h"

/* A piece that spans several frames. */
typedef struct shared_piece {
    lw_ref refs;
    lw_bytes bytes; /* the whole piece */
} shared_piece;

static void shared_piece_unref(void *owner)
{
    shared_piece *shared = owner;
    if (!lw_ref_dec(&shared->refs))
        return;
    lw_bytes_release(shared->bytes);
    lw_free(shared);
}

/* Makes |piece| shareable, so that it can be sent in parts; does nothing if it already is. */
static lw_status share(lw_bytes *piece)
{
    if (!piece->release || piece->release == shared_piece_unref)
        return LW_OK;
    shared_piece *shared = lw_alloc(sizeof(*shared));
    if (!shared)
        return LW_ERR_NOMEM;
    lw_ref_init(&shared->refs);
    shared->bytes = *piece;
    piece->release = shared_piece_unref;
    piece->owner = shared;
    return LW_OK;
}

void lw_h2_pieces_init(lw_h2_pieces *pieces)
{
    lw_ring_init(&pieces->ring, sizeof(lw_bytes), LW_H2_PIECES_MAX, 0);
    pieces->bytes = 0;
}

void lw_h2_pieces_drop(lw_h2_pieces *pieces)
{
    for (lw_bytes piece; lw_ring_pop(&pieces->ring, &piece);)
        lw_bytes_release(piece);
    lw_ring_done(&pieces->ring);
    lw_h2_pieces_init(pieces);
}

lw_status lw_h2_pieces_push(lw_h2_pieces *pieces, lw_bytes bytes)
{
    lw_status st = LW_OK;
    if (bytes.len > 0)
        st = lw_ring_push(&pieces->ring, &bytes, NULL);
    if (st < 0 || bytes.len == 0)
        lw_bytes_release(bytes);
    else
        pieces->bytes += bytes.len;
    return st;
}

lw_status lw_h2_pieces_prepare(lw_h2_pieces *pieces, size_t len)
{
    uint64_t seq = lw_ring_first_seq(&pieces->ring);
    for (; len > 0; seq++) {
        lw_bytes *piece = lw_ring_at(&pieces->ring, seq);
        if (piece->len > len)
            return share(piece);
        len -= piece->len;
    }
    return LW_OK;
}

lw_bytes lw_h2_pieces_take(lw_h2_pieces *pieces, size_t max)
{
    lw_bytes *front = lw_ring_at(&pieces->ring, lw_ring_first_seq(&pieces->ring));
    lw_bytes part = *front;
    if (front->len <= max) {
        (void)lw_ring_pop(&pieces->ring, NULL);
        pieces->bytes -= part.len;
        return part;
    }
    if (front->release) {
        assert(front->release == shared_piece_unref);
        lw_ref_inc(&((shared_piece *)front->owner)->refs);
    }
    part.len = max;
    front->ptr += max;
    front->len -= max;
    pieces->bytes -= max;
    return part;
}
