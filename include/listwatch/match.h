/* SPDX-License-Identifier: Apache-2.0 */
/* match.h -- whether an object is one of those a selector means.
 * NULL for a selector means the one that matches everything.  Nothing here allocates. */
#ifndef LISTWATCH_MATCH_H
#define LISTWATCH_MATCH_H

#include <stdbool.h>

#include <listwatch/api.h>
#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

/* Whether the labels of |obj| satisfy |selector|. */
LW_API bool lw_label_selector_matches(const lw_label_selector *selector, const lw_object *obj);

/* Whether the fields of |obj| satisfy |selector|.  A field is a path of member names with dots
 * between them: metadata.name, spec.nodeName, status.phase.  Strings count decoded, numbers and
 * booleans as they are written; what is absent, null, an array or an object counts as "".  A server
 * offers only a few fields of each kind; this reads any. */
LW_API bool lw_field_selector_matches_object(const lw_field_selector *selector,
                                             const lw_object *obj);

LW_END_DECLS

#endif
