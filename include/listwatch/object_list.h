/* SPDX-License-Identifier: Apache-2.0 */
/* object_list.h -- objects in an order, with what a server says about the list they came in.
 * A list holds a reference to each of its objects.  One thread at a time changes it. */
#ifndef LISTWATCH_OBJECT_LIST_H
#define LISTWATCH_OBJECT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

typedef struct lw_object_list lw_object_list;

/* What stands around the items of a list.  The strings are never NULL, and belong to whoever
 * handed this out. */
typedef struct lw_list_metadata {
    const char *api_version;
    const char *kind;             /* "PodList" */
    const char *resource_version; /* the state the list shows; watch from here */
    const char *continue_token;   /* "" on the last page */
    int64_t remaining_item_count; /* -1: not said */
} lw_list_metadata;

enum {
    LW_OBJECT_LIST_MAX_COUNT = 10 * 1000 * 1000, /* what 0 stands for in lw_object_list_new */
};

/* An empty list that may hold |max_count| objects (0: LW_OBJECT_LIST_MAX_COUNT).  LW_ERR_NOMEM. */
LW_API lw_status lw_object_list_new(lw_object_list **out, size_t max_count);

/* Reads a list, or one object as a list of one, from a whole JSON text; |options| may be NULL.
 * Errors as lw_object_from_json. */
LW_API lw_status lw_object_list_from_json(lw_object_list **out, const char *json, size_t len,
                                          const lw_read_options *options, lw_error *err);

/* Gives all references back.  NULL does nothing. */
LW_API void lw_object_list_free(lw_object_list *list);

/* Adds |obj| at the end and takes its own reference.  LW_ERR_LIMIT: the list is full.
 * LW_ERR_NOMEM. */
LW_API lw_status lw_object_list_append(lw_object_list *list, const lw_object *obj);

/* How many there are; 0 for NULL. */
LW_API size_t lw_object_list_count(const lw_object_list *list);

/* The object at |index|, which must be below the count.  Borrowed: it lives as long as the list. */
LW_API const lw_object *lw_object_list_at(const lw_object_list *list, size_t index);

/* Orders by namespace, then name, as a server lists; then by kind, apiVersion and uid. */
LW_API void lw_object_list_sort(lw_object_list *list);

/* What the server said; empty strings and -1 where the list comes from elsewhere.  Lives as long as
 * the list. */
LW_API const lw_list_metadata *lw_object_list_metadata(const lw_object_list *list);

LW_END_DECLS

#endif
