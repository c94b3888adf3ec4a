/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields.h -- metadata.managedFields: which manager owns which fields of an object. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_H
#define LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_H

#include "base/buf.h"
#include "json/tree.h"

enum {
    LW_MANAGERS_MAX = 1024,      /* entries of an object */
    LW_UPDATE_MANAGERS_MAX = 10, /* entries of updates; beyond this the oldest are merged */
};

/* Strings and nodes belong to the tree of the managers, or outlive it. */
typedef struct lw_manager {
    lw_str name;
    lw_str api_version;
    lw_str subresource;
    lw_str time; /* RFC 3339; may be empty */
    bool is_apply;
    lw_node *fields; /* set, not shared unless read as is; never empty after an operation */
} lw_manager;

typedef struct lw_managers {
    lw_tree *tree;
    lw_manager *entries;
    size_t count;
    size_t cap;
} lw_managers;

/* Initializes without managers.  All nodes are made in |tree|. */
void lw_managers_init(lw_managers *managers, lw_tree *tree);
void lw_managers_done(lw_managers *managers);

/* Adds the entries of the array |list| (NULL: none).  LW_ERR_INVALID: not valid managedFields; then
 * there are no entries.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_managers_read(lw_managers *managers, const lw_node *list, lw_error *err);

/* The same without copying the sets, which stay in |list| and must not be changed; closed ones stay
 * closed.  |list| must have been made by lw_managers_write. */
lw_status lw_managers_read_as_is(lw_managers *managers, const lw_node *list, lw_error *err);

/* True if the entries of lw_managers_read_as_is are those of lw_managers_read. */
bool lw_managers_are_kept(const lw_managers *managers);

/* Appends the entries, whose sets must be sorted, as a JSON array in the order of Kubernetes;
 * nothing if there are none.
 * Failures are sticky in |out|. */
void lw_managers_append_json(lw_managers *managers, lw_buf *out);

/* Makes the array of entries in the order of Kubernetes; NULL: there are none.  It takes the sets:
 * the managers must not be used afterwards. */
lw_status lw_managers_write(lw_managers *managers, lw_node **out);

/* Returns the entry of the same manager as |like|: with the same name, operation and subresource,
 * and for updates the same version.  NULL: none. */
lw_manager *lw_managers_find(const lw_managers *managers, const lw_manager *like);

/* The same; adds an empty entry if there is none.  NULL: out of memory, or too many entries. */
lw_manager *lw_managers_get(lw_managers *managers, const lw_manager *like);

/* Removes the entries without fields. */
void lw_managers_drop_empty(lw_managers *managers);

/* Merges the oldest entries of updates if there are more than LW_UPDATE_MANAGERS_MAX. */
void lw_managers_cap(lw_managers *managers);

/* True if |list| is a request to reset managedFields: [] or [{}]. */
bool lw_managers_is_reset(const lw_node *list);

/* True if both arrays (NULL: none) are equal except for their times. */
bool lw_managers_equal_untimed(const lw_node *a, const lw_node *b);

#endif
