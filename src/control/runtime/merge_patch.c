/* SPDX-License-Identifier: Apache-2.0 */
/* merge_patch.c -- sends documents as merge patches. */
#include "runtime/merge_patch.h"

lw_status lw_patch_send_for(lw_client *client, lw_gvr gvr, const lw_object *obj,
                            const char *subresource, lw_document *patch, lw_object **made,
                            lw_error *err)
{
    lw_str text;
    lw_status st = lw_document_json(patch, NULL, &text, err);
    if (st < 0)
        return st;
    return lw_client_patch(client, gvr, lw_object_namespace(obj), lw_object_name(obj), subresource,
                           LW_PATCH_MERGE, text.ptr, text.len, made, err);
}

lw_status lw_patch_send(lw_client *client, lw_gvr gvr, const lw_object *obj,
                        const char *subresource, lw_document *patch, lw_error *err)
{
    return lw_patch_send_for(client, gvr, obj, subresource, patch, NULL, err);
}
