/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath.h -- the JSONPath expressions of CustomResourceDefinitions: a subset of JSONPath.
 *
 *     .spec.replicas  ['spec']['replicas']  .metadata.labels.a\.b  .items[0]  .items[-1]
 *     .items[*].name  .items[-1:].name  .items[0:4:2]  .metadata.labels['example\.com/name']
 *     .status.conditions[?(@.type=="Ready")].status  [?(@.ready==true)]  [?(@.spec.name)]
 *
 * The leading dot is optional.  Kubernetes accepts any text as the path of a column, and leaves the
 * column empty if the path is invalid.  lw_jsonpath_first does the same for everything outside the
 * subset. */
#ifndef LW_SCHEMA_PRINTERS_JSONPATH_H
#define LW_SCHEMA_PRINTERS_JSONPATH_H

#include <stdbool.h>

#include <listwatch/str.h>

#include "base/buf.h"

enum {
    LW_JSONPATH_STEPS = 32, /* steps of a path */
};

/* Finds the first value of |json| (valid JSON) that |path| selects; false: there is none, or |path|
 * is not supported. */
bool lw_jsonpath_first(lw_str json, lw_str path, lw_str *value);

/* Appends a |path| of plain names as a JSON Pointer: "/spec/replicas".  False: it has other steps,
 * or names that would need escapes in a pointer. */
bool lw_jsonpath_append_pointer(lw_str path, lw_buf *out);

#endif
