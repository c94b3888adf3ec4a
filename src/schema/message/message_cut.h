/* SPDX-License-Identifier: Apache-2.0 */
/* message_cut.h -- cuts a stream into pieces whose heads say how long they are.
 *
 * A piece that is complete in the current bytes is used where it is; only one that is split is
 * copied. */
#ifndef LW_SCHEMA_MESSAGE_MESSAGE_CUT_H
#define LW_SCHEMA_MESSAGE_MESSAGE_CUT_H

#include "base/buf.h"

/* Reads the head of a piece at the beginning of |bytes|: sets |*size| to the size of the piece
 * including its head, at most the limit of the cut; 0 if more bytes are needed to know it, of which
 * there are fewer than LW_MESSAGE_HEAD_MAX. */
typedef lw_status (*lw_message_head_fn)(lw_str bytes, size_t *size, void *arg, lw_error *err);

enum {
    LW_MESSAGE_HEAD_MAX = 20, /* bytes of a head */
};

typedef struct lw_message_cut {
    lw_buf pending; /* the beginning of a piece */
    size_t wanted;  /* its size; 0: not known yet */
    bool is_given;  /* the pending piece was returned, and is dropped next */
} lw_message_cut;

/* Initializes a cut for pieces of at most |limit| bytes. */
void lw_message_cut_init(lw_message_cut *cut, size_t limit);
void lw_message_cut_done(lw_message_cut *cut);

/* Takes the next piece off |*bytes|: |*piece| is valid until the next call.  LW_ERR_NOT_FOUND: it
 * is not complete yet; all bytes were taken.  Else the errors of |head|, or LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_message_cut_next(lw_message_cut *cut, lw_str *bytes,
                                            lw_message_head_fn head, void *arg, lw_str *piece,
                                            lw_error *err);

/* Returns true if the beginning of a piece was taken. */
bool lw_message_cut_is_inside(const lw_message_cut *cut);

#endif
