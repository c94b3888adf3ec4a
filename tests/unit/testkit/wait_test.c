/* SPDX-License-Identifier: Apache-2.0 */
/* wait_test.c -- waiting for the state of an object. */
#include <string.h>

#include "base/sync.h"
#include "unit/testkit/kit.h"

/* Waits in vain for an object |name| with 2 at /data/v.  The time is doubled until the object was
 * looked for: on a busy machine, a short wait can end before the server has answered. */
static void time_out_value(const char *resource, const char *name, lw_error *err)
{
    lw_wait_options options = { .size = sizeof(options), .timeout_ms = 20 };
    do {
        options.timeout_ms *= 2;
        assert_int_equal(lw_wait_for_value(lw_test_observer(kit), resource, "default", name,
                                           "/data/v", "2", &options, err),
                         LW_ERR_TIMEOUT);
    } while (strstr(err->message, "no answer yet") && options.timeout_ms < 20000);
}

static void an_object_that_is_as_expected_already(void **state)
{
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    KIT_OK(lw_wait_for_value(lw_test_observer(kit), "configmaps", "default", "a", "/data/v", "1",
                             NULL, kit_err));
    KIT_OK(lw_wait_for_value(lw_test_observer(kit), "configmaps", "default", "a", "/data/v", NULL,
                             NULL, kit_err));
    KIT_OK(lw_wait_until_gone(lw_test_observer(kit), "configmaps", "default", "b", NULL, kit_err));
}

static void change_later(void *arg)
{
    (void)arg;
    KIT_OK(kit_create("a", "1", kit_err));
    for (int i = 2; i <= 9; i++) {
        char patch[64];
        (void)snprintf(patch, sizeof(patch), "{\"data\":{\"v\":\"%d\"}}", i);
        KIT_OK(lw_test_patch(kit, "configmaps", "default", "a", patch, kit_err));
    }
    KIT_OK(lw_test_delete(kit, "configmaps", "default", "a", kit_err));
}

static bool has_lived(const lw_object *obj, void *arg)
{
    bool *has_been = arg;
    *has_been = *has_been || obj;
    return *has_been && !obj;
}

static void the_changes_of_another_thread_are_seen(void **state)
{
    lw_thread thread;
    bool has_been = false;
    lw_object *obj = NULL;
    (void)state;
    KIT_OK(kit_create("b", "1", kit_err));
    KIT_OK(lw_thread_start(&thread, "changes", change_later, NULL, kit_err));
    /* Every state is looked at, also one that exists only for a moment. */
    KIT_OK(lw_wait_until(lw_test_observer(kit), "configmaps", "default", "a", has_lived, &has_been,
                         NULL, &obj, kit_err));
    assert_null(obj);
    lw_thread_join(&thread);
}

static void a_timeout_shows_the_last_state(void **state)
{
    lw_error err = LW_ERROR_INIT;
    (void)state;
    KIT_OK(kit_create("a", "17", kit_err));
    time_out_value("configmaps", "a", &err);
    assert_non_null(strstr(err.message, "timed out waiting for configmaps default/a; last seen "));
    assert_non_null(strstr(err.message, "\"v\":\"17\""));
    time_out_value("configmaps", "b", &err);
    assert_string_equal(err.message,
                        "timed out waiting for configmaps default/b: it does not exist");
    time_out_value("widgets.example.com", "b", &err);
    assert_non_null(strstr(err.message, "widgets"));
}

static void a_condition_counts_for_the_current_generation(void **state)
{
    static const char deployment[] =
        "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: "
        "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: "
        "c, image: i}]}}}}";
    (void)state;
    KIT_OK(lw_test_create(kit, deployment, kit_err));
    KIT_OK(lw_test_patch(kit, "deployments.apps/status", "default", "d",
                         "{\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":\"True\","
                         "\"reason\":\"r\",\"message\":\"m\"}]}}",
                         kit_err));
    KIT_OK(lw_wait_for_condition(lw_test_observer(kit), "deployments.apps", "default", "d",
                                 "Available", "True", NULL, kit_err));
    lw_error err = LW_ERROR_INIT;
    lw_wait_options options = { .size = sizeof(options), .timeout_ms = 20 };
    do {
        options.timeout_ms *= 2;
        assert_int_equal(lw_wait_for_condition(lw_test_observer(kit), "deployments.apps", "default",
                                               "d", "Available", "False", &options, &err),
                         LW_ERR_TIMEOUT);
    } while (strstr(err.message, "no answer yet") && options.timeout_ms < 20000);
    assert_non_null(strstr(err.message, "\"type\":\"Available\""));
}

static void a_wait_survives_faults(void **state)
{
    const lw_server_fault fault = { .size = sizeof(fault), .times = 3, .status = 500 };
    (void)state;
    KIT_OK(kit_create("a", "1", kit_err));
    KIT_OK(lw_server_add_fault(lw_test_server(kit), &fault, kit_err));
    KIT_OK(lw_wait_for_value(lw_test_client(kit), "configmaps", "default", "a", "/data/v", "1",
                             NULL, kit_err));
    assert_int_equal(lw_server_fault_count(lw_test_server(kit)), 3);
}

static void a_wait_that_is_forbidden_ends(void **state)
{
    const lw_server_fault fault = { .size = sizeof(fault), .times = -1, .status = 403 };
    lw_error err = LW_ERROR_INIT;
    (void)state;
    KIT_OK(lw_server_add_fault(lw_test_server(kit), &fault, kit_err));
    assert_int_equal(lw_wait_until_gone(lw_test_client(kit), "configmaps", "default", "a", NULL,
                                        &err),
                     LW_ERR_FORBIDDEN);
}

int main(void)
{
#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, kit_set_up, kit_tear_down)
    const struct CMUnitTest tests[] = {
        KIT_TEST(an_object_that_is_as_expected_already),
        KIT_TEST(the_changes_of_another_thread_are_seen),
        KIT_TEST(a_timeout_shows_the_last_state),
        KIT_TEST(a_condition_counts_for_the_current_generation),
        KIT_TEST(a_wait_survives_faults),
        KIT_TEST(a_wait_that_is_forbidden_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
