/* SPDX-License-Identifier: Apache-2.0 */
/* port.h -- what belongs to one event loop: its view of the cache, its watches, its writes.
 *
 * Threads: that of the loop, but for |wake|, which the cache's thread posts. */
#ifndef LW_API_CONTEXT_PORT_H
#define LW_API_CONTEXT_PORT_H

#include "api/context/context.h"
#include "base/latency_histogram.h"
#include "base/map.h"
#include "base/random.h"
#include "cache/watcher.h"
#include "net/loop.h"
#include "schema/kinds/catalog.h"

typedef struct lw_api_port lw_api_port;

/* Work that goes on by itself on a port and ends with it. */
typedef struct lw_port_worker lw_port_worker;
struct lw_port_worker {
    lw_dlist_node link;                   /* in port->workers */
    void (*stop)(lw_port_worker *worker); /* begin nothing new; called at least once before free */
    void (*free)(lw_port_worker *worker); /* nothing of it is under way any more */
};

struct lw_api_port {
    lw_api *api;
    lw_loop *loop;
    lw_cache_port *cache;
    lw_task wake; /* posted by the cache's thread: dispatches */
    bool is_draining;
    lw_dlist watches;        /* of lw_watch_stream */
    lw_random random;        /* identifiers, jitter */
    size_t under_way;        /* operations at the store, and those about to look again */
    lw_map storing;          /* of lw_write by the key it stores; others of that key wait */
    lw_dlist resting;        /* of lw_throttle */
    lw_catalog_view kinds;   /* the kinds that are served, as of the last look */
    lw_watcher *definitions; /* of the port that follows the definitions; else NULL */
    lw_dlist workers;        /* of lw_port_worker */
    lw_latency_histogram
        deliveries; /* from the commit of a change until a watch's connection has it */
};

/* Makes the loop's port, which becomes the loop's data.  LW_ERR_NOMEM. */
lw_status lw_port_new(lw_api_port **out, lw_api *api, lw_loop *loop, lw_error *err);

/* Has the worker stopped and freed with the port, after those that were added before it. */
void lw_port_add_worker(lw_api_port *port, lw_port_worker *worker);

/* No worker begins anything new.  May be called again. */
void lw_port_stop_workers(lw_api_port *port);

/* Runs the loop, which has ended, until nothing of the port is under way. */
void lw_port_settle(lw_api_port *port);

/* Frees the workers, which have stopped, and the port; nothing is under way. */
void lw_port_free(lw_api_port *port);

#endif
