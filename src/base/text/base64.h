/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h -- bytes as text (RFC 4648): the standard alphabet with padding, and the one for URLs
 * and file names without.
 *
 * Decoding is strict: nothing but the alphabet, padding as the variant has it, and no bits set
 * that encode nothing; so each sequence of bytes has one text. */
#ifndef LW_BASE_TEXT_BASE64_H
#define LW_BASE_TEXT_BASE64_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends |bytes| as text: section 4, with '=' up to a multiple of four. */
void lw_base64_encode(lw_buf *out, lw_str bytes);

/* Appends |bytes| as text: section 5, without padding. */
void lw_base64url_encode(lw_buf *out, lw_str bytes);

/* Decodes |text| and appends the bytes. Returns false and leaves |out| unchanged if |text| is not
 * valid; out->st tells whether there was enough space. */
bool lw_base64_decode(lw_buf *out, lw_str text);
bool lw_base64url_decode(lw_buf *out, lw_str text);

/* As lw_base64_decode, but as Go reads it: line breaks are passed over, and bits that encode
 * nothing may be set. */
bool lw_base64_decode_lenient(lw_buf *out, lw_str text);

/* Whether lw_base64_decode_lenient decodes |text|.  If not, |*bad| is the offset that Go reports in
 * "illegal base64 data at input byte". */
bool lw_base64_is_lenient(lw_str text, size_t *bad);

#endif
