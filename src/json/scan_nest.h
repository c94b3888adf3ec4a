/* SPDX-License-Identifier: Apache-2.0 */
/* scan_nest.h -- which containers are open: a stack of bits, 1 for an object, 0 for an array.
 *
 * |types| holds the innermost 64, innermost lowest; deeper nesting parks every full 64 in |outer|.
 * Up to 64 levels a push or pop is one shift, which is what the check of whole blocks lives on. */
#ifndef LW_JSON_SCAN_NEST_H
#define LW_JSON_SCAN_NEST_H

#include <stdbool.h>
#include <stdint.h>

#include "json/scan.h"
#include "json/scan_grammar.h"

enum {
    LW_NEST_WORD = 64, /* levels in one word */
};

typedef struct lw_nest {
    uint64_t types;
    unsigned depth; /* open containers */
    uint64_t outer[LW_SCAN_DEPTH_MAX / LW_NEST_WORD];
} lw_nest;

/* The caller has checked that |depth| is below LW_SCAN_DEPTH_MAX. */
static inline void lw_nest_push(lw_nest *nest, bool is_object)
{
    if (nest->depth % LW_NEST_WORD == 0 && nest->depth > 0)
        nest->outer[nest->depth / LW_NEST_WORD - 1] = nest->types;
    nest->types = nest->types << 1 | is_object;
    nest->depth++;
}

/* The caller has checked that a container is open. */
static inline void lw_nest_pop(lw_nest *nest)
{
    nest->types >>= 1;
    nest->depth--;
    if (nest->depth % LW_NEST_WORD == 0 && nest->depth > 0)
        nest->types = nest->outer[nest->depth / LW_NEST_WORD - 1];
}

/* What to expect behind a value in the innermost container. */
static inline lw_expect lw_nest_after_value(const lw_nest *nest)
{
    if (nest->depth == 0)
        return LW_EXPECT_NOTHING;
    return nest->types & 1 ? LW_EXPECT_MEMBER_END : LW_EXPECT_ELEMENT_END;
}

#endif
