/* SPDX-License-Identifier: Apache-2.0 */
/* admission_plugins_test.c -- which plugins can be enabled and disabled. */
#include "server/setup/admission_plugins.h"

#include "api/context/admission_plugin.h"
#include "base/error.h"
#include "unit/test.h"

static bool has_account(const char *enabled, const char *disabled)
{
    lw_admission_plugins plugins;
    assert_int_equal(lw_admission_plugins_read(&plugins, enabled, disabled, NULL), LW_OK);
    return plugins.has_service_account;
}

static void service_account_is_enabled_unless_it_is_disabled_by_name(void **state)
{
    (void)state;
    assert_true(has_account(NULL, NULL));
    assert_true(has_account("ServiceAccount", NULL));
    assert_true(has_account("LimitRanger, ServiceAccount,ResourceQuota", ""));
    assert_false(has_account("ServiceAccount", "ServiceAccount"));
    assert_false(has_account(NULL, "ServiceAccount"));
}

static void other_plugins_are_refused_by_name(void **state)
{
    lw_admission_plugins plugins;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(lw_admission_plugins_read(&plugins, "AlwaysPullImages", NULL, &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "AlwaysPullImages cannot be enabled"));
    assert_int_equal(lw_admission_plugins_read(&plugins, NULL, "ResourceQuota", &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "ResourceQuota cannot be disabled"));
    assert_int_equal(lw_admission_plugins_read(&plugins, "Unheard", NULL, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "\"Unheard\" is not an admission plugin"));
}

static void plugins_that_are_enabled_by_default_can_be_disabled(void **state)
{
    lw_admission_plugins plugins;
    (void)state;
    assert_int_equal(lw_admission_plugins_read(&plugins, "NodeRestriction,Priority",
                                               "LimitRanger,Priority,AlwaysPullImages", NULL),
                     LW_OK);
    assert_int_equal(plugins.disabled, LW_PLUGIN_LIMIT_RANGER | LW_PLUGIN_PRIORITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(service_account_is_enabled_unless_it_is_disabled_by_name),
        TEST(other_plugins_are_refused_by_name),
        TEST(plugins_that_are_enabled_by_default_can_be_disabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
