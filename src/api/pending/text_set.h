/* SPDX-License-Identifier: Apache-2.0 */
/* text_set.h -- a set of the texts of list elements: finds duplicates in linear time.
 *
 *     lw_text_set_init(&names, "name");
 *     for each element: if (!lw_text_set_add(&names, element)) ... it is a duplicate
 *     lw_text_set_done(&names, errors);
 *
 * Elements are stored by reference and must outlive the set. */
#ifndef LW_API_PENDING_TEXT_SET_H
#define LW_API_PENDING_TEXT_SET_H

#include "base/map.h"
#include "object/api_status.h"
#include "json/tree.h"

typedef struct lw_text_set {
    lw_map_type type;
    const char *member;
    lw_map map;    /* of elements */
    bool has_seed; /* of hashes: the map is ready for its first element */
    lw_status st;
} lw_text_set;

/* Initialises an empty set.  |member| is the member with the text; NULL: the elements are strings.
 * The set must not be moved afterwards. */
void lw_text_set_init(lw_text_set *set, const char *member);

/* Adds |element| by its text.  False: the set already has an element with this text. */
bool lw_text_set_add(lw_text_set *set, lw_node *element);

/* Adds all elements of |list|, which may be NULL. */
void lw_text_set_add_all(lw_text_set *set, const lw_node *list);

/* Returns true if an element has |text|. */
bool lw_text_set_has(const lw_text_set *set, lw_str text);

/* Frees the table.  If memory ran out, duplicates may have been missed: |errors| (may be NULL) gets
 * LW_ERR_NOMEM. */
void lw_text_set_done(lw_text_set *set, lw_api_status *errors);

#endif
