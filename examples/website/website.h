/* SPDX-License-Identifier: Apache-2.0 */
/* website.h -- the Website controller: a Deployment and a Service for every Website. */
#ifndef WEBSITE_H
#define WEBSITE_H

#include <listwatch.h>

#define WEBSITE_FINALIZER "example.com/route"
#define WEBSITE_ROUTES    "website-routes" /* the ConfigMap that maps Websites to hosts */

typedef struct website_controller website_controller;

/* Starts a controller that uses |client|, and returns when its caches are filled.  It runs on
 * threads of its own until website_controller_stop, which also frees it.  |logger| (may be NULL)
 * outlives it. */
lw_status website_controller_start(website_controller **out, lw_client *client,
                                   const lw_logger *logger, lw_error *err);
void website_controller_stop(website_controller *controller);

/* What a Website asks for, as documents: free them with lw_document_free. */
lw_status website_deployment(lw_document **out, const lw_object *site, lw_error *err);
lw_status website_service(lw_document **out, const lw_object *site, lw_error *err);

/* Why a Website cannot be brought up, where trying again would not help. */
typedef struct website_problem {
    const char *reason; /* for the condition, in CamelCase; NULL: there is no problem */
    char message[LW_ERROR_MESSAGE_SIZE];
} website_problem;

/* The status of |site|, as a patch: {"status": ...}.  |deployment| is NULL while there is none. */
lw_status website_status(lw_document **out, const lw_object *site, const lw_object *deployment,
                         const website_problem *problem, lw_error *err);

/* Whether |site| is the controller of |obj|, according to its owner references. */
bool website_owns(const lw_object *site, const lw_object *obj);

/* Whether |have| already has every field of |wanted|; it may have more. */
bool website_is_contained(const lw_value *wanted, const lw_value *have);

#endif
