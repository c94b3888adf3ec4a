/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h -- records Events about objects, which `kubectl describe` shows.
 *
 *     lw_recorder_event(recorder, website, "Normal", "Created", "created Deployment %s", name);
 *
 * Recording never blocks and never fails: Events are queued, and written by the thread of the
 * recorder or by lw_recorder_dispatch.  As in client-go:
 *
 *   - a repeated Event is not written again; its count and last time are patched;
 *   - from the tenth similar Event (same object, type and reason) with another message on, they
 *     are combined in one Event until ten minutes have passed without one: "(combined from similar
 * events): ...";
 *   - each object may have 25 Events at once from one component, and one more every five minutes;
 *     further ones are filtered;
 *   - while the server cannot be reached, an Event is tried 12 times, every 10 seconds.
 *
 * Events that do not fit into the queue are dropped and counted. */
#ifndef LISTWATCH_RECORDER_H
#define LISTWATCH_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/client.h>
#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

LW_BEGIN_DECLS

/* Initialise it with LW_RECORDER_OPTIONS_INIT.  Strings are copied. */
typedef struct lw_recorder_options {
    size_t size;
    lw_client *client;       /* required; the recorder takes a reference */
    const char *component;   /* source of the Events, e.g. "website-controller"; required */
    const char *host;        /* host of the source; NULL: none */
    size_t max_queued;       /* Events; 0: 1024 */
    const lw_clock *clock;   /* NULL: the system clock */
    const lw_logger *logger; /* copied; NULL: nothing is logged */
} lw_recorder_options;

#define LW_RECORDER_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(lw_recorder_options), NULL, NULL, NULL, 0, NULL, NULL                               \
    }

enum {
    LW_RECORDER_MESSAGE_SIZE = 1024, /* bytes of a message with its NUL; longer ones are cut */
};

typedef struct lw_recorder lw_recorder;

/* Makes a recorder that only queues Events until it runs.  LW_ERR_INVALID (no client, no
 * component), LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK LW_API lw_status lw_recorder_new(lw_recorder **out,
                                               const lw_recorder_options *options, lw_error *err);

/* Stops the recorder at once and frees it; queued Events are dropped.  NULL does nothing. */
LW_API void lw_recorder_free(lw_recorder *recorder);

/* Starts a thread that writes the Events.  LW_ERR_EXISTS, LW_ERR_STOPPED, LW_ERR_IO (cannot create
 * a thread). */
LW_MUST_CHECK LW_API lw_status lw_recorder_start(lw_recorder *recorder, lw_error *err);

/* For an event loop of the program instead of a thread: poll the descriptor for reading, for at
 * most the timeout (-1: none), then dispatch. */
LW_API int lw_recorder_fd(const lw_recorder *recorder);
LW_API int lw_recorder_timeout_ms(const lw_recorder *recorder);
LW_API void lw_recorder_dispatch(lw_recorder *recorder);

/* Records that something has happened to |object|: |type| is "Normal" or "Warning", |reason| one
 * word in CamelCase, the message a sentence.  Takes a reference to |object|; copies the rest.  Any
 * thread; never waits. */
LW_API void lw_recorder_event(lw_recorder *recorder, const lw_object *object, const char *type,
                              const char *reason, const char *format, ...) LW_PRINTF(5, 6);

/* As lw_recorder_event with another |component|, for a program with several controllers. */
LW_API void lw_recorder_event_from(lw_recorder *recorder, const char *component,
                                   const lw_object *object, const char *type, const char *reason,
                                   const char *format, ...) LW_PRINTF(6, 7);

/* Closes the recorder permanently: later Events are dropped; queued ones are written for at most
 * |timeout_ms|, without retries.  Does not wait.  Any thread. */
LW_API void lw_recorder_close(lw_recorder *recorder, int timeout_ms);

/* Returns true if the recorder was closed and nothing is left to do.  Any thread. */
LW_API bool lw_recorder_is_closed(const lw_recorder *recorder);

/* As lw_recorder_close, and waits for the thread to end; without a thread, dispatches until the
 * recorder is closed. */
LW_API void lw_recorder_stop(lw_recorder *recorder, int timeout_ms);

typedef struct lw_recorder_statistics {
    uint64_t queued;   /* Events that wait now */
    uint64_t created;  /* Events created */
    uint64_t patched;  /* Events counted up */
    uint64_t filtered; /* by the limit per object */
    uint64_t dropped;  /* because the queue was full, memory ran out, or the recorder was closed */
    uint64_t failed;   /* rejected by the server, or given up after all tries */
} lw_recorder_statistics;

/* Gets the statistics.  Any thread. */
LW_API void lw_recorder_stats(const lw_recorder *recorder, lw_recorder_statistics *stats);

LW_END_DECLS

#endif
