/* SPDX-License-Identifier: Apache-2.0 */
/* in_flight.h -- the plain limits of requests in progress, for a server without API Priority and
 * Fairness: so many read-only requests, so many others.  Watches do not count.  Threads: any. */
#ifndef LW_SERVER_FLOWCONTROL_IN_FLIGHT_H
#define LW_SERVER_FLOWCONTROL_IN_FLIGHT_H

#include <stdatomic.h>

#include "api/context/user.h"
#include "api/http/request_info.h"
#include "net/http.h"

typedef struct lw_in_flight_class {
    lw_http_admission admission; /* shared by all requests of the class */
    uint32_t limit;              /* 0: none */
    atomic_uint_least32_t count;
} lw_in_flight_class;

typedef struct lw_in_flight {
    lw_in_flight_class read_only, mutating;
} lw_in_flight;

void lw_in_flight_init(lw_in_flight *in_flight, uint32_t read_only, uint32_t mutating);

/* Returns true if the request, of which lw_request_info_read has read |info|, is to be served;
 * otherwise it has been answered with 429.  Requests of the group system:masters are always
 * served. */
bool lw_in_flight_admit(lw_in_flight *in_flight, lw_http_stream *stream,
                        const lw_request_info *info, const lw_user *user);

#endif
