/* SPDX-License-Identifier: Apache-2.0 */
/* session_world.h -- a scripted server, a client, and a session whose output is recorded. */
#ifndef LW_TESTS_SUPPORT_SESSION_WORLD_H
#define LW_TESTS_SUPPORT_SESSION_WORLD_H

#include "base/buf.h"
#include "client/session.h"
#include "support/script_server.h"

/* The transcript has these entries:
 *     object NAME; list RV CONTINUE; open; ADDED NAME; body TEXT; end; fail STATUS: MESSAGE */
typedef struct session_world {
    script_server *server;
    lw_config *config;
    lw_client *client;
    lw_session *session;
    lw_session_call *call; /* NULL after its end */
    lw_buf said;
    unsigned ends;      /* calls that have ended */
    unsigned objects;   /* objects and events of all calls */
    lw_error err;       /* of the last call that failed */
    unsigned cancel_at; /* cancel the call in the callback of this object; 0: never */
    lw_source_sink sink;
} session_world;

void session_world_open(session_world *world);
void session_world_close(session_world *world);

/* Runs the loop until this many calls have ended, or objects were seen; fails after ten seconds. */
void session_world_await(session_world *world, const unsigned *count, unsigned value);

/* Start a call and wait for its end. */
void session_world_list(session_world *world, const lw_list_options *options);
void session_world_watch(session_world *world, const lw_list_options *options);
void session_world_get(session_world *world, const char *target);

/* The on_body callback of lw_session_send; |arg| is the world. */
void session_world_on_body(lw_str body, void *arg);

/* Fails unless the transcript since the last check is |text|. */
void session_world_expect(session_world *world, const char *text);

/* Fails unless the head of request |index| contains |text|. */
void session_world_expect_request(session_world *world, unsigned index, const char *text);

#endif
