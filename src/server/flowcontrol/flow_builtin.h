/* SPDX-License-Identifier: Apache-2.0 */
/* flow_builtin.h -- the FlowSchemas and PriorityLevelConfigurations that a server creates, and when
 * it changes them.
 *
 * Mandatory objects always have the specification of the server.  Suggested ones have it while
 * their annotation apf.kubernetes.io/autoupdate-spec is "true"; an administrator sets it to "false"
 * to change them.  They are those of Kubernetes 1.37. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_BUILTIN_H
#define LW_SERVER_FLOWCONTROL_FLOW_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/kinds/kinds.h"
#include "json/tree.h"

typedef struct lw_flow_builtin {
    const lw_kind *kind;
    lw_str name;
    bool is_mandatory;
    lw_str json; /* the object to create */
} lw_flow_builtin;

/* Returns all of them, levels before the schemas that refer to them. */
const lw_flow_builtin *lw_flow_builtins(size_t *count);

/* Returns the one of this kind and name, or NULL. */
const lw_flow_builtin *lw_flow_builtin_find(const lw_kind *kind, lw_str name);

/* Changes |current|, an object of |tree| that exists in place of |builtin|, to what it should be.
 * Returns false if it is already.  The strings of |wanted|, the parsed |builtin|, must outlive
 * |tree|. */
bool lw_flow_builtin_revise(const lw_flow_builtin *builtin, const lw_node *wanted, lw_tree *tree,
                            lw_node *current);

/* Returns true if |object| is maintained by servers: its annotation is "true". */
bool lw_flow_is_maintained(const lw_node *object);

#endif
