/* SPDX-License-Identifier: Apache-2.0 */
/* structural_node.h -- a compiled schema from inside; for structural*.c alone. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_NODE_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_NODE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/regex.h"
#include "cel/cel.h"
#include "schema/structural/structural.h"

typedef enum lw_structural_type {
    LW_STRUCTURAL_ANY, /* nothing is said, or int-or-string */
    LW_STRUCTURAL_OBJECT,
    LW_STRUCTURAL_ARRAY,
    LW_STRUCTURAL_STRING,
    LW_STRUCTURAL_INTEGER,
    LW_STRUCTURAL_NUMBER,
    LW_STRUCTURAL_BOOLEAN,
} lw_structural_type;

typedef enum lw_list_type {
    LW_LIST_ATOMIC,
    LW_LIST_SET,
    LW_LIST_MAP,
} lw_list_type;

/* A list of texts, of the schema's memory. */
typedef struct lw_structural_texts {
    lw_str *at;
    size_t count;
} lw_structural_texts;

/* A limit that may not be there. */
typedef struct lw_structural_limit {
    bool is_set;
    lw_str text; /* as it was written */
    double value;
} lw_structural_limit;

typedef struct lw_structural_node lw_structural_node;

typedef struct lw_structural_list {
    lw_structural_node **at;
    size_t count;
} lw_structural_list;

typedef struct lw_structural_property {
    lw_str name;
    lw_structural_node *schema;
    bool is_required;
} lw_structural_property;

/* One of x-kubernetes-validations. */
typedef struct lw_structural_rule {
    lw_str rule, message, reason;
    lw_str field_path;        /* below the value, without its first '.'; empty: the value itself */
    bool takes_new;           /* optionalOldSelf: it is evaluated where there is no old value too */
    bool uses_old;            /* oldSelf */
    lw_cel_variable names[2]; /* self, oldSelf */
    lw_cel_program *program;  /* NULL: it is none, which was told */
    lw_cel_program *words;    /* messageExpression; NULL: none */
} lw_structural_rule;

struct lw_structural_node {
    lw_structural_type type;
    lw_list_type list_type;
    bool is_nullable, is_int_or_string;
    bool preserves;   /* unknown members stay */
    bool is_embedded; /* an object of its own: apiVersion, kind and metadata stay */
    bool takes_any;   /* additionalProperties: true */
    bool is_atomic;   /* of an object: apply replaces it as a whole */
    bool excludes_minimum, excludes_maximum;
    lw_str fallback; /* its default, as JSON; empty: none */
    lw_str format;
    lw_structural_property *properties; /* by name */
    size_t property_count;
    uint32_t *defaulted; /* the properties that have a default, by their place in |properties| */
    size_t defaulted_count;
    bool has_defaults;              /* here or below */
    lw_structural_node *items;      /* of every element; NULL: none */
    lw_structural_node *additional; /* of members that are no properties; NULL: none */
    lw_structural_texts required;
    lw_structural_texts allowed; /* enum, as JSON */
    bool has_enum;
    lw_map *allowed_values; /* the same as values; NULL: no enum */
    lw_structural_texts map_keys;
    lw_structural_limit minimum, maximum, multiple_of;
    lw_structural_limit min_length, max_length, min_items, max_items, min_properties,
        max_properties;
    lw_str pattern_text;
    lw_regex *pattern; /* NULL: none */
    lw_structural_list all_of, any_of, one_of;
    lw_structural_node *not_of; /* NULL: none */
    lw_structural_rule *rules;
    size_t rule_count;
    bool has_rules;               /* here or below */
    const lw_cel_type *rule_type; /* what rules see; NULL: they cannot see it */
    uint64_t min_size;            /* bytes that such a value takes as JSON at least */
};

struct lw_structural {
    lw_structural_node *root;
    lw_tree *texts; /* owns all texts */
    lw_arena types; /* owns the types of rules */
};

/* The property |name| of |node|; NULL: none. */
const lw_structural_node *lw_structural_property_of(const lw_structural_node *node, lw_str name);

/* "string": what |type| is called. */
const char *lw_structural_type_name(lw_structural_type type);

/* True when |text| is of |format|, or nobody knows the format. */
bool lw_structural_format_is(lw_str format, lw_str text);

#endif
