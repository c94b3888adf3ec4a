/* SPDX-License-Identifier: Apache-2.0 */
/* control_world.h -- a server and controllers in this process, and waiting for their results. */
#ifndef LW_TESTS_SUPPORT_CONTROL_WORLD_H
#define LW_TESTS_SUPPORT_CONTROL_WORLD_H

#include "control/control.h"
#include "support/client_world.h"

/* The certificate authority that the controllers publish. */
#define CONTROL_WORLD_CA "a certificate"

typedef struct control_world {
    client_world base;
    lw_control *control;
} control_world;

/* Opens a server and the controllers |only| (NULL: all) with |nodes| hollow nodes, whose grace
 * period is |grace_s|. */
void control_world_open(control_world *world, const char *only, unsigned nodes, int grace_s);

/* The same with |clock|, without nodes. */
void control_world_open_by(control_world *world, const char *only, const lw_clock *clock);

void control_world_close(control_world *world);

/* Creates an object from JSON with ' for "; |resource| is a name such as "pods". */
LW_PRINTF(3, 4)
void control_world_create(control_world *world, const char *resource, const char *json, ...);

/* Patches an object with a merge patch with ' for ". */
LW_PRINTF(5, 6)
void control_world_patch(control_world *world, const char *resource, const char *ns,
                         const char *name, const char *patch, ...);

/* The same for its status. */
void control_world_patch_status(control_world *world, const char *resource, const char *ns,
                                const char *name, const char *patch);

void control_world_delete(control_world *world, const char *resource, const char *ns,
                          const char *name);

/* Waits until |is_so(object, arg)|; the object is NULL if it does not exist.  Fails the test with
 * the last state after a minute.  Returns the object, which the caller unrefs, or NULL. */
typedef bool (*control_world_fn)(const lw_object *obj, const char *arg);
lw_object *control_world_await(control_world *world, const char *resource, const char *ns,
                               const char *name, control_world_fn is_so, const char *arg);

/* True if the object exists (|arg| is ignored), and if it does not. */
bool control_world_exists(const lw_object *obj, const char *arg);
bool control_world_is_gone(const lw_object *obj, const char *arg);

/* True if the JSON of the object contains the text |arg|, with ' for ". */
bool control_world_has(const lw_object *obj, const char *arg);
bool control_world_has_not(const lw_object *obj, const char *arg);

#endif
