/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath.h -- where a value is, as definitions say it: a small part of JSONPath.
 *
 *     .spec.replicas  ['spec']['replicas']  .metadata.labels.a\.b  .items[0]  .items[-1]
 *     .items[*].name  .items[-1:].name  .items[0:4:2]  .metadata.labels['example\.com/name']
 *     .status.conditions[?(@.type=="Ready")].status  [?(@.ready==true)]  [?(@.spec.name)]
 *
 * A leading dot may be missing.  Kubernetes accepts any text as the path of a column, and leaves
 * the column empty if it cannot be read; so does lw_jsonpath_first with all else of JSONPath. */
#ifndef LW_SCHEMA_PRINTERS_JSONPATH_H
#define LW_SCHEMA_PRINTERS_JSONPATH_H

#include <stdbool.h>

#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_JSONPATH_STEPS = 32, /* steps of a path */
};

/* Finds the first value of |json| (valid JSON) that is at |path|; false: there is none, or |path|
 * cannot be read. */
bool lw_jsonpath_first(lw_str json, lw_str path, lw_str *value);

/* Appends a |path| of plain names as a JSON Pointer: "/spec/replicas".  False: it has other steps,
 * or names that a pointer would have to escape. */
bool lw_jsonpath_append_pointer(lw_str path, lw_buf *out);

#endif
