/* SPDX-License-Identifier: Apache-2.0 */
/* gvk.h -- what an object is (group, version, kind) and where it is served (group, version,
 * resource). */
#ifndef LISTWATCH_GVK_H
#define LISTWATCH_GVK_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

/* Views; they die with what they point into. */
typedef struct lw_gvk {
    lw_str group; /* empty for the core group */
    lw_str version;
    lw_str kind; /* "Deployment" */
} lw_gvk;

typedef struct lw_gvr {
    lw_str group; /* empty for the core group */
    lw_str version;
    lw_str resource; /* "deployments" */
} lw_gvr;

/* A resource from NUL-terminated strings: lw_gvr_make("apps", "v1", "deployments"). */
static inline lw_gvr lw_gvr_make(const char *group, const char *version, const char *resource)
{
    lw_gvr gvr;
    gvr.group = lw_str_of(group);
    gvr.version = lw_str_of(version);
    gvr.resource = lw_str_of(resource);
    return gvr;
}

/* A kind from NUL-terminated strings: lw_gvk_make("apps", "v1", "Deployment"). */
static inline lw_gvk lw_gvk_make(const char *group, const char *version, const char *kind)
{
    lw_gvk gvk;
    gvk.group = lw_str_of(group);
    gvk.version = lw_str_of(version);
    gvk.kind = lw_str_of(kind);
    return gvk;
}

/* True when all three are the same. */
static inline bool lw_gvk_equal(lw_gvk a, lw_gvk b)
{
    return lw_str_equal(a.kind, b.kind) && lw_str_equal(a.group, b.group) &&
           lw_str_equal(a.version, b.version);
}

/* True when all three are the same. */
static inline bool lw_gvr_equal(lw_gvr a, lw_gvr b)
{
    return lw_str_equal(a.resource, b.resource) && lw_str_equal(a.group, b.group) &&
           lw_str_equal(a.version, b.version);
}

/* Cuts an apiVersion into views: "apps/v1" gives "apps" and "v1", "v1" the empty group.
 * LW_ERR_INVALID: more than one '/'. */
LW_API lw_status lw_api_version_parse(lw_str api_version, lw_str *group, lw_str *version,
                                      lw_error *err);

/* Reads what a person types for a resource.  "deployments.apps" can only be a resource and its
 * group; "deployments.v1.apps" can also be resource, version and group, and which one is meant only
 * discovery can tell.  Sets |*unversioned| (its version empty) always; returns whether the other
 * reading exists and |*versioned| was set. */
LW_API bool lw_gvr_parse(lw_str text, lw_gvr *unversioned, lw_gvr *versioned);

LW_END_DECLS

#endif
