/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h -- the kinds that are served, found by name: one state of things, never changed.
 *
 * When definitions come and go, a new registry is made and takes the place of the old one
 * (catalog.h).  Whoever uses a custom kind holds the registry it came from.
 * Threads: any, all functions. */
#ifndef LW_SCHEMA_KINDS_REGISTRY_H
#define LW_SCHEMA_KINDS_REGISTRY_H

#include "schema/kinds/definition.h"
#include "schema/kinds/kind.h"

typedef struct lw_registry lw_registry;

/* A registry with the built-in kinds.  LW_ERR_NOMEM. */
lw_status lw_registry_new(lw_registry **out);

/* The same with the served versions of |count| definitions, which it holds.  They share no group
 * with built-in kinds, and no two of them serve the same resource.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_registry_new_with(lw_registry **out, lw_definition *const *definitions, size_t count);

lw_registry *lw_registry_ref(lw_registry *registry);
void lw_registry_unref(lw_registry *registry); /* NULL does nothing */

/* The kind served as |plural| in |group| and |version|; NULL: none. */
const lw_kind *lw_registry_find(const lw_registry *registry, lw_str group, lw_str version,
                                lw_str plural);

/* True when anything is served in |group| (and |version|, where not empty). */
bool lw_registry_has_group(const lw_registry *registry, lw_str group, lw_str version);

/* The same of what discovery tells of: a custom resource is served as soon as it is defined, and
 * told of when its definition says that it is established. */
bool lw_registry_tells_of_group(const lw_registry *registry, lw_str group, lw_str version);

/* All of them, in discovery's order: the kinds of a group stand side by side, and in it those of a
 * version, the preferred one first.  The array lives as long as the registry. */
const lw_kind *const *lw_registry_kinds(const lw_registry *registry, size_t *count);

/* Those that discovery tells of, in the same order. */
const lw_kind *const *lw_registry_told(const lw_registry *registry, size_t *count);

/* True when |group| is one of the built-in ones. */
bool lw_registry_is_builtin_group(lw_str group);

#endif
