/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h -- the kinds that are served now, found by name.
 *
 * Threads: any number of readers; kinds are added and removed by one writer, and an lw_kind that
 * was handed out stays valid until the registry is freed. */
#ifndef LW_SCHEMA_REGISTRY_H
#define LW_SCHEMA_REGISTRY_H

#include "schema/kind.h"

typedef struct lw_registry lw_registry;

/* A registry with the built-in kinds.  LW_ERR_NOMEM. */
lw_status lw_registry_new(lw_registry **out);
void lw_registry_free(lw_registry *registry);

/* The kind served as |plural| in |group| and |version|; NULL: none. */
const lw_kind *lw_registry_find(const lw_registry *registry, lw_str group, lw_str version,
                                lw_str plural);

/* True when anything is served in |group| (and |version|, where not empty). */
bool lw_registry_has_group(const lw_registry *registry, lw_str group, lw_str version);

/* All of them, in discovery's order: the kinds of a group stand side by side, and in it those of a
 * version, the preferred one first.  The array lives as long as the registry is not changed. */
const lw_kind *const *lw_registry_kinds(const lw_registry *registry, size_t *count);

#endif
