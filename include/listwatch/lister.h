/* SPDX-License-Identifier: Apache-2.0 */
/* lister.h -- reading an informer's cache: memory, no request.
 *
 * Answers are as of one moment.  Objects are shared and never change.  Any thread, any time. */
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

/* The object, to unref; NULL: there is none.  |ns| NULL or "": the kind has no namespaces. */
LW_API lw_object *lw_lister_get(const lw_lister *lister, const char *ns, const char *name);

/* Objects of |ns| (NULL or "": all) whose labels satisfy |selector| ("app=web"; NULL: all), in no
 * order; free the list.  NULL: out of memory, or the selector is malformed (see the next one). */
LW_API lw_object_list *lw_lister_list(const lw_lister *lister, const char *ns,
                                      const char *selector);

/* The same with a selector that is parsed, and an error. */
LW_API lw_status lw_lister_select(const lw_lister *lister, const char *ns,
                                  const lw_label_selector *selector, lw_object_list **out,
                                  lw_error *err);

/* Objects that have |value| under the index |name|.  LW_ERR_NOT_FOUND: no such index. */
LW_API lw_status lw_lister_by_index(const lw_lister *lister, const char *name, const char *value,
                                    lw_object_list **out, lw_error *err);

/* How many objects there are. */
LW_API size_t lw_lister_count(const lw_lister *lister);

LW_END_DECLS

#endif
