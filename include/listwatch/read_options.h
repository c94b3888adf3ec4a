/* SPDX-License-Identifier: Apache-2.0 */
/* read_options.h -- which members of an object are kept when its JSON is read, and size limits.
 *
 * The options are the same for one object, a list, a watch and a manifest.  All zero is the
 * default. */
#ifndef LISTWATCH_READ_OPTIONS_H
#define LISTWATCH_READ_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* Paths are JSON Pointers into each object; the segment "*" means every element of an array or
 * every member of an object.  |drop| removes these members.  |keep| removes all others, except
 * apiVersion, kind and the namespace, name, uid, resourceVersion and labels in the metadata.  Only
 * one of the two may be set.  If neither is set, /metadata/managedFields is dropped: it is a large
 * part of many objects, and only the server uses it. */
typedef struct lw_read_options {
    const char *const *drop;   /* NULL-terminated */
    const char *const *keep;   /* NULL-terminated */
    bool keeps_managed_fields; /* if neither is set: drop nothing */
    bool trusts_input; /* skip validation; the result for a malformed document is then undefined */
    size_t max_object_size; /* bytes of one object after dropping; 0: 8 MiB; at most 1 GiB */
} lw_read_options;

#define LW_READ_OPTIONS_INIT                                                                       \
    {                                                                                              \
        NULL, NULL, false, false, 0                                                                \
    }

/* Limits of a whole list, in all its pages, so that a server cannot send one without end.  0 means
 * the default. */
typedef struct lw_list_bounds {
    uint64_t objects;
    uint64_t bytes; /* JSON of the objects after dropping */
    uint64_t pages;
} lw_list_bounds;

enum {
    LW_LIST_OBJECTS_MAX = 10 * 1000 * 1000, /* default of |objects| */
    LW_LIST_PAGES_MAX = 1000 * 1000,        /* default of |pages| */
};

#define LW_LIST_BYTES_MAX (UINT64_C(16) << 30) /* default of |bytes| */

LW_END_DECLS

#endif
