/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h -- a piece of bytes that somebody owns, handed from hand to hand instead of copied.
 *
 * Whoever takes an lw_bytes releases it once, when the bytes are no longer needed; until then they
 * do not change.  One object's JSON can so lie in a thousand send queues at once. */
#ifndef LW_BASE_BYTES_H
#define LW_BASE_BYTES_H

#include <stddef.h>

#include <listwatch/str.h>

typedef struct lw_bytes {
    const char *ptr;
    size_t len;
    void (*release)(void *owner); /* NULL: the bytes live for ever; any thread may call it */
    void *owner;
} lw_bytes;

/* Bytes that live for ever: literals and constants. */
static inline lw_bytes lw_bytes_static(lw_str s)
{
    lw_bytes bytes = { s.ptr, s.len, NULL, NULL };
    return bytes;
}

/* Gives the bytes back to their owner. */
static inline void lw_bytes_release(lw_bytes bytes)
{
    if (bytes.release)
        bytes.release(bytes.owner);
}

#endif
