/* SPDX-License-Identifier: Apache-2.0 */
/* lister.c -- reads the cache for programs. */
#include "informer/lister.h"

lw_object *lw_lister_get(const lw_lister *lister, const char *ns, const char *name)
{
    return lw_indexer_get_ref(lister->indexer, lw_key_make(ns, name));
}

lw_object_list *lw_lister_list(const lw_lister *lister, const char *ns, const char *selector)
{
    lw_label_selector *parsed = NULL;
    lw_object_list *list = NULL;
    if (selector && lw_label_selector_parse(&parsed, lw_str_of(selector), NULL) < 0)
        return NULL;
    lw_status st = lw_lister_select(lister, ns, parsed, &list, NULL);
    lw_label_selector_free(parsed);
    return st == LW_OK ? list : NULL;
}

lw_status lw_lister_select(const lw_lister *lister, const char *ns,
                           const lw_label_selector *selector, lw_object_list **out, lw_error *err)
{
    return lw_indexer_select(lister->indexer, lw_str_of(ns), selector, out, err);
}

lw_status lw_lister_by_index(const lw_lister *lister, const char *name, const char *value,
                             lw_object_list **out, lw_error *err)
{
    return lw_indexer_by_index(lister->indexer, name, lw_str_of(value), out, err);
}

size_t lw_lister_count(const lw_lister *lister)
{
    return lw_indexer_count(lister->indexer);
}
