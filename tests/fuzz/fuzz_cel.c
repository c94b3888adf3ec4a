/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cel.c -- untrusted rules: any expression is compiled or rejected with a position, and
 * evaluated within its budget.
 *
 * The input is an expression, a newline, and the JSON of "self". */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "base/str.h"
#include "cel/cel.h"

enum {
    BUDGET = 20 * 1000,
    WHY_MAX = 1 << 20,
};

static void evaluate(const lw_cel_program *program, lw_str json)
{
    lw_tree *tree = NULL;
    lw_cel_outcome outcome;
    if (lw_tree_parse(&tree, json, 0, NULL) < 0)
        return;
    lw_cel_binding self = { lw_tree_root(tree), true };
    if (lw_cel_eval(program, &self, BUDGET, &outcome) == LW_OK) {
        if (outcome.verdict != LW_CEL_TOO_COSTLY && outcome.cost > BUDGET)
            abort();
        if (outcome.verdict == LW_CEL_FAILED && outcome.text.len == 0)
            abort();
        lw_cel_outcome_done(&outcome);
    }
    lw_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lw_cel_variable self = { LW_STR_INIT("self"), &lw_cel_dyn };
    lw_str text, json;
    lw_cel_program *program = NULL;
    lw_buf why;
    (void)lw_str_cut(lw_str_make((const char *)data, size), '\n', &text, &json);
    lw_buf_init(&why, WHY_MAX);
    lw_status st = lw_cel_compile(&program, text, &self, 1, &why);
    if (st == LW_OK)
        evaluate(program, json);
    else if (st != LW_ERR_NOMEM && why.len == 0)
        abort();
    lw_cel_program_free(program);
    lw_buf_done(&why);
    return 0;
}
