/* SPDX-License-Identifier: Apache-2.0 */
/* lane_world.h -- a scripted server, a client of it and a lane, and what the lane says written
 * down. */
#ifndef LW_TESTS_SUPPORT_LANE_WORLD_H
#define LW_TESTS_SUPPORT_LANE_WORLD_H

#include "base/buf.h"
#include "client/lane.h"
#include "support/script_server.h"

/* The words of the transcript:
 *     object NAME; list RV CONTINUE; open; ADDED NAME; body TEXT; end; fail STATUS: MESSAGE */
typedef struct lane_world {
    script_server *server;
    lw_config *config;
    lw_client *client;
    lw_lane *lane;
    lw_lane_call *call; /* NULL once it is over */
    lw_buf said;
    unsigned ends;      /* calls that are over */
    unsigned objects;   /* and events, of all calls */
    lw_error err;       /* of the last that failed */
    unsigned cancel_at; /* cancel the call in the callback of this object; 0: never */
    lw_lane_sink sink;
} lane_world;

void lane_world_open(lane_world *world);
void lane_world_close(lane_world *world);

/* Turns until so many calls are over, or objects were seen; fails after ten seconds. */
void lane_world_await(lane_world *world, const unsigned *count, unsigned value);

/* Starts, and waits for the end. */
void lane_world_list(lane_world *world, const lw_list_options *options);
void lane_world_watch(lane_world *world, const lw_list_options *options);
void lane_world_get(lane_world *world, const char *target);

/* What was said since the last time is |text|. */
void lane_world_expect(lane_world *world, const char *text);

/* The head of request |index| has |text| in it. */
void lane_world_expect_request(lane_world *world, unsigned index, const char *text);

#endif
