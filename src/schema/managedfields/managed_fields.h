/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields.h -- who has set which fields of an object: metadata.managedFields. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_H
#define LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_H

#include "base/buf.h"
#include "json/tree.h"

enum {
    LW_MANAGERS_MAX = 1024,      /* entries of an object */
    LW_UPDATE_MANAGERS_MAX = 10, /* entries of updates; the oldest of more become one */
};

/* Strings and nodes are of the tree of the managers, or live as long. */
typedef struct lw_manager {
    lw_str name;
    lw_str api_version;
    lw_str subresource;
    lw_str time; /* RFC 3339; may be empty */
    bool is_apply;
    lw_node
        *fields; /* set, nobody else's unless read as is; never empty once an operation is over */
} lw_manager;

typedef struct lw_managers {
    lw_tree *tree;
    lw_manager *entries;
    size_t count;
    size_t cap;
} lw_managers;

/* No managers yet; all that is made for them is of |tree|. */
void lw_managers_init(lw_managers *managers, lw_tree *tree);
void lw_managers_done(lw_managers *managers);

/* Adds what the array |list| (NULL: none) says.  LW_ERR_INVALID: it is no list of managers; then
 * there are none.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_managers_read(lw_managers *managers, const lw_node *list, lw_error *err);

/* The same with sets that stay where they are, in |list|: to be looked at and written, not to be
 * changed.  For a list that lw_managers_write made. */
lw_status lw_managers_read_as_is(lw_managers *managers, const lw_node *list, lw_error *err);

/* Appends managers with sets in their order as JSON, an array in the order in which Kubernetes
 * keeps it.  Failures stick in |out|. */
void lw_managers_append_json(lw_managers *managers, lw_buf *out);

/* The array of them, in the order in which Kubernetes keeps them; NULL: there are none.  It takes
 * their sets: the managers are of no more use. */
lw_status lw_managers_write(lw_managers *managers, lw_node **out);

/* The entry of the same manager as |like|: its name, operation and subresource, and of updates the
 * version, are the same.  NULL: none. */
lw_manager *lw_managers_find(const lw_managers *managers, const lw_manager *like);

/* The same; makes an empty entry when there is none.  NULL: no memory, or too many. */
lw_manager *lw_managers_get(lw_managers *managers, const lw_manager *like);

/* Forgets managers without a field. */
void lw_managers_drop_empty(lw_managers *managers);

/* Makes one entry of the oldest updates when there are more than LW_UPDATE_MANAGERS_MAX. */
void lw_managers_cap(lw_managers *managers);

/* True when |list| asks for managedFields to be forgotten: [] or [{}]. */
bool lw_managers_is_reset(const lw_node *list);

/* True when both arrays (NULL: none) say the same but for their times. */
bool lw_managers_equal_untimed(const lw_node *a, const lw_node *b);

#endif
