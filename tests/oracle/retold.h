/* SPDX-License-Identifier: Apache-2.0 */
/* retold.h -- a document as a parser with quirks understands it, for a parser without.
 *
 * These are all the differences that are granted; each is computed from the bytes, and replaces
 * nothing but what the quirk is about.  The verdict on the document must be the parser's verdict on
 * the document as it is retold. */
#ifndef LW_TESTS_ORACLE_RETOLD_H
#define LW_TESTS_ORACLE_RETOLD_H

#include "base/buf.h"

/* simdjson refuses halves of surrogate pairs that stand alone, integers beyond 64 bits and numbers
 * beyond a double.  Writes |document| to |out| with "A" and 0 in their place.  False when there was
 * nothing to replace. */
bool retold_for_simdjson(lw_buf *out, lw_str document);

/* yajl looks at the shape of UTF-8 only and so takes what is overlong, a surrogate or beyond
 * U+10FFFF; it takes vertical tabs and form feeds for blanks; and it does not mind a string behind
 * the value that never ends.  Writes |document| to |out| with ? and blanks in their place, and
 * without that string; what is retold is what we are asked about.  False when it is the same. */
bool retold_by_yajl(lw_buf *out, lw_str document);

#endif
