/* SPDX-License-Identifier: Apache-2.0 */
/* unfinished_deletion_test.c -- pods that a server has written as deleted, and was killed before it
 * has removed them. */
#include "api/lifecycle/unfinished_deletion.h"

#include "unit/api/lived.h"

#define POD DEFAULT "pods/p"

static void store(api_world *world, const char *metadata)
{
    char json[512];
    (void)snprintf(json, sizeof(json),
                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
                   "\"namespace\":\"default\",\"uid\":\"u\"%s},\"spec\":{\"containers\":[{\"name\":"
                   "\"c\",\"image\":\"i\"}]}}",
                   metadata);
    assert_true(api_world_put(world, "pods/default/p", json) > 0);
    int64_t deadline = patience_end();
    while (!is_there(world, POD))
        live_on(world, deadline);
    await_rest(world);
}

static void pass_s(api_world *world, int64_t seconds)
{
    api_world_pass(world, seconds * LW_NS_PER_S);
    await_rest(world);
}

#define DELETED(grace)                                                                             \
    ",\"deletionTimestamp\":\"2026-11-15T01:50:04Z\",\"deletionGracePeriodSeconds\":" grace

static void a_pod_whose_deletion_was_interrupted_is_removed(void **state)
{
    store(*state, DELETED("0"));
    pass_s(*state, 1);
    assert_true(is_there(*state, POD)); /* another server may be about to remove it */
    pass_s(*state, 5);
    await_end(*state, POD);
}

static void a_pod_that_was_interrupted_before_the_start_is_removed(void **state)
{
    store(*state, DELETED("0"));
    assert_int_equal(api_world_live(*state, 0), LW_OK);
    await_rest(*state);
    pass_s(*state, 6);
    await_end(*state, POD);
}

static void a_pod_that_ends_in_peace_stays(void **state)
{
    store(*state, DELETED("30"));
    pass_s(*state, 60);
    assert_true(is_there(*state, POD));
}

static void a_pod_that_is_held_by_a_finalizer_stays(void **state)
{
    store(*state, DELETED("0") ",\"finalizers\":[\"example.com/held\"]");
    pass_s(*state, 60);
    assert_true(is_there(*state, POD));
}

static void a_pod_that_is_not_deleted_stays(void **state)
{
    store(*state, "");
    pass_s(*state, 60);
    assert_true(is_there(*state, POD));
}

static void another_pod_of_the_same_name_stays(void **state)
{
    store(*state, DELETED("0"));
    pass_s(*state, 1);
    fake_http_free(send(*state, "DELETE", POD "?gracePeriodSeconds=0", "", 200));
    await_rest(*state);
    store(*state, "");
    pass_s(*state, 60);
    assert_true(is_there(*state, POD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(a_pod_whose_deletion_was_interrupted_is_removed),
        SEEDED_TEST(a_pod_that_was_interrupted_before_the_start_is_removed),
        LIVED_TEST(a_pod_that_ends_in_peace_stays),
        LIVED_TEST(a_pod_that_is_held_by_a_finalizer_stays),
        LIVED_TEST(a_pod_that_is_not_deleted_stays),
        LIVED_TEST(another_pod_of_the_same_name_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
