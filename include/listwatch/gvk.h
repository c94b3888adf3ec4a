/* SPDX-License-Identifier: Apache-2.0 */
/* gvk.h -- the type of an object (group, version, kind) and the resource that serves it (group,
 * version, resource). */
#ifndef LISTWATCH_GVK_H
#define LISTWATCH_GVK_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

/* The structs do not own their strings: they are valid only as long as the strings are. */
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

/* Makes a resource from NUL-terminated strings: lw_gvr_make("apps", "v1", "deployments"). */
static inline lw_gvr lw_gvr_make(const char *group, const char *version, const char *resource)
{
    lw_gvr gvr;
    gvr.group = lw_str_of(group);
    gvr.version = lw_str_of(version);
    gvr.resource = lw_str_of(resource);
    return gvr;
}

/* Makes a kind from NUL-terminated strings: lw_gvk_make("apps", "v1", "Deployment"). */
static inline lw_gvk lw_gvk_make(const char *group, const char *version, const char *kind)
{
    lw_gvk gvk;
    gvk.group = lw_str_of(group);
    gvk.version = lw_str_of(version);
    gvk.kind = lw_str_of(kind);
    return gvk;
}

/* Returns true if group, version and the name are equal. */
static inline bool lw_gvk_equal(lw_gvk a, lw_gvk b)
{
    return lw_str_equal(a.kind, b.kind) && lw_str_equal(a.group, b.group) &&
           lw_str_equal(a.version, b.version);
}

/* Returns true if group, version and the name are equal. */
static inline bool lw_gvr_equal(lw_gvr a, lw_gvr b)
{
    return lw_str_equal(a.resource, b.resource) && lw_str_equal(a.group, b.group) &&
           lw_str_equal(a.version, b.version);
}

/* Splits an apiVersion into views: "apps/v1" gives "apps" and "v1", "v1" gives the empty group and
 * "v1".  LW_ERR_INVALID: there is more than one '/'. */
LW_MUST_CHECK LW_API lw_status lw_api_version_parse(lw_str api_version, lw_str *group,
                                                    lw_str *version, lw_error *err);

/* Parses a resource as a user types it.  "deployments.apps" can only be a resource and its group.
 * "deployments.v1.apps" can also be a resource, a version and a group; only discovery can tell
 * which.  Always sets |*unversioned|, whose version is empty.  Returns true if the second reading
 * is possible, and then also sets |*versioned|. */
LW_API bool lw_gvr_parse(lw_str text, lw_gvr *unversioned, lw_gvr *versioned);

LW_END_DECLS

#endif
