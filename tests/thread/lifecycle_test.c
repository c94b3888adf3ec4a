/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle_test.c -- two collectors on threads of their own, as two servers over one store have
 * them, while four loops make owners and dependents, of built-in and of custom kinds, and delete
 * them. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "api/lifecycle/lifecycle.h"
#include "base/clock.h"
#include "base/str.h"
#include "support/api_world.h"
#include "thread/crew.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define CRDS       "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

/* What owners are. */
typedef struct owner_kind {
    const char *collection;
    const char *api_version, *kind;
} owner_kind;

static const owner_kind configmaps = { CONFIGMAPS, "v1", "ConfigMap" };
static const owner_kind widgets = { "/apis/ex.io/v1/widgets", "ex.io/v1", "Widget" };

enum {
    ROUNDS = 10,
    CHILDREN = 3,
    COLLECTORS = 2,
    PATIENCE_MS = 20000,
    UID_LEN = 36,
};

/* What the crew shares. */
typedef struct stage {
    api_world world;
    const owner_kind *owners;
    lw_loop *loops[COLLECTORS];
    lw_thread threads[COLLECTORS];
    atomic_int next_member;
    atomic_int failures; /* answers that nobody expects */
} stage;

/* Sends and waits; the uid of what was answered goes to |uid| if it is not NULL. */
static void send(stage *s, lw_loop *loop, const fake_http_request *request, int status, char *uid)
{
    static const char mark[] = "\"uid\":\"";
    fake_http *http = fake_http_new(loop, request);
    if (http)
        (void)lw_api_serve(s->world.api, &http->stream, NULL);
    while (http && !http->is_ended && lw_loop_turn(loop, PATIENCE_MS, NULL) == LW_OK)
        ;
    const char *at = http && http->body.len > 0
                         ? memmem(http->body.data, http->body.len, mark, sizeof(mark) - 1)
                         : NULL;
    if (!http || http->status != status || (uid && !at))
        atomic_fetch_add(&s->failures, 1);
    else if (uid)
        (void)snprintf(uid, UID_LEN + 1, "%s", at + sizeof(mark) - 1);
    fake_http_free(http);
}

static void make(stage *s, lw_loop *loop, const char *collection, const char *name,
                 const char *more, char *uid)
{
    char body[512];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"%s}}", name, more);
    const fake_http_request request = { .method = "POST",
                                        .target = collection,
                                        .body = lw_str_of(body) };
    send(s, loop, &request, 201, uid);
}

static void raise_and_drop_a_family(stage *s, lw_loop *loop, int member, int round)
{
    static const char *const policies[] = { "Background", "Foreground" };
    char uid[UID_LEN + 1] = "", name[32], child[48], refs[256], target[128];
    (void)snprintf(name, sizeof(name), "o-%d-%d", member, round);
    make(s, loop, s->owners->collection, name, "", uid);
    (void)snprintf(refs, sizeof(refs),
                   ",\"ownerReferences\":[{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"name\":"
                   "\"%s\",\"uid\":\"%s\",\"blockOwnerDeletion\":true}]",
                   s->owners->api_version, s->owners->kind, name, uid);
    for (int i = 0; i < CHILDREN; i++) {
        (void)snprintf(child, sizeof(child), "%s-%d", name, i);
        make(s, loop, CONFIGMAPS, child, refs, NULL);
    }
    (void)snprintf(target, sizeof(target), "%s/%s?propagationPolicy=%s", s->owners->collection,
                   name, policies[round % 2]);
    const fake_http_request request = { .method = "DELETE", .target = target };
    send(s, loop, &request, 200, NULL);
}

static void work_on_a_loop_of_ones_own(void *arg)
{
    stage *s = arg;
    lw_loop *loop = NULL;
    int member = atomic_fetch_add(&s->next_member, 1);
    if (lw_loop_new(&loop, NULL, NULL) < 0 || lw_api_bind(s->world.api, loop, NULL) < 0) {
        atomic_fetch_add(&s->failures, 1);
        lw_loop_free(loop);
        return;
    }
    for (int round = 0; round < ROUNDS; round++)
        raise_and_drop_a_family(s, loop, member, round);
    lw_api_drain(s->world.api, loop);
    lw_api_unbind(s->world.api, loop);
    lw_loop_free(loop);
}

static void run_loop(void *arg)
{
    (void)lw_loop_run(arg, NULL);
}

static int stage_setup(void **state)
{
    static stage s;
    s = (stage){ .next_member = 0 };
    *state = &s;
    if (api_world_open(&s.world, NULL) < 0 || lw_api_seed(s.world.api, NULL) < 0)
        return -1;
    for (int i = 0; i < COLLECTORS; i++) {
        if (lw_loop_new(&s.loops[i], NULL, NULL) < 0 ||
            lw_api_bind(s.world.api, s.loops[i], NULL) < 0 ||
            lw_lifecycle_start(s.world.api, s.loops[i], NULL) < 0 ||
            lw_thread_start(&s.threads[i], "lifecycle", run_loop, s.loops[i], NULL) < 0)
            return -1;
    }
    return 0;
}

static int stage_teardown(void **state)
{
    stage *s = *state;
    for (int i = 0; i < COLLECTORS; i++) {
        lw_loop_stop(s->loops[i]);
        lw_thread_join(&s->threads[i]);
        lw_api_unbind(s->world.api, s->loops[i]);
        lw_loop_free(s->loops[i]);
    }
    api_world_close(&s->world);
    return 0;
}

/* How many ConfigMaps there are. */
static size_t left(const api_world *world)
{
    const lw_kind *kind =
        lw_registry_find(world->registry, LW_STR(""), LW_STR("v1"), LW_STR("configmaps"));
    lw_cache_stats stats;
    lw_cache_resource_stats(lw_api_resource(world->api, kind), &stats);
    return stats.objects;
}

static void await_none(stage *s)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_MS * LW_NS_PER_MS;
    while (left(&s->world) > 0 && lw_clock_now(lw_clock_system()) < deadline)
        (void)lw_loop_turn(s->world.loop, 10, NULL);
    assert_int_equal(left(&s->world), 0);
}

static void every_family_goes(void **state)
{
    stage *s = *state;
    s->owners = &configmaps;
    crew_run(work_on_a_loop_of_ones_own, s);
    assert_int_equal(s->failures, 0);
    await_none(s);
}

/* The definition goes while families do, and comes again. */
static void every_family_of_custom_owners_goes(void **state)
{
    static const char definition[] =
        "{\"metadata\":{\"name\":\"widgets.ex.io\"},\"spec\":{\"group\":\"ex.io\",\"scope\":"
        "\"Cluster\","
        "\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{\"name\":\"v1\","
        "\"served\":"
        "true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";
    const fake_http_request define = { .method = "POST",
                                       .target = CRDS,
                                       .body = lw_str_of(definition) };
    const fake_http_request undefine = { .method = "DELETE", .target = CRDS "/widgets.ex.io" };
    const fake_http_request gone = { .method = "GET", .target = CRDS "/widgets.ex.io" };
    stage *s = *state;
    s->owners = &widgets;
    for (int i = 0; i < 2; i++) {
        send(s, s->world.loop, &define, 201, NULL);
        crew_run(work_on_a_loop_of_ones_own, s);
        send(s, s->world.loop, &undefine, 200, NULL);
        assert_int_equal(s->failures, 0);
        await_none(s);
        int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_MS * LW_NS_PER_MS;
        do {
            atomic_store(&s->failures, 0);
            (void)lw_loop_turn(s->world.loop, 10, NULL); /* its port may be who lets it go */
            send(s, s->world.loop, &gone, 404, NULL);
        } while (atomic_load(&s->failures) > 0 && lw_clock_now(lw_clock_system()) < deadline);
        assert_int_equal(s->failures, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_family_goes, stage_setup, stage_teardown),
        cmocka_unit_test_setup_teardown(every_family_of_custom_owners_goes, stage_setup,
                                        stage_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
