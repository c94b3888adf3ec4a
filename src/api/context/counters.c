/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c -- counts replies by verb and status class. */
#include "api/context/counters.h"

#include "schema/kinds/kind.h"

void lw_api_count_reply(lw_api_counters *counters, unsigned verb, int status)
{
    unsigned number = 0;
    if (verb == 0)
        verb = LW_VERB_GET;
    while (number < LW_API_VERBS - 1 && !(verb >> number & 1))
        number++;
    unsigned status_class = status >= 100 && status < 600 ? (unsigned)status / 100 : 0;
    lw_api_count(&counters->requests[number][status_class], 1);
}
