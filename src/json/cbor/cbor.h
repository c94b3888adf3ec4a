/* SPDX-License-Identifier: Apache-2.0 */
/* cbor.h -- CBOR (RFC 8949) to and from JSON, as Kubernetes reads and writes it (KEP-4222).
 *
 * Reading: a document is one data item, with or without the tag of self-described CBOR.  Texts may
 * be text strings, which must be UTF-8, or byte strings.  A byte string below tag 21, 22 or 23
 * becomes its base64url, base64 or hex text; tags 0 and 1 become an RFC 3339 time; other tags are
 * ignored.  Refused are duplicate keys, keys that are not strings, bignums, integers that do not
 * fit into int64, NaN, infinities, and simple values other than false, true and null.
 *
 * Writing: texts and keys are byte strings, numbers have their shortest form.  A container of up to
 * 23 elements has a length, a larger one ends with a break: so a document is written in one pass,
 * without memory but the output. */
#ifndef LW_JSON_CBOR_CBOR_H
#define LW_JSON_CBOR_CBOR_H

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/budget.h"
#include "base/buf.h"
#include "json/tree.h"

/* The tag of self-described CBOR (RFC 8949, section 3.4.6), which begins every document written. */
#define LW_CBOR_SELF_DESCRIBED "\xd9\xd9\xf7"

/* Reads a document into a new tree, charged to |budget| (may be NULL) as lw_tree_parse_within does.
 * LW_ERR_SYNTAX: it is not well-formed, or the map that it is has a key twice.  LW_ERR_INVALID: a
 * value inside of it is refused.  The messages are those of Kubernetes' decoder.  LW_ERR_LIMIT:
 * nested deeper than LW_TREE_DEPTH, or too large; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_cbor_read(lw_tree **out, lw_str cbor, size_t limit, lw_budget *budget,
                                     lw_error *err);

/* Appends the text of the member |key| of the map |cbor|, which is well-formed; nothing if there is
 * no such text.  For messages about a document that lw_cbor_read has refused as LW_ERR_INVALID. */
void lw_cbor_append_member(lw_str cbor, lw_str key, lw_buf *out);

/* Appends the valid document |json| as CBOR, with the tag of self-described CBOR. */
lw_status lw_cbor_append_document(lw_str json, lw_buf *out);

/* Appends the valid value |json| as a data item. */
void lw_cbor_append_json(lw_str json, lw_buf *out);

/* Appends |text| as a byte string. */
void lw_cbor_append_text(lw_str text, lw_buf *out);

/* For containers that are written piece by piece: their first byte and their last. */
#define LW_CBOR_ARRAY_BEGIN '\x9f'
#define LW_CBOR_MAP_BEGIN   '\xbf'
#define LW_CBOR_BREAK       '\xff'

#endif
