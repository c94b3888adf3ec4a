/* SPDX-License-Identifier: Apache-2.0 */
/* cel_scenarios.c -- compiles and evaluates expressions, with every allocation failing in turn. */
#include "base/error.h"
#include "base/str.h"
#include "cel/cel.h"
#include "oom/oom.h"

enum {
    WHY_MAX = 1 << 16,
};

/* Checks that |expression| with |json| as self evaluates to |expected|. */
static lw_status comes_to(const char *expression, const char *json, const char *expected,
                          lw_error *err)
{
    static const lw_cel_variable self = { LW_STR_INIT("self"), &lw_cel_dyn };
    lw_cel_program *program = NULL;
    lw_cel_outcome outcome;
    lw_tree *tree = NULL;
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_status st = lw_tree_parse(&tree, lw_str_of(json), 0, err);
    if (st == LW_OK)
        st = lw_cel_compile(&program, lw_str_of(expression), &self, 1, &why);
    if (st == LW_ERR_SYNTAX)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: %.*s", LW_STR_ARG(lw_buf_view(&why)));
    if (st == LW_OK) {
        lw_cel_binding value = { lw_tree_root(tree), true };
        st = lw_cel_eval(program, &value, LW_CEL_CALL_COST_MAX, &outcome);
        if (st == LW_OK && !lw_str_equal(lw_buf_view(&outcome.text), lw_str_of(expected)))
            st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: %.*s",
                              LW_STR_ARG(lw_buf_view(&outcome.text)));
        if (st == LW_OK || st == LW_ERR_INTERNAL)
            lw_cel_outcome_done(&outcome);
    }
    lw_cel_program_free(program);
    lw_tree_free(tree);
    lw_buf_done(&why);
    return st;
}

static lw_status strings_are_built(lw_error *err)
{
    return comes_to("'%s-%s'.format([self.a.upperAscii(), 'a,b'.split(',').join('+')]) + "
                    "self.a.replace('x', 'yy') + string(1.5)",
                    "{\"a\":\"x\"}", "X-a+byy1.5", err);
}

static lw_status lists_are_traversed(lw_error *err)
{
    return comes_to("self.map(x, x * 2).filter(y, y > 2).all(z, string(z).matches('^[0-9]+$')) && "
                    "{'a': 1}.transformMap(k, v, [v]) == {'a': [1]} && "
                    "['b+', 'x'].exists(p, 'abb'.find(p) == 'bb')",
                    "[1,2,3]", "true", err);
}

static lw_status names_and_versions_are_checked(lw_error *err)
{
    return comes_to("format.dns1123LabelPrefix().validate(self.a + '-').orValue([]).size() == 0 && "
                    "format.named('byte').value().validate('!').hasValue() && "
                    "semver('v1', true).isLessThan(semver('1.0.1-rc')) && "
                    "'%s-%d'.format([self.a, 1]) == 'x-1'",
                    "{\"a\":\"x\"}", "true", err);
}

static lw_status evaluation_errors_are_reported(lw_error *err)
{
    return comes_to("self[5] == 1", "[1]", "index out of bounds: 5", err);
}

/* An expression with errors: the report may be truncated, but there must be no program. */
static lw_status compile_errors_are_reported(lw_error *err)
{
    lw_cel_program *program = NULL;
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_status st = lw_cel_compile(&program, LW_STR("nope + 'a'.size(1) + 1u"), NULL, 0, &why);
    if (st == LW_OK)
        lw_cel_program_free(program);
    lw_status told = why.st;
    lw_buf_done(&why);
    if (told < 0)
        return told;
    return st == LW_ERR_SYNTAX  ? LW_OK
           : st == LW_ERR_NOMEM ? st
                                : lw_error_set(err, LW_ERR_INTERNAL, "wrong: %d", (int)st);
}

const oom_scenario cel_scenarios[] = {
    { "strings are built", strings_are_built },
    { "lists are traversed", lists_are_traversed },
    { "names and versions are checked", names_and_versions_are_checked },
    { "evaluation errors are reported", evaluation_errors_are_reported },
    { "compile errors are reported", compile_errors_are_reported },
};
const size_t cel_scenario_count = sizeof(cel_scenarios) / sizeof(cel_scenarios[0]);
