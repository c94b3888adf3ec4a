/* SPDX-License-Identifier: Apache-2.0 */
/* patch.c -- sends merge patches, and finds and sets conditions. */
#include "runtime/patch.h"

#include <string.h>

lw_status lw_patch_send_for(lw_client *client, lw_gvr gvr, const lw_object *obj,
                            const char *subresource, lw_document *patch, lw_object **made,
                            lw_error *err)
{
    lw_str text;
    lw_status st = lw_document_json(patch, NULL, &text, err);
    if (st < 0)
        return st;
    return lw_client_patch(client, gvr, lw_object_namespace(obj), lw_object_name(obj), text,
                           &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                      .subresource = subresource },
                           made, err);
}

lw_status lw_patch_send(lw_client *client, lw_gvr gvr, const lw_object *obj,
                        const char *subresource, lw_document *patch, lw_error *err)
{
    return lw_patch_send_for(client, gvr, obj, subresource, patch, NULL, err);
}

lw_value *lw_patch_condition_find(lw_document *doc, const lw_value *conditions, const char *type)
{
    for (size_t i = 0; i < lw_document_count(conditions); i++) {
        lw_value *at = lw_document_item(conditions, i);
        if (strcmp(lw_document_string(doc, at, "/type", ""), type) == 0)
            return at;
    }
    return NULL;
}

bool lw_patch_condition_has_reason(lw_document *doc, const lw_value *conditions, const char *type,
                                   const char *reason)
{
    const lw_value *at = lw_patch_condition_find(doc, conditions, type);
    return at && strcmp(lw_document_string(doc, at, "/reason", ""), reason) == 0;
}

void lw_patch_condition_set(lw_document *doc, lw_value *conditions,
                            const lw_patch_condition *condition, const char *time_field,
                            int64_t wall_ns, bool is_forced)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_value *at = lw_patch_condition_find(doc, conditions, condition->type);
    bool is_same_status =
        at && strcmp(lw_document_string(doc, at, "/status", ""), condition->status) == 0;
    bool is_same_reason =
        at && strcmp(lw_document_string(doc, at, "/reason", ""), condition->reason) == 0;
    if (is_same_status && is_same_reason && !is_forced)
        return;
    lw_time_format_ns(now, wall_ns);
    if (!at)
        at = lw_document_set_object(doc, conditions, "/-");
    lw_document_set_string(doc, at, "/type", condition->type);
    lw_document_set_string(doc, at, "/status", condition->status);
    lw_document_set_string(doc, at, time_field, now);
    if (!is_same_status)
        lw_document_set_string(doc, at, "/lastTransitionTime", now);
    lw_document_set_string(doc, at, "/reason", condition->reason);
    lw_document_set_string(doc, at, "/message", condition->message);
}
