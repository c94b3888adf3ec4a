/* SPDX-License-Identifier: Apache-2.0 */
/* website_async.c -- the reconcile function of the Website controller without threads.
 *
 * Each request ends with a callback that starts the next one; the last one finishes the key:
 *
 *     finalizer ─▶ Deployment ─▶ Service ─▶ status ─▶ lw_reconciler_finish */
#include "website.h"

#include <stdlib.h>

/* A key that is being reconciled. */
typedef struct job {
    website *w;
    const char *ticket;
    lw_object *site;
    int kind;            /* that is being applied */
    const char *problem; /* the reason why the Website cannot become ready; NULL: none */
    lw_error why;
} job;

static void finish(job *j, lw_status st, const lw_error *err)
{
    if (st == LW_ERR_CONFLICT)
        st = LW_OK; /* a newer version brings us back */
    lw_reconciler_finish(j->w->reconciler, j->ticket, st, 30 * LW_NS_PER_S, err);
    lw_object_unref(j->site);
    free(j);
}

static void on_last(const lw_result *result, void *arg)
{
    finish(arg, result->st, result->err);
}

static bool is_same(lw_document *doc, const lw_object *site)
{
    lw_document *old = NULL;
    bool is = lw_document_from_object(&old, site, NULL) == LW_OK &&
              lw_document_equal(lw_document_find(old, NULL, ""), lw_document_find(doc, NULL, ""));
    lw_document_free(old);
    return is;
}

static void write_status(job *j)
{
    const lw_update_options options = { .size = sizeof(options), .subresource = "status" };
    lw_error err = LW_ERROR_INIT;
    lw_document *doc = NULL;
    lw_object *wanted = NULL;
    lw_status st = website_status(&doc, j->w, j->site, j->problem, &j->why, &err);
    bool is_done = st == LW_OK && is_same(doc, j->site);
    if (st == LW_OK && !is_done)
        st = lw_document_to_object(doc, &wanted, &err);
    if (st == LW_OK && !is_done)
        st = lw_async_update(lw_manager_async(j->w->manager), website_kinds[WEBSITE].gvr, wanted,
                             &options, on_last, j, NULL, &err);
    lw_object_unref(wanted);
    lw_document_free(doc);
    if (st < 0 || is_done)
        finish(j, st, &err);
}

static void apply(job *j);

/* A child was applied: the next one, or the status. */
static void on_applied(const lw_result *result, void *arg)
{
    job *j = arg;
    if (result->st < 0 && result->st != LW_ERR_INVALID && result->st != LW_ERR_EXISTS) {
        finish(j, result->st, result->err);
        return;
    }
    if (result->st < 0) {
        j->problem = result->st == LW_ERR_EXISTS ? "NameTaken" : "Rejected";
        j->why = *result->err;
        lw_recorder_event(lw_manager_recorder(j->w->manager), j->site, "Warning", j->problem, "%s",
                          j->why.message);
    }
    j->kind++;
    if (j->problem || j->kind == WEBSITE_KINDS)
        write_status(j);
    else
        apply(j);
}

static void apply(job *j)
{
    const lw_apply_options options = { .size = sizeof(options),
                                       .field_manager = WEBSITE_MANAGER,
                                       .force = true };
    const char *ns = lw_object_namespace(j->site), *name = lw_object_name(j->site);
    lw_object *have = lw_lister_get(lw_informer_lister(j->w->informers[j->kind]), ns, name);
    lw_error err = LW_ERROR_INIT;
    lw_document *wanted = NULL;
    lw_str json = { NULL, 0 };
    lw_status st = website_child(&wanted, j->kind, j->site, &err);
    if (st == LW_OK && have && !lw_owner_controls(j->site, have))
        st = lw_error_set(&err, LW_ERR_EXISTS, "it exists and has another owner");
    if (st == LW_OK)
        st = lw_document_json(wanted, NULL, &json, &err);
    if (st == LW_OK)
        st = lw_async_apply(lw_manager_async(j->w->manager), website_kinds[j->kind].gvr, ns, name,
                            json, &options, on_applied, j, NULL, &err);
    lw_document_free(wanted);
    lw_object_unref(have);
    if (st < 0)
        on_applied(&(const lw_result){ .st = st, .err = &err }, j);
}

lw_status website_reconcile_async(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    website *w = arg;
    lw_document *patch = NULL;
    lw_str json = { NULL, 0 };
    lw_object *site =
        lw_lister_get(lw_informer_lister(w->informers[WEBSITE]), key.ns.ptr, key.name.ptr);
    job *j = site ? malloc(sizeof(*j)) : NULL;
    if (!j) {
        bool is_gone = !site;
        lw_object_unref(site);
        return is_gone ? LW_OK : lw_error_set(err, LW_ERR_NOMEM, "out of memory");
    }
    *j = (job){ .w = w, .ticket = result->ticket, .site = site, .kind = WEBSITE_DEPLOYMENT };
    bool is_deleting = lw_object_is_deleting(site);
    lw_status st = lw_finalizer_patch(site, WEBSITE_FINALIZER, !is_deleting, &patch, err);
    if (st == LW_OK && patch)
        st = lw_document_json(patch, NULL, &json, err);
    if (st == LW_OK && patch)
        st = lw_async_patch(lw_manager_async(w->manager), website_kinds[WEBSITE].gvr, key.ns.ptr,
                            key.name.ptr, json, NULL, on_last, j, NULL, err);
    result->is_pending = st == LW_OK && (patch || !is_deleting);
    if (st == LW_OK && !patch && !is_deleting)
        apply(j);
    lw_document_free(patch);
    if (!result->is_pending) {
        lw_object_unref(site);
        free(j);
    }
    return st;
}
