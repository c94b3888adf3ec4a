/* SPDX-License-Identifier: Apache-2.0 */
/* flow_write.h -- the writes of flow_keeper.c: built-in objects and the condition of FlowSchemas.
 *
 * Each write decides on the object as it is when its turn comes.  A write that fails is logged and
 * not repeated; the keeper looks again later.  Threads: the port's loop. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_WRITE_H
#define LW_SERVER_FLOWCONTROL_FLOW_WRITE_H

#include "server/flowcontrol/flow.h"
#include "server/flowcontrol/flow_builtin.h"

/* The managers of what the server writes here, as kube-apiserver calls them. */
#define LW_FLOW_PRODUCER "api-priority-and-fairness-config-producer-v1"
#define LW_FLOW_CONSUMER "api-priority-and-fairness-config-consumer-v1"

/* A write is over, whatever came of it; called later or right here, once. */
typedef void (*lw_flow_write_over)(void *arg);

/* Creates the object, or revises it. */
void lw_flow_write_builtin(lw_api_port *port, const lw_flow_builtin *builtin,
                           lw_flow_write_over over, void *arg);

/* Returns true if |current| is not what lw_flow_builtin_revise makes of it. */
bool lw_flow_builtin_is_due(const lw_flow_builtin *builtin, const lw_object *current);

/* Writes the condition Dangling of the FlowSchema |name|: whether its priority level exists. */
void lw_flow_write_condition(lw_api_port *port, lw_flow_control *control, lw_str name,
                             lw_flow_write_over over, void *arg);

/* Returns true if the condition of the FlowSchema is not right. */
bool lw_flow_condition_is_due(lw_flow_control *control, lw_str json);

/* Sets the condition of the FlowSchema in |tree|: whether its priority level exists.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT, LW_ERR_INVALID: |wall_ns| is no time that can be written. */
LW_MUST_CHECK lw_status lw_flow_condition_set(lw_tree *tree, bool is_found, int64_t wall_ns);

/* Removes an object that is a leftover: a server of another version maintained it. */
void lw_flow_write_removal(lw_api_port *port, const lw_kind *kind, lw_str name,
                           lw_flow_write_over over, void *arg);
bool lw_flow_is_leftover(const lw_kind *kind, const lw_object *object);

#endif
