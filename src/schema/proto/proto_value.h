/* SPDX-License-Identifier: Apache-2.0 */
/* proto_value.h -- types that are a text or number in JSON and a small message in protobuf.
 *
 * The put functions append what is inside of the message, and take the text of a JSON value,
 * decoded.  The write functions are the way back.  All answer false when the value cannot be. */
#ifndef LW_SCHEMA_PROTO_PROTO_VALUE_H
#define LW_SCHEMA_PROTO_PROTO_VALUE_H

#include "base/buf.h"
#include "json/writer.h"

/* RFC 3339; plain times have no fractions, with |is_micro| there are six digits.  The zero time of
 * Go is an empty message, and null in JSON. */
bool lw_proto_put_time(lw_buf *out, lw_str text, bool is_micro);
bool lw_proto_write_time(lw_json_writer *w, lw_str message, bool is_micro);

/* Whether |message| is that of the zero time. */
bool lw_proto_time_is_zero(lw_str message);

/* 80 or "http". */
void lw_proto_put_int_or_string(lw_buf *out, bool is_string, int32_t number, lw_str text);
bool lw_proto_write_int_or_string(lw_json_writer *w, lw_str message);

/* A message of one string or of bytes; an absent one leaves |*text| empty, with a NULL pointer. */
bool lw_proto_read_text(lw_str message, lw_str *text);

/* "100m"; an absent one is "0". */
bool lw_proto_write_quantity(lw_json_writer *w, lw_str message);

/* Any JSON, without blanks, and with what HTML minds escaped, as Go writes it. */
bool lw_proto_write_raw(lw_json_writer *w, lw_str message);

/* A number as Go writes it: 1, 0.5, 1e+21.  False: it is not finite. */
bool lw_proto_write_double(lw_json_writer *w, double value);

#endif
