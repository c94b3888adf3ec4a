/* SPDX-License-Identifier: Apache-2.0 */
/* match.h -- matches objects against selectors.
 *
 * NULL means the selector that matches everything.  The functions do not allocate. */
#ifndef LISTWATCH_MATCH_H
#define LISTWATCH_MATCH_H

#include <stdbool.h>

#include <listwatch/api.h>
#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

/* Returns true if the labels of |obj| match |selector|. */
LW_API bool lw_label_selector_matches(const lw_label_selector *selector, const lw_object *obj);

/* Returns true if the fields of |obj| match |selector|.  A field is a path of member names
 * separated by dots: metadata.name, spec.nodeName, status.phase.  Strings are compared decoded,
 * numbers and booleans as they are written; absent fields, null, arrays and objects are "".  A
 * server supports only a few fields of each kind; this function supports all. */
LW_API bool lw_field_selector_matches_object(const lw_field_selector *selector,
                                             const lw_object *obj);

LW_END_DECLS

#endif
