/* SPDX-License-Identifier: Apache-2.0 */
/* website.h -- the Website controller: a Deployment and a Service for every Website. */
#ifndef WEBSITE_H
#define WEBSITE_H

#include <listwatch.h>

#define WEBSITE_MANAGER   "website-controller" /* of its fields, its lease and its events */
#define WEBSITE_FINALIZER "example.com/goodbye"

enum {
    WEBSITE,
    WEBSITE_DEPLOYMENT,
    WEBSITE_SERVICE,
    WEBSITE_KINDS
};

typedef struct website_kind {
    lw_gvr gvr;
    const char *json; /* what every object of this kind has */
} website_kind;

extern const website_kind website_kinds[];

typedef struct website {
    lw_manager *manager;
    lw_reconciler *reconciler;
    lw_informer *informers[WEBSITE_KINDS];
} website;

/* Adds the controller to |manager|, which runs it; |w| must outlive the manager.  |fn| is
 * website_reconcile, or website_reconcile_async for a manager in an event loop. */
lw_status website_add(website *w, lw_reconcile_fn fn, lw_manager *manager, lw_error *err);

lw_status website_reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err);
lw_status website_reconcile_async(lw_key key, lw_reconcile_result *result, void *arg,
                                  lw_error *err);

/* What both have: what a Website asks for, and its status. */
lw_status website_child(lw_document **out, int kind, const lw_object *site, lw_error *err);
lw_status website_status(lw_document **out, const website *w, const lw_object *site,
                         const char *problem, const lw_error *why, lw_error *err);

#endif
