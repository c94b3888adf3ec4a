/* SPDX-License-Identifier: Apache-2.0 */
/* factory.h -- declarations shared by the files of the factory.
 *
 *   factory.c          life cycle, and its informers
 *   factory_turn.c     one turn (iteration), in whichever thread
 *   factory_wait.c     waiting for a condition
 *   factory_metrics.c  statistics for Prometheus
 *   factory_report.c   statistics as JSON
 *   factory_client.c   the default source: an API server
 *
 * Order of locks: the turn (turn.h), |mu|, the locks of informers.  A handler runs in a turn or
 * without any of them. */
#ifndef LW_INFORMER_FACTORY_FACTORY_H
#define LW_INFORMER_FACTORY_FACTORY_H

#include <stdatomic.h>

#include <listwatch/factory.h>

#include "base/clock_waker.h"
#include "base/dlist.h"
#include "base/sync.h"
#include "base/thread/cancel.h"
#include "informer/factory/driver.h"
#include "informer/factory/turn.h"
#include "informer/shared_informer.h"

struct lw_factory {
    lw_factory_options options; /* strings are those of |spec| */
    lw_source_spec spec;        /* the defaults of informers */
    lw_client *client;          /* NULL if the program passed a provider */
    lw_provider *provider;
    lw_logger logger;
    lw_driver driver;
    lw_clock_waker waker; /* of the driver */
    lw_turn turn;
    int64_t read_at_ns;      /* when the thread of the factory has read last, on the system clock */
    atomic_bool is_stopped;  /* written under mu */
    lw_cancel cancel;        /* fired then: cancels requests of handlers */
    bool has_ended;          /* requests were cancelled; used in a turn */
    lw_server_health health; /* used in a turn */
    lw_compact_mode packing; /* of informers without their own */
    lw_warm_options warm;    /* its strings are owned */
    char *state_version;

    lw_mutex mu;        /* guards the rest */
    lw_cond changed;    /* a condition that a thread waits for may be true */
    lw_dlist informers; /* of lw_informer.link; changed only in a turn, except that informers are
                           added */
    uint64_t made;      /* number of informers made so far */
    lw_thread thread;
    bool has_thread;
    pid_t home;          /* the thread that dispatched last, if the factory has no thread */
    unsigned visitors;   /* threads that lw_factory_free must wait for */
    atomic_uint waiters; /* threads that wait for |changed| */
};

/* factory_turn.c */

/* Does one turn; LW_ERR_STOPPED after stop. */
lw_status lw_factory__turn(lw_factory *factory, lw_error *err);

/* Waits for work, at most until |deadline_ns| on the system clock, and does it. */
void lw_factory__drive(lw_factory *factory, int64_t deadline_ns);

/* Wakes waiting threads; |arg| is the factory.  Any thread, no lock held. */
void lw_factory__notify(void *arg);

/* factory_client.c */

/* Makes a provider for the client of |options|, or for a client made from the configuration;
 * |*client| is a reference. */
lw_status lw_factory__open_client(const lw_factory_options *options, lw_client **client,
                                  lw_provider **provider, lw_error *err);
void lw_factory__close_client(lw_client *client);

#endif
