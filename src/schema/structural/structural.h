/* SPDX-License-Identifier: Apache-2.0 */
/* structural.h -- a compiled structural schema (openAPIV3Schema of a CustomResourceDefinition).  It
 * prunes unknown fields, applies defaults and validates objects.
 *
 * Threads: one thread compiles a schema, then any number may use it. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_H

#include "object/api_errors.h"
#include "json/tree.h"

typedef struct lw_structural lw_structural;

enum {
    LW_STRUCTURAL_DEPTH_MAX = 100,              /* nesting levels of schemas */
    LW_STRUCTURAL_PATTERNS_MAX = 1000 * 1000,   /* steps of all patterns of one schema */
    LW_STRUCTURAL_NODES_MAX = 100 * 1000,       /* number of nested schemas */
    LW_STRUCTURAL_ERRORS_MAX = 64,              /* reported errors of one object */
    LW_STRUCTURAL_TEXTS_MAX = 32 * 1024 * 1024, /* bytes of names, defaults and patterns */
};

/* Compiles |schema|, which is at |path| ("spec.versions[0].schema.openAPIV3Schema") of a
 * definition.  Errors in the schema are added to |errors| in the words of Kubernetes, and the
 * result omits the invalid parts.  There is no result on LW_ERR_NOMEM, LW_ERR_LIMIT (too deep or
 * too large), LW_ERR_INVALID (|schema| is not an object). */
lw_status lw_structural_new(lw_structural **out, const lw_node *schema, lw_str path,
                            lw_api_status *errors);
void lw_structural_free(lw_structural *schema); /* NULL does nothing */

/* Returns the type of an object as CEL rules of the whole see it, which lives as long as the
 * schema; NULL: none. */
const struct lw_cel_type *lw_structural_rule_type(const lw_structural *schema);

/* Removes the members of |object| that the schema does not declare, and nulls that it does not
 * allow; apiVersion, kind and metadata stay. */
void lw_structural_prune(const lw_structural *schema, lw_node *object);

/* The same, and for each unknown member appends a message and a NUL to |unknown|: unknown field
 * "spec.ports[0].prot". */
void lw_structural_prune_reporting(const lw_structural *schema, lw_node *object, lw_buf *unknown);

/* Applies the defaults of the schema to absent members.  Failures are sticky in |tree|. */
void lw_structural_default(const lw_structural *schema, lw_tree *tree, lw_node *object);

/* Returns true if the schema has a default anywhere. */
bool lw_structural_has_defaults(const lw_structural *schema);

/* Adds the errors of |object| to |errors|: of the schema and of its CEL rules.  |old| is the
 * previous object, NULL if |object| is new; unchanged values are not reported.  The work is charged
 * to |budget| (may be NULL); if that is over, errors may be missing. */
void lw_structural_validate(const lw_structural *schema, const lw_node *object, const lw_node *old,
                            lw_budget *budget, lw_api_status *errors);

#endif
