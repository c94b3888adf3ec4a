/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h -- the loop of one controller: a reconciler that knows which informer caused each key.
 *
 * Watches must be added before it is started.  Free it before the factory; freeing waits for the
 * current key. */
#ifndef LW_CONTROL_RUNTIME_LOOP_H
#define LW_CONTROL_RUNTIME_LOOP_H

#include "runtime/controller.h"

typedef struct lw_control_loop lw_control_loop;

/* Creates a loop; |name| (a static string) is the name of the controller. */
lw_status lw_control_loop_new(lw_control_loop **out, const lw_control_env *env, const char *name,
                              unsigned workers, lw_reconcile_fn reconcile, void *arg,
                              lw_error *err);
void lw_control_loop_free(lw_control_loop *loop);

/* Adds the object's key for every event of |resource| (a static string such as "pods").  |informer|
 * may be NULL. */
lw_status lw_control_loop_watch(lw_control_loop *loop, const char *resource, lw_informer **informer,
                                lw_error *err);

/* Calls |on_event| for every event of |resource|; it calls lw_control_loop_add for the affected
 * keys. It runs in the informer's dispatch and must be fast. */
typedef void (*lw_control_loop_event_fn)(const lw_event *event, lw_control_loop *loop, void *arg);
lw_status lw_control_loop_watch_with(lw_control_loop *loop, const char *resource,
                                     lw_control_loop_event_fn on_event, void *arg,
                                     lw_informer **informer, lw_error *err);

/* The same for the objects of |resource| that match |field_selector| (NULL: all). */
lw_status lw_control_loop_watch_some(lw_control_loop *loop, const char *resource,
                                     const char *field_selector, lw_control_loop_event_fn on_event,
                                     void *arg, lw_informer **informer, lw_error *err);

/* Adds a key: from |on_event|, whose informer is then the cause, or from anywhere else.  Keys
 * longer than valid names are ignored. */
void lw_control_loop_add(lw_control_loop *loop, lw_str ns, lw_str name);

/* Starts the workers. */
lw_status lw_control_loop_start(lw_control_loop *loop, lw_error *err);

/* From the reconcile function: reports a step about |key|. */
void lw_control_loop_step(lw_control_loop *loop, const char *action, const char *kind, lw_key key,
                          const char *detail);

#endif
