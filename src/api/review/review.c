/* SPDX-License-Identifier: Apache-2.0 */
/* review.c -- handles the creation of reviews. */
#include "api/review/review.h"

#include "api/context/asker.h"
#include "api/http/body.h"
#include "api/pending/field_validation.h"
#include "api/pending/managed.h"
#include "api/pending/metadata.h"
#include "api/write/write_call.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    CREATED = 201,
    TEXT_MAX = 4096,
};

static const lw_review *find_review(const lw_kind *kind)
{
    static const lw_review *const families[] = { lw_reviews_of_access, lw_reviews_of_identity };
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        for (const lw_review *review = families[i]; review->kind; review++) {
            if (review->kind == kind)
                return review;
        }
    }
    return NULL;
}

static bool check_types(const lw_pending_object *pending, lw_api_status *status)
{
    lw_buf why;
    lw_buf_init(&why, TEXT_MAX);
    bool is_good = lw_pending_object_check_types(pending, &why);
    if (!is_good) {
        lw_body_refuse(status, lw_kind_gvk(pending->kind), pending->kind->kind, lw_buf_view(&why));
        if (why.st < 0)
            status->st = why.st;
    }
    lw_buf_done(&why);
    return is_good;
}

/* Parses the review as kube-apiserver would.  False: write->status has the reason. */
static bool read_review(lw_write_call *wc, const lw_review *review, lw_pending_object *pending)
{
    lw_write *write = &wc->write;
    lw_field_manager manager = lw_write_call_manager(wc);
    lw_status st = lw_pending_object_open(pending, write->port, write->kind, write->budget,
                                          lw_tree_root(wc->body), NULL);
    if (st == LW_OK) {
        if (!check_types(pending, &write->status))
            return false;
        lw_pending_object_read_typed(pending);
        if (!lw_metadata_fits(pending, write->key, &write->status))
            return false;
        lw_managed_note(pending, &manager);
        st = lw_pending_object_state(pending);
    }
    if (st < 0) {
        (void)lw_write_fail(write, st);
        return false;
    }
    return !review->validate || review->validate(pending, &write->status);
}

static void make_blank(lw_pending_object *pending)
{
    pending->root = lw_tree_object(pending->tree);
    pending->metadata = lw_fields_object(pending->tree, pending->root, "metadata");
    lw_buf_reset(&pending->managed);
}

/* Sets write->next to the review with its status.  False: write->status has the reason. */
static bool answer(lw_write_call *wc, const lw_review *review)
{
    lw_pending_object pending = { 0 };
    bool is_good = read_review(wc, review, &pending);
    if (is_good) {
        const lw_node *asked = pending.root;
        if (review->is_blank)
            make_blank(&pending);
        review->answer(&pending, asked, wc->call);
        lw_pending_object_seal(&pending);
        /* Without the answer of a webhook there is none; the review is served again. */
        lw_status st = lw_asker_is_waiting(wc->call->stream)
                           ? LW_ERR_UNAVAILABLE
                           : lw_pending_object_take(&pending, false, &wc->write.next);
        if (st < 0)
            (void)lw_write_fail(&wc->write, st);
        is_good = st == LW_OK;
    }
    lw_pending_object_done(&pending);
    return is_good;
}

void lw_rest_review(lw_api_call *call)
{
    const lw_review *review = find_review(call->route.kind);
    lw_write_options options;
    lw_api_status status;
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!lw_write_options_read(&options, &call->query, "CreateOptions", &status) ||
        !lw_body_read(call, lw_kind_gvk(call->route.kind), &wc->body, &status) ||
        !lw_field_validation_check(call, lw_kind_gvk(call->route.kind), wc->body, &status)) {
        lw_write_call_refuse(wc, &status);
    } else if (answer(wc, review)) {
        lw_write_call_reply(wc, CREATED, wc->write.next);
    } else {
        status = wc->write.status;
        lw_api_status_init(&wc->write.status);
        lw_write_call_refuse(wc, &status);
    }
}
