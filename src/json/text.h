/* SPDX-License-Identifier: Apache-2.0 */
/* text.h -- JSON strings and numbers as text: escape, unescape, exact integers. */
#ifndef LW_JSON_TEXT_H
#define LW_JSON_TEXT_H

#include <stdint.h>
#include <string.h>

#include <listwatch/str.h>

#include "base/buf.h"

/* Appends |s| (UTF-8) as a JSON string in quotes, like Kubernetes: '"', '\\' and control characters
 * are escaped (\n \r \t \b \f short, others \u00xx), and '<', '>', '&', U+2028 and U+2029 as \u
 * escapes.  Bytes that are not UTF-8 become \ufffd. */
void lw_json_append_quoted(lw_buf *buf, lw_str s);

/* The same with a comma before it, if |has_comma|, and with a colon after it, if |has_colon|. */
void lw_json_append_token(lw_buf *buf, bool has_comma, lw_str s, bool has_colon);

/* Copies |len| bytes; most texts are short, and cost less here than a call. */
static inline void lw_json_copy_text(char *to, const char *from, size_t len)
{
    enum {
        HALF = 8,
        QUARTER = 4,
    };
    if (len > (size_t)4 * HALF) {
        memcpy(to, from, len);
    } else if (len > (size_t)2 * HALF) { /* two parts, which overlap */
        char last[2 * HALF];
        memcpy(last, from + len - sizeof(last), sizeof(last));
        memcpy(to, from, sizeof(last));
        memcpy(to + len - sizeof(last), last, sizeof(last));
    } else if (len >= HALF) {
        char last[HALF];
        memcpy(last, from + len - HALF, HALF);
        memcpy(to, from, HALF);
        memcpy(to + len - HALF, last, HALF);
    } else if (len >= QUARTER) {
        char last[QUARTER];
        memcpy(last, from + len - QUARTER, QUARTER);
        memcpy(to, from, QUARTER);
        memcpy(to + len - QUARTER, last, QUARTER);
    } else {
        for (size_t i = 0; i < len; i++)
            to[i] = from[i];
    }
}

/* Appends the decoded bytes of |raw|, the text between the quotes of a valid JSON string.  An
 * unpaired surrogate escape becomes U+FFFD, like in Go. */
void lw_json_append_unescaped(lw_buf *buf, lw_str raw);

/* Decodes |raw| into |dst|, which has space for raw.len bytes (decoding never grows), and returns
 * the number of bytes.  Does not add a terminator. */
size_t lw_json_unescape(char *dst, lw_str raw);

/* Returns true if the decoded |raw| is |plain|.  Does not allocate. */
bool lw_json_text_equal(lw_str raw, lw_str plain);

/* Removes the next piece from |*raw| and returns it decoded: plain bytes of |*raw|, or an escape
 * decoded into |small|.  Returns false if nothing is left.  Does not allocate. */
bool lw_json_text_next(lw_str *raw, char small[4], lw_str *piece);

/* Parses |number|, the text of a valid JSON number, as an integer: "12", "-3", also "1e3" and "2.0"
 * if exact.  Returns false and leaves |*out| unchanged if it has a fraction or is out of range. */
bool lw_json_number_to_int64(lw_str number, int64_t *out);

/* Returns the double nearest to |number|, in any locale; +-HUGE_VAL if it is out of range. */
double lw_json_number_to_double(lw_str number);

/* Returns true if two texts of valid JSON numbers have the same value: 1, 1.0, 10e-1; 0 and -0.
 * Exact for any number of digits; exponents beyond +-10^18 are equal only if the texts are equal.
 */
bool lw_json_number_equal(lw_str a, lw_str b);

/* Returns true if all of |s| is a JSON number. */
bool lw_json_is_number(lw_str s);

/* Returns true if all of |s| is well-formed UTF-8 (no surrogates, no overlong forms). */
bool lw_utf8_is_valid(lw_str s);

#endif
