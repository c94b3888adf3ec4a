/* SPDX-License-Identifier: Apache-2.0 */
/* text.h -- JSON strings and numbers as text: escape, unescape, exact integers. */
#ifndef LW_JSON_TEXT_H
#define LW_JSON_TEXT_H

#include <stdint.h>

#include <listwatch/str.h>

#include "base/buf.h"

/* Appends |s| (UTF-8) as a JSON string with its quotes, as Kubernetes writes it: '"', '\\' and
 * controls escaped (\n \r \t \b \f short, others \u00xx), and '<', '>', '&', U+2028 and U+2029 as
 * \u escapes.  Bytes that are not UTF-8 become \ufffd. */
void lw_json_append_quoted(lw_buf *buf, lw_str s);

/* Appends the decoded bytes of |raw|, the text between the quotes of a valid JSON string.  A
 * surrogate escape without its other half becomes U+FFFD, as Go decodes it. */
void lw_json_append_unescaped(lw_buf *buf, lw_str raw);

/* Decodes |raw| into |dst|, which has room for raw.len bytes (decoding never grows), and returns
 * how many were written.  No terminator is added. */
size_t lw_json_unescape(char *dst, lw_str raw);

/* True when the decoded |raw| is |plain|.  Allocates nothing. */
bool lw_json_text_equal(lw_str raw, lw_str plain);

/* Takes the next decoded piece off |*raw|: bytes of |*raw| as they stand, or an escape decoded into
 * |small|.  False when nothing is left.  Allocates nothing. */
bool lw_json_text_next(lw_str *raw, char small[4], lw_str *piece);

/* Reads |number|, the text of a valid JSON number, as an integer: "12", "-3", also "1e3" and "2.0"
 * when exact.  False, and |*out| untouched, when it has a fraction or does not fit. */
bool lw_json_number_to_int64(lw_str number, int64_t *out);

/* Reads |number| as the nearest double, whatever the locale; out of range gives +-HUGE_VAL. */
double lw_json_number_to_double(lw_str number);

/* True when two texts of valid JSON numbers have the same value: 1, 1.0, 10e-1; 0 and -0.  Exact,
 * whatever the number of digits; exponents beyond +-10^18 are equal only when spelled alike. */
bool lw_json_number_equal(lw_str a, lw_str b);

/* True when all of |s| is a number in JSON's grammar. */
bool lw_json_is_number(lw_str s);

/* True when all of |s| is well-formed UTF-8 (no surrogates, nothing overlong). */
bool lw_utf8_is_valid(lw_str s);

#endif
