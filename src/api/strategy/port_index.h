/* SPDX-License-Identifier: Apache-2.0 */
/* port_index.h -- finds the ports of a service by their numbers, names or protocols, so that
 * services with very many ports take linear time.
 *
 * A key is a text and a number, one of which may be unused ("" or 0).  The first value that is
 * added for a key stays. */
#ifndef LW_API_STRATEGY_PORT_INDEX_H
#define LW_API_STRATEGY_PORT_INDEX_H

#include "base/map.h"

typedef struct lw_port_entry {
    lw_str text; /* must outlive the index */
    int64_t number;
    int64_t value;
} lw_port_entry;

typedef struct lw_port_index {
    lw_map map;
    lw_port_entry *entries;
    size_t count, cap;
    lw_status st; /* LW_ERR_NOMEM: entries may be missing */
} lw_port_index;

/* Initialises an index of at most |cap| keys. */
void lw_port_index_init(lw_port_index *index, size_t cap);

/* Frees the index and returns its status. */
lw_status lw_port_index_done(lw_port_index *index);

/* Adds a key.  False: the index already has it. */
bool lw_port_index_add(lw_port_index *index, lw_str text, int64_t number, int64_t value);

/* Returns the value of a key; 0: it is not there. */
int64_t lw_port_index_find(const lw_port_index *index, lw_str text, int64_t number);

#endif
