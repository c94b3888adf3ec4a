/* SPDX-License-Identifier: Apache-2.0 */
/* convert_test.c -- jobs share calls, and none waits for a call that was called off. */
#include "api/conversion/convert.h"

#include "support/fake_hooks.h"
#include "support/host_definition.h"
#include "unit/api/sent.h"

static fake_hooks fake;
static api_world world;
static lw_definition *definition;
static lw_object *object; /* as it is in the watch cache: all jobs have the same */
static const char *reply;

static const char *answer(const char *url, lw_str body)
{
    (void)body;
    assert_string_equal(url, "https://convert");
    return reply;
}

#define CONVERTED                                                                                  \
    "\"convertedObjects\":[{\"kind\":\"Host\",\"apiVersion\":\"example.com/v2\",\"metadata\":{"    \
    "\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"u-a\"},\"spec\":{\"m\":1}}],\"result\":{"  \
    "\"status\":\"Success\"}"

typedef struct job {
    lw_convert base; /* first */
    lw_object *obj;
    int over; /* 0: not yet; 1: converted; -1: failed */
} job;

static void job_over(lw_convert *base, bool is_converted)
{
    job *j = (job *)(void *)base;
    assert_int_equal(j->over, 0);
    j->over = is_converted ? 1 : -1;
}

static lw_convert_outcome start(job *j)
{
    lw_api_port *port = lw_loop_data(world.loop);
    *j = (job){ .obj = lw_object_ref(object) };
    j->base = (lw_convert){ .port = port,
                            .kind = lw_definition_version(definition, LW_STR("v2")),
                            .objects = &j->obj,
                            .count = 1,
                            .done = job_over };
    return lw_convert_start(&j->base);
}

static void run_loop(void)
{
    for (int i = 0; i < 4; i++)
        assert_true(lw_loop_turn(world.loop, 0, NULL) >= 0);
}

static int setup(void **state)
{
    (void)state;
    reply = CONVERTED;
    fake_hooks_init(&fake, answer);
    assert_int_equal(api_world_open(&world, NULL), LW_OK);
    assert_int_equal(host_definition(&definition, &fake.caller, NULL), LW_OK);
    assert_int_equal(host_object(&object, "v1", "a", 7), LW_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lw_object_unref(object);
    lw_definition_unref(definition);
    definition = NULL;
    api_world_close(&world);
    return 0;
}

static void jobs_with_the_same_object_share_a_call(void **state)
{
    job jobs[3];
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(start(&jobs[i]), LW_CONVERT_WAITING);
    run_loop();
    assert_int_equal(fake.started, 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(jobs[i].over, 1);
        assert_string_equal(lw_object_api_version(jobs[i].obj), "example.com/v2");
        assert_int_equal(lw_object_revision(jobs[i].obj), 7);
        lw_object_unref(jobs[i].obj);
    }
    assert_int_equal(start(&jobs[0]), LW_CONVERT_DONE);
    assert_int_equal(fake.started, 1);
    lw_object_unref(jobs[0].obj);
}

static void jobs_that_share_a_call_fail_together(void **state)
{
    job jobs[2];
    (void)state;
    reply = "\"result\":{\"status\":\"Failure\",\"message\":\"no\"}";
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(start(&jobs[i]), LW_CONVERT_WAITING);
    run_loop();
    assert_int_equal(fake.started, 1);
    for (size_t i = 0; i < 2; i++) {
        lw_api_status status;
        assert_int_equal(jobs[i].over, -1);
        lw_convert_refuse(&jobs[i].base, false, &status);
        assert_int_equal(status.code, 500);
        assert_true(
            lw_str_equal(lw_api_status_str(&status, status.message),
                         LW_STR("conversion webhook for example.com/v1, Kind=Host failed: no")));
        lw_api_status_done(&status);
        lw_object_unref(jobs[i].obj);
    }
}

static void a_job_whose_sender_is_cancelled_sends_itself(void **state)
{
    job first, second;
    (void)state;
    assert_int_equal(start(&first), LW_CONVERT_WAITING);
    assert_int_equal(start(&second), LW_CONVERT_WAITING);
    lw_convert_cancel(&first.base);
    assert_int_equal(fake.cancelled, 1);
    run_loop();
    assert_int_equal(fake.started, 2);
    assert_int_equal(first.over, 0);
    assert_int_equal(second.over, 1);
    lw_object_unref(first.obj);
    lw_object_unref(second.obj);
}

static void a_server_that_stops_waits_for_no_conversion(void **state)
{
    job first, second;
    (void)state;
    reply = NULL;
    assert_int_equal(start(&first), LW_CONVERT_WAITING);
    assert_int_equal(start(&second), LW_CONVERT_WAITING);
    lw_convert_port_hurry(lw_loop_data(world.loop));
    assert_int_equal(first.over, -1);
    assert_int_equal(second.over, -1);
    assert_int_equal(fake.cancelled, 1);
    job *jobs[] = { &first, &second };
    for (size_t i = 0; i < 2; i++) {
        lw_api_status status;
        lw_convert_refuse(&jobs[i]->base, true, &status);
        lw_api_status_done(&status);
        lw_object_unref(jobs[i]->obj);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jobs_with_the_same_object_share_a_call, setup, teardown),
        cmocka_unit_test_setup_teardown(jobs_that_share_a_call_fail_together, setup, teardown),
        cmocka_unit_test_setup_teardown(a_job_whose_sender_is_cancelled_sends_itself, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_server_that_stops_waits_for_no_conversion, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
