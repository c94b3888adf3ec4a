/* SPDX-License-Identifier: Apache-2.0 */
/* api_patch_test.c -- two loops on two threads patch one object, in two ways, and none of the
 * patches is lost.  Each adds a key of its own.  So that the object stays small, it also deletes
 * one that its writer added long before; until then every answer must show the key. */
#include <stdatomic.h>
#include <stdio.h>

#include "base/str.h"
#include "support/api_world.h"
#include "support/sanitized.h"
#include "thread/crew.h"

#define CONFIGMAP "/api/v1/namespaces/default/configmaps/a"

enum {
    WRITERS = 2,
    KEPT = 16, /* keys that a writer leaves there */
    PATIENCE_MS = 20000,
};
#if IS_SANITIZED
enum {
    PATCHES = 1000
};
#else
enum {
    PATCHES = 10000
};
#endif

typedef struct stage {
    api_world world;
    atomic_int next_member;
    atomic_int landed, refused, lost;
} stage;

/* Odd ones are strategic merge patches. */
static fake_http *send_off(stage *s, lw_loop *loop, int member, int number)
{
    char body[96];
    (void)snprintf(body, sizeof(body), "{\"data\":{\"k%d.%d\":\"\",\"k%d.%d\":null}}", member,
                   number, member, number - KEPT);
    const fake_http_request request = {
        .method = "PATCH",
        .target = CONFIGMAP,
        .headers = { "content-type", number % 2 ? "application/strategic-merge-patch+json"
                                                : "application/merge-patch+json" },
        .body = lw_str_of(body)
    };
    fake_http *http = fake_http_new(loop, &request);
    if (http)
        (void)lw_api_serve(s->world.api, &http->stream, NULL);
    return http;
}

/* How many keys of |member| there are. */
static int keys_of(const fake_http *http, int member)
{
    char key[16];
    int keys = 0;
    lw_str body = lw_buf_view(&http->body);
    size_t len = (size_t)snprintf(key, sizeof(key), "\"k%d.", member);
    for (size_t i = 0; i + len <= body.len; i++)
        keys += memcmp(body.ptr + i, key, len) == 0;
    return keys;
}

static void patch_all(stage *s, lw_loop *loop, int member)
{
    for (int number = 0; number < PATCHES / WRITERS; number++) {
        fake_http *http = send_off(s, loop, member, number);
        int expected = number < KEPT ? number + 1 : KEPT;
        while (http && !http->is_ended && lw_loop_turn(loop, PATIENCE_MS, NULL) == LW_OK)
            ;
        atomic_fetch_add(http && http->status == 200 ? &s->landed : &s->refused, 1);
        if (http && keys_of(http, member) != expected)
            atomic_fetch_add(&s->lost, 1);
        fake_http_free(http);
    }
}

static void write_on_a_loop_of_ones_own(void *arg)
{
    stage *s = arg;
    lw_loop *loop = NULL;
    int member = atomic_fetch_add(&s->next_member, 1);
    if (lw_loop_new(&loop, NULL, NULL) < 0 || lw_api_bind(s->world.api, loop, NULL) < 0) {
        atomic_fetch_add(&s->refused, 1);
        lw_loop_free(loop);
        return;
    }
    patch_all(s, loop, member);
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

static void no_patch_of_two_writers_is_lost(void **state)
{
    stage *s = *state;
    lw_thread writers[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(lw_thread_start(&writers[i], "writer", write_on_a_loop_of_ones_own, s,
                                         NULL),
                         LW_OK);
    for (int i = 0; i < WRITERS; i++)
        lw_thread_join(&writers[i]);
    assert_int_equal(s->refused, 0);
    assert_int_equal(s->landed, PATCHES);
    assert_int_equal(s->lost, 0);
    fake_http *http = api_world_get(&s->world, CONFIGMAP, NULL);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(keys_of(http, i), KEPT);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_patch_of_two_writers_is_lost, stage_setup,
                                        stage_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
