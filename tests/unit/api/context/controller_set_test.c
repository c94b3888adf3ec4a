/* SPDX-License-Identifier: Apache-2.0 */
/* controller_set_test.c -- which of the server's own controllers run. */
#include "api/context/controller_set.h"
#include "unit/test.h"

static void assert_set(const char *list, unsigned wanted)
{
    unsigned set = 0;
    assert_int_equal(lw_controller_set_parse(&set, lw_str_of(list), NULL), LW_OK);
    assert_int_equal(set, wanted);
}

static void names_are_as_in_the_controller_manager(void **state)
{
    (void)state;
    assert_set("namespace,garbage-collector-controller",
               LW_CONTROLLER_NAMESPACE | LW_CONTROLLER_GC);
    assert_set("*", LW_CONTROLLERS_ALL);
    assert_set("", LW_CONTROLLERS_ALL);
    assert_set("*,-tokencleaner", LW_CONTROLLERS_ALL & ~(unsigned)LW_CONTROLLER_TOKEN_CLEANER);
}

static void a_list_of_those_left_out_means_all_others(void **state)
{
    (void)state;
    assert_set("-garbagecollector,-namespace",
               LW_CONTROLLERS_ALL & ~(unsigned)(LW_CONTROLLER_GC | LW_CONTROLLER_NAMESPACE));
    assert_set("namespace,-namespace", 0);
}

static void unknown_names_are_refused(void **state)
{
    static const char *const lists[] = { "nope", "-", "-nope", "namespace,,", " namespace" };
    unsigned set;
    (void)state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_controller_set_parse(&set, lw_str_of(lists[i]), &err), LW_ERR_INVALID);
        assert_non_null(strstr(err.message, "garbagecollector"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_are_as_in_the_controller_manager),
        TEST(a_list_of_those_left_out_means_all_others),
        TEST(unknown_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
