/* SPDX-License-Identifier: Apache-2.0 */
/* field_path.h -- where a value is, as definitions say it: a small part of JSONPath.
 *
 *     .spec.replicas  ['spec']['replicas']  .metadata.labels.a\.b  .items[0]  .items[-1]
 *     .items[*].name  .status.conditions[?(@.type=="Ready")].status
 *
 * A leading dot may be missing.  Everything else of JSONPath is refused. */
#ifndef LW_SCHEMA_FIELD_PATH_H
#define LW_SCHEMA_FIELD_PATH_H

#include <stdbool.h>

#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_FIELD_PATH_STEPS = 32, /* steps of a path */
};

/* True when |path| can be read. */
bool lw_field_path_is_valid(lw_str path);

/* Finds the first value of |json| (valid JSON) that is at |path|; false: there is none. */
bool lw_field_path_first(lw_str json, lw_str path, lw_str *value);

/* Appends a |path| of plain names as a JSON Pointer: "/spec/replicas".  False: it has other steps,
 * or names that a pointer would have to escape. */
bool lw_field_path_append_pointer(lw_str path, lw_buf *out);

#endif
