/* SPDX-License-Identifier: Apache-2.0 */
/* cel.h -- expressions of CEL (Common Expression Language) with the libraries of Kubernetes.  They
 * are compiled once against declared types, and evaluated on JSON trees within a cost budget.
 *
 *     lw_cel_variable self = { LW_STR_INIT("self"), &type };
 *     st = lw_cel_compile(&program, LW_STR("self.size <= 5"), &self, 1, &why);
 *     lw_cel_binding value = { node, true };
 *     st = lw_cel_eval(program, &value, LW_CEL_CALL_COST_MAX, &outcome);
 *
 * Threads: one thread compiles a program, then any number may evaluate it, each with trees of its
 * own. */
#ifndef LW_CEL_CEL_H
#define LW_CEL_CEL_H

#include <stdint.h>

#include "base/buf.h"
#include "json/tree.h"

enum {
    LW_CEL_TEXT_MAX = 100 * 1000,          /* bytes of an expression */
    LW_CEL_DEPTH_MAX = 200,                /* nesting levels of expressions */
    LW_CEL_PROGRAM_MAX = 16 * 1024 * 1024, /* bytes of a compiled expression */
    LW_CEL_VALUES_MAX = 16 * 1024 * 1024,  /* bytes allocated by an evaluation */
    LW_CEL_WORK_MAX = 50 * 1000 * 1000, /* elementary steps of an evaluation, independent of cost */
    LW_CEL_CALL_COST_MAX = 1000 * 1000, /* the limit of Kubernetes for one evaluation */
};

/* An unknown size or cost. */
#define LW_CEL_UNBOUNDED UINT64_MAX

typedef enum lw_cel_kind {
    LW_CEL_DYN, /* types: known only at run time.  No value has this kind */
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
    LW_CEL_OBJECT, /* a JSON object with declared members */
    LW_CEL_OPTIONAL,
    LW_CEL_QUANTITY,
    LW_CEL_IP,
    LW_CEL_CIDR,
    LW_CEL_URL,
    LW_CEL_FORMAT, /* a named string format */
    LW_CEL_SEMVER,
    LW_CEL_STRUCT,         /* an object that an expression has made: Object.spec{replicas: 1} */
    LW_CEL_AUTHORIZER,     /* answers what the user of the request, or another one, may do */
    LW_CEL_PATH_CHECK,     /* asks for a path */
    LW_CEL_GROUP_CHECK,    /* asks for an API group ... */
    LW_CEL_RESOURCE_CHECK, /* ... and a resource in it */
    LW_CEL_DECISION,       /* the answer */
    LW_CEL_ERROR,          /* values: the error of an evaluation.  No type has this kind */
} lw_cel_kind;

typedef struct lw_cel_type lw_cel_type;

typedef struct lw_cel_field {
    lw_str name; /* in expressions: "__dash__" for "-" */
    lw_str key;  /* in JSON */
    const lw_cel_type *type;
} lw_cel_field;

/* The identity of list elements. */
typedef enum lw_cel_list_rule {
    LW_CEL_LIST_BY_PLACE,
    LW_CEL_LIST_BY_VALUE, /* x-kubernetes-list-type: set.  Order is ignored, + is the union */
    LW_CEL_LIST_BY_KEYS,  /* x-kubernetes-list-type: map */
} lw_cel_list_rule;

/* A declared type must outlive the programs that use it. */
struct lw_cel_type {
    lw_cel_kind kind;
    const lw_cel_type *key;     /* maps */
    const lw_cel_type *elem;    /* lists and optionals: the element; maps: the value; NULL: DYN */
    const lw_cel_field *fields; /* objects; sorted by name */
    size_t field_count;
    lw_cel_list_rule list_rule;
    const lw_str *list_keys; /* key members of the elements, as in JSON */
    size_t list_key_count;
    uint64_t max_size; /* characters, elements or members; LW_CEL_UNBOUNDED: unknown */
    /* DYN: all numbers are doubles, as Go reads JSON of an unknown type; |elem| must be the type
     * itself, for the values inside. */
    bool has_doubles;
    lw_str name; /* STRUCT: its type, "Object.spec"; OBJECT: in messages, may be empty */
};

extern const lw_cel_type lw_cel_dyn, lw_cel_null, lw_cel_bool, lw_cel_int, lw_cel_uint,
    lw_cel_double, lw_cel_string, lw_cel_bytes, lw_cel_duration, lw_cel_timestamp,
    lw_cel_authorizer_type, lw_cel_resource_check_type;

typedef struct lw_cel_variable {
    lw_str name;
    const lw_cel_type *type;
} lw_cel_variable;

typedef struct lw_cel_program lw_cel_program;

/* Compiles |text|, which is copied; variables and types must outlive the program.  LW_ERR_SYNTAX:
 * |why| contains the errors, one per line, as cel-go writes them: "ERROR: <input>:1:5: undefined
 * field 'x'", the source line, and a mark below the position.  LW_ERR_LIMIT: too long, too deep or
 * too large; |why| says which.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_cel_compile(lw_cel_program **out, lw_str text,
                                       const lw_cel_variable *variables, size_t count, lw_buf *why);

/* What an expression may use besides the common language. */
enum {
    /* Object{...} and JSONPatch{...}, and jsonpatch.escapeKey(). */
    LW_CEL_FEATURE_PATCH = 1 << 0,
};

/* The same with |features|. */
LW_MUST_CHECK lw_status lw_cel_compile_with(lw_cel_program **out, lw_str text,
                                            const lw_cel_variable *variables, size_t count,
                                            unsigned features, lw_buf *why);
void lw_cel_program_free(lw_cel_program *program); /* NULL does nothing */

/* Returns the type of the result, which lives as long as the program, and appends its name as
 * cel-go writes it: "list(string)". */
const lw_cel_type *lw_cel_program_type(const lw_cel_program *program);
void lw_cel_type_append(const lw_cel_type *type, lw_buf *out);

/* Returns the name of the type of |kind|: "list". */
const char *lw_cel_kind_name(lw_cel_kind kind);

/* Returns the kind of the result; LW_CEL_DYN: known only at run time. */
lw_cel_kind lw_cel_program_kind(const lw_cel_program *program);

/* True if the expression uses the variable with this number. */
bool lw_cel_program_uses(const lw_cel_program *program, size_t variable);

/* True if the expression selects |member| of a variable by name: variable.member,
 * variable.?member, has(variable.member). */
bool lw_cel_program_selects(const lw_cel_program *program, lw_str variable, lw_str member);

/* Returns the maximum cost of an evaluation, from the declared sizes; LW_CEL_UNBOUNDED if there is
 * no limit. */
uint64_t lw_cel_program_max_cost(const lw_cel_program *program);

/* The value of a variable.  |has_value| is for optional variables. */
typedef struct lw_cel_binding {
    const lw_node *node;
    bool has_value;
} lw_cel_binding;

typedef enum lw_cel_rule_result {
    LW_CEL_VALUE,      /* the expression has a value */
    LW_CEL_FAILED,     /* the evaluation failed; |text| is the error */
    LW_CEL_TOO_COSTLY, /* the budget or a limit of this header was exceeded */
} lw_cel_rule_result;

typedef struct lw_cel_outcome {
    lw_cel_rule_result verdict;
    lw_cel_kind kind; /* of the value */
    bool boolean;     /* the value of a BOOL */
    /* The value of a STRING or a number as text, a LIST that has only strings as JSON, or the
     * error. */
    lw_buf text;
    bool is_strings; /* a LIST that has only strings */
    uint64_t cost;   /* the actual cost */
} lw_cel_outcome;

/* Evaluates |program| with one value for each variable, in order.  Except on LW_ERR_NOMEM,
 * |outcome| is set; free it with lw_cel_outcome_done. */
LW_MUST_CHECK lw_status lw_cel_eval(const lw_cel_program *program, const lw_cel_binding *values,
                                    uint64_t budget, lw_cel_outcome *outcome);
void lw_cel_outcome_done(lw_cel_outcome *outcome);

/* True if |name| is a reserved word of the language, such as "namespace". */
bool lw_cel_is_reserved(lw_str name);

/* Appends |name|, a JSON member name, escaped for expressions; false: it cannot be escaped. */
bool lw_cel_escape(lw_str name, lw_buf *out);

#endif
