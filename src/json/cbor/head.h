/* SPDX-License-Identifier: Apache-2.0 */
/* head.h -- the head of a data item: its major type and its argument (RFC 8949, section 3). */
#ifndef LW_JSON_CBOR_HEAD_H
#define LW_JSON_CBOR_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

typedef enum lw_cbor_major {
    LW_CBOR_UINT,
    LW_CBOR_NEGATIVE,
    LW_CBOR_BYTES,
    LW_CBOR_TEXT,
    LW_CBOR_ARRAY,
    LW_CBOR_MAP,
    LW_CBOR_TAG,
    LW_CBOR_SIMPLE,
} lw_cbor_major;

enum {
    LW_CBOR_INFO_1 = 24, /* the argument is in the next byte */
    LW_CBOR_INFO_2 = 25,
    LW_CBOR_INFO_4 = 26,
    LW_CBOR_INFO_8 = 27,
    LW_CBOR_INFO_INDEFINITE = 31,
    LW_CBOR_FALSE = 20,
    LW_CBOR_TRUE = 21,
    LW_CBOR_NULL = 22,
    LW_CBOR_BREAK_BYTE = 0xff,
};

typedef struct lw_cbor_head {
    lw_cbor_major major;
    unsigned info;
    uint64_t value; /* the argument */
} lw_cbor_head;

static inline bool lw_cbor_is_indefinite(const lw_cbor_head *head)
{
    return head->info == LW_CBOR_INFO_INDEFINITE;
}

/* "positive integer", as in the messages of Kubernetes' decoder. */
const char *lw_cbor_major_name(lw_cbor_major major);

/* Reads the head at |*at| of |cbor|, which is known to be there, and moves past it. */
lw_cbor_head lw_cbor_take_head(lw_str cbor, size_t *at);

/* Returns the number of a half, single or double with these bits (RFC 8949, appendix D). */
double lw_cbor_float(const lw_cbor_head *head);

/* Checks that |cbor| is one well-formed data item without bignums, NaN and infinities.
 * LW_ERR_SYNTAX, LW_ERR_LIMIT: nested too deep. */
LW_MUST_CHECK lw_status lw_cbor_check(lw_str cbor, lw_error *err);

/* Moves |*at| past the well-formed data item there. */
void lw_cbor_skip(lw_str cbor, size_t *at);

#endif
