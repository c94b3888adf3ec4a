/* SPDX-License-Identifier: Apache-2.0 */
/* server_faults.h -- faults on demand of a server in a program, for tests: requests that fail, are
 * late or get no answer, and watches that break.
 *
 * Faults apply to requests for resources (below /api/v1 and /apis/GROUP/VERSION), after
 * authentication; never to discovery, health checks and metrics, nor to requests whose User-Agent
 * begins with "listwatch-test/", so that a test can see what is there.  Any thread may call these
 * functions, except callbacks of the server. */
#ifndef LISTWATCH_SERVER_FAULTS_H
#define LISTWATCH_SERVER_FAULTS_H

#include <listwatch/server.h>

LW_BEGIN_DECLS

/* Which requests fail, and how.  Initialise it with LW_SERVER_FAULT_INIT.  Strings are copied. */
typedef struct lw_server_fault {
    size_t size;
    const char *verb;     /* "get", "list", "watch", "create", "update", "patch", "delete",
                             "deletecollection"; NULL: any */
    const char *resource; /* "pods", "deployments.apps", "deployments.apps/status"; without a
                             subresource, only the object itself.  NULL: any */
    const char *ns;       /* NULL: any */
    const char *name;     /* of the object; NULL: any */
    int skip;             /* requests that pass before the first one fails */
    int times;            /* requests that fail; 0: 1; -1: all, until the faults are cleared */
    /* What happens to such a request, first the delay, then the rest.  If only the delay is set,
     * the request is served after it. */
    int delay_ms;      /* -1: until the faults are cleared */
    bool is_cut;       /* the connection is closed without an answer */
    int status;        /* 400 to 599: the HTTP status of the answer, e.g. 409, 410, 429, 500, 503 */
    int retry_after_s; /* with a status: the header Retry-After; 0: none (429: 1) */
} lw_server_fault;

#define LW_SERVER_FAULT_INIT                                                                       \
    {                                                                                              \
        sizeof(lw_server_fault), NULL, NULL, NULL, NULL, 0, 0, 0, false, 0, 0                      \
    }

/* Adds a fault.  Of the faults that match a request, the one that was added first applies.
 * LW_ERR_INVALID: it does nothing, or its status or verb is invalid; LW_ERR_LIMIT: there are 64;
 * LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_add_fault(lw_server *server, const lw_server_fault *fault,
                                                   lw_error *err);

/* Removes all faults.  Delayed requests go on at once. */
LW_API void lw_server_clear_faults(lw_server *server);

/* Returns how many requests faults have applied to so far. */
LW_API size_t lw_server_fault_count(const lw_server *server);

/* Ends all open watches of |resource| ("pods", "deployments.apps"; NULL: of all), and returns how
 * many.  |status| is 0: the connections break in the middle of the reply; 1: the watches end as if
 * their time were over; otherwise an ERROR event with this status precedes the end: 410 tells an
 * informer that its revision is too old, and it lists again.  Waits until the watches have
 * ended. */
LW_API size_t lw_server_break_watches(lw_server *server, const char *resource, int status);

LW_END_DECLS

#endif
