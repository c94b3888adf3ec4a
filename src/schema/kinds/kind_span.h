/* SPDX-License-Identifier: Apache-2.0 */
/* kind_span.h -- the kinds of one group, or of one version of it: they stand side by side. */
#ifndef LW_SCHEMA_KINDS_KIND_SPAN_H
#define LW_SCHEMA_KINDS_KIND_SPAN_H

#include "schema/kinds/registry.h"

/* A piece of the registry's array. */
typedef struct lw_kind_span {
    const lw_kind *const *kinds;
    size_t count;
} lw_kind_span;

/* All kinds of |registry| that discovery tells of. */
lw_kind_span lw_kind_span_all(const lw_registry *registry);

/* Takes the kinds of the first group off |*rest|; false when nothing is left. */
bool lw_kind_span_next_group(lw_kind_span *rest, lw_kind_span *group);

/* Takes the kinds of the first version off |*rest|, which are of one group. */
bool lw_kind_span_next_version(lw_kind_span *rest, lw_kind_span *version);

/* Those of |group|, and of |group| and |version|; empty when there are none. */
lw_kind_span lw_kind_span_of_group(const lw_registry *registry, lw_str group);
lw_kind_span lw_kind_span_of_version(const lw_registry *registry, lw_str group, lw_str version);

#endif
