/* SPDX-License-Identifier: Apache-2.0 */
/* field_path_test.c -- the text of a place in a document. */
#include "api/pending/field_path.h"

#include "base/str.h"
#include "unit/test.h"

static void writes_the_path_from_the_root_down(void **state)
{
    (void)state;
    char text[LW_FIELD_PATH_SIZE];
    const lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec.template.spec"));
    const lw_field_path container = lw_field_path_item(&spec, LW_STR("containers"), 2);
    assert_string_equal(lw_field_path_text(text, spec), "spec.template.spec");
    assert_string_equal(lw_field_path_text(text, container), "spec.template.spec.containers[2]");
    assert_string_equal(lw_field_path_text(text, lw_field_path_in(&container, LW_STR("name"))),
                        "spec.template.spec.containers[2].name");
}

static void the_document_has_an_empty_path(void **state)
{
    (void)state;
    char text[LW_FIELD_PATH_SIZE];
    const lw_field_path top = lw_field_path_in(NULL, LW_STR(""));
    assert_string_equal(lw_field_path_text(text, top), "");
    assert_string_equal(lw_field_path_text(text, lw_field_path_item(&top, LW_STR("rules"), 0)),
                        "rules[0]");
}

static void a_long_path_is_cut(void **state)
{
    (void)state;
    char text[LW_FIELD_PATH_SIZE], name[LW_FIELD_PATH_SIZE];
    memset(name, 'n', sizeof(name));
    const lw_field_path top = lw_field_path_in(NULL, lw_str_make(name, sizeof(name)));
    const lw_field_path below = lw_field_path_in(&top, LW_STR("more"));
    assert_int_equal(strlen(lw_field_path_text(text, below)), LW_FIELD_PATH_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_the_path_from_the_root_down),
        TEST(the_document_has_an_empty_path),
        TEST(a_long_path_is_cut),
    };
    return cmocka_run_group_tests_name("spot", tests, NULL, NULL);
}
