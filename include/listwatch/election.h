/* SPDX-License-Identifier: Apache-2.0 */
/* election.h -- leader election with a Lease (coordination.k8s.io/v1), as in client-go: of several
 * copies of a program, one leads.
 *
 *     absent ──create──▶ held ──not renewed for its duration, or released──▶ taken by another
 *
 * Each copy measures with its own monotonic clock how long the Lease has not changed, so that the
 * clocks of the machines need not agree.  A leader that could not renew the Lease for the renew
 * deadline stops leading, even while a request hangs; others take the Lease later, after its
 * duration.  A copy that has lost the Lease competes again.
 *
 * An election has a thread of its own (lw_election_start), or runs in an event loop of the program
 * (lw_election_fd, _timeout_ms, _dispatch). */
#ifndef LISTWATCH_ELECTION_H
#define LISTWATCH_ELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/client.h>
#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

LW_BEGIN_DECLS

/* The callbacks run in the thread of the election, or in lw_election_dispatch, one at a time.  They
 * delay renewals: they should not block for longer than the retry period.  They must not call
 * lw_election_stop, _free and _dispatch. */
typedef void (*lw_election_fn)(void *arg);
typedef void (*lw_leader_fn)(const char *identity, void *arg);

/* Initialise it with LW_ELECTION_OPTIONS_INIT.  Strings are copied. */
typedef struct lw_election_options {
    size_t size;
    lw_client *client;    /* required; the election takes a reference */
    const char *name;     /* name of the Lease; required */
    const char *ns;       /* its namespace; NULL: that of the configuration */
    const char *identity; /* of this copy, unique; NULL: host name, process ID and a random part */
    /* As in client-go, lease duration > renew deadline > 1.2 * retry period. */
    int lease_duration_ms; /* rounded up to seconds; 0: 15000 */
    int renew_deadline_ms; /* 0: two thirds of the lease duration */
    int retry_period_ms;   /* while competing, up to 2.2 times longer; 0: 2/15 of the duration */
    bool releases;         /* release the Lease when the election is closed */
    bool observes;         /* never compete, only report the leader */
    lw_election_fn on_acquired;
    /* This copy leads no more: stop what only a leader does.  Also called by a close, before the
     * Lease is released. */
    lw_election_fn on_lost;
    lw_leader_fn on_new_leader; /* another copy, or this one, holds the Lease; "": released */
    void *arg;
    const lw_clock *clock;   /* NULL: the system clock */
    const lw_logger *logger; /* copied; NULL: nothing is logged */
} lw_election_options;

#define LW_ELECTION_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(lw_election_options), NULL, NULL, NULL, NULL, 0, 0, 0, false, false, NULL, NULL,    \
            NULL, NULL, NULL, NULL                                                                 \
    }

enum {
    LW_ELECTION_IDENTITY_SIZE = 256, /* bytes of an identity with its NUL */
};

typedef struct lw_election lw_election;

/* Makes an election that does not run yet.  LW_ERR_INVALID (no client, no name, times that do not
 * fit together, an identity that is empty or too long), LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK LW_API lw_status lw_election_new(lw_election **out,
                                               const lw_election_options *options, lw_error *err);

/* Stops the election at once, without releasing the Lease, unless it is closed already, and frees
 * it.  NULL does nothing. */
LW_API void lw_election_free(lw_election *election);

/* Starts a thread that runs the election.  LW_ERR_EXISTS: it is already running.  LW_ERR_STOPPED:
 * it is closed.  LW_ERR_IO: cannot create a thread. */
LW_MUST_CHECK LW_API lw_status lw_election_start(lw_election *election, lw_error *err);

/* For an event loop of the program instead of a thread: poll the descriptor for reading, for at
 * most the timeout (-1: none), then dispatch. */
LW_API int lw_election_fd(const lw_election *election);
LW_API int lw_election_timeout_ms(const lw_election *election);
LW_API void lw_election_dispatch(lw_election *election);

/* Closes the election permanently: it stops leading, calls on_lost if it led, and releases the
 * Lease if |releases| is set, for which it tries at most |timeout_ms| (0: the Lease is not
 * released).  Does not wait: the thread or further dispatches do the work.  Any thread, also a
 * callback. */
LW_API void lw_election_close(lw_election *election, int timeout_ms);

/* Returns true if the election was closed and nothing is left to do.  Any thread. */
LW_API bool lw_election_is_closed(const lw_election *election);

/* As lw_election_close, and waits for the thread to end; without a thread, dispatches until the
 * election is closed. */
LW_API void lw_election_stop(lw_election *election, int timeout_ms);

/* Returns true if this copy leads.  Any thread.  It may become false at any time: work that must
 * not be done twice needs the checks of the API server (resourceVersion) as well. */
LW_API bool lw_election_is_leader(const lw_election *election);

/* Returns the identity of this copy; valid as long as the election. */
LW_API const char *lw_election_identity(const lw_election *election);

/* Writes the identity of the leader as last seen ("": none) to |dst| like snprintf.  Returns its
 * length.  Any thread. */
LW_API size_t lw_election_leader(const lw_election *election, char *dst, size_t size);

LW_END_DECLS

#endif
