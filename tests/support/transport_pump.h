/* SPDX-License-Identifier: Apache-2.0 */
/* transport_pump.h -- drives a transport in a test: waits on its descriptor as an application
 * would. */
#ifndef LW_TESTS_SUPPORT_TRANSPORT_PUMP_H
#define LW_TESTS_SUPPORT_TRANSPORT_PUMP_H

#include "base/buf.h"
#include "transport/transport.h"

/* The result of one transfer. */
typedef struct talk {
    lw_transport *transport;
    lw_transfer *transfer; /* NULL after its end */
    unsigned heads, dones;
    bool pauses; /* set it after the start: the transfer pauses at its first bytes */
    int status;  /* status code of the reply */
    char content_type[128];
    char retry_after[64];
    lw_buf body;
    lw_transfer_result result;
} talk;

/* Opens a transport for |server|, with the defaults or |options|. */
lw_transport *pump_open(const char *server, const lw_transport_options *options);

/* Waits at most |timeout_ms| (-1: forever) and dispatches once. */
void pump_turn(lw_transport *transport, int timeout_ms);

/* Runs until |*count| is at least |value|; fails after ten seconds. */
void pump_until(lw_transport *transport, const unsigned *count, unsigned value);

/* Runs until |len| bytes of the body were received. */
void pump_until_body(talk *t, size_t len);

/* Starts a GET; |t| must live until talk_done. */
void talk_get(talk *t, lw_transport *transport, const char *target);
/* Starts any request; sets its callbacks. */
void talk_start(talk *t, lw_transport *transport, lw_transfer_options *options);
/* Cancels the transfer if it is open, and frees the body. */
void talk_done(talk *t);

/* Waits for its end, and fails unless it has this status and body. */
void talk_expect(talk *t, int status, const char *body);
/* Waits for its end, and fails unless it has failed with |st| and a message that contains
 * |words|. */
void talk_expect_failure(talk *t, lw_status st, const char *words);

#endif
