/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_internal.h -- what the files of the mirror share. */
#ifndef LW_SERVER_MIRROR_MIRROR_INTERNAL_H
#define LW_SERVER_MIRROR_MIRROR_INTERNAL_H

#include "base/sync.h"
#include "server/mirror/mirror.h"

enum {
    LW_MIRROR_CLIENTS_MAX = LW_MIRROR_RESOURCES_MAX / LW_MIRROR_PER_CLIENT + 1,
};

/* A request that finds out whether an address answers. */
typedef struct lw_mirror_probe {
    lw_mirror *mirror;
    lw_upstream *at;
    lw_http_call *call; /* NULL: none */
    int status;
} lw_mirror_probe;

/* Which cluster the upstream is. */
typedef struct lw_mirror_cluster {
    char uid[64];    /* empty: not known */
    bool is_checked; /* it is the same as before, since the last connection has ended */
    lw_http_client *client;
    lw_http_call *call; /* that asks; NULL: none */
    lw_upstream *at;    /* where it is sent to */
    int status;
    lw_buf reply;
    char *identity, *path; /* of the file with it; NULL: nothing is saved */
    lw_state_slot slot;
} lw_mirror_cluster;

struct lw_mirror {
    lw_mirror_source upstream;
    lw_api *api; /* since lw_mirror_attach */
    const lw_clock *clock;
    const lw_logger *logger;
    char *resources; /* NULL: all */
    char *ns, *label_selector, *field_selector;
    int64_t max_lag_ns;     /* 0: any */
    lw_mirror_views *views; /* NULL: none */
    uint64_t history_bytes;
    bool has_custom;         /* custom resources are wanted */
    bool is_started;         /* the followers run */
    lw_state_dir *state_dir; /* NULL: nothing is saved */
    lw_timer save_timer;
    lw_loop *loop;
    lw_thread thread;
    bool is_running;
    lw_http_client *clients[LW_MIRROR_CLIENTS_MAX];
    lw_http_client *prober; /* NULL: there is only one address */
    lw_mirror_probe probes[LW_UPSTREAMS_MAX];
    lw_timer probe_timer;
    lw_mirror_cluster cluster;
    /* Guards |followers| and |count|, which the mirror's thread changes; it reads them without. */
    lw_rwlock lock;
    lw_follower *followers[LW_MIRROR_RESOURCES_MAX]; /* NULL: the place is free */
    size_t count;
    lw_task start;
    lw_mutex mu; /* guards is_changed */
    lw_cond changed;
    bool is_changed;
    char behind[64]; /* a resource that could not be read at the start */
};

enum {
    LW_MIRROR_DEFINITIONS = 1 << 0, /* custom resources are mirrored as these objects say */
    LW_MIRROR_HIDDEN = 1 << 1,      /* lw_follower_options.is_hidden */
};

/* Returns true if |name| is "pods", "deployments.apps" or "deployments.v1.apps" of |kind|. */
bool lw_mirror__is_named(const lw_kind *kind, lw_str name);

/* Follows |kind|, which is not followed yet.  The mirror's thread, or before it runs. LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_mirror__add(lw_mirror *mirror, const lw_kind *kind, unsigned flags,
                                       lw_error *err);

/* Ends what is in place |at|.  The mirror's thread. */
void lw_mirror__remove(lw_mirror *mirror, size_t at);

/* mirror_custom.c -- follows the custom resources that are defined and wanted now, and no others.
 * |arg| is the mirror.  Its thread. */
void lw_mirror__follow_definitions(void *arg);

/* mirror_state.c -- saves from time to time; on the mirror's thread. */
void lw_mirror__save_start(lw_mirror *mirror);
/* Saves everything, and waits for it.  When the thread has ended. */
void lw_mirror__save_last(lw_mirror *mirror);

/* mirror_cluster.c -- finds out which cluster the upstream is.  Then followers start; on the
 * mirror's thread. */
void lw_mirror__cluster_start(lw_mirror *mirror);
void lw_mirror__cluster_done(lw_mirror *mirror);
/* For lw_follower_options. */
bool lw_mirror__may_connect(void *arg);
void lw_mirror__lost(void *arg);

/* mirror.c -- starts the followers, once. */
void lw_mirror__start_followers(lw_mirror *mirror);

/* mirror_health.c -- asks all addresses of the upstream from time to time whether they answer, if
 * there are several; on the mirror's thread. */
void lw_mirror__probe_start(lw_mirror *mirror);

/* mirror_views.c -- feeds the views that name the resource of |follower|, which has not started.
 * LW_ERR_INVALID, LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_mirror__add_views(lw_mirror *mirror, lw_follower *follower,
                                             lw_error *err);

/* Ends the views of |follower|: their watches get what is left, and end. */
void lw_mirror__remove_views(lw_follower *follower);

/* LW_ERR_INVALID: a view names a resource that is not mirrored and cannot be. */
LW_MUST_CHECK lw_status lw_mirror__check_views(lw_mirror *mirror, lw_error *err);

/* Returns who feeds |resource|; the lock is held, or this is the mirror's thread. */
lw_follower *lw_mirror__find(lw_mirror *mirror, const lw_cache_resource *resource);

/* For lw_api_upstream.view_ref. */
lw_cache_resource *lw_mirror__view_ref(void *arg, lw_str view, lw_cache_resource *resource);

#endif
