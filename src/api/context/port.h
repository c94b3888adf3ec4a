/* SPDX-License-Identifier: Apache-2.0 */
/* port.h -- the state of one event loop: its cache port, its watches, its writes.
 *
 * Threads: the loop's, except that the cache's thread posts |wake|. */
#ifndef LW_API_CONTEXT_PORT_H
#define LW_API_CONTEXT_PORT_H

#include "api/context/context.h"
#include "api/context/decision_cache.h"
#include "api/context/request_metrics.h"
#include "base/map.h"
#include "base/metrics/latency_histogram.h"
#include "base/random.h"
#include "cache/watcher.h"
#include "net/loop.h"
#include "schema/kinds/catalog.h"

typedef struct lw_api_port lw_api_port;

/* A background task of a port, such as a controller; it ends with the port. */
typedef struct lw_port_worker lw_port_worker;
struct lw_port_worker {
    lw_dlist_node link;                   /* in port->workers */
    void (*stop)(lw_port_worker *worker); /* starts nothing new; called at least once before free */
    void (*free)(lw_port_worker *worker); /* called when none of its operations is in progress */
};

struct lw_api_port {
    lw_api *api;
    lw_loop *loop;
    lw_cache_port *cache;
    lw_task wake; /* posted by the cache's thread: dispatches */
    bool is_draining;
    bool is_worker;        /* of a loop that serves heavy requests and has no connections */
    lw_dlist watches;      /* of lw_watch_stream */
    lw_random random;      /* identifiers, jitter */
    size_t under_way;      /* operations in progress at the store, and those about to be retried */
    lw_map storing;        /* lw_write by the key it stores; other writes of that key wait */
    lw_dlist resting;      /* of lw_throttle, during their pauses */
    lw_catalog_view kinds; /* the kinds that are served, as last read */
    lw_watcher *definitions; /* on the port that follows the definitions; otherwise NULL */
    lw_dlist workers;        /* of lw_port_worker */
    lw_latency_histogram
        deliveries; /* from the commit of a change until it was written to a watch's connection */
    lw_request_metrics metrics;     /* other threads read them */
    lw_decision_cache allowed;      /* what the loop's requests were allowed */
    lw_object *namespace_seen;      /* the one that was looked at last (api/admission/namespaces.h);
                                       NULL: none yet */
    bool is_seen_active;            /* it takes new objects */
    lw_dlist asking;                /* of lw_write, those that wait for admission webhooks */
    lw_dlist converting;            /* of lw_convert, those with a call in progress */
    lw_dlist convert_waiting;       /* of lw_convert, those that wait for one of these */
    struct lw_hook_view *hook_view; /* api/webhooks; NULL: none yet */
    void *hook_client;              /* of the caller of webhooks; NULL: none yet */
    /* The admission policies as last seen (api/policies); freed with the port. */
    struct lw_policy_set *policies;
    uint64_t policies_version;
    void (*policies_free)(struct lw_policy_set *set); /* NULL: never looked */
    /* Encodes the events of the watches (api/media); freed with the port. */
    struct lw_form_maker *forms;
    void (*forms_free)(struct lw_form_maker *forms); /* NULL: no watch has needed it */
};

/* Creates the loop's port and makes it the loop's data.  LW_ERR_NOMEM. */
lw_status lw_port_new(lw_api_port **out, lw_api *api, lw_loop *loop, lw_error *err);

/* Adds a worker.  The port stops and frees its workers in the order they were added. */
void lw_port_add_worker(lw_api_port *port, lw_port_worker *worker);

/* Stops all workers: they start nothing new.  May be called again. */
void lw_port_stop_workers(lw_api_port *port);

/* Runs the loop, which has ended, until no operation of the port is in progress. */
void lw_port_settle(lw_api_port *port);

/* Frees the workers, which have stopped, and the port; no operation may be in progress. */
void lw_port_free(lw_api_port *port);

#endif
