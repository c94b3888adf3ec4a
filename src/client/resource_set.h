/* SPDX-License-Identifier: Apache-2.0 */
/* resource_set.h -- what a server serves: the result of discovery, to be searched by what people
 * type.
 *
 * Built by one thread out of discovery documents, then read only. */
#ifndef LW_CLIENT_RESOURCE_SET_H
#define LW_CLIENT_RESOURCE_SET_H

#include <listwatch/client.h>

enum {
    LW_RESOURCE_SET_MAX = 20000,  /* resources; a cluster with a thousand CRDs has two thousand */
    LW_RESOURCE_SHORT_NAMES = 32, /* of one resource */
    LW_RESOURCE_NAME_MAX = 253,   /* bytes of any of its names; longer ones are passed over */
};

typedef struct lw_resource_set lw_resource_set;

/* One resource as a document has it; views. */
typedef struct lw_resource_entry {
    lw_resource resource;
    lw_str singular; /* may be empty */
    lw_str short_names[LW_RESOURCE_SHORT_NAMES];
    size_t short_name_count;
} lw_resource_entry;

/* An empty set.  LW_ERR_NOMEM. */
lw_status lw_resource_set_new(lw_resource_set **out);
void lw_resource_set_free(lw_resource_set *set);

/* Adds a copy.  |rank| says whose resource wins where several have a name: the lowest; among equals
 * the one added first.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_resource_set_add(lw_resource_set *set, uint64_t rank, const lw_resource_entry *entry);

/* Puts the set in order; call it after the last add, before the first find. */
void lw_resource_set_order(lw_resource_set *set);

size_t lw_resource_set_count(const lw_resource_set *set);

/* The resource that |text| names as kubectl reads it, whatever its case: plural or singular, short
 * name, kind, each with a group or a beginning of one (".apps") or version and group (".v1.apps")
 * behind it.  NULL: none.  Lives as long as the set. */
const lw_resource *lw_resource_set_find(const lw_resource_set *set, lw_str text);

/* The resource of |gvk|; without a version that of the preferred one. */
const lw_resource *lw_resource_set_find_kind(const lw_resource_set *set, lw_gvk gvk);

#endif
