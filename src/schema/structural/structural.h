/* SPDX-License-Identifier: Apache-2.0 */
/* structural.h -- a structural schema (openAPIV3Schema of a CustomResourceDefinition), compiled
 * once: it drops what it does not know, fills in what is absent, and says what is wrong.
 *
 * Threads: compiled by one, used by any number. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_H

#include "object/api_errors.h"
#include "json/tree.h"

typedef struct lw_structural lw_structural;

enum {
    LW_STRUCTURAL_DEPTH_MAX = 100,              /* schemas in schemas */
    LW_STRUCTURAL_PATTERNS_MAX = 1000 * 1000,   /* steps of all patterns of a schema */
    LW_STRUCTURAL_NODES_MAX = 100 * 1000,       /* schemas in all */
    LW_STRUCTURAL_FAULTS_MAX = 64,              /* faults of one object that are named */
    LW_STRUCTURAL_TEXTS_MAX = 32 * 1024 * 1024, /* bytes of names, defaults and patterns */
};

/* Compiles |schema|, which is at |path| ("spec.versions[0].schema.openAPIV3Schema") of a
 * definition.  What a definition may not say is added to |faults| in Kubernetes' words; the schema
 * that comes out leaves it out. Nothing comes
 * out with LW_ERR_NOMEM, LW_ERR_LIMIT (too deep, too large), LW_ERR_INVALID (no object at all). */
lw_status lw_structural_new(lw_structural **out, const lw_node *schema, lw_str path,
                            lw_api_status *faults);
void lw_structural_free(lw_structural *schema); /* NULL does nothing */

/* Takes the members of |object| out that the schema does not know, and nulls that it does not
 * allow; apiVersion, kind and metadata stay. */
void lw_structural_prune(const lw_structural *schema, lw_node *object);

/* The same; of each member that is not known it appends a text and a NUL to |told|:
 * unknown field "spec.ports[0].prot". */
void lw_structural_prune_telling(const lw_structural *schema, lw_node *object, lw_buf *told);

/* Puts the defaults of the schema where nothing is said.  Failures stick in |tree|. */
void lw_structural_default(const lw_structural *schema, lw_tree *tree, lw_node *object);

/* Adds what is wrong with |object| to |faults|: by the schema, and by its rules in CEL.  |old| is
 * what it was, NULL if it is new: values that are as they were are passed over. */
void lw_structural_validate(const lw_structural *schema, const lw_node *object, const lw_node *old,
                            lw_api_status *faults);

#endif
