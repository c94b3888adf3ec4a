/* SPDX-License-Identifier: Apache-2.0 */
/* mirror.h -- follows an upstream API server and feeds the watch cache with its objects.
 *
 *     upstream ──list, watch──▶ follower (one per resource) ──lw_feed──▶ watch cache ──▶ clients
 *         ▲                                                    get, list, watch (api/read)
 *         └── everything else: writes, other resources, logs, exec (server/proxy) ◀──── clients
 *
 * The read side is that of any server: the same cache and the same code answer; only the source of
 * the cache is another, and revisions are the upstream's.  The server's own store is empty and
 * unused.
 *
 * Threads: one of its own runs all followers; the functions say where they may be called. */
#ifndef LW_SERVER_MIRROR_MIRROR_H
#define LW_SERVER_MIRROR_MIRROR_H

#include <listwatch/server.h>

#include "api/context/context.h"
#include "server/mirror/follower.h"

enum {
    LW_MIRROR_RESOURCES_MAX = 256,
    LW_MIRROR_PER_CLIENT =
        16,                 /* followers that share an HTTP client: HTTP/1.1 has 64 connections */
    LW_MIRROR_START_S = 60, /* for the first lists */
    LW_MIRROR_HISTORY_MIN = 1 << 20, /* bytes of one resource */
    LW_MIRROR_METRICS_MAX = 1 << 20,
};

typedef struct lw_mirror lw_mirror;

/* Reads the upstream's address and the credentials.  |state_dir| is where objects are saved (NULL:
 * nowhere).  LW_ERR_INVALID, or an error of lw_mirror_source_open and lw_state_dir_open. */
LW_MUST_CHECK lw_status lw_mirror_open(lw_mirror **out, const lw_server_mirror *options,
                                       uint64_t history_bytes, const char *state_dir,
                                       const lw_clock *clock, const lw_logger *logger,
                                       lw_error *err);

/* Chooses the resources among |registry|'s kinds and makes them fed ones; before the cache starts.
 * LW_ERR_INVALID: a name is not that of a resource. */
LW_MUST_CHECK lw_status lw_mirror_attach(lw_mirror *mirror, lw_api *api, lw_error *err);

/* Starts the thread, and waits until all resources have been read once.  LW_ERR_UNAVAILABLE,
 * LW_ERR_UNAUTHORIZED, LW_ERR_FORBIDDEN, LW_ERR_NOT_FOUND: a named resource cannot be read. */
LW_MUST_CHECK lw_status lw_mirror_start(lw_mirror *mirror, lw_error *err);

/* Ends the thread; questions are answered with LW_ERR_STOPPED.  NULL does nothing. */
void lw_mirror_stop(lw_mirror *mirror);
void lw_mirror_free(lw_mirror *mirror);

/* For lw_api_options.upstream. */
lw_api_upstream lw_mirror_upstream_hooks(lw_mirror *mirror);

const lw_mirror_source *lw_mirror_upstream(const lw_mirror *mirror);

/* Whether the mirror answers a request. */
typedef enum lw_mirror_verdict {
    LW_MIRROR_LOCAL,   /* yes */
    LW_MIRROR_PASS,    /* no: the upstream does */
    LW_MIRROR_TOO_OLD, /* it would, but is farther behind than it may be */
} lw_mirror_verdict;

/* Decides about a read of |kind| in |ns| (empty: all).  |*lag_ns| is how far behind it is.  Any
 * thread. */
lw_mirror_verdict lw_mirror_judge(lw_mirror *mirror, const lw_kind *kind, lw_str ns,
                                  int64_t *lag_ns);

/* True if there is the view |view| and it prunes |kind| (NULL: anything).  Any thread. */
bool lw_mirror_has_view(lw_mirror *mirror, lw_str view, const lw_kind *kind);

/* True if the mirror has all objects of its resources, not only selected ones.  Any thread. */
bool lw_mirror_is_complete(const lw_mirror *mirror);

/* The longest lag of all resources, and the name of that resource; "" if there is none.  Any
 * thread. */
int64_t lw_mirror_lag(lw_mirror *mirror, char *resource, size_t size);

/* Says which of the upstream's addresses is used and how many do not answer; "" if there is only
 * one.  Any thread. */
void lw_mirror_describe_addresses(lw_mirror *mirror, char *out, size_t size);

/* True if a read is refused when the mirror is |lag_ns| behind.  Any thread. */
bool lw_mirror_is_too_old(const lw_mirror *mirror, int64_t lag_ns);

/* Appends the metrics.  Any thread. */
void lw_mirror_write_metrics(lw_mirror *mirror, lw_buf *out);

#endif
