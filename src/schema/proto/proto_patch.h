/* SPDX-License-Identifier: Apache-2.0 */
/* proto_patch.h -- encodes a document that differs from another one only in its leaves
 * (proto_layout.h): copies the encoding of that one and replaces the leaves that differ.
 *
 *     sample   {"metadata":{"name":"web-x2p4z", ...    k8s\0 ... | 12 length | 0a length web-x2p4z
 *     document {"metadata":{"name":"web-7d4b",  ...                      ▲          ▲    ▲
 *
 * Threads: any for samples, which do not change; one at a time for a room. */
#ifndef LW_SCHEMA_PROTO_PROTO_PATCH_H
#define LW_SCHEMA_PROTO_PROTO_PATCH_H

#include "base/buf.h"
#include "schema/proto/proto_layout.h"

enum {
    LW_PROTO_SAMPLE_MAX = 32 * 1024, /* bytes of JSON; larger documents are no samples */
};

/* A document that was encoded. */
typedef struct lw_proto_sample {
    char *bytes; /* JSON, encoding, and space after each */
    lw_str json, document;
    lw_proto_layout layout;
} lw_proto_sample;

/* Keeps copies of |json| and of |document|, which lw_proto_write_document has made of it.
 * LW_ERR_UNSUPPORTED: it is too large, or see lw_proto_layout_make.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_proto_sample_init(lw_proto_sample *sample, lw_str json, lw_str document);
void lw_proto_sample_done(lw_proto_sample *sample);

/* Returns the bytes that |sample| takes. */
size_t lw_proto_sample_memory(const lw_proto_sample *sample);

/* A leaf that differs. */
typedef struct lw_proto_change {
    lw_str text;     /* in the document */
    lw_str bytes;    /* its encoding */
    const char *end; /* of what may be read after |bytes| */
    lw_proto_leaf_room room;
    uint16_t place;
    bool is_escaped;
} lw_proto_change;

/* What is known of a document while it is compared and encoded. */
typedef struct lw_proto_patch_room {
    lw_str raw; /* a leaf that takes long to find, for comparisons with more than one sample */
    lw_proto_change changes[LW_PROTO_PLACES_MAX];
    lw_buf decoded;                             /* strings without their escapes */
    uint16_t change_of[LW_PROTO_PLACES_MAX];    /* of each place that is a changed leaf */
    int32_t grown[LW_PROTO_PLACES_MAX];         /* by how much each message becomes longer; */
    uint64_t changed[LW_PROTO_PLACES_MAX / 64]; /* a bit for each place: zero between calls */
} lw_proto_patch_room;

/* NULL: out of memory. */
lw_proto_patch_room *lw_proto_patch_room_new(void);
void lw_proto_patch_room_free(lw_proto_patch_room *room); /* NULL does nothing */

/* Forgets the last document. */
void lw_proto_patch_begin(lw_proto_patch_room *room);

/* The first difference between a document and a sample that is not in a leaf. */
typedef struct lw_proto_difference {
    uint32_t at;        /* in the JSON of the sample */
    unsigned char byte; /* of the document; 0: it ends there */
} lw_proto_difference;

/* Appends to |out| what lw_proto_write_document would append for |json|, which is valid and the
 * same since lw_proto_patch_begin.  False: nothing was appended; the documents differ in more than
 * leaves, see |*difference|, or there is no space. */
bool lw_proto_patch(const lw_proto_sample *sample, lw_proto_patch_room *room, lw_str json,
                    lw_buf *out, lw_proto_difference *difference);

#endif
