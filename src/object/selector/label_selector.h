/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector.h -- the struct of a label selector, for the files that build one. */
#ifndef LW_OBJECT_SELECTOR_LABEL_SELECTOR_H
#define LW_OBJECT_SELECTOR_LABEL_SELECTOR_H

#include <listwatch/label_selector.h>

/* One block contains the selector, its requirements, their values and the bytes; the printed text
 * is a second block. */
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

/* Gets the value of the label |key| of |labels|; false if there is none. */
typedef bool (*lw_label_get_fn)(const void *labels, lw_str key, lw_str *value);

/* Returns true if the labels that |get| finds match the selector, for labels that are not an array
 * of lw_label.  Does not allocate. */
bool lw_label_selector__matches(const lw_label_selector *selector, lw_label_get_fn get,
                                const void *labels);

/* Makes an empty selector with space for |terms| requirements, |terms| values and |bytes| bytes. */
lw_status lw_label_selector__new(lw_label_selector **out, size_t terms, size_t bytes,
                                 lw_error *err);

/* Adds a requirement without values and returns it. */
lw_label_requirement *lw_label_selector__add(lw_label_selector *selector, lw_str key,
                                             lw_label_operator op);

/* Adds a value to the newest requirement. */
void lw_label_selector__add_value(lw_label_selector *selector, lw_str value);

/* Validates the newest requirement like Kubernetes.  LW_ERR_INVALID with |prefix| before the
 * message of Kubernetes, which names values by their position. */
lw_status lw_label_selector__check_newest(lw_label_selector *selector, const char *prefix,
                                          lw_error *err);

/* Sorts the values of the newest requirement; |is_set| drops duplicates. */
void lw_label_selector__sort_newest(lw_label_selector *selector, bool is_set);

/* Sorts the requirements and prints the selector: it is complete. */
lw_status lw_label_selector__seal(lw_label_selector *selector, lw_error *err);

/* Sets the error of Kubernetes for an invalid label key while parsing.  LW_ERR_INVALID, or
 * LW_ERR_NOMEM. */
lw_status lw_label_selector__refuse_key(lw_str key, const char *prefix, uint64_t offset,
                                        lw_error *err);

#endif
