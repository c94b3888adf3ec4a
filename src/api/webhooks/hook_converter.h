/* SPDX-License-Identifier: Apache-2.0 */
/* hook_converter.h -- how the dispatcher has objects converted to the version that a rule names,
 * without knowing how: api/conversion asks the conversion webhook of the definition.
 *
 * Threads: a conversion belongs to the loop of its port. */
#ifndef LW_API_WEBHOOKS_HOOK_CONVERTER_H
#define LW_API_WEBHOOKS_HOOK_CONVERTER_H

#include "api/context/port.h"
#include "object/api_status.h"

typedef struct lw_hook_conversion lw_hook_conversion;
struct lw_hook_conversion {
    /* The owner's.  All of it stays as it is until |done|, or until it is cancelled. */
    lw_api_port *port;
    const lw_kind *kind;   /* the version that is wanted; a custom resource */
    lw_object *objects[2]; /* one reference each; replaced by the converted ones */
    size_t count;
    size_t unstored;       /* the first so many are not what is stored: they are not remembered */
    int64_t deadline_ns;   /* by the clock of the loop */
    bool is_internal;      /* a failure is an internal error of the request */
    lw_api_status *status; /* set by a failure */
    void (*done)(lw_hook_conversion *conversion, bool is_converted);

    void *job; /* the converter's */
};

typedef enum lw_hook_conversion_outcome {
    LW_HOOK_CONVERTED,
    LW_HOOK_UNCONVERTIBLE, /* |status| says why */
    LW_HOOK_CONVERTING,    /* |done| is called, once, unless it is cancelled */
} lw_hook_conversion_outcome;

typedef struct lw_hook_converter {
    lw_hook_conversion_outcome (*start)(lw_hook_conversion *conversion);
    void (*cancel)(lw_hook_conversion *conversion); /* of one that is CONVERTING */
} lw_hook_converter;

#endif
