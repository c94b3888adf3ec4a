/* SPDX-License-Identifier: Apache-2.0 */
/* structural_node.h -- the compiled schema; private to structural*.c. */
#ifndef LW_SCHEMA_STRUCTURAL_STRUCTURAL_NODE_H
#define LW_SCHEMA_STRUCTURAL_STRUCTURAL_NODE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/regex/regex.h"
#include "cel/cel.h"
#include "schema/structural/structural.h"

typedef enum lw_structural_type {
    LW_STRUCTURAL_ANY, /* no type, or int-or-string */
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

/* A list of strings, allocated by the schema. */
typedef struct lw_structural_texts {
    lw_str *at;
    size_t count;
} lw_structural_texts;

/* An optional limit. */
typedef struct lw_structural_limit {
    bool is_set;
    lw_str text; /* as written in the schema */
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

/* One rule of x-kubernetes-validations. */
typedef struct lw_structural_rule {
    lw_str rule, message, reason;
    lw_str field_path; /* relative to the value, without the leading '.'; empty: the value itself */
    bool takes_new;    /* optionalOldSelf: also evaluated if there is no old value */
    bool uses_old;     /* the rule uses oldSelf */
    lw_cel_variable names[2]; /* self, oldSelf */
    lw_cel_program *program;  /* NULL: did not compile; the error was reported */
    lw_cel_program *words;    /* messageExpression; NULL: none */
} lw_structural_rule;

struct lw_structural_node {
    lw_structural_type type;
    lw_list_type list_type;
    bool is_nullable, is_int_or_string;
    bool preserves;   /* keeps unknown members */
    bool is_embedded; /* x-kubernetes-embedded-resource: apiVersion, kind and metadata stay */
    bool takes_any;   /* additionalProperties: true */
    bool is_atomic;   /* objects: apply replaces it as a whole */
    bool excludes_minimum, excludes_maximum;
    lw_str fallback; /* its default, as JSON; empty: none */
    lw_str format;
    lw_structural_property *properties; /* sorted by name */
    size_t property_count;
    uint32_t *defaulted; /* positions in |properties| of those that have a default */
    size_t defaulted_count;
    bool has_defaults;              /* in this node or below */
    lw_structural_node *items;      /* schema of the elements; NULL: none */
    lw_structural_node *additional; /* schema of members that are not properties; NULL: none */
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
    bool has_rules;               /* in this node or below */
    const lw_cel_type *rule_type; /* type for CEL rules; NULL: not visible to rules */
    uint64_t min_size;            /* minimum size of a value as JSON, in bytes */
};

struct lw_structural {
    lw_structural_node *root;
    lw_tree *texts; /* owns all texts */
    lw_arena types; /* owns the types of rules */
};

/* Returns the property |name| of |node|; NULL: none. */
const lw_structural_node *lw_structural_property_of(const lw_structural_node *node, lw_str name);

/* Returns the name of |type|: "string". */
const char *lw_structural_type_name(lw_structural_type type);

/* True if |text| is valid for |format|, or the format is unknown. */
bool lw_structural_format_is(lw_str format, lw_str text);

#endif
