/* SPDX-License-Identifier: Apache-2.0 */
/* gzip.h -- Content-Encoding: gzip (RFC 1952), optimised for speed. */
#ifndef LW_API_MEDIA_GZIP_H
#define LW_API_MEDIA_GZIP_H

#include "base/buf.h"

typedef struct lw_gzip lw_gzip;

/* Creates a compressor.  LW_ERR_NOMEM. */
lw_status lw_gzip_new(lw_gzip **out);
void lw_gzip_free(lw_gzip *gzip);

/* Appends the compressed output for |bytes| to |out|, possibly none yet; with |is_last|, all the
 * remaining output.  Returns out->st. */
lw_status lw_gzip_feed(lw_gzip *gzip, lw_str bytes, bool is_last, lw_buf *out);

/* Appends what |bytes|, one complete document, was before it was compressed.  LW_ERR_SYNTAX: it is
 * not gzip, or incomplete; LW_ERR_LIMIT, LW_ERR_NOMEM: of |out|. */
LW_MUST_CHECK lw_status lw_gzip_expand(lw_str bytes, lw_buf *out);

#endif
