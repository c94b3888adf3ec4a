/* SPDX-License-Identifier: Apache-2.0 */
/* cel.h -- expressions of CEL (Common Expression Language) as Kubernetes has them: compiled once
 * against declared types, evaluated on JSON trees within a budget.
 *
 *     lw_cel_variable self = { LW_STR_INIT("self"), &type };
 *     st = lw_cel_compile(&program, LW_STR("self.size <= 5"), &self, 1, &why);
 *     lw_cel_binding value = { node, true };
 *     st = lw_cel_eval(program, &value, LW_CEL_CALL_COST_MAX, &outcome);
 *
 * Threads: a program is compiled by one and evaluated by any number; each evaluation has trees of
 * its own. */
#ifndef LW_CEL_CEL_H
#define LW_CEL_CEL_H

#include <stdint.h>

#include "base/buf.h"
#include "json/tree.h"

enum {
    LW_CEL_TEXT_MAX = 100 * 1000,          /* bytes of an expression */
    LW_CEL_DEPTH_MAX = 200,                /* expressions in expressions */
    LW_CEL_PROGRAM_MAX = 16 * 1024 * 1024, /* bytes of a compiled expression */
    LW_CEL_VALUES_MAX = 16 * 1024 * 1024,  /* bytes that an evaluation makes */
    LW_CEL_WORK_MAX = 50 * 1000 * 1000,    /* small steps of an evaluation, whatever they cost */
    LW_CEL_CALL_COST_MAX = 1000 * 1000,    /* what Kubernetes lets one evaluation cost */
};

/* A size or cost that nobody knows. */
#define LW_CEL_UNBOUNDED UINT64_MAX

typedef enum lw_cel_kind {
    LW_CEL_DYN, /* of a type: known only when it runs.  No value is of this kind */
    LW_CEL_NULL,
    LW_CEL_BOOL,
    LW_CEL_INT,
    LW_CEL_UINT,
    LW_CEL_DOUBLE,
    LW_CEL_STRING,
    LW_CEL_BYTES,
    LW_CEL_DURATION,
    LW_CEL_TIMESTAMP,
    LW_CEL_TYPE, /* a type as a value */
    LW_CEL_LIST,
    LW_CEL_MAP,
    LW_CEL_OBJECT, /* a JSON object whose members are declared */
    LW_CEL_OPTIONAL,
    LW_CEL_QUANTITY,
    LW_CEL_IP,
    LW_CEL_CIDR,
    LW_CEL_URL,
    LW_CEL_FORMAT, /* a named format of strings */
    LW_CEL_SEMVER,
    LW_CEL_ERROR, /* of a value: what an evaluation failed with.  No type is of this kind */
} lw_cel_kind;

typedef struct lw_cel_type lw_cel_type;

typedef struct lw_cel_field {
    lw_str name; /* as expressions have it: "__dash__" for "-" */
    lw_str key;  /* as JSON has it */
    const lw_cel_type *type;
} lw_cel_field;

/* How elements of a list are told apart. */
typedef enum lw_cel_list_rule {
    LW_CEL_LIST_BY_PLACE,
    LW_CEL_LIST_BY_VALUE, /* x-kubernetes-list-type: set.  Order means nothing, + unites */
    LW_CEL_LIST_BY_KEYS,  /* map */
} lw_cel_list_rule;

/* Whoever declares a type keeps it as long as programs that know it. */
struct lw_cel_type {
    lw_cel_kind kind;
    const lw_cel_type *key;     /* of a map */
    const lw_cel_type *elem;    /* of a list or optional; of a map its values; NULL: DYN */
    const lw_cel_field *fields; /* of an object, by name */
    size_t field_count;
    lw_cel_list_rule list_rule;
    const lw_str *list_keys; /* members of the elements, as JSON has them */
    size_t list_key_count;
    uint64_t max_size; /* characters, elements or members; LW_CEL_UNBOUNDED: who knows */
};

extern const lw_cel_type lw_cel_dyn, lw_cel_null, lw_cel_bool, lw_cel_int, lw_cel_uint,
    lw_cel_double, lw_cel_string, lw_cel_bytes, lw_cel_duration, lw_cel_timestamp;

typedef struct lw_cel_variable {
    lw_str name;
    const lw_cel_type *type;
} lw_cel_variable;

typedef struct lw_cel_program lw_cel_program;

/* Compiles |text|.  |text| is copied; variables and types must outlive the program.  LW_ERR_SYNTAX:
 * |why| has the faults, one below the other, as cel-go writes them: "ERROR: <input>:1:5: undefined
 * field 'x'", the line, and a mark below its place. LW_ERR_LIMIT: too long, deep or large, |why|
 * says which; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_cel_compile(lw_cel_program **out, lw_str text,
                                       const lw_cel_variable *variables, size_t count, lw_buf *why);
void lw_cel_program_free(lw_cel_program *program); /* NULL does nothing */

/* What the value of an evaluation is; LW_CEL_DYN: that shows when it runs. */
lw_cel_kind lw_cel_program_kind(const lw_cel_program *program);

/* Whether the variable with this number is looked at. */
bool lw_cel_program_uses(const lw_cel_program *program, size_t variable);

/* What an evaluation costs at most, by the sizes that the types declare; LW_CEL_UNBOUNDED when
 * that has no end. */
uint64_t lw_cel_program_max_cost(const lw_cel_program *program);

/* The value of a variable.  Of an optional one: |has_value|, or none. */
typedef struct lw_cel_binding {
    const lw_node *node;
    bool has_value;
} lw_cel_binding;

typedef enum lw_cel_rule_result {
    LW_CEL_VALUE,      /* the expression has a value */
    LW_CEL_FAILED,     /* it ended in an error, which |text| has */
    LW_CEL_TOO_COSTLY, /* the budget, or a bound of this header, was used up */
} lw_cel_rule_result;

typedef struct lw_cel_outcome {
    lw_cel_rule_result verdict;
    lw_cel_kind kind; /* of the value */
    bool boolean;     /* the value, if it is a BOOL */
    lw_buf text;      /* the value as a text if it is a STRING or a number; the error */
    uint64_t cost;    /* what was used up */
} lw_cel_outcome;

/* Evaluates |program| with a value for each of its variables, in their order.  Unless it answers
 * LW_ERR_NOMEM, |outcome| is set and to be done with lw_cel_outcome_done. */
LW_MUST_CHECK lw_status lw_cel_eval(const lw_cel_program *program, const lw_cel_binding *values,
                                    uint64_t budget, lw_cel_outcome *outcome);
void lw_cel_outcome_done(lw_cel_outcome *outcome);

/* True when |name| is a word that the language keeps for itself, such as "namespace". */
bool lw_cel_is_reserved(lw_str name);

/* Appends |name|, of a JSON member, as expressions have it; false: it cannot be said in one. */
bool lw_cel_escape(lw_str name, lw_buf *out);

#endif
