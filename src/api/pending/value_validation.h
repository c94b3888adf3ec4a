/* SPDX-License-Identifier: Apache-2.0 */
/* value_validation.h -- what single values may be, as tables: of each field that has a plain rule,
 * where it is and what it must be.  What takes more than one value to judge is code. */
#ifndef LW_API_PENDING_VALUE_VALIDATION_H
#define LW_API_PENDING_VALUE_VALIDATION_H

#include "api/pending/field_path.h"
#include "api/pending/pending_object.h"

typedef enum lw_value_form {
    LW_VALUE_REQUIRED,     /* a text, and not an empty one; may not be absent */
    LW_VALUE_ONE_OF,       /* one of |words|, "Always|Never"; these may be absent, or empty */
    LW_VALUE_NOT_NEGATIVE, /* an integer */
    LW_VALUE_POSITIVE,
    LW_VALUE_PORT,        /* from 1 to 65535; names are no concern here */
    LW_VALUE_PORT_NEEDED, /* the same; may not be absent */
    LW_VALUE_COUNT,       /* from 1 to 2147483647 */
    LW_VALUE_SUBDOMAIN,   /* a name */
    LW_VALUE_LABEL,
    LW_VALUE_LABELS, /* a map of labels */
} lw_value_form;

typedef struct lw_value_rule {
    const char *path; /* "strategy.type"; "ports[].protocol" is that of each port */
    lw_value_form form;
    const char *words;
} lw_value_rule;

/* Adds to |errors| what is wrong in |object|, which is at |path| ("spec", or ""), by |rules|, which
 * end with no path, and in their order. */
void lw_value_validate(const lw_value_rule *rules, const lw_node *object, const char *path,
                       lw_api_status *errors);
void lw_value_validate_at(const lw_value_rule *rules, const lw_node *object,
                          const lw_field_path *at, lw_api_status *errors);

/* A fault of |field|, whose value is |node|, shown as JSON. */
void lw_value_error(lw_api_status *errors, const char *field, const lw_node *node,
                    const char *detail);

/* Whether |value| is one of |words|, "Always|Never". */
bool lw_value_is_one_of(lw_str value, const char *words);

/* |value|, or |node|, shown as JSON, is none of |words|. */
void lw_value_fault_node_words(lw_api_status *errors, const char *field, const lw_node *node,
                               const char *words);
void lw_value_fault_words(lw_api_status *errors, const char *field, lw_str value,
                          const char *words);

#endif
