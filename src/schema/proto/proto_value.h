/* SPDX-License-Identifier: Apache-2.0 */
/* proto_value.h -- types that are a string or number in JSON and a small message in protobuf.
 *
 * The put functions take the decoded text of a JSON value and append the contents of the message.
 * The write functions convert a message to JSON.  All return false if the value is invalid. */
#ifndef LW_SCHEMA_PROTO_PROTO_VALUE_H
#define LW_SCHEMA_PROTO_PROTO_VALUE_H

#include "base/buf.h"
#include "json/writer.h"

enum {
    LW_PROTO_TIME_MAX = 22, /* bytes of the message of a time: two tags and two numbers */
};

/* RFC 3339 times: without fractions, or with six digits if |is_micro|.  The zero time of Go is an
 * empty message in protobuf and null in JSON. */
bool lw_proto_put_time(lw_buf *out, lw_str text, bool is_micro);
bool lw_proto_write_time(lw_json_writer *w, lw_str message, bool is_micro);

/* True if |message| is the zero time. */
bool lw_proto_time_is_zero(lw_str message);

/* An integer or a string: 80 or "http". */
void lw_proto_put_int_or_string(lw_buf *out, bool is_string, int32_t number, lw_str text);
bool lw_proto_write_int_or_string(lw_json_writer *w, lw_str message);

/* Reads a message that contains one string or bytes field.  If the field is absent, |*text| is
 * empty with a NULL pointer. */
bool lw_proto_read_text(lw_str message, lw_str *text);

/* A quantity such as "100m"; an absent one is "0". */
bool lw_proto_write_quantity(lw_json_writer *w, lw_str message);

/* Return true if the write function above would succeed. */
bool lw_proto_check_time(lw_str message);
bool lw_proto_check_int_or_string(lw_str message);
bool lw_proto_check_quantity(lw_str message);

/* Any JSON, written as Go does: without whitespace, and with <, >, &, U+2028 and U+2029 escaped. */
bool lw_proto_write_raw(lw_json_writer *w, lw_str message);

/* Writes a number as Go does: 1, 0.5, 1e+21.  False: it is not finite. */
bool lw_proto_write_double(lw_json_writer *w, double value);

#endif
