/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_world.h -- a real etcd and a client of it, for the tests of src/etcd. */
#ifndef LW_TESTS_UNIT_ETCD_ETCD_WORLD_H
#define LW_TESTS_UNIT_ETCD_ETCD_WORLD_H

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "support/etcd_blocking.h"
#include "support/etcd_process.h"
#include "unit/test.h"

enum {
    ETCD_WORLD_PATIENCE_S = 60, /* before a test that waits gives up */
};

typedef struct etcd_world {
    etcd_cluster cluster;
    etcd_blocking *client;
    lw_etcd *etcd; /* of |client| */
    lw_loop *loop;
} etcd_world;

/* If etcd is not installed, its tests are skipped and reported as skipped. */
#define ETCD_WORLD_SKIP_WITHOUT_ETCD()                                                             \
    do {                                                                                           \
        if (!etcd_is_installed()) {                                                                \
            printf("1..0 # SKIP there is no etcd here\n");                                         \
            return 0;                                                                              \
        }                                                                                          \
    } while (0)

/* A client with |options| (NULL: the defaults); endpoints and files are the cluster's, where none
 * are named. */
static inline etcd_blocking *etcd_world_connect(const etcd_world *world,
                                                const lw_etcd_options *options)
{
    lw_etcd_options own = options ? *options : (lw_etcd_options){ .endpoints = NULL };
    etcd_blocking *client = NULL;
    lw_error err = LW_ERROR_INIT;
    if (!own.endpoints)
        own.endpoints = world->cluster.endpoints;
    if (world->cluster.options.is_tls && !own.ca_file)
        own.ca_file = world->cluster.ca_file;
    if (etcd_blocking_new(&client, &own, &err) < 0)
        fail_msg("%s", err.message);
    return client;
}

static inline void etcd_world_open(etcd_world *world, const etcd_cluster_options *cluster,
                                   const lw_etcd_options *options)
{
    memset(world, 0, sizeof(*world));
    assert_true(etcd_cluster_start(&world->cluster, cluster));
    world->client = etcd_world_connect(world, options);
    world->etcd = etcd_blocking_client(world->client);
    world->loop = etcd_blocking_loop(world->client);
}

static inline void etcd_world_close(etcd_world *world)
{
    etcd_blocking_free(world->client);
    etcd_cluster_stop(&world->cluster);
}

/* Turns until |*count| is |value| at least. */
static inline void etcd_world_await_at(etcd_world *world, const unsigned *count, unsigned value,
                                       const char *file, int line)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + ETCD_WORLD_PATIENCE_S * LW_NS_PER_S;
    while (*count < value) {
        if (lw_clock_now(lw_clock_system()) > deadline) {
            print_error("%u came, %u are awaited\n", *count, value);
            _fail(file, line);
        }
        assert_int_equal(lw_loop_turn(world->loop, 100, NULL), LW_OK);
    }
}
#define etcd_world_await(world, count, value)                                                      \
    etcd_world_await_at((world), (count), (value), __FILE__, __LINE__)

static inline void etcd_world__note_revision(const lw_etcd_txn_answer *answer, void *arg)
{
    *(uint64_t *)arg = answer->is_done ? answer->base.revision : 0;
}

/* Puts, whatever there is; returns the revision. */
static inline uint64_t etcd_world_put(etcd_blocking *client, const char *key, const char *value)
{
    const lw_etcd_txn_request request = {
        .op = LW_ETCD_PUT, .key = lw_str_of(key), .value = lw_str_of(value), .is_unguarded = true
    };
    uint64_t revision = 0;
    lw_error err = LW_ERROR_INIT;
    if (etcd_blocking_txn(client, &request, etcd_world__note_revision, &revision, NULL, &err) < 0)
        fail_msg("%s", err.message);
    return revision;
}

static inline uint64_t etcd_world_delete(etcd_blocking *client, const char *key)
{
    const lw_etcd_txn_request request = { .op = LW_ETCD_DELETE,
                                          .key = lw_str_of(key),
                                          .is_unguarded = true };
    uint64_t revision = 0;
    lw_error err = LW_ERROR_INIT;
    if (etcd_blocking_txn(client, &request, etcd_world__note_revision, &revision, NULL, &err) < 0)
        fail_msg("%s", err.message);
    return revision;
}

#endif
