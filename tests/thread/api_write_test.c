/* SPDX-License-Identifier: Apache-2.0 */
/* api_write_test.c -- four loops on four threads write the same objects. */
#include <stdatomic.h>
#include <stdio.h>

#include "base/str.h"
#include "support/api_world.h"
#include "thread/crew.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"

enum {
    ROUNDS = 15,
    AT_ONCE = 4,
    PATIENCE_MS = 20000,
};

/* What the crew shares. */
typedef struct stage {
    api_world world;
    atomic_int next_member;
    atomic_int patched, refused; /* patches by their answers */
    atomic_int made, existing;   /* creations by their answers */
    atomic_int others;           /* answers that nobody expects */
} stage;

static fake_http *send_off(stage *s, lw_loop *loop, const char *method, const char *target,
                           const char *body)
{
    const fake_http_request request = { .method = method,
                                        .target = target,
                                        .headers = { "content-type",
                                                     "application/merge-patch+json" },
                                        .body = lw_str_of(body) };
    const fake_http_request plain = { .method = method, .target = target, .body = lw_str_of(body) };
    bool is_patch = method[1] == 'A';
    fake_http *http = fake_http_new(loop, is_patch ? &request : &plain);
    if (http)
        (void)lw_api_serve(s->world.api, &http->stream, NULL);
    return http;
}

static int await(lw_loop *loop, fake_http *http)
{
    while (http && !http->is_ended && lw_loop_turn(loop, PATIENCE_MS, NULL) == LW_OK)
        ;
    int status = http ? http->status : 0;
    fake_http_free(http);
    return status;
}

static void patch_round(stage *s, lw_loop *loop, int member, int round)
{
    fake_http *calls[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        char body[64];
        (void)snprintf(body, sizeof(body), "{\"data\":{\"k%d.%d.%d\":\"\"}}", member, round, i);
        calls[i] = send_off(s, loop, "PATCH", CONFIGMAPS "/a", body);
    }
    for (int i = 0; i < AT_ONCE; i++)
        atomic_fetch_add(await(loop, calls[i]) == 200 ? &s->patched : &s->refused, 1);
}

static void create_round(stage *s, lw_loop *loop, int round)
{
    char body[64];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"r%d\"}}", round);
    int status = await(loop, send_off(s, loop, "POST", CONFIGMAPS, body));
    atomic_fetch_add(status == 201 ? &s->made : status == 409 ? &s->existing : &s->others, 1);
}

static void write_on_a_loop_of_ones_own(void *arg)
{
    stage *s = arg;
    lw_loop *loop = NULL;
    int member = atomic_fetch_add(&s->next_member, 1);
    if (lw_loop_new(&loop, NULL, NULL) < 0 || lw_api_bind(s->world.api, loop, NULL) < 0) {
        atomic_fetch_add(&s->others, 1);
        lw_loop_free(loop);
        return;
    }
    for (int round = 0; round < ROUNDS; round++) {
        patch_round(s, loop, member, round);
        create_round(s, loop, round);
    }
    lw_api_drain(s->world.api, loop);
    lw_api_unbind(s->world.api, loop);
    lw_loop_free(loop);
}

static int stage_setup(void **state)
{
    static stage the_stage;
    the_stage = (stage){ .next_member = 0 };
    *state = &the_stage;
    if (api_world_open(&the_stage.world, NULL) < 0 || lw_api_seed(the_stage.world.api, NULL) < 0)
        return -1;
    return api_world_put_config(&the_stage.world, "default", "a", NULL, NULL) > 0 ? 0 : -1;
}

static int stage_teardown(void **state)
{
    stage *s = *state;
    api_world_close(&s->world);
    return 0;
}

static void every_patch_lands_and_every_name_is_given_once(void **state)
{
    stage *s = *state;
    crew_run(write_on_a_loop_of_ones_own, s);
    assert_int_equal(s->others, 0);
    assert_int_equal(s->refused, 0);
    assert_int_equal(s->patched, CREW_SIZE * ROUNDS * AT_ONCE);
    assert_int_equal(s->made, ROUNDS);
    assert_int_equal(s->existing, (CREW_SIZE - 1) * ROUNDS);
    fake_http *http = api_world_get(&s->world, CONFIGMAPS "/a", NULL);
    size_t keys = 0;
    for (size_t i = 0; i + 2 < http->body.len; i++)
        keys += memcmp(http->body.data + i, "\"k", 2) == 0 && http->body.data[i + 2] < ':';
    assert_int_equal(keys, CREW_SIZE * ROUNDS * AT_ONCE);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_patch_lands_and_every_name_is_given_once, stage_setup,
                                        stage_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
