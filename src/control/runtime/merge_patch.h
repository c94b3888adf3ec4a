/* SPDX-License-Identifier: Apache-2.0 */
/* merge_patch.h -- sends documents as merge patches. */
#ifndef LW_CONTROL_RUNTIME_MERGE_PATCH_H
#define LW_CONTROL_RUNTIME_MERGE_PATCH_H

#include <listwatch.h>

/* Sends |patch| for |obj| as a JSON merge patch; |subresource| may be NULL. */
lw_status lw_patch_send(lw_client *client, lw_gvr gvr, const lw_object *obj,
                        const char *subresource, lw_document *patch, lw_error *err);

/* The same; sets |*made| to the patched object; unref it. */
lw_status lw_patch_send_for(lw_client *client, lw_gvr gvr, const lw_object *obj,
                            const char *subresource, lw_document *patch, lw_object **made,
                            lw_error *err);

#endif
