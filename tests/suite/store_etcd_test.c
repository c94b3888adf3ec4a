/* SPDX-License-Identifier: Apache-2.0 */
/* store_etcd_test.c -- the store suite on a real etcd, a new one for each test. */
#include <stdio.h>
#include <stdlib.h>

#include "store/etcd.h"
#include "suite/store_shifted.h"
#include "suite/store_suite.h"
#include "support/etcd_process.h"

static void *place_new(void)
{
    static const etcd_cluster_options options = {
        .args = { "--max-request-bytes=16777216", "--heartbeat-interval=10",
                  "--election-timeout=100" },
    };
    etcd_cluster *cluster = calloc(1, sizeof(*cluster));
    if (!cluster || !etcd_cluster_start(cluster, &options)) {
        free(cluster);
        return NULL;
    }
    return cluster;
}

static void place_free(void *place)
{
    etcd_cluster_stop(place);
    free(place);
}

static lw_status open_store(void *place, const lw_history_options *history, const lw_clock *clock,
                            lw_store **out, lw_error *err)
{
    const etcd_cluster *cluster = place;
    const lw_store_etcd_options options = {
        .endpoints = cluster->endpoints,
        .prefix = "",
        .compact_s = -1,
    };
    lw_store *store = NULL;
    (void)history;
    (void)clock;
    lw_status st = lw_store_etcd_open(&store, &options, err);
    if (st == LW_OK)
        *out = store_shifted_new(store, 1);
    return st;
}

static const char *const exceptions[] = {
    /* Concurrent transactions reach etcd in any order: only the guards decide. */
    "changes_committed_together_see_each_other",
    /* History is limited by periodic compaction, which has its own tests. */
    "history_is_bounded_in_bytes",
    "history_within_its_limits_is_kept",
    "history_is_bounded_in_age",
    "space_is_used_again",
    "old_history_counts_after_a_restart",
    "history_ages_from_the_restart",
    /* The size of etcd is requested only periodically. */
    "reports_the_size_of_the_store",
    NULL,
};

int main(void)
{
    if (!etcd_is_installed()) {
        (void)puts("1..0 # SKIP no etcd here");
        return 0;
    }
    const store_backend backend = { "store/etcd", place_new,          place_free,
                                    open_store,   .is_durable = true, .exceptions = exceptions };
    return store_suite_run(&backend);
}
