/* SPDX-License-Identifier: Apache-2.0 */
/* value.h -- the values of an evaluation.
 *
 * A value is three words and is passed by value.  What it points to belongs to the arena of the
 * evaluation, to the program, or to the input trees.  Lists, maps and objects of a tree are not
 * copied; their elements are converted on access. */
#ifndef LW_CEL_VALUE_H
#define LW_CEL_VALUE_H

#include <listwatch/quantity.h>

#include "base/arena.h"
#include "base/text/ip_range.h"
#include "base/text/time_text.h"
#include "cel/cel.h"

typedef struct lw_cel_value lw_cel_value;
typedef struct lw_cel_entry lw_cel_entry;

typedef struct lw_cel_url {
    lw_str text, scheme, host, path, query; /* as written */
} lw_cel_url;

/* "1.2.3-rc.1": the numbers and the pre-release. */
typedef struct lw_cel_semver {
    uint64_t numbers[3];
    lw_str pre; /* empty: none */
} lw_cel_semver;

/* An object that an expression has made. */
typedef struct lw_cel_struct {
    lw_str type; /* "Object.spec" */
    const lw_cel_entry *fields;
    size_t count;
} lw_cel_struct;

/* The answer of an authorizer. */
typedef struct lw_cel_decision {
    bool is_allowed;
    lw_str reason, error; /* may be empty */
} lw_cel_decision;

struct lw_cel_access;
struct lw_cel_session;

/* A named string format, defined in formats.c. */
typedef struct lw_cel_format lw_cel_format;

struct lw_cel_value {
    uint8_t kind; /* lw_cel_kind */
    bool is_tree; /* LIST, MAP, OBJECT: from a tree.  Another OBJECT is that of the composed
                     variables of the session */
    union {
        bool boolean;
        int64_t integer; /* INT; DURATION in nanoseconds; TYPE: an lw_cel_kind */
        uint64_t natural;
        double real;
        lw_str text; /* STRING, BYTES, ERROR */
        lw_time time;
        struct {
            const lw_node *node;
            const lw_cel_type *type;
        } tree;
        struct {
            const lw_cel_value *items;
            size_t count;
        } list;
        struct {
            const lw_cel_entry *entries;
            size_t count;
        } map;
        const lw_cel_value *inner; /* OPTIONAL; NULL: no value */
        const lw_quantity *quantity;
        const lw_ip_range *address; /* IP, CIDR */
        const lw_cel_url *url;
        const lw_cel_format *format;
        const lw_cel_semver *semver;
        const lw_cel_struct *made;          /* STRUCT */
        const struct lw_cel_access *access; /* AUTHORIZER and the checks */
        const lw_cel_decision *decision;
    };
};

struct lw_cel_entry {
    lw_cel_value key, value;
};

/* The state of an evaluation. */
typedef struct lw_cel_run {
    lw_arena arena;
    uint64_t cost, budget;
    uint64_t work;
    lw_status st; /* LW_ERR_LIMIT: too costly; LW_ERR_NOMEM.  Ends the evaluation */
    lw_cel_value *slots;
    const struct lw_regex *pattern; /* precompiled pattern of the current call */
    lw_str function;                /* the name of the current call */
    struct lw_cel_session *session; /* NULL: none (session.h) */
} lw_cel_run;

/* Charge |cost| to the budget or |steps| to the work limit; false: the evaluation has ended. */
bool lw_cel_charge(lw_cel_run *run, uint64_t cost);
bool lw_cel_charge_work(lw_cel_run *run, uint64_t steps);

/* Returns the error for run->st. */
lw_cel_value lw_cel_over(lw_cel_run *run);

/* True if the evaluation has ended: out of memory or budget. */
bool lw_cel_is_over(lw_cel_run *run);

/* Returns an error with a message. */
lw_cel_value lw_cel_fail(lw_cel_run *run, const char *format, ...) LW_PRINTF(2, 3);
lw_cel_value lw_cel_no_overload(lw_cel_run *run);

static inline bool lw_cel_is_error(const lw_cel_value *value)
{
    return value->kind == LW_CEL_ERROR;
}

static inline lw_cel_value lw_cel_of_bool(bool boolean)
{
    return (lw_cel_value){ .kind = LW_CEL_BOOL, .boolean = boolean };
}

static inline lw_cel_value lw_cel_of_int(int64_t integer)
{
    return (lw_cel_value){ .kind = LW_CEL_INT, .integer = integer };
}

static inline lw_cel_value lw_cel_of_double(double real)
{
    return (lw_cel_value){ .kind = LW_CEL_DOUBLE, .real = real };
}

static inline lw_cel_value lw_cel_of_text(lw_str text)
{
    return (lw_cel_value){ .kind = LW_CEL_STRING, .text = text };
}

static inline lw_cel_value lw_cel_of_null(void)
{
    return (lw_cel_value){ .kind = LW_CEL_NULL };
}

static inline lw_cel_value lw_cel_of_list(const lw_cel_value *items, size_t count)
{
    return (lw_cel_value){ .kind = LW_CEL_LIST, .list = { items, count } };
}

/* Makes an optional with a copy of |inner|, or without a value (lw_cel_none). */
lw_cel_value lw_cel_some(lw_cel_run *run, lw_cel_value inner);
static inline lw_cel_value lw_cel_none(void)
{
    return (lw_cel_value){ .kind = LW_CEL_OPTIONAL };
}

/* Make a STRING from a copy of |text|, or from |buf|, which is freed. */
lw_cel_value lw_cel_copy_text(lw_cel_run *run, lw_str text);
lw_cel_value lw_cel_take_buf(lw_cel_run *run, lw_buf *buf);

/* Converts |node| to a value of |type|; NULL: null. */
lw_cel_value lw_cel_of_node(lw_cel_run *run, const lw_node *node, const lw_cel_type *type);

/* Returns the number of elements, members, characters or bytes; 1 for other kinds. */
size_t lw_cel_size(const lw_cel_value *value);

/* Returns an element of a LIST; |index| must be valid. */
lw_cel_value lw_cel_item(lw_cel_run *run, const lw_cel_value *list, size_t index);

/* Return the key and the value at a position of a MAP. */
lw_cel_value lw_cel_key_at(const lw_cel_value *map, size_t index);
lw_cel_value lw_cel_value_at(lw_cel_run *run, const lw_cel_value *map, size_t index);

/* Finds the value for |key| in a MAP; false: there is none. */
bool lw_cel_lookup(lw_cel_run *run, const lw_cel_value *map, const lw_cel_value *key,
                   lw_cel_value *out);

/* Finds the member |name| of an OBJECT, escaped as in expressions; false: it is absent. */
bool lw_cel_member(lw_cel_run *run, const lw_cel_value *object, lw_str name, lw_cel_value *out);

/* Returns the declared field |name| of |type|; NULL: none.  A reserved word is also found without
 * its escape: "namespace" for "__namespace__". */
const lw_cel_field *lw_cel_field_of(const lw_cel_type *type, lw_str name);

/* The same for escaped names only. */
const lw_cel_field *lw_cel_field_exact(const lw_cel_type *type, lw_str name);

/* True if both are equal: numbers by value, lists and maps by their contents. */
bool lw_cel_equal(lw_cel_run *run, const lw_cel_value *a, const lw_cel_value *b);

/* Compares two numbers, strings, bytes, bools, timestamps or durations: |*order| is <0, 0 or >0.
 * False: they are not comparable. */
bool lw_cel_order(const lw_cel_value *a, const lw_cel_value *b, int *order);

#endif
