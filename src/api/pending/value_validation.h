/* SPDX-License-Identifier: Apache-2.0 */
/* value_validation.h -- validates single values by tables: each rule has the path of a field and
 * the values it may have.  Rules that involve several fields are code. */
#ifndef LW_API_PENDING_VALUE_VALIDATION_H
#define LW_API_PENDING_VALUE_VALIDATION_H

#include "api/pending/field_path.h"
#include "api/pending/pending_object.h"
#include "base/text/ip_range.h"
#include "object/names.h"

typedef enum lw_value_form {
    LW_VALUE_REQUIRED,     /* a non-empty string; must be present; |words|: the detail, or NULL */
    LW_VALUE_PRESENT,      /* any value; must be present; |words|: the detail, or NULL */
    LW_VALUE_ITEMS,        /* a list of at least one item; |words|: the detail, or NULL */
    LW_VALUE_AT_MOST,      /* a list of at most |words| ("32") items */
    LW_VALUE_ONE_OF,       /* one of |words|, "Always|Never"; may be absent or empty */
    LW_VALUE_NOT_NEGATIVE, /* an integer */
    LW_VALUE_POSITIVE,
    LW_VALUE_PORT,        /* from 1 to 65535; named ports are ignored */
    LW_VALUE_PORT_NEEDED, /* a port that must be present */
    LW_VALUE_COUNT,       /* from 1 to 2147483647 */
    LW_VALUE_SUBDOMAIN,   /* a DNS subdomain */
    LW_VALUE_LABEL,
    LW_VALUE_LABELS,           /* a map of labels */
    LW_VALUE_SUBDOMAIN_NEEDED, /* a DNS subdomain; an empty one is invalid */
    LW_VALUE_LABEL_NEEDED,     /* a DNS label; an empty one is invalid */
    LW_VALUE_LABEL_KEY,        /* the key of a label; an empty one is invalid */
    LW_VALUE_LABEL_VALUE,
    LW_VALUE_PATH_SEGMENT, /* a name without '/' and '%' */
    LW_VALUE_NOT_EMPTY,    /* a string that is invalid if it is absent or empty */
    LW_VALUE_TRUE,         /* absent or true */
} lw_value_form;

typedef struct lw_value_rule {
    const char *path; /* "strategy.type"; "ports[].protocol" is the protocol of each port */
    lw_value_form form;
    const char *words;
} lw_value_rule;

/* Validates |object|, which is at |path| ("spec", or ""), by |rules|, which end with an empty path,
 * in their order; adds errors to |errors|. */
void lw_value_validate(const lw_value_rule *rules, const lw_node *object, const char *path,
                       lw_api_status *errors);
void lw_value_validate_at(const lw_value_rule *rules, const lw_node *object,
                          const lw_field_path *at, lw_api_status *errors);

/* Adds "Invalid value" for |field| with the value |node|, shown as JSON. */
void lw_value_error(lw_api_status *errors, const char *field, const lw_node *node,
                    const char *detail);

/* Adds "Too many": |field| has |count| items. */
void lw_value_error_too_many(lw_api_status *errors, const char *field, size_t count, size_t max);

/* Adds "Duplicate value" for |field| with the value |node|, shown as JSON. */
void lw_value_error_duplicate(lw_api_status *errors, const char *field, const lw_node *node);

/* Adds "field is immutable" for the member |name| of |spec| at "spec.NAME" if it differs from that
 * of |old|. */
void lw_value_validate_immutable(const lw_node *spec, const lw_node *old, const char *name,
                                 lw_api_status *errors);

/* Adds the problems of |name| at |at|. */
void lw_value_errors_of_name(lw_api_status *errors, const lw_field_path *at, lw_str name,
                             const lw_name_problems *problems);

/* Parses a range of IP addresses; adds an error for |field| if |text| is none, or is one that other
 * programs could take for another range.  Returns false if it cannot be parsed. */
bool lw_value_check_ip_range(lw_api_status *errors, const char *field, lw_str text,
                             lw_ip_range *out);

/* Returns true if |value| is one of |words|, "Always|Never". */
bool lw_value_is_one_of(lw_str value, const char *words);

/* Add "Unsupported value": |value|, or |node| shown as JSON, is not one of |words|. */
void lw_value_error_unsupported_node(lw_api_status *errors, const char *field, const lw_node *node,
                                     const char *words);
void lw_value_error_unsupported(lw_api_status *errors, const char *field, lw_str value,
                                const char *words);

#endif
