/* SPDX-License-Identifier: Apache-2.0 */
/* website_objects.c -- what a Website asks for: its Deployment, its Service, its status.
 *
 * Nothing here talks to a server. */
#define _POSIX_C_SOURCE 200809L /* gmtime_r */

#include "website.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    TIME_SIZE = sizeof("2026-01-01T00:00:00Z"),
};

/* An object with the name of |site|, which owns it: when the Website goes, it goes too. */
static lw_status begin(lw_document **out, const lw_object *site, const char *api_version,
                       const char *kind, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_document_set_string(doc, NULL, "/apiVersion", api_version);
    lw_document_set_string(doc, NULL, "/kind", kind);
    lw_document_set_string(doc, NULL, "/metadata/name", lw_object_name(site));
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(site));
    lw_value *owner = lw_document_set_object(doc, NULL, "/metadata/ownerReferences/-");
    lw_document_set_string(doc, owner, "/apiVersion", lw_object_api_version(site));
    lw_document_set_string(doc, owner, "/kind", lw_object_kind(site));
    lw_document_set_string(doc, owner, "/name", lw_object_name(site));
    lw_document_set_string(doc, owner, "/uid", lw_object_uid(site));
    lw_document_set_bool(doc, owner, "/controller", true);
    lw_document_set_bool(doc, owner, "/blockOwnerDeletion", true);
    *out = doc;
    return LW_OK;
}

lw_status website_deployment(lw_document **out, const lw_object *site, lw_error *err)
{
    const char *name = lw_object_name(site);
    lw_document *doc = NULL;
    lw_status st = begin(&doc, site, "apps/v1", "Deployment", err);
    if (st < 0)
        return st;
    lw_document_set_int(doc, NULL, "/spec/replicas", lw_object_int(site, "/spec/replicas", 1));
    lw_document_set_string(doc, NULL, "/spec/selector/matchLabels/website", name);
    lw_document_set_string(doc, NULL, "/spec/template/metadata/labels/website", name);
    lw_value *container = lw_document_set_object(doc, NULL, "/spec/template/spec/containers/-");
    lw_document_set_string(doc, container, "/name", "web");
    lw_document_set_string(doc, container, "/image", lw_object_string(site, "/spec/image", ""));
    lw_document_set_int(doc, lw_document_set_object(doc, container, "/ports/-"), "/containerPort",
                        80);
    *out = doc;
    return LW_OK;
}

lw_status website_service(lw_document **out, const lw_object *site, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = begin(&doc, site, "v1", "Service", err);
    if (st < 0)
        return st;
    lw_document_set_string(doc, NULL, "/spec/selector/website", lw_object_name(site));
    lw_value *port = lw_document_set_object(doc, NULL, "/spec/ports/-");
    lw_document_set_int(doc, port, "/port", 80);
    lw_document_set_int(doc, port, "/targetPort", 80);
    *out = doc;
    return LW_OK;
}

/* One condition as it should be now. */
typedef struct condition {
    const char *status; /* "True" or "False" */
    const char *reason;
    const char *message;
} condition;

/* How many replicas of the current version are available.  A status that the Deployment controller
 * wrote before it saw our last change says nothing about that change. */
static int64_t ready_replicas(const lw_object *deployment)
{
    bool is_current = deployment && lw_object_int(deployment, "/status/observedGeneration", 0) >=
                                        lw_object_int(deployment, "/metadata/generation", 1);
    return is_current ? lw_object_int(deployment, "/status/availableReplicas", 0) : 0;
}

/* Finds the condition |type|, or adds it. */
static lw_value *find_condition(lw_document *doc, const char *type)
{
    const lw_value *conditions = lw_document_find(doc, NULL, "/status/conditions");
    for (size_t i = 0; i < lw_document_count(conditions); i++) {
        lw_value *at = lw_document_item(conditions, i);
        if (strcmp(lw_document_string(doc, at, "/type", ""), type) == 0)
            return at;
    }
    lw_value *made = lw_document_set_object(doc, NULL, "/status/conditions/-");
    lw_document_set_string(doc, made, "/type", type);
    return made;
}

/* lastTransitionTime is when the status last changed, not when we last looked. */
static void set_condition(lw_document *doc, const char *type, const condition *to)
{
    lw_value *at = find_condition(doc, type);
    if (strcmp(lw_document_string(doc, at, "/status", ""), to->status) != 0) {
        char now[TIME_SIZE];
        time_t seconds = time(NULL);
        struct tm utc;
        (void)strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
        lw_document_set_string(doc, at, "/lastTransitionTime", now);
    }
    lw_document_set_string(doc, at, "/status", to->status);
    lw_document_set_string(doc, at, "/reason", to->reason);
    lw_document_set_string(doc, at, "/message", to->message);
}

lw_status website_status(lw_document **out, const lw_object *site, const lw_object *deployment,
                         const website_problem *problem, lw_error *err)
{
    int64_t generation = lw_object_int(site, "/metadata/generation", 0);
    int64_t wanted = lw_object_int(site, "/spec/replicas", 1);
    int64_t available = problem->reason ? 0 : ready_replicas(deployment);
    bool is_ready = !problem->reason && available >= wanted;
    char count[64];
    lw_str conditions;
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    (void)snprintf(count, sizeof(count), "%lld of %lld replicas are available",
                   (long long)available, (long long)wanted);
    lw_document_set_int(doc, NULL, "/status/observedGeneration", generation);
    lw_document_set_int(doc, NULL, "/status/readyReplicas", available);
    /* A merge patch replaces an array as a whole: begin with the conditions there are. */
    if (lw_object_raw(site, "/status/conditions", &conditions) == LW_OK)
        lw_document_set_json(doc, NULL, "/status/conditions", conditions);
    set_condition(doc, "Ready",
                  &(condition){ .status = is_ready ? "True" : "False",
                                .reason = problem->reason ? problem->reason
                                          : is_ready      ? "Available"
                                                          : "Progressing",
                                .message = problem->reason ? problem->message : count });
    lw_document_set_int(doc, find_condition(doc, "Ready"), "/observedGeneration", generation);
    *out = doc;
    return LW_OK;
}

bool website_owns(const lw_object *site, const lw_object *obj)
{
    char pointer[64];
    for (int i = 0;; i++) {
        (void)snprintf(pointer, sizeof(pointer), "/metadata/ownerReferences/%d/uid", i);
        const char *uid = lw_object_string(obj, pointer, NULL);
        if (!uid)
            return false;
        (void)snprintf(pointer, sizeof(pointer), "/metadata/ownerReferences/%d/controller", i);
        if (strcmp(uid, lw_object_uid(site)) == 0 && lw_object_bool(obj, pointer, false))
            return true;
    }
}

/* The member |key| of an object; NULL where there is none. */
static const lw_value *member(const lw_value *object, lw_str key)
{
    for (size_t i = 0; i < lw_document_count(object); i++)
        if (lw_str_equal(lw_document_key(object, i), key))
            return lw_document_item(object, i);
    return NULL;
}

bool website_is_contained(const lw_value *wanted, const lw_value *have)
{
    size_t count = lw_document_count(wanted);
    if (count == 0 || !have)
        return lw_document_equal(wanted, have);
    bool is_array = lw_str_is_empty(lw_document_key(wanted, 0));
    if (is_array && count != lw_document_count(have))
        return false;
    for (size_t i = 0; i < count; i++) {
        const lw_value *there =
            is_array ? lw_document_item(have, i) : member(have, lw_document_key(wanted, i));
        if (!website_is_contained(lw_document_item(wanted, i), there))
            return false;
    }
    return true;
}
