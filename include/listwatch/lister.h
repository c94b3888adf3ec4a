/* SPDX-License-Identifier: Apache-2.0 */
/* lister.h -- reads the cache of an informer, without requests.
 *
 * Each result is a consistent snapshot.  Objects are shared and immutable.  Any thread may use a
 * lister at any time. */
#ifndef LISTWATCH_LISTER_H
#define LISTWATCH_LISTER_H

#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/label_selector.h>
#include <listwatch/object.h>
#include <listwatch/object_list.h>

LW_BEGIN_DECLS

typedef struct lw_lister lw_lister;

/* Returns the object, which the caller unrefs, or NULL if there is none.  |ns| is NULL or "" for
 * cluster-scoped kinds. */
LW_API lw_object *lw_lister_get(const lw_lister *lister, const char *ns, const char *name);

/* Returns the objects of |ns| (NULL or "": all) whose labels match |selector| ("app=web"; NULL:
 * all), in no particular order; the caller frees the list.  NULL: memory ran out, or the selector
 * is malformed (lw_lister_select reports the reason). */
LW_API lw_object_list *lw_lister_list(const lw_lister *lister, const char *ns,
                                      const char *selector);

/* As lw_lister_list, with a parsed selector and an error.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_lister_select(const lw_lister *lister, const char *ns,
                                                const lw_label_selector *selector,
                                                lw_object_list **out, lw_error *err);

/* Gets the objects that have |value| in the index |name|; the caller frees the list.
 * LW_ERR_NOT_FOUND: there is no such index.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_lister_by_index(const lw_lister *lister, const char *name,
                                                  const char *value, lw_object_list **out,
                                                  lw_error *err);

/* Returns the number of objects in the cache. */
LW_API size_t lw_lister_count(const lw_lister *lister);

LW_END_DECLS

#endif
