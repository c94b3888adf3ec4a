/* SPDX-License-Identifier: Apache-2.0 */
/* website.c -- keeps what a Website asks for as it should be: reads caches, writes to the server.
 */
#include "website.h"

/* The fields that the controller owns, except those that depend on the Website. */
const website_kind website_kinds[] = {
    { { LW_STR_INIT("example.com"), LW_STR_INIT("v1"), LW_STR_INIT("websites") }, NULL },
    { { LW_STR_INIT("apps"), LW_STR_INIT("v1"), LW_STR_INIT("deployments") },
      "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"spec\":{\"template\":{\"spec\":{"
      "\"containers\":[{\"name\":\"web\",\"ports\":[{\"containerPort\":80}]}]}}}}" },
    { { LW_STR_INIT(""), LW_STR_INIT("v1"), LW_STR_INIT("services") },
      "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"spec\":{\"ports\":[{\"port\":80}]}}" },
};

/* The Deployment or the Service: it has the name of |site|, which owns it. */
lw_status website_child(lw_document **out, int kind, const lw_object *site, lw_error *err)
{
    const char *name = lw_object_name(site), *json = website_kinds[kind].json;
    lw_status st = lw_document_from_json(out, json, strlen(json), err);
    if (st < 0)
        return st;
    lw_document_set_string(*out, NULL, "/metadata/name", name);
    lw_document_set_string(*out, NULL, "/metadata/namespace", lw_object_namespace(site));
    if (kind == WEBSITE_DEPLOYMENT) {
        lw_document_set_int(*out, NULL, "/spec/replicas", lw_object_int(site, "/spec/replicas", 1));
        lw_document_set_string(*out, NULL, "/spec/selector/matchLabels/website", name);
        lw_document_set_string(*out, NULL, "/spec/template/metadata/labels/website", name);
        lw_document_set_string(*out, NULL, "/spec/template/spec/containers/0/image",
                               lw_object_string(site, "/spec/image", ""));
    } else {
        lw_document_set_string(*out, NULL, "/spec/selector/website", name);
    }
    return lw_owner_set_controller(*out, site, err);
}

static lw_object *child_of(const website *w, int kind, const lw_object *site)
{
    return lw_lister_get(lw_informer_lister(w->informers[kind]), lw_object_namespace(site),
                         lw_object_name(site));
}

/* |site| with its status; |problem| (may be NULL) is the reason why it cannot become ready. */
lw_status website_status(lw_document **out, const website *w, const lw_object *site,
                         const char *problem, const lw_error *why, lw_error *err)
{
    const lw_clock *clock = lw_clock_system();
    lw_object *have = child_of(w, WEBSITE_DEPLOYMENT, site);
    /* A status of the Deployment that is older than our last change does not count. */
    bool is_ready = have && !problem &&
                    lw_object_int(have, "/status/observedGeneration", 0) >=
                        lw_object_int(have, "/metadata/generation", 1) &&
                    lw_object_int(have, "/status/availableReplicas", 0) >=
                        lw_object_int(site, "/spec/replicas", 1);
    const lw_condition ready = {
        .type = "Ready",
        .status = is_ready ? "True" : "False",
        .reason = problem    ? problem
                  : is_ready ? "Available"
                             : "Progressing",
        .message = problem ? why->message : NULL,
        .observed_generation = lw_object_int(site, "/metadata/generation", 0),
    };
    lw_object_unref(have);
    lw_status st = lw_document_from_object(out, site, err);
    if (st == LW_OK)
        (void)lw_condition_set(*out, &ready, clock->wall_ns(clock->arg));
    return st;
}

/* Applies a child.  What trying again cannot fix is a |problem|, not an error. */
static lw_status ensure(const website *w, int kind, const lw_object *site, const char **problem,
                        lw_error *err)
{
    lw_change change = LW_CHANGE_NONE;
    lw_document *wanted = NULL;
    lw_object *have = child_of(w, kind, site);
    lw_status st = website_child(&wanted, kind, site, err);
    if (st == LW_OK && have && !lw_owner_controls(site, have))
        st = lw_error_set(err, LW_ERR_EXISTS, "it exists and has another owner");
    else if (st == LW_OK)
        st = lw_create_or_apply(lw_manager_client(w->manager), website_kinds[kind].gvr, wanted,
                                have, WEBSITE_MANAGER, NULL, &change, err);
    if (st == LW_ERR_EXISTS || st == LW_ERR_INVALID)
        *problem = st == LW_ERR_EXISTS ? "NameTaken" : "Rejected";
    if (*problem || change == LW_CHANGE_CREATED)
        lw_recorder_event(lw_manager_recorder(w->manager), site, *problem ? "Warning" : "Normal",
                          *problem ? *problem : "Created", "%s %s",
                          website_kinds[kind].gvr.resource.ptr,
                          *problem ? err->message : "created");
    lw_document_free(wanted);
    lw_object_unref(have);
    return *problem ? LW_OK : st;
}

/* Makes everything that a living Website needs. */
static lw_status bring_up(const website *w, const lw_object *site, lw_error *err)
{
    const lw_update_options options = { .size = sizeof(options), .subresource = "status" };
    const char *problem = NULL;
    lw_document *doc = NULL;
    lw_status st = LW_OK;
    for (int kind = WEBSITE_DEPLOYMENT; st == LW_OK && !problem && kind < WEBSITE_KINDS; kind++)
        st = ensure(w, kind, site, &problem, err);
    if (st == LW_OK)
        st = website_status(&doc, w, site, problem, err, err);
    if (st == LW_OK)
        st = lw_update_if_changed(lw_manager_client(w->manager), website_kinds[WEBSITE].gvr, site,
                                  doc, &options, NULL, NULL, err);
    lw_document_free(doc);
    return st == LW_ERR_CONFLICT ? LW_OK : st; /* a newer version brings us back */
}

/* Compares what there is with what there should be.  An error brings the key back, later. */
lw_status website_reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const website *w = arg;
    bool is_changed = false;
    lw_object *site =
        lw_lister_get(lw_informer_lister(w->informers[WEBSITE]), key.ns.ptr, key.name.ptr);
    if (!site)
        return LW_OK; /* it is gone */
    bool is_deleting = lw_object_is_deleting(site);
    lw_status st = lw_finalizer_write(lw_manager_client(w->manager), website_kinds[WEBSITE].gvr,
                                      site, WEBSITE_FINALIZER, !is_deleting, &is_changed, err);
    if (st == LW_OK && is_deleting && is_changed)
        lw_recorder_event(lw_manager_recorder(w->manager), site, "Normal", "Goodbye", "cleaned up");
    else if (st == LW_OK && !is_deleting && !is_changed) /* a new finalizer brings us back */
        st = bring_up(w, site, err);
    result->again_after_ns = 30 * LW_NS_PER_S; /* no event tells when a problem is solved */
    lw_object_unref(site);
    return st;
}

/* Which events lead to which Websites: those of the Website itself, and of what it owns. */
lw_status website_add(website *w, lw_reconcile_fn fn, lw_manager *manager, lw_error *err)
{
    lw_reconciler_watch_options watch = LW_RECONCILER_WATCH_OPTIONS_INIT;
    const lw_reconciler_options options = { sizeof(options), "website", fn, w, 0, NULL, NULL };
    w->manager = manager;
    lw_status st = lw_manager_add_reconciler(manager, &options, &w->reconciler, err);
    for (int kind = 0; st == LW_OK && kind < WEBSITE_KINDS; kind++) {
        st = lw_manager_watch(manager, w->reconciler, website_kinds[kind].gvr.resource.ptr, &watch,
                              &w->informers[kind], err);
        watch.owners = w->informers[WEBSITE];
    }
    return st;
}
