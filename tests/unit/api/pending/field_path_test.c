/* SPDX-License-Identifier: Apache-2.0 */
/* field_path_test.c -- the text of a place in a document. */
#include "api/pending/field_path.h"

#include "base/str.h"
#include "unit/test.h"

static void says_where_it_is_from_the_top_down(void **state)
{
    (void)state;
    char text[LW_SPOT_SIZE];
    const lw_spot spec = lw_spot_in(NULL, LW_STR("spec.template.spec"));
    const lw_spot container = lw_spot_item(&spec, LW_STR("containers"), 2);
    assert_string_equal(lw_spot_text(text, spec), "spec.template.spec");
    assert_string_equal(lw_spot_text(text, container), "spec.template.spec.containers[2]");
    assert_string_equal(lw_spot_text(text, lw_spot_in(&container, LW_STR("name"))),
                        "spec.template.spec.containers[2].name");
}

static void the_document_itself_has_no_name(void **state)
{
    (void)state;
    char text[LW_SPOT_SIZE];
    const lw_spot top = lw_spot_in(NULL, LW_STR(""));
    assert_string_equal(lw_spot_text(text, top), "");
    assert_string_equal(lw_spot_text(text, lw_spot_item(&top, LW_STR("rules"), 0)), "rules[0]");
}

static void is_cut_where_its_room_ends(void **state)
{
    (void)state;
    char text[LW_SPOT_SIZE], name[LW_SPOT_SIZE];
    memset(name, 'n', sizeof(name));
    const lw_spot top = lw_spot_in(NULL, lw_str_make(name, sizeof(name)));
    const lw_spot below = lw_spot_in(&top, LW_STR("more"));
    assert_int_equal(strlen(lw_spot_text(text, below)), LW_SPOT_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(says_where_it_is_from_the_top_down),
        TEST(the_document_itself_has_no_name),
        TEST(is_cut_where_its_room_ends),
    };
    return cmocka_run_group_tests_name("spot", tests, NULL, NULL);
}
