/* SPDX-License-Identifier: Apache-2.0 */
/* object_gen.h -- generates random objects of any kind from the field tables, as Go writes them, so
 * that a round trip can be compared byte by byte. */
#ifndef LW_TESTS_SUPPORT_OBJECT_GEN_H
#define LW_TESTS_SUPPORT_OBJECT_GEN_H

#include "base/random.h"
#include "schema/types/type.h"
#include "json/writer.h"

typedef struct object_gen {
    lw_random random;
    lw_json_writer w;
    unsigned depth;
} object_gen;

/* Appends an object of |type| to |out|, with its apiVersion and kind. */
void object_gen_write(uint64_t seed, const lw_type *type, lw_gvk gvk, lw_buf *out);

#endif
