/* SPDX-License-Identifier: Apache-2.0 */
/* hook_path_test.c -- paths of webhooks. */
#include "server/webhook/hook_path.h"

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

static void a_path_is_sent_without_what_servers_redirect(void **state)
{
    static const char *const cases[][2] = {
        { "", "/" },
        { "/", "/" },
        { "/validate", "/validate" },
        { "//validate", "/validate" }, /* envtest writes it so */
        { "/validate/", "/validate" },
        { "/a/./b/../c//d", "/a/c/d" },
        { "/../../a", "/a" },
        { "/a/..", "/" },
        { "//a//?x=/../y", "/a?x=/../y" },
        { "?x", "/?x" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *clean = lw_hook_path_clean(lw_str_of(cases[i][0]));
        assert_non_null(clean);
        assert_string_equal(clean, cases[i][1]);
        lw_free(clean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_sent_without_what_servers_redirect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
