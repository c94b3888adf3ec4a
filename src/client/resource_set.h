/* SPDX-License-Identifier: Apache-2.0 */
/* resource_set.h -- the resources of a server: the result of discovery, searched by the names that
 * users type.
 *
 * One thread builds it from discovery documents; afterwards it is read-only. */
#ifndef LW_CLIENT_RESOURCE_SET_H
#define LW_CLIENT_RESOURCE_SET_H

#include <listwatch/client.h>

enum {
    LW_RESOURCE_SET_MAX = 20000,  /* resources; a cluster with a thousand CRDs has two thousand */
    LW_RESOURCE_SHORT_NAMES = 32, /* per resource */
    LW_RESOURCE_NAME_MAX = 253,   /* bytes of a name; longer ones are skipped */
};

typedef struct lw_resource_set lw_resource_set;

/* One resource of a document; views. */
typedef struct lw_resource_entry {
    lw_resource resource;
    lw_str singular; /* may be empty */
    lw_str short_names[LW_RESOURCE_SHORT_NAMES];
    size_t short_name_count;
} lw_resource_entry;

/* An empty set.  LW_ERR_NOMEM. */
lw_status lw_resource_set_new(lw_resource_set **out);
void lw_resource_set_free(lw_resource_set *set);

/* Adds a copy of |entry|.  If several resources have the same name, the lowest |rank| wins, and
 * among equal ranks the one added first.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_resource_set_add(lw_resource_set *set, uint64_t rank, const lw_resource_entry *entry);

/* Sorts the set; call it after the last add and before the first find. */
void lw_resource_set_order(lw_resource_set *set);

size_t lw_resource_set_count(const lw_resource_set *set);

/* Finds the resource |text| like kubectl, ignoring case: plural, singular, short name or kind, each
 * optionally followed by a group or the beginning of one (".apps"), or by version and group
 * (".v1.apps").  Returns NULL if there is none.  Valid as long as the set. */
const lw_resource *lw_resource_set_find(const lw_resource_set *set, lw_str text);

/* Finds the resource of |gvk|; without a version, that of the preferred version. */
const lw_resource *lw_resource_set_find_kind(const lw_resource_set *set, lw_gvk gvk);

#endif
