/* SPDX-License-Identifier: Apache-2.0 */
/* proto.h -- converts objects between JSON and protobuf.  The bytes are those that the Go types of
 * Kubernetes would write.  The field tables (type.h) drive the conversion.
 *
 * Each direction is one pass along the type and builds no tree.  Zero values are written as in Go:
 * protobuf contains every field that is not a pointer; JSON contains every field that is not tagged
 * omitempty, and every struct.
 *
 *     JSON ── lw_proto_write ──▶ message ── in an envelope ──▶ "k8s\0" apiVersion kind message
 *     JSON ◀─ lw_proto_read ─── message
 *
 * Threads: any; no state is shared.  docs/reference/protobuf.md describes the encoding. */
#ifndef LW_SCHEMA_PROTO_PROTO_H
#define LW_SCHEMA_PROTO_PROTO_H

#include "base/buf.h"
#include "schema/types/type.h"

enum {
    LW_PROTO_DEPTH_MAX = 512,  /* nesting levels of messages */
    LW_PROTO_ENVELOPE_END = 4, /* bytes that lw_proto_envelope_end appends */
};

/* Encodes |json| as a message of |type| and appends it to |out|.  |json| must be valid and nested
 * at most LW_SCAN_DEPTH_MAX deep.  Members that the type does not declare are ignored.
 * LW_ERR_INVALID: a value has the wrong type; |err| names it.  LW_ERR_NOMEM, LW_ERR_LIMIT: of
 * |out|. */
LW_MUST_CHECK lw_status lw_proto_write(const lw_type *type, lw_str json, lw_buf *out,
                                       lw_error *err);

/* A message with the names from its envelope. */
typedef struct lw_proto_document {
    lw_str api_version;
    lw_str kind;
    lw_str message;
} lw_proto_document;

/* Decodes |message|, which is untrusted, as |type| and appends it to |out| as JSON.  If |head| is
 * not NULL, the object begins with its kind and apiVersion.  Fields that the type does not declare
 * are ignored, as in Go.  LW_ERR_SYNTAX: not protobuf, or not a message of this type.
 * LW_ERR_LIMIT: nested too deep, or the JSON exceeds the limit of |out|.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_proto_read(const lw_type *type, const lw_proto_document *head,
                                      lw_str message, lw_buf *out, lw_error *err);

/* Returns the type of a kind; NULL if the kind has no protobuf encoding. */
const lw_type *lw_proto_type(lw_str api_version, lw_str kind);

/* Parses an envelope.  Names that are absent are empty.  The views point into |bytes|.
 * LW_ERR_SYNTAX. */
LW_MUST_CHECK lw_status lw_proto_open(lw_str bytes, lw_proto_document *document, lw_error *err);

/* Append the beginning and the end of an envelope around a message of |len| bytes. */
void lw_proto_envelope_begin(lw_buf *out, lw_str api_version, lw_str kind, size_t len);
void lw_proto_envelope_end(lw_buf *out);

/* Returns the offset of the message's tag in |document|, an envelope written by this module.  The
 * tag is followed by the length, the message and the end of the envelope. */
size_t lw_proto_envelope_message_at(lw_str document);

/* Encodes |json|, which contains its kind and apiVersion, and appends it in an envelope.
 * LW_ERR_UNSUPPORTED: the kind has no protobuf encoding; else the errors of lw_proto_write. */
LW_MUST_CHECK lw_status lw_proto_write_document(lw_str json, lw_buf *out, lw_error *err);

#endif
