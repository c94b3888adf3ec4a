/* SPDX-License-Identifier: Apache-2.0 */
/* read_options.h -- what to keep of objects while their JSON is read, and how much is too much.
 * The same for one object, a list, a watch stream and a manifest; all zero is the default. */
#ifndef LISTWATCH_READ_OPTIONS_H
#define LISTWATCH_READ_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* Paths are JSON Pointers into each object; the segment "*" stands for every element of an array or
 * every member of an object.  |drop| leaves those members out, |keep| leaves out all others, except
 * apiVersion, kind and metadata's namespace, name, uid, resourceVersion and labels.  Only one of
 * the two may be given.  With neither, /metadata/managedFields is dropped: it is a large
 * part of many objects, and only the server reads it. */
typedef struct lw_read_options {
    const char *const *drop;   /* NULL-terminated */
    const char *const *keep;   /* NULL-terminated */
    bool keeps_managed_fields; /* with neither: drop nothing at all */
    bool trusts_input;         /* skip the checks; a malformed document may then give any answer */
    size_t max_object_size;    /* bytes of one object after dropping; 0: 8 MiB, at most 1 GiB */
} lw_read_options;

#define LW_READ_OPTIONS_INIT                                                                       \
    {                                                                                              \
        NULL, NULL, false, false, 0                                                                \
    }

LW_END_DECLS

#endif
