/* SPDX-License-Identifier: Apache-2.0 */
/* types_test.c -- declared types: the errors of the compiler, and how trees are read. */
#include "unit/cel/cel_eval.h"

static const lw_cel_type strings = { .kind = LW_CEL_LIST, .elem = &lw_cel_string, .max_size = 10 };
static const lw_cel_type set = { .kind = LW_CEL_LIST,
                                 .elem = &lw_cel_string,
                                 .list_rule = LW_CEL_LIST_BY_VALUE,
                                 .max_size = LW_CEL_UNBOUNDED };
static const lw_cel_type labels = {
    .kind = LW_CEL_MAP, .key = &lw_cel_string, .elem = &lw_cel_string, .max_size = LW_CEL_UNBOUNDED
};
static const lw_cel_field fields[] = {
    { LW_STR_INIT("__namespace__"), LW_STR_INIT("namespace"), &lw_cel_string },
    { LW_STR_INIT("a__dash__b"), LW_STR_INIT("a-b"), &lw_cel_int },
    { LW_STR_INIT("any"), LW_STR_INIT("any"), &lw_cel_dyn },
    { LW_STR_INIT("labels"), LW_STR_INIT("labels"), &labels },
    { LW_STR_INIT("names"), LW_STR_INIT("names"), &strings },
    { LW_STR_INIT("ratio"), LW_STR_INIT("ratio"), &lw_cel_double },
    { LW_STR_INIT("set"), LW_STR_INIT("set"), &set },
    { LW_STR_INIT("when"), LW_STR_INIT("when"), &lw_cel_timestamp },
};
static const lw_cel_type object = { .kind = LW_CEL_OBJECT,
                                    .fields = fields,
                                    .field_count = sizeof(fields) / sizeof(fields[0]),
                                    .max_size = LW_CEL_UNBOUNDED };

static const char json[] = "{\"a-b\":3,\"namespace\":\"n\",\"names\":[\"x\",\"y\"],\"ratio\":2,"
                           "\"labels\":{\"k\":\"v\"},\"set\":[\"b\",\"a\"],\"any\":\"80%\","
                           "\"when\":\"2024-01-01T00:00:00Z\"}";

static void members_are_read_by_their_declared_types(void **state)
{
    static const cel_case cases[] = {
        { "self.a__dash__b + 1", "4" },
        { "self.__namespace__ + self.names[1]", "ny" },
        { "has(self.namespace) && self.namespace == 'n'", "true" },
        { "self.ratio / 4.0", "0.5" },
        { "self.labels['k'] + self.labels.k", "vv" },
        { "'k' in self.labels && has(self.labels.k) && !has(self.labels.z)", "true" },
        { "self.names.all(n, n.size() == 1)", "true" },
        { "self.set == ['a', 'b'] && ['a', 'b'] == self.set && self.names != ['y', 'x']", "true" },
        { "(self.set + ['a', 'c']).size()", "3" },
        { "self.when.getFullYear()", "2024" },
        { "type(self.any) == string ? self.any.endsWith('%') : self.any < 100", "true" },
        { "self.labels.z", "error: no such key: z" },
        { "self.names[2]", "error: index out of bounds: 2" },
        { "self.any + 1", "error: no such overload" },
        { "self == self", "true" },
    };
    (void)state;
    check_cases_of(cases, json, &object);
}

static void unknown_members_and_wrong_operands_are_told_before(void **state)
{
    static const cel_case cases[] = {
        { "self.nope", "compile: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope\n | "
                       "....^" },
        { "has(self.nope)", "compile: ERROR: <input>:1:4: undefined field 'nope'\n | "
                            "has(self.nope)\n | ...^" },
        { "self.a__dash__b == 'x'",
          "compile: ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(int, "
          "string)'\n | self.a__dash__b == 'x'\n | ................^" },
        { "self.names.all(n, n > 1)",
          "compile: ERROR: <input>:1:21: found no matching overload for '_>_' applied to "
          "'(string, int)'\n | self.names.all(n, n > 1)\n | ....................^" },
        { "self.a__dash__b.x",
          "compile: ERROR: <input>:1:16: type 'int' does not support field selection\n | "
          "self.a__dash__b.x\n | ...............^" },
        { "self.all(x, true)",
          "compile: ERROR: <input>:1:1: expression of type 'object' cannot be range of a "
          "comprehension (must be list, map, or dynamic)\n | self.all(x, true)\n | ^" },
        { "self.names.all(n, n)", "compile: ERROR: <input>:1:19: expected type 'bool' but found "
                                  "'string'\n | self.names.all(n, n)\n | ..................^" },
    };
    (void)state;
    check_cases_of(cases, json, &object);
}

static void names_are_escaped_as_kubernetes_does(void **state)
{
    static const struct {
        const char *name, *expected;
    } cases[] = {
        { "a", "a" },
        { "a-b.c/d", "a__dash__b__dot__c__slash__d" },
        { "namespace", "__namespace__" },
        { "a__b", "a__underscores__b" },
        { "1a", NULL },
        { "a b", NULL },
        { "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_buf out;
        lw_buf_init(&out, 128);
        assert_int_equal(lw_cel_escape(lw_str_of(cases[i].name), &out), cases[i].expected != NULL);
        if (cases[i].expected)
            assert_str_equal(lw_buf_view(&out), cases[i].expected);
        lw_buf_done(&out);
    }
}

static void numbers_of_unknown_types_may_all_be_doubles(void **state)
{
    static const lw_cel_type any = { .kind = LW_CEL_DYN, .elem = &any, .has_doubles = true };
    static const cel_case cases[] = {
        { "type(self.n) == double", "true" },
        { "type(self.list[0].n) == double", "true" },
        { "self.n - self.list[0].n <= 5", "true" },
        { "self.n + 1", "error: no such overload" },
    };
    (void)state;
    check_cases_of(cases, "{\"n\":7,\"list\":[{\"n\":2}]}", &any);
}

static void lists_of_strings_are_returned_as_json(void **state)
{
    static const cel_case cases[] = {
        { "self.names.map(n, n + '\"')", "[\"x\\\"\",\"y\\\"\"]" },
        { "self.names", "[\"x\",\"y\"]" },
        { "[dyn('a'), dyn(1)]", "" },
        { "[]", "[]" },
    };
    (void)state;
    check_cases_of(cases, json, &object);
}

static void it_is_known_which_members_an_expression_selects(void **state)
{
    static const struct {
        const char *expression;
        bool is_selected;
    } cases[] = {
        { "self.any == ''", true },
        { "has(self.any)", true },
        { "self.?any.orValue('') == ''", true },
        { "self.names.map(n, self.any == n, n) == []", true },
        { "self.names.all(n, n == self.any)", true },
        { "self.labels.any == ''", false },
        { "self.names == ['any']", false },
    };
    const lw_cel_variable self = { LW_STR_INIT("self"), &object };
    lw_buf why;
    (void)state;
    lw_buf_init(&why, 4096);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_cel_program *program = NULL;
        if (lw_cel_compile(&program, lw_str_of(cases[i].expression), &self, 1, &why) < 0)
            fail_msg("%.*s", LW_STR_ARG(lw_buf_view(&why)));
        if (lw_cel_program_selects(program, LW_STR("self"), LW_STR("any")) != cases[i].is_selected)
            fail_msg("%s", cases[i].expression);
        lw_cel_program_free(program);
    }
    lw_buf_done(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(members_are_read_by_their_declared_types),
        TEST(unknown_members_and_wrong_operands_are_told_before),
        TEST(names_are_escaped_as_kubernetes_does),
        TEST(numbers_of_unknown_types_may_all_be_doubles),
        TEST(lists_of_strings_are_returned_as_json),
        TEST(it_is_known_which_members_an_expression_selects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
