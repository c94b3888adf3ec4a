/* SPDX-License-Identifier: Apache-2.0 */
/* path.h -- JSON Pointer (RFC 6901) lookup in a valid JSON text, without building a tree. */
#ifndef LW_JSON_PATH_H
#define LW_JSON_PATH_H

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

/* Finds the value at |pointer| in the valid text |json| and sets |*value| to its text.  "" is the
 * whole document; array elements are named by index.  Of members with the same name the last one
 * counts, as everywhere in Kubernetes.
 * LW_ERR_NOT_FOUND: nothing is there.  LW_ERR_INVALID: |pointer| is not a JSON Pointer. */
lw_status lw_json_path_find(lw_str json, lw_str pointer, lw_str *value);

/* LW_OK when |pointer| is well-formed: empty, or '/' before each segment and only ~0 and ~1 after
 * a tilde.  LW_ERR_INVALID otherwise. */
lw_status lw_json_path_check(lw_str pointer);

/* Takes the first segment off |*rest| ("/a/b" gives "a" and "/b"); false when nothing is left.  The
 * segment is still escaped with ~0 and ~1. */
bool lw_json_path_next(lw_str *rest, lw_str *segment);

/* Appends the decoded |segment|: ~1 becomes '/', ~0 becomes '~'. */
void lw_json_path_append_decoded(lw_buf *buf, lw_str segment);

/* Reads a segment as an array index: "0" or digits without a leading zero. */
bool lw_json_path_index(lw_str segment, size_t *index);

#endif
