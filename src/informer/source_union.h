/* SPDX-License-Identifier: Apache-2.0 */
/* source_union.h -- a source of the objects of several namespaces, made of one source for each.
 *
 * It lists one namespace after the other, as the pages of one list, and watches all of them at
 * once.  Each namespace is watched from its own revision: the union remembers them.  Streaming
 * lists are not supported.  Bookmarks are not passed on.  Like all sources, it is used by one
 * thread at a time. */
#ifndef LW_INFORMER_SOURCE_UNION_H
#define LW_INFORMER_SOURCE_UNION_H

#include <listwatch/sys/source.h>

enum {
    LW_SOURCE_UNION_MAX = 64, /* namespaces */
};

/* Returns true if |spec| names several namespaces: "a,b". */
bool lw_source_union_is_wanted(const lw_source_spec *spec);

/* Checks the list of namespaces in |ns|.  LW_ERR_INVALID: there is an empty or repeated name, or
 * there are too many. */
LW_MUST_CHECK lw_status lw_source_union_check(const char *ns, lw_error *err);

/* Opens a source of |provider| for each namespace of |spec|.  Errors as of the provider;
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_source_union_open(lw_provider *provider, const lw_source_spec *spec,
                                             lw_source **out, lw_error *err);

/* Sets the function that returns the resourceVersion up to which the reflector has taken events:
 * what it has not taken is requested again by the next watch. */
void lw_source_union_follow(lw_source *source, const char *(*taken)(const void *arg),
                            const void *arg);

/* Returns the source of the first namespace, which knows the type of the objects. */
const lw_source *lw_source_union_first(const lw_source *source);

#endif
