/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector.h -- how a label selector is laid out, for the two files that make one. */
#ifndef LW_OBJECT_LABEL_SELECTOR_H
#define LW_OBJECT_LABEL_SELECTOR_H

#include <listwatch/label_selector.h>

/* One block holds the selector, its requirements, their values and the bytes both point into; the
 * printed form is a second one. */
struct lw_label_selector {
    lw_label_requirement *requirements; /* sorted by key once sealed */
    size_t count;
    lw_str *values; /* of all requirements, one after the other */
    size_t value_count;
    char *bytes; /* keys and values */
    size_t byte_count;
    char *text; /* printed; NULL when empty */
    size_t text_len;
    bool is_nothing;
};

/* The value of the label |key| of |labels|; false when there is none. */
typedef bool (*lw_label_get_fn)(const void *labels, lw_str key, lw_str *value);

/* Whether the labels that |get| finds satisfy the selector, for owners that do not keep them as an
 * array of lw_label.  Allocates nothing. */
bool lw_label_selector__matches(const lw_label_selector *selector, lw_label_get_fn get,
                                const void *labels);

/* An empty selector with room for |terms| requirements, |terms| values and |bytes| bytes. */
lw_status lw_label_selector__new(lw_label_selector **out, size_t terms, size_t bytes,
                                 lw_error *err);

/* Adds a requirement without values and returns it. */
lw_label_requirement *lw_label_selector__add(lw_label_selector *selector, lw_str key,
                                             lw_label_operator op);

/* Gives the newest requirement one more value. */
void lw_label_selector__add_value(lw_label_selector *selector, lw_str value);

/* Checks the newest requirement as Kubernetes does.  LW_ERR_INVALID with |prefix| before
 * Kubernetes' text, which names values by their place. */
lw_status lw_label_selector__check_newest(lw_label_selector *selector, const char *prefix,
                                          lw_error *err);

/* Sorts the values of the newest requirement; |is_set| drops those that come twice. */
void lw_label_selector__sort_newest(lw_label_selector *selector, bool is_set);

/* Sorts the requirements and prints the selector: it is complete. */
lw_status lw_label_selector__seal(lw_label_selector *selector, lw_error *err);

/* Records that |key| is no label key, as Kubernetes says it while parsing.  LW_ERR_INVALID, or
 * LW_ERR_NOMEM. */
lw_status lw_label_selector__refuse_key(lw_str key, const char *prefix, uint64_t offset,
                                        lw_error *err);

#endif
