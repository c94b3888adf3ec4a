/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_review.c -- untrusted access and token reviews: any input is rejected with a reason, or
 * answered.
 *
 * The first byte selects the kind, the rest is the body. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "api/context/port.h"
#include "api/review/review.h"
#include "base/str.h"

/* Selects a review of either group by number. */
static const lw_review *choose(uint8_t number)
{
    size_t access = 0, identity = 0;
    while (lw_reviews_of_access[access].kind)
        access++;
    while (lw_reviews_of_identity[identity].kind)
        identity++;
    size_t chosen = number % (access + identity);
    return chosen < access ? &lw_reviews_of_access[chosen]
                           : &lw_reviews_of_identity[chosen - access];
}

static void answer(lw_pending_object *pending, const lw_review *review, const lw_api_call *call)
{
    lw_object *made = NULL;
    review->answer(pending, pending->root, call);
    lw_pending_object_seal(pending);
    if (lw_pending_object_take(pending, false, &made) < 0)
        abort();
    if (!lw_str_equal(lw_str_of(lw_object_kind(made)), review->kind->kind))
        abort();
    lw_object_unref(made);
}

static void ask(const lw_review *review, const lw_node *body)
{
    lw_api api = { .clock = lw_clock_system() };
    lw_api_port port = { .api = &api };
    const lw_api_call call = { .api = &api, .port = &port };
    lw_api_status status;
    lw_pending_object pending = { 0 };
    lw_buf why;
    lw_buf_init(&why, 1024);
    if (lw_pending_object_open(&pending, &port, review->kind, NULL, body, NULL) < 0)
        abort();
    if (lw_pending_object_check_types(&pending, &why)) {
        lw_pending_object_read_typed(&pending);
        if (!review->validate || review->validate(&pending, &status)) {
            answer(&pending, review, &call);
        } else {
            if (status.code < 400 || status.message.len == 0)
                abort();
            lw_api_status_done(&status);
        }
    }
    lw_buf_done(&why);
    lw_pending_object_done(&pending);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_tree *tree = NULL;
    if (size == 0 ||
        lw_tree_parse(&tree, lw_str_make((const char *)data + 1, size - 1), 0, NULL) < 0)
        return 0;
    if (lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT))
        ask(choose(data[0]), lw_tree_root(tree));
    lw_tree_free(tree);
    return 0;
}
