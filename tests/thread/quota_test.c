/* SPDX-License-Identifier: Apache-2.0 */
/* quota_test.c -- four loops that make and delete what a quota limits, while another counts: there
 * is never more than the quota allows, and in the end it is counted right. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "api/lifecycle/lifecycle.h"
#include "base/clock.h"
#include "base/str.h"
#include "support/api_world.h"
#include "thread/crew.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define QUOTAS     "/api/v1/namespaces/default/resourcequotas"

enum {
    ROUNDS = 40,
    ROOM = 3, /* fewer than there are members */
    PATIENCE_MS = 20000,
};

/* What the crew shares. */
typedef struct stage {
    api_world world;
    lw_loop *keeper;
    lw_thread thread;
    atomic_int next_member;
    atomic_int failures; /* answers that nobody expects */
    atomic_int excesses; /* times that there was too much */
    atomic_int made;
} stage;

static size_t there(const api_world *world)
{
    const lw_kind *kind =
        lw_registry_find(world->registry, LW_STR(""), LW_STR("v1"), LW_STR("configmaps"));
    lw_cache_stats stats;
    lw_cache_resource_stats(lw_api_resource(world->api, kind), &stats);
    return stats.objects;
}

static fake_http *send(stage *s, lw_loop *loop, const char *method, const char *target,
                       const char *body)
{
    const fake_http_request request = { .method = method,
                                        .target = target,
                                        .body = lw_str_of(body) };
    fake_http *http = fake_http_new(loop, &request);
    if (http)
        (void)lw_api_serve(s->world.api, &http->stream, NULL);
    while (http && !http->is_ended && lw_loop_turn(loop, PATIENCE_MS, NULL) == LW_OK)
        ;
    return http;
}

static int status_of(stage *s, lw_loop *loop, const char *method, const char *target,
                     const char *body)
{
    fake_http *http = send(s, loop, method, target, body);
    int status = http ? http->status : -1;
    fake_http_free(http);
    return status;
}

/* Makes one if it may, and deletes it again. */
static void come_and_go(stage *s, lw_loop *loop, int member, int round)
{
    char name[32], body[128], target[128];
    (void)snprintf(name, sizeof(name), "c-%d-%d", member, round);
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"}}", name);
    (void)snprintf(target, sizeof(target), "%s/%s", CONFIGMAPS, name);
    int status = status_of(s, loop, "POST", CONFIGMAPS, body);
    if (there(&s->world) > ROOM)
        atomic_fetch_add(&s->excesses, 1);
    if (status == 403)
        return;
    atomic_fetch_add(status == 201 ? &s->made : &s->failures, 1);
    if (status_of(s, loop, "DELETE", target, "") != 200)
        atomic_fetch_add(&s->failures, 1);
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
        come_and_go(s, loop, member, round);
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
    return api_world_open(&s.world, NULL) < 0 || lw_api_seed(s.world.api, NULL) < 0 ||
                   lw_loop_new(&s.keeper, NULL, NULL) < 0 ||
                   lw_api_bind(s.world.api, s.keeper, NULL) < 0 ||
                   lw_lifecycle_start(s.world.api, s.keeper, NULL) < 0 ||
                   lw_thread_start(&s.thread, "lifecycle", run_loop, s.keeper, NULL) < 0
               ? -1
               : 0;
}

static int stage_teardown(void **state)
{
    stage *s = *state;
    lw_loop_stop(s->keeper);
    lw_thread_join(&s->thread);
    lw_api_unbind(s->world.api, s->keeper);
    lw_loop_free(s->keeper);
    api_world_close(&s->world);
    return 0;
}

static void await_used(stage *s, const char *used)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + PATIENCE_MS * LW_NS_PER_MS;
    for (bool is_there = false; !is_there;) {
        fake_http *http = send(s, s->world.loop, "GET", QUOTAS "/q", "");
        assert_non_null(http);
        is_there = memmem(http->body.data, http->body.len, used, strlen(used)) != NULL;
        if (!is_there && lw_clock_now(lw_clock_system()) > deadline)
            fail_msg("no %s in %.*s", used, (int)http->body.len, http->body.data);
        fake_http_free(http);
        (void)lw_loop_turn(s->world.loop, 1, NULL);
    }
}

static void there_is_never_more_than_the_quota_allows(void **state)
{
    static const char quota[] =
        "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"configmaps\":\"3\"}}}";
    stage *s = *state;
    assert_int_equal(status_of(s, s->world.loop, "POST", QUOTAS, quota), 201);
    await_used(s, "\"used\":{\"configmaps\":\"0\"}");
    crew_run(work_on_a_loop_of_ones_own, s);
    assert_int_equal(s->failures, 0);
    assert_int_equal(s->excesses, 0);
    assert_true(s->made >= ROOM);
    await_used(s, "\"used\":{\"configmaps\":\"0\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(there_is_never_more_than_the_quota_allows, stage_setup,
                                        stage_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
