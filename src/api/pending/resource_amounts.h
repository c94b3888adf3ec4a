/* SPDX-License-Identifier: Apache-2.0 */
/* resource_amounts.h -- how much of what: quantities by the names of their resources, as in
 * {"cpu":"100m","memory":"1Gi"}.
 *
 * Kept in the order of the names.  The first failure sticks: build freely and look at |st| once. */
#ifndef LW_API_PENDING_RESOURCE_AMOUNTS_H
#define LW_API_PENDING_RESOURCE_AMOUNTS_H

#include <listwatch/quantity.h>

#include "json/tree.h"

enum {
    LW_AMOUNTS_MAX = 1024, /* names in one list */
};

typedef struct lw_amount {
    char *name; /* its own */
    lw_quantity quantity;
} lw_amount;

typedef struct lw_amounts {
    lw_amount *list;
    size_t count, capacity;
    lw_status st; /* LW_OK, LW_ERR_NOMEM, LW_ERR_LIMIT */
} lw_amounts;

/* Starts zeroed; gives everything back, so that it can be filled anew. */
void lw_amounts_done(lw_amounts *amounts);

/* The amount of |name|; NULL: there is none. */
const lw_quantity *lw_amounts_get(const lw_amounts *amounts, lw_str name);

/* Sets what there is of |name|; adds to it; or makes it as much as that at least. */
void lw_amounts_set(lw_amounts *amounts, lw_str name, lw_quantity quantity);
void lw_amounts_add(lw_amounts *amounts, lw_str name, lw_quantity quantity);
void lw_amounts_raise(lw_amounts *amounts, lw_str name, lw_quantity quantity);

/* The same with everything in |more|, whose failure is taken over. */
void lw_amounts_add_all(lw_amounts *amounts, const lw_amounts *more);
void lw_amounts_raise_all(lw_amounts *amounts, const lw_amounts *more);

/* Adds what |node|, an object of quantities, says; what is none is left out. */
void lw_amounts_read(lw_amounts *amounts, const lw_node *node);

/* The same as an object of |tree|. */
lw_node *lw_amounts_write(const lw_amounts *amounts, lw_tree *tree);

/* Reads a quantity: a string, or a number. */
bool lw_quantity_of_node(const lw_node *node, lw_quantity *out);

#endif
