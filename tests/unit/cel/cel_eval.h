/* SPDX-License-Identifier: Apache-2.0 */
/* cel_eval.h -- an expression and what should come out of it, for the tests of src/cel. */
#ifndef LW_TESTS_UNIT_CEL_EVAL_H
#define LW_TESTS_UNIT_CEL_EVAL_H

#include <stdio.h>

#include "base/str.h"
#include "cel/cel.h"
#include "unit/test.h"

/* What |expression| comes to with |json| as "self", which is of |type|: the value as a text, or
 * "error: ...", "compile: ..." or "too costly". */
static inline const char *cel_eval(const char *expression, const char *json,
                                   const lw_cel_type *type)
{
    static char text[2048];
    lw_cel_variable self = { LW_STR_INIT("self"), type };
    lw_cel_program *program = NULL;
    lw_cel_outcome outcome;
    lw_tree *tree = NULL;
    lw_buf why;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    lw_buf_init(&why, 1 << 16);
    lw_status st = lw_cel_compile(&program, lw_str_of(expression), &self, 1, &why);
    if (st < 0) {
        (void)snprintf(text, sizeof(text), "compile: %.*s", LW_STR_ARG(lw_buf_view(&why)));
    } else {
        lw_cel_binding binding = { lw_tree_root(tree), true };
        assert_int_equal(lw_cel_eval(program, &binding, LW_CEL_CALL_COST_MAX, &outcome), LW_OK);
        (void)snprintf(text, sizeof(text), "%s%.*s",
                       outcome.verdict == LW_CEL_FAILED       ? "error: "
                       : outcome.verdict == LW_CEL_TOO_COSTLY ? "too costly"
                                                              : "",
                       outcome.verdict == LW_CEL_TOO_COSTLY ? 0 : (int)outcome.text.len,
                       outcome.text.data ? outcome.text.data : "");
        lw_cel_outcome_done(&outcome);
    }
    lw_buf_done(&why);
    lw_cel_program_free(program);
    lw_tree_free(tree);
    return text;
}

/* An expression, and what it comes to. */
typedef struct cel_case {
    const char *expression, *expected;
} cel_case;

static inline void check_cases_at(const cel_case *cases, size_t count, const char *json,
                                  const lw_cel_type *type, const char *file, int line)
{
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        const char *found = cel_eval(cases[i].expression, json, type);
        if (strcmp(found, cases[i].expected) == 0)
            continue;
        print_error("%s\n  is \"%s\"\n  not \"%s\"\n", cases[i].expression, found,
                    cases[i].expected);
        bad++;
    }
    if (bad > 0)
        _fail(file, line);
}
#define check_cases_of(cases, json, type)                                                          \
    check_cases_at((cases), sizeof(cases) / sizeof((cases)[0]), (json), (type), __FILE__, __LINE__)
#define check_cases(cases) check_cases_of(cases, "null", &lw_cel_dyn)

#endif
