/* SPDX-License-Identifier: Apache-2.0 */
/* proto_similar.h -- encodes documents that come one after the other, most of which resemble one of
 * those before: the pods of a ReplicaSet differ in their names, addresses and times.
 *
 * The bytes are those of lw_proto_write_document.  A document that differs from an earlier one, a
 * sample, in its leaves only is encoded with a fraction of the work (proto_patch.h); any other one
 * is encoded as always, and becomes a sample itself.  As long as that does not pay, few documents
 * do.
 *
 * Threads: one at a time. */
#ifndef LW_SCHEMA_PROTO_PROTO_SIMILAR_H
#define LW_SCHEMA_PROTO_PROTO_SIMILAR_H

#include "base/buf.h"

enum {
    LW_PROTO_SAMPLES_MAX = 64,
    LW_PROTO_SAMPLES_MEMORY = 1024 * 1024, /* bytes of all, but for the last */
};

typedef struct lw_proto_similar lw_proto_similar;

/* Has no samples yet.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_proto_similar_new(lw_proto_similar **out);
void lw_proto_similar_free(lw_proto_similar *similar); /* NULL does nothing */

/* As lw_proto_write_document, which see for errors, into |out|, which is empty.  |similar| may be
 * NULL: there are no samples then. */
LW_MUST_CHECK lw_status lw_proto_write_similar(lw_proto_similar *similar, lw_str json, lw_buf *out,
                                               lw_error *err);

/* What became of the documents. */
typedef struct lw_proto_similar_stats {
    uint64_t patched; /* they differ from a sample in leaves only */
    uint64_t sampled; /* they became samples */
} lw_proto_similar_stats;

lw_proto_similar_stats lw_proto_similar_read(const lw_proto_similar *similar);

#endif
