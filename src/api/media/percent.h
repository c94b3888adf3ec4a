/* SPDX-License-Identifier: Apache-2.0 */
/* percent.h -- %xx in paths and queries (RFC 3986, section 2.1). */
#ifndef LW_API_MEDIA_PERCENT_H
#define LW_API_MEDIA_PERCENT_H

#include "base/buf.h"

/* Appends |raw| decoded, never more bytes than it has; |plus_is_blank| as in queries.  False when
 * an escape is malformed; what was appended until then stays. */
bool lw_percent_decode(lw_str raw, bool plus_is_blank, lw_buf *out);

#endif
