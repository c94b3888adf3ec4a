/* SPDX-License-Identifier: Apache-2.0 */
/* proto.h -- objects as protobuf, and back: what the Go types of Kubernetes would write, byte for
 * byte, driven by the tables of fields (type.h).
 *
 * Both directions are one walk along the type, without a tree.  Which zero values are there follows
 * Go: protobuf has everything that is no pointer, JSON has what is not tagged omitempty, and
 * structs always.
 *
 *     JSON ── lw_proto_write ──▶ message ── in an envelope ──▶ "k8s\0" apiVersion kind message
 *     JSON ◀─ lw_proto_read ─── message
 *
 * Any thread; nothing is shared.  docs/reference/protobuf.md tells the forms. */
#ifndef LW_SCHEMA_PROTO_PROTO_H
#define LW_SCHEMA_PROTO_PROTO_H

#include "base/buf.h"
#include "schema/types/type.h"

enum {
    LW_PROTO_DEPTH_MAX = 512,  /* messages inside of one another */
    LW_PROTO_ENVELOPE_END = 4, /* bytes that lw_proto_envelope_end appends */
};

/* Appends |json|, valid and at most LW_SCAN_DEPTH_MAX deep, as a message of |type|.  Members that
 * the type does not have are passed over.
 * LW_ERR_INVALID: a value is not of its type, |err| says which.  LW_ERR_NOMEM, LW_ERR_LIMIT: see
 * |out|. */
LW_MUST_CHECK lw_status lw_proto_write(const lw_type *type, lw_str json, lw_buf *out,
                                       lw_error *err);

/* What stands around a message: what it is. */
typedef struct lw_proto_document {
    lw_str api_version;
    lw_str kind;
    lw_str message;
} lw_proto_document;

/* Appends |message|, which anybody may have sent, as JSON of |type|.  With |head| the object begins
 * with its kind and apiVersion.  Fields that the type does not have are passed over, as Go does.
 * LW_ERR_SYNTAX: no protobuf, or not of this type.  LW_ERR_LIMIT: too deep, or more JSON than |out|
 * takes.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_proto_read(const lw_type *type, const lw_proto_document *head,
                                      lw_str message, lw_buf *out, lw_error *err);

/* The type of what calls itself so; NULL: nothing that has a form in protobuf. */
const lw_type *lw_proto_type(lw_str api_version, lw_str kind);

/* Takes the envelope apart; what is not said is empty.  LW_ERR_SYNTAX. */
LW_MUST_CHECK lw_status lw_proto_open(lw_str bytes, lw_proto_document *document, lw_error *err);

/* Appends the beginning of an envelope around a message of |len| bytes, and its end. */
void lw_proto_envelope_begin(lw_buf *out, lw_str api_version, lw_str kind, size_t len);
void lw_proto_envelope_end(lw_buf *out);

/* Where in |document|, an envelope that was written here, the message begins with its tag and its
 * length; behind it is the end. */
size_t lw_proto_envelope_message_at(lw_str document);

/* Appends |json|, which says its kind, in an envelope.  LW_ERR_UNSUPPORTED: it has no form in
 * protobuf; else as lw_proto_write. */
LW_MUST_CHECK lw_status lw_proto_write_document(lw_str json, lw_buf *out, lw_error *err);

#endif
