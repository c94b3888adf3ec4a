/* SPDX-License-Identifier: Apache-2.0 */
/* go_value.h -- a JSON value as Kubernetes' Go decoder represents it: its type, equality, and how
 * it is printed in messages. */
#ifndef LW_SCHEMA_STRATEGICPATCH_GO_VALUE_H
#define LW_SCHEMA_STRATEGICPATCH_GO_VALUE_H

#include "base/hash.h"
#include "json/tree.h"

/* Numbers are integers if they are written as such and fit into 64 bits. */
typedef enum lw_go_form {
    LW_GO_NIL,
    LW_GO_BOOL,
    LW_GO_INT64,
    LW_GO_FLOAT64,
    LW_GO_STRING,
    LW_GO_LIST,
    LW_GO_MAP,
} lw_go_form;

enum {
    LW_GO_PRINT_MAX = 8 * 1024, /* bytes of a printed value; longer ones end with "..." */
};

/* Returns the Go type of |node| (NULL: null). */
lw_go_form lw_go_form_of(const lw_node *node);

/* Returns the type name that %T prints, "map[string]interface {}". */
const char *lw_go_form_name(lw_go_form form);

/* True if both are the same scalar.  1 and 1.0 have different types; lists and maps equal
 * nothing. */
bool lw_go_equal(const lw_node *a, const lw_node *b);

/* Equal values have equal hashes. */
uint64_t lw_go_hash(const lw_node *node, lw_hash_seed seed);

/* Appends |node| as %v prints it: map[a:1 b:[x y]].  LW_ERR_NOMEM, LW_ERR_LIMIT (of |out|). */
lw_status lw_go_print(const lw_node *node, lw_buf *out);

#endif
