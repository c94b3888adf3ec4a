/* SPDX-License-Identifier: Apache-2.0 */
/* object_list.h -- an ordered list of objects with the metadata of a list response.
 *
 * A list owns a reference to each of its objects.  Only one thread at a time may change a list. */
#ifndef LISTWATCH_OBJECT_LIST_H
#define LISTWATCH_OBJECT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

typedef struct lw_object_list lw_object_list;

/* The metadata of a list.  The strings are never NULL and belong to the function that returned the
 * struct. */
typedef struct lw_list_metadata {
    const char *api_version;
    const char *kind;             /* "PodList" */
    const char *resource_version; /* revision of the list; start a watch here */
    const char *continue_token;   /* "" for the last page */
    int64_t remaining_item_count; /* -1 if the server did not send it */
} lw_list_metadata;

enum {
    LW_OBJECT_LIST_MAX_COUNT = 10 * 1000 * 1000, /* the default of lw_object_list_new */
};

/* Makes an empty list for at most |max_count| objects (0: LW_OBJECT_LIST_MAX_COUNT).
 * LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_object_list_new(lw_object_list **out, size_t max_count);

/* Makes a list from a complete JSON text, which contains a list or one object (a list of one);
 * |options| may be NULL.  Errors as lw_object_from_json. */
LW_MUST_CHECK LW_API lw_status lw_object_list_from_json(lw_object_list **out, const char *json,
                                                        size_t len, const lw_read_options *options,
                                                        lw_error *err);

/* Frees the list and releases its references.  NULL does nothing. */
LW_API void lw_object_list_free(lw_object_list *list);

/* Appends |obj| and takes a reference to it.  LW_ERR_LIMIT: the list is full.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_object_list_append(lw_object_list *list, const lw_object *obj);

/* Returns the number of objects; 0 for NULL. */
LW_API size_t lw_object_list_count(const lw_object_list *list);

/* Returns the object at |index|, which must be less than the count.  Borrowed: valid as long as the
 * list. */
LW_API const lw_object *lw_object_list_at(const lw_object_list *list, size_t index);

/* Sorts by namespace, then name, like a server; then by kind, apiVersion and uid. */
LW_API void lw_object_list_sort(lw_object_list *list);

/* Returns the metadata of the list; empty strings and -1 if the list did not come from a server.
 * Valid as long as the list. */
LW_API const lw_list_metadata *lw_object_list_metadata(const lw_object_list *list);

LW_END_DECLS

#endif
