/* SPDX-License-Identifier: Apache-2.0 */
/* json_gen.h -- generates random JSON documents and Kubernetes lists from a seed, and damages them.
 *
 * The same seed gives the same bytes on every machine. */
#ifndef LW_TESTS_SUPPORT_JSON_GEN_H
#define LW_TESTS_SUPPORT_JSON_GEN_H

#include "base/buf.h"

typedef struct json_gen {
    uint64_t state;
    lw_buf out;
    unsigned blanks;          /* percentage of places between tokens that get whitespace */
    unsigned escapes;         /* percentage of characters written as escapes */
    bool has_lone_surrogates; /* escapes may be unpaired surrogates */
} json_gen;

void json_gen_init(json_gen *gen, uint64_t seed);
void json_gen_done(json_gen *gen);

/* Returns a number below |n|, which is not 0. */
uint64_t json_gen_below(json_gen *gen, uint64_t n);

/* Each appends one document to gen->out. */
void json_gen_value(json_gen *gen, unsigned depth);
void json_gen_object(json_gen *gen); /* apiVersion, kind, metadata, ... in any order */
void json_gen_list(json_gen *gen, unsigned items);
void json_gen_event(json_gen *gen);

/* Changes gen->out in one to three places: flips, removes, inserts or repeats a byte, swaps two
 * bytes, or truncates it.  The result may still be valid. */
void json_gen_damage(json_gen *gen);

#endif
