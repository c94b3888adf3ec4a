/* SPDX-License-Identifier: Apache-2.0 */
/* patch_cases.c -- patches applied here, and compared with what others made of them.
 *
 * Standard input has a case a line (tests/interop/strategic/main.go): a document, a patch, and the
 * outcomes that are right, results or messages.  The last line counts; exit 1: some differ. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include "base/str.h"
#include "schema/strategicpatch/strategic_patch.h"
#include "json/patch.h"

enum {
    SHOWN = 2, /* cases that differ and are printed in full */
    WHY_MAX = 1 << 20,
};

typedef struct tally {
    size_t strategic, merge, results, refusals, panics, differing;
} tally;

static lw_str text_of(const lw_node *line, const char *name)
{
    return lw_node_text(lw_node_get(line, lw_str_of(name)));
}

static bool is_among(const lw_node *results, const lw_node *document)
{
    for (size_t i = 0; i < lw_node_count(results); i++) {
        if (lw_node_equal(lw_node_at(results, i), document))
            return true;
    }
    return false;
}

static bool is_told(const lw_node *errors, lw_str why)
{
    for (size_t i = 0; i < lw_node_count(errors); i++) {
        if (lw_str_equal(lw_node_text(lw_node_at(errors, i)), why))
            return true;
    }
    return false;
}

static void show(const char *line, const lw_node *document, lw_status st, lw_str why)
{
    lw_buf text;
    lw_json_writer w;
    lw_buf_init(&text, WHY_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(document, &w);
    printf("# %s#   here: %d %.*s %.*s\n", line, st, LW_STR_ARG(why), (int)text.len, text.data);
    lw_buf_done(&text);
}

/* Applies the patch of the case |line| to its document, in a tree of its own. */
static lw_status apply(const lw_node *line, bool is_merge, lw_tree *tree, lw_buf *why)
{
    const lw_node *patch = lw_node_get(line, LW_STR("patch"));
    lw_tree_set_root(tree, lw_tree_copy(tree, lw_node_get(line, LW_STR("document"))));
    if (is_merge) {
        lw_tree_set_root(tree, lw_json_merge_patch(tree, lw_tree_root(tree), patch));
        return lw_tree_status(tree);
    }
    const lw_gvk gvk = { text_of(line, "group"), text_of(line, "version"), text_of(line, "kind") };
    return lw_strategic_patch_apply(tree, gvk, patch, why);
}

static void judge(const char *text, const lw_node *line, tally *t)
{
    lw_tree *tree = NULL;
    lw_buf why;
    bool is_merge = lw_str_equal(text_of(line, "type"), LW_STR("merge"));
    if (lw_tree_new(&tree, 0) < 0)
        abort();
    lw_buf_init(&why, WHY_MAX);
    lw_status st = apply(line, is_merge, tree, &why);
    bool agrees = st == LW_OK ? is_among(lw_node_get(line, LW_STR("results")), lw_tree_root(tree))
                              : is_told(lw_node_get(line, LW_STR("errors")), lw_buf_view(&why));
    *(is_merge ? &t->merge : &t->strategic) += 1;
    if (agrees)
        *(st == LW_OK ? &t->results : &t->refusals) += 1;
    else if (lw_node_bool(lw_node_get(line, LW_STR("panics"))))
        t->panics++;
    else if (t->differing++ < SHOWN)
        show(text, lw_tree_root(tree), st, lw_buf_view(&why));
    lw_buf_done(&why);
    lw_tree_free(tree);
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    tally t = { 0 };
    while ((len = getline(&line, &size, stdin)) > 0) {
        lw_tree *tree = NULL;
        lw_error err = LW_ERROR_INIT;
        if (lw_tree_parse(&tree, lw_str_make(line, (size_t)len), 0, &err) < 0) {
            fprintf(stderr, "a line cannot be read: %s\n", err.message);
            return 2;
        }
        judge(line, lw_tree_root(tree), &t);
        lw_tree_free(tree);
    }
    free(line);
    printf(
        "%zu strategic and %zu merge patches: %zu same results, %zu same refusals, %zu where the "
        "other one panics, %zu differ\n",
        t.strategic, t.merge, t.results, t.refusals, t.panics, t.differing);
    return t.differing || t.strategic == 0 ? 1 : 0;
}
