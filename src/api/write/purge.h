/* SPDX-License-Identifier: Apache-2.0 */
/* purge.h -- what emptying a namespace and emptying a custom resource definition have in common:
 * objects are deleted a portion at a time, and the last write lets their holder go. */
#ifndef LW_API_WRITE_PURGE_H
#define LW_API_WRITE_PURGE_H

#include "api/pending/pending_object.h"
#include "api/write/mass_delete.h"

/* Some objects of one kind. */
typedef struct lw_purge_portion {
    lw_mass_delete mass; /* first */
    lw_cache_list list;  /* what is being deleted */
    lw_buf start;        /* key of the next portion; empty: the first */
    bool has_more;       /* there is a next portion; decided by lw_purge_portion_delete */
} lw_purge_portion;

void lw_purge_portion_init(lw_purge_portion *portion);
void lw_purge_portion_done(lw_purge_portion *portion);

/* The next portion is the first one again. */
void lw_purge_portion_rewind(lw_purge_portion *portion);

/* Lists the next portion: up to |limit| objects of |ns| (empty: of all namespaces).  LW_ERR_NOMEM,
 * LW_ERR_UNAVAILABLE: the list is empty. */
lw_status lw_purge_portion_list(lw_purge_portion *portion, lw_cache_resource *resource, lw_str ns,
                                size_t limit);

/* Forgets what was listed. */
void lw_purge_portion_drop(lw_purge_portion *portion);

/* Deletes what was listed, which is something, and calls |done| once, maybe from within.  |user| is
 * who deletes it for webhooks and policies; NULL: they are not asked.
 * LW_ERR_NOMEM: nothing is deleted, and |done| is not called. */
lw_status lw_purge_portion_delete(lw_purge_portion *portion, lw_api_port *port, const lw_kind *kind,
                                  const lw_user *user, lw_propagation propagation,
                                  void (*done)(lw_mass_delete *mass));

/* Decides the last write, of the holder that is being deleted.  |edit| changes it and returns
 * whether it may be deleted now; if not, it is written as |edit| has left it. */
lw_write_decision lw_purge_decide_last(lw_write *write,
                                       bool (*edit)(lw_pending_object *pending, void *arg),
                                       void *arg);

#endif
