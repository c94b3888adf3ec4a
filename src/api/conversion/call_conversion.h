/* SPDX-License-Identifier: Apache-2.0 */
/* call_conversion.h -- a call that waits until the objects of its reply are in its version. */
#ifndef LW_API_CONVERSION_CALL_CONVERSION_H
#define LW_API_CONVERSION_CALL_CONVERSION_H

#include "api/conversion/convert.h"
#include "api/http/call.h"

typedef struct lw_call_conversion lw_call_conversion;
struct lw_call_conversion {
    /* The owner's. */
    lw_api_call *call;
    lw_object **objects; /* one reference each; replaced by the converted ones */
    size_t count;
    /* Once.  False: the call was answered with the failure, or its client has disconnected; it is
     * gone.  The owner frees the objects and |conversion|. */
    void (*over)(lw_call_conversion *conversion, bool is_converted);

    lw_convert job; /* internal */
};

/* Converts the objects to the kind of the call; |over| is called later or right here.  Takes the
 * handlers of the call's stream meanwhile. */
void lw_call_conversion_begin(lw_call_conversion *conversion);

/* Answers |call| with |obj|, whose reference is taken, by |reply| when it is in the version of the
 * call. */
void lw_call_with_converted(lw_api_call *call, lw_object *obj,
                            void (*reply)(lw_api_call *call, const lw_object *obj));

#endif
