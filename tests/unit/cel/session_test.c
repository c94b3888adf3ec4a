/* SPDX-License-Identifier: Apache-2.0 */
/* session_test.c -- composed variables, the authorizer, and objects made by expressions. */
#include "cel/session.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"

static lw_cel_field fields[2];
static lw_cel_type composed_type = { .kind = LW_CEL_OBJECT,
                                     .fields = fields,
                                     .max_size = LW_CEL_UNBOUNDED };
static lw_cel_variable declared[] = {
    { LW_STR_INIT("self"), &lw_cel_dyn },
    { LW_STR_INIT("variables"), &composed_type },
    { LW_STR_INIT("authorizer"), &lw_cel_authorizer_type },
    { LW_STR_INIT("authorizer.requestResource"), &lw_cel_resource_check_type },
};

static lw_cel_program *compile(const char *text)
{
    lw_cel_program *program = NULL;
    lw_buf why;
    lw_buf_init(&why, 1 << 16);
    lw_status st =
        lw_cel_compile_with(&program, lw_str_of(text), declared, 4, LW_CEL_FEATURE_PATCH, &why);
    if (st < 0)
        print_error("%s: %.*s\n", text, LW_STR_ARG(lw_buf_view(&why)));
    assert_int_equal(st, LW_OK);
    lw_buf_done(&why);
    return program;
}

static bool allow_pods(void *arg, const lw_cel_access *access, lw_buf *reason, lw_buf *error)
{
    ++*(int *)arg;
    lw_buf_printf(reason, "%.*s %.*s/%.*s in %.*s by %.*s", LW_STR_ARG(access->verb),
                  LW_STR_ARG(access->group), LW_STR_ARG(access->resource), LW_STR_ARG(access->ns),
                  LW_STR_ARG(access->account));
    lw_buf_append_text(error, access->path.len > 0 ? "no paths" : "");
    return lw_str_equal(access->resource, LW_STR("pods"));
}

/* Evaluates |text| with variables.a = |first| and variables.b = |second|; the value as JSON, or the
 * error. */
static const char *eval(const char *first, const char *second, const char *text, int *checks)
{
    static char found[1024];
    lw_cel_composed composed[2] = { { LW_STR_INIT("a"), NULL }, { LW_STR_INIT("b"), NULL } };
    lw_cel_binding values[4] = { { NULL, true } };
    lw_cel_session *session = NULL;
    lw_cel_outcome outcome;
    lw_tree *tree = NULL;
    lw_node *node = NULL;
    lw_buf out;
    uint64_t cost;
    composed_type.field_count = 0;
    lw_cel_program *a = compile(first);
    fields[0] = (lw_cel_field){ LW_STR_INIT("a"), LW_STR_INIT("a"), &lw_cel_dyn };
    composed_type.field_count = 1;
    lw_cel_program *b = compile(second);
    fields[1] = (lw_cel_field){ LW_STR_INIT("b"), LW_STR_INIT("b"), &lw_cel_dyn };
    composed_type.field_count = 2;
    lw_cel_program *program = compile(text);
    composed[0].program = a;
    composed[1].program = b;
    const lw_cel_session_options options = { .values = values,
                                             .composed_at = 1,
                                             .composed = composed,
                                             .composed_count = 2,
                                             .authorizer = { allow_pods, checks },
                                             .requested = { .resource = LW_STR("pods"),
                                                            .ns = LW_STR("n") } };
    assert_int_equal(lw_cel_session_new(&session, &options), LW_OK);
    assert_int_equal(lw_cel_session_eval(session, program, LW_CEL_CALL_COST_MAX, &outcome, &cost),
                     LW_OK);
    lw_buf_init(&out, sizeof(found));
    if (outcome.verdict == LW_CEL_VALUE) {
        lw_json_writer w;
        assert_int_equal(lw_tree_new(&tree, 0), LW_OK);
        lw_status st = lw_cel_session_node(session, tree, &node, &out);
        lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
        if (st == LW_OK)
            lw_node_write(node, &w);
    } else {
        lw_buf_append_str(&out, lw_buf_view(&outcome.text));
    }
    (void)snprintf(found, sizeof(found), "%.*s", LW_STR_ARG(lw_buf_view(&out)));
    lw_buf_done(&out);
    lw_cel_outcome_done(&outcome);
    lw_cel_session_free(session);
    lw_tree_free(tree);
    lw_cel_program_free(program);
    lw_cel_program_free(a);
    lw_cel_program_free(b);
    return found;
}

static void composed_variables_are_evaluated_once_and_when_used(void **state)
{
    int checks = 0;
    (void)state;
    assert_string_equal(eval("1 + 1", "variables.a * 10", "variables.b + variables.a", &checks),
                        "22");
    assert_string_equal(eval("authorizer.path('/x').check('get').allowed()", "1 / 0",
                             "variables.a || variables.a", &checks),
                        "false");
    assert_int_equal(checks, 1);
}

static void the_error_of_a_composed_variable_names_it(void **state)
{
    int checks = 0;
    (void)state;
    assert_string_equal(eval("1 / int('0')", "2", "variables.a == 1", &checks),
                        "composited variable \"a\" fails to evaluate: division by zero");
}

static void authorizers_are_asked_what_the_expression_says(void **state)
{
    int checks = 0;
    (void)state;
    assert_string_equal(
        eval("1", "1",
             "authorizer.serviceAccount('d', 's').group('apps').resource('x').namespace('y')"
             ".check('list').reason()",
             &checks),
        "\"list apps/x in y by s\"");
    assert_string_equal(eval("1", "1", "authorizer.requestResource.check('get').allowed()",
                             &checks),
                        "true");
    assert_string_equal(eval("1", "1", "authorizer.path('/x').check('get').error()", &checks),
                        "\"no paths\"");
    assert_string_equal(eval("1", "1", "authorizer.path(' ').check('get').errored()", &checks),
                        "path must not be empty");
}

static void expressions_make_objects(void **state)
{
    int checks = 0;
    (void)state;
    assert_string_equal(
        eval("'x'", "1",
             "Object{spec: Object.spec{a: [1u, 2u], b: {'k': variables.a}, ?c: optional.none()}}",
             &checks),
        "{\"spec\":{\"a\":[1,2],\"b\":{\"k\":\"x\"}}}");
    assert_string_equal(eval("1", "1",
                             "[JSONPatch{op: 'add', path: '/' + jsonpatch.escapeKey("
                             "'a/b~c'), value: Object.spec{x: 1.5}}]",
                             &checks),
                        "[{\"op\":\"add\",\"path\":\"/a~1b~0c\",\"value\":{\"x\":1.5}}]");
}

static void names_of_object_types_must_fit_their_place(void **state)
{
    int checks = 0;
    (void)state;
    assert_string_equal(eval("1", "1", "Object{spec: Object.wrong{}}", &checks),
                        "type mismatch: unexpected type name \"Object.wrong\", expected "
                        "\"Object.spec\", which matches field name path from root Object type");
    assert_string_equal(eval("1", "1", "Object{spec: {1: 2}}", &checks),
                        "map key is of type int, not string");
}

static void lists_are_sorted_by_a_key(void **state)
{
    int checks = 0;
    (void)state;
    assert_string_equal(eval("1", "1", "['ccc', 'a', 'bb', 'd'].sortBy(x, size(x))", &checks),
                        "[\"a\",\"d\",\"bb\",\"ccc\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composed_variables_are_evaluated_once_and_when_used),
        cmocka_unit_test(the_error_of_a_composed_variable_names_it),
        cmocka_unit_test(authorizers_are_asked_what_the_expression_says),
        cmocka_unit_test(expressions_make_objects),
        cmocka_unit_test(names_of_object_types_must_fit_their_place),
        cmocka_unit_test(lists_are_sorted_by_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
