/* SPDX-License-Identifier: Apache-2.0 */
/* percent.h -- percent-decoding of paths and queries (RFC 3986, section 2.1). */
#ifndef LW_API_MEDIA_PERCENT_H
#define LW_API_MEDIA_PERCENT_H

#include "base/buf.h"

/* Appends |raw| decoded, never more than raw.len bytes; with |plus_is_blank|, '+' is a space, as in
 * queries.  False: an escape is malformed; what was appended before it remains. */
bool lw_percent_decode(lw_str raw, bool plus_is_blank, lw_buf *out);

#endif
