/* SPDX-License-Identifier: Apache-2.0 */
/* event_text.h -- the JSON of Events: a new one, and the patch that counts one up. */
#ifndef LW_OPERATOR_EVENT_TEXT_H
#define LW_OPERATOR_EVENT_TEXT_H

#include <listwatch/document.h>

#include "operator/event_correlator.h"

enum {
    LW_EVENT_NAME_SIZE = 300,
};

/* Returns the namespace of Events about |object|: its own, or "default". */
const char *lw_event_namespace(const lw_object *object);

/* Names an Event as client-go does: the object, and the time of the first occurrence in
 * hexadecimal. */
void lw_event_name(char name[LW_EVENT_NAME_SIZE], const lw_object *object, int64_t first_wall_ns);

/* Makes the Event.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_event_object(lw_object **out, const lw_event_content *content,
                                        const lw_event_series *series, lw_error *err);

/* Makes the document of a merge patch.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_event_patch(lw_document **out, const lw_event_content *content,
                                       const lw_event_series *series, lw_error *err);

#endif
