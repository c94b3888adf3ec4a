/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h -- immutable bytes with an owner, passed on instead of copied.
 *
 * The receiver of an lw_bytes releases it once, when it does not need the bytes any more; until
 * then they do not change.  So the JSON of one object can be in a thousand send queues at the same
 * time. */
#ifndef LW_BASE_BYTES_H
#define LW_BASE_BYTES_H

#include <stddef.h>

#include <listwatch/str.h>

typedef struct lw_bytes {
    const char *ptr;
    size_t len;
    void (*release)(void *owner); /* NULL: the bytes are static; may be called by any thread */
    void *owner;
} lw_bytes;

/* Makes static bytes from literals and constants. */
static inline lw_bytes lw_bytes_static(lw_str s)
{
    lw_bytes bytes = { s.ptr, s.len, NULL, NULL };
    return bytes;
}

/* Releases the bytes. */
static inline void lw_bytes_release(lw_bytes bytes)
{
    if (bytes.release)
        bytes.release(bytes.owner);
}

#endif
