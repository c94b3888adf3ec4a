/* SPDX-License-Identifier: Apache-2.0 */
/* request_metrics.h -- counts the requests of one loop for the metrics of kube-apiserver.
 *
 * A resource has what is counted of it as a whole, and a series for each way in which it is
 * requested.  Both are made when they are first counted and stay until the metrics are freed;
 * only served resources have any, and their number is limited: beyond it, requests are counted
 * without the names.  One thread counts; any thread may read (lw_request_metrics_merge). */
#ifndef LW_API_CONTEXT_REQUEST_METRICS_H
#define LW_API_CONTEXT_REQUEST_METRICS_H

#include <listwatch/error.h>

#include "base/map.h"
#include "base/metrics/histogram.h"
#include "schema/kinds/kind.h"

enum {
    LW_REQUEST_CODES = 24,          /* different status codes of a series; further ones are 0 */
    LW_REQUEST_RESOURCES_MAX = 2000 /* resources that are told apart */
};

/* As kube-apiserver calls them. */
typedef enum lw_request_verb {
    LW_REQUEST_GET,
    LW_REQUEST_LIST,
    LW_REQUEST_WATCH,
    LW_REQUEST_POST,
    LW_REQUEST_PUT,
    LW_REQUEST_PATCH,
    LW_REQUEST_APPLY,
    LW_REQUEST_DELETE,
    LW_REQUEST_DELETE_COLLECTION,
    LW_REQUEST_OTHER,
} lw_request_verb;

typedef enum lw_request_scope {
    LW_REQUEST_SCOPE_NONE, /* not of a resource */
    LW_REQUEST_SCOPE_RESOURCE,
    LW_REQUEST_SCOPE_NAMESPACE,
    LW_REQUEST_SCOPE_CLUSTER,
} lw_request_scope;

/* How a resource is requested. */
typedef struct lw_request_way {
    lw_request_verb verb;
    lw_request_scope scope;
    unsigned subresource; /* LW_SUB_ bit, or 0 */
    bool is_dry_run;
} lw_request_way;

/* The requests of one resource in one way. */
typedef struct lw_request_series lw_request_series;
struct lw_request_series {
    lw_request_series *next; /* of the resource; set before the series can be seen */
    struct lw_resource_metrics *resource;
    lw_request_way way;
    struct {
        atomic_int code; /* 0: not used yet, or the rest */
        lw_counter count;
    } codes[LW_REQUEST_CODES];
    lw_histogram durations;     /* ns; lw_duration_bounds */
    lw_histogram sli_durations; /* ns, without the time in a queue; not of watches */
    lw_histogram sizes;         /* bytes, of GET and LIST; lw_size_bounds */
    lw_counter long_running;    /* a gauge: watches that are open */
};

/* What the store was asked to do with objects. */
typedef enum lw_store_request {
    LW_STORE_REQUEST_CREATE,
    LW_STORE_REQUEST_UPDATE,
    LW_STORE_REQUEST_DELETE,
    LW_STORE_REQUESTS,
} lw_store_request;

/* One resource, or none: requests that are not of a resource have empty names. */
typedef struct lw_resource_metrics lw_resource_metrics;
struct lw_resource_metrics {
    lw_resource_metrics *next; /* set before the resource can be seen */
    lw_str group, version, plural;
    _Atomic(lw_request_series *) series;
    lw_counter watch_events; /* sent to watches */
    lw_histogram watch_event_sizes;
    lw_counter init_events;        /* of them: objects at the start of a watch */
    lw_counter terminated_watches; /* ended because the client was too slow */
    struct {
        lw_histogram durations; /* ns */
        lw_counter errors;
    } store[LW_STORE_REQUESTS];
    char text[]; /* the names */
};

typedef struct lw_request_metrics {
    _Atomic(lw_resource_metrics *) resources;
    lw_map by_name;          /* of the same; for the thread that counts */
    lw_counter in_flight[2]; /* gauges: requests that read, requests that change */
} lw_request_metrics;

/* Bounds as kube-apiserver has them. */
extern const lw_histogram_bound lw_duration_bounds[];     /* ns */
extern const lw_histogram_bound lw_sli_duration_bounds[]; /* ns */
extern const lw_histogram_bound lw_size_bounds[];         /* bytes */
extern const lw_histogram_bound lw_event_size_bounds[];   /* bytes */

void lw_request_metrics_init(lw_request_metrics *metrics);
void lw_request_metrics_done(lw_request_metrics *metrics);

/* The resource |kind| (NULL: none), and the series of a resource.  NULL if memory runs out: then
 * something is not counted. */
lw_resource_metrics *lw_request_metrics_resource(lw_request_metrics *metrics, const lw_kind *kind);
lw_request_series *lw_request_metrics_series(lw_request_metrics *metrics, const lw_kind *kind,
                                             lw_request_way way);

/* Counts a request that was answered with |code| after |ns|, of which it waited |queued_ns| for
 * its turn, with |bytes|.  |series| may be NULL. */
void lw_request_series_count(lw_request_series *series, int code, int64_t ns, int64_t queued_ns,
                             uint64_t bytes);

/* Adds everything of |more|, of another thread, to |sum|.  LW_ERR_NOMEM: something is missing. */
lw_status lw_request_metrics_merge(lw_request_metrics *sum, const lw_request_metrics *more);

#endif
