/* SPDX-License-Identifier: Apache-2.0 */
/* gzip.h -- Content-Encoding: gzip (RFC 1952), fast rather than small. */
#ifndef LW_API_MEDIA_GZIP_H
#define LW_API_MEDIA_GZIP_H

#include "base/buf.h"

typedef struct lw_gzip lw_gzip;

/* LW_ERR_NOMEM. */
lw_status lw_gzip_new(lw_gzip **out);
void lw_gzip_free(lw_gzip *gzip);

/* Appends what comes of |bytes| to |out|, perhaps nothing yet; |is_last| appends all that is left.
 * Returns out->st. */
lw_status lw_gzip_feed(lw_gzip *gzip, lw_str bytes, bool is_last, lw_buf *out);

#endif
