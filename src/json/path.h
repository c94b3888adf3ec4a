/* SPDX-License-Identifier: Apache-2.0 */
/* path.h -- looks up a JSON Pointer (RFC 6901) in a valid JSON text, without building a tree. */
#ifndef LW_JSON_PATH_H
#define LW_JSON_PATH_H

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/buf.h"

/* Finds the value at |pointer| in the valid text |json| and sets |*value| to its text.  "" is the
 * whole document; array elements are named by index.  Of members with the same name, the last one
 * is used, as everywhere in Kubernetes.  LW_ERR_NOT_FOUND: there is no value.  LW_ERR_INVALID:
 * |pointer| is not a JSON Pointer. */
lw_status lw_json_path_find(lw_str json, lw_str pointer, lw_str *value);

/* Returns LW_OK if |pointer| is well-formed: empty, or '/' before each segment and only ~0 and ~1
 * after a tilde; otherwise LW_ERR_INVALID. */
lw_status lw_json_path_check(lw_str pointer);

/* Removes the first segment from |*rest| ("/a/b" gives "a" and "/b"); false if nothing is left.
 * The segment is still escaped with ~0 and ~1. */
bool lw_json_path_next(lw_str *rest, lw_str *segment);

/* Appends the decoded |segment|: ~1 becomes '/', ~0 becomes '~'. */
void lw_json_path_append_decoded(lw_buf *buf, lw_str segment);

/* Parses a segment as an array index: "0" or digits without a leading zero. */
bool lw_json_path_index(lw_str segment, size_t *index);

#endif
