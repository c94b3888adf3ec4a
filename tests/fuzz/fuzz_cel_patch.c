/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cel_patch.c -- untrusted mutations of policies: expressions with Object{...} and
 * JSONPatch{...} are compiled or rejected, evaluated within their budget, and their values become
 * JSON or are refused with a reason.
 *
 * The input is an expression, a newline, and the JSON of "object". */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "base/str.h"
#include "cel/session.h"

enum {
    BUDGET = 20 * 1000,
    TREE_MAX = 1 << 24,
    WHY_MAX = 1 << 20,
};

/* Makes JSON of the last value. */
static void convert(const lw_cel_session *session)
{
    lw_tree *tree = NULL;
    lw_node *node = NULL;
    lw_buf why;
    if (lw_tree_new(&tree, TREE_MAX) < 0)
        return;
    lw_buf_init(&why, WHY_MAX);
    lw_status st = lw_cel_session_node(session, tree, &node, &why);
    if ((st == LW_OK && !node) || (st == LW_ERR_INVALID && why.len == 0))
        abort();
    lw_buf_done(&why);
    lw_tree_free(tree);
}

static void evaluate(const lw_cel_program *program, lw_str json)
{
    lw_tree *tree = NULL;
    lw_cel_outcome outcome;
    lw_cel_session *session = NULL;
    uint64_t composed = 0;
    if (lw_tree_parse(&tree, json, 0, NULL) < 0)
        return;
    const lw_cel_binding object = { lw_tree_root(tree), true };
    const lw_cel_session_options options = { .values = &object, .composed_at = SIZE_MAX };
    if (lw_cel_session_new(&session, &options) == LW_OK &&
        lw_cel_session_eval(session, program, BUDGET, &outcome, &composed) == LW_OK) {
        if (outcome.verdict == LW_CEL_VALUE)
            convert(session);
        else if (outcome.verdict == LW_CEL_FAILED && outcome.text.len == 0)
            abort();
        lw_cel_outcome_done(&outcome);
    }
    lw_cel_session_free(session);
    lw_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lw_cel_variable object = { LW_STR_INIT("object"), &lw_cel_dyn };
    lw_str text, json;
    lw_cel_program *program = NULL;
    lw_buf why;
    (void)lw_str_cut(lw_str_make((const char *)data, size), '\n', &text, &json);
    lw_buf_init(&why, WHY_MAX);
    lw_status st = lw_cel_compile_with(&program, text, &object, 1, LW_CEL_FEATURE_PATCH, &why);
    if (st == LW_OK)
        evaluate(program, json);
    else if (st != LW_ERR_NOMEM && why.len == 0)
        abort();
    lw_cel_program_free(program);
    lw_buf_done(&why);
    return 0;
}
