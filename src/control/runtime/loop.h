/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h -- the loop of one controller: a reconciler whose keys know which informer they came from.
 *
 * Watches are added before it is started.  Free it before the factory; freeing waits for the key it
 * is at. */
#ifndef LW_CONTROL_RUNTIME_LOOP_H
#define LW_CONTROL_RUNTIME_LOOP_H

#include "runtime/controller.h"

typedef struct lw_control_loop lw_control_loop;

/* |name| (a static string) is the controller's. */
lw_status lw_control_loop_new(lw_control_loop **out, const lw_control_env *env, const char *name,
                              unsigned workers, lw_reconcile_fn reconcile, void *arg,
                              lw_error *err);
void lw_control_loop_free(lw_control_loop *loop);

/* Every event of |resource| (a static string, "pods") adds its object's key.  |informer| may be
 * NULL. */
lw_status lw_control_loop_watch(lw_control_loop *loop, const char *resource, lw_informer **informer,
                                lw_error *err);

/* Every event of |resource| is told to |on_event|, which calls lw_control_loop_add for what it
 * means.  It runs where the informer is dispatched: be quick. */
typedef void (*lw_control_loop_event_fn)(const lw_event *event, lw_control_loop *loop, void *arg);
lw_status lw_control_loop_watch_with(lw_control_loop *loop, const char *resource,
                                     lw_control_loop_event_fn on_event, void *arg,
                                     lw_informer **informer, lw_error *err);

/* The same of those objects of |resource| that |field_selector| (NULL: all) selects. */
lw_status lw_control_loop_watch_some(lw_control_loop *loop, const char *resource,
                                     const char *field_selector, lw_control_loop_event_fn on_event,
                                     void *arg, lw_informer **informer, lw_error *err);

/* Adds a key: from |on_event|, whose informer is the cause, or from anywhere else.  Keys that are
 * longer than names can be are passed over. */
void lw_control_loop_add(lw_control_loop *loop, lw_str ns, lw_str name);

/* Starts the workers. */
lw_status lw_control_loop_start(lw_control_loop *loop, lw_error *err);

/* From the reconcile function: tells whoever looks on what was done to |key|. */
void lw_control_loop_step(lw_control_loop *loop, const char *action, const char *kind, lw_key key,
                          const char *detail);

#endif
