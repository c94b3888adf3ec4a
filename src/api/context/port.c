/* SPDX-License-Identifier: Apache-2.0 */
/* port.c -- creates and frees the state of one loop. */
#include "api/context/port.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"

/* Runs on the store's thread; the loop dispatches later. */
static void port_wake(void *arg)
{
    lw_api_port *port = arg;
    lw_loop_post(port->loop, &port->wake);
}

static void port_dispatch(lw_task *task)
{
    lw_api_port *port = LW_DLIST_ITEM(&task->link, lw_api_port, wake.link);
    if (port->cache)
        lw_cache_port_dispatch(port->cache);
    else
        lw_free(port); /* freed while the task was queued */
}

lw_status lw_port_new(lw_api_port **out, lw_api *api, lw_loop *loop, lw_error *err)
{
    lw_api_port *port = lw_alloc_zero(1, sizeof(*port));
    if (!port)
        return lw_error_nomem(err);
    port->api = api;
    port->loop = loop;
    port->wake.run = port_dispatch;
    lw_dlist_init(&port->watches);
    lw_dlist_init(&port->resting);
    lw_dlist_init(&port->workers);
    lw_dlist_init(&port->asking);
    lw_dlist_init(&port->converting);
    lw_dlist_init(&port->convert_waiting);
    lw_random_init_from_os(&port->random);
    lw_request_metrics_init(&port->metrics);
    lw_status st = lw_cache_port_new(&port->cache, api->cache, port_wake, port);
    if (st < 0) {
        lw_request_metrics_done(&port->metrics);
        lw_free(port);
        return lw_error_set(err, st, "cannot connect an event loop to the watch cache: %s",
                            lw_status_name(st));
    }
    lw_loop_set_data(loop, port);
    *out = port;
    return LW_OK;
}

void lw_port_add_worker(lw_api_port *port, lw_port_worker *worker)
{
    lw_dlist_push_back(&port->workers, &worker->link);
}

void lw_port_stop_workers(lw_api_port *port)
{
    for (lw_dlist_node *node = lw_dlist_first(&port->workers); node;
         node = lw_dlist_next(&port->workers, node)) {
        lw_port_worker *worker = LW_DLIST_ITEM(node, lw_port_worker, link);
        worker->stop(worker);
    }
}

void lw_port_settle(lw_api_port *port)
{
    while (port->under_way > 0) {
        if (lw_loop_turn(port->loop, -1, NULL) < 0)
            return;
    }
}

void lw_port_free(lw_api_port *port)
{
    assert(lw_dlist_is_empty(&port->watches));
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&port->workers));) {
        lw_port_worker *worker = LW_DLIST_ITEM(node, lw_port_worker, link);
        worker->free(worker);
    }
    lw_catalog_view_done(&port->kinds);
    lw_object_unref(port->namespace_seen);
    if (port->policies_free)
        port->policies_free(port->policies);
    if (port->forms_free)
        port->forms_free(port->forms);
    lw_request_metrics_done(&port->metrics);
    lw_cache_port_free(port->cache);
    lw_loop_set_data(port->loop, NULL);
    port->cache = NULL;
    /* If the loop did not run the wake task, it runs when the loop is freed. */
    if (!lw_dlist_node_is_linked(&port->wake.link))
        lw_free(port);
}
