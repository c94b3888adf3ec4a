/* SPDX-License-Identifier: Apache-2.0 */
/* patch.h -- builds and sends merge patches: the conditions of a status, one per type, with the
 * times of their last change; and sending. */
#ifndef LW_CONTROL_RUNTIME_PATCH_H
#define LW_CONTROL_RUNTIME_PATCH_H

#include <listwatch.h>

/* Sends |patch| for |obj| as a JSON merge patch; |subresource| may be NULL. */
lw_status lw_patch_send(lw_client *client, lw_gvr gvr, const lw_object *obj,
                        const char *subresource, lw_document *patch, lw_error *err);

/* The same; sets |*made| to the patched object; unref it. */
lw_status lw_patch_send_for(lw_client *client, lw_gvr gvr, const lw_object *obj,
                            const char *subresource, lw_document *patch, lw_object **made,
                            lw_error *err);

typedef struct lw_patch_condition {
    const char *type;
    const char *status; /* "True", "False", "Unknown" */
    const char *reason;
    const char *message;
} lw_patch_condition;

/* Returns the condition |type| in the array |conditions| of |doc|, or NULL. */
lw_value *lw_patch_condition_find(lw_document *doc, const lw_value *conditions, const char *type);

/* True if the condition exists and has that reason. */
bool lw_patch_condition_has_reason(lw_document *doc, const lw_value *conditions, const char *type,
                                   const char *reason);

/* Sets the condition in |conditions|.  lastTransitionTime changes with the status; |time_field|
 * ("/lastUpdateTime", "/lastProbeTime") always.  If status and reason are unchanged, nothing is
 * written unless |is_forced|. */
void lw_patch_condition_set(lw_document *doc, lw_value *conditions,
                            const lw_patch_condition *condition, const char *time_field,
                            int64_t wall_ns, bool is_forced);

#endif
