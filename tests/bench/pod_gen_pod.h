/* SPDX-License-Identifier: Apache-2.0 */
/* pod_gen_pod.h -- one pod of the generator: what was decided about it, and who writes which part.
 *
 * JSON is written by hand here, not by json/writer: a list that measures and tests the library must
 * not come from it. */
#ifndef LW_TESTS_BENCH_POD_GEN_POD_H
#define LW_TESTS_BENCH_POD_GEN_POD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum {
    POD_CONTAINERS_MAX = 3,
    GEN_ENV_COUNT = 6,
};

/* A variable of a container's environment; those with fewer take the first ones. */
typedef struct gen_env {
    const char *name;
    const char *value; /* NULL: from a field of the pod */
} gen_env;

extern const gen_env gen_envs[GEN_ENV_COUNT];

typedef struct gen_container {
    const char *name;
    const char *image;
    unsigned port; /* 0: none */
    unsigned env_count;
    bool has_probes;
    bool has_limits;
} gen_container;

typedef struct gen_pod {
    const char *app;
    const char *tier;
    const char *ns;
    char set_hash[11]; /* of its ReplicaSet */
    char name[96];     /* <app>-<set_hash>-<suffix> */
    char uid[37];
    char set_uid[37];
    char token_volume[24]; /* kube-api-access-<suffix> */
    char created[24];      /* RFC 3339 */
    unsigned version;
    unsigned node;
    uint64_t resource_version;
    unsigned address[2];
    uint64_t noise; /* more random bits, for whoever needs some */
    gen_container containers[POD_CONTAINERS_MAX];
    unsigned container_count;
    bool is_ready;
    bool has_config;       /* a volume from a ConfigMap */
    bool is_scraped;       /* annotations for Prometheus */
    bool was_applied;      /* last-applied-configuration */
    bool is_international; /* an annotation beyond ASCII */
} gen_pod;

/* Decides everything about pod |index| of the list made from |seed|. */
void gen_pod_decide(gen_pod *pod, uint64_t seed, uint64_t index);

/* The object, "{" to "}". */
void gen_write_pod(lw_buf *out, const gen_pod *pod, bool drops_managed_fields);

/* Its parts, each a value. */
void gen_write_spec(lw_buf *out, const gen_pod *pod);
void gen_write_status(lw_buf *out, const gen_pod *pod);
void gen_write_managed_fields(lw_buf *out, const gen_pod *pod);

#endif
