/* SPDX-License-Identifier: Apache-2.0 */
/* language_test.c -- literals, operators, errors that are passed over, macros. */
#include "unit/cel/cel_eval.h"

static void literals_are_what_they_say(void **state)
{
    static const cel_case cases[] = {
        { "1", "1" },
        { "-9223372036854775808", "-9223372036854775808" },
        { "0xff", "255" },
        { "18446744073709551615u", "18446744073709551615" },
        { "1.5", "1.5" },
        { ".5e1", "5" },
        { "-1e6", "-1e+06" },
        { "true", "true" },
        { "null", "null" },
        { "'a' + \"b\"", "ab" },
        { "'''a'b\nc'''", "a'b\nc" },
        { "r'\\n'", "\\n" },
        { "'\\x41\\u00e9\\101\\n'", "A\u00e9A\n" },
        { "b'\\xff' == b'\\377'", "true" },
        { "size(b'\\u0041')", "compile: ERROR: <input>:1:6: Syntax error: unknown escape "
                              "sequence in the string literal\n | size(b'\\u0041')\n | .....^" },
        { "[1, 2, 3].size()", "3" },
        { "{'a': 1}['a'] // a comment", "1" },
        { "9223372036854775808", "compile: ERROR: <input>:1:1: invalid int literal\n | "
                                 "9223372036854775808\n | ^" },
    };
    (void)state;
    check_cases(cases);
}

static void arithmetic_keeps_its_order_and_its_bounds(void **state)
{
    static const cel_case cases[] = {
        { "1 + 2 * 3 - 4 / 2 % 3", "5" },
        { "-(3 - 5)", "2" },
        { "7 / -2", "-3" },
        { "-7 % 3", "-1" },
        { "1.0 / 0.0 > 1e308", "true" },
        { "1 / 0", "error: division by zero" },
        { "1 % 0", "error: modulus by zero" },
        { "9223372036854775807 + 1", "error: integer overflow" },
        { "0u - 1u", "error: unsigned integer overflow" },
        { "-(-9223372036854775807 - 1)", "error: integer overflow" },
        { "(-9223372036854775807 - 1) / -1", "error: integer overflow" },
        { "[1] + [2] == [1, 2]", "true" },
        { "int('12') + int(3.9) + int(2u)", "17" },
        { "int('x')", "error: type conversion error from 'string' to 'int'" },
        { "uint(-1)", "error: range error: integer overflow" },
        { "double('1.25') + double(1)", "2.25" },
        { "string(1.0) + string(true) + string(12u) + string(b'z')", "1true12z" },
        { "string(b'\\xff')", "error: invalid UTF-8 in bytes, cannot convert to string" },
        { "bool('True')", "true" },
    };
    (void)state;
    check_cases(cases);
}

static void comparisons_cross_number_types(void **state)
{
    static const cel_case cases[] = {
        { "1 < 1.5 && 2u > 1 && 1.0 <= 1u", "true" },
        { "9007199254740993 > 9007199254740992.0", "true" },
        { "-1.5 < -1 && -1.5 > -2 && -1 > -1.5 && 1.5 > 1u && 1 < 1.5 && !(1.5 < 1)", "true" },
        { "dyn(1) == dyn(1.0) && dyn(1u) == dyn(1)", "true" },
        { "dyn(1) == dyn('1')", "false" },
        { "'a' < 'b' && b'a' < b'b' && false < true", "true" },
        { "[1, [2]] == [1, [2]]",
          "compile: ERROR: <input>:1:5: expected type 'int' but found 'list(int)'\n | [1, [2]] == "
          "[1, [2]]\n | ....^\nERROR: <input>:1:17: expected type 'int' but found 'list(int)'\n | "
          "[1, [2]] == [1, [2]]\n | ................^" },
        { "{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "true" },
        { "2 in [1, 2] && 'a' in {'a': 0} && !(3 in [1])", "true" },
        { "double('NaN') == double('NaN')", "false" },
        { "type(1) == int && type('') != int && type([]) == list", "true" },
    };
    (void)state;
    check_cases(cases);
}

static void errors_are_passed_over_when_the_other_side_decides(void **state)
{
    static const cel_case cases[] = {
        { "true || 1 / 0 > 0", "true" },
        { "1 / 0 > 0 || true", "true" },
        { "1 / 0 > 0 && false", "false" },
        { "false || 1 / 0 > 0", "error: division by zero" },
        { "true ? 1 : 1 / 0", "1" },
        { "[0, 2].exists(x, 2 / x == 1)", "true" },
        { "[0, 2].all(x, 2 / x == 7)", "false" },
        { "[0, 2].all(x, 2 / x == 1)", "error: division by zero" },
        { "[0, 2].map(x, 2 / x).size() == 2 || true", "true" },
    };
    (void)state;
    check_cases(cases);
}

static void macros_go_through_lists_and_maps(void **state)
{
    static const cel_case cases[] = {
        { "[1, 2, 3].all(x, x > 0)", "true" },
        { "[1, 2, 3].exists_one(x, x > 2)", "true" },
        { "[1, 2, 3].map(x, x * 2) == [2, 4, 6]", "true" },
        { "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]", "true" },
        { "[1, 2, 3].filter(x, x != 2) == [1, 3]", "true" },
        { "{'a': 1, 'b': 2}.map(k, k) == ['a', 'b']", "true" },
        { "[1, 2].all(x, [3].exists(y, y > x))", "true" },
        { "[5, 6].all(i, v, v - i == 5)", "true" },
        { "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}", "true" },
        { "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}", "true" },
        { "[4, 5].transformList(i, v, i > 0, v) == [5]", "true" },
        { "has({'a': 1}.a) && !has({'a': 1}.b)", "true" },
        { "cel.bind(x, 2, x * x)", "4" },
        { "[1].all(1, true)",
          "compile: ERROR: <input>:1:9: argument must be a simple name\n | [1].all(1, true)\n | "
          "........^" },
        { "has(1)", "compile: ERROR: <input>:1:5: invalid argument to has() macro\n | has(1)\n | "
                    "....^" },
    };
    (void)state;
    check_cases(cases);
}

static void optionals_carry_what_may_be_absent(void **state)
{
    static const cel_case cases[] = {
        { "{'a': 1}.?a.value()", "1" },
        { "{'a': 1}.?b.orValue(7)", "7" },
        { "{'a': 1}.?b.hasValue()", "false" },
        { "{'a': {'b': 3}}.?a.b.orValue(0)", "3" },
        { "[1][?0].value() + [1][?5].orValue(10)", "11" },
        { "optional.none().value()", "error: optional.none() dereference" },
        { "optional.of(1).or(optional.of(2)).value()", "1" },
        { "optional.ofNonZeroValue('').hasValue()", "false" },
        { "optional.of(3).optMap(x, x + 1).value()", "4" },
        { "optional.of(3).optFlatMap(x, optional.of(x)).value()", "3" },
        { "[?optional.none(), 1, ?optional.of(2)] == [1, 2]", "true" },
        { "{?'a': optional.none(), 'b': 1}.size()", "1" },
    };
    (void)state;
    check_cases(cases);
}

static void what_cannot_be_is_told_with_its_place(void **state)
{
    static const cel_case cases[] = {
        { "1 +", "compile: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting "
                 "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, "
                 "NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^" },
        { "1 2", "compile: ERROR: <input>:1:3: Syntax error: extraneous input '2' expecting "
                 "<EOF>\n | 1 2\n | ..^" },
        { "1 +\n 'a'", "compile: ERROR: <input>:1:3: found no matching overload for '_+_' applied "
                       "to '(int, string)'\n | 1 +\n | ..^" },
        { "nope", "compile: ERROR: <input>:1:1: undeclared reference to 'nope' (in container "
                  "'')\n | nope\n | ^" },
        { "nope(1)", "compile: ERROR: <input>:1:5: undeclared reference to 'nope' (in container "
                     "'')\n | nope(1)\n | ....^" },
        { "'a'.size(1)", "compile: ERROR: <input>:1:9: found no matching overload for 'size' "
                         "applied to 'string.(int)'\n | 'a'.size(1)\n | ........^" },
        { "for", "compile: ERROR: <input>:1:1: reserved identifier: for\n | for\n | ^" },
        { "1 ? 2 : 3", "compile: ERROR: <input>:1:3: found no matching overload for '_?_:_' "
                       "applied to '(int, int, int)'\n | 1 ? 2 : 3\n | ..^" },
        { "'abc",
          "compile: ERROR: <input>:1:1: Syntax error: unterminated string literal\n | 'abc\n | ^" },
        { "'a'.matches('(')",
          "compile: ERROR: <input>:1:13: invalid matches argument: group is not "
          "closed at byte 1\n | "
          "'a'.matches('(')\n | ............^" },
        { "duration('x')", "compile: ERROR: <input>:1:10: invalid duration argument\n | "
                           "duration('x')\n | .........^" },
    };
    (void)state;
    check_cases(cases);
}

static void a_deep_expression_is_refused(void **state)
{
    char text[2048] = "";
    (void)state;
    for (size_t i = 0; i < 600; i++)
        text[i] = '(';
    text[600] = '\0';
    assert_non_null(strstr(cel_eval(text, "null", &lw_cel_dyn), "recursion limit exceeded"));
    for (size_t i = 0; i < 1200; i += 2)
        memcpy(text + i, "1+", 3);
    text[1199] = '\0';
    assert_non_null(strstr(cel_eval(text, "null", &lw_cel_dyn), "recursion limit exceeded"));
}

static void what_costs_too_much_is_ended(void **state)
{
    static const cel_case cases[] = {
        { "lists.range(900000).all(x, x >= 0)", "too costly" },
        { "lists.range(1000).all(x, lists.range(1000).all(y, x >= 0 && y >= 0))", "too costly" },
        { "lists.range(9223372036854775807).size()", "too costly" },
        { "lists.range(1000).map(x, 'aaaaaaaaaaaaaaaaaaaaaaaaa').join('').matches('(a*)*b')",
          "false" },
    };
    (void)state;
    check_cases(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(literals_are_what_they_say),
        TEST(arithmetic_keeps_its_order_and_its_bounds),
        TEST(comparisons_cross_number_types),
        TEST(errors_are_passed_over_when_the_other_side_decides),
        TEST(macros_go_through_lists_and_maps),
        TEST(optionals_carry_what_may_be_absent),
        TEST(what_cannot_be_is_told_with_its_place),
        TEST(a_deep_expression_is_refused),
        TEST(what_costs_too_much_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
