/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_internal.h -- what the files of the mirror share. */
#ifndef LW_SERVER_MIRROR_MIRROR_INTERNAL_H
#define LW_SERVER_MIRROR_MIRROR_INTERNAL_H

#include "base/sync.h"
#include "server/mirror/mirror.h"

enum {
    LW_MIRROR_CLIENTS_MAX = LW_MIRROR_RESOURCES_MAX / LW_MIRROR_PER_CLIENT + 1,
};

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
    bool has_custom; /* custom resources are wanted */
    bool is_started; /* the followers run */
    lw_loop *loop;
    lw_thread thread;
    bool is_running;
    lw_http_client *clients[LW_MIRROR_CLIENTS_MAX];
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

#endif
