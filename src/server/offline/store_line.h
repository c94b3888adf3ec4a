/* SPDX-License-Identifier: Apache-2.0 */
/* store_line.h -- one object as a line of an export:
 *
 *     {"key":"/registry/configmaps/default/a","value":{"kind":"ConfigMap",...}}
 *     {"key":"/registry/secrets/default/b","base64":"..."}       a value that is not JSON */
#ifndef LW_SERVER_OFFLINE_STORE_LINE_H
#define LW_SERVER_OFFLINE_STORE_LINE_H

#include "base/buf.h"

/* Appends the line of |key| and |value|, without a newline. */
void lw_store_line_append(lw_buf *out, lw_str key, lw_str value);

/* Parses a line, appends its key and its value to empty buffers.  LW_ERR_SYNTAX: not JSON;
 * LW_ERR_INVALID: not such a line; LW_ERR_LIMIT, LW_ERR_NOMEM: a buffer is full. */
lw_status lw_store_line_parse(lw_str line, lw_buf *key, lw_buf *value, lw_error *err);

#endif
