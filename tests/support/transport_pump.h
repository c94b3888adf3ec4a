/* SPDX-License-Identifier: Apache-2.0 */
/* transport_pump.h -- drives a transport in a test: waits on its descriptor as a host would. */
#ifndef LW_TESTS_SUPPORT_TRANSPORT_PUMP_H
#define LW_TESTS_SUPPORT_TRANSPORT_PUMP_H

#include "base/buf.h"
#include "transport/transport.h"

/* What became of one transfer. */
typedef struct talk {
    lw_transport *transport;
    lw_transfer *transfer; /* NULL once it is over */
    unsigned heads, dones;
    bool pauses; /* set after the start: its first bytes pause it, before more can come */
    int status;  /* of the head */
    char content_type[128];
    char retry_after[64];
    lw_buf body;
    lw_transfer_result result;
} talk;

/* A transport for |server|, with the defaults or |options|. */
lw_transport *pump_open(const char *server, const lw_transport_options *options);

/* One wait, |timeout_ms| (-1: for ever) at most, and one dispatch. */
void pump_turn(lw_transport *transport, int timeout_ms);

/* Turns until |*count| is at least |value|; fails after ten seconds. */
void pump_until(lw_transport *transport, const unsigned *count, unsigned value);

/* Turns until |len| bytes of body are in. */
void pump_until_body(talk *t, size_t len);

/* Starts a GET; |t| lives until talk_done. */
void talk_get(talk *t, lw_transport *transport, const char *target);
/* Any request; its callbacks are put in. */
void talk_start(talk *t, lw_transport *transport, lw_transfer_options *options);
/* Cancels it if it is under way, and frees the body. */
void talk_done(talk *t);

/* Waits for its end and expects it to be good, with this status and body. */
void talk_expect(talk *t, int status, const char *body);
/* Waits for its end and expects it to be so; |words| are in the message. */
void talk_expect_failure(talk *t, lw_status st, const char *words);

#endif
