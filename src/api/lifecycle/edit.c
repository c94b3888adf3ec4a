/* SPDX-License-Identifier: Apache-2.0 */
/* edit.c -- changes of stored objects by the server's own controllers. */
#include "api/lifecycle/edit.h"

#include "api/write/change.h"

lw_write_decision lw_edit_decide(lw_write *write, const lw_edit *edit)
{
    lw_tree *stored = NULL, *edited = NULL;
    bool is_stored = false;
    lw_status st = lw_write_read_current(write, &stored, &is_stored);
    if (st == LW_OK)
        st = lw_tree_new(&edited, 0);
    if (st == LW_OK) {
        lw_tree_set_root(edited, lw_tree_share(edited, lw_tree_root(stored)));
        st = lw_tree_status(edited);
    }
    if (st == LW_OK)
        st = edit->change(edited, lw_tree_root(edited), edit->arg);
    if (st == LW_OK)
        st = lw_tree_status(edited);
    lw_write_decision decision = LW_WRITE_REFUSE;
    if (st < 0) {
        decision = lw_write_fail(write, st);
    } else {
        const lw_change change = { .body = lw_tree_root(edited),
                                   .stored = is_stored ? stored : NULL,
                                   .subresource = edit->subresource,
                                   .is_patched = true,
                                   .manager = edit->manager };
        decision = lw_change_update(write, &change);
    }
    lw_tree_free(edited);
    lw_tree_free(stored);
    return decision;
}
