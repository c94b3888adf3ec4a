/* SPDX-License-Identifier: Apache-2.0 */
/* factory.h -- what the files of the factory share.
 *
 *   factory.c          its life, and the informers it has
 *   factory_turn.c     what a turn does, in whichever thread
 *   factory_wait.c     waiting for something to have happened
 *   factory_metrics.c  what it has done, as text
 *   factory_client.c   where the objects come from when nobody says otherwise
 *
 * Locks, in this order: the turn (turn.h), |mu|, those of informers.  A handler runs in a turn or
 * without any of them. */
#ifndef LW_INFORMER_FACTORY_H
#define LW_INFORMER_FACTORY_H

#include <stdatomic.h>

#include <listwatch/factory.h>

#include "base/cancel.h"
#include "base/dlist.h"
#include "base/sync.h"
#include "informer/driver.h"
#include "informer/shared_informer.h"
#include "informer/turn.h"

struct lw_factory {
    lw_factory_options options; /* strings are those of |spec| */
    lw_source_spec spec;        /* what informers are about that do not say otherwise */
    lw_client *client;          /* NULL with a provider of the program's own */
    lw_provider *provider;
    lw_logger logger;
    lw_driver driver;
    lw_turn turn;
    atomic_bool is_stopped; /* written under mu */
    lw_cancel cancel;       /* fired then, for what handlers wait for */
    bool has_ended;         /* requests were cancelled; in a turn */

    lw_mutex mu;        /* guards the rest */
    lw_cond changed;    /* something that somebody waits for may have happened */
    lw_dlist informers; /* of lw_informer.link; changed in a turn, except that new ones come */
    uint64_t made;      /* informers so far */
    lw_thread thread;
    bool has_thread;
    pid_t home;          /* the thread that dispatched last, where there is no thread of our own */
    unsigned visitors;   /* threads inside that lw_factory_free must wait for */
    atomic_uint waiters; /* threads that want to hear of |changed| */
};

/* factory_turn.c */

/* One turn; LW_ERR_STOPPED after stop. */
lw_status lw_factory__turn(lw_factory *factory, lw_error *err);

/* Waits for something to do, until |deadline_ns| on the system's clock at most, and does it. */
void lw_factory__drive(lw_factory *factory, int64_t deadline_ns);

/* Wakes whoever waits; |arg| is the factory.  Any thread, no lock held. */
void lw_factory__notify(void *arg);

/* factory_client.c */

/* A provider over the client of |options|, or over one made from the configuration; |*client| is a
 * reference. */
lw_status lw_factory__open_client(const lw_factory_options *options, lw_client **client,
                                  lw_provider **provider, lw_error *err);
void lw_factory__close_client(lw_client *client);

#endif
