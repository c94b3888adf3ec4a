/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath_test.c -- finds values by path. */
#include "schema/printers/jsonpath.h"

#include "base/str.h"
#include "unit/test.h"

static const char object[] =
    "{\"spec\":{\"size\":3,\"a.b\":\"dotted\",\"none\":null,\"list\":[{\"n\":\"x\",\"v\":1},"
    "{\"n\":\"y\",\"v\":2,\"ok\":true,\"in\":{\"d\":\"e\"}}]}}";

static void assert_found(const char *path, const char *expected)
{
    lw_str value = { NULL, 0 };
    bool is_found = lw_jsonpath_first(lw_str_of(object), lw_str_of(path), &value);
    if (!is_found)
        value = LW_STR("nothing");
    assert_str_equal(value, expected);
}

static void names_lead_to_members(void **state)
{
    (void)state;
    assert_found(".spec.size", "3");
    assert_found("spec.size", "3");
    assert_found("['spec']['size']", "3");
    assert_found(".spec.a\\.b", "\"dotted\"");
    assert_found(".spec['a.b']", "\"dotted\"");
    assert_found(".spec['a\\.b']", "\"dotted\"");
    assert_found(".spec[\"a\\.b\"]", "\"dotted\"");
    assert_found(".*.size", "3");
    assert_found(".spec.none", "nothing");
    assert_found(".spec.size.more", "nothing");
    assert_found(".status", "nothing");
}

static void brackets_lead_to_elements(void **state)
{
    (void)state;
    assert_found(".spec.list[0].n", "\"x\"");
    assert_found(".spec.list[-1].n", "\"y\"");
    assert_found(".spec.list[2].n", "nothing");
    assert_found(".spec.list[*].v", "1");
    assert_found(".spec.list[?(@.n==\"y\")].v", "2");
    assert_found(".spec.list[?(@.n!='x')].v", "2");
    assert_found(".spec.list[?(@.n==\"z\")].v", "nothing");
    assert_found(".spec.list[?( @.ok == true )].v", "2");
    assert_found(".spec.list[?(@.v==2)].n", "\"y\"");
    assert_found(".spec.list[?(@.in.d=='e')].v", "2");
    assert_found(".spec.list[?(@.ok)].v", "2");
    assert_found(".spec.list[?(@.in\\.d)].v", "nothing");
}

static void slices_lead_to_elements(void **state)
{
    (void)state;
    assert_found(".spec.list[-1:].n", "\"y\"");
    assert_found(".spec.list[0:1].ok", "nothing");
    assert_found(".spec.list[:2].ok", "true");
    assert_found(".spec.list[0:-1].n", "\"x\"");
    assert_found(".spec.list[1::2].n", "\"y\"");
    assert_found(".spec.list[-9:].n", "\"x\"");
    assert_found(".spec.list[2:].n", "nothing");
}

static void paths_that_cannot_be_read_lead_nowhere(void **state)
{
    static const char *const bad[] = {
        "",
        ".",
        "..size",
        ".spec[",
        ".spec[size]",
        ".spec.list[1",
        ".spec.list[]",
        ".spec.list[0:1:0]",
        ".spec.list[?(@.v>1)]",
        ".spec.list[?(@.n==\"x\"]",
        ".spec['size",
        "{.spec}",
        ".spec .size",
        "$.spec",
        ".spec..size",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_found(bad[i], "nothing");
}

static void plain_paths_are_pointers(void **state)
{
    lw_buf out;
    (void)state;
    lw_buf_init(&out, 100);
    assert_true(lw_jsonpath_append_pointer(LW_STR(".spec.size"), &out));
    assert_str_equal(lw_buf_view(&out), "/spec/size");
    assert_false(lw_jsonpath_append_pointer(LW_STR(".spec.list[0]"), &out));
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_lead_to_members),    TEST(brackets_lead_to_elements),
        TEST(slices_lead_to_elements),  TEST(paths_that_cannot_be_read_lead_nowhere),
        TEST(plain_paths_are_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
