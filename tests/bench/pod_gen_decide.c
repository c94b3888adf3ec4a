/* SPDX-License-Identifier: Apache-2.0 */
/* pod_gen_decide.c -- which pod this is: a deployment of a dozen replicas, its names and extras.
 * Everything follows from the seed and the index, so pods can be made in any order. */
#include "bench/pod_gen_pod.h"

#include <stdio.h>
#include <string.h>

typedef struct gen_app {
    const char *name;
    const char *tier;
    const char *image;
    unsigned port;
} gen_app;

static const gen_app apps[] = {
    { "web", "frontend", "registry.example.com/shop/web:v2.14.3", 8080 },
    { "checkout", "backend", "registry.example.com/shop/checkout:v1.9.0", 9090 },
    { "payments-api", "backend",
      "registry.example.com/pay/api@sha256:"
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      8443 },
    { "redis", "cache", "docker.io/library/redis:7.2-alpine", 6379 },
    { "postgres", "database", "docker.io/library/postgres:15.4", 5432 },
    { "worker", "batch", "registry.example.com/jobs/worker:2026.11.02-4f1c2aa", 0 },
    { "search-indexer", "batch", "registry.example.com/search/indexer:v0.31.7", 0 },
    { "node-exporter", "monitoring", "quay.io/prometheus/node-exporter:v1.6.1", 9100 },
    { "gateway", "frontend", "registry.example.com/edge/gateway:v5.0.1", 8000 },
};

static const char *const namespaces[] = {
    "default",    "shop",    "payments",   "search",     "kube-system",
    "monitoring", "staging", "team-north", "team-south", "batch-jobs",
};

static const gen_container sidecars[] = {
    { "istio-proxy", "docker.io/istio/proxyv2:1.19.3", 15090, GEN_ENV_COUNT, true, true },
    { "log-shipper", "registry.example.com/platform/log-shipper:v3.2.0", 0, 2, false, true },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    REPLICAS = 12,
};

/* splitmix64: any seed is a good one. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

static unsigned below(uint64_t *state, unsigned limit)
{
    return (unsigned)(next_random(state) % limit);
}

/* The letters that Kubernetes makes names of: no vowels, so no words. */
static void safe_letters(char *dst, size_t count, uint64_t *state)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    for (size_t i = 0; i < count; i++)
        dst[i] = letters[below(state, sizeof(letters) - 1)];
    dst[count] = '\0';
}

static void random_uid(char dst[37], uint64_t *state)
{
    uint64_t a = next_random(state), b = next_random(state);
    snprintf(dst, 37, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(a >> 32),
             (unsigned)(a >> 16) & 0xFFFF, (unsigned)a & 0xFFF,
             0x8000 | ((unsigned)(b >> 48) & 0x3FFF), (unsigned long long)(b & 0xFFFFFFFFFFFF));
}

static void decide_set(gen_pod *pod, uint64_t seed, uint64_t set, const gen_app **app)
{
    uint64_t state = seed ^ (set * 0xD1342543DE82EF95U);
    *app = &apps[below(&state, COUNT(apps))];
    pod->app = (*app)->name;
    pod->tier = (*app)->tier;
    pod->ns = namespaces[below(&state, COUNT(namespaces))];
    pod->version = below(&state, 40);
    safe_letters(pod->set_hash, 9 + set % 2, &state);
    random_uid(pod->set_uid, &state);
    pod->has_config = below(&state, 2) == 0;
    pod->is_scraped = below(&state, 3) == 0;
}

/* One draw a statement, here and below: the order of arguments is the compiler's choice. */
static void decide_created(gen_pod *pod, uint64_t *state)
{
    unsigned month = 1 + below(state, 10);
    unsigned day = 1 + below(state, 28);
    unsigned hour = below(state, 24);
    unsigned minute = below(state, 60);
    unsigned second = below(state, 60);
    snprintf(pod->created, sizeof(pod->created), "2026-%02u-%02uT%02u:%02u:%02uZ", month, day, hour,
             minute, second);
}

static void decide_containers(gen_pod *pod, const gen_app *app, uint64_t *state)
{
    gen_container *own = &pod->containers[0];
    own->name = app->name;
    own->image = app->image;
    own->port = app->port;
    own->env_count = below(state, 3);
    own->has_probes = app->port != 0 && below(state, 3) == 0;
    own->has_limits = below(state, 4) != 0;
    pod->container_count = 1;
    for (size_t i = 0; i < COUNT(sidecars); i++) {
        if (below(state, 12) == 0)
            pod->containers[pod->container_count++] = sidecars[i];
    }
}

void gen_pod_decide(gen_pod *pod, uint64_t seed, uint64_t index)
{
    const gen_app *app;
    char suffix[6];
    uint64_t state = seed + index * 0xA24BAED4963EE407U;
    *pod = (gen_pod){ 0 };
    decide_set(pod, seed, index / REPLICAS, &app);

    safe_letters(suffix, 5, &state);
    snprintf(pod->name, sizeof(pod->name), "%s-%s-%s", pod->app, pod->set_hash, suffix);
    random_uid(pod->uid, &state);
    safe_letters(suffix, 5, &state);
    snprintf(pod->token_volume, sizeof(pod->token_volume), "kube-api-access-%s", suffix);
    decide_created(pod, &state);
    pod->node = below(&state, 400);
    pod->resource_version = 1000000 + index * 7 + below(&state, 7);
    pod->address[0] = below(&state, 256);
    pod->address[1] = 1 + below(&state, 254);
    pod->noise = next_random(&state);
    decide_containers(pod, app, &state);
    pod->is_ready = below(&state, 25) != 0;
    pod->was_applied = below(&state, 12) == 0;
    pod->is_international = below(&state, 50) == 0;
}
