/* SPDX-License-Identifier: Apache-2.0 */
/* review.c -- from a question to its answer. */
#include "api/review/review.h"

#include "api/http/body.h"
#include "api/pending/field_validation.h"
#include "json/fields.h"
#include "api/pending/managed.h"
#include "api/pending/metadata.h"
#include "api/write/write_call.h"
#include "base/str.h"

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

static bool check_types(const lw_draft *draft, lw_api_status *status)
{
    lw_buf why;
    lw_buf_init(&why, TEXT_MAX);
    bool is_good = lw_draft_check_types(draft, &why);
    if (!is_good) {
        lw_body_refuse(status, lw_kind_gvk(draft->kind), draft->kind->kind, lw_buf_view(&why));
        if (why.st < 0)
            status->st = why.st;
    }
    lw_buf_done(&why);
    return is_good;
}

/* The question as kube-apiserver would have read it.  False: write->status says why not. */
static bool read_question(lw_write_call *wc, const lw_review *review, lw_draft *draft)
{
    lw_write *write = &wc->write;
    lw_field_manager manager = lw_write_call_manager(wc);
    lw_status st = lw_draft_open(draft, write->port, write->kind, lw_tree_root(wc->body), NULL);
    if (st == LW_OK) {
        if (!check_types(draft, &write->status))
            return false;
        lw_draft_read_typed(draft);
        if (!lw_metadata_fits(draft, write->key, &write->status))
            return false;
        lw_managed_note(draft, &manager);
        st = lw_draft_state(draft);
    }
    if (st < 0) {
        (void)lw_write_fail(write, st);
        return false;
    }
    return !review->judge || review->judge(draft, &write->status);
}

static void make_blank(lw_draft *draft)
{
    draft->root = lw_tree_object(draft->tree);
    draft->metadata = lw_fields_object(draft->tree, draft->root, "metadata");
    lw_buf_reset(&draft->managed);
}

/* Makes write->next the answer; false: write->status says why there is none. */
static bool answer(lw_write_call *wc, const lw_review *review)
{
    lw_draft draft = { 0 };
    bool is_good = read_question(wc, review, &draft);
    if (is_good) {
        if (review->is_blank)
            make_blank(&draft);
        review->answer(&draft, wc->call);
        lw_draft_seal(&draft);
        lw_status st = lw_draft_take(&draft, false, &wc->write.next);
        if (st < 0)
            (void)lw_write_fail(&wc->write, st);
        is_good = st == LW_OK;
    }
    lw_draft_done(&draft);
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
