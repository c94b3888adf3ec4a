/* SPDX-License-Identifier: Apache-2.0 */
/* resource_amounts.h -- quantities by resource name, as in {"cpu":"100m","memory":"1Gi"}.
 *
 * Sorted by name.  The first failure is kept in |st|: check it once at the end. */
#ifndef LW_API_PENDING_RESOURCE_AMOUNTS_H
#define LW_API_PENDING_RESOURCE_AMOUNTS_H

#include <listwatch/quantity.h>

#include "json/tree.h"

enum {
    LW_AMOUNTS_MAX = 1024, /* names in one list */
};

typedef struct lw_amount {
    char *name; /* allocated */
    lw_quantity quantity;
} lw_amount;

typedef struct lw_amounts {
    lw_amount *list;
    size_t count, capacity;
    lw_status st; /* LW_OK, LW_ERR_NOMEM, LW_ERR_LIMIT */
} lw_amounts;

/* Frees everything and empties the list; initialise it with zeros. */
void lw_amounts_done(lw_amounts *amounts);

/* Returns the quantity of |name|, or NULL. */
const lw_quantity *lw_amounts_get(const lw_amounts *amounts, lw_str name);

/* Set the quantity of |name|, add to it, or raise it to at least |quantity|. */
void lw_amounts_set(lw_amounts *amounts, lw_str name, lw_quantity quantity);
void lw_amounts_add(lw_amounts *amounts, lw_str name, lw_quantity quantity);
void lw_amounts_raise(lw_amounts *amounts, lw_str name, lw_quantity quantity);

/* Do the same with every quantity in |more|, and take over its failure. */
void lw_amounts_add_all(lw_amounts *amounts, const lw_amounts *more);
void lw_amounts_raise_all(lw_amounts *amounts, const lw_amounts *more);

/* Adds the quantities in |node|, an object; invalid ones are ignored. */
void lw_amounts_read(lw_amounts *amounts, const lw_node *node);

/* Returns the quantities as an object of |tree|. */
lw_node *lw_amounts_write(const lw_amounts *amounts, lw_tree *tree);

/* Reads a quantity: a string, or a number. */
bool lw_quantity_of_node(const lw_node *node, lw_quantity *out);

#endif
