/* SPDX-License-Identifier: Apache-2.0 */
/* views.h -- the pruned views of a mirror: which members of which resources each of them has.
 *
 *     views:
 *       slim:
 *         pods: [/spec/nodeName, status.podIP]
 *         nodes: [/status/addresses]
 *       bare:
 *         pods: {drop: [/status]}
 *
 * A list of paths, or "keep", has the members that are kept; "drop" those that are not.  Paths are
 * JSON Pointers, with "*" for every element, or names with dots between them. apiVersion, kind and
 * the namespace, name, uid, resourceVersion and labels of the metadata are always kept. Resources
 * that a view does not name are served whole.
 *
 * Immutable once read; any thread. */
#ifndef LW_SERVER_MIRROR_VIEWS_H
#define LW_SERVER_MIRROR_VIEWS_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_MIRROR_VIEWS_MAX = 16,
    LW_MIRROR_VIEW_RESOURCES_MAX = 64, /* of one view */
    LW_MIRROR_VIEW_PATHS_MAX = 64,     /* of one resource */
    LW_MIRROR_VIEWS_FILE_MAX = 1 << 20,
};

typedef struct lw_mirror_view_resource {
    lw_str name;                                     /* "pods", "deployments.apps" */
    bool drops;                                      /* everything but |paths| is kept */
    const char *paths[LW_MIRROR_VIEW_PATHS_MAX + 1]; /* JSON Pointers; NULL-terminated */
} lw_mirror_view_resource;

typedef struct lw_mirror_view {
    lw_str name;
    lw_mirror_view_resource *resources;
    size_t count;
} lw_mirror_view;

typedef struct lw_mirror_views lw_mirror_views;

/* Reads |file|.  LW_ERR_INVALID, LW_ERR_SYNTAX, LW_ERR_LIMIT, LW_ERR_IO, LW_ERR_NOT_FOUND,
 * LW_ERR_NOMEM; messages name the file. */
LW_MUST_CHECK lw_status lw_mirror_views_read(lw_mirror_views **out, const char *file,
                                             lw_error *err);
void lw_mirror_views_free(lw_mirror_views *views); /* NULL does nothing */

/* Returns the views; NULL and 0 for NULL. */
const lw_mirror_view *lw_mirror_views_all(const lw_mirror_views *views, size_t *count);

#endif
